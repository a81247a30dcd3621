"""The program's structure: values, operations, blocks, regions, and the builder that appends to a block.

An operation class says what an operation is (`define.py` has its fields); an instance holds operands, attributes,
results and regions. Operations change only inside a pass.
"""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from ..support.diagnostics import Location, Report
from ..support.named_tuples import NamedTuple
from .fields import AttributeField, Field, OperandField, RegionField, ResultField, attach_fields
from .traits import OF_DIALECT, Completion, Effect, Traits
from .types import Attribute, Type

if TYPE_CHECKING:
    from typing_extensions import TypeVar as TypeVarWithDefault

    from .attributes import SymbolRefAttr

    TypeT_co = TypeVarWithDefault("TypeT_co", bound=Type, covariant=True, default=Type)
else:
    TypeT_co = TypeVar("TypeT_co")
OpT = TypeVar("OpT", bound="Operation")


_NOBODY: dict[Operation, None] = {}


class Value(Generic[TypeT_co]):
    """The result of an operation or the argument of a block; `Value[VectorType]` is one known to be a vector.

    It knows its uses: by the operations that stand in a block, whether or not the block stands in a function.
    """

    __slots__ = ("__weakref__", "_users", "hint", "index", "owner", "type")

    def __init__(self, type: TypeT_co, owner: Operation | Block, index: int, hint: str = "") -> None:
        self.type = type
        self.owner = owner
        self.index = index
        self.hint = hint
        self._users: dict[Operation, None] = _NOBODY
        """In the order in which they came to use it; one of many goes as fast as one of few."""

    @property
    def users(self) -> Collection[Operation]:
        """The operations that have this value as an operand, each once, in the order in which they came to use it."""
        return tuple(self._users)

    @property
    def is_used(self) -> bool:
        """Whether there are `users`."""
        return bool(self._users)

    @property
    def uses(self) -> Iterator[tuple[Operation, int]]:
        """Every operand that is this value: its operation and position."""
        for user in self.users:
            yield from ((user, i) for i, operand in enumerate(user.operands) if operand is self)

    def replace_uses(self, by: Value) -> None:
        """Makes all operands that are this value `by`."""
        for user, position in tuple(self.uses):
            user.set_operand(position, by)

    @property
    def operation(self) -> Operation | None:
        """The operation that makes this value, None for a block argument."""
        return self.owner if isinstance(self.owner, Operation) else None

    @property
    def block(self) -> Block | None:
        """In which it is defined; None for a result of an operation that stands in none."""
        return self.owner.parent if isinstance(self.owner, Operation) else self.owner


class Position(NamedTuple):
    """A place at which regions hand a value on: each of `sources`, an operation's operand by number, may become all of
    `targets`, arguments of blocks and results, as it is."""

    sources: tuple[tuple[Operation, int], ...]
    targets: tuple[Value, ...]

    @property
    def values(self) -> list[Value]:
        """What the sources are."""
        return [user.operands[number] for user, number in self.sources]


REGISTRY: dict[str, type[Operation]] = {}
"""Every operation class by name; filled while the dialect modules are imported, constant afterwards."""


