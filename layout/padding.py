"""Contractions whose extents are no multiples of a matrix instruction's, or of what `padding` of their
`lowering_config` says, are done on vectors of zeros around them.

Products of zeros add nothing, and rows and columns that nobody asked for are left out of the result.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from math import lcm, prod

from ..ir.attributes import DenseElementsAttr, DictAttr, i64_array, int_array
from ..ir.core import Operation, Value
from ..ir.dialects.arith import ConstantOp
from ..ir.dialects.constants import constant_attribute
from ..ir.dialects.iree_gpu_config import LOWERING_CONFIG, LoweringConfigAttr, lowering_config
from ..ir.dialects.iree_vector_ext import ToLayoutOp
from ..ir.dialects.vector import ContractionOp, ExtractStridedSliceOp, InsertStridedSliceOp
from ..ir.entry_place import entry_place
from ..ir.rewriter import Rewriter
from ..ir.types import Attribute, VectorType, element_type, shape_of
from ..support.dataclasses import replace
from ..support.diagnostics import CompileError, Report
from .contraction import Contraction, Contractions
from .dimension import LayoutError
from .instruction_choice import instructions_for, tilings
from .shares import sizes
from .teams import with_matrix_units
from .workgroup import Workgroup

PADDING = "padding"
_MOST_WASTE = 4
"""How many times the multiply-adds that are asked for."""


def padded_extents(op: ContractionOp) -> tuple[int, ...]:
    """Multiples of what its `padding` says, 0 saying nothing. Raises LayoutError for other than a size an iterator."""
    given = lowering_config(op).get(PADDING)
    extents = op.iterator_extents
    if given is None:
        return extents
    if op.masks or op.kind.value != "add":
        how = "is masked" if op.masks else f"joins products by {op.kind.value}"
        raise LayoutError(f"{PADDING} fills up plain sums of products, this one {how}")
    steps = sizes(PADDING, given, extents)
    return tuple(-(-extent // (step or 1)) * (step or 1) for extent, step in zip(extents, steps, strict=True))


def without_padding(given: Attribute, iterators: Collection[int]) -> Attribute:
    """What `padding` says of other iterators."""
    return i64_array([0 if it in iterators else step for it, step in enumerate(int_array(given))])


def pad_as_asked(function: Operation, most: int) -> bool:
    """Rewrites the contractions of a function whose `lowering_config` has a `padding`; whether there was one. Raises
    CompileError, also where that would make vectors of more than `most` elements."""
    report, rewriter, changed = Report(), Rewriter(function), False
    for op in function.all_of(ContractionOp):
        entries = lowering_config(op)
        if PADDING in entries:
            try:
                extents = padded_extents(op)
                _check_sizes(op, extents, most)
            except LayoutError as error:
                report.error(f"{op.title} lowering_config: {error}", entry_place(op, rf"{PADDING}\s*="))
                continue
            rest = {name: value for name, value in entries.items() if name != PADDING}
            del op.attributes[LOWERING_CONFIG]
            changed = True
            if rest:
                op.attributes[LOWERING_CONFIG] = LoweringConfigAttr(DictAttr.of(rest))
            if extents != op.iterator_extents:
                _rewrite(rewriter, op, extents)
    if report.diagnostics:
        raise CompileError(report.diagnostics)
    return changed


def _check_sizes(op: ContractionOp, extents: Sequence[int], most: int) -> None:
    for iterators in op.iterator_dims:
        elements = prod(extents[it] for it in iterators)
        if elements > most:
            raise LayoutError(f"{PADDING} makes a vector of {elements} elements, the limit is {most} for the threads")


def pad_to_matrix_units(function: Operation, workgroup: Workgroup, contractions: Contractions) -> bool:
    """Rewrites the contractions of a function in the vector stage, in place; whether there was one to rewrite."""
    if not function.all_of(ContractionOp):
        return False
    able = with_matrix_units(function, workgroup)
    rewriter, changed = Rewriter(function), False
    for op in rewriter:
        if op in able and isinstance(op, ContractionOp):
            what = contractions.of(op)
            if not what.obstacle and not tilings(what, workgroup):
                extents = min(_padded(what, workgroup), key=prod, default=None)
                if extents is not None and prod(extents) <= _MOST_WASTE * prod(what.extents):
                    _rewrite(rewriter, op, extents)
                    changed = True
    return changed


def _padded(what: Contraction, workgroup: Workgroup) -> Iterator[tuple[int, ...]]:
    """Extents that an instruction divides, the last iterator of each role being longer."""
    roles = what.roles
    for instruction, transposed in instructions_for(what, workgroup):
        m, n, k = instruction.shape
        rows, columns = (roles.columns, roles.rows) if transposed else (roles.rows, roles.columns)
        if what.run is not None:
            k = lcm(k, instruction.a.thread[1] * prod(what.run))
        sizes = {rows[-1]: m, columns[-1]: n, roles.summed[-1]: k}
        extents = tuple(-(-extent // sizes.get(it, 1)) * sizes.get(it, 1) for it, extent in enumerate(what.extents))
        if tilings(replace(what, extents=extents), workgroup):
            yield extents


def _rewrite(rewriter: Rewriter, op: ContractionOp, extents: Sequence[int]) -> None:
    shapes = [tuple(extents[it] for it in iterators) for iterators in op.iterator_dims]
    operands = [_into_zeros(rewriter, op, v, s) for v, s in zip((op.lhs, op.rhs, op.acc), shapes, strict=True)]
    wide = ContractionOp(operands, [operands[2].type], op.attributes, location=op)
    result: Value = rewriter.insert_before(op, wide).results[0]
    kept = shape_of(op.result_.type)
    if result.type != op.result_.type:
        rank = len(kept)
        attributes = {"offsets": i64_array([0] * rank), "sizes": i64_array(kept), "strides": i64_array([1] * rank)}
        part = ExtractStridedSliceOp([result], [op.result_.type], attributes, location=op)
        result = rewriter.insert_before(op, part).results[0]
    rewriter.replace(op, [result])


def _into_zeros(rewriter: Rewriter, op: ContractionOp, value: Value, shape: tuple[int, ...]) -> Value:
    """`value` at the start of a vector of zeros of a shape."""
    if shape == shape_of(value.type):
        return value
    element = element_type(value.type)
    type = VectorType(shape, element)
    zero = DenseElementsAttr((0.0 if element.is_float else 0,), type)
    around = rewriter.insert_before(op, ConstantOp((), [type], {"value": zero}, location=op)).results[0]
    attributes = {"offsets": i64_array([0] * len(shape)), "strides": i64_array([1] * len(shape))}
    inserted = InsertStridedSliceOp([value, around], [type], attributes, location=op)
    return rewriter.insert_before(op, inserted).results[0]


def without_zeros(value: Value) -> Value:
    """What an operand is without the zeros that were put around it here."""
    made = value.operation
    if isinstance(made, ToLayoutOp):
        return without_zeros(made.input)
    if isinstance(made, InsertStridedSliceOp) and constant_attribute(made.dest) is not None:
        return made.value
    return value
