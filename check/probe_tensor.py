"""Probes of products whose accumulators are in tensor memory: A from tensor memory and from shared memory, in one
kernel.

Tiles lie as those of `probe_warpgroup` do. A probe judges where tensor memory has rows and columns of A and of the
accumulators, the order in shared memory, and both descriptors; one thread starts each product, and four subgroups read
it."""

from __future__ import annotations

import numpy as np

from ..ir.numerics import Array
from ..targets import MatrixInstruction
from ..targets.matrix_instruction import ELEMENT_BITS
from ..targets.tcgen05 import COLUMN_BITS, COLUMNS
from .probe_warpgroup import WAYS, WORKGROUP, tile

_PIECE = 16
"""Columns that are read at once."""
_WORDS = 8
"""The words of a row of A."""
_A_AT = 256
"""The column of tensor memory from which on A is; the accumulators are before it."""
_BARRIERS = f"!nvgpu.mbarrier.group<memorySpace = {WORKGROUP}>"
_SLOT = f"memref<1xi32, {WORKGROUP}>"


def words(held: Array) -> Array:
    """[pattern, row, k] of A as it is in tensor memory."""
    return np.ascontiguousarray(held).view(np.int32)


def program(instruction: MatrixInstruction, a: str, b: str, d: str) -> str:
    """In the thread stage; `a`, `b` and `d` are element types as programs have them. Arguments: A in words, A, B, and
    the accumulators of both ways."""
    m, n, k = instruction.shape
    lanes = instruction.subgroup_size * instruction.subgroups
    sources = {"a": f"memref<?x{m}x{k}x{a}>", "b": f"memref<?x{n}x{k}x{b}>"}
    tiles = {"a": f"memref<{m}x{k}x{a}, {WORKGROUP}>", "b": f"memref<{n}x{k}x{b}, {WORKGROUP}>"}
    held, out = f"memref<?x{lanes}x{_WORDS}xi32>", f"memref<?x?x{WAYS}x{lanes}x{n}x{d}>"
    accumulator, left = _memory(m, n, d), f"!lanewise.tensor_memory<{m}x{k}x{a}>"
    together = COLUMN_BITS // ELEMENT_BITS[instruction.a_type]
    marks = [f"unsigned{s}" for s, t in (("A", instruction.a_type), ("B", instruction.b_type)) if t == "ui8"]
    flags = ", ".join([f"depth = {k} : i64", *marks, *["tf32Enabled"] * (instruction.a_type == "tf32")])
    tail = f"%tb[%c0, %c0], %no {{{flags}}} : {accumulator}"
    products = (
        f"lanewise.tcgen05.mma_held %d, %left, {tail}, {left}, {tiles['b']}",
        f"lanewise.tcgen05.mma %d, %ta[%c0, %c0], {tail}, {tiles['a']}, {tiles['b']}",
    )
    lines = [
        *(f"%{name} = gpu.{op}" for name, op in (("t", "thread_id x"), ("x", "block_id x"), ("y", "block_id y"))),
        *(f"%c{number} = arith.constant {number} : index" for number in (0, 1, 32)),
        *(f"%{name} = arith.constant {value}" for name, value in (("no", "false"), ("yes", "true"))),
        f"%all = arith.constant {lanes} : index",
        "%ticks = arith.constant 1000 : index",
        f"%w = arith.constant {k} : index",
        *_taken(),
        *tile("a", m * k, sources["a"], tiles["a"], ELEMENT_BITS[instruction.a_type], "x"),
        *tile("b", n * k, sources["b"], tiles["b"], ELEMENT_BITS[instruction.b_type], "y"),
        "nvvm.fence.proxy <async.shared>, space = <cta>",
        "gpu.barrier",
        _address("d", accumulator),
        *_store_left(held, f"!lanewise.tensor_memory<{m}x{_WORDS}xi32>", together, a, left),
        *(line for way, product in enumerate(products) for line in _way(way, product, n, d, out)),
        "gpu.barrier",
        "scf.if %low {",
        f"  lanewise.tcgen05.dealloc %d {{columns = {COLUMNS} : i32}} : {accumulator}",
        "}",
    ]
    body = "\n".join(f"  {line}" for line in lines)
    arguments = f"%mf: {held}, %ma: {sources['a']}, %mb: {sources['b']}, %out: {out} {{llvm.align = 16 : i64}}"
    head = f"gpu.known_block_size = array<i32: {lanes}, 1, 1>"
    return (
        'module attributes {lanewise.stage = "thread"} {\n'
        f"gpu.func @probe({arguments}) kernel attributes {{{head}}} {{\n{body}\n  gpu.return\n}}\n}}\n"
    )


