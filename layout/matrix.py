"""Which matrix instruction the layouts of a contraction spell.

An instruction fits when outer, thread, thread strides and element of the operands' M, N and K dimensions are those of
its fragments (`ir/targets`); batches and subgroups are free.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..ir.dialects import vector
from ..ir.targets import Chip, Fragment, MatrixInstruction, matrix_instructions
from ..ir.types import element_type
from .dimension import Dimension
from .nested import NestedLayout

Dims = tuple[int, int]


@dataclass(frozen=True)
class MatrixProduct:
    """The (row, column) positions of M, N and K among each operand's dimensions: (M, K), (K, N) and (M, N)."""

    lhs: Dims
    rhs: Dims
    acc: Dims


def as_matrix_product(op: vector.ContractionOp) -> MatrixProduct | None:
    """The contraction as one plain sum of products, in any order of each operand's dimensions; None if it is not."""
    dims = [m.result_dims() for m in op.maps]
    if len(op.iterators) != 3 or any(d is None or len(d) != 2 for d in dims) or op.kind.value != "add" or op.masks:
        return None
    lhs, rhs, acc = (list(d) for d in dims if d is not None)
    shared = [set(lhs) & set(acc), set(rhs) & set(acc), set(lhs) & set(rhs)]
    if any(len(s) != 1 for s in shared):
        return None
    m, n, k = (s.pop() for s in shared)
    return MatrixProduct((lhs.index(m), lhs.index(k)), (rhs.index(k), rhs.index(n)), (acc.index(m), acc.index(n)))


def candidates(op: vector.ContractionOp, chip: Chip) -> list[MatrixInstruction]:
    """The chip's instructions for the contraction's element types, one product at a time."""
    types = tuple(str(element_type(v.type)) for v in (op.lhs, op.rhs, op.acc))
    return [i for i in matrix_instructions(chip) if (i.a_type, i.b_type, i.c_type) == types and i.blocks == 1]


def fill(fragment: Fragment, parts: tuple[Dimension, Dimension]) -> tuple[Dimension, Dimension]:
    """The parts' subgroups and batches around the fragment's outer, thread and element tiles."""
    row, column = (
        part._replace(
            outer=fragment.outer[i],
            thread=fragment.thread[i],
            thread_stride=fragment.thread_strides[i] if fragment.thread[i] > 1 else 0,
            element=fragment.element[i],
        )
        for i, part in enumerate(parts)
    )
    return row, column


def find_instruction(
    op: vector.ContractionOp, layouts: Sequence[NestedLayout | None], chip: Chip
) -> MatrixInstruction | None:
    """The chip's instruction whose fragments the layouts of lhs, rhs and accumulator are; None of them may be open."""
    product = as_matrix_product(op)
    if product is None:
        return None
    for instruction in candidates(op, chip):
        fragments = zip(
            layouts, (product.lhs, product.rhs, product.acc), (instruction.a, instruction.b, instruction.c), strict=True
        )
        if all(layout is None or _is_fragment(layout, dims, fragment) for layout, dims, fragment in fragments):
            return instruction
    return None


def _is_fragment(layout: NestedLayout, dims: Dims, fragment: Fragment) -> bool:
    for position, dim in enumerate(dims):
        part = layout.dimension(dim)
        stride = fragment.thread_strides[position] if fragment.thread[position] > 1 else 0
        found = (part.outer, part.thread, part.thread_stride, part.element)
        if found != (fragment.outer[position], fragment.thread[position], stride, fragment.element[position]):
            return False
    return True


def accumulator_layout(
    op: vector.ContractionOp, lhs: NestedLayout, rhs: NestedLayout, instruction: MatrixInstruction
) -> NestedLayout:
    """The accumulator's layout: the instruction's fragment, batches and subgroups of M as in lhs, of N as in rhs."""
    product = as_matrix_product(op)
    assert product is not None
    parts = fill(instruction.c, (lhs.dimension(product.lhs[0]), rhs.dimension(product.rhs[1])))
    return NestedLayout.of_dimensions([parts[product.acc.index(i)] for i in range(2)])
