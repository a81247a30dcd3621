"""Kernels in Python on every executor: the program that they trace is right, and a text that reads back."""

from __future__ import annotations

import math
from typing import Annotated, Any

import lanewise
import lanewise.lang as lw
import numpy as np
import pytest

from ..examples import is_thorough

Heads = Annotated[lw.Array, lw.f16[None, None, 64]]
SCALE = math.log2(math.e) / 8
RNG = np.random.default_rng(0)


@lanewise.kernel(workgroup=128)
def scaled_add(x: lw.Array, y: lw.Array, out: lw.Array, scale: float, *, tile: int = 256) -> None:
    i = lw.block(tile)
    out[i] = x[i] * scale + y[i]


@lanewise.kernel(workgroup=128)
def softmax(x: lw.Array, y: lw.Array, *, tile: int = 1024) -> None:
    row, columns = lw.block_id("x"), x.shape[1]
    top = lw.full(tile, -math.inf)
    for j in lw.tiles(columns, tile):
        top = lw.maximum(top, x.load(row, j, pad=-math.inf))
    highest = top.max()
    total = lw.zeros(tile)
    for j in lw.tiles(columns, tile):
        total += lw.exp(x.load(row, j, pad=-math.inf) - highest)
    whole = total.sum()
    for j in lw.tiles(columns, tile):
        y[row, j] = lw.exp(x.load(row, j, pad=-math.inf) - highest) / whole


@lanewise.kernel(workgroup=256)
def matmul(a: lw.Array, b: lw.Array, c: lw.Array, *, tm: int = 128, tn: int = 128, tk: int = 32) -> None:
    m, n = lw.block(tm, "y"), lw.block(tn, "x")
    acc = lw.zeros((tm, tn))
    for k in lw.tiles(a.shape[1], tk):
        acc += a[m, k] @ b[k, n]
    c[m, n] = acc.to(c.dtype)


def step(s: lw.Value, v: lw.Value, o: lw.Value, top: lw.Value, total: lw.Value) -> tuple[lw.Value, lw.Value, lw.Value]:
    higher = s.max(axis=1, init=top)
    minus = -(higher * SCALE)
    p = lw.exp2(lw.fma(s, SCALE, minus[:, None]))
    factor = lw.exp2(lw.fma(top, SCALE, minus))
    return o * factor[:, None] + p.to(v.dtype) @ v, higher, p.sum(axis=1, init=total * factor)


@lanewise.kernel(workgroup=256)
def attention(q: Heads, k: Heads, v: Heads, out: Heads, reach: int, *, tm: int = 128, tn: int = 64) -> None:
    m, head = lw.block(tm, "x"), lw.block_id("y")
    group = head // (q.shape[0] // k.shape[0])
    seen = m.start + reach
    by_all = lw.minimum(seen, k.shape[1])
    whole = by_all // tn * tn
    queries = q[head, m, :]
    o, top, total = lw.zeros((tm, 64)), lw.full(tm, -math.inf), lw.zeros(tm)
    for n in lw.tiles(0, whole, tn, inside=True):
        o, top, total = step(queries @ k[group, n, :].T, v[group, n, :], o, top, total)
    bound = lw.minimum(lw.arange(tm) + by_all, k.shape[1])
    for n in lw.tiles(whole, lw.minimum(seen + (tm - 1), k.shape[1]), tn):
        s = lw.where(n < bound[:, None], queries @ k[group, n, :].T, -math.inf)
        o, top, total = step(s, v[group, n, :], o, top, total)
    out[head, m, :] = (o / total[:, None]).to(out.dtype)


@lanewise.kernel(workgroup=256)
def histogram(x: lw.Array, counts: lw.Array, *, bins: int = 256, tile: int = 1024) -> None:
    """Counts in shared memory first."""
    own = lw.shared(bins, lw.i32)
    own[:] = 0
    i = lw.block(tile)
    own.at[x[i]].add(1, mask=i < x.shape[0])
    counts.at[lw.span(0, bins, inside=True)].add(own[:])


@lanewise.kernel(workgroup=64)
def roots(x: lw.Array, y: lw.Array, rounds: lw.Array, *, tile: int = 256) -> None:
    """Newton's method, until nothing changes much."""
    i = lw.block(tile)
    v = x[i]
    r = lw.where(v > 1.0, v, 1.0)
    change, n = lw.number(1.0), lw.number(0)
    while (change > 1e-6) & (n < 40):
        new = 0.5 * (r + v / r)
        change = lw.maximum(new - r, r - new).max()
        r = new
        n = n + 1
    if n > 30:
        r = r * 0.0
    y[i] = r
    rounds[lw.block_id("x")] = n.to(lw.i32)


@lanewise.kernel(workgroup=64)
def in_a_list(x: lw.Array, y: lw.Array) -> None:
    """A list that the loop changes in place is carried."""
    state = [lw.zeros(64), 0]
    for i in lw.tiles(x.shape[0], 64):
        y[i] = state[0]
        state[0] = state[0] + x[i]


def floats(*shape: int) -> Any:
    return RNG.standard_normal(shape).astype(np.float32)


def small(*shape: int) -> Any:
    return RNG.integers(-3, 4, shape).astype(np.float16)


def zeros(*shape: int, dtype: type = np.float32) -> Any:
    return np.zeros(shape, dtype)


