"""`lanewise check`: what is wrong with a program, or slow, before any code is generated."""

from __future__ import annotations

import argparse
import json

from ..check.inputs import Inputs
from ..jit.kernel import Kernel
from ..jit.write import OutputError
from ..show.checks import check
from ..show.checks_parts import Checked, Finding
from .inputs import COMPILE_ITS_PROGRAM, Asked, inputs_text, read_arguments, read_kernel
from .progress import limited
from .tables import EXIT_CODES, print_table


def execute(options: argparse.Namespace) -> int:
    asked = read_kernel(options)
    source, kernel = asked.source, asked.kernel
    if not isinstance(kernel, Kernel):
        raise OutputError(f"{options.file}: a compiled kernel was checked before; {COMPILE_ITS_PROGRAM}")
    inputs = _arguments(options, asked)
    with limited(options) as limits:
        found = check(kernel, inputs, limits)
    if options.json:
        print(json.dumps(found.as_dict(), indent=2))
    else:
        _print(found, source.name)
    return EXIT_CODES[found.verdict]


def _arguments(options: argparse.Namespace, asked: Asked) -> Inputs | None:
    """Those of a launch, where the file or the command line names one."""
    if inputs_text(options, asked.source, asked.kernel.name) is None:
        return None
    return read_arguments(options, asked, "written")


def _print(found: Checked, name: str) -> None:
    title = f"@{found.kernel} for {found.target}" + (f", launched on {found.launch}" if found.launch else "")
    how = {"proven": "all launches", "seen": "one launch", "": ""}
    rows = [(j.subject, j.verdict, how[j.how], j.why) for j in found.judgements]
    print_table(("subject", "verdict", "of", "why"), rows, title)
    for finding in found.findings:
        print(_line(finding, name))
    print(found.verdict)


def _line(f: Finding, name: str) -> str:
    place = f"{name}:{f.line}: " if f.line else f"{name}: "
    other = f" (and line {f.other})" if f.other != f.line else ""
    other += f" (memory of line {f.made})" if f.made else ""
    of = "in all launches" if f.how == "proven" else "on this launch"
    return f"{place}{'error' if f.verdict == 'WRONG' else 'slow'}: {f.message}{other} [{f.subject}, {of}]"
