"""NVIDIA's `mma.sync`: fragments from the PTX ISA, section "Warp-level matrix instructions"; all run in 32 lanes.

`m8n8k4` on f16 (sm_70) is not listed: its quad-pair fragments are no nested layout.
"""

from __future__ import annotations

from typing import NamedTuple

from .matrix_instruction import ELEMENT_BITS, Fragment, MatrixInstruction, Registers, iree_spelling

_K_OUTER_SLOWEST = (1, 0, 2, 3)  # registers of A run over rows within each half of K
_NATURAL = (0, 1, 2, 3)


class _Row(NamedTuple):
    m: int
    n: int
    k: int
    operands: str  # element type of A and B
    accumulator: str
    requires: str
    llvm_suffix: str  # after `llvm.nvvm.mma.m..n..k...row.col.`


_FP8_SPELLING = {"f8E4M3FN": "e4m3", "f8E5M2": "e5m2"}
_FP8_PAIRS = [(a, b) for a in _FP8_SPELLING for b in _FP8_SPELLING]

_ROWS = (
    _Row(16, 8, 8, "f16", "f32", "mma.m16n8k8", "f32.f32"),
    _Row(16, 8, 8, "f16", "f16", "mma.m16n8k8", "f16.f16"),
    _Row(16, 8, 8, "bf16", "f32", "mma.m16n8k16", "bf16"),
    _Row(16, 8, 16, "f16", "f32", "mma.m16n8k16", "f32.f32"),
    _Row(16, 8, 16, "f16", "f16", "mma.m16n8k16", "f16.f16"),
    _Row(16, 8, 16, "bf16", "f32", "mma.m16n8k16", "bf16"),
    _Row(16, 8, 4, "tf32", "f32", "mma.tf32", "tf32"),
    _Row(16, 8, 8, "tf32", "f32", "mma.tf32", "tf32"),
    _Row(8, 8, 16, "i8", "i32", "mma.m8n8k16.i8", "s8"),
    _Row(16, 8, 16, "i8", "i32", "mma.i8", "s8"),
    _Row(16, 8, 32, "i8", "i32", "mma.i8", "s8"),
    _Row(8, 8, 4, "f64", "f64", "mma.f64", "f64"),
    _Row(16, 8, 4, "f64", "f64", "mma.f64.m16n8", "f64"),
    _Row(16, 8, 8, "f64", "f64", "mma.f64.m16n8", "f64"),
    _Row(16, 8, 16, "f64", "f64", "mma.f64.m16n8", "f64"),
)

# The LLVM type that carries each element type in a register.
_CARRIERS = {"f16": "<2 x half>", "f32": "float", "f64": "double", "i32": "i32"}
_CARRIER_BITS = {"<2 x half>": 32, "float": 32, "double": 64, "i32": 32}


def _registers(element_type: str, elements: int) -> Registers:
    carrier = _CARRIERS.get(element_type, "i32")
    slots = _CARRIER_BITS[carrier] // ELEMENT_BITS[element_type]
    return Registers(carrier, elements // slots, slots)


def _fragment_a(m: int, k: int, element_type: str) -> Fragment:
    """Rows over lane // 4, K over lane % 4, with `width` elements of K next to each other."""
    width = _width(element_type)
    outer = (m // 8, k // (4 * width))
    registers = _registers(element_type, outer[0] * outer[1] * width)
    order = _K_OUTER_SLOWEST if outer[1] > 1 else _NATURAL
    return Fragment(outer, (8, 4), (4, 1), (1, width), order, registers)


def _fragment_b(k: int, element_type: str) -> Fragment:
    width = _width(element_type)
    outer = k // (4 * width)
    return Fragment((outer, 1), (4, 8), (1, 4), (width, 1), _NATURAL, _registers(element_type, outer * width))


def _fragment_c(m: int, element_type: str) -> Fragment:
    return Fragment((m // 8, 1), (8, 4), (4, 1), (1, 2), _NATURAL, _registers(element_type, m // 4))


def _width(element_type: str) -> int:
    """Elements of A and B that share one 32-bit register; f64 takes a register pair each."""
    return max(1, 32 // ELEMENT_BITS[element_type])


def _instruction(
    shape: tuple[int, int, int], a_type: str, b_type: str, c_type: str, requires: str, suffix: str
) -> MatrixInstruction:
    m, n, k = shape
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
        a=_fragment_a(m, k, a_type),
        b=_fragment_b(k, b_type),
        c=_fragment_c(m, c_type),
        requires=requires,
        subgroup_size=32,
        llvm_name=f"llvm.nvvm.mma.{spelled}.row.col.{suffix}",
    )


def _fp8(a_type: str, b_type: str) -> MatrixInstruction:
    suffix = f"f32.{_FP8_SPELLING[a_type]}.{_FP8_SPELLING[b_type]}.f32"
    return _instruction((16, 8, 32), a_type, b_type, "f32", "mma.fp8", suffix)


MMA_SYNC = (
    *(_instruction((r.m, r.n, r.k), r.operands, r.operands, r.accumulator, r.requires, r.llvm_suffix) for r in _ROWS),
    *(_fp8(a, b) for a, b in _FP8_PAIRS),
)
