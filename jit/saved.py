"""A compiled kernel as plain data: all that a launch needs, without the program and without a compiler."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from ..codegen.emit.tensor_map import MapParameter
from ..ir.remarks import Remark
from ..support.dataclasses import dataclass
from ..support.diagnostics import Source
from ..targets import Chip, find_chip
from ..targets.chip import compute_capability
from .device import Code, Device, Dim3
from .facts import GENERAL, Facts, best_fitting
from .grid_uses import GridUses
from .origin import Origins
from .signature import offsets_with_maps
from .variants import Interface, OriginOf, Variant

if TYPE_CHECKING:
    from ..codegen.assemble import Resources


@dataclass(frozen=True, slots=True)
class SavedVariant:
    """One variant with its code.

    Attributes:
        facts: What has to hold of the arguments, in canonical form.
        text: PTX or AMDGCN.
        image: The cubin, where one was assembled, or the code object.
        block_size: See `Variant`.
        dynamic_shared_bytes: Shared memory that a launch asks for.
        static_shared_bytes: Shared memory that the code itself declares.
        grid: See `Variant`; `maps` too.
        origins: The program's lines behind the text.
        resources: What the assembler said of the cubin.
    """

    facts: Facts
    text: str
    image: bytes | None
    block_size: Dim3
    dynamic_shared_bytes: int
    static_shared_bytes: int
    grid: tuple[tuple[int, int], ...]
    maps: tuple[MapParameter, ...]
    origins: Origins
    resources: Resources | None = None


@dataclass(frozen=True, slots=True)
class SavedKernel:
    """A kernel and its variants, the general one among them.

    Attributes:
        interface: What the variants have in common.
        variants: One for each combination of facts.
        compiler: Versions of what made the code, by name.
        program: The text that it was compiled from, if it was kept.
        remarks: What the compiler told of the general variant.
        key: What a cache has it under; empty elsewhere.
        grid_uses: Of a kernel in Python that a cache has: how its grid goes along its arguments.
    """

    interface: Interface
    variants: tuple[SavedVariant, ...]
    compiler: Mapping[str, str]
    program: Source | None = None
    remarks: tuple[Remark, ...] = ()
    key: str = ""
    grid_uses: GridUses | None = None

    @property
    def general(self) -> SavedVariant:
        return next(variant for variant in self.variants if variant.facts == GENERAL)

    def fitting(self, seen: Facts) -> Facts:
        """The facts of the best variant whose facts hold."""
        return best_fitting((variant.facts for variant in self.variants), seen)

    def find(self, seen: Facts, device: Device) -> Variant:
        """The best variant whose facts hold."""
        facts = self.fitting(seen)
        saved = next(variant for variant in self.variants if variant.facts == facts)
        return variant_of(saved, self.interface, device, partial(saved.origins.at, saved.text))


def variant_of(saved: SavedVariant, interface: Interface, device: Device, origin: OriginOf) -> Variant:
    """What a launch on a device needs of a variant."""
    image = saved.image if _image_fits(interface.target, device) else None
    offsets = offsets_with_maps(interface.signature, saved.maps)
    return Variant(
        Code(interface.target.name, saved.text, image, interface.name, offsets),
        saved.block_size,
        saved.dynamic_shared_bytes,
        saved.grid,
        saved.maps,
        origin,
    )


def _image_fits(target: Chip, device: Device) -> bool:
    """A cubin is for one compute capability; on others the driver assembles the PTX."""
    if target.vendor == "amd":
        return device.loads == "image"
    found = find_chip(device.properties.target)
    return device.properties.dlpack_device is not None and compute_capability(target.name) == compute_capability(
        found.name
    )
