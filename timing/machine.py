"""The multiprocessor that the model simulates: rates and latencies of one chip together."""

from __future__ import annotations

from functools import lru_cache

from ..support.dataclasses import dataclass, replace
from ..targets.chip import Vendor
from ..targets.latencies import LATENCIES, Latencies
from ..targets.rates import RATES, Rates


@dataclass(frozen=True)
class Machine:
    """`load_latency` is that of L2, or with `far` that of memory."""

    chip: str
    vendor: Vendor
    rates: Rates
    figures: Latencies
    load_latency: float

    @property
    def far(self) -> Machine:
        """This machine where nothing is found in L2."""
        return replace(self, load_latency=float(self.figures.far_latency))

    def product_cycles(self, element_type: str, operations: float, *, alone: bool = False) -> float:
        """How long the matrix unit of one scheduler takes for so many multiplications and additions; as for f16
        where no data sheet states the type's rate."""
        rate = (
            (self.rates.flops(element_type) or self.rates.flops("f16")) * self.figures.units / self.figures.schedulers
        )
        return operations / rate / (self.rates.alone if alone else 1.0)

    def access_cycles(self, size: float) -> tuple[float, float]:
        """Cycles that an access to so many bytes of global memory takes its first stage, and the way from L2."""
        return size / self.figures.address_bytes, size / self.figures.l2_bytes


@lru_cache(maxsize=32)
def machine_of(chip: str) -> Machine | None:
    """None for a chip of which no latencies are stated (`targets/latencies.py`)."""
    figures = LATENCIES.get(chip)
    if figures is None:
        return None
    vendor: Vendor = "amd" if chip.startswith("gfx") else "nvidia"
    return Machine(chip, vendor, RATES[chip], figures, float(figures.near_latency))
