"""The bound of a contraction holds on every matrix unit, whatever the data, and is not wide on ordinary data."""

from __future__ import annotations

import functools
from collections.abc import Callable

import ml_dtypes
import numpy as np
import pytest
from lanewise.emulate.unit_sums import UnitSum as Unit
from lanewise.emulate.unit_sums import cdna2, cdna3, tensor_core
from lanewise.emulate.unit_sums import chain as fused_multiply_adds
from lanewise.reference.summation import Products, is_exact, rounding_errors
from lanewise.reference.uncertainty import DEVIATIONS
from lanewise.targets import find_chip, find_matrix_instruction
from lanewise.targets.accumulation import Accumulation, accumulation, chain
from numpy.typing import NDArray

from ..examples import is_thorough

F64 = NDArray[np.float64]

SIZE = 12
WHOLE = is_thorough()
"""Whether this is `--thorough`."""
DRAWS = 4 if WHOLE else 2
"""Of products up to K = 2048: those of the longest have errors enough in one."""
WIDTHS = (16, 32, 256, 2048, 16384 if WHOLE else 4096)


def table(chip: str, instruction: str) -> Accumulation:
    unit = accumulation(find_matrix_instruction(instruction), find_chip(chip))
    assert unit is not None
    return unit


F16 = "mma.sync.m16n8k16.f32.f16.f16.f32"
EIGHT, SIXTEEN = tensor_core(8, 24, "f32"), tensor_core(16, 25, "f32")
FP8 = "mma.sync.m16n8k32.f32.f8E4M3FN.f8E4M3FN.f32"
MODELS: dict[str, tuple[Unit, Accumulation]] = {
    "Turing f16": (EIGHT, table("sm_75", "mma.sync.m16n8k8.f32.f16.f16.f32")),
    "Ampere f16": (EIGHT, table("sm_80", F16)),
    "Ada f16": (EIGHT, table("sm_89", F16)),
    "Ada fp8": (tensor_core(16, 13, "f32 of 13 bits", (-6, -6)), table("sm_89", FP8)),
    "Hopper f16": (SIXTEEN, table("sm_90", F16)),
    "Hopper f16, f16 sums": (tensor_core(16, 25, "f16"), table("sm_90", "mma.sync.m16n8k16.f16.f16.f16.f16")),
    "Blackwell f16": (SIXTEEN, table("sm_100", F16)),
    "CDNA 1 f16": (cdna2(flushes=False), table("gfx908", "MFMA_F32_16x16x16_F16")),
    "CDNA 2 f16": (cdna2(flushes=True), table("gfx90a", "MFMA_F32_16x16x16_F16")),
    "CDNA 3 f16": (cdna3(8), table("gfx942", "MFMA_F32_16x16x16_F16")),
    "multiply-adds": (fused_multiply_adds(np.float32), chain("f32")),
}


def halves(x: F64, narrow: str) -> F64:
    type = ml_dtypes.float8_e4m3fn if narrow == "fp8" else np.float16
    return x.astype(type).astype(np.float64)


