"""`lanewise inspect`: all stages of a kernel side by side, as one page of HTML."""

from __future__ import annotations

import argparse
from contextlib import nullcontext

from ..check.counts import Measurement
from ..jit.kernel import Kernel
from ..jit.write import OutputError
from ..show.inspect import inspect_measured
from .files import write_output
from .inputs import COMPILE_ITS_PROGRAM, read_arguments, read_kernel
from .progress import limited, waiting


def execute(options: argparse.Namespace) -> int:
    asked = read_kernel(options)
    kernel = asked.kernel
    if not isinstance(kernel, Kernel):
        raise OutputError(f"{options.file}: a compiled kernel has no stages to show; {COMPILE_ITS_PROGRAM}")
    inputs = None
    if options.counts or options.args is not None or (options.set and asked.taken is None):
        inputs = read_arguments(options, asked, "written")
    quiet = waiting(f"compiling {kernel.name}") if inputs is None else nullcontext()
    with limited(options) as limits, quiet:
        page = inspect_measured(Measurement(kernel, inputs, general=options.general, limits=limits))
    write_output(page.html, options.output)
    return 0
