"""Chooses the layout of every vector of a kernel: the cheapest alternatives of all operations together.

What an operation costs in a layout is its rule's to say; what a use costs is the conversion from the layout made to
the one wanted, times how often it takes place. The cheapest choice is found by `pbqp.py`; where it needs more registers
than a thread has, registers are given a price and it is made again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np

from ..analysis.live_ranges import LiveRanges
from ..ir.core import Operation, Value
from ..support.dataclasses import dataclass
from ..support.named_tuples import NamedTuple
from . import pressure
from .candidates import Candidates
from .contraction import Contractions
from .estimate import IMPOSSIBLE, conversion_cycles
from .graph import Alternative, Graph, Node, Use
from .nested import NestedLayout
from .pbqp import Costs, Problem, solve
from .sharing import Sharing
from .teams import Team
from .transfer import Known, Layouts, rule_of

_PRICES = (1, 4, 16)
"""Prices of one register for as long as it is alive, in turn, while a choice needs more than there are."""
_SPILL_CYCLES = 16
"""The cycles of one register too many: a store and a load."""


@dataclass(frozen=True)
class Decision:
    """What was chosen for an operation, its price, and what else there was: (alternative, how much dearer)."""

    op: Operation
    chosen: Alternative
    losers: tuple[tuple[Alternative, int], ...]


class Instead(NamedTuple):
    """Another choice for a program.

    Attributes:
        changed: The operations that have another alternative in it, and which.
        dearer: Cycles of a subgroup more, of the whole program.
        missing: Registers more of a thread that would have to be spilled.
    """

    changed: tuple[tuple[Operation, Alternative], ...]
    dearer: int
    missing: int

    @property
    def is_impossible(self) -> bool:
        """Whether something in it cannot be done, such as an exchange where there is no shared memory."""
        return self.dearer >= IMPOSSIBLE


class Choice:
    """The layouts of one program of a kernel."""

    def __init__(self, team: Team, contractions: Contractions) -> None:
        self.workgroup = team.workgroup
        operations = team.operations
        self.graph = Graph(operations)
        self.known = Known(team.workgroup, {}, contractions)
        Candidates(self.graph, self.known).run()
        self._edges = {use: self._conversions(use) for use in self.graph.uses}
        self._work = [np.array([a.work for a in n.alternatives], np.int64) * n.often for n in self.graph.nodes]
        self._sharing = Sharing(self.graph, self._edges)
        self._ranges = LiveRanges(operations)
        self._chosen, self.lacking = self._solve()
        """The second: how many registers more are alive at once than `pressure.budget` has."""
        self.known.layouts.update(self._layouts(self._chosen))
        self.by_operation = {node.op: self._alternative(node) for node in self.graph.nodes if node.rule is not None}

    def operands(self, op: Operation) -> Layouts:
        """The layout each operand must have, None where any will do."""
        found = self.by_operation.get(op)
        if found is not None:
            return found.operands
        return rule_of(op).backward(op, [self.known(r) for r in op.results], self.known)

    def operands_for(self, op: Operation, layout: NestedLayout) -> Layouts:
        """The operands' layouts for making a flexible operation's result in `layout`."""
        return rule_of(op).backward(op, [layout], self.known.only({}))

    def decisions(self) -> Iterator[Decision]:
        """In program order."""
        for node in self.graph.nodes:
            prices = self._prices_beside(node)
            at = self._chosen[node.index]
            losers = tuple((other, int(prices[i] - prices[at])) for i, other in enumerate(node.alternatives) if i != at)
            yield Decision(node.op, node.alternatives[at], losers)

    def instead(self, node: Node, alternative: int) -> Instead:
        """The cheapest choice in which a node has another alternative: what else changes with it, and the price of all
        that together. Exact where the graph is a tree and registers suffice; elsewhere there may be a cheaper one."""
        alone = [*self._chosen[: node.index], alternative, *self._chosen[node.index + 1 :]]
        tried = alone, solve(self._plain.held(node.index, alternative), most_leaves=1)
        found = min(tried, key=lambda choice: self._price(self._plain, choice))
        changed = [n for n in self.graph.nodes if n.alternatives[found[n.index]] != self._alternative(n)]
        others = tuple((n.op, n.alternatives[found[n.index]]) for n in changed)
        price, missing = self._price(self._plain, found), self._missing(found)
        return Instead(others, price - self._price(self._plain, self._chosen), missing - self.lacking)

    @cached_property
    def _plain(self) -> Problem:
        return self._problem(0, self._edges)

    # -- the problem --------------------------------------------------------------------------------------------------

    def _conversions(self, use: Use) -> Costs:
        """[alternatives of the maker, alternatives of the user]."""
        made, wanted, bits, workgroup = *self._sides(use), use.bits, self.workgroup
        rows, columns = ({layout: i for i, layout in enumerate(dict.fromkeys(side))} for side in (made, wanted))
        prices = [
            [0 if a is None or b is None else conversion_cycles(a, b, bits, workgroup) for b in columns] for a in rows
        ]
        priced = np.array(prices, np.int64) * use.often
        if len(rows) < len(made):
            priced = priced[[rows[a] for a in made]]
        return priced[:, [columns[b] for b in wanted]] if len(columns) < len(wanted) else priced

    def _problem(self, price: int, edges: Mapping[Use, Costs]) -> Problem:
        """`price`: of a register."""
        problem = Problem()
        for node in self.graph.nodes:
            held = [self._held(node, a) for a in node.alternatives] if price else 0
            problem.add_node(self._work[node.index] + price * np.array(held, np.int64))
        for use, costs in edges.items():
            problem.add_edge(use.maker, use.user, costs + price * self._held_to_convert(use) if price else costs)
        return problem

    def _held(self, node: Node, alternative: Alternative) -> int:
        pairs = zip(node.results, alternative.results, strict=True)
        held = (pressure.registers(v, a) for v, a in pairs if a is not None and not pressure.is_loaded_as_used(v))
        return node.often * sum(held)

    def _held_to_convert(self, use: Use) -> Costs:
        """Registers of what is converted to and, where it would be loaded as it is used, of what is converted."""
        made, wanted = self._sides(use)
        loaded = pressure.is_loaded_as_used(use.value)
        held = [[self._held_for(use.value, a, b, loaded) for b in wanted] for a in made]
        return np.array(held, np.int64) * use.often

    @staticmethod
    def _held_for(value: Value, made: NestedLayout | None, wanted: NestedLayout | None, loaded: bool) -> int:
        if made is None or wanted is None or made == wanted:
            return 0
        return pressure.registers(value, wanted) + (pressure.registers(value, made) if loaded else 0)

    def _sides(self, use: Use) -> tuple[Layouts, Layouts]:
        """The layouts of a use's value that its maker's alternatives make, and that its user's want."""
        made = tuple(a.results[use.made] for a in self.graph.nodes[use.maker].alternatives)
        return made, tuple(a.operands[use.slot] for a in self.graph.nodes[use.user].alternatives)

    def _solve(self) -> tuple[list[int], int]:
        """The alternative of each node, and how many registers a thread lacks for them."""
        plain = self._plain
        choices = [solve(plain)]
        if self._sharing.any:
            choices.append(solve(self._problem(0, self._sharing.divided())))
        best = min(choices, key=lambda chosen: self._price(plain, chosen))
        tried = [(best, self._missing(best))]
        for price in _PRICES:
            if not tried[-1][1]:
                break
            found = solve(self._problem(price, self._edges))
            tried.append((found, self._missing(found)))
        often = max((node.often for node in self.graph.nodes), default=1)
        return min(tried, key=lambda entry: self._price(plain, entry[0]) + entry[1] * _SPILL_CYCLES * often)

    def _missing(self, chosen: Sequence[int]) -> int:
        return max(0, self._peak(chosen) - pressure.budget(self.workgroup))

    def _price(self, plain: Problem, chosen: Sequence[int]) -> int:
        """In truth, of a choice for the problem in which every use has a conversion of its own."""
        return plain.price(chosen) - self._sharing.saved(chosen)

    def _peak(self, chosen: Sequence[int]) -> int:
        return pressure.peak(self._ranges, self._layouts(chosen), self._converted(chosen))

    def _converted(self, chosen: Sequence[int]) -> Iterator[tuple[Operation, Value, NestedLayout]]:
        for use in self.graph.uses:
            made, wanted = self._sides(use)
            source, target = made[chosen[use.maker]], wanted[chosen[use.user]]
            if source is not None and target is not None and source != target:
                yield self.graph.nodes[use.user].op, use.value, target

    # -- the answer ---------------------------------------------------------------------------------------------------

    def _alternative(self, node: Node) -> Alternative:
        return node.alternatives[self._chosen[node.index]]

    def _layouts(self, chosen: Sequence[int]) -> Mapping[Value, NestedLayout]:
        found: dict[Value, NestedLayout] = {}
        for node, at in zip(self.graph.nodes, chosen, strict=True):
            pairs = zip(node.results, node.alternatives[at].results, strict=True)
            found.update({v: layout for v, layout in pairs if layout is not None and self.graph.is_decided(v)})
        return found

    def _prices_beside(self, node: Node) -> Costs:
        """What each alternative costs, all other nodes being as they are."""
        return self._work[node.index] + np.array(self._sharing.beside(node.index, self._chosen), np.int64)
