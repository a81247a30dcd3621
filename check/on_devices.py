"""Runs of a kernel on a device, between guard bands, each with a variant of the code."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import cast

import numpy as np

from ..jit.arrays import ArrayView, DeviceArray, host_view, make_view
from ..jit.device import Device, Dim3
from ..jit.emulated import EmulatedDevice
from ..jit.facts import GENERAL, Facts
from ..jit.kernel_signature import assumed_alignment
from ..jit.launchable import Launchable
from ..jit.launcher import Launcher
from ..support.dataclasses import replace
from ..support.packed_elements import byte_count, decoded, element_bits, encoded
from .executor import Array, Outcome, Prepared, Run, WriterOf, copies_of
from .inputs import FILL_BYTE, is_array

NOBODY = "no thread writes it"
GUARD_BYTES = 256
"""Before and behind each buffer on a device; a multiple of the alignment that allocations have."""


def prepared_on_device(kernel: Launchable, device: Device, *, where: str = "", again: bool = False) -> Prepared:
    """The runs of a kernel on a device: as a launch runs it; with each buffer one element off, which is another
    variant; and the variant whose text the kernel shows.

    `where` says in words what the device is, its name and driver if it is empty. `again`: the first run is done a
    second time, to see that its bits repeat, where the device could do otherwise.
    """
    launcher = Launcher(kernel.variants, device)
    general = Launcher(kernel.variants, device, specialise=False, modules=launcher.modules)
    first = _on_device(kernel, launcher, 0)
    runs = (
        ("", first),
        *([("again", first)] if again else []),
        ("buffers off by one element", _on_device(kernel, launcher, 1)),
        ("general variant", _on_device(kernel, general, 0)),
    )
    return Prepared(where or f"{device.properties.name}, {device.properties.driver}", runs)


class GuardedArray(DeviceArray):
    """A copy of a host array on a device with its strides, between guard bands, `shift` bytes off the alignment.

    Its image is as the host has elements, a byte each at least.
    """

    def __init__(self, device: Device, host: Array, shift: int) -> None:
        inside = host_view(host, None)
        self._template = inside
        self._span = sum(inside.reach)
        self._each = max(1, 8 // element_bits(host.dtype))
        self._start = (GUARD_BYTES + shift) * self._each + -inside.reach[0] % self._each
        size = self._start + self._span + GUARD_BYTES * self._each
        super().__init__(device, (byte_count(size // host.itemsize, host.dtype),), np.uint8)
        fill = FILL_BYTE & ((1 << min(8, element_bits(host.dtype))) - 1)
        self._image = np.full(self.nbytes * self._each, fill, np.uint8)
        inside.laid_over(self._image[self._start : self._start + self._span], host.dtype)[...] = host
        device.copy_in(self.address, encoded(self._image, host.dtype))

    @property
    def address(self) -> int:
        """The address of the lower guard band."""
        return super().view().address

    def view(self) -> ArrayView:
        place = self._template
        first = self.address + (self._start + place.reach[0]) // self._each
        return make_view(first, place.dtype, place.shape, place.strides)

    def read(self) -> tuple[Array, bool]:
        """The elements, and whether every other byte is what it was."""
        data = np.empty(self.nbytes, np.uint8)
        self.device.copy_out(data, self.address)
        now = decoded(data, self._template.dtype, self._image.size)
        elements = self._template.laid_over(now[self._start : self._start + self._span], self._template.dtype)
        found = elements.copy()
        expected = self._image.copy()
        self._template.laid_over(expected[self._start : self._start + self._span], elements.dtype)[...] = found
        return found, bool(np.array_equal(now, expected))


def facts_of_launch(kernel: Launchable, arguments: Sequence[object]) -> Facts:
    """What a launch sees of copies of the arguments, on a device whose allocations are aligned and near each other."""
    if kernel.variants.interface.is_one:
        return GENERAL
    launcher = Launcher(kernel.variants, EmulatedDevice(kernel.target.name))
    return launcher.facts_of(_placed(kernel, launcher.device, 0, arguments))


def _on_device(kernel: Launchable, launcher: Launcher, elements: int) -> Run:
    """`elements`: how far buffers are moved off their alignment, except where the program assumes one."""
    device = launcher.device
    place = partial(_placed, kernel, device, elements)

    def run(grid: Dim3, arguments: Sequence[object]) -> Outcome:
        placed = place(arguments)
        begin = time.perf_counter()
        launcher.prepare(placed)
        start = time.perf_counter()
        printed = launcher.launch(grid, placed)
        device.synchronize()
        outcome = _collect(kernel, placed)
        writer: WriterOf | None = None
        if isinstance(device, EmulatedDevice):
            writer = partial(_emulated_writer, launcher, device, grid, partial(place, arguments))
        seconds, facts = time.perf_counter() - start, launcher.facts_of(placed)
        return replace(outcome, seconds=seconds, preparation=start - begin, writer=writer, facts=facts, printed=printed)

    return run


def _placed(kernel: Launchable, device: Device, elements: int, arguments: Sequence[object]) -> list[object]:
    """The arguments with copies of arrays on the device."""
    assumed = assumed_alignment(kernel.view)
    shifts = {id(a): elements * (assumed[i] == 1) for i, a in enumerate(arguments)}

    def guarded(argument: object) -> object:
        if not is_array(argument):
            return argument
        return GuardedArray(device, argument, shifts[id(argument)] * argument.itemsize)

    return copies_of(arguments, guarded)


def _emulated_writer(
    launcher: Launcher,
    device: EmulatedDevice,
    grid: Dim3,
    place: Callable[[], list[object]],
    argument: int,
    index: tuple[int, ...],
) -> str:
    """Runs the kernel again and watches the element."""
    placed = place()
    view = cast("GuardedArray", placed[argument]).view()
    element = sum(i * stride for i, stride in zip(index, view.element_strides(), strict=True))
    with device.watching(view.address + element * element_bits(view.dtype) // 8) as watch:
        launcher.launch(grid, placed)
    writer = watch.writer
    if writer is None:
        return NOBODY
    who = f"written by workgroup {writer.block}, thread {writer.thread}, line {writer.line}: {writer.instruction}"
    origin = launcher.origin(placed, writer.line) if writer.line else None
    return f"{who}; from {origin}" if origin else who


def _collect(kernel: Launchable, placed: Sequence[object]) -> Outcome:
    found: list[object] = []
    problems: list[str] = []
    for parameter, argument in zip(kernel.signature, placed, strict=True):
        if isinstance(argument, GuardedArray):
            elements, intact = argument.read()
            found.append(elements)
            if not intact:
                problems.append(f"buffer '{parameter.name}': bytes outside its elements were overwritten")
        else:
            found.append(argument)
    return Outcome(tuple(found), 0.0, tuple(problems))
