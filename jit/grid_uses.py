"""How a kernel's workgroups go along its arguments: what the grid of a launch follows from that says none."""

from __future__ import annotations

from ..support.named_tuples import NamedTuple

AXES = ("x", "y", "z")
"""Those of a grid."""


class Use(NamedTuple):
    """That an axis of the grid goes along a dimension of an argument."""

    axis: str
    extent: int
    """Elements for each workgroup."""
    array: str
    dim: int
    written: bool
    in_byte: int = 1
    """How many elements of this dimension may share a byte of what is given."""


class GridUses(NamedTuple):
    """What is known of a kernel that was traced."""

    uses: tuple[Use, ...]
    axes: tuple[str, ...]
    """The axes of the grid that it asks for its place in."""
