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


@contextmanager
def importing() -> Generator[None]:
    """As `paused`, for imports: what was made meanwhile is old afterwards, so that it is not looked through at once,
    which would be as long as what the pause saved. So are the few young objects of others until all are looked through.
    """
    if not gc.isenabled() or gc.get_freeze_count():  # what others have frozen stays frozen
        with paused():
            yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.unfreeze()  # into the oldest generation
        gc.enable()
