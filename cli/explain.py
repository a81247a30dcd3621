"""`lanewise explain`: what became of each operation of a program, and why."""

from __future__ import annotations

import argparse
import json
import re
import sys

from ..jit.kernel import Kernel
from ..jit.write import OutputError
from .inputs import COMPILE_ITS_PROGRAM, read_kernel
from .progress import waiting


def execute(options: argparse.Namespace) -> int:
    kernel = read_kernel(options).kernel
    if not isinstance(kernel, Kernel):
        raise OutputError(f"{options.file}: a compiled kernel has no stages to explain; {COMPILE_ITS_PROGRAM}")
    with waiting(f"compiling {kernel.name}"):
        found = kernel.explain(general=options.general)
    if options.json:
        print(json.dumps(found.as_dict(), indent=2))
    elif sys.stdout.isatty():
        _show(str(found))
    else:
        print(found)
    return 0


_STYLES = (
    (re.compile(r"^ +\| .*$", re.MULTILINE), "dim"),
    (re.compile(r"\[L\d+\]"), "bold cyan"),
    (re.compile(r"^ {1,4}\d+(?=  )", re.MULTILINE), "bold"),
    (re.compile(r"^\S.*\?$", re.MULTILINE), "bold green"),
    (re.compile(r"^ +lost:", re.MULTILINE), "magenta"),
    (re.compile(r"^ +remark:", re.MULTILINE), "yellow"),
)
"""What stands out on a terminal."""


def _show(text: str) -> None:
    from rich.console import Console
    from rich.text import Text

    styled = Text(text)
    for pattern, style in _STYLES:
        styled.highlight_regex(pattern, style)
    Console().print(styled, soft_wrap=True)
