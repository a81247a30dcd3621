"""The house rules that a reader relies on: import direction, who may import what, the package list, sizes of files."""

from __future__ import annotations

import ast
import functools
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from .each import each

ROOT = Path(__file__).resolve().parent.parent
LAYERS = (
    "support",
    "targets",
    "ir",
    "analysis",
    "frontend",
    "reference",
    "layout",
    "schedule",
    "distribute",
    "codegen",
    "pipeline",
    "emulate",
    "timing",
    "jit",
    "lang",
    "check",
    "show",
)  # each may import itself and what stands before it
FRONT_DOOR = "front door"  # the modules in the root and the command line, which may import everything
FRONT_DOOR_FOLDERS = ("tuning", "cli")
CALLED_BY_USERS = ("lang",)  # not through the front door, so they ask themselves what the environment says
ASKS_ABOVE = {"jit/shown.py": "lanewise.show."}  # decision 0152
LONGEST_FILE = 600

# Packages that cost time to import or are not always installed, and the only files that may import them.
CONFINED = {
    "llvmlite": {"codegen/llvm.py"},
    "cuda": {"jit/cuda.py"},
    "hip": {"jit/hip.py"},
}
FRONT_DOOR_ONLY = {"rich", "argparse", "platformdirs"}


def package_files() -> list[Path]:
    """Every Python file of the package, relative to the root."""
    inside = [path for folder in (*LAYERS, *FRONT_DOOR_FOLDERS) for path in (ROOT / folder).rglob("*.py")]
    return sorted(path.relative_to(ROOT) for path in (*ROOT.glob("*.py"), *inside))


FILES = package_files()
every_file = each(FILES)


@functools.cache
def tree(file: Path) -> ast.Module:
    return ast.parse((ROOT / file).read_text(encoding="utf-8"), filename=str(file))


@functools.cache
def nodes(file: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(tree(file)))


def layer(file: Path) -> str:
    return file.parts[0] if file.parts[0] in LAYERS else FRONT_DOOR


@functools.cache
def imports(file: Path) -> tuple[tuple[int, str], ...]:
    """Line and absolute dotted name of everything a file imports, imports inside functions and by name included."""
    return tuple(_imports(file))


