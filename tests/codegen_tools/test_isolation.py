"""LLVM in a process of its own: the same results, and an error with a reproducer where LLVM does not survive."""

from __future__ import annotations

import os
import pickle
import re
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

import lanewise
import numpy as np
import pytest
from lanewise.cli.main import main
from lanewise.codegen import compile as code
from lanewise.codegen.isolation import Worker, compile_text
from lanewise.codegen.llvm import CodegenError
from lanewise.codegen.llvm import compile_text as compile_here
from lanewise.targets import UnknownTargetError, find_chip

EXAMPLE = Path(__file__).parents[2] / "examples" / "vector_add.mlir"
# LLVM 22 cannot select a buffer load of seven halves.
ABORTS_ON_AMD = """define amdgpu_kernel void @vector_add(ptr addrspace(8) %r, ptr addrspace(1) %p) {
  %x = call <7 x i16> @llvm.amdgcn.raw.ptr.buffer.load.v7i16(ptr addrspace(8) %r, i32 0, i32 0, i32 0)
  store <7 x i16> %x, ptr addrspace(1) %p
  ret void
}
declare <7 x i16> @llvm.amdgcn.raw.ptr.buffer.load.v7i16(ptr addrspace(8), i32, i32, i32)
"""
# Nor does it know an exponential for NVIDIA.
ABORTS_ON_NVIDIA = """define ptx_kernel void @vector_add(ptr addrspace(1) %p) {
  %x = load float, ptr addrspace(1) %p
  %y = call float @llvm.exp.f32(float %x)
  store float %y, ptr addrspace(1) %p
  ret void
}
declare float @llvm.exp.f32(float)
"""
# Thirty-two registers in a row are more than there are.
RUNS_OUT_OF_REGISTERS = """define amdgpu_kernel void @vector_add(ptr addrspace(1) %p) #0 {
  %a = load <32 x i32>, ptr addrspace(1) %p, align 128
  %lane = call i32 @llvm.amdgcn.workitem.id.x()
  %b = insertelement <32 x i32> %a, i32 %lane, i32 %lane
  %x = bitcast <32 x i32> %b to <32 x float>
  %r = call <32 x float> @llvm.amdgcn.mfma.f32.32x32x1f32(float 1.0, float 1.0, <32 x float> %x, i32 0, i32 0, i32 0)
  store <32 x float> %r, ptr addrspace(1) %p
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare <32 x float> @llvm.amdgcn.mfma.f32.32x32x1f32(float, float, <32 x float>, i32, i32, i32)
attributes #0 = { "amdgpu-num-vgpr"="16" "amdgpu-agpr-alloc"="0" }
"""
ABORTS = {
    "gfx90a": (RUNS_OUT_OF_REGISTERS, "ran out of registers during register allocation", "exit code 1"),
    "gfx942": (ABORTS_ON_AMD, "Do not know how to widen the result", "SIGABRT"),
    "gfx1100": (ABORTS_ON_AMD, "Do not know how to widen the result", "SIGABRT"),
    "sm_90": (ABORTS_ON_NVIDIA, "no libcall available for fexp", "exit code 1"),
}
CHIPS = ("sm_90", "gfx942", "gfx1201")


def llvm_ir(chip: str) -> str:
    return lanewise.compile(EXAMPLE, target=chip).llvm_ir


@pytest.fixture(autouse=True)
def reproducers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """They are written where tests clean up."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


@pytest.fixture
def worker() -> Iterator[Worker]:
    own = Worker()
    own.start()
    yield own


@pytest.fixture
def aborting(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Puts IR that LLVM does not survive in the place of what programs become."""

    def replace_ir(text: str) -> None:
        generate = code.generate

        def generated(*arguments: Any, **options: Any) -> code.KernelText:
            return replace(generate(*arguments, **options), llvm_ir=text)

        monkeypatch.setattr(code, "generate", generated)

    return replace_ir


@pytest.mark.parametrize("chip", CHIPS)
def test_it_gives_what_this_process_would(chip: str) -> None:
    text, target = llvm_ir(chip), find_chip(chip)
    for optimise in (True, False):
        here, there = (run(text, target, optimise=optimise) for run in (compile_here, compile_text))
        assert there.optimised_ir == here.optimised_ir
        assert there.assembly == here.assembly
        assert there.timing.parse > 0
    if target.vendor == "amd":
        assert there.object == here.object
    else:
        with pytest.raises(ValueError, match="assemble the PTX instead"):
            _ = there.object


