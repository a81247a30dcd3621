"""What a compiler can tell about a right program that its author may not expect: remarks, which change nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import ClassVar, Literal, TypeAlias

from ..support.dataclasses import dataclass, replace
from ..support.diagnostics import Diagnostic, Location, further, located
from ..support.patterns import regex

RemarkKind: TypeAlias = Literal[
    "matrix-unit", "loop-conversion", "loop-reads", "arguments", "unused", "spills", "code-size", "serialised"
]
"""matrix-unit: a contraction runs on other units; loop-conversion: data changes threads in each iteration; loop-reads:
what an iteration reads does not come the way that was asked for, or that pays; arguments: it would if more were known
of the kernel's arguments, which is said of launches; unused: vectors are not computed, since nobody needs them; spills:
a thread needs more registers than it can have; code-size: more instructions than caches hold; serialised: the assembler
waits for asynchronous instructions one by one."""


@dataclass(frozen=True)
class Remark(Diagnostic):
    """A remark of a kind about a place; `notes` and `hint` as in errors.

    `variants` are those of a kernel's variants that it is about, each by which arguments it is for (`where 16 divides
    x`); none where it is about all.
    """

    severity: ClassVar[str] = "remark"

    kind: RemarkKind = "code-size"
    variants: tuple[str, ...] = ()

    def render(self) -> str:
        return "\n".join(self.lines(set()))

    def __str__(self) -> str:
        return self.render()

    def lines(self, shown: set[object]) -> Iterator[str]:
        """The text without `variants`, whose notes and hint are short or left out where they are among those `shown`
        before, to which they are added."""
        yield f"{located(self.location, self.severity, self.message, f' [{self.kind}]')}"
        for note in (*further(self.location), *self.notes):
            text, location = note
            yield f"{location}: note: {text}" if location and note in shown else located(location, "note", text)
        if self.hint and self.hint not in shown:
            yield f"hint: {self.hint}"
        shown.update((*self.notes, self.hint))


def together(of_variants: Mapping[str, Collection[Remark]], *, are_all: bool = True) -> Iterator[Remark]:
    """Those of several variants of a program, by which arguments each is for: what is said of some of them alone names
    them, and so does what is said of a single one that is not all there are. What differs between variants in numbers
    alone is said once, the others' numbers in its notes."""
    alike: dict[Remark, dict[Remark, list[str]]] = {}
    for words, remarks in of_variants.items():
        for remark in dict.fromkeys(remarks):
            same = replace(remark, message=_NUMBER.sub("0", remark.message))
            alike.setdefault(same, {}).setdefault(remark, []).append(words)
    for said in alike.values():
        variants = [words for found in said.values() for words in found]
        if len(said) > 1 and len(set(variants)) == len(variants):
            first, *others = said
            more = [(f"in the variant {w}: {remark.message}", None) for remark in others for w in said[remark]]
            yield replace(first, notes=(*first.notes, *more), variants=tuple(said[first]))
        else:
            for remark, found in said.items():
                are_named = len(found) < len(of_variants) or (len(of_variants) == 1 and not are_all)
                yield replace(remark, variants=tuple(found) if are_named else ())


_NUMBER = regex(r"\d+")


def of_any_launch(remarks: Iterable[Remark]) -> tuple[Remark, ...]:
    """Those that say nothing of what a launch may know better."""
    return tuple(remark for remark in remarks if remark.kind != "arguments")


def in_program_order(remarks: Iterable[Remark]) -> tuple[Remark, ...]:
    """By where they point to, those without a place last; each once."""
    return tuple(sorted(dict.fromkeys(remarks), key=_place))


def _place(remark: Remark) -> tuple[bool, tuple[int, int], str, str]:
    location: Location | None = remark.location
    place = (0, 0) if location is None else location.source.position(location.offset)
    return location is None, place, remark.kind, remark.message
