"""What layouts are decoded against: the threads of one owner of a program's values, and their chip."""

from __future__ import annotations

from functools import cached_property, lru_cache
from math import prod

from ..analysis.shared_places import SharedBytes
from ..ir.kernels import Kernel
from ..ir.passes import Context
from ..support.dataclasses import dataclass
from ..support.diagnostics import CompileError, Diagnostic
from ..targets import Chip
from .dimension import LayoutError
from .nested import NestedLayout

MAX_ELEMENTS_OF_A_THREAD = 512
"""The most elements of one vector: no chip's threads have more registers of 32 bits."""
FEW_ELEMENTS = 2048
"""A vector of so many is compiled however few threads there are, so that a thread holds no more of any."""


def most_elements(threads: int) -> int:
    """The most elements of one vector of so many threads."""
    return max(FEW_ELEMENTS, MAX_ELEMENTS_OF_A_THREAD * threads)


def is_wasteful(layout: NestedLayout) -> bool:
    """Whether a thread holds far more of a large vector than any would of one that is shared out.

    Twice as much is no waste: layouts that hold elements twice are a step to cheaper ones (attention on gfx1100).
    """
    return layout.registers > 2 * MAX_ELEMENTS_OF_A_THREAD and prod(layout.shape) > FEW_ELEMENTS


@dataclass(frozen=True)
class Workgroup:
    """`threads` of one owner in subgroups of `subgroup_size`.

    `shared_bytes` are what the program's own buffers leave of the chip's shared memory; 0 in programs of subgroups and
    threads, whose values move by shuffles only.
    """

    threads: int
    subgroup_size: int
    chip: Chip
    scope: str = "workgroup"
    shared_bytes: int = 0
    first_subgroup: int = 0
    """The number of the first subgroup of the threads' own, in the launched workgroup."""
    launched: int = 0
    """Threads of the launched workgroup, where the owner is a part of it; else 0."""

    @cached_property
    def _hash(self) -> int:
        return hash((self.threads, self.subgroup_size, self.chip, self.scope, self.shared_bytes, self.first_subgroup))

    def __hash__(self) -> int:
        """Found out once: it is in the key of all that is remembered of layouts."""
        return self._hash

    @classmethod
    def of(cls, kernel: Kernel, context: Context) -> Workgroup:
        """Raises CompileError where a subgroup's program would run on a subgroup with lanes missing."""
        chip, subgroup_size = context.chip, context.subgroup_size
        threads = {"workgroup": kernel.threads, "subgroup": subgroup_size, "thread": 1}[kernel.scope]
        if kernel.scope == "subgroup" and kernel.threads % subgroup_size and kernel.threads > subgroup_size:
            message = f"{kernel.threads} threads are no whole number of subgroups of {subgroup_size}"
            raise CompileError([Diagnostic(message, kernel.op.location)])
        threads = min(threads, kernel.threads)
        shared = 0
        if kernel.scope == "workgroup":
            shared = context.analyses.get(SharedBytes, kernel.op).left_of(chip.shared_memory_bytes)
        return _one(threads, subgroup_size, chip, kernel.scope, shared)

    @property
    def exchanges(self) -> bool:
        """Whether threads may exchange values through shared memory."""
        return self.shared_bytes > 0

    @property
    def subgroups(self) -> int:
        return max(1, self.threads // self.subgroup_size)

    @property
    def has_matrix_units(self) -> bool:
        """Whether no subgroup lacks lanes: matrix instructions need them all."""
        return self.threads % self.subgroup_size == 0 and self.scope != "thread"


@lru_cache(maxsize=1 << 8)
def _one(threads: int, subgroup_size: int, chip: Chip, scope: str, shared_bytes: int) -> Workgroup:
    """Those that are equal are one object: what is remembered of layouts then need not compare them."""
    return Workgroup(threads, subgroup_size, chip, scope, shared_bytes)


@lru_cache(maxsize=1 << 14)
def fits(layout: NestedLayout, shape: tuple[int, ...], workgroup: Workgroup) -> bool:
    """Whether a layout, wrapped onto the subgroups that there are, is one of a vector of `shape`."""
    try:
        wrapped = layout.wrapped(workgroup.subgroups)
    except LayoutError:
        return False
    return not wrapped.problems(shape=shape, threads=workgroup.threads, subgroup_size=workgroup.subgroup_size)
