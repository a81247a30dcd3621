"""tcgen05 on the emulator: every kind of product against numpy, and each way to move data."""

from __future__ import annotations

import re

import numpy as np
import pytest
from lanewise.distribute.interpret import interpret_kernel
from lanewise.emulate.faults import EmulationFault
from lanewise.ir.kernels import find_kernel
from lanewise.ir.parser import parse_program

from .conftest import compiled, launched
from .tensor_programs import Case

CASES = [
    Case("f16", "f16", "f32", 256, 16),
    Case("f16", "f16", "f32", 16, 128),
    Case("f16", "f16", "f16", 48, 64),
    Case("bf16", "bf16", "f32", 128, 32),
    Case("f16", "f16", "f32", 64, 32, (False, True)),
    Case("bf16", "bf16", "f32", 64, 32, (True, False)),
    Case("f16", "f16", "f32", 128, 16, (False, False)),
    Case("tf32", "tf32", "f32", 32, 16),
    Case("f8E4M3FN", "f8E5M2", "f32", 32, 64),
    Case("f8E5M2", "f8E5M2", "f32", 16, 128),
    Case("i8", "i8", "i32", 48, 64),
    Case("ui8", "i8", "i32", 16, 32),
    Case("ui8", "ui8", "i32", 16, 32),
]


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c.a}.{c.b}.{c.c}.{c.n}x{c.depth}")
def test_products(case: Case) -> None:
    """Small integers: every sum is exact."""
    left, right = case.factors()
    wanted = left.astype(np.float64) @ right.astype(np.float64).T
    text = case.program()
    found = launched(compiled(text, "sm_100a"), case.values())[2]
    assert np.array_equal(found.astype(np.float64), wanted)
    interpreted = case.values()
    interpret_kernel(find_kernel(parse_program(text)), (1, 1, 1), interpreted, subgroup_size=32)
    assert np.array_equal(interpreted[2].astype(np.float64), wanted)


PLANTED: dict[str, tuple[str, str, str]] = {
    "no wait for a load": (r"tcgen05\.wait::ld\.sync\.aligned;", "", "before the wait for the tcgen05.ld"),
    "no fence after the wait": (r"tcgen05\.fence::after_thread_sync;", "", "no tcgen05.fence::after_thread_sync"),
    "no wait for the commit": (r"mbarrier\.try_wait\S+ (%p\d+),[^;]*;", r"mov.pred \1, -1;", "nobody has waited"),
    "no fence of the proxy": (r"fence\.proxy\.async\S*;", "", "no fence.proxy.async by lane"),
    "columns are kept": (r"tcgen05\.dealloc[^;]*;", "", "nobody gives these 32 columns of tensor memory back"),
    "all warps read the first one's lanes": (
        r"and\.b32(\s+%r\d+, %r\d+), 6291456;",
        r"and.b32\1, 0;",
        "warp 1 reaches",
    ),
    "a column too far": (
        r"(tcgen05\.ld[^;]*\[%r\d+)(?:\+\d+)?\];",
        r"\1+17];",
        "uses column 32, which is not allocated",
    ),
    "the order of another swizzle": (r"4611756662049538048", str(4 << 61 | 64 << 32 | 1 << 46 | 1 << 16), ""),
    "half the rows in the instruction": ("134479888", str(1 << 4 | 2 << 17 | 4 << 24), "nobody has written: lane 16"),
}
"""In machine text, and what is said of it; nothing where the sums are wrong."""


@pytest.mark.parametrize("name", PLANTED)
def test_what_is_planted_is_seen(name: str) -> None:
    case, (old, new, words) = Case("f16", "f16", "f32", 16, 64), PLANTED[name]
    artifacts = compiled(case.program(), "sm_100a")
    text = re.sub(old, new, artifacts.assembly)
    assert text != artifacts.assembly, "there is something to plant it in"
    left, right = case.factors()
    try:
        found = launched(artifacts, case.values(), text=text)[2]
    except EmulationFault as fault:
        assert words and words in str(fault), str(fault)
    else:
        assert not words and not np.array_equal(found, left.astype(np.float64) @ right.astype(np.float64).T)
