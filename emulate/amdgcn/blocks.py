"""A compiled kernel: basic blocks as numpy functions, and what a launch needs to know besides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..touches import ATOMIC, READ
from .chip import Chip
from .syntax import Instruction
from .waits import Finding


@dataclass
class Block:
    """`run(R, E, S, G)` executes the block: it returns (branch condition, execution mask, values of `stored`).

    `leave` is one of fall, jump, branch, computed, exit, barrier, end; `targets` are block numbers. The result of a
    computed jump is the address. The block called end lies behind the last instruction.
    """

    first: int
    last: int
    leave: str = "fall"
    targets: tuple[int, ...] = ()
    run: Callable[[Any, Any, Any, Any], tuple[Any, Any, tuple[Any, ...]]] | None = None
    fetched: tuple[int, ...] = ()
    stored: tuple[int, ...] = ()
    finding: tuple[int, Finding] | None = None

    @property
    def length(self) -> int:
        return self.last - self.first


@dataclass
class Program:
    """A compiled kernel."""

    chip: Chip
    instructions: list[Instruction]
    blocks: list[Block]
    directives: dict[str, int]
    registers: frozenset[int]
    shared_bytes: int
    private_bytes: int
    granule: int
    swaps: bool
    """Whether shared memory is updated in compare-and-swap loops, which start from a plain read."""
    global_swaps: bool
    """The same of global memory."""
    source: str

    @property
    def read_kind(self) -> int:
        """What a plain read of global memory counts as: such a loop begins with one, which races with no update."""
        return ATOMIC if self.global_swaps else READ
