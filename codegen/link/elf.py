"""The part of ELF64 that AMDGPU objects and code objects use: records, constants, and a reader that checks bounds.

Sources of layouts and numbers: the System V ABI, the GNU hash extension, and LLVM's "User Guide for AMDGPU Backend".
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from ...support.dataclasses import dataclass
from ...support.diagnostics import LanewiseError
from ...support.named_tuples import NamedTuple

MAGIC = b"\x7fELF\x02\x01"  # 64 bits, little endian
MACHINE_AMDGPU = 224
TYPE_RELOCATABLE, TYPE_SHARED = 1, 3

SECTION_PROGBITS, SECTION_SYMTAB, SECTION_STRTAB, SECTION_RELA, SECTION_HASH = 1, 2, 3, 4, 5
SECTION_DYNAMIC, SECTION_NOTE, SECTION_NOBITS, SECTION_REL, SECTION_DYNSYM = 6, 7, 8, 9, 11
SECTION_GNU_HASH = 0x6FFFFFF6
FLAG_WRITE, FLAG_ALLOC, FLAG_EXECUTE = 1, 2, 4

INDEX_UNDEFINED, INDEX_RESERVED, INDEX_ABSOLUTE = 0, 0xFF00, 0xFFF1
BIND_LOCAL, BIND_GLOBAL, BIND_WEAK = 0, 1, 2
TYPE_OF_SECTION = 3
VISIBLE = frozenset({0, 3})  # default and protected: what other modules, and loaders, may look up
HIDDEN = 2

SEGMENT_LOAD, SEGMENT_DYNAMIC, SEGMENT_NOTE, SEGMENT_PHDR = 1, 2, 4, 6
SEGMENT_GNU_STACK, SEGMENT_GNU_RELRO = 0x6474E551, 0x6474E552
EXECUTABLE, WRITABLE, READABLE = 1, 2, 4

DYNAMIC_END, DYNAMIC_HASH, DYNAMIC_STRTAB, DYNAMIC_SYMTAB = 0, 4, 5, 6
DYNAMIC_STRING_BYTES, DYNAMIC_SYMBOL_BYTES, DYNAMIC_GNU_HASH = 10, 11, 0x6FFFFEF5

HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
SECTION = struct.Struct("<IIQQQQIIQQ")
PROGRAM = struct.Struct("<IIQQQQQQ")
SYMBOL = struct.Struct("<IBBHQQ")
RELOCATION = struct.Struct("<QQq")
DYNAMIC = struct.Struct("<qQ")
NOTE = struct.Struct("<III")


class CodeObjectError(LanewiseError, ValueError):
    """An ELF file that is damaged, or not of the kind that was expected; the message says which."""


class Header(NamedTuple):
    """The file's first 64 bytes, in their order."""

    ident: bytes
    type: int
    machine: int
    version: int
    entry: int
    program_offset: int
    section_offset: int
    flags: int
    header_bytes: int
    program_bytes: int
    program_count: int
    section_bytes: int
    section_count: int
    names_index: int


class SectionHeader(NamedTuple):
    """One entry of the section table, in its order; `name` is an offset into the section of names."""

    name: int
    type: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int
    entry_bytes: int


class ProgramHeader(NamedTuple):
    """One segment, in the order of the program header table."""

    type: int
    flags: int
    offset: int
    address: int
    physical: int
    file_bytes: int
    memory_bytes: int
    alignment: int


class Relocation(NamedTuple):
    """A place in a section that depends on a symbol's address; `type` is the machine's number."""

    offset: int
    type: int
    symbol: int
    addend: int


@dataclass(frozen=True, slots=True)
class Symbol:
    """A symbol; `section` is the index of the section that it is in, or one of the INDEX constants."""

    name: str
    info: int
    other: int
    section: int
    value: int
    size: int

    @property
    def binding(self) -> int:
        return self.info >> 4

    @property
    def type(self) -> int:
        return self.info & 15

    @property
    def visibility(self) -> int:
        return self.other & 3

    @property
    def is_exported(self) -> bool:
        """Whether a loader finds it: global, defined and visible."""
        return self.binding != BIND_LOCAL and self.section != INDEX_UNDEFINED and self.visibility in VISIBLE


