"""NVIDIA's `mma.sync` (PTX ISA, "Warp-level matrix instructions"); all run in 32 lanes.

`m8n8k4` on f16 (sm_70) is not listed: its quad-pair fragments are no nested layout.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..support.late import LateRows, LateTable
from ..support.named_tuples import NamedTuple
from . import nvidia_fragments
from .fragment import Fragment, Operands
from .matrix_instruction import ELEMENT_BITS, MatrixInstruction, Operand, Registers, iree_spelling


class _Row(NamedTuple):
    m: int
    n: int
    k: int
    a: str
    b: str
    accumulator: str
    requires: str
    llvm_suffix: str  # after `llvm.nvvm.mma.m..n..k...row.col.`


PTX_SPELLING = {
    "i8": "s8", "ui8": "u8", "i4": "s4", "ui4": "u4", "f8E4M3FN": "e4m3", "f8E5M2": "e5m2",
    "f6E2M3FN": "e2m3", "f6E3M2FN": "e3m2", "f4E2M1FN": "e2m1", "i32": "s32",
}  # fmt: skip
"""How PTX names element types that it does not name as MLIR does."""


def _integers(m: int, k: int, a: str, b: str, requires: str) -> _Row:
    suffix = PTX_SPELLING[a] if a == b else f"{PTX_SPELLING[a]}.{PTX_SPELLING[b]}"
    return _Row(m, 8, k, a, b, "i32", requires, suffix)


def _small_floats(k: int, a: str, b: str, accumulator: str, requires: str, kind: str = "") -> _Row:
    return _Row(
        16, 8, k, a, b, accumulator, requires, f"{kind}{accumulator}.{PTX_SPELLING[a]}.{PTX_SPELLING[b]}.{accumulator}"
    )


FP8 = ("f8E4M3FN", "f8E5M2")
SHORTER = ("f6E2M3FN", "f6E3M2FN", "f4E2M1FN")
"""Elements that lie in a byte each, of which some bits count."""

_ROWS = (
    _Row(16, 8, 8, "f16", "f16", "f32", "mma.m16n8k8", "f32.f32"),
    _Row(16, 8, 8, "f16", "f16", "f16", "mma.m16n8k8", "f16.f16"),
    _Row(16, 8, 8, "bf16", "bf16", "f32", "mma.m16n8k16", "bf16"),
    _Row(16, 8, 16, "f16", "f16", "f32", "mma.m16n8k16", "f32.f32"),
    _Row(16, 8, 16, "f16", "f16", "f16", "mma.m16n8k16", "f16.f16"),
    _Row(16, 8, 16, "bf16", "bf16", "f32", "mma.m16n8k16", "bf16"),
    _Row(16, 8, 4, "tf32", "tf32", "f32", "mma.tf32", "tf32"),
    _Row(16, 8, 8, "tf32", "tf32", "f32", "mma.tf32", "tf32"),
    *(
        _integers(m, k, a, b, requires)
        for types, m, k, requires in (
            (("i8", "ui8"), 8, 16, "mma.m8n8k16.i8"),
            (("i8", "ui8"), 16, 16, "mma.i8"),
            (("i8", "ui8"), 16, 32, "mma.i8"),
            (("i4", "ui4"), 8, 32, "mma.m8n8k32.i4"),
            (("i4", "ui4"), 16, 32, "mma.i4"),
            (("i4", "ui4"), 16, 64, "mma.i4"),
        )
        for a in types
        for b in types
    ),
    _Row(8, 8, 4, "f64", "f64", "f64", "mma.f64", "f64"),
    _Row(16, 8, 4, "f64", "f64", "f64", "mma.f64.m16n8", "f64"),
    _Row(16, 8, 8, "f64", "f64", "f64", "mma.f64.m16n8", "f64"),
    _Row(16, 8, 16, "f64", "f64", "f64", "mma.f64.m16n8", "f64"),
    *(
        _small_floats(k, a, b, accumulator, requires)
        for k, accumulator, requires in (
            (32, "f32", "mma.fp8"),
            (16, "f32", "mma.fp8.short"),
            (32, "f16", "mma.fp8.f16"),
            (16, "f16", "mma.fp8.f16"),
        )
        for a in FP8
        for b in FP8
    ),
    *(
        _small_floats(32, a, b, accumulator, "mma.f8f6f4", "kind.f8f6f4.")
        for a in (*FP8, *SHORTER)
        for b in (*FP8, *SHORTER)
        if {a, b} & {*SHORTER}
        for accumulator in ("f32", "f16")
    ),
)

# The LLVM type that carries each element type in a register.
_CARRIERS = {"f16": "<2 x half>", "f32": "float", "f64": "double", "i32": "i32"}
_CARRIER_BITS = {"<2 x half>": 32, "float": 32, "double": 64, "i32": 32}


# Bits of the place that an element of less than a byte takes, and its lowest bit there; PTX ISA, "mma" with f8f6f4.
_BYTES = {"f6E2M3FN": 0, "f6E3M2FN": 0, "f4E2M1FN": 2}


def _registers(element_type: str, elements: int) -> Registers:
    carrier = _CARRIERS.get(element_type, "i32")
    slots = _CARRIER_BITS[carrier] // register_bits(element_type)
    shift = _BYTES.get(element_type)
    return Registers(carrier, elements // slots, slots, byte_shift=shift)


def operand_a(m: int, k: int, element_type: str) -> Operand:
    """The operand of m x k elements of A."""
    return passed(nvidia_fragments.mma_a(m, k, register_bits(element_type)), element_type)


def operand_b(k: int, element_type: str) -> Operand:
    """The operand of k x 8 elements of B."""
    return passed(nvidia_fragments.mma_b(k, register_bits(element_type)), element_type)


def operand_c(m: int, element_type: str) -> Operand:
    """The operand of m x 8 accumulators."""
    return passed(nvidia_fragments.mma_c(m), element_type)


def passed(fragment: Fragment, element_type: str) -> Operand:
    """In the registers of PTX, 32 bits wide, of f64 64."""
    return Operand.of(fragment, _registers(element_type, fragment.elements))


def register_bits(element_type: str) -> int:
    """That an element takes in its register."""
    return 8 if element_type in _BYTES else ELEMENT_BITS[element_type]


def _instruction(row: _Row) -> MatrixInstruction:
    m, n, k, a_type, b_type, c_type, requires, suffix = row
    shape = m, n, k
    spelled = f"m{m}n{n}k{k}"
    types = ".".join([c_type, a_type, b_type, c_type])
    return MatrixInstruction(
        name=f"mma.sync.{spelled}.{types}",
        iree_name=iree_spelling("NV_MMA_SYNC", shape, a_type, b_type, c_type),
        family="mma.sync",
        shape=shape,
        a_type=a_type,
        b_type=b_type,
        c_type=c_type,
        a=operand_a(m, k, a_type),
        b=operand_b(k, b_type),
        c=operand_c(m, c_type),
        requires=requires,
        subgroup_size=32,
        llvm_name=f"llvm.nvvm.mma.{spelled}.row.col.{suffix}",
    )


MMA_SYNC = LateRows(lambda: map(_instruction, _ROWS))
FRAGMENTS: Mapping[tuple[tuple[int, int, int], int], Operands] = LateTable(
    lambda: {
        (i.shape, bits): nvidia_fragments.mma(i.shape[0], i.shape[2], bits)
        for i in MMA_SYNC
        for bits in (register_bits(i.a_type),)
    }
)
"""By (m, n, k) and the bits that an element of A takes in its register."""
