"""The LLVM text writer: typed operands, instructions in order, blocks, phis, declarations.

Names are numbers in order of appearance, so the text depends on nothing but the program. A pure instruction that was
already written in the same or an enclosing scope is not written again. Integers and addresses that are the same in
every iteration of a loop may be written before it.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from functools import lru_cache

import numpy as np

from ...ir.integer_ranges import CONVERTED, RANGED, Range, converted, every, exactly, range_of
from ...ir.integer_rules import wrapped
from ...ir.numerics import dtype_of
from ...ir.types import BF16
from ...support.named_tuples import NamedTuple
from ...support.patterns import regex


class Ssa(NamedTuple):
    """An operand: its text (`%7`, `42`, `0x3FF0000000000000`), its LLVM type, and its number if it is a known integer.

    The number of an i1 is 0 or 1; that of a wider integer is signed.
    """

    text: str
    type: str
    number: int | None = None

    def __str__(self) -> str:
        """Type and text, as an operand list writes them."""
        return f"{self.type} {self.text}"

    @property
    def is_constant(self) -> bool:
        return not self.text.startswith("%")

    @property
    def is_vector(self) -> bool:
        return self.type.startswith("<")


_new_ssa: Callable[[type[Ssa], tuple[str, str, int | None]], Ssa] = tuple.__new__  # pyright: ignore
"""A third of the time of Ssa(...)."""


class Definition(NamedTuple):
    """How a value was computed, where an address may want to know."""

    opcode: str
    operands: tuple[Ssa, ...]


INTEGER_BITS = {f"i{bits}": bits for bits in range(1, 129)}
FLOAT_BITS = {"half": 16, "bfloat": 16, "float": 32, "double": 64}
SUFFIXES = {"half": "f16", "bfloat": "bf16", "float": "f32", "double": "f64"}
"""How intrinsics' names spell a float type."""


def bits_of(type: str) -> int:
    """Bits of a scalar type."""
    return FLOAT_BITS.get(type) or INTEGER_BITS[type]


TRUE, FALSE = Ssa("true", "i1", 1), Ssa("false", "i1", 0)


@lru_cache(maxsize=1 << 12)
def integer(value: int, type: str = "i64") -> Ssa:
    """The constant `value` modulo the type's range."""
    value = wrapped(value, INTEGER_BITS[type])
    if type == "i1":
        return TRUE if value else FALSE
    return Ssa(str(value), type, value)


def float_constant(value: float, type: str) -> Ssa:
    """The float of `type` nearest to `value`, exact in hexadecimal."""
    return float_of_bits(_bfloat_bits(value) if type == "bfloat" else _packed_bits(value, _PACKED[type]), type)


_PACKED = {"half": "<e", "float": "<f", "double": "<d"}


def _packed_bits(value: float, form: str) -> int:
    """What is too large rounds to infinity."""
    try:
        data = struct.pack(form, value)
    except OverflowError:
        data = struct.pack(form, math.copysign(math.inf, value))
    return int.from_bytes(data, "little")


def _bfloat_bits(value: float) -> int:
    with np.errstate(over="ignore"):
        return int(np.array([value]).astype(dtype_of(BF16)).view(np.uint16)[0])


def float_of_bits(bits: int, type: str) -> Ssa:
    """The constant whose bit pattern is `bits`; LLVM writes a float as the double that equals it."""
    if type == "half":
        return Ssa(f"0xH{bits:04X}", type)
    if type == "bfloat":
        return Ssa(f"0xR{bits:04X}", type)
    if type == "float":
        bits = _double_bits(bits)
    return Ssa(f"0x{bits:016X}", type)


_BIAS = 1023 - 127
"""The bias of a double's exponent over a float's."""


