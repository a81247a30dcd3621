"""Launches of one kernel on one device: arguments bound, the variant that fits them found and loaded once."""

from __future__ import annotations

import contextlib
import operator
import threading
import weakref
from collections.abc import Iterable, Sequence
from typing import SupportsIndex, TypeAlias

from ..ir.printing import Record
from ..support.diagnostics import LanewiseError
from ..support.named_tuples import NamedTuple
from .arguments import Binder, BoundArguments
from .arrays import LEGACY_DEFAULT_STREAM, DeviceArray
from .device import Code, Device, DeviceError, Dim3, Function, LaunchError, Tensor, stream_handle
from .facts import GENERAL, Facts
from .print_buffer import PrintBuffer
from .signature import ArgumentCountError, ArgumentValueError, describe, machine_parameters
from .streams import current_stream
from .variants import Variant, Variants

Grid: TypeAlias = int | Sequence[int]


class GridError(LanewiseError, ValueError):
    """A grid is no number of workgroups."""


def grid_of(grid: Grid) -> Dim3:
    """Workgroups along x, y, z. Raises GridError unless it is one to three integers of at least 0."""
    if type(grid) is int and grid > 0:
        return (grid, 1, 1)
    given: list[object] = list(grid) if isinstance(grid, Iterable) else [grid]
    extents = [_extent(n) for n in given] if 1 <= len(given) <= 3 else [-1]
    if min(extents) < 0:
        found = describe(grid) if getattr(grid, "shape", None) else repr(grid)
        raise GridError(f"a grid is one to three numbers of workgroups, each at least 0; found {found}")
    x, y, z = (*extents, 1, 1)[:3]
    return x, y, z


def _extent(given: object) -> int:
    """A number of workgroups, -1 for what is none."""
    if not isinstance(given, SupportsIndex) or isinstance(given, bool):
        return -1
    try:
        return operator.index(given)
    except TypeError:  # an array
        return -1


