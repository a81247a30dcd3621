"""One candidate of a tuning: what is done with it, in whatever process, and what came of it."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from ..check.counts import Measurement
from ..check.inputs import Inputs
from ..check.profile import Profile
from ..check.validate import validate
from ..jit.device import Device, Dim3, time_launches
from ..jit.kernel import compile as compile_program
from ..jit.kernel_file import decode
from ..jit.launchable import Launchable
from ..jit.loaded import LoadedKernel
from ..support.dataclasses import dataclass
from ..support.diagnostics import LanewiseError
from ..support.named_tuples import NamedTuple
from ..targets import find_chip

Constants = Mapping[str, Any]
Source = Literal["measured", "model"]
"""Where a time is from: a device, or the model of `lanewise profile` of a launch on the emulator."""
_WARM, _ROUNDS, _SECONDS = 3, 200, 0.2


class Job(NamedTuple):
    """A candidate's program, and what it is compiled for; with arguments it is run on the emulator, too.

    All of it can be sent to another process, or to another machine that has this version of lanewise.
    """

    program: str
    target: str
    fastmath: Literal["none", "approx"]
    grid: Dim3
    arguments: tuple[object, ...] | None


class Made(NamedTuple):
    """What came of a job: a compiled kernel, or of a run on the emulator the verdict and the model's time; else why
    not."""

    file: bytes | None = None
    verdict: str = ""
    microseconds: float | None = None
    message: str = ""


def work(job: Job) -> Made:
    """Does a job, in whatever process; what the candidate's program does wrong is in the result."""
    try:
        # LLVM ends the process that it runs in where it meets what it cannot do: that is one candidate's end alone.
        kernel = compile_program(job.program, job.target, device="emulated", fastmath=job.fastmath, isolate=True)
        if job.arguments is None:
            return Made(kernel.to_bytes())
        report = validate(kernel, job.grid, *job.arguments, on=["reference", "emulated"], thorough=False)
        if report.verdict != "right":
            return Made(verdict=report.verdict, message=str(report))
        own = tuple(map(copy.copy, job.arguments))
        microseconds = Profile(Measurement(kernel, Inputs(own, job.grid, {}))).microseconds
        if microseconds is None:
            return Made(verdict=report.verdict, message=f"no rates of {kernel.target.name} are known to the model")
        return Made(verdict=report.verdict, microseconds=microseconds)
    except LanewiseError as error:
        return Made(message=str(error))


def on_device(made: Made, device: Device, grid: Dim3, arguments: Sequence[object], checked: Sequence[object]) -> Made:
    """The verdict and the time of a compiled candidate on a device; `checked` are the arguments for the verdict."""
    assert made.file is not None
    try:
        kernel = LoadedKernel(decode(made.file, "a candidate"), device)
        report = validate(kernel, grid, *checked, on=["reference", device_name(device)], thorough=False)
        if report.verdict != "right":
            return Made(verdict=report.verdict, message=str(report))
        return Made(verdict=report.verdict, microseconds=1e6 * seconds(kernel, device, grid, arguments))
    except LanewiseError as error:
        return Made(message=str(error))


def device_name(device: Device) -> str:
    """What executors call a device's driver."""
    return "cuda" if find_chip(device.properties.target).vendor == "nvidia" else "hip"


def seconds(kernel: Launchable, device: Device, grid: Dim3, arguments: Sequence[object]) -> float:
    """The median time of a launch, of rounds that together take `_SECONDS`, `_ROUNDS` at most."""

    def launch() -> None:
        kernel.launch(grid, *arguments)

    for _ in range(_WARM):
        launch()
    once = max(time_launches(device, launch), 1e-7)
    rounds = max(5, min(_ROUNDS, int(_SECONDS / once)))
    found = sorted(time_launches(device, launch) for _ in range(rounds))
    return found[len(found) // 2]


@dataclass(frozen=True)
class Trial:
    """What is known of one candidate.

    Attributes:
        constants: Of the kernel.
        verdict: `right`, or another one of `lanewise.validate`; empty where it could not be compiled or run.
        microseconds: Of a launch; None where there is no time.
        source: Where the time is from.
        message: What went wrong.
        kept: Whether it is from an earlier tuning.
    """

    constants: Constants
    verdict: str = ""
    microseconds: float | None = None
    source: Source = "measured"
    message: str = ""
    kept: bool = False

    @property
    def counts(self) -> bool:
        """Whether it may win."""
        return self.verdict == "right" and self.microseconds is not None
