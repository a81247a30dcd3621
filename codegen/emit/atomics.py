"""Atomic updates of memory: an instruction where the machine has one, else a loop around compare-and-swap.

Machines update words; a shorter element is updated as part of the aligned word of four bytes that holds it. Updates
order nothing but themselves (LLVM's `monotonic`). Global memory is updated for all threads of the device, workgroup
memory for those of the workgroup.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...ir.core import Value
from ...ir.dialects import arith, arith_casts, memref
from ...ir.dialects.memref_buffers import AtomicYieldOp, GenericAtomicRMWOp
from ...ir.types import TF32, element_type
from . import floats, integers, wide_access
from .cells import WORD, Cell, cell_at, ordering, update
from .descriptor import Address
from .element_orders import placed
from .emission import Emission
from .emit_rules import EMIT
from .memory import locate
from .text import Ssa, Writer, bits_of
from .widened import extended, rounded

_WORDS: Mapping[str, str] = {
    "assign": "xchg",
    "addi": "add",
    "andi": "and",
    "maxs": "max",
    "maxu": "umax",
    "mins": "min",
    "minu": "umin",
    "ori": "or",
    "xori": "xor",
}
"""LLVM's names of the kinds that every machine has an instruction for, on integers of 32 and 64 bits."""
_NUMBERS: Mapping[str, str] = {"maxnumf": "fmax", "minnumf": "fmin"}
"""LLVM's names of those that some chips have of f32, with -0 below +0 and NaN passed over."""
_ON_BITS = frozenset({"assign", "andi", "ori", "xori"})
"""Kinds that are right for what memory extends: i1 to a byte, 0 or 1, i3 with its sign."""

_Combine = Callable[[Writer, Ssa, Ssa], Ssa]
_Change = Callable[[Ssa], Ssa]
"""The new element from the one that is there."""


def _chosen(name: str) -> _Combine:
    return lambda w, a, b: w.call(a.type, f"llvm.{name}.{a.type}", a, b)


def _float(name: str) -> _Combine:
    return lambda w, a, b: floats.call(w, name, a, b)


def _binary(opcode: str) -> _Combine:
    return lambda w, a, b: w.binary(opcode, a, b)


_COMBINE: Mapping[str, _Combine] = {
    "addf": _binary("fadd"),
    "addi": _binary("add"),
    "andi": _binary("and"),
    "assign": lambda w, a, b: b,
    "maximumf": _float("maximum"),
    "maxnumf": _float("maximumnum"),
    "maxs": _chosen("smax"),
    "maxu": _chosen("umax"),
    "minimumf": _float("minimum"),
    "minnumf": _float("minimumnum"),
    "mins": _chosen("smin"),
    "minu": _chosen("umin"),
    "mulf": _binary("fmul"),
    "muli": _binary("mul"),
    "ori": _binary("or"),
    "xori": _binary("xor"),
}


@EMIT.of(memref.AtomicRMWOp)
def _atomic_rmw(em: Emission, op: memref.AtomicRMWOp) -> None:
    kind, type = op.kind.value, em.type(op.value.type)
    if type != em.stored_type(op.value.type) and kind not in _ON_BITS:
        known = ", ".join(sorted(_ON_BITS))
        found = element_type(op.value.type)
        raise em.error(f"updates {found} by '{kind}', which has no code", hint=f"kinds for {found}: {known}")
    where = placed(em.w, locate(em, op.memref, op.indices)[1])
    (value,) = wide_access.to_memory(em, [em.scalar(op.value)], op.value.type)
    cell = _cell(em, where, value.type)
    if kind == "addf" and cell.shift is None and element_type(op.value.type) != TF32:
        old = update(em, cell, "fadd", value)
    elif kind in _NUMBERS and type == "float" and cell.shift is None and em.chip.supports("atomic_num"):
        old = update(em, cell, _NUMBERS[kind], value)
    elif kind in _WORDS and cell.shift is None:
        old = cell.get(em.w, update(em, cell, _WORDS[kind], cell.put(em.w, value, value)))
    else:
        old = _loop(em, cell, lambda there: _combined(em.w, op, there, value))
    em.set_pack(op.result_, wide_access.from_memory(em, [old], type))


