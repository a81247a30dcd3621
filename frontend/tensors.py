"""Tensors are vectors that their owner holds, or what lies in a buffer.

Before anything else is expanded the tensors of a kernel go, in program order. What an owner makes it holds: a vector of
the tensor's shape, at the kernel's scope. What several put together (`scf.forall` over ids, `iree_gpu.shuffle_tensor`)
lies in shared memory, what `bufferization.to_tensor` and `iree_codegen.load_from_buffer` show in their buffer, and a
slice lies where its tensor does. Where a vector has to be indexed by a value it is put into a buffer of its owner's.

A buffer is written by the one operation that it was made for, so what lies in it stays until that runs again, in a
loop's next iteration; a tensor that leaves a region is read into a vector there.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..analysis.buffers import Buffers
from ..ir.core import Block, Builder, Operation, Region, Value
from ..ir.define import is_tensor
from ..ir.dialects import arith, gpu, memref, scf
from ..ir.dialects.arith import IntegerPredicateAttr
from ..ir.dialects.bufferization import ToTensorOp
from ..ir.dialects.gpu import WORKGROUP, AddressSpaceAttr, DimensionAttr
from ..ir.dialects.memref_buffers import CopyOp
from ..ir.dialects.scf_execute import ExecuteRegionOp
from ..ir.dialects.scf_switch import IndexSwitchOp
from ..ir.dialects.ub import PoisonOp
from ..ir.dynamic_index_list import dynamic_part, known_part, static_part
from ..ir.element_orders import SWIZZLE
from ..ir.kernels import Kernel
from ..ir.types import Attribute, MemRefType, StridedLayout, TensorType, Type, VectorType, element_type, shape_of
from ..support.dataclasses import dataclass
from .affine import number
from .dead import has_effect
from .dialects import tensor
from .dialects.inner_tiled import InnerTiledOp, MultiMmaOp
from .dialects.iree_gpu_ops import BarrierRegionOp, YieldOp
from .legalisations import OPEN, TENSORS, Inside, Place, TensorRule, refuse
from .whole_accesses import read_whole, write_whole
from .written_out_types import of_tensors

_CARRIERS: Collection[type[Operation]] = (
    scf.ForOp, scf.IfOp, scf.WhileOp, scf.ConditionOp, scf.YieldOp, ExecuteRegionOp, IndexSwitchOp,
    BarrierRegionOp, YieldOp, MultiMmaOp, InnerTiledOp,
)  # fmt: skip
"""Operations that mean of tensors what they mean of vectors."""


@dataclass(frozen=True)
class Whereabouts:
    """The whereabouts of a tensor's elements: neither a vector nor a memref has them where no right program depends on
    them."""

    vector: Value | None = None
    """A vector of the tensor's shape, held by the owner."""
    memref: Value | None = None
    sizes: tuple[Value, ...] = ()
    """The extents that the type leaves open, where neither of both has them."""

    @property
    def are_anything(self) -> bool:
        return self.vector is None and self.memref is None


Mixed = Sequence[int | Value]


def _is_open(op: Operation) -> bool:
    types = [v.type for v in (*op.operands, *op.results)]
    return any(isinstance(type, TensorType) and None in type.shape for type in types)


def replace_tensors(kernel: Kernel) -> None:
    """Rewrites a kernel in place. Raises CompileError for what cannot be done without tensors."""
    _erase_unused(kernel.op)
    Tensors(kernel).block(kernel.op.body)


def _erase_unused(function: Operation) -> None:
    """What changes a tensor in its buffer would be seen there, though nobody uses what it makes of it."""
    for op in reversed(list(function.walk())):
        if op.results and _is_open(op) and OPEN.has(type(op)) and not any(result.users for result in op.results):
            block = op.parent
            if block is not None and all(inner.terminator or not has_effect(inner) for inner in op.walk()):
                block.erase(op)


