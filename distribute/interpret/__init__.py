"""The interpreter of the thread-level form: all threads at once on numpy, with the checks of a sanitizer.

The leading axis of every value counts threads; branches and loops run under a mask of active threads. Operations mean
what their `reference` functions say, which are those of the vector level, and matrix instructions what the closed
formulas of `matrix.py` say.
"""

from .errors import InterpretError
from .run import Writers, interpret_kernel

__all__ = ["InterpretError", "Writers", "interpret_kernel"]
