"""scf: loops and branches carry scalars, one per register."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from ...ir.builder import constant_int
from ...ir.core import Block, Region, Value
from ...ir.dialects import scf
from ...ir.types import Type, VectorType, bit_width, memory_bits
from ..context import Distribution, distributes
from ..driver import distribute_block


@distributes(scf.ForOp)
def _for(d: Distribution, op: scf.ForOp) -> None:
    bounds = [d.scalar(v) for v in (op.lower_bound, op.upper_bound, op.step)]
    first, end = (constant_int(v) for v in bounds[:2])
    if first is not None and end is not None and op.reading(first) >= op.reading(end):
        _never(d, op)
        return
    inits = _carried(d, op.init_args)
    block = Block([op.lower_bound.type, *(v.type for v in inits)])
    types, regions = [v.type for v in inits], [Region([block])]
    loop = d.build.op(scf.ForOp, *bounds, inits, types=types, regions=regions, unsignedCmp=op.unsignedCmp)
    d.uniform.append(loop)
    counter, carried = block.arguments[0], block.arguments[1:]
    counter.hint = op.induction_variable.hint
    d.set_scalar(op.induction_variable, counter)
    _share_layouts(d, op.iter_args, op.results)
    with d.build.scope(block):
        _spread(d, op.iter_args, carried)
        distribute_block(d, op.body)
    _spread(d, op.results, loop.results)


def _never(d: Distribution, op: scf.ForOp) -> None:
    """A loop without iterations gives what it was given; its body would be left over as code that nothing reaches."""
    for result, init in zip(op.results, op.init_args, strict=True):
        d.set_registers(result, d.registers(init))


@distributes(scf.IfOp)
def _if(d: Distribution, op: scf.IfOp) -> None:
    condition = d.scalar(op.condition)
    types = [t for r in op.results for t in _carried_types(d, r)]
    blocks = [Block() for _ in op.regions]
    regions = [Region([block] if source.blocks else []) for block, source in zip(blocks, op.regions, strict=True)]
    branch = d.build.op(scf.IfOp, condition, types=types, regions=regions)
    d.uniform.append(branch)
    for block, source in zip(blocks, op.regions, strict=True):
        if source.blocks:
            with d.build.scope(block):
                distribute_block(d, source.block)
    _spread(d, op.results, branch.results)


@distributes(scf.IndexSwitchOp)
def _switch(d: Distribution, op: scf.IndexSwitchOp) -> None:
    types = [t for r in op.results for t in _carried_types(d, r)]
    blocks = [Block() for _ in op.regions]
    regions = [Region([block]) for block in blocks]
    switch = d.build.op(scf.IndexSwitchOp, d.scalar(op.arg), types=types, regions=regions, cases=op.attributes["cases"])
    d.uniform.append(switch)
    for block, source in zip(blocks, op.regions, strict=True):
        with d.build.scope(block):
            distribute_block(d, source.block)
    _spread(d, op.results, switch.results)


@distributes(scf.WhileOp)
def _while(d: Distribution, op: scf.WhileOp) -> None:
    inits = _carried(d, op.inits)
    types = [t for r in op.results for t in _carried_types(d, r)]
    before, after = Block([v.type for v in inits]), Block(types)
    loop = d.build.op(scf.WhileOp, inits, types=types, regions=[Region([before]), Region([after])])
    d.uniform.append(loop)
    _share_layouts(d, op.before.arguments, op.inits)
    _share_layouts(d, op.after.arguments, op.results)
    for block, source in ((before, op.before), (after, op.after)):
        with d.build.scope(block):
            _spread(d, source.arguments, block.arguments)
            distribute_block(d, source)
    _spread(d, op.results, loop.results)


def _share_layouts(d: Distribution, arguments: Sequence[Value], sources: Sequence[Value]) -> None:
    for argument, source in zip(arguments, sources, strict=True):
        if argument.type.is_vector:
            d.set_layout(argument, d.layout(source))


@distributes(scf.ConditionOp)
def _condition(d: Distribution, op: scf.ConditionOp) -> None:
    d.build.op(scf.ConditionOp, d.scalar(op.condition), _carried(d, op.args))


def _carried_types(d: Distribution, value: Value) -> list[Type]:
    if not isinstance(value.type, VectorType):
        return [value.type]
    width, element = _pack_width(d, value), value.type.element
    return [element if width == 1 else VectorType((width,), element)] * (d.layout(value).registers // width)


@distributes(scf.YieldOp)
def _yield(d: Distribution, op: scf.YieldOp) -> None:
    d.build.op(scf.YieldOp, _carried(d, op.values))


def _carried(d: Distribution, values: Sequence[Value]) -> list[Value]:
    """What stands for the values from one iteration, or branch, to the next."""
    carried: list[Value] = []
    for value in values:
        flat, width = list(d.registers(value).reshape(-1)), _pack_width(d, value)
        if width == 1:
            carried += flat
        else:
            carried += [d.build.pack(flat[i : i + width]) for i in range(0, len(flat), width)]
    return carried


def _pack_width(d: Distribution, value: Value) -> int:
    """Elements of less than 32 bits share registers: those of one element tile are carried as a pack."""
    if not isinstance(value.type, VectorType) or not _fills_memory(value.type.element):
        return 1
    return prod(d.layout(value).element_tile)


def _fills_memory(element: Type) -> bool:
    """Whether an element of less than a register is as long as in memory, so that packs fold with accesses."""
    return bit_width(element) == memory_bits(element) < 32


def _spread(d: Distribution, values: Sequence[Value], carried: Sequence[Value]) -> None:
    """The inverse of `_carried`: hands the registers out to the values in order."""
    rest = iter(carried)
    for value in values:
        parts = [next(rest) for _ in _carried_types(d, value)]
        packed = _pack_width(d, value) > 1
        d.set_like(value, [s for part in parts for s in (d.build.unpack(part) if packed else [part])])
