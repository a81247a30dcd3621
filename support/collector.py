"""Python's collector of cycles, paused where many objects are made of which none dies (decision 0044)."""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def paused() -> Generator[None]:
    """Inside, nothing is collected; afterwards the collector is as it was. Of several threads that pause it, those that
    found it running let it run again, each when it is done: it is never left off."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
