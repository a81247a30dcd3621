"""Tracebacks that end in the user's line: which frames are the package's own, and how errors are shown without them."""

from __future__ import annotations

import functools
import os
import types
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from ..support.diagnostics import LanewiseError

HERE = os.path.dirname(os.path.abspath(__file__)) + os.sep
_ROOT = os.path.dirname(os.path.dirname(HERE))
_ROOMS = (
    *(os.path.join(_ROOT, room) + os.sep for room in ("support", "ir", "reference", "lang")),
    *(os.path.join(_ROOT, "jit", file) for file in ("kernel.py", "kept_variants.py")),
)
"""Where code stands that may be between the user's line and an error that is the user's."""


def is_own(frame: types.FrameType) -> bool:
    """Whether a frame runs this package's own code."""
    return is_own_code(frame.f_code)


def is_own_code(code: types.CodeType) -> bool:
    return code.co_filename.startswith(HERE)


def of_user(error: BaseException) -> types.TracebackType | None:
    """An error's traceback without frames of lanewise, so that it ends in the user's line. Where we raise what is
    none of lanewise's errors, that is a fault of ours, and whole."""
    entries: list[types.TracebackType] = []
    traceback = error.__traceback__
    while traceback is not None:
        entries.append(traceback)
        traceback = traceback.tb_next
    last = entries[-1].tb_frame.f_code.co_filename if entries else ""
    if last.startswith(_ROOMS) and not isinstance(error, (LanewiseError, RecursionError)):
        return error.__traceback__
    result: types.TracebackType | None = None
    for entry in reversed(entries):
        if not entry.tb_frame.f_code.co_filename.startswith(_ROOMS):
            result = types.TracebackType(result, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return result


P = ParamSpec("P")
R = TypeVar("R")


def for_users(method: Callable[P, R]) -> Callable[P, R]:
    """A method whose errors have tracebacks of the user's frames alone."""

    @functools.wraps(method)
    def call(*arguments: P.args, **named: P.kwargs) -> R:
        try:
            return method(*arguments, **named)
        except Exception as error:
            raise error.with_traceback(of_user(error)) from error.__cause__

    return call
