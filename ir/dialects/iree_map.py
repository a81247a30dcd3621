"""iree_map: layouts as shapes and strides, one mode a dimension.

`PackLayoutAttr` is plain data; which nested layout it is, is found in `layout/pack_layout.py`.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, ClassVar

from ...support.dataclasses import dataclass
from ...support.named_tuples import NamedTuple
from ..attributes import DIALECT_ATTRIBUTES
from .iree_vector_ext import VectorLayoutAttr

if TYPE_CHECKING:
    from ..attribute_parser import AttributeParser


class Leaf(NamedTuple):
    """`size` neighbouring indices of a dimension: those of threads (id // stride) % size, or registers (stride 0)."""

    size: int
    stride: int


@dataclass(frozen=True, slots=True)
class PackLayoutAttr(VectorLayoutAttr):
    """`<((4, 32), 8) : ((0, 1), 32)>`: of each dimension its leaves, the slowest first.

    As upstream keeps it: modes are flat, leaves of one index are left out, and neighbours that count on are joined.
    """

    modes: tuple[tuple[Leaf, ...], ...]

    mnemonic: ClassVar[str] = "iree_map.pack_layout"
    alias: ClassVar[str] = "pack_layout"
    parts_are: ClassVar[str] = "the sizes of a mode's leaves"

    @classmethod
    def parse(cls, parser: AttributeParser) -> PackLayoutAttr:
        """`<modes : strides>`, trees of the same form."""
        parser.expect("<")
        start = parser.token.start
        sizes = _modes(parser, 1, "sizes are positive")
        parser.expect(":")
        strides = _modes(parser, 0, "strides are not negative")
        parser.expect(">")
        if list(map(_form, sizes)) != list(map(_form, strides)):
            raise parser.error("sizes and strides of a layout are trees of the same form", start)
        return cls(tuple(_joined(_leaves(s), _leaves(t)) for s, t in zip(sizes, strides, strict=True)))

    def __str__(self) -> str:
        sizes, strides = (", ".join(_mode([leaf[i] for leaf in mode]) for mode in self.modes) for i in (0, 1))
        return f"#{self.mnemonic}<({sizes}) : ({strides})>"

    @property
    def rank(self) -> int:
        return len(self.modes)

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(prod(leaf.size for leaf in mode) for mode in self.modes)

    def parts(self, dim: int) -> tuple[int, ...]:
        return tuple(leaf.size for leaf in self.modes[dim])

    def flaw(self) -> str | None:
        return None


class _Node(NamedTuple):
    """A number, or a list of nodes."""

    number: int
    inner: tuple[_Node, ...] | None


def _modes(parser: AttributeParser, least: int, words: str) -> tuple[_Node, ...]:
    """`(2, (4, 8))`; a number alone is the only mode."""
    tree = _node(parser, least, words)
    return (tree,) if tree.inner is None else tree.inner


def _node(parser: AttributeParser, least: int, words: str) -> _Node:
    start = parser.token.start
    if not parser.accept("("):
        number = parser.integer()
        if number < least:
            raise parser.error(f"{words}, found {number}", start)
        return _Node(number, None)
    with parser.nested:
        inner = parser.comma_separated(")", lambda: _node(parser, least, words))
    if not inner:
        raise parser.error("a mode has at least one number", start)
    return _Node(0, tuple(inner))


def _form(node: _Node) -> object:
    """A tree without its numbers."""
    return None if node.inner is None else tuple(map(_form, node.inner))


def _leaves(node: _Node) -> list[int]:
    return [node.number] if node.inner is None else [n for inner in node.inner for n in _leaves(inner)]


def _joined(sizes: list[int], strides: list[int]) -> tuple[Leaf, ...]:
    found: list[Leaf] = []
    for size, stride in zip(sizes, strides, strict=True):
        if size == 1:
            continue
        if found and found[-1].stride == stride * size:
            found[-1] = Leaf(found[-1].size * size, stride)
        else:
            found.append(Leaf(size, stride))
    return tuple(found) or (Leaf(1, 0),)


def _mode(numbers: list[int]) -> str:
    return str(numbers[0]) if len(numbers) == 1 else f"({', '.join(map(str, numbers))})"


DIALECT_ATTRIBUTES[PackLayoutAttr.mnemonic] = PackLayoutAttr.parse
