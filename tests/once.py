"""What a run of the tests makes once: LLVM's work on a text, and what an emulator reads of a machine text.

Many tests look at the same programs, and different facts and stages often come to the same LLVM IR. A result is kept by
all that it depends on, failures are not; tests of LLVM, of its processes and of readers ask those directly.
"""

from __future__ import annotations

import functools
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import pytest
from lanewise.codegen import compile as code
from lanewise.codegen import isolation
from lanewise.emulate.amdgcn.module import AmdgcnModule
from lanewise.emulate.ptx.module import PtxModule

KEPT = 512
"""Of each kind, those that were used last."""


@contextmanager
def made_once() -> Generator[None]:
    """Meanwhile equal texts for equal chips are compiled and read once."""
    here: Any = functools.lru_cache(KEPT)(code.compile_text)
    isolated: Any = functools.lru_cache(KEPT)(isolation.compile_text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(code, "compile_text", here)
        patch.setattr(isolation, "compile_text", isolated)
        for module in (PtxModule, AmdgcnModule):
            patch.setattr(module, "parse", staticmethod(functools.lru_cache(KEPT)(module.parse)))
        yield
