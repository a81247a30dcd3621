"""Which compiler this is: lanewise's own files and what it calls, so that no other one's kernels are taken for its own.

An installed wheel lists the SHA-256 of each of its files in RECORD, whose own hash says all (0.3 ms). A source tree has
none, also where it was installed to be edited: sizes and times of its files stand for their content, the time of the
last change of an inode among them, which no tool that copies or unpacks sets back.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterator
from importlib.util import find_spec

import numpy as np

from .key import Key

_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_CALLED = ("llvmlite", "ml_dtypes")
"""Packages besides numpy whose versions decide code: LLVM, and how constants are rounded."""
_CODE = (".py", ".so", ".pyd", ".dll", ".dylib")


def compiler_identity() -> str:
    """Equal for compilers that make equal code of equal programs. Nothing is imported for it, LLVM neither.

    Raises OSError where the package's files cannot be listed, as in a zip file.
    """
    called = tuple(_identity_of(name) for name in _CALLED)
    key = Key("compiler", package_identity(_PACKAGE, "lanewise"), called)
    return key.add(np.__version__, sys.implementation.name, sys.hexversion).digest


def package_identity(folder: str, name: str) -> str:
    """The files of a package in `folder`. Raises OSError."""
    record = _record_of(folder, name)
    if record is not None:
        return f"wheel {hashlib.sha256(record).hexdigest()}"
    files = hashlib.sha256()
    for path, entry in sorted(_files(folder, ""), key=lambda found: found[0]):
        status = entry.stat()
        times = f"{status.st_mtime_ns}\0{status.st_ctime_ns}"
        files.update(f"{path}\0{status.st_size}\0{times}\n".encode("utf-8", "surrogateescape"))
    return f"tree {files.hexdigest()}"


def _identity_of(name: str) -> str:
    """That of a package by its name; empty where it is not there."""
    spec = find_spec(name)
    folders = None if spec is None else spec.submodule_search_locations
    return package_identity(os.path.abspath(next(iter(folders))), name) if folders else ""


def _record_of(folder: str, name: str) -> bytes | None:
    """RECORD of the wheel that the folder was installed from, beside it; None where there is none that lists it."""
    parent = os.path.dirname(folder)
    infos = [entry for entry in os.listdir(parent) if entry.startswith(f"{name}-") and entry.endswith(".dist-info")]
    if len(infos) != 1:
        return None
    try:
        with open(os.path.join(parent, infos[0], "RECORD"), "rb") as file:
            record = file.read()
    except OSError:
        return None
    first = f"{os.path.basename(folder)}/__init__.py,".encode()
    return record if record.startswith(first) or b"\n" + first in record else None


def _files(folder: str, path: str) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """The files with code in a package and the packages in it, by their paths; other folders have none of it."""
    with os.scandir(folder) as entries:
        for entry in entries:
            below = f"{path}/{entry.name}"
            if entry.is_dir():
                if os.path.exists(os.path.join(entry.path, "__init__.py")):
                    yield from _files(entry.path, below)
            elif entry.name.endswith(_CODE):
                yield below, entry
