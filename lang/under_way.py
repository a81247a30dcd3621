"""Which trace is under way in this thread: whether one is can be asked without what traces."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

TRACE: ContextVar[Any] = ContextVar("lanewise-trace", default=None)
"""A `trace.Trace`; None where there is none."""


def is_tracing() -> bool:
    return TRACE.get() is not None
