"""What a vendor's code generator supplies beside its rules: the kernel's frame and guarded memory accesses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from .descriptor import Address
from .text import Ssa

if TYPE_CHECKING:
    from .emission import Emission


class Machine(Protocol):
    """One vendor."""

    calling_convention: str
    atomic_scopes: Mapping[int, str]
    """LLVM's synchronisation scope of atomic updates, by address space."""
    atomic_facts: str
    """Metadata of atomic updates: what the machine may assume of the memory."""

    def function_attributes(self, emission: Emission) -> str:
        """The kernel's attributes, when all of it is written."""
        ...

    def metadata(self, emission: Emission) -> tuple[str, Sequence[str]]:
        """What the kernel's definition refers to, and the module's lines of metadata."""
        ...

    def check_of(self, emission: Emission) -> Callable[[str], None] | None:
        """What is to be looked for in the kernel's machine text, if anything; raises CodegenError."""
        ...

    def thread_id(self, emission: Emission, axis: int) -> Ssa:
        """The thread's coordinate in its workgroup, as index."""
        ...

    def block_id(self, emission: Emission, axis: int, count: int) -> Ssa:
        """The workgroup's coordinate in a grid of at most `count` of them, as index."""
        ...

    def grid_dim(self, emission: Emission, axis: int) -> Ssa:
        """Workgroups of the grid along an axis, as index."""
        ...

    def guarded_load(
        self, emission: Emission, address: Address, guard: Ssa, other: Sequence[Ssa], *, read_only: bool
    ) -> list[Ssa]:
        """Consecutive elements, a naturally aligned power of two of at most 16 bytes: those at `address` where the i1
        `guard` holds, else `other`. Nothing is touched where it does not."""
        ...

    def guarded_store(self, emission: Emission, address: Address, guard: Ssa, values: Sequence[Ssa]) -> None:
        """Writes `values` where `guard` holds."""
        ...

    def approximate(self, emission: Emission, function: str, operands: Sequence[Ssa]) -> Ssa | None:
        """The hardware's fast approximation of a function of f32, None where there is none."""
        ...
