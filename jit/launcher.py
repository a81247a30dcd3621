"""Launches of one kernel on one device: arguments bound, the variant that fits them found and loaded once."""

from __future__ import annotations

import contextlib
import threading
import weakref
from collections.abc import Callable, Sequence

from ..ir.printing import Record
from ..support.named_tuples import NamedTuple
from .arguments import Binder, BoundArguments
from .arrays import LEGACY_DEFAULT_STREAM, DeviceArray
from .behind_arguments import BehindArguments
from .device import COOPERATIVE, PROGRAMMATIC, Code, Device, DeviceError, Dim3, Function, LaunchError, stream_handle
from .driver import DriverDevice, DriverFunction
from .facts import GENERAL, Facts
from .grids import Grid, GridError, grid_of
from .launch_function import Asked, FunctionMaker, Ready, Taken, ready_variant
from .print_buffer import PrintBuffer
from .signature import ArgumentCountError, ArgumentValueError
from .streams import current_stream
from .variants import Variant, Variants


class Launcher:
    """A kernel on one device: its functions by the facts of arguments.

    This is the careful way of a launch, which takes all that a kernel can be given, and says what is wrong. What its
    launch functions decide at a glance (`launch_function.py`) has gone through here once.

    Unless `specialise`, every launch takes the general variant, whose texts the kernel shows. `modules` are those of
    another launcher on the same device, to share what it has loaded.

    Attributes:
        maker: Makes launch functions; None where there are none: on devices that execute a kernel while it is
            launched, and of kernels that print.
        taken: What the last launch saw of its arguments.
    """

    def __init__(
        self,
        variants: Variants,
        device: Device,
        *,
        specialise: bool = True,
        modules: Modules | None = None,
        taken: Taken | None = None,
    ) -> None:
        self.device = device
        self.modules = Modules(device) if modules is None else modules
        self._variants = variants
        self._interface = variants.interface
        self._specialise = specialise
        self._binder = Binder(self._interface.signature, self._interface.divisors, near=self._interface.near)
        self._bind = self._binder.bind
        printing = self._interface.printing
        self._printed = None if printing is None else PrintBuffer(printing, device)
        self._foreign = device.properties.dlpack_device is not None
        self._loaded: dict[Facts, _Loaded] = {}
        self._loading = threading.Lock()
        self._printing = threading.Lock()
        self.taken = Taken() if taken is None else taken
        self._ready: dict[int, Ready] = {}
        self._functions: dict[Facts, DriverFunction] = {}
        self.maker: FunctionMaker | None = None
        if isinstance(device, DriverDevice) and specialise and self._printed is None:
            self.maker = FunctionMaker(self._interface, device, self._ready, self._functions, self.taken)

    def launch(
        self, grid: Grid, arguments: Sequence[object], stream: object = None, how: int = 0
    ) -> tuple[Record, ...]:
        """Runs the kernel and gives what it printed, for which it waits; a grid without workgroups checks the arguments
        and does nothing. Without a `stream` it is that in which the library works whose arrays these are.
        `how`: the number of a launch call, the sum of `PROGRAMMATIC` and so on."""
        workgroups = grid_of(grid)
        self._check_grid(workgroups)
        if self._printed is None:
            self._launch(workgroups, arguments, stream, how)
            return ()
        stream = self._stream(arguments, stream)
        if self.device.capturing(stream):
            raise self._captured("prints, and a launch waits for that")
        with self._printing:  # there is one buffer
            self._launch(workgroups, self._with_buffer(arguments, workgroups, stream), stream, how)
            return self._printed.records(workgroups, stream)

    def _check_grid(self, workgroups: Dim3) -> None:
        cluster = self._interface.cluster_size
        if any(n % size for n, size in zip(workgroups, cluster, strict=True)):
            words = "x".join(map(str, cluster))
            raise GridError(f"workgroups come in clusters of {words}, found a grid of {'x'.join(map(str, workgroups))}")

    def _stream(self, arguments: Sequence[object], stream: object) -> object:
        """Where the launch goes, if not as it says itself; the default stream where all arrays are our own."""
        return current_stream(arguments) if stream is None and self._foreign else stream

    def _captured(self, why: str) -> LaunchError:
        return LaunchError(f"kernel {self._interface.name!r} is launched while a graph is captured, and {why}")

    def _check_capture(self, bound: BoundArguments, stream: object, asked: Asked) -> None:
        """A load ends a capture, and the driver says so of a later call: so it is asked before anything is compiled."""
        facts = self._facts(bound)
        if facts in self._loaded or not self.device.capturing(stream):
            return
        names = ", ".join(p.name for p in self._interface.arguments)
        which = self._interface.words(facts.canonical)
        raise self._captured(
            f"its code {which} is not loaded: call kernel.prepare({asked.workgroups}, {names}) before the capture, with"
            " these arguments or such of the same alignment and divisibility"
        )

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

    def _launch(self, workgroups: Dim3, arguments: Sequence[object], stream: object, how: int) -> None:
        stream = self._stream(arguments, stream)
        if stream is not None:
            stream_handle(stream)  # the arguments may be copied in it before the device sees it
        bound = self._bind(arguments, self.device, stream)
        try:
            self._check(bound)
            if 0 in workgroups:
                return
            self._check_capture(bound, stream, Asked(workgroups, arguments, stream, how))
            loaded = self._loaded_for(bound)
            self._run(loaded, workgroups, arguments, self._packed(loaded, bound, workgroups), stream, how)
            bound.copy_back(stream)
        finally:
            bound.release()

    def _packed(self, loaded: _Loaded, bound: BoundArguments, workgroups: Dim3) -> bytes:
        """The arguments, and what the code expects behind them."""
        if loaded.behind.is_nothing:
            return bound.packed
        memory = bytearray(bound.packed.ljust(loaded.behind.size, b"\0"))
        loaded.behind(memoryview(memory), bound.values, workgroups)
        return bytes(memory)

    def _run(
        self,
        loaded: _Loaded,
        workgroups: Dim3,
        arguments: Sequence[object],
        packed: bytes,
        stream: object,
        how: int,
    ) -> None:
        _mark_pending(arguments, stream)
        variant, self.taken.facts = loaded.variant, loaded.seen
        try:
            self.device.launch(
                loaded.function,
                workgroups,
                variant.block_size,
                packed,
                dynamic_shared_bytes=variant.dynamic_shared_bytes,
                stream=stream,
                programmatic=bool(how & PROGRAMMATIC),
                cooperative=bool(how & COOPERATIVE),
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

    def prepared(self, asked: Asked, anew: Callable[..., None]) -> Callable[..., None]:
        """Compiles and loads the code for a launch, and gives a function that does it again and again: `anew` where the
        arguments have to be looked at each time. Raises what the launch would."""
        self._check_grid(asked.workgroups)
        stream = self._stream(asked.arguments, asked.stream)
        with self._bind(self._with_buffer(asked.arguments, (1, 1, 1)), self.device, stream) as bound:
            self._check(bound)
            self._check_capture(bound, stream, asked)
            loaded = self._loaded_for(bound)
            reads = None if self.maker is None or 0 in asked.workgroups else self.maker.reads(asked.arguments)
            if reads is None or self.maker is None:
                return anew
            packed = self._packed(loaded, bound, asked.workgroups)
            return self.maker.prepared(reads, asked, loaded.seen, packed, anew)

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
                function = self.modules.load(variant)
                behind = BehindArguments(self._interface, variant, self.device, self._binder.packed_bytes)
                if self.maker is not None:
                    self._make_ready(function, variant, facts, behind)
                self._loaded[facts] = _Loaded(function, variant, facts, behind)
            return self._loaded[facts]

    def _make_ready(self, function: Function, variant: Variant, facts: Facts, behind: BehindArguments) -> None:
        """For launch functions."""
        assert isinstance(function, DriverFunction)
        self._functions[facts] = function
        ready = ready_variant(function, variant, facts, behind.size, None if behind.is_nothing else behind)
        self._ready[facts.number(self._interface.divisors)] = ready

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
    behind: BehindArguments


def _mark_pending(arguments: Sequence[object], stream: object) -> None:
    """Our own arrays tell other libraries which stream they are used in."""
    where = LEGACY_DEFAULT_STREAM if stream is None else stream
    for argument in arguments:
        if isinstance(argument, DeviceArray):
            argument.pending = where
