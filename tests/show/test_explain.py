"""Explanations: what was derived by hand of two programs of attention, every example, and what is refused."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path
from typing import Annotated

import lanewise
import lanewise.lang as lw
import numpy as np
import pytest
from lanewise.__main__ import main
from lanewise.ir.analyses import Analyses
from lanewise.layout.coalescing import Memory, traffic
from lanewise.layout.contraction import Contractions
from lanewise.layout.dimension import Dimension
from lanewise.layout.nested import NestedLayout
from lanewise.layout.search import Choice
from lanewise.layout.teams import teams
from lanewise.layout.workgroup import Workgroup
from lanewise.show.explain import explain
from lanewise.show.explanation import Explanation
from lanewise.show.explanation_parts import Crossing, Step
from lanewise.targets import find_chip

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.mlir"))
RFC = ROOT / "tests/filetests/spec/rfc_flash_attention.mlir"
CHIPS = ("sm_80", "sm_90a", "gfx942", "gfx1100")


def brought(it: Explanation) -> list[Crossing]:
    return [c for c in it.crossings if c.way in ("shuffles", "shared memory")]


def steps(it: Explanation, op: str) -> list[Step]:
    return [step for step in it.steps if step.op == op]


def test_the_rfc_on_nvidia() -> None:
    """Four neighbouring lanes have a row of an accumulator, two neighbours of eight columns each: 32 of 128 columns.
    The first product's accumulators are the second one's A as they are, so nothing moves but the output."""
    it = explain(RFC, "sm_90")
    assert it.is_from_registers
    assert "Yes: nothing that threads hold goes through shared memory" in str(it)
    for step in steps(it, "vector.multi_reduction"):
        found = step.combination
        assert found is not None
        assert (found.elements, found.lanes, found.subgroups, found.steps, found.holders) == (32, 4, 1, 2, 4)
        assert (step.threads, step.lanes) == (32, 8)
    assert [c.used_at for c in brought(it)] == [82]
    assert [step.matrix for step in steps(it, "vector.contract")] == ["NV_MMA_SYNC_F32_16x8x16_F16"] * 2
    assert it.totals.threads == 128
    assert "32 of 32 threads of each subgroup" in str(it)


def test_the_rfc_on_amd() -> None:
    """Products are transposed: a lane has half of a row, and the other half is 32 lanes away. The exponentials are the
    second product's B as they are: Q, K and the output change their layouts, nothing between the products."""
    it = explain(RFC, "gfx942")
    assert it.is_from_registers
    for step in steps(it, "vector.multi_reduction"):
        found = step.combination
        assert found is not None
        assert (found.elements, found.lanes, found.subgroups, found.steps, found.holders) == (64, 2, 1, 1, 2)
    assert {c.used_at for c in brought(it)} == {54, 82}
    assert {step.matrix for step in steps(it, "vector.contract")} == {"MFMA_F32_32x32x8_F16"}
    inside = [c for c in brought(it) if c.in_loop]
    assert [(c.type, c.used_at) for c in inside] == [("vector<128x64xf16>", 54)]


def test_attention_on_nvidia() -> None:
    """Subgroup 2 has rows 32 to 47 of the output; where it is written, eight threads have a row, 32 rows at a time."""
    it = explain(ROOT / "examples/attention.mlir", "sm_90")
    (exchange,) = brought(it)
    assert (exchange.way, exchange.shared_bytes, exchange.barriers) == ("shared memory", 128 * 64 * 2, 2)
    assert (exchange.element, exchange.giver, exchange.taker) == ((32, 0), (64, 0), (0, 8))
    assert [(a.op, a.line) for a in exchange.anchors] == [("vector.contract", 71), ("vector.transfer_write", 106)]
    assert not it.is_from_registers
    assert "No: 1 conversion through shared memory (line 106)" in str(it)
    (write,) = steps(it, "vector.transfer_write")
    (access,) = write.memory
    assert (access.accesses, access.bytes, access.taken, access.least) == (4, 16, 64, 64)
    read = next(s for s in it.steps if s.op == "vector.transfer_read" and s.place.line == 66)
    assert [(m.accesses, m.bytes, m.taken, m.least) for m in read.memory] == [(16, 4, 128, 64)]
    rings = {b.name: b for b in it.buffers}
    assert {b.slots for b in rings.values()} == {4}
    assert rings["ring_k"].filled_by == (("lanewise.async_copy", 256),)
    assert rings["ring_k"].read_at == (71,)
    assert [loop.buffers for loop in it.loops] == [("ring_k", "ring_v"), ("ring_k.1", "ring_v.1")]


