"""Vectors to and from memory, register by register: neighbours in packs, and elements anywhere."""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.core import Value
from ..layout.nested import NestedLayout
from ..support.dataclasses import replace
from .context import Distribution
from .indexing import elected
from .packing import Transfer, load_or, plan_accesses, store


def read(d: Distribution, transfer: Transfer, others: Sequence[Value]) -> list[Value]:
    """The registers of what is read, and of `others` where nothing is."""
    scalars = list(others)
    for access in list(plan_accesses(d, transfer, others)):
        rest = [others[registers[0]] for registers in access.registers]
        for registers, value in zip(access.registers, load_or(d, transfer.buffer, access, rest), strict=True):
            for register in registers:
                scalars[register] = value
    return scalars


def write(d: Distribution, transfer: Transfer, scalars: Sequence[Value]) -> None:
    """Writes a vector; of the threads that hold the same element, one does."""
    writer = elected(d, transfer.layout)
    for access in plan_accesses(d, transfer):
        condition = d.build.conjunction([access.condition, writer])
        chosen = replace(access, condition=condition)
        store(d, transfer.buffer, chosen, [scalars[registers[0]] for registers in access.registers])


def in_order(layout: NestedLayout) -> list[tuple[int, ...]]:
    """The registers of each element that a thread has (several where the layout repeats it), elements in order."""
    held: dict[tuple[int, ...], list[int]] = {}
    for register, offsets in enumerate(layout.register_offsets().tolist()):
        held.setdefault(tuple(offsets), []).append(register)
    return [tuple(held[offsets]) for offsets in sorted(held)]
