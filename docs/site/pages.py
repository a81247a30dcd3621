"""Pages of the site that are made: the examples, every operation from its class, the public names of Python."""

from __future__ import annotations

import inspect
import re
from collections.abc import Collection, Iterator
from functools import cache
from itertools import groupby
from pathlib import Path
from types import ModuleType
from typing import TypeAlias

from checkout import use_checkout

use_checkout()

import lanewise  # noqa: E402
import lanewise.lang  # noqa: E402
from lanewise.ir.core import REGISTRY, Operation  # noqa: E402
from lanewise.ir.dialects import load_all  # noqa: E402
from lanewise.ir.traits import Effect  # noqa: E402

Page: TypeAlias = tuple[str, str]
"""Where it stands in the site, and its text."""


# Examples


def example_pages(root: Path) -> Iterator[Page]:
    """A page for each example, with both of its forms."""
    names = sorted(path.stem for path in (root / "examples").glob("*.mlir"))
    for name in names:
        text, function = ((root / "examples" / f"{name}{end}").read_text().rstrip() for end in (".mlir", ".py"))
        yield (
            f"examples/{name}.md",
            f"# {name}\n\nAs MLIR text:\n\n```text\n{text}\n```\n\nIn Python:\n\n```python\n{function}\n```\n",
        )
    links = "\n".join(f"- [{name}]({name}.md)" for name in names)
    hidden = "\n".join(names)
    yield "examples/index.md", f"# Examples\n\n{links}\n\n```{{toctree}}\n:hidden:\n\n{hidden}\n```\n"


# Operations


def operation_pages(root: Path) -> Iterator[Page]:
    """A page for each dialect, with syntax, operands, effects and a line of a program for each operation."""
    load_all()
    dialects = list[str]()
    for dialect, names in groupby(sorted(REGISTRY), lambda name: name.partition(".")[0]):
        dialects.append(dialect)
        sections = [operation_section(REGISTRY[name], root) for name in names]
        yield f"reference/{dialect}.md", f"# {dialect}\n\n" + "\n".join(sections)
    counts = {d: sum(name.startswith(f"{d}.") for name in REGISTRY) for d in dialects}
    rows = "\n".join(f"| [{d}]({d}.md) | {counts[d]} |" for d in dialects)
    hidden = "\n".join(dialects)
    yield (
        "reference/dialects.md",
        "# Every operation\n\nFrom the classes that define them: what each takes, what it does to memory, how it is"
        " written, and a line of a program that the tests run. `lanewise ops` says which layer has a rule for each.\n\n"
        f"| dialect | operations |\n|---|---|\n{rows}\n\n```{{toctree}}\n:hidden:\n\n{hidden}\n```\n",
    )


def operation_section(cls: type[Operation], root: Path) -> str:
    lines = [f"## {cls.opname}\n"]
    if words := _words_of(cls):
        lines.append(words + "\n")
    lines.append(f"```text\n{cls.opname} {_syntax(cls)}\n```\n")
    parts = [*_operands(cls), *_attributes(cls), *_results(cls)]
    if parts:
        lines.append("| part | | |\n|---|---|---|\n" + "\n".join(parts) + "\n")
    lines.append("; ".join(_said(cls)).capitalize() + ".\n")
    if example := _examples(root).get(cls.opname):
        lines.append(f"```text\n{example}\n```\n")
    return "\n".join(lines)


def _words_of(cls: type[Operation]) -> str:
    """The class's doc string, or that of the nearest base that is of operations like it."""
    for base in cls.__mro__:
        if base is Operation:
            return ""
        if words := base.__dict__.get("__doc__"):
            return inspect.cleandoc(words)
    return ""


def _syntax(cls: type[Operation]) -> str:
    return cls.assembly or "... (its own form)"


def _operands(cls: type[Operation]) -> Iterator[str]:
    for field in cls.operand_groups:
        effect = f", {_effect(field.effect)}" if field.effect is not None else ""
        several = {"one": "", "optional": ", may be missing", "variadic": ", any number"}[field.multiplicity]
        yield f"| operand | `{field.name}` | {field.constraint.words}{several}{effect} |"


