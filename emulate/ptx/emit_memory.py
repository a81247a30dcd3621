"""Source for memory instructions: loads, stores, atomics, asynchronous copies, barrier objects."""

from __future__ import annotations

from .emit import Emitter, Handler
from .emit_hints import check_hints, check_policy
from .shapes import HINTED
from .syntax import Address, Immediate, Instruction, Operand, Register, Sink, Symbol, address_of, items_of
from .types import PtxType

_SPACES = ("global", "shared", "local", "const", "param")
_BARRIER_ACTIONS = ("init", "inval", "expect_tx", "complete_tx", "arrive", "arrive_drop")
_ATOMIC_OPS = ("add", "min", "max", "exch", "cas", "and", "or", "xor", "inc", "dec")


def space_of(i: Instruction) -> str:
    """The state space named by an instruction; generic when none is."""
    for modifier in i.modifiers:
        if modifier.split("_")[0] in _SPACES:
            return modifier.split("_")[0]
    return "generic"


def load(e: Emitter, i: Instruction) -> None:
    t, space = e.type(i.type), space_of(i)
    items = items_of(i.operands[0])
    if i.opcode == "ldu":
        space = "global"
    if space == "param" and _constant_parameter(e, i):
        _load_parameter(e, i, t, items)
        return
    check_hints(e, i)
    address = e.address(i.operands[1])
    strong = i.has("relaxed")
    values = e.fresh(f"S.load({space!r}, {address}, {t.size}, {len(items)}, {e.active()}, {e.site}, {strong})")
    for position, item in enumerate(items):
        _put_loaded(e, item, f"{values}[{position}]", t)


def _put_loaded(e: Emitter, item: Operand, expression: str, t: PtxType) -> None:
    e.put(
        item, f"{expression}.view({t.code})" if t.kind == "s" else expression, t.code if t.kind == "s" else t.unsigned
    )


def _constant_parameter(e: Emitter, i: Instruction) -> bool:
    address = i.operands[1]
    return (
        isinstance(address, Address) and isinstance(address.base, Symbol) and address.base.name in e.symbols.parameters
    )


def _load_parameter(e: Emitter, i: Instruction, t: PtxType, items: tuple[Operand, ...]) -> None:
    address = i.operands[1]
    assert isinstance(address, Address) and isinstance(address.base, Symbol)
    offset = e.symbols.parameters[address.base.name] + address.base.offset + address.offset
    for position, item in enumerate(items):
        _put_loaded(e, item, f"S.parameter({offset + position * t.size}, {t.unsigned})", t)


def store(e: Emitter, i: Instruction) -> None:
    t, space = e.type(i.type), space_of(i)
    check_hints(e, i)
    items = items_of(i.operands[1])
    address = e.address(i.operands[0])
    values = ", ".join(e.get(item, t.unsigned) for item in items)
    e.line(f"S.store({space!r}, {address}, {t.size}, [{values}], {e.active()}, {e.site})")


def atomic(e: Emitter, i: Instruction) -> None:
    """atom returns what was there before; red does not."""
    t, space = e.type(i.type), space_of(i)
    if i.has("async"):
        raise e.fault("this form of atomic")
    op = next(m for m in i.modifiers if m in _ATOMIC_OPS)
    address, *sources = i.operands[1:] if i.opcode == "atom" else i.operands
    destinations = items_of(i.operands[0]) if i.opcode == "atom" else ()
    place = e.address(address)
    for position in range(len(items_of(sources[0]))):
        values = ", ".join(e.get(items_of(s)[position], t.unsigned) for s in sources)
        where = place if position == 0 else f"{place} + {e.number(position * t.size, 'i8')}"
        destination = destinations[position] if destinations else Sink()
        wanted = not isinstance(destination, Sink)
        asked = wanted and not (isinstance(destination, Register) and destination.name in e.symbols.once)
        call = f"S.atomic({op!r}, {space!r}, {where}, {t.name!r}, [{values}], {asked}, {e.active()}, {e.site})"
        if wanted:
            e.put(destination, call, t.unsigned)
        else:
            e.line(call)


