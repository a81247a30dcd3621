"""`lanewise opt`: parses, verifies and prints."""

from __future__ import annotations

import argparse

from ..ir.printer import print_program
from ..jit.source import parse
from .files import read_program, write_output


def execute(options: argparse.Namespace) -> int:
    source = read_program(options.file)
    module = parse(source.text, source.name)
    write_output(print_program(module, options.generic), options.output)
    return 0
