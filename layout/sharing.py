"""Conversions that several uses of a value share: those that want one layout of it take one conversion together.

The problem that `pbqp.py` solves prices every use for itself. So a choice is sought twice: at these prices, and with
what a value's uses cost divided among them, as if all wanted the same; what is cheaper in truth is taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from .graph import Graph, Use
from .pbqp import Costs


class Sharing:
    """How conversions are shared: those of a graph whose uses cost `edges`, [alternatives of the maker, alternatives of
    the user]."""

    def __init__(self, graph: Graph, edges: Mapping[Use, Costs]) -> None:
        self._graph, self._edges = graph, edges
        uses: dict[tuple[int, int], list[Use]] = {}
        for use in graph.uses:
            uses.setdefault((use.maker, use.made), []).append(use)
        self._uses = uses
        self._several = [group for group in uses.values() if len(group) > 1]

    @property
    def any(self) -> bool:
        """Whether a value that may be converted has several uses."""
        return any(self._edges[use].any() for group in self._several for use in group)

    def divided(self) -> Mapping[Use, Costs]:
        """What each use costs at least."""
        return {use: self._edges[use] // len(group) for group in self._uses.values() for use in group}

    def saved(self, chosen: Sequence[int]) -> int:
        """Cycles less than if every use had a conversion of its own."""
        return sum(sum(self._costs(group, chosen)) - self._price(group, chosen) for group in self._several)

    def beside(self, node: int, chosen: Sequence[int]) -> list[int]:
        """What conversions of what a node makes and uses cost, for each of its alternatives."""
        made = {(use.maker, use.made) for use in (*self._graph.uses_of[node], *self._graph.needs_of[node])}
        groups, found = [self._uses[key] for key in sorted(made)], list[int]()
        for alternative in range(len(self._graph.nodes[node].alternatives)):
            other = [*chosen[:node], alternative, *chosen[node + 1 :]]
            found.append(sum(self._price(group, other) for group in groups))
        return found

    def _price(self, group: Iterable[Use], chosen: Sequence[int]) -> int:
        """The price of the conversions of one value."""
        dearest: dict[object, int] = {}
        for use, cost in zip(group, self._costs(group, chosen), strict=True):
            wanted = self._graph.nodes[use.user].alternatives[chosen[use.user]].operands[use.slot]
            dearest[wanted] = max(dearest.get(wanted, 0), cost)
        return sum(dearest.values())

    def _costs(self, group: Iterable[Use], chosen: Sequence[int]) -> Iterator[int]:
        return (int(self._edges[use][chosen[use.maker], chosen[use.user]]) for use in group)
