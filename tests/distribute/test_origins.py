"""What became of which operation is a field of operations: places in a text are for messages, and decide nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from lanewise.ir.cloning import clone
from lanewise.ir.core import Operation
from lanewise.ir.dialects import memref
from lanewise.ir.printer import print_program
from lanewise.jit.source import parse
from lanewise.pipeline.compilation import Compilation
from lanewise.support.diagnostics import Location, Source
from lanewise.targets import find_chip

EXAMPLES = sorted((Path(__file__).resolve().parent.parent.parent / "examples").glob("*.mlir"))
CHIPS = ("sm_90a", "gfx942")
SMALL = ("softmax", "layer_norm", "rms_norm", "reduce_8x64")


def thread_text(module: Operation, chip: str) -> str:
    return print_program(Compilation(module, None, find_chip(chip)).thread_module)


def placed(text: str, location: Location | None) -> Operation:
    module = parse(text)
    for op in module.walk():
        op.location = location
    return module


def cases() -> Iterator[tuple[Path, str]]:
    """Each example for one chip, the small ones for both."""
    for number, path in enumerate(EXAMPLES):
        yield path, CHIPS[number % 2]
        if path.stem in SMALL:
            yield path, CHIPS[1 - number % 2]


@pytest.mark.one_of(2)
@pytest.mark.turns("chip")
@pytest.mark.parametrize(("path", "chip"), [*cases()], ids=lambda part: getattr(part, "stem", part))
def test_code_is_the_same_without_places(path: Path, chip: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert thread_text(placed(text, None), chip) == thread_text(parse(text), chip)


@pytest.mark.parametrize("name", SMALL)
def test_code_is_the_same_where_all_stands_at_one_place(name: str) -> None:
    (path,) = (path for path in EXAMPLES if path.stem == name)
    text = path.read_text(encoding="utf-8")
    module = placed(text, Location(Source(text), 0))
    assert thread_text(module, "sm_90a") == thread_text(parse(text), "sm_90a")


PROGRAM = """
gpu.func @f(%x: memref<64xf32>, %m: vector<64xi1>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %v = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %w = math.powf %v, %v : vector<64xf32>
  vector.transfer_write %w, %x[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  gpu.return
}""".replace(", %m: vector<64xi1>", "")


def test_what_threads_do_came_of_what_is_written() -> None:
    kernel = Compilation(parse(PROGRAM), None, find_chip("sm_90")).thread_kernel
    accesses = (
        kernel.op.all_of(memref.LoadOp)
        + kernel.op.all_of(memref.StoreOp)
        + [op for op in kernel.op.walk() if op.opname in ("vector.load", "vector.store")]
    )
    assert {op.written.opname for op in accesses} == {"vector.transfer_read", "vector.transfer_write"}
    assert all(op.location == op.written.location for op in accesses)


def test_copies_came_of_what_the_copied_came_of() -> None:
    kernel = Compilation(parse(PROGRAM), None, find_chip("sm_90")).thread_kernel
    copy = clone(kernel.op, {})
    for one, other in zip(kernel.op.walk(), copy.walk(), strict=True):
        assert one.origin is other.origin
