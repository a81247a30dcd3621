"""The parsed form of AMDGCN assembly text: registers, operands, instructions, kernels, constant data."""

from __future__ import annotations

from ...support.dataclasses import dataclass, field
from ..faults import EmulationFault
from ..machine.settings import Parameter

VCC = 106
TTMP = 108
M0 = 124
SCC = 125
FLAT_SCRATCH = 126
XNACK = 128
VECTOR = 256
ACCUMULATOR = 2048
"""Registers of all files share one numbering: s0.. from 0, v0.. from VECTOR, a0.. from ACCUMULATOR."""

ACCUMULATORS = 512
REGISTERS = ACCUMULATOR + ACCUMULATORS


CODE = 0x7D00 << 32
"""The address of a kernel's first instruction; each takes 4 bytes here, as only differences of labels can tell."""


def address_of(number: int) -> int:
    """Where the instruction of that number lies."""
    return CODE + 4 * number


def words(text: str) -> tuple[str, ...]:
    """The words of a text: lists of opcodes read better without quotes."""
    return tuple(text.split())


def is_vector(number: int) -> bool:
    """Whether a register has one value per lane."""
    return number >= VECTOR


@dataclass(frozen=True)
class Register:
    """`count` consecutive 32-bit registers from `number`; `half` is "l" or "h" for one half of a register."""

    number: int
    count: int = 1
    half: str = ""
    negative: bool = False
    absolute: bool = False
    extended: bool = False

    @property
    def is_vector(self) -> bool:
        return is_vector(self.number)


@dataclass(frozen=True)
class Exec:
    """The execution mask, or the half of it that starts at bit 32 * `half`."""

    half: int = -1


@dataclass(frozen=True)
class Immediate:
    """A literal: an integer (bits of the operand), or a floating-point number to be rounded to the operand's type."""

    value: int | float
    negative: bool = False
    absolute: bool = False


@dataclass(frozen=True)
class Symbol:
    """A label, or a name with relocation (`rel32@lo`) and addend."""

    name: str
    relocation: str = ""
    addend: int = 0


@dataclass(frozen=True)
class Difference:
    """Bytes from label `start` to label `end`; `part` is "low" or "high" for 32 bits of them, "" for all 64."""

    end: str
    start: str
    part: str = ""


@dataclass(frozen=True)
class Special:
    """`off`, `null`, an aperture, a hardware register, and whatever else is a word."""

    name: str


Operand = Register | Exec | Immediate | Symbol | Difference | Special


@dataclass(frozen=True)
class Instruction:
    """One instruction on `line` of the text; `paired` is the second half of a dual instruction."""

    opcode: str
    operands: tuple[Operand, ...]
    modifiers: dict[str, str]
    line: int
    text: str
    encoding: str = ""
    paired: Instruction | None = None

    def flag(self, name: str) -> bool:
        return name in self.modifiers

    def number(self, name: str, default: int = 0) -> int:
        """A numeric modifier such as `offset:16`."""
        return self._integer(self.modifiers[name]) if name in self.modifiers else default

    def bits(self, name: str, count: int, default: int) -> tuple[int, ...]:
        """A list modifier such as `op_sel:[0,1]`, padded to `count`."""
        if name not in self.modifiers:
            return (default,) * count
        found = tuple(self._integer(x) for x in self.modifiers[name].strip("[]").split(","))
        return found[:count] + (default,) * (count - len(found))

    def _integer(self, text: str) -> int:
        try:
            return int(text, 0)
        except ValueError:
            raise EmulationFault("syntax", f"{text!r} is no integer", instruction=self.text, line=self.line) from None


@dataclass(frozen=True)
class Resources:
    """What the compiler says a kernel uses: registers per wave, and how many of them were spilled."""

    vgprs: int = 0
    agprs: int = 0
    sgprs: int = 0
    vgpr_spills: int = 0
    sgpr_spills: int = 0


@dataclass
class Metadata:
    """What the YAML at the end of the text says about one kernel."""

    numbers: dict[str, int] = field(default_factory=dict[str, int])
    required_block: tuple[int, int, int] | None = None
    parameters: list[Parameter] = field(default_factory=list[Parameter])


@dataclass
class KernelText:
    """A kernel as parsed: instructions, labels (to instruction numbers), and its `.amdhsa_` directives."""

    name: str
    directives: dict[str, int]
    metadata: Metadata
    instructions: list[Instruction] = field(default_factory=list[Instruction])
    labels: dict[str, int] = field(default_factory=dict[str, int])

    @property
    def wavefront_size(self) -> int:
        """Lanes of a wave, as the metadata says, or the directives."""
        return self.metadata.numbers.get("wavefront_size", 32 if self.directives.get("wavefront_size32") else 64)


@dataclass
class Data:
    """A named constant; `pieces` are bytes, or a symbol and addend whose 8-byte address stands there."""

    name: str
    alignment: int
    pieces: list[bytes | tuple[str, int]] = field(default_factory=list[bytes | tuple[str, int]])

    @property
    def size(self) -> int:
        return sum(len(p) if isinstance(p, bytes) else 8 for p in self.pieces)


@dataclass
class ModuleText:
    """A whole file as parsed."""

    target: str
    kernels: dict[str, KernelText]
    data: dict[str, Data]
