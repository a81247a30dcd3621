"""The table of instructions: opcode to the function that writes its source."""

from __future__ import annotations

from .emit import Emitter, Handler
from .emit_copies import COPIES
from .emit_lanes import LANES
from .emit_matrix import matrix, scaled_matrix, scaled_wave_matrix, sparse_matrix
from .emit_memory import MEMORY
from .emit_packed import PACKED
from .emit_scalar import SCALAR_UNIT
from .emit_scaled import SCALED
from .emit_vector import VECTOR, dual
from .syntax import Instruction

_TABLE: dict[str, Handler] = {**SCALAR_UNIT, **VECTOR, **PACKED, **SCALED, **LANES, **MEMORY, **COPIES}


def _signal(e: Emitter, i: Instruction) -> None:
    """s_barrier_signal: arrival is counted at the wait."""
    value = getattr(i.operands[0], "value", None) if i.operands else None
    if value != -1:
        raise e.fault("a named barrier")


_TABLE["s_barrier_signal"] = _signal


OPCODES = tuple(_TABLE)
"""Every opcode that is emulated, but for matrix instructions and what leaves a block."""


def handler_of(i: Instruction) -> Handler | None:
    """None for opcodes that are not emulated."""
    if i.paired is not None:
        return dual
    if i.opcode.startswith("v_mfma_scale_"):
        return scaled_matrix
    if i.opcode.startswith("v_wmma_scale"):
        return scaled_wave_matrix
    if i.opcode.startswith(("v_mfma_", "v_wmma_")):
        return matrix
    if i.opcode.startswith(("v_smfmac_", "v_swmmac_")):
        return sparse_matrix
    return _TABLE.get(i.opcode)
