"""A builder that folds as it builds: constants at the top of the function, identities, common subexpressions.

The thread-level program is made through it, so that no pass has to clean up afterwards and its text stays readable.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

import numpy as np

from ..support.diagnostics import Location
from .attributes import DenseElementsAttr, FloatAttr, IntegerAttr, scalar_attr
from .core import Block, Builder, Operation, OpT, Value
from .dialects import arith, vector
from .dialects.arith import IntegerPredicateAttr
from .dialects.constants import constant_attribute as constant_attribute
from .dialects.constants import constant_int as constant_int
from .integer_ranges import Range, below
from .integer_rules import ABSORBING, COMMUTATIVE, NEUTRAL, compared, folded, wrapped
from .types import I1, INDEX, Attribute, Type, VectorType, bit_width

_Key = tuple[Any, ...]


class Ranges(Protocol):
    """What is known of the integers that are built (`analysis/integers.py`)."""

    def range(self, value: Value) -> Range:
        """Between which bounds it is."""
        ...

    def state(self, value: Value, range: Range) -> None:
        """Takes the builder's word for that."""
        ...


class FoldingBuilder(Builder):
    """Appends to a function's body; `scope()` enters the block of a region."""

    def __init__(self, entry: Block, ranges: Ranges | None = None) -> None:
        """Without `ranges`, nothing is known but constants."""
        super().__init__(entry)
        self._ranges = ranges
        self._entry = entry
        self._constants: dict[Attribute, Value] = {}
        self._indices: dict[int, Value] = {}
        self._made: dict[_Key, Any] = {}
        """Operations and values."""
        self._kinds: dict[_Key, int] = {}
        self._scopes: list[list[_Key]] = [[]]
        """What was made in each, innermost last."""

    @contextmanager
    def scope(self, block: Block) -> Generator[None]:
        """Builds into `block`, a region's, whose values end with it."""
        outer = self.block
        self.block = block
        self._scopes.append([])
        yield
        for key in self._scopes.pop():
            del self._made[key]
        self.block = outer

    @contextmanager
    def program(self, block: Block) -> Generator[None]:
        """Builds into the block of a program of its own, which shares no constants and no values with the one around
        it."""
        kept = self._entry, self._constants, self._indices, self._made, self._scopes
        self._entry, self._constants, self._indices, self._made, self._scopes = block, {}, {}, {}, [[]]
        with self.scope(block):
            yield
        self._entry, self._constants, self._indices, self._made, self._scopes = kept

    # -- operations ---------------------------------------------------------------------------------------------

    def op(
        self,
        cls: type[OpT],
        *operands: Value | Sequence[Value],
        types: Sequence[Type] | None = None,
        **attributes: Any,
    ) -> OpT:
        if not cls.pure:
            return super().op(cls, *operands, types=types, **attributes)
        named: tuple[tuple[str, Any], ...] = ()
        if attributes:
            if None in attributes.values():
                attributes = {k: v for k, v in attributes.items() if v is not None}
            named = tuple(sorted(attributes.items()) if len(attributes) > 1 else attributes.items())
        given: tuple[Any, ...] = operands
        for operand in operands:
            if not isinstance(operand, Value):
                given = tuple([o if isinstance(o, Value) else tuple(o) for o in operands])
                break
        if cls.commutative and id(given[0]) > id(given[1]):
            given = given[::-1]
        key = cls, self._kind(types, named), *given
        made: OpT | None = self._made.get(key)
        if made is None:
            made = self._made[key] = self._append_new(cls, operands, types, (), attributes)
            self._scopes[-1].append(key)
        elif isinstance(self.location, Location) and made.location is not None:
            made.location = made.location.joined(self.location)
        return made

    def each(
        self,
        cls: type[OpT],
        rows: Iterable[Sequence[Value]],
        types: Sequence[Type],
        attributes: Mapping[str, Attribute],
    ) -> list[OpT]:
        """The same operation on each of several rows of single operands."""
        if not cls.pure or cls.segmented:
            return [self.op(cls, *row, types=types, **attributes) for row in rows]
        kind = self._kind(types, tuple(sorted(attributes.items())))
        found: list[OpT] = []
        for row in rows:
            swapped = cls.commutative and id(row[0]) > id(row[1])
            key = cls, kind, *(reversed(row) if swapped else row)
            made: OpT | None = self._made.get(key)
            if made is None:
                made = self._made[key] = self.append(cls(row, types, attributes, (), self.location))
                self._scopes[-1].append(key)
            found.append(made)
        return found

    def _kind(self, types: Sequence[Type] | None, named: tuple[tuple[str, Any], ...]) -> int:
        """The number of what tells operations of one class and the same operands apart."""
        if types is None and not named:
            return -1
        return self._kinds.setdefault((None if types is None else tuple(types), named), len(self._kinds))

    def once(self, key: _Key, make: Callable[[], Value]) -> Value:
        """What `make` gives, which `key` decides: asked for again where it is known, it is not made again."""
        made: Value | None = self._made.get(key)
        if made is None:
            made = self._made[key] = make()
            self._scopes[-1].append(key)
        return made

    def constant(self, value: int | float | bool, type: Type = INDEX) -> Value:
        """A scalar constant, or a splat for a vector type."""
        if type is not INDEX:
            return self.constant_of(scalar_attr(value, type))
        number = int(value)
        known = self._indices.get(number)
        if known is None:
            known = self._indices[number] = self.constant_of(IntegerAttr(number, INDEX))
        return known

    def constant_of(self, attribute: Attribute) -> Value:
        """A constant stands at the top, for all who use it; its place is that of the first who does."""
        assert isinstance(attribute, (IntegerAttr, FloatAttr, DenseElementsAttr))
        known = self._constants.get(attribute)
        if known is None:
            place = self.location.location if isinstance(self.location, Operation) else self.location
            op = arith.ConstantOp((), [attribute.type], {"value": attribute}, location=place)
            self._entry.insert(len(self._constants), op)
            known = self._constants[attribute] = op.results[0]
        return known

    # -- index arithmetic ---------------------------------------------------------------------------------------

    def bound(self, value: Value, limit: int) -> Value:
        """States that 0 <= value < limit."""
        if self._ranges is not None:
            self._ranges.state(value, below(limit))
        return value

    def limit(self, value: Value) -> int | None:
        """An exclusive upper bound of a value known not to be negative."""
        number = constant_int(value)
        if number is not None:
            return number + 1 if number >= 0 else None
        return None if self._ranges is None else self._ranges.range(value).limit

    def add(self, a: Value, b: Value | int) -> Value:
        a, b, found = self._folded("add", a, b)
        if found is not None:
            return found
        y = constant_int(b)
        if y is not None and (inner := _added_constant(a)) is not None:
            return self.add(inner[0], inner[1] + y)
        # Constants move outwards, so that addresses differ by constants only.
        for one, other in ((a, b), (b, a)):
            if y is None and (inner := _added_constant(one)) is not None:
                return self.add(self.add(inner[0], other), inner[1])
        return self.value(arith.AddIOp, a, b)

    def mul(self, a: Value, b: Value | int) -> Value:
        a, b, found = self._folded("mul", a, b)
        return self.value(arith.MulIOp, a, b) if found is None else found

    def sub(self, a: Value, b: Value | int) -> Value:
        a, b = self._operands(a, b)
        y = constant_int(b)
        if y is not None:
            return self.add(a, -y)
        return self.constant(0, a.type) if a is b else self.value(arith.SubIOp, a, b)

    def div(self, a: Value, b: int) -> Value:
        """Quotient of a value that is not negative."""
        x, limit = constant_int(a), self.limit(a)
        if x is not None:
            return self.constant(x // b, a.type)
        if NEUTRAL["udiv"] == b:
            return a
        if limit is not None and limit <= b:
            return self.constant(0, a.type)
        return self.value(arith.DivUIOp, a, self.constant(b, a.type))

    def rem(self, a: Value, b: int) -> Value:
        """Remainder of a value that is not negative."""
        x, limit = constant_int(a), self.limit(a)
        if x is not None:
            return self.constant(x % b, a.type)
        if limit is not None and limit <= b:
            return a
        if b == 1:
            return self.constant(0, a.type)
        return self.value(arith.RemUIOp, a, self.constant(b, a.type))

    def compare(self, predicate: str, a: Value, b: Value | int) -> Value:
        a, b = self._operands(a, b)
        x, y = constant_int(a), constant_int(b)
        if x is not None and y is not None:
            return self.constant(compared(predicate, x, y, bit_width(a.type)), I1)
        limit = self.limit(a)
        if predicate in ("ult", "slt") and y is not None and limit is not None and limit <= y:
            return self.constant(True, I1)
        return self.value(arith.CmpIOp, a, b, predicate=IntegerPredicateAttr(predicate))

    def conjunction(self, conditions: Sequence[Value]) -> Value:
        """All of them; the constant true for none."""
        total: Value | None = None
        for condition in dict.fromkeys(conditions):
            known = constant_int(condition)
            if known == 0:
                return condition
            if known is None:
                total = condition if total is None else self.value(arith.AndIOp, total, condition)
        return self.constant(True, I1) if total is None else total

    def _operands(self, a: Value, b: Value | int) -> tuple[Value, Value]:
        return a, b if isinstance(b, Value) else self.constant(_wrapped(b, a.type), a.type)

    def _folded(self, opcode: str, a: Value, b: Value | int) -> tuple[Value, Value, Value | None]:
        """The operands, a constant as the second where that is the same, and the result where it is one of them or a
        constant."""
        a, b = self._operands(a, b)
        if opcode in COMMUTATIVE and constant_int(a) is not None:
            a, b = b, a
        y = constant_int(b)
        if y is None:
            return a, b, None
        x = constant_int(a)
        number = ABSORBING.get(opcode) if x is None else folded(opcode, x, y, bit_width(a.type))
        if x is None and NEUTRAL.get(opcode) == y:
            return a, b, a
        if number is None or (x is None and number != y):
            return a, b, None
        return a, b, self.constant(number, a.type)

    # -- packs --------------------------------------------------------------------------------------------------

    def pack(self, scalars: Sequence[Value], shape: tuple[int, ...] | None = None) -> Value:
        """The vector of the scalars, row-major; the vector itself when they are all its elements in order. Of shape ()
        it is the only scalar."""
        if shape == ():
            (scalar,) = scalars
            return scalar
        type = VectorType((len(scalars),) if shape is None else shape, scalars[0].type)
        whole = scalars[0].operation
        if isinstance(whole, vector.ToElementsOp) and whole.source.type == type and whole.results == list(scalars):
            return whole.source
        constants = [c for s in scalars if isinstance(c := constant_attribute(s), (IntegerAttr, FloatAttr))]
        if len(constants) == len(scalars):
            values = tuple(c.value for c in constants)
            return self.constant_of(DenseElementsAttr(values[:1] if len(set(constants)) == 1 else values, type))
        if all(s is scalars[0] for s in scalars):
            return self.value(vector.BroadcastOp, scalars[0], types=[type])
        return self.value(vector.FromElementsOp, list(scalars), types=[type])

    def unpack(self, pack: Value) -> list[Value]:
        """The scalars of a vector (or of one scalar), row-major; those it was made of when it was packed here."""
        if not isinstance(pack.type, VectorType):
            return [pack]
        maker = pack.operation
        if isinstance(maker, vector.FromElementsOp):
            return list(maker.operands)
        if isinstance(maker, vector.BroadcastOp) and not isinstance(maker.source.type, VectorType):
            return [maker.source] * pack.type.elements
        if isinstance(maker, arith.ConstantOp):
            return [self.constant(v.item(), pack.type.element) for v in maker.array().reshape(-1)]
        return self.op(vector.ToElementsOp, pack, types=[pack.type.element] * pack.type.elements).results


def _wrapped(number: int, type: Type) -> int:
    """The value of `type` with the low bits of `number`, as its arithmetic gives it."""
    if type is INDEX and -(1 << 63) <= number < 1 << 63:
        return number
    return wrapped(number, bit_width(type))


def _added_constant(value: Value) -> tuple[Value, int] | None:
    op = value.owner
    if isinstance(op, arith.AddIOp) and (number := constant_int(op.rhs)) is not None:
        return op.lhs, number
    return None


Scalars = np.ndarray[Any, np.dtype[np.object_]]
"""An array of SSA scalars."""
