"""Figures of the package's own text: how much each room holds, how long files and functions are, what depends on what.

python bench/house.py [FOLDER]        of this checkout, or of another one
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOMS = (
    *("support", "targets", "ir", "analysis", "frontend", "reference", "layout", "schedule", "distribute", "codegen"),
    *("pipeline", "emulate", "timing", "jit", "lang", "check", "tuning", "show", "cli"),
)
"""From the lowest to the highest: a room imports those before it."""
DIALECTS = ("ir/dialects", "frontend/dialects")


def functions(tree: ast.Module) -> Iterator[int]:
    """Lines of each function, without its doc string."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            assert node.end_lineno is not None
            documented = ast.get_docstring(node) is not None
            first = node.body[0]
            assert first.end_lineno is not None
            yield node.end_lineno - node.lineno + 1 - documented * (first.end_lineno - first.lineno + 1)


def groups_of_classes(tree: ast.Module) -> int:
    """Tuples and unions of operation classes."""
    return sum(len(set(_operations(node))) > 1 for node in ast.walk(tree) if isinstance(node, ast.Tuple | ast.BinOp))


def _operations(node: ast.Tuple | ast.BinOp) -> Iterator[str]:
    parts = node.elts if isinstance(node, ast.Tuple) else [node.left, node.right] * isinstance(node.op, ast.BitOr)
    for part in parts:
        name = part.attr if isinstance(part, ast.Attribute) else part.id if isinstance(part, ast.Name) else ""
        if name.endswith("Op") and name != "Op":
            yield name


def type_tests(tree: ast.Module) -> int:
    """Calls of isinstance."""
    called = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    return sum(isinstance(function, ast.Name) and function.id == "isinstance" for function in called)


def upward(room: str, file: Path, root: Path, tree: ast.Module) -> int:
    """Imports of rooms above."""
    package = file.relative_to(root).parent.parts
    found = 0
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            target = (*package[: len(package) - node.level + 1], *(node.module or "").split("."))
            found += target[0] in ROOMS and ROOMS.index(target[0]) > ROOMS.index(room)
    return found


def spread(numbers: Sequence[int]) -> str:
    """Median, 90 %, and the most."""
    ordered = sorted(numbers)
    return f"{ordered[len(ordered) // 2]} / {ordered[len(ordered) * 9 // 10]} / {ordered[-1]}"


def main(root: Path) -> None:
    lines: Counter[str] = Counter()
    files: list[int] = []
    lengths: list[int] = []
    classes = tests = above = 0
    for room in ROOMS:
        for file in sorted((root / room).rglob("*.py")):
            text = file.read_text()
            tree = ast.parse(text)
            count = text.count("\n")
            lines[room] += count
            if count:
                files.append(count)
            lengths += functions(tree)
            tests += type_tests(tree)
            above += upward(room, file, root, tree)
            if not str(file.relative_to(root)).startswith(DIALECTS):
                classes += groups_of_classes(tree)
    total = lines.total()
    biggest, most = lines.most_common(1)[0]
    for room in ROOMS:
        print(f"{room:12} {lines[room]:7} lines")
    print(f"{'together':12} {total:7} lines in {len(files)} files; {biggest} has {100 * most / total:.1f} %")
    print(f"files        {spread(files)} lines (median / 90 % / most)")
    print(f"functions    {spread(lengths)} lines")
    print(f"imports of rooms above: {above}; groups of operation classes outside of dialects: {classes}")
    print(f"isinstance   {1000 * tests / total:.1f} per 1,000 lines")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1])
