"""Programs of filetests with something else in their text."""

from __future__ import annotations


def changed(text: str, *changes: tuple[str, str]) -> str:
    """The text with each found text replaced by another; one that is not found is the test's mistake."""
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return text
