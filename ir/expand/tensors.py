"""Tensors are vectors that their owner holds, or what lies in a buffer.

Before anything else is expanded the tensors of a kernel go, in program order. What an owner makes it holds: a vector of
the tensor's shape, at the kernel's scope. What several put together (`scf.forall` over ids, `iree_gpu.shuffle_tensor`)
lies in shared memory, what `bufferization.to_tensor` and `iree_codegen.load_from_buffer` show in their buffer, and a
slice lies where its tensor does. Where a vector has to be indexed by a value it is put into a buffer of its owner's.

A buffer is written by the one operation that it was made for, so what lies in it stays until that runs again, in a
loop's next iteration; a tensor that leaves a region is read into a vector there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

from ..affine import AffineMap, AffineMapAttr
from ..attributes import ArrayAttr, IntegerAttr, dense_i64
from ..core import Block, Builder, Operation, Value
from ..define import is_tensor
from ..dialects import gpu, memref, scf, tensor, vector
from ..dialects.bufferization import LoadFromBufferOp, MaterializeOp, StoreToBufferOp, ToTensorOp
from ..dialects.constants import constant_int
from ..dialects.gpu import WORKGROUP, AddressSpaceAttr
from ..dialects.gpu_mapping import LaneIdAttr, LaneMappingAttr, MappingAttr
from ..dialects.inner_tiled import InnerTiledOp, MultiMmaOp
from ..dialects.iree_gpu_ops import BarrierRegionOp, ShuffleTensorOp, ValueBarrierOp, YieldOp
from ..dialects.longhand import broadcast, cast_shape, extract, strided_slice, with_slice
from ..dialects.memref_buffers import CopyOp
from ..dialects.scf_execute import ExecuteRegionOp
from ..dialects.scf_forall import ForallOp
from ..dialects.scf_switch import IndexSwitchOp
from ..dialects.ub import PoisonOp
from ..dialects.vector_transfer import TensorReadOp, TensorWriteOp, TransferReadOp, TransferWriteOp
from ..kernels import Kernel
from ..mixed import static_attr
from ..types import I1, Attribute, MemRefType, StridedLayout, TensorType, Type, VectorType, element_type, shape_of
from .affine import number
from .table import EXPAND, Place, refuse, taken

REASON = "is of tensors, which are vectors or buffers (ir/expand/tensors.py)"
_CARRIERS: Collection[type[Operation]] = (
    scf.ForOp, scf.IfOp, scf.WhileOp, scf.ConditionOp, scf.YieldOp, ExecuteRegionOp, IndexSwitchOp,
    ValueBarrierOp, BarrierRegionOp, YieldOp, MultiMmaOp, InnerTiledOp,
)  # fmt: skip
"""Operations that mean of tensors what they mean of vectors."""


@dataclass(frozen=True)
class Whereabouts:
    """Of a tensor's elements: neither a vector nor a memref has them where no right program depends on them."""

    vector: Value | None = None
    """Of the tensor's shape, held by the owner."""
    memref: Value | None = None
    writable: bool = False
    """Whether what makes another tensor of this one may write the memref, unless this one is used elsewhere."""


ANYTHING = Whereabouts()
Mixed = Sequence[int | Value]
Rule = Callable[["Tensors", Place, Any], None]
_RULES: dict[type[Operation], Rule] = {}


def _rule(*classes: type[Operation]) -> Callable[[Rule], Rule]:
    def register(rule: Rule) -> Rule:
        _RULES.update(dict.fromkeys(classes, rule))
        EXPAND.needless(REASON, *(cls for cls in classes if cls is not ForallOp))
        return rule

    return register


def has_tensors(function: Operation) -> bool:
    return any(_of_tensors(op) for op in function.walk())


def _of_tensors(op: Operation) -> bool:
    return any(map(is_tensor.admits, (*op.operands, *op.results)))


def replace_tensors(kernel: Kernel) -> None:
    """Rewrites a kernel in place. Raises CompileError for what cannot be done without tensors."""
    Tensors(kernel).block(kernel.op.body)


