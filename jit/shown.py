"""What kernels show of themselves, which a room above makes: the one file that names it (decision 0152)."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..support.collector import importing

if TYPE_CHECKING:
    from ..show.explanation import Explanation as Explanation

_PACKAGE = __name__.partition(".jit.")[0]


class Shown:
    """Methods of kernels that are functions of the room `show` on them, loaded when somebody first calls one."""

    def explain(self, *, general: bool = False) -> Explanation:
        """What became of each operation of the program as written: layouts, lanes, exchanges, and what lost.

        `print` shows it as text, notebooks show it as a table; its attributes have all of it (docs/explaining.md).

        Args:
            general: Whether of the variant that runs with all arguments; else of the fastest.

        Raises:
            StageError: The program begins behind the choice of layouts.
            CompileError: The program cannot be compiled for the target.
        """
        found: Explanation = _above("explain:explain")(self, general=general)
        return found


def _above(home: str) -> Any:
    """The function at `module:name` of the room."""
    module, _, name = home.partition(":")
    with importing():
        return getattr(import_module(f"{_PACKAGE}.show.{module}"), name)
