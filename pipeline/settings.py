"""How a kernel is compiled, whatever its program and its arguments are."""

from __future__ import annotations

from ..codegen.budget import DEFAULT, Budget
from ..support.dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    """What is asked of the compiler besides a program.

    Attributes:
        isolate: LLVM runs in a process of its own.
        budget: What compiling may take.
        without: Names of passes that are left out.
    """

    isolate: bool = False
    budget: Budget = DEFAULT
    without: tuple[str, ...] = ()


AS_USUAL = Settings()
