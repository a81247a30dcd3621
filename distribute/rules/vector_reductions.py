"""vector.multi_reduction and vector.contract, in the four stages of `reduce.py`."""

from __future__ import annotations

from itertools import product as cartesian

import numpy as np

from ...ir.attributes import UnitAttr
from ...ir.core import Value
from ...ir.dialects import arith, math, vector
from ...ir.dialects.lanewise_dot import BYTES, DotOp
from ...ir.dialects.vector_reductions import extension
from ...ir.types import I8, I32, Type, bit_width, element_type
from ...layout.byte_products import multiplies_bytes
from ...layout.instruction_choice import recorded
from ...layout.warpgroup_candidates import WarpgroupTiling
from ..context import Distribution, distributes
from ..matrix_units import multiply
from ..reduce import across_threads, join, join_all
from ..scan import last_along, scanned
from ..warpgroup_contraction import multiply as multiply_in_memory


@distributes(vector.MultiReductionOp)
def _multi_reduction(d: Distribution, op: vector.MultiReductionOp) -> None:
    layout, kind, flags = d.layout(op.source), op.kind.value, op.liberties
    rank, reduced = layout.rank, sorted(op.reduction_dims)
    registers = d.registers(op.source)
    kept = [level * rank + dim for level in range(3) for dim in range(rank) if dim not in reduced]
    folded = [axis for axis in range(3 * rank) if axis not in kept]
    ordered = np.transpose(registers, kept + folded)
    shape = ordered.shape[: len(kept)]
    rows = ordered.reshape(int(np.prod(shape, dtype=np.int64)), -1)
    partials = [join_all(d, kind, list(row), flags) for row in rows]
    totals = across_threads(d, kind, partials, [layout], reduced, flags)
    accs = d.registers(op.acc).reshape(-1)
    d.set_like(op.dest, [join(d, kind, total, acc, flags) for total, acc in zip(totals, accs, strict=True)])


@distributes(vector.ScanOp)
def _scan(d: Distribution, op: vector.ScanOp) -> None:
    layout, dim = d.layout(op.source), op.reduction_dim
    rank = layout.rank
    along = [level * rank + dim for level in range(3)]
    kept = [axis for axis in range(3 * rank) if axis not in along]
    lines = np.transpose(d.registers(op.source), kept + along)
    flat = lines.reshape(-1, *lines.shape[len(kept) :])
    starts = [None] * len(flat) if op.is_inclusive else d.registers(op.initial_value).reshape(-1).tolist()
    done = np.stack([scanned(d, op.kind, line, layout, dim, s) for line, s in zip(flat, starts, strict=True)])
    d.set_registers(op.dest, np.transpose(done.reshape(lines.shape), np.argsort(kept + along)))
    last = done[:, -1, -1, -1].tolist()
    used = bool(op.accumulated_value.users)
    d.set_like(op.accumulated_value, last_along(d, last, layout, dim) if used else last)


@distributes(vector.ContractionOp)
def _contraction(d: Distribution, op: vector.ContractionOp) -> None:
    tiling = recorded(op, d.workgroup, d.contractions)
    if isinstance(tiling, WarpgroupTiling):
        d.set_registers(op.result_, multiply_in_memory(d, op, tiling))
    elif tiling is not None:
        d.set_registers(op.result_, multiply(d, op, tiling))
    else:
        _without_matrix_instruction(d, op)


def _without_matrix_instruction(d: Distribution, op: vector.ContractionOp) -> None:
    """Products of the registers at hand, then the reduction's stages over the threads that share K.

    All results take a step along K before the next: of the operands only what a step needs is alive besides them.
    """
    element = element_type(op.acc.type)
    lhs, rhs = _Side(d, op, 0, element), _Side(d, op, 1, element)
    reduced = [i for i, kind in enumerate(op.iterators) if kind == "reduction"]
    extents = lhs.levels | rhs.levels
    acc_dims = [dim for dim in op.maps[2].result_dims() or () if dim is not None]
    inner = _places(reduced, [extents[r] for r in reduced])
    terms = (
        _BytesAtOnce(d, op, lhs, rhs) if multiplies_bytes(op, d.chip) and len(inner) > 1 else _OneByOne(d, op, lhs, rhs)
    )
    results = _places(acc_dims, [extents[i] for i in acc_dims])
    partials: list[Value | None] = [None] * len(results)
    for first in range(0, len(inner), terms.at_once):
        steps = inner[first : first + terms.at_once]
        for at, place in enumerate(results):
            partials[at] = terms.added([{**place, **within} for within in steps], partials[at])
    totals = _across(d, op, [total for total in partials if total is not None], reduced)
    accs = d.registers(op.acc).reshape(-1)
    d.set_like(op.result_, [join(d, op.kind.value, t, a) for t, a in zip(totals, accs, strict=True)])


Levels = tuple[int, int, int]


def _places(dims: list[int], extents: list[Levels]) -> list[dict[int, Levels]]:
    """All register positions over some iteration dims: (batch, outer, element) of each, batches slowest."""
    ranges = [range(e[level]) for level in range(3) for e in extents]
    count = len(dims)
    return [{dim: (p[i], p[count + i], p[2 * count + i]) for i, dim in enumerate(dims)} for p in cartesian(*ranges)]


