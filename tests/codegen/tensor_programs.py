"""Programs with tensor memory in the thread stage: tiles into shared memory, products, sums into registers and out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from lanewise.targets import MatrixInstruction
from lanewise.targets.tcgen05 import find

from .conftest import kernel_text
from .test_matrix import TYPES

SPACE = "#gpu.address_space<workgroup>"
BARRIERS = f"!nvgpu.mbarrier.group<memorySpace = {SPACE}>"
SLOT = f"memref<1xi32, {SPACE}>"
STORED = {"ui8": "i8", "tf32": "f32"}
PIECE = 16
"""Columns that are read at once."""


def order(row_bytes: int, size: int) -> str:
    """The attributes of a buffer whose rows have so many bytes."""
    width = next(w for w in (128, 64, 32) if row_bytes % w == 0)
    row, alike = width // size, 128 // width
    numbers = f"{row}, {16 // size}" + (f", {row}, {alike}" if alike > 1 else "")
    box = f", lanewise.box = {row} : i64" if row_bytes > width else ""
    dialect = "iree_codegen" if alike * 16 <= width else "lanewise"  # upstream has no more rows alike than pieces
    return f"{{iree_codegen.swizzle = #{dialect}.xor_shuffle<{numbers}>{box}}}"


def tile(name: str, shape: tuple[int, int], element: str) -> list[str]:
    """A buffer `%sNAME` with what argument `%NAME` has."""
    (rows, columns), size = shape, np.dtype(TYPES[element]).itemsize
    type = f"memref<{rows}x{columns}x{element}, {SPACE}>"
    return [
        f"%s{name} = memref.alloc() {order(columns * size, size)} : {type}",
        f"%w{name} = arith.constant {columns} : index",
        f"%n{name} = arith.constant {rows * columns} : index",
        f"scf.for %i{name} = %t to %n{name} step %all {{",
        f"  %r{name} = arith.divui %i{name}, %w{name} : index",
        f"  %c{name} = arith.remui %i{name}, %w{name} : index",
        f"  %v{name} = memref.load %{name}[%r{name}, %c{name}] : memref<{rows}x{columns}x{element}>",
        f"  memref.store %v{name}, %s{name}[%r{name}, %c{name}] : {type}",
        "}",
    ]


HEAD = [
    "%t = gpu.thread_id x",
    *(f"%c{n} = arith.constant {n} : index" for n in (0, 1, 32)),
    "%all = arith.constant 128 : index",
    "%ticks = arith.constant 1000 : index",
    "%no = arith.constant false",
    f"%slot = memref.alloc() : {SLOT}",
    f"%bar = nvgpu.mbarrier.create -> {BARRIERS}",
    "%first = arith.cmpi eq, %t, %c0 : index",
    "%low = arith.cmpi ult, %t, %c32 : index",
    "%w = arith.divui %t, %c32 : index",
    "%lane = arith.muli %w, %c32 : index",
]


def taken(columns: int) -> list[str]:
    """One subgroup allocates, one thread makes a barrier object."""
    return [
        "scf.if %low {",
        f"  lanewise.tcgen05.alloc %slot[%c0] {{columns = {columns} : i32}} : {SLOT}",
        "  lanewise.tcgen05.relinquish_alloc_permit",
        "}",
        "scf.if %first {",
        f"  nvgpu.mbarrier.init %bar[%c0], %c1 : {BARRIERS}",
        "}",
        "nvvm.fence.proxy <async.shared>, space = <cta>",
        "gpu.barrier",
    ]


COMMIT = f"lanewise.tcgen05.commit %bar[%c0] : {BARRIERS}"
WAIT = [
    f"nvgpu.mbarrier.try_wait.parity %bar[%c0], %no, %ticks : {BARRIERS}",
    'lanewise.tcgen05.fence {kind = "after_thread_sync"}',
]


def memory(lanes: int, columns: int, element: str) -> str:
    """The type of sums."""
    return f"!lanewise.tensor_memory<{lanes}x{columns}x{element}{', padded' if element == 'f16' else ''}>"


def address(name: str, type: str) -> str:
    return f"%{name} = lanewise.tcgen05.address %slot[%c0] : {SLOT} -> {type}"


def stored(columns: int, element: str) -> list[str]:
    """Each thread writes its row of the sums `%d` to `%out`."""
    whole, part = memory(128, columns, element), memory(32, PIECE, element)
    held, out = f"vector<{PIECE}x{element}>", f"memref<128x{columns}x{element}>"
    lines: list[str] = []
    for n in range(columns // PIECE):
        lines += [
            f"%at{n} = arith.constant {n * PIECE} : index",
            f"%p{n} = lanewise.tcgen05.part %d[%lane, %at{n}] : {whole} to {part}",
            f'%u{n} = lanewise.tcgen05.ld %p{n} {{shape = "32x32b"}} : {part} -> {held}',
        ]
    for n in range(columns // PIECE):
        lines += [
            f"%x{n} = lanewise.tcgen05.wait_ld %u{n} : {held}",
            f"vector.store %x{n}, %out[%t, %at{n}] : {out}, {held}",
        ]
    return lines


def given_back(columns: int, whole: str) -> list[str]:
    return [
        'lanewise.tcgen05.fence {kind = "before_thread_sync"}',
        "gpu.barrier",
        "scf.if %low {",
        f"  lanewise.tcgen05.dealloc %d {{columns = {columns} : i32}} : {whole}",
        "}",
    ]


@dataclass(frozen=True)
class Case:
    """A product of 128 rows: types, columns, extent along K; which of A and B have K contiguous."""

    a: str
    b: str
    c: str
    n: int
    depth: int
    majors: tuple[bool, bool] = (True, True)

    @property
    def instruction(self) -> MatrixInstruction:
        found = find(128, self.n, self.a, self.b, self.c)
        assert found is not None
        return found

    @property
    def columns(self) -> int:
        """That are allocated."""
        return max(32, 1 << (self.n - 1).bit_length())

    @property
    def stored(self) -> tuple[str, str]:
        """Elements of A and B in programs."""
        return STORED.get(self.a, self.a), STORED.get(self.b, self.b)

    @property
    def shapes(self) -> list[tuple[int, int]]:
        extents = zip((128, self.n), self.majors, strict=True)
        return [(extent, self.depth) if major else (self.depth, extent) for extent, major in extents]

    @property
    def arguments(self) -> str:
        named = zip("ab", self.shapes, self.stored, strict=True)
        tiles = [f"%{name}: memref<{r}x{k}x{e}>" for name, (r, k), e in named]
        return ", ".join([*tiles, f"%out: memref<128x{self.n}x{self.c}>"])

    def product(self, adds: str = "%no") -> str:
        tiles = [f"memref<{r}x{k}x{e}, {SPACE}>" for (r, k), e in zip(self.shapes, self.stored, strict=True)]
        marks = [f"transpose{side}" for side, major in zip("AB", self.majors, strict=True) if not major]
        marks += [f"unsigned{side}" for side, type in (("A", self.a), ("B", self.b)) if type == "ui8"]
        marks += ["tf32Enabled"] * (self.a == "tf32")
        flags = ", ".join([f"depth = {self.depth} : i64", *marks])
        sums = memory(128, self.n, self.c)
        where = f"lanewise.tcgen05.mma %d, %sa[%c0, %c0], %sb[%c0, %c0], {adds}"
        return f"{where} {{{flags}}} : {sums}, {tiles[0]}, {tiles[1]}"

    def program(self, times: int = 1) -> str:
        """So many products into the same sums."""
        lines = [*HEAD, *tile("a", self.shapes[0], self.stored[0]), *tile("b", self.shapes[1], self.stored[1])]
        sums = memory(128, self.n, self.c)
        lines += [*taken(self.columns), address("d", sums), "%yes = arith.constant true", "scf.if %first {"]
        lines += [f"  {self.product('%yes' if n else '%no')}" for n in range(times)]
        lines += [f"  {COMMIT}", "}", *WAIT, *stored(self.n, self.c), *given_back(self.columns, sums)]
        return whole(self.arguments, lines)

    def factors(self) -> tuple[np.ndarray, np.ndarray]:
        """A, and B with columns first, of small integers."""
        rng = np.random.default_rng(0)
        found = list[np.ndarray]()
        for type, extent in ((self.a, 128), (self.b, self.n)):
            low, high = (-3, 4) if type != "ui8" else (0, 200)
            element = {"ui8": np.uint8, "tf32": np.float32}.get(type) or TYPES[type]
            found.append(rng.integers(low, high, (extent, self.depth)).astype(element))
        return found[0], found[1]

    def values(self) -> list[np.ndarray]:
        """Arguments."""
        given = [
            m if major else np.ascontiguousarray(m.T) for m, major in zip(self.factors(), self.majors, strict=True)
        ]
        given = [m.view(np.int8) if m.dtype == np.uint8 else m for m in given]
        return [*given, np.zeros((128, self.n), TYPES[self.c])]


def whole(arguments: str, lines: Sequence[str]) -> str:
    return kernel_text(arguments, "\n".join(f"  {line}" for line in lines), (128, 1, 1))
