"""LLVM in a process of its own, whose end is an error here: what LLVM said, and a file that shows it.

LLVM ends its process where it meets what it cannot do. One worker serves all compilations of this process, one at a
time; it is started when the first is announced, while the program is still being read, and ended with this process.
After it has died the next compilation starts another.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, cast

from ..support.dataclasses import dataclass
from ..support.diagnostics import LanewiseError
from ..support.named_tuples import NamedTuple
from ..support.patterns import regex
from ..targets import Chip
from .budget import DEFAULT, SMALLER, longest_block
from .llvm import Timing, check_known, command_line, require_object
from .worker import ERRORS, Header, receive, send

_ROOT = Path(__file__).resolve().parent.parent
_WORDS = 20
"""Lines of LLVM's that a message repeats; the file has them all."""


class LlvmProcessError(LanewiseError, RuntimeError):
    """LLVM ended its process, or did not finish in time. `reproducer`: a file with the IR, how to run it, and all that
    LLVM wrote, in a folder of its own that only this user can read."""

    def __init__(self, message: str, reproducer: Path) -> None:
        super().__init__(message, reproducer)
        self.reproducer = reproducer

    def __str__(self) -> str:
        return str(self.args[0])


@dataclass(frozen=True, eq=False)
class Isolated:
    """What a worker's LLVM made of one module: see `llvm.Compiled`. Raises LlvmProcessError as `compile_text` does."""

    chip: Chip
    optimised_ir: str
    timing: Timing
    worker: Worker
    serial: int
    limit: float

    @functools.cached_property
    def assembly(self) -> str:
        """PTX on NVIDIA, AMDGCN assembly on AMD. CodegenError where it calls a function that does not exist."""
        return self._generated("assembly").decode()

    @functools.cached_property
    def object(self) -> bytes:
        """The relocatable ELF object. ValueError for NVIDIA chips."""
        require_object(self.chip)
        return self._generated("object")

    def _generated(self, task: str) -> bytes:
        return self.worker.run(Task(task, self.chip, self.optimised_ir, self.serial), self.limit)[1]


def compile_text(
    llvm_text: str, chip: Chip, *, optimise: bool = True, worker: Worker | None = None, limit: float = DEFAULT.seconds
) -> Isolated:
    """As `llvm.compile_text`, in the shared worker or another. Raises LlvmProcessError where LLVM does not survive, or
    takes more than `limit` seconds for a step."""
    check_known(chip)
    worker = worker or shared_worker()
    task = Task("compile", chip, llvm_text, worker.next_serial(), optimise)
    times, optimised_ir = worker.run(task, limit)
    return Isolated(chip, optimised_ir.decode(), Timing(**times), worker, task.serial, limit)


@functools.cache
def shared_worker() -> Worker:
    """The worker of this process."""
    return Worker()


class Task(NamedTuple):
    """One request: `name` is the worker's, `serial` tells compilations apart."""

    name: str
    chip: Chip
    text: str
    serial: int
    optimise: bool = True

    @property
    def header(self) -> Mapping[str, Any]:
        chip = {"chip": self.chip.name, "ptx_isa": self.chip.ptx_isa}
        return {"task": self.name, "serial": self.serial, "optimise": self.optimise, **chip}


