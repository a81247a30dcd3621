"""The choice of layouts: the same under every hash seed, no single change makes it cheaper, linear in the program."""

import subprocess
import sys
import time
from pathlib import Path

import pytest
from lanewise.codegen.pipeline import ArgumentFacts, Compilation
from lanewise.ir.kernels import find_kernel
from lanewise.ir.parser import parse_program
from lanewise.ir.printer import print_program
from lanewise.ir.targets import find_chip
from lanewise.layout.search import Choice
from lanewise.layout.teams import teams
from lanewise.layout.workgroup import Workgroup

ROOT = Path(__file__).parents[2]
PROGRAMS = [
    *sorted(p for p in (ROOT / "examples").glob("*.mlir") if "func.call" not in p.read_text()),
    ROOT / "tests/filetests/run/attention_tile.mlir",
]
FACTS = {i: ArgumentFacts(16) for i in range(3)}


def choice(path: Path, target: str) -> Choice:
    kernel, chip = find_kernel(parse_program(path.read_text())), find_chip(target)
    return Choice(kernel, next(teams(kernel.op, Workgroup.of(kernel, chip, chip.default_subgroup_size))))


def layout_text(path: Path, target: str) -> str:
    return print_program(Compilation(parse_program(path.read_text()), None, find_chip(target)).layout_module)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
@pytest.mark.parametrize("target", ["sm_90", "gfx1100"])
def test_losers_say_how_much_dearer_they_are(path: Path, target: str) -> None:
    """All other operations being as they are, none is cheaper done another way."""
    for decision in choice(path, target).decisions():
        assert all(dearer >= 0 for _, dearer in decision.losers), decision.op.opname


SCRIPT = """
import sys
from pathlib import Path
sys.path.insert(0, {folder!r})
from test_search import PROGRAMS, layout_text
print([layout_text(path, "gfx942") for path in PROGRAMS])
"""


def test_hash_seeds_change_nothing() -> None:
    script = SCRIPT.format(folder=str(Path(__file__).parent))
    texts = {
        subprocess.run(
            [sys.executable, "-c", script], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(texts) == 1


TRIPLE = """
  %i{0} = arith.constant {1} : index
  %a{0} = vector.transfer_read %x[%i{0}], %p {{in_bounds = [true]}} : memref<?xf32>, vector<128xf32>
  %b{0} = arith.addf %a{0}, %a{0} : vector<128xf32>
  vector.transfer_write %b{0}, %y[%i{0}] {{in_bounds = [true]}} : vector<128xf32>, memref<?xf32>"""
KERNEL = """
gpu.func @f(%x: memref<?xf32>, %y: memref<?xf32>) kernel attributes {{gpu.known_block_size = array<i32: 128, 1, 1>}} {{
  %p = arith.constant 0.0 : f32{0}
  gpu.return
}}
"""


def seconds(triples: int) -> float:
    """To bring so many independent triples of read, add and write to one thread's program."""
    text = KERNEL.format("".join(TRIPLE.format(i, 128 * i) for i in range(triples)))
    compilation = Compilation(parse_program(text), None, find_chip("sm_90"))
    before = time.process_time()
    assert compilation.thread_module
    return time.process_time() - before


def test_independent_operations_take_linear_time() -> None:
    """Sixteen times as many take at most 32 times as long; once 800 took 32 s, eight times as many 64 times as long."""
    seconds(25)
    assert seconds(800) < 32 * max(seconds(50), 0.02)
