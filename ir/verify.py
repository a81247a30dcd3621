"""Checks a program against its operations' definitions; findings are collected, not raised one by one.

First the parts of every operation: how many there are, of which types, defined where they are used. Then what their
classes say (`Operation.verify`) of those that have all parts, and whose neighbours have: what is around them, directly
inside of them, and what makes their operands.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from ..support.deep_recursion import deep
from ..support.diagnostics import Report, VerifyError
from .attributes import ArrayAttr, DenseArrayAttr, StringAttr, SymbolRefAttr, is_int_array
from .core import Block, Operation, Region, UnregisteredOp, Value
from .define import anything
from .dialects.func import FunctionLike
from .did_you_mean import operation_hint
from .dominance import dominators
from .fields import AttributeField, Multiplicity, OperandField, ResultField, TypeSet
from .types import I1, I64, Attribute


def verify(module: Operation) -> None:
    """Raises `VerifyError` with every finding."""
    report = Report()
    parts = _Parts(report)
    parts.operation(module)
    wrong = parts.wrong
    for op in parts.seen:
        if not wrong or _is_whole(op, wrong):
            _verify_alone(op, report)
    if not wrong:
        _verify_symbols(parts.seen, report)
    if report.diagnostics:
        raise VerifyError(report.diagnostics)


def verify_one(op: Operation) -> None:
    """What `verify` asks of one operation and those inside of it, in a module of its own; all values that they use are
    taken to be defined. Raises `VerifyError` with every finding."""
    report = Report()
    parts = _Parts(report)
    made = {result for inner in op.walk() for result in inner.results}
    parts.see([value for inner in op.walk() for value in inner.operands if value not in made])
    parts.operation(op)
    for each in parts.seen:
        if each not in parts.wrong:
            _verify_alone(each, report)
            _verify_use(each, {}, report)
    if report.diagnostics:
        raise VerifyError(report.diagnostics)


def _is_whole(op: Operation, wrong: set[Operation]) -> bool:
    """Whether an operation has all its parts, and those that its verifier may look at have theirs."""
    around: Operation | None = op
    while around is not None:
        if around in wrong:
            return False
        around = around.enclosing()
    makers = (maker for value in op.operands if (maker := value.operation) is not None)
    inside = (inner for region in op.regions for block in region.blocks for inner in block.operations)
    return wrong.isdisjoint(chain(makers, inside))


def _verify_symbols(operations: Sequence[Operation], report: Report) -> None:
    """In each module, functions and modules have names of their own, and calls name a function that fits."""
    naming = any(op.names_by for op in operations)
    for holder in operations:
        if holder.holds_symbols and [len(region.blocks) for region in holder.regions] == [1]:
            _verify_module(holder, naming, report)


def _verify_module(holder: Operation, naming: bool, report: Report) -> None:
    """`naming`: whether there is an operation that names another one."""
    named: dict[str, Operation] = {}
    for op in holder.body.operations:
        name = op.attributes.get("sym_name") if op.symbol else None
        if isinstance(name, StringAttr):
            first = named.setdefault(name.value, op)
            if first is not op:
                report.error(f"redefinition of '@{name.value}'", op.location, [("first here", first.location)])
    for function in holder.body.operations if naming else ():
        if isinstance(function, FunctionLike):
            for op in function.walk():
                _verify_use(op, named, report)


def _verify_use(op: Operation, named: Mapping[str, Operation], report: Report) -> None:
    """What it names is there, and fits."""
    name = op.attributes.get(op.names_by) if op.names_by else None
    if isinstance(name, SymbolRefAttr):
        op.verify_named(name, named, report)


_Signature = tuple[type[Operation], tuple[int, ...] | None, int, tuple[int, ...]]


def _signature(op: Operation) -> _Signature:
    """What counts and types of operands and results are told by. Types go by identity, as the program holds them."""
    values = (*op.operands, *op.results)
    return type(op), op.segments, len(op.operands), tuple([id(value.type) for value in values])


TypedField = OperandField[object] | ResultField[object]


def _verify_alone(op: Operation, report: Report) -> None:
    """What its class says of an operation, and where it stands."""
    if op.parents and ((around := op.enclosing()) is None or around.opname not in op.parents):
        op.error(report, op.parent_words)
    op.verify(report)


class _Parts:
    """Walks the program with the values that are visible at each operation.

    `seen`: the registered operations, in program order; `wrong`: those that lack something, or have it of another type.
    """

    def __init__(self, report: Report) -> None:
        self.report = report
        self.seen: list[Operation] = []
        self.wrong: set[Operation] = set()
        self._visible: set[Value] = set()
        self._constrained: dict[type[Operation], list[TypedField]] = {}
        self._holding: set[tuple[TypeSet, int]] = set()
        """Which constraints hold of which types, by identity, too."""
        self._fitting: set[_Signature] = set()
        """Those of the operations that were right: counts and types of others that have one of them are right, too."""

    def see(self, values: Iterable[Value]) -> None:
        """These are visible from here on."""
        self._visible.update(values)

    def operation(self, op: Operation) -> None:
        if isinstance(op, UnregisteredOp):
            self.report.error(f"unknown operation '{op.name}'", op.location, hint=operation_hint(op.name))
            self.wrong.add(op)
            return
        found = self.report.diagnostics
        before = len(found)
        signature = _signature(op)
        known = signature in self._fitting
        if not known:
            self._counts(op)
        self._structure(op)
        if not known and len(found) == before:
            self._types(op)
            if len(found) == before:
                self._fitting.add(signature)
        if not self._visible.issuperset(op.operands) and len(found) == before:
            self._uses(op)
        self.seen.append(op)
        if len(found) > before:
            self.wrong.add(op)
        if op.regions:
            self._regions(op)

    @deep
    def _regions(self, op: Operation) -> None:
        """What a region defines ends with it; an isolated operation's regions see nothing from outside."""
        outer = self._visible
        for region in op.regions:
            self._visible = set() if op.isolated else outer
            if len(region.blocks) > 1:
                self._branches(op, region)
            else:
                for block in region.blocks:
                    self._block(block)
                    self._leave(block)
        self._visible = outer

    def _leave(self, block: Block) -> None:
        """Takes away what a block defined: a copy of all that is visible for each region would take quadratic time."""
        self._visible.difference_update(block.arguments)
        for op in block.operations:
            self._visible.difference_update(op.results)

    def _branches(self, op: Operation, region: Region) -> None:
        """Blocks that branch to one another: each sees what is defined on every way to it."""
        around, inside = self._visible, set(region.blocks)
        for block in region.blocks:
            last = block.terminator
            if last is None:
                where = block.operations[-1] if block.operations else op
                where.error(self.report, "a block of several must end in an operation that goes on or returns")
            elif not inside.issuperset(last.successors) or region.blocks[0] in last.successors:
                last.error(self.report, "goes on to a block that is not another one of its region, or is the first")
        above = dominators(region.blocks[0])
        defined = {block: {*block.arguments, *(r for o in block.operations for r in o.results)} for block in inside}
        for block in region.blocks:
            self._visible = around.union(*(defined[b] for b in above.get(block, inside) if b is not block))
            self._block(block)

    def _block(self, block: Block) -> None:
        self._visible.update(block.arguments)
        last = len(block.operations) - 1
        for i, op in enumerate(block.operations):
            if op.terminator and i < last:
                op.error(self.report, "must be the last operation of its block")
            self.operation(op)
            self._visible.update(op.results)

    def _counts(self, op: Operation) -> None:
        count = len(op.operands)
        if op.segmented or op.operand_limits != (count, count):
            self._operand_count(op)
        count = len(op.results)
        if op.result_limits != (count, count):
            self._result_count(op)

    def _structure(self, op: Operation) -> None:
        if op.regions or op.region_fields:
            self._region_count(op)
        attributes = op.attributes
        for slot in op.attribute_slots:
            value = attributes.get(slot.name)
            if value is None:
                fits = slot.optional
            else:
                fits = type(value) in slot.classes and type(value) not in _LISTS
            if not fits:
                self._attribute(op, slot, value)
        for slot in op.bare_numbers:
            self._bare_number(op, slot)

    def _bare_number(self, op: Operation, slot: AttributeField[object]) -> None:
        """Its text has no type, so it has that of its field, or is true or false."""
        value, type = op.attributes.get(slot.name), slot.number or I64
        if value is not None and getattr(value, "type", type) not in (type, I1):
            op.error(self.report, f"attribute '{slot.name}' must be of type {type}, found {value}")

    def _region_count(self, op: Operation) -> None:
        fields = op.region_fields
        low = sum(not field.variadic for field in fields)
        high = None if low < len(fields) else low
        if len(op.regions) < low or (high is not None and len(op.regions) > high):
            op.error(self.report, f"expects {_range_words(low, high)} regions, found {len(op.regions)}")
            return
        for number, region in enumerate(op.regions):
            field = fields[min(number, len(fields) - 1)]
            found = len(region.blocks)
            if found != 1 and not (found == 0 and field.optional) and not (found and field.branches):
                words = f"region '{field.name}' must have one block, found {found}: control flow is structured (scf)"
                op.error(self.report, words)

    def _operand_count(self, op: Operation) -> None:
        low, high = op.operand_limits
        count = len(op.operands)
        if count < low or (high is not None and count > high):
            op.error(self.report, f"expects {_range_words(low, high)} operands, found {count}")
        elif op.needs_segments():
            self._segments(op)

    def _segments(self, op: Operation) -> None:
        """The sizes of the operand groups, where more than one of them varies."""
        sizes = op.segments or ()
        fields = op.operand_groups
        if len(sizes) != len(fields) or min(sizes) < 0 or sum(sizes) != len(op.operands):
            message = f"operandSegmentSizes {list(sizes)} do not divide {len(op.operands)} operands into {len(fields)}"
            op.error(self.report, message)
            return
        for field, size in zip(fields, sizes, strict=True):
            low, high = _SIZES[field.multiplicity]
            if size < low or (high is not None and size > high):
                op.error(self.report, f"expects {_range_words(low, high)} operands '{field.name}', found {size}")

    def _result_count(self, op: Operation) -> None:
        low, high = op.result_limits
        count = len(op.results)
        if count < low or (high is not None and count > high):
            op.error(self.report, f"expects {_range_words(low, high)} results, found {count}")

    def _attribute(self, op: Operation, slot: AttributeField[object], value: Attribute | None) -> None:
        if value is None:
            op.error(self.report, f"requires attribute '{slot.name}'")
        elif not isinstance(value, slot.classes):
            words = " or ".join(c.__name__.removesuffix("Attr") for c in slot.classes)
            op.error(self.report, f"attribute '{slot.name}' must be {words}, found {value}")
        elif DenseArrayAttr in slot.classes and not is_int_array(value):
            op.error(self.report, f"attribute '{slot.name}' must be a list of integers, found {value}")

    def _types(self, op: Operation) -> None:
        before, holding = len(self.report.diagnostics), self._holding
        for field in self._constrained_fields(type(op)):
            constraint = field.constraint
            for value in field.group(op):
                known = constraint, id(value.type)
                if known in holding:
                    continue
                if constraint.holds(value.type):
                    holding.add(known)
                else:
                    words = f"{field.kind} '{field.name}' must be {field.constraint.words}"
                    op.error(self.report, f"{words}, found {value.type}")
        if op.same_type and len(self.report.diagnostics) == before:
            self._same_type(op)

    def _constrained_fields(self, cls: type[Operation]) -> list[TypedField]:
        """Those that not every type may stand in."""
        if cls not in self._constrained:
            fields: list[TypedField] = [*cls.operand_groups, *cls.result_groups]
            self._constrained[cls] = [field for field in fields if field.constraint is not anything]
        return self._constrained[cls]

    def _uses(self, op: Operation) -> None:
        for i, value in enumerate(op.operands):
            if value not in self._visible:
                place = value.operation.location if value.operation is not None else None
                name = f" '%{value.hint}'" if value.hint else ""
                message = f"'{op.opname}' op operand number {i}{name} is not defined where it is used"
                self.report.error(message, op.location, [("defined here", place)] if place is not None else [])

    def _same_type(self, op: Operation) -> None:
        first, first_name = None, ""
        for name in op.same_type:
            for value in op.fields[name].group(op):
                if first is None:
                    first, first_name = value, name
                elif value.type is not first.type and value.type != first.type:
                    words = f"'{first_name}' and '{name}' must have the same type"
                    op.error(self.report, f"{words}, found {first.type} and {value.type}")
                    return


_LISTS = ArrayAttr, DenseArrayAttr
_SIZES: dict[Multiplicity, tuple[int, int | None]] = {"one": (1, 1), "optional": (0, 1), "variadic": (0, None)}


def _range_words(low: int, high: int | None) -> str:
    if high is None:
        return f"{low} or more"
    return str(low) if low == high else f"{low} to {high}"
