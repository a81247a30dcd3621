"""From a file and the options of `run` and `validate` to a kernel and its arguments."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from ..check.in_python import Specialised, Taken
from ..check.inputs import Data, Inputs, make_inputs
from ..check.inputs_grammar import InputsError, InputsText, inputs_of, read_comments, read_inputs
from ..codegen.budget import Budget
from ..jit.kernel import Kernel
from ..jit.kernel import compile as compile_program
from ..jit.kernel_file import KernelFileError, decode
from ..jit.launchable import Launchable
from ..jit.loaded import LoadedKernel
from ..jit.source import ProgramSource, Verified, parse
from ..support.dataclasses import replace
from ..support.diagnostics import Diagnostic, Location, Source
from ..support.named_tuples import NamedTuple
from ..targets import Chip, find_chip
from .files import read_kernel_or_program
from .option_values import numbers
from .python_kernels import read_python_kernel

if TYPE_CHECKING:
    from ..jit.device_choice import DeviceChoice

_HINT = (
    "write one, as in '{sign} lanewise.args N=1000: x = normal(N), y = empty(N); grid = 4' (docs/files.md), or pass"
    " --args"
)


COMPILE_ITS_PROGRAM = "take the program, which Python's `lanewise.load(FILE).program.text` has, if it was kept"


class Asked(NamedTuple):
    """What the options name.

    Attributes:
        source: The program's text.
        taken: What a kernel in Python was traced for; None of other kernels.
    """

    source: Source
    kernel: Launchable
    taken: Taken | None = None

    def on(self, inputs: Inputs) -> Specialised:
        """The kernel on arguments, as `validate_specialised` takes it."""
        if self.taken is None:
            return Specialised(self.kernel, inputs.grid, inputs.arguments, None)
        return self.taken.on(self.kernel, inputs.grid, inputs.arguments)


def read_kernel(options: argparse.Namespace, device: DeviceChoice = "auto") -> Asked:
    """The kernel that the options name, from a program, a file of Python, or a compiled kernel's file."""
    traced = read_python_kernel(options)
    if traced is not None:
        made = traced.taken.kernel
        fastmath = options.fastmath if options.fastmath != "none" else made.fastmath
        kernel = _compiled(
            options, Verified(traced.taken.found.module), options.target or made.target, fastmath, device
        )
        return Asked(traced.source, kernel, traced.taken)
    source = read_kernel_or_program(options.file)
    if isinstance(source, bytes):
        return Asked(*loaded_kernel(options, source, device))
    module = parse(source.text, source.name)
    return Asked(source, _compiled(options, module, options.target, options.fastmath, device))


def _compiled(
    options: argparse.Namespace,
    program: ProgramSource,
    target: str | Chip | None,
    fastmath: Literal["none", "approx"],
    device: DeviceChoice,
) -> Kernel:
    budget = Budget(options.budget_lines, options.budget_seconds)
    name = None if isinstance(program, Verified) else options.kernel
    settings: dict[str, Any] = {"fastmath": fastmath, "isolate": True, "budget": budget, "without": options.without}
    return compile_program(program, target, name, device, **settings)


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


def read_arguments(options: argparse.Namespace, asked: Asked, data: Data) -> Inputs:
    """The arguments that the file's comment or `--args` asks for; of kernels in Python the grid may follow."""
    text = inputs_text(options, asked.source, asked.kernel.name)
    if text is None:
        sign = "//" if asked.taken is None else "#"
        message = f"no `{sign} lanewise.args` comment says what to run @{asked.kernel.name} on"
        raise InputsError([Diagnostic(message, Location(asked.source, 0), hint=_HINT.format(sign=sign))])
    known = {item.name for item in text.sizes if item.name}
    sizes = dict(options.set)
    if asked.taken is not None:
        sizes = dict(_numbers(text, [(name, value) for name, value in options.set if name in known]))
    made = make_inputs(text, asked.kernel.signature, sizes=sizes, seed=options.seed, data=data)
    if text.grid or asked.taken is None:
        return made
    return replace(made, grid=asked.taken.grid(made.arguments))


def _numbers(text: InputsText, settings: Sequence[tuple[str, str]]) -> list[tuple[str, int | float]]:
    try:
        return numbers(settings)
    except argparse.ArgumentTypeError as error:
        raise InputsError([Diagnostic(f"--set: {error}", text.location)]) from error


def inputs_text(options: argparse.Namespace, source: Source, kernel: str) -> InputsText | None:
    """What the command line says of arguments, else the file; None where neither does."""
    if options.args is not None:
        return read_inputs(options.args, "--args")
    return inputs_of(read_comments(source), kernel)
