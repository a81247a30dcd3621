"""Files of the command line: programs in, results out, nothing half written."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from ..jit.kernel_file import MAX_BYTES as KERNEL_BYTES
from ..jit.program_text import MAGIC, MAX_BYTES, decoded, read_bytes, read_source
from ..jit.write import OutputError, write_file
from ..support.diagnostics import Source


def read_program(name: str) -> Source:
    """The text of a file, or of standard input for `-`. Raises SourceError."""
    if name == "-":
        return Source(decoded(sys.stdin.buffer.read(MAX_BYTES + 1), "<stdin>"), "<stdin>")
    return read_source(Path(name))


def read_kernel_or_program(name: str) -> Source | bytes:
    """The text of a program, or the content of a compiled kernel's file. What may be a pipe is read once."""
    most = KERNEL_BYTES + 1
    data = sys.stdin.buffer.read(most) if name == "-" else read_bytes(Path(name), most)
    if data.startswith(MAGIC):
        return data
    shown = "<stdin>" if name == "-" else name
    return Source(decoded(data, shown), shown)


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
