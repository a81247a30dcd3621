"""A small kernel, and a cache in a folder of the test's own."""

from __future__ import annotations

from pathlib import Path

import lanewise
import numpy as np
import pytest
from lanewise.jit.kernel_file import decode
from lanewise.jit.saved import SavedKernel

DOUBLE = """gpu.func @double(%x: memref<?xf32>, %y: memref<?xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %pad = arith.constant 0.0 : f32
  %tile = arith.constant 64 : index
  %block = gpu.block_id x
  %start = arith.muli %block, %tile : index
  %a = vector.transfer_read %x[%start], %pad : memref<?xf32>, vector<64xf32>
  %sum = arith.addf %a, %a : vector<64xf32>
  vector.transfer_write %sum, %y[%start] : vector<64xf32>, memref<?xf32>
  gpu.return
}
"""
KEY = "0123456789abcdef" * 4


def launch(kernel: lanewise.Kernel, count: int = 100) -> None:
    """The kernel doubles so many elements."""
    x, y = np.arange(count, dtype=np.float32), np.zeros(count, np.float32)
    kernel[-(-count // 64)](x, y)
    assert (y == 2 * x).all()


def compiled(cache: lanewise.KernelCache, target: str = "sm_90", text: str = DOUBLE) -> lanewise.Kernel:
    return lanewise.compile(text, target, device="emulated", cache=cache)


@pytest.fixture
def cache(tmp_path: Path) -> lanewise.KernelCache:
    return lanewise.KernelCache(tmp_path / "kernels")


@pytest.fixture
def there(cache: lanewise.KernelCache) -> Path:
    """The one file of a cache, after a launch in it."""
    launch(compiled(cache))
    (file,) = cache.files()
    return Path(file.path)


@pytest.fixture(scope="session")
def saved(tmp_path_factory: pytest.TempPathFactory) -> SavedKernel:
    """What a launch leaves in a cache."""
    cache = lanewise.KernelCache(tmp_path_factory.mktemp("saved"))
    launch(compiled(cache))
    (file,) = cache.files()
    return decode(Path(file.path).read_bytes(), "saved", file.key)


def again(cache: lanewise.KernelCache) -> lanewise.KernelCache:
    """What another process has of the same folder: nothing in memory."""
    return lanewise.KernelCache(cache.folder, cache.limit)