def test_the_worker_keeps_the_last_module_only(worker: Worker) -> None:
    """What came before is read again; machine code in either order, and twice, is the same."""
    texts = {chip: llvm_ir(chip) for chip in CHIPS}
    there = {chip: compile_text(text, find_chip(chip), worker=worker) for chip, text in texts.items()}
    for chip in (*CHIPS, *reversed(CHIPS)):
        assert there[chip].assembly == compile_here(texts[chip], find_chip(chip)).assembly
    assert there["gfx942"].object == compile_here(texts["gfx942"], find_chip("gfx942")).object


def test_a_newer_instruction_set_version_crosses() -> None:
    chip = find_chip("sm_89").requiring("mma.fp8")
    assert compile_text(llvm_ir("sm_89"), chip).assembly == compile_here(llvm_ir("sm_89"), chip).assembly


@pytest.mark.parametrize("chip", ABORTS)
def test_an_abort_is_an_error_with_a_reproducer(chip: str, worker: Worker) -> None:
    text, words, ending = ABORTS[chip]
    compiled = compile_text(text, find_chip(chip), worker=worker)
    with pytest.raises(lanewise.LlvmProcessError) as caught:
        _ = compiled.assembly
    message, path = str(caught.value), caught.value.reproducer
    assert f"LLVM ended its process ({ending}) while it compiled '@vector_add' for {chip}" in message
    assert words in message and str(path) in message
    written = path.read_text()
    assert written.endswith(compiled.optimised_ir)
    for needed in (words, f"-mcpu={chip}", find_chip(chip).triple, "llc -O"):
        assert needed in written
    head = written.removesuffix(compiled.optimised_ir).splitlines()
    assert all(line.startswith(";") or not line for line in head)
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == message and again.reproducer == path
    assert compile_text(llvm_ir(chip), find_chip(chip), worker=worker).assembly  # another child


def test_rejections_are_those_of_this_process(worker: Worker) -> None:
    chip = find_chip("sm_90")
    for bad in ("define void @f() {\n  %x = fadd float %y, 1.0\n  ret void\n}\n", "nonsense"):
        with pytest.raises(CodegenError) as here:
            compile_here(bad, chip)
        with pytest.raises(CodegenError) as there:
            compile_text(bad, chip, worker=worker)
        assert str(there.value) == str(here.value)
    with pytest.raises(UnknownTargetError):
        compile_text(llvm_ir("sm_90"), replace(chip, name="sm_12"), worker=worker)


def test_an_answer_has_a_time_limit() -> None:
    with pytest.raises(lanewise.LlvmProcessError, match=r"LLVM did not finish within 0.001 s while .*'@vector_add'"):
        compile_text(llvm_ir("sm_90"), find_chip("sm_90"), worker=Worker(), limit=0.001)


def test_threads_share_a_worker(worker: Worker) -> None:
    texts = [(chip, llvm_ir(chip)) for chip in CHIPS] * 4
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda t: compile_text(t[1], find_chip(t[0]), worker=worker).assembly, texts))
    assert found[: len(CHIPS)] * 4 == found
    assert found[0] == compile_here(texts[0][1], find_chip(texts[0][0])).assembly


def test_an_interrupt_leaves_a_worker_that_works() -> None:
    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    worker, chip, text = Worker(), find_chip("sm_90"), llvm_ir("sm_90")
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.02)  # while the child still starts
        with pytest.raises(KeyboardInterrupt):
            compile_text(text, chip, worker=worker)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert compile_text(text, chip, worker=worker).assembly == compile_here(text, chip).assembly


# -- the ways in ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("chip", ABORTS)
def test_no_abort_ends_the_process_that_asked_for_it(chip: str, aborting: Callable[[str], None]) -> None:
    aborting(ABORTS[chip][0])
    x, y = np.ones(1000, np.float32), np.ones(1000, np.float32)
    kernel = lanewise.compile(EXAMPLE, target=chip, isolate=True, device="emulated")
    with pytest.raises(lanewise.LanewiseError, match=ABORTS[chip][1]):
        _ = kernel.assembly
    with pytest.raises(lanewise.LlvmProcessError, match="The IR is in"):
        kernel[4](x, y, np.empty_like(x))
    plain = lanewise.compile(EXAMPLE, target=chip, device="emulated")
    with pytest.raises(lanewise.LlvmProcessError, match="The IR is in"):
        lanewise.validate(plain, 4, x, y, np.empty_like(x), on=["emulated"])


