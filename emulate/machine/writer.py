"""Writes the numpy source of a basic block: statements, variables, and names for constants."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..faults import EmulationFault
from .blocks import Instruction

TYPE_CODES = ("u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f2", "f4", "f8")


def size_of(code: str) -> int:
    """Bytes of a numpy type code."""
    return int(code[1:])


def base_environment() -> dict[str, Any]:
    """What generated code may name on every machine; `_numbers` has the constants that were made."""
    return {"_numbers": {}, **{code: np.dtype(code) for code in TYPE_CODES}}


class Writer:
    """Source of one block: `line` adds a statement; `environment` has the objects that it names."""

    def __init__(self, environment: dict[str, Any]) -> None:
        self.environment = environment
        self.lines: list[str] = []
        self.fetched: set[int] = set()
        """Registers that are read before they are written."""
        self.written: set[int] = set()
        self.site = 0
        """The number of the current instruction."""
        self._count = 0

    def line(self, text: str) -> None:
        self.lines.append(text)

    def name(self) -> str:
        """A new variable that the caller assigns."""
        self._count += 1
        return f"x{self._count}"

    def fresh(self, expression: str) -> str:
        """A new variable holding `expression`."""
        name = self.name()
        self.lines.append(f"{name} = {expression}")
        return name

    def constant(self, value: Any) -> str:
        """A name for a Python or numpy object."""
        name = f"k{len(self.environment)}"
        self.environment[name] = value
        return name

    def number(self, value: int, code: str) -> str:
        """A name for a numpy scalar with the low bits of `value`."""
        size = size_of(code)
        unsigned = np.dtype(f"u{size}").type(value & ((1 << 8 * size) - 1))
        key = (code, int(unsigned))
        names: dict[Any, str] = self.environment["_numbers"]
        if key not in names:
            names[key] = self.constant(unsigned.view(np.dtype(code)))
        return names[key]


def fault_at(instruction: Instruction | None, detail: str, kind: str = "unsupported") -> EmulationFault:
    """What an instruction is that cannot be made numpy source of."""
    assert instruction is not None
    return EmulationFault(kind, detail, instruction=instruction.text, line=instruction.line)
