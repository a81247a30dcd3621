"""Writing files: whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from ..support.argument_checks import require
from ..support.diagnostics import LanewiseError


class OutputError(LanewiseError):
    """A result cannot be written where it was asked for."""


def write_file(path: str | Path, content: str | bytes) -> None:
    """Replaces a file by a complete new one, which is on the disk before it takes the name. Raises OutputError."""
    require(path, (str, os.PathLike), "the path of a file")
    path = Path(path)
    if path.is_dir():
        raise OutputError(f"{path}: a file is expected, found a directory")
    if not path.parent.is_dir():
        raise OutputError(f"{path}: there is no folder {path.parent}")
    data = content.encode() if isinstance(content, str) else content
    if path.exists() and not path.is_file():  # a device or a pipe, such as /dev/null: written, not replaced
        path.write_bytes(data)
        return
    try:
        _replace(path, data)
    except OSError as error:
        raise OutputError(f"{path}: {error.strerror or error}") from error


def _replace(path: Path, data: bytes) -> None:
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        mask = os.umask(0)
        os.umask(mask)
        Path(temporary).chmod(0o666 & ~mask)  # mkstemp gives 0600
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
