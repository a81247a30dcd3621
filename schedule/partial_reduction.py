"""`partial_reduction` of a `lowering_config`: a sum's tiles are joined element by element, and reduced once.

    partial_reduction = [0, 512]     %p = scf.for %k = 0 to K step 512 iter_args(%q = zeros) {
                                       %a = vector.transfer_read %A[%i, %k] : vector<Mx512xf32>
                                       scf.yield %q + %a      of a product: + %a * %b
                                     }
                                     %sum = vector.multi_reduction <add>, %p, %acc [1]

So threads meet once, behind the loop, however long the sum is. One size for each iterator that is summed, 0 where it
stays whole; the sizes divide what they cut.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ..analysis.buffers import Buffers
from ..ir.analyses import Analyses
from ..ir.attributes import ArrayAttr, DictAttr, dense_i64, i64_array, int_array
from ..ir.core import Before, Block, Builder, Operation, Region, Value
from ..ir.dialects import arith, math, scf
from ..ir.dialects.func import FunctionLike
from ..ir.dialects.iree_gpu_config import LOWERING_CONFIG, LoweringConfigAttr, lowering_config
from ..ir.dialects.longhand import broadcast, cast_shape, constant, join, multiply, neutral, transpose
from ..ir.dialects.vector import ContractionOp, MultiReductionOp
from ..ir.dialects.vector_kind import CombiningKindAttr
from ..ir.types import INDEX, Attribute, FloatType, VectorType, element_type, shape_of
from ..layout.dimension import LayoutError
from ..layout.shares import divided
from ..layout.shares import sizes as sizes_of
from .rematerialise import Remaking
from .value_tiles import Part, Parts

PARTIAL = "partial_reduction"
Turn = Callable[[Builder, Sequence[Value], Value], Value]
"""What an iteration makes of the places where its tiles begin, and of what was joined before."""


def nest(build: Builder, op: Operation, steps: Sequence[tuple[int, int]], start: Value, turn: Turn) -> Value:
    """Loops over (extent, step), the first outermost, which hand a value on; without any a single turn."""
    bounds = [[constant(build, number, INDEX) for number in (0, *step)] for step in steps]
    loops, places = list[scf.ForOp](), list[Value]()
    inner, value = build, start
    for low_high_step in bounds:
        block = Block([INDEX, value.type])
        loop = inner.append(scf.ForOp([*low_high_step, value], [value.type], None, [Region([block])], op))
        loops.append(loop)
        places.append(block.arguments[0])
        inner, value = Builder(block, op), block.arguments[1]
    value = turn(inner, places, value)
    for loop in reversed(loops):
        loop.body.append(scf.YieldOp([value], location=op))
        value = loop.results[0]
    return value


def partial_sizes(
    rewritten: Remaking, name: str, given: Attribute, extents: Sequence[int], summed: Sequence[int]
) -> dict[int, int]:
    """By summed iterator, of all of them. Raises CompileError."""
    try:
        sizes = sizes_of(name, given, extents)
        for it, size in enumerate(sizes):
            if size and it not in summed:
                raise LayoutError(f"{name} divides iterator d{it}, which is parallel: 0 is expected")
            divided(name, it, extents[it], size or 1)
    except LayoutError as error:
        raise rewritten.refuse(str(error)) from None
    return {it: sizes[it] or extents[it] for it in summed}


def partial_sum(
    build: Builder,
    op: Operation,
    how: Mapping[str, Attribute],
    total: Value,
    shape: Sequence[int],
    axes: Sequence[int],
    steps: Sequence[tuple[int, int]],
    turn: Turn,
) -> Value:
    """`total` and all that turns join in a vector of `shape`, reduced along `axes` as `how` says."""
    kind = how["kind"]
    assert isinstance(kind, CombiningKindAttr)
    start = neutral(build, kind, VectorType(tuple(shape), element_type(total.type)))
    parts = nest(build, op, steps, start, turn)
    kept = {**how, "reduction_dims": dense_i64(tuple(axes))}
    return build.value(MultiReductionOp, parts, total, types=[total.type], **kept)


def shared_out(entries: Mapping[str, Attribute], iterators: Sequence[int]) -> dict[str, Attribute]:
    """What a `lowering_config` says of iterators, of an operation whose dimensions these are."""
    found = dict[str, Attribute]()
    for name, value in entries.items():
        if isinstance(value, ArrayAttr) and name.endswith("_basis"):
            counts, places = (int_array(part) for part in value.values)
            found[name] = ArrayAttr((i64_array(counts), i64_array([places[it] for it in iterators])))
        else:
            given = int_array(value)
            found[name] = i64_array([given[it] for it in iterators])
    return found


# -- products -------------------------------------------------------------------------------------------------------


def multiply_along(build: Builder, op: ContractionOp, operands: Sequence[Value], partial: Value) -> Value:
    """`partial` and the products of the operands' tiles, element by element; its dimensions are the accumulator's
    iterators, then those that are summed."""
    lhs, rhs, acc = op.iterator_dims
    along = [*acc, *op.roles.summed]
    type = partial.type
    assert type.is_vector
    spread = [
        _spread(build, value, its, along, type, unsigned=mark)
        for value, its, mark in zip(operands, (lhs, rhs), op.unsigned, strict=True)
    ]
    if op.kind.value == "add" and element_type(type).is_float:
        return build.value(math.FmaOp, *spread, partial)
    return join(build, op.kind, partial, multiply(build, *spread))


def _spread(
    build: Builder, value: Value, its: Sequence[int], along: Sequence[int], type: object, *, unsigned: bool
) -> Value:
    """An operand at every point of the partial sums, in their element type."""
    assert isinstance(type, VectorType)
    order = sorted(range(len(its)), key=lambda axis: along.index(its[axis]))
    if order != sorted(order):
        value = transpose(build, value, order)
    if element_type(value.type) != type.element:
        cast = arith.ExtFOp if isinstance(type.element, FloatType) else arith.ExtUIOp if unsigned else arith.ExtSIOp
        value = build.value(cast, value, types=[VectorType(shape_of(value.type), type.element)])
    apart = [n if it in its else 1 for it, n in zip(along, type.shape, strict=True)]
    return broadcast(build, cast_shape(build, value, apart), type.shape)


# -- reductions -----------------------------------------------------------------------------------------------------


def cut_reductions(function: FunctionLike, analyses: Analyses) -> None:
    """Rewrites the `vector.multi_reduction`s of a function that ask for it, in place. Raises CompileError."""
    for op in [op for op in function.all_of(MultiReductionOp) if PARTIAL in lowering_config(op)]:
        _Reduction(op, analyses.get(Buffers, function)).rewrite()
        analyses.forget(function)


class _Reduction(Remaking):
    sizes = (PARTIAL,)
    op: MultiReductionOp

    def rewrite(self) -> None:
        op = self.op
        entries = lowering_config(op)
        shape, axes = shape_of(op.source.type), op.reduction_dims
        sizes = partial_sizes(self, PARTIAL, entries.pop(PARTIAL), shape, axes)
        del op.attributes[LOWERING_CONFIG]
        self.check_waits([op.source], op)
        cut = [axis for axis, size in sizes.items() if size < shape[axis]]
        config = {LOWERING_CONFIG: LoweringConfigAttr(DictAttr.of(entries))} if entries else {}

        def turn(inner: Builder, places: Sequence[Value], before: Value) -> Value:
            parts: Parts = {axis: Part(place, sizes[axis]) for axis, place in zip(cut, places, strict=True)}
            joined = join(inner, op.kind, before, self.tile(inner, op.source, parts))
            assert joined.operation is not None
            joined.operation.attributes.update(config)
            return joined

        steps = [(shape[axis], sizes[axis]) for axis in cut]
        small = [sizes.get(axis, n) for axis, n in enumerate(shape)]
        op.dest.replace_uses(partial_sum(Before(op), op, op.attributes, op.acc, small, axes, steps, turn))
