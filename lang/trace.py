"""The vector program that a kernel's Python is writing, and where in the user's files it is.

Everything that a kernel calls appends to the one builder of the trace that is under way in this thread, at the place of
the innermost frame that is not this package's own.
"""

from __future__ import annotations

import linecache
import sys
import types
import weakref
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Protocol

from ..ir.builder import FoldingBuilder
from ..support.diagnostics import Diagnostic, Location, ProgramError, Source
from ..support.named_tuples import NamedTuple
from .tracebacks import HERE, is_own_code
from .under_way import TRACE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from ..ir.core import Block, Operation
    from ..ir.core import Value as SSA
    from ..ir.types import Attribute
    from ..jit.grid_uses import Use
    from .dtypes import DType

_TRACE: ContextVar[Trace | None] = TRACE


class TraceError(ProgramError, TypeError):
    """A kernel's Python says something that has no meaning; the message has the user's line and both sides."""


class Delayed(Protocol):
    """A value whose operation is not written yet."""

    def write(self) -> None: ...


class _Table(NamedTuple):
    """Lines and columns of each instruction, first and last."""

    code: types.CodeType
    positions: tuple[tuple[int | None, int | None, int | None, int | None], ...]


class Places:
    """The user's files and where in them each instruction of their code stands."""

    def __init__(self) -> None:
        self._sources: dict[str, Source] = {}
        self._tables: dict[int, _Table] = {}
        """By the identity of code, which they keep: code is hashed and compared whole."""
        self._found: dict[tuple[int, int], Location] = {}
        self._called: dict[tuple[int, int, Location], Location] = {}

    def source(self, file: str, line: int) -> Source:
        """The text of a file, which has a line; of a text that is nowhere to be read empty lines."""
        found = self._sources.get(file)
        if found is None or (line > found.lines and not found.text.strip()):
            found = self._sources[file] = Source("".join(linecache.getlines(file)) or "\n" * line, file)
        return found

    def line(self, file: str, number: int) -> Location:
        """Where a line begins, without its blanks."""
        source = self.source(file, number)
        number = min(number, source.lines)
        row = source.line(number)
        blanks = len(row) - len(row.lstrip())
        return Location(source, source.offset(number, blanks + 1), source.offset(number, len(row.rstrip()) + 1))

    def of(self, code: types.CodeType, instruction: int) -> Location:
        key = id(code), instruction
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = self._place(code, instruction)
        return found

    def called(self, code: types.CodeType, instruction: int, caller: Location) -> Location:
        """The same in a helper, with where that was called."""
        key = id(code), instruction, caller
        found = self._called.get(key)
        if found is None:
            place = self.of(code, instruction)
            found = self._called[key] = place._replace(caller=caller, function=code.co_name)
        return found

    def _place(self, code: types.CodeType, instruction: int) -> Location:
        table = self._tables.get(id(code))
        if table is None:
            table = self._tables[id(code)] = _Table(code, tuple(code.co_positions()))
        line, last, column, end = table.positions[instruction // 2]
        source = self.source(code.co_filename, line or 1)
        if line is None or line > source.lines:
            return Location(source, 0)
        start = _offset(source, line, column)
        return Location(source, start, None if last is None or last > source.lines else _offset(source, last, end))


def _offset(source: Source, line: int, column: int | None) -> int:
    """Where a line and a column, which counts bytes of UTF-8 from 0, stand; a file may have changed since."""
    row = source.line(line)
    characters = column or 0
    if not row.isascii():
        characters = len(row.encode()[:characters].decode(errors="replace"))
    return source.offset(line, min(characters, len(row)) + 1)


class Written(NamedTuple):
    """A program within the program: what messages call it, the block that it goes to, and what writes it there."""

    name: str
    block: Block
    write: Callable[[], None]


class Trace:
    """One kernel while it is written."""

    def __init__(self, build: FoldingBuilder, places: Places, root: types.CodeType) -> None:
        self.build = build
        self.places = places
        self.root = root
        """The code of the kernel's own function."""
        self.uses: list[Use] = []
        self.open: list[tuple[str, Location | None]] = []
        """The loops and branches of the device around what is written, outermost first: what they are, and where."""
        self.missing_source: list[str] = []
        """Why the text cannot be read, for each function that runs without it."""
        self.stated: dict[SSA, dict[str, Attribute]] = {}
        """What the kernel needs of its arguments."""
        self.suggested: dict[SSA, str] = {}
        """Names of values to which the user gives none."""
        self._delayed: list[weakref.ref[Delayed]] = []

    computes: ClassVar[bool] = False
    """Whether each operation is computed when it is written."""

    def number(self, value: SSA, dtype: DType) -> Any:
        """What a number or a vector is, where operations are computed: a number of Python, or an array; else None."""
        return None

    def contents(self, memory: SSA, dtype: DType) -> Any:
        """What is in memory now, where operations are computed; else None."""
        return None

    def rename(self, memory: SSA, name: str) -> None:
        """Lets messages of what runs have the user's name for memory."""

    def counter(self, number: int) -> SSA:
        """An index that no operation makes, where operations are computed."""
        raise AssertionError("a loop of the device has its own")

    def begin(self) -> None:
        """Makes this the trace of this thread."""
        assert _TRACE.get() is None, "kernels are traced one at a time"
        _TRACE.set(self)

    def end(self) -> None:
        _TRACE.set(None)

    def suggest(self, value: SSA, name: str) -> None:
        """What a value is called in the program if the user gives it no name."""
        self.suggested[value] = name

    def delay(self, value: Delayed) -> None:
        """Keeps what is written when it is first used, at the latest before a region begins or ends."""
        self._delayed.append(weakref.ref(value))

    def write_delayed(self) -> None:
        waiting, self._delayed = self._delayed, []
        for reference in waiting:
            value = reference()
            if value is not None:
                value.write()

    def enter(self, block: Block, what: str, place: Location | None) -> AbstractContextManager[None]:
        """Goes on in a block of a region; the result is for `leave`."""
        self.write_delayed()
        scope = self.build.scope(block)
        scope.__enter__()
        self.open.append((what, place))
        return scope

    def parts(self, op: Operation, programs: Sequence[Written]) -> None:
        """Appends an operation whose regions are programs of parts of the workgroup."""
        for program in programs:
            self._write(program)
        building().append(op)

    def threads(self, op: Operation, program: Written) -> None:
        """Appends an operation whose region is the program of each thread."""
        self._write(program)
        building().append(op)

    def _write(self, program: Written) -> None:
        """Writes a program of its own, which has its own constants."""
        self.write_delayed()
        self.open.append((program.name, here()))
        with self.build.program(program.block):
            program.write()
            self.write_delayed()
        self.open.pop()

    def leave(self, scope: AbstractContextManager[None]) -> None:
        self.write_delayed()
        self.open.pop()
        scope.__exit__(None, None, None)


def trace_if_any() -> Trace | None:
    """The trace that is under way; None where there is none."""
    return _TRACE.get()


def trace() -> Trace:
    """The trace that is under way. Raises TraceError where there is none."""
    found = _TRACE.get()
    if found is None:
        message = "this is used outside of a kernel: values exist while a function of @lanewise.kernel runs"
        raise TraceError([Diagnostic(message, here(Places()))])
    return found


def building() -> FoldingBuilder:
    """The builder, at the user's place."""
    current = _TRACE.get() or trace()
    frame = users_frame()
    build = current.build
    build.location = None if frame is None else _chain(frame, current.places, current.root)
    return build


def users_frame() -> types.FrameType | None:
    """The innermost frame that is not this package's."""
    frame: types.FrameType | None = sys._getframe(2)  # pyright: ignore[reportPrivateUsage]
    while frame is not None and frame.f_code.co_filename.startswith(HERE):
        frame = frame.f_back
    return frame


def here(places: Places | None = None) -> Location | None:
    """The place of the innermost frame that is not this package's."""
    frame = users_frame()
    if frame is None:
        return None
    if places is not None:
        return places.of(frame.f_code, frame.f_lasti)
    current = trace()
    return _chain(frame, current.places, current.root)


def _chain(frame: types.FrameType, places: Places, root: types.CodeType) -> Location:
    """The place of a frame; of a helper with where it was called, up to the kernel's function."""
    code = frame.f_code
    if code is root:
        return places.of(code, frame.f_lasti)
    outer = frame.f_back
    while outer is not None and is_own_code(outer.f_code) and outer.f_code is not root:
        outer = outer.f_back
    if outer is None or is_own_code(outer.f_code):
        return places.of(code, frame.f_lasti)
    return places.called(code, frame.f_lasti, _chain(outer, places, root))


Note = tuple[str, Location | None]


def fail(message: str, *notes: Note, hint: str = "") -> NoReturn:
    """Raises TraceError at the user's place."""
    found = _TRACE.get()
    place = here(Places() if found is None else None)
    raise TraceError([Diagnostic(message, place, tuple(n for n in notes if n[1] is not None), hint)])
