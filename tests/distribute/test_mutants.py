"""Planted mistakes in the examples' thread-level programs: each must be caught by an executor that needs no GPU.

This is the negative control of every other comparison here: a check that accepts these proves nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from lanewise.distribute.interpret import interpret_kernel
from lanewise.emulate.faults import EmulationFault
from lanewise.ir.attributes import DenseElementsAttr, IntegerAttr
from lanewise.ir.core import Operation
from lanewise.ir.dialects import arith, gpu, memref, nvgpu, vector
from lanewise.ir.kernels import find_kernel
from lanewise.ir.parser import parse_program
from lanewise.ir.printer import print_program
from lanewise.pipeline.compilation import Compilation
from lanewise.reference.errors import EvaluationError
from lanewise.reference.evaluate import run_kernel
from lanewise.targets import find_chip

from .conftest import emulate

EXAMPLES = Path(__file__).parents[2] / "examples"
Arrays = list[np.ndarray]


def floats(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def integers(*shape: int, dtype: str = "f4", seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(-3, 4, shape).astype(dtype)


def empty(*shape: int) -> np.ndarray:
    return np.full(shape, np.nan, np.float32)


PROGRAMS: dict[str, tuple[tuple[int, int, int], Callable[[], Arrays]]] = {
    "vector_add": ((2, 1, 1), lambda: [floats(1100), floats(1100, seed=1), empty(1100)]),
    "reduce_8x64": ((1, 1, 1), lambda: [integers(8, 64), empty(8)]),
    "softmax": ((3, 1, 1), lambda: [floats(3, 1030) - 4, empty(3, 1030)]),
    "transpose": ((2, 2, 1), lambda: [floats(70, 100), empty(100, 70)]),
    "matmul_f16": (
        (1, 1, 1),
        lambda: [integers(100, 72, dtype="f2"), integers(72, 90, dtype="f2", seed=1), empty(100, 90)],
    ),
}


def lowered(name: str) -> tuple[Compilation, str]:
    text = (EXAMPLES / f"{name}.mlir").read_text()
    compilation = Compilation(parse_program(text), None, find_chip("sm_90"))
    return compilation, print_program(compilation.thread_module)


def caught(name: str, mutated: Operation) -> bool:
    """Whether interpreter or emulator faults on the program or disagrees with the reference."""
    grid, make = PROGRAMS[name]
    original, _ = lowered(name)
    expected = make()
    run_kernel(original.kernel, grid, expected)
    mutant = Compilation(mutated, None, original.chip)

    def interpret(arguments: Arrays) -> None:
        interpret_kernel(find_kernel(mutated), grid, arguments, subgroup_size=32)

    def wrong(execute: Callable[[Arrays], None]) -> bool:
        found = make()
        try:
            execute(found)
        except (EvaluationError, EmulationFault):
            return True
        return not all(np.allclose(f, e, rtol=1e-4, atol=1e-6) for f, e in zip(found, expected, strict=True))

    return wrong(interpret) or wrong(lambda arguments: emulate(mutant, grid, arguments))


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_programs_are_right_before_they_are_changed(name: str) -> None:
    assert not caught(name, parse_program(lowered(name)[1]))


def operations(module: Operation, *classes: type[Operation]) -> list[Operation]:
    return [op for op in module.walk() if isinstance(op, classes)]


def remove(op: Operation) -> None:
    assert op.parent is not None
    op.parent.remove(op)


@pytest.mark.parametrize(
    ("name", "number"),
    [("reduce_8x64", 0), ("reduce_8x64", 1), ("transpose", 0), ("matmul_f16", 0), ("matmul_f16", 1)],
)
def test_dropped_barrier(name: str, number: int) -> None:
    module = parse_program(lowered(name)[1])
    remove(operations(module, gpu.BarrierOp)[number])
    assert caught(name, module)


@pytest.mark.parametrize("name", ["softmax", "transpose", "matmul_f16"])
def test_swapped_stride(name: str) -> None:
    """One access takes rows for columns."""
    module = parse_program(lowered(name)[1])
    op = operations(module, vector.MaskedLoadOp)[-1]
    op.set_operands((op.operands[0], *reversed(op.operands[1:3]), *op.operands[3:]))
    assert caught(name, module)


def test_wrong_identity() -> None:
    """Columns beyond the edge count as 0 instead of minus infinity."""
    module = parse_program(lowered("softmax")[1])
    for op in operations(module, arith.ConstantOp):
        value = op.attributes["value"]
        if isinstance(value, DenseElementsAttr) and value.values == (float("-inf"),):
            op.attributes["value"] = DenseElementsAttr((0.0,), value.type)
    assert caught("softmax", module)


@pytest.mark.parametrize("name", ["vector_add", "softmax", "transpose", "matmul_f16"])
def test_dropped_guard(name: str) -> None:
    """The last guarded access touches memory beyond the edge."""
    module = parse_program(lowered(name)[1])
    op = operations(module, vector.MaskedLoadOp, vector.MaskedStoreOp)[-1]
    assert isinstance(op, (vector.MaskedLoadOp, vector.MaskedStoreOp))
    mask = op.mask.operation
    assert isinstance(mask, vector.BroadcastOp)
    truth = arith.ConstantOp((), [mask.source.type], {"value": IntegerAttr(1, mask.source.type)})
    assert mask.parent is not None
    mask.parent.insert(mask.parent.operations.index(mask), truth)
    mask.set_operand(0, truth.result)
    assert caught(name, module)


def test_off_by_one_index() -> None:
    module = parse_program(lowered("transpose")[1])
    store = operations(module, vector.MaskedStoreOp)[0]
    constant = next(op for op in operations(module, arith.ConstantOp) if str(op.attributes["value"]) == "1 : index")
    assert isinstance(store, vector.MaskedStoreOp) and store.parent is not None
    moved = arith.AddIOp([store.indices[0], constant.results[0]], [store.indices[0].type])
    store.parent.insert(store.parent.operations.index(store), moved)
    store.set_operand(1, moved.result)
    assert caught("transpose", module)


def test_wrong_shuffle_distance() -> None:
    module = parse_program(lowered("reduce_8x64")[1])
    shuffles = operations(module, gpu.ShuffleOp)
    shuffles[-1].set_operand(1, shuffles[0].operands[1])
    assert caught("reduce_8x64", module)


def test_swapped_fragments() -> None:
    module = parse_program(lowered("matmul_f16")[1])
    first, *others = operations(module, nvgpu.MmaSyncOp)
    second = next(op for op in others if op.operands[1] is not first.operands[1])
    one, other = first.operands[1], second.operands[1]
    first.set_operand(1, other)
    second.set_operand(1, one)
    assert caught("matmul_f16", module)


def test_lost_accumulator() -> None:
    module = parse_program(lowered("matmul_f16")[1])
    products = operations(module, nvgpu.MmaSyncOp)
    products[-1].set_operand(2, products[0].operands[2])
    assert caught("matmul_f16", module)


def test_wrong_slot_of_shared_memory() -> None:
    module = parse_program(lowered("reduce_8x64")[1])
    loads = [op for op in operations(module, memref.LoadOp) if "workgroup" in str(op.operands[0].type)]
    loads[0].set_operand(1, loads[1].operands[1])
    assert caught("reduce_8x64", module)
