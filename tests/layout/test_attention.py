"""Attention without anchors against the same loop with fragments by hand, as the documents of the vendors have them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import lanewise
import pytest
from lanewise.codegen.machine_text import Language, MachineText

PROGRAMS = Path(__file__).parents[1] / "filetests/run"
Digits = tuple[int, int, int, int, int, int]
"""Of one dimension: subgroups, outer, threads, elements, stride of subgroups, of threads; batches take the rest."""
Fragment = tuple[Digits, Digits]

_ROWS, _PAIRS = (1, 1, 8, 1, 0, 4), (1, 2, 4, 2, 0, 1)
MMA_SYNC: Mapping[str, Fragment] = {
    "lhs": ((4, 2, 8, 1, 1, 4), _PAIRS),
    "acc": ((4, 2, 8, 1, 1, 4), (1, 1, 4, 2, 0, 1)),
    "rhs": (_PAIRS, _ROWS),
}
"""m16n8k16 (PTX ISA, "Matrix Fragments for mma.m16n8k16"); each of four subgroups has 16 rows."""
WMMA: Mapping[str, Fragment] = {
    "lhs": ((4, 1, 16, 1, 1, 1), (1, 1, 1, 16, 0, 0)),
    "acc": ((4, 8, 2, 1, 1, 16), (1, 1, 16, 1, 0, 1)),
    "rhs": ((1, 1, 1, 16, 0, 0), (1, 1, 16, 1, 0, 1)),
}
"""16x16x16 of gfx11, whose lanes l and l + 16 hold the same operands (RDNA3 ISA, wave matrix multiply accumulate)."""
ANCHORS = {"q": "lhs", "k": "rhs", "v": "rhs", "s0": "acc", "h": "lhs", "on": "acc"}
"""What each value of the programs is; keys lie the other way round, (n, k)."""


def layout(fragment: Fragment, shape: tuple[int, ...]) -> str:
    subgroups, outer, threads, elements, subgroup_strides, strides = zip(*fragment, strict=True)
    used = zip(shape, subgroups, outer, threads, elements, strict=True)
    batches = [n // (s * o * t * e) for n, s, o, t, e in used]
    return (
        f"#iree_vector_ext.nested_layout<subgroup_tile = {list(subgroups)}, batch_tile = {batches}, "
        f"outer_tile = {list(outer)}, thread_tile = {list(threads)}, element_tile = {list(elements)}, "
        f"subgroup_strides = {list(subgroup_strides)}, thread_strides = {list(strides)}>"
    )


def anchored(text: str, fragments: Mapping[str, Fragment]) -> str:
    """Every operand and result of both products has its fragment."""
    lines = list[str]()
    for line in text.splitlines():
        name, _, _ = line.strip().partition(" = ")
        role = ANCHORS.get(name.removeprefix("%")) if name.startswith("%") else None
        if role is None:
            lines.append(line)
            continue
        type = re.findall(r"vector<\d+x\d+xf\d+>", line)[-1]
        rows, columns = map(int, re.findall(r"\d+", type)[:2])
        fragment = fragments[role][::-1] if name == "%k" else fragments[role]
        lines.append(line.replace(f"{name} =", f"{name}_free =", 1))
        lines.append(
            f"{name} = iree_vector_ext.to_layout {name}_free to layout({layout(fragment, (rows, columns))}) : {type}"
        )
    return "\n".join(lines)


def in_loops(text: str, target: str, language: Language) -> int:
    return MachineText(lanewise.compile(text, target).assembly, language).in_loops


@pytest.mark.parametrize(
    ("file", "target", "fragments"),
    [
        ("attention_64", "sm_80", MMA_SYNC),
        ("attention_128_gfx11", "gfx1100", WMMA),
    ],
)
def test_a_loop_without_anchors_is_as_short(file: str, target: str, fragments: Mapping[str, Fragment]) -> None:
    text = (PROGRAMS / f"{file}.mlir").read_text()
    language: Language = "ptx" if target.startswith("sm") else "amdgcn"
    by_hand = in_loops(anchored(text, fragments), target, language)
    assert 0 < in_loops(text, target, language) <= 1.3 * by_hand


def test_threads_of_the_example_seldom_wait_for_each_other() -> None:
    """On gfx1100 rows cross threads through shared memory. Where layouts in which threads
    hold elements twice were not tried, there were 24 barriers."""
    kernel = lanewise.compile(Path(__file__).parents[2] / "examples/attention.mlir", "gfx1100")
    assert kernel.variant(kernel.best_facts).thread_ir.count("gpu.barrier") <= 18
