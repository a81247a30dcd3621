"""Kernels in Python are found in a cache before they are traced, by all that decides their code."""

from __future__ import annotations

import itertools
import json
import linecache
import math
import os
import subprocess
import sys
import types
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import lanewise
import lanewise.lang as lw
import numpy as np
import pytest
from lanewise import environment
from lanewise.lang import program
from lanewise.lang.deciding import Deciding, NotUnderstood
from lanewise.lang.python_kernel import Kernel
from lanewise.lang.recipe import FromPython, Written

TEXT = """
import dataclasses, enum, math
from typing import NamedTuple
import lanewise, lanewise.lang as lw
import numpy as np

SCALE = 2.0
TABLE = {"shift": (1.0, [3.0])}
BIAS = np.arange(3, dtype=np.float32)

class Kind(enum.Enum):
    UP = 1
    DOWN = -1

@dataclasses.dataclass(frozen=True)
class Way:
    tile: int
    kind: Kind = Kind.UP

    def factor(self):
        return self.kind.value * 1.0

class Pair(NamedTuple):
    left: float
    right: float = 0.5

    def __repr__(self):
        return "pair"

class Steps:
    FIRST = 4

    @staticmethod
    def second():
        return 8

WAY = Way(64)
PAIR = Pair(1.5)

def below(x):
    return x + 3.0

def inner(x):
    return below(x) * math.sqrt(4.0)

@lanewise.function
def hooked(x):
    return x - 1.0

def factory(step):
    @lanewise.kernel(workgroup=64, device="emulated")
    def scaled(x, y, *, tile: int = 64, kind=None):
        i = lw.block(tile)
        v = hooked(inner(x[i])) * SCALE + step + TABLE["shift"][0] + float(BIAS[1])
        y[i] = v * WAY.factor() + PAIR.left + Steps.FIRST + Steps.second()
    return scaled

scaled = factory(5.0)
"""
CHANGES = {
    "a helper two levels deep": ("x + 3.0", "x + 3.5"),
    "a helper with hooks": ("x - 1.0", "x - 2.0"),
    "a closure": ("factory(5.0)", "factory(6.0)"),
    "a closure's type": ("factory(5.0)", "factory(5)"),
    "a number": ("SCALE = 2.0", "SCALE = 4.0"),
    "a part of a table": ("[3.0]", "[3.5]"),
    "an array's element": ("np.arange(3", "np.ones(3"),
    "an array's type": ("np.float32", "np.float64"),
    "a function of a module": ("math.sqrt", "math.exp"),
    "a field": ("Way(64)", "Way(32)"),
    "a field's default": ("kind: Kind = Kind.UP", "kind: Kind = Kind.DOWN"),
    "a member's value": ("UP = 1", "UP = 3"),
    "a method": ("self.kind.value * 1.0", "self.kind.value * 2.0"),
    "a named tuple": ("Pair(1.5)", "Pair(2.5)"),
    "a method of a named tuple": ('return "pair"', 'return "pairs"'),
    "a number of a class": ("FIRST = 4", "FIRST = 5"),
    "a static method": ("return 8", "return 9"),
    "the name": ("scaled", "other"),
    "a default": ("tile: int = 64", "tile: int = 32"),
    "an option": ("workgroup=64", "workgroup=32"),
    "another option": ("workgroup=64", "workgroup=64, subgroup=32"),
    "what is asked of a pass": ("workgroup=64", "workgroup=64, persist=True"),
    "a pass's number for its truth": ("workgroup=64", "workgroup=64, persist=1"),
    "fastmath": ("workgroup=64", "workgroup=64, fastmath='approx'"),
    "the target": ("workgroup=64", "workgroup=64, target='gfx942'"),
    "a size by a function": ("workgroup=64", "workgroup=lambda tile, kind: tile"),
    "the text": ("i = lw.block(tile)", "i = (lw.block(tile))"),
}
SAME = {
    "lines above": ("import dataclasses", "# said\n\nimport dataclasses"),
    "what it does not name": ("SCALE =", "OTHER = 5\nSCALE ="),
    "a helper's comment": ("return below(x)", "# twice\n    return below(x)"),
    "where it runs": ('device="emulated"', 'device="cuda"'),
}
NOT_UNDERSTOOD = {
    "a value of kernels.Any": ("SCALE = 2.0", "class Any:\n    def __radd__(self, _): ...\nSCALE = Any()"),
    "class kernels.A": ("SCALE = 2.0", "class Meta(type):\n    x = 1\nclass A(metaclass=Meta): ...\nSCALE = A"),
    "function __import__": ("math.sqrt(4.0)", "__import__('time').time()"),
    "function time": ("import dataclasses", "import time, dataclasses", "math.sqrt(4.0)", "time.time()"),
    "value of os._Environ": ("import dataclasses", "import os, dataclasses", "math.sqrt(4.0)", "len(os.environ)"),
    "method random of Random": (
        "import dataclasses", "import random, dataclasses", "math.sqrt(4.0)", "random.random()",
    ),
    "IMPORT_NAME of 'time'": ("return below(x)", "import time\n    return below(x)"),
    "function getattr": ("math.sqrt(4.0)", "getattr(WAY, 'tile')"),
    "function globals": ("math.sqrt(4.0)", "globals()['SCALE']"),
    "the attribute '__globals__'": ("math.sqrt(4.0)", "below.__globals__['SCALE']"),
    "module numpy itself": ("math.sqrt(4.0)", "len([np])"),
    "module math itself": ("factory(5.0)", "factory(math)", "+ step", "+ (lambda m: m.pi)(step)"),
    "module math itself is": ("(1.0, [3.0])", "(1.0, [math])"),
    "STORE_GLOBAL of 'SCALE'": ("return below(x)", "global SCALE\n    SCALE += 1\n    return below(x)"),
    "'step' is set": ("i = lw.block(tile)", "nonlocal step\n        step += 1\n        i = lw.block(tile)"),
    "function print": ("def below(x):", "def below(x):\n    print(x)"),
    "a value of itertools.count": ("SCALE = 2.0", "import itertools\nSCALE = itertools.count()"),
    "array of objects": ("np.arange(3, dtype=np.float32)", "np.array([None])"),
    "too much of it": ("SCALE = 2.0", "SCALE = [(n,) for n in range(30_000)]"),
}  # fmt: skip
"""What is said of it, and how the text is changed."""
_numbers = itertools.count()


