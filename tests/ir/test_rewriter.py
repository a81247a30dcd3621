"""Values know their uses whatever is done to a program, and the rewriter's work list brings what may have changed."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lanewise.ir.cloning import clone
from lanewise.ir.core import Block, Operation, Region, Value
from lanewise.ir.dialects import arith, scf
from lanewise.ir.parser import parse_program
from lanewise.ir.rewriter import Rewriter
from lanewise.ir.types import F32
from lanewise.ir.verify import verify

PROGRAM = """
func.func @f(%x: f32, %n: index, %c: i1) -> f32 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %a = arith.addf %x, %x : f32
  %dead = arith.mulf %a, %x : f32
  %deader = arith.mulf %dead, %a : f32
  %sum = scf.for %i = %zero to %n step %one iter_args(%s = %a) -> (f32) {
    %b = arith.addf %s, %a : f32
    %unused = arith.negf %b : f32
    scf.yield %b : f32
  }
  %e = scf.if %c -> (f32) {
    scf.yield %sum : f32
  } else {
    scf.yield %x : f32
  }
  return %e : f32
}
"""


def values_of(root: Operation) -> list[Value]:
    values = [v for op in root.walk() for v in op.results]
    return values + [v for op in root.walk() for r in op.regions for b in r.blocks for v in b.arguments]


def check_uses(root: Operation) -> None:
    """What values say of their uses against a search of the whole program."""
    found = Counter((v, op, i) for op in root.walk() for i, v in enumerate(op.operands))
    stated = Counter((v, op, i) for v in values_of(root) for op, i in v.uses)
    assert found == stated
    assert all(Counter(v.users) == dict.fromkeys({op for op, _ in v.uses}, 1) for v in values_of(root))


def named(root: Operation) -> dict[str, Value]:
    return {v.hint: v for v in values_of(root)}


def test_a_parsed_program_knows_its_uses() -> None:
    module = parse_program(PROGRAM)
    check_uses(module)
    names = named(module)
    uses = [("arith.mulf", 0), ("arith.mulf", 1), ("arith.addf", 1), ("scf.for", 3)]  # a loop stands when it is read
    assert [(op.opname, i) for op, i in names["a"].uses] == uses
    assert len(names["x"].users) == 3  # %a takes it twice
    assert not names["deader"].users


def test_a_clone_has_uses_of_its_own() -> None:
    module = parse_program(PROGRAM)
    before = {v: list(v.uses) for v in values_of(module)}
    copy = clone(module, {})
    check_uses(copy)
    assert {v: list(v.uses) for v in values_of(module)} == before


def test_an_operation_that_stands_nowhere_uses_nothing() -> None:
    block = Block([F32])
    op = arith.NegFOp(block.arguments, [F32])
    assert not block.arguments[0].users
    block.append(op)
    assert list(block.arguments[0].uses) == [(op, 0)]
    block.remove(op)
    assert not block.arguments[0].users
    op.set_operand(0, block.arguments[0])
    assert not block.arguments[0].users


def test_an_operation_stands_in_one_place() -> None:
    block = Block([F32])
    op = block.append(arith.NegFOp(block.arguments, [F32]))
    with pytest.raises(AssertionError, match="stands in a block already"):
        Block().append(op)


def test_used_results_are_not_erased() -> None:
    module = parse_program(PROGRAM)
    maker = named(module)["a"].operation
    assert maker is not None
    with pytest.raises(AssertionError, match="its results are used"):
        Rewriter(module).erase(maker)


def test_erasing_a_loop_ends_the_uses_in_it() -> None:
    module = parse_program(PROGRAM)
    names = named(module)
    rewriter = Rewriter(module)
    loop = names["sum"].operation
    assert isinstance(loop, scf.ForOp)
    rewriter.replace(loop, [names["a"]])
    check_uses(module)
    verify(module)
    assert not names["n"].users


def test_dead_operations_go_with_what_only_they_used() -> None:
    module = parse_program(PROGRAM)
    rewriter, erased = Rewriter(module), 0
    for op in rewriter:
        if op.pure and not any(result.users for result in op.results):
            rewriter.erase(op)
            erased += 1
    assert erased == 3
    check_uses(module)
    verify(module)
    assert not {"dead", "deader", "unused"} & set(named(module))


def test_the_work_list_brings_makers_users_and_new_operations() -> None:
    module = parse_program(PROGRAM)
    names = named(module)
    rewriter = Rewriter(module)
    assert len(list(rewriter)) == sum(1 for op in module.walk()) - 1
    assert list(rewriter) == []

    dead, deader = names["dead"].operation, names["deader"].operation
    assert dead is not None and deader is not None
    rewriter.erase(deader)
    assert list(rewriter) == [dead, names["a"].operation]

    rewriter.replace_uses(names["sum"], names["x"])
    assert [op.opname for op in rewriter] == ["scf.yield"]

    new = arith.NegFOp([names["x"]], [F32])
    rewriter.insert_before(dead, new)
    assert list(rewriter) == [new]
    assert dead.parent is not None
    assert dead.parent.position(dead) == dead.parent.position(new) + 1
    check_uses(module)


def test_an_erased_operation_does_not_come_again() -> None:
    module = parse_program(PROGRAM)
    rewriter = Rewriter(module)
    deader = named(module)["deader"].operation
    assert deader is not None
    rewriter.erase(deader)
    assert deader not in list(rewriter)


edits = st.lists(st.tuples(st.sampled_from(["append", "insert", "remove", "operand"]), st.integers(0), st.integers(0)))


@given(edits)
def test_uses_and_places_through_any_edits(changes: list[tuple[str, int, int]]) -> None:
    block = Block([F32, F32])
    holder = scf.IfOp(regions=[Region([block]), Region()])
    for kind, which, number in changes:
        values = [*block.arguments, *(op.result for op in block.operations)]
        value = values[number % len(values)]
        if kind == "append":
            block.append(arith.AddFOp([value, values[which % len(values)]], [F32]))
        elif kind == "insert":
            block.insert(which % (len(block.operations) + 1), arith.NegFOp([value], [F32]))
        elif kind == "operand" and block.operations:
            block.operations[which % len(block.operations)].set_operand(0, value)
        elif kind == "remove" and block.operations:
            op = block.operations[which % len(block.operations)]
            op.result.replace_uses(block.arguments[0])
            if not op.result.users:  # else it is its own operand
                block.erase(op)
        check_uses(holder)
        assert [block.position(op) for op in block.operations] == list(range(len(block.operations)))


def test_places_in_a_long_block() -> None:
    """Insertions and removals far apart, so that the remembered places are wrong by more than is looked through."""
    block = Block([F32])
    for _ in range(200):
        block.append(arith.NegFOp(block.arguments, [F32]))
    last = block.operations[-1]
    for _ in range(50):
        block.erase(block.operations[0])
    assert block.position(last) == 149
    for _ in range(100):
        block.insert(0, arith.NegFOp(block.arguments, [F32]))
    assert block.position(last) == 249
    assert [block.position(op) for op in block.operations] == list(range(250))
