"""Options and profiles that all tests share."""

from __future__ import annotations

import ctypes.util
import gc
import shutil
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import settings
from lanewise.distribute import passes
from lanewise.distribute.driver import distribute
from lanewise.ir.kernels import Kernel
from lanewise.jit.device_choice import DRIVERS
from lanewise.layout.check import check_layouts
from lanewise.layout.workgroup import Workgroup
from lanewise.targets import Chip

settings.register_profile("lanewise", derandomize=True, deadline=None)
settings.load_profile("lanewise")


def pytest_configure(config: pytest.Config) -> None:
    """Programs are graphs of many objects, which Python's collector by default looks through every 700 of them."""
    gc.set_threshold(50_000, 20, 50)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--require-device",
        action="append",
        choices=[driver.name for driver in DRIVERS],
        default=[],
        help="fail, instead of skipping, tests marked device(NAME) when the machine cannot run them",
    )

    parser.addoption("--thorough", action="store_true", help="all combinations, where tests take some of them by turns")
    parser.addoption("--upstream-python", default=sys.executable, help="which has IREE's compiler, for `-m judge`")
    parser.addoption("--programs", type=int, default=12, help="random programs of memory accesses to look at")
    parser.addoption("--removals", type=int, default=3, help="random programs whose barriers are taken away in turn")
    parser.addoption(
        "--mutations", type=int, default=0, help="damaged programs to read; 0: as many as a few seconds allow"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Judges are asked by `-m judge` only: they take minutes."""
    if "judge" not in config.option.markexpr:
        for item in items:
            if item.get_closest_marker("judge") is not None:
                item.add_marker(pytest.mark.skip(reason="asked by `-m judge`"))


@pytest.fixture(scope="session", autouse=True)
def layouts_agree() -> Generator[None]:
    """Layouts that are chosen agree, in every program that a test compiles: only those of texts are checked besides."""

    def checked(kernel: Kernel, chip: Chip, subgroup_size: int) -> Kernel:
        check_layouts(kernel.op, Workgroup.of(kernel, chip, subgroup_size))
        return distribute(kernel, chip, subgroup_size)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passes, "distribute", checked)
        yield


@pytest.fixture(scope="session")
def upstream_python(request: pytest.FixtureRequest) -> str:
    """The Python that has IREE's compiler."""
    path: str = request.config.getoption("--upstream-python")
    if subprocess.run([path, "-c", "import iree.compiler.ir"], capture_output=True, check=False).returncode:
        pytest.skip(
            "iree-base-compiler is not installed: the extra `judge` has it, or --upstream-python says where it is"
        )
    return path


@pytest.fixture
def programs(request: pytest.FixtureRequest) -> int:
    number: int = request.config.getoption("--programs")
    return number


@pytest.fixture
def removals(request: pytest.FixtureRequest) -> int:
    number: int = request.config.getoption("--removals")
    return number


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


@pytest.fixture(scope="session")
def stub_driver(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the libcuda of tests/jit/devices/stub_libcuda.c, for LD_LIBRARY_PATH of processes."""
    compiler = shutil.which("cc")
    if compiler is None or sys.platform != "linux":
        pytest.skip("needs a C compiler on Linux")
    pytest.importorskip("cuda.bindings.driver", reason="cuda-python is not installed")
    if ctypes.util.find_library("cuda"):
        pytest.skip("this machine has the driver")
    folder = tmp_path_factory.mktemp("driver")
    source = Path(__file__).parent / "jit/devices/stub_libcuda.c"
    subprocess.run([compiler, "-shared", "-fPIC", "-w", "-o", folder / "libcuda.so.1", source], check=True)
    return folder
