"""Blocks that branch to one another become one block of loops and branches with regions.

Two steps, each leaving fewer blocks, after "Beyond Relooper" and MLIR's own lifting, without a copy of any operation:

- A cycle with one entry becomes a block that holds an `scf.while`. Every way out of it or back to its entry goes to one
  last block, which says whether to go on, by which way the loop ended, and what is passed there.
- Of the first block that branches, what only one of its ways reaches becomes a region of an `scf.if` or an
  `scf.index_switch`. Where the ways meet in one block again, the results are that block's arguments; where in several,
  a number among the results says in which, and a switch goes on from there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..ir.attributes import DenseArrayAttr, IntegerAttr
from ..ir.core import Block, Builder, Operation, Region, Value
from ..ir.define import scalar_like
from ..ir.dialects import arith, scf
from ..ir.dialects.cf import BranchOp, BrOp, CondBrOp, SwitchOp, Target
from ..ir.dialects.ub import PoisonOp
from ..ir.dominance import dominators, predecessors, reachable, successors
from ..ir.types import I1, I32, I64, INDEX, Type
from ..support.deep_recursion import deep
from .cycles import cycles
from .legalisations import refuse


@deep
def structure(region: Region, owner: Operation) -> None:
    """Raises CompileError where the blocks of `owner`'s region have no loops and branches with regions."""
    _drop_unreachable(region)
    _one_end(region, owner)
    while found := next(iter(cycles(region.blocks)), None):
        _loop(region, found, owner)
    _straighten(region)


def _drop_unreachable(region: Region) -> None:
    alive = reachable(region.blocks[0])
    for block in region.blocks:
        if block not in alive:
            for op in reversed(list(block.operations)):
                block.remove(op)
    region.blocks[:] = alive


def _one_end(region: Region, owner: Operation) -> None:
    """Lets all blocks that end the region go on to a new one that does."""
    ends = [end for b in region.blocks if (end := b.terminator) is not None and not end.successors]
    if not ends:
        raise refuse(owner, "has blocks that go round for ever: no way leads out of them")
    if len(ends) == 1:
        return
    last = Block([v.type for v in ends[0].operands])
    for end in ends:
        _replace(end, BrOp(end.operands, location=end, successors=[last]))
    last.append(type(ends[0])(last.arguments, location=ends[0]))
    _add(region, last)


def _add(region: Region, block: Block) -> None:
    block.parent = region
    region.blocks.append(block)


def _replace(old: Operation, new: Operation) -> None:
    block = old.parent
    assert block is not None
    block.erase(old)
    block.append(new)


def _branch_of(block: Block) -> BranchOp:
    last = block.terminator
    assert isinstance(last, BranchOp)
    return last


# -- ways -------------------------------------------------------------------------------------------------------------


class _Meeting:
    """Where ways come together: a block that takes which of `targets` was meant (where there are several) and the
    arguments of all of them, after those of `first`."""

    def __init__(self, targets: Sequence[Block], owner: Operation, first: Sequence[Type] = ()) -> None:
        self.targets, self.owner = targets, owner
        self.types = [*first, *([I32] if len(targets) > 1 else []), *(a.type for t in targets for a in t.arguments)]
        self.block = Block(self.types)
        self.ways: list[Block] = []
        """Blocks that go here and are to stand in its region."""

    def way(self, target: Block | None, values: Sequence[Value], first: Sequence[Value] = ()) -> Block:
        """A new block that goes here for `target`; None is none of them."""
        way = Block()
        build = Builder(way, self.owner)
        passed = list(first)
        if len(self.targets) > 1:
            which = 0 if target is None else self.targets.index(target)
            passed.append(build.value(arith.ConstantOp, types=[I32], value=IntegerAttr(which, I32)))
        for other in self.targets:
            passed += values if other is target else [nothing(build, a.type, self.owner) for a in other.arguments]
        way.append(BrOp(passed, location=self.owner, successors=[self.block]))
        return way

    def go_on(self, block: Block, results: Sequence[Value]) -> None:
        """Ends `block` with what goes on to the target that was meant; `results` are the block's, without `first`."""
        several = len(self.targets) > 1
        rest, ways = list(results[several:]), list[Target]()
        for target in self.targets:
            ways.append((target, rest[: len(target.arguments)]))
            del rest[: len(target.arguments)]
        if several:
            cases = range(1, len(self.targets))
            block.append(SwitchOp.made(results[0], cases, ways, self.owner))
        else:
            block.append(BrOp(ways[0][1], location=self.owner, successors=[ways[0][0]]))


