"""AMD's loads that give a lane what others read: an element of a row from each of several lanes, which makes a column.

From workgroup memory: CDNA 4 ISA, DS_READ_B64_TR_B16. From global memory (GLOBAL_LOAD_TR_*): AMD's emulator rocjitsu
(rocm-systems, `shared/ds_transpose.h`: TR16_B128, WMMA_TR_B8, TR_B4, TR_B6), which follows the RDNA 4 and CDNA 5 ISA;
what lanes get are fragments of wmma (section 7.12.2 there). Waves of 32 lanes.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..support.named_tuples import NamedTuple
from .fragment import DigitMap, digits


class TransposingLoad(NamedTuple):
    """One instruction: `lanes` neighbours read `elements` of `bits` each."""

    bits: int
    elements: int
    lanes: int
    source: DigitMap
    """From a lane and the number of an element that it gets to the lane that reads it, and its number there."""
    requires: str
    llvm_name: str
    carrier: str
    """What LLVM's function gives."""

    @property
    def bytes(self) -> int:
        """What a lane reads."""
        return self.bits * self.elements // 8

    @property
    def alignment(self) -> int:
        """In bytes, of what a lane reads: all of it, of three words one."""
        return self.bytes & -self.bytes


_READER, _THERE = 0, 1
_EIGHT_BY_EIGHT = DigitMap(2, (digits((8, _THERE, 1)), digits((8, _READER, 1))))
_GLOBAL = "llvm.amdgcn.global.load.tr"

FROM_SHARED: Mapping[int, TransposingLoad] = {
    16: TransposingLoad(
        16, 4, 16,
        DigitMap(2, (digits((4, _THERE, 1), (4, _READER, 1)), digits((4, _READER, 4)))),
        "ds_read_tr", "llvm.amdgcn.ds.read.tr16.b64.v4i16", "<4 x i16>",
    ),
}  # fmt: skip
"""By bits of an element."""
FROM_GLOBAL: Mapping[int, TransposingLoad] = {
    16: TransposingLoad(16, 8, 8, _EIGHT_BY_EIGHT, "global_load_tr", f"{_GLOBAL}.b128.v8i16", "<8 x i16>"),
    8: TransposingLoad(8, 8, 8, _EIGHT_BY_EIGHT, "global_load_tr", f"{_GLOBAL}.b64.v2i32", "<2 x i32>"),
    6: TransposingLoad(
        6, 16, 32,
        DigitMap(2, (digits((16, _THERE, 1), (2, _READER, 4)), digits((4, _READER, 1), (4, _READER, 8)))),
        "global_load_tr.short", f"{_GLOBAL}6.b96.v3i32", "<3 x i32>",
    ),
    4: TransposingLoad(
        4, 16, 32,
        DigitMap(2, (digits((16, _THERE, 1), (2, _READER, 8)), digits((8, _READER, 1), (2, _READER, 16)))),
        "global_load_tr.short", f"{_GLOBAL}4.b64.v2i32", "<2 x i32>",
    ),
}  # fmt: skip
"""By bits of an element."""