def module(folder: Path, text: str, *changes: str) -> types.ModuleType:
    """A module of a text in which every other string stands for the one before; each is in a file of its own."""
    for old, new in zip(changes[::2], changes[1::2], strict=True):
        assert old in text
        text = text.replace(old, new)
    path = folder / f"kernels{next(_numbers)}.py"
    path.write_text(text)
    spec = spec_from_file_location("kernels", path)
    assert spec is not None and spec.loader is not None
    made = module_from_spec(spec)
    sys.modules["kernels"] = made  # data classes look there
    try:
        spec.loader.exec_module(made)
    finally:
        del sys.modules["kernels"]
    return made


def untraced(written: Written) -> Any:
    raise AssertionError(f"{written.function} is traced")


def key(kernel: Kernel, *given: Any, **named: Any) -> str:
    """Under what a kernel is kept, before it is traced."""
    arguments, chosen = kernel.signature.bound(given or (lw.f32[None], lw.f32[None]), named)
    names = [p.name for p in kernel.signature.arguments]
    constants = dict(zip(kernel.signature.constants, chosen, strict=True))
    written = Written(untraced, kernel.function, names, kernel.signature.types(arguments), constants, kernel.options)
    target = lanewise.find_chip(kernel.target) if isinstance(kernel.target, str) else kernel.target
    return FromPython(written, target, kernel.fastmath).key("this compiler")


def kernel_of(made: types.ModuleType) -> Kernel:
    found: Kernel = getattr(made, "scaled", None) or made.other
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kernels")


@pytest.fixture(scope="module")
def first(folder: Path) -> Kernel:
    return kernel_of(module(folder, TEXT))


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_decides_the_code_is_in_the_key(folder: Path, first: Kernel, change: tuple[str, str]) -> None:
    assert key(kernel_of(module(folder, TEXT, *change))) != key(first)


@pytest.mark.parametrize("change", [(), *SAME.values()], ids=["nothing", *SAME])
def test_what_decides_nothing_is_not(folder: Path, first: Kernel, change: tuple[str, ...]) -> None:
    assert key(kernel_of(module(folder, TEXT, *change))) == key(first)


@pytest.mark.parametrize(("said", "change"), NOT_UNDERSTOOD.items(), ids=NOT_UNDERSTOOD)
def test_what_is_not_understood(folder: Path, said: str, change: tuple[str, ...]) -> None:
    with pytest.raises(NotUnderstood, match=said):
        Deciding().kernel(kernel_of(module(folder, TEXT, *change)).function)


