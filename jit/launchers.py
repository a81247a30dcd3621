"""The launches of one kernel: on which device each runs, and by which function, which is made for arguments that come
again.

Where a kernel may choose its device (`"auto"`), the arguments decide: it runs where the first of them is that is on a
GPU.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from ..ir.printing import Record
from .arrays import Place, place_of
from .device import Device, DeviceUnavailable
from .device_choice import DeviceChoice, choose_device, open_device
from .grids import Grid
from .launch_function import Asked, LaunchFunction, Taken, nobody
from .launcher import Launcher
from .variants import Variants

_MOST_KINDS = 128
"""Kinds of arguments that a kernel knows of; launches with others go the careful way each time."""


class Launchers:
    """A kernel's launchers, one for each device, and its launch functions.

    Attributes:
        latest: The launch function that was used last. Where it returns False, `launch` is the way.
        taken: What the last launch saw of its arguments.
    """

    def __init__(self, variants: Variants, choice: DeviceChoice) -> None:
        self.latest: LaunchFunction = nobody
        self.taken = Taken()
        self._variants, self._choice = variants, choice
        self._opening = threading.RLock()
        self._default: Device | None = None
        self._opened: dict[Place, Device | None] = {}
        self._launchers: dict[int, Launcher] = {}
        self._seen: dict[tuple[object, ...], bool] = {}
        """Kinds of arguments, and whether they have a function."""
        self._functions: dict[tuple[type, ...], tuple[LaunchFunction, ...]] = {}

    @property
    def device(self) -> Device:
        """Where launches run whose arguments are on no device, the same one for all threads. Raises
        DeviceUnavailable."""
        if self._default is None:
            with self._opening:
                self._default = self._default or choose_device(self._choice, self._variants.interface.target)
        return self._default

    def on(self, device: Device) -> Launcher:
        """The launcher on a device, made once."""
        found = self._launchers.get(id(device))
        if found is None:
            with self._opening:
                found = self._launchers.get(id(device)) or Launcher(self._variants, device, taken=self.taken)
                self._launchers[id(device)] = found  # which keeps the device, and with it its id
        return found

    def of(self, arguments: Sequence[object]) -> Launcher:
        """The launcher on the device that such arguments are for. Raises DeviceUnavailable."""
        return self.on((self._of_arguments(arguments) if self._choice == "auto" else None) or self.device)

    def _of_arguments(self, arguments: Sequence[object]) -> Device | None:
        where = next((place for place in map(place_of, arguments) if place is not None), None)
        if where is None:
            return None
        if not isinstance(where, Place):
            return choose_device(where, self._variants.interface.target)
        if where not in self._opened:
            with self._opening:
                self._opened[where] = self._open(where)
        return self._opened[where]

    def _open(self, place: Place) -> Device | None:
        """None where the kernel cannot run there, which is said when its arguments are looked at."""
        default = None if self._default is None else self._default.properties.dlpack_device
        if default is not None and default[1] == place.ordinal:  # of the one driver that the kernel's chip has
            return self._default
        try:
            device = open_device(self._variants.interface.target, place.ordinal)
        except DeviceUnavailable:
            return None
        if self._default is None:
            self._default = device
        return device

    def launch(self, grid: Grid, arguments: tuple[object, ...], stream: object, how: int) -> tuple[Record, ...]:
        """A launch that the latest function is not for; gives what it printed."""
        for function in self._functions.get(tuple(map(type, arguments)), ()):
            if function(grid, arguments, stream, how):
                self.latest = function
                return ()
        launcher = self.of(arguments)
        printed = launcher.launch(grid, arguments, stream, how)
        self._learn(launcher, arguments)
        return printed

    def prepared(self, asked: Asked) -> Callable[..., None]:
        """See `Launcher.prepared`. Raises what the launch would."""

        def anew(*others: object, stream: object = None) -> None:
            arguments = others or tuple(asked.arguments)
            stream = asked.stream if stream is None else stream
            if not self.latest(asked.workgroups, arguments, stream, asked.how):
                self.launch(asked.workgroups, arguments, stream, asked.how)

        return self.of(asked.arguments).prepared(asked, anew)

    def _learn(self, launcher: Launcher, arguments: tuple[object, ...]) -> None:
        """Makes the function for arguments of such kinds, where they have come before."""
        reads = None if launcher.maker is None else launcher.maker.reads(arguments)
        if reads is None or launcher.maker is None:
            return
        key = (id(launcher), *((read.type, read.same) for read in reads))
        with self._opening:
            known = self._seen.get(key)
            if known is None and len(self._seen) < _MOST_KINDS:
                self._seen[key] = False
            if known is not False:  # it came for the first time, or has its function
                return
            self._seen[key] = True
            types = tuple(read.type for read in reads)
            self.latest = launcher.maker.make(reads)
            self._functions[types] = (*self._functions.get(types, ()), self.latest)
