"""Source for operations across the lanes of a warp: shuffles, votes, matches, reductions, matrix multiplies."""

from __future__ import annotations

from .emit import Emitter, Handler
from .scaled import SCALED, ScaledMultiply
from .sparse import ORDERED, SparseMultiply
from .syntax import Immediate, Instruction, Operand, Pair, Sink, Vector, items_of
from .tensor_cores import MATRIX_SHAPES, Multiply, fragment_registers

MEMBER_OPERAND = {"shfl": -1, "vote": -1, "match": -1, "redux": -1, "elect": -1}
"""Which operand names the lanes that take part."""


def _two(operand: Operand) -> tuple[Operand, Operand]:
    return (operand.first, operand.second) if isinstance(operand, Pair) else (operand, Sink())


def shuffle(e: Emitter, i: Instruction) -> None:
    first, second = _two(i.operands[0])
    value, lane, control, members = (e.get(x, "u4") for x in i.operands[1:5])
    mode = next(m for m in i.modifiers if m in ("up", "down", "bfly", "idx"))
    pair = e.fresh(f"S.shuffle({mode!r}, {value}, {lane}, {control}, {members}, X, {e.site})")
    e.put(first, f"{pair}[0]", "u4")
    e.put(second, f"{pair}[1]", "bool")


def vote(e: Emitter, i: Instruction) -> None:
    mode = i.modifiers[1] if i.modifiers[0] == "sync" else i.modifiers[0]
    predicate, members = e.get(i.operands[1], "bool"), e.get(i.operands[2], "u4")
    code = "u4" if mode == "ballot" else "bool"
    e.put(i.operands[0], f"S.vote({mode!r}, {predicate}, {members}, X, {e.site})", code)


def active_mask(e: Emitter, i: Instruction) -> None:
    e.put(i.operands[0], "S.active_lanes(X)", "u4")


def match(e: Emitter, i: Instruction) -> None:
    first, second = _two(i.operands[0])
    code = e.type(i.type).unsigned
    mode = "all" if i.has("all") else "any"
    value, members = e.get(i.operands[1], code), e.get(i.operands[2], "u4")
    pair = e.fresh(f"S.match({mode!r}, {value}, {members}, X, {e.site})")
    e.put(first, f"{pair}[0]", "u4")
    e.put(second, f"{pair}[1]", "bool")


def reduce(e: Emitter, i: Instruction) -> None:
    t = e.type(i.type)
    if t.is_float:
        raise e.fault("redux of floating-point values")
    op = next(m for m in i.modifiers if m in ("add", "min", "max", "and", "or", "xor"))
    value, members = e.get(i.operands[1], t.code), e.get(i.operands[2], "u4")
    e.put(i.operands[0], f"S.reduce({op!r}, {value}, {members}, X, {e.site})", t.code)


def elect(e: Emitter, i: Instruction) -> None:
    first, second = _two(i.operands[0])
    pair = e.fresh(f"S.elect({e.get(i.operands[1], 'u4')}, X, {e.site})")
    e.put(first, f"{pair}[0]", "u4")
    e.put(second, f"{pair}[1]", "bool")


def multiply_matrices(e: Emitter, i: Instruction) -> None:
    """mma.sync: fragments become matrices once per block, however often they are used."""
    special = next((name for name in _SPECIAL if name in i.modifiers), None)
    if special is not None:
        _SPECIAL[special](e, i)
        return
    shape = next((m for m in i.modifiers if m in MATRIX_SHAPES), None)
    types = i.modifiers[-4:]
    if shape is None or any(m in i.modifiers for m in ("sp", "b1")) or not i.has("row"):
        raise e.fault("this form of mma")
    kernel = Multiply.create(shape, types, i.has("satfinite"), _kind(i))
    if kernel is None:
        raise e.fault(f"mma of {shape} with types {', '.join(types)}")
    handle = _handle(e, kernel)
    names = [_fragment(e, handle, kernel, role, operand) for role, operand in zip("ABC", i.operands[1:4], strict=True)]
    result = e.fresh(f"{handle}.multiply({', '.join(names)}, S, X, {e.site})")
    code, items = kernel.register_code("C"), items_of(i.operands[0])
    outputs = [e.fresh(f"{result}[{position}]") for position in range(len(items))]
    for item, name in zip(items, outputs, strict=True):
        e.put(item, name, code)


def _kind(i: Instruction) -> str:
    return next((m.removeprefix("kind_") for m in i.modifiers if m.startswith("kind_")), "")


