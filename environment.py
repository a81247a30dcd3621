"""What the process's environment says, read here alone: where compiled kernels are kept."""

from __future__ import annotations

import functools
import os
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

if TYPE_CHECKING:
    from .jit.cache.store import KernelCache

CACHE_VARIABLE: Final = "LANEWISE_CACHE"
"""A folder, or `off`. Unset or empty: the user's folder for caches, as the platform has it."""
OFF: Final = "off"

CacheChoice: TypeAlias = "Literal['auto', 'off'] | KernelCache"
"""`auto` is what the environment says."""


def chosen_cache(choice: CacheChoice) -> KernelCache | None:
    """The cache of a choice, the same one for all of a process that say `auto`; None for none."""
    if choice == "auto":
        return standing_cache()
    if choice == OFF:
        return None
    from .jit.cache.store import KernelCache
    from .support.argument_checks import require

    require(choice, KernelCache, "a cache as 'auto', 'off' or lanewise.KernelCache('folder')")
    assert isinstance(choice, KernelCache)
    return choice


def standing_cache() -> KernelCache | None:
    """What the environment says now."""
    return _cache_at(os.environ.get(CACHE_VARIABLE, ""))


@functools.cache
def _cache_at(said: str) -> KernelCache | None:
    if said == OFF:
        return None
    folder = said or _users_folder()
    if not folder:
        return None
    from .jit.cache.store import KernelCache

    return KernelCache(folder)


def _users_folder() -> str:
    """Empty where the user has no home."""
    import platformdirs

    folder = platformdirs.user_cache_dir("lanewise", appauthor=False)
    return folder if os.path.isabs(folder) else ""
