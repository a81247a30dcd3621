"""Movement within subgroups as one thread's straight-line program of selects and shuffles.

Where f carries bits over, a source register bit may be said by a bit of the reader's lane, and a source lane bit by a
register bit of the reader. All such pairs are swapped at once: every lane selects what it sends in round k (its
register bits are its own lane bits ^ k), one shuffle a round brings it, and the reader selects where it belongs (its
register bits are its lane bits ^ k). Round 0 stays in the lane where the pairs are of one lane bit. The method is that
of Triton's layout conversions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, product

from ...support.dataclasses import dataclass, field
from ...support.named_tuples import NamedTuple
from ..nested import NestedLayout
from ..plan import Cost, LaneProgram, Pack, Part, Select, Send, Step
from .digits import Digit, Fixed, Matched, free_bits

_WORD_BITS = 32


class _Pair(NamedTuple):
    """A source register bit said by the reader's thread bit `reader`, swapped with what lane bit `sender` says.

    `place` is the stride of the reader's register bit that says the sender's lane bit, 0 where none does: there
    replicas differ in that bit, and the one is read that has the same as the reader. All numbers are strides.
    """

    register: int
    reader: int
    sender: int
    place: int


@dataclass
class _Roles:
    """What is to be done about every digit of the source's place; all numbers are strides."""

    kept: list[tuple[Digit, Digit]] = field(default_factory=list[tuple[Digit, Digit]])
    """Register digits of both sides."""
    asked: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """(source register, the reader's thread): every lane wants another register of its source."""
    spread: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """(source lane, the reader's register): every register comes from another lane."""
    moved: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """(source lane, the reader's lane), not the same."""
    fixed_lane: int = 0
    fixed_lanes: int = 0
    """The bits of the source lane that f fixes, and their mask."""
    fixed_register: int = 0
    repeated: list[Digit] = field(default_factory=list[Digit])
    """Register digits of the target that f does not look at."""


def roles_of(matched: Matched, subgroup_size: int) -> _Roles | None:
    """None where elements cross subgroups, or where digits of the thread are no bits of its number."""
    if not all(map(_is_bit, (*chain.from_iterable(matched.pairs), *(digit for digit, _ in matched.fixed)))):
        return None
    roles = _Roles(repeated=[digit for digit in matched.repeated if not digit.thread])
    for source, target in matched.pairs:
        if not source.thread:
            if target.thread:
                roles.asked.append((source.stride, target.stride))
            else:
                roles.kept.append((source, target))
        elif target.thread and source.stride == target.stride:
            continue
        elif source.stride >= subgroup_size or (target.thread and target.stride >= subgroup_size):
            return None
        else:
            (roles.moved if target.thread else roles.spread).append((source.stride, target.stride))
    return roles if all(_fix(roles, part, subgroup_size) for part in matched.fixed) else None


def _fix(roles: _Roles, part: Fixed, subgroup_size: int) -> bool:
    digit, value = part
    if not digit.thread:
        roles.fixed_register += value * digit.stride
        return True
    roles.fixed_lane |= value * digit.stride
    roles.fixed_lanes |= digit.stride
    return digit.stride < subgroup_size


def _is_bit(digit: Digit) -> bool:
    """A bit of the thread id, which is one of the lane's number or of the subgroup's; or of registers."""
    return not digit.thread or (digit.size == 2 and digit.stride & (digit.stride - 1) == 0)


def plan_lanes(
    source: NestedLayout,
    target: NestedLayout,
    matched: Matched,
    threads: int,
    subgroup_size: int,
    element_bits: int,
) -> LaneProgram | None:
    """The cheapest program, None where shuffles do not serve. The workgroup and its subgroups are powers of two."""
    roles = roles_of(matched, subgroup_size)
    if roles is None:
        return None
    free = [bit for bit in free_bits(source, threads, subgroup_size) if bit < subgroup_size]
    partners = _partners(roles, free, subgroup_size)
    words = _packed_bits(roles.kept, element_bits)
    programs = [
        _Writer((source.registers, target.registers), roles, partners, packed, subgroup_size, element_bits).program()
        for packed in dict.fromkeys([words, ()])
    ]
    return min(programs, key=lambda program: program.cost.cycles)