def _double_bits(bits: int) -> int:
    """The bits of the double equal to a float's, with the payload of a NaN kept."""
    sign, exponent, fraction = bits >> 31, bits >> 23 & 0xFF, bits & 0x7FFFFF
    if exponent == 0xFF:
        return sign << 63 | 0x7FF << 52 | fraction << 29
    if exponent:
        return sign << 63 | (exponent + _BIAS) << 52 | fraction << 29
    with np.errstate(invalid="ignore"):
        return int(np.uint32(bits).view(np.float32).astype(np.float64).view(np.uint64))


def zero(type: str) -> Ssa:
    return integer(0, type) if type in INTEGER_BITS else float_constant(0.0, type)


class OpenPhi(NamedTuple):
    """A phi whose incoming values are not all known yet: `Writer.close` completes it."""

    value: Ssa
    line: int


Incoming = Sequence[tuple[Ssa, str]]


class _Loop(NamedTuple):
    """A loop whose body is being written: the lines before it that take what its iterations share, and the scope that
    they are in."""

    before: list[str]
    scope: dict[str, Ssa]


_HELD = frozenset({"add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr", "trunc", "zext", "sext", "ptrtoint",
                   "select"})  # fmt: skip
"""Opcodes of what addresses and comparisons are made of. Of scalars they never trap."""
_QUOTIENTS = frozenset({"udiv", "urem"})
"""They are held, too, where they divide by a constant that is positive."""
_PARAMETER = regex(r"%(?:a|grid)\d+", re.ASCII)
"""Matches a parameter of the kernel: what a launch passes."""


_ALONE, _TOGETHER = " #1", " #2"
CALL_ATTRIBUTES = ("attributes #1 = { nounwind }", "attributes #2 = { convergent nounwind }")


