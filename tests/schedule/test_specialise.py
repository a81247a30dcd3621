"""Subgroups that only copy: where there are none, who notices mistakes, and that the answers are those without them."""

from __future__ import annotations

import re
from pathlib import Path

import lanewise
import numpy as np
import pytest
from lanewise.check.validate import validate
from lanewise.codegen.assemble import assemble, assembles
from lanewise.distribute import overlapped_wgmma as flights
from lanewise.ir.dialects.lanewise_warpgroup import WarpgroupMmaOp
from lanewise.ir.parser import parse_program
from lanewise.ir.printer import print_program
from lanewise.pipeline.compilation import Compilation
from lanewise.support.diagnostics import CompileError, LanewiseError
from lanewise.targets import find_chip

from ..changed import changed

FILE = Path(__file__).parents[1] / "filetests/schedule/specialised.mlir"
ALIGNED = " {llvm.align = 16 : i64}"
FOUR = FILE.read_text(encoding="utf-8").split("// -----")[0].replace("xf16>, %b:", f"xf16>{ALIGNED}, %b:")
FOUR = FOUR.replace("xf16>, %c:", f"xf16>{ALIGNED}, %c:")
NOBODY = "no subgroups of their own copy for a loop: "
SUMS = ("64x64xf32", "128x256xf32"), ("64x320", "128x320"), ("64x64xf16", "128x64xf16"), ("[128, 1, 1]", "[256, 1, 1]")


def compiled(text: str, target: str = "sm_90a") -> Compilation:
    return Compilation(parse_program(text), None, find_chip(target))


def is_divided(text: str) -> bool:
    compilation = compiled(text)
    return compilation.layout_kernel.block_size != compilation.kernel.block_size


def told(text: str, target: str = "sm_90a") -> list[str]:
    return [r.message for r in compiled(text, target).layout_remarks if r.message.startswith(NOBODY)]


def data(depth: int = 320) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-2, 3, (64, depth)).astype(np.float16) for _ in "ab")
    return a, b, np.zeros((64, 64), np.float32)


NOT_ASKED = ("    lanewise.specialise = true,\n", "")
BODY = "%l = vector.transfer_read"
LEFT = {
    "a multiprocessor has room for two workgroups, of which one copies while the other multiplies": [NOT_ASKED],
    "the kernel asks how many threads the workgroup has": [
        ("%c0 = arith.constant 0 : index", "%c0 = arith.constant 0 : index\n  %size = gpu.block_dim x"),
        ("%r, %c[%c0, %c0]", "%r, %c[%at, %c0]"),
        ("  vector.transfer_write", "  %at = arith.muli %size, %c0 : index\n  vector.transfer_write"),
    ],
    "its threads meet those of other workgroups": [("  return\n", "  gpu.barrier scope <cluster>\n  return\n")],
    "the kernel divides its subgroups itself": [
        ("  return\n", "  lanewise.split {subgroups = array<i64: 4>} {\n  }\n  return\n")
    ],
    "it takes whole groups of 4 subgroups along x, and room for another, found 64x2x1 threads": [
        ("[128, 1, 1]", "[64, 2, 1]")
    ],
    "it stands in a branch": [
        ("  %r = scf.for", "  %on = arith.cmpi ult, %c0, %step : index\n  scf.if %on {\n  %r = scf.for"),
        ("  return\n", "  }\n  return\n"),
    ],
    "the kernel makes other copies in loops": [
        (
            BODY,
            "%h = vector.transfer_read %c[%c0, %k], %z32 {in_bounds = [true, true]}"
         " : memref<64x64xf32>, vector<64x64xf32>\n"
         "    vector.transfer_write %h, %own[%c0, %c0] {in_bounds = [true, true]}"
         " : vector<64x64xf32>, memref<64x64xf32, #gpu.address_space<workgroup>>\n    " + BODY),
        ("%c0 = arith.constant 0 : index", "%c0 = arith.constant 0 : index\n  %z32 = arith.constant 0.0 : f32\n"
         "  %own = memref.alloc() : memref<64x64xf32, #gpu.address_space<workgroup>>"),
    ],
    "where it copies from is computed from memory or vectors, or carried by a loop": [
        ("%step = arith", "%at = arith.constant dense<0> : vector<1xindex>\n"
         "  %first = vector.extract %at[0] : index from vector<1xindex>\n  %step = arith"),
        ("%a[%c0, %k]", "%a[%first, %k]"),
        ("%p {in_bounds = [true, true]} : memref<64x320xf16>", "%p : memref<64x320xf16>"),
    ],
}  # fmt: skip


