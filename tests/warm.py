"""Processes of tests, forked from one that has imported what takes long: `run` is `subprocess.run` of Python, but warm.

A process is a fresh one but for its imports: of its own are its memory, exit code, output, folder, environment and
`sys.path`. What is about an interpreter's start (options, imports themselves, PYTHONHASHSEED, LD_LIBRARY_PATH) needs
`subprocess`.
"""

from __future__ import annotations

import functools
import gc
import json
import os
import subprocess
import sys
import tempfile
import types
from collections.abc import Mapping
from pathlib import Path
from typing import Any

PRELOADED = (
    "numpy", "ml_dtypes", "pytest", "lanewise.jit.kernel", "lanewise.jit.loaded", "lanewise.check.validate",
    "lanewise.check.inputs_grammar", "lanewise.codegen.assemble", "lanewise.emulate.amdgcn", "lanewise.cli.main",
)  # fmt: skip
"""None of them imports llvmlite, which some tests replace."""


def run(
    *arguments: object, env: Mapping[str, str] | None = None, cwd: Path | None = None, input: str = ""
) -> subprocess.CompletedProcess[str]:
    """What `python ARGUMENTS` does: `-c TEXT` or a file, and `sys.argv` behind them."""
    command = [str(argument) for argument in arguments]
    with tempfile.TemporaryDirectory() as folder:
        places = [Path(folder) / name for name in ("in", "out", "err")]
        for place in places:
            place.write_text(input if place.name == "in" else "", encoding="utf-8")
        job = {
            "arguments": command,
            "environment": dict(os.environ if env is None else env),
            "folder": str(cwd or Path.cwd()),
            "streams": [str(place) for place in places],
        }
        code = _server().ask(job)
        out, err = (place.read_text(encoding="utf-8") for place in places[1:])
    return subprocess.CompletedProcess([sys.executable, *command], code, out, err)


class _Server:
    """The process that forks, of this one."""

    def __init__(self) -> None:
        pipe = subprocess.PIPE
        self._process = subprocess.Popen([sys.executable, __file__, *sys.path], stdin=pipe, stdout=pipe)

    def ask(self, job: Mapping[str, Any]) -> int:
        """The exit code of a job's process, negative for a signal."""
        asked, answers = self._process.stdin, self._process.stdout
        assert asked is not None and answers is not None
        asked.write(json.dumps(job).encode() + b"\n")
        asked.flush()
        return int(answers.readline())

    def end(self) -> None:
        self._process.communicate()


@functools.cache
def _server() -> _Server:
    return _Server()


def end() -> None:
    """Of the server, where there is one."""
    if _server.cache_info().currsize:
        _server().end()
        _server.cache_clear()


def _next_job() -> dict[str, Any]:
    """Comes back in the process of each job."""
    for line in sys.stdin.buffer:
        pid = os.fork()
        if pid == 0:
            job: dict[str, Any] = json.loads(line)
            return job
        _, status = os.waitpid(pid, 0)
        os.write(1, f"{os.waitstatus_to_exitcode(status)}\n".encode())
    os._exit(0)


def _become(job: Mapping[str, Any]) -> None:
    """Runs the job as an interpreter would that has just started."""
    for stream, path in enumerate(job["streams"]):
        place = os.open(path, os.O_WRONLY if stream else os.O_RDONLY)
        os.dup2(place, stream)
        os.close(place)
    os.environ.clear()
    os.environ.update(job["environment"])
    os.chdir(job["folder"])
    first, *rest = job["arguments"]
    text, name = (rest.pop(0), "<string>") if first == "-c" else (Path(first).read_text(encoding="utf-8"), first)
    more = job["environment"].get("PYTHONPATH", "").split(os.pathsep)
    sys.path[:0] = ["" if first == "-c" else str(Path(first).resolve().parent), *filter(None, more)]
    sys.argv = [first, *rest]
    main = types.ModuleType("__main__")
    if first != "-c":
        main.__file__ = first
    sys.modules["__main__"] = main
    exec(compile(text, name, "exec"), main.__dict__)


if __name__ == "__main__":
    sys.path[:] = sys.argv[1:]
    for module in PRELOADED:
        __import__(module)
    gc.freeze()
    _become(_next_job())
