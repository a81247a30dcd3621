"""Which matrix instructions a chip has, and finding one by any of its names."""

from __future__ import annotations

import functools
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

from ..support.late import LateRows
from .catalogue import unknown
from .chip import Chip
from .fragment import Operands
from .matrix_instruction import ELEMENT_BITS, Family, MatrixInstruction
from .mfma import MFMA
from .mma_sync import MMA_SYNC
from .wgmma import WGMMA
from .wmma import WMMA

MATRIX_INSTRUCTIONS = LateRows(lambda: (*MMA_SYNC, *MFMA, *WMMA))
"""Those of one subgroup, whose operands are in its registers."""


@functools.cache
def matrix_instructions(chip: Chip) -> tuple[MatrixInstruction, ...]:
    """The instructions of one subgroup that `chip` has, in the tables' order; empty for a chip without matrix units."""
    return _allowed(MATRIX_INSTRUCTIONS, chip)


@functools.cache
def warpgroup_instructions(chip: Chip) -> tuple[MatrixInstruction, ...]:
    """Those that four subgroups issue together on operands in shared memory; empty for all chips but sm_90a."""
    return _allowed(WGMMA, chip)


def _allowed(instructions: Sequence[MatrixInstruction], chip: Chip) -> tuple[MatrixInstruction, ...]:
    there = (instruction for instruction in instructions if chip.supports(instruction.requires))
    allowed = chip.matrix_names
    return tuple(i for i in there if allowed is None or not allowed.isdisjoint((i.name, i.iree_name, *i.aliases)))


@functools.cache
def _by_name() -> Mapping[str, MatrixInstruction]:
    return MappingProxyType(
        {
            name: instruction
            for instruction in (*MATRIX_INSTRUCTIONS, *WGMMA)
            for name in (instruction.name, instruction.iree_name, *instruction.aliases)
        }
    )


def names_of_all() -> Collection[str]:
    """Ours, IREE's of today, and IREE's former spellings."""
    return _by_name().keys()


@functools.cache
def names_of_matrix_instructions() -> frozenset[str]:
    """The names of matrix instructions that one subgroup executes."""
    return frozenset(name for name, i in _by_name().items() if i.subgroups == 1)


def amd_product(
    family: Family, shape: tuple[int, int, int], bits: int, counts: tuple[int, int]
) -> tuple[int, Operands] | None:
    """Lanes and fragments, K as the hardware numbers it, of AMD's instruction of that shape on elements of so many bits
    of which a lane has so many of A (and of B), and of C; None where there is none."""
    return _by_form().get((family, shape, bits, counts))


@functools.cache
def _by_form() -> Mapping[tuple[Family, tuple[int, int, int], int, tuple[int, int]], tuple[int, Operands]]:
    """The same registers are one product on all chips that have it, whatever the types."""
    found: dict[tuple[Family, tuple[int, int, int], int, tuple[int, int]], tuple[int, Operands]] = {}
    for i in (*MFMA, *WMMA):
        a, b, c = (part.alone for part in (i.a, i.b, i.c))
        key = i.family, i.shape, ELEMENT_BITS[i.a_type], (a.elements, c.elements)
        form = i.subgroup_size, Operands(*(i.hardware or (a, b)), c)
        assert found.setdefault(key, form) == form, f"{i.name} holds its elements otherwise than its like"
    return MappingProxyType(found)


def find_matrix_instruction(name: str) -> MatrixInstruction:
    """The instruction called `name`: ours, IREE's of today, or one of IREE's former spellings.

    Raises UnknownTargetError, naming the nearest known names, for anything else.
    """
    known = _by_name()
    if name not in known:
        words = f"{len(known)} names; `lanewise targets --matrix --target CHIP` lists those of a chip"
        raise unknown("matrix instruction", name, known, words)
    return known[name]
