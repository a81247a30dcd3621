"""Kernels as a newcomer writes them, from README and docs/kernels_in_python.md alone: right on every executor, and what
numpy computes. tests/lang/test_fragments.py has the sparse and the scaled ones."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import lanewise
import lanewise.lang as lw
import numpy as np
import pytest

from ..examples import is_thorough
from .test_kernels_of_users import Case, floats, integers, zeros


@lanewise.kernel(workgroup=64)
def sliding_attention(
    q: lw.Array,
    k: lw.Array,
    v: lw.Array,
    out: lw.Array,
    *,
    window: int = 12,
    sinks: int = 2,
    tm: int = 16,
    tn: int = 16,
    d: int = 16,
) -> None:
    head, m, dims = lw.block_id("y"), lw.block(tm), lw.span(0, d)
    queries = q[head, m, dims]
    top, total, acc = lw.full(tm, -math.inf), lw.zeros(tm), lw.zeros((tm, d))
    n_keys = k.shape[1]
    for n in lw.tiles(n_keys, tn):
        if (n.start < sinks) | ((n.start + tn + window > m.start) & (n.start < m.start + tm)):
            scores = (queries @ k[head, n, dims].T) / math.sqrt(d)
            i, j = m.index[:, None], n.index[None, :]
            seen = (j <= i) & ((j + window > i) | (j < sinks)) & (j < n_keys)
            scores = lw.where(seen, scores, -math.inf)
            higher = lw.maximum(top, scores.max(axis=1))
            safe = lw.where(higher == -math.inf, 0.0, higher)
            p = lw.exp(scores - safe[:, None])
            scale = lw.exp(top - safe)
            acc = acc * scale[:, None] + p.to(lw.f16) @ v[head, n, dims]
            total = total * scale + p.sum(axis=1)
            top = higher
    out[head, m, dims] = acc / total[:, None]


def of_sliding_attention() -> Case:
    q, k, v = (floats(2, 40, 16, dtype=np.float16) for _ in range(3))
    i, j = np.arange(40)[:, None], np.arange(40)
    s = q.astype(np.float64) @ k.astype(np.float64).transpose(0, 2, 1) / 4
    s = np.where((j <= i) & ((i - j < 12) | (j < 2)), s, -np.inf)
    p = np.exp(s - s.max(-1, keepdims=True))
    right = (p / p.sum(-1, keepdims=True)) @ v.astype(np.float64)
    return sliding_attention, (3, 2), [q, k, v, zeros(2, 40, 16)], {3: right}


@lanewise.kernel(workgroup=32)
def rope_append(
    q: lw.Array,
    k: lw.Array,
    v: lw.Array,
    cos: lw.Array,
    sin: lw.Array,
    position: lw.Array,
    q_out: lw.Array,
    k_cache: lw.Array,
    v_cache: lw.Array,
    *,
    d: int = 16,
) -> None:
    seq, head = lw.block_id("x"), lw.block_id("y")
    at = position[seq].to(lw.index)
    half = d // 2
    low, high = lw.span(0, half), lw.span(half, half)
    c, s = cos[at, low], sin[at, low]

    def rotated(x: lw.Array) -> tuple[lw.Value, lw.Value]:
        a, b = x[seq, head, low].to(lw.f32), x[seq, head, high].to(lw.f32)
        return (a * c - b * s).to(x.dtype), (b * c + a * s).to(x.dtype)

    q_out[seq, head, low], q_out[seq, head, high] = rotated(q)
    k_cache[seq, at, head, low], k_cache[seq, at, head, high] = rotated(k)
    whole = lw.span(0, d)
    v_cache[seq, at, head, whole] = v[seq, head, whole]


def of_rope_append() -> Case:
    q, k, v = (floats(3, 2, 16, dtype=np.float16) for _ in range(3))
    angles = np.arange(8)[:, None] * 10.0 ** -np.arange(0, 1, 1 / 8)
    cos, sin = np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
    position = np.array([0, 5, 7], np.int32)
    c, s = cos[position][:, None], sin[position][:, None]

    def rotated(x: Any) -> Any:
        a, b = x[..., :8].astype(np.float32), x[..., 8:].astype(np.float32)
        return np.concatenate([a * c - b * s, b * c + a * s], -1).astype(np.float16)

    keys, values = zeros(3, 8, 2, 16, dtype=np.float16), zeros(3, 8, 2, 16, dtype=np.float16)
    right_k, right_v = keys.copy(), values.copy()
    right_k[np.arange(3), position], right_v[np.arange(3), position] = rotated(k), v
    given = [q, k, v, cos, sin, position, np.zeros_like(q), keys, values]
    return rope_append, (3, 2), given, {6: rotated(q), 7: right_k, 8: right_v}


@lanewise.kernel(workgroup=32)
def top_k(x: lw.Array, values: lw.Array, places: lw.Array, *, n: int = 32, k: int = 4) -> None:
    """The k greatest of each row with their places, by a bitonic sort in shared memory."""
    row = lw.block_id("x")
    whole = lw.arange(n)
    keys, at = lw.shared(n, lw.f32), lw.shared(n, lw.i32)
    keys[:] = x.load(row, lw.span(0, n), pad=-math.inf)
    at[:] = whole.to(lw.i32)
    size = 2
    while size <= n:
        step = size // 2
        while step:
            other = whole ^ step
            mine, theirs = keys[whole], keys[other]
            my_place, their_place = at[whole], at[other]
            descending = (whole & size) == 0
            first = whole < other
            before = (mine > theirs) | ((mine == theirs) & (my_place < their_place))
            keep = before == (descending == first)
            keys[:] = lw.where(keep, mine, theirs)
            at[:] = lw.where(keep, my_place, their_place)
            step //= 2
        size *= 2
    values[row, lw.span(0, k)] = keys[lw.span(0, k)]
    places[row, lw.span(0, k)] = at[lw.span(0, k)]


def of_top_k() -> Case:
    x = integers(-20, 20, (3, 29))
    order = np.argsort(-x, axis=1, kind="stable")[:, :4]
    right = np.take_along_axis(x, order, 1)
    return top_k, (3,), [x, zeros(3, 4), zeros(3, 4, dtype=np.int32)], {1: right, 2: order.astype(np.int32)}


@lanewise.kernel(workgroup=64)
def grouped_gemm(
    x: lw.Array, w: lw.Array, offsets: lw.Array, y: lw.Array, *, tm: int = 16, tn: int = 16, tk: int = 16
) -> None:
    """Rows offsets[e] to offsets[e + 1] of x times w[e]; the workgroup along y finds its group and tile itself."""
    n = lw.block(tn, "x")
    left = lw.number(lw.block_id("y"), lw.index)
    group, start, end = lw.number(0, lw.index), lw.number(0, lw.index), lw.number(0, lw.index)
    found = lw.number(False)
    for e in lw.range(w.shape[0]):
        first, last = offsets[e].to(lw.index), offsets[e + 1].to(lw.index)
        tiles = lw.cdiv(last - first, tm)
        if ~found:
            if left < tiles:
                found = lw.number(True)
                group, start, end = e, first + left * tm, last
            else:
                left = left - tiles
    if found:
        m = lw.span(start, tm)
        acc = lw.zeros((tm, tn))
        for k in lw.tiles(x.shape[1], tk):
            acc += x[m, k] @ w[group, k, n]
        y.store((m, n), acc, mask=(m < end)[:, None])


def of_grouped_gemm() -> Case:
    sizes = [5, 0, 19, 8]
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
    x, w = integers(-3, 4, (32, 24), np.float16), integers(-3, 4, (4, 24, 20), np.float16)
    right = np.concatenate(
        [x[a:b].astype(np.float32) @ w[e].astype(np.float32) for e, (a, b) in enumerate(pairwise(offsets))]
    )
    return grouped_gemm, (2, 6), [x, w, offsets, zeros(32, 20)], {3: right}


@lanewise.kernel(workgroup=64)
def quantize_rows(x: lw.Array, codes: lw.Array, scales: lw.Array, *, width: int = 64) -> None:
    row = lw.block_id("x")
    v = x[row, lw.span(0, width)].to(lw.f32)
    scale = lw.maximum(abs(v).max() / 127.0, 1e-8)
    scales[row] = scale
    codes[row, lw.span(0, width)] = lw.clamp(lw.round(v / scale), -127.0, 127.0).to(lw.i8)


@lanewise.kernel(workgroup=64)
def int8_matmul(
    a: lw.Array,
    a_scales: lw.Array,
    b: lw.Array,
    b_scales: lw.Array,
    c: lw.Array,
    *,
    tm: int = 16,
    tn: int = 16,
    tk: int = 32,
) -> None:
    m, n = lw.block(tm, "y"), lw.block(tn, "x")
    acc = lw.zeros((tm, tn), lw.i32)
    for k in lw.tiles(a.shape[1], tk):
        acc += a[m, k] @ b[n, k].T
    c[m, n] = (acc.to(lw.f32) * a_scales[m][:, None] * b_scales[n][None, :]).to(c.dtype)


def of_quantize_rows() -> Case:
    x = floats(5, 48, dtype=np.float16)
    w = x.astype(np.float32)
    scale = np.maximum(np.abs(w).max(1) / np.float32(127), np.float32(1e-8)).astype(np.float32)
    codes = np.clip(np.rint(w / scale[:, None]), -127, 127).astype(np.int8)
    return quantize_rows, (5,), [x, zeros(5, 48, dtype=np.int8), zeros(5)], {1: codes, 2: scale}


def of_int8_matmul() -> Case:
    a, b = integers(-127, 128, (20, 72), np.int8), integers(-127, 128, (24, 72), np.int8)
    sa, sb = abs(floats(20)) / 50, abs(floats(24)) / 50
    right = (a.astype(np.int64) @ b.astype(np.int64).T).astype(np.float64) * sa[:, None] * sb
    return int8_matmul, (2, 2), [a, sa, b, sb, zeros(20, 24, dtype=np.float16)], {4: right.astype(np.float16)}


@lanewise.kernel(workgroup=64)
def conv1d_update(
    x: lw.Array,
    state: lw.Array,
    weight: lw.Array,
    bias: lw.Array,
    y: lw.Array,
    *,
    tile: int = 64,
    taps: int = 4,
    length: int = 6,
) -> None:
    """A causal depthwise convolution that goes on from a state, which it moves on (Mamba)."""
    batch, c = lw.block_id("y"), lw.block(tile)
    w = [weight[c, t] for t in range(taps)]
    past = [state[batch, c, t] for t in range(taps - 1)]
    for step in lw.range(x.shape[2]):
        new = x[batch, c, step]
        acc = bias[c]
        for t, value in enumerate([*past, new]):
            acc += w[t] * value
        y[batch, c, step] = acc / (1.0 + lw.exp(-acc))
        past = [*past[1:], new]
    for t in range(taps - 1):
        state[batch, c, t] = past[t]


def of_conv1d_update() -> Case:
    x, state, w, bias = floats(2, 70, 6), floats(2, 70, 3), floats(70, 4), floats(70)
    whole = np.concatenate([state, x], -1).astype(np.float64)
    acc = bias[:, None] + sum(w[:, t, None] * whole[..., t : t + 6] for t in range(4))
    right = acc / (1 + np.exp(-acc))
    return conv1d_update, (2, 2), [x, state, w, bias, zeros(2, 70, 6)], {1: whole[..., 6:], 4: right}


@lanewise.kernel(workgroup=64)
def cumulative_logsumexp(x: lw.Array, y: lw.Array, *, tile: int = 64) -> None:
    row = lw.block_id("x")
    top, total = lw.number(-math.inf), lw.number(0.0)
    for i in lw.tiles(x.shape[1], tile):
        v = x.load(row, i, pad=-math.inf)
        higher = lw.maximum(top, v.max())
        sums = lw.exp(v - higher).cumsum() + total * lw.exp(top - higher)
        y[row, i] = lw.log(sums) + higher
        total = total * lw.exp(top - higher) + lw.exp(v - higher).sum()
        top = higher


def of_cumulative_logsumexp() -> Case:
    x = floats(3, 150)
    return cumulative_logsumexp, (3,), [x, zeros(3, 150)], {1: np.logaddexp.accumulate(x.astype(np.float64), axis=1)}


@lanewise.kernel(workgroup=64)
def beam_gather(cache: lw.Array, parents: lw.Array, lengths: lw.Array, out: lw.Array, *, tile: int = 16) -> None:
    """Each beam takes the cache of its parent, as far as it is filled."""
    batch, beam, d = lw.block_id("z"), lw.block_id("y"), lw.block(tile)
    parent = parents[batch, beam]
    for t in lw.range(lengths[batch].to(lw.index)):
        out[batch, beam, t, d] = cache[batch, parent, t, d]


def of_beam_gather() -> Case:
    cache = floats(2, 3, 5, 20)
    parents, lengths = np.array([[2, 0, 0], [1, 1, 2]], np.int32), np.array([5, 3], np.int32)
    right = zeros(2, 3, 5, 20)
    for b in range(2):
        right[b, :, : lengths[b]] = cache[b, parents[b], : lengths[b]]
    return beam_gather, (2, 3, 2), [cache, parents, lengths, zeros(2, 3, 5, 20)], {3: right}


MAKERS = [
    of_sliding_attention, of_rope_append, of_top_k, of_grouped_gemm, of_quantize_rows, of_int8_matmul, of_conv1d_update,
    of_cumulative_logsumexp, of_beam_gather,
]  # fmt: skip


@pytest.mark.parametrize(("make", "target"), [(m, ("sm_90a", "gfx942")[n % 2]) for n, m in enumerate(MAKERS)])
def test_what_newcomers_write_is_right(make: Any, target: str) -> None:
    kernel, grid, arguments, expected = make()
    compiled = kernel.compile(*arguments, target=target, device="emulated").isolated  # as `validate` has it
    report = lanewise.validate(
        compiled, grid, *arguments, on=["reference", "interpret", "emulated"], thorough=is_thorough()
    )
    assert report.verdict == "right", str(report)
    for run in (compiled[grid], kernel.debug[grid]):
        given = [a.copy() for a in arguments]
        run(*given)
        for number, right in expected.items():
            assert np.allclose(given[number].astype(np.float64), right.astype(np.float64), rtol=2e-3, atol=4e-3)
