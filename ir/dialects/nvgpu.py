"""nvgpu: NVIDIA's matrix instructions as one lane sees them.

A fragment is `vector<pieces x elements>`: the pieces that one lane holds, in the order of the PTX ISA. A piece of A or
B is a 32-bit register (64 bits for f64), one of C two neighbours in a row. Floats of 4 and 6 bits take a byte each.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from ...support.diagnostics import Report
from ..attributes import ArrayAttr, IntegerAttr, UnitAttr, int_array
from ..core import Operation
from ..define import (
    attribute,
    carried_attribute,
    int_attribute,
    is_index,
    is_memref,
    operand,
    operands,
    optional_attribute,
    result,
    vectors,
)
from ..traits import READS, WRITES
from ..types import BF16, F16, F32, F64, I1, I32, FloatType, IntegerType, MemRefType, Type, VectorType, bit_width

LANES = 32
LDMATRIX_BITS = 32
"""What `ldmatrix` gives each lane of every 8x8 matrix of 16-bit elements."""

fragment = vectors("a 2-D vector", lambda t: t.rank == 2)


class SubgroupProduct(Operation):
    """`matrixA * matrixB + matrixC` of one subgroup; `mmaShape` is [m, n, k]. A lane has [register, element]."""

    pure = True
    collective = "subgroup"
    belongs_to = "thread"
    multiplies_fragments = True
    matrixA = operand(fragment)
    matrixB = operand(fragment)
    matrixC = operand(fragment)
    mmaShape = attribute(ArrayAttr)
    res = result(fragment, like="matrixC")
    sparsity: ClassVar[int] = 1
    """How many elements along K there are for one that the fragment of A has."""

    @property
    def joins_in_any_order(self) -> bool:
        return True

    @property
    def shape(self) -> tuple[int, int, int]:
        """m, n, k."""
        m, n, k = int_array(self.mmaShape)
        return m, n, k

    def verify(self, report: Report) -> None:
        shape = self.mmaShape.values
        if len(shape) != 3 or not all(isinstance(n, IntegerAttr) and n.value > 0 for n in shape):
            self.error(report, f"mmaShape must be three positive integers [m, n, k], found {self.mmaShape}")
            return
        self.verify_elements(report)
        m, n, k = self.shape
        of_a = "matrixA", self.matrixA, m, k // self.sparsity
        for name, value, rows, columns in (of_a, ("matrixB", self.matrixB, k, n), ("matrixC", self.matrixC, m, n)):
            width = 2 if value is self.matrixC else max(1, 32 // self.bits_of_operand(value.type.element))
            expected = VectorType((rows * columns // LANES // width, width), value.type.element)
            if value.type != expected:
                self.error(report, f"{name} {rows}x{columns} is {expected} of a lane, found {value.type}")

    def verify_elements(self, report: Report) -> None:
        """Reports what is wrong besides the fragments' shapes."""

    def bits_of_operand(self, element: Type) -> int:
        """That an element of A or B takes in its register."""
        return operand_bits(element)


class MmaSyncOp(SubgroupProduct, opname="nvgpu.mma.sync"):
    """Integers are signed unless marked."""

    tf32Enabled = optional_attribute(UnitAttr)
    unsignedA = carried_attribute(UnitAttr)
    unsignedB = carried_attribute(UnitAttr)
    assembly = (
        "`` `(` $matrixA `,` $matrixB `,` $matrixC `)` (`mmaShape` `=` $mmaShape^)? (`tf32Enabled` $tf32Enabled^)?"
        " attr-dict `:` functional-type"
    )

    def verify_elements(self, report: Report) -> None:
        if self.res.type != self.matrixC.type:
            self.error(report, f"result must be {self.matrixC.type} as matrixC, found {self.res.type}")
        check_elements(self, report, *(v.type.element for v in (self.matrixA, self.matrixB, self.matrixC)))


def check_elements(op: Operation, report: Report, a: Type, b: Type, c: Type) -> None:
    """Reports what is wrong with the types of `op`, a product of elements `a` and `b` with accumulators `c`: what no
    instruction has."""
    marked = ", ".join(name for name in ("unsignedA", "unsignedB") if name in op.attributes)
    if operand_bits(a) != operand_bits(b) or a.is_float != b.is_float:
        op.error(report, f"matrixA and matrixB must have elements of one width, found {a} and {b}")
    elif c not in _accumulators(a):
        words = " or ".join(map(str, _accumulators(a))) or "nothing"
        op.error(report, f"elements {a} accumulate in {words}, matrixC has {c}")
    elif "tf32Enabled" in op.attributes and a != F32:
        op.error(report, f"has tf32Enabled, which is of f32 operands, found {a}")
    elif marked and not a.is_whole:
        op.error(report, f"has {marked}, which is of integers, found {a}")


def element_names(op: Operation, a: Type, b: Type, c: Type) -> tuple[str, str, str]:
    """The elements of A, B and the accumulator of the product `op` as instructions name them: what it computes of f32
    is tf32, marked integers are ui8 or ui4."""
    operand_types = ("tf32" if type == F32 else str(type) for type in (a, b))
    left, right = (
        "u" * (f"unsigned{side}" in op.attributes) + name for side, name in zip("AB", operand_types, strict=True)
    )
    return left, right, str(c)


