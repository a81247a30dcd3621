"""Operations that only move elements, whatever they are called: each operand's movement is planned and carried out."""

from __future__ import annotations

from ...ir.element_moves import moves_all
from ..context import DISTRIBUTE
from ..movement import move_operation

DISTRIBUTE.family(moves_all, move_operation)
