"""`lanewise run`: compiles, launches on generated arguments, compares with the reference, prints what happened."""

from __future__ import annotations

import argparse
import json

from ..check.compare import Comparison
from ..check.executors import chosen
from ..check.inputs import Inputs
from ..check.report import Check, Report
from ..check.validate import validate_specialised
from ..jit.device_choice import choose_device, driver_of
from ..jit.launchable import Launchable
from .inputs import read_arguments, read_kernel
from .progress import limited
from .remarks import RemarkPrinter
from .tables import EXIT_CODES, print_table, print_verdict


def execute(options: argparse.Namespace) -> int:
    if options.device != "auto":
        chosen(options.device)  # what is wrong there is told before anything is compiled
    asked = read_kernel(options)
    kernel, inputs = asked.kernel, read_arguments(options, asked, options.data)
    executor = options.device
    if executor == "auto":
        found = choose_device("auto", kernel.target)
        executor = driver_of(kernel.target).name if found.properties.dlpack_device else "emulated"
    with limited(options) as limits:
        report = validate_specialised(
            asked.on(inputs), [executor], thorough=False, limits=limits, arithmetic=options.arithmetic
        )
    if options.remarks:
        RemarkPrinter().print(kernel.remarks_of_launches)
    if options.json:
        print(json.dumps(report.as_dict() | {"device": executor, "sizes": dict(inputs.sizes)}, indent=2))
    else:
        _print(kernel, inputs, report)
    return EXIT_CODES[report.verdict]


def _print(kernel: Launchable, inputs: Inputs, report: Report) -> None:
    check = report.checks[-1]
    print(check.printed, end="")
    print(f"@{kernel.name} for {kernel.target.name} on {check.where}")
    print(f"  arguments  {', '.join(inputs.describe(kernel.signature))}")
    print(f"  launch     grid {report.grid}, block {kernel.block_size}")
    print(f"  time       {_times(check)}")
    if check.comparisons:
        columns = ("output", "elements", "wrong", "largest error", "allowed", "verdict")
        print_table(columns, [_row(comparison) for comparison in check.comparisons])
    for finding in (finding for each in report.checks for finding in each.findings()):
        print(finding)
    print_verdict(report.verdict, report)


def _times(check: Check) -> str:
    run = f"{1000 * check.seconds:.1f} ms to run"
    return f"{1000 * check.preparation:.1f} ms to compile and load, {run}" if check.preparation else run


def _row(c: Comparison) -> tuple[str, ...]:
    error = f"{c.max_ulps} ulps ({c.max_absolute:.2g} absolute)"
    verdict = "right" if c.ok else "WRONG"
    return c.buffer, str(c.elements), str(c.mismatches), error, c.allowed, verdict
