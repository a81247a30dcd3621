"""The LLVM text writer: typed operands, instructions in order, blocks, phis, declarations.

Names are numbers in order of appearance, so the text depends on nothing but the program. A pure instruction that was
already written in the same or an enclosing scope is not written again.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from ...ir.numerics import dtype_of
from ...ir.types import BF16


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


def integer(value: int, type: str = "i64") -> Ssa:
    """The constant `value` modulo the type's range."""
    bits = INTEGER_BITS[type]
    value &= (1 << bits) - 1
    if bits == 1:
        return TRUE if value else FALSE
    if value >> (bits - 1):
        value -= 1 << bits
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
"""Of a double's exponent over a float's."""


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


class Writer:
    """Appends instructions to one function. `mark` ends each of them: where in the program it comes from."""

    def __init__(self) -> None:
        self.mark = ""
        self.block = "entry"
        self._lines = ["entry:"]
        self._values = 0
        self._labels = 0
        self._scopes: list[dict[str, Ssa]] = [{}]
        self._definitions: dict[str, Definition] = {}
        self._declarations: dict[str, str] = {}

    # -- instructions -------------------------------------------------------------------------------------------

    def pure(self, instruction: str, type: str) -> Ssa:
        """The value of `instruction`, which always gives the same: written once in a scope."""
        for scope in self._scopes:
            if instruction in scope:
                return scope[instruction]
        value = self._scopes[-1][instruction] = self.fresh(instruction, type)
        return value

    def binary(self, opcode: str, a: Ssa, b: Ssa) -> Ssa:
        """A pure instruction of two operands of one type, remembered as a definition."""
        return self._defined(f"{opcode} {a.type} {a.text}, {b.text}", a.type, opcode, a, b)

    def convert(self, opcode: str, value: Ssa, type: str) -> Ssa:
        return value if value.type == type else self.pure(f"{opcode} {value} to {type}", type)

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

    def named(self, value: Ssa, opcode: str, *operands: Ssa) -> Ssa:
        """`value`, remembered as what several instructions compute."""
        self._definitions[value.text] = Definition(opcode, operands)
        return value

    def _defined(self, instruction: str, type: str, opcode: str, *operands: Ssa) -> Ssa:
        value = self.pure(instruction, type)
        if value.text not in self._definitions:
            self._definitions[value.text] = Definition(opcode, operands)
        return value

    def fresh(self, instruction: str, type: str) -> Ssa:
        """The value of an instruction that may give another one each time."""
        name = f"%v{self._values}"
        self._values += 1
        self._lines.append(f"  {name} = {instruction}{self.mark}")
        return Ssa(name, type)

    def do(self, instruction: str) -> None:
        self._lines.append(f"  {instruction}{self.mark}")

    def call(self, type: str, name: str, *operands: Ssa, flags: str = "", attributes: str = "") -> Ssa:
        """A call of a pure intrinsic; `flags` are fast-math flags, `attributes` describe the result."""
        return self.pure(self._call(type, name, operands, flags, attributes), type)

    def call_fresh(self, type: str, name: str, *operands: Ssa) -> Ssa:
        """A call whose result depends on when and in which lanes it runs."""
        return self.fresh(self._call(type, name, operands), type)

    def calls(self, name: str) -> bool:
        """Whether function `name` is called anywhere."""
        return name in self._declarations

    def call_void(self, name: str, *operands: Ssa) -> None:
        self.do(self._call("void", name, operands))

    def _call(self, type: str, name: str, operands: Sequence[Ssa], flags: str = "", attributes: str = "") -> str:
        if name not in self._declarations:
            types = ", ".join(o.type for o in operands)
            self._declarations[name] = f"declare {type} @{name}({types})"
        words = " ".join(filter(None, ("call", flags, attributes, type)))
        return f"{words} @{name}({', '.join(map(str, operands))})"

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

    def branch(self, condition: Ssa, yes: str, no: str) -> None:
        self.do(f"br {condition}, label %{yes}, label %{no}")

    def switch(self, number: Ssa, default: str, cases: Sequence[tuple[int, str]]) -> None:
        """To the label of the case that `number` is."""
        words = " ".join(f"{integer(case, number.type)}, label %{label}" for case, label in cases)
        self.do(f"switch {number}, label %{default} [ {words} ]")

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
    def body(self) -> str:
        return "\n".join(self._lines)

    @property
    def declarations(self) -> tuple[str, ...]:
        return tuple(self._declarations.values())


def _incoming_text(incoming: Incoming) -> str:
    return ", ".join(f"[ {value.text}, %{block} ]" for value, block in incoming)
