"""Kernels from a cache are what compiling them gives; what launches do not need is compiled when it is asked for."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lanewise
import lanewise.lang as lw
import numpy as np
import pytest
from lanewise.ir.attributes import StringAttr
from lanewise.jit import program_compiler
from lanewise.jit.facts import GENERAL
from lanewise.jit.kernel import compile as compile_kernel
from lanewise.jit.kernel_file import decode
from lanewise.jit.source import Verified
from lanewise.jit.variants import MOST_VARIANTS

from .conftest import DOUBLE, again, compiled, launch

COUNTS = 100, 99  # 4 divides the first


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The programs that are read."""
    found: list[object] = []
    real: Callable[..., Any] = program_compiler.compiler_of

    def counted(program: object, *rest: Any) -> Any:
        found.append(program)
        return real(program, *rest)

    monkeypatch.setattr(program_compiler, "compiler_of", counted)
    return found


def test_what_is_found_is_not_read(cache: lanewise.KernelCache, reads: list[object]) -> None:
    first = compiled(cache)
    launch(first)
    assert len(reads) == 1
    for found in (compiled(cache), compiled(again(cache))):
        launch(found)
        assert repr(found) == repr(first) and found.signature == first.signature and found.variant_count == 1
        assert isinstance(found, lanewise.Kernel)
    assert len(reads) == 1


@pytest.mark.parametrize("target", ["sm_90", "gfx942"])
def test_the_rest_is_compiled_when_it_is_asked_for(
    cache: lanewise.KernelCache, target: str, reads: list[object]
) -> None:
    first = compiled(cache, target)
    launch(first)
    found = compiled(again(cache), target)
    launch(found)
    assert len(reads) == 1
    assert found.assembly == first.assembly and len(reads) == 2
    assert found.launched.assembly == first.launched.assembly != first.assembly
    assert found.remarks == first.remarks and found.remarks_of_launches == first.remarks_of_launches
    assert found.thread_ir == first.thread_ir and found.view.name == "double"
    assert found.to_bytes(cubin=False) == first.to_bytes(cubin=False)
    assert len(reads) == 2


def test_the_code_is_that_of_the_compiler(cache: lanewise.KernelCache, there: Path) -> None:
    kept = decode(there.read_bytes(), "it", there.stem)
    (variant,) = kept.variants
    assert variant.text == lanewise.compile(DOUBLE, "sm_90").variant(variant.facts).assembly
    assert variant.facts != GENERAL and kept.program is None and kept.key == there.stem


def test_variants_join_those_that_are_there(cache: lanewise.KernelCache, reads: list[object]) -> None:
    one, other = compiled(again(cache)), compiled(again(cache))
    launch(one, COUNTS[0])
    launch(other, COUNTS[1])  # this one has not found what the first has left meanwhile, but keeps it
    third = compiled(again(cache))
    assert len(reads) == 2 and third.variant_count == 2
    for count in COUNTS:
        launch(third, count)
    assert len(reads) == 2
    fourth = compiled(again(cache))
    assert len(fourth.remarks_of_launches) == 0 and len(reads) == 2, "none has been launched"


def test_what_another_process_adds_is_found(cache: lanewise.KernelCache, reads: list[object]) -> None:
    launch(compiled(again(cache)))
    early = compiled(again(cache))
    launch(compiled(again(cache)), COUNTS[1])
    assert len(reads) == 2
    launch(early, COUNTS[1])
    assert len(reads) == 2, "it was there by the time that it was needed"


def test_there_are_only_so_many(cache: lanewise.KernelCache, monkeypatch: pytest.MonkeyPatch) -> None:
    launch(compiled(cache), COUNTS[0])
    kernel = compiled(again(cache))
    launch(kernel, COUNTS[1])
    x, y = np.arange(COUNTS[0], dtype=np.float32), np.zeros(COUNTS[1], np.float32)
    with monkeypatch.context() as patch:
        patch.setattr("lanewise.jit.kept_variants.MOST_VARIANTS", 2)
        kernel[2](x, y)
        assert (y == 2 * x[:-1]).all() and kernel.variant_count == 2, "the other process's is one of them"
    kernel = compiled(again(cache))
    kernel[2](x, y)
    assert kernel.variant_count == 3 < MOST_VARIANTS


