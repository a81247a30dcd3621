"""`lanewise opt`: parses, verifies and prints, behind passes if some are named."""

from __future__ import annotations

import argparse

from ..ir.printer import print_program
from ..jit.program_compiler import chip_of
from ..jit.source import parse
from ..pipeline.passes import PASSES
from ..pipeline.single import read_request, run_single
from ..support.diagnostics import LanewiseError
from .files import read_program, write_output
from .tables import print_table


def execute(options: argparse.Namespace) -> int:
    if options.list_passes:
        _list()
        return 0
    if options.file is None:
        raise LanewiseError("a FILE is expected, or --list-passes")
    source = read_program(options.file)
    module = parse(source.text, source.name)
    if options.passes:
        requests = [read_request(text) for text in options.passes]
        module = run_single(module, options.kernel, chip_of(module, options.kernel, options.target), requests)
    write_output(print_program(module, options.generic, options.locations), options.output)
    return 0


def _list() -> None:
    print_table(("pass", "what it does"), [(p.name, p.summary) for p in PASSES.values()])
    options = [
        (f"{rewrite.name}={option.name}=..", option.attribute, f"{option.expects}: {option.summary}")
        for rewrite in PASSES.values()
        for option in rewrite.options
    ]
    print()
    print_table(("with an option", "in a program", "what it says"), options)
