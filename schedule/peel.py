"""A loop's iterations whose tiles lie inside of memory, and the rest of them behind it.

    scf.for %k = 0 to %depth step s {                 %whole = min(%depth, extents) rounded down to a multiple of s
      %a = vector.transfer_read %A[%m, %k]            scf.for %k = 0 to %whole step s {
      ..                                                %a = vector.transfer_read %A[%m, %k] {in_bounds = [.., true]}
    }                                                   ..
                                                      }
                                                      scf.for %k = %whole to %depth step s { as it was }

so that the first compares nothing that it counts with extents. The second has an iteration where the tiles do not
divide memory, and more only where the buffers' extents differ. Where nothing at all may be compared (`everywhere`), it
has all iterations of workgroups whose tiles leave memory elsewhere, and the first none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..analysis.iterations import is_inside
from ..ir.attributes import ArrayAttr, IntegerAttr
from ..ir.cloning import clone
from ..ir.core import Before, Builder, Value
from ..ir.dialects import arith, memref, scf
from ..ir.dialects.arith import IntegerPredicateAttr
from ..ir.dialects.constants import constant_int
from ..ir.dialects.longhand import constant
from ..ir.dialects.memref import memref_type
from ..ir.dialects.vector import TransferReadOp
from ..ir.types import I1, INDEX


def peel(
    loop: scf.ForOp, read: Sequence[TransferReadOp], *, everywhere: bool = False, times: int = 1
) -> scf.ForOp | None:
    """Makes it the loop of whole tiles; leaves it where nothing of `read` is compared with what it counts, or where it
    does not count from 0 by a constant step. `everywhere`: nor is anything else compared. It has a multiple of `times`
    iterations. Gives the loop behind it, if there may be iterations left."""
    step = _step(loop)
    if step is None:
        return None
    found = {op: dict(_counted(op, loop, step)) for op in read}
    beside = {op: dict(_beside(op, loop)) if everywhere else {} for op in read}
    extents = [(op.memref, dim) for op, axes in found.items() for dim in axes.values()]
    if not extents and not any(beside.values()) and times == 1:
        return None
    end, before, rest = loop.upper_bound, Before(loop), None
    whole = _whole(before, end, extents, step * times) if extents or times > 1 else end
    for op, axes in beside.items():
        for axis, dim in axes.items():
            fits = _fits(before, op, axis, dim)
            whole = before.value(arith.SelectOp, fits, whole, constant(before, 0, INDEX))
    if constant_int(end) is None or constant_int(whole) != constant_int(end):
        rest = _add_rest(loop, whole)
        loop.set_operands([loop.lower_bound, whole, *loop.operands[2:]])
    for op, axes in found.items():
        inside_now = axes.keys() | beside[op].keys()
        flags = [inside or axis in inside_now for axis, inside in enumerate(op.in_bounds_flags)]
        op.attributes["in_bounds"] = ArrayAttr(tuple(IntegerAttr(int(flag), I1) for flag in flags))
    return rest


def can_be_whole(read: TransferReadOp, loop: scf.ForOp) -> bool:
    """Whether all of what is read can be made inside of memory in the iterations that `peel` leaves, everywhere."""
    step = _step(loop)
    inside = {axis for axis, flag in enumerate(read.in_bounds_flags) if flag}
    if step is not None:
        inside |= dict(_counted(read, loop, step)).keys() | dict(_beside(read, loop)).keys()
    return len(inside) == read.vector_type.rank


def _step(loop: scf.ForOp) -> int | None:
    """The step of a loop that counts from 0."""
    step = constant_int(loop.step)
    plain = constant_int(loop.lower_bound) == 0 and loop.step.type == INDEX and not loop.is_unsigned
    return step if plain and step is not None and step > 0 else None


def _beside(read: TransferReadOp, loop: scf.ForOp) -> Iterator[tuple[int, int]]:
    """(axis of the vector, dimension of memory) of those that are compared with an extent, alike in all iterations."""
    for axis, dim in enumerate(read.memory_dims):
        if dim is None or read.in_bounds_flags[axis] or is_inside(read.memref, loop):
            continue
        if not is_inside(read.indices[dim], loop):
            yield axis, dim


def _fits(build: Builder, read: TransferReadOp, axis: int, dim: int) -> Value:
    """Whether what is read lies inside of memory along an axis."""
    index, size = read.indices[dim], read.vector_type.shape[axis]
    assert size is not None
    last = build.value(arith.SubIOp, _extent(build, read.memref, dim), constant(build, size, INDEX))
    least = constant(build, 0, INDEX)
    ends = build.value(arith.CmpIOp, index, last, predicate=IntegerPredicateAttr("sle"))
    return build.value(
        arith.AndIOp, ends, build.value(arith.CmpIOp, index, least, predicate=IntegerPredicateAttr("sge"))
    )


def _counted(read: TransferReadOp, loop: scf.ForOp, step: int) -> Iterator[tuple[int, int]]:
    """(axis of the vector, dimension of memory) of those that begin where the loop is, are compared with an extent, and
    go no further than an iteration does."""
    if is_inside(read.memref, loop):
        return
    for axis, dim in enumerate(read.memory_dims):
        begins = dim is not None and read.indices[dim] is loop.induction_variable
        if dim is not None and begins and not read.in_bounds_flags[axis] and read.vector_type.shape[axis] <= step:
            yield axis, dim


def _whole(build: Builder, end: Value, extents: Sequence[tuple[Value, int]], step: int) -> Value:
    """The least of `end` and the extents, not below 0, rounded down to a multiple of `step`."""
    least = end
    for buffer, dim in dict.fromkeys(extents):
        if not _is_extent(end, buffer, dim):
            least = _less(build, least, _extent(build, buffer, dim))
    if not _is_any_extent(end):
        least = _less(build, least, constant(build, 0, INDEX), other="sgt")
    known = constant_int(least)
    if known is not None:
        return constant(build, known - known % step, INDEX)
    if step & (step - 1) == 0:
        return build.value(arith.AndIOp, least, constant(build, -step, INDEX))
    whole = build.value(arith.DivUIOp, least, constant(build, step, INDEX))
    return build.value(arith.MulIOp, whole, constant(build, step, INDEX))  # of which it is known to be a multiple


def _less(build: Builder, a: Value, b: Value, other: str = "slt") -> Value:
    """The less of two, or (with `sgt`) the greater."""
    x, y = constant_int(a), constant_int(b)
    if x is not None and y is not None:
        return constant(build, min(x, y) if other == "slt" else max(x, y), INDEX)
    return build.value(arith.SelectOp, build.value(arith.CmpIOp, a, b, predicate=IntegerPredicateAttr(other)), a, b)


def _extent(build: Builder, buffer: Value, dim: int) -> Value:
    size = memref_type(buffer).shape[dim]
    if size is not None:
        return constant(build, size, INDEX)
    return build.value(memref.DimOp, buffer, constant(build, dim, INDEX))


def _is_any_extent(value: Value) -> bool:
    known = constant_int(value)
    return isinstance(value.operation, memref.DimOp) or (known is not None and known >= 0)


def _is_extent(value: Value, buffer: Value, dim: int) -> bool:
    op = value.operation
    return isinstance(op, memref.DimOp) and op.operands[0] is buffer and constant_int(op.operands[1]) == dim


def _add_rest(loop: scf.ForOp, first: Value) -> scf.ForOp:
    """The same loop once more behind it, from `first` on, with what it hands on."""
    rest = clone(loop, {})
    rest.set_operands([first, *loop.operands[1:3], *loop.results])
    block = loop.parent
    assert block is not None
    for old, new in zip(loop.results, rest.results, strict=True):
        old.replace_uses(new)
    block.insert(block.position(loop) + 1, rest)
    return rest
