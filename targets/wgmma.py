"""NVIDIA's `wgmma`: four subgroups together multiply 64 rows with B, and A where it lies there, in shared memory.

PTX ISA, "Asynchronous warpgroup level matrix instructions". Subgroup w of the four has rows 16w to 16w+15: `a` and `c`
are the fragments of one, that of the next is below it. `a` is what registers hold where A is there; of B, which never
is, `b` is the whole matrix. LLVM 22 has no intrinsic: `llvm_name` is the mnemonic in PTX.
"""

from __future__ import annotations

from ..support.late import LateRows
from ..support.named_tuples import NamedTuple
from . import nvidia_fragments
from .matrix_instruction import ELEMENT_BITS, MatrixInstruction, Operand, Registers, iree_spelling
from .mma_sync import PTX_SPELLING, operand_a

SUBGROUPS = nvidia_fragments.WARPGROUP
REGISTERS_BESIDE = 26
"""What a thread has to have besides the accumulators of one instruction: ptxas 13.5 refuses 64x256 (128 registers of
accumulators) below "a register target of 154" (its error C7602)."""
_K_BYTES = 32
_COLUMNS = tuple(range(8, 257, 8))
_COLUMNS_OF_BYTES = (8, 16, 24, *range(32, 257, 16))
"""What integers have."""


class _Row(NamedTuple):
    a: str
    b: str
    accumulator: str
    columns: tuple[int, ...] = _COLUMNS
    requires: str = "wgmma"


_FP8 = ("f8E4M3FN", "f8E5M2")
_INTEGERS = ("i8", "ui8")
_ROWS = (
    _Row("f16", "f16", "f32"),
    _Row("f16", "f16", "f16"),
    _Row("bf16", "bf16", "f32"),
    _Row("tf32", "tf32", "f32"),
    *(_Row(a, b, accumulator) for accumulator in ("f32", "f16") for a in _FP8 for b in _FP8),
    *(_Row(a, b, "i32", _COLUMNS_OF_BYTES, "wgmma" if a == b else "wgmma.mixed") for a in _INTEGERS for b in _INTEGERS),
)


def _accumulator(n: int, element: str) -> Operand:
    registers = Registers("i32", n // 4, 2) if element == "f16" else Registers(_CARRIERS[element], n // 2, 1)
    return Operand.of(nvidia_fragments.wgmma_accumulator(n), registers)


_CARRIERS = {"f32": "float", "i32": "i32"}


def _in_memory(k: int, n: int) -> Operand:
    return Operand.of(nvidia_fragments.in_memory(k, n), Registers("i64", 1, k * n))


def _instruction(row: _Row, n: int) -> MatrixInstruction:
    k = _K_BYTES * 8 // ELEMENT_BITS[row.a]
    shape = 64, n, k
    spelled = ".".join(PTX_SPELLING.get(t, t) for t in (row.accumulator, row.a, row.b))
    return MatrixInstruction(
        name=f"wgmma.m64n{n}k{k}.{row.accumulator}.{row.a}.{row.b}",
        iree_name=iree_spelling("NV_WGMMA", shape, row.a, row.b, row.accumulator),
        family="wgmma",
        shape=shape,
        a_type=row.a,
        b_type=row.b,
        c_type=row.accumulator,
        a=operand_a(64 // SUBGROUPS, k, row.a),
        b=_in_memory(k, n),
        c=_accumulator(n, row.accumulator),
        requires=row.requires,
        subgroup_size=32,
        llvm_name=f"wgmma.mma_async.sync.aligned.m64n{n}k{k}.{spelled}",
        subgroups=SUBGROUPS,
        places=(("registers", "shared"), ("shared",)),
    )


WGMMA = LateRows(lambda: (_instruction(row, n) for row in _ROWS for n in row.columns))
