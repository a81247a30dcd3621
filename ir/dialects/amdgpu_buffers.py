"""amdgpu: buffers in global memory that are reached through a resource, and accesses that make one for themselves.

Of such a buffer so many bytes count, from where its resource starts. An element's distance from there, in bytes modulo
2^32, decides whether it is one of them, not its indices: what is not is read as zero, and what would be written there
is dropped (AMD's instruction set documents, "raw buffer").
"""

from __future__ import annotations

from ...support.diagnostics import Report
from ..attributes import IntegerAttr, UnitAttr
from ..core import Operation
from ..define import Constraint, attribute, is_memref, operand, optional_attribute, optional_operand, result
from ..memory_spaces import is_fat_buffer, is_global
from ..traits import NOTHING
from ..types import I1, IntegerType, MemRefType, StridedLayout
from .amdgpu_address_space import FAT_RAW_BUFFER

SWIZZLE_BITS = 14
is_byte_count: Constraint[IntegerType] = Constraint(
    "i32 or i64", lambda t: isinstance(t, IntegerType) and t.width in (32, 64)
)
is_swizzle_stride: Constraint[IntegerType] = Constraint(f"i{SWIZZLE_BITS}", lambda t: t == IntegerType(SWIZZLE_BITS))


class FatRawBufferCastOp(Operation, opname="amdgpu.fat_raw_buffer_cast"):
    """The same elements in a buffer of which the first `validBytes` bytes count; without that as many as
    the memref has: the greatest extent times stride, behind its offset.

    It begins where the buffer does of which the memref is part, with `resetOffset` at the memref's first element.
    With `boundsCheck` false what lies behind those bytes may not be accessed. `cacheSwizzleStride` changes what is
    found in caches, and no value.
    """

    pure = True
    source = operand(is_memref, NOTHING)
    validBytes = optional_operand(is_byte_count)
    cacheSwizzleStride = optional_operand(is_swizzle_stride)
    boundsCheck = attribute(IntegerAttr, IntegerAttr(1, I1))
    resetOffset = optional_attribute(UnitAttr)
    result_ = result(is_memref, view_of="source")
    assembly = (
        "$source oilist(`validBytes` `` `(` $validBytes `)` | `cacheSwizzleStride` `` `(` $cacheSwizzleStride"
        " `)` | `boundsCheck` `` `(` $boundsCheck `)` | `resetOffset` $resetOffset) attr-dict `:`"
        " type($source) `to` type($result)"
    )

    @property
    def begins_at_offset(self) -> bool:
        """Whether the memref's first element is the buffer's."""
        return self.resetOffset is not None

    @property
    def is_checked(self) -> bool:
        return bool(self.boundsCheck.value)

    def verify(self, report: Report) -> None:
        source = self.source.type
        if not is_global(source.memory_space) or is_fat_buffer(source.memory_space):
            self.error(report, f"casts a buffer in global memory, found {source}")
        elif source.layout is not None and not isinstance(source.layout, StridedLayout):
            self.error(report, f"casts a buffer whose layout is strided<...>, found {source}")
        elif (expected := buffer_type(source, reset=self.begins_at_offset)) != self.result_.type:
            self.error(report, f"expected result type to be {expected}, found {self.result_.type}")


def _is_dense(type: MemRefType, strides: tuple[int | None, ...]) -> bool:
    """Whether these are the strides of the memref without a layout, as upstream tells: not where one of several extents
    is open."""
    plain, _ = MemRefType(type.shape, type.element).strides_and_offset()
    return tuple(plain) == strides and (type.rank < 2 or None not in type.shape)


def buffer_type(source: MemRefType, *, reset: bool) -> MemRefType:
    """What a memref is as a raw buffer; `reset`: its offset is part of where the buffer begins."""
    layout = source.layout
    if reset and isinstance(layout, StridedLayout):
        layout = None if _is_dense(source, layout.strides) else StridedLayout(layout.strides, 0)
    return MemRefType(source.shape, source.element, layout, FAT_RAW_BUFFER)
