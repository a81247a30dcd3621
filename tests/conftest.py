"""Options and profiles that all tests share."""

from __future__ import annotations

from collections.abc import Generator

import pytest
from hypothesis import settings

settings.register_profile("lanewise", derandomize=True, deadline=None)
settings.load_profile("lanewise")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--require-device",
        action="append",
        choices=("cuda", "hip"),
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
