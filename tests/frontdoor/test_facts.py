"""What launches see of their arguments: how wide accesses become, and how many variants there are.

Expected sectors are counted by hand: an access of a subgroup touches each sector of 32 bytes that its bytes lie in.
"""

from __future__ import annotations

import itertools
from typing import Any

import lanewise
import numpy as np
import pytest
from lanewise.check.inputs import make_inputs
from lanewise.check.inputs_grammar import inputs_of, read_comments
from lanewise.check.on_devices import GuardedArray
from lanewise.jit.facts import GENERAL, Facts, best_fitting, divisors_that_matter
from lanewise.jit.launcher import Launcher
from lanewise.jit.program_text import read_source
from lanewise.jit.signature import BufferParameter, ScalarParameter
from lanewise.jit.variants import MOST_VARIANTS

from .conftest import ROOT

F16, F32, F64, I8, INDEX = (np.dtype(name) for name in ("f2", "f4", "f8", "i1", "i8"))


def sectors(start: int, size: int) -> int:
    """Sectors that the bytes from `start` on lie in."""
    return (start + size - 1) // 32 - start // 32 + 1


def rows_of_tiles(rows: int, row_bytes: int, tile_bytes: int) -> int:
    """Sectors of a matrix of which each row is read by itself, in tiles; tiles begin anew in every row."""
    return sum(
        sectors(row * row_bytes + tile, min(tile_bytes, row_bytes - tile))
        for row in range(rows)
        for tile in range(0, row_bytes, tile_bytes)
    )


def softmax(n: int) -> int:
    """64 rows are read three times and written once, 32 lanes of 16 bytes at a time."""
    return 4 * rows_of_tiles(64, 4 * n, 512)


def vector_add(n: int) -> int:
    return 3 * rows_of_tiles(1, 4 * n, 512)