class Tensors:
    """Where the elements of a kernel's tensors are, as far as it has been walked through."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.where: dict[Value, Whereabouts] = {}
        self._views: dict[tuple[object, ...], Value] = {}

    def block(self, block: Block) -> None:
        done = [op for op in list(block.operations) if self._operation(op)]
        for op in reversed(done):
            block.erase(op)

    def _operation(self, op: Operation) -> bool:
        """Whether it is to go: others stand for it."""
        place = Place(op, self.kernel)
        of_tensors = _of_tensors(op)
        if of_tensors and (rule := _RULES.get(type(op))):
            rule(self, place, op)
            return True
        if of_tensors:
            if type(op) not in _CARRIERS:
                raise refuse(op, "is of tensors, which it cannot be in a kernel", "compute with vectors")
            for i, value in enumerate(op.operands):
                if is_tensor.admits(value):
                    op.set_operand(i, self.vector(place, value, op))
        for region in op.regions:
            for block in region.blocks:
                self._hold(block.arguments, op)
                self.block(block)
        self._hold(op.results, op)
        return False

    def _hold(self, values: list[Value], op: Operation) -> None:
        """Lets a block's arguments, or results, be vectors."""
        for i, value in enumerate(values):
            if is_tensor.admits(value):
                values[i] = Value(_vector_type(value.type, op), value.owner, i, value.hint)
                self.where[value] = Whereabouts(values[i])

    # -- contents -------------------------------------------------------------------------------------------------

    def vector(self, build: Builder, value: Value, op: Operation) -> Value:
        """All elements."""
        found = self.where[value]
        if found.vector is not None:
            return found.vector
        type = _vector_type(value.type, op)
        if found.memref is None:
            return build.value(PoisonOp, types=[type])
        return read_whole(build, found.memref, type)

    def buffer(self, place: Place, value: Value, op: Operation) -> Value:
        """A memref of the elements, which nobody may write."""
        found = self.where[value]
        if found.memref is not None:
            return found.memref
        return self.own_buffer(place, value, op)

    def own_buffer(self, place: Place, value: Value, op: Operation) -> Value:
        """A new buffer of the owner's, with the elements of a tensor."""
        made = self._allocate(place, value, op)
        self.fill(place, value, made, op)
        return made

    def fill(self, build: Builder, value: Value, buffer: Value, op: Operation) -> None:
        found = self.where[value]
        if found.memref is not None:
            if found.memref is not buffer:
                build.op(CopyOp, found.memref, buffer, types=[])
        elif found.vector is not None:
            write_whole(build, found.vector, buffer)

    def view(
        self, build: Builder, buffer: Value, mixed: tuple[Mixed, Mixed, Mixed], shape: Sequence[int | None]
    ) -> Value:
        """A rectangle of a buffer, without the dimensions of size 1 that `shape` lacks. A block has it once, so that
        nothing is copied to where it is."""
        key = build.block, buffer, *map(tuple, mixed), tuple(shape)
        if key not in self._views:
            self._views[key] = _view(build, buffer, mixed, shape)
        return self._views[key]

    def meet(self, place: Place) -> None:
        """Lets all threads see what all wrote; a workgroup's own program is one for all of them."""
        if self.kernel.scope != "workgroup":
            place.op(gpu.BarrierOp)

    def _allocate(self, place: Place, value: Value, op: Operation) -> Value:
        scope = self.kernel.scope
        if scope == "subgroup":
            hint = "take offsets that are numbers, or write memrefs"
            raise refuse(op, "needs a buffer that is a subgroup's own, which lanewise does not make", hint)
        space = WORKGROUP if scope == "workgroup" else AddressSpaceAttr("private")
        return place.value(memref.AllocOp, [], types=[_memref_type(value.type, op, space)])


# -- whole tensors ----------------------------------------------------------------------------------------------------


def _extents(type: Type, op: Operation) -> tuple[int, ...]:
    assert isinstance(type, TensorType)
    known = tuple(n for n in type.shape if n is not None)
    if len(known) != len(type.shape):
        hint = "extents of what is not a buffer's own have to be numbers: take slices of static sizes"
        raise refuse(op, f"needs all elements of a {type}", hint)
    return known


