"""A launch that was made ready: its arguments are checked and packed, its code is loaded."""

from __future__ import annotations

import functools


class PreparedLaunch(functools.partial[None]):
    """`Launchable.prepare` gives one. `launch()` does the launch again, with what was in the arguments' memory changed
    or not; `launch(*others)` one of the same kernel, on the same grid, with others; both take `stream=`.

    Without, each launch goes into the stream that `prepare` was given, else into the current one of the library of the
    arrays. It keeps its arguments. Tensors of other libraries are taken to be where they were.
    """

    __slots__ = ()
