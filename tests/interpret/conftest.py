"""Thread-level programs as text, and how to run them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from lanewise.distribute.interpret import interpret_kernel
from lanewise.ir.kernels import find_kernel
from lanewise.ir.parser import parse_program
from lanewise.ir.verify import verify
from lanewise.reference.errors import EvaluationError

SHARED = "#gpu.address_space<workgroup>"


def program(body: str, arguments: str = "", threads: str = "64, 1, 1") -> str:
    """A kernel with the thread's flat number as %t and small constants %c0, %c1, ... up to %c8."""
    constants = "\n".join(f"  %c{n} = arith.constant {n} : index" for n in range(9))
    return f"""module attributes {{lanewise.stage = "thread"}} {{
gpu.func @k({arguments}) kernel attributes {{gpu.known_block_size = array<i32: {threads}>}} {{
{constants}
  %t = gpu.thread_id x
{body}
  gpu.return
}}
}}"""


Run = Callable[..., None]


@pytest.fixture
def run() -> Run:
    """run(body, arguments text, *values, grid=1, threads="64, 1, 1", subgroup_size=32, checks=True)."""

    def execute(
        body: str,
        arguments: str = "",
        *values: Any,
        grid: int | tuple[int, ...] = 1,
        threads: str = "64, 1, 1",
        subgroup_size: int = 32,
        checks: bool = True,
    ) -> None:
        module = parse_program(program(body, arguments, threads), "k.mlir")
        verify(module)
        interpret_kernel(find_kernel(module), grid, values, subgroup_size=subgroup_size, checks=checks)

    return execute


@pytest.fixture
def error(run: Run) -> Callable[..., str]:
    """The message of the `EvaluationError` that a program ends in."""

    def message(*args: Any, **kwargs: Any) -> str:
        with pytest.raises(EvaluationError) as caught:
            run(*args, **kwargs)
        return str(caught.value)

    return message