def multiply_sparse(e: Emitter, i: Instruction) -> None:
    """mma.sp."""
    shape, types, selector = next(m for m in i.modifiers if m.startswith("m16")), i.modifiers[-4:], i.operands[5]
    chosen = selector.value if isinstance(selector, Immediate) else -1
    kernel = SparseMultiply.create(shape, types, chosen, i.has("satfinite"), _kind(i))
    if kernel is None:
        raise e.fault(f"mma.sp of {shape} with types {', '.join(types)}")
    code = kernel.half.register_code("C")
    given = _register_lists(e, i, kernel.registers, code)
    _results(e, i, f"{e.constant(kernel)}.run({given}, {e.get(i.operands[4], 'u4')}, S, X, {e.site})", code)


def multiply_scaled(e: Emitter, i: Instruction) -> None:
    """mma with .block_scale."""
    shape, types = next(m for m in i.modifiers if m.startswith("m16")), i.modifiers[-5:]
    vector = next((m.removeprefix("scale_vec_") for m in i.modifiers if m.startswith("scale_vec_")), "")
    kernel = ScaledMultiply.create(shape, types, _kind(i), vector)
    if kernel is None:
        raise e.fault(f"mma of {shape} with scales, types {', '.join(types)}")
    code = kernel.product.register_code("C")
    counts = tuple(fragment_registers(kernel.product, role) for role in "ABC")
    given = _register_lists(e, i, counts, code)
    scales = ", ".join(
        part
        for data, selectors in zip(i.operands[4::2], i.operands[5::2], strict=True)
        for part in (e.get(data, "u4"), *_selectors(e, selectors))
    )
    _results(e, i, f"{e.constant(kernel)}.run({given}, ({scales}), S, X, {e.site})", code)


def _selectors(e: Emitter, operand: Operand) -> list[str]:
    """`{byte, lanes}`."""
    if not isinstance(operand, Vector) or len(operand.items) != 2:
        raise e.fault(f"selectors of scales {operand}")
    return [e.get(item, "u2") for item in operand.items]


_SPECIAL: dict[str, Handler] = {ORDERED: multiply_sparse, SCALED: multiply_scaled}


def _register_lists(e: Emitter, i: Instruction, counts: tuple[int, ...], code: str) -> str:
    """Source for the registers of A, B and C, which have so many registers each, those of C of type `code`."""
    lists: list[str] = []
    for operand, count, of in zip(i.operands[1:4], counts, ("u4", "u4", code), strict=True):
        if not isinstance(operand, Vector) or len(operand.items) != count:
            raise e.fault(f"operands of mma with other than {counts} registers")
        lists.append(f"[{', '.join(e.get(item, of) for item in operand.items)}]")
    return ", ".join(lists)


def _results(e: Emitter, i: Instruction, expression: str, code: str) -> None:
    found = e.fresh(expression)
    for position, item in enumerate(items_of(i.operands[0])):
        e.put(item, f"{found}[{position}]", code)


def _handle(e: Emitter, kernel: Multiply) -> str:
    handles: dict[Multiply, str] = e.environment.setdefault("_multiplies", {})
    if kernel not in handles:
        handles[kernel] = e.constant(kernel)
    return handles[kernel]


def _fragment(e: Emitter, handle: str, kernel: Multiply, role: str, operand: Operand) -> str:
    items = items_of(operand)
    if len(items) != fragment_registers(kernel, role):
        raise e.fault(f"operand {role} with {len(items)} registers instead of {fragment_registers(kernel, role)}")
    registers = tuple(e.get(item, kernel.register_code(role)) for item in items)
    if role == "C":
        return f"[{', '.join(registers)}]"
    key = ("fragment", handle, role, registers)
    if key not in e.remembered:
        e.remembered[key] = e.fresh(f"{handle}.matrix({role!r}, [{', '.join(registers)}], S, X, {e.site})")
    return e.remembered[key]


def warp_barrier(e: Emitter, i: Instruction) -> None:
    """bar.warp.sync, once its lanes have met."""
    e.line(f"S.warp_barrier({e.get(i.operands[0], 'u4')}, X)")


def depend_on_grids(e: Emitter, i: Instruction) -> None:
    """griddepcontrol: .wait, .launch_dependents."""
    e.line(f"S.{'await_grids' if i.has('wait') else 'launch_dependents'}({e.active()})")


WARP: dict[str, Handler] = {
    "griddepcontrol": depend_on_grids,
    "shfl": shuffle,
    "vote": vote,
    "activemask": active_mask,
    "match": match,
    "redux": reduce,
    "elect": elect,
    "mma": multiply_matrices,
}
