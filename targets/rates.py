"""How fast one product of a chip is, from the vendors' data sheets: dense rates at the clock that they are stated for.

NVIDIA: data sheets of T4, A100 80GB SXM, RTX A6000, L40S; "NVIDIA H100 Tensor Core GPU Architecture" (SXM5). AMD: data
sheets of Instinct MI250X (one of its two dies), MI300X, MI355X, Radeon RX 7900 XTX, RX 9070 XT. What mma.sync
reaches of an H100 was measured by others.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..support.dataclasses import dataclass

_CLASSES: Mapping[str, str] = {
    "f16": "half", "bf16": "half", "tf32": "tf32", "f32": "single", "f64": "double",
    "i8": "byte", "ui8": "byte", "f8E4M3FN": "byte", "f8E5M2": "byte", "f8E4M3FNUZ": "byte", "f8E5M2FNUZ": "byte",
    "i4": "short", "ui4": "short", "f6E2M3FN": "short", "f6E3M2FN": "short", "f4E2M1FN": "short",
}  # fmt: skip


@dataclass(frozen=True)
class Rates:
    """A product. `clock` is in GHz, `bandwidth` of its memory in GB/s; per multiprocessor (compute unit) and clock
    `issues` instructions of subgroups and, on matrix units, `matrix` operations by class of element types. `alone` is
    the part of that rate which subgroups reach that multiply on their own (mma.sync)."""

    product: str
    multiprocessors: int
    clock: float
    bandwidth: float
    issues: int
    matrix: Mapping[str, int]
    alone: float = 1.0

    def flops(self, element_type: str) -> int:
        """The rate of the matrix units for a type, multiplications and additions a clock; 0 where there are none for
        it."""
        return self.matrix.get(_CLASSES[element_type], 0)


SHARED_BYTES = 128
"""Bytes a clock of shared memory, on all of them: 32 banks of 4 bytes."""


def _amd(product: str, units: int, clock: float, bandwidth: float, issues: int, half: int, **others: int) -> Rates:
    return Rates(product, units, clock, bandwidth, issues, {"half": half, **others})


_H100 = Rates("H100 SXM", 132, 1.83, 3350, 4, {"half": 4096, "byte": 8192, "tf32": 2048, "double": 277}, alone=0.62)
RATES: Mapping[str, Rates] = {
    "sm_75": Rates("T4", 40, 1.59, 320, 4, {"half": 1024, "byte": 2048, "short": 4096}),
    "sm_80": Rates(
        "A100 SXM", 108, 1.41, 2039, 4, {"half": 2048, "byte": 4096, "short": 8192, "tf32": 1024, "double": 128}
    ),
    "sm_86": Rates("RTX A6000", 84, 1.80, 768, 4, {"half": 1024, "byte": 2048, "short": 4096, "tf32": 512}),
    "sm_89": Rates("L40S", 142, 2.52, 864, 4, {"half": 1024, "byte": 2048, "short": 4096, "tf32": 512}),
    "sm_90": _H100,
    "sm_90a": _H100,
    "gfx90a": _amd("MI250X, a die", 110, 1.70, 1638, 4, 1024, byte=1024, single=256, double=256),
    "gfx942": _amd("MI300X", 304, 2.10, 5300, 4, 2048, byte=4096, tf32=1024, single=256, double=256),
    "gfx950": _amd("MI355X", 256, 2.40, 8000, 4, 4096, byte=8192, short=16384, single=256, double=128),
    "gfx1100": _amd("RX 7900 XTX", 96, 2.50, 960, 2, 512, byte=512, short=1024),
    "gfx1201": _amd("RX 9070 XT", 64, 2.97, 640, 2, 1024, byte=2048, short=4096),
}
"""By chip; for others no product is stated."""
