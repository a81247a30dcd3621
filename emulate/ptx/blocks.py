"""A compiled kernel: basic blocks as numpy functions, and what a launch needs to know besides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .emit import Symbols
from .syntax import Instruction


@dataclass
class Block:
    """`run(R, S, X)` executes the block and returns the branch condition, the branch index, or None.

    `meeting` says who must be there first: "members" (lanes of a mask, from `query`), "warp", "barrier" (identifier and
    count from `query`), "phase" (barrier object, from `query`), "columns" (of tensor memory: a warp, and how many from
    `query`), "cluster" (of which all have arrived), "arrival" (the threads of a warp that are there) or "" for nobody.
    `leave` is one of fall, jump, branch, index, exit, barrier; `targets` are block numbers.
    """

    first: int
    last: int
    meeting: str = ""
    leave: str = "fall"
    targets: tuple[int, ...] = ()
    run: Callable[[Any, Any, Any], Any] | None = None
    query: Callable[[Any, Any, Any], Any] | None = None
    fetched: frozenset[int] = frozenset()
    written: frozenset[int] = frozenset()

    @property
    def length(self) -> int:
        return self.last - self.first


@dataclass
class Program:
    """A compiled kernel."""

    instructions: list[Instruction]
    blocks: list[Block]
    registers: list[str]
    register_codes: list[str]
    symbols: Symbols
    static_shared_bytes: int
    shared_alignment: int
    local_bytes: int
    granule: int
    source: str
    tensor_bytes: int
    """What tensor memory costs here, a workgroup; 0 where the kernel has none."""
