"""Where a thread goes that finds the kernel wrong: blocks behind its last, which stop it."""

from __future__ import annotations

from .text import Writer


class Stops:
    """The blocks that a kernel's assertions branch to.

    With `share` all of them go to one, which names the line of an assertion only where there is no other.
    """

    def __init__(self, writer: Writer, *, share: bool) -> None:
        self._writer, self._share = writer, share
        self._marks: dict[str, str] = {}

    def label(self) -> str:
        """The label of the block for the assertion that is being written."""
        if self._share and self._marks:
            (label,) = self._marks
            self._marks[label] = ""
            return label
        label = self._writer.label()
        self._marks[label] = self._writer.mark
        return label

    def write(self) -> None:
        """The blocks, when all else is written."""
        for label, mark in self._marks.items():
            self._writer.start(label)
            self._writer.mark = mark
            self._writer.call_void("llvm.trap")
            self._writer.do("unreachable")
