"""What a vendor's code generator supplies beside its rules: the kernel's frame and guarded memory accesses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from .descriptor import Address
from .text import Ssa

if TYPE_CHECKING:
    from .emission import Emission


class Machine(Protocol):
    """One vendor."""

    calling_convention: str

    def function_attributes(self, block_size: tuple[int, int, int]) -> str:
        """What stands after the parameter list of the kernel."""
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
