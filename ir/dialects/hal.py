"""hal: how IREE's kernels name buffers, numbers and workgroups; `bindings.py` makes arguments of the first two."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, TypeVar

from ...support.diagnostics import Location, Report
from ..attributes import IntegerAttr
from ..core import Builder, Operation, Value
from ..define import (
    attribute,
    int_attribute,
    is_index,
    is_memref,
    is_scalar,
    operands,
    optional_attribute,
    optional_operand,
    result,
)
from ..types import I32, INDEX, Attribute, Type
from .gpu import BlockDimOp, BlockIdOp, DimensionAttr, DimensionOp, GridDimOp
from .hal_layout import READ_ONLY, PipelineLayoutAttr, flags_text, parse_flags, parse_layout

if TYPE_CHECKING:
    from ..operation_parser import Parser
    from ..operation_printer import Printer

T = TypeVar("T")


class FromLaunchOp(Operation):
    """What a launch gives, by number: an argument, once a kernel has arguments (`ir/bindings.py`)."""

    pure = True


class BindingSubspanOp(FromLaunchOp, opname="hal.interface.binding.subspan"):
    """The buffer that a launch binds to number `binding`, from `byte_offset` on; `dynamic_dims` are open extents."""

    byte_offset = optional_operand(is_index)
    dynamic_dims = operands(is_index)
    layout = attribute(PipelineLayoutAttr)
    binding = int_attribute()
    alignment = optional_attribute(IntegerAttr)
    descriptor_flags = optional_attribute(IntegerAttr)
    result_ = result(is_memref)

    @classmethod
    def parse(cls, parser: Parser, location: Location) -> Operation:
        attributes = {"layout": _layout(parser), "binding": _number(parser, "binding")}
        if parser.token.text == "alignment":
            attributes["alignment"] = _number(parser, "alignment")
        offset = _parenthesised(parser, "offset", parser.operand) if parser.token.text == "offset" else None
        if parser.token.text == "flags":
            attributes["descriptor_flags"] = _parenthesised(
                parser, "flags", lambda: IntegerAttr(parse_flags(parser), I32)
            )
        attributes.update(parser.optional_attribute_dict(attributes))
        parser.expect(":")
        type = parser.parse_type()
        dims = parser.operand_list("}") if parser.accept("{") else []
        offsets = [offset] if offset is not None else []
        return cls([*offsets, *dims], [type], attributes, location=location, segments=(len(offsets), len(dims)))

    def print(self, printer: Printer) -> None:
        words = [f"layout({printer.attribute(self.layout)})", f"binding({self.binding})"]
        if self.alignment is not None:
            words.append(f"alignment({self.alignment.value})")
        if self.byte_offset is not None:
            words.append(f"offset({printer.name(self.byte_offset)})")
        if self.descriptor_flags is not None:
            words.append(f"flags({flags_text(self.descriptor_flags.value)})")
        printer.word(" ".join(words))
        printer.attribute_dict(self, hidden=("layout", "binding", "alignment", "descriptor_flags"))
        dims = ", ".join(printer.name(d) for d in self.dynamic_dims)
        printer.word(f": {printer.type(self.result_.type)}" + (f"{{{dims}}}" if dims else ""))

    @property
    def is_read_only(self) -> bool:
        """Whether it, or the layout, says that nobody writes the binding."""
        flags = self.descriptor_flags
        return (flags is not None and bool(flags.value & READ_ONLY)) or self.layout.bindings[self.binding].is_read_only

    def verify(self, report: Report) -> None:
        type, found = self.result_.type, len(self.dynamic_dims)
        if found != len(type.dynamic_dims):
            self.error(report, f"has {found} extents, {type} leaves {len(type.dynamic_dims)} open")
        if not 0 <= self.binding < len(self.layout.bindings):
            self.error(report, f"sees binding {self.binding}, the layout has {len(self.layout.bindings)}")


def _parenthesised(parser: Parser, word: str, read: Callable[[], T]) -> T:
    parser.expect(word)
    parser.expect("(")
    value = read()
    parser.expect(")")
    return value


def _number(parser: Parser, word: str) -> IntegerAttr:
    return _parenthesised(parser, word, lambda: IntegerAttr(parser.integer(), INDEX))


def _layout(parser: Parser) -> Attribute:
    return _parenthesised(parser, "layout", lambda: parse_layout(parser))


class ConstantLoadOp(FromLaunchOp, opname="hal.interface.constant.load"):
    """The number that a launch passes as constant number `ordinal`."""

    layout = attribute(PipelineLayoutAttr)
    ordinal = int_attribute()
    alignment = optional_attribute(IntegerAttr)
    values = optional_attribute(Attribute)
    result_ = result(is_scalar)

    @classmethod
    def parse(cls, parser: Parser, location: Location) -> Operation:
        attributes = {"layout": _layout(parser), "ordinal": _number(parser, "ordinal")}
        if parser.token.text == "alignment":
            attributes["alignment"] = _number(parser, "alignment")
        attributes.update(parser.optional_attribute_dict(attributes))
        parser.expect(":")
        return cls((), [parser.parse_type()], attributes, location=location)

    def print(self, printer: Printer) -> None:
        words = f"layout({printer.attribute(self.layout)}) ordinal({self.ordinal})"
        printer.word(words + (f" alignment({self.alignment.value})" if self.alignment is not None else ""))
        printer.attribute_dict(self, hidden=("layout", "ordinal", "alignment"))
        printer.word(f": {printer.type(self.result_.type)}")

    def verify(self, report: Report) -> None:
        if not 0 <= self.ordinal < self.layout.constants:
            self.error(report, f"reads constant {self.ordinal}, the layout has {self.layout.constants}")


class WorkgroupOp(Operation):
    """An id or extent of workgroups along a dimension, 0 to 2 for x to z."""

    pure = True
    dimension = int_attribute()
    upper_bound = optional_attribute(IntegerAttr)
    result_ = result(is_index)
    same_as: ClassVar[type[DimensionOp]]

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type]:
        return [INDEX]

    @classmethod
    def parse(cls, parser: Parser, location: Location) -> Operation:
        parser.expect("[")
        attributes: dict[str, Attribute] = {"dimension": IntegerAttr(parser.integer(), INDEX)}
        parser.expect("]")
        if parser.accept("upper_bound"):
            attributes["upper_bound"] = IntegerAttr(parser.integer(), INDEX)
        attributes.update(parser.optional_attribute_dict(attributes))
        parser.expect(":")
        parser.expect("index")
        return cls((), [INDEX], attributes, location=location)

    def print(self, printer: Printer) -> None:
        printer.literal("")
        printer.word(f"[{self.dimension}]")
        if self.upper_bound is not None:
            printer.word(f"upper_bound {self.upper_bound.value}")
        printer.attribute_dict(self, hidden=("dimension", "upper_bound"))
        printer.word(": index")

    def verify(self, report: Report) -> None:
        if not 0 <= self.dimension < 3:
            self.error(report, f"dimension must be 0, 1 or 2, found {self.dimension}")

    def decompose(self, build: Builder) -> Sequence[Value]:
        dimension = DimensionAttr("xyz"[self.dimension])
        return [build.value(self.same_as, dimension=dimension, upper_bound=self.upper_bound)]


class WorkgroupIdOp(WorkgroupOp, opname="hal.interface.workgroup.id"):
    """The workgroup's coordinate in the grid."""

    pure = True
    belongs_to = "workgroup"
    same_as = BlockIdOp


class WorkgroupCountOp(WorkgroupOp, opname="hal.interface.workgroup.count"):
    """Workgroups of the grid."""

    pure = True
    same_as = GridDimOp


class WorkgroupSizeOp(WorkgroupOp, opname="hal.interface.workgroup.size"):
    """Threads of a workgroup."""

    pure = True
    same_as = BlockDimOp
