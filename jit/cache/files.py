"""The files of a cache: one a key, replaced whole, read without a lock; the least recently used go first.

A file is `<key>.lw`, a compiled kernel's (docs/files.md). It is written under a name of its own, which begins with a
point, and then takes its name: who reads sees the old file, the new one, or none. What a process that was ended leaves
behind goes after an hour.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from typing import BinaryIO

from ...support.named_tuples import NamedTuple
from ...support.patterns import regex
from ..json_fields import FieldError, read_canonical
from ..kernel_file import FIRST, FIRST_BYTES, MAX_BYTES, VERSION
from .lock import held

_NAME = regex(r"([0-9a-f]{64})\.lw")
_TEMPORARY = regex(r"\.[0-9a-f]{64}\.lw\.\d+-[0-9a-f]{12}")
_LOCK = ".lock"
_STALE_SECONDS = 3600.0
_FULL = 0.9
"""What is left of the limit once files have gone: so that not every write lists the folder's files in vain."""


class KeptFile(NamedTuple):
    """A file of a cache: where it is, under which key, its bytes, and when it was last used, in seconds of
    `time.time()`."""

    path: str
    key: str
    bytes: int
    used: float


class Outline(NamedTuple):
    """What a file says of its kernel; empty where it is of another format, or none."""

    kernel: str
    target: str


def path_of(folder: str, key: str) -> str:
    return os.path.join(folder, f"{key}.lw")


def read(path: str) -> bytes:
    """The file's content, which now is the last one used. Raises OSError."""
    with open(path, "rb") as file:
        data = file.read(MAX_BYTES + 1)
    with contextlib.suppress(OSError):  # it may be somebody else's, to read only
        os.utime(path)
    return data


def write(folder: str, key: str, data: bytes) -> None:
    """Makes the file of a key, and the folder where there is none yet. Raises OSError, and leaves nothing then."""
    path = path_of(folder, key)
    temporary = os.path.join(folder, f".{key}.lw.{os.getpid()}-{os.urandom(6).hex()}")
    try:
        with _created(temporary) as file:
            file.write(data)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _created(path: str) -> BinaryIO:
    try:
        return open(path, "xb")
    except FileNotFoundError:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)  # what runs is read from here
        return open(path, "xb")


def files(folder: str) -> list[KeptFile]:
    """The files of all keys, the least recently used first; none where there is no folder. Raises OSError."""
    return sorted(_files(folder), key=lambda file: (file.used, file.key))


def _files(folder: str) -> Iterator[KeptFile]:
    for entry in _entries(folder):
        if (name := _NAME.fullmatch(entry.name)) is None:
            continue
        with contextlib.suppress(FileNotFoundError):  # it has gone meanwhile
            status = entry.stat()
            yield KeptFile(entry.path, name[1], status.st_size, status.st_mtime)


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except FileNotFoundError:
        return []


def remove(path: str) -> bool:
    """Whether the file was there and is gone. Raises OSError."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return False
    return True


def remove_all(folder: str) -> int:
    """How many kernels there were, and half written ones with them. Raises OSError."""
    for entry in _entries(folder):
        if _TEMPORARY.fullmatch(entry.name):
            remove(entry.path)
    return sum(remove(file.path) for file in files(folder))


def evict(folder: str, limit: int) -> None:
    """Where files have more than `limit` bytes, those go that were used least recently; nothing is done while another
    process does it. Raises OSError."""
    with held(os.path.join(folder, _LOCK)) as is_mine:
        if not is_mine:
            return
        _remove_stale(folder)
        found = files(folder)
        total = sum(file.bytes for file in found)
        if total <= limit:
            return
        for file in found:
            if total <= _FULL * limit:
                return
            with contextlib.suppress(OSError):  # on Windows one that is read cannot go
                remove(file.path)
                total -= file.bytes


def _remove_stale(folder: str) -> None:
    now = time.time()
    for entry in _entries(folder):
        if _TEMPORARY.fullmatch(entry.name):
            with contextlib.suppress(OSError):
                if now - entry.stat().st_mtime > _STALE_SECONDS:
                    remove(entry.path)


def outline(path: str) -> Outline:
    """Kernel and target, of the header alone. Raises OSError."""
    with open(path, "rb") as file:
        first = FIRST.match(file.read(FIRST_BYTES))
        if first is None or int(first[1]) != VERSION:
            return Outline("", "")
        file.seek(first.end())
        try:
            header = read_canonical(file.read(min(int(first[2]), MAX_BYTES)))
            return Outline(header.text("name", 255), header.text("target", 255))
        except FieldError:
            return Outline("", "")
