"""What operations have in common stands on their classes, as a trait or a base, and in no list beside them.

A list of classes elsewhere is a fact that the author of the next class does not know of. Rules by class are tables.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from lanewise.ir.core import Operation
from lanewise.ir.dialects import load_all

from .test_structure import FILES, nodes, tree

load_all()

OF_ONE_RULE = "what this one rewrite can see through, which says nothing of the operations"
WORDS = "a meaning of their own in one executor, which keeps them from being written out"
STATED: Mapping[str, tuple[int, str]] = {
    "check/accuracy.py": (3, "those that chips compute in another way: matrix products that take no scales; fma"),
    "codegen/emit/pairs.py": (1, "a row of instructions: those that do two at once"),
    "frontend/tensors.py": (1, "a rule: they mean of tensors what they mean of vectors"),
    "frontend/uniform.py": (1, OF_ONE_RULE),
    "ir/spread_loops.py": (1, OF_ONE_RULE),
    "jit/index_sources.py": (1, OF_ONE_RULE),
    "jit/kernel_signature.py": (1, "what an expansion leaves alone here"),
    "layout/coalescing.py": (1, "what three families have no common base for: an operand under another name in each"),
    "reference/rules_regions.py": (2, WORDS),
    "schedule/loops.py": (1, OF_ONE_RULE),
    "schedule/persist.py": (1, OF_ONE_RULE),
    "schedule/producer_consumer.py": (1, OF_ONE_RULE),
    "schedule/split_k.py": (1, OF_ONE_RULE),
    "show/checks_numbers.py": (1, "two families of accesses with no common base, which say place and shape alike"),
}
"""By file, how many groups there are, and why no trait says it."""


def _subclasses(cls: type[Operation]) -> Iterator[type[Operation]]:
    for found in cls.__subclasses__():
        yield found
        yield from _subclasses(found)


CLASSES = {cls.__name__ for cls in _subclasses(Operation)}


def _is_class(node: ast.expr) -> bool:
    return (node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")) in CLASSES


def _parts(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return [*_parts(node.left), *_parts(node.right)]
    return [node]


def groups(file: Path) -> list[str]:
    """Tuples, lists and sets of nothing but operation classes, and unions of two or more."""
    inside = {id(node.left) for node in nodes(file) if isinstance(node, ast.BinOp)}
    found = list[str]()
    for node in nodes(file):
        if isinstance(node, ast.BinOp) and id(node) not in inside:
            parts, whole = [part for part in _parts(node) if _is_class(part)], True
        elif isinstance(node, (ast.Tuple, ast.List, ast.Set)):
            parts = [part for part in node.elts if not isinstance(part, ast.Starred)]
            whole = all(map(_is_class, parts))
        else:
            continue
        if whole and len(parts) > 1:
            found.append(f"{file}:{node.lineno}: {ast.unparse(node)}")
    return found


def test_groups_of_operation_classes_are_traits() -> None:
    outside = [file for file in FILES if "dialects" not in file.parts]
    found = [(file.as_posix(), group) for file in outside for group in groups(file)]
    counted = Counter(file for file, _ in found)
    unstated = [group for file, group in found if counted[file] > STATED.get(file, (0, ""))[0]]
    assert not unstated, "a trait, a base class or a rule table says this: " + "; ".join(unstated)
    assert counted == {file: count for file, (count, _) in STATED.items()}, "fewer than stated: say so here"


MOST_ISINSTANCE = {"the compiler": 11.3, "lang": 22.0}
"""For each thousand lines: what an operation is, is asked of its class and looked up in tables. `lang` is given values
of Python, whose types are all that it can go by."""


@pytest.mark.parametrize("part", MOST_ISINSTANCE)
def test_what_something_is_is_rarely_asked(part: str) -> None:
    files = [file for file in FILES if (file.parts[0] == "lang") == (part == "lang")]
    calls = [node for file in files for node in nodes(file) if isinstance(node, ast.Call)]
    asked = sum(isinstance(call.func, ast.Name) and call.func.id == "isinstance" for call in calls)
    lines = sum(max((getattr(node, "end_lineno", 0) or 0 for node in tree(file).body), default=0) for file in files)
    assert 1000 * asked < MOST_ISINSTANCE[part] * lines, f"{asked} times in {lines} lines"
