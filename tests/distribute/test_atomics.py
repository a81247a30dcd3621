"""Atomic updates in programs of every scope: one thread of the owner does it, and nobody else learns what was there."""

from __future__ import annotations

import numpy as np
import pytest
from lanewise.ir.kernels import find_kernel
from lanewise.ir.parser import parse_program
from lanewise.jit.kernel_signature import signature_of
from lanewise.jit.signature import BufferParameter
from lanewise.support.diagnostics import CompileError

from .conftest import Agree, compilation


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


@pytest.mark.parametrize("scope", ["workgroup", "subgroup"])
def test_the_old_value_belongs_to_one_thread(scope: str) -> None:
    text = program(scope, "  memref.store %old, %x[%c0] : memref<64xi32>")
    with pytest.raises(CompileError) as caught:
        _ = compilation(text).thread_module
    (diagnostic,) = caught.value.diagnostics
    assert f"but its {scope}'s program uses it" in diagnostic.message
    assert "lanewise.scope" in diagnostic.hint and diagnostic.location is not None


def test_a_launch_knows_that_the_buffer_is_read_and_written() -> None:
    unused, updated = signature_of(find_kernel(parse_program(program("thread"))))
    assert isinstance(unused, BufferParameter) and isinstance(updated, BufferParameter)
    assert (unused.read, unused.written) == (False, False)
    assert (updated.read, updated.written) == (True, True)
