"""Both spellings of a comparison of index are read."""

from __future__ import annotations

import pytest
from lanewise.frontend.dialects import index
from lanewise.ir.parser import parse_program
from lanewise.support.diagnostics import ParseError


@pytest.mark.parametrize("spelling", ["#index<cmp_predicate sge>", "#index.cmp_predicate<sge>"])
def test_a_predicate_in_generic_form(spelling: str) -> None:
    compared = f'%0 = "index.cmp"(%a, %a) <{{pred = {spelling}}}> : (index, index) -> i1'
    program = parse_program(f"func.func @f(%a: index) {{\n{compared}\nreturn\n}}")
    (op,) = program.all_of(index.CmpOp)
    assert op.pred.value == "sge"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("func.call_indirect", "functions have no address in a kernel"),
        ("gpu.subgroup_mma_extract_thread_local", "which element a thread holds is the chip's affair"),
        ("complex.add", "there are no complex numbers"),
        ("flow.dispatch.tensor.load", "flow is of the host"),
    ],
)
def test_what_lanewise_lacks_is_refused_with_a_reason(name: str, reason: str) -> None:
    with pytest.raises(ParseError, match=reason):
        parse_program(f"func.func @f(%a: index) {{\n{name} %a\nreturn\n}}")
