"""Folders and files of a cache that are not as they should be: the kernel is compiled again, and why is said."""

from __future__ import annotations

import errno
import os
import random
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import lanewise
import pytest
from lanewise.jit.cache import files
from lanewise.jit.cache.lock import held
from lanewise.jit.cache.store import together
from lanewise.jit.facts import Facts
from lanewise.jit.kernel_file import encode
from lanewise.jit.saved import SavedKernel
from lanewise.support.dataclasses import replace

from .conftest import KEY, again, compiled, launch

FLIPS = 150


@pytest.fixture
def kept(cache: lanewise.KernelCache, saved: SavedKernel) -> Path:
    """The file of one kernel under KEY."""
    cache.keep(KEY, saved)
    return Path(files.path_of(cache.folder, KEY))


def test_a_kernel_is_found_again(cache: lanewise.KernelCache, kept: Path, saved: SavedKernel) -> None:
    for found in (cache.find(KEY), again(cache).find(KEY)):
        assert found == replace(saved, key=KEY)
    assert cache.find(KEY.replace("0", "1")) is None and [file.path for file in cache.files()] == [str(kept)]


def test_flipped_bits_are_found(cache: lanewise.KernelCache, kept: Path) -> None:
    right, chance = kept.read_bytes(), random.Random(5)
    places = {*range(100), *(chance.randrange(len(right)) for _ in range(FLIPS))}  # all of the first two lines
    for place in places:
        wrong = bytearray(right)
        wrong[place] ^= 1 << chance.randrange(8)
        kept.write_bytes(wrong)
        with pytest.warns(lanewise.CacheWarning, match="the file is removed, and the kernel compiled again"):
            assert again(cache).find(KEY) is None, place
        assert not kept.exists()


def test_cut_files_are_found(cache: lanewise.KernelCache, kept: Path) -> None:
    right = kept.read_bytes()
    for length in (0, 1, 40, 120, 500, len(right) // 2, len(right) - 1):
        kept.write_bytes(right[:length])
        with pytest.warns(lanewise.CacheWarning, match="removed"):
            assert again(cache).find(KEY) is None
    kept.write_bytes(right + b"\n")
    with pytest.warns(lanewise.CacheWarning, match="SHA-256"):
        assert again(cache).find(KEY) is None


def test_a_file_under_another_name_is_none(cache: lanewise.KernelCache, kept: Path, saved: SavedKernel) -> None:
    other = KEY.replace("0", "1")
    kept.rename(files.path_of(cache.folder, other))
    with pytest.warns(lanewise.CacheWarning, match=f"is under {other}, found {KEY}"):
        assert again(cache).find(other) is None
    Path(files.path_of(cache.folder, other)).write_bytes(encode(saved if saved.key == "" else replace(saved, key="")))
    with pytest.warns(lanewise.CacheWarning, match=f"is under {other}, found none"):
        assert again(cache).find(other) is None


def test_a_damaged_kernel_is_compiled_again(cache: lanewise.KernelCache, there: Path) -> None:
    right = there.read_bytes()
    there.write_bytes(right.replace(b"add", b"sub"))
    kernel_cache = again(cache)
    with pytest.warns(lanewise.CacheWarning, match="does not have the SHA-256 that it states"):
        kernel = compiled(kernel_cache)
    launch(kernel)
    assert there.read_bytes() == right


# Disks


class Full:
    """A file on a disk that has room for so many more bytes."""

    def __init__(self, file: Any, room: int) -> None:
        self._file, self._room = file, room

    def __enter__(self) -> Full:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def write(self, data: bytes) -> None:
        self._file.write(data[: self._room])
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk(cache: lanewise.KernelCache, monkeypatch: pytest.MonkeyPatch) -> None:
    real = files._created
    with monkeypatch.context() as patch:
        patch.setattr(files, "_created", lambda path: Full(real(path), 1000))
        kernel = compiled(cache)
        with pytest.warns(lanewise.CacheWarning, match=r"No space left on device; kernels are not kept there") as told:
            launch(kernel)
            launch(kernel, 99)
        assert len(told) == 1 and os.listdir(cache.folder) == []
        launch(compiled(cache))  # in memory it is
    launch(compiled(again(cache)))
    assert len(cache.files()) == 1


@contextmanager
def nobody() -> Generator[None]:
    """Who is root may write everywhere."""
    if os.name != "posix":
        pytest.skip("folders are made read only in other ways")
    if os.geteuid():
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def reachable(tmp_path: Path) -> Path:
    """A folder that everybody gets to."""
    for folder in (tmp_path, *tmp_path.parents):
        if folder.name.startswith(("pytest", "test", "popen")):
            folder.chmod(0o755)
    return tmp_path


def test_a_folder_to_read_only(reachable: Path, saved: SavedKernel) -> None:
    folder = reachable / "kernels"
    cache = lanewise.KernelCache(folder)
    cache.keep(KEY, saved)
    folder.chmod(0o555)
    Path(files.path_of(cache.folder, KEY)).chmod(0o444)
    with nobody():
        reader = again(cache)
        assert reader.find(KEY) == replace(saved, key=KEY)
        with pytest.warns(lanewise.CacheWarning, match="Permission denied; kernels are not kept there"):
            reader.keep(KEY.replace("0", "1"), saved)
    folder.chmod(0o755)
    assert len(cache.files()) == 1


def test_a_file_that_may_not_be_read(reachable: Path, saved: SavedKernel) -> None:
    cache = lanewise.KernelCache(reachable / "kernels")
    cache.keep(KEY, saved)
    Path(cache.folder).chmod(0o555)
    Path(files.path_of(cache.folder, KEY)).chmod(0)
    with nobody(), pytest.warns(lanewise.CacheWarning, match="Permission denied; the kernel is compiled again"):
        assert again(cache).find(KEY) is None


def test_no_folder_can_be_made(reachable: Path, saved: SavedKernel) -> None:
    reachable.chmod(0o555)
    cache = lanewise.KernelCache(reachable / "kernels")
    with nobody(), pytest.warns(lanewise.CacheWarning, match="Permission denied; kernels are not kept there"):
        assert cache.find(KEY) is None
        cache.keep(KEY, saved)
    reachable.chmod(0o755)


def test_a_folder_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "kernels").write_text("mine")
    cache = lanewise.KernelCache(tmp_path / "kernels")
    with pytest.warns(lanewise.CacheWarning) as told:
        launch(compiled(cache))
    assert all("Not a directory" in str(each.message) for each in told) and len(told) == 2  # to read, and to write
    assert (tmp_path / "kernels").read_text() == "mine"