def _vector_type(type: Type, op: Operation) -> VectorType:
    return VectorType(_extents(type, op), element_type(type))


def _memref_type(type: Type, op: Operation, space: Attribute) -> MemRefType:
    return MemRefType(_extents(type, op), element_type(type), None, space)


def _begin(build: Builder, rank: int) -> list[Value]:
    return [number(build, 0)] * rank


def _identity(rank: int) -> AffineMapAttr:
    return AffineMapAttr(AffineMap.identity(rank))


def _inside(rank: int) -> ArrayAttr:
    return ArrayAttr((IntegerAttr(1, I1),) * rank)


def read_whole(build: Builder, memref: Value, type: VectorType) -> Value:
    start, padding = _begin(build, type.rank), build.value(PoisonOp, types=[type.element])
    map, flags = _identity(type.rank), _inside(type.rank)
    return build.value(TransferReadOp, memref, start, padding, [], types=[type], permutation_map=map, in_bounds=flags)


def write_whole(build: Builder, vector: Value, memref: Value) -> None:
    rank = len(shape_of(vector.type))
    start, map, flags = _begin(build, rank), _identity(rank), _inside(rank)
    build.op(TransferWriteOp, vector, memref, start, [], types=[], permutation_map=map, in_bounds=flags)


# -- made, and looked at ----------------------------------------------------------------------------------------------


@_rule(tensor.EmptyOp)
def _empty(tensors: Tensors, place: Place, op: tensor.EmptyOp) -> None:
    tensors.where[op.result_] = ANYTHING


@_rule(tensor.SplatOp)
def _splat(tensors: Tensors, place: Place, op: tensor.SplatOp) -> None:
    tensors.where[op.result_] = Whereabouts(broadcast(place, op.input, _extents(op.result_.type, op)))


@_rule(tensor.FromElementsOp)
def _from_elements(tensors: Tensors, place: Place, op: tensor.FromElementsOp) -> None:
    type = _vector_type(op.result_.type, op)
    tensors.where[op.result_] = Whereabouts(place.value(vector.FromElementsOp, op.elements, types=[type]))


@_rule(ToTensorOp, LoadFromBufferOp)
def _of_buffer(tensors: Tensors, place: Place, op: ToTensorOp | LoadFromBufferOp) -> None:
    tensors.where[op.results[0]] = Whereabouts(memref=op.buffer, writable="writable" in op.attributes)


@_rule(MaterializeOp)
def _materialize(tensors: Tensors, place: Place, op: MaterializeOp) -> None:
    tensors.fill(place, op.source, op.dest, op)


@_rule(StoreToBufferOp)
def _store_to_buffer(tensors: Tensors, place: Place, op: StoreToBufferOp) -> None:
    tensors.fill(place, op.tensor, op.buffer, op)


@_rule(tensor.DimOp)
def _dim(tensors: Tensors, place: Place, op: tensor.DimOp) -> None:
    dim = constant_int(op.index)
    extent = op.source.type.shape[dim] if dim is not None and dim < len(op.source.type.shape) else None
    if extent is not None:
        found = number(place, extent)
    else:
        found = place.value(memref.DimOp, tensors.buffer(place, op.source, op), op.index)
    op.result_.replace_uses(found)


@_rule(tensor.ExtractOp)
def _extract(tensors: Tensors, place: Place, op: tensor.ExtractOp) -> None:
    known = [constant_int(i) for i in op.indices]
    where = tensors.where[op.tensor]
    if where.vector is not None and None not in known:
        found = extract(place, where.vector, [n for n in known if n is not None])
    else:
        found = place.value(memref.LoadOp, tensors.buffer(place, op.tensor, op), op.indices)
    op.result_.replace_uses(found)


@_rule(tensor.InsertOp)
def _insert(tensors: Tensors, place: Place, op: tensor.InsertOp) -> None:
    known = [constant_int(i) for i in op.indices]
    if None not in known and tensors.where[op.dest].memref is None:
        whole = tensors.vector(place, op.dest, op)
        position = dense_i64([n for n in known if n is not None])
        made = place.value(vector.InsertOp, op.scalar, whole, [], static_position=position)
        tensors.where[op.result_] = Whereabouts(made)
        return
    buffer = tensors.own_buffer(place, op.dest, op)
    place.op(memref.StoreOp, op.scalar, buffer, op.indices)
    tensors.where[op.result_] = Whereabouts(memref=buffer)


