"""A cache of compiled kernels: in memory, and in a folder that processes share.

What is wrong with the folder or with a file in it never stops a launch: the kernel is compiled as if there were no
cache, and a CacheWarning says why, once for each cause. A file counts for nothing unless it has the SHA-256 that it
states, states the key that it is looked for under, and is well formed.
"""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Iterator
from functools import cached_property
from os import PathLike

from ...support.argument_checks import require
from ...support.dataclasses import replace
from ...support.diagnostics import LanewiseError
from ...support.named_tuples import NamedTuple
from ..kernel_file import FIRST, FIRST_BYTES, VERSION, KernelFileError, decode, encode, is_intact
from ..saved import SavedKernel
from ..variants import MOST_VARIANTS
from . import files
from .files import KeptFile
from .identity import compiler_identity

DEFAULT_LIMIT = 1 << 30
_MOST_IN_MEMORY = 128
_SHARE = 16
"""A process looks at the folder's size when it first writes, and whenever it has written this part of the limit."""


class CacheWarning(UserWarning):
    """Kernels are not kept, or not found again: the message says what is wrong with the cache's folder or a file."""


class CacheLimitError(LanewiseError, ValueError):
    """A limit lets nothing be kept."""


class Broken(NamedTuple):
    """A file that is no kernel's, or not that of its key, why, and whether it is gone."""

    path: str
    why: str
    removed: bool


class KernelCache:
    """Kernels by keys, in a folder, and the last ones also in memory.

    It can be pickled, as its folder and limit.

    Attributes:
        folder: Absolute; it is made by the first write. Whoever can write into it decides what is run.
        limit: Bytes of all files; beyond it those go that were used least recently.
    """

    def __init__(self, folder: str | PathLike[str], limit: int = DEFAULT_LIMIT) -> None:
        """Raises CacheLimitError for a limit below 1."""
        require(folder, (str, PathLike), "the path of a cache's folder")
        require(limit, int, "a number of bytes")
        if limit < 1:
            raise CacheLimitError(f"a limit of at least 1 byte is expected, found {limit}")
        self.folder = os.path.abspath(folder)
        self.limit = limit
        self._lock = threading.Lock()
        self._memory: dict[str, SavedKernel] = {}
        self._told: set[str] = set()
        self._unseen = limit
        """Bytes written since the folder's size was looked at; so many that the first write does."""

    def __reduce__(self) -> tuple[object, ...]:
        return KernelCache, (self.folder, self.limit)

    def __repr__(self) -> str:
        return f"<lanewise KernelCache in {self.folder}, at most {self.limit} bytes>"

    @cached_property
    def compiler(self) -> str:
        """A part of every key: which compiler this is. Empty where that cannot be found out, and then nothing is kept.

        It is that of the files as they were first looked at, as this process has loaded them.
        """
        return self._compiler_now()

    def is_same_compiler(self) -> bool:
        """Whether its files are those that it was loaded from: what a process compiles while they change is of neither
        state."""
        return self.compiler == self._compiler_now()

    def _compiler_now(self) -> str:
        try:
            return compiler_identity()
        except OSError as error:
            self._tell(f"lanewise's own files cannot be listed: {error}; kernels are not kept")
            return ""

    # Kernels

    def find(self, key: str) -> SavedKernel | None:
        """The kernel under a key, with the variants that were asked for so far; None where there is none."""
        with self._lock:
            found = self._memory.pop(key, None)
            if found is not None:
                self._memory[key] = found  # the last one used
        return found or self.read(key)

    def read(self, key: str) -> SavedKernel | None:
        """As `find`, of the file: another process may have added variants to it."""
        path = files.path_of(self.folder, key)
        try:
            found = decode(files.read(path), path, key)
        except FileNotFoundError:
            return None
        except OSError as error:
            self._tell(f"{path}: {error.strerror or error}; the kernel is compiled again")
            return None
        except KernelFileError as error:
            self._tell(f"{error}; the file is removed, and the kernel compiled again")
            self._remove(path)
            return None
        self._remember(key, found)
        return found

    def keep(self, key: str, kernel: SavedKernel) -> SavedKernel:
        """Keeps a kernel's variants, beside those that its file has by now; gives all of them."""
        there = self.read(key)
        kernel = replace(kernel, key=key) if there is None else together(replace(kernel, key=key), there)
        self._remember(key, kernel)
        try:
            data = encode(kernel)
            files.write(self.folder, key, data)
            self._evict(len(data))
        except OSError as error:
            self._tell(f"{self.folder}: {error.strerror or error}; kernels are not kept there")
        except KernelFileError as error:
            self._tell(f"{error}; it is not kept")
        return kernel

    def _remember(self, key: str, kernel: SavedKernel) -> None:
        with self._lock:
            self._memory.pop(key, None)
            self._memory[key] = kernel
            while len(self._memory) > _MOST_IN_MEMORY:
                del self._memory[next(iter(self._memory))]

    def _evict(self, written: int) -> None:
        with self._lock:
            self._unseen += written
            if self._unseen < self.limit // _SHARE:
                return
            self._unseen = 0
        files.evict(self.folder, self.limit)

    def _remove(self, path: str) -> None:
        try:
            files.remove(path)
        except OSError as error:
            self._tell(f"{path}: {error.strerror or error}; the file cannot be removed")

    def _tell(self, text: str) -> None:
        with self._lock:
            if text in self._told:
                return
            self._told.add(text)
        warnings.warn(text, CacheWarning, stacklevel=2)

    # The folder

    def files(self) -> list[KeptFile]:
        """The files of all keys, the least recently used first. Raises OSError."""
        return files.files(self.folder)

    def clear(self) -> int:
        """Forgets all kernels, here and in the folder; says how many were there. Raises OSError."""
        with self._lock:
            self._memory.clear()
        return files.remove_all(self.folder)

    def verify(self) -> Iterator[Broken]:
        """Reads every file, and removes those that are broken. Raises OSError where the folder cannot be read."""
        for file in self.files():
            why = _broken(file)
            if why:
                removed = True
                try:
                    files.remove(file.path)
                except OSError as error:
                    why, removed = f"{why}; it cannot be removed: {error.strerror or error}", False
                yield Broken(file.path, why, removed)


