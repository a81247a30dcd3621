"""The rows of tcgen05.mma against the PTX ISA: places and widths."""

from __future__ import annotations

from lanewise.targets import find_chip
from lanewise.targets.tcgen05 import TCGEN05, find, tensor_memory_instructions


def test_places_and_shapes() -> None:
    """128 rows, 32 bytes along K; N in steps of 16 ("Matrix shape", `cta_group::1`)."""
    steps = {"f16": 16, "bf16": 16, "tf32": 8, "f8E4M3FN": 32, "f8E5M2": 32, "i8": 32, "ui8": 32}
    for i in TCGEN05:
        m, n, k = i.shape
        assert (m, n % 16, k) == (128, 0, steps[i.a_type]) and 16 <= n <= 256
        assert (i.places, i.accumulator_place) == ((("shared", "tensor"), ("shared",)), "tensor")
    assert find(128, 24, "f16", "f16", "f32") is None
    assert {len(tensor_memory_instructions(find_chip(c))) for c in ("sm_100a", "sm_103a")} == {len(TCGEN05)}
    assert not tensor_memory_instructions(find_chip("sm_90a"))
