"""Probes of instructions of four subgroups: A from registers and from shared memory, in one kernel.

B's tile lies in shared memory as (column, k), A's as (row, k), both in rows of 32 bytes, in the order that descriptors
of that swizzle mode mean. So a probe judges fragments of A and of the accumulators, the order, and the descriptors.
"""

from __future__ import annotations

import numpy as np

from ..ir.numerics import Array
from ..targets import MatrixInstruction
from ..targets.matrix_instruction import ELEMENT_BITS

WAYS = 2
"""A in registers, then A in shared memory."""
_ROW_BYTES = 32
WORKGROUP = "#gpu.address_space<workgroup>"


def patterns(instruction: MatrixInstruction) -> Array:
    """[pattern, row, k]: one element of each row is 1, each in one of `k` patterns. Which, is drawn for each row: no
    order of elements that hardware might have turns every pattern into itself."""
    m, _, k = instruction.shape
    drawn = np.random.default_rng(0).integers(0, k, m)
    return np.stack([np.eye(k)[(drawn + number) % k] for number in range(k)])


def program(instruction: MatrixInstruction, a: str, b: str, d: str) -> str:
    """In the thread stage; `a`, `b` and `d` are element types as programs have them. Arguments: fragments of A, A, B,
    and the accumulators of both ways."""
    m, n, k = instruction.shape
    lanes, count = instruction.subgroup_size * instruction.subgroups, instruction.d.elements
    held, accumulator = instruction.a.elements, f"vector<{count}x{d}>"
    fragments, out = f"memref<?x{lanes}x{held}x{a}>", f"memref<?x?x{WAYS}x{lanes}x{count}x{d}>"
    zero = "0" if d == "i32" else "0.0"
    kind = f"kind = #lanewise.mma_layout<{instruction.iree_name}>, depth = {k} : i64"
    tiles = {"a": f"memref<{m}x{k}x{a}, {WORKGROUP}>", "b": f"memref<{n}x{k}x{b}, {WORKGROUP}>"}
    lines = [
        *(f"%{name} = gpu.{op}" for name, op in (("t", "thread_id x"), ("x", "block_id x"), ("y", "block_id y"))),
        *(f"%c{number} = arith.constant {number} : index" for number in (0, 1)),
        f"%all = arith.constant {lanes} : index",
        f"%w = arith.constant {k} : index",
        *tile("a", m * k, f"memref<?x{m}x{k}x{a}>", tiles["a"], ELEMENT_BITS[instruction.a_type], "x"),
        *tile("b", n * k, f"memref<?x{n}x{k}x{b}>", tiles["b"], ELEMENT_BITS[instruction.b_type], "y"),
        "nvvm.fence.proxy <async.shared>, space = <cta>",
        "gpu.barrier",
        f"%zero = arith.constant dense<{zero}> : {accumulator}",
        f"%f = vector.load %mf[%x, %t, %c0] : {fragments}, vector<{held}x{a}>",
        f"%d0 = lanewise.warpgroup_mma_held %f, %tb[%c0, %c0], %zero {{{kind}}}"
        f" : vector<{held}x{a}>, {tiles['b']}, {accumulator}",
        f"%d1 = lanewise.warpgroup_mma %ta[%c0, %c0], %tb[%c0, %c0], %zero {{{kind}}}"
        f" : {tiles['a']}, {tiles['b']}, {accumulator}",
        *(f"vector.store %d{way}, %out[%x, %y, %c{way}, %t, %c0] : {out}, {accumulator}" for way in range(WAYS)),
    ]
    body = "\n".join(f"  {line}" for line in lines)
    arguments = f"%mf: {fragments}, %ma: memref<?x{m}x{k}x{a}>, %mb: memref<?x{n}x{k}x{b}>, %out: {out}"
    head = f"gpu.known_block_size = array<i32: {lanes}, 1, 1>"
    return (
        'module attributes {lanewise.stage = "thread"} {\n'
        f"gpu.func @probe({arguments}) kernel attributes {{{head}}} {{\n{body}\n  gpu.return\n}}\n}}\n"
    )


def tile(name: str, count: int, source: str, buffer: str, bits: int, block: str) -> list[str]:
    """Copies a matrix element by element."""
    row = _ROW_BYTES * 8 // bits
    order = f"{{iree_codegen.swizzle = #lanewise.xor_shuffle<{row}, {row // 2}, {row}, 4>}}"
    return [
        f"%t{name} = memref.alloc() {order} : {buffer}",
        f"%n{name} = arith.constant {count} : index",
        f"scf.for %i{name} = %t to %n{name} step %all {{",
        f"  %r{name} = arith.divui %i{name}, %w : index",
        f"  %k{name} = arith.remui %i{name}, %w : index",
        f"  %v{name} = memref.load %m{name}[%{block}, %r{name}, %k{name}] : {source}",
        f"  memref.store %v{name}, %t{name}[%r{name}, %k{name}] : {buffer}",
        "}",
    ]
