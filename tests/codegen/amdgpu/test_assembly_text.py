"""Nothing of AMD's is written as assembly text: llvmlite carries no assembler for it, so LLVM would end the process."""

from __future__ import annotations

import re
from pathlib import Path

import lanewise
import pytest
from lanewise import codegen
from lanewise.codegen.amdgpu import machine
from lanewise.ir.parser import parse_program
from lanewise.pipeline.compilation import Compilation
from lanewise.targets import find_chip

FOLDER = Path(codegen.__file__).parent
INLINE = re.compile(r'\.asm(_void|_pure)?\(|\basm (sideeffect )?"[^"]')
"""Not what is empty, which needs no assembler."""
ASSERTED = """gpu.func @f(%N: memref<64xi32>, %m: i32) kernel attributes {
    lanewise.scope = "thread", gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %c7 = arith.constant 7 : i32
  %t = gpu.thread_id x
  %lanes = vector.load %N[%t] : memref<64xi32>, vector<4xi32>
  scf.for %i = %c0 to %c9 step %c1 {
    %q = memref.load %N[%i] : memref<64xi32>
    %is_above = arith.cmpi sgt, %q, %c7 : i32
    cf.assert %is_above, "an element is above seven"
    %m_is_above = arith.cmpi sgt, %m, %c7 : i32
    cf.assert %m_is_above, "m is above seven"
    %which = arith.index_cast %q : i32 to index
    %one = vector.extract %lanes[%which] : i32 from vector<4xi32>
    memref.store %one, %N[%t] : memref<64xi32>
  }
  gpu.return
}
"""


@pytest.mark.parametrize("folder", ["emit", "amdgpu", "mathematics"])
def test_rules_that_amd_takes_write_none(folder: str) -> None:
    files = sorted((FOLDER / folder).glob("*.py"))
    assert files and [file.name for file in files if INLINE.search(file.read_text())] == []


def test_the_search_finds_some() -> None:
    assert INLINE.search((FOLDER / "nvptx" / "cp_async.py").read_text())


def test_a_rule_that_does_is_a_mistake(monkeypatch: pytest.MonkeyPatch) -> None:
    def written(em: machine.Emission) -> None:
        em.w.asm_void("s_nop 0")

    monkeypatch.setattr(machine.Amdgpu, "enter_loop", lambda self, em, loop: written(em))
    with pytest.raises(AssertionError, match="no object of assembly text"):
        _ = Compilation(parse_program(ASSERTED), None, find_chip("gfx942")).artifacts


@pytest.mark.parametrize("chip", ["gfx1030", "gfx1100", "gfx1103", "gfx1150", "gfx1201", "gfx942"])
def test_assertions_that_all_lanes_fail_together_have_an_object(chip: str) -> None:
    """On gfx11 LLVM 22 goes on behind a block that stops, and is silent about what it leaves out before it aborts."""
    kernel = lanewise.compile(ASSERTED, chip, isolate=True)
    assert kernel.object_file.startswith(b"\x7fELF")
    assert "s_trap 2" in kernel.amdgcn