def nothing(build: Builder, type: Type, owner: Operation) -> Value:
    """A value that nobody looks at."""
    if not scalar_like.holds(type):
        message = f"passes a value of type {type} from a block to another that not every way there has"
        raise refuse(owner, message, "write the loop or the branch with regions (scf)")
    return build.value(PoisonOp, types=[type])


# -- loops ------------------------------------------------------------------------------------------------------------


def _loop(region: Region, cycle: Sequence[Block], owner: Operation) -> None:
    inside = set(cycle)
    before = predecessors(region.blocks)
    entries = [b for b in cycle if any(p not in inside for p in before[b])]
    if len(entries) != 1:
        raise refuse(
            owner,
            f"has a cycle of blocks that is entered at {len(entries)} of them: the graph of its blocks is irreducible",
            "let every loop have one first block",
        )
    (head,) = entries
    exits = list(dict.fromkeys(s for b in cycle for s in successors(b) if s not in inside))
    if not exits:
        raise refuse(owner, "has blocks that go round for ever: no way leads out of them")
    lasting = _used_outside(cycle, inside)
    types = [a.type for a in head.arguments]
    meeting = _Meeting(exits, owner, [I1, *types, *(v.type for v in lasting)])
    _close_ways(cycle, inside, head, lasting, meeting, dominators(region.blocks[0]))
    loop_block = _loop_block(region, head, types)
    _write_loop(region, cycle, head, lasting, meeting, loop_block)


def _used_outside(cycle: Iterable[Block], inside: set[Block]) -> list[Value]:
    """What the cycle defines and other blocks use."""
    values = [v for b in cycle for v in (*b.arguments, *(r for op in b.operations for r in op.results))]
    return [v for v in values if any(_home(user, inside) is None for user in v.users)]


def _home(op: Operation, blocks: set[Block]) -> Block | None:
    """The one of `blocks` that the operation is in."""
    block = op.parent
    while block is not None and block not in blocks:
        around = block.parent.parent if block.parent is not None else None
        block = None if around is None else around.parent
    return block


def _close_ways(
    cycle: Sequence[Block],
    inside: set[Block],
    head: Block,
    lasting: Sequence[Value],
    meeting: _Meeting,
    above: Mapping[Block, frozenset[Block]],
) -> None:
    """Lets every way out of the cycle, and back to its head, go to the meeting; in blocks of their own."""
    for block in cycle:
        last, targets = _branch_of(block), list[Target]()
        for target, values in last.passed():
            if target in inside and target is not head:
                targets.append((target, values))
                continue
            way = Block()
            build = Builder(way, last)
            goes_on = target is head
            first = [build.value(arith.ConstantOp, types=[I1], value=IntegerAttr(int(goes_on), I1))]
            first += values if goes_on else head.arguments
            for value in lasting:
                known = not goes_on and _block_of(value) in above[block]
                first.append(value if known else nothing(build, value.type, meeting.owner))
            rest = meeting.way(None if goes_on else target, values, first)
            for op in list(rest.operations):
                way.append(rest.remove(op))
            targets.append((way, ()))
            meeting.ways.append(way)
        _replace(last, last.going_to(targets))


def _block_of(value: Value) -> Block:
    block = value.block
    assert block is not None
    return block


def _loop_block(region: Region, head: Block, types: Sequence[Type]) -> Block:
    """A new block to which all ways go that went to the head."""
    made = Block(types)
    for block in region.blocks:
        last = block.terminator
        if isinstance(last, BranchOp) and head in last.successors:
            _replace(last, last.going_to([(made if t is head else t, values) for t, values in last.passed()]))
    return made


