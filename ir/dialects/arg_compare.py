"""iree_vector_ext.arg_compare: the element along a dim that beats all others, and where it is, by any comparator."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ...support.diagnostics import Report
from ..core import Operation, Value
from ..define import (
    int_attribute,
    integer_like,
    is_index,
    is_scalar,
    is_vector,
    operand,
    operands,
    optional_operand,
    region,
    result,
)
from ..numerics import Array, dtype_of, wrapped
from ..types import I1, Attribute, Type, VectorType
from . import arith


class YieldOp(Operation, opname="iree_vector_ext.yield"):
    """Ends a comparator: whether its first argument beats its second."""

    pure = False
    terminator = True
    values = operands(is_scalar)
    assembly = "attr-dict $values `:` type($values)"

    def verify(self, report: Report) -> None:
        if not isinstance(self.enclosing(), ArgCompareOp):
            self.error(report, "must end the comparator of an iree_vector_ext.arg_compare")
        elif [v.type for v in self.values] != [I1]:
            self.error(report, f"must yield one i1, found ({', '.join(str(v.type) for v in self.values)})")


class ArgCompareOp(Operation, opname="iree_vector_ext.arg_compare"):
    """Starting from the initial value and index, every element along `dimension`, in order, takes the place of the best
    so far where `comparator(element, best)` holds, and its index that of the best one's.

    The indices are those of `input_index`, else `index_base` (default: 0) + the position along the dimension.
    """

    pure = False
    recursive_effects = True
    dimension = int_attribute()
    input_value = operand(is_vector)
    input_index = optional_operand(is_vector)
    init_value = operand(is_vector)
    init_index = operand(is_vector)
    index_base = optional_operand(is_index)
    comparator = region()
    result_value = result(is_vector)
    result_index = result(is_vector)
    assembly = (
        "attr-dict `dimension` `` `(` $dimension `)` `ins` `` `(` $input_value (`,` $input_index^)? `:`"
        " type($input_value, $input_index) `)` `inits` `` `(` $init_value `,` $init_index `:`"
        " type($init_value, $init_index) `)` (`index_base` `` `(` $index_base^ `:` type($index_base) `)`)?"
        " $comparator `->` type(results)"
    )

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type]:
        vectors = [value.type for value in operands if value.type.is_vector]
        return list(vectors[-2:])  # the initial ones: an index base behind them is no vector

    # -- rules --------------------------------------------------------------------------------------------------

    def verify(self, report: Report) -> None:
        source, dim = self.input_value.type, self.dimension
        if not 0 <= dim < source.rank:
            self.error(report, f"dimension {dim} is no dim of {source}")
            return
        self._check_vectors(report)
        self._check_indices(report)
        self._check_comparator(report)

    @property
    def kept_shape(self) -> tuple[int, ...]:
        """The input's shape without the dimension."""
        shape = self.input_value.type.shape
        return shape[: self.dimension] + shape[self.dimension + 1 :]

    def _check_vectors(self, report: Report) -> None:
        value = VectorType(self.kept_shape, self.input_value.type.element)
        index = VectorType(self.kept_shape, self.init_index.type.element)
        for words, found, expected in (
            ("initial value", self.init_value, value),
            ("initial index", self.init_index, index),
            ("first result", self.result_value, value),
            ("second result", self.result_index, index),
        ):
            if found.type != expected:
                self.error(report, f"{words} must be {expected}, found {found.type}")

    def _check_indices(self, report: Report) -> None:
        element = self.init_index.type.element
        if not integer_like.holds(element):
            self.error(report, f"indices must be integers, found {element}")
        if self.input_index is None:
            return
        expected = VectorType(self.input_value.type.shape, element)
        if self.input_index.type != expected:
            self.error(report, f"input index must be {expected}, found {self.input_index.type}")
        if self.index_base is not None:
            self.error(report, "has an index_base, which counts positions, and an input index, which says them")

    def _check_comparator(self, report: Report) -> None:
        block, element = self.comparator.block, self.input_value.type.element
        found = [a.type for a in block.arguments]
        if found != [element] * 2:
            types = ", ".join(map(str, found))
            self.error(report, f"comparator must take two elements ({element}, {element}), takes ({types})")
        if not isinstance(block.terminator, YieldOp):
            self.error(report, "comparator must end in iree_vector_ext.yield")
        for inner in block.operations:
            vectors = any(is_vector.admits(r) for r in inner.results)
            if not inner.terminator and (vectors or not (inner.elementwise or inner.constant_like)):
                inner.error(report, "stands in a comparator, which computes one i1 of two elements, scalar by scalar")

    # -- meaning ------------------------------------------------------------------------------------------------

    def captured(self) -> list[Value]:
        """The scalars from outside that the comparator uses."""
        block = self.comparator.block
        own = {*block.arguments, *(r for op in block.operations for r in op.results)}
        return list(dict.fromkeys(v for op in block.operations for v in op.operands if v not in own))

    def beats(self, first: Array, second: Array, outside: Mapping[Value, Array]) -> Array:
        """The comparator on all elements of two arrays; `outside` has what `captured` names, which broadcast."""
        block = self.comparator.block
        values: dict[Value, Array] = {**outside, **dict(zip(block.arguments, (first, second), strict=True))}
        for op in block.operations:
            if isinstance(op, arith.ConstantOp):
                values[op.result_] = op.array()
            elif not op.terminator:
                found = op.reference(*(values[v] for v in op.operands))
                values.update(zip(op.results, found if len(op.results) > 1 else [found], strict=True))
        assert block.terminator is not None
        return np.asarray(values[block.terminator.operands[0]])

    def fold(
        self,
        values: Array,
        index_at: Callable[[int], Array],
        start: tuple[Array, Array],
        outside: Mapping[Value, Array],
    ) -> tuple[Array, Array]:
        """The results of an input whose first axis is the dimension; `index_at` has the indices of a position."""
        best, index = start
        for position, candidate in enumerate(values):
            wins = self.beats(candidate, best, outside)
            best, index = np.where(wins, candidate, best), np.where(wins, index_at(position), index)
        return best, index

    def numbered(self, base: Array, position: int) -> Array:
        """The index of a position, in the type of the indices."""
        type = self.init_index.type.element
        number = np.asarray(base + position)
        return number & 1 != 0 if type == I1 else wrapped(number.astype(dtype_of(type)), type)
