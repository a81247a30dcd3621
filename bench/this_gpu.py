"""The GPU of this machine, of either vendor, and what code for it a run takes."""

from __future__ import annotations

from checkout import use_checkout

use_checkout()

import lanewise  # noqa: E402
from lanewise.jit.device import Device  # noqa: E402
from lanewise.jit.device_choice import DRIVERS, driver_of  # noqa: E402

GENERAL = "sm_90"
"""Its code runs on every NVIDIA chip from Hopper on."""


def open_gpu() -> Device:
    """The first device of the first driver that has one. Raises DeviceUnavailable with what each driver says."""
    reasons = list[str]()
    for driver in DRIVERS:
        try:
            return driver.open(0)
        except lanewise.DeviceUnavailable as error:
            reasons.append(f"{driver.name}: {error}")
    raise lanewise.DeviceUnavailable("; ".join(reasons))


def targets_for(chip: str) -> list[str]:
    """What is run on a chip, the needed first: the general code where it serves, and the chip's own where that is
    more than a later chip's general code."""
    if not lanewise.find_chip(GENERAL).serves(lanewise.find_chip(chip)):
        return [chip]
    return list(dict.fromkeys([GENERAL, chip] if chip.rstrip("a") == GENERAL else [GENERAL]))


def executor_of(target: str) -> str:
    """The name by which `validate` has the devices that run a target's code: `cuda` or `hip`."""
    return driver_of(lanewise.find_chip(target)).name
