"""The words in which an operation class says what it does besides computing its results.

What barriers, fences, races, folding and signatures need to know of an operation stands on its class, in these words;
`effects.py` asks an operation, `define.py` has the fields that carry them.
"""

from __future__ import annotations

from enum import Flag, auto
from typing import Literal

from ..support.dataclasses import dataclass


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
    """With `WRITES`: what is written is there after a wait only, for the class's `begins`. With `READS`: it may be read
    until such a wait."""
    HANDS_ON = auto()
    """The memref becomes a block's argument, or the result of an operation that holds the block."""


NOTHING, READS, WRITES, FREES, HANDS_ON = Effect.NOTHING, Effect.READS, Effect.WRITES, Effect.FREES, Effect.HANDS_ON
UPDATES = READS | WRITES | Effect.ATOMIC
ACCESSES = READS | WRITES
LANDS, LEAVES = WRITES | Effect.LATER, READS | Effect.LATER


@dataclass(frozen=True, eq=False)
class Completion:
    """How a thread learns that what it began is over (PTX ISA: "completion mechanism"). An operation class says which
    it `begins`, which it `commits` and which it `awaits`; everything that follows copies and products reads that."""

    words: str
    """What goes on meanwhile."""
    copies: bool = True
    """Memory that copies write, or read, `LATER`; else what only an operation's own results, or operands, tell."""
    by_object: bool = False
    """A barrier object counts it, for which all that take part wait; else each thread waits for its own."""
    committed: bool = False
    """An operation that `commits` ends a group; else each operation is a group of its own."""

    def __repr__(self) -> str:
        return self.words


COPY_GROUPS = Completion("copies in groups (cp.async)", committed=True)
LOAD_COUNTER = Completion("copies to LDS that are counted with loads (vmcnt, loadcnt)")
ASYNC_COUNTER = Completion("copies to LDS that a counter of their own counts (asynccnt)")
TENSOR_COUNTER = Completion("copies of tensors to and from LDS that a counter of their own counts (tensorcnt)")
BULK_GROUPS = Completion("boxes in groups (cp.async.bulk)", committed=True)
OBJECT_BYTES = Completion("boxes whose bytes a barrier object counts", by_object=True)
PRODUCT_GROUPS = Completion("products in groups (wgmma)", copies=False)
TENSOR_COMMITS = Completion("products and copies of tensor cores (tcgen05.commit)", copies=False, by_object=True)
TENSOR_LOADS = Completion("loads of tensor memory (tcgen05.wait::ld)", copies=False)
TENSOR_STORES = Completion("stores to tensor memory (tcgen05.wait::st)", copies=False)


Scope = Literal["grid", "workgroup", "subgroup", "thread"]
"""To whom a value belongs, from coarse to fine; who meets at a collective operation."""
SCOPES: tuple[Scope, ...] = ("grid", "workgroup", "subgroup", "thread")


def finer(a: Scope, b: Scope) -> bool:
    """Whether `a` is of fewer threads than `b`."""
    return SCOPES.index(a) > SCOPES.index(b)