def _cell(em: Emission, where: Address, type: str) -> Cell:
    if where.memref.is_fat and bits_of(type) < WORD:
        raise em.error(f"updates {type} in a raw buffer, whose words of {WORD} bits need not be those of memory")
    return cell_at(em.w, where, type)


def _combined(w: Writer, op: memref.AtomicRMWOp, there: Ssa, value: Ssa) -> Ssa:
    kind = op.kind.value
    if kind == "assign":
        return value
    return rounded(w, _COMBINE[kind](w, *(extended(w, x, op.value) for x in (there, value))), op.value)


@EMIT.of(GenericAtomicRMWOp)
def _generic_atomic_rmw(em: Emission, op: GenericAtomicRMWOp) -> None:
    """The region between reading the element and comparing and swapping it."""
    where = placed(em.w, locate(em, op.memref, op.indices)[1])
    type = em.type(op.result_.type)
    (current,) = op.body.arguments

    def change(there: Ssa) -> Ssa:
        em.set_pack(current, wide_access.from_memory(em, [there], type))
        em.block_without_terminator(op.body)
        (new,) = wide_access.to_memory(em, [em.scalar(op.updated)], op.result_.type)
        return new

    cell = _cell(em, where, em.stored_type(op.result_.type))
    swapped = _compared_and_swapped(op) if cell.shift is None and type == cell.type else None
    old = _loop(em, cell, change) if swapped is None else _swap(em, cell, *swapped)
    em.set_pack(op.result_, wide_access.from_memory(em, [old], type))


def _compared_and_swapped(op: GenericAtomicRMWOp) -> tuple[Value, Value] | None:
    """What a region compares the element's bits with, and puts there where they are the same; None where it does
    anything else."""
    (current,) = op.body.arguments
    chosen = op.updated.operation
    if not isinstance(chosen, arith.SelectOp) or chosen.false_value is not current:
        return None
    same, new = chosen.condition.operation, chosen.true_value
    if not isinstance(same, arith.CmpIOp) or same.predicate.value != "eq":
        return None
    sides = [_unchanged(v) for v in (same.lhs, same.rhs)]
    if current not in sides:
        return None
    expected = sides[1 - sides.index(current)]
    inside = any(v is current or (v.operation is not None and v.operation.parent is op.body) for v in (expected, new))
    return None if inside else (expected, new)


def _unchanged(value: Value) -> Value:
    """What the value has the bits of."""
    maker = value.operation
    return maker.in_ if isinstance(maker, arith_casts.BitcastOp) else value


def _swap(em: Emission, cell: Cell, expected: Value, new: Value) -> Ssa:
    """One instruction: there is nothing to compute between reading and writing."""
    w = em.w
    before, after = (cell.moved(w, integers.bitcast(w, em.scalar(v), cell.type)) for v in (expected, new))
    order, align = ordering(em, cell), f"align {cell.bits // 8}"
    swap = f"cmpxchg {cell.pointer}, {before}, {after} {order} monotonic, {align}{em.machine.atomic_facts}"
    pair = w.fresh(swap, f"{{ i{cell.bits}, i1 }}")
    return cell.get(w, w.fresh(f"extractvalue {pair}, 0", f"i{cell.bits}"))


EMIT.needless("written with the update that it ends", AtomicYieldOp)


def _loop(em: Emission, cell: Cell, change: _Change) -> Ssa:
    """Computes the new element from what was there, again and again until nobody else was faster."""
    w, type, order, align = em.w, f"i{cell.bits}", ordering(em, cell), f"align {cell.bits // 8}"
    first = w.fresh(f"load atomic {type}, {cell.pointer} {order}, {align}", type)
    before, body, done = w.block, w.label(), w.label()
    w.jump(body)
    with w.scope():
        w.start(body)
        word = w.open_phi(type)
        new = cell.put(w, word.value, change(cell.get(w, word.value)))
        swap = f"cmpxchg {cell.pointer}, {word.value}, {new} {order} monotonic, {align}{em.machine.atomic_facts}"
        pair = w.fresh(swap, f"{{ {type}, i1 }}")
        seen, ok = w.fresh(f"extractvalue {pair}, 0", type), w.fresh(f"extractvalue {pair}, 1", "i1")
        w.close(word, [(first, before), (seen, w.block)])
        w.branch(ok, done, body)
    w.start(done)
    return cell.get(w, seen)
