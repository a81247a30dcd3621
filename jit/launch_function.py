"""Launch functions: one for each kernel, device and kinds of arguments, made of a text (`launch_source.py`).

Texts that are equal are compiled once; what differs between kernels of one signature is in the names that they use. A
function keeps nothing that keeps it, so that it goes with its kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from types import CodeType
from typing import Any, TypeAlias, cast

from ..support.named_tuples import NamedTuple
from .argument_kinds import Read, read_of
from .arguments import packing_of
from .arrays import LEGACY_DEFAULT_STREAM
from .device import DeviceError, Dim3, stream_handle
from .driver import DriverDevice, DriverFunction
from .facts import Facts
from .grids import grid_of
from .launch_source import launch_source, prepared_source
from .parameter_buffer import PackedByThread
from .scalars import converter
from .signature import ScalarParameter, machine_parameters
from .streams import CURRENT
from .variants import Interface, Variant

LaunchFunction: TypeAlias = Callable[[object, tuple[object, ...], object, int], bool]
"""Grid, arguments, stream and the number of a launch call. False: nothing was done, the launch is for others."""

Behind: TypeAlias = Callable[[memoryview, Sequence[Any], Dim3], None]
"""Writes what lies behind the packed arguments: of the memory, the machine parameters' values, and the grid."""


class Ready(NamedTuple):
    """A variant on a device, as launch functions want it: what the launch call takes, and the facts that were seen."""

    handle: Any
    x: int
    y: int
    z: int
    shared: int
    behind: Behind | None
    buffer: PackedByThread
    facts: Facts


class Asked(NamedTuple):
    """What a launch is asked for: `how` is the number of a launch call."""

    workgroups: Dim3
    arguments: Sequence[object]
    stream: object
    how: int


class Taken:
    """What the last launch of a kernel saw of its arguments, as far as variants differ by it; None before one."""

    __slots__ = ("facts",)

    def __init__(self) -> None:
        self.facts: Facts | None = None


def nobody(grid: object, arguments: tuple[object, ...], stream: object, how: int) -> bool:
    """The launch function of a kernel that has none yet."""
    return False


def ready_variant(function: DriverFunction, variant: Variant, facts: Facts, size: int, behind: Behind | None) -> Ready:
    """`size`: bytes of all that the launch call passes; `behind` writes what is not arguments of it."""
    buffer = function.device.packed_by_thread(size, function.offsets)
    return Ready(function.handle, *variant.block_size, variant.dynamic_shared_bytes, behind, buffer, facts)


class FunctionMaker:
    """Makes launch functions of one kernel on one device.

    Args:
        interface: The kernel's.
        device: A driver's.
        variants: Those that are loaded, by the number of their facts; more may come.
        functions: By the facts, too.
        taken: Where launches leave what they saw.
    """

    def __init__(
        self,
        interface: Interface,
        device: DriverDevice,
        variants: Mapping[int, Ready],
        functions: Mapping[Facts, DriverFunction],
        taken: Taken,
    ) -> None:
        self._interface, self._device = interface, device
        self._variants, self._functions = variants, functions
        self._names = _names(interface, device, variants, functions, taken)

    def reads(self, arguments: Sequence[object]) -> tuple[Read, ...] | None:
        """How a function reads arguments that fit the kernel; None where it does not."""
        found = [read_of(a, p) for a, p in zip(arguments, self._interface.signature, strict=True)]
        return None if None in found else cast("tuple[Read, ...]", tuple(found))

    def make(self, reads: Sequence[Read]) -> LaunchFunction:
        names: dict[str, object] = {}
        for i, read in enumerate(reads):
            names |= {f"type{i}": read.type, f"same{i}": read.same}
        return self._function(launch_source(self._interface, reads, self._device.bracket), reads, names)

    def prepared(
        self, reads: Sequence[Read], asked: Asked, facts: Facts, packed: bytes, anew: Callable[..., None]
    ) -> Callable[..., None]:
        """A function that launches again with packed arguments, or else does `anew(*others, stream=stream)`."""
        ready = self._variants[facts.number(self._interface.divisors)]
        memory = self._device.packed(len(packed), self._functions[facts].offsets)
        view, parameters, extra = memory.parts
        view[:] = packed
        gx, gy, gz = asked.workgroups
        names = {f"a{i}": argument for i, argument in enumerate(asked.arguments)} | {
            "handle": ready.handle,
            "x": ready.x,
            "y": ready.y,
            "z": ready.z,
            "shared": ready.shared,
            "loaded": ready,
            "facts": facts,
            "gx": gx,
            "gy": gy,
            "gz": gz,
            "how": asked.how,
            "anew": anew,
            "memory": memory,
            "parameters": parameters,
            "extra": extra,
            "stream_of_all": asked.stream,
        }
        return self._function(prepared_source(self._interface, reads, self._device.bracket), reads, names)

    def _function(self, text: str, reads: Sequence[Read], names: Mapping[str, object]) -> Callable[..., Any]:
        libraries = {read.kind.library for read in reads if read.kind is not None} - {""}
        streams = {f"{name}_stream": CURRENT[name]() or _default_stream for name in libraries}
        found: dict[str, object] = {}
        exec(_compiled(text), {**self._names, **streams, **self._device.bracket.names, **names}, found)
        return cast("Callable[..., Any]", found["launch"])


def _default_stream(ordinal: int) -> int:
    return 0


@lru_cache(maxsize=256)
def _compiled(text: str) -> CodeType:
    return compile(text, "<launch function>", "exec")


def _names(
    interface: Interface,
    device: DriverDevice,
    variants: Mapping[int, Ready],
    functions: Mapping[Facts, DriverFunction],
    taken: Taken,
) -> dict[str, object]:
    """What the text uses; see `launch_source`."""
    place = device.properties.dlpack_device
    assert place is not None, "a driver's devices have a place"
    packing = packing_of(machine_parameters(interface.signature))

    def refused(code: Any, loaded: Ready, grid: Dim3) -> DeviceError:
        block = loaded.x, loaded.y, loaded.z
        asked = grid, block, loaded.shared, len(loaded.buffer.parts[0])
        return device.refused(code, functions[loaded.facts], asked)

    converters = {
        f"convert{i}": converter(p) for i, p in enumerate(interface.signature) if isinstance(p, ScalarParameter)
    }
    return {
        **converters,
        "device": device,
        "ordinal": place[1],
        "name": interface.name,
        "variants": variants,
        "taken": taken,
        "calls": device.launch_calls,
        "refused": refused,
        "pack_into": packing.pack_into,
        "grid_of": grid_of,
        "meet": meet,
        "stream_handle": stream_handle,
        "default": LEGACY_DEFAULT_STREAM,
    }


def meet(spans: list[tuple[int, int, bool]]) -> bool:
    """Whether one of the spans that are written meets another: low end, high end, and whether it is written."""
    spans.sort()
    end = end_of_written = 0
    for low, high, written in spans:
        if low < end_of_written or (written and low < end):
            return True
        end = max(end, high)
        if written:
            end_of_written = max(end_of_written, high)
    return False
