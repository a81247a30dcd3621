"""How matrix units add: which products at once, how their addends are cut, and how each partial sum is rounded.

Vendors do not document it. The parameters are those of published bit-accurate models (MMA-Sim, arXiv 2511.10909;
Khattak and Mikaitis, arXiv 2512.07004), which were compared with the hardware. For WMMA there is no model: it is taken
to round every product's addition to nearest, which bounds any order that rounds so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from ..support.dataclasses import dataclass, replace
from .chip import Chip, compute_capability
from .matrix_instruction import Family, MatrixInstruction

SIGNIFICANT_BITS: Mapping[str, int] = {
    "f64": 53, "f32": 24, "tf32": 11, "f16": 11, "bf16": 8,
    "f8E4M3FN": 4, "f8E4M3FNUZ": 4, "f8E5M2": 3, "f8E5M2FNUZ": 3,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Accumulation:
    """One way to add the products of a contraction to its accumulator.

    `group` products are added at once, then the sum is rounded to `bits` significant bits. Where `fraction_bits` is a
    number, addends are cut below 2^-fraction_bits of the largest one's leading bit before they are added; the
    accumulator is one of them where `aligns_accumulator`, else it is added to the group's sum. `flushes`: subnormal
    operands and partial sums may count as zero. `operand_bits`: operands are brought to so many significant bits first,
    rounded or cut.
    """

    group: int
    bits: int
    rounding: Literal["nearest", "zero"] = "nearest"
    fraction_bits: int | None = None
    aligns_accumulator: bool = False
    flushes: bool = False
    operand_bits: int | None = None


def chain(element: str) -> Accumulation:
    """Fused multiply-adds one after another."""
    return Accumulation(1, SIGNIFICANT_BITS[element])


def accumulation(instruction: MatrixInstruction, chip: Chip) -> Accumulation | None:
    """How `instruction` adds on `chip`; None where it adds integers, which is exact."""
    if instruction.c_type == "i32":
        return None
    found = _FAMILIES[instruction.family](instruction, chip)
    return replace(found, operand_bits=SIGNIFICANT_BITS["tf32"]) if instruction.a_type == "tf32" else found


def _tensor_core(instruction: MatrixInstruction, chip: Chip) -> Accumulation:
    """All addends are aligned to the largest and cut; f32 results are cut too, f16 ones rounded."""
    if instruction.a_type == "f64":
        return chain("f64")
    capability, k = compute_capability(chip.name), instruction.shape[2]
    ampere = 80 <= capability < 90  # one instruction is two halves, but for the shortest ones
    halves = ampere and k > {"tf32": 4}.get(instruction.a_type, 8)
    short = capability == 89 and instruction.a_type.startswith("f8")
    fraction = 13 if short else 25 if capability >= 90 else 24
    single = instruction.c_type == "f32"
    bits = fraction + 1 if short and single else SIGNIFICANT_BITS[instruction.c_type]
    return Accumulation(k // 2 if halves else k, bits, "zero" if single else "nearest", fraction, True)


def _matrix_core(instruction: MatrixInstruction, chip: Chip) -> Accumulation:
    """CDNA 1 and 2 add short groups in pairs, in f32; later ones fuse longer groups."""
    if instruction.a_type in ("f32", "f64"):
        return chain(instruction.c_type)
    if not chip.supports("mfma.i8.k32"):
        pairs = instruction.a_type == "bf16" and instruction.requires == "mfma.bf16"
        return Accumulation(2 if pairs else 4, 24, flushes=chip.supports("mfma.f64"))
    group = 4 if instruction.a_type == "tf32" else 16 if instruction.a_type.startswith("f8") else 8
    return Accumulation(min(group, instruction.shape[2]), 24, fraction_bits=24)


def _wmma(instruction: MatrixInstruction, chip: Chip) -> Accumulation:
    return chain(instruction.c_type)


_FAMILIES: Mapping[Family, Callable[[MatrixInstruction, Chip], Accumulation]] = {
    "mma.sync": _tensor_core,
    "wgmma": _tensor_core,
    "mfma": _matrix_core,
    "wmma": _wmma,
}
