"""Memrefs of vectors become memrefs of their scalars: an element's dims come last, row-major and without gaps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod

from ..ir.affine import AffineMapAttr, Dim
from ..ir.attributes import ArrayAttr, DenseArrayAttr, DenseElementsAttr, DictAttr, IntegerAttr, TypeAttr, dense_i64
from ..ir.cache_hints import cache_hints
from ..ir.core import Builder, Operation, Value
from ..ir.dialects import arith, memref, memref_buffers, memref_views, vector
from ..ir.dialects.amdgpu_buffers import FatRawBufferCastOp
from ..ir.dialects.constants import constant_attribute
from ..ir.dialects.longhand import broadcast, cast_shape
from ..ir.dialects.memref_views import Mixed
from ..ir.dialects.nvvm_cluster import MapaOp
from ..ir.dialects.ub import PoisonOp
from ..ir.dialects.vector_transfer import TransferOp
from ..ir.dynamic_index_list import dynamic_part, static_part
from ..ir.kernels import Kernel
from ..ir.types import I1, I64, Attribute, FunctionType, MemRefType, StridedLayout, Type, scalar_type, shape_of
from .affine import number
from .legalisations import Place, refuse, values_of
from .written_out_types import element_shape, has_memrefs_of_vectors

Rewrite = Callable[[Place, Operation, tuple[int, ...]], Sequence[Value]]
"""Writes what an operation on a memref of vectors of a shape is, and gives its results."""


def flat(type: Type) -> Type:
    """A memref of vectors as one of scalars; other types as they are."""
    inner = element_shape(type)
    if not isinstance(type, MemRefType) or inner is None:
        return type
    unit, layout = prod(inner), type.layout
    if isinstance(layout, StridedLayout):
        strides = (*(_times(s, unit) for s in layout.strides), *_row_major(inner))
        layout = StridedLayout(strides, _times(layout.offset, unit))
    return MemRefType((*type.shape, *inner), scalar_type(type.element), layout, type.memory_space)


def flatten_memrefs(kernel: Kernel) -> None:
    """Rewrites a kernel in place. Raises CompileError for operations that no memref of vectors may go through."""
    if not has_memrefs_of_vectors(kernel.op):
        return
    for op, inner in [(op, _of_elements(op)) for op in kernel.op.walk() if op is not kernel.op]:
        if inner is not None:
            _flatten(kernel, op, inner)
    _widen_facts(kernel)
    for value in values_of(kernel.op):
        value.type = flat(value.type)
    inputs = tuple(argument.type for argument in kernel.arguments)
    kernel.op.attributes["function_type"] = TypeAttr(FunctionType(inputs, ()))


def _of_elements(op: Operation) -> tuple[int, ...] | None:
    """The shape of the elements that an operation accesses or sees anew; None where it has to do with none."""
    shapes = [element_shape(value.type) for value in (*op.operands, *op.results)]
    return next((shape for shape in shapes if shape is not None), None)


def _widen_facts(kernel: Kernel) -> None:
    """What is stated of extents and strides of arguments, said of the dims that they get, too; strides of vectors are
    multiples of that many scalars, too."""
    facts = list(kernel.op.arg_attrs.values if kernel.op.arg_attrs else ())
    for i, (argument, entry) in enumerate(zip(kernel.arguments, facts, strict=False)):
        inner = element_shape(argument.type)
        if inner is not None and isinstance(entry, DictAttr):
            more = {"lanewise.divisibility": inner, "lanewise.stride_divisibility": _row_major(inner)}
            entries = {name: _longer(value, more.get(name, ())) for name, value in entry.entries}
            facts[i] = DictAttr.of(entries)
    if facts:
        kernel.op.attributes["arg_attrs"] = ArrayAttr(tuple(facts))


def _longer(value: Attribute, more: Sequence[int]) -> Attribute:
    match value:
        case DenseArrayAttr(values=numbers):
            return DenseArrayAttr(I64, (*numbers, *more))
        case _:
            return value


def _flatten(kernel: Kernel, op: Operation, inner: tuple[int, ...]) -> None:
    if op.regions or op.terminator:
        return
    if type(op) not in _RULES:
        raise refuse(op, f"takes or makes a memref of {inner} vectors", "see the memref of their scalars")
    rule = _RULES[type(op)]
    if rule is None:
        return
    values = rule(Place(op, kernel), op, inner)
    for old, new in zip(op.results, values, strict=True):
        new.hint = new.hint or old.hint
        old.replace_uses(new)
    assert op.parent is not None
    op.parent.erase(op)


def _times(n: int | None, unit: int) -> int | None:
    return None if n is None else n * unit


def _row_major(shape: Sequence[int]) -> tuple[int, ...]:
    return tuple(prod(shape[i + 1 :]) for i in range(len(shape)))


def _zeros(place: Builder, inner: Sequence[int]) -> list[Value]:
    return [number(place, 0) for _ in inner]


# -- elements and slices ----------------------------------------------------------------------------------------------


def _load(place: Place, op: memref.LoadOp, inner: tuple[int, ...]) -> Sequence[Value]:
    indices = [*op.indices, *_zeros(place, inner)]
    types, hints = [op.result_.type], cache_hints(op)
    return place.op(vector.LoadOp, op.memref, indices, types=types, alignment=op.alignment, **hints).results


def _store(place: Place, op: memref.StoreOp, inner: tuple[int, ...]) -> Sequence[Value]:
    indices = [*op.indices, *_zeros(place, inner)]
    hints = cache_hints(op)
    return place.op(vector.StoreOp, op.value, op.memref, indices, types=[], alignment=op.alignment, **hints).results


def _slice(place: Place, op: Operation, inner: tuple[int, ...]) -> Sequence[Value]:
    """The same access, with more indices."""
    return _with_indices(place, op, inner, {})


def _with_indices(
    place: Place, op: Operation, inner: tuple[int, ...], others: Mapping[str, Value | None], **attributes: Attribute
) -> Sequence[Value]:
    groups: list[list[Value]] = []
    for field in op.operand_groups:
        values = list(field.group(op))
        if field.name in others:
            values = [v for v in [others[field.name]] if v is not None]
        groups.append([*values, *(_zeros(place, inner) if field.name == "indices" else ())])
    types = [r.type for r in op.results]
    operands, segments = [v for group in groups for v in group], tuple(map(len, groups))
    changed = {**op.attributes, **attributes}
    return place.append(type(op)(operands, types, changed, (), op, segments)).results


def _transfer(place: Place, op: TransferOp, inner: tuple[int, ...]) -> Sequence[Value]:
    map = op.map
    dims = [Dim(map.dims + i) for i in range(len(inner))]
    wider = type(map)(map.dims + len(inner), 0, (*map.results, *dims))
    flags = ArrayAttr((*op.in_bounds.values, *(IntegerAttr(1, I1),) * len(inner)))
    others: dict[str, Value | None] = {"mask": _mask(place, op, inner)}
    if isinstance(op, vector.TransferReadOp):
        others["padding"] = _padding(place, op)
    return _with_indices(place, op, inner, others, permutation_map=AffineMapAttr(wider), in_bounds=flags)


def _mask(place: Place, op: TransferOp, inner: tuple[int, ...]) -> Value | None:
    """A mask in the memref's order, for all scalars of an element."""
    if op.mask is None:
        return None
    lead = op.mask.type.shape if any(d is not None for d in op.memory_dims) else ()
    column = cast_shape(place, op.mask, (*lead, *(1 for _ in inner)))
    return broadcast(place, column, (*lead, *inner))


