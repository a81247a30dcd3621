"""amdgpu: products of block-scaled elements (v_mfma_scale), of which every 32 along K have a scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ...support.diagnostics import Location, Report
from ...support.late import LateRows
from ...targets import mfma_scaled
from ..assembly import check_type
from ..attributes import IntegerAttr
from ..core import Operation, Value
from ..define import Constraint, int_attribute, is_row, operand, result
from ..types import F32, I32, Attribute, FloatType, Type, VectorType
from .amdgpu import parse_shape

if TYPE_CHECKING:
    from ..operation_parser import Parser
    from ..operation_printer import Printer

_SCALE = FloatType(mfma_scaled.SCALE_TYPE)
_SCALES = VectorType((mfma_scaled.REGISTER_BYTES,), _SCALE)
_LANES = 64
is_scales: Constraint[FloatType | VectorType] = Constraint(f"{_SCALE} or {_SCALES}", lambda t: t in (_SCALE, _SCALES))
_TYPES = LateRows(lambda: dict.fromkeys(i.a_type for i in mfma_scaled.MFMA_SCALED))
_SHAPES = LateRows(lambda: dict.fromkeys(i.shape for i in mfma_scaled.MFMA_SCALED))


class ScaledMfmaOp(Operation, opname="amdgpu.scaled_mfma"):
    """`MxNxK (%scalesA[i] * %a) * (%scalesB[j] * %b) + %c : type of scalesA, a, scalesB, b, c` of one subgroup of 64
    lanes, every operand the lane's part in register order.

    Lane l has the scale of row (column) l % M and of the 32 elements from 32 (l // M) on along K; of a lane's scales
    the one that the index names is meant. A lane's elements of A are those of row l % M: of 8 bits 16 from 16 (l // M)
    on, then 16 from K/2 + 16 (l // M) on, of fewer bits 32 from 32 (l // M) on; B is like A with rows and columns
    exchanged (Composable Kernel, `test/mx_mfma_op/mx_mfma_op.hpp`).
    """

    pure = True
    collective = "subgroup"
    belongs_to = "thread"
    m = int_attribute()
    n = int_attribute()
    k = int_attribute()
    sourceA = operand(is_row)
    sourceB = operand(is_row)
    destC = operand(is_row)
    scalesA = operand(is_scales)
    scalesB = operand(is_scales)
    scalesIdxA = int_attribute()
    scalesIdxB = int_attribute()
    destD = result(is_row)
    same_type = ("destC", "destD")

    @property
    def joins_in_any_order(self) -> bool:
        return True

    @property
    def shape(self) -> tuple[int, int, int]:
        """m, n, k."""
        return self.m, self.n, self.k

    @property
    def form(self) -> mfma_scaled.ScaledMfma:
        """The instruction; the verifier knows that there is one."""
        found = mfma_scaled.find(self.shape, str(self.sourceA.type.element), str(self.sourceB.type.element))
        assert found is not None, f"{self.opname} is verified"
        return found

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type]:
        return [operands[2].type]

    @classmethod
    def parse(cls, parser: Parser, location: Location) -> Operation:
        attributes = parse_shape(parser)
        given: dict[str, Value] = {}
        for side, next in (("A", "*"), ("B", "+")):
            parser.expect("(")
            given[f"scales{side}"] = parser.operand()
            parser.expect("[")
            attributes[f"scalesIdx{side}"] = IntegerAttr(parser.integer(), I32)
            parser.expect("]")
            parser.expect("*")
            given[f"source{side}"] = parser.operand()
            parser.expect(")")
            parser.expect(next)
        given["destC"] = parser.operand()
        attributes = {**parser.optional_attribute_dict(attributes), **attributes}
        parser.expect(":")
        for i, value in enumerate(given.values()):
            if i:
                parser.expect(",")
            check_type(parser, value, location)
        operands = [given[name] for name in ("sourceA", "sourceB", "destC", "scalesA", "scalesB")]
        return cls(operands, [given["destC"].type], attributes, location=location)

    def print(self, printer: Printer) -> None:
        a, b, c, scales_a, scales_b = (printer.name(v) for v in self.operands)
        sides = f"({scales_a}[{self.scalesIdxA}] * {a}) * ({scales_b}[{self.scalesIdxB}] * {b})"
        printer.word(f"{self.m}x{self.n}x{self.k} {sides} + {c}")
        printer.attribute_dict(self, hidden=("m", "n", "k", "scalesIdxA", "scalesIdxB"))
        values = (self.scalesA, self.sourceA, self.scalesB, self.sourceB, self.destC)
        printer.word(": " + ", ".join(str(v.type) for v in values))

    def verify(self, report: Report) -> None:
        if self.shape not in _SHAPES:
            words = " or ".join("x".join(map(str, shape)) for shape in _SHAPES)
            self.error(report, f"must be {words}, found {'x'.join(map(str, self.shape))}")
            return
        m, n, k = self.shape
        for name, value in (("sourceA", self.sourceA), ("sourceB", self.sourceB)):
            if str(value.type.element) not in _TYPES:
                self.error(report, f"{name} must have elements of type {', '.join(_TYPES)}, found {value.type.element}")
            elif value.type.elements * _LANES != m * k:
                expected = VectorType((m * k // _LANES,), value.type.element)
                self.error(report, f"{name} is {expected} of a lane, found {value.type}")
        sums = VectorType((m * n // _LANES,), F32)
        if self.destC.type != sums:
            self.error(report, f"destC is {sums} of a lane, found {self.destC.type}")
        sides = (("A", self.scalesA, self.scalesIdxA), ("B", self.scalesB, self.scalesIdxB))
        for side, scales, index in sides:
            count = 1 if scales.type == _SCALE else mfma_scaled.REGISTER_BYTES
            if not 0 <= index < count:
                self.error(report, f"scalesIdx{side} must be below {count}, the scales in {scales.type}, found {index}")
