"""Copies into shared memory (LDS) that no register sees: from where, to where, and by what they are counted."""

from __future__ import annotations

from .emit import Emitter, Handler
from .emit_memory import SCALED, WIDTHS, Width, check_access, global_address, shared_address
from .syntax import M0, Instruction
from .waits import Event


def _to_m0(width: Width) -> Handler:
    """global_load_lds: the destination is M0 + offset + lane * size."""

    def handler(e: Emitter, i: Instruction) -> None:
        check_access(e, i)
        address = global_address(e, i, i.operands, width.size)
        base = e.word(M0)
        sizes = f"{i.number('offset')}, {width.size}, {width.count}"
        e.line(f"S.copy(G, {e.exec}, {address}, {base}, {sizes}, {e.site})")
        e.events.append(Event("load"))

    return handler


def _to_each(width: Width) -> Handler:
    """global_load_async_to_lds: each lane's destination is in a register; the offset is added to both addresses."""

    def handler(e: Emitter, i: Instruction) -> None:
        check_access(e, i, SCALED)
        if not e.chip.is_1250:
            raise e.fault(f"opcode {i.opcode} on {e.chip.name}")
        address = global_address(e, i, i.operands[1:], width.size * width.count)
        place = shared_address(e, i.operands[0], i.number("offset"))
        e.line(f"S.copy_async(G, {e.exec}, {address}, {place}, {width.size}, {width.count}, {e.site})")
        e.events.append(Event("async"))

    return handler


COPIES: dict[str, Handler] = {
    **{f"global_load_lds_{name}": _to_m0(width) for name, width in WIDTHS.items()},
    **{f"global_load_async_to_lds_{name}": _to_each(WIDTHS[name]) for name in ("b8", "b32", "b64", "b128")},
}
"""Opcodes that only copy; a load from a buffer is one with a word of its own."""