@pytest.mark.parametrize("why", LEFT)
def test_it_is_left_alone(why: str) -> None:
    text = changed(FOUR, *LEFT[why])
    assert not is_divided(text)
    assert told(text) == [NOBODY + why]


def test_what_is_asked_of_another_chip_or_program_is_told() -> None:
    assert told(FOUR, "sm_80") == [NOBODY + "sm_80 has no setmaxnreg"]
    assert told(changed(FOUR, ("f16", "f32"))) == [NOBODY + "the chip copies the tiles of no loop by itself"]


def test_it_is_done_where_a_multiprocessor_has_one_workgroup() -> None:
    """128 of 255 registers of 256 threads are sums."""
    read = "%b[%c0, %k], %p {in_bounds = [true, true]} : "
    wider = (
        ("%b: memref<64x320", "%b: memref<256x320"),
        (read + "memref<64x320xf16>, vector<64x64xf16>", read + "memref<256x320xf16>, vector<256x64xf16>"),
        ("%sum : vector<64x64xf16>, vector<64x64xf16>", "%sum : vector<64x64xf16>, vector<256x64xf16>"),
    )
    text = changed(FOUR, NOT_ASKED, *wider)
    for old, new in (*SUMS, ("128x64xf16>, vector<128x64xf16> into", "128x64xf16>, vector<256x64xf16> into")):
        text = text.replace(old, new)
    compilation = compiled(text)
    assert compilation.layout_kernel.block_size == compilation.artifacts.block_size == (384, 1, 1)
    assert "setmaxnreg.inc.sync.aligned.u32 \t232" in compilation.artifacts.assembly
    assert "setmaxnreg.dec.sync.aligned.u32 \t40" in compilation.artifacts.assembly
    off = compiled(text.replace("attributes {", "attributes {lanewise.specialise = false,"))
    assert off.layout_kernel.block_size == (256, 1, 1)
    assert not [r for r in off.layout_remarks if r.message.startswith(NOBODY)]
    if assembles(find_chip("sm_90a")):
        assert assemble(compilation.artifacts.assembly, find_chip("sm_90a")).warnings == ()


def test_its_value_is_a_truth() -> None:
    with pytest.raises(LanewiseError, match=r"lanewise.specialise must be true or false, found 4"):
        compiled(changed(FOUR, ("specialise = true", "specialise = 4")))


def test_the_answers_are_those_without_it() -> None:
    texts = FOUR, changed(FOUR, ("specialise = true", "specialise = false"))
    assert [is_divided(text) for text in texts] == [True, False]
    answers = [data() for _ in texts]
    for text, arguments in zip(texts, answers, strict=True):
        lanewise.compile(text, "sm_90a")[1](*arguments)
    assert np.array_equal(answers[0][2], answers[1][2])
    assert np.array_equal(answers[0][2], answers[0][0].astype(np.float32) @ answers[0][1].astype(np.float32).T)


def layout_text(text: str = FOUR) -> str:
    return print_program(compiled(text).layout_module)


def test_a_dump_is_resumed_and_a_saved_kernel_starts_as_many_threads(tmp_path: Path) -> None:
    resumed = lanewise.compile(layout_text(), "sm_90a")
    assert resumed.block_size == (256, 1, 1)
    a, b, c = data()
    resumed[1](a, b, c)
    assert np.array_equal(c, a.astype(np.float32) @ b.astype(np.float32).T)
    kernel = lanewise.compile(FOUR, "sm_90a")
    assert kernel.block_size == (128, 1, 1)
    kernel.save(tmp_path / "four.lanewise")
    again = np.zeros_like(c)
    lanewise.load(tmp_path / "four.lanewise")[1](a, b, again)
    assert np.array_equal(again, c)