class Tensors:
    """Where the elements of a kernel's tensors are, as far as it has been walked through."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.where: dict[Value, Whereabouts] = {}
        self.orders: dict[Value, Attribute] = {}
        """In which order elements are to lie where a tensor gets a buffer (`iree_codegen.swizzle_hint`)."""
        self.writable: set[Value] = set()
        """Tensors whose buffer may be written."""
        self.seen: dict[Value, list[Value]] = {}
        """Tensors that lie, in part at least, where one does that they were made of."""
        self.into: dict[Value, Value] = {}
        """The buffer that iterations write, by the argument that stands for it there."""
        buffers = Buffers(kernel.op)
        shown = [op for op in kernel.op.walk() if isinstance(op, ToTensorOp) and op.writable and _is_open(op)]
        in_place = {buffer for op in shown for buffer in buffers.of(op.buffer)}
        self._buffers, self._written = buffers, buffers.written() | in_place
        self._views: dict[tuple[object, ...], Value] = {}

    def block(self, block: Block) -> None:
        done = [op for op in list(block.operations) if self._operation(op)]
        for op in reversed(done):
            block.erase(op)

    def _operation(self, op: Operation) -> bool:
        """Whether it is to go: others stand for it."""
        place = Place(op, self.kernel)
        has_some = of_tensors(op)
        rule = self._rule(op) if has_some else None
        if rule is not None:
            rule(self, place, op)
            self._note_seen(op)
            return True
        if has_some:
            if type(op) not in _CARRIERS:
                raise refuse(op, "is of tensors, which it cannot be in a kernel", "compute with vectors")
            for i, value in enumerate(op.operands):
                if is_tensor.admits(value):
                    op.set_operand(i, self.vector(place, value, op))
        for region in op.regions:
            for block in region.blocks:
                self.hold(block.arguments, op)
                self.block(block)
        self.hold(op.results, op)
        return False

    def _rule(self, op: Operation) -> TensorRule | None:
        open_rule = OPEN.get(type(op)) if _is_open(op) else None
        return open_rule or TENSORS.get(type(op))

    def _note_seen(self, op: Operation) -> None:
        """Whatever the rule was: what lies in an operand's buffer shows what happens to that."""
        for value in op.operands:
            if buffers := self._lies_in(value):
                shown = [result for result in op.results if not buffers.isdisjoint(self._lies_in(result))]
                self.seen.setdefault(value, []).extend(shown)

    def _lies_in(self, value: Value) -> frozenset[Value]:
        found = self.where.get(value)
        return frozenset() if found is None or found.memref is None else frozenset(self._buffers.of(found.memref))

    def hold(self, values: list[Value], op: Operation) -> None:
        """Lets a block's arguments, or results, be vectors, where nothing says where they are."""
        for i, value in enumerate(values):
            if is_tensor.admits(value) and value not in self.where:
                values[i] = Value(vector_type(value.type, op), value.owner, i, value.hint)
                self.where[value] = Whereabouts(values[i])

    # -- contents -------------------------------------------------------------------------------------------------

    def vector(self, build: Builder, value: Value, op: Operation) -> Value:
        """All elements."""
        found = self.where[value]
        if found.vector is not None:
            return found.vector
        type = vector_type(value.type, op)
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

    def changes(self, buffer: Value) -> bool:
        """Whether the kernel may write it, itself or as a tensor that is changed where it lies."""
        return not self._written.isdisjoint(self._buffers.of(buffer))

    def fill_together(self, place: Place, value: Value, buffer: Value, op: Operation) -> None:
        """Lets one of the owners write what they all have."""
        counts = self.kernel.block_size if place.scope == "thread" else (1, 1, 1)
        ids = [
            place.value(gpu.ThreadIdOp, dimension=DimensionAttr(d)) for d, n in zip("xyz", counts, strict=True) if n > 1
        ]
        ids += [place.value(gpu.SubgroupIdOp)] if place.scope == "subgroup" else []
        build: Builder = place
        for id in ids:
            first = build.value(arith.CmpIOp, id, number(build, 0), predicate=IntegerPredicateAttr("eq"))
            block = Block()
            build.op(scf.IfOp, first, types=[], regions=[Region([block]), Region()])
            if build is not place:
                build.op(scf.YieldOp, [])
            build = Inside(build, block)
        self.fill(build, value, buffer, op)
        if build is not place:
            build.op(scf.YieldOp, [])

    def meet(self, place: Place) -> None:
        """Lets all threads see what all wrote; a workgroup's own program is one for all of them."""
        if place.scope != "workgroup":
            place.op(gpu.BarrierOp)

    def _allocate(self, place: Place, value: Value, op: Operation) -> Value:
        scope = place.scope
        if scope == "subgroup":
            hint = "take offsets that are numbers, or write memrefs"
            raise refuse(op, "needs a buffer that is a subgroup's own, which lanewise does not make", hint)
        space = WORKGROUP if scope == "workgroup" else AddressSpaceAttr("private")
        return self.allocate(place, value, op, space)

    def allocate(self, place: Place, value: Value, op: Operation, space: Attribute) -> Value:
        """A new buffer for a tensor, without its elements."""
        held = self.where[value].vector
        shape = shape_of(held.type) if held is not None else extents(value.type, op)
        type = MemRefType(shape, element_type(value.type), None, space)
        made = place.op(memref.AllocOp, [], types=[type])
        if space == WORKGROUP and value in self.orders:
            made.attributes[SWIZZLE] = self.orders[value]
        return made.memref


# -- whole tensors ----------------------------------------------------------------------------------------------------


def extents(type: Type, op: Operation) -> tuple[int, ...]:
    assert isinstance(type, TensorType)
    known = tuple(n for n in type.shape if n is not None)
    if len(known) != len(type.shape):
        hint = "extents of what is not a buffer's own have to be numbers: take slices of static sizes"
        raise refuse(op, f"needs all elements of a {type}", hint)
    return known


def sizes_of(tensors: Tensors, build: Builder, value: Value) -> list[Value]:
    """The extents of a tensor that lies in no buffer."""
    found, type = tensors.where[value], value.type
    assert isinstance(type, TensorType) and found.memref is None
    shape = type.shape if found.vector is None else shape_of(found.vector.type)
    given = iter(found.sizes)
    return [next(given) if n is None else number(build, n) for n in shape]


def vector_type(type: Type, op: Operation) -> VectorType:
    return VectorType(extents(type, op), element_type(type))


def _view(build: Builder, buffer: Value, mixed: tuple[Mixed, Mixed, Mixed], shape: Sequence[int | None]) -> Value:
    values = [dynamic_part(entries) for entries in mixed]
    offsets, sizes, strides = map(static_part, mixed)
    made = build.op(
        memref.SubViewOp, buffer, *values, static_offsets=offsets, static_sizes=sizes, static_strides=strides
    ).result_
    steps, offset = made.type.strides_and_offset()
    kept = tensor.kept_dims(known_part(mixed[1]), shape)
    assert kept is not None
    if len(kept) < made.type.rank:
        layout = StridedLayout(tuple(steps[d] for d in kept), offset)
        made.type = MemRefType(tuple(shape), made.type.element, layout, made.type.memory_space)
    return made
