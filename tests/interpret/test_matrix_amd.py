"""What the interpreter refuses of mfma and wmma; that it multiplies right is tests/codegen/amdgpu/test_matrix.py."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from lanewise.targets import MATRIX_INSTRUCTIONS, MatrixInstruction

AMD = [i for i in MATRIX_INSTRUCTIONS if i.family in ("mfma", "wmma")]


def body(instruction: MatrixInstruction, counts: list[int], types: list[str]) -> tuple[str, str]:
    lanes = instruction.subgroup_size
    buffers = [f"memref<{lanes}x{n}x{t}>" for n, t in zip(counts, types, strict=True)]
    parts = [f"vector<{n}x{t}>" if n > 1 else t for n, t in zip(counts, types, strict=True)]
    loads = ["vector.load" if n > 1 else "memref.load" for n in counts]
    lines = ["  %l = gpu.lane_id", "  %w = gpu.subgroup_id : index"]
    lines += [
        f"  %{x} = {load} %m{x}[%l, %c0] : {b}{f', {part}' if part.startswith('v') else ''}"
        for x, load, b, part in zip("abc", loads, buffers, parts, strict=True)
    ]
    shape = "x".join(map(str, instruction.shape))
    blocks = f"blocks({instruction.blocks}) " if instruction.blocks > 1 else ""
    lines.append(f"  %d = amdgpu.{instruction.family} {blocks}{shape} %a * %b + %c : {', '.join(parts)}")
    out = f"memref<2x{lanes}x{counts[2]}x{types[2]}>"
    store, stored = ("vector.store", f", {parts[2]}") if counts[2] > 1 else ("memref.store", "")
    lines.append(f"  {store} %d, %out[%w, %l, %c0] : {out}{stored}")
    arguments = [f"%m{x}: {b}" for x, b in zip("abc", buffers, strict=True)]
    return "\n".join(lines), ", ".join([*arguments, f"%out: {out}"])


def test_halves_must_agree_on_rdna_3(error: Callable[..., str]) -> None:
    instruction = next(i for i in AMD if i.requires == "wmma.gfx11" and i.a_type == "f16" and i.c_type == "f32")
    lines, arguments = body(instruction, [16, 16, 8], ["f16", "f16", "f32"])
    a, b, c = np.zeros((32, 16), np.float16), np.zeros((32, 16), np.float16), np.zeros((32, 8), np.float32)
    a[20, 3] = 1
    assert "differ between the halves of a subgroup" in error(lines, arguments, a, b, c, np.zeros((2, 32, 8), "f4"))


def test_what_is_no_instruction(error: Callable[..., str]) -> None:
    instruction = AMD[0]
    lines, arguments = body(instruction, [1, 1, 1], ["f32", "f32", "f32"])
    values = [np.zeros((64, 1), np.float32) for _ in range(3)]
    out = np.zeros((2, 64, 1), np.float32)
    lines = lines.replace("16x16x4", "8x8x8")
    message = error(lines, arguments, *values, out, threads="128, 1, 1", subgroup_size=64)
    assert "is no instruction: 8x8x8 on f32, f32, f32" in message
    lines, arguments = body(instruction, [1, 1, 4], ["f32", "f32", "f32"])
    values = [np.zeros((64, n), np.float32) for n in (1, 1, 4)]
    message = error(lines, arguments, *values, np.zeros((2, 64, 4), np.float32), threads="128, 1, 1", subgroup_size=32)
    assert "needs whole subgroups of 64 lanes, found 32" in message
