"""From a file and the options of `run` and `validate` to a kernel and its arguments."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ..check.inputs import Data, Inputs, make_inputs
from ..check.inputs_grammar import InputsError, InputsText, inputs_of, read_comments, read_inputs
from ..ir.diagnostics import Diagnostic, Location, Source
from ..jit.kernel import Kernel, compile_program
from ..jit.source import parse
from .files import read_program

if TYPE_CHECKING:
    from ..jit.kernel import DeviceChoice

_HINT = (
    "write one, as in '// lanewise.args N=1000: x = normal(N), y = empty(N); grid = 4' (docs/files.md), or pass --args"
)


def read_kernel(options: argparse.Namespace, device: DeviceChoice = "auto") -> tuple[Source, Kernel]:
    """The kernel that the options name, and the text it is from."""
    source = read_program(options.file)
    module = parse(source.text, source.name)
    return source, compile_program(module, options.target, options.kernel, device)


def read_arguments(options: argparse.Namespace, source: Source, kernel: Kernel, data: Data) -> Inputs:
    """The arguments that the file's comment or `--args` asks for."""
    text = _inputs_text(options, source, kernel.name)
    return make_inputs(text, kernel.signature, sizes=dict(options.set), seed=options.seed, data=data)


def _inputs_text(options: argparse.Namespace, source: Source, kernel: str) -> InputsText:
    if options.args is not None:
        return read_inputs(options.args, "--args")
    found = inputs_of(read_comments(source), kernel)
    if found is None:
        message = f"no `// lanewise.args` comment says what to run @{kernel} on"
        raise InputsError([Diagnostic(message, Location(source, 0), hint=_HINT)])
    return found
