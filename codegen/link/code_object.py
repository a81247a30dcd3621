"""What a code object says about its kernels: the metadata note that LLVM writes and the ROCm runtime reads.

Keys and their meaning: "Code Object V3 Metadata" and later in LLVM's AMDGPU guide; the encoding is MessagePack.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, cast

from ...support.dataclasses import dataclass, field
from . import elf
from .elf import CodeObjectError, align
from .msgpack import MessagePackError, Value, unpack

_NOTE_OWNER, _NOTE_METADATA = b"AMDGPU", 32


@dataclass(frozen=True, slots=True)
class KernelInfo:
    """What one kernel takes. Sizes are in bytes, registers are per work-item (VGPR, AGPR) or per wave (SGPR).

    Attributes:
        kernarg_size: Size of the kernel argument segment, implicit arguments included.
        argument_bytes: End of the last argument that the caller passes.
        argument_offsets: Where each of these begins.
        group_segment_bytes: LDS that the code itself declares.
        private_segment_bytes: Scratch for each work-item: spills and stack.
        vgpr: Vector registers; on gfx90a and later gfx9 AGPRs are counted in, after rounding to 4.
        agpr: Accumulation registers, on chips with matrix cores of their own.
        vgpr_spills: Vector registers that were stored to scratch.
        sgpr_spills: Scalar registers that were spilled, to vector registers or to scratch.
        max_flat_workgroup_size: The largest workgroup that the code was compiled for, in work-items.
        variant: Which of a kernel's variants this is of, in words, where that is known.
    """

    kernarg_size: int
    argument_bytes: int
    group_segment_bytes: int
    private_segment_bytes: int
    vgpr: int
    agpr: int
    sgpr: int
    vgpr_spills: int
    sgpr_spills: int
    wavefront_size: int
    max_flat_workgroup_size: int
    variant: str = field(default="", compare=False)
    argument_offsets: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class CodeObject:
    """The kernels by the name that a launch uses, and the target as `amdgcn-amd-amdhsa--gfx942:xnack+`."""

    target: str
    kernels: Mapping[str, KernelInfo]


_FIELDS: Mapping[str, str] = MappingProxyType(
    {
        "kernarg_size": ".kernarg_segment_size",
        "group_segment_bytes": ".group_segment_fixed_size",
        "private_segment_bytes": ".private_segment_fixed_size",
        "vgpr": ".vgpr_count",
        "sgpr": ".sgpr_count",
        "wavefront_size": ".wavefront_size",
        "max_flat_workgroup_size": ".max_flat_workgroup_size",
    }
)
_OPTIONAL: Mapping[str, str] = MappingProxyType(
    {"agpr": ".agpr_count", "vgpr_spills": ".vgpr_spill_count", "sgpr_spills": ".sgpr_spill_count"}
)


def read_code_object(image: bytes) -> CodeObject:
    """The kernels of a linked code object, or of the relocatable object before linking.

    Raises CodeObjectError for what is neither, or has no AMDGPU metadata.
    """
    try:
        metadata = unpack(_metadata(elf.read_elf(image)))
    except MessagePackError as error:
        raise CodeObjectError(f"the metadata of the code object cannot be read: {error}") from error
    kernels = _get(metadata, "amdhsa.kernels", list, "the metadata")
    target = cast("dict[Value, Value]", metadata).get("amdhsa.target", "")
    return CodeObject(str(target), MappingProxyType(dict(map(_kernel, kernels))))


def _metadata(source: elf.Elf) -> bytes:
    for section in source.sections:
        if section.type == elf.SECTION_NOTE:
            for owner, kind, content in _notes(section):
                if (owner, kind) == (_NOTE_OWNER, _NOTE_METADATA):
                    return content
    raise CodeObjectError("the code object has no AMDGPU metadata note (NT_AMDGPU_METADATA)")


def _notes(section: elf.Section) -> Iterator[tuple[bytes, int, bytes]]:
    """Owner, type and content of each note; owner and content are padded to four bytes."""
    position = 0
    while position + elf.NOTE.size <= section.size:
        name_size, size, kind = elf.NOTE.unpack_from(section.data, position)
        start = position + elf.NOTE.size
        content = start + align(name_size, 4)
        position = content + align(size, 4)
        if content + size > section.size:
            raise CodeObjectError(f"a note in {section.name} is cut short")
        yield section.data[start : start + name_size].rstrip(b"\0"), kind, section.data[content : content + size]


def _kernel(entry: Value) -> tuple[str, KernelInfo]:
    name: str = _get(entry, ".name", str, "a kernel's metadata")
    what = f"the metadata of kernel {name!r}"
    fields: dict[str, Any] = {name: _get(entry, key, int, what) for name, key in _FIELDS.items()}
    fields |= {name: _get(entry, key, int, what, 0) for name, key in _OPTIONAL.items()}
    arguments = [_argument(entry) for entry in _get(entry, ".args", list, what, [])]
    passed = [(offset, size) for hidden, offset, size in arguments if not hidden]
    ends, offsets = [offset + size for offset, size in passed], tuple(offset for offset, _ in passed)
    return name, KernelInfo(argument_bytes=max(ends, default=0), argument_offsets=offsets, **fields)


def _argument(entry: Value) -> tuple[bool, int, int]:
    """Whether the runtime adds it, where it lies in the segment, and its size."""
    kind: str = _get(entry, ".value_kind", str, "an argument's metadata")
    hidden = kind.startswith("hidden_")
    sizes: list[int] = [
        0 if hidden else _get(entry, key, int, "an argument's metadata") for key in (".offset", ".size")
    ]
    return hidden, sizes[0], sizes[1]


def _get(entry: Value, key: str, kind: type, what: str, default: Value = None) -> Any:
    value = entry.get(key, default) if isinstance(entry, dict) else None
    if not isinstance(value, kind):
        raise CodeObjectError(f"{what} has {key} = {value!r}; {kind.__name__} expected")
    return value
