"""A contraction with tile sizes in its `lowering_config` becomes loops over tiles.

    reduction = [0, 0, 32]     %d = scf.for %k = 0 to K step 32 iter_args(%sum = %acc) {
                                 %a = vector.transfer_read %A[%i, %j + %k] : vector<Mx32xf16>
                                 ..
                                 vector.contract .. %a, %b, %sum }
    workgroup = [64, 64, 0]    the tiles of the result, and what is made of it up to where it is written, are shared out
                               among the workgroups of the grid, as many as there are

    partial_reduction = ..     instead of reduction: products are joined, and reduced behind the loop (partial.py)

    padding = [64, 64, 32]     sizes need divide no more than multiples of these: tiles that reach over the end read
                               zeros there, and write nothing

One size for each iterator, 0 where it stays whole. What the contraction takes is followed back to the reads, which read
less at a place of their own; what is read stays as it is from there on, so a read may wait for its loop.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from ..analysis.buffers import Buffers
from ..frontend.legalisations import copy_of
from ..ir.analyses import Analyses
from ..ir.attributes import DictAttr
from ..ir.core import Before, Block, Builder, Operation, Region, Value
from ..ir.dialects import arith, gpu, scf
from ..ir.dialects.gpu import DimensionAttr
from ..ir.dialects.iree_gpu_config import LOWERING_CONFIG, LoweringConfigAttr, lowering_config
from ..ir.dialects.longhand import constant
from ..ir.dialects.vector import ContractionOp, TransferReadOp, TransferWriteOp, TransposeOp
from ..ir.effects import accesses
from ..ir.kernels import Kernel
from ..ir.types import INDEX, Attribute, shape_of
from ..layout.dimension import LayoutError
from ..layout.padding import PADDING, padded_extents, without_padding
from ..layout.shares import LANE_BASIS, SUBGROUP, SUBGROUP_BASIS, THREAD, divided
from ..layout.shares import sizes as sizes_of
from .partial_reduction import PARTIAL, cut_reductions, multiply_along, nest, partial_sizes, partial_sum, shared_out
from .rematerialise import Remaking
from .value_tiles import Part, Parts, place_of, zero_beyond

_WORKGROUP, _REDUCTION = "workgroup", "reduction"
_SHARES = (SUBGROUP_BASIS, SUBGROUP, LANE_BASIS, THREAD)


def tile(kernel: Kernel, analyses: Analyses) -> Kernel:
    """The kernel with loops where tile sizes are asked for; itself where none are. Raises CompileError for those that
    cannot be had."""
    if not any(_sizes(op) for op in kernel.op.walk()):
        return kernel
    copy = copy_of(kernel)
    different = next(iter(copy.op.all_of(gpu.BlockIdOp)), None)
    for op in [op for op in copy.op.all_of(ContractionOp) if _sizes(op)]:
        _Tiling(copy, op, different, analyses.get(Buffers, copy.op)).rewrite()
        _erase_unused(copy.op)
        analyses.forget(copy.op)
    cut_reductions(copy.op, analyses)
    _erase_unused(copy.op)
    return copy


def _sizes(op: Operation) -> dict[str, Attribute]:
    return {name: value for name, value in lowering_config(op).items() if name in (_WORKGROUP, _REDUCTION, PARTIAL)}


class _Tiling(Remaking):
    """One contraction's. `different` is what lets the workgroups of the program as given do different things."""

    sizes = (_WORKGROUP, _REDUCTION, PARTIAL, PADDING)
    op: ContractionOp

    def __init__(self, kernel: Kernel, op: ContractionOp, different: Operation | None, buffers: Buffers) -> None:
        super().__init__(op, buffers)
        self.kernel, self._different = kernel, different
        try:
            self.padded = padded_extents(op)
        except LayoutError as error:
            raise self.refuse(str(error)) from None
        self.shared_out = self._asked(_WORKGROUP, "parallel")
        self.stepped = self._asked(_REDUCTION, "reduction")
        self.joined = self._joined()
        self.shares: dict[str, Attribute] = {}

    def rewrite(self) -> None:
        rest = {n: v for n, v in lowering_config(self.op).items() if n not in (_WORKGROUP, _REDUCTION, PARTIAL)}
        if PADDING in rest:
            divided = {*self.shared_out, *self.stepped}
            rest[PADDING] = without_padding(rest[PADDING], divided)
        del self.op.attributes[LOWERING_CONFIG]
        if self.joined:
            self.shares = rest
        elif rest:
            self.op.attributes[LOWERING_CONFIG] = LoweringConfigAttr(DictAttr.of(rest))
        if self.shared_out:
            self._share_out(self._written(), self.shared_out)
        elif self.stepped or self.joined:
            self.check_waits([self.op.lhs, self.op.rhs], self.op)
            self.op.result_.replace_uses(self._sum(Before(self.op), {}))

    def _joined(self) -> dict[int, int]:
        """Tile sizes of all summed iterators, where they are to be joined before they are reduced."""
        entries = lowering_config(self.op)
        if PARTIAL not in entries:
            return {}
        other = next((name for name in entries if name not in (PARTIAL, _WORKGROUP, *_SHARES)), None)
        if other is not None or self.op.masks:
            raise self.refuse(f"{PARTIAL} {f'beside {other}' if other else 'of a product that is masked'}")
        return partial_sizes(self, PARTIAL, entries[PARTIAL], self.op.iterator_extents, self.op.roles.summed)

    def _asked(self, name: str, role: str) -> dict[int, int]:
        """Tile sizes by iterator, of those that are divided."""
        given = _sizes(self.op).get(name)
        if given is None:
            return {}
        extents = self.padded
        try:
            sizes = sizes_of(name, given, extents)
            for it, size in enumerate(sizes):
                if size and self.op.iterators[it] != role:
                    raise LayoutError(f"{name} divides iterator d{it}, which is {self.op.iterators[it]}: 0 is expected")
                divided(name, it, extents[it], size or 1)
        except LayoutError as error:
            raise self.refuse(str(error)) from None
        return {it: size for it, size in enumerate(sizes) if 0 < size < extents[it]}

    def part(self, build: Builder, value: Value, parts: Parts) -> Value:
        if value.operation is not self.op:
            return super().part(build, value, parts)
        (dims,) = self.op.iterator_dims[2:]
        return self._sum(build, {dims[axis]: part for axis, part in parts.items()})

    def _sum(self, build: Builder, parts: Parts) -> Value:
        """The contraction of parts of the parallel iterators, step by step."""
        op = self.op
        total = op.acc if not shape_of(op.acc.type) else self.tile(build, op.acc, _of(op.iterator_dims[2], parts))
        extents, stepped = op.iterator_extents, {**self.stepped, **_cut(self.joined, op)}
        steps = [(extents[it], size) for it, size in stepped.items()]

        def turn(inner: Builder, places: Sequence[Value], before: Value) -> Value:
            here = dict(parts)
            for (it, size), place in zip(stepped.items(), places, strict=True):
                here[it] = Part(place, size, extents[it] if extents[it] % size else None)
            operands = [self._operand(inner, side, here) for side in (0, 1)]
            if self.joined:
                return self._with_config(multiply_along(inner, op, operands, before))
            masks = [self.tile(inner, v, _of(op.iterator_dims[side], here)) for side, v in enumerate(op.masks)]
            operands = [*operands, before, *masks]
            return inner.append(ContractionOp(operands, [before.type], op.attributes, (), op)).result_

        if not self.joined:
            return nest(build, op, steps, total, turn)
        kept = shape_of(total.type)
        shape, axes = (*kept, *self.joined.values()), range(len(kept), len(kept) + len(self.joined))
        return partial_sum(build, op, {"kind": op.kind}, total, shape, axes, steps, turn)

    def _with_config(self, made: Value) -> Value:
        """What is said of the iterators holds of the products that are joined."""
        if self.shares:
            iterators = [*self.op.iterator_dims[2], *self.joined]
            entries = DictAttr.of(shared_out(self.shares, iterators))
            assert made.operation is not None
            made.operation.attributes[LOWERING_CONFIG] = LoweringConfigAttr(entries)
        return made

    def _operand(self, build: Builder, side: int, parts: Parts) -> Value:
        """A part of lhs or rhs, zeros beyond the end of what is summed."""
        value, iterators = self.op.operands[side], self.op.iterator_dims[side]
        summed = {it: part for it, part in parts.items() if it in self.stepped}
        return zero_beyond(build, value, self.tile(build, value, _of(iterators, parts)), _of(iterators, summed))

    # -- tiles for workgroups -------------------------------------------------------------------------------------

    def _written(self) -> TransferWriteOp:
        """The write that the result goes to, through elementwise operations and transposes."""
        value: Value = self.op.result_
        while True:
            users = list(value.users)
            user = users[0] if len(users) == 1 else None
            if isinstance(user, TransferWriteOp) and user.value is value and user.mask is None:
                return user
            if user is None or len(user.results) != 1 or not (user.elementwise or isinstance(user, TransposeOp)):
                hint = "let one vector.transfer_write be all that is made of it"
                raise self.refuse(f"{_WORKGROUP}: the result is not written, or used otherwise", user, hint)
            value = user.results[0]

    def _share_out(self, write: TransferWriteOp, sizes: Mapping[int, int]) -> None:
        self._check_alike(write)
        self.check_waits([write.value], write)
        axes = self._axes(write)
        build = Before(write)
        extents = self.op.iterator_extents
        counts = {it: -(-extents[it] // size) for it, size in sizes.items()}
        ids, number = _workgroups(build)
        block = Block([INDEX])
        bounds = [ids, constant(build, prod(counts.values()), INDEX), number]
        build.append(scf.ForOp(bounds, (), None, [Region([block])], self.op))
        inner, left = _at_end(block, write), block.arguments[0]
        parts: dict[int, Part] = {}
        for it in reversed(counts):
            count = constant(inner, counts[it], INDEX)
            digit = inner.value(arith.RemUIOp, left, count)
            left = inner.value(arith.DivUIOp, left, count)
            start = inner.value(arith.MulIOp, digit, constant(inner, sizes[it], INDEX))
            parts[axes[it]] = Part(start, sizes[it], extents[it] if extents[it] % sizes[it] else None)
        value = self.tile(inner, write.value, parts)
        place = place_of(inner, write, parts)
        map, flags = write.permutation_map, place.in_bounds
        operands = value, write.memref, place.indices, place.mask
        inner.op(TransferWriteOp, *operands, types=[], permutation_map=map, in_bounds=flags)
        block.append(scf.YieldOp(location=write))
        assert write.parent is not None
        write.parent.erase(write)

    def _axes(self, write: TransferWriteOp) -> dict[int, int]:
        """The axis of what is written, by iterator."""
        axes = {it: axis for axis, it in enumerate(self.op.iterator_dims[2])}
        value: Value = self.op.result_
        while value is not write.value:
            (user,) = value.users
            if isinstance(user, TransposeOp):
                axes = {it: user.permutation.index(axis) for it, axis in axes.items()}
            value = user.results[0]
        return axes

    def _check_alike(self, write: TransferWriteOp) -> None:
        """All workgroups do the same, and nobody reads what they write: each may do a part of it."""
        if self.kernel.scope != "workgroup":
            raise self.refuse(f"{_WORKGROUP} is of programs of workgroups, this one is a {self.kernel.scope}'s")
        if self._different is not None:
            hint = "a program that is tiled computes all of the result, and leaves sharing it out to the tile sizes"
            raise self.refuse(f"{_WORKGROUP}: workgroups do different things already", self._different, hint)
        written = set(self.buffers.of(write.memref))
        for op in self.kernel.op.walk():
            if op is not write and any(not written.isdisjoint(self.buffers.of(a.memref)) for a in accesses(op)):
                raise self.refuse(f"{_WORKGROUP}: the memory that the result is written to is used elsewhere", op)


def _of(dims: Sequence[int], parts: Parts) -> dict[int, Part]:
    """The parts of iterators, by the dimensions that run over them."""
    return {axis: parts[it] for axis, it in enumerate(dims) if it in parts}


def _cut(joined: Mapping[int, int], op: ContractionOp) -> dict[int, int]:
    return {it: size for it, size in joined.items() if size < op.iterator_extents[it]}


def _at_end(block: Block, op: Operation) -> Builder:
    return Builder(block, op)


def _workgroups(build: Builder) -> tuple[Value, Value]:
    """A workgroup's number in the grid, x fastest, and how many there are."""
    number: Value | None = None
    total: Value | None = None
    for axis in "zyx":
        dimension = DimensionAttr(axis)
        id, count = build.value(gpu.BlockIdOp, dimension=dimension), build.value(gpu.GridDimOp, dimension=dimension)
        scaled = None if number is None else build.value(arith.MulIOp, number, count)
        number = id if scaled is None else build.value(arith.AddIOp, scaled, id)
        total = count if total is None else build.value(arith.MulIOp, total, count)
    assert number is not None and total is not None
    return number, total


def _erase_unused(function: Operation) -> None:
    """What nobody uses any more: pure operations, and reads."""
    for op in reversed(list(function.walk())):
        idle = op.pure or isinstance(op, TransferReadOp)
        if idle and op.results and not any(r.users for r in op.results) and op.parent is not None:
            op.parent.erase(op)
