"""Which line of the program each instruction comes from: LLVM's debug metadata, as much as `.loc` directives need."""

from __future__ import annotations

from ...ir.core import Operation
from ...support.diagnostics import Location

_FIRST = 100
"""Metadata from this number on; machines number theirs from 0."""
_UNIT, _FILE, _KERNEL, _TYPE, _DEBUG_VERSION, _DWARF_VERSION = range(_FIRST, _FIRST + 6)


class Lines:
    """Collects the places while a kernel is written. Operations without a place, or from another text than the
    kernel's, leave no mark."""

    def __init__(self, kernel: Operation, name: str) -> None:
        self._name = name
        self._source = kernel.location.source if kernel.location else None
        self._line = _position(kernel.location)[0] if kernel.location else 0
        self._places: dict[tuple[int, int], int] = {}

    @property
    def of_kernel(self) -> str:
        """What the kernel's definition says."""
        return f"!dbg !{_KERNEL} "

    def mark(self, location: Location | None) -> str:
        """What an instruction says."""
        if location is None or location.source is not self._source:
            return ""
        number = self._places.setdefault(_position(location), _DWARF_VERSION + 1 + len(self._places))
        return f", !dbg !{number}"

    @property
    def metadata(self) -> list[str]:
        """The module's lines."""
        name = _quoted(self._source.name if self._source else "")
        kernel = f'name: "{self._name}", scope: !{_FILE}, file: !{_FILE}, line: {self._line}, scopeLine: {self._line}'
        return [
            f"!llvm.dbg.cu = !{{!{_UNIT}}}",
            f"!llvm.module.flags = !{{!{_DEBUG_VERSION}, !{_DWARF_VERSION}}}",
            f'!{_UNIT} = distinct !DICompileUnit(language: DW_LANG_C, file: !{_FILE}, producer: "lanewise", '
            "isOptimized: true, runtimeVersion: 0, emissionKind: DebugDirectivesOnly)",
            f'!{_FILE} = !DIFile(filename: "{name}", directory: "")',
            f"!{_KERNEL} = distinct !DISubprogram({kernel}, type: !{_TYPE}, unit: !{_UNIT}, "
            "spFlags: DISPFlagDefinition)",
            f"!{_TYPE} = !DISubroutineType(types: !{{null}})",
            f'!{_DEBUG_VERSION} = !{{i32 2, !"Debug Info Version", i32 3}}',
            f'!{_DWARF_VERSION} = !{{i32 7, !"Dwarf Version", i32 4}}',
            *(
                f"!{number} = !DILocation(line: {line}, column: {column}, scope: !{_KERNEL})"
                for (line, column), number in self._places.items()
            ),
        ]


def _position(location: Location) -> tuple[int, int]:
    return location.source.position(location.offset)


def _quoted(name: str) -> str:
    """In LLVM's strings bytes other than plain characters are two hexadecimal digits."""
    plain = (chr(b) if 32 <= b < 127 and chr(b) not in '"\\' else f"\\{b:02X}" for b in name.encode())
    return "".join(plain)
