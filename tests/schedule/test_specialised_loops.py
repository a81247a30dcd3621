"""Subgroups that only copy for several loops, and for loops in others: who waits, whose ring is whose, what goes on."""

from __future__ import annotations

from pathlib import Path

import lanewise
import numpy as np
import pytest
from lanewise.check.validate import validate
from lanewise.codegen.assemble import assemble, assembles
from lanewise.distribute import overlapped_wgmma as flights
from lanewise.ir.dialects.lanewise import SplitOp
from lanewise.ir.dialects.lanewise_warpgroup import WarpgroupMmaOp
from lanewise.ir.dialects.memref import AllocOp
from lanewise.ir.dialects.nvgpu_mbarrier import MBarrierCreateOp, MBarrierTryWaitParityOp
from lanewise.ir.dialects.nvgpu_tma import TmaAsyncLoadOp
from lanewise.ir.dialects.scf import ForOp
from lanewise.ir.parser import parse_program
from lanewise.ir.printer import print_program
from lanewise.pipeline.compilation import Compilation
from lanewise.support.diagnostics import LanewiseError
from lanewise.targets import find_chip

from ..changed import changed

FILE = Path(__file__).parents[1] / "filetests/schedule/specialised_loops.mlir"
KNOWN = "xf16> {llvm.align = 16 : i64, lanewise.divisibility = array<i64: 1, 8>, lanewise.pointer_range = 32 : i64}, %"
PLACES, ONE_RING, TWO_RINGS = (
    text.replace("xf16>, %", KNOWN).replace("xf32>)", "xf32> {lanewise.pointer_range = 32 : i64})", 1)
    for text in FILE.read_text(encoding="utf-8").split("// -----")
)
NOBODY = "no subgroups of their own copy for a loop: "
ASKED = "lanewise.specialise = true"


def compiled(text: str) -> Compilation:
    return Compilation(parse_program(text), None, find_chip("sm_90a"))


def divided(compilation: Compilation) -> bool:
    return compilation.layout_kernel.block_size != compilation.kernel.block_size


def told(compilation: Compilation) -> list[str]:
    return [r.message for r in compilation.layout_remarks if r.message.startswith(NOBODY)]


def test_each_side_has_the_loop_over_places_and_waits_for_nothing_but_tiles() -> None:
    """Who copies is let go on to the next place by objects alone: while the others write what they have."""
    compilation = compiled(PLACES)
    outer, inner = compilation.layout_kernel.op.all_of(SplitOp)
    own, copying = outer.regions[0].block.operations, inner.regions[0].block.operations
    for side in own, copying:
        (over_places,) = (op for op in side if isinstance(op, ForOp))
        assert len([op for op in over_places.body.operations if isinstance(op, ForOp)]) == 1
    (over_places,) = (op for op in copying if isinstance(op, ForOp))
    waiting = [op.opname for op in over_places.walk() if not op.pure and not isinstance(op, ForOp)]
    assert waiting.count(MBarrierTryWaitParityOp.opname) == 1
    assert "gpu.barrier" not in waiting
    around = [op.enclosing() for op in compilation.layout_kernel.op.all_of(MBarrierCreateOp)]
    assert around == [compilation.layout_kernel.op] * 2


def rings(text: str) -> list[tuple[int | None, ...]]:
    return [op.memref.type.shape for op in compiled(text).layout_kernel.op.all_of(AllocOp)]


def test_tiles_that_are_alike_take_one_ring() -> None:
    assert rings(ONE_RING) == [(2, 64, 64)] * 2
    assert rings(TWO_RINGS) == [(2, 64, 64)] * 2 + [(4, 64, 32)] * 2
    loads = list(compiled(ONE_RING).layout_kernel.op.all_of(TmaAsyncLoadOp))
    assert len(loads) == 4 and len({load.dst for load in loads}) == 2


@pytest.mark.parametrize("text", [PLACES, ONE_RING, TWO_RINGS], ids=["places", "one ring", "two rings"])
def test_products_go_on(text: str) -> None:
    products = compiled(text).thread_kernel.op.all_of(WarpgroupMmaOp)
    assert {op.groups_left for op in products} == {1}


@pytest.mark.parametrize("text", [PLACES, ONE_RING, TWO_RINGS], ids=["places", "one ring", "two rings"])
def test_the_assembler_neither_waits_for_products_one_by_one_nor_spills(text: str) -> None:
    chip = find_chip("sm_90a")
    if not assembles(chip):
        pytest.skip("there is no assembler")
    cubin = assemble(compiled(text).artifacts.assembly, chip)
    assert cubin.warnings == ()
    assert [(used.spill_store_bytes, used.spill_load_bytes) for used in cubin.resources.values()] == [(0, 0)]


