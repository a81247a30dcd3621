"""What a variant's code expects behind its arguments: tensor maps of some of the buffers, and extents of the grid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..codegen.emit.tensor_map import MapParameter
from .device import Device, DeviceError, Dim3, Tensor
from .signature import ArgumentValueError, machine_parameters
from .variants import Interface, Variant

MAP_BYTES = 128
_MOST_MAPS = 64
"""So many tensors' maps are kept: making one takes as long as the rest of a launch."""


class BehindArguments:
    """Writes it, of one variant on a device. `size`: bytes of the arguments with it, where they alone are `packed`."""

    def __init__(self, interface: Interface, variant: Variant, device: Device, packed: int) -> None:
        self._interface, self._variant, self._device = interface, variant, device
        ends = [map.offset + MAP_BYTES for map in variant.maps] + [offset + 8 for offset, _ in variant.grid]
        self.size = max([packed, *ends])
        self._maps: dict[Tensor, bytes] = {}

    @property
    def is_nothing(self) -> bool:
        return not self._variant.maps and not self._variant.grid

    def __call__(self, memory: memoryview, values: Sequence[Any], grid: Dim3) -> None:
        """`values`: of the machine parameters. Raises ArgumentValueError for a buffer of which there is no map."""
        for map in self._variant.maps:
            memory[map.offset : map.offset + MAP_BYTES] = self._map(map, values)
        for offset, axis in self._variant.grid:  # on chips without registers for them
            memory[offset : offset + 8] = grid[axis].to_bytes(8, "little")

    def _map(self, map: MapParameter, values: Sequence[Any]) -> bytes:
        shape = tuple(n or values[source] for n, source in zip(map.shape, map.sources, strict=True))
        tensor = Tensor(values[map.address], map.element, shape, map.box, map.swizzle, map.promotion)
        found = self._maps.get(tensor)
        if found is None:
            found = self._made(tensor, map)
            if len(self._maps) >= _MOST_MAPS:
                self._maps = {}
            self._maps[tensor] = found
        return found

    def _made(self, tensor: Tensor, map: MapParameter) -> bytes:
        try:
            return self._device.tensor_map(tensor)
        except DeviceError as error:
            argument = machine_parameters(self._interface.signature)[map.address].name
            expected = f"an array whose boxes the chip copies for kernel {self._interface.name!r}"
            raise ArgumentValueError(argument, expected, str(error)) from error
