"""A buffer of a launch: its bytes, and the instances that workgroups or threads have of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from ...ir.numerics import Array
from .geometry import Batch
from .races import Shadow

Space = Literal["global", "workgroup", "private"]


@dataclass(eq=False)
class Buffer:
    """Bytes, once for all threads (global), per workgroup, or per thread (private)."""

    name: str
    space: Space
    data: Array
    """All instances one after the other, as uint8."""
    instance_bytes: int
    shadow: Shadow | None
    base: int
    """The address of the first byte, as far as alignment goes."""
    writable: bool = True
    views: dict[np.dtype[Any], Array] = field(default_factory=dict[np.dtype[Any], Array])

    def typed(self, dtype: np.dtype[Any]) -> Array:
        """The memory as elements; what is left over at the end is not part of it."""
        view = self.views.get(dtype)
        if view is None:
            whole = self.data.size // dtype.itemsize * dtype.itemsize
            view = self.views[dtype] = self.data[:whole].view(dtype)
        return view

    def starts(self, batch: Batch, itemsize: int) -> int | Array:
        """Where each thread's instance begins, in elements."""
        if self.data.size == self.instance_bytes:
            return 0
        numbers = batch.workgroup if self.space == "workgroup" else batch.everyone
        return np.asarray(numbers * (self.instance_bytes // itemsize))
