"""Typed tables of one rule per operation class, owned by the layers: TRANSFER, DISTRIBUTE, EMIT.

A table holds either a rule or a stated reason why an operation needs none; `lanewise ops` prints the matrix. The files
with the rules are loaded when somebody asks for operations that they are about.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Generic, TypeVar

from .core import Operation

R = TypeVar("R")


_NOWHERE: Mapping[str, Collection[str]] = MappingProxyType({})


class RuleTable(Generic[R]):
    """Rules by operation class; a class without its own uses that of its nearest base."""

    def __init__(self, name: str, homes: Mapping[str, Collection[str]] = _NOWHERE) -> None:
        """`homes`: by module that has rules, or reasons, the files of dialects whose operations they are about, or
        where these are few their classes (`file.Class`)."""
        self.name = name
        self.homes = homes
        self._homes: dict[str, list[str]] = {}
        """What is yet to be loaded, by file of a dialect, or class."""
        for module, files in homes.items():
            for file in files:
                self._homes.setdefault(file, []).append(module)
        self._rules: dict[type[Operation], R] = {}
        self._families: list[tuple[Callable[[type[Operation]], bool], R]] = []
        self._reasons: dict[type[Operation], str] = {}
        self.named_reasons: dict[str, str] = {}
        self._family_reasons: list[tuple[Callable[[type[Operation]], bool], str]] = []
        self._found: dict[type[Operation], R | None] = {}
        """What `get` has answered."""
        self._told: dict[type[Operation], str | None] = {}
        """Which of `_reasons` is a class's, found once."""

    def of(self, *classes: type[Operation]) -> Callable[[R], R]:
        """Registers one rule for `classes`."""

        def register(rule: R) -> R:
            for cls in classes:
                self.set(cls, rule)
            return rule

        return register

    def set(self, cls: type[Operation], rule: R) -> None:
        assert cls not in self._rules, f"{self.name}: second rule for {cls.opname or cls.__name__}"
        self._rules[cls] = rule
        self._found.clear()

    def family(self, holds: Callable[[type[Operation]], bool], rule: R) -> None:
        """Registers one rule for all classes without their own of which `holds` is true, whenever they are defined."""
        self._families.append((holds, rule))
        self._found.clear()

    def needless(self, reason: str, *classes: type[Operation]) -> None:
        """States why `classes` need no rule in this layer."""
        for cls in classes:
            assert cls not in self._reasons
            self._reasons[cls] = reason
        self._told.clear()

    def needless_names(self, reason: str, *names: str) -> None:
        """States the same of operations by their names, so that their dialects need not be loaded to say it."""
        for name in names:
            assert name not in self.named_reasons
            self.named_reasons[name] = reason
        self._told.clear()

    def get(self, cls: type[Operation]) -> R | None:
        if cls not in self._found:
            self._load(cls)
            own = [self._rules[base] for base in cls.__mro__ if base in self._rules]
            self._found[cls] = next(iter([*own, *(rule for holds, rule in self._families if holds(cls))]), None)
        return self._found[cls]

    def _load(self, cls: type[Operation]) -> None:
        """Loads what has rules for a class, or its bases."""
        for base in cls.__mro__:
            file = base.__module__.rpartition(".")[2]
            for key in (file, f"{file}.{base.__name__}"):
                for module in self._homes.pop(key, ()):
                    import_module(module)

    def has(self, cls: type[Operation]) -> bool:
        return self.get(cls) is not None

    def needless_family(self, reason: str, holds: Callable[[type[Operation]], bool]) -> None:
        """States why all classes of which `holds` is true need no rule, whenever they are defined."""
        self._family_reasons.append((holds, reason))

    def reason(self, cls: type[Operation], *, has_rule: bool = False) -> str | None:
        """Why there is no rule. What is said of a family of classes holds of those without one, here or elsewhere."""
        if cls not in self._told:
            self._load(cls)
            own = next((self._reasons[base] for base in cls.__mro__ if base in self._reasons), None)
            self._told[cls] = self.named_reasons.get(cls.opname) if own is None else own
        told = self._told[cls]
        if told is not None or has_rule or self.has(cls):
            return told
        return next((reason for holds, reason in self._family_reasons if holds(cls)), None)
