"""nvgpu: what a thread says of a tensor map before copies take it."""

from __future__ import annotations

from ..core import Operation
from ..define import is_i1, operand, optional_operand
from .nvgpu_tma import is_tensor_map


class TmaPrefetchOp(Operation, opname="nvgpu.tma.prefetch.descriptor"):
    """A hint that copies are going to take the map, which else is read from memory for the first of them. Where there
    is a predicate and it does not hold, nothing. It changes no value."""

    pure = False
    tensorMapDescriptor = operand(is_tensor_map)
    predicate = optional_operand(is_i1)
    assembly = "$tensorMapDescriptor (`,` `predicate` `=` $predicate^)? attr-dict `:` type($tensorMapDescriptor)"
