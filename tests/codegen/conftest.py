"""Compiles thread-level text and runs the machine text on the emulator: the tests state what comes out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lanewise.codegen.compile import Artifacts, compile_kernel
from lanewise.emulate.amdgcn import AmdgcnModule
from lanewise.emulate.machine.settings import LaunchSettings
from lanewise.emulate.memory import GlobalMemory
from lanewise.emulate.ptx import PtxModule
from lanewise.ir.kernels import find_kernel
from lanewise.ir.parser import parse_program
from lanewise.ir.verify import verify
from lanewise.support.packed_elements import decoded, encoded
from lanewise.targets import find_chip

HERE = Path(__file__).parent
HEADER = 'module attributes {lanewise.stage = "thread"} {\n'
BLOCK = 64
EXECUTED = ("sm_90", "gfx942", "gfx1100")
"""Where programs run whose test names no chip: both vendors, and AMD's two families."""
EMULATORS: dict[str, Any] = {"nvidia": PtxModule, "amd": AmdgcnModule}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """These chips take turns over the types, sizes and the like of a test, which say nothing of it themselves."""
    for item in items:
        parameters = getattr(item, "callspec", None)
        if item.path.is_relative_to(HERE) and parameters is not None and "executed" in parameters.params:
            item.add_marker(pytest.mark.turns("executed"))


def kernel_text(arguments: str, body: str, block: tuple[int, int, int] = (BLOCK, 1, 1), name: str = "k") -> str:
    size = ", ".join(map(str, block))
    attributes = f"kernel attributes {{gpu.known_block_size = array<i32: {size}>}}"
    return f"{HEADER}gpu.func @{name}({arguments}) {attributes} {{\n{body}\n  gpu.return\n}}\n}}\n"


def compiled(text: str, chip: str = "sm_90") -> Artifacts:
    module = parse_program(text)
    verify(module)
    return compile_kernel(find_kernel(module), find_chip(chip))


def launched(
    artifacts: Artifacts, arguments: Sequence[Any], grid: tuple[int, int, int] = (1, 1, 1), text: str = ""
) -> list[np.ndarray[Any, Any]]:
    """Runs the kernel, or another `text` of it; gives every array argument as it is afterwards."""
    memory = GlobalMemory()
    images = {i: _image(a) for i, a in enumerate(arguments) if isinstance(a, np.ndarray)}
    addresses = [memory.allocate(images[i].nbytes) if i in images else 0 for i in range(len(arguments))]
    packed = bytearray(max((p.offset + p.size for p in artifacts.parameters), default=0))
    for i, image in images.items():
        memory.write(addresses[i], image)
    for p in artifacts.parameters:
        argument = arguments[p.argument] if p.argument >= 0 else None
        if p.role == "scalar":
            data = argument.tobytes()
        elif p.role == "pointer":
            data = addresses[p.argument].to_bytes(8, "little")
        elif p.role == "grid":
            data = grid[p.dimension].to_bytes(8, "little")
        elif p.role == "size":
            data = argument.shape[p.dimension].to_bytes(8, "little")
        else:
            data = (argument.strides[p.dimension] // argument.itemsize).to_bytes(8, "little")
        assert len(data) == p.size
        packed[p.offset : p.offset + p.size] = data
    kernel = EMULATORS[artifacts.chip.vendor].parse(text or artifacts.assembly).kernels[artifacts.name]
    assert [(p.offset, p.size) for p in kernel.parameters] == [(p.offset, p.size) for p in artifacts.parameters]
    packed.extend(bytes(kernel.parameter_bytes - len(packed)))  # AMD rounds the segment up
    settings = LaunchSettings(grid, artifacts.block_size, bytes(packed), artifacts.dynamic_shared_bytes)
    kernel.launch(memory, settings)
    found = {i: memory.read(addresses[i], image.nbytes) for i, image in images.items()}
    arrays = {i: arguments[i] for i in images}
    return [decoded(found[i], a.dtype, a.nbytes).view(a.dtype).reshape(a.shape) for i, a in arrays.items()]


def _image(array: np.ndarray[Any, Any]) -> Any:
    """An array as a device has it."""
    return encoded(np.ascontiguousarray(array).reshape(-1).view(np.uint8), array.dtype)


@dataclass(frozen=True)
class Elementwise:
    """Runs lines of a body for every element: operands are %x0, %x1..., results %y0, %y1..."""

    chip: str = "sm_90"

    def __call__(
        self,
        lines: str,
        inputs: Sequence[tuple[str, np.ndarray[Any, Any]]],
        outputs: Sequence[tuple[str, Any]],
        chip: str | None = None,
    ) -> list[np.ndarray[Any, Any]]:
        count = inputs[0][1].size
        padded = -(-count // BLOCK) * BLOCK
        arguments = [f"%in{i}: memref<{padded}x{t}>" for i, (t, _) in enumerate(inputs)]
        arguments += [f"%out{i}: memref<{padded}x{t}>" for i, (t, _) in enumerate(outputs)]
        body = [
            "  %t = gpu.thread_id x",
            "  %b = gpu.block_id x",
            f"  %size = arith.constant {BLOCK} : index",
            "  %first = arith.muli %b, %size : index",
            "  %i = arith.addi %first, %t : index",
            *(f"  %x{i} = memref.load %in{i}[%i] : memref<{padded}x{t}>" for i, (t, _) in enumerate(inputs)),
            lines,
            *(f"  memref.store %y{i}, %out{i}[%i] : memref<{padded}x{t}>" for i, (t, _) in enumerate(outputs)),
        ]
        artifacts = compiled(kernel_text(", ".join(arguments), "\n".join(body)), chip or self.chip)
        values = [np.resize(a.reshape(-1), padded) for _, a in inputs]
        results = launched(artifacts, [*values, *(np.zeros(padded, d) for _, d in outputs)], (padded // BLOCK, 1, 1))
        return [r[:count] for r in results[len(inputs) :]]


@pytest.fixture(scope="session", params=EXECUTED)
def executed(request: pytest.FixtureRequest) -> str:
    """A chip that programs run on."""
    return str(request.param)


@pytest.fixture(scope="session")
def elementwise(executed: str) -> Elementwise:
    return Elementwise(executed)


@pytest.fixture(scope="session")
def elementwise_on() -> Elementwise:
    """The same for tests that name the chip themselves."""
    return Elementwise()


@pytest.fixture(scope="session")
def run(executed: str) -> Any:
    """Source text and arguments to the array arguments afterwards."""

    def run(
        text: str, arguments: Sequence[Any], grid: tuple[int, int, int] = (1, 1, 1), chip: str = executed
    ) -> list[np.ndarray[Any, Any]]:
        return launched(compiled(text, chip), arguments, grid)

    return run


@pytest.fixture(scope="session")
def run_on() -> Any:
    """Chip, source text and arguments to the array arguments afterwards."""
    return lambda chip, text, arguments, grid=(1, 1, 1): launched(compiled(text, chip), arguments, grid)


@pytest.fixture(scope="session")
def build() -> Any:
    return compiled


@pytest.fixture(scope="session")
def launch() -> Any:
    return launched


@pytest.fixture(scope="session")
def text() -> Any:
    return kernel_text
