"""Recursion over a program's nesting that Python's stack does not end.

Whatever walks a program recurses over its regions, with up to ten calls a level; Python allows 1000 calls in one
another, and how many the caller has made already is unknown. A limit of calls is a thread's own, so where more than
half of them are used, the walk goes on upon a thread of its own while this one waits for it.
"""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Callable
from contextvars import copy_context
from typing import ParamSpec, TypeVar

Given = ParamSpec("Given")
Result = TypeVar("Result")


def deep(function: Callable[Given, Result]) -> Callable[Given, Result]:
    """A function that may be called at any depth; what recurses over regions has it once in each circle of calls."""

    @functools.wraps(function)
    def called(*given: Given.args, **named: Given.kwargs) -> Result:
        if _half_of_the_stack_is_used():
            return _on_a_thread_of_its_own(functools.partial(function, *given, **named))
        return function(*given, **named)

    return called


def _half_of_the_stack_is_used() -> bool:
    try:
        sys._getframe(sys.getrecursionlimit() // 2)  # pyright: ignore[reportPrivateUsage]
    except ValueError:
        return False
    return True


def _on_a_thread_of_its_own(call: Callable[[], Result]) -> Result:
    """What the call gives or raises; it sees the context of the caller (numpy's treatment of errors)."""
    results: list[Result] = []
    errors: list[BaseException] = []

    def body() -> None:
        try:
            results.append(call())
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=copy_context().run, args=(body,), daemon=True)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return results[0]