def together(kernel: SavedKernel, other: SavedKernel) -> SavedKernel:
    """A kernel with the variants of another that was compiled of the same, as many as there may be.

    Of variants for the same facts those of `kernel` count, but with what the other's have besides. Where the two have
    not the same interface, one of them is not what its key says: then it is `kernel` alone.
    """
    if kernel.interface != other.interface:
        return kernel
    variants = {variant.facts: variant for variant in kernel.variants}
    for theirs in other.variants:
        mine = variants.get(theirs.facts)
        is_new = mine is None and len(variants) < MOST_VARIANTS
        if is_new or (mine is not None and mine.image is None and mine.text == theirs.text):
            variants[theirs.facts] = theirs
    return replace(kernel, variants=tuple(variants[facts] for facts in sorted(variants)))


def _broken(file: KeptFile) -> str:
    """What is wrong with a file; empty for one that is right, also of another lanewise's format."""
    try:
        with open(file.path, "rb") as opened:
            data = opened.read()
    except FileNotFoundError:
        return ""
    except OSError as error:
        return error.strerror or str(error)
    if not is_intact(data):
        return "its content does not have the SHA-256 that it states"
    try:
        decode(data, "it", file.key)
    except KernelFileError as error:
        return "" if _is_of_another_format(data) else str(error)
    return ""


def _is_of_another_format(data: bytes) -> bool:
    first = FIRST.match(data[:FIRST_BYTES])
    return first is not None and int(first[1]) != VERSION