class Launcher:
    """A kernel on one device: its functions by the facts of arguments.

    Unless `specialise`, every launch takes the general variant, whose texts the kernel shows. `modules` are those of
    another launcher on the same device, to share what it has loaded.
    """

    def __init__(
        self, variants: Variants, device: Device, *, specialise: bool = True, modules: Modules | None = None
    ) -> None:
        self.device = device
        self.modules = Modules(device) if modules is None else modules
        self._variants = variants
        self._interface = variants.interface
        self._specialise = specialise
        self._bind = Binder(self._interface.signature, self._interface.divisors, near=self._interface.near).bind
        printing = self._interface.printing
        self._printed = None if printing is None else PrintBuffer(printing, device)
        self._foreign = device.properties.dlpack_device is not None
        self._loaded: dict[Facts, _Loaded] = {}
        self._loading = threading.Lock()
        self._printing = threading.Lock()
        self._recent: _Recent | None = None
        self.last: Facts | None = None
        """What the last launch saw of its arguments, as far as variants differ by it."""

    def launch(
        self, grid: Grid, arguments: Sequence[object], stream: object = None, *, programmatic: bool = False
    ) -> tuple[Record, ...]:
        """Runs the kernel and gives what it printed, for which it waits; a grid without workgroups checks the arguments
        and does nothing. Without a `stream` it is that in which the library works whose arrays these are.
        `programmatic` as in `Device.launch`."""
        workgroups = grid_of(grid)
        cluster = self._interface.cluster_size
        if any(n % size for n, size in zip(workgroups, cluster, strict=True)):
            words = "x".join(map(str, cluster))
            raise GridError(f"workgroups come in clusters of {words}, found a grid of {'x'.join(map(str, workgroups))}")
        if self._printed is None:
            self._launch(workgroups, arguments, stream, programmatic)
            return ()
        stream = self._stream(arguments, stream)
        if self.device.capturing(stream):
            raise self._captured("prints, and a launch waits for that")
        with self._printing:  # there is one buffer
            self._launch(workgroups, self._with_buffer(arguments, workgroups, stream), stream, programmatic)
            return self._printed.records(workgroups, stream)

    def _stream(self, arguments: Sequence[object], stream: object) -> object:
        """Where the launch goes, if not as it says itself; the default stream where all arrays are our own."""
        return current_stream(arguments) if stream is None and self._foreign else stream

    def _captured(self, why: str) -> LaunchError:
        return LaunchError(f"kernel {self._interface.name!r} is launched while a graph is captured, and {why}")

    def _with_buffer(self, arguments: Sequence[object], workgroups: Dim3, stream: object = None) -> Sequence[object]:
        """The arguments, and what a kernel that prints takes besides. Raises ArgumentCountError."""
        if self._printed is None:
            return arguments
        if len(arguments) != len(self._interface.arguments):
            raise ArgumentCountError([p.name for p in self._interface.arguments], len(arguments))
        return [*arguments, self._printed.empty(workgroups, stream)]

    def _bound(self, arguments: Sequence[object]) -> BoundArguments:
        """For questions about a launch; how many workgroups it has makes no difference to them."""
        return self._bind(self._with_buffer(arguments, (1, 1, 1)), self.device)

    def _launch(self, workgroups: Dim3, arguments: Sequence[object], stream: object, programmatic: bool) -> None:
        recent = self._recent
        if recent is not None and recent.fits(arguments):
            self._run(recent.loaded, workgroups, arguments, recent.packed, stream, programmatic)
            return
        stream = self._stream(arguments, stream)
        if stream is not None:
            stream_handle(stream)  # the arguments may be copied in it before the device sees it
        bound = self._bind(arguments, self.device, stream)
        try:
            if self._interface.requirements:
                self._check(bound)
            if 0 in workgroups:
                return
            if self._facts(bound) not in self._loaded and self.device.capturing(stream):
                raise self._captured(
                    "has no code loaded for such arguments yet: call its prepare(...) with them before"
                )
            loaded = self._loaded_for(bound)
            packed = self._with_maps(loaded.variant, bound) if loaded.variant.maps else bound.packed
            self._run(loaded, workgroups, arguments, packed, stream, programmatic)
            bound.copy_back(stream)
            self._recent = _Recent.of(arguments, packed, loaded)
        finally:
            bound.release()

    def _run(
        self,
        loaded: _Loaded,
        workgroups: Dim3,
        arguments: Sequence[object],
        packed: bytes,
        stream: object,
        programmatic: bool,
    ) -> None:
        if 0 in workgroups:
            return
        _mark_pending(arguments, stream)
        variant, self.last = loaded.variant, loaded.seen
        if variant.grid:
            packed = _with_grid(variant, packed, workgroups)
        try:
            self.device.launch(
                loaded.function,
                workgroups,
                variant.block_size,
                packed,
                dynamic_shared_bytes=variant.dynamic_shared_bytes,
                stream=stream,
                programmatic=programmatic,
            )
        except LaunchError as error:
            places = [None if line is None else variant.origin(line) for line in (error.line, error.other_line)]
            if places[0] is None:
                raise
            other = f", the other access from {places[1]}" if places[1] is not None else ""
            raise type(error)(f"{error}; from {places[0]}{other}", error.line, error.other_line) from error.__cause__

    def origin(self, arguments: Sequence[object], line: int) -> str | None:
        """Where line `line` of the machine text for such arguments comes from: see `Variant`."""
        with self._bound(arguments) as bound:
            return self._loaded_for(bound).variant.origin(line)

    def facts_of(self, arguments: Sequence[object]) -> Facts:
        """What the variant for such arguments is compiled for."""
        with self._bound(arguments) as bound:
            return self._facts(bound)

    def prepare(self, arguments: Sequence[object]) -> None:
        """Compiles and loads the code for such arguments, so that their first launch is as fast as the next."""
        with self._bound(arguments) as bound:
            self._loaded_for(bound)

    def _with_maps(self, variant: Variant, bound: BoundArguments) -> bytes:
        """The arguments and, behind them, maps of some of the buffers."""
        packed = bound.packed
        for map in variant.maps:
            shape = tuple(n or bound.values[source] for n, source in zip(map.shape, map.sources, strict=True))
            tensor = Tensor(bound.values[map.address], map.element, shape, map.box, map.swizzle, map.promotion)
            try:
                packed = packed.ljust(map.offset, b"\0") + self.device.tensor_map(tensor)
            except DeviceError as error:
                argument = machine_parameters(self._interface.signature)[map.address].name
                expected = f"an array whose boxes the chip copies for kernel {self._interface.name!r}"
                raise ArgumentValueError(argument, expected, str(error)) from error
        return packed

    def _loaded_for(self, bound: BoundArguments) -> _Loaded:
        facts = self._facts(bound)
        return self._loaded.get(facts) or self._load(facts)

    def _facts(self, bound: BoundArguments) -> Facts:
        return bound.facts if self._specialise else GENERAL

    def _load(self, facts: Facts) -> _Loaded:
        """Once, whichever of several threads comes first."""
        with self._loading:
            if facts not in self._loaded:
                variant = self._variants.find(facts, self.device)
                self._loaded[facts] = _Loaded(self.modules.load(variant), variant, facts)
            return self._loaded[facts]

    def _check(self, bound: BoundArguments) -> None:
        for required in self._interface.requirements:
            value = bound.values[required.parameter]
            if value % required.divisor:
                expected = f"{required.what} that is a multiple of {required.divisor}, as the program states"
                raise ArgumentValueError(required.argument, expected, str(value))