@pytest.mark.parametrize("command", ["compile", "run", "validate"])
def test_the_command_line_survives(
    command: str, aborting: Callable[[str], None], capsys: pytest.CaptureFixture[str]
) -> None:
    aborting(ABORTS_ON_AMD)
    arguments = ["--on", "emulated"] if command == "validate" else ["--device", "emulated"] if command == "run" else []
    assert main([command, str(EXAMPLE), "--target", "gfx942", *arguments]) == 2
    found = capsys.readouterr()
    assert found.err.startswith("error: LLVM ended its process (SIGABRT) while it compiled '@vector_add' for gfx942")
    assert "Do not know how to widen" in found.err and not found.out
    path = re.search(r"The IR is in (\S+)", found.err)
    assert path and "@llvm.amdgcn.raw.ptr.buffer.load.v7i16" in Path(path[1]).read_text()


def test_isolated_kernels_are_the_same_code() -> None:
    kernel = lanewise.compile(EXAMPLE, target="gfx942")
    assert kernel.isolated.hsaco == kernel.hsaco
    assert kernel.isolated.isolated is kernel.isolated
    assert pickle.loads(pickle.dumps(kernel.isolated)).compiler.settings.isolate


# -- processes ------------------------------------------------------------------------------------------------------

SCRIPT = """
import os, sys, time
from lanewise.codegen.isolation import compile_text, shared_worker
from lanewise.targets import find_chip
text, chip = sys.stdin.read(), find_chip("sm_90")
size = len(compile_text(text, chip).assembly)
print(shared_worker()._child.process.pid, size, flush=True)
"""
FORKS = """
if child := os.fork():
    assert os.waitpid(child, 0)[1] == 0
assert len(compile_text(text, chip).assembly) == size
if not child:
    os._exit(0)
"""


def script(more: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-W", "error", "-W", "ignore:This process:DeprecationWarning", "-c", SCRIPT + more],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdin is not None
    process.stdin.write(llvm_ir("sm_90"))
    process.stdin.close()
    process.stdin = None
    return process


def gone(pid: int, seconds: float = 10.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        if Path(f"/proc/{pid}/stat").exists() and Path(f"/proc/{pid}/stat").read_text().split(") ")[1][0] == "Z":
            return True  # nobody has asked for its status yet
        time.sleep(0.02)
    return False


@pytest.mark.parametrize("more", ["", FORKS], ids=["", "forked"])
def test_no_worker_is_left_behind(more: str) -> None:
    out, errors = (process := script(more)).communicate(timeout=60)
    assert (process.returncode, errors) == (0, "")
    assert gone(int(out.split()[0]))


def test_a_worker_does_not_outlive_a_killed_process() -> None:
    with script("time.sleep(60)") as process:
        assert process.stdout is not None
        pid = int(process.stdout.readline().split()[0])
        assert not gone(pid, 0.1)
        process.kill()
        assert gone(pid)


def test_a_worker_killed_while_idle_is_replaced(worker: Worker) -> None:
    text, chip = llvm_ir("sm_90"), find_chip("sm_90")
    assert compile_text(text, chip, worker=worker).assembly
    os.kill(worker._child.process.pid, signal.SIGKILL)
    worker._child.process.wait()
    assert compile_text(text, chip, worker=worker).assembly


CHILD = """
import os, threading
from lanewise.codegen.worker import follow
threading.Thread(target=follow, args=(os.getppid(),), daemon=True).start()
print(os.getpid(), flush=True)
while True:
    pass
"""
PARENT = "import subprocess, sys; subprocess.run([sys.executable, '-c', sys.argv[1]])"


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for the process in /proc")
def test_a_busy_worker_ends_with_its_parent() -> None:
    parent = subprocess.Popen([sys.executable, "-c", PARENT, CHILD], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    with parent.stdout as lines:
        status = Path(f"/proc/{int(lines.readline())}/stat")
    parent.kill()
    parent.wait()
    end = time.monotonic() + 10
    while status.exists() and status.read_text().rpartition(")")[2].split()[0] != "Z":
        assert time.monotonic() < end
        time.sleep(0.05)
