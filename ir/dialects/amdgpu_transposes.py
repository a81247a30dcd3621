"""amdgpu: loads that give each lane elements of rows that its neighbours read, one of each row: a column."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from ...support.diagnostics import Report
from ...targets.transposing_loads import FROM_GLOBAL, FROM_SHARED, TransposingLoad
from ..core import Operation
from ..define import is_index, is_memref, is_row, operand, operands, result
from ..memory_spaces import is_fat_buffer, is_global
from ..traits import READS
from ..types import I8, MemRefType, VectorType, bit_width
from .nvgpu import SHARED_MEMORY

_BYTE = 8


class TransposingLoadOp(Operation):
    """What they have in common: `%src[%i, %j] : type -> vector<4xf16>` of one lane. All lanes of its subgroup take
    part; `form.source` says which of them reads an element that a lane gets."""

    pure = False
    collective = "subgroup"
    belongs_to = "thread"
    src = operand(is_memref, READS)
    srcIndices = operands(is_index)
    res = result(is_row)
    assembly = "$src `` `[` $srcIndices `]` attr-dict `:` type($src) `->` type($res)"
    forms: ClassVar[Mapping[int, TransposingLoad]]
    """By bits of an element."""
    memory: ClassVar[str]

    @property
    def form(self) -> TransposingLoad:
        """The instruction; the verifier knows that there is one."""
        return self.forms[bit_width(self.res.type.element)]

    @property
    def is_of_bytes(self) -> bool:
        """Whether the buffer has bytes in which shorter elements lie one after another, the first in the lowest bits
        of the first."""
        return self.res.type.element != self.src.type.element

    @classmethod
    def reads(cls, type: MemRefType) -> bool:
        """Whether the instruction can read such a buffer's memory."""
        raise AssertionError(f"{cls.opname} does not say whose memory it reads")

    def verify(self, report: Report) -> None:
        source, found = self.src.type, self.res.type
        strides, _ = source.strides_and_offset()
        if len(self.srcIndices) != source.rank:
            self.error(report, f"needs {source.rank} indices for {source}, found {len(self.srcIndices)}")
        elif not strides or strides[-1] != 1:
            self.error(report, f"needs a memref whose last dimension has stride 1, found {source}")
        if not self.reads(source):
            self.error(report, f"reads {self.memory}, found {source}")
        bits = bit_width(found.element)
        form = self.forms.get(bits)
        in_bytes = bits < _BYTE and source.element == I8
        if found.element != source.element and not in_bytes:
            self.error(report, f"element types differ: {source} and {found}")
        elif form is None or found.elements != form.elements:
            known = " or ".join(f"{f.elements} elements of {f.bits} bits" for f in self.forms.values())
            self.error(report, f"gives each lane {known}, found {found}")
        elif bits == 6 and not in_bytes:
            packed = VectorType((form.elements,), found.element)
            self.error(report, f"reads {packed} from a memref of i8, where they have no gaps, found {source}")


class TransposeLoadOp(TransposingLoadOp, opname="amdgpu.transpose_load"):
    """16 lanes read a matrix of 16 columns of workgroup memory, 8 bytes each, row by row, and lane l of them gets
    column l (gfx950)."""

    forms = FROM_SHARED
    memory = "workgroup memory (#gpu.address_space<workgroup>)"

    @classmethod
    def reads(cls, type: MemRefType) -> bool:
        return str(type.memory_space) in SHARED_MEMORY


class GlobalTransposeLoadOp(TransposingLoadOp, opname="amdgpu.global_transpose_load"):
    """Eight lanes read eight elements of 8 or 16 bits each of global memory, and lane l of them gets the l-th of all
    (gfx1200, gfx1201, gfx1250). Of 4 and 6 bits 32 lanes read 16 each, a row of 16 columns; lanes l and 16 + l get 16
    elements of column l each, of rows that come in turns of eight (4 bits) or four (gfx1250)."""

    forms = FROM_GLOBAL
    memory = "global memory"

    @classmethod
    def reads(cls, type: MemRefType) -> bool:
        return is_global(type.memory_space) and not is_fat_buffer(type.memory_space)