class Writer:
    """Appends instructions to one function. `mark` ends each of them: where in the program it comes from."""

    def __init__(
        self,
        *,
        tunes_integers: bool = False,
        permute_bytes: str = "",
        range_of_name: Callable[[str], Range | None] = lambda name: None,
    ) -> None:
        """`tunes_integers`: what the iterations of a loop share may be written before it, and what is known of numbers
        makes them shorter. `permute_bytes`: the intrinsic, if there is one, that makes a word of bytes of two words
        (the upper one, the lower one; each byte of the third operand has the number of one of their eight).
        `range_of_name`: what is known of a value that the program has, by its text."""
        self.permute_bytes = permute_bytes
        self.mark = ""
        self.together = False
        """Whether what is called now is executed by threads together: LLVM does not make it depend on more branches."""
        self._tunes = tunes_integers
        self.block = "entry"
        self._lines: list[str | list[str]] = ["entry:"]
        self._values = 0
        self._labels = 0
        self._scopes: list[dict[str, Ssa]] = [{}]
        self._definitions: dict[str, Definition] = {}
        self._declarations: dict[str, str] = {}
        self._loops: list[_Loop] = []
        self._depths: dict[str, int] = {}
        """The depth of values that are made in loops: in how many."""
        self._ranges: dict[str, Range] = {}
        self._range_of_name = range_of_name
        self._uniform: set[str] = set()
        self.before_branch: Callable[[], None] | None = None
        """Writes what has to stand before the next branch that leaves something out."""

    # -- instructions -------------------------------------------------------------------------------------------

    def pure(self, instruction: str, type: str, held: Sequence[Ssa] | None = None) -> Ssa:
        """The value of `instruction`, which always gives the same: written once in a scope. `held`: all operands of one
        that may stand before a loop in which they stay the same, which all threads that meet there run."""
        for scope in self._scopes:
            known = scope.get(instruction)
            if known is not None:
                return known
        if self._loops and held is not None:
            depth = max((self._depths.get(v.text, 0) for v in held), default=0)
            if depth < len(self._loops):
                return self._before(self._loops[depth], instruction, type, depth)
        value = self._scopes[-1][instruction] = self.fresh(instruction, type)
        return value

    def _before(self, loop: _Loop, instruction: str, type: str, depth: int) -> Ssa:
        name = self._name(depth)
        loop.before.append(f"  {name} = {instruction}{self.mark}")
        value = loop.scope[instruction] = _new_ssa(Ssa, (name, type, None))
        return value

    def is_shared(self, value: Ssa) -> bool:
        """Whether it is the same in all iterations of the innermost loop that is being written."""
        return not self._loops or self._depths.get(value.text, 0) < len(self._loops)

    @contextmanager
    def loop(self, *, holds: bool) -> Generator[None]:
        """The lines inside are those of a loop: its body's, from the label on. Before it stands nothing but the branch
        to it. `holds`: what `pure` may hold is to be written before it, if integers are tuned."""
        if not (self._tunes and holds):
            with self.scope():
                yield
            return
        before: list[str] = []
        self._lines.insert(len(self._lines) - 1, before)
        self._loops.append(_Loop(before, self._scopes[-1]))
        with self.scope():
            yield
        self._loops.pop()

    # -- what is known of integers ------------------------------------------------------------------------------

    def mark_uniform(self, value: Ssa) -> None:
        """All threads of the workgroup have the same."""
        self._uniform.add(value.text)

    def is_uniform(self, value: Ssa, depth: int = 16) -> bool:
        """Whether all threads are known to have the same: constants, parameters, what is made of such."""
        if value.is_constant or _PARAMETER.fullmatch(value.text) or value.text in self._uniform:
            return True
        made = self._definitions.get(value.text)
        return made is not None and depth > 0 and all(self.is_uniform(v, depth - 1) for v in made.operands)

    def know(self, value: Ssa, range: Range) -> Ssa:
        """The value, which is in this range."""
        if not value.is_constant:
            known = self._ranges.get(value.text)
            self._ranges[value.text] = range if known is None else known.meet(range)
        return value

    def range(self, value: Ssa) -> Range:
        """Between which bounds an integer is: by what the program's value is, and what was written to compute it."""
        if value.number is not None:
            return exactly(value.number)
        pending = [value]
        while pending:
            last = pending[-1]
            if last.number is not None or last.text in self._ranges:
                pending.pop()
                continue
            made = self._ranged_definition(last)
            missing = [v for v in made.operands if v.number is None and v.text not in self._ranges] if made else []
            if missing:
                pending += missing
            else:
                self._ranges[last.text] = self._found_range(last, made)
        return self._ranges[value.text]

    def limit(self, value: Ssa) -> int | None:
        """A number above it, where it is known to be at least 0; of vectors nothing is known."""
        asked = value.number is not None or (self._tunes and value.type in INTEGER_BITS)
        return self.range(value).limit if asked else None

    def _ranged_definition(self, value: Ssa) -> Definition | None:
        """How it was computed, if its range follows from that; of a `select` with what it chooses from."""
        made = self._definitions.get(value.text)
        if made is None or made.operands[-1].type not in INTEGER_BITS:
            return None
        opcode, operands = made.opcode.split(" ", 1)[0], made.operands
        if opcode not in RANGED and opcode not in CONVERTED:
            return None
        return Definition(opcode, operands[1:] if opcode == "select" else operands)

    def _found_range(self, value: Ssa, made: Definition | None) -> Range:
        bits = INTEGER_BITS[value.type]
        found = every(bits)
        if made is not None:
            given = [self._ranges[v.text] if v.number is None else exactly(v.number) for v in made.operands]
            if made.opcode in CONVERTED:
                found = converted(made.opcode, given[0], INTEGER_BITS[made.operands[0].type], bits)
            else:
                found = range_of(made.opcode, given, bits)
        stated = self._range_of_name(value.text) if found == every(bits) else None
        return found if stated is None else stated

    def binary(self, opcode: str, a: Ssa, b: Ssa) -> Ssa:
        """A pure instruction of two operands of one type, remembered as a definition."""
        return self._defined(f"{opcode} {a.type} {a.text}, {b.text}", a.type, opcode, a, b)

    def compare(self, predicate: str, a: Ssa, b: Ssa) -> Ssa:
        return self._defined(f"icmp {predicate} {a.type} {a.text}, {b.text}", "i1", "icmp", a, b)

    def select(self, condition: Ssa, yes: Ssa, no: Ssa) -> Ssa:
        return self._defined(f"select {condition}, {yes}, {no}", yes.type, "select", condition, yes, no)

    def convert(self, opcode: str, value: Ssa, type: str) -> Ssa:
        if value.type == type:
            return value
        return self._defined(f"{opcode} {value} to {type}", type, opcode, value)

    def bitcast(self, value: Ssa, type: str) -> Ssa:
        """The same bits as `type`; there and back again is the value itself."""
        if value.type == type:
            return value
        before = self.definition(value)
        if before is not None and before.opcode == "bitcast":
            return self.bitcast(before.operands[0], type)
        return self._defined(f"bitcast {value} to {type}", type, "bitcast", value)

    def extract(self, vector: Ssa, index: Ssa, type: str) -> Ssa:
        """One element of an LLVM vector."""
        return self._defined(f"extractelement {vector}, {index}", type, "extractelement", vector, index)

    def behind(self, unit: str, pointer: Ssa, distance: Ssa) -> Ssa:
        """The pointer `distance` times the size of the LLVM type `unit` behind another."""
        return self.pure(f"getelementptr {unit}, {pointer}, {distance}", pointer.type, (pointer, distance))

    def named(self, value: Ssa, opcode: str, *operands: Ssa) -> Ssa:
        """`value`, remembered as what several instructions compute."""
        self._definitions[value.text] = Definition(opcode, operands)
        return value

    def _defined(self, instruction: str, type: str, opcode: str, *operands: Ssa) -> Ssa:
        value = self.pure(instruction, type, operands if self._loops and _is_held(opcode, operands) else None)
        if value.text not in self._definitions:
            self._definitions[value.text] = Definition(opcode, operands)
        return value

    def fresh(self, instruction: str, type: str) -> Ssa:
        """The value of an instruction that may give another one each time."""
        name = self._name(len(self._loops))
        self._lines.append(f"  {name} = {instruction}{self.mark}")
        return _new_ssa(Ssa, (name, type, None))

    def _name(self, depth: int) -> str:
        name = f"%v{self._values}"
        self._values += 1
        if depth:
            self._depths[name] = depth
        return name

    def do(self, instruction: str) -> None:
        self._lines.append(f"  {instruction}{self.mark}")

    def call(
        self, type: str, name: str, *operands: Ssa, flags: str = "", attributes: str = "", ahead: bool = False
    ) -> Ssa:
        """A call of a pure intrinsic; `flags` are fast-math flags, `attributes` describe the result. `ahead`: it may be
        held, see `pure`."""
        return self.pure(self._call(type, name, operands, flags, attributes), type, operands if ahead else None)

    def call_fresh(self, type: str, name: str, *operands: Ssa, marks: str = "") -> Ssa:
        """A call whose result depends on when and in which lanes it runs; `marks` are metadata behind it."""
        return self.fresh(self._call(type, name, operands) + self._attributes + marks, type)

    def asm(self, type: str, text: str, constraints: Sequence[str], *operands: Ssa) -> Ssa:
        """The result of a statement in the assembler's words, which does more than make it."""
        return self.fresh(self._asm(f"{type} asm sideeffect", text, constraints, operands), type)

    def asm_void(self, text: str, constraints: Sequence[str] = (), *operands: Ssa) -> None:
        self.do(self._asm("void asm sideeffect", text, constraints, operands))

    def asm_pure(self, type: str, text: str, constraints: Sequence[str]) -> Ssa:
        """The result of a statement of assembly that depends on nothing but its text."""
        return self.pure(self._asm(f"{type} asm", text, constraints, ()), type, held=())

    def _asm(self, kind: str, text: str, constraints: Sequence[str], operands: Sequence[Ssa]) -> str:
        attributes = _TOGETHER if self.together else _ALONE
        given = ", ".join(map(str, operands))
        return f'call {kind} "{text}", "{",".join(constraints)}"({given}){attributes}'

    def calls(self, name: str) -> bool:
        """Whether function `name` is called anywhere."""
        return name in self._declarations

    def call_void(self, name: str, *operands: Ssa, marks: str = "") -> None:
        self.do(self._call("void", name, operands) + self._attributes + marks)

    @property
    def _attributes(self) -> str:
        return _TOGETHER if self.together else ""

    def _call(self, type: str, name: str, operands: Sequence[Ssa], flags: str = "", attributes: str = "") -> str:
        if name not in self._declarations:
            types = ", ".join(o.type for o in operands)
            self._declarations[name] = f"declare {type} @{name}({types})"
        words = " ".join([word for word in ("call", flags, attributes, type) if word])
        return f"{words} @{name}({', '.join([f'{o.type} {o.text}' for o in operands])})"

    def definition(self, value: Ssa) -> Definition | None:
        """How `value` was computed, if it was by `binary`, `bitcast`, `extract` or was `named`."""
        return self._definitions.get(value.text)

    # -- blocks -------------------------------------------------------------------------------------------------

    def label(self) -> str:
        self._labels += 1
        return f"b{self._labels}"

    def start(self, label: str) -> None:
        self.block = label
        self._lines.append(f"{label}:")

    def jump(self, label: str) -> None:
        self.do(f"br label %{label}")

    def branch(self, condition: Ssa, yes: str, no: str, *, back: bool = False) -> None:
        """`back`: to the head of the loop that ends here."""
        if not back:
            self._settle()
        self.do(f"br {condition}, label %{yes}, label %{no}")

    def switch(self, number: Ssa, default: str, cases: Sequence[tuple[int, str]]) -> None:
        """To the label of the case that `number` is."""
        self._settle()
        words = " ".join(f"{integer(case, number.type)}, label %{label}" for case, label in cases)
        self.do(f"switch {number}, label %{default} [ {words} ]")

    def _settle(self) -> None:
        pending, self.before_branch = self.before_branch, None
        if pending is not None:
            pending()

    def phi(self, incoming: Incoming) -> Ssa:
        type = incoming[0][0].type
        return self.fresh(f"phi {type} {_incoming_text(incoming)}", type)

    def open_phi(self, type: str) -> OpenPhi:
        line = len(self._lines)
        return OpenPhi(self.fresh("", type), line)

    def close(self, phi: OpenPhi, incoming: Incoming) -> None:
        assert all(value.type == phi.value.type for value, _ in incoming)
        self._lines[phi.line] = f"  {phi.value.text} = phi {phi.value.type} {_incoming_text(incoming)}"

    @contextmanager
    def scope(self) -> Generator[None]:
        """What is written inside is not reused after."""
        self._scopes.append({})
        yield
        self._scopes.pop()

    # -- the whole ----------------------------------------------------------------------------------------------

    @property
    def lines(self) -> list[str]:
        """The lines of the function's body: labels, and instructions."""
        found: list[str] = []
        for part in self._lines:
            if isinstance(part, str):
                found.append(part)
            else:
                found += part
        return found

    @property
    def declarations(self) -> tuple[str, ...]:
        return tuple(self._declarations.values())


def _incoming_text(incoming: Incoming) -> str:
    return ", ".join(f"[ {value.text}, %{block} ]" for value, block in incoming)


def _is_held(opcode: str, operands: Sequence[Ssa]) -> bool:
    word = opcode.partition(" ")[0]
    if word not in _HELD:
        by = operands[-1].number
        if opcode not in _QUOTIENTS or by is None or by <= 0:
            return False
    return not any(v.is_vector for v in operands)
