"""Ids, shuffles and barriers."""

from __future__ import annotations

import itertools
from typing import Any

import ml_dtypes
import numpy as np
import pytest

TYPES: dict[str, Any] = {
    "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
    "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64,
}  # fmt: skip


def source_lane(mode: str, lane: int, offset: int, width: int) -> tuple[int, bool]:
    """Which lane is read within the group of `width`, and whether it is inside."""
    base = lane - lane % width
    source = {"xor": lane ^ offset, "up": lane - offset, "down": lane + offset, "idx": base + offset}[mode]
    inside = base <= source < base + width
    return (source if inside else lane), inside


@pytest.mark.parametrize(("mode", "width"), [*itertools.product(("xor", "up", "down", "idx"), (32, 16, 8, 2))])
def test_shuffle(mode: str, width: int, run: Any, text: Any) -> None:
    """All element types at once: 8 to 64 bits; offsets inside the group."""
    offset = min(5, width - 1)
    lines = [
        "  %t = gpu.thread_id x",
        f"  %o = arith.constant {offset} : i32",
        f"  %w = arith.constant {width} : i32",
    ]
    for i, type in enumerate(TYPES):
        lines += [
            f"  %x{i} = memref.load %a{i}[%t] : memref<64x{type}>",
            f"  %y{i}, %k{i} = gpu.shuffle {mode} %x{i}, %o, %w : {type}",
            f"  memref.store %y{i}, %b{i}[%t] : memref<64x{type}>",
        ]
    lines.append("  memref.store %k0, %valid[%t] : memref<64xi1>")
    arguments = [f"%{n}{i}: memref<64x{t}>" for i, t in enumerate(TYPES) for n in "ab"]
    scale = 2.0**40 + 1  # makes the upper words of 64-bit values matter
    sources = [
        (np.arange(64) * (scale if d().itemsize == 8 else 1)).astype(d) if d is not ml_dtypes.bfloat16
        else np.arange(64).astype(d)
        for d in TYPES.values()
    ]  # fmt: skip
    values = [v for s in sources for v in (s, np.zeros_like(s))]
    found = run(text(", ".join([*arguments, "%valid: memref<64xi1>"]), "\n".join(lines)), [*values, np.zeros(64, bool)])
    lanes = [source_lane(mode, t % 32, offset, width) for t in range(64)]
    chosen = [t - t % 32 + lane for t, (lane, _) in enumerate(lanes)]
    for source, result in zip(sources, found[1:-1:2], strict=True):
        assert np.array_equal(result, source[chosen])
    assert found[-1].tolist() == [inside for _, inside in lanes]


def test_shuffle_by_values(run: Any, text: Any) -> None:
    """Offset and width known at run time only, and a pack shuffled as a whole."""
    body = """  %t = gpu.thread_id x
  %x = arith.index_cast %t : index to i32
  %p = vector.from_elements %x, %x : vector<2xi32>
  %y, %k = gpu.shuffle xor %p, %o, %w : vector<2xi32>
  %a, %b = vector.to_elements %y : vector<2xi32>
  %s = arith.addi %a, %b : i32
  memref.store %s, %out[%t] : memref<64xi32>"""
    arguments = "%out: memref<64xi32>, %o: i32, %w: i32"
    (found,) = run(text(arguments, body), [np.zeros(64, np.int32), np.int32(3), np.int32(8)])
    assert found.tolist() == [2 * (t ^ 3) for t in range(64)]


def test_butterfly_sum(run: Any, text: Any) -> None:
    steps = []
    previous = "%x"
    for i, offset in enumerate((1, 2, 4, 8, 16)):
        steps += [
            f"  %o{i} = arith.constant {offset} : i32",
            f"  %y{i}, %k{i} = gpu.shuffle xor {previous}, %o{i}, %w : f32",
            f"  %s{i} = arith.addf {previous}, %y{i} : f32",
        ]
        previous = f"%s{i}"
    body = "\n".join(
        [
            "  %t = gpu.thread_id x",
            "  %w = arith.constant 32 : i32",
            "  %x = memref.load %a[%t] : memref<64xf32>",
            *steps,
            f"  memref.store {previous}, %b[%t] : memref<64xf32>",
        ]
    )
    a = np.arange(64, dtype=np.float32)
    _, b = run(text("%a: memref<64xf32>, %b: memref<64xf32>", body), [a, np.zeros_like(a)])
    assert np.array_equal(b, np.repeat([a[:32].sum(), a[32:].sum()], 32))


def test_ids(executed: str, run: Any, text: Any) -> None:
    """Threads are numbered x fastest; blocks and extents along every axis."""
    names = [
        *(f"gpu.{what} {axis}" for what in ("thread_id", "block_id", "block_dim", "grid_dim") for axis in "xyz"),
        "gpu.lane_id", "gpu.subgroup_id : index", "gpu.subgroup_size : index", "gpu.num_subgroups : index",
    ]  # fmt: skip
    block, grid = (8, 6, 2), (2, 3, 2)
    lines = [f"  %v{i} = {name}" for i, name in enumerate(names)]
    lines += [
        "  %linear = affine.linearize_index [%v5, %v4, %v3, %v2, %v1, %v0] by (2, 3, 2, 2, 6, 8) : index",
        *(f"  memref.store %v{i}, %o{i}[%linear] : memref<1152xindex>" for i in range(len(names))),
    ]
    arguments = ", ".join(f"%o{i}: memref<1152xindex>" for i in range(len(names)))
    found = run(text(arguments, "\n".join(lines), block), [np.zeros(1152, np.int64) for _ in names], grid)
    bz, by, bx, tz, ty, tx = (x.reshape(-1) for x in np.indices((2, 3, 2, 2, 6, 8)))
    linear = tx + 8 * (ty + 6 * tz)
    lanes = 64 if executed == "gfx942" else 32
    constants = (*block, *grid), (lanes, 96 // lanes + (96 % lanes > 0))
    before, after = ([np.full(1152, n) for n in numbers] for numbers in constants)
    expected = [tx, ty, tz, bx, by, bz, *before, linear % lanes, linear // lanes, *after]
    for name, result, values in zip(names, found, expected, strict=True):
        assert np.array_equal(result, values), name
