"""A kernel's text as basic blocks: where they begin, where they lead, and what must outlive each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Generic, Protocol, TypeVar

from ...support.dataclasses import dataclass


class Instruction(Protocol):
    """One instruction of a machine text."""

    @property
    def text(self) -> str: ...
    @property
    def line(self) -> int:
        """The line of the machine text, from 1."""
        ...


@dataclass
class Block:
    """Instructions `first` .. `last - 1`, entered at the first only; `targets` are the blocks that may follow."""

    first: int
    last: int
    leave: str = "fall"
    """How it ends; each machine says which words there are."""
    targets: tuple[int, ...] = ()

    @property
    def length(self) -> int:
        return self.last - self.first


BlockT = TypeVar("BlockT", bound=Block)
InstructionT = TypeVar("InstructionT", bound=Instruction)


@dataclass
class Program(Generic[InstructionT, BlockT]):
    """A compiled kernel: each block is a numpy function."""

    instructions: list[InstructionT]
    blocks: list[BlockT]
    source: str
    """The numpy source of all blocks."""
    granule: int
    """Bytes of the smallest access to shared memory, at most 4."""
    shared_bytes: int
    """Shared memory of a workgroup that the kernel itself has."""


def split(leaders: Iterable[int], count: int, make: type[BlockT]) -> tuple[list[BlockT], dict[int, int]]:
    """Blocks of `count` instructions that begin at `leaders`, and the number of the block that begins at each.

    The end of the text has a number, too.
    """
    starts = sorted(leader for leader in leaders if leader < count)
    numbers = {start: number for number, start in enumerate(starts)} | {count: len(starts)}
    return [make(first, last) for first, last in zip(starts, [*starts[1:], count], strict=True)], numbers


def live_out(
    blocks: Sequence[Block], fetched: Sequence[frozenset[int]], killed: Sequence[frozenset[int]]
) -> list[frozenset[int]]:
    """Registers of each block that a later one may read: `fetched` are read before they are written, `killed` are
    written for all threads, whatever was there before."""
    live_in: list[frozenset[int]] = [frozenset() for _ in blocks]
    out_of: list[frozenset[int]] = [frozenset() for _ in blocks]
    changed = True
    while changed:
        changed = False
        for number in range(len(blocks) - 1, -1, -1):
            out = frozenset[int]().union(*(live_in[target] for target in blocks[number].targets))
            inside = fetched[number] | (out - killed[number])
            if out != out_of[number] or inside != live_in[number]:
                out_of[number], live_in[number] = out, inside
                changed = True
    return out_of
