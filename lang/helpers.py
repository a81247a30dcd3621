"""`@lanewise.function`: helpers whose control flow may be the device's. Nothing of the compiler is loaded for one."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR
from typing import Any


def function(of: Callable[..., Any]) -> Callable[..., Any]:
    """Makes a helper whose `for`, `while` and `if` may be the device's."""
    if not isinstance(of, types.FunctionType):
        raise TypeError(f"@lanewise.function is of a function, found {of!r}")
    check_is_plain(of)
    plain = of
    kept: list[Callable[..., Any]] = []

    @functools.wraps(plain)
    def helper(*arguments: Any, **named: Any) -> Any:
        if not kept:
            from .sources import prepared_function  # helpers are called by what is traced

            kept.append(prepared_function(plain))
        return kept[0](*arguments, **named)

    return helper


def check_is_plain(function: types.FunctionType) -> None:
    """Generators run while others do: what they write would stand in other loops than they do."""
    if function.__code__.co_flags & (CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR):
        name = function.__qualname__
        raise TypeError(f"the function of a kernel has no `yield` and is not `async`, found '{name}'")


def plain_of(function: types.FunctionType) -> types.FunctionType | None:
    """The user's function behind a helper; None of what is none."""
    is_helper = function.__globals__ is globals() and function.__closure__ is not None
    plain = getattr(function, "__wrapped__", None) if is_helper else None
    return plain if isinstance(plain, types.FunctionType) else None
