"""What one launch costs, counted on the emulator, and the least time that a product of the chip would take for it.

The model: each multiprocessor does its share of the workgroups; the busiest of four resources bounds it, and nothing
waits. Instructions are those of the machine text. Those of PTX are not the machine's: where the assembler is installed,
as many are taken for each product of matrices as it makes of their loop. Memory is charged for the
arguments, once: caches are not modelled. So silicon takes longer; the bound says which resource to spare, and how much.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from math import prod

import numpy as np

from ..ir.dialects.iree_gpu import MMALayoutAttr
from ..layout.contraction import MMA
from ..support.dataclasses import dataclass
from ..targets import find_matrix_instruction
from ..targets.rates import RATES, Rates
from .counts import COUNTS, Measurement
from .hot_loop import NOTE, HotLoop, Untimed, hot_loop


@dataclass(frozen=True)
class Bound:
    """`cycles` of the busiest multiprocessor, by resource; `instructions` says which were counted as issued."""

    rates: Rates
    cycles: Mapping[str, float]
    flops: int
    instructions: str

    @property
    def resource(self) -> str:
        """The busiest one."""
        return max(self.cycles, key=self.cycles.__getitem__)

    @property
    def microseconds(self) -> float:
        return self.cycles[self.resource] / self.rates.clock / 1000

    @property
    def words(self) -> str:
        """What bounds the launch, and how fast it is at most."""
        rate = f", {self.flops / self.microseconds / 1e6:,.1f} TFLOP/s on matrix units" if self.flops else ""
        return f"at least {self.microseconds:,.2f} us, bounded by {self.resource}{rate}"


class Profile:
    """One launch. Raises LaunchError, ArgumentError."""

    def __init__(self, measurement: Measurement) -> None:
        assert measurement.inputs is not None, "a profile is of a launch"
        self.measured, self._inputs = measurement, measurement.inputs

    @cached_property
    def counts(self) -> dict[str, int]:
        """By name (`check/counts.py`); without an assembler what needs none."""
        return {name: count.of(self.measured) for name, count in COUNTS.items() if self._can(name)}

    def _can(self, name: str) -> bool:
        count = COUNTS[name]
        there = count.vendor in (None, self.measured.kernel.target.vendor)
        return there and (count.source != "tools" or self.measured.has_tools)

    @cached_property
    def occupancy(self) -> str | None:
        """How many warps or waves are there at the same time, in words; None where nothing tells."""
        found = self.measured.code.occupancy if self.measured.has_tools else None
        if found is None:
            return None
        limits = f", limited by {' and '.join(found.limits)}" if found.limits else ""
        return f"at most {found.count} of {found.most} {found.unit}{limits}"

    @cached_property
    def hot_loop(self) -> HotLoop | Untimed:
        """The model of time of the loop that ran most, or why there is none."""
        return hot_loop(self.measured.code, self.measured.counted_lines, prod(self._inputs.grid))

    @property
    def time_lines(self) -> list[str]:
        """The model of time in words, its limits last."""
        loop = self.hot_loop
        if isinstance(loop, Untimed):
            return [f"no model of time: {loop.reason}"]
        return [loop.words, *loop.lines(), NOTE]

    @property
    def microseconds(self) -> float | None:
        """The model's time of the launch: the bound, or what its hot loop takes where that is more."""
        if self.bound is None or isinstance(self.hot_loop, Untimed):
            return None if self.bound is None else self.bound.microseconds
        return max(self.bound.microseconds, self.hot_loop.launch_cycles / self.bound.rates.clock / 1000)

    @cached_property
    def bound(self) -> Bound | None:
        """None for a chip of which no product is stated (`targets/rates.py`)."""
        rates = RATES.get(self.measured.kernel.target.name)
        if rates is None:
            return None
        counters = self.measured.counters
        busy = max(min(prod(self._inputs.grid), rates.multiprocessors), 1)
        moved = sum(a.nbytes for a in self._inputs.arguments if isinstance(a, np.ndarray))
        scale, instructions = self._issued
        cycles = {
            "instructions issued": counters.warp_instructions * scale / rates.issues / busy,
            "shared memory": counters.shared_wavefronts / busy,
            "memory": moved / (rates.bandwidth / rates.clock),
        }
        if counters.matrix_flops and (rate := self._matrix_rate(rates)):
            cycles["matrix units"] = counters.matrix_flops / rate / busy
        return Bound(rates, cycles, counters.matrix_flops, instructions)

    @cached_property
    def _issued(self) -> tuple[float, str]:
        """How many instructions the machine issues for one of the text, and which these are."""
        measured = self.measured
        if measured.kernel.target.vendor == "amd":
            return 1.0, "the machine's"
        loop = measured.text.product_loop
        if not measured.has_tools or not loop.products:
            return 1.0, "of PTX, of which the assembler makes others"
        made = measured.sass.product_loop
        if not made.products:
            return 1.0, "of PTX, of which the assembler makes others"
        of_ptx, of_sass = loop.instructions / loop.products, made.instructions / made.products
        words = f"as many for each matrix instruction as the loop has: {of_sass:.1f} of SASS, {of_ptx:.1f} of PTX"
        return of_sass / of_ptx, words

    def _matrix_rate(self, rates: Rates) -> float:
        """Operations a clock of the slowest instruction of the kernel."""
        found: list[float] = []
        for op in self.measured.compilation.layout_kernel.op.walk():
            kind = op.attributes.get(MMA)
            if isinstance(kind, MMALayoutAttr):
                instruction = find_matrix_instruction(kind.name)
                reached = rates.alone if instruction.family == "mma.sync" else 1.0
                found.append(rates.flops(instruction.a_type) * reached)
        return min(found, default=0.0)
