"""The ways to run a kernel that `validate` compares: on copies of the arguments, looking for what must not happen."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Literal, TypeAlias, cast, get_args

import numpy as np
from numpy.typing import NDArray

from ..distribute.interpret import interpret_kernel
from ..ir.printing import Record
from ..jit.arrays import ArrayView, DeviceArray, host_view, make_view
from ..jit.device import Device, Dim3
from ..jit.device_choice import choose_device
from ..jit.emulated import Arithmetic, EmulatedDevice
from ..jit.facts import GENERAL, Facts
from ..jit.kernel_signature import assumed_alignment
from ..jit.launchable import Launchable
from ..jit.launcher import Launcher
from ..reference.evaluate import Doubts, Writers, run_kernel
from ..support.dataclasses import dataclass, replace
from ..support.limits import GENEROUS, Limits
from ..support.packed_elements import byte_count, decoded, element_bits, encoded
from .accuracy import machine_of
from .inputs import POISON_BYTE, is_array

Array = NDArray[Any]
ExecutorName = Literal["reference", "interpret", "emulated", "cuda", "hip"]
EXECUTORS: tuple[ExecutorName, ...] = get_args(ExecutorName)
_NOBODY = "no thread writes it"
GUARD_BYTES = 256
"""Before and behind each buffer on a device; a multiple of the alignment that allocations have."""


@dataclass(frozen=True)
class Outcome:
    """What one run left: each argument (arrays as copies), what else was wrong, and how long it took.

    `preparation` is the compilation of the variant for these arguments, where it was not there yet, and its loading.
    `facts` are those of the variant that ran: only of one variant is the order of sums the same.
    `printed` is what it printed, by owner. `writer` says who wrote an element, by number of the argument and index.
    `doubts` are the reference's.
    """

    arguments: tuple[object, ...]
    seconds: float
    problems: tuple[str, ...] = ()
    preparation: float = 0.0
    writer: WriterOf | None = None
    doubts: Doubts | None = None
    facts: Facts = GENERAL
    printed: tuple[Record, ...] = ()


WriterOf: TypeAlias = Callable[[int, tuple[int, ...]], str]
Run: TypeAlias = Callable[[Dim3, Sequence[object]], Outcome]


@dataclass(frozen=True)
class Executor:
    """`runs` are tried one after another; each has a name and gives an outcome."""

    name: ExecutorName
    where: str
    runs: tuple[tuple[str, Run], ...]


@dataclass(frozen=True)
class Terms:
    """When all but GPUs are stopped, and how the emulator sums products of matrices."""

    limits: Limits = GENEROUS
    arithmetic: Arithmetic = "exact"


_TERMS = Terms()


def make_executor(kernel: Launchable, name: ExecutorName, terms: Terms = _TERMS) -> Executor:
    """The executor of a name. Raises DeviceUnavailable where the machine has none, CompileError as `compile` does."""
    return _MAKERS[name](kernel, terms)


def copy_of(argument: object) -> object:
    """An array of its own with the same strides, or the number itself."""
    if not is_array(argument):
        return argument
    view = host_view(argument, None)
    copy = view.laid_over(np.zeros(sum(view.reach), np.uint8), argument.dtype)
    copy[...] = argument
    return copy


# On the host: both check their accesses themselves, so no guard bands are needed


def _reference(kernel: Launchable, terms: Terms) -> Executor:
    def run(grid: Dim3, arguments: Sequence[object]) -> Outcome:
        size = kernel.compilation.subgroup_size
        room = _Room(kernel, grid, needed=kernel.view.stage != "vector")
        doubts = run_kernel(kernel.view, grid, room.after(arguments), size, machine_of(kernel), limits=terms.limits)
        count = len(arguments)
        doubts = replace(doubts, bounds=doubts.bounds[:count], untouched=doubts.untouched[:count])
        return Outcome(tuple(arguments), 0.0, doubts=doubts, printed=(*doubts.printed, *room.records()))

    return Executor("reference", "numpy, the program's meaning", (("", _on_copies(run)),))


def _interpret(kernel: Launchable, terms: Terms) -> Executor:
    def run(grid: Dim3, arguments: Sequence[object]) -> Outcome:
        thread_kernel = kernel.compilation.thread_kernel  # kept by the kernel
        size = kernel.compilation.subgroup_size
        room = _Room(kernel, grid)
        writers = interpret_kernel(thread_kernel, grid, room.after(arguments), subgroup_size=size, limits=terms.limits)
        writer = partial(_interpreted_writer, writers, arguments)
        return Outcome(tuple(arguments), 0.0, writer=writer, printed=room.records())

    where = "numpy, one thread's program for all threads"
    return Executor("interpret", where, (("", _on_copies(run)),))


class _Room:
    """The buffer on the host for what a kernel prints, where it is an argument."""

    def __init__(self, kernel: Launchable, grid: Dim3, needed: bool = True) -> None:
        self._printing, self._grid = kernel.variants.interface.printing if needed else None, grid
        self._array = None if self._printing is None else np.zeros(self._printing.shape(grid), np.int32)

    def after(self, arguments: Sequence[object]) -> list[object]:
        return [*arguments, *([] if self._array is None else [self._array])]

    def records(self) -> tuple[Record, ...]:
        return () if self._printing is None or self._array is None else self._printing.read(self._array, self._grid)


def _interpreted_writer(writers: Writers, arguments: Sequence[object], argument: int, index: tuple[int, ...]) -> str:
    strides = cast("Array", arguments[argument]).strides
    found = writers.writer(argument, sum(i * stride for i, stride in zip(index, strides, strict=True)))
    if found is None:
        return _NOBODY
    who, operation = found
    return f"written by {who} in '{operation.opname}'" + (f" from {operation.location}" if operation.location else "")


def _on_copies(run: Run) -> Run:
    def timed(grid: Dim3, arguments: Sequence[object]) -> Outcome:
        copies = _copies(arguments, copy_of)
        start = time.perf_counter()
        outcome = run(grid, copies)
        return replace(outcome, seconds=time.perf_counter() - start)

    return timed


def _copies(arguments: Sequence[object], copy: Callable[[object], object]) -> list[object]:
    """One copy for an array, however often it is passed."""
    made: dict[int, object] = {}
    return [made[id(a)] if id(a) in made else made.setdefault(id(a), copy(a)) for a in arguments]


# On devices


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
        poison = POISON_BYTE & ((1 << min(8, element_bits(host.dtype))) - 1)
        self._image = np.full(self.nbytes * self._each, poison, np.uint8)
        inside.laid_over(self._image[self._start : self._start + self._span], host.dtype)[...] = host
        device.copy_in(self.address, encoded(self._image, host.dtype))

    @property
    def address(self) -> int:
        """Of the lower guard band."""
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


def _emulated(kernel: Launchable, terms: Terms) -> Executor:
    """As a launch runs it; with each buffer one element off, which is another variant; and the variant whose text the
    kernel shows."""
    device = EmulatedDevice(kernel.target.name, limits=terms.limits, arithmetic=terms.arithmetic)
    return Executor("emulated", device.properties.name, _variants(kernel, device))


def _variants(kernel: Launchable, device: Device) -> tuple[tuple[str, Run], ...]:
    launcher = Launcher(kernel.variants, device)
    general = Launcher(kernel.variants, device, specialise=False, modules=launcher.modules)
    return (
        ("", _on_device(kernel, launcher, 0)),
        ("buffers off by one element", _on_device(kernel, launcher, 1)),
        ("general variant", _on_device(kernel, general, 0)),
    )


def _gpu(name: Literal["cuda", "hip"], kernel: Launchable, terms: Terms) -> Executor:
    """No limit stops what a GPU runs."""
    device = choose_device(name, kernel.target)
    first, *others = _variants(kernel, device)
    runs = (first, ("again", first[1]), *others)
    return Executor(name, f"{device.properties.name}, {device.properties.driver}", runs)


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

    return _copies(arguments, guarded)


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
        return _NOBODY
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


_MAKERS: Mapping[ExecutorName, Callable[[Launchable, Terms], Executor]] = {
    "reference": _reference,
    "interpret": _interpret,
    "emulated": _emulated,
    "cuda": partial(_gpu, "cuda"),
    "hip": partial(_gpu, "hip"),
}
