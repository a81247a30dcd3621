"""Long blocks of many comparisons are cut into pieces: LLVM orders the instructions of one piece at a time, and ends.

LLVM 22's usual order of many thousand instructions keeps thousands of lane masks alive, and the allocation of registers
does not end in useful time; its other schedulers break their own live intervals, and the process dies (decision 0046).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

LONG = 5000
"""Instructions of a block from which on it is cut: 11,600 did not end in 95 s, 5,700 took 25 s whole and 0.5 s cut."""
PIECE = 250
"""Instructions of a piece."""
MASKS = 400
"""Comparisons from which on it is, where there are sums of what they choose, but not four products for each: sums of
products take 1 s whole (12,900 lines), and spill when they are cut; numbers that are converted and stored do, too."""


def cut(lines: Sequence[str]) -> list[str]:
    """The function's lines, its long blocks cut; what comes from one of them comes from its last piece."""
    starts = [at for at, line in enumerate(lines) if line.endswith(":")]
    last: dict[str, str] = {}
    result: list[str] = []
    for begin, end in pairwise([*starts, len(lines)]):
        block = lines[begin:end]
        result += _pieces(block, last) if _is_cut(block) else block
    return [_renamed(line, last) if _PHI in line else line for line in result] if last else result


def _is_cut(block: Sequence[str]) -> bool:
    if len(block) <= LONG:
        return False
    masks = sum(_COMPARES.search(line) is not None for line in block)
    return masks > MASKS and 0 < sum(_SUMS.search(line) is not None for line in block) < 4 * masks


def _pieces(block: Sequence[str], last: dict[str, str]) -> Iterator[str]:
    """The label and all phis are in the first. `last` takes the name of the last by the block's.

    Behind an mfma there is no cut: LLVM 22 counts its wait states along one of two ways alone (`settling.py`).
    """
    label = block[0].removesuffix(":")
    head = next(at for at in range(1, len(block)) if _PHI not in block[at])
    end = next((at for at, line in enumerate(block) if _MATRIX.search(line)), len(block))
    yield from block[:head]
    for at, line in enumerate(block[head:]):
        number, place = divmod(at, PIECE)
        if number and not place and head + at <= end:
            last[label] = f"{label}.{number}"
            yield from _boundary(last[label])
        yield line


def _boundary(label: str) -> Iterator[str]:
    """Two ways to the next piece, of which all threads take one; none of LLVM's passes knows which, or that both do
    nothing. (`callbr` would be one way, but not where threads diverge: LLVM 22 does not structure it.)"""
    yield f'  %{label}.0 = call i32 asm "", "=s,0"(i32 0)'
    yield f"  %{label}.1 = icmp eq i32 %{label}.0, 0"
    yield f"  br i1 %{label}.1, label %{label}, label %{label}.other"
    yield f"{label}.other:"
    yield '  call void asm sideeffect "", ""()'
    yield f"  br label %{label}"
    yield f"{label}:"


_PHI = " = phi "
_MATRIX = re.compile(r"@llvm\.amdgcn\.s?mfma", re.ASCII)
_COMPARES = re.compile(r"= [if]cmp ", re.ASCII)
_SUMS = re.compile(r"@llvm\.fma\.| fadd ", re.ASCII)
_FROM = re.compile(r"%([\w.]+) \]", re.ASCII)


def _renamed(line: str, last: dict[str, str]) -> str:
    return _FROM.sub(lambda found: f"%{last.get(found[1], found[1])} ]", line)
