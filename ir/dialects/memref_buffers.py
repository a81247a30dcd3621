"""memref: buffers of a scope, copies of whole buffers, and updates and hints of single elements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...support.diagnostics import Report
from ..assembly_elements import Directive, State
from ..attributes import IntegerAttr
from ..core import Operation, Position, Value
from ..define import (
    AttributeField,
    anything,
    attribute,
    is_float,
    is_index,
    is_memref,
    is_scalar,
    operand,
    operands,
    optional_attribute,
    optional_operand,
    region,
    result,
    results,
)
from ..traits import FREES, HANDS_ON, NOTHING, READS, UPDATES, WRITES
from ..types import I1, I32, Attribute, MemRefType, Type
from .memref import AllocOp, check_alignment, check_rank, memref_type

if TYPE_CHECKING:
    from ..operation_parser import Parser
    from ..operation_printer import Printer


class AllocaOp(AllocOp, opname="memref.alloca"):
    """A buffer that lasts until the operation around it ends: of each thread, unless its type names other memory."""

    pure = False
    default_private = True


class AllocaScopeReturnOp(Operation, opname="memref.alloca_scope.return"):
    """Ends a scope of stack buffers with its results."""

    pure = False
    terminator = True
    values = operands(anything, HANDS_ON)
    assembly = "attr-dict ($values^ `:` type($values))?"

    def verify(self, report: Report) -> None:
        around = self.enclosing()
        if not isinstance(around, AllocaScopeOp):
            self.error(report, "must be inside memref.alloca_scope")
        elif [v.type for v in self.values] != [r.type for r in around.results]:
            found, expected = (", ".join(str(v.type) for v in vs) or "nothing" for vs in (self.values, around.results))
            self.error(report, f"returns {found}, the results are {expected}")


class AllocaScopeOp(Operation, opname="memref.alloca_scope"):
    """Runs its region, in which buffers of `memref.alloca` last at most until its end."""

    pure = False
    body_region = region(ends_in=AllocaScopeReturnOp, shows_end=True)
    results_ = results(anything)
    assembly = "(`->` type-list($results)^)? $body_region attr-dict"

    def carries(self) -> Iterator[Position]:
        last = self.body.terminator
        if last is not None:
            yield from (Position(((last, i),), (result,)) for i, result in enumerate(self.results))

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type]:
        return []

    def verify(self, report: Report) -> None:
        if self.body.arguments:
            self.error(report, "the region takes no arguments")
        if not isinstance(self.body.terminator, AllocaScopeReturnOp):
            self.error(report, "the region must end in memref.alloca_scope.return")


class CopyOp(Operation, opname="memref.copy"):
    """Every element of `source` to the same place of `target`; the two do not overlap, unless they are the same."""

    pure = False
    source = operand(is_memref, READS)
    target = operand(is_memref, WRITES)
    assembly = "$source `,` $target attr-dict `:` type($source) `to` type($target)"

    def verify(self, report: Report) -> None:
        source, target = self.source.type, self.target.type
        if source.element != target.element:
            self.error(report, f"requires the same element type, found {source.element} and {target.element}")
        elif source.rank != target.rank or not _agree(source, target):
            self.error(report, f"requires the same shape, found {source} and {target}")


def _agree(a: MemRefType, b: MemRefType) -> bool:
    return all(m == n or m is None or n is None for m, n in zip(a.shape, b.shape, strict=True))


class FlagWord(Directive):
    """One of two words: whether a flag is set, or not."""

    def __init__(self, flag: AttributeField[Any], yes: str, no: str) -> None:
        self.flag = flag
        self.words = no, yes

    def parse(self, parser: Parser, state: State) -> None:
        place, (_, yes) = parser.token.start, self.words
        value = IntegerAttr(int(parser.keyword(self.words) == yes), I1)
        state.give(parser, self.flag.name, value, place)

    def print(self, printer: Printer, op: Operation) -> None:
        no, yes = self.words
        printer.word(yes if self.flag.read(op).value else no)


HINTS = (
    "custom<FlagWord>($isWrite, write, read) `,` `locality` `` `<` $localityHint `>` `,`"
    " custom<FlagWord>($isDataCache, data, instr)"
)
"""How a prefetch is meant."""


class PrefetchOp(Operation, opname="memref.prefetch"):
    """A hint that an element is going to be accessed; it changes nothing, and on AMD's chips before gfx1250 it is no
    instruction."""

    pure = False
    memref = operand(is_memref, NOTHING)
    indices = operands(is_index)
    isWrite = attribute(IntegerAttr)
    localityHint = attribute(IntegerAttr, number=I32)
    isDataCache = attribute(IntegerAttr)
    directives = {"FlagWord": FlagWord}
    assembly = f"$memref `` `[` $indices `]` `,` {HINTS} attr-dict `:` type($memref)"

    def verify(self, report: Report) -> None:
        check_rank(self, self.memref, len(self.indices), report)
        self.check_locality(report)

    def check_locality(self, report: Report) -> None:
        if not 0 <= self.localityHint.value <= 3:
            self.error(report, f"locality is from 0 to 3, found {self.localityHint.value}")


class AtomicYieldOp(Operation, opname="memref.atomic_yield"):
    """What memory holds afterwards."""

    pure = False
    terminator = True
    value = operand(is_scalar)
    assembly = "$value attr-dict `:` type($value)"

    def verify(self, report: Report) -> None:
        around = self.enclosing()
        if not isinstance(around, GenericAtomicRMWOp):
            self.error(report, "must be inside memref.generic_atomic_rmw")
        elif self.value.type != around.memref.type.element:
            self.error(report, f"yields {self.value.type}, the memref's elements are {around.memref.type.element}")


class GenericAtomicRMWOp(Operation, opname="memref.generic_atomic_rmw"):
    """Replaces one element by what the region makes of it, in one step that no other atomic update of it divides.

    The result is the element before. The region may run again when another thread was faster, so it has no effects.
    """

    pure = False
    memref = operand(is_memref, UPDATES)
    indices = operands(is_index)
    body_region = region()
    result_ = result(is_scalar)
    assembly = "$memref `` `[` $indices `]` `:` type($memref) $body_region attr-dict"

    @property
    def joins_in_any_order(self) -> bool:
        return is_float.holds(self.memref.type.element)

    @property
    def updated(self) -> Value:
        """What the region makes of the element."""
        assert self.body.terminator is not None
        (value,) = self.body.terminator.operands
        return value

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type]:
        return [memref_type(operands[0]).element]

    def verify(self, report: Report) -> None:
        check_rank(self, self.memref, len(self.indices), report)
        element = self.memref.type.element
        if self.result_.type != element:
            self.error(report, f"result has type {self.result_.type}, the memref's elements are {element}")
        if [a.type for a in self.body.arguments] != [element]:
            found = ", ".join(str(a.type) for a in self.body.arguments)
            self.error(report, f"the region takes one {element}, found ({found})")
        if not isinstance(self.body.terminator, AtomicYieldOp):
            self.error(report, "the region must end in memref.atomic_yield")
        for op in self.body.operations:
            if not op.pure and not op.terminator:
                op.error(report, "has side effects, in the body of memref.generic_atomic_rmw")


class DistinctObjectsOp(Operation, opname="memref.distinct_objects"):
    """The same buffers, of which the program promises that no two share memory."""

    pure = True
    objects = operands(is_memref, NOTHING)
    results_ = results(is_memref)
    assembly = "$objects attr-dict `:` type($objects)"

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type]:
        return [value.type for value in operands]

    def verify(self, report: Report) -> None:
        found, given = [r.type for r in self.results], [v.type for v in self.objects]
        if found != given or not given:
            words = [", ".join(map(str, types)) or "nothing" for types in (given, found)]
            self.error(report, f"gives back the buffers that it takes, {words[0]}, found {words[1]}")

    def carries(self) -> Iterator[Position]:
        for number, same in enumerate(self.results):
            yield Position(((self, number),), (same,))


class ReallocOp(Operation, opname="memref.realloc"):
    """A buffer of another size with what the first elements of one were, whose life ends here."""

    pure = False
    source = operand(is_memref, READS | FREES)
    dynamicResultSize = optional_operand(is_index)
    alignment = optional_attribute(IntegerAttr)
    result_ = result(is_memref)
    assembly = "$source (`(` $dynamicResultSize^ `)`)? attr-dict `:` type($source) `to` type($result)"

    def verify(self, report: Report) -> None:
        source, target = self.source.type, self.result_.type
        check_alignment(self, self.alignment, report)
        if source.rank != 1 or target.rank != 1 or source.layout is not None or target.layout is not None:
            self.error(report, f"is of rows of one dimension, found {source} and {target}")
        elif (source.element, source.memory_space) != (target.element, target.memory_space):
            self.error(report, f"{source} and {target} differ in more than their size")
        elif (None in target.shape) != (self.dynamicResultSize is not None):
            self.error(report, f"takes a size where {target} leaves it open, and only there")
