"""The same link by ld.lld, where one new enough is installed: what is loaded must be equal, byte for byte.

Found are `ld.lld` 19 or later on PATH, and the one in the package ziglang. Equal bytes at equal addresses make equal
disassembly, so no disassembler is asked.
"""

from __future__ import annotations

import importlib.util
import re
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from lanewise.codegen.link import link

OLDEST = 19  # earlier ones do not know the ABI version of today's objects

MANY = "\n".join(
    f"define amdgpu_kernel void @kernel_{n}(ptr addrspace(1) %p) {{ store i32 {n}, ptr addrspace(1) %p ret void }}"
    for n in range(23)
)

LINES = """
define amdgpu_kernel void @k(ptr addrspace(1) %p) !dbg !4 {
  store i32 1, ptr addrspace(1) %p, !dbg !6
  ret void, !dbg !6
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, isOptimized: true, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "a.mlir", directory: "/somewhere")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i32 7, !"Dwarf Version", i32 5}
!4 = distinct !DISubprogram(name: "k", file: !1, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !{})
!6 = !DILocation(line: 3, column: 1, scope: !4)
"""


@pytest.fixture(scope="session")
def lld() -> list[str]:
    candidates = [[path] for path in [shutil.which("ld.lld")] if path]
    if importlib.util.find_spec("ziglang"):
        candidates.append([sys.executable, "-m", "ziglang", "ld.lld"])
    for command in candidates:
        version = subprocess.run([*command, "--version"], capture_output=True, text=True, check=False).stdout
        found = re.search(r"LLD (\d+)", version)
        if found and int(found[1]) >= OLDEST:
            return command
    pytest.skip(f"no ld.lld {OLDEST} or later, on PATH or in the package ziglang")


@pytest.fixture
def link_by_lld(lld, tmp_path: Path):
    def run(image: bytes) -> bytes:
        (tmp_path / "in.o").write_bytes(image)
        subprocess.run([*lld, "-shared", tmp_path / "in.o", "-o", tmp_path / "out"], check=True)
        return (tmp_path / "out").read_bytes()

    return run


def sections_of(image: bytes, read_object) -> dict[str, tuple[int, int, int, bytes]]:
    """Type, address, size and contents of each section that is loaded, but for padding."""
    found = {}
    read = read_object(image)
    for name, (_, kind, flags, address, _, size, *_) in read.sections.items():
        if flags & 2 and name != ".relro_padding":
            found[name] = (kind, address, size, b"" if kind == 8 else read.data(name))
    return found


def symbols_of(image: bytes, read_object) -> set[tuple[str, int, str | int]]:
    """Names, values, and sections by name; `_DYNAMIC` is ld.lld's own."""
    read = read_object(image)
    names = list(read.sections)
    named = {(name, value, names[s] if s < len(names) else s) for name, (_, s, value) in read.symbols.items()}
    return {symbol for symbol in named if symbol[0] != "_DYNAMIC"}


def programs_of(image: bytes) -> list[tuple[int, ...]]:
    count = struct.unpack_from("<H", image, 56)[0]
    return [struct.unpack_from("<IIQQQQQQ", image, 64 + 56 * i) for i in range(count)]


def check(image: bytes, link_by_lld, read_object) -> tuple[bytes, bytes]:
    own, other = link(image), link_by_lld(image)
    assert programs_of(own) == programs_of(other)
    assert sections_of(own, read_object) == sections_of(other, read_object)
    assert symbols_of(own, read_object) == symbols_of(other, read_object)
    assert own[:24] + own[48:56] == other[:24] + other[48:56]  # identity, kind, entry, flags
    return own, other


def test_two_kernels_with_tables(two_kernels, link_by_lld, read_object):
    check(two_kernels, link_by_lld, read_object)


@pytest.mark.parametrize("chip", ["gfx942", "gfx1100"])
def test_many_kernels(compile_object, chip, link_by_lld, read_object):
    check(compile_object(MANY, chip), link_by_lld, read_object)


def test_line_tables(compile_object, link_by_lld, read_object):
    """Debugging information is relocated alike; strings are not merged here, so what holds their places differs."""
    images = check(compile_object(LINES, "gfx942"), link_by_lld, read_object)
    own, other = (read_object(image) for image in images)
    for name in (".debug_info", ".debug_addr", ".debug_frame", ".debug_names", ".debug_abbrev"):
        assert own.data(name) == other.data(name), name
    assert sorted(own.data(".debug_str").split(b"\0")) == sorted(other.data(".debug_str").split(b"\0"))
