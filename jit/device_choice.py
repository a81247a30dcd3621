"""Which device a kernel runs on: the one asked for, or the GPU if there is one, or the emulator of its target."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, TypeAlias, cast

from ..targets import Chip, find_chip
from ..targets.chip import Vendor
from .device import Device, DeviceUnavailable

DeviceChoice: TypeAlias = Literal["auto", "cuda", "hip", "emulated"] | Device
_NAMES = ("auto", "cuda", "hip", "emulated")
_VENDORS: Mapping[str, Vendor] = {"cuda": "nvidia", "hip": "amd"}
_MAKERS: Mapping[Vendor, str] = {"nvidia": "NVIDIA", "amd": "AMD"}


def check_choice(choice: object, target: Chip) -> DeviceChoice:
    """The choice, if it is one; raises DeviceUnavailable for other names, and for drivers of another vendor's chips."""
    if isinstance(choice, str) and choice in _VENDORS and _VENDORS[choice] != target.vendor:
        makers = _MAKERS[_VENDORS[choice]], _MAKERS[target.vendor]
        raise DeviceUnavailable(
            f"device '{choice}' runs code for {makers[0]}'s chips; {target.name} is one of {makers[1]}'s"
        )
    if (isinstance(choice, str) and choice in _NAMES) or hasattr(choice, "properties"):
        return cast("DeviceChoice", choice)
    known = ", ".join(repr(name) for name in _NAMES)
    raise DeviceUnavailable(f"a device is one of {known}, or a Device such as lanewise.CudaDevice(); found {choice!r}")


def portable_choice(choice: DeviceChoice) -> DeviceChoice:
    """The choice for another process: a device itself stays where it is, its kind is looked for again."""
    if isinstance(choice, str):
        return choice
    place = choice.properties.dlpack_device
    return "emulated" if place is None else "auto"


def choose_device(choice: DeviceChoice, target: Chip) -> Device:
    """The device to launch on. Raises DeviceUnavailable, also when the device cannot run code for the target."""
    check_choice(choice, target)
    if choice == "emulated":
        return _emulated(target)
    if choice == "auto":
        return _gpu_for(target) or _emulated(target)
    device = _OPEN[choice]() if isinstance(choice, str) else choice
    if not target.serves(find_chip(device.properties.target)):
        raise DeviceUnavailable(
            f"code for {target.name} does not run on {device.properties.name} ({device.properties.target})"
        )
    return device


# Compiling needs no device, so their modules are imported when one is opened.


def _cuda() -> Device:
    from .cuda import CudaDevice

    return CudaDevice()


def _hip() -> Device:
    from .hip import HipDevice

    return HipDevice()


_OPEN: Mapping[str, Callable[[], Device]] = {"cuda": _cuda, "hip": _hip}
_DRIVERS: Mapping[Vendor, Literal["cuda", "hip"]] = {"nvidia": "cuda", "amd": "hip"}


def _emulated(target: Chip) -> Device:
    from .emulated import EmulatedDevice

    return EmulatedDevice(target.name)


def _gpu_for(target: Chip) -> Device | None:
    try:
        return choose_device(_DRIVERS[target.vendor], target)
    except DeviceUnavailable:
        return None
