"""Regular expressions that are compiled when they are first used: `regex` in the place of `re.compile`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from re import compile as regex
else:

    class regex:  # stands for a function
        """Has the attributes of the compiled expression, which it asks once for each."""

        def __init__(self, text: str | bytes, flags: int = 0) -> None:
            self._given = text, flags

        def __getattr__(self, name: str) -> Any:
            value = getattr(re.compile(*self._given), name)  # `re` keeps what it compiled
            setattr(self, name, value)
            return value


__all__ = ["regex"]
