"""gpu: matrices that a subgroup holds together, in an order of elements that nobody sees."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ...ir.attributes import EnumAttr, IntegerAttr, UnitAttr
from ...ir.core import Operation, Value
from ...ir.define import (
    AttributeField,
    OperandField,
    attribute,
    instances_of,
    is_index,
    is_memref,
    is_scalar,
    operand,
    operands,
    optional_attribute,
    result,
)
from ...ir.traits import READS, WRITES
from ...ir.types import (
    DIALECT_TYPES,
    F16,
    F32,
    F64,
    I8,
    I32,
    INDEX,
    FloatType,
    IndexType,
    IntegerType,
    MemRefType,
    Type,
    VectorType,
    bit_width,
)
from ...support.dataclasses import dataclass
from ...support.diagnostics import Report

if TYPE_CHECKING:
    from ...ir.attribute_parser import AttributeParser

_UNSIGNED_BYTE = IntegerType(8, "u")
_ELEMENTS = (IntegerType(8, "s"), _UNSIGNED_BYTE, I32, F16, F32, F64)
_STORED = (I8, I32, F16, F32, F64)
_PLACES = ("AOp", "BOp", "COp")


@dataclass(frozen=True, slots=True)
class MMAMatrixType(Type):
    """`!gpu.mma_matrix<16x8xf16, "AOp">`: rows, columns, and where in a product A * B + C it stands."""

    shape: tuple[int, int]
    element: Type
    place: str

    mnemonic: ClassVar[str] = "gpu.mma_matrix"

    @classmethod
    def parse(cls, parser: AttributeParser) -> MMAMatrixType:
        parser.expect("<")
        start, vector = parser.token.start, parser.vector_type()
        if vector.rank != 2:
            raise parser.error(f"a matrix has two dimensions, found {vector.rank}", start)
        element = vector.element
        if element not in _ELEMENTS:
            raise parser.error(f"elements of a matrix are {', '.join(map(str, _ELEMENTS))}, found {element}", start)
        parser.expect(",")
        start, place = parser.token.start, parser.string()
        if place not in _PLACES:
            raise parser.error(f'expected "AOp", "BOp" or "COp", found "{place}"', start)
        parser.expect(">")
        return cls((vector.shape[0], vector.shape[1]), element, place)

    def __str__(self) -> str:
        return f'!{self.mnemonic}<{self.shape[0]}x{self.shape[1]}x{self.element}, "{self.place}">'

    @property
    def vector(self) -> VectorType:
        """The same numbers as a vector; whether bytes are signed is the product's matter."""
        return VectorType(self.shape, I8 if self.element in _ELEMENTS[:2] else self.element)


DIALECT_TYPES[MMAMatrixType.mnemonic] = MMAMatrixType.parse
is_matrix = instances_of("a !gpu.mma_matrix", MMAMatrixType)


class MMAElementwiseAttr(EnumAttr):
    """What is done to each element."""

    mnemonic = "gpu.mma_element_wise"
    cases = (
        *("addf", "mulf", "subf", "maxf", "minf", "divf", "addi", "muli", "subi", "divs", "divu"),
        *("negatef", "negates", "extf", "truncf"),
    )

    @property
    def of_floats(self) -> bool:
        return self.value.endswith("f")

    @property
    def operands(self) -> int:
        return 1 if self.value in ("negatef", "negates", "extf", "truncf") else 2


class OfMatrices(Operation):
    """What a subgroup does with its matrices."""

    def moved(self) -> tuple[MemRefType, MMAMatrixType] | None:
        """Memory and matrix, of loads and stores."""
        return None

    def unsigned(self) -> tuple[bool, ...]:
        """Whether, for a product, the bytes of lhs and of rhs have no sign."""
        return ()


class MatrixAccess(OfMatrices):
    """Element (i, j) lies `i * leadDimension + j` elements behind the one that is named, or with `transpose`
    `j * leadDimension + i`."""

    pure = False
    collective = "subgroup"
    indices: ClassVar[OperandField[tuple[Value[IndexType], ...]]]
    leadDimension: ClassVar[AttributeField[IntegerAttr]]
    transpose: ClassVar[AttributeField[UnitAttr | None]]

    def check_memory(self, memory: MemRefType, indices: int, lead: IntegerAttr, report: Report) -> None:
        strides, _ = memory.strides_and_offset()
        if indices != memory.rank:
            self.error(report, f"needs {memory.rank} indices for {memory}, found {indices}")
        elif memory.element not in _STORED:
            self.error(report, f"elements in memory are {', '.join(map(str, _STORED))}, found {memory}")
        elif not strides or strides[-1] != 1:
            self.error(report, f"the last dimension of {memory} must be contiguous")
        elif lead.type != INDEX or lead.value < 1:
            self.error(report, f"leadDimension must be a positive number of type index, found {lead}")


_ORDER = "(`leadDimension` $leadDimension^)? (`transpose` $transpose^)? attr-dict"


