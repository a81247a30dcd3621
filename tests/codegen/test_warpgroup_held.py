"""lanewise.warpgroup_mma_held: an A of every type in lanes' registers, by interpreter and emulator, products by numpy.

Which element of A a lane has is the PTX ISA's closed formula ("Register Fragments for wgmma.mma_async.m64nNk16" and its
neighbours for the other K).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from lanewise.codegen.assemble import assemble, has_tool
from lanewise.distribute.interpret import interpret_kernel
from lanewise.ir.kernels import find_kernel
from lanewise.ir.parser import parse_program
from lanewise.ir.verify import verify
from lanewise.support.diagnostics import LanewiseError
from lanewise.targets import find_chip, find_matrix_instruction

from .conftest import compiled, kernel_text, launched
from .test_matrix import TYPES
from .test_warpgroup import WORKGROUP, at, order, replaced, tiles

K_OF_A: dict[int, Callable[[int, int], tuple[int, int]]] = {
    16: lambda t, i: (i >> 1 & 1, 2 * t + (i & 1) + 8 * (i >> 2)),
    32: lambda t, i: (i >> 2 & 1, 16 * (i >> 3) + 4 * t + (i & 3)),
    8: lambda t, i: (i & 1, t + 4 * (i >> 1)),
}
"""By K of the instruction: which half of a subgroup's rows, and k, of lane % 4 and element."""


def held(matrix: Any, step: int) -> Any:
    """[lane, element] of A, steps along K one after the other."""
    depth = matrix.shape[1]
    found = np.empty((128, depth // 2), matrix.dtype)
    for lane in range(128):
        for i in range(depth // 2):
            number, inside = divmod(i, step // 2)
            half, k = K_OF_A[step](lane % 4, inside)
            found[lane, i] = matrix[16 * (lane // 32) + lane % 32 // 4 + 8 * half, number * step + k]
    return found


def program(name: str, depth: int, major: bool = True, edit: Any = lambda text: text) -> str:
    """Loads each lane's part of A, copies B to shared memory, adds the product to ones, writes each lane's sums."""
    i = find_matrix_instruction(name)
    n = i.shape[1]
    a, b, c = ({"ui8": "i8", "tf32": "f32"}.get(t, t) for t in (i.a_type, i.b_type, i.c_type))
    rows, columns = (n, depth) if major else (depth, n)
    size = np.dtype(TYPES[b]).itemsize
    tile = f"memref<{rows}x{columns}x{b}, {WORKGROUP}>"
    one = "1" if c == "i32" else "1.0"
    part, sums = f"vector<{depth // 2}x{a}>", f"vector<{n // 2}x{c}>"
    lines = [
        "  %t = gpu.thread_id x",
        "  %c0 = arith.constant 0 : index",
        "  %all = arith.constant 128 : index",
        f"  %w = arith.constant {columns} : index",
        f"  %count = arith.constant {rows * columns} : index",
        f"  %s = memref.alloc() {order(columns * size, size)} : {tile}",
        "  scf.for %i = %t to %count step %all {",
        "    %r = arith.divui %i, %w : index",
        "    %k = arith.remui %i, %w : index",
        f"    %v = memref.load %b[%r, %k] : memref<{rows}x{columns}x{b}>",
        f"    memref.store %v, %s[%r, %k] : {tile}",
        "  }",
        "  nvvm.fence.proxy <async.shared>, space = <cta>",
        "  gpu.barrier",
        f"  %one = arith.constant dense<{one}> : {sums}",
        f"  %f = vector.load %a[%t, %c0] : memref<128x{depth // 2}x{a}>, {part}",
        f"  %d = lanewise.warpgroup_mma_held %f, %s[%c0, %c0], %one {{kind = #lanewise.mma_layout<{name}>,"
        f" depth = {depth} : i64{'' if major else ', transposeB'}}} : {part}, {tile}, {sums}",
        f"  vector.store %d, %out[%t, %c0] : memref<128x{n // 2}x{c}>, {sums}",
    ]
    arguments = [f"%a: memref<128x{depth // 2}x{a}>", f"%b: memref<{rows}x{columns}x{b}>"]
    arguments.append(f"%out: memref<128x{n // 2}x{c}>")
    return str(edit(kernel_text(", ".join(arguments), "\n".join(lines), (128, 1, 1))))


CASES = [
    ("NV_WGMMA_F32_64x8x16_F16", 64, True),
    ("NV_WGMMA_F32_64x64x16_BF16", 32, False),
    ("NV_WGMMA_F16_64x24x16_F16", 32, True),
    ("NV_WGMMA_F32_64x16x8_TF32", 16, True),
    ("NV_WGMMA_F32_64x8x32_F8E4M3FN_F8E5M2", 128, True),
    ("NV_WGMMA_I32_64x8x32_UI8_I8", 64, True),
]


@pytest.mark.parametrize(("name", "depth", "major"), CASES)
def test_products(name: str, depth: int, major: bool) -> None:
    i = find_matrix_instruction(name)
    left, right = tiles(name, depth)
    total = 1 + left.astype(np.float64) @ right.astype(np.float64).T
    n, element = i.shape[1], TYPES[i.c_type]
    wanted = np.array([[total[at(lane, e)] for e in range(n // 2)] for lane in range(128)]).astype(element)
    given = [held(left, i.shape[2]), right if major else np.ascontiguousarray(right.T)]
    given = [m.view(np.int8) if m.dtype == np.uint8 else m for m in given]
    arguments = [*given, np.zeros((128, n // 2), element)]
    text = program(name, depth, major)
    artifacts = compiled(text, "sm_90a")
    assert np.array_equal(launched(artifacts, arguments)[2], wanted)
    interpreted = [a.copy() for a in arguments]
    interpret_kernel(find_kernel(parse_program(text)), (1, 1, 1), interpreted, subgroup_size=32)
    assert np.array_equal(interpreted[2], wanted)
    if has_tool("ptxas"):
        assert assemble(artifacts.assembly, find_chip("sm_90a")).warnings == ()  # nothing is serialised


PLAIN = "NV_WGMMA_F32_64x8x16_F16"
REFUSED = {
    "fragmentsA of NV_WGMMA_F32_64x8x16_F16 must be vector<24xf16>, found vector<32xf16>": replaced(
        "depth = 64", "depth = 48"
    ),
    "matrixB needs 2 indices, found 1": replaced("%s[%c0, %c0], %one", "%s[%c0], %one"),
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_does_not_fit_is_refused(message: str) -> None:
    with pytest.raises(LanewiseError, match=message):
        verify(parse_program(program(PLAIN, 64, edit=REFUSED[message])))
