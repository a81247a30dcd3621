"""Python's collector of cycles, paused where many objects are made of which none dies (decision 0044)."""

from __future__ import annotations

import gc
import sys
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


@contextmanager
def importing() -> Generator[None]:
    """As `paused`, for imports: what was made meanwhile is old afterwards, so that it is not looked through at once,
    which would be as long as what the pause saved. So are the few young objects of others until all are looked through.
    Where all was imported already nothing is done: to count what is frozen takes long where that is many.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    there = len(sys.modules)
    try:
        yield
    finally:
        if len(sys.modules) > there and not gc.get_freeze_count():  # what others have frozen stays frozen
            gc.freeze()
            gc.unfreeze()  # into the oldest generation
        gc.enable()
