"""The shared table of fragments against the vendors' formulas: every row, and a sample of wrong rows.

Reference, emulators, layouts and code generation all take who holds what from `targets`, so that a wrong row would
pass all of them. The formulas (`nvidia_formulas.py`, `amd_formulas.py`) are written from the vendors' documents.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from lanewise.targets import Fragment, MatrixInstruction, nvidia_fragments
from lanewise.targets.fragment import placement
from lanewise.targets.mma_sync import FRAGMENTS, MMA_SYNC

from ..each import each
from .mutated_rows import in_registers, survivors, wrong_maps
from .voices import BESIDE, ROWS, bits_in_register, disagreements, expanded, tile_agrees


def unlike() -> Iterator[MatrixInstruction]:
    """Of rows with the same fragments in registers one; of the widths of wgmma and tcgen05 those up to 32 columns."""
    seen = set[object]()
    for i in ROWS:
        key = i.family, i.requires if i.family == "wmma" else "", tuple(f for _, f in parts(i))
        if key not in seen and (i.subgroups == 1 or i.shape[1] <= 32):
            seen.add(key)
            yield i


def parts(i: MatrixInstruction) -> list[tuple[str, Fragment]]:
    return [(name, getattr(part, "alone", part)) for name, part in in_registers(i)]


@each(ROWS)
def test_the_vendor_says_the_same(instruction: MatrixInstruction) -> None:
    assert not list(disagreements(instruction))


@each(BESIDE)
def test_the_vendor_says_the_same_of_what_is_beside(beside: object) -> None:
    assert beside.agrees(beside.map)  # type: ignore[attr-defined]


def test_the_vendor_says_the_same_of_tiles() -> None:
    """ldmatrix and stmatrix."""
    tiles = [nvidia_fragments.matrix_tile(transposed) for transposed in (False, True)]
    assert tile_agrees(tiles[0], transposed=False) and tile_agrees(tiles[1], transposed=True)
    assert not tile_agrees(tiles[0], transposed=True)


def test_a_wrong_row_is_noticed() -> None:
    """Of rows that are unlike; `mutated_rows.py` has all of them."""
    count, unnoticed = survivors(tuple(unlike()))
    assert count > 1000 and not unnoticed


def test_a_wrong_map_beside_is_noticed() -> None:
    unnoticed = [words for words, noticed in wrong_maps() if not noticed]
    assert not unnoticed


@each(unlike())
def test_maps_are_what_digits_mean(instruction: MatrixInstruction) -> None:
    """What executors take from a row, and what the tuples of its fragment mean."""
    for name, fragment in parts(instruction):
        lanes, subgroups = instruction.subgroup_size, instruction.subgroups
        wanted = expanded(fragment, lanes, subgroups)
        assert np.array_equal(fragment.held(lanes, subgroups), wanted), name
        assert fragment.coordinates(5) == list(map(tuple, wanted[5].tolist())), name
        place = placement(fragment, lanes, subgroups)
        numbers = np.arange(np.prod(place.shape)).reshape(place.shape)
        held = numbers[tuple(np.moveaxis(wanted, -1, 0))]
        assert np.array_equal(place.elements, held), name
        assert np.array_equal(place.registers(numbers).reshape(held.shape), held), name
        assert np.array_equal(place.matrices(held).reshape(place.shape), numbers), name


def test_the_table_by_shape_and_width_has_the_fragments_of_its_rows() -> None:
    for i in MMA_SYNC:
        found = FRAGMENTS[i.shape, bits_in_register(i.a_type)]
        assert found == (i.a.alone, i.b.alone, i.c.alone)
