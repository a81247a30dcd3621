"""Tensors whose extents are not known are changed where they lie: nobody can hold all elements of them.

A tensor of `bufferization.to_tensor .. writable`, or a slice of one, may be changed by an operation after which nobody
uses what it was: the operation writes into its buffer, and its result is what lies there then. Products of such tensors
are loops over the iterators whose extents are open; what is known stays one vector.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..ir.affine import AffineExpr, AffineMap, AffineMapAttr, Dim
from ..ir.attributes import ArrayAttr
from ..ir.core import Block, Builder, Operation, Value
from ..ir.define import is_tensor
from ..ir.dialects import memref, scf
from ..ir.dialects.vector_transfer import TensorWriteOp, TransferWriteOp
from ..ir.types import Attribute, TensorType, VectorType, element_type
from .affine import number
from .dialects import tensor
from .dialects.inner_tiled import InnerTiledOp, MultiMmaOp, TiledProduct
from .legalisations import OPEN, Place, refuse, taken
from .parallel import nest
from .tensors import Mixed, Tensors, Whereabouts
from .whole_accesses import read_whole, write_whole

_HINT = (
    "a tensor of open extents is changed in its buffer: begin with bufferization.to_tensor %m writable, take slices of"
    " it for one change each, and use nothing of what it was behind that"
)


def buffer_to_change(tensors: Tensors, value: Value, op: Operation) -> Value:
    """Where a tensor lies that `op` changes there."""
    found = tensors.where[value].memref
    if found is None or value not in tensors.writable or not _is_last_use(tensors, value, op):
        raise refuse(op, f"needs all elements of a {value.type}", _HINT)
    return found


def may_change_slice(tensors: Tensors, op: tensor.ExtractSliceOp) -> bool:
    """Whether the slice is all that is left of a tensor that may be changed, and its extents are open."""
    source = op.source
    if None not in op.part.shape:
        return False
    if source in tensors.writable:
        return _is_last_use(tensors, source, op)
    return put_back(tensors, op) is not None and tensors.into.get(source) is tensors.where[source].memref


def put_back(tensors: Tensors, op: tensor.ExtractSliceOp) -> tensor.ParallelInsertSliceOp | None:
    """What overwrites a slice of a loop's output at the end, where nobody sees behind `op` what that was."""
    put = put_of(op.source)
    is_it = put is not None and put.mixed() == op.mixed() and _is_last_use(tensors, op.source, op, put)
    return put if is_it else None


def put_of(argument: Value) -> tensor.ParallelInsertSliceOp | None:
    """What is put into an output of a loop, where an iteration sees nothing of it but the slice that it puts there."""
    puts = [user for user in argument.users if isinstance(user, tensor.ParallelInsertSliceOp)]
    if len(puts) != 1 or puts[0].source is argument:
        return None
    seen = [user for user in argument.users if user is not puts[0]]
    own = (isinstance(user, tensor.ExtractSliceOp) and user.mixed() == puts[0].mixed() for user in seen)
    return puts[0] if all(own) else None


def _is_last_use(tensors: Tensors, value: Value, op: Operation, end: Operation | None = None) -> bool:
    """Whether what a tensor is, and all that is seen of it, has been used in its block when `op` is done, but by
    `end`, which overwrites what `op` takes of it."""
    block = op.parent
    if block is None or value.block is not block or op.operands.count(value) != 1:
        return False
    here = block.position(op)
    others = [_in_block(user, block) for user in _users(tensors, value, op) if user not in (op, end)]
    return all(other is not None and block.position(other) < here for other in others)


def hand_on(tensors: Tensors, op: Operation, source: Value, result: Value) -> None:
    """Lets a view of a tensor be changed where the tensor may be, which nobody uses behind it."""
    if source in tensors.writable and tensors.where[result].memref is not None and _is_last_use(tensors, source, op):
        tensors.writable.add(result)


def _users(tensors: Tensors, value: Value, op: Operation) -> Iterator[Operation]:
    """Those of a tensor and of what has been seen of it until now, but for what `op` makes."""
    yield from value.users
    for shown in tensors.seen.get(value, ()):
        if shown.operation is not op:
            yield from _users(tensors, shown, op)


def _in_block(op: Operation, block: Block) -> Operation | None:
    """The operation of a block that another stands in."""
    found: Operation | None = op
    while found is not None and found.parent is not block:
        found = found.enclosing()
    return found


def _changed(tensors: Tensors, result: Value, buffer: Value) -> None:
    tensors.where[result] = Whereabouts(memref=buffer)
    tensors.writable.add(result)


