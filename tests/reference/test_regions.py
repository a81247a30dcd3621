"""Assertions that do not hold, and iterations that meet, are found by whoever runs them."""

from __future__ import annotations

import re

import lanewise
import numpy as np
import pytest
from lanewise.distribute.interpret import interpret_kernel
from lanewise.ir.kernels import find_kernel
from lanewise.reference.errors import EvaluationError
from lanewise.reference.evaluate import run_kernel

ASSERTION = """
gpu.func @f(%N: memref<1xi32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : i32
  %n = memref.load %N[%c0] : memref<1xi32>
  %ok = arith.cmpi sgt, %n, %c7 : i32
  cf.assert %ok, "n is more than seven"
  gpu.return
}
"""


def test_the_reference_says_what_was_asserted() -> None:
    kernel = find_kernel(lanewise.parse(ASSERTION))
    run_kernel(kernel, (1, 1, 1), [np.full(1, 8, np.int32)])
    with pytest.raises(EvaluationError, match=r"'cf.assert' op does not hold in workgroup .*: n is more"):
        run_kernel(kernel, (1, 1, 1), [np.full(1, 7, np.int32)])


def test_the_interpreter_says_what_was_asserted_and_who_found_it() -> None:
    kernel = find_kernel(lanewise.compile(ASSERTION, target="sm_90").compilation.thread_module)
    with pytest.raises(EvaluationError, match=r"does not hold in .*thread.*: n is more than seven"):
        interpret_kernel(kernel, (1, 1, 1), [np.full(1, 7, np.int32)], subgroup_size=32)


@pytest.mark.parametrize("target", ["sm_80", "sm_90", "gfx90a", "gfx942", "gfx1100"])
def test_machine_code_traps_at_the_assertion(target: str) -> None:
    kernel = lanewise.compile(ASSERTION, target=target, device="emulated")
    kernel[1](np.full(1, 8, np.int32))
    with pytest.raises(lanewise.LaunchError, match=r'trap: .*cf.assert %ok, "n is more than seven"'):
        kernel[1](np.full(1, 7, np.int32))


MEETING = """
gpu.func @f(%Y: memref<4xindex>, %S: memref<index>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  HEAD {
    BODY
  }
  gpu.return
}
"""
PARALLEL = "scf.parallel (%i) = (%c0) to (%c4) step (%c1)"
HEADS = {
    "scf.parallel": PARALLEL,
    "scf.forall": "scf.forall (%i) in (4)",
    "affine.parallel": "affine.parallel (%i) = (0) to (4)",
}
STORE = "memref.store %i, %Y[%c0] : memref<4xindex>"
NEXT = "%j = arith.remui %k, %c4 : index\n"
MEETINGS = {
    "two writes": (STORE, "writes element [0] of %Y", "writes"),
    "a read before": (
        f"%k = arith.addi %i, %c1 : index\n{NEXT}%a = memref.load %Y[%j] : memref<4xindex>\n"
        "memref.store %i, %Y[%i] : memref<4xindex>",
        "of %Y",
        "reads|writes",
    ),
    "of several that read, one writes": (
        "%a = memref.load %Y[%c3] : memref<4xindex>\n%b = arith.cmpi eq, %i, %c0 : index\n"
        "scf.if %b {\nmemref.store %i, %Y[%c3] : memref<4xindex>\n}",
        "writes element [3] of %Y",
        "reads",
    ),
}
APART = {
    "places of their own": "%a = memref.load %Y[%i] : memref<4xindex>\nmemref.store %i, %Y[%i] : memref<4xindex>",
    "equal numbers": "memref.store %c3, %Y[%c0] : memref<4xindex>",
    "atomic updates": "%a = memref.atomic_rmw addi %i, %Y[%c0] : (index, memref<4xindex>) -> index",
    "what only reads": "%a = memref.load %S[] : memref<index>\nmemref.store %a, %Y[%i] : memref<4xindex>",
    "one iteration after itself": (
        "scf.for %t = %c0 to %c4 step %c1 {\n%a = memref.load %Y[%i] : memref<4xindex>\n"
        "%b = arith.addi %a, %t : index\nmemref.store %b, %Y[%i] : memref<4xindex>\n}"
    ),
    "memory of its own": (
        "%m = memref.alloca() : memref<1xindex>\nmemref.store %i, %m[%c0] : memref<1xindex>\n"
        "%a = memref.load %m[%c0] : memref<1xindex>\nmemref.store %a, %Y[%i] : memref<4xindex>"
    ),
}


def meet(head: str, body: str) -> None:
    end = "scf.reduce" if head == PARALLEL else ""
    kernel = find_kernel(lanewise.parse(MEETING.replace("HEAD", head).replace("BODY", f"{body}\n{end}")))
    run_kernel(kernel, (1, 1, 1), [np.zeros(4, np.int64), np.zeros((), np.int64)])


@pytest.mark.parametrize("head", HEADS.values(), ids=HEADS)
@pytest.mark.parametrize(("body", "access", "other"), MEETINGS.values(), ids=MEETINGS)
def test_iterations_that_meet_are_reported_with_their_loop(head: str, body: str, access: str, other: str) -> None:
    with pytest.raises(EvaluationError, match=rf"(?s){re.escape(access)}.*iteration of the loop at .*:7:3 ({other})"):
        meet(head, body)


@pytest.mark.parametrize("head", HEADS.values(), ids=HEADS)
@pytest.mark.parametrize("body", APART.values(), ids=APART)
def test_iterations_that_do_not_meet_are_fine(head: str, body: str) -> None:
    meet(head, body)


def test_a_loop_beside_another_is_apart_from_it() -> None:
    twice = f"{STORE.replace('%c0', '%i')}\nscf.reduce\n}}\n{PARALLEL} {{\n{STORE.replace('%c0', '%i')}"
    meet(PARALLEL, twice)
