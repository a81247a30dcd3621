"""Passes: one kind, each with a text behind it from which a compilation goes on to the same code."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import lanewise
import numpy as np
import pytest
from lanewise.ir.printer import print_program
from lanewise.pipeline.passes import BY_STAGE, PASSES
from lanewise.pipeline.single import read_request, run_single
from lanewise.support.diagnostics import CompileError, ProgramError
from lanewise.targets import find_chip

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.mlir"))
CHIPS = ("sm_90a", "gfx942", "sm_80", "gfx1100")
PRODUCT = EXAMPLES[[example.stem for example in EXAMPLES].index("matmul_f16")]
LAST = "loop-invariant-code-motion"
STAYS = """gpu.func @f(%x: memref<4096xf32>, %y: memref<4096xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c64 = arith.constant 64 : index
  %z = arith.constant 0.0 : f32
  %b = gpu.block_id x
  %o = arith.muli %b, %c64 : index
  %v = vector.transfer_read %x[%o], %z {in_bounds = [true]} : memref<4096xf32>, vector<64xf32>
  vector.transfer_write %v, %y[%o] {in_bounds = [true]} : vector<64xf32>, memref<4096xf32>
  gpu.return
}
"""


SEVEN = [
    ("attention", "sm_90a", True),
    ("attention", "gfx942", False),
    ("matmul_fp8", "gfx942", False),
    ("matmul_tn_split_k", "sm_90a", True),
    ("gemv", "sm_90a", False),
    ("linear_gelu", "sm_90a", False),
    ("matmul_tn_split_k", "gfx942", False),
]
"""Examples, and whether in the fastest variant: each pass changes one of them that changes any on that chip."""


def cases(config: pytest.Config) -> list[tuple[Path, str, bool]]:
    """All with `--thorough`."""
    if config.getoption("--thorough"):
        return [(example, chip, best) for example in EXAMPLES for chip in CHIPS for best in (False, True)]
    return [(PRODUCT.with_stem(name), chip, best) for name, chip, best in SEVEN]


def test_the_text_behind_each_pass_goes_on_to_the_same_code(pytestconfig: pytest.Config) -> None:
    """Of each pass the text of one example for a chip; with `--thorough` all texts, on all chips. What is in the layout
    stage of each example, and behind its last pass, is in tests/distribute/test_stages.py."""
    times, wrong = Counter[tuple[str, str]](), list[str]()
    for example, chip, best in cases(pytestconfig):
        kernel = lanewise.compile(example, chip)
        variant = kernel.variant(kernel.best_facts) if best else kernel.general
        changed = [run for run in variant.passes if run.changed]
        assert {run.name for run in changed} >= {"layouts", "distribute", "proxy-fences"}
        for run in changed:
            if times[run.name, chip] and not pytestconfig.getoption("thorough"):
                continue
            times[run.name, chip] += 1
            again = lanewise.compile(run.text)
            assert again.compiler.interface.is_one, "facts stand in the text"
            if again.llvm_ir != variant.llvm_ir:
                wrong.append(f"{example.stem}, {chip}, {'best' if best else 'general'}: behind {run.name}")
    assert not wrong, "\n".join(wrong)
    assert len(times) >= 25, "most passes change something on each of two chips"


def test_texts_between_distribution_and_barriers_run() -> None:
    """Threads meet in shared memory: sums of rows, with barriers that are not in the text yet."""
    kernel = lanewise.compile(PRODUCT.with_stem("reduce_8x64"), "sm_80")
    texts = [run.text for run in kernel.passes if 'lanewise.stage = "distributed"' in run.text and run.changed]
    assert len(texts) == 2
    given = np.arange(8 * 64, dtype=np.float32).reshape(8, 64)
    for text in texts:
        report = lanewise.validate(text, 1, given, np.zeros(8, np.float32), on=["reference", "interpret", "emulated"])
        assert report.verdict == "right", str(report)


def test_every_pass_is_told_of_once_and_in_order() -> None:
    runs = lanewise.compile(PRODUCT, "sm_80").passes
    assert [run.name for run in runs] == list(PASSES) == [p.name for stage in BY_STAGE.values() for p in stage]
    assert all(run.milliseconds >= 0 and run.summary == PASSES[run.name].summary for run in runs)


def test_what_is_tried_in_vain_is_not_told() -> None:
    """Products of fp8 without a unit fill the registers of gfx1100: nothing is read ahead into some."""
    fp8 = PRODUCT.with_stem("matmul_fp8")
    kernel = lanewise.compile(fp8, "gfx1100")
    assert "prefetch" not in [run.name for run in kernel.passes]
    assert "prefetch" in [run.name for run in lanewise.compile(fp8, "gfx942").passes]
    assert lanewise.compile(fp8, "gfx1100", without=["prefetch"]).thread_ir == kernel.thread_ir


def test_a_pass_is_left_out() -> None:
    kernel = lanewise.compile(PRODUCT, "gfx942", without=["prefetch"])
    assert "prefetch" not in [run.name for run in kernel.passes]
    assert kernel.llvm_ir != lanewise.compile(PRODUCT, "gfx942").llvm_ir
    with pytest.raises(lanewise.PassError, match=r"there is no pass 'prefech'; there are legalise, .*; did you mean"):
        lanewise.compile(PRODUCT, without=["prefech"])
    with pytest.raises(
        lanewise.PassError, match="the pass 'layouts' cannot be left out: it chooses a layout for every"
    ):
        lanewise.compile(PRODUCT, without=["layouts"])
    with pytest.raises(lanewise.PassError, match="the pass 'barriers' cannot be left out: it puts barriers where"):
        lanewise.compile(PRODUCT, without=["barriers"])
    with pytest.raises(lanewise.LanewiseError, match="names of passes, such as"):
        lanewise.compile(PRODUCT, without="prefetch")


@pytest.mark.parametrize(
    ("name", "said"),
    [("persist", "lanewise.persist = 4"), ("split-k", 'lanewise.split_k = "x"'), ("order", "lanewise.bands = 2")],
)
def test_a_pass_that_the_program_asks_something_of_is_not_left_out(name: str, said: str) -> None:
    asked = STAYS.replace("1, 1>}", f"1, 1>, {said}}}")
    message = rf":1:\d+: the pass '{name}' cannot be left out: @f has '{said.partition(' ')[0]}', which it reads"
    with pytest.raises(lanewise.PassError, match=message):
        lanewise.compile(asked, "sm_80", without=[name])
    assert lanewise.compile(STAYS, "sm_80", without=[name]).ptx


@pytest.mark.parametrize(
    ("name", "example", "chip"),
    [
        ("overlap-products", "matmul_f16", "sm_90a"),
        ("batch-exchanges", "softmax", "sm_80"),
        ("reuse-buffers", "attention", "gfx942"),
        (LAST, "matmul_f16", "sm_80"),
        (LAST, "matmul_f16", "gfx942"),
    ],
)
def test_passes_behind_distribution_are_left_out(name: str, example: str, chip: str) -> None:
    """Products are waited for where they are then; one exchange waits for the one before it; buffers lie side by side,
    without the barrier between their uses; quotients of the thread's id stay in the loop that needs them."""
    kernel, other = (lanewise.compile(PRODUCT.with_stem(example), chip, without=names) for names in ([], [name]))
    with_it, without = (k.variant(k.best_facts).thread_ir for k in (kernel, other))
    if name == "overlap-products":
        assert with_it.count("waitGroup = 1") == 1 and "waitGroup = 1" not in without
    elif name == LAST:
        inside = [text[text.index("scf.for") : text.index("scf.yield")] for text in (with_it, without)]
        assert [text.count("arith.divui") > 0 for text in inside] == [False, True]
    elif name == "batch-exchanges":
        assert [text.count("gpu.barrier") for text in (with_it, without)] == [2, 3]
    else:
        assert with_it.count("gpu.barrier") > without.count("gpu.barrier")


