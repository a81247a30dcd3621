"""Programs executed operation by operation, as they come, give what the whole program gives."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lanewise.ir.cloning import clone
from lanewise.ir.core import Block, Operation, Value
from lanewise.ir.kernels import Kernel, find_kernel
from lanewise.ir.parser import parse_program
from lanewise.reference.errors import EvaluationError
from lanewise.reference.evaluate import run_kernel
from lanewise.reference.stepping import Owner, SteppedLaunch

CLUSTERS = Path(__file__).parents[1] / "filetests/async/clusters_write.mlir"


def hand_over(owner: Owner, body: Block, operations: Sequence[Operation]) -> None:
    """Each owner writes operations of its own."""
    values: dict[Value, Value] = {}
    for op in operations:
        made = body.append(clone(op, values))
        try:
            owner.execute(made)
        finally:
            body.remove(made)


def emptied(text: str) -> tuple[Kernel, Block, list[Operation]]:
    """A kernel without its operations, the block in which they stood, and they."""
    kernel = find_kernel(parse_program(text))
    body = kernel.op.body_region.block
    *operations, end = body.operations
    body.erase(end)
    for op in reversed(operations):
        body.remove(op)
    return kernel, body, operations


def launched(kernel: Kernel, grid: int, arguments: list[Any]) -> SteppedLaunch:
    return SteppedLaunch(kernel, grid, arguments, 4, lambda record: None)


def step(text: str, grid: int, arguments: list[Any]) -> None:
    kernel, body, operations = emptied(text)
    launched(kernel, grid, arguments).step_through(lambda owner: hand_over(owner, body, operations))


def kernel_of(body: str, threads: int = 8, scope: str = "thread", aliases: str = "") -> str:
    attributes = f'gpu.known_block_size = array<i32: {threads}, 1, 1>, lanewise.scope = "{scope}"'
    return f"""{aliases}
gpu.func @k(%x: memref<8xf32>, %y: memref<8xf32>) kernel attributes {{{attributes}}} {{
{body}
  gpu.return
}}"""


LOOP = """
  %t = gpu.thread_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %s = memref.alloc() : memref<8xf32, #gpu.address_space<workgroup>>
  %v = memref.load %x[%t] : memref<8xf32>
  %back = arith.subi %c7, %t : index
  %sum = scf.for %i = %c0 to %c7 step %c1 iter_args(%a = %v) -> f32 {
    memref.store %a, %s[%t] : memref<8xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %b = memref.load %s[%back] : memref<8xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %n = arith.addf %b, %v : f32
    scf.yield %n : f32
  }
  memref.store %sum, %y[%t] : memref<8xf32>"""
ATOMICS = """
  %t = gpu.thread_id x
  %c0 = arith.constant 0 : index
  %v = memref.load %x[%t] : memref<8xf32>
  %old = memref.atomic_rmw addf %v, %y[%c0] : (f32, memref<8xf32>) -> f32"""
OBJECTS = """
  %t = gpu.thread_id x
  %c0 = arith.constant 0 : index
  %n = arith.constant 8 : index
  %ticks = arith.constant 1000 : index
  %even = arith.constant false
  %s = memref.alloc() : memref<8xf32, #gpu.address_space<workgroup>>
  %one = nvgpu.mbarrier.create -> !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
  %is_first = arith.cmpi eq, %t, %c0 : index
  scf.if %is_first {
    nvgpu.mbarrier.init %one[%c0], %n : !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
  }
  gpu.barrier
  %v = memref.load %x[%t] : memref<8xf32>
  memref.store %v, %s[%t] : memref<8xf32, #gpu.address_space<workgroup>>
  %token = nvgpu.mbarrier.arrive %one[%c0]
    : !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>> -> !nvgpu.mbarrier.token
  nvgpu.mbarrier.try_wait.parity %one[%c0], %even, %ticks
    : !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>
  %c7 = arith.constant 7 : index
  %back = arith.subi %c7, %t : index
  %w = memref.load %s[%back] : memref<8xf32, #gpu.address_space<workgroup>>
  memref.store %w, %y[%t] : memref<8xf32>"""
SHUFFLED_ONE = """
  %t = gpu.thread_id x
  %w = arith.constant 4 : i32
  %o = arith.index_cast %t : index to i32
  %r, %p = gpu.shuffle idx %o, %w, %w : i32
  %f = arith.sitofp %o : i32 to f32
  memref.store %f, %y[%t] : memref<8xf32>"""
REDUCED = """
  %t = gpu.thread_id x
  %v = memref.load %x[%t] : memref<8xf32>
  %s = gpu.all_reduce add %v uniform {} : (f32) -> (f32)
  memref.store %s, %y[%t] : memref<8xf32>"""


@pytest.mark.parametrize(
    "body", [LOOP, ATOMICS, OBJECTS, SHUFFLED_ONE, REDUCED], ids=["loop", "atomics", "objects", "shuffle", "reduced"]
)
def test_threads_that_meet_give_what_they_give_together(body: str) -> None:
    x = np.arange(1, 9, dtype=np.float32)
    own, expected = np.zeros(8, np.float32), np.zeros(8, np.float32)
    step(kernel_of(body), 1, [x, own])
    run_kernel(find_kernel(parse_program(kernel_of(body))), 1, [x, expected], subgroup_size=4)
    assert own.any() and np.array_equal(own, expected)


def test_workgroups_of_a_cluster_run_together() -> None:
    text = CLUSTERS.read_text(encoding="utf-8").replace("array<i32: 64, 1, 1>", "array<i32: 8, 1, 1>")
    text = text.replace("x64xf32", "x8xf32").replace("<64xf32", "<8xf32")
    x, y = np.arange(32, dtype=np.float32).reshape(4, 8), np.zeros((4, 8), np.float32)
    step(text, 4, [x, y])
    assert (y == x[[1, 0, 3, 2]]).all()


def test_owners_make_the_same_memory() -> None:
    large = LOOP.replace("memref<8xf32, #gpu", "memref<16xf32, #gpu")
    programs = [emptied(kernel_of(text))[2] for text in (LOOP, large)]
    kernel, body, _ = emptied(kernel_of(""))

    def program(owner: Owner) -> None:
        written = programs["thread (5, 0, 0)" in owner.words]
        hand_over(owner, body, [op for op in written if op.opname == "memref.alloc"])

    with pytest.raises(EvaluationError, match=r"is number 1 of what .*thread \(5, 0, 0\) makes of the workgroup"):
        launched(kernel, 1, [np.zeros(8, np.float32)] * 2).step_through(program)


def test_owners_that_are_at_different_shuffles_are_told() -> None:
    texts = SHUFFLED_ONE, SHUFFLED_ONE.replace("shuffle idx", "shuffle up")
    programs = [emptied(kernel_of(text))[2][:-2] for text in texts]
    kernel, body, _ = emptied(kernel_of(""))

    def program(owner: Owner) -> None:
        hand_over(owner, body, programs["thread (3, 0, 0)" in owner.words])

    with pytest.raises(EvaluationError, match=r"is where .*thread \(0, 0, 0\) is, and another is at 'gpu.shuffle'"):
        launched(kernel, 1, [np.zeros(8, np.float32)] * 2).step_through(program)
