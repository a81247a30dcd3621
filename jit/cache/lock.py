"""A lock between processes, which the system takes back from one that ends: fcntl, or msvcrt on Windows."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager

if sys.platform == "win32":
    import msvcrt

    def _take(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _take(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def held(path: str) -> Generator[bool]:
    """Whether this process has the lock that a file is, which is made; nobody waits. Raises OSError where the file
    cannot be made."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        try:
            _take(handle)
        except OSError:  # another process has it, or the file system knows no locks
            yield False
        else:
            yield True
    finally:
        os.close(handle)
