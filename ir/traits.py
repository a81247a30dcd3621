"""The words in which an operation class says what it does besides computing its results.

What barriers, fences, races, folding and signatures need to know of an operation stands on its class, in these words;
`effects.py` asks an operation, `define.py` has the fields that carry them.
"""

from __future__ import annotations

from enum import Flag, auto
from typing import Literal


class Effect(Flag):
    """What an operation does with the memory behind a memref operand."""

    NOTHING = 0
    """Its extents and strides at most, as a view does."""
    READS = auto()
    WRITES = auto()
    ATOMIC = auto()
    """With `WRITES`: in one step that no other atomic access divides, so that threads need no order."""
    FREES = auto()
    """The contents end here."""
    LATER = auto()
    """With `WRITES`: what is written is there after a wait only, see `Operation.awaits_copies`. With `READS`: it may be
    read until such a wait."""
    HANDS_ON = auto()
    """The memref becomes a block's argument, or the result of an operation that holds the block."""


NOTHING, READS, WRITES, FREES, HANDS_ON = Effect.NOTHING, Effect.READS, Effect.WRITES, Effect.FREES, Effect.HANDS_ON
UPDATES = READS | WRITES | Effect.ATOMIC
ACCESSES = READS | WRITES
LANDS, LEAVES = WRITES | Effect.LATER, READS | Effect.LATER

Scope = Literal["grid", "workgroup", "subgroup", "thread"]
"""To whom a value belongs, from coarse to fine; who meets at a collective operation."""
SCOPES: tuple[Scope, ...] = ("grid", "workgroup", "subgroup", "thread")


def finer(a: Scope, b: Scope) -> bool:
    """Whether `a` is of fewer threads than `b`."""
    return SCOPES.index(a) > SCOPES.index(b)
