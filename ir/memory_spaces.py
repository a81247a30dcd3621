"""Whose memory a memref lies in: its memory space, in any spelling."""

from __future__ import annotations

from .attributes import OpaqueAttr, number_of
from .dialects.amdgpu_address_space import FAT_RAW_BUFFER
from .dialects.gpu import WORKGROUP, AddressSpaceAttr
from .types import Attribute

CLUSTER = OpaqueAttr("#nvvm.memory_space<shared_cluster>")
"""The memory of a workgroup of the cluster: what `nvvm.mapa` gives."""
_GLOBAL = AddressSpaceAttr("global")
STORAGE = "#hal.descriptor_type<storage_buffer>"


def is_workgroup(space: Attribute | None) -> bool:
    """`#gpu.address_space<workgroup>`, or 3 in older texts."""
    return space == WORKGROUP or _is_number(space, 3)


def is_global(space: Attribute | None) -> bool:
    """The default space, `#gpu.address_space<global>`, 0 or 1 in older texts, IREE's storage buffers, or AMD's raw
    buffers."""
    named = space in (_GLOBAL, FAT_RAW_BUFFER) or str(space) == STORAGE
    return space is None or named or _is_number(space, 0, 1)


def is_fat_buffer(space: Attribute | None) -> bool:
    """Whether it is reached through a resource that says how many of its bytes count (`amdgpu.fat_raw_buffer_cast`)."""
    return space == FAT_RAW_BUFFER


def _is_number(space: Attribute | None, *numbers: int) -> bool:
    return number_of(space) in numbers
