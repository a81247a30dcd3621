"""What kernels show of themselves, which a room above makes: the one file that names it (decision 0152)."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..support.collector import importing

if TYPE_CHECKING:
    from ..show.explanation import Explanation as Explanation
    from ..show.profiled import Profiled as Profiled
    from ..support.limits import Limits
    from .grids import Grid

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

    def profile(
        self, grid: Grid, /, *arguments: object, general: bool = False, limits: Limits | None = None
    ) -> Profiled:
        """What one launch costs, counted on the emulator, what bounds it, and what its hot loop waits for by the model
        of time: `lanewise profile` in Python (docs/performance.md). The arguments are not changed.

        Args:
            grid: Workgroups along x, y and z.
            arguments: Arrays and numbers, as of a launch.
            general: Whether of the variant that runs with all arguments; else of the one that such a launch takes.
            limits: When the emulator is stopped; None: generously, as in `lanewise.Limits()`.

        Raises:
            ArgumentError: The arguments do not fit.
            CompileError: The program cannot be compiled for the target.
            LaunchError: The emulator finds a fault, or cannot execute the code.
        """
        found: Profiled = _above("profile:profile")(self, grid, *arguments, general=general, limits=limits)
        return found


def _above(home: str) -> Any:
    """The function at `module:name` of the room."""
    module, _, name = home.partition(":")
    with importing():
        return getattr(import_module(f"{_PACKAGE}.show.{module}"), name)
