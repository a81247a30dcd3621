"""Every registered operation has a meaning in the reference, or a stated reason why it needs none there."""

from __future__ import annotations

import numpy as np
from lanewise.frontend.legalisations import is_expanded
from lanewise.ir.core import REGISTRY, Operation
from lanewise.ir.dialects import func, load_all
from lanewise.ir.parser import parse_program
from lanewise.ir.types import F32
from lanewise.reference.closures import EVALUATE
from lanewise.reference.evaluate import evaluate
from lanewise.reference.propagation import PROPAGATE

from ..each import each

load_all()


@each(sorted(REGISTRY))
def test_every_operation_is_evaluated_or_says_why_not(name: str) -> None:
    cls = REGISTRY[name]
    rule = EVALUATE.get(cls) is not None
    on_values = cls.reference is not Operation.reference
    reasons = [EVALUATE.reason(cls)] if EVALUATE.reason(cls) is not None else []
    assert rule + on_values + len(reasons) == 1


def test_a_layout_does_not_change_the_value() -> None:
    module = parse_program("""
      func.func @f(%v: vector<8xf32>) -> vector<8xf32> {
        %w = iree_vector_ext.to_layout %v to layout(#iree_vector_ext.nested_layout<subgroup_tile = [1],
          batch_tile = [1], outer_tile = [1], thread_tile = [4], element_tile = [2], subgroup_strides = [0],
          thread_strides = [1]>) : vector<8xf32>
        return %w : vector<8xf32>
      }""")
    (op,) = module.body.operations
    assert isinstance(op, func.FuncOp)
    values = np.arange(8, dtype=np.float32)
    assert (evaluate(op, values)[0] == values).all()


UNDECIDED = {"arith.remf"}
"""Of inexact operands they leave nothing decided: they jump."""


def takes_floats(cls: type[Operation]) -> bool:
    source = getattr(cls, "source", None)  # what casts take
    constraints = [source] if source is not None else [group.constraint for group in cls.operand_groups]
    return any(constraint.holds(F32) for constraint in constraints)


def has_errors(cls: type[Operation]) -> bool:
    return cls.elementwise and not is_expanded(cls) and takes_floats(cls)


@each(sorted(name for name, cls in REGISTRY.items() if has_errors(cls)))
def test_errors_go_through_every_operation_on_floats(name: str) -> None:
    assert (PROPAGATE.get(REGISTRY[name]) is None) == (name in UNDECIDED)
