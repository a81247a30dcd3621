"""What a launch has to know of a kernel and of its compiled variants, whether a compiler or a file provides them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from ..codegen.emit.tensor_map import MapParameter
from ..ir.printing import Printing
from ..support.dataclasses import dataclass, field
from ..support.named_tuples import NamedTuple
from ..targets import Chip
from .device import Code, Device, Dim3
from .facts import GENERAL, Facts, FactsError
from .signature import SignatureParameter, machine_parameters

MOST_VARIANTS = 16
"""Launches compile so many variants; further combinations of facts take the best of those that are there."""


class Requirement(NamedTuple):
    """What a program states of an argument: a number that divides one of the machine parameters.

    `what` says in messages what has to be divisible: an address, an extent, a stride, a number.
    """

    parameter: int
    divisor: int
    argument: str
    what: str


@dataclass(frozen=True, slots=True)
class Interface:
    """What all variants of a kernel have in common.

    Attributes:
        name: The symbol of the kernel.
        target: The chip that the code is for.
        block_size: Threads of a workgroup along x, y and z, as the program says.
        cluster_size: Workgroups of a cluster along x, y and z: grids are of whole ones.
        signature: What the machine code's arguments are.
        requirements: What launches check besides.
        divisors: For each machine parameter the divisor that may make a variant, or 1.
        near: Whether variants differ by whether buffers lie within NEAR_BYTES.
        printing: How the last argument is laid out, where the kernel prints: launches make it, nobody passes it.
    """

    name: str
    target: Chip
    block_size: Dim3
    cluster_size: Dim3
    signature: tuple[SignatureParameter, ...]
    requirements: tuple[Requirement, ...]
    divisors: tuple[int, ...]
    near: bool
    printing: Printing | None = None

    @property
    def arguments(self) -> tuple[SignatureParameter, ...]:
        """What a launch is passed."""
        return self.signature if self.printing is None else self.signature[:-1]

    @property
    def best_facts(self) -> Facts:
        """All that a launch can see: their variant is the fastest."""
        return Facts(self.divisors, self.near).canonical

    @property
    def is_one(self) -> bool:
        """Whether all launches take the same variant."""
        return self.best_facts == GENERAL

    def relevant(self, facts: Facts) -> Facts:
        """The same facts without what makes no variant of this kernel. Raises FactsError for those of another one."""
        wanted = self.divisors
        if facts.divisors and len(facts.divisors) != len(wanted):
            names = ", ".join(p.name for p in machine_parameters(self.signature))
            raise FactsError(f"a divisor for each of {names} is expected, found {list(facts.divisors)}")
        divisors = tuple(w if d % w == 0 else 1 for d, w in zip(facts.divisors, wanted, strict=bool(facts.divisors)))
        return Facts(divisors, facts.near and self.near).canonical

    def words(self, facts: Facts) -> str:
        """Which arguments the variant of facts is for."""
        return facts.words([p.name for p in machine_parameters(self.signature)])


OriginOf = Callable[[int], str | None]


@dataclass(frozen=True, slots=True)
class Variant:
    """Code for one combination of facts. Those that are equal run as one function on a device.

    Attributes:
        code: The machine text and what is assembled of it.
        block_size: Threads of a workgroup that a launch starts: more than the program says where the code has subgroups
            besides, which only copy.
        dynamic_shared_bytes: Shared memory that a launch asks for.
        grid: Where the code expects extents of the grid behind the arguments: (offset in bytes, axis).
        maps: The tensor maps that it expects there.
        origin: File, line, column and text of what a line of the machine text, from 1, was compiled from.
    """

    code: Code
    block_size: Dim3
    dynamic_shared_bytes: int
    grid: tuple[tuple[int, int], ...]
    maps: tuple[MapParameter, ...]
    origin: OriginOf = field(compare=False, repr=False)


class Variants(Protocol):
    """A kernel's variants."""

    @property
    def interface(self) -> Interface: ...

    def find(self, seen: Facts, device: Device) -> Variant:
        """The best variant for such arguments, with the kind of code that the device loads.

        Raises CompileError where it is yet to be compiled and cannot be.
        """
        ...
