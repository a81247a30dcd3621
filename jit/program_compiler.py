"""From a program to the compiler of one of its kernels: read, checked, the chip chosen."""

from __future__ import annotations

from collections.abc import Iterable

from ..frontend.legalise import with_arguments
from ..frontend.stated_target import stated_target
from ..ir.attributes import StringAttr
from ..ir.core import Operation
from ..ir.fastmath import permitted
from ..ir.kernels import Kernel as KernelView
from ..ir.kernels import find_kernel
from ..pipeline.compilation import check_left_out
from ..pipeline.settings import Settings
from ..support.diagnostics import Report, Source
from ..targets import Chip, find_chip
from .compiler import Compiler
from .device_choice import DEFAULT_TARGET
from .source import Verified, module_of, parse


def compiler_of(
    program: Source | Operation | Verified,
    target: Chip | None,
    kernel: str | None,
    fastmath: str,
    settings: Settings,
    files: Iterable[Source] = (),
) -> Compiler:
    """The arguments are the fields of `FromProgram`. Raises what `lanewise.compile` does."""
    if isinstance(program, Source):
        module = permitted(parse(program.text, program.name, files), fastmath, own=True)
    else:
        module = permitted(module_of(program), fastmath)
    view = find_kernel(with_arguments(module), kernel)
    for name in settings.without:
        check_left_out(name, view)
    return Compiler(module, view, _chip(module, view, target), settings)


def chip_of(module: Operation, kernel: str | None, target: str | Chip | None) -> Chip:
    """The chip that a kernel of a module is compiled for, by what is asked for and what the program says."""
    return _chip(module, find_kernel(with_arguments(module), kernel), target)


def _chip(module: Operation, kernel: KernelView, target: str | Chip | None) -> Chip:
    """What is asked for; else what the program says: `lanewise.target`, or the GPU that it is for."""
    if isinstance(target, Chip):
        return target
    if target is not None:
        return find_chip(target)
    own = module.attributes.get("lanewise.target")
    if isinstance(own, StringAttr):
        return find_chip(own.value)
    stated = stated_target(kernel, Report())
    return find_chip(DEFAULT_TARGET if stated is None else stated.target.arch)
