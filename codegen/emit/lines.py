"""Which line of the program each instruction comes from: LLVM's debug metadata, as much as `.loc` directives need."""

from __future__ import annotations

from ...ir.core import Operation
from ...support.diagnostics import Location

_FIRST = 100
"""Metadata from this number on; machines number theirs from 0."""
_UNIT, _FILE, _KERNEL, _TYPE, _DEBUG_VERSION, _DWARF_VERSION = range(_FIRST, _FIRST + 6)


class Lines:
    """Collects the places while a kernel is written. Operations without a place leave no mark, and none does in a
    kernel without one."""

    def __init__(self, kernel: Operation, name: str) -> None:
        self._name, self._kernel = name, kernel.location
        self._numbers: dict[str, int] = {} if kernel.location is None else {_file(kernel.location): _FILE}
        """Metadata by what it says."""
        self._helpers: dict[tuple[str, str], int] = {}
        """Functions whose text is written out in the kernel's, by file and name."""
        self._places: dict[int, Location] = {}

    @property
    def of_kernel(self) -> str:
        """What the kernel's definition says."""
        return f"!dbg !{_KERNEL} "

    def mark(self, location: Location | None) -> str:
        """What an instruction says."""
        if location is None or self._kernel is None:
            return ""
        number = self._place(location)
        self._places.setdefault(number, location)
        return f", !dbg !{number}"

    def place(self, mark: str) -> Location | None:
        """Where instructions come from that say `!number`."""
        return self._places.get(int(mark[1:]))

    def _place(self, location: Location) -> int:
        line, column = location.source.position(location.offset)
        if location.caller is None:
            scope, inlined = self._part_of_kernel(location), ""
        else:
            scope, inlined = self._helper(location), f", inlinedAt: !{self._place(location.caller)}"
        return self._number(f"!DILocation(line: {line}, column: {column}, scope: !{scope}{inlined})")

    def _part_of_kernel(self, location: Location) -> int:
        """The kernel, which may have text in other files than its own."""
        file = self._number(_file(location))
        if file == _FILE:
            return _KERNEL
        return self._number(f"!DILexicalBlockFile(scope: !{_KERNEL}, file: !{file}, discriminator: 0)")

    def _helper(self, location: Location) -> int:
        """A function that was written out; it begins, as far as is known, where it is first met."""
        key = location.source.name, location.function
        if key not in self._helpers:
            file, line = self._number(_file(location)), location.source.position(location.offset)[0]
            self._helpers[key] = self._number(_function(location.function or "helper", file, line))
        return self._helpers[key]

    def _number(self, text: str) -> int:
        """The number of metadata that says this; beside the files there are six others."""
        return self._numbers.setdefault(text, _DWARF_VERSION + len(self._numbers))

    @property
    def metadata(self) -> list[str]:
        """The module's lines."""
        line = 0 if self._kernel is None else self._kernel.source.position(self._kernel.offset)[0]
        files = self._numbers or {_FILE_NAMED.format(name=""): _FILE}
        return [
            f"!llvm.dbg.cu = !{{!{_UNIT}}}",
            f"!llvm.module.flags = !{{!{_DEBUG_VERSION}, !{_DWARF_VERSION}}}",
            f'!{_UNIT} = distinct !DICompileUnit(language: DW_LANG_C, file: !{_FILE}, producer: "lanewise", '
            "isOptimized: true, runtimeVersion: 0, emissionKind: DebugDirectivesOnly)",
            f"!{_KERNEL} = {_function(self._name, _FILE, line)}",
            f"!{_TYPE} = !DISubroutineType(types: !{{null}})",
            f'!{_DEBUG_VERSION} = !{{i32 2, !"Debug Info Version", i32 3}}',
            f'!{_DWARF_VERSION} = !{{i32 7, !"Dwarf Version", i32 4}}',
            *(f"!{number} = {text}" for text, number in files.items()),
        ]


_FILE_NAMED = '!DIFile(filename: "{name}", directory: "")'


def written_name(name: str) -> str:
    """A file's name as machine texts have it: `ptxas` takes no quotation marks in one."""
    return name.replace('"', "'")


def _file(location: Location) -> str:
    return _FILE_NAMED.format(name=_quoted(written_name(location.source.name)))


def _function(name: str, file: int, line: int) -> str:
    return (
        f'distinct !DISubprogram(name: "{_quoted(name)}", scope: !{file}, file: !{file}, line: {line}, '
        f"scopeLine: {line}, type: !{_TYPE}, unit: !{_UNIT}, spFlags: DISPFlagDefinition)"
    )


def _quoted(name: str) -> str:
    """In LLVM's strings bytes other than plain characters are two hexadecimal digits."""
    plain = (chr(b) if 32 <= b < 127 and chr(b) not in '"\\' else f"\\{b:02X}" for b in name.encode())
    return "".join(plain)