def _effect(effect: Effect) -> str:
    words = {
        Effect.READS: "read",
        Effect.WRITES: "written",
        Effect.ATOMIC: "atomically",
        Effect.FREES: "freed",
        Effect.LATER: "until a wait",
        Effect.HANDS_ON: "handed on",
    }
    return " ".join(word for flag, word in words.items() if flag in effect) or "its shape alone"


def _attributes(cls: type[Operation]) -> Iterator[str]:
    for field in cls.attribute_slots:
        kinds = " or ".join(dict.fromkeys(kind.__name__.removesuffix("Attr") for kind in field.classes))
        default = f", {field.default} if it is not given" if field.default is not None else ""
        optional = ", optional" if field.optional and field.default is None else ""
        yield f"| attribute | `{field.name}` | {kinds}{optional}{default} |".replace("\n", " ")


def _results(cls: type[Operation]) -> Iterator[str]:
    for field in cls.result_groups:
        view = f", a view of `{field.view_of}`" if field.view_of else ""
        yield f"| result | `{field.name}` | {field.constraint.words}{view} |"


def _said(cls: type[Operation]) -> Iterator[str]:
    yield "computes its results and does nothing else" if cls.pure else "has effects beside its results"
    if cls.elementwise:
        yield "element by element"
    if cls.collective is not None:
        yield f"all threads of the {cls.collective} reach it together"
    if cls.begins is not None:
        yield f"begins {cls.begins.words}"
    if cls.awaits:
        yield "awaits " + ", ".join(completion.words for completion in cls.awaits)
    if cls.vendor is not None:
        yield f"for {cls.vendor.upper() if cls.vendor == 'amd' else cls.vendor}'s chips alone"


@cache
def _examples(root: Path) -> dict[str, str]:
    """By operation, the shortest line of the tests' programs that has it."""
    found = dict[str, str]()
    pattern = re.compile(r"^\s*(?:%[\w$.:, %]+ = )?(?P<name>[a-z_0-9]+\.[\w.]+)\b")
    for path in sorted((root / "tests" / "filetests").rglob("*.mlir")):
        for line in path.read_text().splitlines():
            match = pattern.match(line)
            if (
                match is None
                or match["name"] not in REGISTRY
                or "expected-error" in line
                or line.rstrip().endswith("{")
            ):
                continue
            shown = line.strip().partition("  //")[0]
            held = found.get(match["name"])
            if held is None or (len(shown), shown) < (len(held), held):
                found[match["name"]] = shown
    return found


# Python


def api_pages() -> Iterator[Page]:
    public = set(lanewise.__all__)
    yield "api.md", _module_page("lanewise", lanewise, "The package's public names, by what one reaches for first.", ())
    words = "The words of kernels in Python, `lw` in examples."
    yield "lang.md", _module_page("lanewise.lang", lanewise.lang, words, public)


def _module_page(name: str, module: ModuleType, words: str, elsewhere: Collection[str]) -> str:
    """Functions and classes by their doc strings, values in a table. What stands `elsewhere` is left to that page."""
    found = [(each, getattr(module, each)) for each in module.__all__ if each not in elsewhere]
    directives = "\n".join(_directive(name, each, value) for each, value in found if callable(value))
    rows = "\n".join(f"| `{each}` | `{value}` |" for each, value in found if not callable(value))
    table = f"| value | |\n|---|---|\n{rows}\n\n" if rows else ""
    return f"# {name}\n\n{words}\n\n{table}```{{eval-rst}}\n.. currentmodule:: {name}\n\n{directives}\n```\n"


def _directive(module: str, name: str, value: object) -> str:
    if not inspect.isclass(value):
        return f".. autofunction:: {module}.{name}\n"
    members = "" if issubclass(value, BaseException) else "   :members:\n"
    return f".. autoclass:: {module}.{name}\n{members}"
