"""The stages of a program, from the one that is written to the one that machine code is generated of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

Stage = Literal["vector", "layout", "distributed", "thread"]
STAGES: tuple[Stage, ...] = ("vector", "layout", "distributed", "thread")
"""Vectors of an owner; the same with a layout for each; one thread's program, in which nothing waits for other threads
yet: each of its operations is done in all threads before the next begins; and one thread's program as it runs."""
OF_THREADS: Sequence[Stage] = ("distributed", "thread")
"""Those in which every vector is one thread's own."""
STAGE = "lanewise.stage"
"""On a module: in which stage it is."""
