"""The package's face: what it offers, and that asking for one thing does not load the rest."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import lanewise
import numpy as np
import pytest


def loaded_after(program: str) -> set[str]:
    """Modules that a fresh process has after running a program."""
    text = f"import sys\n{program}\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_every_public_name_is_there() -> None:
    for name in lanewise.__all__:
        assert getattr(lanewise, name) is getattr(lanewise, name)
    assert set(lanewise.__all__) <= set(dir(lanewise))
    assert set(lanewise.__all__) == set(lanewise._HOMES)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'compyle'"):
        lanewise.compyle  # noqa: B018


def test_what_is_given_is_refused_by_what_was_expected(tmp_path: Path) -> None:
    """Callers may have no types; what they read names what they gave, not a place inside."""
    kernel = lanewise.compile(
        "gpu.func @k(%x: memref<4xf32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {gpu.return}"
    )
    validate = lanewise.validate
    x = np.zeros(4, np.float32)
    kernel.save(tmp_path / "k.lw")
    kernel.save(tmp_path / "bare.lw", program=False)
    loaded, bare = lanewise.load(tmp_path / "k.lw"), lanewise.load(tmp_path / "bare.lw")
    layout = lanewise.NestedLayout((1,), (1,), (1,), (32,), (4,), (0,), (1,))
    calls: list[tuple[Callable[..., object], tuple[object, ...], str]] = [
        (lanewise.compile, (None,), "a program is text, a path or a module, found NoneType"),
        (lanewise.compile, (str(tmp_path / "k.lw"),), "found a compiled kernel: `lanewise.load` reads it"),
        (lanewise.compile, ("folder/kernel",), "folder/kernel: No such file"),
        (partial(lanewise.compile, fastmath=True), (kernel.view.op,), "fastmath is 'none' or 'approx', found True"),
        (lanewise.parse, (3,), "the text of a program is expected, found int 3"),
        (lanewise.print_program, (kernel,), "a module, as lanewise.parse gives it, is expected, found Kernel"),
        (lanewise.load, (3,), "the path of a compiled kernel's file is expected, found int 3"),
        (kernel.save, (3,), "the path of a file is expected, found int 3"),
        (kernel.variant, (3,), "facts of arguments, such as kernel.best_facts, is expected, found int 3"),
        (partial(kernel.launch, 1, y=x), (), r"1 argument \(x\), found y="),
        (partial(kernel.launch, 1, x, x=x), (), r"1 argument \(x\), found x= besides 1 by position, which has it"),
        (validate, (3, 1, x), "as lanewise.compile or lanewise.load gives it, or a program is expected, found int 3"),
        (validate, (kernel, x), r"one to three numbers of workgroups, each at least 0; found ndarray float32\[4\]"),
        (partial(validate, on=3), (kernel, 1, x), "a list of executors, .*, is expected, found int 3"),
        (partial(validate, on=[3]), (kernel, 1, x), r"a name of an executor \(reference, eager, interpret"),
        (partial(validate, tolerance=0.1), (kernel, 1, x), r"a lanewise.Tolerance, .*, is expected, found float 0.1"),
        (partial(validate, limits=3), (kernel, 1, x), "lanewise.Limits.* is expected, found int 3"),
        (lanewise.Limits, ("3",), "a number of seconds is expected, found str '3'"),
        (lanewise.Limits, (0,), "a number of seconds above 0 is expected, found 0"),
        (lanewise.NestedLayout, (1, 1, 1, 32, 4, 0, 1), "subgroup_tile is 1, expected integers"),
        (layout.coordinate, ("3", 0, 32), "the thread is '3', expected an integer"),
        (layout.coordinate, (3, 0.5, 32), "the register is 0.5, expected an integer"),
        (layout.owners, (3, 32, 32), "coordinate is 3, expected integers, one for each dimension"),
    ]
    for function, arguments, message in calls:
        with pytest.raises(lanewise.LanewiseError, match=message):
            function(*arguments)
    for file, where in ((loaded, "`kernel.recompiled.layout_ir`"), (bare, "compile the program, which was not kept")):
        with pytest.raises(AttributeError, match=f"machine text and code, no 'layout_ir': {where}"):
            _ = file.layout_ir
        assert not hasattr(file, "layout_ir") and not hasattr(file, "lay")


def test_parsing_and_printing_need_no_numpy_free_layers() -> None:
    modules = loaded_after("import lanewise; lanewise.print_program(lanewise.parse('module {}'))")
    assert not {m for m in modules if m.startswith(("llvmlite", "cuda", "rich", "lanewise.codegen", "lanewise.layout"))}


def test_opt_loads_neither_the_compiler_nor_the_devices() -> None:
    program = (
        "import io; sys.stdin = io.TextIOWrapper(io.BytesIO(b'module {}')); sys.stdout, o = io.StringIO(), sys.stdout"
    )
    modules = loaded_after(f"{program}\nfrom lanewise.__main__ import main\nmain(['opt', '-'])\nsys.stdout = o")
    assert not {m for m in modules if m.startswith(("llvmlite", "cuda", "rich", "lanewise.emulate"))}


def test_the_package_runs_as_a_module() -> None:
    done = subprocess.run([sys.executable, "-m", "lanewise", "--version"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, f"lanewise {lanewise.__version__}")


def test_a_call_without_a_program_names_the_function_that_was_called() -> None:
    with pytest.raises(TypeError, match=r"^compile\(\) missing 1 required positional argument: 'source'"):
        lanewise.compile()  # type: ignore[call-arg]