class LoadMatrixOp(MatrixAccess, opname="gpu.subgroup_mma_load_matrix"):
    pure = False
    source = operand(is_memref, READS)
    indices = operands(is_index)
    leadDimension = attribute(IntegerAttr, number=INDEX)
    transpose = optional_attribute(UnitAttr)
    matrix = result(is_matrix)
    assembly = f"$source `` `[` $indices `]` {_ORDER} `:` type($source) `->` type($matrix)"

    def moved(self) -> tuple[MemRefType, MMAMatrixType]:
        return self.source.type, self.matrix.type

    def verify(self, report: Report) -> None:
        self.check_memory(self.source.type, len(self.indices), self.leadDimension, report)


class StoreMatrixOp(MatrixAccess, opname="gpu.subgroup_mma_store_matrix"):
    pure = False
    matrix = operand(is_matrix)
    target = operand(is_memref, WRITES)
    indices = operands(is_index)
    leadDimension = attribute(IntegerAttr, number=INDEX)
    transpose = optional_attribute(UnitAttr)
    assembly = f"$matrix `,` $target `` `[` $indices `]` {_ORDER} `:` type($matrix, $target)"

    def moved(self) -> tuple[MemRefType, MMAMatrixType]:
        return self.target.type, self.matrix.type

    def verify(self, report: Report) -> None:
        if self.matrix.type.place != "COp":
            self.error(report, f'stores a "COp" alone, found {self.matrix.type}')
        self.check_memory(self.target.type, len(self.indices), self.leadDimension, report)


class ComputeOp(OfMatrices, opname="gpu.subgroup_mma_compute"):
    """A * B + C. `a_transpose` and `b_transpose` say that an operand was loaded with `transpose`: nothing changes."""

    pure = True
    collective = "subgroup"
    a = operand(is_matrix)
    b = operand(is_matrix)
    c = operand(is_matrix)
    a_transpose = optional_attribute(UnitAttr)
    b_transpose = optional_attribute(UnitAttr)
    product = result(is_matrix, like="c")
    assembly = (
        "$a `,` $b `,` $c (`a_transpose` $a_transpose^)? (`b_transpose` $b_transpose^)? attr-dict "
        "`:` type($a) `,` type($b) `->` type($product)"
    )

    def unsigned(self) -> tuple[bool, ...]:
        return self.a.type.element == _UNSIGNED_BYTE, self.b.type.element == _UNSIGNED_BYTE

    def verify(self, report: Report) -> None:
        a, b, c = self.a.type, self.b.type, self.c.type
        if (a.place, b.place, c.place) != _PLACES:
            self.error(report, f'takes "AOp", "BOp" and "COp", found "{a.place}", "{b.place}" and "{c.place}"')
        elif (a.shape[1], (a.shape[0], b.shape[1])) != (b.shape[0], c.shape):
            self.error(report, f"shapes do not multiply: {a}, {b}, {c}")
        elif self.product.type != c:
            self.error(report, f"result is {self.product.type}, what is added to is {c}")
        for name, value in (("a_transpose", self.a), ("b_transpose", self.b)):
            maker = value.operation
            if name in self.attributes and isinstance(maker, LoadMatrixOp) and maker.transpose is None:
                self.error(report, f"has {name}, but its operand was loaded without transpose")


class ConstantMatrixOp(OfMatrices, opname="gpu.subgroup_mma_constant_matrix"):
    """A number in every place."""

    pure = True
    value = operand(is_scalar)
    matrix = result(is_matrix)
    assembly = "$value attr-dict `:` type($matrix)"

    def verify(self, report: Report) -> None:
        element = self.matrix.type.vector.element
        if self.value.type != element:
            self.error(report, f"takes a {element} for {self.matrix.type}, found {self.value.type}")


class MatrixElementwiseOp(OfMatrices, opname="gpu.subgroup_mma_elementwise"):
    """An operation that does the same to all elements of matrices."""

    pure = True
    args = operands(is_matrix)
    opType = attribute(MMAElementwiseAttr)
    matrix = result(is_matrix)
    assembly = "keyword($opType) $args attr-dict `:` functional-type(operands, results)"

    def verify(self, report: Report) -> None:
        shapes = {value.type.shape for value in (*self.args, self.matrix)}
        if len(self.args) != self.opType.operands:
            self.error(report, f"{self.opType.value} takes {self.opType.operands} operands, found {len(self.args)}")
        elif len(shapes) > 1:
            self.error(report, f"shapes differ: {', '.join(str(v.type) for v in (*self.args, self.matrix))}")
        else:
            self._verify_elements(report)

    def _verify_elements(self, report: Report) -> None:
        kind, of = self.opType.value, FloatType if self.opType.of_floats else IntegerType
        types = [value.type.element for value in (*self.args, self.matrix)]
        given, made = bit_width(types[0]), bit_width(types[-1])
        fits = {"extf": given < made, "truncf": given > made}.get(kind, len(set(types)) == 1)
        if not fits or not all(isinstance(type, of) for type in types):
            self.error(report, f"does {kind} of elements {', '.join(map(str, types[:-1]))} to {types[-1]}")


MMAElementwiseAttr.register()