def matmul(m: int, n: int, k: int, b_accesses: int = 1) -> int:
    """Tiles of 128x128 in steps of 32: A for each block of columns, B for each block of rows (f16), C once (f32). A
    row of B takes an access of 256 bytes, or is read twice, every other element at a time, in accesses of 128."""
    a = -(-n // 128) * rows_of_tiles(m, 2 * k, 64)
    b = -(-m // 128) * b_accesses * rows_of_tiles(k, 2 * n, 256 // b_accesses)
    return a + b + rows_of_tiles(m, 4 * n, 512)


@pytest.mark.parametrize(
    ("name", "sizes", "expected", "general"),
    [
        ("softmax", {"N": 1000}, softmax(1000), 4 * softmax(1000)),
        ("vector_add", {"N": 5000}, vector_add(5000), 4 * vector_add(5000)),
        ("matmul_f16", {}, matmul(200, 136, 72), matmul(200, 136, 72, b_accesses=2)),
    ],
)
def test_launches_touch_no_sector_too_many(name: str, sizes: dict[str, Any], expected: int, general: int) -> None:
    """1000, 5000 and 136 are no multiples of 16, but of what an access of 16 bytes needs. In code without facts each
    element is an access, `general` sectors in all. Where four neighbours are anchored in each thread, each of four
    accesses touches the same sectors. Where the layout is chosen, one element of A a thread fills 64 bytes, a row of
    its tile, and C is written in whole sectors; of B each thread reads two neighbours, which touches sectors twice (the
    second time they are in the cache) but stores whole words to shared memory."""
    source = read_source(ROOT / "examples" / f"{name}.mlir")
    kernel = lanewise.compile(source.text, target="sm_90", device="emulated")
    text = inputs_of(read_comments(source), kernel.name)
    assert text is not None
    inputs = make_inputs(text, kernel.signature, sizes=sizes)
    device = kernel.device
    assert isinstance(device, lanewise.EmulatedDevice)
    counted: list[int] = []
    for specialise in (True, False):
        Launcher(kernel.variants, device, specialise=specialise).launch(inputs.grid, inputs.arguments)
        assert device.counters is not None
        counted.append(device.counters.global_sectors)
    assert counted == [expected, general]


ROWS = """
gpu.func @rows(%x: memref<?x?xf32, strided<[?, 1], offset: ?>>, %y: memref<?x?xf32, strided<[?, 1], offset: ?>>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %pad = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %row = gpu.block_id x
  %0 = vector.transfer_read %x[%row, %c0], %pad : memref<?x?xf32, strided<[?, 1], offset: ?>>, vector<256xf32>
  vector.transfer_write %0, %y[%row, %c0] : vector<256xf32>, memref<?x?xf32, strided<[?, 1], offset: ?>>
  gpu.return
}
"""


def test_strides_that_divide_make_accesses_wide() -> None:
    """Parts of a matrix whose rows lie 1,000 elements apart, and 1,001."""
    kernel = lanewise.compile(ROWS, target="sm_90", device="emulated")
    device = kernel.device
    assert isinstance(device, lanewise.EmulatedDevice)
    for pitch, expected in ((1000, 2 * rows_of_tiles(8, 1024, 512)), (1001, None)):
        x = np.arange(8 * pitch, dtype=np.float32).reshape(8, pitch)
        y = np.zeros_like(x)
        kernel[8](x[:, :256], y[:, :256])
        assert np.array_equal(y[:, :256], x[:, :256]) and not y[:, 256:].any()
        assert device.counters is not None
        assert expected is None or device.counters.global_sectors == expected
    wide, narrow = (kernel.variant(facts).artifacts.assembly for facts in kernel.compiler.compiled)
    assert "ld.global.nc.v4" in wide and "ld.global.nc.v4" not in narrow


@pytest.mark.parametrize("divisor", [4, 8])
def test_what_the_program_states_of_strides_is_used_and_checked(divisor: int) -> None:
    stated = f"{{llvm.align = 16 : i64, lanewise.stride_divisibility = array<i64: {divisor}, 1>}}"
    kernel = lanewise.compile(ROWS.replace("offset: ?>>, %y", f"offset: ?>> {stated}, %y"), device="emulated")
    x, y = np.zeros((8, 1004), np.float32), np.zeros((8, 1004), np.float32)
    if divisor == 4:
        kernel[8](x[:, :256], y[:, :256])
    else:
        with pytest.raises(lanewise.ArgumentError, match=r"'x': expected a stride that is a multiple of 8.*found 1004"):
            kernel[8](x[:, :256], y[:, :256])


SHIFTED = """
gpu.func @shifted(%x: memref<256xf32, strided<[1], offset: 3>>, %y: memref<256xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  %0 = vector.transfer_read %x[%c0], %pad {in_bounds = [true]}
    : memref<256xf32, strided<[1], offset: 3>>, vector<256xf32>
  vector.transfer_write %0, %y[%c0] {in_bounds = [true]} : vector<256xf32>, memref<256xf32>
  gpu.return
}
"""


@pytest.mark.parametrize("target", ["sm_90", "gfx942"])
@pytest.mark.parametrize("shift", [0, 4, 12])
def test_an_offset_counts_for_the_alignment(target: str, shift: int) -> None:
    """The pointer that is passed lies 12 bytes before the first element: where it is aligned, the element is not."""
    kernel = lanewise.compile(SHIFTED, target=target, device="emulated")
    x = np.arange(256, dtype=np.float32)
    placed, y = GuardedArray(kernel.device, x, shift), np.zeros_like(x)
    kernel[1](placed, y)
    assert np.array_equal(y, x)


def test_divisors_that_matter_are_those_of_16_bytes() -> None:
    def matter(*signature: BufferParameter | ScalarParameter, numbers: Any = None, extents: Any = ()) -> Any:
        return divisors_that_matter(signature, numbers, extents)

    assert matter(BufferParameter("x", F32, (None, None))) == (16, 1, 4)
    assert matter(BufferParameter("x", F16, (None,))) == (16, 8)
    assert matter(BufferParameter("x", I8, (None,))) == (16, 16)
    assert matter(BufferParameter("x", F64, (None,))) == (16, 2)
    assert matter(BufferParameter("x", F32, (None, 64))) == (16, 1)
    assert matter(BufferParameter("x", F32, (None, None), (None, 1))) == (16, 1, 4, 4)
    assert matter(BufferParameter("x", F32, (None, None), (1, None), offset=None)) == (16, 1, 1, 1, 1)
    numbers = ScalarParameter("n", INDEX), ScalarParameter("s", F32)
    assert matter(*numbers) == (1, 1)
    assert matter(BufferParameter("x", F32, (8,)), *numbers) == (16, 4, 1)
    assert matter(BufferParameter("x", F32, (8,)), BufferParameter("y", F16, (8,)), *numbers) == (16, 16, 8, 1)
    assert matter(BufferParameter("x", F32, (None, None)), extents={(0, 0)}) == (16, 4, 4)
    assert matter(BufferParameter("x", F32, (8,)), *numbers, numbers={2}) == (16, 1, 1)


INDEXED = """
gpu.func @indexed(%x: memref<?x?xf32>, %n: index, %k: i32) kernel
    attributes {{gpu.known_block_size = array<i32: 32, 1, 1>}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant dense<1.0> : vector<128xf32>
  %v = memref.cast %x : memref<?x?xf32> to memref<8x?xf32>
  {body}
  gpu.return
}}
"""
WRITE = "vector.transfer_write %one, %x[%c0, {index}] : vector<128xf32>, memref<?x?xf32>"


LOOP = "scf.for %i = {} to {} step {} {{\n    " + WRITE.format(index="%i") + "\n  }}"
SELECT = "%t = arith.cmpi slt, {}, %c1 : index\n  %i = arith.select %t, {}, %c1 : index\n  " + WRITE.format(index="%i")
CAST = "%m = arith.index_cast %k : i32 to index\n  %i = arith.muli %m, %c1 : index\n  " + WRITE.format(index="%i")
DIM = "%d = memref.dim %x, %c0 : memref<?x?xf32>\n  "


@pytest.mark.parametrize(
    ("body", "divisors"),
    [
        ("", (16, 1, 4, 1, 1)),
        (WRITE.format(index="%n"), (16, 1, 4, 4, 1)),
        ("%b = vector.broadcast %k : i32 to vector<8xi32>", (16, 1, 4, 1, 1)),
        (CAST, (16, 1, 4, 1, 4)),
        (LOOP.format("%c0", "%n", "%c1"), (16, 1, 4, 1, 1)),
        (LOOP.format("%n", "%c1", "%c1"), (16, 1, 4, 4, 1)),
        (LOOP.format("%c0", "%c1", "%n"), (16, 1, 4, 4, 1)),
        (DIM + WRITE.format(index="%d"), (16, 4, 4, 1, 1)),
        (DIM + LOOP.format("%c0", "%d", "%c1"), (16, 1, 4, 1, 1)),
        ("%d = memref.dim %v, %c1 : memref<8x?xf32>\n  " + WRITE.format(index="%d"), (16, 4, 4, 1, 1)),
        (SELECT.format("%n", "%c0"), (16, 1, 4, 1, 1)),
        (SELECT.format("%c0", "%n"), (16, 1, 4, 4, 1)),
    ],
)
def test_only_numbers_that_become_indices_matter(body: str, divisors: tuple[int, ...]) -> None:
    kernel = lanewise.compile(INDEXED.format(body=body))
    assert kernel.compiler.interface.divisors == divisors


MANY = """
gpu.func @many({arguments}) kernel attributes {{gpu.known_block_size = array<i32: 32, 1, 1>}} {{
  %c0 = arith.constant 0 : index
  %one = arith.constant dense<1.0> : vector<128xf32>
  {writes}
  gpu.return
}}
"""


def test_the_number_of_variants_is_bounded() -> None:
    """Of 2^6 combinations the first become variants; every launch is right all the same."""
    names = [f"%a{i}" for i in range(3)]
    text = MANY.format(
        arguments=", ".join(f"{name}: memref<?xf32>" for name in names),
        writes="\n  ".join(f"vector.transfer_write %one, {n}[%c0] : vector<128xf32>, memref<?xf32>" for n in names),
    )
    kernel = lanewise.compile(text, target="sm_90", device="emulated")
    for number, sizes in enumerate(itertools.product((64, 65), repeat=3)):
        for shifts in itertools.product((0, 4), repeat=3):
            placed = [
                GuardedArray(kernel.device, np.zeros(n, np.float32), s) for n, s in zip(sizes, shifts, strict=True)
            ]
            kernel[1](*placed)
            if number % 3 == 0:
                assert all((array.read()[0] == 1).all() for array in placed)
    assert kernel.variant_count == MOST_VARIANTS + 1, "and the general one, where none of them fits"


@pytest.mark.parametrize("target", ["sm_90", "gfx942"])
def test_a_dumped_stage_has_one_variant(target: str) -> None:
    """Facts were used, or not, when it was lowered."""
    kernel = lanewise.compile(ROWS, target=target)
    x, y = np.arange(2 * 1004, dtype=np.float32).reshape(2, 1004), np.zeros((2, 1004), np.float32)
    for stage in (kernel.layout_ir, kernel.thread_ir):
        resumed = lanewise.compile(stage, device="emulated")
        for width in (256, 255):
            y[:] = 0
            resumed[2](x[:, :width], y[:, :width])
            assert np.array_equal(y[:, :width], x[:, :width]) and not y[:, width:].any()
        assert resumed.variant_count == 1 and resumed.assembly == kernel.assembly


def test_the_best_of_the_variants_that_fit() -> None:
    known = [GENERAL, Facts((16, 1, 1)), Facts((16, 4, 1)), Facts((1, 1, 4)), Facts((16, 4, 4), near=True)]
    for seen, expected in (
        (Facts((16, 4, 1)), known[2]),
        (Facts((16, 1, 4)), known[1]),
        (Facts((1, 4, 4)), known[3]),
        (Facts((16, 4, 4)), known[2]),
        (Facts((16, 4, 4), near=True), known[4]),
        (Facts((1, 4, 1)), GENERAL),
        (GENERAL, GENERAL),
    ):
        assert best_fitting(known, seen) == expected
    assert best_fitting([], Facts((16,))) == GENERAL


def test_a_fact_of_the_wrong_kind_is_refused() -> None:
    for argument, attribute, message in (
        ("%x: memref<?xf32>", "lanewise.divisibility = 4 : i64", "expected a number for each of 1 extents"),
        (
            "%x: memref<?xf32>",
            "lanewise.stride_divisibility = array<i64: 4, 4>",
            "has 2 numbers, expected a number for each of 1 strides",
        ),
        ("%x: memref<?xf32>", "lanewise.stride_divisibility = array<i64: 0>", "expected numbers of at least 1"),
        ("%x: index", "lanewise.divisibility = array<i64: 4>", "expected one number"),
    ):
        text = MANY.format(arguments=f"{argument} {{{attribute}}}", writes="")
        with pytest.raises(lanewise.CompileError, match=message):
            _ = lanewise.compile(text).ptx
