"""From the relocatable object that LLVM writes to the code object that the ROCm loader takes.

A code object is a shared library: segments with their permissions, a dynamic symbol table that names every kernel and
its descriptor (`NAME.kd`), and the metadata note. Sections are merged and laid out as `ld.lld -shared` does it, so
that the two can be compared byte for byte. One object is linked at a time, and nothing is resolved at run time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...support.dataclasses import dataclass, field
from ...support.named_tuples import NamedTuple
from . import elf
from .elf import CodeObjectError, Elf, ProgramHeader, Relocation, Section, Symbol, align
from .relocation import LinkError, resolve, rule_of
from .tables import StringTable, bucket_count, gnu_hash, gnu_hash_table, sysv_hash_table

_PAGE = 4096
_ALLOCATED = elf.FLAG_ALLOC
_PERMISSIONS = elf.FLAG_WRITE | elf.FLAG_ALLOC | elf.FLAG_EXECUTE
_LARGEST = 1 << 32
_MERGED = (".text", ".rodata", ".data.rel.ro", ".data", ".bss")  # `.rodata.cst16` becomes part of `.rodata`


def link(object_file: bytes) -> bytes:
    """The loadable code object of one relocatable AMDGPU object; any number of kernels and constant tables.

    Raises:
        LinkError: A symbol is undefined, or a relocation cannot be resolved at link time.
        CodeObjectError: The bytes are not a relocatable AMDGPU object.
    """
    source = elf.read_elf(object_file)
    if source.header.type != elf.TYPE_RELOCATABLE:
        raise CodeObjectError(f"a relocatable object (ELF type 1) expected, found ELF type {source.header.type}")
    return _Linker(source).run()


@dataclass(slots=True, eq=False)
class _Output:
    """A section of the code object. `link` names the section that its header refers to."""

    name: str
    type: int
    flags: int
    alignment: int = 1
    data: bytearray = field(default_factory=bytearray)
    entry_bytes: int = 0
    link: str = ""
    info: int = 0
    size: int = 0
    address: int = 0
    offset: int = 0

    @property
    def file_bytes(self) -> int:
        return 0 if self.type == elf.SECTION_NOBITS else self.size

    def append(self, section: Section) -> int:
        """Takes an input section in; returns its offset."""
        start = align(self.size, section.alignment)
        self.alignment = max(self.alignment, section.alignment)
        self.size = start + section.size
        if self.type != elf.SECTION_NOBITS:
            self.data += bytes(start - len(self.data)) + section.data
        return start

    def fill(self, data: bytes | bytearray) -> None:
        self.data[:] = data
        self.size = len(data)


class _Place(NamedTuple):
    """Where an input section went."""

    output: _Output
    offset: int

    @property
    def address(self) -> int:
        return self.output.address + self.offset


@dataclass(frozen=True, slots=True)
class _Segment:
    """Sections that are loaded with the same permissions."""

    flags: int
    sections: Sequence[_Output]
    padded: bool = False  # to the end of the page: what is protected after loading ends there

    def header(self) -> ProgramHeader:
        first, last = self.sections[0], self.sections[-1]
        memory_end = last.address + last.size
        if self.padded:
            memory_end = align(memory_end, _PAGE)
        return _program(
            elf.SEGMENT_LOAD,
            self.flags,
            first.offset,
            first.address,
            last.offset + last.file_bytes - first.offset,
            memory_end - first.address,
            _PAGE,
        )


def _program(kind: int, flags: int, offset: int, address: int, file: int, memory: int, alignment: int) -> ProgramHeader:
    return ProgramHeader(kind, flags, offset, address, address, file, memory, alignment)


class _Linker:
    """One link. Sizes first, then addresses, then whatever depends on them."""

    def __init__(self, source: Elf) -> None:
        self.source = source
        self.symbols = source.symbols()
        self.places: dict[int, _Place] = {}
        self.merged = self._merge()
        exported = [symbol for symbol in self.symbols if symbol.is_exported]
        names = [symbol.name for symbol in exported]
        self.dynamic_names = StringTable(names)
        self.exported = sorted(exported, key=lambda symbol: gnu_hash(symbol.name) % bucket_count(names))
        self.dynamic_tables = self._dynamic_tables()
        self.dynamic = _Output(
            ".dynamic", elf.SECTION_DYNAMIC, _ALLOCATED | elf.FLAG_WRITE, 8, entry_bytes=16, link=".dynstr"
        )
        self.dynamic.size = elf.DYNAMIC.size * len(self._dynamic_entries())
        self.segments = self._segments()

    def run(self) -> bytes:
        self._assign_addresses()
        self._relocate()
        self.dynamic.fill(b"".join(elf.DYNAMIC.pack(*entry) for entry in self._dynamic_entries()))
        outputs = [output for segment in self.segments for output in segment.sections]
        outputs += [output for output in self.merged if not output.flags & _ALLOCATED]
        self._write_symbols(outputs)
        return self._write(outputs)

    # Sections

    def _merge(self) -> list[_Output]:
        """The output sections that take in the input's, in the order in which the input names them."""
        outputs: dict[str, _Output] = {}
        for section in self.source.sections:
            if not _is_kept(section):
                continue
            _check(section)
            name, flags = _output_name(section), section.flags & _PERMISSIONS
            output = outputs.setdefault(name, _Output(name, section.type, flags))
            if (output.type, output.flags) != (section.type, flags):
                raise LinkError(f"section {section.name} differs in type or permissions from others in {name}")
            self.places[section.index] = _Place(output, output.append(section))
        return list(outputs.values())

    def _dynamic_tables(self) -> list[_Output]:
        """`.dynsym`, to be filled when addresses are known, its hash tables and its names."""
        names = [symbol.name for symbol in self.exported]
        symbols = _Output(
            ".dynsym", elf.SECTION_DYNSYM, _ALLOCATED, 8, entry_bytes=elf.SYMBOL.size, link=".dynstr", info=1
        )
        symbols.fill(bytes(elf.SYMBOL.size * (1 + len(names))))
        gnu = _Output(".gnu.hash", elf.SECTION_GNU_HASH, _ALLOCATED, 8, link=".dynsym")
        gnu.fill(gnu_hash_table(names))
        sysv = _Output(".hash", elf.SECTION_HASH, _ALLOCATED, 4, entry_bytes=4, link=".dynsym")
        sysv.fill(sysv_hash_table(names))
        text = _Output(".dynstr", elf.SECTION_STRTAB, _ALLOCATED)
        text.fill(self.dynamic_names.data)
        return [symbols, gnu, sysv, text]

    def _dynamic_entries(self) -> list[tuple[int, int]]:
        symbols, gnu, sysv, strings = self.dynamic_tables
        return [
            (elf.DYNAMIC_SYMTAB, symbols.address),
            (elf.DYNAMIC_SYMBOL_BYTES, elf.SYMBOL.size),
            (elf.DYNAMIC_STRTAB, strings.address),
            (elf.DYNAMIC_STRING_BYTES, strings.size),
            (elf.DYNAMIC_GNU_HASH, gnu.address),
            (elf.DYNAMIC_HASH, sysv.address),
            (elf.DYNAMIC_END, 0),
        ]

    @property
    def notes(self) -> list[_Output]:
        return [output for output in self.merged if output.type == elf.SECTION_NOTE and output.flags & _ALLOCATED]

    def _segments(self) -> list[_Segment]:
        loaded = [output for output in self.merged if output.flags & _ALLOCATED and output not in self.notes]
        constant = [output for output in loaded if not output.flags & (elf.FLAG_WRITE | elf.FLAG_EXECUTE)]
        code = [output for output in loaded if output.flags & elf.FLAG_EXECUTE]
        variable = [output for output in loaded if output.flags & elf.FLAG_WRITE]
        variable.sort(key=lambda output: output.type == elf.SECTION_NOBITS)  # what takes no room in the file is last
        segments = (
            _Segment(elf.READABLE, [*self.notes, *self.dynamic_tables, *constant]),
            _Segment(elf.READABLE | elf.EXECUTABLE, code),
            _Segment(elf.READABLE | elf.WRITABLE, [self.dynamic], padded=True),
            _Segment(elf.READABLE | elf.WRITABLE, variable),
        )
        return [segment for segment in segments if segment.sections]

    # Addresses

    @property
    def _headers_end(self) -> int:
        return elf.HEADER.size + elf.PROGRAM.size * (len(self.segments) + 4 + bool(self.notes))

    def _assign_addresses(self) -> None:
        """Segments follow each other without padding in the file, and start new pages in memory."""
        address = offset = self._headers_end
        for segment in self.segments:
            if segment is not self.segments[0]:
                address = align(address, _PAGE) + offset % _PAGE
            for output in segment.sections:
                start = align(address, output.alignment)
                output.address, output.offset = start, offset + start - address
                address, offset = start + output.size, output.offset + output.file_bytes
        if address > _LARGEST:
            raise LinkError(f"the image takes {address} bytes of memory, at most {_LARGEST} expected")

    def _address(self, symbol: Symbol, use: str) -> int:
        if symbol.section == elf.INDEX_ABSOLUTE:
            return symbol.value
        if symbol.section == elf.INDEX_UNDEFINED:
            raise LinkError(f"{use}: {symbol.name!r} is not defined in the object")
        if symbol.section not in self.places:
            raise LinkError(f"{use}: {symbol.name!r} is in section {symbol.section:#x}, which is not part of the image")
        if symbol.value > self.source.sections[symbol.section].size:
            raise CodeObjectError(f"{use}: {symbol.name!r} is outside its section")
        return self.places[symbol.section].address + symbol.value

    # Relocations

    def _relocate(self) -> None:
        for index, relocations in self.source.relocations().items():
            if index in self.places:
                for relocation in relocations:
                    self._apply(self.places[index], self.source.sections[index], relocation)

    def _apply(self, place: _Place, section: Section, relocation: Relocation) -> None:
        if relocation.symbol >= len(self.symbols):
            raise CodeObjectError(
                f"a relocation of {section.name} names symbol {relocation.symbol}, which is not there"
            )
        symbol = self.symbols[relocation.symbol]
        name = self._display_name(symbol)
        rule = rule_of(relocation.type, name)
        if relocation.offset + rule.size > section.size or section.type == elf.SECTION_NOBITS:
            raise CodeObjectError(f"{rule.name} against {name!r} is outside section {section.name}")
        loaded = bool(place.output.flags & _ALLOCATED)
        if loaded and not rule.relative and symbol.section != elf.INDEX_ABSOLUTE:
            raise LinkError(
                f"{rule.name} against {name!r} in section {section.name}: an address is known to the loader only; "
                "use a relative relocation or an absolute symbol"
            )
        target = self._address(symbol, f"{rule.name} in section {section.name}") + relocation.addend
        start = place.offset + relocation.offset
        value = resolve(rule, name, target, place.address + relocation.offset)
        place.output.data[start : start + rule.size] = value

    def _display_name(self, symbol: Symbol) -> str:
        if symbol.type == elf.TYPE_OF_SECTION and symbol.section < len(self.source.sections):
            return self.source.sections[symbol.section].name
        return symbol.name

    # Symbols

    def _write_symbols(self, outputs: list[_Output]) -> None:
        """Fills `.dynsym`, and appends `.symtab` and the names of symbols and sections."""
        indices = {output.name: index for index, output in enumerate(outputs, 1)}
        self.dynamic_tables[0].fill(self._symbol_table(self.exported, self.dynamic_names, indices))
        table = StringTable()
        listed = sorted(self._listed_symbols(), key=lambda symbol: symbol.binding != elf.BIND_LOCAL)
        symbols = _Output(".symtab", elf.SECTION_SYMTAB, 0, 8, entry_bytes=elf.SYMBOL.size, link=".strtab")
        symbols.info = 1 + sum(symbol.binding == elf.BIND_LOCAL for symbol in listed)
        symbols.fill(self._symbol_table(listed, table, indices))
        section_names = _Output(".shstrtab", elf.SECTION_STRTAB, 0)
        names = _Output(".strtab", elf.SECTION_STRTAB, 0)
        names.fill(table.data)
        outputs += [symbols, section_names, names]

    def _listed_symbols(self) -> Iterator[Symbol]:
        """What a disassembler and a debugger look up; sections are known by their headers."""
        for symbol in self.symbols[1:]:
            kept = symbol.section in self.places or symbol.section == elf.INDEX_ABSOLUTE
            if kept and symbol.type != elf.TYPE_OF_SECTION:
                yield symbol

    def _symbol_table(self, symbols: Sequence[Symbol], names: StringTable, indices: dict[str, int]) -> bytes:
        entries = [bytes(elf.SYMBOL.size)]
        for symbol in symbols:
            address = self._address(symbol, "symbol table")
            place = self.places.get(symbol.section)
            index = symbol.section if place is None else indices[place.output.name]
            entries.append(
                elf.SYMBOL.pack(names.add(symbol.name), symbol.info, symbol.other, index, address, symbol.size)
            )
        return b"".join(entries)

    # The file

    def _program_headers(self) -> list[ProgramHeader]:
        size = self._headers_end - elf.HEADER.size
        loads = [segment.header() for segment in self.segments]
        first = loads[0]
        loads[0] = _program(
            first.type, first.flags, 0, 0, first.offset + first.file_bytes, first.address + first.memory_bytes, _PAGE
        )
        dynamic = next(segment.header() for segment in self.segments if segment.padded)
        file, memory = dynamic.file_bytes, dynamic.memory_bytes
        offset, address = dynamic.offset, dynamic.address
        headers = [
            _program(elf.SEGMENT_PHDR, elf.READABLE, elf.HEADER.size, elf.HEADER.size, size, size, 8),
            *loads,
            _program(elf.SEGMENT_DYNAMIC, dynamic.flags, offset, address, file, file, 8),
            _program(elf.SEGMENT_GNU_RELRO, elf.READABLE, offset, address, file, memory, 1),
            _program(elf.SEGMENT_GNU_STACK, elf.READABLE | elf.WRITABLE, 0, 0, 0, 0, 0),
        ]
        if self.notes:
            note = _Segment(elf.READABLE, self.notes).header()
            headers.append(note._replace(type=elf.SEGMENT_NOTE, alignment=max(n.alignment for n in self.notes)))
        return headers

    def _write(self, outputs: Sequence[_Output]) -> bytes:
        names = StringTable()
        offsets = [names.add(output.name) for output in outputs]
        indices = {output.name: index for index, output in enumerate(outputs, 1)}
        next(output for output in outputs if output.name == ".shstrtab").fill(names.data)
        image = bytearray(self._headers_end)
        for output in outputs:
            if not output.flags & _ALLOCATED:
                output.offset = align(len(image), output.alignment)
            if output.file_bytes:
                image += bytes(output.offset - len(image)) + output.data
        table_offset = align(len(image), 8)
        image += bytes(table_offset - len(image) + elf.SECTION.size)
        for name, output in zip(offsets, outputs, strict=True):
            image += _section_header(output, name, indices)
        image[: self._headers_end] = self._headers(table_offset, 1 + len(outputs), indices[".shstrtab"])
        return bytes(image)

    def _headers(self, table_offset: int, section_count: int, names_index: int) -> bytes:
        programs = self._program_headers()
        header = self.source.header._replace(
            type=elf.TYPE_SHARED,
            program_offset=elf.HEADER.size,
            program_bytes=elf.PROGRAM.size,
            program_count=len(programs),
            section_offset=table_offset,
            section_count=section_count,
            names_index=names_index,
        )
        return elf.HEADER.pack(*header) + b"".join(elf.PROGRAM.pack(*program) for program in programs)