def test_copies_by_one_thread() -> None:
    """Two tiles are copied ahead of the loop, one in each iteration; rows of B are two boxes of 128 bytes."""
    it = explain(ROOT / "examples/matmul_f16.mlir", "sm_90a")
    assert {b.filled_by for b in it.buffers} == {(("nvgpu.tma.async.load", 1),)}
    assert {b.slots for b in it.buffers} == {4}
    assert [(b.filled_at, b.read_at) for b in it.buffers] == [((26,), (28,)), ((27,), (28,))]
    reads = {s.place.line: {i.name: i.count for i in s.instructions} for s in steps(it, "vector.transfer_read")}
    assert (reads[26]["nvgpu.tma.async.load"], reads[27]["nvgpu.tma.async.load"]) == (3, 6)


def test_what_is_done_with_others_is_said() -> None:
    it = explain(ROOT / "examples/softmax.mlir", "gfx942")
    assert [s.op for s in it.steps if s.is_folded] == ["iree_vector_ext.to_layout"] * 3
    assert "what it says is done with the operations around it" in str(it)


def test_what_nobody_needs_is_told_and_is_nothing() -> None:
    unused = "%n = arith.negf %t : vector<64x64xf32>"
    it = explain(SMALL.replace(unused, f"%o = arith.addf %t, %t : vector<64x64xf32>\n  {unused}"), "sm_80")
    (step,) = steps(it, "arith.addf")
    assert step.is_folded
    assert "nothing of its own: what it says is done with the operations around it, or needed by nobody" in str(it)


@pytest.mark.turns("chip")
@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("file", EXAMPLES, ids=lambda f: f.stem)
def test_every_example_is_explained(file: Path, chip: str) -> None:
    it = explain(file, chip)
    text = str(it)
    assert max(map(len, text.splitlines())) <= 100
    lines = enumerate(file.read_text().splitlines(), 1)
    written = {n for n, line in lines if re.search(r"^ [^/]*vector\.(contract|transfer)", line)}
    assert written <= {step.place.line for step in it.steps}
    assert all(name in it.layouts for name in it.badges if name)
    assert json.loads(json.dumps(it.as_dict()))["totals"]["barriers"] == it.totals.barriers


def test_registers_are_those_of_the_stage() -> None:
    """Of a vector of 1,024 f32 128 threads hold 8; the loop's sum and the read are there at once."""
    it = explain(ROOT / "examples/softmax.mlir", "gfx1100")
    assert it.totals.registers == 16
    assert [s.registers for s in steps(it, "vector.transfer_read")] == [16, 16, 8]
    first, _ = steps(it, "vector.multi_reduction")
    assert first.combination is not None
    assert (first.combination.lanes, first.combination.subgroups, first.combination.holders) == (32, 4, 128)


def test_the_html_is_static_and_escaped() -> None:
    it = explain(ROOT / "examples/softmax.mlir", "sm_80")
    html = it._repr_html_()
    assert "dense&lt;0.0&gt;" in html
    assert "dense<0.0>" not in html
    assert "<script" not in html
    assert "http" not in html