def _packed_bits(kept: Sequence[tuple[Digit, Digit]], element_bits: int) -> tuple[tuple[Digit, Digit], ...]:
    """The bits along which elements are packed into whole words, nearest neighbours in the source first."""
    bits = sorted((pair for pair in kept if pair[0].size == 2), key=lambda pair: (pair[0].stride, pair[1].stride))
    wanted = (_WORD_BITS // min(element_bits, _WORD_BITS)).bit_length() - 1
    return tuple(bits[:wanted]) if len(bits) >= wanted else ()


def _sums(strides: Iterable[tuple[int, int]]) -> list[int]:
    """All sums of digits (size, stride), the first digit the fastest."""
    totals = [0]
    for size, stride in strides:
        totals = [total + value * stride for value in range(size) for total in totals]
    return totals


@dataclass
class _Partners:
    """With what every register bit that the reader's thread asks for is swapped."""

    pairs: list[_Pair] = field(default_factory=list[_Pair])
    own: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """(source register, bit of the thread id) that whole subgroups share: the sender selects by its own."""
    left: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """Without a partner: all candidates are sent, and the reader selects."""
    spread: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])


def _partners(roles: _Roles, free: list[int], subgroup_size: int) -> _Partners:
    """The same lane bit first: then a round stays in the lane."""
    found, lanes, free = _Partners(spread=list(roles.spread)), {lane for lane, _ in roles.spread}, list(free)
    for register, reader in sorted(roles.asked, key=lambda a: (a[1] not in lanes, a[1] not in free, a)):
        if reader >= subgroup_size:
            found.own.append((register, reader))
        elif found.spread:
            sender, place = next((s for s in found.spread if s[0] == reader), found.spread[0])
            found.spread.remove((sender, place))
            found.pairs.append(_Pair(register, reader, sender, place))
        elif free:
            sender = reader if reader in free else free[0]
            free.remove(sender)
            found.pairs.append(_Pair(register, reader, sender, 0))
        else:
            found.left.append((register, reader))
    return found


