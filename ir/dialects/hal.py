"""hal: how IREE's kernels name buffers, numbers and workgroups. Two become arguments (`frontend/bindings.py`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from ...support.diagnostics import Report
from ..assembly_elements import Directive, State
from ..attributes import IntegerAttr
from ..core import Operation
from ..define import (
    AttributeField,
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
from ..types import I32, INDEX, Attribute
from .gpu import BlockDimOp, BlockIdOp, DimensionOp, GridDimOp
from .hal_layout import READ_ONLY, PipelineLayoutAttr, flags_text, parse_flags, parse_layout

if TYPE_CHECKING:
    from ..operation_parser import Parser
    from ..operation_printer import Printer


class Layout(Directive):
    """With its mnemonic, under an alias, or `<..>` alone."""

    def __init__(self, field: AttributeField[Any]) -> None:
        self.field = field

    def parse(self, parser: Parser, state: State) -> None:
        place = parser.token.start
        state.give(parser, self.field.name, parse_layout(parser), place)

    def print(self, printer: Printer, op: Operation) -> None:
        printer.word(printer.attribute(self.field.read(op)))


class Flags(Directive):
    """`ReadOnly`, or several in quotes."""

    def __init__(self, field: AttributeField[Any]) -> None:
        self.field = field

    def parse(self, parser: Parser, state: State) -> None:
        place = parser.token.start
        state.give(parser, self.field.name, IntegerAttr(parse_flags(parser), I32), place)

    def print(self, printer: Printer, op: Operation) -> None:
        printer.word(flags_text(self.field.read(op).value))


_LAYOUT = "`layout` `` `(` custom<Layout>($layout) `)`"
_ALIGNMENT = "(`alignment` `` `(` $alignment^ `)`)?"


class FromLaunchOp(Operation):
    """What a launch gives, by number: an argument, once a kernel has arguments (`frontend/bindings.py`)."""

    pure = True
    directives = {"Flags": Flags, "Layout": Layout}


class BindingSubspanOp(FromLaunchOp, opname="hal.interface.binding.subspan"):
    """The buffer that a launch binds to number `binding`, from `byte_offset` on; `dynamic_dims` are open extents."""

    byte_offset = optional_operand(is_index)
    dynamic_dims = operands(is_index)
    layout = attribute(PipelineLayoutAttr)
    binding = int_attribute(number=INDEX)
    alignment = optional_attribute(IntegerAttr, INDEX)
    descriptor_flags = optional_attribute(IntegerAttr, I32)
    result_ = result(is_memref)
    assembly = (
        f"{_LAYOUT} `binding` `` `(` $binding `)` {_ALIGNMENT} (`offset` `` `(` $byte_offset^ `)`)? (`flags`"
        f" `` `(` custom<Flags>($descriptor_flags)^ `)`)? attr-dict `:` type($result) (`` `{{` `` $dynamic_dims^"
        " `` `}`)?"
    )

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


class ConstantLoadOp(FromLaunchOp, opname="hal.interface.constant.load"):
    """The number that a launch passes as constant number `ordinal`."""

    layout = attribute(PipelineLayoutAttr)
    ordinal = int_attribute(number=INDEX)
    alignment = optional_attribute(IntegerAttr, INDEX)
    values = optional_attribute(Attribute)
    result_ = result(is_scalar)
    assembly = f"{_LAYOUT} `ordinal` `` `(` $ordinal `)` {_ALIGNMENT} attr-dict `:` type($result)"

    def verify(self, report: Report) -> None:
        if not 0 <= self.ordinal < self.layout.constants:
            self.error(report, f"reads constant {self.ordinal}, the layout has {self.layout.constants}")


class WorkgroupOp(Operation):
    """An id or extent of workgroups along a dimension, 0 to 2 for x to z."""

    pure = True
    dimension = int_attribute(number=INDEX)
    upper_bound = optional_attribute(IntegerAttr, INDEX)
    result_ = result(is_index)
    same_as: ClassVar[type[DimensionOp]]
    assembly = "`` `[` $dimension `]` (`upper_bound` $upper_bound^)? attr-dict `:` `index`"

    def verify(self, report: Report) -> None:
        if not 0 <= self.dimension < 3:
            self.error(report, f"dimension must be 0, 1 or 2, found {self.dimension}")


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
