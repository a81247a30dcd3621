"""Kernels in Python of the command line: `FILE.py[:KERNEL]`, traced for what `--set` and annotations say."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ..check.in_python import Taken
from ..check.inputs_grammar import inputs_of, read_comments, read_inputs
from ..lang.file_arguments import asked_of
from ..lang.python_file import PythonFileError, code_of_user, kernel_in
from ..support.diagnostics import Source
from ..support.named_tuples import NamedTuple
from .option_values import python_file


class Traced(NamedTuple):
    """A kernel of a file.

    Attributes:
        source: The file's text.
        taken: What it was traced for.
    """

    source: Source
    taken: Taken


def read_python_kernel(options: argparse.Namespace) -> Traced | None:
    """The kernel of a file of Python that the options name; None where they name another file.

    Executes the file, and says on standard error what was assumed of arguments. Raises SourceError, PythonFileError,
    ParametersError, and what tracing does."""
    named = python_file(options.file)
    if named is None:
        return None
    path, name = Path(named[0]), named[1]
    if name is not None and options.kernel not in (None, name):
        raise PythonFileError(f"{path}: error: '{name}' is named, and --kernel {options.kernel}: name one")
    kernel, source, _ = kernel_in(path, name or options.kernel)
    asked = asked_of(kernel, source, dict(options.set), _sizes(options, source, kernel.function.__name__))
    if asked.assumed:
        said = ", ".join(asked.assumed)
        print(f"note: assumed of what no annotation says: {said}; --set NAME=TYPE says it", file=sys.stderr)
    _, constants = kernel.signature.bound(asked.types, asked.constants)
    with code_of_user(path, "when its kernel is traced"):
        found = kernel.specialised(asked.types, constants)
        _ = found.module
    return Traced(source, Taken(kernel, found, constants))


def _sizes(options: argparse.Namespace, source: Source, kernel: str) -> set[str]:
    """What a command that launches can set of its arguments."""
    if not hasattr(options, "args"):
        return set()
    text = inputs_of(read_comments(source), kernel) if options.args is None else read_inputs(options.args, "--args")
    return {item.name for item in text.sizes if item.name} if text is not None else set()
