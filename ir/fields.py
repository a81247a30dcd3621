"""What the fields of an operation's class are made of: constraints on types, and the parts that a class body names.

`define.py` has the functions that class bodies call; operations themselves are in `core.py`, which builds on this.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, Self, TypeVar, overload

from ..support.dataclasses import dataclass
from .attributes import IntegerAttr
from .traits import ACCESSES, FREES, Effect
from .types import Attribute, Type

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, eq=False)
class TypeSet:
    """Types that a part may have, and the words for them; each is one object, as classes name it.

    `mnemonic` is the name of the only type of a dialect that it may have, which upstream's printer leaves out; `only`
    is the one type that there is of them, where there is one.
    """

    words: str
    holds: Callable[[Type], bool]
    mnemonic: str = ""
    only: Type | None = None


Multiplicity = Literal["one", "optional", "variadic"]


if TYPE_CHECKING:

    class _Getter(Generic[T_co]):
        """Python's property, which calls its function from C, as type checkers are to see it."""

        def __init__(self, get: Callable[[Any], T_co]) -> None: ...
        @overload
        def __get__(self, obj: None, owner: type) -> Self: ...
        @overload
        def __get__(self, obj: object, owner: type) -> T_co: ...
        def __get__(self, obj: object, owner: type) -> Self | T_co: ...

else:

    class _Getter(property, Generic[T_co]):
        pass


class Field(_Getter[T_co]):
    """A named part of an operation; `index` counts the fields of one kind."""

    kind: ClassVar[str] = ""
    name: str = ""
    index: int = 0

    def __init__(self) -> None:
        super().__init__(self.read)

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name.rstrip("_")

    def read(self, op: Any) -> T_co:
        raise AssertionError

    def group(self, op: Any) -> Sequence[Any]:
        """The operands, results or regions that it names."""
        raise AssertionError

    def is_given(self, op: Any) -> bool:
        """Whether an operation has any, or for an attribute another one than where its text says nothing."""
        return bool(self.group(op))

    def leave_out(self, state: Any) -> None:
        """Notes that a text has none of it, in an `assembly_elements.State`."""


class OperandField(Field[T_co]):
    kind = "operand"

    def __init__(self, constraint: TypeSet, multiplicity: Multiplicity, effect: Effect | None) -> None:
        super().__init__()
        self.constraint = constraint
        self.multiplicity: Multiplicity = multiplicity
        self.effect = effect
        """On the memory of memrefs among these operands; None where there are none."""

    def leave_out(self, state: Any) -> None:
        state.operands.setdefault(self.name, [])

    def group(self, op: Any) -> tuple[Any, ...]:
        start, end = operand_range(op, self.index)
        operands: tuple[Any, ...] = op.operands
        return operands[start:end]


class ResultField(Field[T_co]):
    kind = "result"

    def __init__(self, constraint: TypeSet, variadic: bool, view_of: str = "", like: str = "") -> None:
        super().__init__()
        self.constraint = constraint
        self.variadic = variadic
        self.view_of = view_of
        """The memref operand whose memory a memref result shares; empty where it has memory of its own."""
        self.like = like
        """The operand whose type it has, where that is said of it alone; `same_type` says it of several parts."""

    def leave_out(self, state: Any) -> None:
        if self.variadic:
            state.result_types.setdefault(self.name, [])

    def group(self, op: Any) -> Sequence[Any]:
        results: list[Any] = op.results
        return results[self.index :] if self.variadic else results[self.index : self.index + 1]


class AttributeField(Field[T_co]):
    kind = "attribute"

    number: Type | None = None
    """The type of a number that the text may give without one; None for MLIR's own, i64."""
    carried: bool = False
    """Obeyed here, and to upstream an attribute that the operation only carries along."""

    def __init__(self, classes: tuple[type[Attribute], ...], optional: bool, default: Attribute | None) -> None:
        super().__init__()
        self.classes = classes
        self.optional = optional
        self.default = default

    def is_given(self, op: Any) -> bool:
        value = op.attributes.get(self.name)
        return value is not None and value != self.default


