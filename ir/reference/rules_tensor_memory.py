"""Tensor memory: programs that have it are emitted, and neither the reference nor an emulator runs them."""

from __future__ import annotations

from typing import NoReturn

from ..core import Operation
from ..dialects.lanewise_tcgen05 import OPERATIONS
from .errors import failure
from .program import EVALUATE, Compiler


@EVALUATE.of(*OPERATIONS)
def _refuse(op: Operation, c: Compiler) -> NoReturn:
    raise failure(op, "is of tensor memory, which lanewise emits for sm_100a and no executor here has")