class Operation(Traits):
    """One operation. Subclasses with `opname` are registered; their `Field`s name the parts."""

    __slots__ = ("_place", "attributes", "location", "operands", "origin", "parent", "regions", "results", "segments",
                 "successors")  # fmt: skip

    opname: ClassVar[str] = ""
    fields: ClassVar[Mapping[str, Field[Any]]] = {}
    operand_groups: ClassVar[Sequence[OperandField[Any]]] = ()
    result_groups: ClassVar[Sequence[ResultField[Any]]] = ()
    operand_limits: ClassVar[tuple[int, int | None]] = (0, 0)
    """Fewest and most operands, None for any number; `result_limits` alike."""
    result_limits: ClassVar[tuple[int, int | None]] = (0, 0)
    segmented: ClassVar[bool] = False
    own_groups: ClassVar[int] = 0
    """So many of its operand groups, the last ones, upstream's operation has not: texts count them where there are
    operands in them."""
    variable_group: ClassVar[int | None] = None
    """The first operand group that is not one operand."""
    memory_groups: ClassVar[Sequence[OperandField[Any]]] = ()
    """The operand groups through which it reads, writes or frees memory."""
    has_accesses: ClassVar[bool] = False  # behind these, or what it `touches`
    view_results: ClassVar[Mapping[int, OperandField[Any]]] = {}
    """By number of a result: the operand whose memory it shares."""
    region_fields: ClassVar[Sequence[RegionField[Any]]] = ()
    attribute_slots: ClassVar[Sequence[AttributeField[Any]]] = ()
    bare_numbers: ClassVar[Sequence[AttributeField[Any]]] = ()
    """Those numbers that `assembly` writes without their type."""
    same_type: ClassVar[tuple[str, ...]] = ()
    """Operands and results that share one type; the results' types follow from the operands'."""
    types_from: ClassVar[Sequence[Type | int] | None] = ()
    """For each result its type, or the number of the operand that has it; None where fields do not decide them all."""
    assembly: ClassVar[str] = ""
    """Declarative format (see assembly.py); empty for generic form only or a hand-written `parse`/`print`."""
    directives: ClassVar[Mapping[str, Any]] = {}
    """Those of `assembly` that are its dialect's own, by name: each makes a `Directive` of fields and words."""
    format: ClassVar[Any] = None
    """What `assembly.format_of` made of `assembly`."""
    hands_on: ClassVar[bool] = False
    """Whether `carries` says anything."""

    def __init_subclass__(cls, opname: str = "", variant_of: type[Operation] | None = None) -> None:
        """`variant_of`: the class that texts name, whose `variant` this is of other types."""
        if opname:
            assert opname not in REGISTRY, f"{opname} is defined twice"
        if opname or variant_of is not None:
            cls.opname = variant_of.opname if variant_of is not None else opname
            attach_fields(cls)
            cls.format = None
            assert hasattr(cls, "pure"), f"{cls.opname} does not say whether it is pure"
            cls.has_accesses = bool(cls.memory_groups) or cls.touches is not Operation.touches
            cls.is_atomic = any(Effect.ATOMIC in (group.effect or Effect.NOTHING) for group in cls.memory_groups)
            cls.awaits_copies = any(completion.copies for completion in cls.awaits)
        if opname:
            cls.vendor = cls.vendor or OF_DIALECT.get(opname.partition(".")[0])
            cls.symbol = "sym_name" in cls.fields
            cls.hands_on = cls.carries is not Operation.carries
            REGISTRY[opname] = cls

    def __init__(
        self,
        operands: Sequence[Value] = (),
        result_types: Sequence[Type] = (),
        attributes: Mapping[str, Attribute] | None = None,
        regions: Sequence[Region] = (),
        location: Origin = None,
        segments: tuple[int, ...] | None = None,
        successors: Sequence[Block] = (),
    ) -> None:
        """`location`: where it stands in a text, or the operation that it is made for."""
        self.operands = tuple(operands)
        """`set_operands` changes them."""
        self._place = 0
        self.results: list[Value] = []
        for type in result_types:
            self.results.append(Value(type, self, len(self.results)))
        self.attributes: dict[str, Attribute] = dict(attributes) if attributes else {}
        self.regions = list(regions)
        for region in regions:
            region.parent = self
        self.origin: Operation | None = location if isinstance(location, Operation) else None
        """The operation of which this one became, in its stage or the one before; None where the program has it."""
        self.location: Location | None = location.location if isinstance(location, Operation) else location
        """The place of what it became of: for messages and debuggers, nothing is decided by it."""
        self.parent: Block | None = None
        self.segments = segments
        """Sizes of the operand groups, where an operation has more than one of variable size."""
        self.successors = tuple(successors)
        """The blocks of its region to which a terminator may go on."""

    # -- what subclasses say ------------------------------------------------------------------------------------

    def verify(self, report: Report) -> None:
        """Reports what the fields' constraints do not say."""

    def verify_named(self, name: SymbolRefAttr, named: Mapping[str, Operation], report: Report) -> None:
        """Reports where the operation that it `names_by` is not there, or does not fit; `named`: what the module around
        has, by name."""

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type] | None:
        """Result types, where operands and attributes decide them; None where the text has to say."""
        if cls.types_from is None or len(operands) < cls.operand_limits[0]:
            return None
        return [operands[given].type if isinstance(given, int) else given for given in cls.types_from]

    def carries(self) -> Iterator[Position]:
        """What its regions hand on: into its blocks, out of them, onwards; `flows` are the pairs."""
        return iter(())

    def flows(self) -> Iterator[tuple[Value, Value]]:
        """Pairs of values of which the first may become the second, as it is."""
        for position in self.carries():
            yield from ((source, target) for source in position.values for target in position.targets)

    @property
    def awaits_grids(self) -> bool:
        """Whether memory may be other behind it than before although nothing in the kernel wrote it: no access moves up
        over it, and no buffer of the kernel is one that stays as it is."""
        return False

    @property
    def speculatable(self) -> bool:
        """Whether it may be done where the program does not do it: it does nothing but compute, what it computes is
        defined whatever its operands are, and it says nothing that holds only where it stands (as MLIR's trait)."""
        return self.pure

    def whole_extents(self) -> Iterable[tuple[Value, int, int]]:
        """(memref, dimension, divisor): what it does is defined for memrefs alone whose extent there is a multiple."""
        return ()

    @property
    def groups_left(self) -> int:
        """How many groups, the newest, it leaves under way that `awaits` others."""
        return 0

    def groups_left_of(self, completion: Completion) -> int | None:
        """How many groups of one that it `awaits` it leaves under way; None where it does not wait for that."""
        return self.groups_left

    @property
    def awaits_reads_only(self) -> bool:
        """Whether it `awaits` that sources were read, and nothing that is written."""
        return False

    def touches(self) -> Sequence[tuple[Value, Effect]]:
        """Memrefs behind operands that are none, and what it does with their memory."""
        return ()

    @property
    def counted_by(self) -> Value | None:
        """The group of barrier objects that counts what it `begins`, or for which it waits."""
        return None

    @property
    def joins_in_any_order(self) -> bool:
        """Whether the machine chooses the order in which it adds or multiplies floats: its bits may differ."""
        return False

    def reference(self, *args: Any, **kwargs: Any) -> Any:
        """The meaning on numpy arrays, one an operand: an array (or a tuple of them) for the results. See `reference/`.

        The base takes anything, so that a subclass can name its operands.
        """
        raise AssertionError(f"{self.opname} has no value semantics")

    @classmethod
    def parse(cls, parser: Any, location: Location) -> Operation:
        """Reads the custom form after the operation's name; `parser` is an `operation_parser.Parser`."""
        read: Operation = parser.declared_form(cls, location)
        return read

    @classmethod
    def from_generic(
        cls,
        operands: Sequence[Value],
        result_types: Sequence[Type],
        attributes: Mapping[str, Attribute],
        regions: Sequence[Region],
        location: Location,
        segments: tuple[int, ...] | None,
        successors: Sequence[Block],
    ) -> Operation:
        """The operation that a text stands for, whose parts these are."""
        made = cls.variant(operands, result_types)
        return made(operands, result_types, attributes, regions, location, segments, successors)

    @classmethod
    def variant(cls, operands: Sequence[Value], result_types: Sequence[Type]) -> type[Operation]:
        """The class of an operation of these operands and results, where texts name several alike."""
        return cls

    def print(self, printer: Any) -> None:
        """Writes the custom form after the operation's name to an `operation_printer.Printer`."""
        printer.declared_form(self)

    def used_elsewhere(self) -> Sequence[Value]:
        """Buffers that other workgroups use from here on, whenever they get there."""
        return ()

    @classmethod
    def needs_segments(cls) -> bool:
        """Whether operand groups cannot be told apart by counting."""
        return cls.segmented

    @classmethod
    def property_names(cls) -> list[str]:
        """Names of the attributes that are part of the operation; all others are carried along."""
        names = [slot.name for slot in cls.attribute_slots if not slot.carried]
        return sorted([*names, "operandSegmentSizes"] if cls.needs_segments() else names)

    @classmethod
    def has_custom_form(cls) -> bool:
        return bool(cls.assembly) or cls.parse.__func__ is not Operation.parse.__func__  # type: ignore[attr-defined]

    # -- access -------------------------------------------------------------------------------------------------

    def set_operand(self, position: int, value: Value) -> None:
        self.set_operands((*self.operands[:position], value, *self.operands[position + 1 :]))

    def set_operands(self, operands: Sequence[Value]) -> None:
        """Other operands; `segments`, where there are any, have to fit."""
        if self.parent is not None:
            self._end_uses()
        self.operands = tuple(operands)
        if self.parent is not None:
            self._begin_uses()

    def _begin_uses(self) -> None:
        for value in self.operands:
            users = value._users
            if users:
                users[self] = None
            else:
                value._users = {self: None}

    def _end_uses(self) -> None:
        for value in self.operands:
            value._users.pop(self, None)  # of a value that is two operands once

    @property
    def result(self) -> Value:
        (value,) = self.results
        return value

    @property
    def body(self) -> Block:
        """The only block of the only region."""
        (region,) = self.regions
        return region.block

    @property
    def written(self) -> Operation:
        """The operation of the program that this one became of."""
        op = self
        while op.origin is not None:
            op = op.origin
        return op

    @property
    def title(self) -> str:
        """What messages call it: as the program does."""
        return f"'{self.written.opname}' op"

    def error(self, report: Report, message: str, hint: str = "") -> None:
        report.error(f"{self.title} {message}", self.location, hint=hint)

    def walk(self) -> Iterator[Operation]:
        """This operation, then those inside it, in program order."""
        yield self
        blocks = _blocks(self)
        while blocks:
            for op in blocks[-1]:
                yield op
                if op.regions:
                    blocks += _blocks(op)
                    break
            else:
                blocks.pop()

    def all_of(self, cls: type[OpT]) -> list[OpT]:
        """Those of `walk` that are of a class, as they are now."""
        found: list[OpT] = [self] if isinstance(self, cls) else []
        blocks = _blocks(self)
        while blocks:
            for op in blocks[-1]:
                if isinstance(op, cls):
                    found.append(op)
                if op.regions:
                    blocks += _blocks(op)
                    break
            else:
                blocks.pop()
        return found

    def enclosing(self) -> Operation | None:
        """The operation whose region holds this one."""
        return self.parent.parent.parent if self.parent is not None and self.parent.parent is not None else None


