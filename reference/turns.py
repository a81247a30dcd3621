"""Programs that wait for each other, of parts of a workgroup or of its owners: one runs until it waits, then another
takes its turn.

Each is on a thread of its own, of which one runs at a time, so that a run is the same every time.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextvars import copy_context

Ready = Callable[[], bool]


class Turns:
    """The programs of one batch. Who makes it is the first of them."""

    def __init__(self) -> None:
        self._running = 0
        self._signals = [threading.Semaphore(0)]
        """One a program, by which it is told that it is its turn."""
        self._ready: list[Ready] = [lambda: True]
        """Whether each program can go on."""
        self._done = [False]
        self._error: BaseException | None = None

    def run(self, programs: Sequence[Callable[[], None]]) -> None:
        """Takes them through to their ends, inside of the program that runs. Raises what one raises: all end there."""
        own, first = self._running, len(self._done)
        inside = range(first, first + len(programs))
        for number, body in zip(inside, programs, strict=True):
            self._signals.append(threading.Semaphore(0))
            self._ready.append(lambda: True)
            self._done.append(False)
            threading.Thread(target=copy_context().run, args=(self._program, number, body), daemon=True).start()
        try:
            self.wait_until(lambda: all(self._done[number] for number in inside))
        except _EndedError:
            if own or self._error is None:
                raise
            raise self._error from None

    def wait_until(self, ready: Ready) -> bool:
        """Lets the others run until what the program waits for is there; False where it will never be."""
        while not ready():
            own = self._running
            self._ready[own] = ready
            following = self._next()
            if following is None:
                return False
            self._hand_over(following)
            self._take_turn(own)
        return True

    def _next(self) -> int | None:
        """The first program after the running one that can go on."""
        count = len(self._done)
        order = [(self._running + step) % count for step in range(1, count + 1)]
        return next((number for number in order if not self._done[number] and self._ready[number]()), None)

    def _hand_over(self, following: int) -> None:
        self._running = following
        self._signals[following].release()

    def _take_turn(self, own: int) -> None:
        self._signals[own].acquire()
        if self._error is not None:
            raise _EndedError

    def _program(self, number: int, body: Callable[[], None]) -> None:
        try:
            self._take_turn(number)
            body()
            self._done[number] = True
            following = self._next()
            # Where nobody can go on, who waits innermost says so.
            self._hand_over(max(n for n, done in enumerate(self._done) if not done) if following is None else following)
        except _EndedError:
            pass
        except BaseException as error:
            self._error = error
            for signal in self._signals:
                signal.release()


class _EndedError(Exception):
    """Another program has failed."""
