"""What is known of a function besides its text: asked for by passes, made once, kept until a pass has changed it.

`analyses.get(Lifetimes, function)` is the one way to an analysis behind legalisation, which rewrites between any two of
its questions. Which answers survive a change the pass says that made it (`Pass.preserves`).
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Protocol, TypeVar

from .core import Operation
from .dialects.func import FunctionLike

AnswerT = TypeVar("AnswerT", covariant=True)


class Analysis(Protocol[AnswerT]):
    """What can be asked of a function: the class of the answer, or a hashable value that says more of the question."""

    def of_function(self, function: FunctionLike, analyses: Analyses, /) -> AnswerT:
        """The answer, which may come from others. It may remember what it has found out, and changes nothing."""
        ...


class Analyses:
    """The answers of one compilation, about whichever functions they are asked of."""

    def __init__(self) -> None:
        self._kept: dict[tuple[Operation, Analysis[Any]], Any] = {}

    def get(self, analysis: Analysis[AnswerT], function: FunctionLike) -> AnswerT:
        """What `analysis` says of a function: made where it is not known, or no longer."""
        key = function, analysis
        if key not in self._kept:
            self._kept[key] = analysis.of_function(function, self)
        return self._kept[key]  # type: ignore[no-any-return]

    def forget(self, function: Operation, but: Collection[Analysis[Any]] = ()) -> None:
        """The program has become `function`, or changed in its place: of all answers those about it stay that are in
        `but`."""
        self._kept = {key: kept for key, kept in self._kept.items() if key[0] is function and key[1] in but}