# -- elements and slices ----------------------------------------------------------------------------------------------


@OPEN.of(tensor.InsertOp)
def _insert(tensors: Tensors, place: Place, op: tensor.InsertOp) -> None:
    buffer = buffer_to_change(tensors, op.dest, op)
    place.op(memref.StoreOp, op.scalar, buffer, op.indices)
    _changed(tensors, op.result_, buffer)


@OPEN.of(TensorWriteOp)
def _write(tensors: Tensors, place: Place, op: TensorWriteOp) -> None:
    buffer, mask = buffer_to_change(tensors, op.dest, op), [op.mask] if op.mask is not None else []
    map, flags = op.permutation_map, op.in_bounds
    place.op(TransferWriteOp, op.value, buffer, op.indices, mask, types=[], permutation_map=map, in_bounds=flags)
    _changed(tensors, op.result_, buffer)


@OPEN.of(tensor.InsertSliceOp)
def _insert_slice(tensors: Tensors, place: Place, op: tensor.InsertSliceOp) -> None:
    buffer = buffer_to_change(tensors, op.dest, op)
    tensors.fill(place, op.source, tensors.view(place, buffer, op.mixed(), op.part.shape), op)
    _changed(tensors, op.result_, buffer)


# -- loops ------------------------------------------------------------------------------------------------------------


@OPEN.of(scf.ForOp)
def _for(tensors: Tensors, place: Place, op: scf.ForOp) -> None:
    """Iterations change one buffer after the other; what else they carry they carry on."""
    buffers = {i: buffer_to_change(tensors, value, op) for i, value in enumerate(op.init_args) if _is_open(value)}
    arguments, results = op.iter_args, list(op.results)
    for i, buffer in buffers.items():
        _changed(tensors, arguments[i], buffer)
    rest = [i for i in range(len(results)) if i not in buffers]
    begin = [_plain(tensors, place, op.init_args[i], op) for i in rest]
    tensors.hold(op.body.arguments, op)
    tensors.block(op.body)
    for i in buffers:
        op.body.remove_argument(arguments[i])
    bounds = (op.lower_bound, op.upper_bound, op.step)
    loop = place.op(scf.ForOp, *bounds, begin, regions=[taken(op)], unsignedCmp=op.unsignedCmp)
    for i, result in zip(rest, loop.results, strict=True):
        if is_tensor.admits(results[i]):
            tensors.where[results[i]] = Whereabouts(result)
        else:
            results[i].replace_uses(result)
    for i, buffer in buffers.items():
        _changed(tensors, results[i], buffer)


@OPEN.of(scf.YieldOp)
def _yield(tensors: Tensors, place: Place, op: scf.YieldOp) -> None:
    """Hands on what was changed in place by leaving it there."""
    loop = op.enclosing()
    arguments = loop.iter_args if isinstance(loop, scf.ForOp) else ()
    for argument, value in zip(arguments, op.operands, strict=False):
        if _is_open(value) and tensors.where[value].memref is not tensors.where[argument].memref:
            raise refuse(op, f"hands on a {value.type} that is not the one it was given, changed", _HINT)
    rest = [value for value in op.operands if not (arguments and _is_open(value))]
    place.op(scf.YieldOp, [_plain(tensors, place, value, op) for value in rest])


def _plain(tensors: Tensors, place: Place, value: Value, op: Operation) -> Value:
    return tensors.vector(place, value, op) if is_tensor.admits(value) else value


def _is_open(value: Value) -> bool:
    return isinstance(value.type, TensorType) and None in value.type.shape


# -- products ---------------------------------------------------------------------------------------------------------


@OPEN.of(MultiMmaOp, InnerTiledOp)
def _product(tensors: Tensors, place: Place, op: TiledProduct) -> None:
    if op.attributes.keys() - set(op.property_names()):
        raise refuse(op, "has attributes beside its own, and is of tensors of open extents: say it of static tiles")
    _Product(tensors, place, op).write()


