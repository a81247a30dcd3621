"""The iterations of a mapped `scf.forall`: those whose number is the id, and then every so many-th.

As many iterations as there are ids take no loop; fewer, known ones a branch; else each id goes on in steps of how many
there are, so that no size of the grid or the workgroup leaves an iteration out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod

from ..analysis.iterations import is_inside
from ..ir.cloning import clone
from ..ir.core import Block, Builder, Operation, Region, Value
from ..ir.define import is_vector
from ..ir.dialects import affine, arith, gpu, scf
from ..ir.dialects.arith import ConstantOp, IntegerPredicateAttr
from ..ir.dialects.func import FunctionLike
from ..ir.dialects.gpu import DimensionAttr
from ..ir.dialects.gpu_mapping import (
    LaneIdAttr,
    LaneMappingAttr,
    MappingAttr,
    SplitReductionMappingAttr,
    WarpgroupMappingAttr,
    WarpMappingAttr,
    WorkgroupMappingAttr,
)
from ..ir.dialects.lanewise import ThreadsOp
from ..ir.dialects.scf_forall import ForallOp
from ..ir.dynamic_index_list import known_part, static_part
from ..ir.spread_loops import ids_of, is_of_threads
from ..ir.traits import finer
from ..ir.types import INDEX
from ..support.dataclasses import dataclass
from .affine import number
from .legalisations import Inside, Place, refuse, taken

_SUBGROUPS_OF_A_WARPGROUP = 4


@dataclass(frozen=True)
class _Ids:
    """An id and how many there are of it, a number where that is known."""

    id: Value
    count: int | Value


def spread(place: Place, op: ForallOp) -> tuple[Builder, list[Value]]:
    """Where the body is to be built, and its counters. What follows a loop over threads or subgroups sees all of it."""
    assert op.mapping is not None
    entries = [entry for entry in op.mapping.values if isinstance(entry, MappingAttr)]
    first = entries[0]
    _, extents, _ = op.bounds
    _check_workers(place, op, entries, extents)
    if first.is_linear:
        inner, counters = _digits(place, op, entries, extents)
    else:
        inner, counters = _coordinates(place, op, entries, extents)
    if finer(first.scope, "workgroup") and not _is_within_another(op):
        _meet_behind(op)
    return inner, counters


def refuse_steps(op: ForallOp, found: str) -> None:
    """Workers that wait for each other are there all at once: no worker goes on as the next one (IREE's document of
    iree_gpu.shuffle_tensor)."""
    if any(inner.collective == "workgroup" for inner in op.walk()):
        hint = "let it have as many workers as there are threads of the workgroup"
        raise refuse(op, f"has workers that wait for each other at a barrier, and {found}", hint)


def _check_workers(place: Place, op: ForallOp, entries: Sequence[MappingAttr], extents: Sequence[int | Value]) -> None:
    """Each worker is a thread, or group of threads, of its own where they wait for each other."""
    first = entries[0]
    if not finer(first.scope, "workgroup"):
        return
    asked = known_part(extents)
    if first.is_linear:
        asked = [None if None in asked else prod(n or 0 for n in asked)]
        there = [_of_workgroup(place, first)]
    else:
        there = [_along(place, entry) for entry in entries]
    for found, count in zip(asked, there, strict=True):
        if found is None or found != count:
            refuse_steps(op, f"has {_words(found)} of them for {_words(count)} of #{first.mnemonic}")


def _words(count: int | None) -> str:
    return "a number that is not known" if count is None else str(count)


def _along(place: Place, entry: MappingAttr) -> int | None:
    """How many there are of what a coordinate numbers, where that is known."""
    return _of_workgroup(place, entry) if type(entry) in _NUMBERED else place.kernel.block_size[entry.number]


def _of_workgroup(place: Place, entry: MappingAttr) -> int | None:
    threads, size = place.kernel.threads, place.kernel.subgroup_size
    if type(entry) not in _NUMBERED:
        return threads
    if size is None or type(entry) in (LaneMappingAttr, LaneIdAttr):
        return size
    return threads // size // (_SUBGROUPS_OF_A_WARPGROUP if isinstance(entry, WarpgroupMappingAttr) else 1)


def refuse_split(op: ForallOp) -> None:
    entries = () if op.mapping is None else op.mapping.values
    for entry in entries:
        if isinstance(entry, SplitReductionMappingAttr):
            hint = (
                "spread it over workgroups (#gpu.block), whose results a second kernel joins, or say lanewise.split_k"
            )
            raise refuse(op, f"maps to {entry}: a launch here has no workgroups beside those of its grid", hint)


def needs_program(place: Place, op: ForallOp) -> bool:
    """Whether its iterations are spread over less than the program around it belongs to."""
    ids = ids_of(op)
    return ids is not None and finer(ids.scope, place.scope)


def as_program(place: Place, op: ForallOp) -> None:
    """The loop as a program of each thread. What the program around it knows, threads know; its vectors they do not."""
    ids, block = ids_of(op), Block()
    assert ids is not None
    if not is_of_threads(op) and ids.scope != "thread":
        hint = f'layouts say which thread holds what; spread it in a program with lanewise.scope = "{ids.scope}"'
        raise refuse(op, f"maps to {ids}, which differs within a {place.scope}, to which the program belongs", hint)
    loop = op.without_outputs(taken(op))
    place.op(ThreadsOp, types=[], regions=[Region([block])])
    inner = Inside(place, block)
    for value in _vectors_from_outside(loop):
        if not isinstance(value.operation, ConstantOp):
            hint = "hand it on through a buffer: its elements lie in threads of the program around the loop"
            raise refuse(op, f"is spread over {ids} and takes a {value.type} of a {place.scope} from outside", hint)
        own = inner.append(clone(value.operation, {})).result
        for user in loop.walk():
            if value in user.operands:
                user.set_operands([own if v is value else v for v in user.operands])
    inner.append(loop)


def _vectors_from_outside(loop: ForallOp) -> list[Value]:
    used = dict.fromkeys(value for op in loop.walk() for value in op.operands if is_vector.admits(value))
    return [value for value in used if not is_inside(value, loop)]


def _coordinates(
    place: Place, op: ForallOp, entries: Sequence[MappingAttr], extents: Sequence[int | Value]
) -> tuple[Builder, list[Value]]:
    build: Builder = place
    counters = list[Value]()
    ids = [_coordinate(place, op, entry) for entry in entries]  # all of them in front of the first loop
    for each, extent in zip(ids, extents, strict=True):
        build, counter = _each(place, build, each, extent)
        counters.append(counter)
    return build, counters


def _digits(
    place: Place, op: ForallOp, entries: Sequence[MappingAttr], extents: Sequence[int | Value]
) -> tuple[Builder, list[Value]]:
    """The flat id counts through the box of all extents, the digit of least number fastest."""
    order = sorted(range(len(entries)), key=lambda i: -entries[i].number)
    sizes = [extents[i] for i in order]
    build, flat = _each(place, place, _flat(place, op, entries[0]), _product(place, sizes))
    if len(entries) == 1:
        return build, [flat]
    static = static_part(sizes)
    dynamic = [s for s in sizes if isinstance(s, Value)]
    digits = build.op(affine.DelinearizeIndexOp, flat, dynamic, types=[INDEX] * len(sizes), static_basis=static).results
    return build, [digits[order.index(i)] for i in range(len(entries))]


def _each(place: Place, build: Builder, ids: _Ids, extent: int | Value) -> tuple[Builder, Value]:
    """Where what is done for each number below `extent` is built, and the number."""
    if isinstance(extent, int) and extent == ids.count:
        return build, ids.id
    if isinstance(extent, int) and isinstance(ids.count, int) and extent < ids.count:
        predicate = IntegerPredicateAttr("ult")
        condition = build.value(arith.CmpIOp, ids.id, _value(build, extent), predicate=predicate)
        block = Block()
        build.op(scf.IfOp, condition, types=[], regions=[Region([block]), Region()])
        _end(place, build)
        return Inside(build, block), ids.id
    block = Block([INDEX])
    build.op(scf.ForOp, ids.id, _value(build, extent), _value(build, ids.count), [], regions=[Region([block])])
    _end(place, build)
    return Inside(build, block), block.arguments[0]


def _end(place: Place, build: Builder) -> None:
    """Ends a block that holds nothing but what was built last."""
    if build is not place:
        build.op(scf.YieldOp, [])


def _value(build: Builder, extent: int | Value) -> Value:
    return extent if isinstance(extent, Value) else number(build, extent)


def _product(build: Builder, sizes: Sequence[int | Value]) -> int | Value:
    known = prod(s for s in sizes if isinstance(s, int))
    total: int | Value = known
    for size in sizes:
        if isinstance(size, Value):
            total = size if total == 1 else build.value(arith.MulIOp, size, _value(build, total))
    return total


# -- ids --------------------------------------------------------------------------------------------------------------


def _coordinate(place: Place, op: ForallOp, entry: MappingAttr) -> _Ids:
    axis = entry.number
    if isinstance(entry, WorkgroupMappingAttr) and entry.is_digit:
        hint = "let a loop have three counters over workgroups at most, or map them to #gpu.block<linear_dim_0>, .."
        raise refuse(op, f"maps to {entry}, a digit of a workgroup's z", hint)
    dimension = DimensionAttr("xyz"[axis])
    if entry.scope == "workgroup":
        return _Ids(place.value(gpu.BlockIdOp, dimension=dimension), place.value(gpu.GridDimOp, dimension=dimension))
    if type(entry) in _NUMBERED:
        if axis or any(n > 1 for n in place.kernel.block_size[1:]):
            hint = f"take #{entry.mnemonic}<linear_dim_0>"
            raise refuse(op, f"maps to {entry}: only the x of a workgroup along x is a number of subgroups", hint)
        return _flat(place, op, entry)
    return _Ids(place.value(gpu.ThreadIdOp, dimension=dimension), place.kernel.block_size[axis])


def _flat(place: Place, op: ForallOp, entry: MappingAttr) -> _Ids:
    if made := _NUMBERED.get(type(entry)):
        return made(place)
    if entry.scope == "workgroup":
        counts = [place.value(gpu.GridDimOp, dimension=DimensionAttr(d)) for d in "xyz"]
        return _Ids(_number_of(place, gpu.BlockIdOp, counts), _product(place, counts))
    return _Ids(_number_of(place, gpu.ThreadIdOp, place.kernel.block_size), prod(place.kernel.block_size))


def _lanes(place: Place) -> _Ids:
    return _Ids(place.value(gpu.LaneIdOp), place.value(gpu.SubgroupSizeOp))


def _subgroups(place: Place) -> _Ids:
    return _Ids(place.value(gpu.SubgroupIdOp), place.value(gpu.NumSubgroupsOp))


def _groups(place: Place) -> _Ids:
    four = number(place, _SUBGROUPS_OF_A_WARPGROUP)
    group = place.value(arith.DivUIOp, place.value(gpu.SubgroupIdOp), four)
    return _Ids(group, place.value(arith.CeilDivUIOp, place.value(gpu.NumSubgroupsOp), four))


_NUMBERED: Mapping[type[MappingAttr], Callable[[Place], _Ids]] = {
    LaneMappingAttr: _lanes,
    LaneIdAttr: _lanes,
    WarpMappingAttr: _subgroups,
    WarpgroupMappingAttr: _groups,
}
"""What is numbered in a row, whatever the workgroup's extents."""


def _number_of(place: Place, cls: type[Operation], counts: Sequence[int | Value]) -> Value:
    """The number of a place in a box, x the fastest."""
    total = place.value(cls, dimension=DimensionAttr("z"))
    for axis in (1, 0):
        scaled = place.value(arith.MulIOp, total, _value(place, counts[axis]))
        total = place.value(arith.AddIOp, scaled, place.value(cls, dimension=DimensionAttr("xyz"[axis])))
    return total


# -- where they meet --------------------------------------------------------------------------------------------------


def _is_within_another(op: ForallOp) -> bool:
    """Whether a loop that is spread over threads or subgroups is around it, or the program of each thread: these meet
    behind that one."""
    around = op.enclosing()
    while around is not None:
        ids = ids_of(around)
        if isinstance(around, ThreadsOp) or (ids is not None and finer(ids.scope, "workgroup")):
            return True
        around = around.enclosing()
    return False


def _meet_behind(op: ForallOp) -> None:
    assert op.parent is not None
    if isinstance(op.enclosing(), FunctionLike) and op.parent.operations[-2] is op:
        return  # nobody is left to see anything
    op.parent.insert(op.parent.position(op) + 1, gpu.BarrierOp(location=op))
