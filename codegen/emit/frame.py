"""A kernel's parameters: what a launch passes, in order, and the memrefs and numbers they make up.

A memref is a pointer, then an i64 for each dynamic extent, for each dynamic stride, and for the offset if it is
dynamic. Parameters lie at multiples of their size, as in a C struct.

Where the machine has no register for the grid's extents, those that the kernel reads follow its arguments as i64.

Pointers are `noalias`, and `readonly` where the kernel never writes through them: the launch rejects buffers that
overlap where one of them is written. So a store through one argument changes nothing that another one reads. Where a
kernel waits for the grids before it, these may write what it only reads: nothing is `readonly` then.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from ...analysis.near_buffers import NEAR, near_extents
from ...ir.attributes import number_of
from ...ir.core import Value
from ...ir.dialects.nvgpu_tma import TmaCreateDescriptorOp
from ...ir.kernels import Kernel
from ...ir.memory_spaces import is_fat_buffer, is_global
from ...ir.types import MemRefType, StridedLayout, memory_bits
from ...support.dataclasses import dataclass, replace
from ...targets.tensor_maps import PROMOTIONS, SWIZZLES
from .descriptor import GLOBAL, NEAR_BYTES, Descriptor, Extent, pointer_type, row_major, ssa
from .emission import Emission
from .tensor_map import MAP_ALIGNMENT, MAP_BYTES, MapParameter
from .text import INTEGER_BITS, Ssa
from .wide_access import from_memory

Role = Literal["scalar", "pointer", "size", "stride", "offset", "grid", "map"]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of the machine code: `size` bytes at `offset` of the packed arguments.

    `argument` is the number of the kernel's argument that it belongs to, `dimension` that of a size or stride. A "grid"
    parameter belongs to none (-1): it is the number of workgroups along axis `dimension`, which every launch knows. A
    "map" is a tensor map of the argument, `map` says which.
    """

    name: str
    role: Role
    argument: int
    size: int
    offset: int
    alignment: int
    dimension: int | None = None
    map: MapParameter | None = None