Origin = Location | Operation | None
"""Where a new operation is from: a place in a text, or the operation that it is made for, whose place it has, too."""


class UnregisteredOp(Operation):
    """An operation read in generic form whose name no dialect registers; the verifier reports it."""

    __slots__ = ("name",)

    pure = False

    def __init__(self, name: str, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.name = name


def _blocks(op: Operation) -> list[Iterator[Operation]]:
    """The operations of each block inside, the last block first."""
    return [iter(block.operations) for region in reversed(op.regions) for block in reversed(region.blocks)]


_NEAR = 16
"""How far from where it last was an operation is looked for before all of its block are counted anew."""


class Block:
    """Arguments and operations, the last of which is the terminator."""

    __slots__ = ("_operations", "arguments", "parent")

    def __init__(self, argument_types: Sequence[Type] = ()) -> None:
        self.arguments = [Value(t, self, i) for i, t in enumerate(argument_types)]
        self._operations: list[Operation] = []
        self.parent: Region | None = None

    @property
    def operations(self) -> Sequence[Operation]:
        """In program order; `append`, `insert` and `remove` change them."""
        return self._operations

    def append(self, op: Operation) -> Operation:
        assert op.parent is None, f"{op.opname} stands in a block already"
        op.parent, op._place = self, len(self._operations)
        op._begin_uses()
        self._operations.append(op)
        return op

    def insert(self, position: int, op: Operation) -> Operation:
        """Puts a new operation before the one at `position`."""
        assert op.parent is None, f"{op.opname} stands in a block already"
        op.parent, op._place = self, position
        op._begin_uses()
        self._operations.insert(position, op)
        return op

    def remove(self, op: Operation) -> Operation:
        """Takes an operation out, to be put elsewhere."""
        del self._operations[self.position(op)]
        op._end_uses()
        op.parent = None
        return op

    def erase(self, op: Operation) -> None:
        """Takes an operation out for good, with all in its regions; nobody else uses its results."""
        del self._operations[self.position(op)]
        self._end(list(op.walk()))

    @classmethod
    def erase_all(cls, operations: Sequence[Operation]) -> None:
        """Takes operations out for good, those of any blocks, in time that grows with the blocks' lengths."""
        gone = dict.fromkeys(inner for op in operations for inner in op.walk())
        for block in dict.fromkeys(op.parent for op in operations if op.parent is not None):
            block._operations[:] = [op for op in block._operations if op not in gone]
        cls._end(gone)

    @staticmethod
    def _end(gone: Collection[Operation]) -> None:
        for op in gone:
            op._end_uses()
            op.parent = None
        assert not any(r._users for op in gone for r in op.results), "is erased, but its results are used"

    def reorder(self, operations: Sequence[Operation]) -> None:
        """Puts the same operations in another order."""
        assert set(operations) == set(self._operations) and len(operations) == len(self._operations)
        self._operations[:] = operations
        for place, op in enumerate(operations):
            op._place = place

    def position(self, op: Operation) -> int:
        """Where an operation of this block stands."""
        assert op.parent is self
        guess, operations = op._place, self._operations
        for place in range(max(guess - _NEAR, 0), min(guess + _NEAR, len(operations))):
            if operations[place] is op:
                op._place = place
                return place
        for place, other in enumerate(operations):
            other._place = place
        return op._place

    def add_argument(self, type: Type, hint: str = "") -> Value:
        value = Value(type, self, len(self.arguments), hint)
        self.arguments.append(value)
        return value

    def remove_argument(self, value: Value) -> None:
        """Takes an argument out that nobody uses; what hands a value on to it is its caller's to change."""
        assert value.owner is self and not value._users, f"argument {value.index} is no argument here, or is used"
        del self.arguments[value.index]
        for index, other in enumerate(self.arguments):
            other.index = index

    @property
    def terminator(self) -> Operation | None:
        last = self._operations[-1] if self._operations else None
        return last if last is not None and last.terminator else None


class Region:
    """A list of blocks; what is expanded (`frontend`) has exactly one."""

    __slots__ = ("blocks", "parent")

    def __init__(self, blocks: Sequence[Block] = ()) -> None:
        self.blocks = list(blocks)
        for block in self.blocks:
            block.parent = self
        self.parent: Operation | None = None

    @property
    def block(self) -> Block:
        (block,) = self.blocks
        return block


class Builder:
    """Appends operations to a block, all at one place in the source, or made for one operation."""

    def __init__(self, block: Block, location: Origin = None) -> None:
        self.block = block
        self.location = location

    def op(
        self,
        cls: type[OpT],
        *operands: Value | Sequence[Value],
        types: Sequence[Type] | None = None,
        regions: Sequence[Region] = (),
        **attributes: Attribute | None,
    ) -> OpT:
        """Creates `cls`. An operand group of variable size is given as one sequence; result types are inferred when
        the class can and `types` is not given; attributes that are None are left out."""
        present = {k: v for k, v in attributes.items() if v is not None} if attributes else {}
        return self._append_new(cls, operands, types, regions, present)

    def _append_new(
        self,
        cls: type[OpT],
        operands: Sequence[Value | Sequence[Value]],
        types: Sequence[Type] | None,
        regions: Sequence[Region],
        attributes: Mapping[str, Attribute],
    ) -> OpT:
        """As `op`, with the attributes that there are."""
        flat: list[Value] = []
        for given in operands:
            if isinstance(given, Value):
                flat.append(given)
            else:
                flat += given
        if types is None:
            types = cls.infer(flat, attributes)
            assert types is not None, f"{cls.opname}: result types are needed"
        segments = None
        if cls.segmented and cls.needs_segments():
            segments = tuple(1 if isinstance(given, Value) else len(given) for given in operands)
        return self.append(cls(flat, types, attributes, regions, self.location, segments))

    def value(self, cls: type[Operation], *operands: Value | Sequence[Value], **kwargs: Any) -> Value:
        """The only result of a new `cls`."""
        (value,) = self.op(cls, *operands, **kwargs).results
        return value

    def append(self, op: OpT) -> OpT:
        self.block.append(op)
        return op


class Before(Builder):
    """Builds in front of an operation what is made for it."""

    def __init__(self, before: Operation) -> None:
        assert before.parent is not None
        super().__init__(before.parent, before)
        self.before = before

    def append(self, op: OpT) -> OpT:
        self.block.insert(self.block.position(self.before), op)
        return op
