"""An object with two kernels, constant tables, LDS, and variables, and a code object as a loader sees it."""

from __future__ import annotations

import struct
from collections.abc import Callable

import pytest
from lanewise.codegen.link import link
from lanewise.codegen.llvm import compile_text
from lanewise.targets import CHIPS

FLOATS = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0]
INTEGERS = [7, 70, 700, 7000, 70000]
INITIAL = [11, 22, 33, 44]

TWO_KERNELS = f"""
@floats = internal unnamed_addr addrspace(4) constant [8 x float] [{", ".join(f"float {x}" for x in FLOATS)}], align 16
@integers = internal unnamed_addr addrspace(4) constant [5 x i32] [{", ".join(f"i32 {x}" for x in INTEGERS)}], align 4
@initial = internal addrspace(1) global [4 x i32] [{", ".join(f"i32 {x}" for x in INITIAL)}], align 16
@counter = internal addrspace(1) global i32 0, align 4
@tile = internal addrspace(3) global [64 x float] poison, align 16
@rest = external addrspace(3) global [0 x i8], align 16

define amdgpu_kernel void @first(ptr addrspace(1) noalias %p, i32 %n) #0 {{
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %e = getelementptr [8 x float], ptr addrspace(4) @floats, i32 0, i32 %n
  %v = load float, ptr addrspace(4) %e
  %own = getelementptr float, ptr addrspace(3) @tile, i32 %t
  store float %v, ptr addrspace(3) %own
  fence syncscope("workgroup") release
  call void @llvm.amdgcn.s.barrier()
  fence syncscope("workgroup") acquire
  %x = xor i32 %t, 1
  %other = getelementptr float, ptr addrspace(3) @tile, i32 %x
  %w = load float, ptr addrspace(3) %other
  %d = getelementptr float, ptr addrspace(3) @rest, i32 %t
  store float %w, ptr addrspace(3) %d
  %o = getelementptr float, ptr addrspace(1) %p, i32 %t
  store float %w, ptr addrspace(1) %o
  ret void
}}
define amdgpu_kernel void @second(ptr addrspace(1) noalias %p) #0 {{
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %m = and i32 %t, 3
  %e = getelementptr i32, ptr addrspace(4) @integers, i32 %m
  %v = load i32, ptr addrspace(4) %e
  %i = getelementptr i32, ptr addrspace(1) @initial, i32 %m
  %u = load i32, ptr addrspace(1) %i
  store i32 %v, ptr addrspace(1) %i
  %s = add i32 %v, %u
  %old = atomicrmw add ptr addrspace(1) @counter, i32 %s monotonic
  %o = getelementptr i32, ptr addrspace(1) %p, i32 %t
  store i32 %old, ptr addrspace(1) %o
  ret void
}}
declare i32 @llvm.amdgcn.workitem.id.x()
declare void @llvm.amdgcn.s.barrier()
attributes #0 = {{
  "amdgpu-flat-work-group-size"="128,128" "uniform-work-group-size"="true" "amdgpu-no-implicitarg-ptr"
}}
!llvm.module.flags = !{{!0}}
!0 = !{{i32 1, !"amdhsa_code_object_version", i32 500}}
"""

CHIP_NAMES = ("gfx90a", "gfx942", "gfx950", "gfx1030", "gfx1100", "gfx1201")
Compile = Callable[[str, str], bytes]