class _Product:
    """Loops over the iterators whose extents are open, around a product of vectors."""

    def __init__(self, tensors: Tensors, place: Place, op: TiledProduct) -> None:
        self.tensors, self.place, self.op = tensors, place, op
        self.dims = [map.result_dims() or () for map in op.maps]
        sizes = [v.type.shape for v in op.operands if isinstance(v.type, (TensorType, VectorType))]
        self.open = sorted(
            {
                it
                for dims, shape in zip(self.dims, sizes, strict=True)
                for it, n in zip(dims, shape, strict=False)
                if it is not None and n is None
            }
        )
        *operands, acc = op.operands
        self.lying: list[Value | None] = [self._lying(n) for n in range(len(operands))]
        changes = any(it in self.dims[-1] for it in self.open)
        self.lying.append(buffer_to_change(tensors, acc, op) if changes else None)

    def _lying(self, number: int) -> Value | None:
        """The buffer of an operand that is taken apart."""
        value = self.op.operands[number]
        if not any(it in self.dims[number] for it in self.open):
            return None
        return self.tensors.buffer(self.place, value, self.op)

    def write(self) -> None:
        parallel = [it for it in self.open if self.op.iterators[it] == "parallel"]
        summed = [it for it in self.open if it not in parallel]
        zero, one = number(self.place, 0), number(self.place, 1)
        extents = {it: self._extent(it) for it in self.open}
        held = [
            None if lying is not None else self.tensors.vector(self.place, v, self.op)
            for lying, v in zip(self.lying, self.op.operands, strict=True)
        ]
        outer, counters, _, _ = nest(self.place, [(zero, extents[it], one) for it in parallel], ())
        at = dict(zip(parallel, counters, strict=True))
        start = self._part(outer, -1, held, at)
        inner, counters, carried, results = nest(outer, [(zero, extents[it], one) for it in summed], [start])
        at |= zip(summed, counters, strict=True)
        operands = [self._part(inner, side, held, at) for side in range(len(self.op.operands) - 1)]
        total = self._multiplied(inner, [*operands, carried[0]])
        if summed:
            inner.op(scf.YieldOp, [total])
            (total,) = results
        buffer, (result,) = self.lying[-1], self.op.results
        if buffer is None:
            self.tensors.where[result] = Whereabouts(total)
            return
        write_whole(outer, total, self._view(outer, -1, buffer, at))
        outer.op(scf.YieldOp, [])
        _changed(self.tensors, result, buffer)

    def _extent(self, iterator: int) -> Value:
        side, dim = next(
            (side, dims.index(iterator))
            for side, dims in enumerate(self.dims)
            if iterator in dims and self.lying[side] is not None
        )
        buffer = self.lying[side]
        assert buffer is not None
        return self.place.value(memref.DimOp, buffer, number(self.place, dim))

    def _part(self, build: Builder, side: int, held: Sequence[Value | None], at: dict[int, Value]) -> Value:
        buffer, whole = self.lying[side], held[side]
        if buffer is None:
            assert whole is not None
            return whole
        shape = tuple(n for n in self._sizes(side) if n is not None)
        return read_whole(build, self._view(build, side, buffer, at), VectorType(shape, element_type(buffer.type)))

    def _sizes(self, side: int) -> list[int | None]:
        """The sizes of each dimension that stays; None where a loop goes along it."""
        dims, shape = self.dims[side], self.op.types[side].shape
        return [None if d < len(dims) and dims[d] in self.open else n for d, n in enumerate(shape)]

    def _view(self, build: Builder, side: int, buffer: Value, at: dict[int, Value]) -> Value:
        dims, sizes = self.dims[side], self._sizes(side)
        moved = {d: at[it] for d, it in enumerate(dims) if it in at}
        offsets: Mixed = [moved.get(d, 0) for d in range(len(sizes))]
        mixed: tuple[Mixed, Mixed, Mixed] = (offsets, [1 if n is None else n for n in sizes], [1] * len(sizes))
        return self.tensors.view(build, buffer, mixed, [n for n in sizes if n is not None])

    def _multiplied(self, build: Builder, operands: Sequence[Value]) -> Value:
        """The same product of vectors, over the iterators that are left."""
        op, left = self.op, [it for it in range(len(self.op.iterators)) if it not in self.open]
        maps = [self._map(dims, left) for dims in self.dims]
        words = op.attributes["iterator_types"]
        assert isinstance(words, ArrayAttr)
        attributes: dict[str, Attribute] = {
            **op.attributes,
            "indexing_maps": ArrayAttr(tuple(map(AffineMapAttr, maps))),
            "iterator_types": ArrayAttr(tuple(words.values[it] for it in left)),
        }
        made = type(op)(operands, [operands[-1].type], attributes, (), op.location, op.segments)
        return build.append(made).results[0]

    def _map(self, dims: Sequence[int | None], left: Sequence[int]) -> AffineMap:
        results: list[AffineExpr] = [Dim(left.index(it)) for it in dims if it is not None and it in left]
        return AffineMap(len(left), 0, tuple(results))
