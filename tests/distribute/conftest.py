"""Runs a kernel text on the executors that need no GPU and compares them with the reference."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from lanewise.distribute.interpret import interpret_kernel
from lanewise.emulate.machine.settings import LaunchSettings
from lanewise.emulate.memory import GlobalMemory
from lanewise.emulate.ptx import PtxModule
from lanewise.ir.parser import parse_program
from lanewise.ir.types import MemRefType
from lanewise.ir.verify import verify
from lanewise.pipeline.compilation import Compilation
from lanewise.pipeline.facts import ArgumentFacts
from lanewise.reference.evaluate import run_kernel
from lanewise.targets import find_chip

Agree = Callable[..., list[np.ndarray]]


def compilation(text: str, target: str = "sm_90", facts: dict[int, ArgumentFacts] | None = None) -> Compilation:
    module = parse_program(text)
    verify(module)
    return Compilation(module, None, find_chip(target), facts)


def emulate(c: Compilation, grid: tuple[int, int, int], arguments: Sequence[np.ndarray | int]) -> None:
    """Executes the emitted PTX in place."""
    memory, packed, buffers = GlobalMemory(), b"", []
    for value, argument in zip(arguments, c.kernel.arguments, strict=True):
        if isinstance(argument.type, MemRefType):
            assert isinstance(value, np.ndarray)
            address = memory.allocate(value.nbytes)
            memory.write(address, value)
            buffers.append((address, value))
            packed += struct.pack("<Q", address)
            packed += b"".join(struct.pack("<q", value.shape[d]) for d in argument.type.dynamic_dims)
        else:
            packed += struct.pack("<q", int(value))
    kernel = PtxModule.parse(c.artifacts.assembly).kernels[c.kernel.name]
    settings = LaunchSettings(grid, c.artifacts.block_size, packed, c.artifacts.dynamic_shared_bytes)
    kernel.launch(memory, settings)
    for address, value in buffers:
        value[...] = memory.read(address, value.nbytes).view(value.dtype).reshape(value.shape)


@pytest.fixture
def agree() -> Agree:
    """Runs a text on reference, interpreter and (unless told not to) emulator; all must give the same bits."""

    def run(
        text: str,
        *arguments: np.ndarray | int,
        grid: tuple[int, int, int] = (1, 1, 1),
        target: str = "sm_90",
        emulated: bool = True,
        facts: dict[int, ArgumentFacts] | None = None,
    ) -> list[np.ndarray]:
        c = compilation(text, target, facts)
        copies = [[a.copy() if isinstance(a, np.ndarray) else a for a in arguments] for _ in range(3)]
        run_kernel(c.kernel, grid, copies[0])
        thread = c.thread_kernel
        interpret_kernel(thread, grid, copies[1], subgroup_size=c.subgroup_size)
        _same(copies[0], copies[1], "interpreter")
        if emulated:
            emulate(c, grid, copies[2])
            _same(copies[0], copies[2], "emulator")
        return [a for a in copies[0] if isinstance(a, np.ndarray)]

    return run


def _same(expected: Sequence[np.ndarray | int], found: Sequence[np.ndarray | int], who: str) -> None:
    for position, (a, b) in enumerate(zip(expected, found, strict=True)):
        np.testing.assert_array_equal(b, a, err_msg=f"argument {position} on the {who}")
