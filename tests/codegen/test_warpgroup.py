"""lanewise.warpgroup_mma: every type and order, each executed by interpreter and emulator, products by numpy.

Tiles lie in a workgroup's buffers of the orders that the hardware knows. Which lane has which sum is the PTX ISA's
closed formula. What the operation cannot do is refused where it is verified or compiled.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from lanewise.codegen.assemble import assemble, has_tool
from lanewise.distribute.interpret import interpret_kernel
from lanewise.emulate.faults import EmulationFault
from lanewise.ir.kernels import find_kernel
from lanewise.ir.parser import parse_program
from lanewise.ir.verify import verify
from lanewise.support.diagnostics import CompileError, LanewiseError
from lanewise.targets import find_chip, find_matrix_instruction

from .conftest import compiled, kernel_text, launched
from .test_matrix import TYPES

SM_90A = find_chip("sm_90a")
WORKGROUP = "#gpu.address_space<workgroup>"


def order(row_bytes: int, size: int) -> str:
    """The attributes of a buffer whose rows have so many bytes."""
    width = next(w for w in (128, 64, 32) if row_bytes % w == 0)
    row, alike = width // size, 128 // width
    numbers = f"{row}, {16 // size}" + (f", {row}, {alike}" if alike > 1 else "")
    box = f", lanewise.box = {row} : i64" if row_bytes > width else ""
    dialect = "iree_codegen" if alike * 16 <= width else "lanewise"  # upstream has no more rows alike than pieces
    return f"{{iree_codegen.swizzle = #{dialect}.xor_shuffle<{numbers}>{box}}}"


def program(name: str, depth: int, majors: tuple[bool, bool] = (True, True), edit: Any = lambda text: text) -> str:
    """Copies both tiles to shared memory, adds the product to ones, writes each lane's sums."""
    i = find_matrix_instruction(name)
    m, n, _ = i.shape
    a, b, c = ({"ui8": "i8", "tf32": "f32"}.get(t, t) for t in (i.a_type, i.b_type, i.c_type))
    size = np.dtype(TYPES[a]).itemsize
    shapes = [(depth, m) if not majors[0] else (m, depth), (depth, n) if not majors[1] else (n, depth)]
    lines, arguments = [], []
    for side, (rows, columns), element in zip("ab", shapes, (a, b), strict=True):
        type = f"memref<{rows}x{columns}x{element}, {WORKGROUP}>"
        arguments.append(f"%{side}: memref<{rows}x{columns}x{element}>")
        lines.append(f"  %s{side} = memref.alloc() {order(columns * size, size)} : {type}")
        lines += [
            f"  scf.for %i{side} = %t to %n{side} step %all {{",
            f"    %r{side} = arith.divui %i{side}, %w{side} : index",
            f"    %c{side} = arith.remui %i{side}, %w{side} : index",
            f"    %v{side} = memref.load %{side}[%r{side}, %c{side}] : memref<{rows}x{columns}x{element}>",
            f"    memref.store %v{side}, %s{side}[%r{side}, %c{side}] : {type}",
            "  }",
        ]
        lines.insert(0, f"  %n{side} = arith.constant {rows * columns} : index")
        lines.insert(0, f"  %w{side} = arith.constant {columns} : index")
    ta, tb = (f"memref<{r}x{k}x{e}, {WORKGROUP}>" for (r, k), e in zip(shapes, (a, b), strict=True))
    marks = "".join(f", transpose{side}" for side, major in zip("AB", majors, strict=True) if not major)
    one = "1" if c == "i32" else "1.0"
    lines = [
        "  %t = gpu.thread_id x",
        "  %c0 = arith.constant 0 : index",
        "  %all = arith.constant 128 : index",
        *lines,
        "  nvvm.fence.proxy <async.shared>, space = <cta>",
        "  gpu.barrier",
        f"  %one = arith.constant dense<{one}> : vector<{n // 2}x{c}>",
        f"  %d = lanewise.warpgroup_mma %sa[%c0, %c0], %sb[%c0, %c0], %one {{kind = #lanewise.mma_layout<{name}>,"
        f" depth = {depth} : i64{marks}}} : {ta}, {tb}, vector<{n // 2}x{c}>",
        f"  vector.store %d, %out[%t, %c0] : memref<128x{n // 2}x{c}>, vector<{n // 2}x{c}>",
    ]
    arguments.append(f"%out: memref<128x{n // 2}x{c}>")
    return edit(kernel_text(", ".join(arguments), "\n".join(lines), (128, 1, 1)))


