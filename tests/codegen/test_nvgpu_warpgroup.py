"""nvgpu.warpgroup.*: every type and order of tiles that copies put down, on the emulator, products by numpy."""

from __future__ import annotations

from typing import Any, NamedTuple

import lanewise
import ml_dtypes
import numpy as np
import pytest
from lanewise.ir.parser import parse_program
from lanewise.pipeline.compilation import Compilation
from lanewise.support.diagnostics import LanewiseError
from lanewise.targets import find_chip

WORKGROUP = "#gpu.address_space<workgroup>"
TYPES: dict[str, Any] = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "tf32": np.float32,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "i8": np.int8,
    "f32": np.float32,
    "i32": np.int32,
}


class Case(NamedTuple):
    """`[m, n, k]`, the elements of A, B and the sums, bytes of rows of A's and B's boxes, and which are transposed."""

    shape: tuple[int, int, int]
    types: tuple[str, str, str]
    rows: tuple[int, int] = (128, 128)
    marks: tuple[bool, bool] = (False, False)
    wait: int | None = 0


class Side(NamedTuple):
    """A tile in memory: its rows and columns, and the box that copies of it take."""

    name: str
    element: str
    lying: tuple[int, int]
    tile: tuple[int, int]
    row: int

    @property
    def stored(self) -> str:
        return "f32" if self.element == "tf32" else self.element

    @property
    def columns(self) -> int:
        return self.row // np.dtype(TYPES[self.element]).itemsize

    @property
    def type(self) -> str:
        return f"memref<{self.lying[0]}x{self.lying[1]}x{self.stored}, {WORKGROUP}>"

    @property
    def aliases(self) -> str:
        box = f"memref<{self.lying[0]}x{self.columns}x{self.stored}, {WORKGROUP}>"
        tile = f"memref<{self.tile[0]}x{self.tile[1]}x{self.element}, {WORKGROUP}>"
        words = f"swizzle = swizzle_{self.row}b, l2promo = none, oob = zero, interleave = none"
        return (
            f"!{self.name}_box = !nvgpu.tensormap.descriptor<tensor = {box}, {words}>\n"
            f"!{self.name}_tile = !nvgpu.warpgroup.descriptor<tensor = {tile}>\n"
        )

    @property
    def order(self) -> str:
        alike, piece = 128 // self.row, 16 // np.dtype(TYPES[self.element]).itemsize
        numbers = f"{self.columns}, {piece}" + (f", {self.columns}, {alike}" if alike > 1 else "")
        boxes = f", lanewise.box = {self.columns} : i64" if self.columns < self.lying[1] else ""
        dialect = "iree_codegen" if alike * 16 <= self.row else "lanewise"
        return f"{{iree_codegen.swizzle = #{dialect}.xor_shuffle<{numbers}>{boxes}}}"

    def lines(self) -> list[str]:
        n, (rows, _) = self.name, self.lying
        box = f"memref<{rows}x{self.lying[1]}x{self.stored}>"
        made = [
            f"%{n}_rows = arith.constant {rows} : index",
            f"%{n}_columns = arith.constant {self.columns} : index",
            f"%{n}_map = nvgpu.tma.create.descriptor %{n} box[%{n}_rows, %{n}_columns] : {box} -> !{n}_box",
            f"%{n}s = memref.alloc() {self.order} : {self.type}",
        ]
        return made

    def copies(self) -> list[str]:
        n, found = self.name, list[str]()
        for first in range(0, self.lying[1], self.columns):
            place = f"%{n}_at{first}"
            found += [
                f"  {place} = arith.constant {first} : index",
                f"  nvgpu.tma.async.load %{n}_map[{place}, %c0], %came[%c0] to %{n}s[%c0, {place}]"
                f" : !{n}_box, !one -> {self.type}",
            ]
        return found

    def named(self) -> str:
        n = self.name
        types = f"{self.type}, !{n}_box -> !{n}_tile"
        return f"%d{n} = nvgpu.warpgroup.generate.descriptor %{n}s, %{n}_map : {types}"


def sides(case: Case) -> tuple[Side, Side]:
    m, n, k = case.shape
    a, b = (k, m) if case.marks[0] else (m, k), (k, n) if case.marks[1] else (n, k)
    return (
        Side("a", case.types[0], a, (m, k), case.rows[0]),
        Side("b", case.types[1], b, (k, n), case.rows[1]),
    )