def test_arguments_and_constants_are_in_the_key(folder: Path, first: Kernel) -> None:
    kind, one = module(folder, TEXT), lw.f32[None]
    keys = [
        key(first),
        key(first, lw.f16[None], one),
        key(first, one, lw.f16[None]),
        key(first, lw.f32[64], one),
        key(first, lw.f32["n"], one),
        key(first, lw.f32[None, None], one),
        key(first, lw.f32[None].strided(None), one),
        key(first, lw.f32, one),
        key(first, tile=32),
        key(first, tile=64.0),
        key(first, kind=kind.Kind.UP),
        key(first, kind=kind.Kind.DOWN),
        key(first, kind=kind.Way(3)),
        key(first, kind=np.float32),
        key(first, kind=np.dtype("float32")),
        key(first, kind=lw.f32),
        key(first, kind=lw.exp),
        key(first, kind=lw.exp2),
        key(first, kind=lambda x: x),
        key(first, kind=lambda x: -x),
        key(first, kind=lanewise.NestedLayout((1,), (1,), (1,), (64,), (1,), (0,), (1,))),
        key(first, kind=lanewise.NestedLayout((1,), (1,), (1,), (32,), (2,), (0,), (1,))),
    ]
    assert len({*keys}) == len(keys)
    assert key(first, kind=module(folder, TEXT).Kind.UP) == keys[10]


def test_a_file_that_has_changed_since_it_was_imported(folder: Path) -> None:
    """Neither its old code nor its new text is found for the other."""
    old = module(folder, TEXT)
    new = TEXT.replace("lw.block(tile)", "lw.block(SCALE)")
    assert old.__file__ is not None
    Path(old.__file__).write_text(new)
    linecache.checkcache(old.__file__)
    with pytest.raises(NotUnderstood, match="has changed since it was imported"):
        Deciding().kernel(old.scaled.function)
    Path(old.__file__).write_text(TEXT.replace("* SCALE", "/ SCALE"))  # the same names and constants
    linecache.checkcache(old.__file__)
    keys = {key(old.scaled), key(module(folder, TEXT).scaled), key(module(folder, TEXT, "* SCALE", "/ SCALE").scaled)}
    assert len(keys) == 3


def test_a_function_without_text_is_known_by_its_code() -> None:
    def made(by: float) -> Kernel:
        names: dict[str, Any] = {"lw": lw}
        exec(f"def scaled(x, y):\n    i = lw.block(64)\n    y[i] = x[i] * {by}", names)
        return lanewise.kernel(workgroup=64, device="emulated")(names["scaled"])

    assert key(made(2.0)) == key(made(2.0)) != key(made(3.0))


# Launches

DOUBLE = """
import lanewise, lanewise.lang as lw

FACTOR = 2.0

@lanewise.kernel(workgroup=32, device=DEVICE, target="sm_90")
def rows(x, y):
    row, column = lw.block(1, "y"), lw.block(32)
    y[row, column] = x[row, column] * FACTOR
"""
EMULATED = "DEVICE", "'emulated'"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], lanewise.KernelCache]:
    """The folder that launches use; each call is another process's look at it, with nothing in memory."""

    def again() -> lanewise.KernelCache:
        environment._cache_at.cache_clear()  # pyright: ignore[reportPrivateUsage]
        found = environment.standing_cache()
        assert found is not None
        return found

    monkeypatch.setenv("LANEWISE_CACHE", str(tmp_path / "kept"))
    return again


