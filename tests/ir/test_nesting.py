"""Programs whose regions stand in one another as deep as is allowed, in every kind of region that control flow has."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import cycle, islice

import lanewise
import numpy as np
import pytest
from lanewise.ir.parser import parse_program
from lanewise.ir.printer import print_program
from lanewise.ir.reader import MAX_REGIONS
from lanewise.ir.verify import verify
from lanewise.support.deep_recursion import deep
from lanewise.support.diagnostics import ParseError

from ..examples import is_thorough

KINDS = (
    ("scf.for %i{n} = %c0 to %c1 step %c1 {{", "}}"),
    ("scf.if %yes {{", "}}"),
    ("scf.while (%w{n} = %yes) : (i1) -> () {{ scf.condition(%w{n}) }} do {{", "scf.yield %no : i1 }}"),
    ("scf.execute_region {{", "scf.yield }}"),
    ("scf.index_switch %c0 case 0 {{", "scf.yield }} default {{ scf.yield }}"),
    ("affine.for %j{n} = 0 to 1 {{", "}}"),
    ("affine.if affine_set<() : (1 >= 0)>() {{", "}}"),
    ("memref.alloca_scope {{", "}}"),
)
"""Each runs what it holds once."""


def nest(depth: int) -> str:
    """A kernel in so many regions; its own is one of them, and so are those of two modules around it."""
    kinds = list(islice(cycle(KINDS), depth - 3))
    opened = "\n".join(kind[0].format(n=n) for n, kind in enumerate(kinds))
    closed = "\n".join(kind[1].format() for kind in reversed(kinds))
    return f"""module {{ gpu.module @m {{
gpu.func @f(%x: memref<1xi32>) kernel
    attributes {{gpu.known_block_size = array<i32: 1, 1, 1>, lanewise.scope = "thread"}} {{
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%yes = arith.constant true
%no = arith.constant false
%seven = arith.constant 7 : i32
{opened}
%old = memref.load %x[%c0] : memref<1xi32>
%new = arith.addi %old, %seven : i32
memref.store %new, %x[%c0] : memref<1xi32>
{closed}
gpu.return
}} }} }}"""


@pytest.mark.parametrize("target", ["sm_90", "gfx942"])
def test_as_deep_as_is_allowed_on_every_executor(target: str) -> None:
    kernel = lanewise.compile(nest(MAX_REGIONS), target)
    x = np.ones(1, np.int32)
    assert kernel.thread_ir
    report = lanewise.validate(kernel, 1, x, on=["reference", "interpret", "emulated"], thorough=is_thorough())
    assert report.ok, str(report)
    kernel[1](x)
    assert x[0] == 8


def test_both_forms_are_printed_and_read() -> None:
    module = parse_program(nest(MAX_REGIONS))
    text = print_program(module)
    for generic in (False, True):
        again = parse_program(print_program(module, generic))
        verify(again)
        assert print_program(again) == text


def test_one_region_more_is_refused_where_it_opens() -> None:
    with pytest.raises(ParseError, match=r"regions nested more than 256 deep") as found:
        parse_program(nest(MAX_REGIONS + 1))
    assert found.value.diagnostics[0].location is not None


def test_depth_is_nobody_elses_matter() -> None:
    """The limit of calls stays what it was; what is raised far down arrives as it is; numpy's settings hold there."""
    limit = sys.getrecursionlimit()
    down: Callable[[int], str]

    @deep
    def down(left: int) -> str:
        return np.geterr()["over"] if left == 0 else down(left - 1)

    with np.errstate(over="raise"):
        assert down(5 * limit) == "raise"
    with pytest.raises(AttributeError, match="nothing like it"):
        failing(5 * limit)
    assert sys.getrecursionlimit() == limit


@deep
def failing(left: int) -> None:
    if left == 0:
        raise AttributeError("nothing like it")
    failing(left - 1)
