"""What a compiler can tell about a right program that its author may not expect: remarks, which change nothing."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, TypeAlias

from .diagnostics import Diagnostic, Location

RemarkKind: TypeAlias = Literal[
    "matrix-unit", "loop-conversion", "loop-reads", "arguments", "spills", "code-size", "serialised"
]
"""matrix-unit: a contraction runs on other units; loop-conversion: data changes threads in each iteration; loop-reads:
what an iteration reads does not come the way that was asked for, or that pays; arguments: it would if more were known
of the kernel's arguments, which is said of launches; spills: a thread needs more registers than it can have; code-size:
more instructions than caches hold; serialised: the assembler waits for asynchronous instructions one by one."""


@dataclass(frozen=True)
class Remark(Diagnostic):
    """A remark of a kind about a place; `notes` and `hint` as in errors."""

    severity: ClassVar[str] = "remark"

    kind: RemarkKind = "code-size"

    def render(self) -> str:
        first, *rest = super().render().split("\n")
        return "\n".join([f"{first} [{self.kind}]", *rest])


def together(of_variants: Mapping[str, Collection[Remark]], *, are_all: bool = True) -> Iterator[Remark]:
    """Those of several variants of a program, by words for each: what is said of some of them alone names them, and
    what is said of a single one that is not all there are. What differs between variants in numbers alone is said once,
    the others' numbers in its notes."""
    alike: dict[Remark, dict[Remark, list[str]]] = {}
    for words, remarks in of_variants.items():
        for remark in dict.fromkeys(remarks):
            same = replace(remark, message=_NUMBER.sub("0", remark.message))
            alike.setdefault(same, {}).setdefault(remark, []).append(words)
    for said in alike.values():
        variants = [words for found in said.values() for words in found]
        if len(said) > 1 and len(set(variants)) == len(variants):
            first, *others = said
            more = [f"{words}: {remark.message}" for remark in others for words in said[remark]]
            yield _noted(first, [*said[first], *more])
        else:
            for remark, found in said.items():
                are_named = len(found) < len(of_variants) or (len(of_variants) == 1 and not are_all)
                yield _noted(remark, found if are_named else ())


_NUMBER = re.compile(r"\d+")


def _noted(remark: Remark, notes: Iterable[str]) -> Remark:
    return replace(remark, notes=(*remark.notes, *((words, None) for words in notes)))


def of_any_launch(remarks: Iterable[Remark]) -> tuple[Remark, ...]:
    """Those that say nothing of what a launch may know better."""
    return tuple(remark for remark in remarks if remark.kind != "arguments")


def in_program_order(remarks: Iterable[Remark]) -> tuple[Remark, ...]:
    """By where they point to, those without a place last; each once."""
    return tuple(sorted(dict.fromkeys(remarks), key=_place))


def _place(remark: Remark) -> tuple[bool, int, str, str]:
    location: Location | None = remark.location
    return location is None, 0 if location is None else location.offset, remark.kind, remark.message
