"""Chips and matrix instructions as plain data: what the `#iree_gpu` target attributes name.

A name's file is loaded when it is first asked for: a launch needs chips, and no tables of matrix instructions.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .catalogue import CHIPS, PRODUCTS, Product, chip_of_compute_capability, find_chip
    from .chip import Chip, Feature, UnknownTargetError, UnsupportedFeatureError
    from .fragment import Fragment
    from .instructions import MATRIX_INSTRUCTIONS, find_matrix_instruction, matrix_instructions, warpgroup_instructions
    from .matrix_instruction import ELEMENT_BITS, MatrixInstruction, Operand, Registers

__all__ = [
    "CHIPS",
    "ELEMENT_BITS",
    "MATRIX_INSTRUCTIONS",
    "PRODUCTS",
    "Chip",
    "Feature",
    "Fragment",
    "MatrixInstruction",
    "Operand",
    "Product",
    "Registers",
    "UnknownTargetError",
    "UnsupportedFeatureError",
    "chip_of_compute_capability",
    "find_chip",
    "find_matrix_instruction",
    "matrix_instructions",
    "warpgroup_instructions",
]

_NAMES = {
    "catalogue": ("CHIPS", "PRODUCTS", "Product", "chip_of_compute_capability", "find_chip"),
    "chip": ("Chip", "Feature", "UnknownTargetError", "UnsupportedFeatureError"),
    "fragment": ("Fragment",),
    "instructions": (
        *("MATRIX_INSTRUCTIONS", "find_matrix_instruction"),
        *("matrix_instructions", "warpgroup_instructions"),
    ),
    "matrix_instruction": ("ELEMENT_BITS", "MatrixInstruction", "Operand", "Registers"),
}
_HOMES = {name: file for file, names in _NAMES.items() for name in names}


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name, obj=sys.modules[__name__])
    value: object = getattr(import_module(f".{home}", __name__), name)
    globals()[name] = value
    return value