def at(lane: int, i: int) -> tuple[int, int]:
    return 16 * (lane // 32) + lane % 32 // 4 + 8 * (i // 2 % 2), 8 * (i // 4) + 2 * (lane % 4) + i % 2


def tiles(name: str, depth: int) -> tuple[Any, Any]:
    """A and B, columns by K, of small integers."""
    i = find_matrix_instruction(name)
    rng = np.random.default_rng(0)
    factors: list[Any] = []
    for type, extent in ((i.a_type, i.shape[0]), (i.b_type, i.shape[1])):
        low, high = (-3, 4) if type != "ui8" else (0, 200)
        stored = {"ui8": np.uint8, "tf32": np.float32}.get(type) or TYPES[type]
        factors.append(rng.integers(low, high, (extent, depth)).astype(stored))
    return factors[0], factors[1]


CASES = [
    ("NV_WGMMA_F32_64x8x16_F16", 64, (True, True)),
    ("NV_WGMMA_F32_64x16x16_F16", 128, (True, False)),
    ("NV_WGMMA_F32_64x64x16_BF16", 16, (False, True)),
    ("NV_WGMMA_F32_64x128x16_BF16", 32, (False, False)),
    ("NV_WGMMA_F16_64x24x16_F16", 32, (True, True)),
    ("NV_WGMMA_F32_64x256x16_F16", 16, (True, False)),
    ("NV_WGMMA_F32_64x16x8_TF32", 16, (True, True)),
    ("NV_WGMMA_F32_64x8x32_F8E4M3FN_F8E5M2", 128, (True, True)),
    ("NV_WGMMA_F16_64x8x32_F8E5M2", 32, (True, True)),
    ("NV_WGMMA_I32_64x24x32_I8", 64, (True, True)),
    ("NV_WGMMA_I32_64x8x32_UI8_I8", 32, (True, True)),
]


@pytest.mark.parametrize(("name", "depth", "majors"), CASES)
def test_products(name: str, depth: int, majors: tuple[bool, bool]) -> None:
    left, right = tiles(name, depth)
    text = program(name, depth, majors)
    total = 1 + left.astype(np.float64) @ right.astype(np.float64).T
    n = find_matrix_instruction(name).shape[1]
    element = TYPES[find_matrix_instruction(name).c_type]
    wanted = np.array([[total[at(lane, i)] for i in range(n // 2)] for lane in range(128)]).astype(element)
    given = [m if major else np.ascontiguousarray(m.T) for m, major in zip((left, right), majors, strict=True)]
    given = [m.view(np.int8) if m.dtype == np.uint8 else m for m in given]
    arguments = [*given, np.zeros((128, n // 2), element)]
    assert np.array_equal(launched(compiled(text, "sm_90a"), arguments)[2], wanted)
    interpreted = [a.copy() for a in arguments]
    module = parse_program(text)
    interpret_kernel(find_kernel(module), (1, 1, 1), interpreted, subgroup_size=32)
    assert np.array_equal(interpreted[2], wanted)


@pytest.mark.skipif(not has_tool("ptxas"), reason="ptxas is not installed (pip install lanewise[isa])")
@pytest.mark.parametrize(("name", "depth", "majors"), CASES)
def test_the_assembler_accepts_each_and_serialises_none(name: str, depth: int, majors: tuple[bool, bool]) -> None:
    cubin = assemble(compiled(program(name, depth, majors), "sm_90a").assembly, SM_90A)
    assert cubin.warnings == ()


def replaced(old: str, new: str) -> Any:
    def edit(text: str) -> str:
        assert old in text
        return text.replace(old, new)

    return edit


PLAIN = "NV_WGMMA_F32_64x8x16_F16"
REFUSED = {
    "kind is NV_MMA_SYNC_F32_16x8x16_F16, no instruction of four": replaced(
        f"#lanewise.mma_layout<{PLAIN}>", "#iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>"
    ),
    "depth must be a multiple of 16, found 24": replaced("depth = 64", "depth = 24"),
    r"matrixC of NV_WGMMA_F32_64x8x16_F16 must be vector<4xf32>, found vector<6xf32>": lambda text: text.replace(
        "vector<4xf32>", "vector<6xf32>"
    ).replace("memref<128x4xf32>", "memref<128x6xf32>"),
    "matrixB must have two dimensions or more of f16, found memref<8x64xbf16": replaced("8x64xf16", "8x64xbf16"),
    "matrixA needs 2 indices, found 1": replaced("%sa[%c0, %c0], %sb", "%sa[%c0], %sb"),
    "waitGroup must be a number of at least 0 of type i32, found 1": replaced(
        "depth = 64", "waitGroup = 1, depth = 64"
    ),
    "waitGroup must be a number of at least 0 of type i32, found -1": replaced("depth", "waitGroup = -1 : i32, depth"),
    "is under way where 'vector.store' takes its result": replaced("depth", "waitGroup = 1 : i32, depth"),
    "is between #nvvm.proxy_kind<async.shared> of #nvvm.shared_space<cta>, found #nvvm.proxy_kind<alias>": replaced(
        "async.shared", "alias"
    ),
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_is_wrong_is_said(words: str) -> None:
    with pytest.raises(LanewiseError) as caught:
        verify(parse_program(program(PLAIN, 64, edit=REFUSED[words])))
    assert words in str(caught.value)


IN_FLIGHT = (
    ("depth = 64", "waitGroup = 2 : i32, depth = 64"),
    (
        "  vector.store",
        "  %e = lanewise.warpgroup_mma %sa[%c0, %c0], %sb[%c0, %c0], %d {kind = #lanewise.mma_layout<NAME>,"
        " waitGroup = 1 : i32, depth = 64 : i64} : TYPES\n"
        "  %f = lanewise.warpgroup_wait %e : vector<4xf32>\n  vector.store",
    ),
    ("vector.store %d", "vector.store %f"),
)


def in_flight(text: str) -> str:
    """Twice the product, the second while the first is under way, then a wait for both."""
    types = next(line.split(" : ")[-1] for line in text.split("\n") if "warpgroup_mma" in line)
    for old, new in IN_FLIGHT:
        text = replaced(old, new)(text)
    return text.replace("NAME", PLAIN).replace("TYPES", types)


def test_a_product_goes_on_until_a_wait() -> None:
    left, right = tiles(PLAIN, 64)
    text = program(PLAIN, 64, edit=in_flight)
    total = 1 + 2 * (left.astype(np.float64) @ right.astype(np.float64).T)
    wanted = np.array([[total[at(lane, i)] for i in range(4)] for lane in range(128)], np.float32)
    arguments = [left, right, np.zeros((128, 4), np.float32)]
    kernel = compiled(text, "sm_90a")
    assert [line.split()[-1] for line in kernel.assembly.split("\n") if "wait_group" in line] == ["2;", "1;", "0;"]
    assert np.array_equal(launched(kernel, arguments)[2], wanted)
    interpret_kernel(find_kernel(parse_program(text)), (1, 1, 1), arguments, subgroup_size=32)
    assert np.array_equal(arguments[2], wanted)


def test_what_a_product_reads_stays_until_a_wait() -> None:
    write = "  memref.store %o, %sa[%t, %c0] : memref<64x64xf16, #gpu.address_space<workgroup>>\n"
    write = f"  %w = arith.cmpi ult, %t, %depth : index\n  scf.if %w {{\n  {write}  }}\n"
    text = program(PLAIN, 64, edit=in_flight).replace("  %f =", f"  gpu.barrier\n{write}  %f =")
    start = "  %depth = arith.constant 64 : index\n  %o = arith.constant 9.0 : f16\n"
    text = text.replace("  %t = gpu", f"{start}  %t = gpu")
    left, right = tiles(PLAIN, 64)
    arguments = [left, right, np.zeros((128, 4), np.float32)]
    with pytest.raises(EmulationFault, match="a wgmma reads, for which nobody has waited"):
        launched(compiled(text, "sm_90a"), arguments)
    with pytest.raises(LanewiseError, match="multiplies what was written while the product was under way"):
        interpret_kernel(find_kernel(parse_program(text)), (1, 1, 1), arguments, subgroup_size=32, checks=False)


def test_two_sums_in_a_register_do_not_go_on() -> None:
    text = program("NV_WGMMA_F16_64x24x16_F16", 32)
    with pytest.raises(
        LanewiseError, match=r"one sum each where waitGroup is not 0, found f16, two of which share one"
    ):
        verify(parse_program(replaced("depth", "waitGroup = 1 : i32, depth")(text)))
    waits = replaced("  vector.store %d", "  %f = lanewise.warpgroup_wait %d : vector<12xf16>\n  vector.store %f")
    with pytest.raises(LanewiseError, match="is of accumulators with a register each, found vector<12xf16>"):
        verify(parse_program(waits(text)))


def test_bytes_are_not_transposed() -> None:
    with pytest.raises(LanewiseError, match="matrixB is transposed, which is for elements of 16 bits"):
        verify(parse_program(program("NV_WGMMA_I32_64x32x32_I8", 32, (True, False))))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("{iree_codegen.swizzle = #iree_codegen.xor_shuffle<64, 8>} ", ""),
        ("xor_shuffle<64, 8>", "xor_shuffle<64, 4>"),
        ("xor_shuffle<64, 8>", "xor_shuffle<64, 8, 64, 2>"),
        ("xor_shuffle<64, 8>", "rotate_rows<64, 8>"),
    ],
)
def test_other_orders_are_refused(old: str, new: str) -> None:
    with pytest.raises(CompileError, match="whose order is none that tensor cores know"):
        compiled(program(PLAIN, 64, edit=replaced(old, new)), "sm_90a")


def test_other_chips_are_refused() -> None:
    with pytest.raises(CompileError, match="needs wgmma, which sm_90 does not have"):
        compiled(program(PLAIN, 64), "sm_90")


def test_a_part_of_the_lanes_is_refused() -> None:
    text = program(PLAIN, 64).replace("array<i32: 128, 1, 1>", "array<i32: 96, 1, 1>")
    with pytest.raises(LanewiseError, match="needs whole groups of 128 lanes"):
        arguments = [np.zeros((64, 64), np.float16), np.zeros((8, 64), np.float16), np.zeros((128, 4), np.float32)]
        interpret_kernel(find_kernel(parse_program(text)), (1, 1, 1), arguments, subgroup_size=32)
