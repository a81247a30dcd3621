"""What kernels of tensors compute, in numbers: all executors run what `frontend/tensors.py` made of them."""

from __future__ import annotations

from pathlib import Path

import lanewise
import numpy as np
import pytest

FILETESTS = Path(__file__).resolve().parents[1] / "filetests"


def kernel(file: str, name: str) -> lanewise.Kernel:
    sections = (FILETESTS / file).read_text(encoding="utf-8").split("// -----\n")
    (text,) = (section for section in sections if f"@{name}(" in section)
    return lanewise.compile(text, target="sm_90", device="emulated")


def test_what_an_owner_holds() -> None:
    x = np.arange(128, dtype=np.int32).reshape(8, 16)
    y, z = np.zeros_like(x), np.zeros(3, np.int32)
    kernel("tensor/run.mlir", "held")[1](x, y, z)
    moved = x.copy()
    moved[4:8] = x[2:6]
    assert np.array_equal(y, moved + 4 * x)
    assert z.tolist() == [x[1, 2], 8, x[1, 2]]


def test_what_is_indexed_at_run_time() -> None:
    x, n = np.arange(128, dtype=np.int32).reshape(8, 16), 3
    y, z = np.zeros_like(x), np.zeros(4, np.int32)
    kernel("tensor/run.mlir", "workgroups")[1](x, y, z, n)
    t = np.zeros_like(x)
    t[n:] = x[: 8 - n]
    u = t.copy()
    u[1:5, n : n + 4] = t[n : n + 4, 1:13:3]
    assert np.array_equal(y, u)
    column = u[n : n + 4, 2].copy()
    column[1] = u[n, n]
    assert np.array_equal(z, column)


def test_a_threads_slice() -> None:
    x, y = np.arange(128, dtype=np.int32).reshape(32, 4), np.zeros((32, 2), np.int32)
    kernel("tensor/run.mlir", "threads")[1](x, y)
    assert np.array_equal(y, [x[i, i % 3 : i % 3 + 2] for i in range(32)])


@pytest.mark.parametrize("grid", [1, 3, 7])
def test_what_is_written_in_place(grid: int) -> None:
    x, y = np.arange(7 * 64, dtype=np.float32).reshape(7, 64), np.zeros((7, 64), np.float32)
    kernel("tensor/run.mlir", "in_place")[grid](x, y)
    assert np.array_equal(y, 2 * x)


def test_what_threads_put_together_again_and_again() -> None:
    y = np.zeros(64, np.int32)
    kernel("tensor/run.mlir", "repeated")[1](y)
    assert y.tolist() == [(i + 3 * 7) % 64 for i in range(64)]


@pytest.mark.parametrize("name", ["two_loops", "one_loop"])
def test_the_document_s_loops(name: str) -> None:
    x, y = np.arange(512, dtype=np.float32).reshape(4, 128), np.zeros((64, 4, 16), np.float32)
    kernel("iree_gpu/shuffled.mlir", name)[1](x, y)
    assert np.array_equal(y, [x[:, 16 * (n % 8) : 16 * (n % 8) + 16] for n in range(64)])


def test_a_slice_of_a_tensor_that_is_still_used() -> None:
    x, y, z = np.arange(64, dtype=np.int32), np.zeros(64, np.int32), np.zeros(64, np.int32)
    kernel("tensor/values.mlir", "alias_slice")[1](x, y, z)
    assert np.array_equal(y, x) and set(z) == {1000}


def test_what_is_loaded_before_the_buffer_is_written() -> None:
    x, y = np.arange(64, dtype=np.int32), np.zeros(64, np.int32)
    kernel("tensor/values.mlir", "swap")[1](x, y)
    assert np.array_equal(y, np.arange(64)) and set(x) == {7}


def test_what_begins_anew_in_each_iteration() -> None:
    x, y = np.zeros(64, np.int32), np.zeros((4, 64), np.int32)
    kernel("tensor/values.mlir", "loop_in_place")[1](x, y)
    assert np.array_equal(y, np.eye(4, 64)) and not x.any()


def test_what_all_threads_begin_with() -> None:
    y, z = np.zeros(64, np.int32), np.zeros(64, np.int32)
    kernel("tensor/values.mlir", "init_vector")[1](y)
    assert y.tolist() == [1] * 32 + [9] * 32
    kernel("tensor/values.mlir", "beginning")[1](y, z)
    assert set(y) == {1} and set(z) == {2}