class _Writer:
    """Writes one program: values are numbered, and made once."""

    def __init__(
        self,
        registers: tuple[int, int],
        roles: _Roles,
        partners: _Partners,
        packed: tuple[tuple[Digit, Digit], ...],
        subgroup_size: int,
        element_bits: int,
    ) -> None:
        self.source_registers, self.target_registers = registers
        self.roles, self.partners, self.packed = roles, partners, packed
        self.lanes, self.element_bits = subgroup_size, element_bits
        self.steps: list[Step] = []
        self.numbers: dict[Step, int] = {}

    def program(self) -> LaneProgram:
        words = self._placed(self._sent(self._prepared()))
        results = [0] * self.target_registers
        offsets = _sums((2, target.stride) for _, target in self.packed)
        repeats = _sums((digit.size, digit.stride) for digit in self.roles.repeated)
        for register, word in words.items():
            for position, offset in enumerate(offsets):
                value = self._step(Part(word, position)) if self.packed else word
                for repeat in repeats:
                    results[register + offset + repeat] = value
        return self._finished(results)

    def _prepared(self) -> dict[int, int]:
        """What every lane sends, by source register: its swapped bits are the sender's own lane bits ^ the round."""
        offsets = _sums((2, source.stride) for source, _ in self.packed)
        taken = [(2, s) for s, _ in self.roles.asked]
        kept = [(source.size, source.stride) for source, _ in self.roles.kept if (source, _) not in self.packed]
        values = {
            base: self._step(Pack(tuple(base + offset for offset in offsets)))
            for base in (self.roles.fixed_register + total for total in _sums([*taken, *kept]))
        }
        for register, bit in [*self.partners.own, *((p.register, p.sender) for p in self.partners.pairs)]:
            values = self._selected(values, register, bit)
        return values

    def _sent(self, values: dict[int, int]) -> dict[int, int]:
        """What every reader gets, by target register: its swapped bits are its lane bits ^ the round."""
        kept = [pair for pair in self.roles.kept if pair not in self.packed]
        sources = _sums((source.size, source.stride) for source, _ in kept)
        targets = _sums((target.size, target.stride) for _, target in kept)
        found: dict[int, int] = {}
        placed = [p for p in self.partners.pairs if p.place]
        for ones in product((0, 1), repeat=len(placed)):
            rounds = dict(zip(placed, ones, strict=True))
            register = self.roles.fixed_register + sum(p.register for p, one in rounds.items() if one)
            place = sum(p.place for p, one in rounds.items() if one)
            for choice in product((0, 1), repeat=len(self.partners.spread)):
                lanes = self._lanes(rounds, choice)
                extra = sum(r for one, (_, r) in zip(choice, self.partners.spread, strict=True) if one)
                for source, target in zip(sources, targets, strict=True):
                    found[place + extra + target] = self._asked(values, register + source, lanes)
        return found

    def _asked(self, values: dict[int, int], register: int, lanes: tuple[int, ...]) -> int:
        """One value of another lane; of bits without a partner all candidates."""
        lefts = _sums((2, source) for source, _ in self.partners.left)
        candidates = [self._send(values[register + left], lanes) for left in lefts]
        for _, reader in self.partners.left:
            candidates = [self._select(reader, b, a) for a, b in zip(candidates[::2], candidates[1::2], strict=True)]
        return candidates[0]

    def _placed(self, values: dict[int, int]) -> dict[int, int]:
        for pair in reversed(self.partners.pairs):
            if pair.place:
                values = self._selected(values, pair.place, pair.reader)
        return values

    def _selected(self, values: dict[int, int], stride: int, bit: int) -> dict[int, int]:
        """Register bit `stride` of every value ^ bit `bit` of the thread id."""

        def other(register: int) -> int:
            return register - stride if register // stride % 2 else register + stride

        return {register: self._select(bit, values[other(register)], value) for register, value in values.items()}

    def _lanes(self, rounds: Mapping[_Pair, int], choice: tuple[int, ...]) -> tuple[int, ...]:
        """The lane that every lane reads."""
        moved = [*((s, r, 0) for s, r in self.roles.moved)]
        moved += [(p.sender, p.reader, rounds.get(p, 0)) for p in self.partners.pairs]
        fixed = [(s, one) for one, (s, _) in zip(choice, self.partners.spread, strict=True)]
        mask = self.roles.fixed_lanes | sum(s for s, *_ in moved) | sum(s for s, _ in fixed)
        constant = self.roles.fixed_lane + sum(s for s, one in fixed if one)
        return tuple(
            lane & ~mask | constant | sum(s for s, r, flip in moved if (lane // r & 1) ^ flip)
            for lane in range(self.lanes)
        )

    # -- steps --------------------------------------------------------------------------------------------------

    def _step(self, step: Step) -> int:
        if step not in self.numbers:
            self.numbers[step] = len(self.steps)
            self.steps.append(step)
        return self.numbers[step]

    def _send(self, value: int, lanes: tuple[int, ...]) -> int:
        return value if lanes == tuple(range(self.lanes)) else self._step(Send(value, lanes))

    def _select(self, bit: int, yes: int, no: int) -> int:
        """A branch that selects by the same bit again is known."""
        inner = self.steps[yes]
        if isinstance(inner, Select) and inner.bit == bit:
            yes = inner.yes
        inner = self.steps[no]
        if isinstance(inner, Select) and inner.bit == bit:
            no = inner.no
        return yes if yes == no else self._step(Select(bit, yes, no))

    def _finished(self, results: list[int]) -> LaneProgram:
        """Without the steps that nothing uses."""
        used = set(results)
        for number in range(len(self.steps) - 1, -1, -1):
            if number in used:
                used.update(self.steps[number].uses)
        names = {number: place for place, number in enumerate(sorted(used))}
        steps = tuple(self.steps[number].renamed(names) for number in sorted(used))
        return LaneProgram(steps, tuple(names[r] for r in results), cost=self._cost(steps))

    def _unpacked(self, steps: Sequence[Step]) -> int:
        """One instruction less than parts of each value."""
        parts = [step.value for step in steps if isinstance(step, Part)]
        return len(parts) - len(set(parts))

    def _cost(self, steps: tuple[Step, ...]) -> Cost:
        words = max(1, self.element_bits // _WORD_BITS)
        shuffles = sum(isinstance(step, Send) for step in steps) * words
        return Cost(
            shuffles=shuffles,
            selects=sum(isinstance(step, Select) for step in steps) * words,
            packs=sum(len(step.registers) - 1 for step in steps if isinstance(step, Pack)) + self._unpacked(steps),
            bytes=2 * shuffles * _WORD_BITS // 8,
        )
