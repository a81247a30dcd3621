"""`--require-device`: a test of hardware that the machine cannot run fails, where it would be skipped."""

from __future__ import annotations

from collections.abc import Generator, Sequence

import pytest


def pytest_addoption(parser: pytest.Parser, names: Sequence[str] | None = None) -> None:
    """`names` are those of drivers; None takes any."""
    parser.addoption(
        "--require-device",
        action="append",
        choices=names,
        default=[],
        help="fail, instead of skipping, tests marked device(NAME) when the machine cannot run them",
    )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A skipped test of a required device is a failure that tells why it was skipped."""
    report = yield
    names = {name for marker in item.iter_markers("device") for name in marker.args}
    required = names.intersection(item.config.getoption("--require-device"))
    if report.skipped and required:
        report.outcome = "failed"
        report.longrepr = (
            f"--require-device {' '.join(sorted(required))}, but the test was skipped: {report.longreprtext}"
        )
    return report