def test_a_gpu_of_amd_needs_code_objects(cache: lanewise.KernelCache, reads: list[object]) -> None:
    launch(compiled(cache, "gfx942"))
    isolated = lanewise.compile(DOUBLE, "gfx942", device="emulated", cache=again(cache), isolate=True)
    launch(isolated)  # makes what a GPU loads, as it says
    assert len(reads) == 2
    (file,) = cache.files()
    (variant,) = decode(Path(file.path).read_bytes(), "it", file.key).variants
    assert variant.image is not None and variant.image[:4] == b"\x7fELF"
    launch(lanewise.compile(DOUBLE, "gfx942", device="emulated", cache=again(cache), isolate=True))
    assert len(reads) == 2


def test_faults_name_lines_of_the_program(cache: lanewise.KernelCache) -> None:
    def fault(kernel: lanewise.Kernel) -> str:
        x, y = np.zeros(64, np.float32), np.zeros(64, np.float32)
        with pytest.raises(lanewise.LaunchError) as raised:
            kernel[1](x, y)
        return str(raised.value)

    outside = DOUBLE.replace("%y[%start] :", "%y[%tile] {in_bounds = [true]} :")
    first = fault(compiled(cache, text=outside))
    assert "<string>:9:" in first
    assert fault(compiled(again(cache), text=outside)) == first


def test_pickled_kernels_take_their_cache_along(cache: lanewise.KernelCache, reads: list[object]) -> None:
    kernel = compiled(cache)
    launch(kernel)
    copied = pickle.loads(pickle.dumps(kernel))
    launch(copied)
    once_more = pickle.loads(pickle.dumps(kernel))
    before = len(reads)
    launch(once_more)
    assert len(reads) == before and pickle.loads(pickle.dumps(cache)).folder == cache.folder


def test_errors_are_those_of_compiling(cache: lanewise.KernelCache) -> None:
    launch(compiled(cache))
    with pytest.raises(lanewise.ParseError):
        compiled(cache, text=DOUBLE + "}")
    with pytest.raises(lanewise.UnknownTargetError):
        compiled(cache, target="sm_1")
    with pytest.raises(lanewise.PassError):
        lanewise.compile(DOUBLE, "sm_90", cache=cache, without=["nothing"])
    with pytest.raises(lanewise.FastMathError):
        lanewise.compile(DOUBLE, "sm_90", cache=cache, fastmath="fast")  # type: ignore[arg-type]
    with pytest.raises(lanewise.DeviceUnavailable):
        lanewise.compile(DOUBLE, "sm_90", device="hip", cache=cache)
    with pytest.raises(lanewise.LanewiseError, match=r"a cache as 'auto', 'off' or lanewise\.KernelCache"):
        lanewise.compile(DOUBLE, "sm_90", cache="/tmp/kernels")  # type: ignore[arg-type]
    assert len(cache.files()) == 1


def test_a_budget_that_was_not_enough_is_still_not(cache: lanewise.KernelCache) -> None:
    launch(compiled(cache))
    small = lanewise.compile(DOUBLE, "sm_90", device="emulated", cache=cache, budget=lanewise.Budget(lines=1))
    with pytest.raises(lanewise.CompileError, match="budget"):
        launch(small)


def test_modules_are_not_kept(cache: lanewise.KernelCache) -> None:
    launch(lanewise.compile(lanewise.parse(DOUBLE), "sm_90", device="emulated", cache=cache))
    assert cache.files() == []


def test_a_file_of_a_cache_is_no_kernel_of_its_own(there: Path) -> None:
    with pytest.raises(lanewise.KernelFileError, match="one of a cache, under"):
        lanewise.load(there)


# Where


