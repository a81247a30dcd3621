"""Drawings of owner maps: well-formed, legible, the same each time, and true."""

import re
import xml.etree.ElementTree as ET
from itertools import combinations, pairwise
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from lanewise.layout.nested import NestedLayout
from lanewise.layout.owner_map import OwnerMap
from lanewise.layout.owner_svg import MOST_SLICES, owner_picture, owner_svg, slices_of, thread_colours
from lanewise.support.svg import ALIKE, FILLS, INK, WORDS

SVG = "{http://www.w3.org/2000/svg}"
ACCUMULATOR = NestedLayout.of_fragment((2, 1), (8, 4), (4, 1), (1, 2))
LARGE = NestedLayout((2, 4), (1, 1), (8, 8), (8, 4), (1, 2), (4, 1), (4, 1))


def test_every_element_of_a_small_map_shows_thread_and_register() -> None:
    root = ET.fromstring(owner_svg(OwnerMap.of_layout(ACCUMULATOR, 32)))
    words = [text.text or "" for text in root.iter(f"{SVG}text")]
    threads = [word for word in words if re.fullmatch(r"t\d+", word)]
    registers = [word for word in words if re.fullmatch(r"r\d+", word)]
    # PTX ISA, mma.m16n8k16, C: row lane / 4 (+ 8 from c2 on), column 2 * (lane % 4) + (i & 1).
    expected = [(f"t{row % 8 * 4 + column // 2}", f"r{row // 8 * 2 + column % 2}") for row, column in np.ndindex(16, 8)]
    assert list(zip(threads, registers, strict=True)) == expected


def test_ids_name_elements() -> None:
    cube = NestedLayout.of_fragment((1, 1, 1), (2, 1, 2), (2, 0, 1), (1, 1, 1))
    for layout, rank in ((ACCUMULATOR, 2), (cube, 3), (NestedLayout.of_fragment((2,), (32,), (1,), (1,)), 1)):
        root = ET.fromstring(f"<g>{owner_picture(OwnerMap.of_layout(layout, 32), ids='x<').body}</g>")
        ids = [rect.get("id") or "" for rect in root.iter("rect")]
        assert sorted(ids) == sorted("-".join(map(str, ("x<", *element))) for element in np.ndindex(layout.shape))
        assert layout.rank == rank


def test_grids_are_named_for_scripts() -> None:
    root = ET.fromstring(f"<g>{owner_picture(OwnerMap.of_layout(ACCUMULATOR, 32), key='acc').body}</g>")
    (cells,) = (group for group in root.iter("g") if group.get("data-grid"))
    assert (cells.get("data-grid"), cells.get("data-w"), cells.get("data-h")) == ("acc/0", "34", "26")


def test_a_large_map_is_small_and_has_no_illegible_text() -> None:
    text = owner_svg(OwnerMap.of_layout(LARGE, 32, 256), "acc")
    root = ET.fromstring(text)
    assert float(root.get("width", "")) < 1280 and len(text) < 400_000
    sizes = {float(e.get("font-size", "nan")) for e in root.iter() if e.get("font-size")}
    assert min(sizes) >= 7
    names = [e.text for e in root.iter(f"{SVG}text") if re.fullmatch(r"s\d", e.text or "")]
    assert sorted(filter(None, names)) == [f"s{n}" for n in range(8)]


def test_what_is_left_out_is_said() -> None:
    many = NestedLayout.of_fragment((20, 1, 1), (1, 8, 4), (0, 4, 1), (1, 1, 2))
    assert len(list(slices_of(OwnerMap.of_layout(many, 32)))) == MOST_SLICES
    assert "... 4 more slices" in owner_svg(OwnerMap.of_layout(many, 32))
    long = NestedLayout.of_fragment((1, 20), (1, 32), (0, 1), (2, 1))
    assert "64 more along dimension 1" in owner_svg(OwnerMap.of_layout(long, 32))


@given(data=st.data())
@settings(max_examples=30, deadline=None)
def test_neighbours_have_different_colours(random_cases: Any, data: Any) -> None:
    case = data.draw(random_cases(max_rank=3))
    owners = OwnerMap.of_layout(case.layouts[0], case.subgroup_size, case.threads)
    threads, colours = owners.elected.thread, thread_colours(owners)
    for axis in range(max(0, threads.ndim - 2), threads.ndim):
        lines = np.moveaxis(threads, axis, 0)
        for a, b in zip(lines[:-1].ravel(), lines[1:].ravel(), strict=True):
            assert a == b or colours[a] != colours[b]


def test_text_is_escaped_and_bytes_are_the_same() -> None:
    owners = OwnerMap.of_layout(ACCUMULATOR, 32)
    title = 'a <b> & "c" \x00 \x1b'
    text = owner_svg(owners, title)
    root = ET.fromstring(text)
    assert (root.findtext(f"{SVG}title") or "") == 'a <b> & "c" � �'
    assert text == owner_svg(OwnerMap.of_layout(ACCUMULATOR, 32), title)


# -- colours: WCAG's contrast, and what people see who lack a kind of cone


def linear(colour: str) -> np.ndarray[Any, Any]:
    parts = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    dark, light = sorted(float(linear(c) @ [0.2126, 0.7152, 0.0722]) for c in (one, other))
    return (light + 0.05) / (dark + 0.05)


def lab(rgb: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    matrix = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    x, y, z = np.cbrt(np.maximum(matrix @ rgb, 1e-9) / [0.9505, 1, 1.089])
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


# Viénot, Brettel, Mollon 1999, "Digital video colourmaps for checking the legibility of displays by dichromats".
SEEN = {
    "all cones": np.eye(3),
    "protanopia": np.array([[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]]),
    "deuteranopia": np.array([[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]]),
}


def test_fills_stay_apart() -> None:
    """Distances in CIE L*a*b*, of which 2.3 is just noticeable: to the next fill, to those called alike, to others."""
    seen = [[lab(matrix @ linear(colour)) for colour in FILLS] for matrix in SEEN.values()]
    least = {
        (a, b): min(float(np.linalg.norm(lab_of[a] - lab_of[b])) for lab_of in seen)
        for a, b in combinations(range(len(FILLS)), 2)
    }
    assert min(least[min(a, b), max(a, b)] for a, b in pairwise([*range(len(FILLS)), 0])) > 35
    assert {pair for pair, distance in least.items() if distance < 15} == {(a, b) for a, b in ALIKE.items() if a < b}
    assert min(least.values()) > 10


def test_words_are_legible_on_fills_and_beside_them() -> None:
    assert min(contrast(INK, fill) for fill in FILLS) > 6
    assert contrast(WORDS, "#ffffff") > 4.5 and contrast(WORDS, "#1e1e1e") > 3.5


def test_a_layout_draws_itself_in_notebooks() -> None:
    assert "16x8 on 32 threads in subgroups of 32" in ACCUMULATOR._repr_svg_()
    wave = NestedLayout.of_fragment((1,), (64,), (1,), (4,))
    assert "256 on 64 threads in subgroups of 64" in wave._repr_svg_()
