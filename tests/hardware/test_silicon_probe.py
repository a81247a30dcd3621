"""The questions of bench/silicon_probe.py: on the emulator, which answers as believed, and on a driver with no GPU."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from lanewise.codegen.assemble import assemble, assembles
from lanewise.targets import find_chip

from .. import warm

ROOT = Path(__file__).resolve().parents[2]
BENCH = ROOT / "bench"

BELIEVED = """
import re, sys; sys.path.insert(0, sys.argv[1])
import numpy as np
import silicon_probe as probe
import lanewise
from lanewise.emulate.faults import EmulationFault
from lanewise.emulate.machine.settings import LaunchSettings
from lanewise.emulate.memory import GlobalMemory
from lanewise.emulate.ptx import PtxModule
from lanewise.emulate.tensor_map import TensorMap

class Emulated:
    def __init__(self):
        self.memory = GlobalMemory()
    def kernel(self, ptx, shared=0):
        return PtxModule.parse(ptx).kernels["k"]
    def launch(self, kernel, arguments, shared=0):
        packed = bytearray(kernel.parameter_bytes)
        for parameter, argument in zip(kernel.parameters, arguments, strict=True):
            assert len(argument) == parameter.size
            packed[parameter.offset : parameter.offset + parameter.size] = argument
        try:
            kernel.launch(self.memory, LaunchSettings((1, 1, 1), (1, 1, 1), bytes(packed), shared))
        except EmulationFault as fault:
            raise probe.Refused(f"fault: {fault}") from None
    def upload(self, array):
        address = self.memory.allocate(max(array.nbytes, 256))
        self.memory.write(address, array)
        return address
    def download(self, address, count, dtype):
        return self.memory.read(address, count * np.dtype(dtype).itemsize).view(dtype)
    def map(self, address, shape, box, swizzle=0, misplaced=0):
        return TensorMap(address, 2, tuple(shape), tuple(box), 16 << swizzle if swizzle else 0).encode()

probe.Gpu = Emulated
for name, question in probe.QUESTIONS.items():
    if "in a buffer" in name or question.believed is None:
        continue
    try:
        answer = question.ask()
    except probe.Refused as refusal:
        answer = str(refusal)
    print(name, "|", answer, "|", bool(re.fullmatch(question.believed, answer)))
"""


def test_the_emulator_believes_what_is_asked() -> None:
    """One answer differs: the chip writes to the end of a piece of 16 bytes, where the emulator reports a fault."""
    done = warm.run("-c", BELIEVED, BENCH)
    assert done.returncode == 0, done.stderr
    answers = [line.split(" | ") for line in done.stdout.splitlines()]
    assert len(answers) == 20
    (other,) = [answer for answer in answers if answer[2] != "True"]
    assert other[0] == "a store of 70 of 128 halves" and "4 of one behind the tensor's end" in other[1]


KERNELS = """
import sys; sys.path.insert(0, sys.argv[1])
import json, silicon_kernels as kernels
print(json.dumps([kernels.PARAMETERS, kernels.LOAD, kernels.STORE]))
"""


@pytest.mark.skipif(not assembles(find_chip("sm_90a")), reason="ptxas is not installed")
def test_the_assembler_takes_the_kernels() -> None:
    done = subprocess.run([sys.executable, "-S", "-c", KERNELS, BENCH], capture_output=True, text=True, check=True)
    for text in json.loads(done.stdout):
        assert assemble(text, find_chip("sm_90a")).warnings == ()


def ask(stub_driver: Path, *arguments: object, **stub: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, BENCH / "silicon_probe.py", *map(str, arguments)]
    environment = os.environ | {"LD_LIBRARY_PATH": str(stub_driver), **stub}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def by_name(place: Path) -> Mapping[str, Any]:
    return {entry["program"]: entry for entry in json.loads(place.read_text())["results"]}


def test_answers_are_kept_and_shown(stub_driver: Path, tmp_path: Path) -> None:
    """The driver makes maps where they are aligned, and takes no launch of the kernel."""
    names = "maps made at 64 of 128 bytes", "maps made at 48 of 128 bytes", "coordinate 8", "coordinate 1"
    done = ask(stub_driver, *names, "-o", tmp_path / "silicon.json")
    assert (done.returncode, done.stderr) == (1, "")
    found = by_name(tmp_path / "silicon.json")
    assert [found[name]["verdict"] for name in names] == ["right", "right", "OTHER", "OTHER"]
    assert found[names[0]]["answer"] == "as believed"
    assert found[names[1]]["answer"] == "making a map: CUDA_ERROR_STUB"
    assert found["coordinate 1"]["answer"] == "launch: CUDA_ERROR_STUB", "refused, which is no fault of the kernel"
    *_, header, first, second, third, fourth, summary = done.stdout.splitlines()
    assert header.split() == ["question", "believed", "answer", "verdict"]
    assert [line.split()[-1] for line in (first, second, third, fourth)] == ["right", "right", "OTHER", "OTHER"]
    assert header.index("answer") == first.rindex("as believed")
    assert summary.startswith("4 cases: 2 OTHER, 2 right; written to")


def test_a_question_that_ends_its_process_costs_no_other_its_answer(stub_driver: Path, tmp_path: Path) -> None:
    names = "maps in a buffer, as in a C struct", "maps made at 64 of 128 bytes"
    done = ask(stub_driver, *names, "-o", tmp_path / "silicon.json", STUB_FAULT="die:1")
    found = by_name(tmp_path / "silicon.json")
    assert (done.returncode, [found[name]["verdict"] for name in names]) == (1, ["DIED", "right"])
    assert "ended by SIGABRT" in done.stdout


def test_what_cannot_be_asked(stub_driver: Path, tmp_path: Path) -> None:
    done = ask(stub_driver, "coordinate 2")
    assert done.returncode == 2 and "no question 'coordinate 2'; there are maps among pointers" in done.stderr
    done = ask(tmp_path, "coordinate 1", "-o", tmp_path / "silicon.json")
    assert done.returncode == 2 and done.stderr.startswith("error: ")
    assert not (tmp_path / "silicon.json").exists()
