"""The table of operations and their Python: every row's Python writes its operation."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any

import lanewise
import lanewise.lang as lw
import numpy as np
import pytest
from lanewise.ir.dialects import operation_class

PAGE = Path(__file__).parents[2] / "docs" / "operations_in_python.md"
ROW = re.compile(r"^\| `([a-z_0-9.]+)` \| `(.+)` \|$", re.MULTILINE)


def tables() -> list[list[tuple[str, str]]]:
    """The rows of each table, operation and Python: of kernels, control flow, programs of threads, and parts."""
    parts = PAGE.read_text(encoding="utf-8").split("|---|---|")[1:]
    return [[(name, python.replace("\\|", "|")) for name, python in ROW.findall(part)] for part in parts]


OF_KERNELS, _, OF_THREADS, OF_PARTS, _ = tables()
LAYOUT = lanewise.NestedLayout((1,), (1,), (1,), (64,), (1,), (0,), (1,))


@lanewise.kernel(workgroup=64)
def anything(
    A: Annotated[lw.Array, lw.f32[None]],
    H: Annotated[lw.Array, lw.f16[None]],
    I: Annotated[lw.Array, lw.i32[None]],  # noqa: E741
    M: Annotated[lw.Array, lw.f32[None, None]],
    s: float,
    n: int,
    *,
    python: str,
) -> None:
    own = lw.span(0, 64)
    x, y, z = A[own], A[own + 64], A[own + 128]
    i, j = I[own], I[own + 64]
    square = lw.span(0, 16)
    m = M[square, square]
    names: dict[str, Any] = {
        "h": H[own],
        "u": i.bitcast(lw.u32),
        "v": j.bitcast(lw.u32),
        "b": x > y,
        "c": x < y,
        "w": m,
    }
    names |= {"x": x, "y": y, "z": z, "i": i, "j": j, "m": m, "A": A, "I": I, "M": M, "s": s, "n": n}
    write(eval(python, {"lw": lw, "LAYOUT": LAYOUT, **names}), A, M)


def write(result: Any, A: lw.Array, M: lw.Array) -> None:
    """Keeps what is computed, so that it stays in the program."""
    if isinstance(result, tuple):
        for part in result:
            write(part, A, M)
    elif isinstance(result, lw.Array):
        result[(0,) * result.ndim] = 0.0
    elif isinstance(result, (lw.Value, int)):
        number = lw.number(result)
        if number.dtype == lw.i1:
            number = lw.where(number, 1.0, 0.0)
        if number.shape:
            number = number.reshape(-1).to(lw.f32) if number.dtype != lw.f32 else number.reshape(-1)
            A[lw.span(0, number.shape[0])] = number
        else:
            A[0] = number.to(lw.f32)


@lanewise.kernel(workgroup=64, scope="thread")
def of_a_thread(
    X: Annotated[lw.Array, lw.f32[64]],
    I: Annotated[lw.Array, lw.i32[64]],  # noqa: E741
    H: Annotated[lw.Array, lw.f16[64, 2]],
    A: Annotated[lw.Array, lw.f32[None]],
    M: Annotated[lw.Array, lw.f32[None, None]],
    *,
    python: str,
) -> None:
    t = lw.thread_id()
    x, p, own = X[t], H[t, :], A.view(lw.span(t * 64, 64))
    write(eval(python, {"lw": lw, "x": x, "i": I[t], "b": x > 0.0, "p": p, "q": p * 2.0}), own, M)


@lanewise.kernel(workgroup=128, cluster=2)
def of_parts(
    M: Annotated[lw.Array, lw.f32[None, None]], n: int, A: Annotated[lw.Array, lw.f32[None]], *, python: str
) -> None:
    tile = lw.box(M, (16, 16), swizzle=64)
    memory, objects = tile.shared(2), lw.barriers(2, 1)
    names = {"lw": lw, "M": M, "n": n, "tile": tile, "memory": memory, "objects": objects}
    result = eval(python, names)
    if isinstance(result, lw.Array):
        lw.cluster_barrier()
        if lw.cluster_block_id() == 0:
            write(result, A, M)
        lw.cluster_barrier()


ROWS = [
    (kernel, *row)
    for kernel, rows in ((anything, OF_KERNELS), (of_a_thread, OF_THREADS), (of_parts, OF_PARTS))
    for row in rows
]


@pytest.mark.parametrize(("kernel", "name", "python"), ROWS, ids=[name for _, name, _ in ROWS])
def test_python_writes_the_operation(kernel: Any, name: str, python: str) -> None:
    types = [p.type for p in kernel.signature.arguments]
    module = kernel.trace(*types, python=python)
    assert any(op.opname == name for op in module.walk()), lanewise.print_program(module)


def test_rows_are_operations_and_stand_once() -> None:
    names = [name for table in tables() for name, _ in table]
    assert len(set(names)) == len(names)
    assert all(
        [name for name, _ in table] == sorted(name for name, _ in table) for table in (OF_KERNELS, OF_THREADS, OF_PARTS)
    )
    assert all(operation_class(name) is not None for name in names)


@lanewise.kernel(workgroup=64)
def in_text(x: Annotated[lw.Array, lw.f32[None]], out: Annotated[lw.Array, lw.f32[None]]) -> None:
    i = lw.block(64)
    v = x[i]
    swapped, _ = lw.mlir(
        """
        %mask = arith.constant 1 : i32
        %width = arith.constant 32 : i32
        %lane, %valid = gpu.shuffle xor %v, %mask, %width : f32
        """,
        v=v.sum(),
    )
    rotated = lw.mlir("%r = arith.mulf %v, %v : vector<64xf32>", v=v)
    out[i] = rotated + swapped


def test_operations_as_text() -> None:
    module = in_text.trace(lw.f32[None], lw.f32[None])
    names = [op.opname for op in module.walk()]
    assert "gpu.shuffle" in names and "arith.mulf" in names


@lanewise.kernel(workgroup=64)
def masked(x: Annotated[lw.Array, lw.f32[64]], out: Annotated[lw.Array, lw.f32[64]]) -> None:
    kept = lw.mlir(
        """
        %zero = arith.constant dense<0.0> : vector<64xf32>
        %r = vector.mask %on, %zero {
          vector.transfer_read %memory[%at], %pad {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
        } : vector<64xi1> -> vector<64xf32>
        """,
        on=lw.arange(64) < 20,
        memory=x,
        at=lw.number(0),
        pad=0.0,
    )
    out[:] = kept


def test_text_may_have_regions_and_take_memory() -> None:
    module = masked.trace(lw.f32[64], lw.f32[64])
    assert "vector.mask" in {op.opname for op in module.walk()}
    compiled = masked.compile(lw.f32[64], lw.f32[64], target="sm_90", device="emulated")
    report = lanewise.validate(compiled, 1, np.arange(64, dtype=np.float32), np.zeros(64, np.float32))
    assert report.verdict == "right", str(report)


@lanewise.kernel(
    workgroup=(32, 2),
    subgroup=32,
    cluster=2,
    scope="subgroup",
    persist=4,
    bands=8,
    split_k="z",
    specialise=True,
)
def with_options(x: Annotated[lw.Array, lw.f32[64]]) -> None:
    x[lw.span(0, 32)] = 1.0


def test_options_of_a_kernel_are_those_of_a_text() -> None:
    text = lanewise.print_program(with_options.trace(lw.f32[64]))
    for words in (
        "known_block_size = array<i32: 32, 2, 1>",
        "known_cluster_size = array<i32: 2, 1, 1>",
        "lanewise.subgroup_size = 32 : i64",
        'lanewise.scope = "subgroup"',
        "lanewise.persist = 4 : i64",
        "lanewise.bands = 8 : i64",
        'lanewise.split_k = "z"',
        "lanewise.specialise = true",
    ):
        assert words in text, text


def test_no_word_is_called_as_a_file() -> None:
    """An import of the file would take the word's place."""
    files = {path.stem for path in Path(lw.__file__).parent.glob("*.py")}
    assert not files & set(lw.__all__)


@lanewise.kernel(workgroup=64)
def told(x: Annotated[lw.Array, lw.f32[None]], out: Annotated[lw.Array, lw.f32[None]]) -> None:
    i = lw.block(64)
    out.store(i, x.load(i, cache="evict_first") + x.load(0, cache="evict_last"), cache="no_allocate")


def test_caches_are_told() -> None:
    ptx = told.compile(lw.f32[None], lw.f32[None], target="sm_90", device="emulated").ptx
    accesses = [line for line in ptx.splitlines() if "ld.global" in line or "st.global" in line]
    words = [next(w for w in ("evict_first", "evict_last", "no_allocate") if w in line) for line in accesses]
    assert sorted(words) == ["evict_first", "evict_last", "no_allocate"], accesses