class Worker:
    """Runs tasks in a child process, which is started when it is needed. Usable from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._child: _Child | None = None
        self._serials = itertools.count()

    def next_serial(self) -> int:
        return next(self._serials)

    def start(self) -> None:
        """Starts the child if there is none, so that it is ready when a task comes."""
        with self._lock:
            self._running()

    def run(self, task: Task, limit: float) -> tuple[Header, bytes]:
        """The answer, within so many seconds. Raises what LLVM's rejection is in this process, or LlvmProcessError."""
        with self._lock:
            child = self._running()
            begin = child.begin()
            try:
                answer = child.ask(task, limit)
                if answer is None:
                    raise _death(task, child.status(), child.words(begin), limit)
            except BaseException:  # dead, or nobody will read the answer
                self._stop()
                raise
        header, _ = answer
        if "error" in header:
            raise ERRORS[header["error"]](header["message"])
        return answer

    def _running(self) -> _Child:
        """A child of this process, not one from before a fork."""
        child = self._child
        if child is None or child.owner != os.getpid() or child.process.poll() is not None:
            self._stop()
            child = self._child = _Child()
        return child

    def _stop(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.end()


class _Child:
    """A process and its pipes."""

    def __init__(self) -> None:
        if not sys.executable:
            raise LanewiseError("LLVM cannot run in a process of its own: this Python does not know its executable")
        self.owner = os.getpid()
        self._timed_out = False
        package = __name__.partition(".")[0]
        command = [sys.executable, "-c", _BOOTSTRAP, package, str(_ROOT), *sys.path]
        pipe = subprocess.PIPE
        with contextlib.ExitStack() as stack:
            self._errors = stack.enter_context(tempfile.TemporaryFile("a+b"))
            # A session of its own: an interrupt from the keyboard is this process's to answer.
            self.process = subprocess.Popen(
                command, stdin=pipe, stdout=pipe, stderr=self._errors, start_new_session=os.name == "posix"
            )
            stack.callback(_end, self.process, self.owner)
            self.end = weakref.finalize(self, stack.pop_all().close)

    def begin(self) -> int:
        """Where what the child writes to standard error begins from now on."""
        return self._errors.seek(0, os.SEEK_END)

    def words(self, begin: int) -> str:
        self._errors.seek(begin)
        return self._errors.read().decode(errors="replace").strip()

    def ask(self, task: Task, limit: float) -> tuple[Header, bytes] | None:
        """None where the child has died, or has answered after its time."""
        process = self.process
        assert process.stdin is not None and process.stdout is not None
        end = time.monotonic() + limit
        timer = threading.Timer(limit, self._time_out)
        timer.start()
        try:
            send(cast("BinaryIO", process.stdin), task.header, task.text.encode())
            answer = receive(cast("BinaryIO", process.stdout))
        except BrokenPipeError:
            return None
        finally:
            timer.cancel()
        if time.monotonic() > end:  # a busy machine may run the timer's thread after an answer
            self._time_out()
            return None
        return answer

    def _time_out(self) -> None:
        self._timed_out = True
        self.process.kill()

    def status(self) -> int | None:
        """The exit status of a child that closed its pipes; None where it was out of time."""
        try:
            status = self.process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            return None
        return None if self._timed_out else status


_BOOTSTRAP = """\
import importlib, importlib.util, sys
name, root, *sys.path = sys.argv[1:]
place = importlib.util.spec_from_file_location(name, root + "/__init__.py", submodule_search_locations=[root])
sys.modules[name] = package = importlib.util.module_from_spec(place)
place.loader.exec_module(package)
importlib.import_module(name + ".codegen.worker").main()
"""
"""The child imports the very package that this file is in, under its name."""
_GRACE = 5.0
"""Seconds that a process with closed pipes may take to be gone."""


def _end(process: subprocess.Popen[bytes], owner: int) -> None:
    """It holds nothing that would be lost. A child of another process is left alone, but for the ends of its pipes."""
    if owner == os.getpid():
        process.kill()
        process.wait()
    else:
        process.poll()  # which notes that it is not ours to wait for
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with contextlib.suppress(BrokenPipeError):  # what was not sent needs nobody
                stream.close()


# -- what a death becomes -------------------------------------------------------------------------------------------

_KERNEL = regex(r"^define .*? @([\w$.]+)\(", re.MULTILINE)


def _death(task: Task, status: int | None, words: str, limit: float) -> LlvmProcessError:
    kernel = _KERNEL.search(task.text)
    name = kernel[1] if kernel else "module"
    what = f"LLVM {_ending(status, limit)} while it compiled '@{name}' for {task.chip.name}"
    path = _write_reproducer(task, name, f"{what}\n{words}")
    lines = words.splitlines()
    said = "\n".join(f"  {line}" for line in lines[:_WORDS]) + ("\n  ..." if len(lines) > _WORDS else "")
    heard = f"; it said:\n{said}\n" if lines else "; it said nothing. "
    advice = f"\n{_advice(task.text)}" if status is None else ""
    return LlvmProcessError(f"{what}{heard}The IR is in {path}{advice}", path)


def _advice(text: str) -> str:
    """What takes LLVM long is mostly its longest block."""
    return f"its longest block has {longest_block(text).lines} lines: {SMALLER}"


def _ending(status: int | None, limit: float) -> str:
    if status is None:
        return f"did not finish within {limit:g} s"
    if status < 0:
        return f"ended its process ({signal.Signals(-status).name})"
    return f"ended its process (exit code {status})"


def _write_reproducer(task: Task, name: str, story: str) -> Path:
    """The IR that the task began with, after comments that say how to run it."""
    folder = Path(tempfile.mkdtemp(prefix="lanewise-"))
    path = folder / f"{name}-{task.chip.name}.ll"
    optimises = task.name == "compile" and task.optimise
    head = [*story.splitlines(), "", *command_line(task.chip, task.text, optimise=optimises)]
    comments = "".join(f"; {line}".rstrip() + "\n" for line in head)
    path.write_text(f"{comments}\n{task.text}", encoding="utf-8")
    return path
