"""Kernels as users write them, one of each kind: what the emulated machine code leaves is what numpy computes."""

from __future__ import annotations

import math
from typing import Annotated, Any, TypeAlias

import lanewise
import lanewise.lang as lw
import ml_dtypes
import numpy as np
import pytest

from ..examples import is_thorough

RNG = np.random.default_rng(24)
Case: TypeAlias = "tuple[Any, tuple[int, ...], list[Any], dict[int, Any]]"
"""A kernel, the grid, arguments, and what is in some of them then."""


def floats(*shape: int, dtype: Any = np.float32) -> Any:
    return np.asarray(RNG.standard_normal(shape), dtype)


def integers(low: int, high: int, shape: int | tuple[int, ...], dtype: Any = np.float32) -> Any:
    return np.asarray(RNG.integers(low, high, shape), dtype)


def zeros(*shape: int, dtype: Any = np.float32) -> Any:
    return np.zeros(shape, dtype)


@lanewise.kernel(workgroup=64)
def attention_backward(
    q: lw.Array, k: lw.Array, v: lw.Array, do: lw.Array, lse: lw.Array, delta: lw.Array, dk: lw.Array, dv: lw.Array,
    *, tm: int = 16, tn: int = 16, d: int = 16,
) -> None:  # fmt: skip
    """The gradients of keys and values: a tile of keys meets all queries."""
    n, head, dims = lw.block(tn), lw.block_id("y"), lw.span(0, d)
    keys, values = k[head, n, dims], v[head, n, dims]
    acc_k, acc_v = lw.zeros((tn, d)), lw.zeros((tn, d))
    for m in lw.tiles(q.shape[1], tm):
        queries, grads = q[head, m, dims], do[head, m, dims]
        p = lw.exp((queries @ keys.T) / math.sqrt(d) - lse[head, m][:, None])
        p = lw.where((m < q.shape[1])[:, None], p, 0.0)
        acc_v += p.to(lw.f16).T @ grads
        ds = p * (grads @ values.T - delta[head, m][:, None]) / math.sqrt(d)
        acc_k += ds.to(lw.f16).T @ queries
    dk[head, n, dims], dv[head, n, dims] = acc_k, acc_v


def of_attention_backward() -> Case:
    q, k, v, do = (floats(1, rows, 16, dtype=np.float16) for rows in (20, 24, 24, 20))
    wide_q, wide_k, wide_v, wide_do = (t.astype(np.float64) for t in (q, k, v, do))
    s = wide_q @ wide_k.transpose(0, 2, 1) / 4
    lse = np.log(np.exp(s).sum(-1))
    p = np.exp(s - lse[..., None])
    delta = (wide_do * (p @ wide_v)).sum(-1)
    ds = p * (wide_do @ wide_v.transpose(0, 2, 1) - delta[..., None]) / 4
    given = [q, k, v, do, lse.astype(np.float32), delta.astype(np.float32), zeros(1, 24, 16), zeros(1, 24, 16)]
    return attention_backward, (2, 1), given, {6: ds.transpose(0, 2, 1) @ wide_q, 7: p.transpose(0, 2, 1) @ wide_do}