def async_copy(e: Emitter, i: Instruction) -> None:
    """cp.async: issue, commit, wait, arrive."""
    if i.modifiers[:3] == _BOX_LOAD and i.has("shared_cluster"):
        _issue_box(e, i)
        return
    if i.has("bulk") and _store_of_box(e, i):
        return
    if i.has("bulk") or i.modifiers[0] == "reduce":
        raise e.fault("bulk copies")
    if i.has("commit_group"):
        e.line(f"S.commit_copies({e.active()})")
    elif i.has("wait_group") or i.has("wait_all"):
        count = i.operands[0].value if i.operands and isinstance(i.operands[0], Immediate) else None
        e.line(f"S.wait_copies({count}, {e.active()}, {e.site})")
    elif i.has("mbarrier"):
        e.line(f"S.wait_copies(None, {e.active()}, {e.site})")
        e.line(f"S.arrive({e.address(i.operands[0])}, one, False, {e.active()}, {e.site})")
    else:
        _issue_copy(e, i)


_BOX_LOAD = ("async", "bulk", "tensor")
_TO_SHARED = ("shared_cluster", "global", "tile", "mbarrier_complete_tx_bytes")


def _issue_box(e: Emitter, i: Instruction) -> None:
    """From global memory to that of the own workgroup, or of several of its cluster."""
    said = i.modifiers[8:]
    several, hinted = "multicast_cluster" in said, HINTED in said
    words = ("multicast_cluster",) * several + (HINTED,) * hinted
    if i.modifiers[4:8] != _TO_SHARED or said != words or len(i.operands) != 3 + len(words):
        raise e.fault("this form of copies of boxes")
    destination, source, barrier, *ranks = i.operands
    if hinted:
        check_policy(e, i.operands[-1])
    corner = ", ".join(e.get(item, "i4") for item in address_of(source).coordinates)
    mask = e.get(ranks[0], "u2") if several else "None"
    places = f"{e.address(destination)}, {e.address(source)}, [{corner}], {e.address(barrier)}, {mask}"
    e.line(f"S.issue_box({places}, {e.active()}, {e.site})")


_FROM_SHARED = ("global", "shared_cta", "tile", "bulk_group")


def _store_of_box(e: Emitter, i: Instruction) -> bool:
    """From memory of the own workgroup to global memory, and the groups of such copies. False: it is another copy."""
    match i.modifiers:
        case ("async", "bulk", "commit_group"):
            e.line(f"S.commit_stores({e.active()})")
        case ("async", "bulk", "wait_group", *rest) if rest in ([], ["read"]) and isinstance(i.operands[0], Immediate):
            e.line(f"S.wait_stores({i.operands[0].value}, {bool(rest)}, {e.active()}, {e.site})")
        case ("async", "bulk", "tensor", _, *rest) if tuple(rest) == _FROM_SHARED and len(i.operands) == 2:
            destination, source = i.operands
            corner = ", ".join(e.get(item, "i4") for item in address_of(destination).coordinates)
            places = f"{e.address(source)}, {e.address(destination)}, [{corner}]"
            e.line(f"S.issue_store({places}, {e.active()}, {e.site})")
        case _:
            return False
    return True


def _issue_copy(e: Emitter, i: Instruction) -> None:
    destination, source, size, *rest = i.operands
    if not isinstance(size, Immediate):
        raise e.fault("cp.async needs a literal size")
    if i.has(HINTED):
        check_policy(e, i.operands[-1])
        rest = rest[:-1]
    given = _source_bytes(e, rest[0], size.value) if rest else e.number(size.value, "u4")
    e.line(
        f"S.issue_copy({e.address(destination)}, {e.address(source)}, {size.value}, {given}, {e.active()}, {e.site})"
    )


def _source_bytes(e: Emitter, operand: Operand, size: int) -> str:
    """The last operand is a number of bytes, or a predicate under which the source is ignored."""
    if isinstance(operand, Register) and e.symbols.codes[e.symbols.numbers[operand.name]] == "bool":
        return f"(~{e.get(operand, 'bool')} * {e.number(size, 'u4')})"
    return e.get(operand, "u4")


