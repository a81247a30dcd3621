"""In long blocks what only computes stands where it is first used, not where its vector's other elements are computed.

LLVM 22 for AMD, and ptxas, order many thousand instructions badly that come vector by vector: they keep hundreds of
elements (or lane masks) alive and spill them, LLVM for minutes or without end (decision 0106).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from ...support.patterns import regex

LONG = 2000
"""Instructions of a block from which on it is put in order; shorter ones LLVM and ptxas order as well themselves."""
_MATRIX = regex(r"@llvm\.[\w.]*(?:mfma|mma)|\b(?:wg)?mma\.", re.ASCII)
"""What blocks are left as they are for: conversions for matrix units overlap with these where they come early."""
_MOVED = regex(
    r"  (%[\w.]+) = (?:extractelement|insertelement|shufflevector|bitcast|trunc|sext|zext|fptrunc|fpext|[su]itofp"
    r"|fpto[su]i|shl|lshr|ashr|and|or|xor|[if]cmp|select|f?mul|sub|freeze)\b",
    re.ASCII,
)
"""Sums stay where they are, in the order in which they are added up; what they are made of comes to them."""
_NAME = regex(r"%[\w.]+", re.ASCII)
_BORDER = regex(r"  (?:br|ret|switch|unreachable|fence|call void)\b", re.ASCII)
"""Ends of blocks, barriers and waits: behind them nothing comes that is computed before them, which may take fewer
registers than what it is computed from."""


def ordered(lines: Sequence[str]) -> list[str]:
    """The function's lines, those of long blocks in another order."""
    result: list[str] = []
    for block in _blocks(lines):
        result += _at_use(block) if _is_longer(block, LONG) else block
    return result


def has_longer(lines: Sequence[str], length: int) -> bool:
    """Whether some block without matrix instructions has more lines."""
    return len(lines) > length and any(_is_longer(block, length) for block in _blocks(lines))


def _blocks(lines: Sequence[str]) -> Iterator[Sequence[str]]:
    """Each from its label on; the first may have none."""
    starts = [at for at, line in enumerate(lines) if line.endswith(":")]
    for begin, end in pairwise([0, *(at for at in starts if at), len(lines)]):
        yield lines[begin:end]


def _is_longer(block: Sequence[str], length: int) -> bool:
    return len(block) > length and not any(_MATRIX.search(line) for line in block)


def _at_use(block: Sequence[str]) -> Iterator[str]:
    waiting: dict[str, str] = {}
    for line in block:
        found = _MOVED.match(line)
        if found is not None:
            waiting[found[1]] = line
            continue
        if _BORDER.match(line):
            for name in list(waiting):
                yield from _with_operands(name, waiting)
        for name in _NAME.findall(line):
            yield from _with_operands(name, waiting)
        yield line


def _with_operands(name: str, waiting: dict[str, str]) -> Iterator[str]:
    """What waits, behind all that it needs."""
    names = [name]
    while names:
        if names[-1] not in waiting:
            names.pop()
            continue
        own, *operands = _NAME.findall(waiting[names[-1]])
        missing = [operand for operand in operands if operand in waiting]
        if missing:
            names += reversed(missing)
        else:
            yield waiting.pop(own)
            names.pop()
