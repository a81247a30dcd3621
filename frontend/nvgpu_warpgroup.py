"""nvgpu's products of four subgroups as lanewise's: of tiles in buffers, whose accumulators are vectors of one
thread."""

from __future__ import annotations

from collections.abc import Sequence

from ..analysis.divisibility import Divisibility
from ..ir.analyses import Analyses
from ..ir.attributes import ArrayAttr, IntegerAttr, UnitAttr, scalar_attr
from ..ir.core import Value
from ..ir.define import is_vector
from ..ir.dialects import arith, gpu, memref, vector
from ..ir.dialects.iree_gpu import MMALayoutAttr
from ..ir.dialects.lanewise_warpgroup import WarpgroupMmaOp, WarpgroupWaitOp
from ..ir.dialects.memref import memref_type
from ..ir.dialects.nvgpu_warpgroup import (
    ROWS,
    GenerateDescriptorOp,
    WarpgroupAccumulatorType,
    WarpgroupDescriptorType,
    WarpgroupMmaInitAccumulatorOp,
    WarpgroupMmaStoreOp,
)
from ..ir.dialects.nvgpu_warpgroup import WarpgroupMmaOp as ProductOp
from ..ir.element_orders import order_of
from ..ir.kernels import Kernel
from ..ir.tensor_orders import ROWS as PATTERN
from ..ir.tensor_orders import tensor_order
from ..ir.types import I32, I64, VectorType, memory_bits
from ..targets.nvidia_fragments import LANES as SUBGROUP
from ..targets.nvidia_fragments import WARPGROUP
from ..targets.tensor_maps import SWIZZLES
from .affine import number
from .legalisations import Place, expands, refuse, values_of

_REGISTER_BITS = 32
_PAIR = 2
"""Accumulators of a row that lie side by side in a thread."""
_OF_WARPGROUPS = (GenerateDescriptorOp, ProductOp, WarpgroupMmaInitAccumulatorOp, WarpgroupMmaStoreOp)


def give_threads_accumulators(kernel: Kernel) -> None:
    """Gives every accumulator of a kernel the type of one thread's part, in place. Raises CompileError where whose
    program it is has no threads of their own."""
    for op in kernel.op.walk():
        if isinstance(op, _OF_WARPGROUPS) and kernel.scope != "thread":
            message = f"is of a thread's program, this one is a {kernel.scope}'s"
            raise refuse(op, message, 'lanewise.scope = "thread" makes it the program of a thread')
    for value in values_of(kernel.op):
        if isinstance(value.type, WarpgroupAccumulatorType):
            value.type = value.type.part


@expands(GenerateDescriptorOp)
def _descriptor(_: Place, op: GenerateDescriptorOp) -> Sequence[Value]:
    """Who multiplies the tile has asked for its place."""
    if op.descriptor.users:
        users = ", ".join(sorted({user.opname for user in op.descriptor.users}))
        raise refuse(op, f"names a tile for nvgpu.warpgroup.mma alone, found {users}")
    return [op.tensor]


@expands(WarpgroupMmaInitAccumulatorOp)
def _zeros(place: Place, op: WarpgroupMmaInitAccumulatorOp) -> Sequence[Value]:
    type = _part(op.results[0])
    return [place.value(arith.ConstantOp, value=scalar_attr(0, type))]


def _part(value: Value) -> VectorType:
    assert is_vector.admits(value)
    return value.type


# -- products ---------------------------------------------------------------------------------------------------------


