"""Which device a kernel runs on: the one asked for, or the GPU if there is one, or the emulator of its target."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, TypeAlias, cast

from ..support.dataclasses import dataclass
from ..targets import Chip, find_chip
from ..targets.chip import Vendor
from .device import Device, DeviceUnavailable

DeviceChoice: TypeAlias = Literal["auto", "cuda", "hip", "emulated"] | Device


@dataclass(frozen=True)
class Driver:
    """How GPUs of a vendor are reached: the name that people choose it by, whose chips it runs code for, and how a
    device of a number is opened, which raises DeviceUnavailable."""

    name: str
    vendor: Vendor
    maker: str
    open: Callable[[int], Device]


# Compiling needs no device, so their modules are imported when one is opened.


def _cuda(ordinal: int) -> Device:
    from .cuda import CudaDevice

    return CudaDevice(ordinal)


def _hip(ordinal: int) -> Device:
    from .hip import HipDevice

    return HipDevice(ordinal)


DRIVERS = (Driver("cuda", "nvidia", "NVIDIA", _cuda), Driver("hip", "amd", "AMD", _hip))
_BY_NAME: Mapping[str, Driver] = {driver.name: driver for driver in DRIVERS}
_BY_VENDOR: Mapping[Vendor, Driver] = {driver.vendor: driver for driver in DRIVERS}
_NAMES = ("auto", *_BY_NAME, "emulated")


def check_choice(choice: object, target: Chip) -> DeviceChoice:
    """The choice, if it is one; raises DeviceUnavailable for other names, and for drivers of another vendor's chips."""
    driver = _BY_NAME.get(choice) if isinstance(choice, str) else None
    if driver is not None and driver.vendor != target.vendor:
        raise DeviceUnavailable(
            f"device '{choice}' runs code for {driver.maker}'s chips;"
            f" {target.name} is one of {_BY_VENDOR[target.vendor].maker}'s"
        )
    if (isinstance(choice, str) and choice in _NAMES) or hasattr(choice, "properties"):
        return cast("DeviceChoice", choice)
    raise _unknown(choice)


def _unknown(choice: object) -> DeviceUnavailable:
    known = ", ".join(repr(name) for name in _NAMES)
    return DeviceUnavailable(f"a device is one of {known}, or a Device such as lanewise.CudaDevice(); found {choice!r}")


def portable_choice(choice: DeviceChoice) -> DeviceChoice:
    """The choice for another process: a device itself stays where it is, its kind is looked for again."""
    if isinstance(choice, str):
        return choice
    place = choice.properties.dlpack_device
    return "emulated" if place is None else "auto"


def choose_device(choice: DeviceChoice | str, target: Chip) -> Device:
    """The device to launch on. Raises DeviceUnavailable, also when the device cannot run code for the target."""
    check_choice(choice, target)
    if choice == "emulated":
        return _emulated(target)
    if choice == "auto":
        return _gpu_for(target) or _emulated(target)
    return _serving(_opened(choice), target)


def open_device(target: Chip, ordinal: int) -> Device:
    """The GPU with a number. Raises DeviceUnavailable, also when it cannot run code for the target."""
    return _serving(driver_of(target).open(ordinal), target)


def _opened(choice: DeviceChoice | str) -> Device:
    """The device itself, or the first of the driver that is named. Raises DeviceUnavailable."""
    if not isinstance(choice, str):
        return choice
    if choice not in _BY_NAME:
        raise _unknown(choice)
    return _BY_NAME[choice].open(0)


def _serving(device: Device, target: Chip) -> Device:
    if not target.serves(find_chip(device.properties.target)):
        raise DeviceUnavailable(
            f"code for {target.name} does not run on {device.properties.name} ({device.properties.target})"
        )
    return device


DEFAULT_TARGET = "sm_90"
"""What is compiled for where neither the caller nor the program nor a device says a chip."""


def chip_of_choice(choice: DeviceChoice) -> Chip | None:
    """The chip of the device that a choice is of, before a target is known: of `auto`, of the first GPU that is there.
    None where that says none. Raises DeviceUnavailable where a driver is named that has no device."""
    if choice == "emulated":
        return None
    if choice != "auto":
        return find_chip(_opened(choice).properties.target)
    for driver in DRIVERS:
        try:
            return find_chip(driver.open(0).properties.target)
        except DeviceUnavailable:
            continue
    return None


def driver_of(target: Chip) -> Driver:
    """The driver that GPUs of this chip have."""
    return _BY_VENDOR[target.vendor]


def _emulated(target: Chip) -> Device:
    from .emulated import EmulatedDevice

    return EmulatedDevice(target.name)


def _gpu_for(target: Chip) -> Device | None:
    try:
        return choose_device(driver_of(target).name, target)
    except DeviceUnavailable:
        return None