@pytest.mark.parametrize("text", [PLACES, ONE_RING, TWO_RINGS], ids=["places", "one ring", "two rings"])
def test_the_answers_are_those_without_it(text: str) -> None:
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-2, 3, (rows, 136)).astype(np.float16) for rows in (200, 72))
    found = list[np.ndarray]()
    for each in text, changed(text, (ASKED, "lanewise.specialise = false")):
        c = np.zeros((200, 72), np.float32)
        lanewise.compile(each, "sm_90a")[(2,) if text is TWO_RINGS else (2, 4)](a, b, c)
        found.append(c)
    assert np.array_equal(*found)
    if text is PLACES:
        assert np.array_equal(found[0], a.astype(np.float32) @ b.astype(np.float32).T)


LOOP = "scf.for %m = %c0 to %rows step %step {"
NEXT = "    %on = arith.addi %at, %step : index\n    scf.yield %on : index"
LEFT = {
    "where it copies from is computed from memory or vectors, or carried by a loop": (
        TWO_RINGS,
        [
            (LOOP, "%e = scf.for %m = %c0 to %rows step %step iter_args(%at = %c0) -> (index) {"),
            ("%s2 = vector.transfer_read %b[%n, %j]", "%s2 = vector.transfer_read %b[%at, %j]"),
            ("xf32>\n  }\n  gpu", f"xf32>\n{NEXT}\n  }}\n  gpu"),
        ],
    ),
    "it stands in a branch": (
        TWO_RINGS,
        [
            (LOOP, f"{LOOP}\n    %is = arith.cmpi ult, %m, %depth : index\n    scf.if %is {{"),
            ("xf32>\n  }\n  gpu", "xf32>\n  }\n  }\n  gpu"),
        ],
    ),
    "the rings of all its loops do not fit into shared memory at once": (
        ONE_RING,
        [
            (
                "  // Where",
                "  %big = memref.alloc() : memref<180000xi8, #gpu.address_space<workgroup>>\n"
                "  %some = arith.constant 0 : i8\n"
                "  memref.store %some, %big[%c0] : memref<180000xi8, #gpu.address_space<workgroup>>\n  // Where",
            )
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize("why", LEFT)
def test_it_is_left_alone(why: str) -> None:
    text, changes = LEFT[why]
    compilation = compiled(changed(text, *changes))
    assert not divided(compilation)
    assert set(told(compilation)) == {NOBODY + why}


def frees_its_own() -> str:
    """An iteration frees the tile that its own product reads."""
    text = print_program(compiled(PLACES).layout_module)
    (arrive,) = (line for line in text.splitlines() if "nvgpu.mbarrier.arrive %freed" in line)
    (wait,) = (line for line in text.splitlines() if "try_wait.parity %landed" in line)
    slot = wait.split("[")[1].split("]")[0]
    text = text.replace(arrive, arrive.replace(arrive.split("[")[1].split("]")[0], slot))
    asks = [line for line in text.splitlines() if "cmpi eq, %slot_2," in line]
    flips, wraps = (line.split("=")[0].strip() for line in sorted(asks, key=lambda line: not _asks_for_one(line, text)))
    return text.replace(f"xori %parity_2, {flips}", f"xori %parity_2, {wraps}")


def _asks_for_one(line: str, text: str) -> bool:
    """Of three slots the one before the last is number 1."""
    number = line.split(",")[-1].split(":")[0].strip()
    return f"{number} = arith.constant 1 : i32" in text


def test_in_loops_too_a_product_does_not_go_on_where_its_own_tile_is_freed(monkeypatch: pytest.MonkeyPatch) -> None:
    text = frees_its_own()
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-2, 3, (64, 512)).astype(np.float16) for _ in "ab")
    given = a, b, np.zeros((64, 64), np.float32)
    assert {op.groups_left for op in compiled(text).thread_kernel.op.all_of(WarpgroupMmaOp)} == {0}
    assert validate(lanewise.compile(text, "sm_90a"), 1, *given, on=("interpret", "emulated"), thorough=False).ok
    monkeypatch.setattr(flights, "_keeps_apart", lambda *_: True)
    with pytest.raises(LanewiseError, match="a wgmma reads, for which nobody has waited"):
        lanewise.compile(text, "sm_90a")[1](*given)
