"""From a file and the options of `draw` and `owners` to the layout stage of a kernel."""

from __future__ import annotations

import argparse

from ..jit.facts import GENERAL
from ..jit.kernel import Kernel
from ..jit.kernel import compile as compile_program
from ..jit.source import Verified, parse
from ..show.laid_out import LaidOut
from .files import read_kernel_or_program
from .inputs import loaded_kernel
from .python_kernels import read_python_kernel


def read_laid_out(options: argparse.Namespace) -> tuple[LaidOut, str]:
    """The layouts of the kernel that the options name, from a program, a file of Python or a compiled kernel's file
    with its program, and which other variant there is, in words."""
    traced = read_python_kernel(options)
    if traced is not None:
        program, target = Verified(traced.taken.found.module), options.target or traced.taken.kernel.target
        return _laid_out(options, compile_program(program, target, without=options.without))
    source = read_kernel_or_program(options.file)
    if isinstance(source, bytes):
        return _laid_out(options, loaded_kernel(options, source)[1].recompiled)
    module = parse(source.text, source.name)
    return _laid_out(options, compile_program(module, options.target, options.kernel, without=options.without))


def _laid_out(options: argparse.Namespace, kernel: Kernel) -> tuple[LaidOut, str]:
    facts = kernel.best_facts if options.aligned else GENERAL
    other = "" if facts == kernel.best_facts else _OTHER
    return LaidOut(kernel.variant(facts).compilation), other


_OTHER = (
    "the variant for any arguments; that for aligned arrays, which explain and inspect show, may have other layouts:"
    " --aligned"
)
