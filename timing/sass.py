"""SASS to what the model knows of it, as `nvdisasm` prints it with encodings (128 bits: sm_70 and later).

The upper 64 bits of an instruction have what the assembler says of time, at the places that Volta's and later chips
are known to have them (Jia et al., arXiv 1804.06826): stall 41 to 44, yield 45, the scoreboard that its result sets 46
to 48, the one that its operands set 49 to 51, those that it waits for 52 to 57. Yield is not used here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from ..support.dataclasses import dataclass, replace
from ..support.named_tuples import NamedTuple
from ..support.patterns import regex
from .machine import Machine
from .rings import Address, RingsOf, rings_of
from .timed import Loop, Meeting, Timed, Work, hot_span

_LINE = regex(r"^\s*/\*[0-9a-f]{4,}\*/\s+(.*?)\s*;\s*/\* 0x([0-9a-f]{16}) \*/")
_HIGH = regex(r"/\* 0x([0-9a-f]{16}) \*/")
_LABEL = regex(r"^\s*(\.L_x_\d+):")
_JUMP = regex(r"^(?:@!?U?P\w+\s+)?BRA\b.*`\((\.L_x_\d+)\)")
_GUARD = regex(r"^@!?U?P\w+\s+")
_MARK = regex(r'^\s*//## File "[^"]*", line (\d+)')
_PRODUCT = regex(r"^(?:[HIQDB]|OM)?MMA\b|^[HIQ]GMMA\b")
_LANES = 32
_NONE = 7
_SCOREBOARDS = 6


class Control(NamedTuple):
    """What the assembler says of time; `sets` and `frees` are None where nothing is set."""

    stall: int
    sets: int | None
    frees: int | None
    awaits: tuple[int, ...]


def control(high: int) -> Control:
    """What the upper 64 bits of an instruction say."""
    write, read, mask = high >> 46 & 7, high >> 49 & 7, high >> 52 & 63
    awaits = tuple(n for n in range(_SCOREBOARDS) if mask >> n & 1)
    return Control(high >> 41 & 15, None if write == _NONE else write, None if read == _NONE else read, awaits)


@dataclass(frozen=True)
class Instruction:
    """One instruction: its text without the guard, and the line, from 1, of the text and of the PTX that it is of (0
    where nothing says that)."""

    line: int
    origin: int
    text: str
    guard: str
    control: Control

    @property
    def name(self) -> str:
        return self.text.split(maxsplit=1)[0]

    @property
    def kind(self) -> str:
        return self.name.partition(".")[0]

    @property
    def never(self) -> bool:
        """Whether its guard is never true."""
        return self.guard.startswith("@!PT")


@dataclass(frozen=True)
class SassText:
    """The instructions of one kernel, and where its jumps go: from which instruction to which."""

    instructions: Sequence[Instruction]
    jumps: Sequence[tuple[int, int]]

    def loop(self, machine: Machine, executed: Mapping[int, int] | None = None) -> Loop | None:
        """The hot loop, as the model knows it; None where there is none. `executed` is by line of PTX."""
        products = [_PRODUCT.match(i.text) is not None and not i.never for i in self.instructions]
        ran = None if executed is None else [executed.get(i.origin, 0) for i in self.instructions]
        span = hot_span(products, [jump for jump in self.jumps if not self._polls(*jump)], ran)
        if span is None:
            return None
        found = rings_of([_address(i) for i in self.instructions], *span)
        body = [_timed(i, n, machine, found) for n, i in enumerate(self.instructions[slice(*span)], span[0])]
        return Loop(_released_late(body), found.rings)

    def _polls(self, at: int, to: int) -> bool:
        """Whether a loop only looks again and again whether something has come."""
        return any(i.kind == "NANOSLEEP" for i in self.instructions[to:at])


def parse(text: str) -> SassText:
    """Reads text with encodings. An instruction without one is our mistake."""
    labels: dict[str, int] = {}
    named: list[tuple[int, str]] = []
    found: list[Instruction] = []
    lines, origin = text.splitlines(), 0
    for number, line in enumerate(lines, 1):
        if label := _LABEL.match(line):
            labels[label[1]] = len(found)
        elif mark := _MARK.match(line):
            origin = int(mark[1])
        elif match := _LINE.match(line):
            high = _HIGH.search(lines[number])
            assert high, "encodings have two halves"
            if jump := _JUMP.match(match[1]):
                named.append((len(found), jump[1]))
            guard = _GUARD.match(match[1])
            words = match[1][guard.end() :] if guard else match[1]
            found.append(Instruction(number, origin, words, guard[0] if guard else "", control(int(high[1], 16))))
    return SassText(found, [(at, labels[label]) for at, label in named if label in labels])


# ---- what instructions do -------------------------------------------------------------------------------------------


def _timed(i: Instruction, number: int, machine: Machine, rings: RingsOf) -> Timed:
    has = i.control
    plain = Timed(
        i.line,
        i.guard + i.text,
        i.origin,
        Work(latency=_ELSE),
        stall=max(has.stall, 1),
        boards=has.awaits,
        sets=() if has.sets is None else (has.sets,),
        frees=() if has.frees is None else (has.frees,),
        awaits=rings.awaits.get(number),
        asks=rings.asks.get(number),
        releases=rings.releases.get(number),
    )
    if i.never:
        return plain
    rule = next((rule for pattern, rule in _RULES if pattern.match(i.text)), _integer)
    return rule(i, machine, plain)


_ELSE = 8
"""Cycles to the result of what sets a scoreboard and has no rule."""
Rule: TypeAlias = Callable[[Instruction, Machine, Timed], Timed]
_SHAPE = regex(r"\.(\d+)x(\d+)x(\d+)|\.(16)(8)(\d+)\b|\.(8)(8)(\d+)\b")
_OPERANDS: Mapping[str, str] = {"I": "i8", "Q": "f8E4M3FN", "D": "f64"}


def _element_type(name: str) -> str:
    """The type of the factors."""
    return "tf32" if ".TF32" in name else _OPERANDS.get(name[0], "f16")


def _shape(name: str) -> tuple[int, int, int]:
    """m, n and k; the smallest of mma.sync where the name does not say it."""
    found = _SHAPE.search(name)
    m, n, k = (int(part) for part in found.groups() if part) if found else (8, 8, 4)
    return m, n, k


def _mma(i: Instruction, machine: Machine, timed: Timed) -> Timed:
    m, n, k = _shape(i.name)
    busy = machine.product_cycles(_element_type(i.name), 2 * m * n * k, alone=True)
    return replace(timed, work=Work("matrix", busy, float(machine.figures.matrix_latency)))


_WARPS_OF_GROUP = 4
_BITS: Mapping[str, int] = {"tf32": 32, "f16": 16, "i8": 8, "f8E4M3FN": 8}


def _gmma(i: Instruction, machine: Machine, timed: Timed) -> Timed:
    """The share of one of the four warps. Factors in shared memory are read there, beside other accesses."""
    m, n, k = _shape(i.name)
    element = _element_type(i.name)
    busy = machine.product_cycles(element, 2 * m * n * k / _WARPS_OF_GROUP)
    rows = n if re.search(r"\bR\d+, R\d+, gdesc", i.text) else m + n
    read = rows * k * _BITS[element] / 8 / machine.figures.shared_bytes / _WARPS_OF_GROUP
    work = Work("matrix", busy, float(machine.figures.matrix_latency), queued=True, beside=read)
    return replace(timed, work=work, asynchronous="product", closes="gsb0" in i.text)


_ACCESS = regex(r"\.(128|64|U8|S8|U16|S16)\b")
_BYTES: Mapping[str, int] = {"128": 16, "64": 8, "U8": 1, "S8": 1, "U16": 2, "S16": 2}


def _lane_bytes(i: Instruction) -> int:
    if i.kind in ("LDSM", "STSM"):
        return 4 * (4 if i.name.endswith(".4") else 2 if i.name.endswith(".2") else 1)
    found = _ACCESS.search(i.name)
    return _BYTES[found[1]] if found else 4


def _shared(i: Instruction, machine: Machine, timed: Timed) -> Timed:
    busy = max(_lane_bytes(i) * _LANES / machine.figures.shared_bytes, 1.0)
    return replace(timed, work=Work("shared", busy, float(machine.figures.shared_latency), queued=True))


_SHUFFLE_CYCLES = 2
"""A shuffle of 32 bits: 32 lanes a clock and multiprocessor, by the same table of the CUDA guide as other rates."""


def _shuffle(i: Instruction, machine: Machine, timed: Timed) -> Timed:
    work = Work("shared", _SHUFFLE_CYCLES, float(machine.figures.shuffle_latency), queued=True)
    return replace(timed, work=work)


def _global(i: Instruction, machine: Machine, timed: Timed) -> Timed:
    busy, transfer = machine.access_cycles(_LANES * _lane_bytes(i))
    return replace(timed, work=Work("memory", busy, machine.load_latency, queued=True, transfer=transfer))


def _copy(i: Instruction, machine: Machine, timed: Timed) -> Timed:
    """An asynchronous one, of each lane."""
    there = _global(i, machine, timed)
    beside = _LANES * _lane_bytes(i) / machine.figures.shared_bytes
    return replace(there, work=replace(there.work, beside=beside), asynchronous="copy")


def _join(i: Instruction, machine: Machine, timed: Timed) -> Timed:
    return replace(timed, joins=i.control.sets, sets=())


def _groups_left(i: Instruction, machine: Machine, timed: Timed) -> Timed:
    found = re.search(r"SB(\d), 0x([0-9a-f]+)", i.text)
    assert found, f"{i.text} names no scoreboard"
    return replace(timed, groups_left=(int(found[1]), int(found[2], 16)))


def _products_left(i: Instruction, machine: Machine, timed: Timed) -> Timed:
    return replace(timed, products_left=int(re.findall(r"0x([0-9a-f]+)", i.text)[-1], 16))


def _transcendental(i: Instruction, machine: Machine, timed: Timed) -> Timed:
    has = machine.figures
    work = Work("transcendental", float(has.transcendental_busy), float(has.transcendental_latency), queued=True)
    return replace(timed, work=work)


_BARRIER = regex(r"^BAR\.(\w+)\S*\s+(\w+)(?:, (0x[0-9a-f]+))?")


def _barrier(i: Instruction, machine: Machine, timed: Timed) -> Timed:
    """`BAR.SYNC name, threads` and `BAR.ARV`; without threads all of the workgroup meet."""
    found = _BARRIER.match(i.text)
    if found is None or found[1] not in ("SYNC", "ARV", "RED"):
        return timed
    subgroups = int(found[3], 16) // _LANES if found[3] else None
    return replace(timed, meeting=Meeting(found[2], subgroups, waits=found[1] != "ARV"))


def _cluster(i: Instruction, machine: Machine, timed: Timed) -> Timed:
    waits = i.kind.endswith("WAIT")
    return replace(timed, meeting=Meeting("cluster", None, waits=waits, arrives=not waits, spans="cluster"))


def _vector(i: Instruction, machine: Machine, timed: Timed) -> Timed:
    has = machine.figures
    busy = has.half_busy if i.kind[0] == "H" else has.integer_busy if i.kind == "IMAD" else has.vector_busy
    return replace(timed, work=Work("vector", float(busy), timed.work.latency))


def _integer(i: Instruction, machine: Machine, timed: Timed) -> Timed:
    return replace(timed, work=Work("integer", float(machine.figures.integer_busy), timed.work.latency))


def _plain(i: Instruction, machine: Machine, timed: Timed) -> Timed:
    return timed


_TILE_LATENCY = 20
"""Cycles of a look at an mbarrier. A guess."""


def _phase(i: Instruction, machine: Machine, timed: Timed) -> Timed:
    return replace(timed, work=Work(latency=_TILE_LATENCY))


_RULES: Sequence[tuple[re.Pattern[str], Rule]] = tuple(
    (regex(pattern), rule)
    for pattern, rule in (
        (r"[HIQ]GMMA\b", _gmma),
        (r"(?:[HIQDB]|OM)MMA\b", _mma),
        (r"WARPGROUP\.DEPBAR\b", _products_left),
        (r"LDGDEPBAR\b", _join),
        (r"DEPBAR\.LE\b", _groups_left),
        (r"(?:LDSM|LDS|STS|STSM|MOVM|ATOMS|REDS)\b", _shared),
        (r"SHFL\b", _shuffle),
        (r"LDGSTS\b", _copy),
        (r"(?:LD|ST|LDG|STG|LDL|STL|RED|REDG|ATOM|ATOMG)\b", _global),
        (r"(?:MUFU|F2F|F2I|I2F|FRND)\b", _transcendental),
        (r"BAR\.", _barrier),
        (r"UCGABAR_", _cluster),
        (r"SYNCS\.PHASECHK\b", _phase),
        (r"(?:U[A-Z]\w*|BRA|NOP|EXIT|WARPSYNC|WARPGROUP|SYNCS|ELECT|R2UR|S2R|CS2R|BSSY|BSYNC|FENCE|LDC)\b", _plain),
        (r"(?:FFMA2?|FMUL2?|FADD2?|IMAD|HFMA2|HADD2|HMUL2)\b", _vector),
    )
)
"""The first whose pattern begins the text is the rule of an instruction; for others `_integer` is."""


def _released_late(body: Sequence[Timed]) -> list[Timed]:
    """Products that are left under way behind a wait still read their tiles, which are released later so much."""
    groups = sum(i.closes for i in body) or 1
    late, found = 0, list[Timed]()
    for i in body:
        late = late if i.products_left is None else -(-i.products_left // groups)
        found.append(replace(i, late=late) if i.releases is not None else i)
    return found


# ---- rings ----------------------------------------------------------------------------------------------------------

_WORD = regex(r"^SYNCS\.(EXCH|PHASECHK|ARRIVE)(\S*)\s.*\[([^\]]*)\](?:, (\w+))?")
_OFFSET = regex(r"\+(-?0x[0-9a-f]+)$")
_CONSTANT = regex(r"^(?:U?MOV(?:\.\S+)? (U?R\d+)|IMAD\.MOV\S* (R\d+), RZ, RZ), (0x[0-9a-f]+)$")


def _address(i: Instruction) -> Address:
    """What it does with mbarriers and boxes, and the constants that it puts into registers."""
    if constant := _CONSTANT.match(i.text):
        return Address("constant", int(constant[3], 16), constant[1] or constant[2])
    if i.kind == "UTMALDG":
        return Address("box")
    word = _WORD.match(i.text)
    if word is None:
        return Address("")
    found = _OFFSET.search(word[3])
    offset = int(found[1], 16) if found else 0
    if word[1] == "EXCH":
        return Address("slot", offset)
    if word[1] == "PHASECHK":
        return Address("wait", offset)
    if ".A1T0" in word[2] or word[4] is None:
        return Address("release", offset)
    return Address("ask", offset, word[4])
