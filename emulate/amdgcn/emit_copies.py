"""Copies into shared memory (LDS) that no register sees, and arrivals at barriers there: by what they are counted."""

from __future__ import annotations

from .emit import Emitter, Handler, registers
from .emit_memory import SCALED, WIDTHS, Width, check_access, global_address, shared_address
from .syntax import M0, Instruction, Register
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
        _check_chip(e, i, SCALED)
        address = global_address(e, i, i.operands[1:], width.size * width.count)
        place = shared_address(e, i.operands[0], i.number("offset"))
        e.line(f"S.copy_async(G, {e.exec}, {address}, {place}, {width.size}, {width.count}, {e.site})")
        e.events.append(Event("async"))

    return handler


def _arrive(e: Emitter, i: Instruction) -> None:
    _check_chip(e, i)
    result, address, count = i.operands
    place, taken = shared_address(e, address, i.number("offset")), e.get(count, "u8")
    e.put(result, e.fresh(f"S.barrier_arrive(G, {e.exec}, {place}, {taken}, {e.site})"), "u8")
    e.events.append(Event("shared", frozenset(registers(result))))


def _arrive_behind(e: Emitter, i: Instruction) -> None:
    _check_chip(e, i)
    place = shared_address(e, i.operands[0], i.number("offset"))
    e.line(f"S.barrier_arrive_async(G, {e.exec}, {place}, {e.site})")
    e.events.append(Event("async"))


def _tensor(loads: bool) -> Handler:
    """Groups of four, eight, four and four words."""

    def handler(e: Emitter, i: Instruction) -> None:
        _check_chip(e, i)
        groups = list[str]()
        for operand, count in zip(i.operands, (4, 8, 4, 4), strict=False):
            if not isinstance(operand, Register) or operand.is_vector or operand.count != count:
                raise e.fault(f"{count} scalar registers are expected", "syntax")
            groups.append(f"[{', '.join(e.word(operand.number + n) for n in range(count))}]")
        e.line(f"S.tensor_copy(G, [{', '.join(groups)}], {loads}, {e.site})")
        e.events.append(Event("tensor"))

    return handler


def _check_chip(e: Emitter, i: Instruction, more: frozenset[str] = frozenset()) -> None:
    check_access(e, i, more)
    if not e.chip.is_1250:
        raise e.fault(f"opcode {i.opcode} on {e.chip.name}")


COPIES: dict[str, Handler] = {
    **{f"global_load_lds_{name}": _to_m0(width) for name, width in WIDTHS.items()},
    **{f"global_load_async_to_lds_{name}": _to_each(WIDTHS[name]) for name in ("b8", "b32", "b64", "b128")},
    "tensor_load_to_lds": _tensor(True),
    "tensor_store_from_lds": _tensor(False),
    "ds_atomic_barrier_arrive_rtn_b64": _arrive,
    "ds_atomic_async_barrier_arrive_b64": _arrive_behind,
}
"""Their opcodes; a load from a buffer copies with a word of its own."""
