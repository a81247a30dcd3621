"""amdgpu.global_transpose_load: the instruction of each chip and width, and what chips do not have."""

from __future__ import annotations

from typing import Any

import pytest
from lanewise.support.diagnostics import CompileError

SOURCE = """
module attributes {{lanewise.stage = "thread"}} {{
gpu.func @k(%x: memref<{lanes}x{held}x{read}>, %y: memref<{lanes}x{count}x{type}>) kernel
    attributes {{gpu.known_block_size = array<i32: {lanes}, 1, 1>, lanewise.subgroup_size = {lanes} : i64}} {{
  %c0 = arith.constant 0 : index
  %t = gpu.thread_id x
  %v = amdgpu.global_transpose_load %x[%t, %c0] : memref<{lanes}x{held}x{read}> -> vector<{count}x{type}>
  vector.store %v, %y[%t, %c0] : memref<{lanes}x{count}x{type}>, vector<{count}x{type}>
  gpu.return
}}
}}
"""
WIDTHS = {"bf16": ("bf16", 8, 8), "f8E5M2": ("f8E5M2", 8, 8), "f6E2M3FN": ("i8", 12, 16), "i4": ("i8", 8, 16)}
"""What is read, how many of it, and how many elements a lane gets."""


def source(type: str, lanes: int = 32) -> str:
    read, held, count = WIDTHS[type]
    return SOURCE.format(type=type, lanes=lanes, read=read, held=held, count=count)


@pytest.mark.parametrize(
    ("type", "chip", "opcode"),
    [
        ("bf16", "gfx1200", "global_load_tr_b128"),
        ("f8E5M2", "gfx1201", "global_load_tr_b64"),
        ("bf16", "gfx1250", "global_load_tr16_b128"),
        ("f8E5M2", "gfx1250", "global_load_tr8_b64"),
        ("f6E2M3FN", "gfx1250", "global_load_tr6_b96"),
        ("i4", "gfx1250", "global_load_tr4_b64"),
    ],
)
def test_one_instruction(build: Any, type: str, chip: str, opcode: str) -> None:
    loads = [line.split()[0] for line in build(source(type), chip).assembly.splitlines() if "global_load" in line]
    assert loads == [opcode]


@pytest.mark.parametrize(
    ("type", "chip", "lanes", "message"),
    [
        ("bf16", "gfx1100", 32, "needs global_load_tr, which gfx1100 does not have"),
        ("bf16", "gfx950", 64, "needs global_load_tr, which gfx950 does not have"),
        ("i4", "gfx1201", 32, "needs global_load_tr.short, which gfx1201 does not have"),
        ("bf16", "gfx1201", 64, "needs subgroups of 32 lanes, found 64"),
    ],
)
def test_what_chips_lack(build: Any, type: str, chip: str, lanes: int, message: str) -> None:
    with pytest.raises(CompileError, match=message):
        build(source(type, lanes), chip)
