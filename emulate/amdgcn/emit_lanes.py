"""Instructions that move values between lanes."""

from __future__ import annotations

import numpy as np

from .emit import Emitter, Handler, registers
from .emit_memory import shared_address
from .emit_vector import check_modifiers
from .lane_patterns import Lanes
from .syntax import Instruction
from .waits import Event

_NONE: frozenset[str] = frozenset()


def _read_first(e: Emitter, i: Instruction) -> None:
    value = e.get(i.operands[1], "u4", whole=True)
    e.put(i.operands[0], f"S.first_lane(G, {e.exec}, {value})", "u4")


def _read(e: Emitter, i: Instruction) -> None:
    value = e.get(i.operands[1], "u4", whole=True)
    e.put(i.operands[0], f"S.read_lane(G, {value}, {e.get(i.operands[2], 'u4')})", "u4")


def _write(e: Emitter, i: Instruction) -> None:
    destination = i.operands[0]
    old = e.get(destination, "u4", whole=True)
    value, lane = (e.get(o, "u4") for o in i.operands[1:3])
    e.put(destination, f"S.write_lane(G, {old}, {value}, {lane})", "u4", everywhere=True)


def _count_below(high: bool) -> Handler:
    def handler(e: Emitter, i: Instruction) -> None:
        bits, base = (e.get(o, "u4") for o in i.operands[1:3])
        e.put(i.operands[0], f"S.count_below(G, {bits}, {high}) + {base}", "u4")

    return handler


def _exchange_event(e: Emitter, i: Instruction) -> None:
    e.events.append(Event("exchange", frozenset(registers(i.operands[0]))))


def _backward_permute(e: Emitter, i: Instruction) -> None:
    check_modifiers(e, i, frozenset(["offset"]))
    address = shared_address(e, i.operands[1], i.number("offset"))
    value = e.get(i.operands[2], "u4", whole=True)
    e.put(i.operands[0], f"S.backward_permute(G, {e.exec}, {address}, {value})", "u4")
    _exchange_event(e, i)


def _forward_permute(e: Emitter, i: Instruction) -> None:
    check_modifiers(e, i, frozenset(["offset"]))
    address = shared_address(e, i.operands[1], i.number("offset"))
    e.put(i.operands[0], f"S.forward_permute(G, {e.exec}, {address}, {e.get(i.operands[2], 'u4')})", "u4")
    _exchange_event(e, i)


# ---- ds_swizzle -----------------------------------------------------------------------------------------------------


def _bit_mask(lane: Lanes, and_mask: int, or_mask: int, xor_mask: int) -> Lanes:
    return (lane & ~31) | ((((lane & 31) & and_mask) | or_mask) ^ xor_mask)


def swizzle_sources(pattern: str, lanes: int) -> Lanes | None:
    """The lane each lane reads under `offset:` of ds_swizzle, symbolic or not; None for patterns not known."""
    lane = np.arange(lanes)
    if not pattern.startswith("swizzle("):
        return _coded_swizzle(int(pattern, 0), lane)
    kind, *rest = (x.strip().strip('"') for x in pattern[len("swizzle(") : -1].split(","))
    if kind == "BITMASK_PERM":
        masks = [sum(1 << (4 - n) for n, c in enumerate(rest[0]) if c in wanted) for wanted in ("p1i", "1", "i")]
        return _bit_mask(lane, masks[0], masks[1], masks[2])
    numbers = [int(x, 0) for x in rest]
    match kind:
        case "QUAD_PERM":
            return np.asarray((lane & ~3) | np.array(numbers)[lane & 3])
        case "SWAP":
            return lane ^ numbers[0]
        case "REVERSE":
            return lane ^ (numbers[0] - 1)
        case "BROADCAST":
            return (lane & ~(numbers[0] - 1)) | numbers[1]
        case _:
            return None


def _coded_swizzle(code: int, lane: Lanes) -> Lanes | None:
    if code & 0x8000:
        if code >= 0xC000:
            return None
        return np.asarray((lane & ~3) | np.array([code >> (2 * n) & 3 for n in range(4)])[lane & 3])
    return _bit_mask(lane, code & 31, code >> 5 & 31, code >> 10 & 31)


