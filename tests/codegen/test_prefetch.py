"""What is said to be needed soon: the instruction for it where a chip has one, and nothing elsewhere."""

from __future__ import annotations

import re
from pathlib import Path

import lanewise
import numpy as np
import pytest
from lanewise.codegen.assemble import assembles
from lanewise.targets import find_chip

MAPS = (Path(__file__).parents[1] / "filetests/async/prefetched_map.mlir").read_text(encoding="utf-8")
INSTRUCTION = re.compile(r"^\s*(?:@%p\d+\s+)?((?:global_)?prefetch\S*)\s.*?(scope:\w+)?;?$", re.MULTILINE)


def program(how: str, space: str = "") -> str:
    made = "%x = memref.alloc() : memref<256xf32, #gpu.address_space<workgroup>>"
    argument, type = ("%u: memref<4xf32>", "memref<256xf32, #gpu.address_space<workgroup>>")
    if not space:
        made, argument, type = "", "%x: memref<256xf32>", "memref<256xf32>"
    return f"""
gpu.func @ahead({argument}, %y: memref<256xf32>) kernel attributes {{gpu.known_block_size = array<i32: 32, 1, 1>}} {{
  {made}
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  memref.store %zero, %y[%c3] : memref<256xf32>
  memref.prefetch %x[%c3], {how}, data : {type}
  gpu.return
}}"""


def found(text: str, target: str) -> list[str]:
    machine = lanewise.compile(text, target).assembly
    return [" ".join(filter(None, match.groups())) for match in INSTRUCTION.finditer(machine)]


NVIDIA = {
    "read, locality<3>": "prefetch.global.L1",
    "read, locality<2>": "prefetch.global.L2",
    "read, locality<0>": "prefetch.global.L2",
    "write, locality<3>": "prefetch.global.L2",
}
AMD = {
    "read, locality<3>": "global_prefetch_b8 scope:SCOPE_SE",
    "read, locality<1>": "global_prefetch_b8 scope:SCOPE_DEV",
    "write, locality<0>": "global_prefetch_b8 scope:SCOPE_SYS",
}


@pytest.mark.parametrize("target", ["sm_60", "sm_80", "sm_90a", "sm_120"])
@pytest.mark.parametrize("how", NVIDIA)
def test_into_which_cache(how: str, target: str) -> None:
    assert found(program(how), target) == [NVIDIA[how]]


@pytest.mark.parametrize("how", AMD)
def test_from_gfx1250_on_lanes_say_so(how: str) -> None:
    assert found(program(how), "gfx1250") == [AMD[how]]


@pytest.mark.parametrize("target", ["gfx90a", "gfx942", "gfx1100", "gfx1200"])
def test_chips_before_have_nothing_for_it(target: str) -> None:
    assert found(program("read, locality<3>"), target) == []


@pytest.mark.parametrize("target", ["sm_90", "gfx1250"])
def test_memory_of_the_workgroup_is_near_anyway(target: str) -> None:
    assert found(program("read, locality<3>", "workgroup"), target) == []


def test_maps_are_fetched_by_one_thread() -> None:
    assert found(MAPS, "sm_90a") == ["prefetch.tensormap"] * 2
    assert "scf.if" in lanewise.compile(MAPS, "sm_90a").thread_ir.partition("nvgpu.tma.prefetch.descriptor")[0]


@pytest.mark.parametrize("target", ["sm_90", "sm_90a", "sm_120"])
def test_the_assembler_takes_them(target: str) -> None:
    if not assembles(find_chip(target)):
        pytest.skip(f"no ptxas here knows {target}")
    assert lanewise.compile(MAPS, target).cubin
    assert lanewise.compile(program("read, locality<3>"), target).cubin


@pytest.mark.parametrize("target", ["sm_80", "gfx942"])
def test_chips_without_maps_refuse_to_fetch_them(target: str) -> None:
    with pytest.raises(lanewise.CompileError, match=r"nvgpu\.tma\.create\.descriptor"):
        _ = lanewise.compile(MAPS, target).assembly


@pytest.mark.parametrize("target", ["sm_90", "gfx1250", "gfx1200"])
def test_it_changes_nothing(target: str) -> None:
    kernel = lanewise.compile(program("read, locality<3>"), target, device="emulated")
    x, y = np.arange(256, dtype=np.float32), np.arange(256, dtype=np.float32)
    kernel[1](x, y)
    expected = np.arange(256, dtype=np.float32)
    assert (x == expected).all()
    expected[3] = 0
    assert (y == expected).all()
