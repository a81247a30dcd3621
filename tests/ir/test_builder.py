"""The folding builder: what it builds computes what Python computes, and what it need not build it does not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lanewise.analysis.integers import Integers
from lanewise.ir.builder import FoldingBuilder, constant_int
from lanewise.ir.core import REGISTRY, Block, Operation, Value
from lanewise.ir.dialects import arith, gpu, scf, vector
from lanewise.ir.dialects.elementwise import MaybeUndefined
from lanewise.ir.printer import print_operation
from lanewise.ir.types import F32, I1, I32, INDEX, FloatType, VectorType

WRAP = 1 << 64


def run(block: Block, arguments: dict[Value, int]) -> dict[Value, Any]:
    """Executes straight-line arithmetic through the operations' own reference."""
    values: dict[Value, Any] = {k: np.asarray(v, np.int64) for k, v in arguments.items()}
    for op in block.operations:
        results = op.reference(*(values[v] for v in op.operands))
        results = results if isinstance(results, tuple) else (results,)
        values.update(zip(op.results, results, strict=True))
    return values


def signed(number: int) -> int:
    return (number + WRAP // 2) % WRAP - WRAP // 2


LIMITS = (8, 64, 1000)
"""Of the arguments, which are known not to be negative."""
PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")


class Program:
    """Values of the program beside Python's numbers, for one choice of arguments."""

    def __init__(self, arguments: tuple[int, ...]) -> None:
        self.block = Block([INDEX] * len(arguments))
        self.build = FoldingBuilder(self.block, Integers())
        self.arguments = dict(zip(self.block.arguments, arguments, strict=True))
        for value, limit in zip(self.block.arguments, LIMITS, strict=True):
            self.build.bound(value, limit)
        self.numbers = list(self.arguments.items())
        self.conditions: list[tuple[Value, bool]] = []

    def step(self, kind: str, first: int, second: int, constant: int, predicate: str) -> None:
        """One operation on values made before; its right operand is a value or a constant."""
        a, x = self.numbers[first % len(self.numbers)]
        b, y = self.numbers[second % len(self.numbers)]
        if constant % 3:
            b, y = self.build.constant(constant), constant
        if kind == "compare":
            self.conditions.append((self.build.compare(predicate, a, b), compare(predicate, x, y)))
        elif kind in ("div", "rem"):
            if self.build.limit(a) is not None:
                divisor = abs(constant) + 1
                made = self.build.div(a, divisor) if kind == "div" else self.build.rem(a, divisor)
                self.numbers.append((made, x // divisor if kind == "div" else x % divisor))
        else:
            made = {"add": self.build.add, "sub": self.build.sub, "mul": self.build.mul}[kind](a, b)
            self.numbers.append((made, signed({"add": x + y, "sub": x - y, "mul": x * y}[kind])))


def compare(predicate: str, x: int, y: int) -> bool:
    if predicate.startswith("u"):
        x, y = x % WRAP, y % WRAP
    order = {"eq": x == y, "ne": x != y, "lt": x < y, "le": x <= y, "gt": x > y, "ge": x >= y}
    return order[predicate if predicate in order else predicate[1:]]


steps = st.lists(
    st.tuples(
        st.sampled_from(["add", "add", "sub", "mul", "mul", "div", "rem", "compare"]),
        st.integers(0, 30),
        st.integers(0, 30),
        st.integers(-40, 40),
        st.sampled_from(PREDICATES),
    ),
    max_size=25,
)


@given(steps, st.tuples(*(st.integers(0, limit - 1) for limit in LIMITS)))
def test_index_arithmetic_is_pythons(moves: list[tuple[str, int, int, int, str]], arguments: tuple[int, ...]) -> None:
    program = Program(arguments)
    for move in moves:
        program.step(*move)
    found = run(program.block, program.arguments)
    for value, number in program.numbers:
        assert int(found[value]) == number
        limit = program.build.limit(value)
        assert limit is None or 0 <= number < limit, "a bound that was stated holds"
    for value, truth in program.conditions:
        assert bool(found[value]) == truth


@given(steps)
def test_nothing_is_built_twice(moves: list[tuple[str, int, int, int, str]]) -> None:
    program = Program((1, 2, 3))
    for move in moves:
        program.step(*move)
    made = [
        (type(op), tuple(op.operands), tuple(sorted(op.attributes.items(), key=str))) for op in program.block.operations
    ]
    assert len(made) == len(set(made))
    assert not any(
        constant_int(v) == 0 for op in program.block.operations if isinstance(op, arith.AddIOp) for v in op.operands
    )


def test_identities() -> None:
    block = Block([INDEX, I32])
    build = FoldingBuilder(block, Integers())
    a, narrow = block.arguments
    build.bound(a, 8)
    assert build.add(a, 0) is a
    assert build.add(build.constant(0), a) is a
    assert build.mul(a, 1) is a
    assert constant_int(build.mul(a, 0)) == 0
    assert constant_int(build.sub(a, a)) == 0
    assert build.div(a, 1) is a
    assert constant_int(build.div(a, 8)) == 0
    assert build.rem(a, 8) is a
    assert constant_int(build.rem(a, 1)) == 0
    assert constant_int(build.compare("slt", a, 8)) == 1
    assert constant_int(build.compare("ult", a, 7)) is None
    assert build.add(build.add(a, 3), -3) is a
    assert build.sub(build.add(a, 3), 3) is a
    assert build.add(build.add(a, 3), build.add(a, 4)) is build.add(build.add(a, a), 7)
    assert constant_int(build.add(narrow, 5)) is None
    assert build.add(narrow, 5).type == I32


@pytest.mark.parametrize("type", [I32, I1])
def test_narrow_constants_wrap(type: Any) -> None:
    """A folded constant is a value of its type, as the operation's result would be."""
    build = FoldingBuilder(Block(), Integers())
    top = build.constant(1 if type == I1 else (1 << 31) - 1, type)
    for made in (build.add(top, top), build.mul(top, top), build.add(top, 1)):
        number = constant_int(made)
        assert number is not None
        assert number in (0, 1) if type == I1 else -(1 << 31) <= number < 1 << 31
    assert constant_int(build.add(top, top)) == (0 if type == I1 else -2)


def test_bounds_end_where_arithmetic_wraps() -> None:
    block = Block([INDEX])
    build = FoldingBuilder(block, Integers())
    value = build.bound(block.arguments[0], 1 << 20)
    square = build.mul(value, value)
    assert build.limit(square) == ((1 << 20) - 1) ** 2 + 1
    assert build.limit(build.mul(square, square)) is None
    assert build.limit(build.mul(square, value)) is not None


def test_unsigned_comparisons_of_narrow_constants() -> None:
    build = FoldingBuilder(Block(), Integers())
    minus, one = build.constant(-1, I32), build.constant(1, I32)
    assert constant_int(build.compare("ugt", minus, one)) == 1
    assert constant_int(build.compare("sgt", minus, one)) == 0
    true, false = build.constant(True, I1), build.constant(False, I1)
    assert constant_int(build.compare("slt", true, false)) == 1, "a signed i1 is 0 or -1"
    assert constant_int(build.compare("ugt", true, false)) == 1


def test_conjunctions() -> None:
    block = Block([I1, I1])
    build = FoldingBuilder(block, Integers())
    p, q = block.arguments
    true, false = build.constant(True, I1), build.constant(False, I1)
    assert constant_int(build.conjunction([])) == 1
    assert build.conjunction([p, true, p]) is p
    assert build.conjunction([p, false, q]) is false
    both = build.conjunction([p, q])
    assert isinstance(both.operation, arith.AndIOp)
    assert both.operation.operands == (p, q)


def test_values_end_with_their_region() -> None:
    block = Block([INDEX, I1])
    build = FoldingBuilder(block, Integers())
    a, p = block.arguments
    before = build.add(a, a)
    inner = Block()
    with build.scope(inner):
        assert build.add(a, a) is before
        inside = build.mul(a, a)
        constant = build.constant(5)
    build.op(scf.IfOp, p, types=[], regions=[])
    after = build.mul(a, a)
    assert inside.operation in inner.operations
    assert after is not inside
    assert constant.operation is block.operations[0], "constants stand at the top of the function"


def test_effects_are_not_merged() -> None:
    build = FoldingBuilder(Block(), Integers())
    first, second = build.op(gpu.BarrierOp), build.op(gpu.BarrierOp)
    assert first is not second


# -- packs ------------------------------------------------------------------------------------------------------------


@given(st.lists(st.integers(0, 3), min_size=1, max_size=8))
def test_unpacking_what_was_packed(choice: list[int]) -> None:
    """The same scalars come back, without an operation for taking them out."""
    block = Block([F32] * 3)
    build = FoldingBuilder(block, Integers())
    scalars = [*block.arguments, build.constant(1.0, F32)]
    picked = [scalars[i] for i in choice]
    assert build.unpack(build.pack(picked)) == picked
    assert not any(isinstance(op, vector.ToElementsOp) for op in block.operations)


@pytest.mark.parametrize("shape", [(6,), (2, 3), (1, 6), (6, 1)])
def test_packing_what_was_unpacked(shape: tuple[int, ...]) -> None:
    block = Block([VectorType(shape, F32)])
    build = FoldingBuilder(block, Integers())
    (whole,) = block.arguments
    parts = build.unpack(whole)
    assert len(parts) == 6
    assert build.pack(parts, shape) is whole
    assert build.unpack(whole) == parts
    assert build.pack(parts[::-1], shape) is not whole
    assert build.pack(parts[:3]) is not whole


def test_packs_of_constants_are_constants() -> None:
    build = FoldingBuilder(Block(), Integers())
    zero, minus_zero = build.constant(0.0, F32), build.constant(-0.0, F32)
    assert zero is not minus_zero
    mixed = build.pack([zero, minus_zero])
    assert isinstance(mixed.operation, arith.ConstantOp)
    assert np.signbit(mixed.operation.array()).tolist() == [False, True]
    assert build.unpack(mixed) == [zero, minus_zero]
    splat = build.pack([minus_zero] * 4)
    assert print_operation(splat.operation).endswith("dense<-0.0> : vector<4xf32>")
    assert build.unpack(splat) == [minus_zero] * 4


_TYPES = {
    I32: np.array([-7, -1, 0, 1, 5, 1 << 30], np.int32),
    F32: np.array([-1.5, -0.0, 0.0, 3, np.inf, np.nan], np.float32),
}


def _of_two() -> list[type[Operation]]:
    """The classes that compute something of two operands of one type, and of nothing else."""
    pairs = [c for c in REGISTRY.values() if c.pure and c.operand_limits == (2, 2) and not c.region_fields]
    typed = [c for c in pairs if {g.name for g in c.operand_groups} <= set(c.same_type)]
    return [c for c in typed if c.elementwise and all(slot.optional or slot.default for slot in c.attribute_slots)]


@pytest.mark.parametrize("cls", _of_two(), ids=lambda cls: cls.opname)
def test_operands_change_places_where_the_class_says_so(cls: type[Operation]) -> None:
    type = next(t for t in _TYPES if cls.operand_groups[0].constraint.holds(t))
    a, b = (part.ravel() for part in np.meshgrid(_TYPES[type], _TYPES[type]))
    block = Block([type, type])
    build = FoldingBuilder(block, Integers())
    x, y = block.arguments
    one, other = build.op(cls, x, y), build.op(cls, y, x)
    with np.errstate(all="ignore"):
        results, swapped = one.reference(a, b), one.reference(b, a)
    defined = np.ones(a.shape, np.bool_)
    if isinstance(one, MaybeUndefined):
        defined &= ~(one.undefined(a, b) | one.undefined(b, a))
    kind = np.float32 if isinstance(type, FloatType) else None
    same = all(_same_bits(p[defined], q[defined], kind) for p, q in zip(_tuple(results), _tuple(swapped), strict=True))
    assert cls.commutative == same == (one is other)


def _tuple(results: Any) -> tuple[Any, ...]:
    return results if isinstance(results, tuple) else (results,)


def _same_bits(p: Any, q: Any, kind: Any) -> bool:
    """One NaN is as good as another, zeros differ by their sign."""
    if kind is None:
        return np.array_equal(p, q)
    return np.array_equal(p, q, equal_nan=True) and np.array_equal(np.signbit(p), np.signbit(q))