def _padding(place: Place, op: vector.TransferReadOp) -> Value:
    """The one scalar of a padding whose elements are equal."""
    element, maker = scalar_type(op.padding.type), op.padding.operation
    if isinstance(maker, PoisonOp):
        return place.value(PoisonOp, types=[element])
    if isinstance(maker, vector.BroadcastOp) and not shape_of(maker.source.type):
        return maker.source
    value = constant_attribute(op.padding)
    if isinstance(value, DenseElementsAttr) and value.is_splat:
        return place.value(vector.ExtractOp, op.padding, [], types=[element], static_position=_first(op.padding.type))
    raise refuse(op, f"pads with a {op.padding.type} whose elements may differ", "pad with one number in all of them")


def _first(type: Type) -> DenseArrayAttr:
    return dense_i64([0] * len(shape_of(type)))


# -- views ------------------------------------------------------------------------------------------------------------


def _type_cast(place: Place, op: vector.TypeCastOp, inner: tuple[int, ...]) -> Sequence[Value]:
    return [op.memref]


def _subview(place: Place, op: memref.SubViewOp, inner: tuple[int, ...]) -> Sequence[Value]:
    parts = [*op.mixed()]
    whole = [[0] * len(inner), list(inner), [1] * len(inner)]
    offsets, sizes, strides = ([*part, *more] for part, more in zip(parts, whole, strict=True))
    return _view(place, op, op.source, offsets, sizes, strides)


def _reinterpret_cast(place: Place, op: memref_views.ReinterpretCastOp, inner: tuple[int, ...]) -> Sequence[Value]:
    offset, sizes, strides = op.mixed()
    unit = prod(inner)
    scaled = [_scaled(place, stride, unit) for stride in strides]
    return _view(place, op, op.source, [_scaled(place, offset, unit)], [*sizes, *inner], [*scaled, *_row_major(inner)])


def _scaled(place: Place, entry: Mixed, unit: int) -> Mixed:
    return entry * unit if isinstance(entry, int) else place.value(arith.MulIOp, entry, number(place, unit))


def _view(
    place: Place, op: Operation, source: Value, offsets: list[Mixed], sizes: list[Mixed], strides: list[Mixed]
) -> Sequence[Value]:
    groups = {"static_offsets": offsets, "static_sizes": sizes, "static_strides": strides}
    static = {name: static_part(part) for name, part in groups.items()}
    values = [dynamic_part(part) for part in groups.values()]
    return [place.value(type(op), source, *values, types=[flat(op.results[0].type)], **static)]


_RULES: Mapping[type[Operation], Callable[..., Sequence[Value]] | None] = {
    memref.LoadOp: _load,
    memref.StoreOp: _store,
    vector.LoadOp: _slice,
    vector.StoreOp: _slice,
    memref_buffers.PrefetchOp: _slice,
    vector.TransferReadOp: _transfer,
    vector.TransferWriteOp: _transfer,
    vector.TypeCastOp: _type_cast,
    memref.SubViewOp: _subview,
    memref_views.ReinterpretCastOp: _reinterpret_cast,
    memref.AllocOp: None,
    memref_buffers.AllocaOp: None,
    memref.DeallocOp: None,
    memref.DimOp: None,
    memref.ViewOp: None,
    memref.CastOp: None,
    memref.AssumeAlignmentOp: None,
    memref_views.MemorySpaceCastOp: None,
    FatRawBufferCastOp: None,
    MapaOp: None,
}
"""By operation, what it becomes; those with None change in their types alone."""