class Modules:
    """The functions of one kernel on a device, one for each distinct code; they are unloaded when nobody has them."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._functions: dict[tuple[Code, int], Function] = {}
        # At exit the driver is on its way out, and frees everything itself.
        weakref.finalize(self, _unload, device, self._functions).atexit = False

    def load(self, variant: Variant) -> Function:
        key = variant.code, variant.dynamic_shared_bytes
        if key not in self._functions:
            self._functions[key] = self._device.load(variant.code, dynamic_shared_bytes=variant.dynamic_shared_bytes)
        return self._functions[key]


def _unload(device: Device, functions: dict[tuple[Code, int], Function]) -> None:
    """After a fault nothing can be unloaded any more, and nobody is there to be told."""
    while functions:
        _, function = functions.popitem()
        with contextlib.suppress(DeviceError):
            device.unload(function)


class _Loaded(NamedTuple):
    """A variant on the device, and the facts that it was found for."""

    function: Function
    variant: Variant
    seen: Facts


def _mark_pending(arguments: Sequence[object], stream: object) -> None:
    """Our own arrays tell other libraries which stream they are used in."""
    where = LEGACY_DEFAULT_STREAM if stream is None else stream
    for argument in arguments:
        if isinstance(argument, DeviceArray):
            argument.pending = where


def _with_grid(variant: Variant, packed: bytes, workgroups: Dim3) -> bytes:
    """The arguments and, on chips without registers for them, the grid's extents."""
    for offset, axis in variant.grid:
        packed = packed.ljust(offset, b"\0") + workgroups[axis].to_bytes(8, "little")
    return packed


class _Recent:
    """The last launch, where it had nothing but our own device arrays and numbers: passed again, it needs no binding.

    The arrays are not kept alive; one that was freed since is noticed.
    """

    __slots__ = ("_arguments", "loaded", "packed")

    def __init__(self, arguments: Sequence[weakref.ref[DeviceArray] | float], packed: bytes, loaded: _Loaded) -> None:
        self._arguments, self.packed, self.loaded = arguments, packed, loaded

    @classmethod
    def of(cls, arguments: Sequence[object], packed: bytes, loaded: _Loaded) -> _Recent | None:
        kept: list[weakref.ref[DeviceArray] | float] = []
        for argument in arguments:
            if type(argument) is DeviceArray:
                kept.append(weakref.ref(argument))
            elif isinstance(argument, (int, float)):
                kept.append(argument)
            else:
                return None
        return cls(tuple(kept), packed, loaded)

    def fits(self, arguments: Sequence[object]) -> bool:
        if len(arguments) != len(self._arguments):
            return False
        for kept, argument in zip(self._arguments, arguments, strict=True):
            if type(kept) is weakref.ref:
                array = kept()
                if array is None or array is not argument:
                    return False
                array.view()  # raises where it was freed
            elif kept is not argument:
                return False
        return True