def _write_loop(
    region: Region,
    cycle: Sequence[Block],
    head: Block,
    lasting: Sequence[Value],
    meeting: _Meeting,
    made: Block,
) -> None:
    end = meeting.block
    handed = end.arguments[1:]
    end.append(scf.ConditionOp([end.arguments[0], *handed], location=meeting.owner))
    types = [a.type for a in handed]
    after = Block(types)
    after.append(scf.YieldOp(after.arguments[: len(head.arguments)], location=meeting.owner))
    inner = [head, *(b for b in cycle if b is not head), *meeting.ways, end]
    position = region.blocks.index(head)
    region.blocks[:] = [
        made if i == position else b for i, b in enumerate(region.blocks) if b is head or b not in cycle
    ]
    made.parent = region
    regions = [Region(inner), Region([after])]
    loop = scf.WhileOp(made.arguments, types, None, regions, meeting.owner)
    made.append(loop)
    results = loop.results[len(head.arguments) :]
    inside = set(inner)
    for value, result in zip(lasting, results, strict=False):
        for user, number in list(value.uses):
            if _home(user, inside) is None:
                user.set_operand(number, result)
    meeting.go_on(made, results[len(lasting) :])
    structure(regions[0], meeting.owner)


# -- branches ---------------------------------------------------------------------------------------------------------


@deep
def _straighten(region: Region) -> None:
    """Makes one block of blocks without a cycle."""
    first = region.blocks[0]
    while len(region.blocks) > 1:
        last = _branch_of(first)
        if isinstance(last, BrOp):
            _splice(region, first, last)
        else:
            _branch(region, first, last)


def _splice(region: Region, first: Block, last: BrOp) -> None:
    """Appends the only block that the first goes on to."""
    ((target, values),) = last.passed()
    first.erase(last)
    for argument, value in zip(target.arguments, values, strict=True):
        argument.replace_uses(value)
    for op in list(target.operations):
        first.append(target.remove(op))
    region.blocks.remove(target)


def _branch(region: Region, first: Block, last: BranchOp) -> None:
    before, above = predecessors(region.blocks), dominators(first)
    arms = [
        [b for b in region.blocks if target in above[b]] if len(before[target]) == 1 else []
        for target, _ in last.passed()
    ]
    inside = {b for arm in arms for b in arm}
    leaving = [t for b in (first, *inside) for t in successors(b) if t not in inside]
    targets = [b for b in region.blocks if b in leaving]
    meeting_types = _Meeting(targets, last)
    regions = [_arm(arm, inside, way, _Meeting(targets, last)) for arm, way in zip(arms, last.passed(), strict=True)]
    results = _choice(first, last, meeting_types.types, regions)
    region.blocks[:] = [b for b in region.blocks if b not in inside]
    meeting_types.go_on(first, results)
    for each in regions:
        _straighten(each)


def _arm(arm: Sequence[Block], inside: set[Block], way: Target, meeting: _Meeting) -> Region:
    """What is done on one way, up to where it meets the others."""
    target, values = way
    meeting.block.append(scf.YieldOp(meeting.block.arguments, location=meeting.owner))
    if not arm:
        return Region([meeting.way(target, values), meeting.block])
    for argument, value in zip(target.arguments, values, strict=True):
        argument.replace_uses(value)
    target.arguments.clear()
    ways = list[Block]()
    for block in arm:
        last = _branch_of(block)
        targets = list[Target]()
        for following, passed in last.passed():
            if following not in inside:
                ways.append(meeting.way(following, passed))
                following, passed = ways[-1], ()
            targets.append((following, passed))
        _replace(last, last.going_to(targets))
    return Region([target, *(b for b in arm if b is not target), *ways, meeting.block])


def _choice(first: Block, last: BranchOp, types: Sequence[Type], regions: Sequence[Region]) -> Sequence[Value]:
    """Puts the operation that chooses a region where the branch stood."""
    place = first.position(last)
    first.remove(last)
    assert place == len(first.operations)
    build = Builder(first, last)
    if isinstance(last, CondBrOp):
        return build.op(scf.IfOp, last.condition, types=types, regions=regions).results
    assert isinstance(last, SwitchOp)
    cast = arith.IndexCastUIOp if last.flag.type == I1 else arith.IndexCastOp
    number = build.value(cast, last.flag, types=[INDEX])
    return build.op(
        scf.IndexSwitchOp, number, types=types, regions=regions, cases=DenseArrayAttr(I64, last.cases)
    ).results