@_rule(TensorReadOp)
def _read(tensors: Tensors, place: Place, op: TensorReadOp) -> None:
    where = tensors.where[op.source]
    if where.vector is not None and _is_whole(op):
        op.vector.replace_uses(where.vector)
        return
    buffer, mask = tensors.buffer(place, op.source, op), [op.mask] if op.mask is not None else []
    types, attributes = [op.vector.type], op.attributes
    read = place.value(TransferReadOp, buffer, op.indices, op.padding, mask, types=types, **attributes)
    op.vector.replace_uses(read)


@_rule(TensorWriteOp)
def _write(tensors: Tensors, place: Place, op: TensorWriteOp) -> None:
    if _is_whole(op):
        tensors.where[op.result_] = Whereabouts(op.value)
        return
    buffer, mask = tensors.own_buffer(place, op.dest, op), [op.mask] if op.mask is not None else []
    map, flags = op.permutation_map, op.in_bounds
    place.op(TransferWriteOp, op.value, buffer, op.indices, mask, types=[], permutation_map=map, in_bounds=flags)
    tensors.where[op.result_] = Whereabouts(memref=buffer)


def _is_whole(op: TensorReadOp | TensorWriteOp) -> bool:
    """Whether the vector is the tensor, element by element."""
    begins = all(constant_int(i) == 0 for i in op.indices)
    same = op.vector_type.shape == op.memref_type.shape and op.map == AffineMap.identity(len(op.shape))
    return begins and same and op.mask is None


# -- slices -----------------------------------------------------------------------------------------------------------


@_rule(tensor.ExtractSliceOp)
def _extract_slice(tensors: Tensors, place: Place, op: tensor.ExtractSliceOp) -> None:
    where, corner = tensors.where[op.source], _corner(op)
    if where == ANYTHING:
        tensors.where[op.result_] = ANYTHING
    elif where.vector is not None and corner is not None:
        offsets, sizes = corner
        part = strided_slice(place, where.vector, offsets, sizes)
        tensors.where[op.result_] = Whereabouts(cast_shape(place, part, _extents(op.result_.type, op)))
    else:
        buffer = tensors.buffer(place, op.source, op)
        part = tensors.view(place, buffer, op.mixed, op.part.shape)
        tensors.where[op.result_] = Whereabouts(memref=part, writable=where.writable)


@_rule(tensor.InsertSliceOp)
def _insert_slice(tensors: Tensors, place: Place, op: tensor.InsertSliceOp) -> None:
    corner = _corner(op)
    if corner is not None and tensors.where[op.dest].memref is None:
        offsets, sizes = corner
        part = cast_shape(place, tensors.vector(place, op.source, op), sizes)
        made = with_slice(place, part, tensors.vector(place, op.dest, op), offsets)
        tensors.where[op.result_] = Whereabouts(made)
        return
    buffer = tensors.own_buffer(place, op.dest, op)
    tensors.fill(place, op.source, tensors.view(place, buffer, op.mixed, op.part.shape), op)
    tensors.where[op.result_] = Whereabouts(memref=buffer)


def _corner(op: tensor.Slice) -> tuple[list[int], list[int]] | None:
    """Offsets and sizes where all are numbers and neighbours stay neighbours."""
    offsets, sizes, strides = op.static_offsets, op.static_sizes, op.static_strides
    if None in (*offsets, *sizes) or set(strides) - {1}:
        return None
    return [n for n in offsets if n is not None], [n for n in sizes if n is not None]


