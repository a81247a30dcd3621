"""`lanewise validate`: a table of executors and how far they are from the reference."""

from __future__ import annotations

import argparse
import json
import textwrap

from ..check.executors import chosen
from ..check.report import Check, Report, worst
from ..check.validate import validate_specialised
from .inputs import read_arguments, read_kernel
from .progress import limited
from .remarks import RemarkPrinter
from .tables import EXIT_CODES, print_table, print_verdict


def execute(options: argparse.Namespace) -> int:
    chosen(options.on)  # what is wrong there is told before anything is compiled
    asked = read_kernel(options)
    reports: dict[str, Report] = {}
    for data in options.data:
        inputs = read_arguments(options, asked, data)
        with limited(options) as limits:
            reports[data] = validate_specialised(
                asked.on(inputs), options.on, limits=limits, arithmetic=options.arithmetic
            )
    if options.remarks:
        RemarkPrinter().print(asked.kernel.remarks_of_launches)
    verdict = worst(report.verdict for report in reports.values())
    if options.json:
        print(
            json.dumps(
                {
                    "ok": verdict == "right",
                    "verdict": verdict,
                    "data": {name: report.as_dict() for name, report in reports.items()},
                },
                indent=2,
            )
        )
    else:
        for name, report in reports.items():
            _print(name, report)
        print_verdict(verdict, next(iter(reports.values())))
    return EXIT_CODES[verdict]


def _print(data: str, report: Report) -> None:
    title = f"@{report.kernel} for {report.target}, grid {report.grid}, {data} data: {', '.join(report.arguments)}"
    columns = ("executor", "run", "compared with", "largest error", "time", "verdict")
    print_table(columns, [_row(check) for check in report.checks], title)
    for name, reason in report.skipped.items():
        print(f"{name} skipped: {reason}")
    printed = report.checks[0].printed if report.checks else ""
    if printed:
        print("printed:")
        print(textwrap.indent(printed, "  "), end="")
    for check in report.checks:
        for finding in check.findings():
            print(finding)


def _row(check: Check) -> tuple[str, ...]:
    error = f"{check.max_ulps} ulps" if check.against else ""
    return check.executor, check.run, check.against, error, f"{1000 * check.seconds:.1f} ms", check.verdict
