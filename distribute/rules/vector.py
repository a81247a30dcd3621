"""vector: operations that move no data between threads: they rename, repeat, select or compute from coordinates."""

from __future__ import annotations

import numpy as np

from ...analysis.divisibility import power_of_two
from ...ir.core import Value
from ...ir.dialects import ub, vector
from ...ir.types import element_type, shape_of
from ..context import DISTRIBUTE, Distribution, distributes
from ..indexing import thread_offset
from ..movement import move_operation


@distributes(vector.BroadcastOp)
def _broadcast(d: Distribution, op: vector.BroadcastOp) -> None:
    result = d.layout(op.vector)
    if not op.source.type.is_vector:
        d.set_like(op.vector, [d.scalar(op.source)] * result.registers)
        return
    source, registers = shape_of(op.source.type), d.registers(op.source)
    lead, rank = result.rank - len(source), result.rank

    def pick(position: tuple[int, ...]) -> Value:
        """Levels are batch, outer, element; leading dimensions repeat, stretched ones are at position 0."""
        place = [position[level * rank + lead + i] if n > 1 else 0 for level in range(3) for i, n in enumerate(source)]
        return registers[tuple(place)]  # type: ignore[no-any-return]

    d.map_registers(op.vector, pick)


@distributes(vector.TransposeOp)
def _transpose(d: Distribution, op: vector.TransposeOp) -> None:
    rank = len(op.permutation)
    axes = [level * rank + p for level in range(3) for p in op.permutation]
    d.set_registers(op.result_, np.transpose(d.registers(op.vector), axes))


@distributes(vector.ShapeCastOp)
def _shape_cast(d: Distribution, op: vector.ShapeCastOp) -> None:
    move_operation(d, op)


@distributes(ub.PoisonOp)
def _poison(d: Distribution, op: ub.PoisonOp) -> None:
    """Zero is as good as anything, and costs nothing."""
    type = op.result_.type
    registers = d.layout(op.result_).registers if type.is_vector else 1
    d.set_like(op.result_, [d.build.constant(0, element_type(type))] * registers)


@distributes(vector.StepOp)
def _step(d: Distribution, op: vector.StepOp) -> None:
    layout = d.layout(op.result_)
    base = thread_offset(d, layout, 0)
    d.set_like(op.result_, [d.build.add(base, int(c)) for (c,) in layout.register_offsets()])


@distributes(vector.CreateMaskOp)
def _create_mask(d: Distribution, op: vector.CreateMaskOp) -> None:
    _mask(d, op.mask, [d.scalar(b) for b in op.bounds])


@distributes(vector.ConstantMaskOp)
def _constant_mask(d: Distribution, op: vector.ConstantMaskOp) -> None:
    _mask(d, op.mask, [d.build.constant(n) for n in op.mask_dim_sizes])


def _mask(d: Distribution, result: Value, bounds: list[Value]) -> None:
    """Every register compares its coordinates with the bounds.

    Neighbours along a dimension share one comparison where bound and coordinate are multiples of a common power of two:
    that is what makes the mask of a wide access uniform.
    """
    layout = d.layout(result)
    offsets = layout.register_offsets()
    columns: list[list[Value]] = []
    for dim, bound in enumerate(bounds):
        base = thread_offset(d, layout, dim)
        step = min(
            d.divisibility.of(base),
            d.divisibility.of(bound),
            power_of_two(layout.shape[dim]) if layout.shape[dim] else 1,
        )
        columns.append(
            [d.build.compare("slt", d.build.add(base, int(c) // step * step), bound) for c in offsets[:, dim]]
        )
    if not columns:
        d.set_like(result, [d.build.conjunction([])])
        return
    d.set_like(result, [d.build.conjunction(row) for row in zip(*columns, strict=True)])


DISTRIBUTE.needless(
    "thread-level operation: distribution makes it",
    vector.LoadOp,
    vector.StoreOp,
    vector.MaskedLoadOp,
    vector.MaskedStoreOp,
)
