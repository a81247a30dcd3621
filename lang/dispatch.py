"""Which specialisation a launch takes: functions written for the Python types of the arguments.

They look at what these types do not decide (element types, ranks), compare extents of one name, find the specialisation
in a table, and start it on its grid. What they do not know goes the careful way, which writes the messages.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Generic, TypeVar

from ..jit.launchers import Launchers
from .constants import is_plain, told_apart
from .dtypes import extent_of
from .grids import Cover
from .reached import Reached, functions_in
from .signature import Signature

T = TypeVar("T")
Start = Callable[..., bool]
"""Called with a stream and the arguments: starts a kernel where its last launch was like this one; false where not."""


class Way(Generic[T]):
    """The specialisations for arguments of some Python types and some constants.

    Attributes:
        find: Called with `table` and the arguments: the entry for them; None where there is none, or where extents of
            one name differ.
        table: Entries by what `find` looks at.
        is_watched: Whether constants may be others than they were, which `still` says.
        watched: The constants of which their types and `==` do not say all, with what they were.
    """

    def __init__(self, signature: Signature, arguments: Sequence[Any], constants: Mapping[str, Any]) -> None:
        parts, tests = _looks(signature, arguments), _tests(signature)
        names = ", ".join(f"a{i}" for i in range(len(arguments)))
        lines = [f"def find(table, {names}):"]
        if tests:
            lines += [f"    if {' or '.join(tests)}:", "        return None"]
        lines.append(f"    return table.get(({''.join(f'{part}, ' for part in parts)}))")
        self.find: Callable[..., T | None] = _function("find", lines)
        self._key = _function("key", [f"def key({names}):", f"    return ({''.join(f'{part}, ' for part in parts)})"])
        self.table: dict[Hashable, T] = {}
        self.watched = {name: told_apart(value) for name, value in constants.items() if not is_plain(value)}
        self._defaults = signature.constants
        functions = [function for value in constants.values() for function in functions_in(value)]
        self._reached = Reached(*functions) if functions else None
        self.is_watched = bool(self.watched or functions)

    def still(self, named: Mapping[str, Any]) -> bool:
        """Whether the constants are the same to the last bit, and what functions among them reach."""
        if self._reached is not None and not self._reached.still():
            return False
        defaults = self._defaults
        return all(told_apart(named.get(name, defaults[name])) == was for name, was in self.watched.items())

    def keep(self, arguments: Sequence[Any], entry: T) -> None:
        self.table[self._key(*arguments)] = entry


def _looks(signature: Signature, arguments: Sequence[Any]) -> list[str]:
    """What of the arguments decides, beside their Python types and annotations."""
    found: list[str] = []
    for number, (parameter, argument) in enumerate(zip(signature.arguments, arguments, strict=True)):
        if parameter.type is None and hasattr(argument, "dtype"):
            found += [f"a{number}.dtype", f"len(a{number}.shape)"]
    return found


def _tests(signature: Signature) -> list[str]:
    """What holds of arguments that do not fit each other; ranks are asked for before extents."""
    ranks = {number: rank for places in signature.named_extents.values() for number, _, rank in places}
    found = [f"len(a{number}.shape) != {rank}" for number, rank in ranks.items()]
    for places in signature.named_extents.values():
        first, *others = (_extent(number, dim, signature.in_byte(number, dim)) for number, dim, _ in places)
        found += [f"{first} != {other}" for other in others]
    return found


def _extent(number: int, dim: int, in_byte: int) -> str:
    """An argument's extent in elements, as an expression."""
    return f"a{number}.shape[{dim}]" if in_byte == 1 else f"extent_of(a{number}, {dim}, {in_byte})"


def started_where(launchers: Launchers, cover: Cover, names: Sequence[str]) -> Start:
    """Starts on the grid that covers what is written, where all uses of an axis agree."""
    given = "".join(f"a{i}, " for i in range(len(names)))
    lines = [f"def start(stream, {given}):"]
    for axis in "xyz":
        uses = cover.deciding(axis)
        extents = [_extent(names.index(use.array), use.dim, use.in_byte) for use in uses]
        counts = [f"-(-{n} // {use.extent})" for n, use in zip(extents, uses, strict=True)] or ["1"]
        lines.append(f"    {axis} = {counts[0]}")
        if len(counts) > 1:
            lines.append(f"    if {' or '.join(f'{axis} != {count}' for count in counts[1:])}:")
            lines.append("        return False")
    lines.append(f"    return launchers.latest((x, y, z), ({given}), stream, 0)")
    return _function("start", lines, launchers=launchers)


def started_by(launchers: Launchers, grid: Callable[..., Any]) -> Start:
    """Starts on the grid that a function of the arguments gives."""

    def start(stream: object, *arguments: object) -> bool:
        return launchers.latest(grid(*arguments), arguments, stream, 0)

    return start


def started_on(launchers: Launchers, grid: Any) -> Start:
    """Starts on one grid always."""

    def start(stream: object, *arguments: object) -> bool:
        return launchers.latest(grid, arguments, stream, 0)

    return start


def _function(name: str, lines: Sequence[str], **names: Any) -> Callable[..., Any]:
    exec("\n".join(lines), names := {"extent_of": extent_of, **names})
    made: Callable[..., Any] = names[name]
    return made
