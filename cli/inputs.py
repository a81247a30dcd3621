"""From a file and the options of `run` and `validate` to a kernel and its arguments."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ..check.inputs import Data, Inputs, make_inputs
from ..check.inputs_grammar import InputsError, InputsText, inputs_of, read_comments, read_inputs
from ..codegen.budget import Budget
from ..jit.kernel import compile as compile_program
from ..jit.kernel_file import KernelFileError, decode
from ..jit.launchable import Launchable
from ..jit.loaded import LoadedKernel
from ..jit.source import parse
from ..support.diagnostics import Diagnostic, Location, Source
from ..targets import find_chip
from .files import read_kernel_or_program

if TYPE_CHECKING:
    from ..jit.device_choice import DeviceChoice

_HINT = (
    "write one, as in '// lanewise.args N=1000: x = normal(N), y = empty(N); grid = 4' (docs/files.md), or pass --args"
)


COMPILE_ITS_PROGRAM = "take the program, which Python's `lanewise.load(FILE).program.text` has, if it was kept"


def read_kernel(options: argparse.Namespace, device: DeviceChoice = "auto") -> tuple[Source, Launchable]:
    """The kernel that the options name, from a program or a compiled kernel's file, and the program's text."""
    source = read_kernel_or_program(options.file)
    if isinstance(source, bytes):
        return loaded_kernel(options, source, device)
    module = parse(source.text, source.name)
    budget = Budget(options.budget_lines, options.budget_seconds)
    return source, compile_program(
        module,
        options.target,
        options.kernel,
        device,
        fastmath=options.fastmath,
        isolate=True,
        budget=budget,
        without=options.without,
    )


def loaded_kernel(
    options: argparse.Namespace, data: bytes, device: DeviceChoice = "auto"
) -> tuple[Source, LoadedKernel]:
    """The kernel in a file, if it is what the options ask for, and its program."""
    kernel = LoadedKernel(decode(data, options.file), device)
    if options.target is not None and find_chip(options.target) != kernel.target:
        raise KernelFileError(f"{options.file}: the kernel is for {kernel.target.name}, not for {options.target}")
    if options.kernel not in (None, kernel.name):
        raise KernelFileError(f"{options.file}: the kernel is '@{kernel.name}', not '@{options.kernel}'")
    for option, given in (("--fastmath", options.fastmath != "none"), ("--without", bool(options.without))):
        if given:
            raise KernelFileError(f"{options.file}: the kernel is compiled already; {option} is for programs")
    return kernel.program, kernel


def read_arguments(options: argparse.Namespace, source: Source, kernel: Launchable, data: Data) -> Inputs:
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
