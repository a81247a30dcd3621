"""Choosing one alternative for every node of a graph at least total cost: nodes and pairs of neighbours have prices.

Nodes of up to two neighbours are eliminated exactly (Scholz and Eckstein, "Register allocation for irregular
architectures", 2002), so trees and series-parallel graphs are solved to the optimum. What is left is branched on at the
node of most neighbours, within a bound on the leaves, and decided greedily beyond it. Integer costs, ties to the lowest
index: the answer is a function of the problem alone.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

Costs = npt.NDArray[np.int64]

MOST_LEAVES = 81
"""The most leaves of one connected part: with so many, all of 240 random problems of 27 nodes were solved to the
optimum."""

_NEVER = np.iinfo(np.int64).max // 4


class Problem:
    """Nodes are numbered as they are added. An edge's costs are [alternatives of one node, of the other]."""

    def __init__(self) -> None:
        self.costs: list[Costs] = []
        self.neighbours: list[dict[int, Costs]] = []

    def add_node(self, costs: Sequence[int] | Costs) -> int:
        self.costs.append(np.array(costs, np.int64))
        self.neighbours.append({})
        return len(self.costs) - 1

    def add_edge(self, a: int, b: int, costs: Costs) -> None:
        """Adds to what the edge between `a` and `b` costs already; of a node with itself, the diagonal counts."""
        if a == b:
            self.costs[a] = self.costs[a] + np.diagonal(costs)
            return
        _join(self.neighbours, a, b, costs)

    def held(self, node: int, alternative: int) -> Problem:
        """The same problem, in which a node has one alternative alone."""
        found = Problem()
        found.costs, found.neighbours = list(self.costs), self.neighbours
        found.costs[node] = np.full_like(self.costs[node], _NEVER)
        found.costs[node][alternative] = self.costs[node][alternative]
        return found

    def price(self, choice: Sequence[int]) -> int:
        """The whole cost of a choice."""
        nodes = sum(int(costs[at]) for costs, at in zip(self.costs, choice, strict=True))
        pairs = ((a, b, m) for a, near in enumerate(self.neighbours) for b, m in near.items() if a < b)
        return nodes + sum(int(m[choice[a], choice[b]]) for a, b, m in pairs)


def solve(problem: Problem, most_leaves: int = MOST_LEAVES) -> list[int]:
    """The alternative of every node."""
    chosen: dict[int, int] = {}
    for part in _connected(problem):
        state = _State({n: problem.costs[n] for n in part}, {n: dict(problem.neighbours[n]) for n in part})
        chosen.update(state.solve(most_leaves)[1])
    return [chosen[n] for n in range(len(problem.costs))]


def _connected(problem: Problem) -> Iterable[list[int]]:
    seen: set[int] = set()
    for start in range(len(problem.costs)):
        if start in seen:
            continue
        seen.add(start)
        part = [start]
        for node in part:
            fresh = [n for n in problem.neighbours[node] if n not in seen]
            seen.update(fresh)
            part += fresh
        yield sorted(part)


def _join(neighbours: list[dict[int, Costs]] | dict[int, dict[int, Costs]], a: int, b: int, costs: Costs) -> None:
    held = neighbours[a].get(b)
    total = costs if held is None else held + costs
    neighbours[a][b], neighbours[b][a] = total, total.T


class _State:
    """A part of the problem that is being eliminated node by node."""

    def __init__(self, costs: dict[int, Costs], neighbours: dict[int, dict[int, Costs]]) -> None:
        self.costs = costs
        self.neighbours = neighbours
        self.queue = [(len(near), node) for node, near in neighbours.items()]
        heapq.heapify(self.queue)
        self.eliminated: list[tuple[int, Costs, dict[int, Costs]]] = []
        """(node, its costs, its neighbours at the time), in order: decided backwards once the others are."""

    def solve(self, leaves: int) -> tuple[int, dict[int, int]]:
        """(least cost, the alternative of every node)."""
        fixed = 0
        while (node := self._next()) is not None:
            if len(self.neighbours[node]) > 2:
                core = self._core_node()
                if leaves >= len(self.costs[core]) > 1:
                    cost, chosen = self._branch(core, leaves // len(self.costs[core]))
                    return fixed + cost, self._decide(chosen)
                fixed += self._fix(core)
            else:
                fixed += self._eliminate(node)
        return fixed, self._decide({})

    def _next(self) -> int | None:
        """A node of fewest neighbours."""
        while self.queue:
            degree, node = self.queue[0]
            if node in self.neighbours and len(self.neighbours[node]) == degree:
                return node
            heapq.heappop(self.queue)
        return None

    def _core_node(self) -> int:
        return min(self.neighbours, key=lambda n: (-len(self.neighbours[n]), n))

    def _eliminate(self, node: int) -> int:
        """Moves the costs of a node with at most two neighbours to these; what is left over is a constant."""
        costs, near = self._take(node)
        self.eliminated.append((node, costs, near))
        if not near:
            return int(costs.min())
        if len(near) == 1:
            ((other, pair),) = near.items()
            self.costs[other] = self.costs[other] + (costs[:, None] + pair).min(axis=0)
        else:
            (a, to_a), (b, to_b) = near.items()
            _join(self.neighbours, a, b, (costs[:, None, None] + to_a[:, :, None] + to_b[:, None, :]).min(axis=0))
        self._requeue(near)
        return 0

    def _take(self, node: int) -> tuple[Costs, dict[int, Costs]]:
        near = self.neighbours.pop(node)
        for other in near:
            del self.neighbours[other][node]
        return self.costs.pop(node), near

    def _requeue(self, nodes: Iterable[int]) -> None:
        for node in nodes:
            heapq.heappush(self.queue, (len(self.neighbours[node]), node))

    def _fix(self, node: int) -> int:
        """Decides a node by what its alternatives cost together with the best of each neighbour; its own cost."""
        costs, near = self.costs[node], self.neighbours[node]
        total = costs + sum((pair + self.costs[other]).min(axis=1) for other, pair in near.items())
        alternative = int(total.argmin())
        self._decide_as(node, alternative)
        return int(costs[alternative])

    def _decide_as(self, node: int, alternative: int) -> None:
        """Leaves the node one alternative; its neighbours lose it."""
        costs, near = self._take(node)
        only = np.full_like(costs, _NEVER)
        only[alternative] = costs[alternative]
        self.eliminated.append((node, only, {}))
        for other, pair in near.items():
            self.costs[other] = self.costs[other] + pair[alternative]
        self._requeue(near)

    def _branch(self, node: int, leaves: int) -> tuple[int, dict[int, int]]:
        best: tuple[int, dict[int, int]] | None = None
        for alternative in range(len(self.costs[node])):
            state = _State(dict(self.costs), {n: dict(near) for n, near in self.neighbours.items()})
            state._decide_as(node, alternative)
            rest, chosen = state.solve(leaves)
            cost = rest + int(self.costs[node][alternative])
            if best is None or cost < best[0]:
                best = cost, chosen
        assert best is not None
        return best

    def _decide(self, chosen: dict[int, int]) -> dict[int, int]:
        for node, costs, near in reversed(self.eliminated):
            total = costs + sum(pair[:, chosen[other]] for other, pair in near.items())
            chosen[node] = int(total.argmin())
        return chosen