def barrier_object(e: Emitter, i: Instruction) -> None:
    """mbarrier: init, inval, arrive, arrive_drop, expect_tx, complete_tx, test_wait, try_wait."""
    action = i.modifiers[0]
    if action == "try_wait":
        # Waiting is the scheduler's affair: a thread gets here when its phase is complete.
        e.put(i.operands[0], "True_", "bool")
        return
    if action == "test_wait":
        # The scheduler lets others run first; where that changes nothing, the answer is no.
        place, wanted = phase_asked(e, i)
        e.put(i.operands[0], e.fresh(f"S.phase_complete({place}, {wanted}, {e.active()}, {e.site})"), "bool")
        return
    if action not in _BARRIER_ACTIONS:
        raise e.fault(f"mbarrier.{action}")
    operands: list[Operand] = [o for o in i.operands if not isinstance(o, Address)]
    place = e.address(next(o for o in i.operands if isinstance(o, Address)))
    group, site = e.active(), e.site
    if action == "init":
        e.line(f"S.init_barrier({place}, {e.get(operands[0], 'u4')}, {group}, {site})")
    elif action == "inval":
        e.line(f"S.end_barrier({place}, {group}, {site})")
    elif action in ("expect_tx", "complete_tx"):
        count = e.get(operands[0], "u4")
        e.line(f"S.expect_bytes({place}, {count}, {action == 'complete_tx'}, {group}, {site})")
    else:
        _arrive(e, i, place, operands)


def phase_asked(e: Emitter, i: Instruction) -> tuple[str, str]:
    """The object, and the phase of it."""
    address = next(o for o in i.operands if isinstance(o, Address))
    token = i.operands[list(i.operands).index(address) + 1]
    return e.address(address), e.get(token, "u4" if i.has("parity") else "u8")


def _arrive(e: Emitter, i: Instruction, place: str, operands: list[Operand]) -> None:
    state = operands[0] if operands and (i.operands[0] is operands[0]) else Sink()
    rest = operands[1:] if operands and state is operands[0] else operands
    count = e.get(rest[0], "u4") if rest else "one"
    group, site, drop = e.active(), e.site, i.modifiers[0] == "arrive_drop"
    if i.has("noComplete"):
        e.line(f"S.need_others({place}, {count}, {group}, {site})")
    if i.has("expect_tx"):
        e.line(f"S.expect_bytes({place}, {count}, False, {group}, {site})")
        count = "one"
    e.put(state, e.fresh(f"S.arrive({place}, {count}, {drop}, {group}, {site})"), "u8")


def map_rank(e: Emitter, i: Instruction) -> None:
    """mapa: a place in the shared memory of another workgroup of the cluster."""
    if not i.has("shared_cluster"):
        raise e.fault("mapa of generic addresses")
    source, code = i.operands[1], "i8" if i.type == "u64" else "u4"
    place = e.place(source, code)
    found = f"S.map_rank({place}, {e.get(i.operands[2], 'u4')}, {e.active()}, {e.site})"
    e.put(i.operands[0], found if code == "i8" else f"{found}.astype('u4')", code)


def cluster_barrier(e: Emitter, i: Instruction) -> None:
    """barrier.cluster: arrival, and the end of a wait, which is the scheduler's affair."""
    if i.has("arrive"):
        e.line(f"S.arrive_cluster({i.has('relaxed')}, {e.active()}, {e.site})")
    else:
        e.line(f"S.leave_cluster({e.active()})")


def matrix_load(e: Emitter, i: Instruction) -> None:
    """ldmatrix .m8n8 .b16, with or without .trans."""
    if not i.has("m8n8") or i.type != "b16":
        raise e.fault("this shape of ldmatrix")
    items = items_of(i.operands[0])
    address = e.address(i.operands[1])
    values = e.fresh(f"S.load_matrices({space_of(i)!r}, {address}, {len(items)}, {i.has('trans')}, X, {e.site})")
    for position, item in enumerate(items):
        e.put(item, f"{values}[{position}]", "u4")


def matrix_store(e: Emitter, i: Instruction) -> None:
    if not i.has("m8n8") or i.type != "b16":
        raise e.fault("this shape of stmatrix")
    values = ", ".join(e.get(item, "u4") for item in items_of(i.operands[1]))
    address = e.address(i.operands[0])
    e.line(f"S.store_matrices({space_of(i)!r}, {address}, [{values}], {i.has('trans')}, X, {e.site})")


MEMORY: dict[str, Handler] = {
    "ld": load,
    "ldu": load,
    "st": store,
    "atom": atomic,
    "red": atomic,
    "cp": async_copy,
    "mbarrier": barrier_object,
    "mapa": map_rank,
    "barrier": cluster_barrier,
    "ldmatrix": matrix_load,
    "stmatrix": matrix_store,
}
