"""What PTX says to caches: words behind the state space, and for the second level a policy that an instruction makes.

The assembler makes a constant of the policy (SASS: in the descriptor that an access names anyway), so it costs nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...ir.cache_hints import NORMAL, NOT_KEPT, evict_priority
from ...support.named_tuples import NamedTuple
from ..emit.emission import Emission
from ..emit.text import Ssa

FIRST_LEVEL, SECOND_LEVEL = "cache.evict_priority", "cache.policy"
"""Features: priorities of both levels (PTX ISA 7.4, "ld"), and policies (the same, "createpolicy")."""


class Hint(NamedTuple):
    words: str
    """Words of the instruction's name."""
    policy: Sequence[Ssa]
    """Its last operand, where there is one."""


NOTHING, STREAMED = Hint("", ()), Hint(".cs", ())
"""The second stands before `.nc`, priorities behind it."""


def hint(em: Emission, *, first_level: bool = True) -> Hint:
    """The hint of the access that is being written, to global memory; without `first_level` it does not come through
    that. As much as the chip has words for."""
    if em.nontemporal:
        return STREAMED
    priority = evict_priority(em.op)
    words = ""
    if first_level and priority != NORMAL and em.chip.supports(FIRST_LEVEL):
        em.require(FIRST_LEVEL)
        words = f".L1::{priority}"
    policy = [] if priority in (NORMAL, NOT_KEPT) else policies(em, priority)
    return Hint(words + ".L2::cache_hint" * len(policy), policy)


def policies(em: Emission, priority: str) -> list[Ssa]:
    """One that is of all accesses with it."""
    if not em.chip.supports(SECOND_LEVEL):
        return []
    em.require(SECOND_LEVEL)
    text = f"createpolicy.fractional.L2::{priority}.b64 $0, 1.0;"
    return [em.w.asm_pure("i64", text, ["=l"])]


def prefetch_words(em: Emission) -> str:
    """Behind the second level's name."""
    priority = evict_priority(em.op)
    if priority == NORMAL or not em.chip.supports(SECOND_LEVEL):
        return ""
    em.require(SECOND_LEVEL)
    return f"::{priority}"
