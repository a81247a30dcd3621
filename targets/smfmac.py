"""AMD's products of a sparse A: operations choose them, the compiler does not. smfmac is of CDNA3 and CDNA4 (64 lanes),
swmmac of RDNA 4 (32 lanes; of its forms of 64 lanes no document says who holds what of C).
"""

from __future__ import annotations

import functools
from typing import Literal

from ..support.dataclasses import dataclass
from . import amd_fragments
from .chip import Chip
from .matrix_instruction import ELEMENT_BITS, MatrixInstruction, Operand, Registers
from .mfma import FP8_FAMILIES, FP8_SPELLING

_LANES = amd_fragments.WAVE


@dataclass(frozen=True, slots=True)
class SparseInstruction:
    """`shape` is (m, n, k) of the dense product; `carriers` are the LLVM types of one lane's A, B and C."""

    shape: tuple[int, int, int]
    a_type: str
    b_type: str
    c_type: str
    requires: str
    llvm_name: str
    carriers: tuple[str, str, str]
    family: Literal["smfmac", "swmmac"] = "smfmac"

    @property
    def lanes(self) -> int:
        return 64 if self.family == "smfmac" else 32

    @property
    def name(self) -> str:
        """As `mma.sp`'s: of integers it says their signs, which is a flag of the intrinsic."""
        words, _, types = self.llvm_name.partition(".iu")
        if not types:
            return f"{self.family}.{self.llvm_name}"
        return f"{self.family}.{words}.{self.a_type}" + f".{self.b_type}" * (self.a_type != self.b_type)

    @property
    def opcode(self) -> str:
        """In machine text."""
        return f"v_{self.family}_{self.llvm_name.replace('.', '_')}"


def fragments(i: SparseInstruction) -> amd_fragments.SparseOperands:
    (m, _, k), bits = i.shape, ELEMENT_BITS[i.a_type]
    return amd_fragments.swmmac(k, bits) if i.family == "swmmac" else amd_fragments.smfmac(m, k, bits)


def with_fragments(i: SparseInstruction) -> MatrixInstruction:
    """An instruction with who holds what: of A the m x k / 2 elements that are held, of B what is along the same K."""
    found = fragments(i)
    a, b, c = (
        Operand.of(fragment, Registers(carrier, 1, fragment.elements))
        for fragment, carrier in zip((found.a, found.b, found.c), i.carriers, strict=True)
    )
    return MatrixInstruction(
        name=i.name,
        iree_name="",
        family=i.family,
        shape=i.shape,
        a_type=i.a_type,
        b_type=i.b_type,
        c_type=i.c_type,
        a=a,
        b=b,
        c=c,
        requires=i.requires,
        subgroup_size=i.lanes,
        llvm_name=f"llvm.amdgcn.{i.family}.{i.llvm_name}",
    )


@functools.cache
def sparse_instructions(chip: Chip) -> tuple[SparseInstruction, ...]:
    """Those that a chip has; empty for chips without."""
    return tuple(instruction for instruction in (*SMFMAC, *SWMMAC) if chip.supports(instruction.requires))


def _row(size: int, k: int, a: str, b: str, requires: str, words: str) -> SparseInstruction:
    """`words`: how the intrinsic spells the element types."""
    c = "i32" if a == "i8" else "f32"
    held = size * k // 2 // _LANES
    accumulator = f"<{size * size // _LANES} x {'i32' if c == 'i32' else 'float'}>"
    carriers = _carrier(a, held, requires), _carrier(b, 2 * held, requires), accumulator
    return SparseInstruction((size, size, k), a, b, c, requires, f"{c}.{size}x{size}x{k}.{words}", carriers)


def _carrier(type: str, count: int, requires: str) -> str:
    if ELEMENT_BITS[type] == 8:
        return f"<{count // 4} x i32>"
    narrow = "i16" if requires == "smfmac" else "bfloat"
    return f"<{count} x {'half' if type == 'f16' else narrow}>"


_DEEPER = {"mfma.fp8.ocp": (("smfmac.wide", 2),)}
_SHAPES = (("smfmac", 1), *_DEEPER["mfma.fp8.ocp"])
"""What has them, and how much deeper they are than CDNA3's."""
SMFMAC = (
    *(
        _row(size, k * times, type, type, requires, type)
        for requires, times in _SHAPES
        for type, shapes in (
            ("f16", ((16, 32), (32, 16))), ("bf16", ((16, 32), (32, 16))), ("i8", ((16, 64), (32, 32))),
        )
        for size, k in shapes
    ),
    *(
        _row(size, k * times, a, b, requires, f"{FP8_SPELLING[a]}.{FP8_SPELLING[b]}")
        for family, types in FP8_FAMILIES.items()
        for requires, times in ((family.replace("mfma", "smfmac"), 1), *_DEEPER.get(family, ()))
        for size, k in ((16, 64), (32, 32))
        for a in types
        for b in types
    ),
)  # fmt: skip


# -- swmmac -----------------------------------------------------------------------------------------------------------


def _wave_row(k: int, a: str, b: str, c: str, words: str) -> SparseInstruction:
    held = 16 * k // 2 // 32
    carriers = _wave_carrier(a, held), _wave_carrier(b, 2 * held), _wave_carrier(c, 8)
    return SparseInstruction((16, 16, k), a, b, c, "swmmac", f"{c}.16x16x{k}.{words}", carriers, "swmmac")


def _wave_carrier(type: str, count: int) -> str:
    """The type that carries operands: words for numbers of up to 8 bits, the bits of bf16."""
    element = {"f16": "half", "bf16": "i16", "f32": "float", "i32": "i32"}.get(type)
    words = count if element is not None else count * ELEMENT_BITS[type] // 32
    return f"<{words} x {element or 'i32'}>" if words > 1 else "i32"


_FP8 = ("f8E4M3FN", "f8E5M2")
SWMMAC = (
    *(_wave_row(32, type, type, sums, type) for type in ("f16", "bf16") for sums in ("f32", type)),
    *(
        _wave_row(k, a, b, "i32", f"iu{bits}")
        for bits, k in ((8, 32), (4, 32), (4, 64))
        for a in (f"i{bits}", f"ui{bits}")
        for b in (f"i{bits}", f"ui{bits}")
    ),
    *(_wave_row(32, a, b, "f32", f"{FP8_SPELLING[a]}.{FP8_SPELLING[b]}") for a in _FP8 for b in _FP8),
)
"""Integers of either sign: a flag in front of A and of B says whether it is signed."""
