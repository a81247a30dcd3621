"""The package's face: what it offers, and that asking for one thing does not load the rest."""

from __future__ import annotations

import subprocess
import sys

import lanewise
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