@expands(ProductOp)
def _product(place: Place, op: ProductOp) -> Sequence[Value]:
    """One of 64 rows after another. Each is a group of its own here, so that as many more may be under way."""
    part, columns = _part(op.matrixC), op.instruction.shape[1]
    blocks = part.elements * WARPGROUP * SUBGROUP // (ROWS * columns)
    goes_on = op.groups_left > 0 and memory_bits(part.element) == _REGISTER_BITS
    sides = [_Tile(place, op, side) for side in range(2)]
    marks = {f"transpose{'AB'[side]}": UnitAttr() for side in range(2) if _is_marked(op, side)}
    accumulator: Value = op.matrixC
    for block in range(blocks):
        made = place.value(
            WarpgroupMmaOp,
            *(sides[0].buffer, sides[0].first(block * ROWS)),
            *(sides[1].buffer, sides[1].first(0)),
            _block(place, accumulator, block, blocks),
            types=[VectorType((part.elements // blocks,), part.element)],
            kind=MMALayoutAttr(op.instruction.iree_name),
            depth=IntegerAttr(op.descriptorA.type.shape[1], I64),
            **marks,
            **({"waitGroup": IntegerAttr(op.groups_left * blocks, I32)} if goes_on else {}),
        )
        accumulator = _with_block(place, made, accumulator, block, blocks)
    return [accumulator]


def _is_marked(op: ProductOp, side: int) -> bool:
    return op.tile(side)[1]


class _Tile:
    """A tile of A (0) or B (1): the allocation that it lies in, and where."""

    def __init__(self, place: Place, op: ProductOp, side: int) -> None:
        descriptor, transposed = op.tile(side)
        maker = descriptor.operation
        assert isinstance(maker, GenerateDescriptorOp), "verified"
        self._place = place
        self._moving = -1 if transposed else -2
        """The dimension along which the rows of A go on."""
        self.buffer, self._indices = _allocation(place, maker.tensor)
        width = _check_order(maker, self.buffer, descriptor.type)
        _check_place(place, maker, self._indices, width * 8 // memory_bits(maker.tensor.type.element))

    def first(self, row: int) -> list[Value]:
        """Indices of the first element of a row of A."""
        found = list(self._indices)
        found[self._moving] = _plus(self._place, found[self._moving], row)
        return found


def _allocation(place: Place, view: Value) -> tuple[Value, list[Value]]:
    """The buffer that a view is a rectangle of, and where it begins there."""
    maker = view.operation
    if not isinstance(maker, memref.SubViewOp) or set(maker.static_strides) != {1}:
        return view, [number(place, 0)] * memref_type(view).rank
    buffer, indices = _allocation(place, maker.source)
    given = iter(maker.offsets)
    offsets = [number(place, n) if n is not None else next(given) for n in maker.static_offsets]
    return buffer, [place.value(arith.AddIOp, a, b) for a, b in zip(indices, offsets, strict=True)]


def _check_order(op: GenerateDescriptorOp, buffer: Value, tile: WarpgroupDescriptorType) -> int:
    """The bytes of a box's row. Copies put boxes down in the allocation's order, the map's, or are refused."""
    maker, swizzle = buffer.operation, op.tensorMap.type.swizzle
    order = order_of(maker) if isinstance(maker, memref.AllocOp) else None
    found = tensor_order(memref_type(buffer), order)
    if found is None or found.width != SWIZZLES[swizzle]:
        wanted = f"names a tile whose rows lie in boxes of {SWIZZLES[swizzle]} bytes, mixed by {swizzle}"
        words = f"{wanted}, found {tile.tensor} in {memref_type(buffer)}, in another order"
        raise refuse(op, words, "'iree_codegen.swizzle' and 'lanewise.box' of its allocation: docs/semantics.md")
    return found.width


def _check_place(place: Place, op: GenerateDescriptorOp, indices: Sequence[Value], box: int) -> None:
    """A descriptor begins with a pattern of eight rows, and a box."""
    known = Analyses().get(Divisibility, place.kernel.op)
    for words, index, whole in (("row", indices[-2], PATTERN), ("column", indices[-1], box)):
        if known.of(index) % whole:
            raise refuse(op, f"begins at a {words} that is a multiple of {whole}, which is not known of this one")


# -- accumulators ----------------------------------------------------------------------------------------------------


def _block(place: Place, accumulator: Value, block: int, blocks: int) -> Value:
    """A thread's accumulators of 64 rows."""
    if blocks == 1:
        return accumulator
    size = _part(accumulator).elements // blocks
    return _slice(place, accumulator, block * size, size)


def _slice(place: Place, values: Value, first: int, size: int) -> Value:
    type, lists = VectorType((size,), _part(values).element), {"offsets": first, "sizes": size, "strides": 1}
    given = {name: _listed(n) for name, n in lists.items()}
    return place.value(vector.ExtractStridedSliceOp, values, types=[type], **given)


def _with_block(place: Place, made: Value, accumulator: Value, block: int, blocks: int) -> Value:
    if blocks == 1:
        return made
    given = {"offsets": _listed(block * _part(made).elements), "strides": _listed(1)}
    return place.value(vector.InsertStridedSliceOp, made, accumulator, types=[accumulator.type], **given)


@expands(WarpgroupMmaStoreOp)
def _store(place: Place, op: WarpgroupMmaStoreOp) -> Sequence[Value]:
    """PTX ISA, "Register fragments": of 64 rows thread 32w + 4g + t has 16w + g and the one 8 below it, and of these
    two columns of every eight, from 2t on."""
    part, rows = _part(op.matrixD), op.dstMemref.type.shape[0] or 0
    accumulator, blocks = _waited(place, op.matrixD), rows // ROWS
    lane, four = place.value(gpu.LaneIdOp), number(place, 4)
    subgroup = place.value(arith.RemUIOp, place.value(gpu.SubgroupIdOp), number(place, WARPGROUP))
    down = place.value(arith.MulIOp, subgroup, number(place, ROWS // WARPGROUP))
    row = place.value(arith.AddIOp, down, place.value(arith.DivUIOp, lane, four))
    column = place.value(arith.MulIOp, place.value(arith.RemUIOp, lane, four), number(place, _PAIR))
    for first in range(0, part.elements, _PAIR):
        block, i = divmod(first, part.elements // blocks)
        at = _plus(place, row, block * ROWS + i // 2 % 2 * 8), _plus(place, column, i // 4 * 8)
        _store_pair(place, op, _slice(place, accumulator, first, _PAIR), at)
    return []


def _plus(place: Place, a: Value, n: int) -> Value:
    return place.value(arith.AddIOp, a, number(place, n)) if n else a


def _listed(n: int) -> ArrayAttr:
    return ArrayAttr((IntegerAttr(n, I64),))


def _store_pair(place: Place, op: WarpgroupMmaStoreOp, pair: Value, at: Sequence[Value]) -> None:
    place.op(vector.StoreOp, pair, op.dstMemref, list(at), types=[])


def _waited(place: Place, accumulator: Value) -> Value:
    """Two accumulators that share a register are never under way."""
    if memory_bits(_part(accumulator).element) != _REGISTER_BITS:
        return accumulator
    return place.value(WarpgroupWaitOp, accumulator, types=[accumulator.type])
