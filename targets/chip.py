"""What the compiler has to know about one GPU architecture, as plain frozen data.

The fields mirror those of `#iree_gpu.target` (architecture, workgroup processor, chip) and add what LLVM needs.
"""

from __future__ import annotations

from functools import cached_property
from typing import Literal

from ..support.dataclasses import dataclass, replace
from ..support.diagnostics import LanewiseError
from ..support.named_tuples import NamedTuple

Vendor = Literal["nvidia", "amd"]
MOST_IN_CLUSTER = 8
"""Workgroups of a cluster, on every chip that has clusters (CUDA C++ Programming Guide, "Thread Block Clusters")."""
MOST_WORKGROUPS = (2**31 - 1, 65535, 65535)
"""Workgroups of a launch along x, y and z that both vendors' runtimes allow."""


class UnknownTargetError(LanewiseError, ValueError):
    """A chip, product or matrix instruction that no table lists; the message names the nearest entries."""


class UnsupportedFeatureError(LanewiseError, ValueError):
    """A chip was asked for something that it does not have."""


@dataclass(frozen=True, slots=True)
class Feature:
    """A hardware capability: `name`, and the oldest PTX ISA that can spell it (tenfold, 0 on AMD)."""

    name: str
    ptx_isa: int = 0


class RegisterFile(NamedTuple):
    """Vector registers of one lane of a SIMD at the smaller wave size, how many are given out at once, most waves
    (LLVM's AMDGPU backend, IsaInfo)."""

    registers: int
    granule: int
    waves: int


@dataclass(frozen=True)
class Chip:
    """One architecture, such as `sm_90` or `gfx942`.

    Sizes are in bytes, workgroup sizes in threads and ordered (x, y, z). `ptx_isa` is the PTX version times ten that
    code for this chip is written in, at least the oldest one that knows the chip, so that old drivers accept the
    result; `requiring` raises it. It is 0 on AMD.
    """

    name: str
    vendor: Vendor
    subgroup_sizes: tuple[int, ...]
    native_subgroup_size: int
    """What LLVM takes unless it is told, and what registers are counted for, whatever limits the sizes."""
    shared_memory_bytes: int
    static_shared_memory_bytes: int
    max_workgroup_sizes: tuple[int, int, int]
    features: tuple[Feature, ...] = ()
    ptx_isa: int = 0
    max_threads_per_workgroup: int = 1024
    compute: tuple[str, ...] = ("fp64", "fp32", "fp16", "int64", "int32", "int16", "int8")
    storage: tuple[str, ...] = ("b64", "b32", "b16", "b8")
    subgroup_operations: tuple[str, ...] = ("shuffle", "arithmetic")
    register_file: RegisterFile | None = None
    """AMD's; None where it is in no published table."""
    matrix_names: frozenset[str] | None = None
    """The only matrix instructions that may be used, by any of their names; None: all that there are."""
    scaled_shapes: frozenset[tuple[int, int, int]] | None = None
    """The only shapes (m, n, k) of AMD's matrix instructions on scaled operands that may be used; None: all."""
    workgroup_processors: int | None = None
    """How many multiprocessors, or compute units, the program counts on; None: as many as the product has that
    `rates.py` states for the chip."""
    without_llvm_features: tuple[str, ...] = ()
    """What LLVM is told to leave alone on AMD's chips: features in LLVM's words that it would find uses for by itself.
    """
    limited_by: str = ""
    """What says so, and has lowered other numbers above: an attribute of the program."""

    def __hash__(self) -> int:
        return hash((self.name, self.ptx_isa))

    @property
    def title(self) -> str:
        """The chip in messages about what it has."""
        return f"{self.name}, limited by '{self.limited_by}'," if self.limited_by else self.name

    @property
    def triple(self) -> str:
        return "nvptx64-nvidia-cuda" if self.vendor == "nvidia" else "amdgcn-amd-amdhsa"

    @property
    def llvm_cpu(self) -> str:
        return self.name

    @property
    def llvm_features(self) -> str:
        return f"+ptx{self.ptx_isa}" if self.vendor == "nvidia" else ""

    @property
    def default_subgroup_size(self) -> int:
        """The size that code is generated for unless the program names another."""
        return self.subgroup_sizes[0]

    @cached_property
    def feature_names(self) -> frozenset[str]:
        return frozenset(feature.name for feature in self.features)

    def supports(self, feature: str) -> bool:
        return feature in self.feature_names

    def requiring(self, *features: str) -> Chip:
        """This chip with a PTX ISA new enough to spell `features`; raises UnsupportedFeatureError for one it lacks."""
        by_name = {feature.name: feature for feature in self.features}
        if lacking := [name for name in features if name not in by_name]:
            known = ", ".join(sorted(by_name)) or "nothing"
            raise UnsupportedFeatureError(f"{self.name} does not support {', '.join(lacking)}; it supports: {known}")
        ptx_isa = max([self.ptx_isa, *(by_name[name].ptx_isa for name in features)])
        return self if ptx_isa == self.ptx_isa else replace(self, ptx_isa=ptx_isa)

    def serves(self, device: Chip) -> bool:
        """Whether code generated for this chip runs on `device`.

        PTX of a plain architecture (`sm_90`) runs on every later one, `sm_90a` among them; PTX of an
        architecture-specific one (`sm_90a`) runs on that one alone, and so does AMD machine code.
        """
        if self.vendor != device.vendor:
            return False
        if self.vendor == "amd" or self.is_architecture_specific:
            return self.name == device.name
        return compute_capability(self.name) <= compute_capability(device.name)

    @property
    def is_architecture_specific(self) -> bool:
        """Whether the code gives up forward compatibility for features of this one architecture (`sm_90a`)."""
        return self.vendor == "nvidia" and self.name.endswith("a")


def compute_capability(name: str) -> int:
    """90 for `sm_90` and `sm_90a`."""
    return int(name.removeprefix("sm_").removesuffix("a"))
