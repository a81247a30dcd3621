"""Several iterations of a ring's loop as one, in which the numbers of the buffers are constants.

    scf.for .. step s iter_args(%slot = 0, %free = 1) {      scf.for .. step 2 s {
      copy -> ring[%free]; .. ring[%slot] ..                   copy -> ring[1]; .. ring[0] ..
      scf.yield %free, %slot                                   copy -> ring[0]; .. ring[1] ..
    }                                                        }

Where an access adds no scalar to its address, each place in shared memory costs an addition for the buffer's number;
a constant is part of the instruction.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.attributes import IntegerAttr
from ..ir.cloning import clone
from ..ir.core import Before, Block, Builder, Region, Value
from ..ir.dialects import arith, scf
from ..ir.dialects.constants import constant_int
from ..ir.types import I32


def unroll(loop: scf.ForOp, times: int, words: Sequence[int]) -> None:
    """Unrolls a loop with a multiple of `times` iterations. `words`: the numbers, modulo `times`, that the last values
    which it carries begin as; each of them is one more in the next iteration."""
    step = constant_int(loop.step)
    assert step is not None, "a ring's loop has a known step"
    kept = len(loop.init_args) - len(words)
    before, inits = Before(loop), loop.init_args[:kept]
    body = Block([loop.induction_variable.type, *(v.type for v in inits)])
    for new, old in zip(body.arguments, loop.body.arguments, strict=False):
        new.hint = old.hint
    build, carried = Builder(body, loop), list[Value](body.arguments[1:])
    for number in range(times):
        values = dict(zip(loop.body.arguments[1 : 1 + kept], carried, strict=True))
        values[loop.induction_variable] = _moved(build, body.arguments[0], number * step)
        for argument, word in zip(loop.body.arguments[1 + kept :], words, strict=True):
            attribute = IntegerAttr((word + number) % times, I32)
            values[argument] = build.value(arith.ConstantOp, types=[I32], value=attribute)
        for op in loop.body.operations[:-1]:
            build.append(clone(op, values))
        carried = [values.get(v, v) for v in loop.yielded[:kept]]
    build.op(scf.YieldOp, carried, types=[])
    wide = before.value(arith.ConstantOp, types=[loop.step.type], value=IntegerAttr(times * step, loop.step.type))
    operands = [loop.lower_bound, loop.upper_bound, wide, *inits]
    made = scf.ForOp(operands, [v.type for v in inits], loop.attributes, [Region([body])], loop)
    block = loop.parent
    assert block is not None
    block.insert(block.position(loop), made)
    for old, new in zip(loop.results, made.results, strict=False):
        new.hint = old.hint
        old.replace_uses(new)
    block.erase(loop)


def _moved(build: Builder, number: Value, distance: int) -> Value:
    if not distance:
        return number
    return build.value(
        arith.AddIOp,
        number,
        build.value(arith.ConstantOp, types=[number.type], value=IntegerAttr(distance, number.type)),
    )
