"""The table of wgmma: which chip has it, and what it says of places and registers."""

from __future__ import annotations

from lanewise.targets import ELEMENT_BITS, find_chip, warpgroup_instructions
from lanewise.targets.wgmma import WGMMA


def test_chips() -> None:
    assert set(warpgroup_instructions(find_chip("sm_90a"))) == set(WGMMA)
    assert all(warpgroup_instructions(find_chip(name)) == () for name in ("sm_90", "sm_100a", "gfx942"))


def test_places_and_registers() -> None:
    """A lane has four registers of A, of D a half of a column's 64 rows by 128 lanes; B is never there."""
    for i in WGMMA:
        assert (i.subgroups, i.places) == (4, (("registers", "shared"), ("shared",)))
        a, c = i.a.registers, i.c.registers
        assert (a.count, a.count * a.slots) == (4, i.a.elements) and a.slots * ELEMENT_BITS[i.a_type] == 32
        assert c.count * c.slots == i.c.elements == i.shape[1] // 2