@dataclass(frozen=True, slots=True)
class Section:
    """A section; `data` is empty for one that takes no room in the file (NOBITS), `size` is its size in memory."""

    index: int
    name: str
    header: SectionHeader
    data: bytes

    @property
    def type(self) -> int:
        return self.header.type

    @property
    def flags(self) -> int:
        return self.header.flags

    @property
    def size(self) -> int:
        return self.header.size

    @property
    def alignment(self) -> int:
        return max(1, self.header.alignment)


@dataclass(frozen=True, slots=True)
class Elf:
    """An ELF file that was read."""

    header: Header
    sections: tuple[Section, ...]

    def symbols(self) -> tuple[Symbol, ...]:
        """The symbol table of a relocatable object, the empty first entry included."""
        tables = [section for section in self.sections if section.type == SECTION_SYMTAB]
        return tuple(self._symbols_of(tables[0])) if tables else ()

    def _symbols_of(self, table: Section) -> Iterator[Symbol]:
        names = self._linked(table).data
        for name, info, other, section, value, size in _records(SYMBOL, table):
            if section < INDEX_RESERVED and section >= len(self.sections):
                raise CodeObjectError(f"a symbol is in section {section} of {len(self.sections)}")
            yield Symbol(_string(names, name, "a symbol's name"), info, other, section, value, size)

    def _linked(self, section: Section) -> Section:
        if section.header.link >= len(self.sections):
            raise CodeObjectError(f"section {section.name} refers to section {section.header.link}, which is not there")
        return self.sections[section.header.link]

    def relocations(self) -> dict[int, tuple[Relocation, ...]]:
        """For each section's index, the relocations that apply to it."""
        found: dict[int, tuple[Relocation, ...]] = {}
        for table in self.sections:
            if table.type == SECTION_REL:
                raise CodeObjectError(f"section {table.name} has relocations without addends; AMDGPU has none such")
            if table.type == SECTION_RELA:
                entries = tuple(Relocation(o, i & 0xFFFFFFFF, i >> 32, a) for o, i, a in _records(RELOCATION, table))
                found[table.header.info] = found.get(table.header.info, ()) + entries
        return found


def read_elf(image: bytes) -> Elf:
    """Reads a file's header and sections; raises CodeObjectError for one that is not AMDGPU ELF, or is cut short."""
    if len(image) < HEADER.size or not image.startswith(MAGIC):
        raise CodeObjectError(f"a 64-bit little-endian ELF file expected, found {len(image)} bytes: {image[:6]!r}...")
    header = Header(*HEADER.unpack_from(image))
    if header.machine != MACHINE_AMDGPU:
        raise CodeObjectError(f"an ELF file for AMDGPU (machine {MACHINE_AMDGPU}) expected, found {header.machine}")
    table = _slice(image, header.section_offset, SECTION.size * header.section_count, "the section table")
    headers = [SectionHeader(*fields) for fields in SECTION.iter_unpack(table)]
    contents = [_contents(image, section) for section in headers]
    if header.names_index >= len(headers):
        raise CodeObjectError(f"section names are in section {header.names_index} of {len(headers)}")
    names = contents[header.names_index]
    sections = [
        Section(index, _string(names, section.name, "a section's name"), section, data)
        for index, (section, data) in enumerate(zip(headers, contents, strict=True))
    ]
    return Elf(header, tuple(sections))


def align(position: int, alignment: int) -> int:
    """The next multiple of `alignment` at or above `position`."""
    return -(-position // alignment) * alignment


def _contents(image: bytes, section: SectionHeader) -> bytes:
    if section.type in (0, SECTION_NOBITS):
        return b""
    return _slice(image, section.offset, section.size, "a section")


def _slice(image: bytes, offset: int, size: int, what: str) -> bytes:
    if offset + size > len(image):
        raise CodeObjectError(f"{what} ends at byte {offset + size} of a file of {len(image)} bytes")
    return image[offset : offset + size]


def _records(record: struct.Struct, section: Section) -> Iterator[tuple[int, ...]]:
    if section.size % record.size:
        raise CodeObjectError(f"section {section.name} of {section.size} bytes has entries of {record.size} bytes")
    return record.iter_unpack(section.data)


def _string(table: bytes, offset: int, what: str) -> str:
    end = table.find(b"\0", offset)
    if end < 0:
        raise CodeObjectError(f"{what} is at byte {offset} of a table of {len(table)} bytes")
    return table[offset:end].decode(errors="replace")
