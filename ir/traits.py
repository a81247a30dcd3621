"""The words in which an operation class says what it does besides computing its results.

What barriers, fences, races, folding and signatures need to know of an operation stands on its class, in these words;
`effects.py` asks an operation, `define.py` has the fields that carry them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from enum import Flag, auto
from typing import TYPE_CHECKING, ClassVar, Literal

from ..support.dataclasses import dataclass

if TYPE_CHECKING:
    from ..targets.chip import Vendor


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


OF_DIALECT: Mapping[str, Vendor] = {"nvgpu": "nvidia", "nvvm": "nvidia", "amdgpu": "amd", "rocdl": "amd"}
"""Whose chips alone have the operations of a dialect."""

Scope = Literal["grid", "workgroup", "subgroup", "thread"]
"""To whom a value belongs, from coarse to fine; who meets at a collective operation."""
SCOPES: tuple[Scope, ...] = ("grid", "workgroup", "subgroup", "thread")


def finer(a: Scope, b: Scope) -> bool:
    """Whether `a` is of fewer threads than `b`."""
    return SCOPES.index(a) > SCOPES.index(b)


class Traits:
    """What a class of operations says of all its instances. `awaits_copies`, `is_atomic` and `symbol` follow from what
    else it says: no class sets them."""

    __slots__ = ()

    pure: ClassVar[bool]
    """Does nothing but compute its results, the same ones from the same operands wherever one thread does it again: may
    be shared or left out. Every registered class says so or not, itself or in a base of its family; no default.

    What an operation does to memory stands on its memref operands, see `traits.Effect`.
    """
    through_async_proxy: ClassVar[bool] = False
    """Whether it reads memory by another way than a thread's loads: it sees writes that a fence has handed over."""
    collective: ClassVar[Scope | None] = None
    """All threads of one of these reach it together; None: each thread on its own."""
    begins: ClassVar[Completion | None] = None
    """It is over later than it is done, and how its threads learn that."""
    commits: ClassVar[Completion | None] = None
    """What its threads have begun, and no operation before it has committed, is a group from here on."""
    awaits: ClassVar[Sequence[Completion]] = ()
    """It is done once no more than `groups_left` groups of its threads are under way, its own among them where it
    `begins` one; what barrier objects count (`by_object`) once the object says so."""
    awaits_copies: ClassVar[bool] = False
    """Whether `awaits` has copies: what these write may be there once it is done."""
    belongs_to: ClassVar[Scope] = "grid"
    """Whose own the results are where the operands are common to all, as a thread's id is the thread's."""
    packs: ClassVar[bool] = False
    """Between a vector and its elements as scalars, all of them: no instruction."""
    multiplies_fragments: ClassVar[bool] = False
    """A matrix instruction of a subgroup, of which each lane has its fragments in registers."""
    on_lane_vectors: ClassVar[bool] = False
    """One of threads whose vectors are all a lane's own, none of them divided among threads."""
    elementwise: ClassVar[bool] = False
    """Applies to scalars and, element by element, to vectors of one shape."""
    keeps_digits: ClassVar[bool] = False
    """Floats among its results are operands, or their negatives: nothing is rounded."""
    constant_like: ClassVar[bool] = False
    """Its result is what an attribute says."""
    folds: ClassVar[bool] = False
    """Whether its result is a constant where its operands are constant integers: exactly what `reference` gives, where
    that is defined."""
    commutative: ClassVar[bool] = False
    """Its two operands may change places: the results are the same."""
    batched: ClassVar[bool] = False
    """`reference` takes the values of several owners at once: further leading axes, on some operands or on all."""
    moves: ClassVar[slice] = slice(0)
    """The operands whose elements the results take over as they are; `reference` moves arrays of any element type."""
    is_atomic: ClassVar[bool] = False
    """Whether it updates memory in one step, as an effect of its operands says: such updates do not race."""
    vendor: ClassVar[Vendor | None] = None
    """Whose chips alone have it, which its dialect says or the class; None where any chip may have it, or none has."""
    symbol: ClassVar[bool] = False
    """It has a name, `sym_name`, that its module knows it by."""
    names_by: ClassVar[str] = ""
    """The attribute by which it names an operation of the module around it; empty: it names none."""
    holds_symbols: ClassVar[bool] = False
    """It is a module: what it holds is known by name."""
    holds_programs: ClassVar[bool] = False
    """Its regions are programs of their own: barriers, ids and vectors in them are of those who run them."""
    terminator: ClassVar[bool] = False
    repeats: ClassVar[bool] = False
    """Its regions may run again and again."""
    recursive_effects: ClassVar[bool] = False
    """Does nothing besides computing its results but what the operations in its regions do, and ends if these do."""
    makes_memory: ClassVar[bool] = False
    """Does nothing besides making memory of its own, which is nothing where nobody uses it."""
    parents: ClassVar[Collection[str]] = ()
    """The names of those in whose regions it stands, as `parent_words` say; empty: anywhere."""
    parent_words: ClassVar[str] = ""
    isolated: ClassVar[bool] = False
    """Its regions see no value from outside."""