class RegionField(Field[T_co]):
    kind = "region"

    ends_in: Callable[..., Any] | None = None
    """Makes the terminator that its text may leave out; it does not stand there where it says nothing, but for one that
    `shows_end`."""
    shows_end: bool = False

    def __init__(self, optional: bool, variadic: bool = False, branches: bool = False) -> None:
        super().__init__()
        self.optional, self.variadic, self.branches = optional, variadic, branches

    def group(self, op: Any) -> Sequence[Any]:
        regions: list[Any] = op.regions
        return regions[self.index :] if self.variadic else regions[self.index : self.index + 1]

    def is_given(self, op: Any) -> bool:
        return any(region.blocks and region.blocks[0].operations for region in self.group(op))


def operand_range(op: Any, group: int) -> tuple[int, int]:
    """Where operand group number `group` lies in `op.operands`."""
    if op.segments is not None:
        start = sum(op.segments[:group])
        return start, start + op.segments[group]
    variable = op.variable_group
    if variable is None or group < variable:
        return group, group + 1
    extra = len(op.operands) - len(op.operand_groups)
    return (group, group + 1 + extra) if group == variable else (group + extra, group + extra + 1)


def attach_fields(cls: Any) -> None:
    """Finds all fields of a class in order of definition, base classes first."""
    fields: dict[str, Field[Any]] = {}
    counts: dict[str, int] = {}
    bases: tuple[type, ...] = cls.__mro__
    for base in reversed(bases):
        for field in _own_fields(base):
            if field.name not in fields:
                field.index = counts.get(field.kind, 0)
                counts[field.kind] = field.index + 1
                fields[field.name] = field
    cls.fields = fields
    cls.operand_groups = _of_kind(fields, "operand")
    cls.memory_groups = [f for f in cls.operand_groups if f.effect is not None and f.effect & (ACCESSES | FREES)]
    cls.result_groups = _of_kind(fields, "result")
    cls.view_results = {f.index: fields[f.view_of] for f in cls.result_groups if f.view_of}
    sizes = [f.multiplicity for f in cls.operand_groups]
    cls.operand_limits = sizes.count("one"), None if "variadic" in sizes else len(sizes)
    cls.segmented = len(sizes) - sizes.count("one") > 1
    cls.variable_group = next((i for i, size in enumerate(sizes) if size != "one"), None)
    cls.types_from = _types_from(cls)
    single = sum(not f.variadic for f in cls.result_groups)
    cls.result_limits = single, None if single < len(cls.result_groups) else single
    cls.region_fields = _of_kind(fields, "region")
    slots = _of_kind(fields, "attribute")
    cls.attribute_slots = slots
    cls.bare_numbers = [f for f in slots if IntegerAttr in f.classes and f.name in _NAMED.findall(cls.assembly)]


def _of_kind(fields: dict[str, Field[Any]], kind: str) -> list[Any]:
    return [field for field in fields.values() if field.kind == kind]


def _types_from(cls: Any) -> tuple[Type | int, ...] | None:
    """For each result its only type, or the number of the operand that has it, counted from the end behind a group of
    variable size; None where the fields of a class do not decide them all."""
    found: list[Type | int] = []
    for field in cls.result_groups:
        decided = _type_from(cls, field)
        if decided is None:
            return None
        found.append(decided)
    return tuple(found)


def _type_from(cls: Any, field: ResultField[Any]) -> Type | int | None:
    if field.variadic or field.constraint.only is not None:
        return None if field.variadic else field.constraint.only
    like = cls.same_type if field.name in cls.same_type else (field.like,)
    groups: list[OperandField[Any]] = cls.operand_groups
    at = next((i for i, group in enumerate(groups) if group.name in like and group.multiplicity == "one"), None)
    if at is None or cls.variable_group is None or at < cls.variable_group:
        return at
    return None if cls.segmented else at - len(groups)


_NAMED = re.compile(r"\$(\w+)")
"""In an assembly format."""


@cache
def _own_fields(cls: type) -> tuple[Field[Any], ...]:
    """Those that the class's body names."""
    own: list[Field[Any]] = [part for part in vars(cls).values() if isinstance(part, Field)]
    return tuple(own)