def test_the_documented_keys_are_all_there_is() -> None:
    it = explain(ROOT / "examples/attention.mlir", "gfx942").as_dict()
    table = (ROOT / "docs/explaining.md").read_text().partition("## As JSON")[2]
    rows = [row.split("|")[1:3] for row in table.splitlines() if row.startswith("| `")]
    said = {key: set(re.findall(r"`(\w+)`", value)) for keys, value in rows for key in re.findall(r"`(\w+)`", keys)}
    assert set(it) <= set(said)
    step = next(s for s in it["steps"] if s["crossings"] and s["memory"])
    parts = {"totals": it["totals"], "steps": step, "buffers": it["buffers"][0], "loops": it["loops"][0]}
    parts |= {"crossings": step["crossings"][0], "memory": step["memory"][0], "others": step["others"][0]}
    parts["combination"] = next(s["combination"] for s in it["steps"] if s["combination"])
    parts["layouts"] = next(iter(it["layouts"].values()))
    for name, part in parts.items():
        assert set(part) <= said[name], name


# The price of what lost


SMALL = """
gpu.func @f(%a: memref<64x64xf16>, %b: memref<64x64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %x = vector.transfer_read %a[%c0, %c0], %z {in_bounds = [true, true]} : memref<64x64xf16>, vector<64x64xf16>
  %w = arith.extf %x : vector<64x64xf16> to vector<64x64xf32>
  %t = vector.transpose %w, [1, 0] : vector<64x64xf32> to vector<64x64xf32>
  %n = arith.negf %t : vector<64x64xf32>
  vector.transfer_write %n, %b[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  gpu.return
}
"""


def test_what_lost_is_priced_as_the_best_choice_with_it() -> None:
    """A chain is a tree: the price is the least over all combinations of alternatives that have the one in question."""
    kernel = lanewise.compile(SMALL, "sm_80", cache="off")
    compilation = kernel.variant(kernel.best_facts).compilation
    (team,) = teams(compilation.kernel.op, Workgroup.of(compilation.kernel, compilation.context))
    choice = Choice(team, Analyses().get(Contractions, compilation.kernel.op))
    nodes = choice.graph.nodes
    every = list(itertools.product(*(range(len(n.alternatives)) for n in nodes)))
    assert 100 < len(every) < 10_000
    price = {c: choice._price(choice._plain, c) for c in every}
    chosen = price[tuple(choice._chosen)]
    assert chosen == min(price.values())
    for node in nodes:
        for at in range(len(node.alternatives)):
            least = min(p for c, p in price.items() if c[node.index] == at)
            assert choice.instead(node, at).dearer == least - chosen


def test_sectors_and_conflicts() -> None:
    """Lanes with one f32 each: neighbours take 4 sectors for 32 of them, lanes in different rows 32. Of shared memory,
    rows of 32 words are all in one bank, neighbours in different ones."""
    workgroup = Workgroup(32, 32, find_chip("sm_80"), shared_bytes=1 << 14)
    neighbours = NestedLayout.of_dimensions([Dimension(), Dimension(thread=32, thread_stride=1)])
    rows = NestedLayout.of_dimensions([Dimension(thread=32, thread_stride=1), Dimension()])

    def counted(shape: tuple[int, int], layout: NestedLayout, *, shared: bool) -> tuple[int, ...]:
        memory = Memory(shape, (32, 1), 1, 32, 1, guarded=False, shared=shared, written=False)
        found = traffic(memory, layout, workgroup)
        assert (found.conflict is not None) == (shared and found.taken > found.least)
        assert found.conflict is None or found.conflict == ((0, 1), 0)
        return found.accesses, found.bytes, found.taken, found.least

    assert counted((1, 32), neighbours, shared=False) == (1, 4, 4, 4)
    assert counted((32, 1), rows, shared=False) == (1, 4, 32, 4)
    assert counted((1, 32), neighbours, shared=True) == (1, 4, 1, 1)
    assert counted((32, 1), rows, shared=True) == (1, 4, 32, 1)


# Ways in


