"""What the loop that multiplies matrices waits for with no product between load and wait, in the machine text of AMD.

Loads of one counter return in order, and a wait says how many of them may be left (LLVM, "AMDGPU Operand Syntax",
waitcnt). The loop is read twice, so that what one iteration loads the next one may wait for: a load whose wait comes
before any product is exposed, since its wave has nothing to multiply meanwhile. Other waves of the multiprocessor may.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

from ..codegen.machine_text import KINDS
from ..support.patterns import regex

Waited: TypeAlias = Literal["global", "shared"]
"""Loads of global memory, and copies from there; loads of shared memory."""

_PRODUCT = regex(KINDS["mma"]["amdgcn"])
_LOAD = regex(r"(buffer|global|flat)_load_")
_STORE = regex(r"(buffer|global|flat)_store_|scratch_|(buffer|global|flat)_atomic_")
_SHARED_LOAD = regex(r"ds_(read|load)")
_IN_ORDER_WITH_SHARED = regex(r"ds_|s_(buffer_)?load_")
_FIELDS = regex(r"(vmcnt|lgkmcnt)\((\d+)\)")
_FIELD_OF: Mapping[str, Waited] = {"vmcnt": "global", "lgkmcnt": "shared"}
_WAITS = regex(r"s_wait_(loadcnt_dscnt|loadcnt|dscnt)\s+(\w+)")


def exposed_waits(loop: Sequence[str], *, counts_stores: bool) -> Mapping[Waited, int]:
    """How many loads of an iteration are waited for before any product. `counts_stores`: the counter of loads from
    global memory is that of stores, too (before gfx10)."""
    pending: dict[Waited, list[tuple[bool, int]]] = {"global": [], "shared": []}
    exposed, products = Counter[Waited](), 0
    for again in (False, True):
        for line in loop:
            products += _PRODUCT.match(line) is not None
            for counter, is_load in _issued(line, counts_stores):
                pending[counter].append((is_load, products))
            for counter, left in _waits(line):
                there = pending[counter]
                done, pending[counter] = there[: len(there) - left], there[max(0, len(there) - left) :]
                if again:
                    exposed[counter] += sum(is_load and since == products for is_load, since in done)
    return exposed


def _issued(line: str, counts_stores: bool) -> Iterator[tuple[Waited, bool]]:
    """The counter that counts an instruction, and whether it is a load that somebody may wait for."""
    if _LOAD.match(line) or (counts_stores and _STORE.match(line)):
        yield "global", _LOAD.match(line) is not None
    if _IN_ORDER_WITH_SHARED.match(line):
        yield "shared", _SHARED_LOAD.match(line) is not None


def _waits(line: str) -> Iterator[tuple[Waited, int]]:
    """How many may be left of each counter."""
    if line.startswith("s_waitcnt"):
        for name, left in _FIELDS.findall(line):
            yield _FIELD_OF[name], int(left)
    elif found := _WAITS.match(line):
        left = int(found[2], 0)
        if "loadcnt" in found[1]:
            yield "global", left >> 8 if "_" in found[1] else left
        if "dscnt" in found[1]:
            yield "shared", left & 63
