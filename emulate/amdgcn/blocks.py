"""A compiled kernel: basic blocks as numpy functions, and what a launch needs to know besides."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...support.dataclasses import dataclass
from ..access_records import ATOMIC, READ
from ..machine import blocks as machine
from .chip import Chip
from .syntax import Instruction
from .waits import Finding


@dataclass
class Block(machine.Block):
    """`run(R, E, S, G)` executes the block: it returns (branch condition, execution mask, values of `stored`).

    `leave` is one of fall, jump, branch, computed, exit, barrier, end; The result of a
    computed jump is the address. The block called end lies behind the last instruction.
    """

    run: Callable[[Any, Any, Any, Any], tuple[Any, Any, tuple[Any, ...]]] | None = None
    fetched: tuple[int, ...] = ()
    stored: tuple[int, ...] = ()
    finding: tuple[int, Finding] | None = None


@dataclass
class Program(machine.Program[Instruction, Block]):
    """A compiled kernel."""

    chip: Chip
    directives: dict[str, int]
    registers: frozenset[int]
    private_bytes: int
    swaps: bool
    """Whether shared memory is updated in compare-and-swap loops, which start from a plain read."""
    global_swaps: bool
    """Whether global memory is updated in compare-and-swap loops."""

    @property
    def read_kind(self) -> int:
        """What a plain read of global memory counts as: such a loop begins with one, which races with no update."""
        return ATOMIC if self.global_swaps else READ