def single(text: str, *requests: str, chip: str = "sm_90a") -> str:
    module = run_single(lanewise.parse(text), None, find_chip(chip), [read_request(r) for r in requests])
    return print_program(module)


def test_one_pass_changes_what_it_is_about_alone() -> None:
    behind = single(STAYS, "persist=workgroups=4")
    assert "scf.for" in behind and "lanewise.persist" not in behind and "lanewise.after" not in behind
    assert behind.count("arith.constant 4 ") and lanewise.compile(behind).passes[-1].name == LAST
    assert "scf.for" not in single(STAYS, "persist")


def test_options_reach_kernels_with_bindings() -> None:
    layout = "layout(<bindings = [#hal.pipeline.binding<storage_buffer>]>)"
    text = f"""func.func @f() attributes {{translation_info = #iree_codegen.translation_info<
        pipeline = #iree_gpu.pipeline<VectorDistribute> workgroup_size = [64, 1, 1] subgroup_size = 32>}} {{
      %c0 = arith.constant 0 : index
      %z = arith.constant 0.0 : f32
      %x = hal.interface.binding.subspan {layout} binding(0) : memref<4096xf32>
      %b = gpu.block_id x
      memref.store %z, %x[%b] : memref<4096xf32>
      return
    }}"""
    assert "scf.for" in single(text, "persist=workgroups=4")


