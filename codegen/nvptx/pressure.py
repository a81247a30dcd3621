"""How many registers a PTX text keeps alive at once: about what `ptxas` needs, seen without it.

A virtual register is alive from where it is written to where it is last read, around loops, too. One that holds a
constant or a parameter counts nothing, since the assembler has it again when it is read. Loads and casts are taken to
stand as late as they may, for the assembler moves them; everything else stands where the text has it. The number is an
estimate: exact to a few registers where data moves, several times too large in unrolled multiply-adds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ...support.dataclasses import dataclass, field
from ...support.named_tuples import NamedTuple
from ...support.patterns import regex

_WORDS: Mapping[str, float] = {"rs": 0.5, "h": 0.5, "r": 1, "f": 1, "rd": 2, "fd": 2, "rq": 4}
"""Registers of 32 bits behind a virtual one, by its prefix; predicates have registers of their own."""
_REGISTER = regex(r"%(rs|rd|rq|fd|h|r|f)(\d+)\b")
_LABEL = regex(r"^(\$\w+):", re.MULTILINE)
_STATEMENT = regex(r"\s*(?P<guard>@!?%p\d+\s+)?(?P<name>[a-z][\w.:]*)\s*(?P<operands>[^;]*)")
_AGAIN = regex(r"mov\.\w+\s+%\w+,\s*(0[fd][0-9A-F]+|-?\d+)\s*\Z|ld\.param")
_WRITES_NONE = regex(r"(st|red|bar|barrier|bra|ret|exit|trap|membar|fence|cp|stmatrix)\b")
_ANY_TIME, _IN_PLACE = regex(r"ld\.global\.nc|cvt\.|mov\."), regex(r"ld\.(global|shared)|ldmatrix")
_ORDERS = regex(r"(st|red|atom|bar|barrier|membar|fence|cp|stmatrix)\b")


def register_pressure(ptx: str) -> int:
    """Registers of 32 bits that one thread keeps alive at the fullest place of a kernel."""
    text = _Text(ptx)
    text.propagate()
    return round(max(text.peak(block) for block in text.blocks))


class _Statement(NamedTuple):
    """`registers` are read or written, `results` written, as numbers; `written` and `read` are masks of them. `late`:
    it may be moved down; `orders`: not beyond this one, unless it is `free`."""

    written: int
    read: int
    registers: tuple[int, ...]
    results: tuple[int, ...]
    late: bool = False
    free: bool = False
    orders: bool = False


@dataclass
class _Block:
    """Statements, and the blocks that may come next, by number."""

    statements: list[_Statement] = field(default_factory=list[_Statement])
    next: list[int] = field(default_factory=list[int])
    alive_after: int = 0

    def alive(self) -> Iterator[int]:
        """What is alive at each place, from the end to the beginning."""
        alive = self.alive_after
        yield alive
        for statement in reversed(self.statements):
            alive = alive & ~statement.written | statement.read
            yield alive

    def sink_loads(self) -> None:
        """Loads move down to the first statement that has to see them done."""
        placed: list[_Statement] = []
        waiting: dict[int, _Statement] = {}  # by each register that they write
        for statement in self.statements:
            due = [waiting[r] for r in statement.registers if r in waiting]
            if statement.orders:
                due += [w for w in waiting.values() if not w.free]
            for load in dict.fromkeys(due):
                placed.append(load)
                for register in load.results:
                    del waiting[register]
            if statement.late:
                waiting.update(dict.fromkeys(statement.results, statement))
            else:
                placed.append(statement)
        self.statements = [*placed, *dict.fromkeys(waiting.values())]


class _Text:
    def __init__(self, ptx: str) -> None:
        self._bits: dict[str, int] = {}
        self._again = self._else = 0
        body = re.sub(r"//[^\n]*", "", ptx[ptx.index("\n{") :])
        parts = _LABEL.split(body)
        labels = {label: number for number, label in enumerate(parts[1::2], 1)}
        self.blocks = [self._block(number, part, labels) for number, part in enumerate(parts[::2])]
        counted = ~self._again | self._else
        self._wide = {words: self._mask_of(words) & counted for words in set(_WORDS.values())}

    def _block(self, number: int, text: str, labels: Mapping[str, int]) -> _Block:
        block, goes_on = _Block(), True
        for text_of_one in text.split(";"):
            match = _STATEMENT.match(text_of_one)
            if match is None:
                continue
            block.statements.append(self._statement(match))
            if match["name"].startswith("bra"):
                block.next.append(labels[match["operands"].split()[-1]])
            if match["name"].startswith(("bra", "ret", "exit")) and match["guard"] is None:
                goes_on = False
        if goes_on and number < len(labels):
            block.next.append(number + 1)
        block.sink_loads()
        return block

    def _statement(self, match: re.Match[str]) -> _Statement:
        """What only may be written keeps what it was, so it is read as well."""
        name, operands = match["name"], match["operands"]
        end = operands.find("}") if operands.startswith("{") else operands.find(",")
        results = () if _WRITES_NONE.match(name) else self._numbers(operands[: end + 1])
        registers = self._numbers(operands)
        written = _mask(results)
        read = _mask(registers if match["guard"] or not results else self._numbers(operands[end + 1 :]))
        if _AGAIN.match(f"{name} {operands}"):
            self._again |= written
        else:
            self._else |= written
        free = _ANY_TIME.match(name) is not None
        late = bool(results) and (free or _IN_PLACE.match(name) is not None)
        return _Statement(written, read, registers, results, late, free, _ORDERS.match(name) is not None)

    def _numbers(self, text: str) -> tuple[int, ...]:
        return tuple(self._bits.setdefault(name[0], len(self._bits)) for name in _REGISTER.finditer(text))

    def _mask_of(self, words: float) -> int:
        names = (n for n in self._bits if _WORDS[n.strip("%0123456789")] == words)
        return sum(1 << self._bits[n] for n in names)

    def propagate(self) -> None:
        """Until nothing changes; blocks from the last to the first, since what is alive flows backward."""
        before: dict[int, int] = {}
        changed = True
        while changed:
            changed = False
            for number in reversed(range(len(self.blocks))):
                block = self.blocks[number]
                for following in block.next:
                    block.alive_after |= before.get(following, 0)
                *_, alive = block.alive()
                changed |= before.get(number) != alive
                before[number] = alive

    def peak(self, block: _Block) -> float:
        return max(sum(n * (alive & mask).bit_count() for n, mask in self._wide.items()) for alive in block.alive())


def _mask(registers: tuple[int, ...]) -> int:
    found = 0
    for register in registers:
        found |= 1 << register
    return found
