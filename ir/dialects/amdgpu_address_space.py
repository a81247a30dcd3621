"""amdgpu: memory spaces of buffers that are reached through a resource, which says how many of their bytes count."""

from __future__ import annotations

from ..attributes import EnumAttr


class BufferSpaceAttr(EnumAttr):
    """An address space of amdgpu; `fat_raw_buffer` is one that a memref may lie in: `amdgpu.fat_raw_buffer_cast` makes
    such memrefs."""

    mnemonic = "amdgpu.address_space"
    cases = ("fat_raw_buffer", "buffer_rsrc", "fat_structured_buffer")


BufferSpaceAttr.register()
FAT_RAW_BUFFER = BufferSpaceAttr("fat_raw_buffer")