def test_passes_one_after_the_other_from_the_first_are_a_compilation() -> None:
    kernel = lanewise.compile(STAYS.replace("kernel\n", "kernel\n", 1), "sm_90a")
    names, texts = [run.name for run in kernel.passes], [run.text for run in kernel.passes]
    for first, last in (("legalise", "anchors"), ("legalise", "distribute"), ("overlap-products", "proxy-fences")):
        start, end = names.index(first), names.index(last)
        given = STAYS if start == 0 else texts[start - 1]
        assert single(given, *names[start : end + 1]) == texts[end], last
    assert 'lanewise.after = "legalise"' in single(STAYS, "legalise")
    assert "lanewise.after" not in single(STAYS, "dead")


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ("tyle", "there is no pass 'tyle'; .*; did you mean tile"),
        ("persist=workgroups", r"'workgroups' is no option of the pass 'persist'; it has workgroups=\.\."),
        ("persist=workgroup=4", "; did you mean workgroups"),
        (
            "persist=workgroups=many",
            "the option 'workgroups' is true or a number of workgroups, 1 to 65535; found 'many'",
        ),
        ("ring=stages=3", r"'stages=3' is no option of the pass 'ring'; it has none"),
        (
            "distribute",
            "the program is in the vector stage, whose passes are legalise, .*; found 'distribute', of the layout"
            " stage, to which 'layouts' leads",
        ),
    ],
)
def test_requests_that_mean_nothing(request_: str, message: str) -> None:
    with pytest.raises(lanewise.PassError, match=message):
        single(STAYS, request_)


def test_options_are_what_a_program_would_say() -> None:
    with pytest.raises(
        ProgramError, match=r"lanewise.persist must be true or a number of workgroups, .*, found 0 : i64"
    ):
        single(STAYS, "persist=workgroups=0")


@pytest.mark.parametrize("said", ['lanewise.split_k = "x"', "lanewise.bands = 2", "lanewise.persist = true"])
def test_clusters_are_not_moved(said: str) -> None:
    text = STAYS.replace("attributes {", f"attributes {{known_cluster_size = array<i32: 2, 1, 1>, {said}, ")
    with pytest.raises(CompileError, match=rf"has {said.split()[0]} and a known_cluster_size of \[2, 1, 1\]: it moves"):
        lanewise.compile(text, "sm_90a").ptx  # noqa: B018


def test_where_a_text_goes_on_is_a_pass() -> None:
    with pytest.raises(
        CompileError, match=r"lanewise.after is 'tyle', no pass of the vector stage\n(.*\n)*hint: did you"
    ):
        lanewise.compile(f'module attributes {{lanewise.after = "tyle"}} {{\n{STAYS}}}').compilation  # noqa: B018
    with pytest.raises(ProgramError, match=r"lanewise.after must be the name of a pass, found 3 : i64"):
        lanewise.compile(f"module attributes {{lanewise.after = 3 : i64}} {{\n{STAYS}}}")


def test_attributes_are_options_of_one_pass() -> None:
    attributes = [option.attribute for p in PASSES.values() for option in p.options]
    assert len(attributes) == len(set(attributes)) > 0
