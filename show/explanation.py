"""An explanation as a value: its parts, as text, as JSON, and as HTML for notebooks."""

from __future__ import annotations

from typing import Any

from ..support.dataclasses import dataclass
from .explanation_html import html_of
from .explanation_parts import Explained, as_json
from .explanation_text import lines_of


@dataclass(frozen=True)
class Explanation(Explained):
    """What `explain` gives. `str` of it is text of at most 100 columns; notebooks show it as HTML."""

    def __str__(self) -> str:
        return "\n".join(line.rstrip() for line in lines_of(self))

    def as_dict(self) -> dict[str, Any]:
        """What `lanewise explain --json` prints: the parts by the names of their attributes (docs/explaining.md)."""
        return {**as_json(self), "is_from_registers": self.is_from_registers}

    def _repr_html_(self) -> str:
        return html_of(self)
