"""NVIDIA's `tcgen05.mma` (sm_100a): one thread starts it, A and B lie in shared memory and the accumulators in tensor
memory.

PTX ISA, "TensorCore 5th generation family instructions". Rows of 128 with one workgroup's units (`cta_group::1`): row r
of the accumulators is lane r of tensor memory, of which subgroup w of four reads lanes 32 w to 32 w + 31; `c` is what
one of these has of it, column after column. A may lie in tensor memory too, in the same lanes. Rows of 64, two
workgroups together, a sparse A, block scales and elements of 6 and 4 bits are not listed.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator

from ..support.late import LateRows, LateTable
from . import nvidia_fragments
from .chip import Chip
from .matrix_instruction import ELEMENT_BITS, MatrixInstruction, Operand, Registers
from .mma_sync import FP8

FEATURE = "tcgen05"
LANES = nvidia_fragments.TENSOR_LANES
COLUMNS = 512
"""The columns of tensor memory, 32 bits each."""
LEAST_COLUMNS = 32
"""That may be allocated: this and powers of two times it."""
COLUMN_BITS = 32
_SUBGROUPS = 4
_K_BYTES = 32
_WIDTHS = tuple(range(16, 257, 16))
KINDS = {
    "f16": 0, "bf16": 0, "tf32": 1, "f8E4M3FN": 2, "f8E5M2": 2, "i8": 3, "ui8": 3,
}  # fmt: skip
"""By type of A, as LLVM numbers `.kind::`."""
KIND_NAMES = {type: ("f16", "tf32", "f8f6f4", "i8")[kind] for type, kind in KINDS.items()}
"""By type of A, what `.kind::` says."""
_ACCUMULATOR_CODES = {"f16": 0, "f32": 1, "i32": 2}
_OPERAND_CODES = {"f16": 0, "bf16": 1, "tf32": 2, "f8E4M3FN": 0, "f8E5M2": 1, "ui8": 0, "i8": 1}


@functools.cache
def tensor_memory_instructions(chip: Chip) -> tuple[MatrixInstruction, ...]:
    """Those that a chip has; empty for chips without tensor memory."""
    return tuple(TCGEN05) if chip.supports(FEATURE) else ()


def instruction_descriptor(instruction: MatrixInstruction, transposed: tuple[bool, bool]) -> int:
    """32 bits that say types and shape (PTX ISA, "Instruction descriptor"); `transposed`: whether K is not what is
    contiguous of A and B."""
    m, n, _ = instruction.shape
    types = _ACCUMULATOR_CODES[instruction.c_type] << 4
    types |= _OPERAND_CODES[instruction.a_type] << 7 | _OPERAND_CODES[instruction.b_type] << 10
    majors = transposed[0] << 15 | transposed[1] << 16
    return types | majors | n >> 3 << 17 | m >> 4 << 24


def _instruction(a: str, b: str, c: str, n: int) -> MatrixInstruction:
    k = _K_BYTES * 8 // ELEMENT_BITS[a]
    operand_types = a if a == b else f"{a}.{b}"
    return MatrixInstruction(
        name=f"tcgen05.mma.m{LANES}n{n}k{k}.{c}.{operand_types}",
        iree_name="",
        family="tcgen05",
        shape=(LANES, n, k),
        a_type=a,
        b_type=b,
        c_type=c,
        a=_in_memory(LANES, k),
        b=_in_memory(k, n),
        c=_accumulator(n),
        requires=FEATURE,
        subgroup_size=32,
        llvm_name="llvm.nvvm.tcgen05.mma",
        subgroups=_SUBGROUPS,
        places=(("shared", "tensor"), ("shared",)),
        accumulator_place="tensor",
    )


def _in_memory(rows: int, columns: int) -> Operand:
    return Operand.of(nvidia_fragments.in_memory(rows, columns), Registers("i64", 1, rows * columns))


def _accumulator(n: int) -> Operand:
    return Operand.of(nvidia_fragments.tensor_memory_accumulator(n), Registers("i32", n, 1))


def _types() -> Iterator[tuple[str, str, str]]:
    yield "f16", "f16", "f32"
    yield "f16", "f16", "f16"
    yield "bf16", "bf16", "f32"
    yield "tf32", "tf32", "f32"
    yield from ((a, b, "f32") for a, b in itertools.product(FP8, FP8))
    yield from ((a, b, "i32") for a, b in itertools.product(("i8", "ui8"), ("i8", "ui8")))


TCGEN05 = LateRows(lambda: (_instruction(*types, n) for types in _types() for n in _WIDTHS))
_BY_TYPES = LateTable(lambda: {(i.shape[:2], i.a_type, i.b_type, i.c_type): i for i in TCGEN05})


def find(rows: int, columns: int, a_type: str, b_type: str, c_type: str) -> MatrixInstruction | None:
    """The instruction for accumulators of so many rows and columns."""
    return _BY_TYPES.get(((rows, columns), a_type, b_type, c_type))


def shapes_of(a_type: str, b_type: str, c_type: str) -> str:
    """What to say of widths of these types; empty where there are none."""
    known = [i.shape[1] for i in TCGEN05 if (i.a_type, i.b_type, i.c_type) == (a_type, b_type, c_type)]
    return f"{LANES} x {known[0]} to {known[-1]} in steps of {known[1] - known[0]}" if known else ""
