"""A buffer of a launch: its bytes, the instances that workgroups or owners have of it, and what is known of them."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from ..ir.numerics import Array
from ..support.dataclasses import dataclass, field
from ..support.named_tuples import NamedTuple
from .access_places import Box, Granular, Place
from .geometry import Batch
from .races import Shadow
from .uncertainty import Maybe, Uncertainty, nothing, settled

Space = Literal["global", "workgroup", "private"]


class Errors(Granular):
    """The uncertainty of what a buffer holds, by granule. Several readers have it in common: it has no spread."""

    def __init__(self, size: int) -> None:
        super().__init__(size, np.float64, np.float64, np.bool_)

    @property
    def touched(self) -> bool:
        """Whether any was ever stored."""
        return self.granule > 0

    def take(self, place: Place, itemsize: int) -> tuple[Array, Array, Array]:
        """Worst case, drift and doubt of elements, of memory that was touched."""
        parts = self.parts(itemsize)
        found = [place.take(array, parts) for array in self.arrays]
        worst, drift, undecided = (array.max(axis=-1) for array in found) if parts else found
        return worst, drift, undecided

    def put(self, place: Place, itemsize: int, values: tuple[Array, Array, Array]) -> None:
        parts = self.parts(itemsize)
        for array, value in zip(self.arrays, values, strict=True):
            place.put(array, value[..., None] if parts else value, parts)

    def bound(self, box: Box, itemsize: int) -> Array | None:
        """How far each element may be off, infinite for undecided ones; None where nothing may."""
        if not self.touched:
            return None
        worst, drift, undecided = self.take(box, itemsize)
        return np.where(undecided, np.inf, np.minimum(worst, drift))


class Left(NamedTuple):
    """How many elements of a buffer nobody touched, and the first of them."""

    number: int
    first: tuple[int, ...] = ()


class Coverage(Granular):
    """What of a buffer anybody touched."""

    def __init__(self, size: int) -> None:
        super().__init__(size, np.bool_)

    def add(self, place: Place, itemsize: int) -> None:
        parts = self.parts(itemsize)
        place.put(self.arrays[0], np.ones((), np.bool_), parts)

    def left(self, box: Box, itemsize: int) -> Left:
        """What of the box nobody touched."""
        parts = self.parts(itemsize)
        touched = box.take(self.arrays[0], parts)
        left = ~np.asarray(touched.any(axis=-1) if parts else touched)
        first = np.unravel_index(int(np.argmax(left)), left.shape) if left.any() else ()
        return Left(int(np.count_nonzero(left)), tuple(map(int, first)))


@dataclass(eq=False)
class Buffer:
    """Bytes, once for all owners (global), per workgroup, or per owner (private)."""

    name: str
    space: Space
    data: Array
    """All instances one after the other, as uint8."""
    instance_bytes: int
    shadow: Shadow | None
    errors: Errors | None
    """None where nobody follows them."""
    base: int
    """The address of the first byte, as far as alignment goes."""
    writable: bool = True
    read: Coverage | None = None
    """What was read, and what was written, of a launch's arguments; None where nobody asks."""
    written: Coverage | None = None
    in_flight: Array | None = None
    """Whether, for each byte, a copy that is under way writes it; None where none ever did."""
    leaving: Array | None = None
    """How many copies that are under way may still read each byte; None where none ever did."""
    views: dict[np.dtype[Any], Array] = field(default_factory=dict[np.dtype[Any], Array])

    def typed(self, dtype: np.dtype[Any]) -> Array:
        """The memory as elements; what is left over at the end is not part of it."""
        view = self.views.get(dtype)
        if view is None:
            whole = self.data.size // dtype.itemsize * dtype.itemsize
            view = self.views[dtype] = self.data[:whole].view(dtype)
        return view

    def starts(self, batch: Batch, itemsize: int) -> int | Array:
        """Where each owner's instance begins, in elements."""
        if self.data.size == self.instance_bytes:
            return 0
        numbers = batch.workgroup if self.space == "workgroup" else batch.makers(self.data.size // self.instance_bytes)
        return np.asarray(numbers * (self.instance_bytes // itemsize))


def of_memory(parts: tuple[Array, Array, Array]) -> Maybe:
    worst, drift, undecided = parts
    return settled(Uncertainty(worst, drift, np.zeros_like(worst), undecided))


def in_memory(uncertainty: Maybe) -> tuple[Array, Array, Array]:
    stored = nothing(()) if uncertainty is None else uncertainty.shared()
    return stored.worst, stored.drift, stored.undecided
