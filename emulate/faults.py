"""What an emulator reports when a kernel does something that hardware leaves undefined or forbids."""

from __future__ import annotations

from collections.abc import Sequence

from ..support.diagnostics import reduced
from ..support.named_tuples import NamedTuple

Coordinates = tuple[int, int, int]


class Place(NamedTuple):
    """Who executed what: the instruction and its line of the machine text, from 1; (x, y, z) indices."""

    instruction: str | None
    line: int | None
    block: Coordinates | None
    thread: Coordinates | None


class EmulationFault(Exception):
    """A kernel broke a rule of its machine.

    `kind` is one of: out-of-bounds, misaligned, read-only, uninitialised, race, deadlock, divergent-barrier,
    divergent-warp-operation, in-flight, proxy, tensor-memory, inactive-lane, outstanding-load, hazard, duplicate-lanes,
    cache-policy, trap, limit, launch, syntax, unsupported. `line` counts lines of the machine text from 1, `other_line`
    is that of the other access of a race; `block` and `thread` are (x, y, z) indices; `address` is as the kernel saw
    it.
    """

    def __init__(
        self,
        kind: str,
        detail: str,
        *,
        instruction: str | None = None,
        line: int | None = None,
        block: Coordinates | None = None,
        thread: Coordinates | None = None,
        address: int | None = None,
        other_line: int | None = None,
    ) -> None:
        self.kind = kind
        self.detail = detail
        self.instruction = instruction
        self.line = line
        self.block = block
        self.thread = thread
        self.address = address
        self.other_line = other_line
        super().__init__(self._message())

    def __reduce__(self) -> tuple[object, ...]:
        return reduced(self)

    def _message(self) -> str:
        parts = [f"{self.kind}: {self.detail}"]
        if self.address is not None:
            parts.append(f"address {self.address:#x}")
        if self.thread is not None:
            parts.append(f"block {self.block}, thread {self.thread}")
        if self.instruction is not None:
            parts.append(f"line {self.line}: {self.instruction}")
        return "; ".join(parts)


PLACES_SHOWN = 5


def standing(places: Sequence[tuple[int, str]]) -> str:
    """Where threads stand, as `(number of threads, words)`, those of most threads first."""
    ordered = sorted(places, key=lambda place: -place[0])
    words = [f"{count} threads {where}" for count, where in ordered[:PLACES_SHOWN]]
    rest = sum(count for count, _ in ordered[PLACES_SHOWN:])
    return ", ".join([*words, f"{rest} elsewhere"] if rest else words)


class Violation(Exception):
    """A fault seen inside a memory, before the emulator adds who did it and in which instruction.

    `position` indexes the accesses that were passed in.
    """

    def __init__(self, kind: str, detail: str, position: int, address: int) -> None:
        super().__init__(kind, detail, position, address)
        self.kind = kind
        self.detail = detail
        self.position = position
        self.address = address
