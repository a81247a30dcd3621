"""What stands in machine text, counted without executing it: instructions, those in loops, and kinds of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Literal, TypeAlias

from ..ir.reachable import reachable
from ..support.dataclasses import dataclass
from ..support.named_tuples import NamedTuple
from ..support.patterns import regex

Language: TypeAlias = Literal["ptx", "amdgcn", "sass"]


class _Syntax(NamedTuple):
    """How lines are read, without their comments; every pattern has what it finds as its first group."""

    body: re.Pattern[str]
    """Matches, in the whole text, where instructions stand."""
    label: re.Pattern[str]
    instruction: re.Pattern[str]
    """The mnemonic, without guard and encoding."""
    target: re.Pattern[str]
    """The label to which a branch goes."""
    leaves: re.Pattern[str]
    """Without it what stands behind is next: a branch or an end that no thread passes."""


_WHOLE = regex(r"(.*)", re.DOTALL)
_SYNTAX: Mapping[Language, _Syntax] = {
    "ptx": _Syntax(
        _WHOLE,
        regex(r"^(\$\w+):"),
        regex(r"^\s+(?:\{\s*)?(?:@!?%\w+\s+)?([a-z][a-z0-9_]*(?:\.[\w:]+)*)(?=[\s;]|$)"),
        regex(r"\bbra(?:\.uni)?\s+(\$\w+)"),
        regex(r"^\s+(?:bra|ret|exit)\b"),
    ),
    "amdgcn": _Syntax(
        regex(r"\A(.*?)(?=^\t\.section|\Z)", re.DOTALL | re.MULTILINE),
        regex(r"^(\.\w+):"),
        regex(r"^\t([a-z]\w*)"),
        regex(r"\ts_c?branch\w*\s+(\.\w+)"),
        regex(r"^\ts_(?:branch|endpgm)\b"),
    ),
    "sass": _Syntax(
        _WHOLE,
        regex(r"^(\.L_x_\d+):"),
        regex(r"^\s+/\*[0-9a-f]+\*/\s+(?:@!?U?P\w+\s+)?([A-Z][\w.]*)"),
        regex(r"\bBRA\b.*?`\((\.L_x_\d+)\)"),
        regex(r"^\s+/\*[0-9a-f]+\*/\s+(?:BRA(?!\.DIV)\b(?!.*\bU?P\d)|EXIT\b)"),
    ),
}

KINDS: Mapping[str, Mapping[Language, str]] = {
    "mma": {"ptx": r"mma\.|wgmma\.mma", "amdgcn": r"v_(mfma|smfmac|wmma|swmmac)_", "sass": r"\w*MMA\."},
    "wgmma": {"ptx": r"wgmma\.mma", "amdgcn": r"(?!)", "sass": r"[HIQ]GMMA\."},
    "fma": {"ptx": r"fma\.", "amdgcn": r"v_(pk_|dual_)?(fma|fmac|fmaak|fmamk|mad|mac)_(f|mix|legacy)"},
    "selects": {"ptx": r"selp\.", "amdgcn": r"v_(dual_)?cndmask_|s_cselect_"},
    "casts": {"ptx": r"cvt\.\S*\.(b?f|tf|e\dm\d)", "amdgcn": r"v_(pk_)?cvt_"},
    "shuffles": {
        "ptx": r"shfl\.|movmatrix\.|redux\.",
        "amdgcn": r"\w+_dpp8?\b|ds_swizzle_|ds_b?permute_|v_permlane|v_readlane_",
    },
    "barriers": {"ptx": r"bar(rier)?\.", "amdgcn": r"s_barrier(_signal)?\b(?!_)"},
    "loads": {"ptx": r"ld\.(volatile\.)?global", "amdgcn": r"(buffer|global|flat)_load_(?!lds_)"},
    "copies": {
        "ptx": r"cp\.async\.(ca|cg|bulk\.tensor)",
        "amdgcn": r"(buffer|global)_load_(async_to_)?lds_|tensor_load_to_lds",
    },
    "stores": {"ptx": r"st\.(volatile\.)?global", "amdgcn": r"(buffer|global|flat)_store_"},
    "shared loads": {"ptx": r"ld\.(volatile\.)?shared|ldmatrix\.", "amdgcn": r"ds_(read|load)"},
    "shared stores": {"ptx": r"st\.(volatile\.)?shared|stmatrix\.", "amdgcn": r"ds_(write|store)"},
    "matrix loads": {"ptx": r"ldmatrix\.", "amdgcn": r"(ds_(read|load)|global_load)_\w*tr\d*_"},
}
"""Kinds of instructions by how their mnemonics begin. Of two instructions in one word (`v_dual_a :: v_dual_b`) both
count. Casts are those from or to floats, copies those from global to shared memory that nobody waits for yet. On AMD a
shuffle is an instruction that reads another lane, whatever else it does."""


_TO_LDS = regex(r"^buffer_load_")
"""As a mnemonic of its own, where the last of its modifiers says so."""


@dataclass(frozen=True)
class Instruction:
    """`mnemonics`: two where one word has two operations."""

    mnemonics: tuple[str, ...]
    in_loop: bool


class ProductLoop(NamedTuple):
    """What is counted of a loop: instructions, and how many of them multiply matrices."""

    instructions: int
    products: int


class MachineText:
    """The instructions of one kernel's text, in the order in which they stand."""

    def __init__(self, text: str, language: Language) -> None:
        self.language: Language = language
        self._text = text

    @cached_property
    def instructions(self) -> tuple[Instruction, ...]:
        found, _, branches, ends = self._read
        inside = _repeated(len(found), branches, ends)
        return tuple(Instruction(mnemonics, i in inside) for i, mnemonics in enumerate(found))

    @cached_property
    def _read(self) -> tuple[Sequence[tuple[str, ...]], Sequence[str], Mapping[int, int], frozenset[int]]:
        """The mnemonics and the line of every instruction, where branches go, and after which what follows is not
        next."""
        syntax, labels = _SYNTAX[self.language], dict[str, int]()
        found, lines = list[tuple[str, ...]](), list[str]()
        named: dict[int, str] = {}
        ends: set[int] = set()
        for line in _lines(self._text, syntax):
            if label := syntax.label.match(line):
                labels[label[1]] = len(found)
            elif instruction := syntax.instruction.match(line):
                if target := syntax.target.search(line):
                    named[len(found)] = target[1]
                if syntax.leaves.match(line):
                    ends.add(len(found))
                mnemonic = _TO_LDS.sub("buffer_load_lds_", instruction[1]) if line.endswith(" lds") else instruction[1]
                found.append((mnemonic, *re.findall(r"::\s*([a-z]\w*)", line)))
                lines.append(line.strip())
        return found, lines, {at: labels[name] for at, name in named.items() if name in labels}, frozenset(ends)

    @property
    def size(self) -> int:
        """Instructions."""
        return len(self.instructions)

    @property
    def in_loops(self) -> int:
        """Instructions that may be executed again."""
        return sum(i.in_loop for i in self.instructions)

    @property
    def _spans(self) -> Sequence[slice]:
        """From a backward branch's goal to the branch, for each such branch."""
        return [slice(first, last + 1) for last, first in self._read[2].items() if first <= last]

    @property
    def loops(self) -> Sequence[Sequence[tuple[str, ...]]]:
        """The mnemonics of each instruction of each loop."""
        return [self._read[0][span] for span in self._spans]

    @property
    def _product_span(self) -> tuple[ProductLoop, slice]:
        """The loop with the fewest instructions for a matrix instruction, and where it stands."""
        found, begins = self._read[0], regex(KINDS["mma"][self.language])
        counted = (
            (ProductLoop(len(found[span]), sum(begins.match(m) is not None for ms in found[span] for m in ms)), span)
            for span in self._spans
        )
        multiply = [(loop, span) for loop, span in counted if loop.products]
        nothing = ProductLoop(0, 0), slice(0)
        return min(multiply, key=lambda one: (one[0].instructions / one[0].products, one[0]), default=nothing)

    @property
    def product_loop(self) -> ProductLoop:
        """The loop with the fewest instructions for a matrix instruction; without any where none multiplies."""
        return self._product_span[0]

    @property
    def product_loop_lines(self) -> Sequence[str]:
        """Its instructions as they are written."""
        return self._read[1][self._product_span[1]]

    @property
    def in_product_loop(self) -> int:
        """Instructions of that loop."""
        return self.product_loop.instructions

    def count(self, kind: str) -> int:
        """Instructions of a kind of `KINDS`. KeyError where the language has no such kind."""
        begins = regex(KINDS[kind][self.language])
        return sum(begins.match(m) is not None for i in self.instructions for m in i.mnemonics)


def _repeated(size: int, branches: Mapping[int, int], ends: frozenset[int]) -> set[int]:
    """The instructions from which some way leads back to them, of those that are reached."""
    starts = sorted({0, size, *branches.values(), *(at + 1 for at in (*branches, *ends))})
    block_at = {first: number for number, first in enumerate(starts)}
    following = [
        [
            block_at[at]
            for at in (*([] if last in ends else [last + 1]), *([branches[last]] if last in branches else []))
        ]
        for last in (end - 1 for end in starts[1:])
    ]
    following.append([])  # behind the end
    reached = reachable([0], following.__getitem__)
    backward = [(a, b) for a in reached for b in following[a] if b <= a]
    if not backward:
        return set()
    low, high = min(b for _, b in backward), max(a for a, _ in backward)
    again = [b for b in range(low, high + 1) if b in reached and b in reachable(following[b], following.__getitem__)]
    return {i for block in again for i in range(starts[block], starts[block + 1])}


def _lines(text: str, syntax: _Syntax) -> Iterator[str]:
    body = syntax.body.search(text)
    return (line.partition("//")[0].partition(" ; ")[0] for line in (body[1] if body else "").splitlines())
