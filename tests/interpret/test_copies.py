"""Planted misuses of asynchronous copies: the reference, the interpreter and the emulator each find every one."""

from __future__ import annotations

from collections.abc import Callable

import lanewise
import numpy as np
import pytest
from lanewise.distribute.interpret import interpret_kernel
from lanewise.jit.kernel import Kernel
from lanewise.reference.evaluate import run_kernel
from lanewise.support.diagnostics import LanewiseError

TILES = "memref<2x32x16xf16, #gpu.address_space<workgroup>>"


def copy(column: str, slot: str) -> str:
    shape = "{shape = array<i64: 32, 16>, in_bounds = [true, true]}"
    return f"lanewise.async_copy %A[%c0, {column}], %two[{slot}, %c0, %c0] {shape} : memref<32x48xf16> to {TILES}"


def read(slot: str) -> str:
    inside = "{in_bounds = [true, true]}"
    return f"""%y = vector.transfer_read %two[{slot}, %c0, %c0], %pad {inside} : {TILES}, vector<32x16xf16>
  vector.transfer_write %y, %C[%c0, %c0] : vector<32x16xf16>, memref<32x16xf16>"""


def write(buffer: str, type: str) -> str:
    return f"vector.transfer_write %ones, {buffer} {{in_bounds = [true, true]}} : vector<32x16xf16>, {type}"


PROGRAM = f"""
gpu.func @f(%A: memref<32x48xf16> {{llvm.align = 16 : i64}}, %C: memref<32x16xf16>) kernel
    attributes {{gpu.known_block_size = array<i32: 64, 1, 1>}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %pad = arith.constant 0.0 : f16
  %ones = arith.constant dense<1.0> : vector<32x16xf16>
  %two = memref.alloc() : {TILES}
  %a = {copy("%c0", "%c0")}
  %g = nvgpu.device_async_create_group %a
  %b = {copy("%c16", "%c1")}
  %h = nvgpu.device_async_create_group %b
  BEFORE
  nvgpu.device_async_wait %h {{numGroups = LEFT : i32}}
  AFTER
  nvgpu.device_async_wait %h
  gpu.return
}}
"""
MISUSES = {
    "one group too many is left": ("", 2, read("%c0")),
    "the tile of the group that is left is read": ("", 1, read("%c1")),
    "a tile is read before the wait": (read("%c0"), 0, ""),
    "a tile is written before the wait": (write("%two[%c1, %c0, %c0]", TILES), 0, ""),
    "a tile is copied to twice": (
        f"%again = {copy('%c0', '%c1')}\n  %i = nvgpu.device_async_create_group %again",
        0,
        "",
    ),
    "the source is written": (write("%A[%c0, %c0]", "memref<32x48xf16>"), 0, read("%c0")),
}
RIGHT = {
    "all is waited for": ("", 0, read("%c1")),
    "the newer group is left": ("", 1, read("%c0")),
    "the source is written later": ("", 0, write("%A[%c0, %c0]", "memref<32x48xf16>")),
}


CHIPS = {"sm_80": "nvgpu.device_async_copy", "gfx950": "amdgpu.gather_to_lds"}
"""And the instruction of a thread."""


def compiled(before: str, left: int, after: str, chip: str = "sm_80") -> Kernel:
    text = PROGRAM.replace("BEFORE", before).replace("LEFT", str(left)).replace("AFTER", after)
    kernel = lanewise.compile(text, target=chip, device="emulated")
    assert CHIPS[chip] in kernel.general.thread_ir
    return kernel


def arguments() -> list[np.ndarray]:
    return [np.arange(32 * 48).reshape(32, 48).astype(np.float16), np.zeros((32, 16), np.float16)]


def executors(kernel: Kernel) -> list[Callable[[], object]]:
    thread = kernel.compilation.thread_kernel
    return [
        lambda: run_kernel(kernel.compilation.kernel, 1, arguments()),
        lambda: interpret_kernel(thread, 1, arguments(), subgroup_size=kernel.compilation.subgroup_size),
        lambda: kernel.launch(1, *arguments()),
    ]


@pytest.mark.turns("chip")
@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("name", MISUSES)
def test_every_executor_finds_it(name: str, chip: str) -> None:
    found = executors(compiled(*MISUSES[name], chip))
    if chip == "gfx950" and name == "the source is written":
        del found[2:]  # the barrier between reads and writes of %A waits there for all that is under way
    for run in found:
        with pytest.raises(LanewiseError, match=r"under way|outstanding-load|race"):
            run()


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("name", RIGHT)
def test_right_programs_are_left_alone(name: str, chip: str) -> None:
    for run in executors(compiled(*RIGHT[name], chip)):
        run()


def test_a_wait_is_the_threads_own() -> None:
    """What other threads copied is there after a barrier: the one that was inferred is needed."""
    kernel = compiled("", 0, read("%c0"))
    text = kernel.general.thread_ir
    assert text.count("gpu.barrier") == 1
    for run in executors(lanewise.compile(text.replace("      gpu.barrier\n", ""), target="sm_80", device="emulated"))[
        1:
    ]:
        with pytest.raises(LanewiseError, match="race"):
            run()
