"""Atomic updates in programs of every scope: one thread of the owner does it, and all learn what was there."""

from __future__ import annotations

import numpy as np
import pytest
from lanewise.ir.kernels import find_kernel
from lanewise.ir.parser import parse_program
from lanewise.jit.kernel_signature import signature_of
from lanewise.jit.signature import BufferParameter

from .conftest import Agree


def program(scope: str, body: str = "", lanes: int = 32) -> str:
    return f"""gpu.func @k(%x: memref<64xi32>, %sum: memref<1xi32>) kernel attributes {{
    gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "{scope}", lanewise.subgroup_size = {lanes} : i64}} {{
  %c0 = arith.constant 0 : index
  %three = arith.constant 3 : i32
  %old = memref.atomic_rmw addi %three, %sum[%c0] : (i32, memref<1xi32>) -> i32
{body}
  gpu.return
}}"""


@pytest.mark.parametrize(("target", "lanes"), [("sm_90", 32), ("gfx942", 64)])
@pytest.mark.parametrize("scope", ["workgroup", "subgroup", "thread"])
def test_once_for_every_owner(scope: str, target: str, lanes: int, agree: Agree) -> None:
    owners = {"workgroup": 1, "subgroup": 64 // lanes, "thread": 64}[scope]
    given = np.zeros(64, np.int32), np.zeros(1, np.int32)
    emulated = target == "sm_90"
    _, total = agree(program(scope, lanes=lanes), *given, grid=(5, 1, 1), target=target, emulated=emulated)
    assert total.tolist() == [3 * 5 * owners]


@pytest.mark.parametrize(("target", "lanes"), [("sm_90", 32), ("gfx942", 64)])
def test_all_threads_of_a_workgroup_get_the_old_value(target: str, lanes: int, agree: Agree) -> None:
    """Two subgroups by shared memory, one by a shuffle."""
    body = """  %all = vector.broadcast %old : i32 to vector<64xi32>
  vector.transfer_write %all, %x[%c0] {in_bounds = [true]} : vector<64xi32>, memref<64xi32>"""
    given = np.zeros(64, np.int32), np.array([5], np.int32)
    found, total = agree(program("workgroup", body, lanes), *given, grid=(1, 1, 1), target=target, emulated=lanes == 32)
    assert found.tolist() == [5] * 64 and total.tolist() == [8]


def test_all_lanes_of_a_subgroup_get_the_old_value(agree: Agree) -> None:
    """Which of both subgroups comes first is not said."""
    body = """  %n = gpu.subgroup_id : index
  %c32 = arith.constant 32 : index
  %from = arith.muli %n, %c32 : index
  %all = vector.broadcast %old : i32 to vector<32xi32>
  vector.transfer_write %all, %x[%from] : vector<32xi32>, memref<64xi32>"""
    given = np.zeros(64, np.int32), np.array([5], np.int32)
    found, total = agree(program("subgroup", body), *given, grid=(1, 1, 1), target="sm_90", emulated=True)
    halves = found.reshape(2, 32).tolist()
    assert sorted(halves) == [[5] * 32, [8] * 32] and total.tolist() == [11]


def test_a_launch_knows_that_the_buffer_is_read_and_written() -> None:
    unused, updated = signature_of(find_kernel(parse_program(program("thread"))))
    assert isinstance(unused, BufferParameter) and isinstance(updated, BufferParameter)
    assert (unused.read, unused.written) == (False, False)
    assert (updated.read, updated.written) == (True, True)