def test_a_folder_in_place_of_a_file(cache: lanewise.KernelCache, saved: SavedKernel) -> None:
    Path(files.path_of(cache.folder, KEY)).mkdir(parents=True)
    with pytest.warns(lanewise.CacheWarning, match="Is a directory"):
        assert cache.find(KEY) is None
        cache.keep(KEY, saved)
    assert os.listdir(cache.folder) == [f"{KEY}.lw"], "nothing half written is left"


def test_a_folder_that_goes_meanwhile(cache: lanewise.KernelCache, kept: Path, saved: SavedKernel) -> None:
    kept.unlink()
    (Path(cache.folder) / ".lock").unlink()
    Path(cache.folder).rmdir()
    cache.keep(KEY, saved)
    assert kept.exists()


def test_folders_are_the_users_alone(cache: lanewise.KernelCache, kept: Path) -> None:
    """What stands in it is run."""
    if os.name == "posix":
        assert os.stat(cache.folder).st_mode & 0o777 == 0o700


# Size


def keys(count: int) -> list[str]:
    return [f"{number:064x}" for number in range(count)]


def grown(cache: lanewise.KernelCache, saved: SavedKernel, names: list[str]) -> None:
    """One kernel after the other, each a minute after the one before."""
    now = time.time()
    for number, key in enumerate(names):
        cache.keep(key, saved)
        path = files.path_of(cache.folder, key)
        if os.path.exists(path):
            os.utime(path, (now + 60 * number - 3600,) * 2)


