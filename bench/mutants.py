"""Which changes of the compiler no test would notice: mutants of its files, each against the counts of the filetests.

    python bench/mutants.py layout/pbqp.py layout/estimate.py          every mutant of these files
    python bench/mutants.py layout distribute codegen --sample 40      40 of all, chosen by --seed

A mutant has one comparison, operator, `min`/`max` or number changed. It is caught where a check fails or does not end;
survivors are printed with what was changed, and the exit code is 1 where there are any. A mutant may be equivalent to
the program (a number that only orders work, a bound that nothing reaches): read survivors before you call them holes.
"""

from __future__ import annotations

import argparse
import ast
import copy
import random
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from checkout import ROOT

CHECK = ("tests/filetests/counts", "tests/filetests/run", "-k", "expect and not tools")
SECONDS = 240
_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
}
_OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
}
_EXTREMES = {"min": "max", "max": "min", "argmin": "argmax", "argmax": "argmin"}
_WITH_MUTANT = """
import importlib.abc, importlib.machinery, sys
class Mutant(importlib.machinery.SourceFileLoader):
    def get_code(self, fullname):
        return compile(TEXT, self.path, "exec", dont_inherit=True)
class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name != NAME:
            return None
        return importlib.machinery.ModuleSpec(name, Mutant(name, PLACE), origin=PLACE)
NAME, PLACE, TEXT = sys.argv[1], sys.argv[2], sys.stdin.read()
sys.meta_path.insert(0, Finder())
import pytest
code = pytest.main(["-x", "-q", "-n", "0", "-p", "no:cacheprovider", *sys.argv[3:]])
sys.exit(0 if code == 0 else 1)
"""


@dataclass(frozen=True)
class Mutant:
    """`text` is the whole file with one place changed, from `before` to `after`."""

    file: str
    line: int
    before: str
    after: str
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.before}  ->  {self.after}"


def mutants(file: str) -> Iterator[Mutant]:
    """Every mutant of a file, in the order of its text."""
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    for place, node in enumerate(ast.walk(tree)):
        for variant in range(len(list(_changed(node)))):
            other = copy.deepcopy(tree)
            found = next(n for at, n in enumerate(ast.walk(other)) if at == place)
            before = ast.unparse(found)
            changed = list(_changed(found))[variant]
            for name, value in ast.iter_fields(changed):
                setattr(found, name, value)
            yield Mutant(file, getattr(found, "lineno", 0), before, ast.unparse(found), ast.unparse(other))


def _changed(node: ast.AST) -> Iterator[ast.AST]:
    """Copies of a node with one thing changed."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in _COMPARISONS:
        yield _with(node, ops=[_COMPARISONS[type(node.ops[0])](), *node.ops[1:]])
    elif isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS and not _is_text(node):
        yield _with(node, op=_OPERATORS[type(node.op)]())
    elif isinstance(node, ast.Name) and node.id in _EXTREMES:
        yield _with(node, id=_EXTREMES[node.id])
    elif isinstance(node, ast.Attribute) and node.attr in _EXTREMES:
        yield _with(node, attr=_EXTREMES[node.attr])
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        yield _with(node, value=node.value + 1)
        if node.value:
            yield _with(node, value=0)
            yield _with(node, value=16 * node.value)
    elif isinstance(node, ast.BoolOp):
        yield _with(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())


def _is_text(node: ast.BinOp) -> bool:
    return any(isinstance(n, (ast.JoinedStr, ast.List, ast.Tuple)) for n in (node.left, node.right))


def _with(node: ast.AST, **fields: object) -> ast.AST:
    other = copy.copy(node)
    for name, value in fields.items():
        setattr(other, name, value)
    return other


def survives(mutant: Mutant, check: Sequence[str]) -> bool:
    """Whether the check passes with the mutant in the place of its file."""
    name = "lanewise." + mutant.file.removesuffix(".py").replace("/", ".")
    command = [sys.executable, "-c", _WITH_MUTANT, name, str(ROOT / mutant.file), *check]
    try:
        done = subprocess.run(
            command, input=mutant.text, text=True, cwd=ROOT, capture_output=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def files_of(names: Sequence[str]) -> list[str]:
    """Files, and those in folders, relative to the root."""
    paths = (p for name in names for p in ([ROOT / name] if name.endswith(".py") else (ROOT / name).rglob("*.py")))
    return sorted(path.relative_to(ROOT).as_posix() for path in paths)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="+", metavar="FILE", help="files or folders of the package")
    parser.add_argument("--sample", type=int, metavar="N", help="so many of the mutants, chosen at random")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--lines", metavar="WORD", help="only mutants of lines that have this word")
    parser.add_argument("--check", nargs=argparse.REMAINDER, default=CHECK, help="what pytest is to run instead")
    options = parser.parse_args(arguments)
    found = [mutant for file in files_of(options.names) for mutant in mutants(file)]
    if options.lines:
        found = [m for m in found if options.lines in (ROOT / m.file).read_text().splitlines()[m.line - 1]]
    if options.sample is not None:
        found = random.Random(options.seed).sample(found, min(options.sample, len(found)))
    survivors = 0
    for mutant in found:
        start = time.monotonic()
        alive = survives(mutant, options.check)
        survivors += alive
        print(f"{'SURVIVES' if alive else 'caught  '} {time.monotonic() - start:5.1f} s  {mutant}", flush=True)
    print(f"{survivors} of {len(found)} mutants survive")
    return bool(survivors)


if __name__ == "__main__":
    sys.exit(main())
