"""memref: buffers that belong to a module, and their addresses as numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...support.diagnostics import Report
from ..assembly_elements import Directive, State
from ..attributes import DenseElementsAttr, StringAttr, SymbolRefAttr, TypeAttr, UnitAttr, elements_of_tensor
from ..core import Operation
from ..define import (
    AttributeField,
    attribute,
    is_index,
    is_memref,
    operand,
    optional_attribute,
    optional_int_attribute,
    result,
)
from ..traits import NOTHING
from ..types import Attribute, MemRefType, TensorType, VectorType
from .vector_memory import check_alignment

if TYPE_CHECKING:
    from ..operation_parser import Parser
    from ..operation_printer import Printer

_VISIBILITIES = ("private", "public", "nested")


class TypeAndValue(Directive):
    """`memref<2xf32> = dense<1.0>`, `= uninitialized`, or the type alone."""

    def __init__(self, type: AttributeField[Any], value: AttributeField[Any]) -> None:
        self.type, self.value = type, value

    def parse(self, parser: Parser, state: State) -> None:
        start = parser.token.start
        memref = parser.parse_type()
        if not isinstance(memref, MemRefType) or None in memref.shape:
            raise parser.error(f"the type of a global is a memref of static shape, found {memref}", start)
        state.give(parser, self.type.name, TypeAttr(memref), start)
        if parser.accept("="):
            start, tensor = parser.token.start, _tensor(memref)
            value = UnitAttr() if parser.accept("uninitialized") else parser.parse_attribute(tensor)
            state.give(parser, self.value.name, value, start)

    def print(self, printer: Printer, op: Operation) -> None:
        printer.word(str(self.type.read(op)))
        if (value := self.value.read(op)) is not None:
            elements = elements_of_tensor(value)
            printer.word(f"= {elements.literal() if elements is not None else 'uninitialized'}")


class GlobalOp(Operation, opname="memref.global"):
    """A buffer that the functions of its module see by its name.

    Its elements are what `initial_value` says, undefined where that is the unit; where there is none they are another
    module's. Where it is `constant` nobody writes it.
    """

    pure = False
    sym_name = attribute(StringAttr)
    sym_visibility = optional_attribute(StringAttr)
    type = attribute(TypeAttr)
    initial_value = optional_attribute(Attribute)
    constant = optional_attribute(UnitAttr)
    alignment = optional_int_attribute()
    directives = {"TypeAndValue": TypeAndValue}
    assembly = (
        "($sym_visibility^)? (`constant` $constant^)? $sym_name `:` custom<TypeAndValue>($type,"
        " $initial_value) (`alignment` `=` $alignment^)? attr-dict"
    )

    @property
    def name(self) -> str:
        return self.sym_name.value

    @property
    def elements(self) -> DenseElementsAttr | None:
        """What it begins with; None where nothing says so."""
        return elements_of_tensor(self.initial_value)

    def verify(self, report: Report) -> None:
        memref, elements = self.type.type, self.elements
        visibility = self.sym_visibility.value if self.sym_visibility is not None else _VISIBILITIES[0]
        if not isinstance(memref, MemRefType) or None in memref.shape:
            self.error(report, f"type must be a memref of static shape, found {memref}")
        elif self.initial_value is not None and elements is None and not isinstance(self.initial_value, UnitAttr):
            self.error(report, f"initial value must be {_tensor(memref)} for {memref}, found {self.initial_value}")
        elif elements is not None and elements.type != VectorType(_extents(memref), memref.element):
            found = TensorType(elements.type.shape, elements.type.element)
            self.error(report, f"initial value must be {_tensor(memref)} for {memref}, found {found}")
        if visibility not in _VISIBILITIES:
            self.error(report, f'sym_visibility must be "private", "public" or "nested", found "{visibility}"')
        check_alignment(self, self.alignment, report)


def _tensor(memref: MemRefType) -> TensorType:
    return TensorType(memref.shape, memref.element)


def _extents(memref: MemRefType) -> tuple[int, ...]:
    return tuple(extent for extent in memref.shape if extent is not None)


class GetGlobalOp(Operation, opname="memref.get_global"):
    """The buffer of that name in the module around."""

    pure = True
    name_ = attribute(SymbolRefAttr)
    result_ = result(is_memref)
    assembly = "$name `:` type($result) attr-dict"
    names_by = "name"

    def verify_named(self, name: SymbolRefAttr, named: Mapping[str, Operation], report: Report) -> None:
        found = named.get(name.path[0]) if len(name.path) == 1 else None
        if not isinstance(found, GlobalOp):
            self.error(report, f"{name} is no memref.global of this module")
        elif found.type.type != self.result_.type:
            self.error(report, f"is of type {self.result_.type}, {name} of type {found.type.type}")


class ExtractAlignedPointerOp(Operation, opname="memref.extract_aligned_pointer_as_index"):
    """The address of a memref's buffer, without its offset, as a number."""

    pure = True
    source = operand(is_memref, NOTHING)
    aligned_pointer = result(is_index)
    assembly = "$source attr-dict `:` type($source) `->` type($aligned_pointer)"
