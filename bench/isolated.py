"""Work in processes of its own, one task after another, so that no task takes another's result with it.

A fault on a GPU is sticky: it spoils everything that its process does on the device afterwards. A task that raises,
ends its process, or takes too long is answered with a Failure, and the next one gets a fresh process.
"""

from __future__ import annotations

import multiprocessing
import signal
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Any, TypeAlias

Tell: TypeAlias = Callable[..., None]
Work: TypeAlias = Callable[[Any, Tell], Any]
"""What a process does with a task: `work(task, tell)`. `tell(what)` says what it is busy with from now on, and
`tell(what, found)` also hands over what it has found so far. All of it is picklable."""

LAST_WORDS_SECONDS = 5.0
_START = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
"""A copy of this process could not use the driver. A fork server has imported what the work needs, and never uses the
driver, so a fresh process after a failure costs no imports."""


@dataclass(frozen=True)
class Failure:
    """Why a task has no result. `verdict`: ERROR (it raised), DIED or TIMEOUT; `doing`: what it was last busy with."""

    verdict: str
    reason: str
    doing: str = ""
    traceback: str = ""


class Worker:
    """Does tasks, one at a time, with `work`, a function of a module's top level. Close it, or use it in `with`."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._context = multiprocessing.get_context(_START)
        self._process: Any = None
        self._pipe: Connection | None = None
        self.processes = 0

    def do(self, task: object, limit: float, hear: Callable[[Any], object] = lambda found: None) -> Any:
        """The result of a task, or its Failure. `limit` is in seconds, the process's start included; `hear` gets what
        is found on the way."""
        end = time.monotonic() + limit
        pipe = self._start()
        doing = "starting"
        try:
            pipe.send(task)
            while pipe.poll(max(0.0, end - time.monotonic())):
                kind, value = pipe.recv()
                if kind == "result":
                    return value
                if kind == "failure":
                    reason, trace = value
                    return self._give_up(Failure("ERROR", reason, doing, trace))
                doing, *found = value
                if found:
                    hear(found[0])
        except (EOFError, ConnectionError):
            self._process.join(LAST_WORDS_SECONDS)
            return self._give_up(Failure("DIED", _how_it_ended(self._process.exitcode), doing))
        return self._give_up(Failure("TIMEOUT", f"no result within {limit:.0f} s", doing))

    def renew(self) -> None:
        """The next task gets a fresh process."""
        if self._process is not None:
            assert self._pipe is not None
            self._pipe.close()
            self._process.kill()
            self._process.join()
            self._process = self._pipe = None

    def __enter__(self) -> Worker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.renew()

    def _start(self) -> Connection:
        if self._pipe is None:
            self._pipe, theirs = self._context.Pipe()
            self._process = self._context.Process(target=_serve, args=(self._work, theirs), daemon=True)
            self._process.start()
            self.processes += 1
            theirs.close()  # so that its end is seen
        return self._pipe

    def _give_up(self, failure: Failure) -> Failure:
        self.renew()
        return failure


def _serve(work: Work, pipe: Connection) -> None:
    """The process: answers every task until one fails."""
    while True:
        try:
            task = pipe.recv()
        except EOFError:
            return
        try:
            result = work(task, lambda *what: pipe.send(("doing", what)))
        except Exception as error:  # whatever it is, it is this task's verdict
            pipe.send(("failure", (f"{type(error).__name__}: {error}", traceback.format_exc())))
            return
        pipe.send(("result", result))


def _how_it_ended(code: int | None) -> str:
    if code is None:
        return "its process closed the connection"
    if code < 0:
        return f"its process was ended by {signal.Signals(-code).name}"
    return f"its process ended with exit code {code}"