class Frame:
    """Collects the parameters while the arguments are bound."""

    def __init__(self, em: Emission, kernel: Kernel) -> None:
        self.em = em
        self.kernel = kernel
        self.parameters: list[Parameter] = []
        self._texts: list[str] = []
        for i, argument in enumerate(kernel.arguments):
            if isinstance(argument.type, MemRefType):
                self._memref(i, argument, argument.type)
            else:
                self._scalar(i, argument)

    def add_grid(self, extents: Mapping[int, Ssa]) -> None:
        """Extents of the grid, by axis, that the kernel reads by these names."""
        for axis, value in sorted(extents.items()):
            self._place("grid", f"grid.{'xyz'[axis]}", -1, 8, axis)
            self._texts.append(str(value))

    def add_maps(self, maps: Mapping[TmaCreateDescriptorOp, Ssa]) -> None:
        """Tensor maps that the kernel names so."""
        for op, name in maps.items():
            argument, type = op.tensor.index, op.tensorMap.type
            numbers = {(p.role, p.dimension): n for n, p in enumerate(self.parameters) if p.argument == argument}
            shape = op.tensor.type.shape
            offset = self._place("map", name.text[1:], argument, MAP_BYTES, None, MAP_ALIGNMENT)
            made = MapParameter(
                offset,
                numbers["pointer", None],
                str(op.tensor.type.element),
                tuple(n or 0 for n in shape),
                tuple(0 if n is not None else numbers["size", dim] for dim, n in enumerate(shape)),
                type.box,
                SWIZZLES[type.swizzle],
                PROMOTIONS[type.l2promo],
            )
            self.parameters[-1] = replace(self.parameters[-1], map=made)
            words = f'byval([{MAP_BYTES} x i8]) align {MAP_ALIGNMENT} "nvvm.grid_constant"'
            self._texts.append(f"ptr {words} {name.text}")

    @property
    def text(self) -> str:
        return ", ".join(self._texts)

    def _add(self, role: Role, argument: int, type: str, size: int, dimension: int | None = None) -> Ssa:
        """`type` may end in attributes of the parameter."""
        hint = self.kernel.arguments[argument].hint or f"argument{argument}"
        suffix = {"scalar": "", "pointer": "", "offset": ".offset"}.get(role, f".{role}{dimension}")
        self._place(role, hint + suffix, argument, size, dimension)
        name = f"%a{len(self._texts)}"
        self._texts.append(f"{type} {name}")
        return Ssa(name, type)

    def _place(
        self, role: Role, name: str, argument: int, size: int, dimension: int | None, alignment: int | None = None
    ) -> int:
        end = self.parameters[-1].offset + self.parameters[-1].size if self.parameters else 0
        multiple = size if alignment is None else alignment
        offset = -(-end // multiple) * multiple
        self.parameters.append(Parameter(name, role, argument, size, offset, multiple, dimension))
        return offset

    def _scalar(self, number: int, argument: Value) -> None:
        em = self.em
        bits = max(8, memory_bits(argument.type))
        type = em.type(argument.type)
        value = self._add("scalar", number, f"i{bits}" if type in INTEGER_BITS else type, bits // 8)
        (only,) = from_memory(em, [value], type)
        em.set_llvm(argument, only)

    def _memref(self, number: int, argument: Value, type: MemRefType) -> None:
        em = self.em
        if not is_global(type.memory_space):
            raise em.error(f"takes a {type}; buffers that a launch passes are in global memory")
        if is_fat_buffer(type.memory_space):
            hint = "pass a buffer in global memory, and cast it by amdgpu.fat_raw_buffer_cast"
            raise em.error(f"takes a {type}; a launch passes no buffer resources", hint)
        if type.layout is not None and not isinstance(type.layout, StridedLayout):
            raise em.error(f"takes a {type}, whose layout is not strided<...>")
        bits = memory_bits(type.element)
        read_only = argument not in em.written and not em.awaits_grids
        pointer = self._pointer(number, max(bits, 8) // 8, read_only)
        sizes = tuple(self._extent("size", number, i, n) for i, n in enumerate(type.shape))
        strides, offset = self._layout(number, type, sizes)
        base = Ssa(pointer.text, pointer_type(GLOBAL))
        near = self.kernel.argument_attribute(number, NEAR) is not None
        near = near or _is_near(sizes, strides, offset, bits)
        for extent in (*sizes, *strides) if near and type.layout is None else ():
            em.w.know(ssa(extent), near_extents(bits))
        em.set(argument, Descriptor(base, GLOBAL, bits, offset, sizes, strides, read_only, near))

    def _pointer(self, number: int, element_bytes: int, read_only: bool) -> Ssa:
        align = max(number_of(self.kernel.argument_attribute(number, "llvm.align")) or 1, element_bytes)
        access = "readonly" if read_only else ""
        alone = "" if self.kernel.arguments[number] in self.em.stored_by_maps else "noalias"
        words = " ".join(filter(None, (pointer_type(GLOBAL), alone, access, f"align {align}")))
        return self._add("pointer", number, words, 8)

    def _layout(self, number: int, type: MemRefType, sizes: tuple[Extent, ...]) -> tuple[tuple[Extent, ...], Extent]:
        if type.layout is None:
            return row_major(self.em.w, sizes), 0
        strides, offset = type.strides_and_offset()
        found = tuple(self._extent("stride", number, i, n) for i, n in enumerate(strides))
        return found, self._extent("offset", number, None, offset)

    def _extent(self, role: Role, number: int, dimension: int | None, known: int | None) -> Extent:
        return self._add(role, number, "i64", 8, dimension) if known is None else known


def _is_near(sizes: Sequence[Extent], strides: Sequence[Extent], offset: Extent, element_bits: int) -> bool:
    """Whether static extents say so."""
    last = offset
    for size, stride in zip(sizes, strides, strict=True):
        if not (isinstance(size, int) and isinstance(stride, int) and stride >= 0 and isinstance(last, int)):
            return False
        last += (size - 1) * stride
    return isinstance(last, int) and 0 <= last < NEAR_BYTES * 8 // element_bits