def test_a_product_goes_on_while_the_tile_before_it_is_copied() -> None:
    assert [op.groups_left for op in compiled(FOUR).thread_kernel.op.all_of(WarpgroupMmaOp)] == [1]


ARRIVE = "nvgpu.mbarrier.arrive %freed"


def lines(text: str, start: str) -> list[str]:
    return [line for line in text.splitlines() if start in line]


def mistaken(name: str) -> str:
    text = layout_text()
    (arrive,) = lines(text, ARRIVE)
    waits = {name: line for name in ("landed", "freed") for line in lines(text, f"try_wait.parity %{name}")}
    if name == "tiles that are never free":
        return text.replace(arrive, "")
    if name == "copies that do not wait":
        return text.replace(waits["freed"], "")
    assert name == "reads that do not wait"
    return text.replace(waits["landed"], "")


MISTAKES = {
    "tiles that are never free": ("deadlock", "that nobody ends: 1 arrivals and 0 bytes are missing"),
    "copies that do not wait": ("barrier-object|copy|copies|arriv", "where all have arrived in this phase|copies"),
    "reads that do not wait": ("nobody has written", "which nobody has written"),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_executors_notice(name: str) -> None:
    emulated, interpreted = MISTAKES[name]
    text = mistaken(name)
    with pytest.raises(LanewiseError, match=emulated):
        lanewise.compile(text, "sm_90a")[1](*data())
    report = validate(lanewise.compile(text, "sm_90a"), 1, *data(), on=("reference", "interpret"), thorough=False)
    assert not report.ok
    assert re.search(interpreted, str(report)), str(report)


def frees_its_own() -> str:
    """Of eight iterations each frees the tile that its own product reads; who copies waits for that."""
    text = layout_text(changed(FOUR, ("320", "512")))
    (arrive,), (wait,) = lines(text, ARRIVE), lines(text, "try_wait.parity %landed")
    slot, last = (re.search(r"\[%(\w+)\]", line) for line in (wait, arrive))
    assert slot and last
    text = text.replace(arrive, arrive.replace(last[0], slot[0]))
    wraps, flips = (line.split("=")[0].strip() for line in lines(text, "arith.cmpi eq, %slot_0"))
    return text.replace(f"xori %parity_0, {flips}", f"xori %parity_0, {wraps}")


def test_a_product_does_not_go_on_where_its_own_tile_is_freed(monkeypatch: pytest.MonkeyPatch) -> None:
    text = frees_its_own()
    assert [op.groups_left for op in compiled(text).thread_kernel.op.all_of(WarpgroupMmaOp)] == [0]
    assert validate(lanewise.compile(text, "sm_90a"), 1, *data(512), on=("interpret", "emulated"), thorough=False).ok
    monkeypatch.setattr(flights, "_keeps_apart", lambda *_: True)
    assert [op.groups_left for op in compiled(text).thread_kernel.op.all_of(WarpgroupMmaOp)] == [1]
    with pytest.raises(LanewiseError, match="a wgmma reads, for which nobody has waited"):
        lanewise.compile(text, "sm_90a")[1](*data(512))


def test_parts_that_meet_without_objects_are_refused() -> None:
    """Who only copies writes to a tile besides, which no object counts."""
    text = layout_text()
    (ring,) = (line.split("=")[0].strip() for line in lines(text, "%ring_l = memref.alloc"))
    assert ring
    (inner,) = lines(text, "lanewise.split {subgroups = array<i64: 1, 3>} {")
    write = (
        "%x = arith.constant 0.0 : f16\n"
        f" memref.store %x, {ring}[%c0, %c0, %c0] : memref<4x64x64xf16, #gpu.address_space<workgroup>>"
    )
    with pytest.raises(CompileError, match="another part of the split touches at the same time"):
        compiled(text.replace(inner, f"{inner}\n{write}")).thread_kernel  # noqa: B018