@lanewise.kernel(workgroup=64)
def paged_decode(
    q: lw.Array, k_cache: lw.Array, v_cache: lw.Array, table: lw.Array, lengths: lw.Array, out: lw.Array,
    *, page: int = 4, tile: int = 8, d: int = 16,
) -> None:  # fmt: skip
    """One query for each sequence, whose keys and values lie in the pages of a table."""
    seq, head, dims = lw.block_id("x"), lw.block_id("y"), lw.span(0, d)
    length, query = lengths[seq].to(lw.index), q[seq, head, dims].to(lw.f32)
    acc, top, total = lw.zeros(d), lw.number(-math.inf), lw.number(0.0)
    for n in lw.tiles(length, tile):
        pages, slot = table[seq, n.index // page], n.index % page
        scores = (k_cache[pages, slot, head, dims].to(lw.f32) * query).sum(axis=1) / math.sqrt(d)
        scores = lw.where(n < length, scores, -math.inf)
        higher = lw.maximum(top, scores.max())
        p, scale = lw.exp(scores - higher), lw.exp(top - higher)
        values = v_cache[pages, slot, head, dims].to(lw.f32)
        acc = acc * scale + (p[:, None] * values).sum(axis=0)
        total = total * scale + p.sum()
        top = higher
    out[seq, head, dims] = acc / total


def of_paged_decode() -> Case:
    q, keys, values = (floats(*shape, dtype=np.float16) for shape in ((2, 2, 16), (6, 4, 2, 16), (6, 4, 2, 16)))
    table, lengths = RNG.permutation(6).reshape(2, 3).astype(np.int32), np.array([5, 12], np.int32)
    right = zeros(2, 2, 16)
    for s, head in np.ndindex(2, 2):
        own_k, own_v = (t[table[s]].reshape(12, 2, 16)[: lengths[s], head].astype(np.float64) for t in (keys, values))
        p = np.exp(own_k @ q[s, head].astype(np.float64) / 4)
        right[s, head] = p / p.sum() @ own_v
    return paged_decode, (2, 2), [q, keys, values, table, lengths, zeros(2, 2, 16)], {5: right}


@lanewise.kernel(workgroup=64)
def experts(
    x: lw.Array, w: lw.Array, expert: lw.Array, starts: lw.Array, ends: lw.Array, y: lw.Array,
    *, tm: int = 16, tn: int = 16, tk: int = 16,
) -> None:  # fmt: skip
    """A tile of rows, which all go to one expert, times its weights."""
    tile, n = lw.block_id("y"), lw.block(tn, "x")
    m = lw.span(starts[tile].to(lw.index), tm)
    acc = lw.zeros((tm, tn))
    for k in lw.tiles(x.shape[1], tk):
        acc += x[m, k] @ w[expert[tile], k, n]
    y.store((m, n), acc, mask=(m < ends[tile].to(lw.index))[:, None])


def of_experts() -> Case:
    x, w = integers(-3, 4, (29, 24), np.float16), integers(-3, 4, (3, 24, 20), np.float16)
    tiles = np.array([(0, 0, 9), (2, 9, 29), (2, 25, 29)], np.int32)  # 9 rows for expert 0, none for 1, 20 for 2
    right = np.concatenate([x[:9].astype(np.float32) @ w[0], x[9:].astype(np.float32) @ w[2]])
    return experts, (2, 3), [x, w, *(np.ascontiguousarray(c) for c in tiles.T), zeros(29, 20)], {5: right}


@lanewise.kernel(workgroup=64)
def four_bit_weights(
    x: lw.Array, w: lw.Array, scales: lw.Array, y: lw.Array,
    *, tm: int = 16, tn: int = 16, tk: int = 16, group: int = 32,
) -> None:  # fmt: skip
    """Weights of four bits, with a scale for each group of them along a row."""
    m, n = lw.block(tm, "y"), lw.block(tn, "x")
    acc = lw.zeros((tm, tn))
    for k in lw.tiles(x.shape[1], tk):
        acc += x[m, k] @ (w[n, k].to(lw.f16) * scales[n, k.start // group][:, None]).T
    y[m, n] = acc


def of_four_bit_weights() -> Case:
    x, w = integers(-2, 3, (12, 64), np.float16), RNG.integers(-8, 8, (20, 64))
    scales = (2.0 ** RNG.integers(-2, 1, (20, 2))).astype(np.float16)
    right = x.astype(np.float32) @ (w * np.repeat(scales, 32, axis=1)).T
    return four_bit_weights, (2, 1), [x, w.astype(ml_dtypes.int4), scales, zeros(12, 20)], {3: right}


@lanewise.kernel(workgroup=32)
def bitonic_sort(x: lw.Array, y: lw.Array, *, n: int = 8) -> None:
    """Rows are sorted in registers: Python's own loops are written out."""
    row, whole = lw.block_id("x"), lw.span(0, n)
    v = x[row, whole]
    size = 2
    while size <= n:
        step = size // 2
        while step >= 1:
            groups = n // (2 * step)
            pairs = v.reshape(groups, 2, step)
            up = (lw.arange(groups) * (2 * step) // size % 2 == 0)[:, None]
            low, high = lw.minimum(pairs[:, 0], pairs[:, 1]), lw.maximum(pairs[:, 0], pairs[:, 1])
            first, second = lw.where(up, low, high), lw.where(up, high, low)
            v = lw.concat(first[:, None, :], second[:, None, :], axis=1).reshape(n)
            step //= 2
        size *= 2
    y[row, whole] = v


def of_bitonic_sort() -> Case:
    x = integers(-99, 99, (2, 8), np.int32)
    return bitonic_sort, (2,), [x, np.zeros_like(x)], {1: np.sort(x, axis=1)}


@lanewise.kernel(workgroup=32)
def fourier(re: lw.Array, im: lw.Array, out_re: lw.Array, out_im: lw.Array, *, n: int = 16) -> None:
    """Stockham's: halves are paired, and what becomes of them is written one behind the other."""
    row, whole = lw.block_id("x"), lw.span(0, n)
    a, b = re[row, whole], im[row, whole]
    length = 1
    while length < n:
        parts = [v.reshape(2, n // 2 // length, length) for v in (a, b)]
        (ar, br), (ai, bi) = ((p[0], p[1]) for p in parts)
        angle = lw.arange(length).to(lw.f32) * (-math.pi / length)
        c, s = lw.cos(angle), lw.sin(angle)
        tr, ti = br * c - bi * s, br * s + bi * c
        a = lw.concat((ar + tr)[:, None], (ar - tr)[:, None], axis=1).reshape(n)
        b = lw.concat((ai + ti)[:, None], (ai - ti)[:, None], axis=1).reshape(n)
        length *= 2
    out_re[row, whole], out_im[row, whole] = a, b


def of_fourier() -> Case:
    re, im = floats(2, 16), floats(2, 16)
    right = np.fft.fft(re + 1j * im)
    return fourier, (2,), [re, im, zeros(2, 16), zeros(2, 16)], {2: right.real, 3: right.imag}


@lanewise.kernel(workgroup=32)
def sparse_rows(
    rows: lw.Array, columns: lw.Array, values: lw.Array, x: lw.Array, y: lw.Array, *, tile: int = 32
) -> None:
    """A matrix in compressed rows times a vector."""
    row = lw.block_id("x")
    begin, end = rows[row].to(lw.index), rows[row + 1].to(lw.index)
    sums = lw.zeros(tile)
    for j in lw.tiles(begin, end, tile):
        sums += lw.where(j < end, values[j] * x.load(columns[j], mask=j < end), 0.0)
    y[row] = sums.sum()


def of_sparse_rows() -> Case:
    dense = integers(-3, 4, (5, 90)) * (RNG.random((5, 90)) < 0.5)
    dense[3] = 0
    x, there = integers(-3, 4, 90), dense != 0
    rows, columns = np.append(0, np.cumsum(there.sum(axis=1))).astype(np.int32), np.nonzero(there)[1].astype(np.int32)
    return sparse_rows, (5,), [rows, columns, dense[there].astype(np.float32), x, zeros(5)], {4: dense @ x}


@lanewise.kernel(workgroup=64)
def embedding_backward(ids: lw.Array, grad: lw.Array, table: lw.Array, *, tile: int = 8, width: int = 32) -> None:
    """Rows are added to those of a table that a vector names, some of them several times."""
    i, d = lw.block(tile, "x"), lw.block(width, "y")
    table.at[ids[i], d].add(grad[i, d], mask=(i < ids.shape[0])[:, None])


def of_embedding_backward() -> Case:
    ids, grad, right = integers(0, 5, 20, np.int32), integers(-9, 9, (20, 40)), zeros(5, 40)
    np.add.at(right, ids, grad)
    return embedding_backward, (3, 2), [ids, grad, zeros(5, 40)], {2: right}


@lanewise.kernel(workgroup=64)
def sums_of_tiles(x: lw.Array, y: lw.Array, *, tm: int = 8, tn: int = 16) -> None:
    """Both halves of a batch are added to one."""
    batch, i, j = lw.block_id("z"), lw.block(tm, "y"), lw.block(tn, "x")
    y.at[batch % 2, i, j].add(x[batch, i, j])


def of_sums_of_tiles() -> Case:
    x = integers(-9, 9, (4, 12, 20), np.int32)
    return sums_of_tiles, (2, 2, 4), [x, zeros(2, 12, 20, dtype=np.int32)], {1: x[:2] + x[2:]}


def halves_of_product(a: lw.Value, b: int) -> tuple[lw.Value, lw.Value]:
    wide = a.to(lw.u64) * b
    return (wide >> 32).to(lw.u32), wide.to(lw.u32)


@lanewise.kernel(workgroup=32)
def philox(out: lw.Array, seed: Annotated[lw.Value, lw.u32], *, tile: int = 32) -> None:
    """Philox 4x32-10, by which frameworks drop out: four random numbers for each counter."""
    i = lw.block(tile)
    zero = lw.zeros(tile, lw.u32)
    c0, c1, c2, c3, k0, k1 = i.index.to(lw.u32), zero, zero, zero, seed, lw.number(0, lw.u32)
    for _ in range(10):
        h0, l0 = halves_of_product(c0, 0xD2511F53)
        h1, l1 = halves_of_product(c2, 0xCD9E8D57)
        c0, c1, c2, c3 = h1 ^ c1 ^ k0, l1, h0 ^ c3 ^ k1, l0
        k0, k1 = k0 + 0x9E3779B9, k1 + 0xBB67AE85
    for number, c in enumerate((c0, c1, c2, c3)):
        out[number, i] = c


def of_philox() -> Case:
    right = np.zeros((4, 40), np.uint32)
    for i in range(40):
        c, k = [i, 0, 0, 0], [0xCAFEBABE, 0]
        for _ in range(10):
            one, two = c[0] * 0xD2511F53, c[2] * 0xCD9E8D57
            c = [two >> 32 ^ c[1] ^ k[0], two % 2**32, one >> 32 ^ c[3] ^ k[1], one % 2**32]
            k = [(k[0] + 0x9E3779B9) % 2**32, (k[1] + 0xBB67AE85) % 2**32]
        right[:, i] = c
    return philox, (2,), [np.zeros_like(right), np.uint32(0xCAFEBABE)], {0: right}


@lanewise.kernel(workgroup=32)
def running_logsumexp(x: lw.Array, y: lw.Array, *, tile: int = 32) -> None:
    """A scan of rows longer than a tile, against the greatest element so far."""
    row = lw.block_id("x")
    top, total = lw.number(-math.inf), lw.number(0.0)
    for j in lw.tiles(x.shape[1], tile):
        v = x.load(row, j, pad=-math.inf)
        higher = lw.maximum(top, v.max())
        sums = lw.exp(v - higher).cumsum() + total * lw.exp(top - higher)
        y[row, j] = lw.log(sums) + higher
        top, total = higher, sums[tile - 1]


def of_running_logsumexp() -> Case:
    x = floats(2, 80)
    return running_logsumexp, (2,), [x, np.zeros_like(x)], {1: np.log(np.cumsum(np.exp(x.astype(np.float64)), axis=1))}


@lanewise.kernel(workgroup=64)
def sobel(image: lw.Array, out: lw.Array, *, tm: int = 8, tn: int = 32) -> None:
    """Edges of an image of bytes: neighbours are spans that are moved."""
    i, j = lw.block(tm, "y"), lw.block(tn, "x")

    def at(di: int, dj: int) -> lw.Value:
        return image[i + di, j + dj].to(lw.i16)

    gx = at(-1, 1) + 2 * at(0, 1) + at(1, 1) - at(-1, -1) - 2 * at(0, -1) - at(1, -1)
    gy = at(1, -1) + 2 * at(1, 0) + at(1, 1) - at(-1, -1) - 2 * at(-1, 0) - at(-1, 1)
    out[i, j] = lw.minimum(abs(gx) + abs(gy), 255).to(lw.u8)


def of_sobel() -> Case:
    image = integers(0, 256, (11, 40), np.uint8)
    wide = np.pad(image.astype(np.int32), 1)
    rows = wide[:-2] + 2 * wide[1:-1] + wide[2:]
    columns = wide[:, :-2] + 2 * wide[:, 1:-1] + wide[:, 2:]
    right = abs(rows[:, 2:] - rows[:, :-2]) + abs(columns[2:] - columns[:-2])
    return sobel, (2, 2), [image, np.zeros_like(image)], {1: np.minimum(right, 255)}


@lanewise.kernel(workgroup=128)
def taken_from_a_queue(x: lw.Array, y: lw.Array, tickets: lw.Array, *, tile: int = 64) -> None:
    """Few workgroups take tiles until none is left."""
    tiles = lw.cdiv(lw.number(x.shape[0]), tile).to(lw.i32)
    mine = tickets.at[0].add(1)
    while mine < tiles:
        i = lw.span(mine.to(lw.index) * tile, tile)
        y[i] = x[i].cumsum()
        mine = tickets.at[0].add(1)


def of_taken_from_a_queue() -> Case:
    x = integers(-9, 9, 200, np.int32)
    right = np.concatenate([np.cumsum(x[i : i + 64]) for i in range(0, 200, 64)])
    given = [x, np.zeros_like(x), zeros(1, dtype=np.int32)]
    return taken_from_a_queue, (2,), given, {1: right, 2: np.array([4 + 2])}  # each sees once that none is left


@pytest.mark.parametrize(
    ("make", "target"),
    [
        (of_attention_backward, "sm_90a"),
        (of_paged_decode, "gfx942"),
        (of_experts, "sm_90a"),
        (of_four_bit_weights, "gfx942"),
        (of_bitonic_sort, "sm_90a"),
        (of_fourier, "gfx942"),
        (of_sparse_rows, "sm_90a"),
        (of_embedding_backward, "gfx942"),
        (of_sums_of_tiles, "sm_90a"),
        (of_philox, "gfx942"),
        (of_running_logsumexp, "sm_90a"),
        (of_sobel, "gfx942"),
        (of_taken_from_a_queue, "sm_90a"),
    ],
)
def test_what_users_write_is_right(make: Any, target: str) -> None:
    kernel, grid, arguments, expected = make()
    compiled = kernel.compile(*arguments, target=target, device="emulated").isolated  # as `validate` has it
    report = lanewise.validate(compiled, grid, *arguments, on=["reference", Numpy(expected)], thorough=is_thorough())
    assert report.verdict == "right", str(report)
    compiled[grid](*arguments)
    for number, right in expected.items():
        found = arguments[number]
        whole = bool((right == np.rint(right)).all())
        assert np.array_equal(found, right) if whole else np.allclose(found, right, rtol=2e-3, atol=4e-3)


class Numpy:
    """What numpy computes, as an executor that is compared with the reference."""

    name = "numpy"

    def __init__(self, expected: dict[int, Any]) -> None:
        self.expected = expected

    def prepare(self, kernel: Any, terms: lanewise.Terms) -> lanewise.Prepared:
        del kernel, terms

        def run(grid: tuple[int, int, int], arguments: Any) -> lanewise.Outcome:
            del grid
            for number, right in self.expected.items():
                arguments[number][:] = right
            return lanewise.Outcome(tuple(arguments))

        return lanewise.prepared_on_arrays("numpy", run)
