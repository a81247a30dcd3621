"""Atomic updates of memory: an instruction where the machine has one, else a loop around compare-and-swap.

Machines update words; a shorter element is updated as part of the aligned word of four bytes that holds it. Updates
order nothing but themselves (LLVM's `monotonic`). Global memory is updated for all threads of the device, workgroup
memory for those of the workgroup.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from ...ir.dialects import memref
from . import floats, integers, wide_access
from .descriptor import Address
from .emission import Emission
from .emit_rules import EMIT
from .memory import locate
from .text import FLOAT_BITS, Ssa, Writer, bits_of, integer

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
_ON_BITS = frozenset({"assign", "andi", "ori", "xori"})
"""Kinds that are right for an i1, which memory holds as a byte, 0 or 1."""
_WORD = 32

_Combine = Callable[[Writer, Ssa, Ssa], Ssa]


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


class _Cell(NamedTuple):
    """An element of LLVM type `type` in the word at `pointer`, `shift` bits from its low end; None: the whole word."""

    pointer: Ssa
    space: int
    type: str
    shift: Ssa | None

    @property
    def bits(self) -> int:
        return max(_WORD, bits_of(self.type))

    def get(self, w: Writer, word: Ssa) -> Ssa:
        if self.shift is not None:
            word = w.convert("trunc", w.binary("lshr", word, self.shift), f"i{bits_of(self.type)}")
        return integers.bitcast(w, word, self.type)

    def put(self, w: Writer, word: Ssa, value: Ssa) -> Ssa:
        """The word with another element."""
        whole = floats.bits(w, value) if self.type in FLOAT_BITS else value
        if self.shift is None:
            return whole
        ones = integer((1 << bits_of(self.type)) - 1, word.type)
        hole = w.binary("xor", w.binary("shl", ones, self.shift), integer(-1, word.type))
        moved = w.binary("shl", w.convert("zext", whole, word.type), self.shift)
        return w.binary("or", w.binary("and", word, hole), moved)


def _cell(w: Writer, where: Address, type: str) -> _Cell:
    pointer = where.pointer(w)
    if bits_of(type) >= _WORD:
        return _Cell(pointer, where.space, type, None)
    number = w.pure(f"ptrtoint {pointer} to i64", "i64")
    inside = w.binary("and", number, integer(3))
    start = w.pure(f"getelementptr i8, {pointer}, {w.binary('sub', integer(0), inside)}", pointer.type)
    shift = w.convert("trunc", w.binary("shl", inside, integer(3)), f"i{_WORD}")
    return _Cell(start, where.space, type, shift)


@EMIT.of(memref.AtomicRMWOp)
def _atomic_rmw(em: Emission, op: memref.AtomicRMWOp) -> None:
    kind, type = op.kind.value, em.type(op.value.type)
    if kind != "assign":
        floats.check_arithmetic(em, op)
    if type == "i1" and kind not in _ON_BITS:
        raise em.error(
            f"updates i1 by '{kind}', which has no code", hint=f"kinds for i1: {', '.join(sorted(_ON_BITS))}"
        )
    _, where = locate(em, op.memref, op.indices)
    (value,) = wide_access.to_memory(em, [em.scalar(op.value)])
    cell = _cell(em.w, where, value.type)
    if kind == "addf" and cell.shift is None:
        old = _update(em, cell, "fadd", value)
    elif kind in _WORDS and cell.shift is None:
        old = cell.get(em.w, _update(em, cell, _WORDS[kind], cell.put(em.w, value, value)))
    else:
        old = _loop(em, cell, _COMBINE[kind], value)
    em.set_pack(op.result_, wide_access.from_memory(em, [old], type))


def _ordering(em: Emission, cell: _Cell) -> str:
    return f'syncscope("{em.machine.atomic_scopes[cell.space]}") monotonic'


def _update(em: Emission, cell: _Cell, word: str, value: Ssa) -> Ssa:
    align = f"align {cell.bits // 8}{em.machine.atomic_facts}"
    return em.w.fresh(f"atomicrmw {word} {cell.pointer}, {value} {_ordering(em, cell)}, {align}", value.type)


def _loop(em: Emission, cell: _Cell, combine: _Combine, value: Ssa) -> Ssa:
    """Computes the new element from what was there, again and again until nobody else was faster."""
    w, type, ordering, align = em.w, f"i{cell.bits}", _ordering(em, cell), f"align {cell.bits // 8}"
    first = w.fresh(f"load atomic {type}, {cell.pointer} {ordering}, {align}", type)
    before, body, done = w.block, w.label(), w.label()
    w.jump(body)
    with w.scope():
        w.start(body)
        word = w.open_phi(type)
        new = cell.put(w, word.value, combine(w, cell.get(w, word.value), value))
        swap = f"cmpxchg {cell.pointer}, {word.value}, {new} {ordering} monotonic, {align}{em.machine.atomic_facts}"
        pair = w.fresh(swap, f"{{ {type}, i1 }}")
        seen, ok = w.fresh(f"extractvalue {pair}, 0", type), w.fresh(f"extractvalue {pair}, 1", "i1")
        w.close(word, [(first, before), (seen, body)])
        w.branch(ok, done, body)
    w.start(done)
    return cell.get(w, seen)
