"""AMD's products of a sparse A (CDNA3 and CDNA4, 64 lanes): operations choose them, the compiler does not.

Which lane holds what follows from the dense instructions: a lane's elements of B are those that it has for a dense
product of twice its elements of A.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

from .chip import Chip
from .matrix_instruction import ELEMENT_BITS
from .mfma import FP8_FAMILIES, FP8_SPELLING

_LANES = 64


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


@functools.cache
def sparse_instructions(chip: Chip) -> tuple[SparseInstruction, ...]:
    """Those that a chip has; empty for chips without."""
    return tuple(instruction for instruction in SMFMAC if chip.supports(instruction.requires))


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
