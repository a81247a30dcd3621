"""The table of instructions: opcode to the function that writes its source."""

from __future__ import annotations

from . import emit_float, emit_hints, emit_integer, emit_memory, emit_tensor, emit_warp, emit_warpgroup
from .emit import Emitter, Handler
from .modifiers import MODIFIERS
from .syntax import Instruction
from .types import TYPES

_FLOAT_KINDS = "fn"
_FLOAT_PAIRS = ("f16x2", "bf16x2")


def _by_type(opcode: str) -> Handler:
    """For opcodes that exist for integers and floats alike."""
    integer, floating = emit_integer.INTEGER.get(opcode), emit_float.FLOATING.get(opcode)

    def choose(e: Emitter, i: Instruction) -> None:
        t = TYPES.get(i.type)
        is_float = t is not None and (t.kind in _FLOAT_KINDS or t.name in _FLOAT_PAIRS)
        handler = floating if is_float else integer
        if t is None or handler is None:
            raise e.fault(f"{opcode} of type .{i.type}")
        handler(e, i)

    return choose


def _checked(opcode: str, handler: Handler) -> Handler:
    """Refuses modifiers that the instruction does not have."""
    if opcode not in MODIFIERS:
        return handler

    def check(e: Emitter, i: Instruction) -> None:
        e.only((m for m in i.modifiers if m not in TYPES), MODIFIERS[opcode])
        handler(e, i)

    return check


_HANDLERS: dict[str, Handler] = {
    **{opcode: _by_type(opcode) for opcode in {**emit_integer.INTEGER, **emit_float.FLOATING}},
    **emit_integer.PLAIN,
    **emit_float.PLAIN,
    **emit_memory.MEMORY,
    **emit_hints.HINTS,
    **emit_warp.WARP,
    **emit_warpgroup.WARPGROUP,
    **emit_tensor.TENSOR,
}
HANDLERS = {opcode: _checked(opcode, handler) for opcode, handler in _HANDLERS.items()}
"""Everything except control flow and barriers, which `program` handles."""
