"""How many registers a choice of layouts needs at its worst place, and how many a thread has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..analysis.live_ranges import LiveRanges
from ..ir.core import Operation, Value
from ..ir.dialects.vector import TransferReadOp
from ..ir.memory_spaces import is_workgroup
from ..ir.types import element_type, memory_bits
from ..targets.register_file import MOST_OF_A_THREAD, REGISTERS
from .nested import NestedLayout
from .workgroup import Workgroup

_REGISTER_BITS = 32
_SCALARS = 32
"""Registers for addresses, counters and conditions."""
_FILE = {"nvidia": (REGISTERS, MOST_OF_A_THREAD), "amd": (131072, 256)}
"""32-bit registers of what runs a workgroup, and the most that one thread is given. NVIDIA: a multiprocessor (CUDA C++
Programming Guide, "Compute Capabilities"). AMD: the four SIMDs of a CDNA compute unit, 512 of 64 lanes each; workgroup
processors of RDNA have more."""


def budget(workgroup: Workgroup) -> int:
    """Registers of a thread that vectors may take without spills."""
    whole, most = _FILE[workgroup.chip.vendor]
    return max(32, min(most, whole // max(workgroup.threads, 1))) - _SCALARS


def peak(
    ranges: LiveRanges,
    layouts: Mapping[Value, NestedLayout],
    converted: Iterable[tuple[Operation, Value, NestedLayout]],
) -> int:
    """Most registers that are alive at once. `converted` are uses of a value in another layout.

    What comes from shared memory is loaded as it is used, unless it is converted. A conversion stands between two
    operations: it needs both layouts, but not yet what its user makes. Hence two times for each operation.
    """
    held = most = 0
    changes = _changes(ranges, layouts, converted)
    for at in sorted(changes):
        held += changes[at]
        most = max(most, held)
    return most


def alive(ranges: LiveRanges, layouts: Mapping[Value, NestedLayout]) -> Mapping[Operation, int]:
    """Registers alive in a thread at each operation, before or behind it, in a program whose conversions are written:
    the most of them is the peak."""
    changes, found, held = _changes(ranges, layouts, ()), dict[Operation, int](), 0
    for op, at in ranges.number.items():
        before, held = held, held + changes.get(2 * at, 0)
        found[op] = max(before, held)
    return found


def _changes(
    ranges: LiveRanges,
    layouts: Mapping[Value, NestedLayout],
    converted: Iterable[tuple[Operation, Value, NestedLayout]],
) -> Mapping[int, int]:
    """Registers more or less from each time on."""
    changes: dict[int, int] = {}
    whole = set[Value]()
    for user, value, layout in converted:
        at, size = ranges.number[user], registers(value, layout)
        changes[2 * at - 1] = changes.get(2 * at - 1, 0) + size
        changes[2 * at] = changes.get(2 * at, 0) - size
        whole.add(value)
    for value, layout in layouts.items():
        if value not in whole and is_loaded_as_used(value):
            continue
        first, last = ranges.spans[value]
        size = registers(value, layout)
        changes[2 * first] = changes.get(2 * first, 0) + size
        changes[2 * last] = changes.get(2 * last, 0) - size
    return changes


def is_loaded_as_used(value: Value) -> bool:
    """Whether it is read from shared memory: that takes no registers, unless it is converted."""
    op = value.operation
    return isinstance(op, TransferReadOp) and is_workgroup(op.memref_type.memory_space)


def registers(value: Value, layout: NestedLayout) -> int:
    """32-bit registers that a value takes in a thread."""
    return -(-layout.registers * memory_bits(element_type(value.type)) // _REGISTER_BITS)
