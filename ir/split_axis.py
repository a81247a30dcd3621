"""`lanewise.split_k`: the axis of the grid along which workgroups do together what the program says once.

Executions of the program as it is written need it as much as the pass that shares out loops (`schedule/split_k.py`).
"""

from __future__ import annotations

from .attributes import StringAttr
from .kernels import AXES, Axis
from .passes import Option, a_word
from .types import Attribute

SPLIT = "lanewise.split_k"


def _axis(attribute: Attribute) -> Axis | None:
    return next((axis for axis in AXES if attribute == StringAttr(axis)), None)


SPLIT_AXIS: Option[Axis] = Option(
    "axis",
    SPLIT,
    f"one of {', '.join(AXES)}",
    "workgroups along that axis of the grid do together what the program says once",
    a_word,
    _axis,
)
