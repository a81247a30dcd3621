"""Source for tcgen05: allocation, products, copies, moves, waits, commits and fences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...targets.nvidia_fragments import TENSOR_MOVES
from .emit import Emitter, Handler
from .emit_memory import space_of
from .emit_warpgroup import registers_of
from .syntax import Address, Immediate, Instruction, Operand, Register, Vector, items_of
from .tensor_forms import COPIES, KINDS

_DISCARD = "collector_a_discard"
_OWN_WORKGROUP = "cta_group_1"


def _action(i: Instruction) -> str:
    return i.modifiers[0] if i.modifiers else ""


def meeting_of(i: Instruction) -> str:
    """Who must be there: one thread for what tensor cores do, a warp for the rest."""
    return {"mma": "plain", "cp": "plain", "commit": "plain", "alloc": "columns"}.get(
        _action(i), "plain" if _action(i).startswith("fence") else "warp"
    )


def watched_by_loads(instructions: list[Instruction], numbers: dict[str, int]) -> frozenset[int]:
    """Registers that a load of the kernel writes on its own."""
    loads = (i for i in instructions if i.opcode == "tcgen05" and _action(i) == "ld" and i.operands)
    return frozenset(numbers[x.name] for i in loads for x in items_of(i.operands[0]) if isinstance(x, Register))


def tensor(e: Emitter, i: Instruction) -> None:
    handler = _ACTIONS.get(_action(i))
    if handler is None or not set(i.modifiers[1:]) <= _KNOWN or any(m.startswith("cta_group_2") for m in i.modifiers):
        raise e.fault(f"this form of tcgen05.{_action(i)}")
    handler(e, i)


def _allocate(e: Emitter, i: Instruction) -> None:
    place, count = e.address(i.operands[0]), e.get(i.operands[1], "u4")
    e.line(f"S.allocate_columns({space_of(i)!r}, {place}, {count}, X, {e.site})")


def _release(e: Emitter, i: Instruction) -> None:
    e.line(f"S.release_columns({e.get(i.operands[0], 'u4')}, {e.get(i.operands[1], 'u4')}, X, {e.site})")


def _relinquish(e: Emitter, _: Instruction) -> None:
    e.line("S.allocate_no_more(X)")


def _multiply(e: Emitter, i: Instruction) -> None:
    """`[d], a, b, types {, disabled lanes}, adds {, scale}`."""
    kind = next((m.removeprefix("kind_") for m in i.modifiers if m.startswith("kind_")), "")
    d, a, b, types, *rest = i.operands
    disabled = registers_of(rest.pop(0)) if isinstance(rest[0], Vector) else []
    adds, *scales = rest
    scale = scales[0].value if scales and isinstance(scales[0], Immediate) else 0
    allowed = kind in ("f16", "tf32") and 0 <= scale < 16
    if kind not in KINDS or len(scales) > 1 or (scales and not allowed) or len(disabled) not in (0, 4):
        raise e.fault(f"this form of tcgen05.mma with kind {kind}")
    left = e.address(a) if isinstance(a, Address) else e.get(a, "u8")
    masks = ", ".join(e.get(x, "u4") for x in disabled)
    e.line(
        f"S.multiply_tensor({kind!r}, {e.address(d)}, {left}, {isinstance(a, Address)}, {e.get(b, 'u8')},"
        f" {e.get(types, 'u4')}, [{masks}], {e.get(adds, 'bool')}, {scale}, {e.active()}, {e.site})"
    )


def _copy(e: Emitter, i: Instruction) -> None:
    shape = tuple(m for m in i.modifiers[1:] if m != _OWN_WORKGROUP)
    if shape not in COPIES:
        raise e.fault(f"tcgen05.cp of {'.'.join(shape)}")
    taken = f"{e.address(i.operands[0])}, {e.get(i.operands[1], 'u8')}"
    e.line(f"S.copy_to_tensor({shape}, {taken}, {e.active()}, {e.site})")


def _commit(e: Emitter, i: Instruction) -> None:
    if len(i.operands) != 1:
        raise e.fault("commits to several workgroups")
    e.line(f"S.commit_tensor({e.address(i.operands[0])}, {e.active()}, {e.site})")


def _moved(e: Emitter, i: Instruction, operand: Operand) -> tuple[str, tuple[Operand, ...]]:
    """The shape, and the registers."""
    shape = next((m for m in i.modifiers if m in TENSOR_MOVES), "")
    times = next((int(m[1:]) for m in i.modifiers if m[0] == "x"), 0)
    items = items_of(operand)
    if not shape or times & (times - 1) or len(items) != times * TENSOR_MOVES[shape].registers or len(items) > 128:
        raise e.fault(f"tcgen05.{_action(i)} of {len(items)} registers")
    return shape, items


def _load(e: Emitter, i: Instruction) -> None:
    shape, items = _moved(e, i, i.operands[0])
    packed = i.has("pack_16b")
    numbers = frozenset(e.symbols.numbers[x.name] for x in items if isinstance(x, Register))
    given = f"{shape!r}, {len(items)}, {packed}, {e.address(i.operands[1])}, {e.constant(numbers)}, X, {e.site}"
    found = e.fresh(f"S.load_tensor({given})")
    for position, item in enumerate(items):
        e.put(item, f"{found}[{position}]", "u4")
    e.untouched()


def _store(e: Emitter, i: Instruction) -> None:
    shape, items = _moved(e, i, i.operands[1])
    values = ", ".join(e.get(x, "u4") for x in items)
    e.line(f"S.store_tensor({shape!r}, {i.has('unpack_16b')}, {e.address(i.operands[0])}, [{values}], X, {e.site})")


def _wait(what: str) -> Handler:
    def wait(e: Emitter, _: Instruction) -> None:
        e.line(f"S.wait_for({what!r}, X)")

    return wait


def _fence(name: str) -> Handler:
    def fence(e: Emitter, _: Instruction) -> None:
        e.line(f"S.fence_{name}({e.active()})")

    return fence


_ACTIONS: Mapping[str, Handler] = {
    "alloc": _allocate,
    "dealloc": _release,
    "relinquish_alloc_permit": _relinquish,
    "mma": _multiply,
    "cp": _copy,
    "commit": _commit,
    "ld": _load,
    "st": _store,
    "wait_ld": _wait("ld"),
    "wait_st": _wait("st"),
    "fence_before_thread_sync": _fence("before"),
    "fence_after_thread_sync": _fence("after"),
}
_KNOWN = {
    _OWN_WORKGROUP, _DISCARD, "sync", "aligned", "b32", "b64", "shared_cta", "shared_cluster", "mbarrier_arrive_one",
    "pack_16b", "unpack_16b", *TENSOR_MOVES, *(f"kind_{kind}" for kind in KINDS), *(f"x{1 << n}" for n in range(8)),
    *(word for shape in COPIES for word in shape),
}  # fmt: skip
TENSOR: Mapping[str, Any] = {"tcgen05": tensor}
