"""nvgpu: what a thread says of a tensor map before copies take it."""

from __future__ import annotations

from ..core import Operation
from ..define import is_i1, operand, optional_operand
from ..traits import NOTHING
from .nvgpu_tma import is_tensor_map


class TmaPrefetchOp(Operation, opname="nvgpu.tma.prefetch.descriptor"):
    """A hint that copies are going to take the map, which else is read from memory for the first of them. Where there
    is a predicate and it does not hold, nothing. It changes no value."""

    pure = False
    tensorMapDescriptor = operand(is_tensor_map, NOTHING)
    predicate = optional_operand(is_i1)
    assembly = "$tensorMapDescriptor (`,` `predicate` `=` $predicate^)? attr-dict `:` type($tensorMapDescriptor)"


class TmaFenceOp(Operation, opname="nvgpu.tma.fence.descriptor"):
    """Changes of the map that the thread has heard of are there for copies that it begins. Maps are made by the launch,
    before anything runs, and nobody changes them, so that it has nothing to do."""

    pure = False
    tensorMapDescriptor = operand(is_tensor_map, NOTHING)
    assembly = "$tensorMapDescriptor attr-dict `:` type($tensorMapDescriptor)"
