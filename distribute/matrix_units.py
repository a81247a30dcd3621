"""Contractions on matrix instructions: the packs of registers that an instruction takes and gives."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np

from ..ir.builder import Scalars
from ..ir.dialects import vector
from ..ir.matrix_operations import multiply_tiles, pack_shape
from ..layout.tiling import Tiling
from ..targets import Fragment, MatrixInstruction
from .context import Distribution, as_array


def multiply(d: Distribution, op: vector.ContractionOp, tiling: Tiling) -> Scalars:
    """All tiles of the product; K goes outermost, so that neighbouring instructions do not wait for each other."""
    instruction = tiling.instruction
    values = tiling.swapped([d.registers(v) for v in (op.lhs, op.rhs, op.acc)])
    left, right, total = (_Side(v, its, tiling) for v, its in zip(values, tiling.sides, strict=True))
    a = _packs(d, left.operands(instruction.a, tiling.row, k=1), instruction, instruction.a)
    b = _packs(d, right.operands(instruction.b, tiling.column, k=0), instruction, instruction.b)
    c = _packs(d, total.accumulators(), instruction, instruction.c)
    for step in range(a.shape[-1]):
        for place in total.places():
            at = dict(zip(total.iterators, place, strict=True))
            operands = a.item(*left.tile(at), step), b.item(*right.tile(at), step)
            c[place] = multiply_tiles(d.build, instruction, *operands, c.item(*place))
    return total.joined(d, c)


def _packs(d: Distribution, fragments: Scalars, instruction: MatrixInstruction, fragment: Fragment) -> Scalars:
    """One pack for each fragment, whose registers are the last axis."""
    packs = np.empty(fragments.shape[:-1], object)
    for place in np.ndindex(packs.shape):
        packs[place] = d.build.pack(list(fragments[place]), pack_shape(instruction, fragment))
    return packs


class _Side:
    """An operand: `registers` are [batch, ..., outer, ..., element, ...], one of each for every iterator it has."""

    def __init__(self, registers: Scalars, iterators: tuple[int, ...], tiling: Tiling) -> None:
        self.registers = registers
        self.iterators = iterators
        self._tiling = tiling
        self._kept = [it for it in iterators if it not in tiling.summed]

    def places(self) -> Iterator[tuple[int, ...]]:
        """The places of all tiles: the instruction's columns go fastest, then its rows, so that A stays."""
        last = (self._tiling.row, self._tiling.column)
        order = sorted(range(len(self._kept)), key=lambda i: [it == self._kept[i] for it in reversed(last)])
        for place in np.ndindex(*(self._tiles()[i] for i in order)):
            yield tuple(place[order.index(i)] for i in range(len(order)))

    def tile(self, at: Mapping[int, int]) -> tuple[int, ...]:
        """Which of the operand's tiles the iterators' places name."""
        return tuple(at[it] for it in self._kept)

    def operands(self, fragment: Fragment, carrier: int, k: int) -> Scalars:
        """[tiles along each iterator that is kept, steps along K, registers in the instruction's order]; K is dimension
        `k` of the fragment, `carrier` the iterator along the other."""
        along_k = [a for it in self._tiling.summed for a in self._axes(it)]
        outer, element = self._axes(carrier)[1:]
        ordered = np.transpose(self.registers, [*self._repeated(), *along_k, outer, element])
        depth, across = ((fragment.outer[i], fragment.element[i]) for i in (k, 1 - k))
        split = ordered.reshape(math.prod(self._tiles()), -1, *depth, *across)
        natural = np.transpose(split, (0, 1, 4, 2, 5, 3) if k else (0, 1, 2, 4, 3, 5))
        in_order = np.transpose(natural, (0, 1, *(2 + axis for axis in fragment.register_order)))
        return in_order.reshape(*self._tiles(), in_order.shape[1], -1)

    def accumulators(self) -> Scalars:
        """[tiles along each iterator, registers in the instruction's order]."""
        return np.transpose(self.registers, self._accumulator_axes()).reshape(*self._tiles(), -1)

    def joined(self, d: Distribution, packs: Scalars) -> Scalars:
        """The registers that accumulators in packs stand for."""
        order = self._accumulator_axes()
        scalars = [scalar for pack in packs.reshape(-1) for scalar in d.build.unpack(pack)]
        ordered = as_array(scalars, tuple(self.registers.shape[a] for a in order))
        return np.transpose(ordered, np.argsort(order))

    def _accumulator_axes(self) -> list[int]:
        carried = self._tiling.row, self._tiling.column
        natural = [self._axes(it)[level] for level in (1, 2) for it in carried]
        return [*self._repeated(), *(natural[axis] for axis in self._tiling.instruction.c.register_order)]

    def _axes(self, iterator: int) -> tuple[int, int, int]:
        """Those of an iterator's batch, outer and element."""
        rank, at = len(self.iterators), self.iterators.index(iterator)
        return at, rank + at, 2 * rank + at

    def _repetitions(self, iterator: int) -> tuple[int, ...]:
        """Axes that repeat the instruction: batches where a fragment lies along the iterator, else all registers."""
        axes = self._axes(iterator)
        return axes[:1] if iterator in (self._tiling.row, self._tiling.column) else axes

    def _repeated(self) -> list[int]:
        return [axis for it in self._kept for axis in self._repetitions(it)]

    def _tiles(self) -> tuple[int, ...]:
        shape = self.registers.shape
        return tuple(math.prod(shape[a] for a in self._repetitions(it)) for it in self._kept)