def _imports(file: Path) -> Iterator[tuple[int, str]]:
    for node in nodes(file):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = _absolute(file, node)
            yield from ((node.lineno, f"{module}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Call) and _called(node) in {"import_module", "__import__"} and node.args:
            name = node.args[0]
            if isinstance(name, ast.Constant) and isinstance(name.value, str):
                yield node.lineno, name.value


def _absolute(file: Path, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    package = ("lanewise", *file.parts[:-1])
    base = package[: len(package) - node.level + 1]
    assert base, f"{file}:{node.lineno}: a relative import leaves the package"
    return ".".join((*base, node.module) if node.module else base)


def _called(node: ast.Call) -> str:
    function = node.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


@every_file
def test_imports_run_one_way(file: Path) -> None:
    order = (*LAYERS, FRONT_DOOR)
    backwards: list[str] = []
    for line, name in imports(file):
        parts = name.split(".")
        if parts[0] != "lanewise":
            continue
        imported = parts[1] if len(parts) > 1 and parts[1] in LAYERS else FRONT_DOOR
        if name.startswith("lanewise.environment") and layer(file) in CALLED_BY_USERS:
            continue
        if name.startswith(ASKS_ABOVE.get(file.as_posix(), "-")):
            continue
        if order.index(imported) > order.index(layer(file)):
            backwards.append(f"{file}:{line}: {layer(file)} imports {name}, which is {imported}")
    assert not backwards, "\n".join(backwards)


def _module(file: Path) -> str:
    parts = file.with_suffix("").parts
    return ".".join(("lanewise", *(parts[:-1] if parts[-1] == "__init__" else parts)))


MODULES = {_module(file): file for file in FILES}


def imported_files(file: Path) -> set[Path]:
    """The package's files that a file names in imports: inside functions and for type checkers only, too."""
    found = {MODULES.get(name) or MODULES.get(name.rpartition(".")[0]) for _, name in imports(file)}
    return {other for other in found if other is not None and other != file}


def circles(graph: dict[Path, set[Path]]) -> list[list[Path]]:
    """Files that reach each other, by repeatedly taking away those that import nothing that is left."""
    left = {file: set(others) for file, others in graph.items()}
    while free := [file for file, others in left.items() if not others & left.keys()]:
        for file in free:
            del left[file]
    while free := [file for file in left if not any(file in others for others in left.values())]:
        for file in free:
            del left[file]
    return [sorted(left)] if left else []


def test_no_files_import_each_other_in_a_circle() -> None:
    found = circles({file: imported_files(file) for file in FILES})
    assert not found, f"files on a circle of imports, or between two: {', '.join(map(str, found[0]))}"


def test_a_circle_is_found() -> None:
    a, b, c, d = map(Path, "abcd")
    assert circles({a: {b}, b: {c}, c: {b}, d: {a}}) == [[b, c]]
    assert circles({a: {b}, b: {c}, c: set(), d: {a}}) == []


MOST_TYPE_TESTS = 12  # of 1,000 lines


def test_types_are_seldom_asked_for() -> None:
    """What an operand is stands in its constraint, what an operation does on its class."""
    calls = sum(isinstance(n, ast.Call) and _called(n) == "isinstance" for f in FILES for n in nodes(f))
    lines = sum(len((ROOT / file).read_text(encoding="utf-8").splitlines()) for file in FILES)
    assert 1000 * calls / lines < MOST_TYPE_TESTS, f"{calls} calls of isinstance in {lines} lines"


NAMES_ARE_KEYS = {
    "codegen/llvm.py",  # whether a table lists the chip at all
    "pipeline/compilation.py",  # whether a module was lowered for this target
}
BELOW_A_CHIP = [file for file in FILES if file.parts[0] in ("layout", "schedule", "distribute", "codegen")]


@each(f for f in BELOW_A_CHIP if f.as_posix() not in NAMES_ARE_KEYS)
def test_nobody_asks_a_chip_for_its_name(file: Path) -> None:
    """Differences of chips are features in `targets`. A name may stand in a message, not in a condition."""
    for node in nodes(file):
        if isinstance(node, ast.Compare):
            asked = [ast.unparse(part) for part in (node.left, *node.comparators)]
        else:
            asked = [ast.unparse(node.func.value)] if isinstance(node, ast.Call) and _is_method(node) else []
        name = [text for text in asked if text.split(".")[-2:] == ["chip", "name"]]
        assert not name, f"{file}:{node.lineno}: {ast.unparse(node)}"


def _is_method(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Attribute)


@every_file
def test_costly_packages_are_imported_in_one_place(file: Path) -> None:
    for line, name in imports(file):
        package = name.split(".")[0]
        allowed = CONFINED.get(package, {file.as_posix()})
        assert file.as_posix() in allowed, f"{file}:{line}: only {', '.join(allowed)} may import {package}"
        above = package not in FRONT_DOOR_ONLY or layer(file) == FRONT_DOOR
        assert above, f"{file}:{line}: {package} below the front door"


WRITTEN_AT_ONCE = {
    **{f"dataclasses.{name}": "dataclasses" for name in ("dataclass", "field", "replace")},
    "typing.NamedTuple": "named_tuples",
}
"""What costs a process before it compiles anything, by which file of `support` has the like of it."""


@every_file
def test_methods_of_data_classes_are_written_late(file: Path) -> None:
    late = file.as_posix() in {f"support/{name}.py" for name in WRITTEN_AT_ONCE.values()}
    found = [
        f"{file}:{line}: {name} is that of support/{WRITTEN_AT_ONCE[name]}.py"
        for line, name in imports(file)
        if name in WRITTEN_AT_ONCE and not late
    ]
    assert not found, "\n".join(found)


@every_file
def test_imports_inside_the_package_are_relative(file: Path) -> None:
    absolute = [
        node.lineno
        for node in nodes(file)
        if (isinstance(node, ast.ImportFrom) and not node.level and (node.module or "").split(".")[0] == "lanewise")
        or (isinstance(node, ast.Import) and any(alias.name.split(".")[0] == "lanewise" for alias in node.names))
    ]
    assert not absolute, f"{file}: absolute imports of lanewise in lines {absolute}"


@every_file
def test_no_output_and_no_environment_below_the_front_door(file: Path) -> None:
    if layer(file) == FRONT_DOOR:
        return
    for node in nodes(file):
        if isinstance(node, ast.Name):
            assert node.id != "print", f"{file}:{node.lineno}: print"
        elif isinstance(node, ast.Attribute):
            assert node.attr not in {"environ", "getenv"}, f"{file}:{node.lineno}: os.{node.attr}"


@every_file
def test_a_file_is_one_room(file: Path) -> None:
    length = len((ROOT / file).read_text(encoding="utf-8").splitlines())
    assert length < LONGEST_FILE, f"{file} has {length} lines; split it by what it does (limit {LONGEST_FILE})"


@every_file
def test_a_file_says_what_it_is_for(file: Path) -> None:
    module = tree(file)
    assert not module.body or ast.get_docstring(module), f"{file} has no docstring"


def test_the_package_list_names_every_folder() -> None:
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]["packages"]
    folders = {".".join(("lanewise", *file.parts[:-1])) for file in FILES}
    assert listed == sorted(listed, key=lambda name: (_rank(name), name)), "keep the list in layer order, then by name"
    assert set(listed) == folders
    assert {file.parent for file in FILES} == {file.parent for file in FILES if file.name == "__init__.py"}


def _rank(package: str) -> int:
    parts = package.split(".")
    return (*LAYERS, *FRONT_DOOR_FOLDERS).index(parts[1]) if len(parts) > 1 else -1


def test_importing_the_package_loads_nothing_costly() -> None:
    program = "import sys, lanewise; print(*sorted({name.split('.')[0] for name in sys.modules}))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "lanewise" in loaded
    assert not loaded & {*CONFINED, "rich", "platformdirs"}


@every_file
def test_doc_strings_can_be_read_alone(file: Path) -> None:
    """None begins as the rest of a sentence whose beginning is a name, or what stands above it."""
    found = [
        f"{file}:{node.lineno}: {node.value.value.strip()[:60]}"
        for node in nodes(file)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        if node.value.value.strip().startswith(("Of ", "The same of ", "The same where "))
    ]
    assert not found, "\n".join(found)
