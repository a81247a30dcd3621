"""mfma and wmma, from matrices placed by the nested layouts that programs are made from: the interpreter's formulas are
written down apart from them, so that each checks the other."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from lanewise.ir.targets import MATRIX_INSTRUCTIONS, Fragment, MatrixInstruction

Run = Callable[..., None]
DTYPES: dict[str, Any] = {
    "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "tf32": np.float32, "f64": np.float64,
    "i8": np.int8, "i32": np.int32, "f8E4M3FN": ml_dtypes.float8_e4m3fn, "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz, "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
}  # fmt: skip
AMD = [i for i in MATRIX_INSTRUCTIONS if i.family in ("mfma", "wmma")]


def lanes_of(matrix: np.ndarray[Any, Any], fragment: Fragment, lanes: int) -> np.ndarray[Any, Any]:
    """[lane, element in register order], by the rule that `Fragment` documents."""
    extents = [*fragment.outer, *fragment.element]
    rows: list[list[Any]] = []
    for lane in range(lanes):
        thread = [lane // s % t if s else 0 for t, s in zip(fragment.thread, fragment.thread_strides, strict=True)]
        row: list[Any] = []
        for place in itertools.product(*(range(extents[axis]) for axis in fragment.register_order)):
            at = dict(zip(fragment.register_order, place, strict=True))
            row.append(
                matrix[
                    tuple(
                        (at[d] * fragment.thread[d] + thread[d]) * fragment.element[d] + at[d + fragment.rank]
                        for d in range(fragment.rank)
                    )
                ]
            )
        rows.append(row)
    return np.array(rows)


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


@pytest.mark.parametrize("instruction", AMD, ids=lambda i: i.name)
def test_every_instruction(instruction: MatrixInstruction, run: Run) -> None:
    (m, n, k), lanes = instruction.shape, instruction.subgroup_size
    blocks = (instruction.blocks,) if instruction.a.rank == 3 else ()
    draw = np.random.default_rng(k)
    x, y, z = (draw.integers(-2, 3, (*blocks, *s)) for s in ((m, k), (k, n), (m, n)))
    types = (instruction.a_type, instruction.b_type, instruction.c_type)
    fragments = (instruction.a, instruction.b, instruction.c)
    parts = [lanes_of(v, f, lanes).astype(DTYPES[t]) for v, f, t in zip((x, y, z), fragments, types, strict=True)]
    spelled = ["f32" if t == "tf32" else t for t in types]
    lines, arguments = body(instruction, [p.shape[1] for p in parts], spelled)
    out = np.zeros((2, *parts[2].shape), parts[2].dtype)
    run(lines, arguments, *parts, out, threads=f"{2 * lanes}, 1, 1", subgroup_size=lanes)
    expected = lanes_of(x @ y + z, instruction.c, lanes).astype(parts[2].dtype)
    assert np.array_equal(out[0], expected) and np.array_equal(out[1], expected)


def test_unsigned_bytes(run: Run) -> None:
    instruction = next(i for i in AMD if i.requires == "wmma.gfx12" and i.a_type == "i8")
    lines, arguments = body(instruction, [8, 8, 8], ["i8", "i8", "i32"])
    a, b, c = np.full((32, 8), -1, np.int8), np.full((32, 8), 1, np.int8), np.zeros((32, 8), np.int32)
    for mark, value in (("", -1), ("unsignedA ", 255)):
        out = np.zeros((2, 32, 8), np.int32)
        run(lines.replace("%c :", f"%c {mark}:"), arguments, a, b, c, out)
        assert (out == 16 * value).all()


def test_halves_must_agree_on_rdna_3(error: Callable[..., str]) -> None:
    instruction = next(i for i in AMD if i.requires == "wmma.gfx11" and i.a_type == "f16" and i.c_type == "f32")
    lines, arguments = body(instruction, [16, 16, 8], ["f16", "f16", "f32"])
    a, b, c = np.zeros((32, 16), np.float16), np.zeros((32, 16), np.float16), np.zeros((32, 8), np.float32)
    a[20, 3] = 1
    assert "differ between the halves of a subgroup" in error(lines, arguments, a, b, c, np.zeros((2, 32, 8), "f4"))


def test_what_is_no_instruction(error: Callable[..., str]) -> None:
    instruction = AMD[0]
    lines, arguments = body(instruction, [1, 1, 3], ["f32", "f32", "f32"])
    values = [np.zeros((64, n), np.float32) for n in (1, 1, 3)]
    message = error(lines, arguments, *values, np.zeros((2, 64, 3), np.float32), threads="128, 1, 1", subgroup_size=64)
    assert "is no instruction: 16x16x4 on f32, f32, vector<3xf32>" in message
    lines, arguments = body(instruction, [1, 1, 4], ["f32", "f32", "f32"])
    values = [np.zeros((64, n), np.float32) for n in (1, 1, 4)]
    message = error(lines, arguments, *values, np.zeros((2, 64, 4), np.float32), threads="128, 1, 1", subgroup_size=32)
    assert "needs whole subgroups of 64 lanes, found 32" in message
