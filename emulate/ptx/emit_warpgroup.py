"""Source for wgmma: fences, products, commits and waits of four warps; and for fences."""

from __future__ import annotations

from ...support.dataclasses import replace
from .emit import Emitter, Handler
from .syntax import Immediate, Instruction, Operand, Register, Vector
from .wgmma import Form

_SCALES = (1, -1)


def warpgroup(e: Emitter, i: Instruction) -> None:
    action = i.modifiers[0] if i.modifiers else ""
    if action == "fence":
        e.line("S.fence_registers(X)")
    elif action == "commit_group":
        e.line("S.commit_warpgroups(X)")
    elif action == "wait_group":
        e.line(f"S.wait_warpgroups({_literal(e, i.operands[0])}, X)")
    elif action == "mma_async" and "sp" not in i.modifiers:
        _multiply(e, i)
    else:
        raise e.fault("this form of wgmma")


def _multiply(e: Emitter, i: Instruction) -> None:
    shape, *types = i.modifiers[-4:]
    form = Form.create(shape, tuple(types)) if shape.startswith("m64n") else None
    if form is None:
        raise e.fault(f"wgmma of {shape} with types {', '.join(types)}")
    d, a, b, keeps, *flags = i.operands
    accumulator, operands = registers_of(d), registers_of(a)
    if len(accumulator) != form.registers:
        raise e.fault(f"operand D with other than {form.registers} registers")
    form = _flagged(e, form, [_literal(e, flag) for flag in flags], bool(operands))
    given = [e.get(item, form.code) for item in accumulator]
    left = f"[{', '.join(e.get(x, 'u4') for x in operands)}]" if operands else e.get(a, "u8")
    numbers = e.constant(tuple(frozenset(e.symbols.numbers[x.name] for x in side) for side in (accumulator, operands)))
    result = e.fresh(
        f"S.multiply_warpgroups({e.constant(form)}, {left}, {e.get(b, 'u8')}, [{', '.join(given)}],"
        f" {e.get(keeps, 'bool')}, {numbers}, X, {e.site})"
    )
    for position, item in enumerate(accumulator):
        e.put(item, e.fresh(f"{result}[{position}]"), form.code)
    e.untouched()


def registers_of(operand: Operand) -> list[Register]:
    """The registers of a vector; none of what is a descriptor."""
    items = operand.items if isinstance(operand, Vector) else ()
    return [item for item in items if isinstance(item, Register)]


def _flagged(e: Emitter, form: Form, flags: list[int], in_registers: bool) -> Form:
    """After the predicate: scales of A and B but for integers, then for elements of 16 bits which are transposed."""
    scales = flags[:2] if form.accumulator != "s32" else [1, 1]
    majors = flags[2:] if form.accumulator != "s32" else flags
    expected = 0 if form.size[0] != 2 else 1 if in_registers else 2
    if len(scales) != 2 or not set(scales) <= set(_SCALES) or len(majors) != expected or not set(majors) <= {0, 1}:
        raise e.fault(f"wgmma with the flags {flags}")
    transposed = [0, *majors] if in_registers else majors
    k_major = (not transposed[0], not transposed[-1]) if expected else (True, True)
    return replace(form, scales=(scales[0], scales[1]), k_major=k_major)


def _literal(e: Emitter, operand: Operand) -> int:
    if not isinstance(operand, Immediate):
        raise e.fault("a register where a constant is expected")
    return operand.value


def watched_registers(instructions: list[Instruction], numbers: dict[str, int]) -> frozenset[int]:
    """Those that a wgmma of the kernel adds to or takes A from."""
    operands = (o for i in instructions if i.opcode == "wgmma" for o in i.operands[:2])
    return frozenset(numbers[item.name] for o in operands for item in registers_of(o))


def fence(e: Emitter, i: Instruction) -> None:
    """All but the fence between proxies order what the emulator does in order anyway."""
    if i.modifiers[:2] == ("proxy", "async"):
        e.line(f"S.fence_async_proxy({e.active()})")


WARPGROUP: dict[str, Handler] = {"wgmma": warpgroup, "fence": fence}
