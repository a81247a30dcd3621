"""Files of the command line: programs in, results out, nothing half written."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from ..ir.diagnostics import LanewiseError, Source
from ..jit.source import MAX_BYTES, decoded, read_source


class OutputError(LanewiseError):
    """A result cannot be written where it was asked for."""


def read_program(name: str) -> Source:
    """The text of a file, or of standard input for `-`. Raises SourceError."""
    if name == "-":
        return Source(decoded(sys.stdin.buffer.read(MAX_BYTES + 1), "<stdin>"), "<stdin>")
    return read_source(Path(name))


def write_output(content: str | bytes, name: str | None) -> None:
    """Writes to a file, all or nothing, or to standard output for None and `-`."""
    if name is not None and name != "-":
        write_file(Path(name), content)
    elif isinstance(content, str):
        sys.stdout.write(content if content.endswith("\n") else f"{content}\n")
    elif sys.stdout.isatty():
        raise OutputError("machine code is not for a terminal: name a file with -o")
    else:
        sys.stdout.buffer.write(content)


def write_file(path: Path, content: str | bytes) -> None:
    """Replaces a file by a complete new one."""
    if path.is_dir():
        raise OutputError(f"{path}: a file is expected, found a directory")
    if not path.parent.is_dir():
        raise OutputError(f"{path}: there is no folder {path.parent}")
    data = content.encode() if isinstance(content, str) else content
    if path.exists() and not path.is_file():  # a device or a pipe, such as /dev/null: written, not replaced
        path.write_bytes(data)
        return
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        mask = os.umask(0)
        os.umask(mask)
        Path(temporary).chmod(0o666 & ~mask)  # mkstemp gives 0600
        Path(temporary).replace(path)
    except OSError as error:
        Path(temporary).unlink(missing_ok=True)
        raise OutputError(f"{path}: {error.strerror or error}") from error


def write_folder(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """Writes files with fixed names into a folder, which is made if it is not there."""
    if folder.exists() and not folder.is_dir():
        raise OutputError(f"{folder}: a folder is expected, found a file")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder}: {error.strerror or error}") from error
    for name, content in files.items():
        write_file(folder / name, content)
