"""Chips and matrix instructions as plain data: what the `#iree_gpu` target attributes name."""

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