@lanewise.kernel(workgroup=128)
def scaled(x: lw.Array, y: lw.Array, *, tile: int = 1024) -> None:
    at = lw.block(tile)
    y[at] = x[at] * 2.0


def test_a_kernel_in_python_is_explained_by_its_lines() -> None:
    described = scaled.explain(lw.f32["N"], lw.f32["N"], target="gfx942")
    (product,) = steps(described, "arith.mulf")
    assert product.place.text == "y[at] = x[at] * 2.0"
    assert product.place.file == __file__
    ones = np.ones(1024, np.float32)
    assert [s.op for s in scaled.explain(ones, ones, target="gfx942").steps] == [s.op for s in described.steps]


@lanewise.kernel(workgroup=32)
def cubed(x: Annotated[lw.Array, lw.f32["N"]], y: Annotated[lw.Array, lw.f32["N"]]) -> None:
    i = lw.block(128)
    v = x[i]
    y[i] = v * v * v


def test_operations_that_begin_at_one_place_are_not_said_to_be_one() -> None:
    """Two multiplications of one expression are no function that was called twice."""
    described = cubed.explain(target="gfx942")
    assert len(steps(described, "arith.mulf")) == 2
    assert "arith.mulf, another one of this place: the same, " in str(described)
    assert "again" not in str(described)


@lanewise.kernel(workgroup=1)
def of_numbers(x: Annotated[lw.Array, lw.f32["N"]]) -> None:
    n = lw.block_id("x")
    x[n] = x[n] + 1.0


def test_a_kernel_without_vectors_says_so() -> None:
    said = str(of_numbers.explain(target="gfx942"))
    assert "  There is no vector to hold.\n" in said and "\n1 thread in subgroups of 64" in said


@lanewise.kernel(workgroup=32)
def annotated(x: Annotated[lw.Array, lw.f32["N"]], y: Annotated[lw.Array, lw.f32["N"]]) -> None:
    i = lw.block(128)
    y[i] = x[i] * 2.0


def test_annotations_say_what_to_explain_and_to_compile() -> None:
    assert lanewise.explain(annotated).steps
    with pytest.raises(lanewise.LanewiseError, match="target= is for a program, found a kernel"):
        lanewise.explain(annotated, "gfx942")
    assert annotated.explain(target="gfx942") == annotated.explain(lw.f32["N"], lw.f32["N"], target="gfx942")
    assert "global_load" in annotated.compile(target="gfx942").assembly
    with pytest.raises(lanewise.SignatureError, match="'x' is missing"):
        scaled.explain()


def test_a_kernel_and_its_program_have_one_explanation() -> None:
    kernel = lanewise.compile(SMALL, "gfx942", cache="off")
    assert kernel.explain() == lanewise.explain(SMALL, "gfx942")
    assert kernel.explain(general=True).variant == kernel.general.words


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    file = str(ROOT / "examples/transpose.mlir")
    assert main(["explain", file, "--target", "sm_80"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("@transpose for sm_80")
    assert "\x1b" not in text
    assert main(["explain", file, "--target", "sm_80", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["kernel"] == "transpose"


def test_what_begins_behind_the_choice_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    thread = tmp_path / "thread.mlir"
    kernel = lanewise.compile(SMALL, "sm_80", cache="off")
    thread.write_text(kernel.thread_ir)
    assert main(["explain", str(thread)]) == 2
    expected = "error: the program begins in the thread stage, behind the choice of layouts: it has none to explain"
    assert expected in capsys.readouterr().err
    compiled = tmp_path / "small.lw"
    kernel.save(compiled, cubin=False)
    assert main(["explain", str(compiled)]) == 2
    assert "a compiled kernel has no stages to explain" in capsys.readouterr().err


def test_a_program_in_the_layout_stage_is_explained_without_what_lost() -> None:
    it = lanewise.explain(lanewise.compile(SMALL, "sm_80", cache="off").layout_ir, "sm_80")
    assert steps(it, "vector.transpose")
    assert not any(step.others for step in it.steps)
