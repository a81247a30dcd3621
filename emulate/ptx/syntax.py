"""The parsed form of PTX text: operands, instructions, variables, kernels."""

from __future__ import annotations

from ...support.dataclasses import dataclass, field
from ..machine.settings import Parameter


@dataclass(frozen=True)
class Register:
    """A register; `negated` for predicates written `!p`."""

    name: str
    negated: bool = False


@dataclass(frozen=True)
class Sum:
    """A register plus a constant, which LLVM writes for descriptors (ptxas makes an addition of it)."""

    register: Register
    offset: int


@dataclass(frozen=True)
class Special:
    """A read-only special register such as `%tid.x`."""

    name: str


@dataclass(frozen=True)
class Immediate:
    """A literal; floating-point literals keep their bits and width (0f: 32, 0d: 64), integers have width 0."""

    value: int
    width: int = 0


@dataclass(frozen=True)
class Symbol:
    """The address of a variable, plus a constant."""

    name: str
    offset: int = 0


@dataclass(frozen=True)
class Address:
    """`[base + offset]`, or `[base, {x, y}]` of a box of a tensor."""

    base: Register | Symbol | Immediate
    offset: int = 0
    coordinates: tuple[Operand, ...] = ()


@dataclass(frozen=True)
class Vector:
    """`{a, b, ...}`."""

    items: tuple[Operand, ...]


@dataclass(frozen=True)
class Pair:
    """`a|b`: a destination and its predicate."""

    first: Operand
    second: Operand


@dataclass(frozen=True)
class Sink:
    """`_`: a destination nobody reads."""


@dataclass(frozen=True)
class Target:
    """A label."""

    name: str


Operand = Register | Sum | Special | Immediate | Symbol | Address | Vector | Pair | Sink | Target


def address_of(operand: Operand) -> Address:
    """The operand, which the instruction's form says is an address."""
    assert isinstance(operand, Address)
    return operand


def items_of(operand: Operand) -> tuple[Operand, ...]:
    """What a vector holds; another operand alone."""
    return operand.items if isinstance(operand, Vector) else (operand,)


@dataclass(frozen=True)
class Instruction:
    """One instruction: `@guard opcode.modifiers operands;` on `line` of the text."""

    opcode: str
    modifiers: tuple[str, ...]
    operands: tuple[Operand, ...]
    guard: Register | None
    line: int
    text: str

    @property
    def type(self) -> str:
        """The last modifier, which for most instructions is the type of the operation."""
        return self.modifiers[-1] if self.modifiers else ""

    def has(self, modifier: str) -> bool:
        return modifier in self.modifiers


@dataclass(frozen=True)
class Variable:
    """A variable of a state space; `values` are its initial elements (integers, or symbols for addresses)."""

    name: str
    space: str
    size: int
    alignment: int
    element: int
    values: tuple[int | Symbol, ...] = ()
    external: bool = False


@dataclass
class KernelText:
    """An entry point as parsed."""

    name: str
    line: int
    parameters: tuple[Parameter, ...] = ()
    required_block: tuple[int, int, int] | None = None
    max_threads: int | None = None
    cluster: tuple[int, int, int] = (1, 1, 1)
    """Workgroups of a cluster (`.reqnctapercluster`)."""
    registers: dict[str, str] = field(default_factory=dict[str, str])
    variables: dict[str, Variable] = field(default_factory=dict[str, Variable])
    instructions: list[Instruction] = field(default_factory=list[Instruction])
    labels: dict[str, int] = field(default_factory=dict[str, int])
    branch_tables: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    undefined: set[str] = field(default_factory=set[str])
    """Registers that the compiler says it leaves undefined on purpose (`implicit-def`)."""


@dataclass
class ModuleText:
    """A whole file as parsed."""

    version: str = ""
    target: str = ""
    variables: dict[str, Variable] = field(default_factory=dict[str, Variable])
    kernels: dict[str, KernelText] = field(default_factory=dict[str, KernelText])
