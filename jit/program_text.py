"""Where a program's text comes from: a string or a file. Nothing is parsed here."""

from __future__ import annotations

from pathlib import Path

from ..support.diagnostics import LanewiseError, Source
from ..support.patterns import regex

MAX_BYTES = 16 << 20

_FILE_NAME = regex(r".+\.(mlir|lw)|[^\s{}]*[/\\][^\s{}]*")
_NOT_READ = (".ll", ".ptx", ".s", ".sass")
MAGIC = b"lanewise-kernel"
"""What the file of a compiled kernel begins with."""


class SourceError(LanewiseError):
    """A program cannot be read; the message says which file and why."""


def text_of(source: str | Path) -> Source:
    """The text of a source, with the name that messages give it."""
    if isinstance(source, Path):
        return read_source(source)
    if not isinstance(source, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise SourceError(f"a program is text, a path or a module, found {type(source).__name__}")
    if _FILE_NAME.fullmatch(source):
        return read_source(Path(source))
    return Source(source)


def read_source(path: Path) -> Source:
    """The text of a file. Raises SourceError when it is missing, no file, too large or no text."""
    return Source(decoded(read_bytes(path, MAX_BYTES + 1), str(path)), str(path))


def read_bytes(path: Path, most: int) -> bytes:
    """The first `most` bytes of a file. Raises SourceError when it is missing or no file."""
    if path.is_dir():
        raise SourceError(f"{path}: a file is expected, found a directory")
    try:
        with path.open("rb") as file:
            return file.read(most)
    except OSError as error:
        raise SourceError(f"{path}: {error.strerror or error}") from error


def decoded(data: bytes, name: str) -> str:
    """Text of at most MAX_BYTES in UTF-8, and of no stage that is not read back; else raises SourceError."""
    if name.endswith(_NOT_READ):
        raise SourceError(f"{name}: a program in MLIR is expected; LLVM IR and machine text are not read back")
    if name.endswith(".py"):
        raise SourceError(
            f"{name}: a program in MLIR is expected, found Python: import its kernel, and take kernel.trace(),"
            " kernel.compile() or kernel.explain(); commands such as `lanewise explain` and `lanewise compile` take the"
            " file (docs/kernels_in_python.md)"
        )
    if data.startswith(MAGIC):
        raise SourceError(
            f"{name}: a program is expected, found a compiled kernel: `lanewise.load` reads it, and the program in it"
            f" is `lanewise.load({name!r}).program.text`"
        )
    return _text(data, name)


def read_python(path: Path) -> Source:
    """The text of a file of Python. Raises SourceError when it is missing, no file, too large or no text."""
    return Source(_text(read_bytes(path, MAX_BYTES + 1), str(path)), str(path))


def _text(data: bytes, name: str) -> str:
    if len(data) > MAX_BYTES:
        raise SourceError(f"{name}: a program has at most {MAX_BYTES} bytes")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise SourceError(f"{name}: UTF-8 text is expected, found the byte {data[error.start]:#04x}") from error
