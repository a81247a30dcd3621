"""nvgpu: products of four subgroups on tiles that tensor maps put down in workgroup memory, in MLIR's names.

A descriptor names a tile, an accumulator is what 128 threads together hold of sums, in an order that nobody sees. They
are short for lanewise's own products (`frontend/nvgpu_warpgroup.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from ...support.dataclasses import dataclass
from ...support.diagnostics import Report
from ...targets import MatrixInstruction, find_matrix_instruction
from ...targets.instructions import names_of_all
from ...targets.matrix_instruction import iree_spelling
from ...targets.tensor_maps import SWIZZLES
from ..attributes import UnitAttr
from ..core import Operation, Value
from ..define import instances_of, is_memref, operand, optional_attribute, optional_int_attribute, result
from ..memory_spaces import is_workgroup
from ..traits import NOTHING, PRODUCT_GROUPS, READS, WRITES
from ..types import DIALECT_TYPES, F16, F32, I32, Attribute, MemRefType, Type, VectorType, bit_width, element_type
from .nvgpu_tma import TensorMapType, is_tensor_map

if TYPE_CHECKING:
    from ..attribute_parser import AttributeParser

ROWS = 64
"""The rows of one instruction."""
LANES = 128
_ELEMENTS = ("f16", "bf16", "tf32", "f8E4M3FN", "f8E5M2", "i8", "ui8")
_ACCUMULATORS = (F32, F16, I32)
_COLUMNS = range(8, 257, 8)
_K_BITS = 256
"""The bits of a row that one instruction takes."""
STORED = {"tf32": "f32", "ui8": "i8"}
"""How tiles have elements in memory, where they have them otherwise."""


@dataclass(frozen=True, slots=True)
class WarpgroupDescriptorType(Type):
    """The type of a descriptor: that of a tile of A, rows by K, or of B, K by columns, whichever of the two is
    contiguous."""

    tensor: MemRefType

    mnemonic: ClassVar[str] = "nvgpu.warpgroup.descriptor"

    @classmethod
    def parse(cls, parser: AttributeParser) -> WarpgroupDescriptorType:
        parser.expect("<")
        parser.expect("tensor")
        parser.expect("=")
        start, tensor = parser.token.start, parser.parse_type()
        if not isinstance(tensor, MemRefType) or tensor.rank != 2 or None in tensor.shape:
            raise parser.error(f"a tile is a static memref of two dimensions, found {tensor}", start)
        if not is_workgroup(tensor.memory_space) or str(tensor.element) not in _ELEMENTS:
            raise parser.error(f"a tile is of {', '.join(_ELEMENTS)} in workgroup memory, found {tensor}", start)
        parser.expect(">")
        return cls(tensor)

    def __str__(self) -> str:
        return f"!{self.mnemonic}<tensor = {self.tensor}>"

    @property
    def shape(self) -> tuple[int, int]:
        rows, columns = (n or 0 for n in self.tensor.shape)
        return rows, columns


@dataclass(frozen=True, slots=True)
class WarpgroupAccumulatorType(Type):
    """Accumulators of 128 threads: `fragmented` is the whole matrix."""

    fragmented: VectorType

    mnemonic: ClassVar[str] = "nvgpu.warpgroup.accumulator"

    @classmethod
    def parse(cls, parser: AttributeParser) -> WarpgroupAccumulatorType:
        parser.expect("<")
        parser.expect("fragmented")
        parser.expect("=")
        start, whole = parser.token.start, parser.parse_type()
        if not isinstance(whole, VectorType) or whole.rank != 2 or whole.element not in _ACCUMULATORS:
            names = ", ".join(map(str, _ACCUMULATORS))
            raise parser.error(f"an accumulator has two dimensions of {names}, found {whole}", start)
        if whole.shape[0] % ROWS or not whole.shape[0] or whole.shape[1] not in _COLUMNS:
            words = f"multiples of {ROWS} rows and of 8 columns, up to {_COLUMNS[-1]} of these"
            raise parser.error(f"an accumulator has {words}, found {whole}", start)
        parser.expect(">")
        return cls(whole)

    def __str__(self) -> str:
        return f"!{self.mnemonic}<fragmented = {self.fragmented}>"

    @property
    def blocks(self) -> int:
        """Products of 64 rows."""
        return self.fragmented.shape[0] // ROWS

    @property
    def part(self) -> VectorType:
        """What one thread has of it: its accumulators of 64 rows after another."""
        return VectorType((self.fragmented.elements // LANES,), self.fragmented.element)


DIALECT_TYPES[WarpgroupDescriptorType.mnemonic] = WarpgroupDescriptorType.parse
DIALECT_TYPES[WarpgroupAccumulatorType.mnemonic] = WarpgroupAccumulatorType.parse
is_descriptor = instances_of("a !nvgpu.warpgroup.descriptor", WarpgroupDescriptorType)
is_accumulator = instances_of("a !nvgpu.warpgroup.accumulator", WarpgroupAccumulatorType)


class GenerateDescriptorOp(Operation, opname="nvgpu.warpgroup.generate.descriptor"):
    """Names the tile that copies through `tensorMap` put down in `tensor`: its rows lie in boxes as wide as the map's,
    one box of all rows after another, each mixed as the map says."""

    pure = True
    belongs_to = "thread"
    tensor = operand(is_memref, NOTHING)
    tensorMap = operand(is_tensor_map, NOTHING)
    descriptor = result(is_descriptor, view_of="tensor")
    assembly = "$tensor `,` $tensorMap attr-dict `:` type($tensor) `,` type($tensorMap) `->` type($descriptor)"

    def verify(self, report: Report) -> None:
        type, map, tile = self.tensor.type, self.tensorMap.type, self.descriptor.type.tensor
        element = STORED.get(str(tile.element), str(tile.element))
        if not is_workgroup(type.memory_space) or type.rank != 2 or None in type.shape:
            self.error(report, f"is of a static memref of two dimensions in workgroup memory, found {type}")
        elif {str(type.element), str(map.tensor.element)} != {element}:
            found = f"found {type.element}, and {map.tensor.element} in the map"
            self.error(report, f"is of elements of {element} for a tile of {tile.element}, {found}")
        elif type.shape not in (tile.shape, tile.shape[::-1]):
            self.error(report, f"is of a tile of {list(tile.shape)} elements or these exchanged, found {type}")
        elif not SWIZZLES[map.swizzle] or map.interleave != "none":
            found = f"found {map.swizzle} and {map.interleave}"
            self.error(report, f"needs a map with a swizzle that is not interleaved, {found}")
        else:
            self._check_box(type, map, report)

    def _check_box(self, type: MemRefType, map: TensorMapType, report: Report) -> None:
        if map.tensor.rank < 2 or (type.shape[type.rank - 1] or 0) % map.box[-1]:
            self.error(report, f"needs rows of whole boxes of {map.box[-1]} elements, found {type}")


class WarpgroupMmaOp(Operation, opname="nvgpu.warpgroup.mma"):
    """`matrixC + A * B`, as a group of products that may go on: behind it no more than the `waitGroup` newest groups of
    its threads are under way (1 where it is left out).

    K is contiguous in A's tile, or the rows with `transposeA`; K in B's, or the columns with `transposeB`. As a memref
    the tile has what is contiguous last. Accumulators that are under way are what the next product is added to; whoever
    stores them waits for them.
    """

    pure = False
    collective = "workgroup"
    belongs_to = "thread"
    through_async_proxy = True
    begins = PRODUCT_GROUPS
    awaits = (PRODUCT_GROUPS,)
    descriptorA = operand(is_descriptor, READS)
    descriptorB = operand(is_descriptor, READS)
    matrixC = operand(is_accumulator)
    waitGroup = optional_int_attribute(I32)
    transposeA = optional_attribute(UnitAttr)
    transposeB = optional_attribute(UnitAttr)
    matrixD = result(is_accumulator, like="matrixC")
    assembly = (
        "$descriptorA `,` $descriptorB `,` $matrixC attr-dict"
        " `:` type($descriptorA) `,` type($descriptorB) `,` type($matrixC) `->` type($matrixD)"
    )

    @property
    def joins_in_any_order(self) -> bool:
        return True

    @property
    def groups_left(self) -> int:
        return 1 if self.waitGroup is None else self.waitGroup

    @property
    def instruction_name(self) -> str:
        """The name of the instruction for products of 64 rows, whether there is one or not."""
        a, b = self.descriptorA.type.tensor.element, self.descriptorB.type.tensor.element
        k = _K_BITS // (32 if str(a) == "tf32" else bit_width(a))
        shape = ROWS, self.descriptorB.type.shape[1], k
        return iree_spelling("NV_WGMMA", shape, str(a), str(b), str(_element_of(self.operands[-1].type)))

    @property
    def instruction(self) -> MatrixInstruction:
        """The verifier knows that there is one."""
        return find_matrix_instruction(self.instruction_name)

    def tile(self, side: int) -> tuple[Value[WarpgroupDescriptorType], bool]:
        """A (0) or B (1), and whether K is not what is contiguous."""
        if side == 0:
            return self.descriptorA, self.transposeA is not None
        return self.descriptorB, self.transposeB is not None

    def verify(self, report: Report) -> None:
        a, b, c, d = self.descriptorA.type, self.descriptorB.type, self.matrixC.type, self.matrixD.type
        (rows, depth), (also_depth, columns) = a.shape, b.shape
        if c != d:
            self.error(report, f"result must be {c} as matrixC, found {d}")
        elif depth != also_depth or (rows, columns) != c.fragmented.shape:
            self.error(report, f"shapes do not multiply: {a.tensor}, {b.tensor}, {c.fragmented}")
        elif self.instruction_name not in names_of_all():
            found = f"{c.fragmented.element} += {a.tensor.element} * {b.tensor.element} of {columns} columns"
            self.error(report, f"is no product that wgmma has: {found}")
        elif depth % self.instruction.shape[2]:
            self.error(report, f"needs a multiple of {self.instruction.shape[2]} elements along K, found {depth}")
        else:
            self._check_marks(report)
            self._check_tiles(report)

    def _check_tiles(self, report: Report) -> None:
        """Who names a tile says how it lies."""
        for side in range(2):
            descriptor, transposed = self.tile(side)
            name, shape, maker = f"descriptor{'AB'[side]}", descriptor.type.shape, descriptor.operation
            lying = shape if transposed == (side == 1) else shape[::-1]
            if not isinstance(maker, GenerateDescriptorOp):
                self.error(report, f"{name} must be what {GenerateDescriptorOp.opname} gives, where it is used")
            elif maker.tensor.type.shape != lying:
                found = f"found {maker.tensor.type}"
                along = "rows" if side == 0 else "columns"
                words = f"whose last dimension is {along if transposed else 'K'}"
                self.error(report, f"{name} must be of {list(lying)} elements, {words}, {found}")

    def _check_marks(self, report: Report) -> None:
        given = self.attributes.get("waitGroup")
        if given is not None and (getattr(given, "type", None) != I32 or self.groups_left < 0):
            self.error(report, f"waitGroup must be a number of at least 0 of type i32, found {given}")
        for side in range(2):
            descriptor, transposed = self.tile(side)
            element = descriptor.type.tensor.element
            if transposed and str(element) not in ("f16", "bf16"):
                name = f"transpose{'AB'[side]}"
                self.error(report, f"has {name}, which is for elements of 16 bits, found {element}")


def _element_of(accumulator: Type) -> Type:
    """The element type of an accumulator, or of a thread's part of it, as `frontend` has it."""
    return (
        accumulator.fragmented.element
        if isinstance(accumulator, WarpgroupAccumulatorType)
        else element_type(accumulator)
    )


class WarpgroupMmaStoreOp(Operation, opname="nvgpu.warpgroup.mma.store"):
    """Waits for the accumulators and stores the matrix, its first element at the first of `dstMemref`."""

    pure = False
    collective = "workgroup"
    belongs_to = "thread"
    awaits = (PRODUCT_GROUPS,)
    matrixD = operand(is_accumulator)
    dstMemref = operand(is_memref, WRITES)
    assembly = "$matrixD `,` $dstMemref attr-dict `:` type($matrixD) `to` type($dstMemref)"

    def verify(self, report: Report) -> None:
        whole, type = self.matrixD.type.fragmented, self.dstMemref.type
        if type.element != whole.element or type.shape != whole.shape:
            self.error(report, f"stores {whole} to as many elements of its type, found {type}")


class WarpgroupMmaInitAccumulatorOp(Operation, opname="nvgpu.warpgroup.mma.init.accumulator"):
    """Zeros."""

    pure = True
    belongs_to = "thread"
    matrixC = result(is_accumulator)
    assembly = "attr-dict `->` type($matrixC)"

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type] | None:
        return None
