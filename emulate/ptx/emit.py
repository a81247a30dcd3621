"""Writes the numpy source of one basic block: registers become Python variables, one per type they are seen as.

Values are arrays with one entry per thread of the batch, or numpy scalars where a value is the same for all threads
(constants, parameters, block sizes); both kinds go through the same expressions. Inactive threads compute too, to no
effect: only what outlives the block is merged under the mask, and memory operations look at active threads alone.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from typing import Any

import numpy as np

from ..faults import EmulationFault
from ..machine.writer import Writer, fault_at, size_of
from .syntax import Immediate, Instruction, Operand, Register, Sink, Special, Sum, Symbol, Variable, address_of
from .types import TYPES, PtxType

Handler = Callable[["Emitter", Instruction], None]

WIDE_SPECIALS = frozenset({"%clock64", "%globaltimer", "%gridid"})
CARRY = "%cc"


class Symbols:
    """Names a kernel may use: registers by number, variables and parameters by place."""

    def __init__(self, registers: dict[str, str], variables: dict[str, Variable], parameters: dict[str, int]) -> None:
        self.numbers = {name: number for number, name in enumerate([*registers, CARRY])}
        self.codes = [TYPES[t].unsigned for t in registers.values()] + ["bool"]
        self.names = [*registers, CARRY]
        self.variables = variables
        self.parameters = parameters
        self.shared_offsets: dict[str, int] = {}
        self.local_offsets: dict[str, int] = {}
        self.watched: frozenset[int] = frozenset()
        """Registers that asynchronous instructions have."""
        self.once: frozenset[str] = frozenset()
        """Those that stand in the text once: what is written to them is not read."""


class Emitter(Writer):
    """Source of one block. `get` and `put` read and write operands; `line` adds a statement."""

    def __init__(self, symbols: Symbols, environment: dict[str, Any]) -> None:
        super().__init__(environment)
        self.symbols = symbols
        self.guard: str | None = None
        self.instruction: Instruction | None = None
        self.remembered: dict[Any, str] = {}
        self._views: dict[int, dict[str, str]] = {}
        self._touched: tuple[set[int], set[int]] = (set(), set())
        """Registers that the instruction reads, and those that it writes."""

    def fault(self, detail: str) -> EmulationFault:
        return fault_at(self.instruction, detail)

    # ---- reading ----

    def get(self, operand: Operand, code: str) -> str:
        """A name for the operand's value as numpy type `code` ("u4", "f2", ..., or "bool" for predicates)."""
        match operand:
            case Register(name, negated):
                value = self._register(self.symbols.numbers[name], code)
                return f"(~{value})" if negated else value
            case Sum(register, offset):
                return f"({self.get(register, code)} + {self.number(offset, code)})"
            case Immediate():
                return self._immediate(operand, code)
            case Special(name):
                return self._special(name, code)
            case Symbol():
                return self._symbol(operand, code)
            case _:
                raise self.fault(f"operand {operand} where a value is expected")

    def _register(self, number: int, code: str) -> str:
        self._touched[0].add(number)
        views = self._views.get(number)
        own = self.symbols.codes[number]
        if views is None:
            views = self._views[number] = {}
            self.fetched.add(number)
            views[""] = self.fresh(f"R[{number}]")
            if own == "bool":
                views["bool"] = views[""]
        if code not in views:
            views[code] = self._convert(views, own, code)
        return views[code]

    def _convert(self, views: dict[str, str], own: str, code: str) -> str:
        base = next(iter(views.values()))  # the first is the whole register; later ones may be narrower
        if own == "bool" or code == "bool":
            raise self.fault("predicate and number mixed up")
        if size_of(code) == size_of(own):
            return self.fresh(f"{base}.view({code})")
        if size_of(code) > size_of(own):
            raise self.fault(f"register of {size_of(own)} bytes read as {size_of(code)} bytes")
        whole = views.get(own) or self.fresh(f"{base}.view({own})")
        return self.fresh(f"{whole}.astype(u{size_of(code)}).view({code})")

    def _immediate(self, operand: Immediate, code: str) -> str:
        if code == "bool":
            return self.constant(np.bool_(operand.value))
        if operand.width and operand.width != 8 * size_of(code) and code[0] == "f":
            source = np.dtype(f"u{operand.width // 8}").type(operand.value).view(np.dtype(f"f{operand.width // 8}"))
            return self.constant(source.astype(np.dtype(code)))
        return self.number(operand.value, code)

    def _special(self, name: str, code: str) -> str:
        key = ("special", name)
        if key not in self.remembered:
            self.remembered[key] = self.fresh(f"S.special({name!r})")
        own = "u8" if name in WIDE_SPECIALS else "u4"
        base = self.remembered[key]
        return base if code == own else f"{base}.astype(u{size_of(code)}).view({code})"

    def _symbol(self, operand: Symbol, code: str) -> str:
        return f"({self.symbol_address(operand)}).astype({code})"

    def symbol_address(self, symbol: Symbol) -> str:
        """The address in the symbol's own space, as an int64 expression."""
        table = self.symbols
        for places in (table.shared_offsets, table.local_offsets, table.parameters):
            if symbol.name in places:
                return self.number(places[symbol.name] + symbol.offset, "i8")
        if symbol.name in table.variables:
            return f"(S.symbols[{symbol.name!r}] + {self.number(symbol.offset, 'i8')})"
        raise self.fault(f"unknown name {symbol.name!r}")

    def place(self, operand: Operand, code: str) -> str:
        """A name's address in its own space, or the number that an operand has."""
        return f"({self.symbol_address(operand)})" if isinstance(operand, Symbol) else self.get(operand, code)

    def address(self, operand: Operand) -> str:
        """An int64 expression for `[base + offset]`."""
        operand = address_of(operand)
        base = operand.base
        if isinstance(base, Symbol):
            return self.symbol_address(Symbol(base.name, base.offset + operand.offset))
        if isinstance(base, Immediate):
            return self.number(base.value + operand.offset, "i8")
        own = self.symbols.codes[self.symbols.numbers[base.name]]
        value = self.get(base, "i8") if own == "u8" else f"{self.get(base, own)}.astype(i8)"
        if operand.offset == 0:
            return value
        return self.fresh(f"{value} + {self.number(operand.offset, 'i8')}")

    # ---- writing ----

    def put(self, operand: Operand, expression: str, code: str) -> None:
        """Assign an expression of numpy type `code`, extended to the register's width by its sign."""
        if isinstance(operand, Sink):
            return
        if not isinstance(operand, Register):
            raise self.fault(f"{operand} cannot be a destination")
        number = self.symbols.numbers[operand.name]
        own = self.symbols.codes[number]
        if (own == "bool") != (code == "bool"):
            raise self.fault("predicate and number mixed up")
        if own != "bool" and size_of(code) != size_of(own):
            expression, code = self._resized(expression, code, own), own
        if self.guard is not None:
            expression = f"where({self.guard}, {expression}, {self._register(number, code)})"
        self._views[number] = {code: self.fresh(expression)}
        self.written.add(number)
        self._touched[1].add(number)

    def _resized(self, expression: str, code: str, own: str) -> str:
        if size_of(code) > size_of(own):
            raise self.fault(f"{size_of(code)} bytes written to a register of {size_of(own)} bytes")
        if code[0] == "i":
            return f"({expression}).astype(i{size_of(own)}).view({own})"
        bits = expression if code[0] == "u" else f"({expression}).view(u{size_of(code)})"
        return f"({bits}).astype({own})"

    def final(self, number: int) -> str:
        """The variable that holds a written register at the end of the block."""
        return next(iter(self._views[number].values()))

    # ---- context ----

    def active(self) -> str:
        """The group of threads for which the current instruction has effects."""
        return "X" if self.guard is None else f"X.narrow({self.guard})"

    def type(self, name: str) -> PtxType:
        if name not in TYPES:
            raise self.fault(f"type .{name}")
        return TYPES[name]

    def only(self, modifiers: Iterable[str], known: Container[str]) -> None:
        """Raises EmulationFault for a modifier that the instruction does not have."""
        for modifier in modifiers:
            if modifier not in known:
                raise self.fault(f"modifier .{modifier}")

    def emit(self, instruction: Instruction, site: int, handler: Handler) -> None:
        """Add one instruction."""
        self.instruction, self.site = instruction, site
        self.guard = None if instruction.guard is None else self.get(instruction.guard, "bool")
        self._touched = set(), set()
        handler(self, instruction)
        if self.symbols.watched:
            self._tell_touched()
        self.guard = None

    def untouched(self) -> None:
        """The instruction itself looks after the registers that it has."""
        self._touched = set(), set()

    def _tell_touched(self) -> None:
        read, written = (sorted(numbers & self.symbols.watched) for numbers in self._touched)
        if read or written:
            self.line(f"S.touch({read}, {written}, {self.active()}, {self.site})")
