"""One test of many things: thousands of tests of a microsecond cost more to count than to run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

Thing = TypeVar("Thing")


def each(things: Iterable[Thing]) -> Callable[[Callable[[Thing], None]], Callable[[], None]]:
    """Makes a test of a check: it fails with all that is wrong, of whatever thing."""

    def of(check: Callable[[Thing], None]) -> Callable[[], None]:
        def test() -> None:
            wrong: list[str] = []
            for thing in things:
                try:
                    check(thing)
                except AssertionError as error:
                    wrong.append(f"{thing}: {error}")
            assert not wrong, "\n".join(wrong)

        test.__name__, test.__doc__ = check.__name__, check.__doc__
        return test

    return of