def operand_bits(element: Type) -> int:
    """Bits that an element of A or B takes in its register; tf32 is as wide as f32."""
    if element == FloatType("tf32"):
        return 32
    return max(bit_width(element), 8) if element.is_float else bit_width(element)


_FLOAT_ACCUMULATORS: Mapping[Type, tuple[Type, ...]] = {
    F16: (F16, F32),
    BF16: (F32,),
    FloatType("tf32"): (F32,),
    F32: (F32,),
    F64: (F64,),
}


def _accumulators(element: Type) -> tuple[Type, ...]:
    if isinstance(element, IntegerType):
        return (I32,) if element.width in (1, 4, 8) else ()
    if isinstance(element, FloatType) and element.width <= 8:
        return (F32, F16)
    return _FLOAT_ACCUMULATORS.get(element, ())


class LdMatrixOp(Operation, opname="nvgpu.ldmatrix"):
    """`numTiles` 8x8 matrices of 16-bit elements from shared memory, spread over the subgroup."""

    pure = False
    collective = "subgroup"
    belongs_to = "thread"
    srcMemref = operand(is_memref, READS)
    indices = operands(is_index)
    transpose = attribute(IntegerAttr)
    numTiles = int_attribute(number=I32)
    res = result(fragment)
    assembly = (
        "$srcMemref `` `[` $indices `]` (`numTiles` `=` $numTiles^)? (`transpose` `=` $transpose^)? attr-dict"
        " `:` type($srcMemref) `->` type($res)"
    )

    def verify(self, report: Report) -> None:
        _check_rows(self, self.srcMemref.type, len(self.indices), self.res.type, self.transpose, report)
        vector = self.res.type
        if self.numTiles not in _TILES:
            self.error(report, f"numTiles must be 1, 2 or 4, found {self.numTiles}")
        elif _parts(vector) != (self.numTiles, LDMATRIX_BITS):
            per_lane = max(LDMATRIX_BITS // bit_width(vector.element), 1)
            expected = VectorType((self.numTiles, per_lane), vector.element)
            self.error(report, f"{self.numTiles} tiles give {expected}, the result is {vector}")


class StMatrixOp(Operation, opname="nvgpu.stmatrix"):
    """The reverse of ldmatrix: 8x8 matrices of 16-bit elements that are spread over the subgroup, to shared memory, as
    many as `value` has pieces. Lane 8 j + r gives the address of row r of matrix j."""

    pure = False
    collective = "subgroup"
    belongs_to = "thread"
    value = operand(fragment)
    destMemref = operand(is_memref, WRITES)
    indices = operands(is_index)
    transpose = attribute(IntegerAttr, IntegerAttr(0, I1))
    assembly = (
        "$value `,` $destMemref `` `[` $indices `]` (`transpose` `=` $transpose^)? attr-dict"
        " `:` type($value) `,` type($destMemref)"
    )

    def verify(self, report: Report) -> None:
        vector = self.value.type
        _check_rows(self, self.destMemref.type, len(self.indices), vector, self.transpose, report)
        if _parts(vector)[0] not in _TILES or _parts(vector)[1] != LDMATRIX_BITS:
            self.error(report, f"stores 1, 2 or 4 pieces of {LDMATRIX_BITS} bits, found {vector}")


_TILES = (1, 2, 4)


def _parts(vector: VectorType) -> tuple[int, int]:
    """Pieces, and bits of each."""
    return vector.shape[0], vector.shape[1] * bit_width(vector.element)


def _check_rows(
    op: Operation, memory: MemRefType, indices: int, vector: VectorType, transpose: IntegerAttr, report: Report
) -> None:
    """What loads and stores of matrices need of their memory."""
    if indices != memory.rank:
        op.error(report, f"needs {memory.rank} indices for {memory}, found {indices}")
    if str(memory.memory_space) not in SHARED_MEMORY:
        verb = "reads" if isinstance(op, LdMatrixOp) else "writes"
        op.error(report, f"{verb} workgroup memory (#gpu.address_space<workgroup>), found {memory}")
    if memory.element != vector.element:
        op.error(report, f"element types differ: {memory} and {vector}")
    if transpose.type != I1:
        op.error(report, f"transpose must be true or false, found {transpose}")
    elif transpose.value and bit_width(vector.element) != 16:
        op.error(report, f"transposes 16-bit elements only, found {vector.element}")


SHARED_MEMORY = ("#gpu.address_space<workgroup>", "3 : i64", "3 : i32")
"""The memory spaces that are a workgroup's own, as text: dialects do not depend on each other for an attribute."""
GLOBAL_MEMORY = ("None", "#gpu.address_space<global>", "#hal.descriptor_type<storage_buffer>",
                 "#amdgpu.address_space<fat_raw_buffer>", "0 : i64", "0 : i32", "1 : i64", "1 : i32")  # fmt: skip
"""Those of global memory."""
