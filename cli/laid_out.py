"""From a file and the options of `draw` and `owners` to the layout stage of a kernel."""

from __future__ import annotations

import argparse

from ..jit.facts import GENERAL
from ..jit.kernel import compile as compile_program
from ..jit.source import parse
from ..show.laid_out import LaidOut
from ..support.diagnostics import LanewiseError
from .files import read_kernel_or_program
from .inputs import loaded_kernel


def read_laid_out(options: argparse.Namespace) -> LaidOut:
    """The layouts of the kernel that the options name, from a program or a compiled kernel's file with its program."""
    if options.file.endswith(".py"):
        hint = "from Python: lanewise.draw(kernel, NAME), lanewise.owners(kernel, NAME, 3, 17)"
        raise LanewiseError(f"{options.file}: kernels in Python are drawn, and asked, {hint}")
    source = read_kernel_or_program(options.file)
    if isinstance(source, bytes):
        kernel = loaded_kernel(options, source)[1].recompiled
    else:
        module = parse(source.text, source.name)
        kernel = compile_program(module, options.target, options.kernel, without=options.without)
    return LaidOut(kernel.variant(kernel.best_facts if options.aligned else GENERAL).compilation)