def _view(build: Builder, buffer: Value, mixed: tuple[Mixed, Mixed, Mixed], shape: Sequence[int | None]) -> Value:
    known = [[n if isinstance(n, int) else None for n in entries] for entries in mixed]
    values = [[v for v in entries if isinstance(v, Value)] for entries in mixed]
    offsets, sizes, strides = map(static_attr, known)
    made = build.op(
        memref.SubViewOp, buffer, *values, static_offsets=offsets, static_sizes=sizes, static_strides=strides
    ).result_
    steps, offset = made.type.strides_and_offset()
    kept = tensor.kept_dims(known[1], shape)
    assert kept is not None
    if len(kept) < made.type.rank:
        layout = StridedLayout(tuple(steps[d] for d in kept), offset)
        made.type = MemRefType(tuple(shape), made.type.element, layout, made.type.memory_space)
    return made


# -- put together by several ------------------------------------------------------------------------------------------


@_rule(ShuffleTensorOp)
def _shuffle(tensors: Tensors, place: Place, op: ShuffleTensorOp) -> None:
    """All put their slices into one buffer, and read what they want of it before it may be written again."""
    buffer = place.value(memref.AllocOp, [], types=[_memref_type(op.dest.type, op, WORKGROUP)])
    if tensors.where[op.dest] != ANYTHING:
        tensors.fill(place, op.dest, buffer, op)
        tensors.meet(place)
    tensors.fill(place, op.source, tensors.view(place, buffer, op.slice, op.source.type.shape), op)
    tensors.meet(place)
    tensors.where[op.body.arguments[0]] = Whereabouts(memref=buffer)
    tensors.block(op.body)
    *inner, last = op.body.operations
    for each in inner:
        place.append(op.body.remove(each))
    (result,) = last.operands
    if is_tensor.admits(op.result_):
        tensors.where[op.result_] = Whereabouts(result)
    else:
        op.result_.replace_uses(result)
    tensors.meet(place)


@_rule(ForallOp)
def _forall(tensors: Tensors, place: Place, op: ForallOp) -> None:
    """The iterations write to buffers, and what follows sees what all of them wrote (`mapping.py`)."""
    rank = len(op.staticUpperBound)
    results = [Whereabouts(memref=_destination(tensors, place, op, value), writable=True) for value in op.outputs]
    tensors.where.update(zip(op.body.arguments[rank:], results, strict=True))
    tensors.where.update(zip(op.results, results, strict=True))
    tensors.block(op.body)
    del op.body.arguments[rank:]
    place.append(op.without_outputs(taken(op)))


@_rule(tensor.ParallelInsertSliceOp)
def _put(tensors: Tensors, place: Place, op: tensor.ParallelInsertSliceOp) -> None:
    """What the iteration ends with is written in front of its end."""
    end = op.enclosing()
    assert end is not None
    before, where = Place(end, tensors.kernel), tensors.where[op.dest]
    assert where.memref is not None
    tensors.fill(before, op.source, tensors.view(before, where.memref, op.mixed, op.part.shape), op)


def _destination(tensors: Tensors, place: Place, op: ForallOp, value: Value) -> Value:
    """The buffer into which the iterations put a tensor."""
    found, entry = tensors.where[value], _mapped_to(op)
    if found.memref is not None and found.writable and len(list(value.uses)) == 1:
        return found.memref
    if entry is None:
        return tensors.own_buffer(place, value, op)
    if entry.scope == "workgroup":
        hint = "begin with what a buffer holds, and let nothing else use that: bufferization.to_tensor %m writable"
        raise refuse(op, "lets workgroups put a tensor together that lies in no buffer of theirs", hint)
    if type(entry) in (LaneIdAttr, LaneMappingAttr):
        hint = "let threads do it, with #gpu.thread, or write to memrefs"
        raise refuse(op, "lets the lanes of each subgroup put a tensor of their own together", hint)
    buffer = place.value(memref.AllocOp, [], types=[_memref_type(value.type, op, WORKGROUP)])
    if _is_repeated(op):
        tensors.meet(place)
    if found != ANYTHING:
        tensors.fill(place, value, buffer, op)
        tensors.meet(place)
    return buffer


def _mapped_to(op: ForallOp) -> MappingAttr | None:
    entries = () if op.mapping is None else op.mapping.values
    return next((entry for entry in entries if isinstance(entry, MappingAttr)), None)


def _is_repeated(op: Operation) -> bool:
    around = op.enclosing()
    while around is not None:
        if around.repeats:
            return True
        around = around.enclosing()
    return False
