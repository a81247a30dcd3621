"""Whole kernels: LLVM IR compiled by LLVM's AMDGPU back end, run on the emulator, compared with numpy."""

from __future__ import annotations

import numpy as np
import pytest

from . import programs
from .support import CHIPS, WAVE64, wavefront

every_chip = pytest.mark.parametrize("chip", CHIPS)
MATRIX_CHIPS = (*WAVE64, "gfx1100", "gfx1200", "gfx1201")


@pytest.mark.turns("chip")
@every_chip
@pytest.mark.parametrize("count", [1, 63, 1000])
def test_addition(chip, count, compiled, bench):
    rng = np.random.default_rng(count)
    a, b = (rng.standard_normal(count).astype(np.float32) for _ in range(2))
    out = bench.upload(np.zeros(count, np.float32))
    arguments = [bench.upload(a), bench.upload(b), out, count]
    bench.launch(compiled(programs.addition(), chip), (4, 1, 1), (256, 1, 1), arguments)
    assert np.array_equal(bench.download(out, np.float32, count), a + b)


@pytest.mark.turns("chip")
@every_chip
@pytest.mark.parametrize(("m", "n"), [(1, 5), (10, 77), (7, 200)])
def test_softmax(chip, m, n, compiled, bench):
    x = np.random.default_rng(m).standard_normal((m, n)).astype(np.float32)
    out = bench.upload(np.full((m, n), np.nan, np.float32))
    threads = 4 * wavefront(chip)
    arguments = [bench.upload(x), out, m, n]
    bench.launch(compiled(programs.softmax(chip), chip), (-(-m // 4), 1, 1), (threads, 1, 1), arguments)
    powers = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    expected = powers / powers.sum(axis=1, keepdims=True)
    found = bench.download(out, np.float32, (m, n))
    # exp2 of a rounded argument: half an ulp of |x log2(e)| < 16, and a few roundings
    assert np.abs(found / expected - 1).max() < 2e-6


@pytest.mark.turns("chip")
@every_chip
@pytest.mark.parametrize("count", [1, 255, 3001])
def test_reduction(chip, count, compiled, bench):
    x = np.random.default_rng(count).integers(-8, 9, count).astype(np.float32)
    out = bench.upload(np.zeros(1, np.float32))
    arguments = [bench.upload(x), out, count]
    bench.launch(compiled(programs.reduction(), chip), (4, 1, 1), (256, 1, 1), arguments)
    assert bench.download(out, np.float32, 1)[0] == x.sum()
    assert bench.counters.atomics >= 4  # gfx1030 adds in a compare-and-swap loop


@pytest.mark.turns("chip")
@every_chip
@pytest.mark.parametrize(("m", "n"), [(1, 1), (45, 70)])
def test_transposition(chip, m, n, compiled, bench):
    x = np.arange(m * n, dtype=np.float32).reshape(m, n)
    out = bench.upload(np.zeros((n, m), np.float32))
    grid = (-(-n // 32), -(-m // 32), 1)
    bench.launch(compiled(programs.transposition(), chip), grid, (256, 1, 1), [bench.upload(x), out, m, n])
    assert np.array_equal(bench.download(out, np.float32, (n, m)), x.T)


@pytest.mark.turns("chip")
@pytest.mark.parametrize("chip", MATRIX_CHIPS)
@pytest.mark.parametrize(("kind", "dtype", "result"), [("half", np.float16, np.float32), ("i8", np.int8, np.int32)])
def test_product(chip, kind, dtype, result, compiled, bench):
    m, n, k = 33, 21, 128
    rng = np.random.default_rng(7)
    a, b = rng.integers(-4, 5, (m, k)).astype(dtype), rng.integers(-4, 5, (n, k)).astype(dtype)
    out = bench.upload(np.zeros((m, n), result))
    text = compiled(programs.product(chip, kind), chip)
    grid, block = (-(-n // 16), -(-m // 16), 1), (wavefront(chip), 1, 1)
    bench.launch(text, grid, block, [bench.upload(a), bench.upload(b), out, m, n, k])
    assert np.array_equal(bench.download(out, result, (m, n)), a.astype(result) @ b.astype(result).T)
    assert bench.counters.matrix_instructions > 0
    assert "mfma" in text or "wmma" in text
