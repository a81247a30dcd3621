"""What a kernel's decorator says of its program. Nothing of the compiler is loaded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

from ..support.dataclasses import dataclass
from .dtypes import extents

Workgroup: TypeAlias = "int | tuple[int, ...] | Callable[..., int | tuple[int, ...]]"


@dataclass(frozen=True)
class Options:
    """See `kernel.kernel`."""

    workgroup: Workgroup
    subgroup: int | None
    cluster: int | tuple[int, ...] | None
    scope: Literal["workgroup", "subgroup", "thread"]
    passes: Mapping[str, bool | int | str]
    """What is asked of passes, by the attribute's name without `lanewise.`."""

    def threads(self, constants: Mapping[str, Any]) -> tuple[int, ...]:
        """How many threads a workgroup has along x, y and z."""
        size = self.workgroup(**constants) if callable(self.workgroup) else self.workgroup
        return extents(size)
