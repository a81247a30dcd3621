"""How many random examples a test takes: two fifths of what it names, all with `--thorough`."""

from __future__ import annotations

from hypothesis import settings

_WHOLE = 100


def examples(count: int) -> int:
    """So many of `count`, by the profile that is loaded before tests are (tests/conftest.py)."""
    most = settings.default
    assert most is not None
    return max(1, count * most.max_examples // _WHOLE)


def is_thorough() -> bool:
    """Whether all is asked for: validations of tests, too, run variants that no launch of theirs takes."""
    return examples(_WHOLE) == _WHOLE