CASES: list[tuple[Any, tuple[int, int, int], tuple[Any, ...]]] = [
    (scaled_add, (4, 1, 1), (floats(1000), floats(1000), zeros(1000), 2.0)),
    (softmax, (3, 1, 1), (floats(3, 1300), zeros(3, 1300))),
    (matmul, (2, 1, 1), (small(100, 72), small(72, 136), zeros(100, 136))),
    (attention, (1, 2, 1), (small(2, 70, 64), small(1, 70, 64), small(1, 70, 64), small(2, 70, 64), 1)),
    (histogram, (3, 1, 1), (RNG.integers(0, 256, 2500).astype(np.int32), zeros(256, dtype=np.int32))),
    (roots, (4, 1, 1), (np.abs(floats(1000)), zeros(1000), zeros(4, dtype=np.int32))),
    (in_a_list, (1, 1, 1), (floats(200), zeros(200))),
]


@pytest.mark.turns("target")
@pytest.mark.parametrize(("kernel", "grid", "arguments"), CASES, ids=lambda value: getattr(value, "__name__", ""))
@pytest.mark.parametrize("target", ["sm_90a", "gfx942"])
def test_kernels_are_right(kernel: Any, grid: tuple[int, int, int], arguments: tuple[Any, ...], target: str) -> None:
    compiled = kernel.compile(*arguments, target=target, device="emulated").isolated  # as `validate` has it
    assert lanewise.print_program(lanewise.parse(compiled.vector_ir)) == compiled.vector_ir
    if kernel is not in_a_list:
        assert kernel.grid_for(*arguments) == grid
    report = lanewise.validate(
        compiled, grid, *arguments, on=["reference", "interpret", "emulated"], thorough=is_thorough()
    )
    assert report.verdict == "right", str(report)


def test_a_prepared_launch_is_on_the_grid_that_a_call_takes() -> None:
    x, y = (RNG.standard_normal(600).astype(np.float32) for _ in range(2))
    by_call, prepared, again = (np.zeros_like(x) for _ in range(3))
    scaled_add(x, y, by_call, 2.0)
    launch = scaled_add.prepare(None, x, y, prepared, 2.0)
    assert not prepared.any(), "nothing runs yet"
    launch()
    launch(x, y, again, 2.0)
    assert np.array_equal(by_call, 2 * x + y) and np.array_equal(prepared, by_call) and np.array_equal(again, by_call)


@lanewise.kernel(workgroup=64, device="emulated")
def products_used_again(a: lw.Array, b: lw.Array, out: lw.Array) -> None:
    i = lw.span(0, 16)
    x, y = a[i, i], b[i, i]
    p, q = x @ y, y @ x
    acc = y + p
    once_more = acc * p - p
    if a[0, 0] > 0:
        acc = q + acc
    else:
        acc = acc - q
    for _ in lw.range(2):
        acc = acc + p
    out[i, i] = acc + q * once_more


def test_a_product_that_was_added_is_the_product_where_it_is_used_again() -> None:
    random = np.random.default_rng(5)
    a, b = (random.integers(1, 9, (16, 16)).astype(np.int32) for _ in range(2))
    p, q = a @ b, b @ a
    acc = b + p
    expected = acc + q + 2 * p + q * (acc * p - p)
    out, plain = np.zeros((16, 16), np.int32), np.zeros((16, 16), np.int32)
    products_used_again(a, b, out)
    products_used_again.debug(a, b, plain)
    assert (out == expected).all() and (plain == expected).all()


@lanewise.kernel(workgroup=64, device="emulated")
def masks_of_spans(out: lw.Array, bound: int) -> None:
    places = lw.span(0, 64)
    early = places - 3
    for number, mask in enumerate((early < 10, early <= 9, early >= 10, early > 9, early >= 0, early > bound)):
        out[number, places] = mask.to(lw.i32)


def test_spans_compare_as_signed_with_numbers() -> None:
    """A span may begin in front of an array."""
    early = np.arange(64) - 3
    expected = [early < 10, early <= 9, early >= 10, early > 9, early >= 0, early > -2]
    out, plain = np.zeros((6, 64), np.int32), np.zeros((6, 64), np.int32)
    masks_of_spans[1](out, -2)
    masks_of_spans.debug[1](plain, -2)
    assert (out == expected).all() and (plain == expected).all()


@lanewise.kernel(workgroup=64, device="emulated")
def halves_of_a_count(out: lw.Array) -> None:
    n = 9
    for _ in lw.range(3):
        n = n - 1
    out[0] = (n // 4).to(lw.i32)
    n = -9
    for _ in lw.range(2):
        n = n + 1
    out[1] = (n // 2).to(lw.i32)


def test_numbers_that_a_loop_carries_are_indices_in_a_debug_run_too() -> None:
    """Whose quotients are unsigned."""
    out, plain = np.zeros(64, np.int32), np.zeros(64, np.int32)
    halves_of_a_count[1](out)
    halves_of_a_count.debug[1](plain)
    assert out[:2].tolist() == plain[:2].tolist() == [1, -4]  # the low bits of 2**63 - 4


@lanewise.kernel(workgroup=64)
def exchanged(x: lw.Array, y: lw.Array) -> None:
    own = lw.shared(4, lw.i32)
    own[:] = 7
    y[0] = own.at[0].exchange(5)
    y[1] = own[0]
    y[2] = x.at[0].exchange(3)


@pytest.mark.parametrize("target", ["sm_90a", "gfx942"])
def test_what_was_there_before_an_exchange(target: str) -> None:
    """One update for the whole workgroup, compiled and as plain Python."""
    given = np.array([9], np.int32), np.zeros(3, np.int32)
    compiled = exchanged.compile(*given, target=target, device="emulated")
    for run in (compiled[1], exchanged.debug[1]):
        x, y = (a.copy() for a in given)
        run(x, y)
        assert x.tolist() == [3] and y.tolist() == [7, 5, 9]
