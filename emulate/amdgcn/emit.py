"""Writes the numpy source of one basic block: registers become Python variables, one per type they are seen as.

Three things are put off until somebody needs them: splitting 64-bit results into two registers, packing lane masks
into words, and merging a result with what inactive lanes keep. Most temporaries never need any of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from ...support.dataclasses import dataclass, field
from ..faults import EmulationFault
from ..machine.writer import Writer, fault_at, size_of
from .chip import Chip
from .syntax import (
    SCC,
    VCC,
    Difference,
    Exec,
    Immediate,
    Instruction,
    Operand,
    Register,
    Special,
    Symbol,
    address_of,
    is_vector,
)
from .waits import Event

Handler = Callable[["Emitter", Instruction], None]

APERTURES = {
    "src_shared_base": 0x10000 << 32,
    "src_private_base": 0x20000 << 32,
    "src_shared_limit": (0x10000 << 32) | 0xFFFFFFFF,
    "src_private_limit": (0x20000 << 32) | 0xFFFFFFFF,
}
"""Generic addresses of the other address spaces, above all global memory."""


@dataclass
class Value:
    """A register or pair: names by type ("u4", "f4", "u8", "mask", ...).

    `mask` names the execution mask it was written under and `before` is what other lanes hold; None when all lanes
    were written. `make` writes the first name.
    """

    views: dict[str, str] = field(default_factory=dict[str, str])
    make: Callable[[], tuple[str, str]] | None = None
    mask: str | None = None
    before: Value | tuple[Value, Value] | None = None
    merged: Value | None = None


class Emitter(Writer):
    """Source of one block. `get` and `put` read and write operands; `line` adds a statement."""

    def __init__(self, chip: Chip, environment: dict[str, Any], labels: Mapping[str, int]) -> None:
        super().__init__(environment)
        self.chip = chip
        self._labels = labels
        self.reads: set[int] = set()
        self.writes: set[int] = set()
        self.exec = "E"
        self.events: list[Event] = []
        """Memory operations of the current instruction, for the check of waits."""
        self.instruction: Instruction | None = None
        self.enabled: str | None = None
        """A further mask for register writes of the current instruction (data-parallel primitives)."""
        self.remembered: dict[object, str] = {}
        """Expressions of handlers that need not be computed twice."""
        self.counters: dict[int, int] = {}
        """Registers that the program counter was last put into, and by which instruction."""
        self._held: list[Callable[[], None]] | None = None
        self._inside: dict[str, str] = {}
        self._words: dict[int, Value] = {}
        self._pairs: dict[int, Value] = {}

    def fault(self, detail: str, kind: str = "unsupported") -> EmulationFault:
        return fault_at(self.instruction, detail, kind)

    def register(self, operand: Operand, expected: str = "a register is expected") -> Register:
        """The operand, which has to be registers."""
        if not isinstance(operand, Register):
            raise self.fault(expected, "syntax")
        return operand

    # ---- reading registers ----

    def _word_value(self, number: int) -> Value:
        value = self._words.get(number)
        if value is None:
            self.fetched.add(number)
            value = self._words[number] = Value(make=lambda: (self._own_code(number), f"R[{number}]"))
        return value

    def _own_code(self, number: int) -> str:
        return "mask" if number == SCC else "u4"

    def _valid(self, value: Value, whole: bool) -> Value:
        """A value good for the current lanes, or for all lanes."""
        if value.mask is None or (not whole and self._covers(value.mask)):
            return value
        if value.merged is None:
            value.merged = self._merge(value)
        return value.merged

    def _covers(self, mask: str) -> bool:
        """Whether the current execution mask is known to lie inside `mask`."""
        current: str | None = self.exec
        while current is not None:
            if current == mask:
                return True
            current = self._inside.get(current)
        return False

    def _merge(self, value: Value) -> Value:
        code = self._first(value)
        new = value.views[code]
        if isinstance(value.before, tuple):
            low, high = (self._view(self._valid(v, True), "u4") for v in value.before)
            return Value({code: self.fresh(f"merge_pair({value.mask}, {new}, {low}, {high})")})
        assert value.before is not None
        old = self._view(self._valid(value.before, True), code)
        return Value({code: self.fresh(f"merge({value.mask}, {new}, {old})")})

    def _first(self, value: Value) -> str:
        if not value.views:
            assert value.make is not None
            code, expression = value.make()
            value.views[code] = self.fresh(expression)
        return next(iter(value.views))

    def _view(self, value: Value, code: str) -> str:
        first = self._first(value)
        if code not in value.views:
            value.views[code] = self._convert(value, first, code)
        return value.views[code]

    def _convert(self, value: Value, first: str, code: str) -> str:
        if code == "mask":
            return self.fresh(f"unpack({self._view(value, self.mask_code)})")
        if code.endswith(("l", "h")):
            return self._half(value, code)
        if first == "mask":
            return self.fresh(f"pack({value.views[first]})" + ("" if code == self.mask_code else f".view({code})"))
        return self.fresh(f"{value.views[first]}.view({code})")

    def _half(self, value: Value, code: str) -> str:
        """u2l, i2h, f2l ...: one half of a word."""
        base, half = code[:2], code[2]
        if base != "u2":
            return self.fresh(f"{self._view(value, 'u2' + half)}.view({base})")
        word = self._view(value, "u4")
        return self.fresh(f"{word}.astype(u2)" if half == "l" else f"({word} >> SIXTEEN).astype(u2)")

    @property
    def mask_code(self) -> str:
        """The type of a lane mask as a number."""
        return f"u{self.chip.wavefront // 8}"

    def word(self, number: int, code: str = "u4", *, whole: bool = False) -> str:
        """A name for one register; `whole` when inactive lanes matter."""
        self.reads.add(number)
        return self._view(self._valid(self._word_value(number), whole), code)

    def pair(self, number: int, code: str = "u8", *, whole: bool = False) -> str:
        """A name for 64 bits in two registers."""
        self.reads.update((number, number + 1))
        value = self._pairs.get(number)
        if value is None:
            low, high = (self._valid(self._word_value(n), whole) for n in (number, number + 1))
            names = self._view(low, "u4"), self._view(high, "u4")
            value = Value({"u8": self.fresh(f"combine({names[0]}, {names[1]})")})
            if low is self._words[number] and high is self._words[number + 1]:
                self._pairs[number] = value
        return self._view(self._valid(value, whole), code)

    def mask(self, operand: Operand) -> str:
        """A name for a lane mask held in an operand."""
        if isinstance(operand, Exec) and (operand.half < 0 or self.chip.wavefront == 32):
            return self.exec
        if isinstance(operand, Register) and not operand.is_vector:
            if self.chip.wavefront == 64:
                return self.pair(operand.number, "mask")
            return self.word(operand.number, "mask")
        return self.fresh(f"unpack({self.get(operand, self.mask_code)})")

    def is_mask(self, operand: Operand) -> bool:
        """Whether an operand is at hand as a mask already."""
        if isinstance(operand, Exec):
            return operand.half < 0 or self.chip.wavefront == 32
        if not isinstance(operand, Register) or operand.is_vector or operand.count != self.chip.mask_words:
            return False
        value = (self._pairs if self.chip.wavefront == 64 else self._words).get(operand.number)
        return value is not None and "mask" in value.views

    @property
    def vcc(self) -> Register:
        return Register(VCC, self.chip.mask_words)

    def scc(self) -> str:
        """A name for the scalar condition, as a boolean per wave."""
        return self.word(SCC, "mask")

    # ---- reading operands ----

    def get(self, operand: Operand, code: str, *, whole: bool = False) -> str:
        """A name for the operand's value as numpy type `code`; 16-bit types may say which half ("f2h")."""
        match operand:
            case Register():
                return self._get_register(operand, code, whole)
            case Immediate():
                return self._get_immediate(operand, code)
            case Exec(half):
                return self._get_exec(half, code)
            case Special(name):
                if name == "null":
                    return self.number(0, code[:2])
                if name in APERTURES:
                    wide = size_of(code[:2]) == 8
                    return self.number(APERTURES[name] if wide else APERTURES[name] >> 32, code[:2])
                raise self.fault(f"operand {name}")
            case Difference():
                return self._get_difference(operand, code)
            case Symbol():
                raise self.fault(f"symbol {operand.name} where a value is expected")

    def _get_difference(self, operand: Difference, code: str) -> str:
        for label in (operand.end, operand.start):
            if label not in self._labels:
                raise self.fault(f"label {label} is not in the kernel", "syntax")
        distance = address_of(self._labels[operand.end]) - address_of(self._labels[operand.start])
        return self.number(distance >> 32 if operand.part == "high" else distance, code[:2])

    def _get_register(self, operand: Register, code: str, whole: bool) -> str:
        size = size_of(code[:2])
        if operand.number == SCC:
            plain = self._condition_as_number(code)
        elif size == 8:
            plain = self.pair(operand.number, code, whole=whole)
        elif size == 4:
            plain = self.word(operand.number, code, whole=whole)
        else:
            half = operand.half or code[2:] or "l"
            plain = self.word(operand.number, code[:2] + half, whole=whole)
        if operand.absolute:
            plain = self._absolute(plain, code)
        return self._negated(plain, code) if operand.negative else plain

    def _condition_as_number(self, code: str) -> str:
        if size_of(code[:2]) != 4:
            raise self.fault("scc as an operand that has not 32 bits")
        return self.fresh(f"{self.scc()}.astype(u4).view({code})")

    def _absolute(self, name: str, code: str) -> str:
        if code[0] == "f":
            return f"absolute({name})"
        return f"({name} & {self.number((1 << (8 * size_of(code[:2]) - 1)) - 1, code[:2])})"

    def _negated(self, name: str, code: str) -> str:
        if code[0] == "f":
            return f"(-{name})"
        return f"({name} ^ {self.number(1 << (8 * size_of(code[:2]) - 1), code[:2])})"

    def _get_immediate(self, operand: Immediate, code: str) -> str:
        bits = immediate_bits(operand, code[:2])
        if code[2:] == "h":
            bits = 0
        return self.number(bits, code[:2])

    def _get_exec(self, half: int, code: str) -> str:
        whole = half < 0 or self.chip.wavefront == 32
        if size_of(code[:2]) != (self.chip.wavefront // 8 if whole else 4):
            raise self.fault("exec as an operand of another width", "syntax")
        packed = self.fresh(f"pack({self.exec})")
        if whole:
            return self.fresh(f"{packed}.view({code})") if half < 1 else self.number(0, code)
        return self.fresh(f"{'low_word' if half == 0 else 'high_word'}({packed}).view({code})")

    # ---- writing ----

    def put(self, operand: Operand, expression: str, code: str, *, everywhere: bool = False) -> None:
        """Assign an expression of numpy type `code` to a register, under the execution mask if it has lanes."""
        if isinstance(operand, Special) and operand.name in ("null", "off"):
            return
        if isinstance(operand, Exec):
            self._put_exec_number(operand, expression)
            return
        if not isinstance(operand, Register):
            raise self.fault(f"{operand} cannot be a destination")
        if size_of(code) == 8:
            self.put_pair(operand.number, expression, code, everywhere=everywhere)
        elif size_of(code) == 4:
            self.put_word(operand.number, expression, code, everywhere=everywhere)
        else:
            self.put_half(operand.number, operand.half or "l", expression, code)

    def put_word(self, number: int, expression: str, code: str = "u4", *, everywhere: bool = False) -> None:
        if self._held is not None:
            name = self._enabled(expression, code, number)
            self._held.append(lambda: self.put_word(number, name, code))
            return
        self._note_write(number)
        before = self._before(number)
        value = Value({code: self._enabled(expression, code, number)})
        self._mark(value, number, before, everywhere)
        self._words[number] = value
        self._drop_pairs(number)

    def hold(self) -> None:
        """Compute, but do not write registers until `release`: for instructions that read all before they write."""
        self._held = []

    def release(self) -> None:
        held, self._held, self.enabled = self._held or [], None, None
        for write in held:
            write()

    def _enabled(self, expression: str, code: str, number: int) -> str:
        if self.enabled is None or not is_vector(number):
            return self.fresh(expression)
        old = self._view(self._valid(self._word_value(number), False), code)
        return self.fresh(f"merge({self.enabled}, {expression}, {old})")

    def _note_write(self, number: int) -> None:
        self.written.add(number)
        self.writes.add(number)

    def _before(self, number: int) -> Value:
        """What lanes outside the current mask hold once this register is written again under it."""
        value = self._word_value(number)
        while value.mask == self.exec and isinstance(value.before, Value):
            value = value.before
        return value

    def _mark(self, value: Value, number: int, before: Value | tuple[Value, Value], everywhere: bool) -> None:
        if is_vector(number) and not everywhere:
            value.mask, value.before = self.exec, before

    def _drop_pairs(self, *numbers: int) -> None:
        for number in numbers:
            self._pairs.pop(number, None)
            self._pairs.pop(number - 1, None)

    def put_pair(self, number: int, expression: str, code: str = "u8", *, everywhere: bool = False) -> None:
        name = self.fresh(expression)
        if self._held is not None:
            self._held.append(lambda: self.put_pair(number, name, code, everywhere=everywhere))
            return
        self._bind_pair(number, Value({code: name}), everywhere)

    def _bind_pair(self, number: int, pair: Value, everywhere: bool) -> None:
        numbers = (number, number + 1)
        for n in numbers:
            self._note_write(n)
        before = (self._before(number), self._before(number + 1))
        self._mark(pair, number, before, everywhere)
        self._drop_pairs(*numbers)
        self._pairs[number] = pair
        for part, (n, old) in enumerate(zip(numbers, before, strict=True)):
            word = Value(make=self._splitter(pair, part))
            self._mark(word, n, old, everywhere)
            self._words[n] = word

    def _splitter(self, pair: Value, part: int) -> Callable[[], tuple[str, str]]:
        return lambda: ("u4", f"{('low_word', 'high_word')[part]}({self._view(pair, 'u8')})")

    def put_half(self, number: int, half: str, expression: str, code: str, *, keep: bool | None = None) -> None:
        """16 bits; the other half is kept or cleared as the chip does, unless `keep` says."""
        name = self.fresh(expression)
        bits = f"{name if code == 'u2' else f'{name}.view(u2)'}.astype(u4)"
        if keep is None:
            keep = self.chip.keeps_high_half or half == "h"
        if half == "h":
            bits = f"({bits} << SIXTEEN)"
        if keep:
            old = self._view(self._valid(self._word_value(number), False), "u4")
            bits = f"({old} & {'LOW_HALF' if half == 'h' else 'HIGH_HALF'}) | {bits}"
        self.put_word(number, bits)

    def put_mask(self, operand: Operand, expression: str) -> None:
        """Assign lane booleans to a scalar register (pair) or the execution mask."""
        if isinstance(operand, Special) and operand.name == "null":
            return
        if isinstance(operand, Exec):
            self.set_exec(expression)
            return
        if not isinstance(operand, Register) or operand.is_vector:
            raise self.fault(f"{operand} cannot hold a lane mask")
        self._bind_mask(operand.number, Value({"mask": self.fresh(expression)}))

    def put_mask_later(self, operand: Operand, expression: str) -> None:
        """A lane mask that is computed only if somebody reads it."""
        if isinstance(operand, Register) and not operand.is_vector:
            self._bind_mask(operand.number, Value(make=lambda: ("mask", expression)))
        else:
            self.put_mask(operand, expression)

    def _bind_mask(self, number: int, value: Value) -> None:
        if self.chip.wavefront == 64:
            self._bind_pair(number, value, True)
            return
        self._note_write(number)
        self._words[number] = value
        self._drop_pairs(number)

    def put_scc(self, expression: str) -> None:
        """The scalar condition, a boolean per wave."""
        self._note_write(SCC)
        self._words[SCC] = Value({"mask": self.fresh(expression)})

    def set_exec(self, mask: str, *, inside: bool = False) -> None:
        """A new execution mask; `inside` when it is known to be a part of the current one."""
        name = self.fresh(f"narrow({mask})")
        if inside:
            self._inside[name] = self.exec
        self.exec = name

    def _put_exec_number(self, operand: Exec, expression: str) -> None:
        if operand.half >= 0 and self.chip.wavefront == 64:
            old = self.fresh(f"pack({self.exec})")
            low, high = f"low_word({old})", f"high_word({old})"
            words = (expression, high) if operand.half == 0 else (low, expression)
            expression = f"combine({words[0]}, {words[1]})"
        self.set_exec(f"unpack({expression})")

    # ---- the end of the block ----

    def final(self, number: int) -> str:
        """The variable that holds a written register in all lanes at the end of the block."""
        return self._view(self._valid(self._word_value(number), True), self._own_code(number))

    def emit(self, instruction: Instruction, site: int, handler: Handler) -> None:
        """Add one instruction."""
        self.instruction, self.site = instruction, site
        self.reads, self.writes, self.events = set(), set(), []
        self.enabled = None
        handler(self, instruction)


def immediate_bits(operand: Immediate, code: str) -> int:
    """The bits that a literal stands for in an operand of type `code`."""
    size = size_of(code)
    value = operand.value
    if isinstance(value, float):
        with np.errstate(over="ignore"):
            bits = int(np.dtype(f"f{size}").type(value).view(np.dtype(f"u{size}")))
    elif code == "f8" and 0xFFFFFFFF >= value > 64:
        bits = value << 32
    else:
        bits = value & ((1 << 8 * size) - 1)
    if operand.absolute:
        bits &= (1 << (8 * size - 1)) - 1
    return bits ^ (1 << (8 * size - 1)) if operand.negative else bits


def registers(operand: Operand) -> Iterator[int]:
    """The numbers of the registers an operand names."""
    if isinstance(operand, Register):
        yield from range(operand.number, operand.number + operand.count)
