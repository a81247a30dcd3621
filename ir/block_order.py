"""In which order the blocks of a region are read: a block may use what a later one of the text defines, if every way to
it goes through that one. So blocks are read as ways reach them, which the labels in the text tell."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from ..support.dataclasses import dataclass, field
from .lexer import Lexer


@dataclass
class LabelledBlock:
    """Where a block's label stands, and the labels that its operations name."""

    label: str
    start: int
    goes_to: list[str] = field(default_factory=list[str])


def blocks_in(lexer: Lexer) -> dict[int, list[LabelledBlock]]:
    """From a label on to the end of its region: the blocks of that region and of all regions inside, by where the first
    label of each stands. The lexer is left where it was."""
    start = lexer.token.start
    found, around = dict[int, list[LabelledBlock]](), list[list[LabelledBlock]]()
    blocks = list[LabelledBlock]()
    while lexer.token.kind != "end":
        token = lexer.advance()
        if token.kind == "label":
            if _is_definition(lexer):
                blocks.append(LabelledBlock(token.text, token.start))
            elif blocks:
                blocks[-1].goes_to.append(token.text)
        elif token.text == "{":
            around.append(blocks)
            blocks = []
        elif token.text == "}":
            _enter(found, blocks)
            if not around:
                break
            blocks = around.pop()
    lexer.rewind(start)
    return found


def _enter(found: dict[int, list[LabelledBlock]], blocks: list[LabelledBlock]) -> None:
    if blocks:
        found[blocks[0].start] = blocks


def _is_definition(lexer: Lexer) -> bool:
    """Behind a label: whether `:` follows, or arguments and `:`. Where something goes on to a block, neither does."""
    after = lexer.token
    depth = 0
    while after.text == "(" or depth:
        depth += _DEPTH.get(lexer.token.text, 0)
        token = lexer.advance()
        if not depth or token.kind == "end":
            break
    follows = lexer.token.text == ":"
    lexer.rewind(after.start)
    return follows


_DEPTH: Mapping[str, int] = {"(": 1, ")": -1}


def in_order_of_ways(blocks: Sequence[LabelledBlock], first: Collection[str]) -> list[LabelledBlock]:
    """Each block behind those that every way to it goes through; `first` are the labels that ways begin with. What no
    way reaches comes last."""
    named = {block.label: block for block in reversed(blocks)}
    order, seen = list[LabelledBlock](), set[str]()
    pending = [(label, False) for label in first]
    while pending:
        label, done = pending.pop()
        if done:
            order.append(named[label])
        elif label in named and label not in seen:
            seen.add(label)
            pending.append((label, True))
            pending += [(other, False) for other in named[label].goes_to]
    reached = order[::-1]
    starts = {block.start for block in reached}
    return [*reached, *(block for block in blocks if block.start not in starts)]