def _is_kept(section: Section) -> bool:
    """Whether an input section becomes part of the result: all that is loaded, and debugging information."""
    if not section.size or section.type in (elf.SECTION_RELA, elf.SECTION_REL):
        return False
    return bool(section.flags & _ALLOCATED) or section.type == elf.SECTION_PROGBITS


_MADE_HERE = frozenset((".dynsym", ".gnu.hash", ".hash", ".dynstr", ".dynamic", ".symtab", ".shstrtab", ".strtab"))


def _check(section: Section) -> None:
    """Refuses what would not be laid out rightly; LLVM writes no such sections."""
    writable, executable = section.flags & elf.FLAG_WRITE, section.flags & elf.FLAG_EXECUTE
    wrong = {
        "has a name that the linker gives": section.name in _MADE_HERE,
        f"is aligned to {section.alignment}, at most {_PAGE} expected": section.alignment > _PAGE,
        "is both writable and executable": bool(writable and executable),
        "has no contents, and is not writable": section.type == elf.SECTION_NOBITS and not writable,
    }
    for what, found in wrong.items():
        if found:
            raise LinkError(f"section {section.name} {what}")


def _output_name(section: Section) -> str:
    for family in _MERGED:
        if section.flags & _ALLOCATED and (section.name == family or section.name.startswith(family + ".")):
            return family
    return section.name


def _section_header(output: _Output, name: int, indices: dict[str, int]) -> bytes:
    return elf.SECTION.pack(
        name,
        output.type,
        output.flags,
        output.address,
        output.offset,
        output.size,
        indices[output.link] if output.link else 0,
        output.info,
        output.alignment,
        output.entry_bytes,
    )
