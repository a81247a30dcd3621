"""Source for what instructions say to caches: these are not modelled, but forms that there are not are refused, and a
policy has to be one that `createpolicy` has made (PTX ISA, "Cache Operators" to "Data-prefetch").
"""

from __future__ import annotations

from .emit import Emitter, Handler
from .shapes import HINTED
from .syntax import Instruction, Operand

_PRIORITIES = ("evict_normal", "evict_first", "evict_last", "evict_unchanged")
_FIRST_LEVEL = (*(f"L1_{priority}" for priority in _PRIORITIES), "L1_no_allocate")
_OPERATORS = ("ca", "cg", "cs", "cv", "lu", "wb", "wt")
_WIDER = ("L2_64B", "L2_128B", "L2_256B")
POLICIES = {f"L2_{priority}": 0xCAC4E << 12 | number for number, priority in enumerate(_PRIORITIES)}
"""What stands for a policy here, by its name: numbers that no program computes."""
_PREFETCHES = frozenset(
    {f"{space}{level}" for space in ("", "global.", "local.") for level in ("L1", "L2")}
    | {"global.L2_evict_last", "global.L2_evict_normal", "tensormap", "const.tensormap", "param.tensormap"}
)


def prefetch(e: Emitter, i: Instruction) -> None:
    words = ".".join(i.modifiers)
    if words not in (_PREFETCHES if i.opcode == "prefetch" else ("L1",)):
        raise e.fault(f"this form of {i.opcode}")


def create_policy(e: Emitter, i: Instruction) -> None:
    """A policy of all accesses alike: a part of them, or a range of addresses, is not emulated."""
    kind, *names, type = i.modifiers
    if kind != "fractional" or len(names) != 1 or names[0] not in POLICIES or type != "b64":
        raise e.fault("this form of createpolicy")
    e.put(i.operands[0], e.number(POLICIES[names[0]], "u8"), "u8")


def check_hints(e: Emitter, i: Instruction) -> None:
    """Refuses hints of a load or store that are not known."""
    said = [m for m in i.modifiers if m[:3] in ("L1_", "L2_")]
    unknown = [m for m in said if m not in (*_FIRST_LEVEL, HINTED, *_WIDER)]
    twice = len([m for m in i.modifiers if m in (*_FIRST_LEVEL, *_OPERATORS)]) > 1
    elsewhere = said and any(space in i.modifiers for space in ("shared", "local", "const", "param"))
    if unknown or twice or elsewhere:
        raise e.fault(f"what this {i.opcode} says to caches")
    if i.has(HINTED):
        check_policy(e, i.operands[-1])


def check_policy(e: Emitter, operand: Operand) -> None:
    e.line(f"S.check_policy({e.get(operand, 'u8')}, {e.active()}, {e.site})")


HINTS: dict[str, Handler] = {"prefetch": prefetch, "prefetchu": prefetch, "createpolicy": create_policy}
