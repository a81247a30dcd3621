"""A compiled kernel: basic blocks as numpy functions, and what a launch needs to know besides."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...support.dataclasses import dataclass
from ..machine import blocks as machine
from .emit import Symbols
from .syntax import Instruction


@dataclass
class Block(machine.Block):
    """`run(R, S, X)` executes the block and returns the branch condition, the branch index, or None.

    `meeting` says who must be there first: "members" (lanes of a mask, from `query`), "warp", "barrier" (identifier and
    count from `query`), "phase" (barrier object, from `query`), "columns" (of tensor memory: a warp, and how many from
    `query`), "cluster" (of which all have arrived), "arrival" (the threads of a warp that are there) or "" for nobody.
    `leave` is one of fall, jump, branch, index, exit, barrier.
    """

    meeting: str = ""
    run: Callable[[Any, Any, Any], Any] | None = None
    query: Callable[[Any, Any, Any], Any] | None = None
    fetched: frozenset[int] = frozenset()
    written: frozenset[int] = frozenset()


@dataclass
class Program(machine.Program[Instruction, Block]):
    """A compiled kernel."""

    registers: list[str]
    register_codes: list[str]
    symbols: Symbols
    shared_alignment: int
    local_bytes: int
    tensor_bytes: int
    """What tensor memory costs here, a workgroup; 0 where the kernel has none."""
