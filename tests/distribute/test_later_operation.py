"""An elementwise operation that is registered when all rules have been loaded is laid out and distributed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from lanewise.distribute import rules as distribution_rules
from lanewise.distribute.context import DISTRIBUTE
from lanewise.ir.core import REGISTRY, Operation
from lanewise.ir.dialects import arith
from lanewise.ir.dialects.elementwise import FloatUnary
from lanewise.layout import rules as layout_rules
from lanewise.layout.transfer import TRANSFER, rule_of

assert all((distribution_rules, layout_rules))  # importing them fills the tables


@pytest.fixture
def later() -> Iterator[type[Operation]]:
    class TwiceOp(FloatUnary, opname="test.twice"):
        compute = staticmethod(lambda x: np.add(x, x))

    yield TwiceOp
    del REGISTRY["test.twice"]


def test_an_operation_registered_later_has_the_rules_of_elementwise_ones(later: type[Operation]) -> None:
    for table in (TRANSFER, DISTRIBUTE):
        assert table.get(later) is not None
        assert table.get(later) is table.get(arith.NegFOp)
    assert DISTRIBUTE.get(arith.AddIOp) is not DISTRIBUTE.get(later)  # its own rule wins


class NoRuleOp(Operation):
    pure = True


def test_a_missing_transfer_rule_is_an_error() -> None:
    with pytest.raises(AssertionError, match="has no transfer rule"):
        rule_of(NoRuleOp())
