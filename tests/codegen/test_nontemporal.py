"""Data that is not used again: every access of global memory says so, and none that was not asked to."""

from __future__ import annotations

import re

import lanewise
import pytest

MARKS = {
    "sm_80": r"\.cs\b",
    "gfx90a": r"\bslc\b",
    "gfx942": r"\bnt\b",
    "gfx1030": r"\bslc\b",
    "gfx1100": r"\bslc\b",
    "gfx1200": r"\bTH_(LOAD|STORE)_NT\b",
    "gfx1250": r"\bTH_(LOAD|STORE)_NT\b",
}
"""As LLVM spells it for each generation of AMD's chips; PTX has the operator .cs (cache streaming) for it."""
ACCESS = re.compile(r"^.*\b(?:(?:global|buffer)_(?:load|store)_|(?:ld|st)\.global).*$", re.MULTILINE)


def program(hint: str) -> str:
    carried = f" {{{hint.strip()}}}" if hint else ""  # upstream's masked accesses have no property for it
    return f"""
gpu.func @f(%x: memref<256xf16>, %y: memref<256xf16>, %n: index) kernel
    attributes {{gpu.known_block_size = array<i32: 64, 1, 1>}} {{
  %c0 = arith.constant 0 : index
  %m = vector.create_mask %n : vector<256xi1>
  %other = arith.constant dense<-1.0> : vector<256xf16>
  %v = vector.load %x[%c0]{hint} : memref<256xf16>, vector<256xf16>
  %w = vector.maskedload %x[%c0], %m, %other{carried}
    : memref<256xf16>, vector<256xi1>, vector<256xf16> into vector<256xf16>
  %s = arith.addf %v, %w : vector<256xf16>
  vector.store %s, %y[%c0]{hint} : memref<256xf16>, vector<256xf16>
  vector.maskedstore %y[%c0], %m, %v{carried} : memref<256xf16>, vector<256xi1>, vector<256xf16>
  gpu.return
}}"""


def accesses(target: str, hint: str) -> list[str]:
    kernel = lanewise.compile(program(hint), target)
    return ACCESS.findall(kernel.ptx if target.startswith("sm_") else kernel.amdgcn)


@pytest.mark.parametrize("target", MARKS)
def test_every_access_says_so(target: str) -> None:
    found = accesses(target, " nontemporal = true")
    assert len(found) >= 4
    assert [line for line in found if not re.search(MARKS[target], line)] == []


@pytest.mark.parametrize("target", MARKS)
@pytest.mark.parametrize("hint", ["", " nontemporal = false"])
def test_no_other_does(target: str, hint: str) -> None:
    assert [line for line in accesses(target, hint) if re.search(MARKS[target], line)] == []
