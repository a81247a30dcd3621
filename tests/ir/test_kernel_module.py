"""Modules of kernels that are built: as their texts are read."""

from __future__ import annotations

import pytest
from lanewise.ir.attributes import ArrayAttr, DictAttr, IntegerAttr
from lanewise.ir.core import Block, Builder
from lanewise.ir.dialects import gpu
from lanewise.ir.kernels import KernelOptions, find_kernel, kernel_module
from lanewise.ir.parser import parse_program
from lanewise.ir.printer import print_program
from lanewise.ir.types import F32, I64, INDEX, Attribute, MemRefType
from lanewise.ir.verify import verify
from lanewise.support.diagnostics import Location, ProgramError, Source

PLACE = Location(Source("def k(x): ...", "k.py"), 4)
OPTIONS: dict[str, tuple[KernelOptions, str]] = {
    "nothing": ({}, ""),
    "a subgroup": ({"subgroup": 64}, ", lanewise.subgroup_size = 64 : i64"),
    "clusters": ({"cluster": (2,)}, ", known_cluster_size = array<i32: 2, 1, 1>"),
    "whose program it is": ({"scope": "subgroup"}, ', lanewise.scope = "subgroup"'),
    "an option": ({"attributes": {"lanewise.persist": IntegerAttr(2, I64)}}, ", lanewise.persist = 2 : i64"),
}


@pytest.mark.parametrize("what", OPTIONS)
def test_a_module_is_that_of_its_text(what: str) -> None:
    options, text = OPTIONS[what]
    body = Block([MemRefType((8,), F32), INDEX])
    for value, hint in zip(body.arguments, ("x", "n"), strict=True):
        value.hint = hint
    module = kernel_module("k", body, (32, 2), location=PLACE, **options)
    verify(module)
    expected = parse_program(f"""gpu.func @k(%x: memref<8xf32>, %n: index) kernel
        attributes {{gpu.known_block_size = array<i32: 32, 2, 1>{text}}} {{
      gpu.return
    }}""")
    assert print_program(module) == print_program(expected)
    kernel = find_kernel(module)
    assert (kernel.name, kernel.block_size, kernel.stage) == ("k", (32, 2, 1), "vector")
    assert {op.location for op in module.walk()} == {PLACE}


def test_a_body_with_an_end_keeps_it() -> None:
    body = Block()
    end = Builder(body).op(gpu.ReturnOp, [])
    assert kernel_module("k", body, (1,)).all_of(gpu.ReturnOp) == [end]


def test_arguments_have_attributes() -> None:
    sixteen: Attribute = DictAttr.of({"llvm.align": IntegerAttr(16, I64)})
    module = kernel_module("k", Block([MemRefType((8,), F32)]), (1,), attributes={"arg_attrs": ArrayAttr((sixteen,))})
    align = find_kernel(module).argument_attribute(0, "llvm.align")
    assert isinstance(align, IntegerAttr) and align.value == 16


def test_what_is_wrong_is_told_where_the_kernel_stands() -> None:
    with pytest.raises(ProgramError, match=r"k.py:1:5: error: .*1025 threads"):
        find_kernel(kernel_module("k", Block(), (1025,), location=PLACE))
