"""A contraction with tile sizes in its `lowering_config` becomes loops over tiles.

    reduction = [0, 0, 32]     %d = scf.for %k = 0 to K step 32 iter_args(%sum = %acc) {
                                 %a = vector.transfer_read %A[%i, %j + %k] : vector<Mx32xf16>
                                 ..
                                 vector.contract .. %a, %b, %sum }
    workgroup = [64, 64, 0]    the tiles of the result, and what is made of it up to where it is written, are shared out
                               among the workgroups of the grid, as many as there are

    padding = [64, 64, 32]     sizes need divide no more than multiples of these: tiles that reach over the end read
                               zeros there, and write nothing

One size for each iterator, 0 where it stays whole. What the contraction takes is followed back to the reads, which read
less at a place of their own; what is read stays as it is from there on, so a read may wait for its loop.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from ..ir.attributes import DictAttr
from ..ir.core import Before, Block, Builder, Operation, Region, Value
from ..ir.diagnostics import CompileError, Diagnostic
from ..ir.dialects import arith, gpu, scf
from ..ir.dialects.gpu import DimensionAttr
from ..ir.dialects.iree_gpu_config import LoweringConfigAttr
from ..ir.dialects.longhand import constant
from ..ir.dialects.vector import ContractionOp, TransferReadOp, TransferWriteOp, TransposeOp
from ..ir.effects import Buffers, accesses
from ..ir.entry_place import entry_place
from ..ir.expand.table import copy_of
from ..ir.kernels import Kernel
from ..ir.types import INDEX, Attribute, shape_of
from ..layout.dimension import LayoutError
from ..layout.padding import PADDING, padded_extents, without_padding
from ..layout.shares import sizes as sizes_of
from .value_tiles import Part, Parts, part_of, place_of, zero_beyond

_CONFIG, _WORKGROUP, _REDUCTION = "lowering_config", "workgroup", "reduction"


def tile(kernel: Kernel) -> Kernel:
    """The kernel with loops where tile sizes are asked for; itself where none are. Raises CompileError for those that
    cannot be had."""
    if not any(_sizes(op) for op in kernel.op.walk()):
        return kernel
    copy = copy_of(kernel)
    different = next(copy.op.all_of(gpu.BlockIdOp), None)
    for op in [op for op in copy.op.all_of(ContractionOp) if _sizes(op)]:
        _Tiling(copy, op, different).rewrite()
    return copy


def _sizes(op: Operation) -> dict[str, Attribute]:
    return {name: value for name, value in _entries(op).items() if name in (_WORKGROUP, _REDUCTION)}


class _Tiling:
    """One contraction's. `different` is what lets the workgroups of the program as given do different things."""

    def __init__(self, kernel: Kernel, op: ContractionOp, different: Operation | None) -> None:
        self.kernel, self.op, self._different = kernel, op, different
        self.buffers = Buffers(kernel.op)
        try:
            self.padded = padded_extents(op)
        except LayoutError as error:
            raise self._refuse(str(error)) from None
        self.shared_out = self._asked(_WORKGROUP, "parallel")
        self.stepped = self._asked(_REDUCTION, "reduction")
        self._made: dict[tuple[object, ...], Value] = {}
        """Parts by value, block and place: what is used twice is made once."""

    def rewrite(self) -> None:
        rest = {n: v for n, v in _entries(self.op).items() if n not in (_WORKGROUP, _REDUCTION)}
        if PADDING in rest:
            divided = {*self.shared_out, *self.stepped}
            rest[PADDING] = without_padding(rest[PADDING], divided)
        del self.op.attributes[_CONFIG]
        if rest:
            self.op.attributes[_CONFIG] = LoweringConfigAttr(DictAttr.of(rest))
        if self.shared_out:
            self._share_out(self._written(), self.shared_out)
        elif self.stepped:
            self._check_waits([self.op.lhs, self.op.rhs], self.op)
            self.op.result_.replace_uses(self._sum(Before(self.op), {}))
        _erase_unused(self.kernel.op)

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
                    raise LayoutError(f"{name} divides iterator d{it}, which is {self.op.iterators[it]}")
                if size and extents[it] % size:
                    raise LayoutError(f"{name}: {size} does not divide {extents[it]}, the extent of iterator d{it}")
        except LayoutError as error:
            raise self._refuse(str(error)) from None
        return {it: size for it, size in enumerate(sizes) if 0 < size < extents[it]}

    def _refuse(self, message: str, at: Operation | None = None, hint: str = "") -> CompileError:
        notes = () if at is None else ((f"'{at.opname}'", at.location),)
        entry = next((name for name in (_WORKGROUP, _REDUCTION, PADDING) if message.startswith(name)), _CONFIG)
        where = entry_place(self.op, rf"{entry}\s*=")
        return CompileError([Diagnostic(f"'vector.contract' op lowering_config: {message}", where, notes, hint)])

    # -- a tile of a value ----------------------------------------------------------------------------------------

    def tile(self, build: Builder, value: Value, parts: Parts) -> Value:
        """The part of a vector, made anew."""
        if not parts:
            return value
        key = value, build.block, *sorted((axis, id(part.start), part.size) for axis, part in parts.items())
        if key not in self._made:
            self._made[key] = self._part(build, value, parts)
        return self._made[key]

    def _part(self, build: Builder, value: Value, parts: Parts) -> Value:
        op = value.operation
        if op is self.op:
            (dims,) = self.op.iterator_dims[2:]
            return self._sum(build, {dims[axis]: part for axis, part in parts.items()})
        made = part_of(self.tile, build, value, parts)
        if made is None:
            hint = "tiles are taken of reads, splats, broadcasts, transposes and elementwise operations of such"
            raise self._refuse("takes a value of which no tile can be made", op, hint)
        return made

    def _sum(self, build: Builder, parts: Parts) -> Value:
        """The contraction of parts of the parallel iterators, step by step."""
        op = self.op
        total = op.acc if not shape_of(op.acc.type) else self.tile(build, op.acc, _of(op.iterator_dims[2], parts))
        extents = op.iterator_extents
        loops: list[scf.ForOp] = []
        inner = build
        zero = constant(build, 0, INDEX)
        for it, size in self.stepped.items():
            bounds = [zero, constant(build, extents[it], INDEX), constant(build, size, INDEX)]
            block = Block([INDEX, total.type])
            loop = inner.append(scf.ForOp([*bounds, total], [total.type], None, [Region([block])], op.location))
            loops.append(loop)
            parts = {**parts, it: Part(block.arguments[0], size, extents[it] if extents[it] % size else None)}
            inner, total = _at_end(block, op), block.arguments[1]
        factors = [self._factor(inner, side, parts) for side in (0, 1)]
        masks = [self.tile(inner, v, _of(op.iterator_dims[side], parts)) for side, v in enumerate(op.masks)]
        total = inner.append(
            ContractionOp([*factors, total, *masks], [total.type], op.attributes, (), op.location)
        ).result_
        for loop in reversed(loops):
            loop.body.append(scf.YieldOp([total], location=op.location))
            total = loop.results[0]
        return total

    def _factor(self, build: Builder, side: int, parts: Parts) -> Value:
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
                raise self._refuse(f"{_WORKGROUP}: the result is not written, or used otherwise", user, hint)
            value = user.results[0]

    def _share_out(self, write: TransferWriteOp, sizes: Mapping[int, int]) -> None:
        self._check_alike(write)
        self._check_waits([write.value], write)
        axes = self._axes(write)
        build = Before(write)
        extents = self.op.iterator_extents
        counts = {it: -(-extents[it] // size) for it, size in sizes.items()}
        ids, number = _workgroups(build)
        block = Block([INDEX])
        bounds = [ids, constant(build, prod(counts.values()), INDEX), number]
        build.append(scf.ForOp(bounds, (), None, [Region([block])], self.op.location))
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
        block.append(scf.YieldOp(location=write.location))
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
            raise self._refuse(f"{_WORKGROUP} is of programs of workgroups, this one is a {self.kernel.scope}'s")
        if self._different is not None:
            hint = "a program that is tiled computes all of the result, and leaves sharing it out to the tile sizes"
            raise self._refuse(f"{_WORKGROUP}: workgroups do different things already", self._different, hint)
        written = set(self.buffers.of(write.memref))
        for op in self.kernel.op.walk():
            if op is not write and any(not written.isdisjoint(self.buffers.of(a.memref)) for a in accesses(op)):
                raise self._refuse(f"{_WORKGROUP}: the memory that the result is written to is used elsewhere", op)

    def _check_waits(self, values: Sequence[Value], until: Operation) -> None:
        """What the values are read from is the same at `until`."""
        pending, seen = list(values), set[Value]()
        while pending:
            value = pending.pop()
            op = value.operation
            if op is None or value in seen:
                continue
            seen.add(value)
            pending += op.operands
            if isinstance(op, TransferReadOp):
                self._check_unchanged(op, until)

    def _check_unchanged(self, read: TransferReadOp, until: Operation) -> None:
        block, sources = until.parent, set(self.buffers.of(read.memref))
        if block is None or read.parent is not block:
            raise self._refuse("takes what is read outside of the block that it stands in", read)
        for op in block.operations[block.position(read) : block.position(until)]:
            for inner in op.walk():
                if any(a.writes and not sources.isdisjoint(self.buffers.of(a.memref)) for a in accesses(inner)):
                    raise self._refuse("reads memory that is written before its tiles would be read", inner)


def _entries(op: Operation) -> dict[str, Attribute]:
    config = op.attributes.get(_CONFIG)
    return dict(config.entries.entries) if isinstance(config, LoweringConfigAttr) else {}


def _of(dims: Sequence[int], parts: Parts) -> dict[int, Part]:
    """The parts of iterators, by the dimensions that run over them."""
    return {axis: parts[it] for axis, it in enumerate(dims) if it in parts}


def _at_end(block: Block, op: Operation) -> Builder:
    return Builder(block, op.location)


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
