"""Kernels of files of Python, by name: the file is executed, as `import` would, and what its code raises is told by its
own lines."""

from __future__ import annotations

import ast
import os
import sys
import traceback
import types
from collections.abc import Generator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path

from ..ir.did_you_mean import did_you_mean
from ..jit.program_text import SourceError, read_python
from ..support.diagnostics import Diagnostic, LanewiseError, Location, ProgramError, Source
from ..support.named_tuples import NamedTuple
from .python_kernel import Kernel

_PACKAGE = __name__.partition(".")[0] + "."


class PythonFileError(LanewiseError):
    """A file of Python has no such kernel, or its code raises; the message says which there are, or where."""


class Found(NamedTuple):
    """A kernel of a file.

    Attributes:
        text: The whole file.
        module: What it was executed as.
    """

    kernel: Kernel
    text: Source
    module: types.ModuleType


def kernel_in(path: Path, name: str | None) -> Found:
    """Executes a file, with its folder in front of those that `import` searches, and gives its kernel of that name, or
    its only one.

    What it prints goes to standard error. Raises SourceError where there is no such file, PythonFileError."""
    text = read_python(path)
    module = types.ModuleType(f"lanewise file {path.stem}", None)
    module.__file__ = str(path)
    sys.modules[module.__name__] = module  # data classes look for their module there
    with code_of_user(path, "when it is executed"):
        exec(compile(text.text, str(path), "exec", dont_inherit=True), module.__dict__)
    return Found(_chosen(module, path, name), text, module)


def _chosen(module: types.ModuleType, path: Path, name: str | None) -> Kernel:
    """The kernel of a name, of all that the file can name; without one, the only kernel that the file itself makes."""
    named = {key: value for key, value in vars(module).items() if isinstance(value, Kernel)}
    if name is not None:
        if name not in named:
            hint = did_you_mean(name, named) or (f"there are {', '.join(named)}" if named else "there is none")
            raise PythonFileError(f"{path}: error: there is no kernel '{name}'; {hint}")
        return named[name]
    own = {id(k): key for key, k in named.items() if k.function.__module__ == module.__name__} or {
        id(k): key for key, k in named.items()
    }
    if not own:
        raise PythonFileError(f"{path}: error: a kernel is expected, found none: @lanewise.kernel(...) makes them")
    if len(own) > 1:
        names = list(own.values())
        which = f"there are {len(own)} kernels, {', '.join(names)}"
        raise PythonFileError(f"{path}: error: {which}: name one, as in {path}:{names[0]}")
    return named[next(iter(own.values()))]


@contextmanager
def code_of_user(path: Path, when: str) -> Generator[None]:
    """Where code of a file runs. What it raises becomes a PythonFileError with the lines of the user's own code and
    the words `when`; what is wrong with a kernel stays the error that it is."""
    folder = os.path.abspath(path.parent)
    sys.path.insert(0, folder)
    try:
        with redirect_stdout(sys.stderr):
            yield
    except ProgramError:
        raise
    except (Exception, SystemExit) as error:
        lines = _lines_of_user(error)
        if not lines and not isinstance(error, SyntaxError):
            raise  # what a kernel takes, or a fault of ours
        raise PythonFileError(_raised(error, lines, str(path), when)) from error
    finally:
        if folder in sys.path:
            sys.path.remove(folder)


def _lines_of_user(error: BaseException) -> traceback.StackSummary:
    frames = traceback.walk_tb(error.__traceback__)
    own = ((f, line) for f, line in frames if not f.f_globals.get("__name__", "").startswith(_PACKAGE))
    return traceback.StackSummary.extract(own)


def _raised(error: BaseException, lines: traceback.StackSummary, path: str, when: str) -> str:
    """What the code raises, and from where, the innermost line last."""
    own = [entry.lineno for entry in lines if entry.filename == path]
    line = error.lineno if isinstance(error, SyntaxError) and error.filename == path else next(iter(own[-1:]), None)
    what = "ends Python" if isinstance(error, SystemExit) else f"raises {type(error).__name__}"
    where = f"{path}:{line}" if line else path
    shown = "".join([*lines.format(), *traceback.format_exception_only(error)]).rstrip()
    return f"{where}: error: the file {what} {when}\n{shown}"


def source_of(kernel: Kernel, text: Source) -> Source | None:
    """The text that its function stands in, `text` or another file's; None where that cannot be read."""
    name = kernel.function.__code__.co_filename
    try:
        return text if name == text.name else read_python(Path(name))
    except SourceError:
        return None


def place_of(kernel: Kernel, source: Source | None) -> Location | None:
    """Where its function begins in its text."""
    line = kernel.function.__code__.co_firstlineno
    return Location(source, source.offset(line, 1)) if source is not None and source.has(line, 1) else None


def fail_at(place: Location | None, message: str, hint: str) -> ProgramError:
    """An error about a kernel's parameters."""
    return ParametersError([Diagnostic(message, place, hint=hint)])


class ParametersError(ProgramError):
    """What a kernel's parameters are does not follow from its file and what was set; the message says how to say it."""


def definition_of(kernel: Kernel, source: Source | None) -> ast.FunctionDef | None:
    """The function's tree in its text."""
    code = kernel.function.__code__
    tree = ast.parse("" if source is None else source.text)
    functions = (n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef))
    return next((n for n in functions if n.name == code.co_name and _first_line(n) == code.co_firstlineno), None)


def _first_line(function: ast.FunctionDef) -> int:
    return min([function.lineno, *(decorator.lineno for decorator in function.decorator_list)])