def test_the_least_recently_used_go_first(tmp_path: Path, saved: SavedKernel) -> None:
    size = len(encode(replace(saved, key=KEY)))
    names = keys(12)
    cache = lanewise.KernelCache(tmp_path / "kernels", limit=10 * size + size // 2)
    grown(cache, saved, names[:10])
    assert len(cache.files()) == 10
    assert again(cache).find(names[0]) is not None  # now it is the last one used
    grown(cache, saved, names[10:])
    left = {file.key for file in cache.files()}
    assert names[0] in left and names[10] in left and names[11] in left and names[1] not in left
    assert 8 <= len(left) <= 10 and sum(file.bytes for file in cache.files()) <= cache.limit
    assert left == {names[0], *names[12 - len(left) + 1 :]}


def test_what_is_too_large_for_the_limit_goes(tmp_path: Path, saved: SavedKernel) -> None:
    cache = lanewise.KernelCache(tmp_path / "kernels", limit=10)
    cache.keep(KEY, saved)
    assert cache.files() == [] and cache.find(KEY) is not None


def test_one_process_makes_room_at_a_time(cache: lanewise.KernelCache, kept: Path) -> None:
    with held(os.path.join(cache.folder, ".lock")) as is_mine:
        assert is_mine
        files.evict(cache.folder, 1)  # as in another process: locks are of open files
        assert kept.exists()
    files.evict(cache.folder, 1)
    assert not kept.exists()


def test_what_is_half_written_goes_after_an_hour(cache: lanewise.KernelCache, kept: Path) -> None:
    old, new, foreign = (
        Path(cache.folder) / name for name in (f".{KEY}.lw.7-0123456789ab", f".{KEY}.lw.8-0123456789ab", ".notes")
    )
    for path in (old, new, foreign):
        path.write_bytes(b"half")
    for path in (old, foreign):
        os.utime(path, (1, 1))
    files.evict(cache.folder, cache.limit)
    assert (old.exists(), new.exists(), foreign.exists(), kept.exists()) == (False, True, True, True)
    assert cache.clear() == 1 and foreign.exists() and not new.exists()


def test_a_limit_is_a_number_of_bytes(tmp_path: Path) -> None:
    with pytest.raises(lanewise.CacheLimitError, match="at least 1 byte is expected, found 0"):
        lanewise.KernelCache(tmp_path, limit=0)
    with pytest.raises(lanewise.LanewiseError, match="path of a cache's folder"):
        lanewise.KernelCache(None)  # type: ignore[arg-type]


# Variants


def test_variants_of_two_writers_are_together(saved: SavedKernel) -> None:
    (one,) = saved.variants
    other = replace(one, facts=Facts(), text=one.text + "\n")
    both = together(saved, replace(saved, variants=(other,)))
    assert both.variants == (other, one), "in the order of facts"
    assert together(saved, replace(saved, variants=(replace(one, text="wrong"),))) == saved
    with_image = replace(one, image=b"\x7fELF")
    assert together(saved, replace(saved, variants=(with_image,))).variants == (with_image,)
    assert together(replace(saved, variants=(with_image,)), saved).variants == (with_image,)
    foreign = replace(saved, interface=replace(saved.interface, near=not saved.interface.near), variants=(other,))
    assert together(saved, foreign) == saved


def test_a_file_has_only_so_many(saved: SavedKernel, monkeypatch: pytest.MonkeyPatch) -> None:
    (one,) = saved.variants
    monkeypatch.setattr("lanewise.jit.cache.store.MOST_VARIANTS", 1)
    assert together(saved, replace(saved, variants=(replace(one, facts=Facts()),))) == saved


# Verifying


def test_verifying_removes_what_is_broken(cache: lanewise.KernelCache, saved: SavedKernel) -> None:
    names = keys(4)
    for key in names:
        cache.keep(key, saved)
    paths = [Path(files.path_of(cache.folder, key)) for key in names]
    assert list(cache.verify()) == []
    paths[1].write_bytes(paths[1].read_bytes().replace(b"add", b"sub"))
    paths[2].write_bytes(paths[3].read_bytes())
    found = list(cache.verify())
    assert [(each.path, each.removed) for each in found] == [(str(paths[1]), True), (str(paths[2]), True)]
    assert "SHA-256" in found[0].why and f"under {names[2]}, found {names[3]}" in found[1].why
    assert [path.exists() for path in paths] == [True, False, False, True] and list(cache.verify()) == []


def test_another_versions_files_are_left_alone(cache: lanewise.KernelCache, kept: Path) -> None:
    """Their digest says that they are whole, and the version that wrote them reads them."""
    from lanewise.jit import kernel_file

    first = kernel_file.FIRST.match(kept.read_bytes())
    assert first is not None
    body = kept.read_bytes()[first.end() :]
    line = b"lanewise-kernel 99 %s\n" % first[2]
    kept.write_bytes(line + kernel_file._digest(line, body) + b"\n" + body)
    assert list(cache.verify()) == [] and kept.exists()
    assert files.outline(str(kept)) == ("", "")
