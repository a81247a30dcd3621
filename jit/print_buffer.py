"""The buffer that launches of a kernel pass for what it prints; see ir/printing.py."""

from __future__ import annotations

import numpy as np

from ..ir.printing import NAME, TYPE, Printing, Record
from .arrays import DeviceArray
from .device import Device, Dim3
from .signature import BufferParameter

PRINTED = BufferParameter(NAME, np.dtype(np.int32), TYPE.shape, read=False, written=True)
"""The parameter behind those of a kernel that prints."""


class PrintBuffer:
    """One on a device, made anew where a launch needs another size."""

    def __init__(self, printing: Printing, device: Device) -> None:
        self._printing, self._device = printing, device
        self._array: DeviceArray | None = None

    def empty(self, workgroups: Dim3, stream: object = None) -> DeviceArray:
        """The argument for a launch, filled with zeros."""
        shape = self._printing.shape(workgroups)
        if self._array is None or self._array.shape != shape:
            self._array = DeviceArray(self._device, shape, np.int32)
        self._array.fill(0, stream)
        return self._array

    def records(self, workgroups: Dim3, stream: object = None) -> tuple[Record, ...]:
        """What the launch in a stream printed, once it has ended."""
        return () if self._array is None else self._printing.read(self._array.to_numpy(stream), workgroups)
