"""The functions that are traced: the user's, with calls at the edges of its control flow where its text can be read."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

from . import control
from .rewrite import NoSource, rewritten
from .trace import trace


def prepared_function(function: types.FunctionType) -> Callable[..., Any]:
    """The function to call while tracing. Without its text it is called as it is: loops of the device then say that
    they need it."""
    try:
        made = rewritten(function, control)
    except NoSource as error:
        return _without_source(function, error)
    return _checked(made)


def _checked(function: Callable[..., Any]) -> Callable[..., Any]:
    """Refuses to leave a loop or a branch of the device by `return`."""

    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        before = len(trace().open)
        result = function(*arguments, **named)
        control.check_left(before)
        return result

    return call


def _without_source(function: Callable[..., Any], error: NoSource) -> Callable[..., Any]:
    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        trace().missing_source.append(str(error))
        try:
            return function(*arguments, **named)
        finally:
            trace().missing_source.pop()

    return call