@pytest.fixture
def traces(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of what was traced."""
    found: list[str] = []
    traced = program.traced

    def counted(places: Any, prepared: Any, function: types.FunctionType, *asked: Any) -> program.Program:
        found.append(function.__name__)
        return traced(places, prepared, function, *asked)

    monkeypatch.setattr(program, "traced", counted)
    return found


def launched(kernel: Kernel, factor: float = 2.0) -> None:
    """On the grid that follows from it: 3 rows of 2 pieces."""
    x, y = np.arange(150, dtype=np.float32).reshape(3, 50), np.zeros((3, 50), np.float32)
    kernel(x, y)
    assert (y == factor * x).all()


Again = Callable[[], lanewise.KernelCache]


def test_a_kernel_is_found_before_it_is_traced(tmp_path: Path, cache: Again, traces: list[str]) -> None:
    cache()
    launched(module(tmp_path, DOUBLE, *EMULATED).rows)
    assert traces == ["rows"] and len(cache().files()) == 1
    found = module(tmp_path, DOUBLE, *EMULATED).rows
    launched(found)
    launched(found)  # by the way of launches that are known
    x = np.zeros((7, 33), np.float32)
    assert found.grid_for(x, x) == (2, 7, 1)
    assert traces == ["rows"] and len(cache().files()) == 1
    assert "arith.mulf" in found.vector_ir and traces == ["rows"] * 2


def test_what_has_changed_is_compiled(tmp_path: Path, cache: Again, traces: list[str]) -> None:
    cache()
    launched(module(tmp_path, DOUBLE, *EMULATED).rows)
    cache()
    launched(module(tmp_path, DOUBLE, *EMULATED, "FACTOR = 2.0", "FACTOR = 3.0").rows, 3.0)
    assert traces == ["rows"] * 2 and len(cache().files()) == 2


def test_what_is_not_understood_is_kept_by_its_program(tmp_path: Path, cache: Again, traces: list[str]) -> None:
    text = DOUBLE.replace("FACTOR\n", "FACTOR * (print() or 1.0)\n")
    for count in (1, 2):
        cache()
        launched(module(tmp_path, text, *EMULATED).rows)
        assert traces == ["rows"] * count and len(cache().files()) == 1


def test_a_debug_run_of_a_kernel_that_was_found(tmp_path: Path, cache: Again, traces: list[str]) -> None:
    cache()
    launched(module(tmp_path, DOUBLE, *EMULATED).rows)
    cache()
    found = module(tmp_path, DOUBLE, *EMULATED).rows
    launched(found.debug)
    assert traces == ["rows"]
    x, y = np.ones((3, 50), np.float32), np.zeros((3, 50), np.float32)
    assert lanewise.validate(found, None, x, y, on="reference").verdict == "right"


def test_a_damaged_file_is_made_again(tmp_path: Path, cache: Again, traces: list[str]) -> None:
    launched(module(tmp_path, DOUBLE, *EMULATED).rows)
    (file,) = cache().files()
    data = bytearray(Path(file.path).read_bytes())
    data[-1] ^= 1
    Path(file.path).write_bytes(data)
    cache()
    with pytest.warns(lanewise.CacheWarning, match="damaged"):
        launched(module(tmp_path, DOUBLE, *EMULATED).rows)
    cache()
    launched(module(tmp_path, DOUBLE, *EMULATED).rows)
    assert traces == ["rows"] * 2


def test_the_cache_that_a_decorator_says(tmp_path: Path, cache: Again, traces: list[str]) -> None:
    here = f"cache=lanewise.KernelCache({str(tmp_path / 'here')!r}), device"
    for words, count in ((here, 1), (here, 1), ("cache='off', device", 2), ("cache='off', device", 3)):
        launched(module(tmp_path, DOUBLE, *EMULATED, "device", words).rows)
        assert len(traces) == count
    assert not cache().files() and len(lanewise.KernelCache(tmp_path / "here").files()) == 1
    with pytest.raises(TypeError, match=r"a cache as 'auto', 'off' or lanewise.KernelCache"):
        lanewise.kernel(workgroup=64, cache="on")  # type: ignore[arg-type]


FIRST_LEVEL = """
import json, sys
import numpy as np
import lanewise
sys.path.insert(0, sys.argv[1])
from kept import lw, rows

two = lw.f32[None, None]
device = rows.compile(two, two).device

x, y = (lanewise.DeviceArray(device, (3, 50), np.float32) for _ in "xy")
rows(x, y)
print(json.dumps(sorted(sys.modules)))
"""
MOST = 97
"""Modules of the package that a process loads to launch what it finds."""
NEVER = (
    "lanewise.ir.dialects", "lanewise.ir.parser", "lanewise.ir.core", "lanewise.layout", "lanewise.lang.values",
    "lanewise.lang.program", "lanewise.codegen.llvm", "llvmlite", "ml_dtypes",
)  # fmt: skip


def test_a_process_that_finds_its_kernel(stub_driver: Path, tmp_path: Path) -> None:
    """The first process compiles; the second imports nothing that compiles."""
    (tmp_path / "kept.py").write_text(DOUBLE.replace("DEVICE", "'cuda'"))
    stub = {"LD_LIBRARY_PATH": str(stub_driver), "STUB_DRIVER": "13010", "LANEWISE_CACHE": str(tmp_path / "kernels")}
    command = [sys.executable, "-c", FIRST_LEVEL, str(tmp_path)]
    runs = [subprocess.run(command, env=os.environ | stub, capture_output=True, text=True, check=False) for _ in "12"]
    assert [done.stderr for done in runs] == ["", ""]
    first, second = (json.loads(done.stdout) for done in runs)
    assert {*NEVER} - {"ml_dtypes"} <= {*first}
    assert not [name for name in second if name.startswith(NEVER)]
    ours = [name for name in second if name.partition(".")[0] == "lanewise"]
    assert len(ours) <= MOST, f"{len(ours)}: {ours}"


def test_a_module_behind_256_names_is_understood() -> None:
    """The instruction that asks for its attribute has a number of two bytes, the first of them in one of its own."""
    numbers = {f"N{i}": i for i in range(300)}
    names: dict[str, Any] = {"math": math, **numbers}
    exec("\n".join(["def many():", *(f"    v = {name}" for name in numbers), "    return math.pi"]), names)
    assert "pi" in str(Deciding().of(names["many"]))
