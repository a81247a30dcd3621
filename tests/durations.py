"""How long one thing takes beside another, where others use the machine too."""

from __future__ import annotations

import time
from collections.abc import Callable

from lanewise.support.collector import paused

TRIES = 10


def seconds(action: Callable[[], object]) -> float:
    """Of the processor, that the action takes; what others left behind is not collected meanwhile."""
    with paused():
        start = time.process_time()
        action()
        return time.process_time() - start


def assert_takes_at_most(times: float, long: Callable[[], object], short: Callable[[], object]) -> None:
    """The least time of the one is at most so many times that of the other.

    Neighbours make both slower by chance, never faster: the least of several tries comes close to what each takes, and
    a time that grows faster than it should stays above in all of them."""
    least = [float("inf"), float("inf")]
    for _ in range(TRIES):
        least = [min(least[0], seconds(long)), min(least[1], seconds(short))]
        if least[0] < times * least[1]:
            return
    raise AssertionError(f"{least[0]:.4f} s beside {least[1]:.4f} s; expected at most {times} times as long")
