"""What can be reached in a graph, whatever its nodes are: blocks of a function, or stretches of machine text."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

Node = TypeVar("Node", bound=Hashable)


def reachable(starts: Iterable[Node], following: Callable[[Node], Iterable[Node]]) -> set[Node]:
    """The starts, and all that comes after them."""
    found, pending = set[Node](), list(starts)
    while pending:
        node = pending.pop()
        if node not in found:
            found.add(node)
            pending += following(node)
    return found
