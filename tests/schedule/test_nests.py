"""A few of the random nests of loops; `nests.py` runs as many as are asked for."""

from __future__ import annotations

from collections.abc import Callable

import lanewise
import pytest
from lanewise.codegen.amdgpu import machine
from lanewise.codegen.amdgpu.settling import settle_before_two_branches
from lanewise.codegen.emit.emission import Emission
from lanewise.codegen.emit.text import integer
from lanewise.emulate.amdgcn.module import AmdgcnModule

from ..examples import examples
from .nests import check, check_copied, copied, nest

_TWO_BRANCHES = 31
"""On gfx942 its inner loop ends with a branch back and one to the outer loop: see `settle_before_two_branches`."""


@pytest.mark.parametrize("seed", [*range(examples(6)), _TWO_BRANCHES])
def test_random_nests_agree(seed: int) -> None:
    report = check(seed)
    assert report.ok, f"{report}\n{nest(seed).text}"


@pytest.mark.parametrize("seed", range(examples(4)))
def test_random_nests_of_which_others_copy_agree(seed: int) -> None:
    report = check_copied(seed)
    assert report.ok, f"{report}\n{copied(seed).text}"


def hazards(seed: int, chip: str) -> list[str]:
    """In the code for whole and aligned rows."""
    kernel = lanewise.compile(nest(seed).text, chip)
    (found,) = AmdgcnModule.parse(kernel.variant(kernel.best_facts).artifacts.assembly).kernels.values()
    findings = [block.finding[1] for block in found._program.blocks if block.finding]
    return [finding.detail for finding in findings if finding.kind == "hazard"]


def _nothing(em: Emission) -> None:
    pass


def _what_llvm_counts(em: Emission) -> None:
    em.w.call_void("llvm.amdgcn.sched.barrier", integer(0, "i32"))
    em.w.call_void("llvm.amdgcn.s.nop", integer(0, "i16"))


@pytest.mark.parametrize("settle", [settle_before_two_branches, _nothing, _what_llvm_counts])
def test_inner_loops_end_with_what_llvm_does_not_count(
    settle: Callable[[Emission], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """If one of the others finds no hazard, `settle_before_two_branches` has served."""
    monkeypatch.setattr(machine, "settle_before_two_branches", settle)
    found = hazards(_TWO_BRANCHES, "gfx942")
    is_ours = settle is settle_before_two_branches
    assert is_ours == (found == []) and all("a matrix result is overwritten too early" in each for each in found)
