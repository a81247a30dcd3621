"""A matrix instruction as data: shape, element types, the fragment of each operand, its LLVM spelling."""

from __future__ import annotations

import math
from typing import Literal

from ..support.dataclasses import dataclass
from .fragment import Fragment

Family = Literal[
    "mma.sync",
    "mma.sp",
    "mma.block_scale",
    "mfma",
    "mfma.scale",
    "smfmac",
    "wmma",
    "wmma.scale",
    "swmmac",
    "wgmma",
    "tcgen05",
]
Place = Literal["registers", "shared", "tensor"]
"""Where an operand is: fragments in registers, a matrix in swizzled shared memory, or one in tensor memory."""

ELEMENT_BITS = {
    "f64": 64,
    "f32": 32,
    "tf32": 32,  # held in 32-bit registers, whatever its precision
    "i32": 32,
    "f16": 16,
    "bf16": 16,
    "i8": 8,
    "ui8": 8,
    "i4": 4,
    "ui4": 4,
    "f8E4M3FN": 8,
    "f8E5M2": 8,
    "f8E4M3FNUZ": 8,
    "f8E5M2FNUZ": 8,
    "f6E2M3FN": 6,
    "f6E3M2FN": 6,
    "f4E2M1FN": 4,
}


@dataclass(frozen=True, slots=True)
class Registers:
    """How one operand is passed: `count` LLVM values of `llvm_type`, each `slots` elements wide, low bits first.

    Element i of a lane sits in slot `i * slot_stride` of the whole; the slots in between are ignored on input and hold
    nothing on output (16-bit accumulators of gfx11 occupy the even slots only). Where `byte_shift` is a number, a slot
    is a byte and an element of less than a byte begins at that bit of it, zeros around.
    """

    llvm_type: str
    count: int
    slots: int
    slot_stride: int = 1
    byte_shift: int | None = None


@dataclass(frozen=True, slots=True)
class Operand(Fragment):
    """A fragment, and how it is passed."""

    registers: Registers

    @classmethod
    def of(cls, fragment: Fragment, registers: Registers) -> Operand:
        f = fragment
        return cls(f.outer, f.thread, f.thread_strides, f.element, f.register_order, registers)

    @property
    def alone(self) -> Fragment:
        """Without how it is passed."""
        return Fragment(self.outer, self.thread, self.thread_strides, self.element, self.register_order)


@dataclass(frozen=True, slots=True)
class MatrixInstruction:
    """One hardware instruction D = A x B + C over a subgroup, or several.

    `shape` is (m, n, k); `blocks` independent products of that shape are computed at once. Element types are spelled as
    in MLIR, `i8` signed and `ui8` unsigned, though programs have `i8` for both and say which on the operation.
    `arguments` are the operands of the LLVM call in order: `a`, `b` and `c` stand for that fragment's registers,
    anything else is a literal constant; the call returns the registers of `d` (a struct of them if there are several).
    `hardware`: fragments of A and B as the hardware numbers K, where `a` and `b` have it in another order, the same on
    both, so that the sum is over the same products and a lane loads consecutive K.
    `subgroups` issue it together, whose fragments of A and C are one below the other; `shape` is that of all of them.
    `places`: where A may be, and where B; `accumulator_place`: where C and D are.
    """

    name: str
    iree_name: str
    family: Family
    shape: tuple[int, int, int]
    a_type: str
    b_type: str
    c_type: str
    a: Operand
    b: Operand
    c: Operand
    requires: str
    subgroup_size: int
    llvm_name: str
    arguments: tuple[str, ...] = ("a", "b", "c")
    aliases: tuple[str, ...] = ()
    blocks: int = 1
    hardware: tuple[Fragment, Fragment] | None = None
    subgroups: int = 1
    places: tuple[tuple[Place, ...], tuple[Place, ...]] = (("registers",), ("registers",))
    accumulator_place: Place = "registers"

    @property
    def d_type(self) -> str:
        """The result has the accumulator's type and fragment in every instruction listed."""
        return self.c_type

    @property
    def d(self) -> Operand:
        return self.c

    @property
    def flops(self) -> int:
        """Multiplications and additions of one execution by the subgroups that issue it."""
        return 2 * self.blocks * math.prod(self.shape)


def iree_spelling(
    prefix: str, shape: tuple[int, int, int], a_type: str, b_type: str, c_type: str, blocks: int = 1
) -> str:
    """The enum name of today, such as `MFMA_F32_16x16x16_F16`, `MFMA_F32_4x4x4x16B_F16`: C, shape (blocks), A and B."""
    extents = "x".join(map(str, shape)) + (f"x{blocks}B" if blocks > 1 else "")
    operands = [a_type.upper()] if a_type == b_type else [a_type.upper(), b_type.upper()]
    return "_".join([prefix, c_type.upper(), extents, *operands])


def iree_spelling_of_2024(prefix: str, shape: tuple[int, int, int], a_type: str, c_type: str) -> str:
    """The enum name in the dialect's document, such as `MFMA_F16_16x16x16_F32`: operands, shape, accumulator."""
    return "_".join([prefix, a_type.upper(), "x".join(map(str, shape)), c_type.upper()])
