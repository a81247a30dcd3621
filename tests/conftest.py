"""Options and profiles that all tests share."""

from __future__ import annotations

import ctypes.util
import gc
import os
import shutil
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from lanewise.distribute import passes
from lanewise.distribute.driver import distribute
from lanewise.ir.kernels import Kernel
from lanewise.ir.passes import Context
from lanewise.jit.device_choice import DRIVERS
from lanewise.layout.check import check_layouts
from lanewise.layout.contraction import Contractions
from lanewise.layout.workgroup import Workgroup

from . import bytecode, fast, required_devices, turns, warm
from .once import made_once

YOUNG = 300_000
"""How many objects are worth a collection, where a file of tests ends."""

settings.register_profile("lanewise", derandomize=True, deadline=None, max_examples=40)
settings.register_profile("thorough", derandomize=True, deadline=None)
settings.load_profile("lanewise")


def pytest_configure(config: pytest.Config) -> None:
    """What tests do not say themselves: how many examples they take, that no kernel is found that a run kept, and when
    the collector looks through programs and tests, which are graphs of many objects."""
    turns.pytest_configure(config)
    bytecode.keep(config)
    os.environ["LANEWISE_CACHE"] = "off"
    gc.set_threshold(10 * YOUNG, 20, 50)
    if config.getoption("--thorough"):
        settings.load_profile("thorough")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """With `-n` alone a file's tests stay in one process, which keeps what they share; files of many tests go first."""
    if config.getoption("dist") != "load":
        return None
    from xdist.scheduler import LoadFileScheduling

    return LoadFileScheduling(config, log)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Tests that were collected stay: Python's collector need not look at them."""
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None]:
    """What a file's tests leave behind goes, once it is worth a look, and the rest stays: whole collections would take
    seconds at the end of the suite, and collections while programs are alive find little, and took a tenth of the time.
    """
    yield
    if (nextitem is None or nextitem.path != item.path) and gc.get_count()[0] > YOUNG:
        gc.collect(1)
        gc.freeze()


def pytest_addoption(parser: pytest.Parser) -> None:
    required_devices.pytest_addoption(parser, [driver.name for driver in DRIVERS])
    fast.pytest_addoption(parser)
    turns.pytest_addoption(parser)
    parser.addoption("--upstream-python", default=sys.executable, help="which has IREE's compiler, for `-m judge`")
    parser.addoption("--programs", type=int, default=12, help="random programs of memory accesses to look at")
    parser.addoption("--removals", type=int, default=3, help="random programs whose barriers are taken away in turn")
    parser.addoption("--mutations", type=int, default=0, help="so many damaged programs to read, of any test's")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Judges are asked by `-m judge` only: they take minutes."""
    fast.pytest_collection_modifyitems(config, items)
    turns.pytest_collection_modifyitems(config, items)
    if "judge" not in config.option.markexpr:
        for item in items:
            if item.get_closest_marker("judge") is not None:
                item.add_marker(pytest.mark.skip(reason="asked by `-m judge`"))


@pytest.fixture(scope="session", autouse=True)
def layouts_agree() -> Generator[None]:
    """Layouts that are chosen agree, in every program that a test compiles: only those of texts are checked besides."""

    def checked(kernel: Kernel, context: Context) -> Kernel:
        workgroup = Workgroup.of(kernel, context)
        check_layouts(kernel.op, workgroup, context.analyses.get(Contractions, kernel.op))
        return distribute(kernel, context)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passes, "distribute", checked)
        yield


@pytest.fixture(scope="session", autouse=True)
def once() -> Generator[None]:
    with made_once():
        yield
    warm.end()


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


pytest_ignore_collect = fast.pytest_ignore_collect
pytest_runtest_makereport = required_devices.pytest_runtest_makereport


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