def test_the_environment_says_where(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANEWISE_CACHE", str(tmp_path / "named"))
    launch(lanewise.compile(DOUBLE, "sm_90", device="emulated"))
    assert len(lanewise.KernelCache(tmp_path / "named").files()) == 1
    monkeypatch.setenv("LANEWISE_CACHE", "off")
    launch(lanewise.compile(DOUBLE, "sm_80", device="emulated"))
    monkeypatch.setenv("LANEWISE_CACHE", str(tmp_path / "named"))
    launch(lanewise.compile(DOUBLE, "sm_89", device="emulated", cache="off"))
    assert len(lanewise.KernelCache(tmp_path / "named").files()) == 1


def test_the_users_folder_is_the_platforms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from lanewise import environment

    environment._cache_at.cache_clear()
    monkeypatch.setenv("LANEWISE_CACHE", "")
    monkeypatch.setattr("platformdirs.user_cache_dir", lambda name, appauthor: str(tmp_path / name))
    standing = environment.standing_cache()
    assert standing is not None and standing.folder == str(tmp_path / "lanewise")
    assert environment.standing_cache() is standing, "one for all of a process"
    environment._cache_at.cache_clear()
    monkeypatch.setattr("platformdirs.user_cache_dir", lambda name, appauthor: f"~/.cache/{name}")
    assert environment.standing_cache() is None, "nobody's home"
    environment._cache_at.cache_clear()


def test_sources_that_change_while_a_process_runs(cache: lanewise.KernelCache, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it has loaded is neither the old state nor the new one."""
    kernel = compiled(cache)
    assert cache.compiler
    monkeypatch.setattr("lanewise.jit.cache.store.compiler_identity", lambda: "edited")
    launch(kernel)
    assert cache.files() == []


def test_a_package_in_an_archive_keeps_nothing(cache: lanewise.KernelCache, monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> str:
        raise NotADirectoryError(20, "Not a directory", "lanewise.zip/lanewise")

    monkeypatch.setattr("lanewise.jit.cache.store.compiler_identity", none)
    with pytest.warns(lanewise.CacheWarning, match="own files cannot be listed"):
        launch(compiled(cache))
    assert cache.files() == []


def test_two_compilers_share_a_folder(cache: lanewise.KernelCache, monkeypatch: pytest.MonkeyPatch, reads: Any) -> None:
    launch(compiled(cache))
    with monkeypatch.context() as patch:
        patch.setattr("lanewise.jit.cache.store.compiler_identity", lambda: "another version")
        launch(compiled(again(cache)))
        launch(compiled(again(cache)))
    launch(compiled(again(cache)))
    assert len(reads) == 2 and len(cache.files()) == 2


# Kernels in Python


def doubled() -> Any:
    """A kernel anew, as in another process."""

    @lanewise.kernel(workgroup=64, target="sm_90", device="emulated")
    def double(x: lw.Array, y: lw.Array, *, tile: int = 64) -> None:
        i = lw.block(tile)
        y[i] = x[i] + x[i]

    return double


def test_kernels_in_python_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reads: list[object]) -> None:
    monkeypatch.setenv("LANEWISE_CACHE", str(tmp_path / "kernels"))
    x, y = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
    doubled()(x, y)
    assert (y == 2 * x).all() and len(reads) == 1
    kernel = doubled()
    kernel(y, x)
    assert (x == 2 * y).all() and len(reads) == 1
    kernel(y, x, tile=128)
    assert len(reads) == 2, "another program"


def test_a_module_that_was_changed_all_the_same(cache: lanewise.KernelCache) -> None:
    module = lanewise.parse(DOUBLE)
    kernel = compile_kernel(Verified(module), "sm_90", device="emulated", cache=cache)
    write = next(op for op in module.walk() if op.opname == "vector.transfer_write")
    write.attributes["lanewise.evict_priority"] = StringAttr("evict_last")
    launch(kernel)
    assert cache.files() == [], "the key is that of what it was"
