"""What an access says to caches of its data: that it is not used again, or what gives way to what.

`nontemporal` is upstream's. For priorities upstream has words (`#nvvm.cache_eviction_priority`), and operations on bare
pointers that take them; here they are an attribute of operations on buffers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..support.diagnostics import Report
from .attributes import StringAttr, number_of
from .core import Operation
from .did_you_mean import did_you_mean
from .memory_spaces import is_global
from .types import MemRefType

PRIORITY = "lanewise.evict_priority"
NORMAL, NOT_KEPT = "evict_normal", "no_allocate"
PRIORITIES = (NORMAL, "evict_first", "evict_last", "evict_unchanged", NOT_KEPT)
"""Data that give way as any, before others, after others, as they did before; that do not come into the first level."""
_PREFETCH, _COPY = "memref.prefetch", "nvgpu.device_async_copy"
_OF_PREFETCHES = (NORMAL, "evict_last")
_SIDES: Mapping[str, str] = {
    **dict.fromkeys(("memref.load", "memref.store", "vector.load", "vector.store"), "memref"),
    **dict.fromkeys(("vector.maskedload", "vector.maskedstore"), "memref"),
    **dict.fromkeys(("vector.transfer_read", "vector.transfer_write", _PREFETCH), "memref"),
    **dict.fromkeys((_COPY, "lanewise.async_copy", "amdgpu.gather_to_lds"), "src"),
    "nvgpu.tma.async.load": "",
}
"""The operations that have priorities, and the operand that is the memory; a box's is of a map, always global."""
_KEPT = ("nontemporal", PRIORITY)


def cache_hints(op: Operation) -> dict[str, Any]:
    """What has to be said of every access that the operation becomes: attributes, as builders take them."""
    return {name: op.attributes[name] for name in _KEPT if name in op.attributes}


def evict_priority(op: Operation) -> str:
    """In upstream's words; `evict_normal` where nothing is said."""
    given = op.attributes.get(PRIORITY)
    return given.value if isinstance(given, StringAttr) else NORMAL


def check_priority(op: Operation, report: Report) -> None:
    """Reports a priority that is none, or of what has none."""
    given = op.attributes.get(PRIORITY)
    if given is None:
        return
    side = _SIDES.get(op.opname)
    if side is None:
        op.error(report, f"has '{PRIORITY}', which is read of {', '.join(_SIDES)} alone")
        return
    type = getattr(op, side).type if side else None
    if not isinstance(given, StringAttr) or given.value not in PRIORITIES:
        hint = did_you_mean(given.value, PRIORITIES) if isinstance(given, StringAttr) else ""
        op.error(report, f"'{PRIORITY}' is one of {', '.join(PRIORITIES)}, as a string, found {given}", hint)
    elif side and not (isinstance(type, MemRefType) and is_global(type.memory_space)):
        op.error(report, f"has '{PRIORITY}', which is of buffers in global memory, found {type}")
    elif number_of(op.attributes.get("nontemporal")):
        op.error(report, f"is nontemporal and has '{PRIORITY}': one of them says when its data give way")
    elif op.opname == _PREFETCH:
        _check_prefetch(op, given.value, report)
    elif op.opname == _COPY and given.value == NOT_KEPT and "bypassL1" not in op.attributes:
        op.error(report, f"has '{PRIORITY}' = \"{NOT_KEPT}\", which of asynchronous copies are those with bypassL1")


def _check_prefetch(op: Operation, priority: str, report: Report) -> None:
    near = number_of(op.attributes.get("localityHint")) == 3 and not number_of(op.attributes.get("isWrite"))
    if priority not in _OF_PREFETCHES:
        op.error(report, f"prefetches as {' or '.join(_OF_PREFETCHES)}, found {priority}")
    elif near:
        op.error(report, f"has '{PRIORITY}', which is of the second level of cache: locality<3> asks for the first")