class _Side:
    """One operand of a contraction, addressed by iteration dimensions."""

    def __init__(self, d: Distribution, op: vector.ContractionOp, operand: int, element: Type) -> None:
        value = (op.lhs, op.rhs)[operand]
        self.dims = [dim for dim in op.maps[operand].result_dims() or () if dim is not None]
        self.unextended = d.registers(value)
        self.unsigned = op.unsigned[operand]
        self._element = element
        self._extended: dict[tuple[int, ...], Value] = {}
        self._d = d
        self.mask = d.registers(op.masks[operand]) if op.masks else None
        shape, rank = self.unextended.shape, len(self.dims)
        self.levels: dict[int, Levels] = {
            dim: (shape[i], shape[rank + i], shape[2 * rank + i]) for i, dim in enumerate(self.dims)
        }

    def register(self, at: tuple[int, ...]) -> Value:
        """Extended to the accumulator's type, when it is first needed: it may take more room than it did."""
        if at not in self._extended:
            self._extended[at] = _extended(self._d, self.unextended.item(*at), self._element, self.unsigned)
        return self._extended[at]

    def index(self, place: dict[int, Levels]) -> tuple[int, ...]:
        return tuple(place[dim][level] for level in range(3) for dim in self.dims)


class _OneByOne:
    """A thread's partial results, a product at a time; fused multiply-adds where the kind is a floating-point sum."""

    at_once = 1

    def __init__(self, d: Distribution, op: vector.ContractionOp, lhs: _Side, rhs: _Side) -> None:
        self._d, self._op, self._lhs, self._rhs = d, op, lhs, rhs

    def added(self, places: list[dict[int, Levels]], total: Value | None) -> Value:
        (where,) = places
        left, right = self._lhs.index(where), self._rhs.index(where)
        return _masked_product(self._d, self._op, self._lhs, self._rhs, left, right, total)


class _BytesAtOnce:
    """Sums of products of bytes, four at a time; zeros fill the last."""

    at_once = BYTES

    def __init__(self, d: Distribution, op: vector.ContractionOp, lhs: _Side, rhs: _Side) -> None:
        self._d, self._sides = d, (lhs, rhs)
        marks = zip(("unsignedA", "unsignedB"), op.unsigned, strict=True)
        self._marks = {name: UnitAttr() for name, is_unsigned in marks if is_unsigned}
        self._packs: dict[tuple[int, tuple[tuple[int, ...], ...]], Value] = {}
        """By side and registers: rows share columns, and columns rows."""

    def added(self, places: list[dict[int, Levels]], total: Value | None) -> Value:
        left, right = (self._pack(side, tuple(self._sides[side].index(p) for p in places)) for side in (0, 1))
        before = self._d.build.constant(0, I32) if total is None else total
        return self._d.build.value(DotOp, left, right, before, types=[I32], **self._marks)

    def _pack(self, side: int, where: tuple[tuple[int, ...], ...]) -> Value:
        if (side, where) not in self._packs:
            bytes_ = [self._sides[side].unextended.item(*at) for at in where]
            bytes_ += [self._d.build.constant(0, I8)] * (BYTES - len(bytes_))
            self._packs[side, where] = self._d.build.pack(bytes_, (BYTES,))
        return self._packs[side, where]


def _masked_product(
    d: Distribution,
    op: vector.ContractionOp,
    lhs: _Side,
    rhs: _Side,
    left: tuple[int, ...],
    right: tuple[int, ...],
    total: Value | None,
) -> Value:
    a, b, kind = lhs.register(left), rhs.register(right), op.kind.value
    present = [side.mask[i] for side, i in ((lhs, left), (rhs, right)) if side.mask is not None]
    if not present:
        return _accumulate(d, kind, a, b, total)
    neutral = d.build.constant(op.kind.identity(a.type), a.type)
    term = d.build.value(arith.SelectOp, d.build.conjunction(present), _multiply(d, a, b), neutral)
    return term if total is None else join(d, kind, total, term)


def _accumulate(d: Distribution, kind: str, a: Value, b: Value, total: Value | None) -> Value:
    if total is not None and kind == "add" and a.type.is_float:
        return d.build.value(math.FmaOp, a, b, total)
    term = _multiply(d, a, b)
    return term if total is None else join(d, kind, total, term)


def _multiply(d: Distribution, a: Value, b: Value) -> Value:
    return d.build.value(arith.MulFOp if a.type.is_float else arith.MulIOp, a, b)


def _extended(d: Distribution, register: Value, element: Type, unsigned: bool) -> Value:
    """An operand of a narrower type is extended to the accumulator's first."""
    if register.type == element:
        return register
    assert bit_width(element_type(register.type)) < bit_width(element)
    return d.build.value(extension(element, unsigned), register, types=[element])


def _across(d: Distribution, op: vector.ContractionOp, partials: list[Value], reduced: list[int]) -> list[Value]:
    dims = [i for i, dim in enumerate(op.maps[0].result_dims() or ()) if dim in reduced]
    return across_threads(d, op.kind.value, partials, [d.layout(op.lhs), d.layout(op.rhs)], dims)
