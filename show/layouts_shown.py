"""The layouts that the texts of a kernel name, each with a badge, words, and who owns what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import count

import numpy as np

from ..ir.dialects.iree_vector_ext import NestedLayoutAttr
from ..layout.draw import describe
from ..layout.nested import NestedLayout
from ..layout.owner_map import OwnerMap, whole_subgroups
from ..layout.owner_svg import ROW, owner_picture
from ..support.patterns import regex
from ..support.svg import document

_ALIAS = regex(rf"(#\w+) = #{NestedLayoutAttr.mnemonic}<(.*)>$")
_LIST = regex(r"(\w+) = \[([\d, ]*)\]")


class LayoutsShown:
    """Layouts by number, in the order in which texts name them."""

    def __init__(self, threads: int, subgroup_size: int, badges: Mapping[str, str] | None = None) -> None:
        """`badges`: of the layouts that have one already, by what programs say of them between angle brackets."""
        self._threads, self._subgroup_size = threads, subgroup_size
        self._numbers: dict[NestedLayout, int] = {}
        self._badges: dict[NestedLayout, str] = {}
        for text, badge in (badges or {}).items():
            if _LIST.search(text):
                self._badges.setdefault(_layout(text), badge)

    def aliases(self, lines: Sequence[str]) -> dict[str, int]:
        """The numbers of the layouts that a text gives names to."""
        return {
            found[1]: self._numbers.setdefault(_layout(found[2]), len(self._numbers))
            for line in lines
            if (found := _ALIAS.match(line))
        }

    @cached_property
    def badges(self) -> tuple[str, ...]:
        """Such as L1; those that have none get the next ones."""
        taken = set(self._badges.values())
        free = (name for n in count(1) if (name := f"L{n}") not in taken)
        return tuple(self._badges[layout] if layout in self._badges else next(free) for layout in self._numbers)

    def hue(self, number: int) -> int:
        """Degrees: far from those of the numbers before."""
        return 40 + 137 * number % 360

    @cached_property
    def words(self) -> tuple[str, ...]:
        return tuple(describe(layout, self._subgroup_size, self._of(layout)) for layout in self._numbers)

    def _of(self, layout: NestedLayout) -> int:
        """The threads that it is described for: the workgroup's, or those of a part of it."""
        needed = whole_subgroups(layout, self._subgroup_size)
        return needed if self._threads % needed else self._threads

    def drawings(self) -> Iterator[str]:
        """An SVG of each; its cells are in groups with `data-grid`, one for each slice."""
        for number, layout in enumerate(self._numbers):
            owners = OwnerMap.of_layout(layout, self._subgroup_size, self._of(layout))
            yield document(owner_picture(owners, key=str(number)), self.words[number])

    def maps(self) -> Iterator[Mapping[str, object]]:
        """What the page's script knows of each: the thread of an element is the sum of what its coordinates give, and
        so is its register."""
        for number, layout in enumerate(self._numbers):
            owners = [_along(layout, dim, self._subgroup_size) for dim in range(layout.rank)]
            yield {
                "badge": self.badges[number],
                "words": self.words[number],
                "shape": layout.shape,
                "registers": layout.registers,
                "subgroup": self._subgroup_size,
                "row": ROW,
                "thread": [threads for threads, _ in owners],
                "register": [registers for _, registers in owners],
            }


def _along(layout: NestedLayout, dimension: int, subgroup_size: int) -> tuple[list[int], list[int]]:
    """Threads and registers of the elements along one axis, all other coordinates being 0."""
    places = np.zeros((layout.shape[dimension], layout.rank), np.int64)
    places[:, dimension] = np.arange(layout.shape[dimension])
    threads, registers = layout.elected(places, subgroup_size)
    return threads.tolist(), registers.tolist()


def _layout(text: str) -> NestedLayout:
    lists = {name: tuple(map(int, numbers.split(","))) if numbers else () for name, numbers in _LIST.findall(text)}
    return NestedLayout(**lists)
