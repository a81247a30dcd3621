"""Every matrix instruction of the target tables, through LLVM and the emulator, against a plain product.

Operands are laid out by the nested layouts of the tables; the emulator has formulas of its own. Where the two disagree
about who holds which element, the product comes out wrong.
"""

from __future__ import annotations

import itertools
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from lanewise.ir.targets import Fragment, MatrixInstruction, find_chip, matrix_instructions

from .support import CHIPS

GLOBAL = "ptr addrspace(1)"
TYPES: dict[str, Any] = {
    "f64": np.float64,
    "f32": np.float32,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "i8": np.int8,
    "i32": np.int32,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
    "xf32": np.float32,
    "tf32": np.float32,
}
CASES = [
    pytest.param(chip, instruction, id=f"{chip}-{instruction.name}")
    for chip in CHIPS
    for instruction in matrix_instructions(find_chip(chip))
    if chip != "gfx1201"
]


def places(fragment: Fragment, lanes: int) -> np.ndarray:
    """[lane, element, dimension] of a fragment, in register order."""
    rank = fragment.rank
    sizes = (*fragment.outer, *fragment.element)
    out = []
    for lane in range(lanes):
        for index in itertools.product(*(range(sizes[axis]) for axis in fragment.register_order)):
            at = dict(zip(fragment.register_order, index, strict=True))
            for d in range(rank):
                stride = fragment.thread_strides[d]
                thread = lane // stride % fragment.thread[d] if stride else 0
                out.append((at[d] * fragment.thread[d] + thread) * fragment.element[d] + at[rank + d])
    return np.array(out).reshape(lanes, -1, rank)


def scatter_to_lanes(matrix: np.ndarray, fragment: Fragment, lanes: int) -> np.ndarray:
    """[lane, slot]: what each lane passes in registers."""
    where = places(fragment, lanes)
    held = matrix[tuple(where[..., d] for d in range(fragment.rank))]
    slots = np.zeros((lanes, held.shape[1] * fragment.registers.slot_stride), matrix.dtype)
    slots[:, :: fragment.registers.slot_stride] = held
    return slots


def kernel(instruction: MatrixInstruction, lanes: int) -> str:
    types = {name: getattr(instruction, name).registers.llvm_type for name in "abc"}
    lines, arguments, declared = [], [], []
    for name in "abc":
        lines += [
            f"%p{name} = getelementptr {types[name]}, {GLOBAL} %{name}, i32 %t",
            f"%v{name} = load {types[name]}, {GLOBAL} %p{name}",
        ]
    for argument in instruction.arguments:
        text = f"{types[argument]} %v{argument}" if argument in types else argument
        arguments.append(text)
        declared.append(text.split(" %")[0] if argument in types else argument.rpartition(" ")[0])
    result = types["c"]
    return (
        "declare i32 @llvm.amdgcn.workitem.id.x()\n"
        f"declare {result} @{instruction.llvm_name}({', '.join(declared)})\n"
        f"define amdgpu_kernel void @k({GLOBAL} %a, {GLOBAL} %b, {GLOBAL} %c, {GLOBAL} %d) #0 {{\n"
        "%t = call i32 @llvm.amdgcn.workitem.id.x()\n" + "\n".join(lines) + "\n"
        f"%r = call {result} @{instruction.llvm_name}({', '.join(arguments)})\n"
        f"%pd = getelementptr {result}, {GLOBAL} %d, i32 %t\nstore {result} %r, {GLOBAL} %pd\nret void\n}}\n"
        f'attributes #0 = {{ "amdgpu-flat-work-group-size"="{lanes},{lanes}" "uniform-work-group-size"="true" }}\n'
    )


@pytest.mark.parametrize(("chip", "instruction"), CASES)
def test_product(chip, instruction, compiled, bench):
    lanes = instruction.subgroup_size
    rng = np.random.default_rng(len(instruction.name))
    operands = {}
    for name, kind in (("a", instruction.a_type), ("b", instruction.b_type), ("c", instruction.c_type)):
        shape = getattr(instruction, name).shape
        operands[name] = rng.integers(-3, 4, shape).astype(TYPES[kind])
    pointers = []
    for name, matrix in operands.items():
        pointers.append(bench.upload(scatter_to_lanes(matrix, getattr(instruction, name), lanes)))
    out = scatter_to_lanes(np.zeros_like(operands["c"]), instruction.d, lanes)
    pointers.append(bench.upload(out))
    bench.launch(compiled(kernel(instruction, lanes), chip), (1, 1, 1), (lanes, 1, 1), pointers)
    wide = {name: matrix.astype(np.float64) for name, matrix in operands.items()}
    expected = (wide["a"] @ wide["b"] + wide["c"]).astype(operands["c"].dtype)
    found = bench.download(pointers[3], out.dtype, out.shape)[:, :: instruction.d.registers.slot_stride]
    where = places(instruction.d, lanes)
    wanted = expected[tuple(where[..., d] for d in range(instruction.d.rank))]
    assert np.array_equal(found.astype(np.float64), wanted.astype(np.float64))
