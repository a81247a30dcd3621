"""Whose memory a memref lies in: its memory space, in any spelling."""

from __future__ import annotations

from .attributes import OpaqueAttr, number_of
from .dialects.gpu import WORKGROUP, AddressSpaceAttr
from .types import Attribute

CLUSTER = OpaqueAttr("#nvvm.memory_space<shared_cluster>")
"""Of a workgroup of the cluster: what `nvvm.mapa` gives."""
_GLOBAL = AddressSpaceAttr("global")
_STORAGE = "#hal.descriptor_type<storage_buffer>"


def is_workgroup(space: Attribute | None) -> bool:
    """`#gpu.address_space<workgroup>`, or 3 in older texts."""
    return space == WORKGROUP or _is_number(space, 3)


def is_global(space: Attribute | None) -> bool:
    """The default space, `#gpu.address_space<global>`, 0 or 1 in older texts, or IREE's storage buffers."""
    return space is None or space == _GLOBAL or str(space) == _STORAGE or _is_number(space, 0, 1)


def _is_number(space: Attribute | None, *numbers: int) -> bool:
    return number_of(space) in numbers
