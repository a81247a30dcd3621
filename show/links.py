"""The texts that one kernel goes through, and which line of each comes from which of the one before.

Every text reads back. So while the program goes through the passes once more, its operations are said to stand in the
text behind the last pass that changed it: behind the next one, and in the machine text, they name these lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from ..codegen.assemble import LINE_INFO, Cubin, assemble, assembles, disassemble, has_tool
from ..ir.core import Operation
from ..ir.kernels import find_kernel
from ..ir.passes import Pass, Rewritten
from ..ir.printer import print_program
from ..ir.stages import Stage
from ..jit.kernel_variant import KernelVariant
from ..jit.origin import marked_instructions
from ..jit.source import parse
from ..pipeline.compilation import Compilation, program_text
from ..support.dataclasses import dataclass, replace
from ..support.diagnostics import Location
from ..support.patterns import regex
from .sources import SOURCE, Span, Written, places

Language = Literal["python", "mlir", "llvm", "ptx", "amdgcn", "sass"]
Up = tuple[tuple[int, ...], ...]
"""The numbers, for each line of a text, of what it comes from in another: of its lines from 0, or of its spans."""


@dataclass(frozen=True)
class Text:
    """One of the texts.

    Attributes:
        key: What addresses call it.
        title, about: What it is, in a word and in a sentence.
        up: What its lines come from in the text `parent`.
        parent: The key of that text; empty for the source.
        spans: Of the source alone: the parts of its lines that say something, each in one line or several.
        numbers: Of each line of the source the number that its file gives it; None where it is no file's.
        stage: Of a program the stage that it is in.
        instructions: Of a machine text the lines that are instructions.
    """

    key: str
    title: str
    about: str
    language: Language
    lines: tuple[str, ...]
    up: Up
    parent: str = ""
    spans: tuple[tuple[Span, ...], ...] = ()
    numbers: tuple[int | None, ...] = ()
    stage: Stage | None = None
    instructions: tuple[int, ...] = ()


@dataclass(frozen=True)
class Chain:
    """All texts of a kernel, each behind the one that it comes from, and why one that there could be is not there.

    Attributes:
        cubin: The machine code, where the assembler is installed.
    """

    texts: tuple[Text, ...]
    missing: tuple[str, ...] = ()
    cubin: Cubin | None = None

    def linked(self, text: Text) -> float:
        """Which part of the instructions of a machine text comes from lines of the program."""
        lines = {line for line in text.instructions if self._reaches_program(text, line)}
        return len(lines) / max(len(text.instructions), 1)

    def _reaches_program(self, text: Text, line: int) -> bool:
        above = self.text(text.parent)
        return any(above.language == "mlir" or self._reaches_program(above, up) for up in text.up[line])

    def parts_at(self, file: str, line: int, column: int) -> Iterator[int]:
        """The parts of the source that begin there."""
        source = self.text(SOURCE)
        in_file, name = set[int](), ""
        for row, number in enumerate(source.numbers):
            name = source.lines[row] if number is None else name
            if name == file and number == line:
                in_file.add(row)
        for number, spans in enumerate(source.spans):
            if spans and spans[0].line in in_file and spans[0].first == column - 1:
                yield number

    def text(self, key: str) -> Text:
        """Raises KeyError where there is none."""
        return {text.key: text for text in self.texts}[key]


def chain_of(variant: KernelVariant) -> Chain:
    """The texts of a variant, linked. Raises what compiling raises."""
    way = _Way(variant.compilation)
    texts = [*way.texts, _llvm_text(variant, way), _machine_text(variant, way)]
    chip = variant.compilation.chip
    if chip.vendor == "amd":
        return Chain(tuple(texts))
    if not (has_tool("ptxas") and has_tool("nvdisasm")):
        return Chain(tuple(texts), ("SASS: `pip install lanewise[isa]` installs ptxas and nvdisasm",))
    if not assembles(chip):
        return Chain(tuple(texts), (f"SASS: this ptxas does not know {chip.name}",))
    cubin = assemble(variant.assembly, chip, LINE_INFO)
    return Chain((*texts, _sass_text(cubin, texts[-1].key)), (), cubin)


# The program


class _Way:
    """The source, the program as it was read and behind each pass that changed it, and a compilation whose operations
    stand in the last of these texts."""

    def __init__(self, compilation: Compilation) -> None:
        self._chip, given = compilation.chip, compilation.vector_module
        text = print_program(given)
        read = parse(text, compilation.given.stage)
        written = Written(op.location for op in given.walk())
        source = Text(SOURCE, SOURCE, "what was written", written.language, written.lines, (), "", written.spans)
        ups = [(_row(there), written.numbers_at(op.location)) for op, there in _pairs(given, read)]
        program = _text("program", "the program as it is read", "mlir", text, ups, SOURCE, compilation.given.stage)
        self.texts = [replace(source, numbers=written.numbers), program]
        self._last = program_text(compilation.given, self._chip)
        self.compilation = compilation.observed(self._observe, read)
        _ = self.compilation.thread_kernel
        if self.texts[-1].stage == "thread":
            self.texts[-1] = replace(self.texts[-1], key="thread", title="thread")

    @property
    def last(self) -> str:
        return self.texts[-1].key

    def _observe(self, rewrite: Pass, done: Rewritten, milliseconds: float) -> None:
        """Behind a pass that changed the program, its operations stand in its text."""
        if not (done.outcome.changed or rewrite.leads_to):
            return
        text = program_text(done.kernel, self._chip)
        if text == self._last:
            return
        self._last = text
        read = find_kernel(parse(text, rewrite.name), done.kernel.name).op
        ups = [(_row(there), _rows(op.location)) for op, there in _pairs(done.kernel.op, read)]
        for op, there in _pairs(done.kernel.op, read):
            op.location = there.location
        about = f"behind {rewrite.name}, which {rewrite.summary} ({milliseconds:.0f} ms)"
        self.texts.append(_text(rewrite.name, about, "mlir", text, ups, self.last, done.kernel.stage))


def _pairs(made: Operation, read: Operation) -> Iterator[tuple[Operation, Operation]]:
    """The operations of a kernel beside those that were read of its text."""
    for op, there in zip(made.walk(), read.walk(), strict=True):
        assert op.opname == there.opname, f"{op.opname} was read as {there.opname}"
        yield op, there


def _row(op: Operation) -> int:
    """The line of what was read, from 0."""
    assert op.location is not None
    return op.location.source.position(op.location.offset)[0] - 1


def _rows(location: Location | None) -> tuple[int, ...]:
    """The lines, from 0, of the text before."""
    return tuple(dict.fromkeys(at.source.position(at.offset)[0] - 1 for at in places(location)))


def _text(
    key: str,
    about: str,
    language: Language,
    text: str,
    ups: Iterable[tuple[int, Sequence[int]]],
    parent: str,
    stage: Stage | None = None,
) -> Text:
    """A text with what its lines come from; several operations may stand in one line."""
    lines = text.removesuffix("\n").split("\n")
    up: list[dict[int, None]] = [{} for _ in lines]
    for row, numbers in ups:
        up[row].update(dict.fromkeys(numbers))
    return Text(key, key, about, language, tuple(lines), tuple(map(tuple, up)), parent, stage=stage)


# Machine code


_DEBUG = regex(r",? !dbg !(\d+)")
_PLACE = regex(r"!(\d+) = !DILocation\(line: (\d+), ")


def _llvm_text(variant: KernelVariant, way: _Way) -> Text:
    """LLVM IR as it is compiled; its twin names the lines, and has more metadata below."""
    plain, marked = variant.llvm_ir.split("\n"), way.compilation.artifacts_with_lines.llvm_ir
    rows = {number: int(row) - 1 for number, row in _PLACE.findall(marked)}
    ups: list[tuple[int, Sequence[int]]] = []
    for i, (line, twin) in enumerate(zip(plain, marked.split("\n"), strict=False)):
        if found := _DEBUG.search(twin):
            assert twin.startswith("define ") or _DEBUG.sub("", twin) == line, f"{twin} stands for {line}"
            ups.append((i, [rows[found[1]]] if found[1] in rows else []))
    return _text("llvm", "LLVM IR, as it is given to LLVM", "llvm", variant.llvm_ir, ups, way.last)


def _machine_text(variant: KernelVariant, way: _Way) -> Text:
    """The text that is launched; its twin with `.loc` has the same instructions."""
    language: Literal["ptx", "amdgcn"] = "ptx" if variant.compilation.chip.vendor == "nvidia" else "amdgcn"
    plain = list(marked_instructions(variant.assembly))
    marked = list(marked_instructions(way.compilation.artifacts_with_lines.assembly))
    assert len(plain) == len(marked), f"{len(marked)} instructions with lines stand for {len(plain)}"
    ups = [
        (line - 1, [place.row - 1] if place.row else []) for (line, _), (_, place) in zip(plain, marked, strict=True)
    ]
    about = "PTX, which ptxas makes machine code of" if language == "ptx" else "AMDGCN, the chip's own instructions"
    whole = ups if language == "amdgcn" else [*ups, *_continued(ups, variant.assembly.split("\n"))]
    text = _text(language, about, language, variant.assembly, whole, way.last)
    return replace(text, instructions=tuple(row for row, _ in ups))


def _continued(ups: Sequence[tuple[int, Sequence[int]]], lines: Sequence[str]) -> Iterator[tuple[int, Sequence[int]]]:
    """The further lines of instructions of PTX, which a semicolon ends: ptxas names the last one."""
    for row, numbers in ups:
        while row + 1 < len(lines) and _ENDS.search(lines[row]) is None:
            row += 1
            yield row, numbers


_ENDS = regex(r"[;}]\s*(?://.*)?$")

_MARK = regex(r'\s*//## File "[^"]*", line (\d+)')
_INSTRUCTION = regex(r"\s*/\*([0-9a-f]{4,})\*/\s+(.*?)\s*;?\s*$")
_LABEL = regex(r"(\.L_x_\d+|[\w$]+):")
_CALL = regex(r"\bCALL\b.*`\(([\w$]+)\)")


def _sass_text(cubin: Cubin, parent: str) -> Text:
    """The instructions of the chip, from the lines of PTX that the assembler made them of; those of its own functions,
    such as for quotients, from the lines that call them."""
    lines: list[str] = []
    found: list[tuple[int, Sequence[int], str]] = []
    calls: dict[str, dict[int, None]] = {}
    mark: Sequence[int] = ()
    function = ""
    for line in disassemble(cubin.code, lines="ptx").split("\n"):
        if place := _MARK.match(line):
            mark = [int(place[1]) - 1]
        elif instruction := _INSTRUCTION.match(line):
            if call := _CALL.search(line):
                calls.setdefault(call[1], {}).update(dict.fromkeys(mark))
            found.append((len(lines), mark, function))
            lines.append(f"{instruction[1]}  {instruction[2]}")
        elif label := _LABEL.match(line):
            if not line.startswith(".L"):
                mark, function = (), label[1]
            lines.append(line)
    ups = [(row, at or tuple(calls.get(name, ()))) for row, at, name in found]
    text = _text("sass", "SASS, the chip's own instructions", "sass", "\n".join(lines), ups, parent)
    return replace(text, instructions=tuple(row for row, _ in ups))