class Loaded:
    """A code object as a loader takes it: by its program headers and what they lead to, never by section headers."""

    def __init__(self, image: bytes) -> None:
        self.image = image
        self.header = struct.unpack_from("<16sHHIQQQIHHHHHH", image)
        offset, entry, count = self.header[5], self.header[9], self.header[10]
        self.programs = [struct.unpack_from("<IIQQQQQQ", image, offset + entry * i) for i in range(count)]
        self.memory = bytearray(max(p[3] + p[6] for p in self.programs))
        for _, _, start, address, _, size, _, _ in self.of_type(1):
            self.memory[address : address + size] = image[start : start + size]
        (dynamic,) = self.of_type(2)
        pairs = struct.iter_unpack("<qQ", self.memory[dynamic[3] : dynamic[3] + dynamic[6]])
        self.dynamic = dict(pairs)

    def of_type(self, kind):
        return [program for program in self.programs if program[0] == kind]

    def words(self, address, count, format="I"):
        return struct.unpack_from(f"<{count}{format}", self.memory, address)

    def symbol(self, index):
        """Name, value, size, type and binding of an entry of the dynamic symbol table."""
        record = struct.unpack_from("<IBBHQQ", self.memory, self.dynamic[6] + self.dynamic[11] * index)
        start = self.dynamic[5] + record[0]
        name = bytes(self.memory[start : self.memory.index(0, start)]).decode()
        return name, record[4], record[5], record[1] & 15, record[1] >> 4

    def find(self, name):
        """Address of a symbol through `.hash`, as the System V ABI describes; None where it is not found."""
        buckets, count = self.words(self.dynamic[4], 2)
        table = self.words(self.dynamic[4] + 8, buckets + count)
        value = 0
        for byte in name.encode():
            value = (value * 16 + byte) % 2**32
            if value >> 28:
                value = (value ^ (value >> 28 << 4)) % 2**28
        index = table[value % buckets]
        while index:
            found = self.symbol(index)
            if found[0] == name:
                return found[1]
            index = table[buckets + index]
        return None

    def find_gnu(self, name):
        """The same through `.gnu.hash`: filter, bucket, chain."""
        start = self.dynamic[0x6FFFFEF5]
        buckets, first, words, shift = self.words(start, 4)
        value = 5381
        for byte in name.encode():
            value = (value * 33 + byte) % 2**32
        word = self.words(start + 16 + 8 * (value // 64 % words), 1, "Q")[0]
        if not (word >> value % 64 & 1 and word >> (value >> shift) % 64 & 1):
            return None
        chains = start + 16 + 8 * words + 4 * buckets
        index = self.words(start + 16 + 8 * words + 4 * (value % buckets), 1)[0]
        while index:
            chained = self.words(chains + 4 * (index - first), 1)[0]
            if chained | 1 == value | 1 and self.symbol(index)[0] == name:
                return self.symbol(index)[1]
            index = 0 if chained & 1 else index + 1
        return None


class Object:
    """Sections, symbols and relocations of a relocatable object, and how to change one."""

    def __init__(self, image: bytes) -> None:
        self.image = image
        offset, entry, count, names = struct.unpack_from("<Q10xHHH", image, 40)
        self.headers = [struct.unpack_from("<IIQQQQIIQQ", image, offset + entry * i) for i in range(count)]
        self.sections = {self._text(self.headers[names][4] + header[0]): header for header in self.headers}
        symbols = self.sections[".symtab"]
        self.symbols: dict[str, tuple[int, int, int]] = {}  # index in the table, section, value
        entries = struct.iter_unpack("<I2xHQ8x", image[symbols[4] : symbols[4] + symbols[5]])
        for index, (name, section, value) in enumerate(entries):
            self.symbols.setdefault(self._text(self.headers[symbols[6]][4] + name), (index, section, value))

    def _text(self, offset: int) -> str:
        return self.image[offset : self.image.index(b"\0", offset)].decode()

    def data(self, section: str) -> bytes:
        header = self.sections[section]
        return self.image[header[4] : header[4] + header[5]]

    def relocations(self, section: str) -> list[tuple[int, int, int, int]]:
        """Offset, type, symbol and addend."""
        return list(struct.iter_unpack("<QIIq", self.data(".rela" + section)))

    def with_relocation(self, section: str, number: int, kind: int, symbol: str | None = None) -> bytes:
        """The image with one relocation's type, and symbol, replaced."""
        start = self.sections[".rela" + section][4] + 24 * number
        changed = bytearray(self.image)
        struct.pack_into("<I", changed, start + 8, kind)
        if symbol is not None:
            struct.pack_into("<I", changed, start + 12, self.symbols[symbol][0])
        return bytes(changed)


@pytest.fixture(scope="session")
def compile_object() -> Compile:
    """The relocatable object of LLVM IR text for a chip; each is compiled once."""
    known: dict[tuple[str, str], bytes] = {}

    def compile_once(text: str, chip: str) -> bytes:
        if (text, chip) not in known:
            known[text, chip] = compile_text(text, CHIPS[chip]).object
        return known[text, chip]

    return compile_once


@pytest.fixture(scope="session", params=CHIP_NAMES)
def two_kernels(request: pytest.FixtureRequest, compile_object: Compile) -> bytes:
    """The object of TWO_KERNELS, for each chip."""
    return compile_object(TWO_KERNELS, request.param)


@pytest.fixture(scope="session")
def gfx942_object(compile_object: Compile) -> bytes:
    return compile_object(TWO_KERNELS, "gfx942")


@pytest.fixture
def load() -> Callable[[bytes], Loaded]:
    """Links an object and loads the result."""
    return lambda image: Loaded(link(image))


@pytest.fixture
def read_object() -> type[Object]:
    return Object