def _swizzle(e: Emitter, i: Instruction) -> None:
    check_modifiers(e, i, frozenset(["offset"]))
    source = swizzle_sources(i.modifiers.get("offset", "0"), e.chip.wavefront)
    if source is None:
        raise e.fault("this swizzle pattern")
    value = e.get(i.operands[1], "u4", whole=True)
    e.put(i.operands[0], f"S.swizzle(G, {e.exec}, {e.constant(source)}, {value})", "u4")
    _exchange_event(e, i)


# ---- rows and halves ------------------------------------------------------------------------------------------------


def _permute_rows(exchange: bool) -> Handler:
    def handler(e: Emitter, i: Instruction) -> None:
        check_modifiers(e, i, frozenset(["op_sel"]))
        fetch, zero = i.bits("op_sel", 2, 0)
        value = e.get(i.operands[1], "u4", whole=True)
        low, high = (e.get(o, "u4") for o in i.operands[2:4])
        moved, mask = e.name(), e.name()
        flags = f"{exchange}, {bool(fetch)}, {bool(zero)}"
        e.line(f"{moved}, {mask} = S.permute_rows(G, {e.exec}, {value}, {low}, {high}, {flags})")
        e.enabled = mask
        e.put(i.operands[0], moved, "u4")

    return handler


def _permute_rows_by_lane(exchange: bool) -> Handler:
    def handler(e: Emitter, i: Instruction) -> None:
        check_modifiers(e, i, frozenset(["op_sel"]))
        fetch, zero = i.bits("op_sel", 2, 0)
        value, select = e.get(i.operands[1], "u4", whole=True), e.get(i.operands[2], "u4")
        moved, mask = e.name(), e.name()
        flags = f"{exchange}, {bool(fetch)}, {bool(zero)}"
        e.line(f"{moved}, {mask} = S.permute_rows_by_lane(G, {e.exec}, {value}, {select}, {flags})")
        e.enabled = mask
        e.put(i.operands[0], moved, "u4")

    return handler


def _permute_halves(e: Emitter, i: Instruction) -> None:
    """v_permlane64: the two halves of a wave of 64 change places."""
    check_modifiers(e, i, _NONE)
    value = e.get(i.operands[1], "u4", whole=True)
    if e.chip.wavefront == 64:
        source = e.constant(np.arange(64) ^ 32)
        value = f"wide({value}, 64)[..., {source}]"
    e.put(i.operands[0], value, "u4")


def _swap_rows(size: int) -> Handler:
    def handler(e: Emitter, i: Instruction) -> None:
        check_modifiers(e, i, frozenset(["bound_ctrl", "fi"]))
        if size >= e.chip.wavefront:
            raise e.fault(f"opcode {i.opcode} in waves of {e.chip.wavefront}")
        values = [e.get(o, "u4", whole=True) for o in i.operands]
        names = e.name(), e.name()
        e.line(f"{', '.join(names)} = S.swap_rows(G, {e.exec}, {values[0]}, {values[1]}, {size})")
        for operand, name in zip(i.operands, names, strict=True):
            operand = e.register(operand)
            e.put(operand, name, "u4")

    return handler


LANES: dict[str, Handler] = {
    "v_readfirstlane_b32": _read_first,
    "v_readlane_b32": _read,
    "v_writelane_b32": _write,
    "v_mbcnt_lo_u32_b32": _count_below(False),
    "v_mbcnt_hi_u32_b32": _count_below(True),
    "ds_bpermute_b32": _backward_permute,
    "ds_permute_b32": _forward_permute,
    "ds_swizzle_b32": _swizzle,
    "v_permlane16_b32": _permute_rows(False),
    "v_permlanex16_b32": _permute_rows(True),
    "v_permlane16_var_b32": _permute_rows_by_lane(False),
    "v_permlanex16_var_b32": _permute_rows_by_lane(True),
    "v_permlane64_b32": _permute_halves,
    "v_permlane16_swap_b32": _swap_rows(16),
    "v_permlane32_swap_b32": _swap_rows(32),
}
"""Opcodes that move values between lanes (besides the modifiers that any vector operation can carry)."""
