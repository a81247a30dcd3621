"""NVIDIA's products of a sparse A (mma.sp): operations choose them, the compiler does not.

Compressed, A has the fragment of the dense product of half the depth; B has that of a dense product of this depth, C
that of all. Which elements are held, 2 bits each say (PTX ISA, "Sparse matrix storage"): of every four the two that
are there; of 4-bit elements two pairs of every four pairs; of tf32 one of two, as the two halves that it consists of.

Where metadata is: the PTX ISA's figures for f16 and bf16; for narrower elements also CUTLASS' `ELayout` of sm_120's
sparse atoms and its order of E for `IMMA` on sm_90, and what its `reorder_meta` prepares for ldmatrix. All agree.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator

from ..support.dataclasses import dataclass
from ..support.late import LateRows, LateTable
from . import nvidia_fragments
from .chip import Chip
from .matrix_instruction import ELEMENT_BITS, MatrixInstruction
from .mma_sync import FP8, PTX_SPELLING, SHORTER, operand_a, operand_b, operand_c, register_bits

FEATURE = "mma.sp"


@dataclass(frozen=True, slots=True)
class SparseMma(MatrixInstruction):
    """`shape` is that of the dense product; `a` is the fragment of the m x k / 2 elements that are held."""

    @property
    def row_halves(self) -> int:
        """Metadata of a row of A, in units of 16 bits: four times two fields of 2 bits."""
        return nvidia_fragments.metadata_halves(self.shape[2], register_bits(self.a_type))

    @property
    def selectors(self) -> int:
        """In so many sets of lanes the metadata may be: one, two or all of every four neighbours have it."""
        return nvidia_fragments.QUAD // self.row_halves

    def metadata_place(self, row: int, part: int, selector: int) -> tuple[int, int]:
        """Lane, and half of its register, of 16 bits that belong to a row of A, low ones first."""
        lane, half = nvidia_fragments.metadata(self.shape[2], register_bits(self.a_type))(row, part, selector)
        return lane, half


@functools.cache
def sparse_mma(chip: Chip) -> tuple[SparseMma, ...]:
    """Those that a chip has; empty for chips without."""
    return tuple(instruction for instruction in MMA_SPARSE if chip.supports(instruction.requires))


def _row(k: int, a: str, b: str, c: str, requires: str, words: str) -> SparseMma:
    operand_types = a if a == b else f"{a}.{b}"
    return SparseMma(
        name=f"mma.sp.m16n8k{k}.{operand_types}.{c}",
        iree_name="",
        family="mma.sp",
        shape=(16, 8, k),
        a_type=a,
        b_type=b,
        c_type=c,
        a=operand_a(16, k // 2, a),
        b=operand_b(k, b),
        c=operand_c(16, c),
        requires=requires,
        subgroup_size=32,
        llvm_name=f"llvm.nvvm.mma.sp.ordered.metadata.m16n8k{k}.row.col.{words}",
    )


def _floats(k: int, a: str, b: str, c: str, requires: str, kind: str = "") -> SparseMma:
    return _row(k, a, b, c, requires, f"{kind}{c}.{PTX_SPELLING[a]}.{PTX_SPELLING[b]}.{c}")


def _integers(k: int, a: str, b: str) -> SparseMma:
    return _row(k, a, b, "i32", FEATURE, PTX_SPELLING[a] if a == b else f"{PTX_SPELLING[a]}.{PTX_SPELLING[b]}")


def _rows() -> Iterator[SparseMma]:
    for k in (16, 32):
        yield _row(k, "f16", "f16", "f16", FEATURE, "f16.f16")
        yield _row(k, "f16", "f16", "f32", FEATURE, "f32.f32")
        yield _row(k, "bf16", "bf16", "f32", FEATURE, "bf16")
    for k in (8, 16):
        yield _row(k, "tf32", "tf32", "f32", FEATURE, "tf32")
    for types in (("i8", "ui8"), ("i4", "ui4")):
        shallow = 256 // ELEMENT_BITS[types[0]]
        for k, a, b in itertools.product((shallow, 2 * shallow), types, types):
            yield _integers(k, a, b)
    for a, b in itertools.product(FP8, FP8):
        yield _floats(64, a, b, "f32", "mma.sp.fp8")
    for a, b, c in itertools.product((*FP8, *SHORTER), (*FP8, *SHORTER), ("f32", "f16")):
        if c == "f16" or {a, b} & {*SHORTER}:
            yield _floats(64, a, b, c, "mma.f8f6f4", "kind.f8f6f4.")


MMA_SPARSE = LateRows(_rows)


def find(shape: tuple[int, int, int], a_type: str, b_type: str, c_type: str) -> SparseMma | None:
    """The form of that shape and those types, `ui8` and `tf32` among them, whatever chip has it."""
    return _BY_TYPES.get((shape, a_type, b_type, c_type))


_BY_TYPES = LateTable(lambda: {(i.shape, i.a_type, i.b_type, i.c_type): i for i in MMA_SPARSE})
