"""Atomic updates in the interpreter: in order of threads, no race with each other, a race with anything else."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .conftest import SHARED, Run

Error = Callable[..., str]
ARGUMENTS = "%sum: memref<1xindex>, %old: memref<?xindex>"
TICKET = "  %o = memref.atomic_rmw addi %c1, %sum[%c0] : (index, memref<1xindex>) -> index"


def test_threads_update_in_order_of_their_ids(run: Run) -> None:
    body = f"{TICKET}\n  memref.store %o, %old[%t] : memref<?xindex>"
    total, old = np.array([5]), np.zeros(64, np.int64)
    run(body, ARGUMENTS, total, old)
    assert total.tolist() == [69]
    np.testing.assert_array_equal(old, np.arange(5, 69))


def test_only_active_threads_update(run: Run) -> None:
    body = f"  %few = arith.cmpi ult, %t, %c5 : index\n  scf.if %few {{\n{TICKET}\n    scf.yield\n  }}"
    total = np.zeros(1, np.int64)
    run(body, ARGUMENTS, total, np.zeros(1, np.int64), grid=3)
    assert total.tolist() == [15]


def test_a_plain_read_races(error: Error, run: Run) -> None:
    read = "\n  %r = memref.load %sum[%c0] : memref<1xindex>"
    arguments = np.zeros(1, np.int64), np.zeros(1, np.int64)
    assert "'memref.load' op" in error(TICKET + read, ARGUMENTS, *arguments)
    assert "'memref.atomic_rmw' op" in error(read + "\n" + TICKET, ARGUMENTS, *arguments)
    run(f"{TICKET}\n  gpu.barrier{read}", ARGUMENTS, *arguments)


def test_a_plain_write_races(error: Error) -> None:
    write = "  memref.store %t, %sum[%t] : memref<64xindex>"
    update = "  %o = memref.atomic_rmw addi %c1, %sum[%c0] : (index, memref<64xindex>) -> index"
    text = error(f"{write}\n{update}", "%sum: memref<64xindex>", np.zeros(64, np.int64))
    assert "thread (1, 0, 0) writes element [0] of %sum" in text and "a data race" in text
    assert "the other access, 'memref.store'" in text


def test_what_nobody_has_written(error: Error) -> None:
    body = f"""
  %s = memref.alloc() : memref<1xindex, {SHARED}>
  %o = memref.atomic_rmw addi %c1, %s[%c0] : (index, memref<1xindex, {SHARED}>) -> index"""
    assert "which nobody has written" in error(body)


def test_bounds_and_read_only_buffers(error: Error) -> None:
    body = "  %o = memref.atomic_rmw addi %c1, %sum[%t] : (index, memref<8xindex>) -> index"
    assert "thread (8, 0, 0) writes element [8] of %sum out of bounds" in error(
        body, "%sum: memref<8xindex>", np.zeros(8, np.int64)
    )
    fixed = np.zeros(64, np.int64)
    fixed.flags.writeable = False
    assert "which is read-only" in error(body.replace("8x", "64x"), "%sum: memref<64xindex>", fixed)
