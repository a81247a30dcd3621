"""Tables that are computed when somebody first looks into them: most processes look into few.

`ROWS = LateRows(lambda: ...)` is a sequence, `BY_NAME = LateTable(lambda: ...)` a mapping; both are made once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TypeVar, overload

T = TypeVar("T")
K = TypeVar("K")
V = TypeVar("V")


class LateRows(Sequence[T]):
    """A tuple of what `make` gives."""

    def __init__(self, make: Callable[[], Iterable[T]]) -> None:
        self._make = make

    @cached_property
    def _made(self) -> tuple[T, ...]:
        return tuple(self._make())

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[T, ...]: ...
    def __getitem__(self, index: int | slice) -> T | tuple[T, ...]:
        return self._made[index]

    def __len__(self) -> int:
        return len(self._made)

    def __iter__(self) -> Iterator[T]:
        return iter(self._made)

    def __contains__(self, value: object) -> bool:
        return value in self._made


class LateTable(Mapping[K, V]):
    """The mapping that `make` gives."""

    def __init__(self, make: Callable[[], Mapping[K, V]]) -> None:
        self._make = make

    @cached_property
    def _made(self) -> Mapping[K, V]:
        return self._make()

    def __getitem__(self, key: K) -> V:
        return self._made[key]

    def __len__(self) -> int:
        return len(self._made)

    def __iter__(self) -> Iterator[K]:
        return iter(self._made)
