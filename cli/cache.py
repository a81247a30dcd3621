"""`lanewise cache list | clear | verify`: the compiled kernels that are kept for later launches."""

from __future__ import annotations

import argparse
import json
import time

from ..environment import CACHE_VARIABLE, standing_cache
from ..jit.cache.files import KeptFile, outline
from ..jit.cache.store import KernelCache
from ..jit.write import OutputError
from ..support.named_tuples import NamedTuple
from .tables import print_table


class Row(NamedTuple):
    """A kept kernel: `used` is seconds since it was last used. Its name and target are empty where another version of
    lanewise has written it."""

    kernel: str
    target: str
    bytes: int
    used: int
    key: str


def execute(options: argparse.Namespace) -> int:
    cache = standing_cache()
    if cache is None:
        return _off(options.json)
    try:
        return _ACTIONS[options.action](cache, options.json)
    except OSError as error:
        raise OutputError(f"{cache.folder}: {error.strerror or error}") from error


def _off(as_json: bool) -> int:
    if as_json:
        print(json.dumps({"folder": None}, indent=2))
    else:
        print(f"no kernels are kept: {CACHE_VARIABLE} is 'off', or there is no home")
    return 0


def _list(cache: KernelCache, as_json: bool) -> int:
    now = time.time()
    rows = [_row(file, now) for file in reversed(cache.files())]
    total = sum(row.bytes for row in rows)
    if as_json:
        kernels = [row._asdict() for row in rows]
        print(json.dumps({"folder": cache.folder, "bytes": total, "limit": cache.limit, "kernels": kernels}, indent=2))
        return 0
    if rows:
        print_table(("kernel", "target", "size", "used", "key"), [_shown(row) for row in rows])
    kept = f"{_counted(len(rows))}, {_size(total)} of at most {_size(cache.limit)}"
    print(f"{kept}, in {cache.folder}")
    return 0


def _row(file: KeptFile, now: float) -> Row:
    try:
        said = outline(file.path)
    except OSError:  # it has gone meanwhile, or cannot be read: `verify` says so
        return Row("", "", file.bytes, max(0, int(now - file.used)), file.key)
    return Row(said.kernel, said.target, file.bytes, max(0, int(now - file.used)), file.key)


def _shown(row: Row) -> tuple[str, ...]:
    return row.kernel or "-", row.target or "-", _size(row.bytes), f"{_time(row.used)} ago", row.key[:12]


def _clear(cache: KernelCache, as_json: bool) -> int:
    count = cache.clear()
    if as_json:
        print(json.dumps({"folder": cache.folder, "removed": count}, indent=2))
    else:
        print(f"{_counted(count)} removed from {cache.folder}")
    return 0


def _verify(cache: KernelCache, as_json: bool) -> int:
    count = len(cache.files())
    broken = list(cache.verify())
    if as_json:
        print(json.dumps({"folder": cache.folder, "kernels": count, "broken": [b._asdict() for b in broken]}, indent=2))
        return int(bool(broken))
    for each in broken:
        print(f"{'removed' if each.removed else 'broken'} {each.path}: {each.why}")
    print(f"{count - len(broken)} of {_counted(count)} in {cache.folder} are as they were written")
    return int(bool(broken))


_ACTIONS = {"list": _list, "clear": _clear, "verify": _verify}


def _counted(count: int) -> str:
    return f"{count} kernel{'s' * (count != 1)}"


def _size(count: int) -> str:
    size = float(count)
    for unit in ("bytes", "KiB", "MiB"):
        if size < 1024:
            return f"{size:.0f} {unit}"
        size /= 1024
    return f"{size:.1f} GiB"


def _time(seconds: int) -> str:
    for length, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= length:
            return f"{seconds // length} {unit}"
    return f"{seconds} s"
