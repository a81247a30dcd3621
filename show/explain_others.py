"""What lost in the choice of layouts: alternatives, each with all that changes with it, and what that would cost."""

from __future__ import annotations

from collections.abc import Mapping

from ..ir.analyses import Analyses
from ..ir.core import Operation
from ..ir.kernels import Kernel
from ..layout.contraction import MMA, Contractions
from ..layout.estimate import conversion_cycles
from ..layout.graph import Alternative, Node
from ..layout.nested import NestedLayout
from ..layout.search import Choice, Instead
from ..layout.teams import teams
from ..layout.transfer import rule_of
from ..layout.workgroup import Workgroup
from .explain_moves import Badge
from .explain_places import line_of
from .explanation_parts import Other

_MOST_SHOWN = 3
"""The cheapest of one operation."""
_WORD_BITS = 32


def others_of(kernel: Kernel, workgroup: Workgroup, badge: Badge) -> Mapping[Operation, tuple[Other, ...]]:
    """By the operation as written, those of each that has alternatives, the cheapest first.

    `kernel` is that in front of the choice of layouts.
    """
    contractions = Analyses().get(Contractions, kernel.op)
    found: dict[Operation, tuple[Other, ...]] = {}
    for team in teams(kernel.op, workgroup):
        choice = Choice(team, contractions)
        for node in choice.graph.nodes:
            if node.rule is not None and node.op.opname == node.op.written.opname:
                found[node.op.written] = _of_node(choice, node, badge)
    return found


def _of_node(choice: Choice, node: Node, badge: Badge) -> tuple[Other, ...]:
    """What cannot be carried out is none, nor one in which threads have the same elements in other registers."""
    chosen = choice.by_operation[node.op]
    found: list[tuple[Alternative, Instead]] = []
    for at, alternative in enumerate(node.alternatives):
        if not _is_renamed(chosen, alternative, choice.workgroup):
            instead = choice.instead(node, at)
            if not instead.is_impossible:
                found.append((alternative, instead))
    found.sort(key=lambda pair: (pair[1].missing > 0, pair[1].dearer, pair[1].missing))
    others = (_other(choice, node.op, alternative, instead, badge) for alternative, instead in found[:_MOST_SHOWN])
    return tuple(dict.fromkeys(others))


def _is_renamed(chosen: Alternative, other: Alternative, workgroup: Workgroup) -> bool:
    pairs = _pairs(chosen, other)
    return all(a == b or (a is not None and b is not None and not _differ(a, b, workgroup)) for a, b in pairs)


def _pairs(chosen: Alternative, other: Alternative) -> zip[tuple[NestedLayout | None, NestedLayout | None]]:
    return zip((*chosen.results, *chosen.operands), (*other.results, *other.operands), strict=True)


def _differ(a: NestedLayout, b: NestedLayout, workgroup: Workgroup) -> bool:
    """Whether some thread has another element."""
    return a != b and conversion_cycles(a, b, _WORD_BITS, workgroup) > 0


def _other(choice: Choice, op: Operation, alternative: Alternative, instead: Instead, badge: Badge) -> Other:
    lines = {line for changed, _ in instead.changed if (line := line_of(changed)) and line != line_of(op)}
    instruction, layout = _instruction(choice, op, alternative), _layout(choice, op, alternative)
    name = "" if layout is None else badge(layout, choice.workgroup)
    return Other(name, instruction, instead.dearer, max(0, instead.missing), tuple(sorted(lines)))


def _layout(choice: Choice, op: Operation, alternative: Alternative) -> NestedLayout | None:
    """The first of its layouts that another thread would be needed for, those of results before those of operands."""
    pairs = _pairs(choice.by_operation[op], alternative)
    return next((b for a, b in pairs if a is not None and b is not None and _differ(a, b, choice.workgroup)), None)


def _instruction(choice: Choice, op: Operation, alternative: Alternative) -> str:
    """The matrix instruction of an alternative, where it is not the chosen one's."""
    attributes = rule_of(op).attributes(op, alternative.operands, choice.known)
    found, own = (getattr(a.get(MMA), "name", "") for a in (attributes, _chosen(choice, op)))
    return "" if found == own else found or "no matrix instruction"


def _chosen(choice: Choice, op: Operation) -> Mapping[str, object]:
    return rule_of(op).attributes(op, choice.by_operation[op].operands, choice.known)
