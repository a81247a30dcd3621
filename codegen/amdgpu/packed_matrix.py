"""Extensions of a wave's matrix of short floats by scales of other lanes (gfx1250, V_CVT_SCALE_PK8 and _PK16).

What selectors of the instruction mean is in no document that is public: measured are those of elements below a byte
with blocks of 32 (0 to 3: bit 0 takes lanes 16 on, bit 1 bytes 2 and 3), and 0 and 8 of bytes (8: the upper lanes take
the next byte). Only these are used, and scales are brought to where they look (decision 0148).

LLVM takes the instruction for one of each lane for itself, though lanes that are told the same differ in the byte that
they take. So their scales come through a move that it knows to be between lanes.
"""

from __future__ import annotations

from ...ir.dialects.amdgpu_packed_matrix import ScaledExtPackedMatrixOp
from ...ir.types import bit_width
from ...targets.scaled_extensions import FEATURE, LANES, SCALE_LANES
from ..emit import integers
from ..emit.emission import Emission
from ..emit.emit_rules import AMD
from ..emit.pack import put_together, take_apart
from ..emit.text import Ssa, integer
from ..emit.vectors import regroup
from .collectives import as_of_lanes, read_lanes

_SHORT = {"f8E4M3FN": "fp8", "f8E5M2": "bf8", "f6E2M3FN": "fp6", "f6E3M2FN": "bf6", "f4E2M1FN": "fp4"}
_BYTE, _WORD = 8, 32
_NEXT_BYTE = 8
"""What selects scales of bytes: the lanes from 16 on take the next one."""
_UPPER = 1
"""What selects scales of shorter elements: scales are those of lanes 16 on."""


@AMD.of(ScaledExtPackedMatrixOp)
def _extend(em: Emission, op: ScaledExtPackedMatrixOp) -> None:
    em.require(FEATURE)
    if em.subgroup_size != LANES:
        raise em.error(f"needs subgroups of {LANES} lanes, found {em.subgroup_size}")
    short, long = _SHORT[str(op.source.type.element)], str(op.res.type.element)
    count, bits = op.source.type.elements, bit_width(op.source.type.element)
    number = count * bits // _WORD
    carrier = "i32" if number == 1 else f"<{number} x i32>"
    (words,) = regroup(em, em.elements(op.source), count, carrier)
    scales = integers.bitcast(em.w, put_together(em.w, em.elements(op.scale)), "i32")
    word, selector = (_of_bytes if bits == _BYTE else _of_short)(em, op, scales)
    name = f"llvm.amdgcn.cvt.scale.pk{count}.{long}.{short}"
    found = em.w.call_fresh(em.type(op.res.type), name, words, word, integer(selector, "i32"))
    em.set_pack(op.res, take_apart(em.w, found, count))


def _of_short(em: Emission, op: ScaledExtPackedMatrixOp, scales: Ssa) -> tuple[Ssa, int]:
    """Blocks of 16 have their bytes two apart: they are brought together."""
    upper = _UPPER * (op.firstScaleLane // SCALE_LANES)
    if op.blockSize == _WORD:
        return as_of_lanes(em, scales), upper | op.firstScaleByte
    low, high = (_byte(em, scales, op.firstScaleByte + apart) for apart in (0, 2))
    return as_of_lanes(
        em, integers.binary(em.w, "or", low, integers.binary(em.w, "shl", high, integer(_BYTE, "i32")))
    ), upper


def _of_bytes(em: Emission, op: ScaledExtPackedMatrixOp, scales: Ssa) -> tuple[Ssa, int]:
    """The first byte is brought to where it is looked for, and the upper lanes' scales to the lower lanes."""
    word = integers.binary(em.w, "lshr", scales, integer(_BYTE * op.firstScaleByte, "i32"))
    if op.firstScaleLane:
        word = read_lanes(em, tuple(op.firstScaleLane + lane % SCALE_LANES for lane in range(LANES)), word)
    if op.blockSize == _WORD:
        return word, 0
    return as_of_lanes(em, word), _NEXT_BYTE


def _byte(em: Emission, word: Ssa, number: int) -> Ssa:
    shifted = integers.binary(em.w, "lshr", word, integer(_BYTE * number, "i32"))
    return integers.binary(em.w, "and", shifted, integer(0xFF, "i32"))
