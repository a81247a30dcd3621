"""Layouts for values that no anchor reaches."""

from __future__ import annotations

from math import gcd, prod

from ..ir.dialects import vector
from ..ir.targets import Chip
from ..ir.types import VectorType, bit_width, shape_of
from .dimension import Dimension, LayoutError
from .matrix import MatrixProduct, as_matrix_product, candidates, fill
from .nested import NestedLayout

_ACCESS_BITS = 128


def in_thread(shape: tuple[int, ...]) -> NestedLayout:
    """Every thread holds the whole vector."""
    return NestedLayout.of_dimensions([Dimension(element=n) for n in shape])


def coalesced(shape: tuple[int, ...], threads: int, element_bits: int) -> NestedLayout:
    """Neighbouring threads hold neighbouring elements, each up to 128 bits; what is left is repeated per thread.

    Tiles are powers of two, so that the rest of the compiler may use shuffles.
    """
    wide = max(1, _ACCESS_BITS // element_bits)
    remaining = threads & -threads
    if prod(shape) < remaining * wide:
        wide = max(1, _power_of_two(prod(shape) // remaining))
    dimensions: list[Dimension] = []
    stride = 1
    for position, extent in enumerate(reversed(shape)):
        element = gcd(extent, wide) if position == 0 else 1
        thread = gcd(extent // element & -(extent // element), remaining)
        batch = extent // (element * thread)
        dimensions.append(
            Dimension(batch=batch, thread=thread, element=element, thread_stride=stride if thread > 1 else 0)
        )
        remaining //= thread
        stride *= thread
    return NestedLayout.of_dimensions(reversed(dimensions))


def recast(layout: NestedLayout, shape: tuple[int, ...]) -> NestedLayout:
    """The same elements in the same threads, read in another shape. Raises LayoutError where no layout says that."""
    return in_thread(shape) if layout.threads_used == 1 else layout.reshape(shape)


def reshapable(op: vector.ShapeCastOp, threads: int) -> NestedLayout:
    """A layout for the source of a shape_cast that can be read in the shape of its result."""
    assert isinstance(op.source.type, VectorType)
    source, result = op.source.type.shape, shape_of(op.result_.type)
    bits = max(8, bit_width(op.source.type.element))
    while bits <= _ACCESS_BITS:
        try:
            layout = recast(coalesced((prod(source),), threads, bits), source)
            recast(layout, result)
        except LayoutError:
            bits *= 2
        else:
            return layout
    return in_thread(source)


def _power_of_two(n: int) -> int:
    """The largest power of two not above n, at least 1."""
    return 1 << max(0, n.bit_length() - 1)


def matrix_layouts(
    op: vector.ContractionOp, chip: Chip, subgroups: int
) -> tuple[NestedLayout, NestedLayout, NestedLayout] | None:
    """Layouts of lhs, rhs and accumulator for the chip's largest instruction that divides a matrix product.

    Subgroups tile M and N so that each multiplies a block as square as possible; those beyond repeat the work.
    """
    product, extents = as_matrix_product(op), op.iterator_extents
    if product is None:
        return None
    m, n, k = (extents[d] for d in _iterators(op, product))
    fitting = [i for i in candidates(op, chip) if m % i.shape[0] == 0 and n % i.shape[1] == 0 and k % i.shape[2] == 0]
    if not fitting:
        return None
    instruction = max(fitting, key=lambda i: (prod(i.shape), i.shape))
    tiles = m // instruction.shape[0], n // instruction.shape[1]
    rows, columns = _subgroup_grid(tiles, instruction.shape, subgroups)
    batches = (tiles[0] // rows, tiles[1] // columns, k // instruction.shape[2])
    m_part = Dimension(subgroup=rows, batch=batches[0], subgroup_stride=columns if rows > 1 else 0)
    n_part = Dimension(subgroup=columns, batch=batches[1], subgroup_stride=1 if columns > 1 else 0)
    k_part = Dimension(batch=batches[2])
    sides = (
        (product.lhs, (m_part, k_part), "a"),
        (product.rhs, (k_part, n_part), "b"),
        (product.acc, (m_part, n_part), "c"),
    )
    lhs, rhs, acc = (_placed(dims, fill(getattr(instruction, name), parts)) for dims, parts, name in sides)
    return lhs, rhs, acc


def _iterators(op: vector.ContractionOp, product: MatrixProduct) -> tuple[int, int, int]:
    """The iterators M, N and K."""
    lhs, rhs, _ = op.iterator_dims
    return lhs[product.lhs[0]], rhs[product.rhs[1]], lhs[product.lhs[1]]


def _subgroup_grid(tiles: tuple[int, int], shape: tuple[int, int, int], subgroups: int) -> tuple[int, int]:
    """(along M, along N): as many subgroups as fit, then the smallest half perimeter of a subgroup's block."""
    grids = [
        (r, c)
        for r in _divisors(tiles[0])
        for c in _divisors(tiles[1])
        if r * c <= subgroups and subgroups % (r * c) == 0
    ]

    def rank(grid: tuple[int, int]) -> tuple[int, int, tuple[int, int]]:
        r, c = grid
        return -r * c, tiles[0] // r * shape[0] + tiles[1] // c * shape[1], grid

    return min(grids, key=rank)


def _divisors(n: int) -> list[int]:
    return [i for i in range(1, n + 1) if n % i == 0]


def _placed(dims: tuple[int, int], parts: tuple[Dimension, Dimension]) -> NestedLayout:
    """A layout whose dimension `dims[i]` is `parts[i]`."""
    return NestedLayout.of_dimensions([parts[dims.index(i)] for i in range(2)])