def program(case: Case) -> str:
    """Twice the product."""
    (m, n, _), c, both = case.shape, case.types[2], sides(case)
    bytes = sum(np.dtype(TYPES[s.element]).itemsize * s.lying[0] * s.lying[1] for s in both)
    marks = [f"transpose{side}" for side, marked in zip("AB", case.marks, strict=True) if marked]
    marks += [] if case.wait is None else [f"waitGroup = {case.wait} : i32"]
    said = f" {{{', '.join(marks)}}}" if marks else ""
    types = "!a_tile, !b_tile, !sums -> !sums"
    body = [
        "%c0 = arith.constant 0 : index",
        "%c1 = arith.constant 1 : index",
        f"%bytes = arith.constant {bytes} : index",
        "%ticks = arith.constant 1000000 : index",
        "%even = arith.constant false",
        "%t = gpu.thread_id x",
        "%first = arith.cmpi eq, %t, %c0 : index",
        *(line for side in both for line in side.lines()),
        "%came = nvgpu.mbarrier.create -> !one",
        "scf.if %first {",
        "  nvgpu.mbarrier.init %came[%c0], %c1 : !one",
        "  nvgpu.mbarrier.arrive.expect_tx %came[%c0], %bytes : !one",
        *(line for side in both for line in side.copies()),
        "}",
        "gpu.barrier",
        "nvgpu.mbarrier.try_wait.parity %came[%c0], %even, %ticks : !one",
        *(side.named() for side in both),
        "%zeros = nvgpu.warpgroup.mma.init.accumulator -> !sums",
        f"%once = nvgpu.warpgroup.mma %da, %db, %zeros{said} : {types}",
        f"%twice = nvgpu.warpgroup.mma %da, %db, %once{said} : {types}",
        f"nvgpu.warpgroup.mma.store %twice, %d : !sums to memref<{m}x{n}x{c}>",
        "gpu.return",
    ]
    arguments = [f"%{s.name}: memref<{s.lying[0]}x{s.lying[1]}x{s.stored}> {{llvm.align = 16 : i64}}" for s in both]
    return (
        "".join(side.aliases for side in both)
        + f"!sums = !nvgpu.warpgroup.accumulator<fragmented = vector<{m}x{n}x{c}>>\n"
        + f"!one = !nvgpu.mbarrier.group<memorySpace = {WORKGROUP}>\n"
        + f"gpu.func @k({', '.join(arguments)}, %d: memref<{m}x{n}x{c}>) kernel attributes"
        + ' {gpu.known_block_size = array<i32: 128, 1, 1>, lanewise.scope = "thread"} {\n'
        + "".join(f"  {line}\n" for line in body)
        + "}\n"
    )


CASES = [
    Case((64, 8, 64), ("f16", "f16", "f32")),
    Case((128, 128, 128), ("f16", "f16", "f32"), marks=(False, True), wait=None),
    Case((128, 64, 32), ("bf16", "bf16", "f32"), rows=(128, 64), marks=(True, False), wait=1),
    Case((64, 32, 16), ("f16", "f16", "f16"), rows=(32, 64), marks=(False, True), wait=None),
    Case((128, 16, 64), ("tf32", "tf32", "f32")),
    Case((64, 16, 128), ("f8E4M3FN", "f8E5M2", "f32"), wait=None),
    Case((128, 48, 128), ("i8", "i8", "i32")),
]


@pytest.mark.parametrize("case", CASES, ids=lambda c: "-".join(map(str, (*c.shape, *c.types))))
def test_products(case: Case) -> None:
    rng, (m, n, k) = np.random.default_rng(0), case.shape
    left, right = rng.integers(-3, 4, (m, k)), rng.integers(-3, 4, (n, k))
    a = (left.T if case.marks[0] else left).astype(TYPES[case.types[0]])
    b = (right.T if case.marks[1] else right).astype(TYPES[case.types[1]])
    d = np.full((m, n), 7).astype(TYPES[case.types[2]])
    lanewise.compile(program(case), "sm_90a")[1](np.ascontiguousarray(a), np.ascontiguousarray(b), d)
    assert np.array_equal(d, (2 * left @ right.T).astype(d.dtype))


def test_groups_go_on_where_they_may() -> None:
    """Of 128 rows, two instructions of 64: each is a group, and those of one product may be under way."""
    text = lanewise.compile(program(CASES[1]), "sm_90a").assembly
    assert [text.count(f"wgmma.wait_group.sync.aligned {n}") for n in (0, 1, 2)] == [1, 0, 4]
    waited = lanewise.compile(program(CASES[1]._replace(wait=0)), "sm_90a").assembly
    assert waited.count("wgmma.wait_group.sync.aligned 0") == 5


FIRST = CASES[0]
REFUSED = {
    "another chip": ("", "", "sm_90", "needs wgmma, which sm_90 does not have"),
    "a workgroup's program": (', lanewise.scope = "thread"', "", "sm_90a", "is of a thread's program, this one is a"),
    "a pattern's fourth row": (
        "%db = nvgpu.warpgroup.generate.descriptor %bs, %b_map : memref<8x64xf16, #gpu.address_space<workgroup>>",
        "%four = arith.constant 4 : index\n"
        "%part = memref.subview %as[%four, 0] [8, 64] [1, 1] : memref<64x64xf16, #gpu.address_space<workgroup>>"
        " to memref<8x64xf16, strided<[64, 1], offset: ?>, #gpu.address_space<workgroup>>\n"
        "%db = nvgpu.warpgroup.generate.descriptor %part, %b_map"
        " : memref<8x64xf16, strided<[64, 1], offset: ?>, #gpu.address_space<workgroup>>",
        "sm_90a",
        "begins at a row that is a multiple of 8, which is not known of this one",
    ),
    "an order that is another map's": ("xor_shuffle<64, 8>", "xor_shuffle<64, 4>", "sm_90a", "in another order"),
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_is_refused(words: str) -> None:
    old, new, chip, message = REFUSED[words]
    text = program(FIRST)
    assert old in text
    with pytest.raises(LanewiseError) as raised:
        assert Compilation(parse_program(text.replace(old, new)), None, find_chip(chip)).artifacts
    assert message in str(raised.value)