def _signs_apart(random: np.random.Generator, k: int) -> tuple[F64, F64]:
    """Sums of zero whose first half is the second, negated."""
    a, b = random.standard_normal((SIZE, k // 2)), random.standard_normal((k // 2, SIZE))
    return np.concatenate([a, -a], axis=1), np.concatenate([b, b])


def _signs_in_turn(random: np.random.Generator, k: int) -> tuple[F64, F64]:
    a, b = random.standard_normal((SIZE, k)), random.standard_normal((k, SIZE))
    return np.abs(a) * np.tile([1, -1], k // 2), np.abs(b)


DATA: dict[str, Callable[[np.random.Generator, int], tuple[F64, F64]]] = {
    "normal": lambda r, k: (r.standard_normal((SIZE, k)), r.standard_normal((k, SIZE))),
    "uniform": lambda r, k: (r.random((SIZE, k)), r.random((k, SIZE))),
    "cancelling": _signs_apart,
    "signs in turn": _signs_in_turn,
    "subnormal": lambda r, k: (r.standard_normal((SIZE, k)) * 2.0**-18, r.standard_normal((k, SIZE)) * 2.0**-18),
    "one value": lambda r, k: (np.full((SIZE, k), 0.1), np.full((k, SIZE), 0.3)),
    "few values": lambda r, k: (r.choice([0.1, 0.3, 0.7], (SIZE, k)), r.choice([0.1, 0.3, -0.2], (k, SIZE))),
    "wide": lambda r, k: (
        r.standard_normal((SIZE, k)) * 2.0 ** r.integers(-8, 5, (SIZE, k)),
        r.standard_normal((k, SIZE)) * 2.0 ** r.integers(-8, 5, (k, SIZE)),
    ),
}  # fmt: skip


def bound_of(products: Products, unit: Accumulation, flushed: F64) -> F64:
    worst, drift, spread = rounding_errors(products, unit)
    return np.where(is_exact(products, [unit]), 0.0, np.minimum(worst, drift + DEVIATIONS * spread)) + flushed


@functools.cache
def operands(narrow: str, data: str, k: int, draw: int) -> tuple[F64, F64, F64]:
    random = np.random.default_rng([k, draw, len(data)])
    left, right = (halves(x, narrow) for x in DATA[data](random, k))
    return left, right, random.standard_normal((SIZE, SIZE)).astype(np.float16).astype(np.float64)


@functools.cache
def computed(multiply: Unit, narrow: str, data: str, k: int, draw: int) -> F64:
    return multiply(*operands(narrow, data, k, draw))


def tried(model: str, data: str, k: int, draw: int = 0) -> tuple[F64, F64]:
    """Errors of one product, and what is allowed of them; those that overflow are left out."""
    multiply, unit = MODELS[model]
    narrow = "fp8" if "fp8" in model else "f16"
    left, right, start = operands(narrow, data, k, draw)
    least = 2.0**-6 if narrow == "fp8" else 2.0**-14
    small = [np.where(np.abs(x) < least, np.abs(x), 0.0) if unit.flushes else 0 * x for x in (left, right)]
    flushed = small[0] @ np.abs(right) + np.abs(left) @ small[1]
    products = Products(left, right, start, (least, least), np.zeros((SIZE, SIZE), np.bool_))
    fits = products.magnitude < (60000 if unit.bits == 11 else np.inf)
    result = np.float16 if unit.bits == 11 else np.float32
    with np.errstate(over="ignore"):
        exact = (start + left @ right).astype(result).astype(np.float64)  # as the reference has it
        errors = np.abs(computed(multiply, narrow, data, k, draw) - exact)
    return errors[fits], bound_of(products, unit, flushed)[fits]


def widths(model: str, data: str) -> tuple[int, ...]:
    """Multiples of an instruction's K, up to the longest where growth with K is the question."""
    grows = data in ("normal", "uniform", "cancelling", "subnormal") and model != "multiply-adds"
    least, most = 32 if "fp8" in model else 16, WIDTHS[-1] if grows else 2048
    return tuple(k for k in WIDTHS if least <= k <= most)


@pytest.mark.turns("data")
@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("model", MODELS)
def test_no_unit_leaves_the_bound(model: str, data: str) -> None:
    for k in widths(model, data):
        errors, bound = tried(model, data, k)
        outside = errors > bound
        assert not outside.any(), f"K = {k}: {outside.sum()} of {errors.size} outside"


@pytest.mark.parametrize("model", MODELS)
def test_on_normal_data_the_bound_is_at_most_eight_times_what_is_seen(model: str) -> None:
    ratios: dict[int, float] = {}
    for k in widths(model, "normal"):
        draws = [tried(model, "normal", k, draw) for draw in range(DRAWS if k < WIDTHS[-1] else 1)]
        seen = max(float(errors.max()) for errors, _ in draws)
        if seen:  # one rounding, where the reference rounds too, shows no error
            ratios[k] = float(np.median(np.concatenate([bound for _, bound in draws]))) / seen
    print(f"{model:22}", "  ".join(f"{k}: {ratio:.1f}" for k, ratio in ratios.items()))
    assert max(ratios.values()) <= 8, ratios


@pytest.mark.parametrize("model", MODELS)
def test_small_integers_are_exact(model: str) -> None:
    multiply, unit = MODELS[model]
    random = np.random.default_rng(0)
    k = 16 if unit.bits <= 14 else 2048
    left, right = (random.integers(-3, 4, shape).astype(np.float64) for shape in ((SIZE, k), (k, SIZE)))
    products = Products(left, right, np.zeros((SIZE, SIZE)), (2.0**-14, 2.0**-14), np.zeros((SIZE, SIZE), np.bool_))
    assert is_exact(products, [unit]).all()
    assert np.array_equal(multiply(left, right, products.start), left @ right)