def _memory(lanes: int, columns: int, element: str) -> str:
    return f"!lanewise.tensor_memory<{lanes}x{columns}x{element}{', padded' if element == 'f16' else ''}>"


def _address(name: str, type: str) -> str:
    return f"%{name} = lanewise.tcgen05.address %slot[%c0] : {_SLOT} -> {type}"


def _taken() -> list[str]:
    return [
        "%first = arith.cmpi eq, %t, %c0 : index",
        "%low = arith.cmpi ult, %t, %c32 : index",
        "%subgroup = arith.divui %t, %c32 : index",
        "%lane = arith.muli %subgroup, %c32 : index",
        f"%slot = memref.alloc() : {_SLOT}",
        f"%bar = nvgpu.mbarrier.create -> {_BARRIERS}",
        "scf.if %low {",
        f"  lanewise.tcgen05.alloc %slot[%c0] {{columns = {COLUMNS} : i32}} : {_SLOT}",
        "  lanewise.tcgen05.relinquish_alloc_permit",
        "}",
        "scf.if %first {",
        f"  nvgpu.mbarrier.init %bar[%c0], %c1 : {_BARRIERS}",
        "}",
    ]


def _store_left(source: str, words: str, together: int, element: str, left: str) -> list[str]:
    """Each thread puts its row of A down: by words, and seen as elements."""
    lanes = words.split("<")[1].split("x")[0]
    plain = f"!lanewise.tensor_memory<{lanes}x{COLUMNS}xi32>"
    typed = f"!lanewise.tensor_memory<{lanes}x{COLUMNS * together}x{element}>"
    part, held = f"!lanewise.tensor_memory<32x{_WORDS}xi32>", f"vector<{_WORDS}xi32>"
    return [
        _address("plain", plain),
        _address("typed", typed),
        f"%behind = arith.constant {_A_AT} : index",
        f"%element = arith.constant {_A_AT * together} : index",
        f"%left = lanewise.tcgen05.part %typed[%c0, %element] : {typed} to {left}",
        f"%own = lanewise.tcgen05.part %plain[%lane, %behind] : {plain} to {part}",
        f"%f = vector.load %mf[%x, %t, %c0] : {source}, {held}",
        f'lanewise.tcgen05.st %f, %own {{shape = "32x32b"}} : {held}, {part}',
        "lanewise.tcgen05.wait_st",
    ]


def _way(way: int, product: str, n: int, d: str, out: str) -> list[str]:
    """What was before is handed to the thread that multiplies, the accumulators to all."""
    whole, part, held = _memory(128, n, d), _memory(32, _PIECE, d), f"vector<{_PIECE}x{d}>"
    lines = [
        'lanewise.tcgen05.fence {kind = "before_thread_sync"}',
        "gpu.barrier",
        'lanewise.tcgen05.fence {kind = "after_thread_sync"}',
        "scf.if %first {",
        f"  {product}",
        f"  lanewise.tcgen05.commit %bar[%c0] : {_BARRIERS}",
        "}",
        f"nvgpu.mbarrier.try_wait.parity %bar[%c0], %{('no', 'yes')[way]}, %ticks : {_BARRIERS}",
        'lanewise.tcgen05.fence {kind = "after_thread_sync"}',
    ]
    for number in range(n // _PIECE):
        name = f"{way}_{number}"
        lines += [
            f"%at{name} = arith.constant {number * _PIECE} : index",
            f"%p{name} = lanewise.tcgen05.part %d[%lane, %at{name}] : {whole} to {part}",
            f'%u{name} = lanewise.tcgen05.ld %p{name} {{shape = "32x32b"}} : {part} -> {held}',
            f"%v{name} = lanewise.tcgen05.wait_ld %u{name} : {held}",
            f"vector.store %v{name}, %out[%x, %y, %c{way}, %t, %at{name}] : {out}, {held}",
        ]
    return lines
