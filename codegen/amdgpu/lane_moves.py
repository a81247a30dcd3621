"""amdgpu's instructions that read other lanes, as the program names them; words of 32 bits travel alone."""

from __future__ import annotations

from collections.abc import Callable

from ...ir.core import Value
from ...ir.dialects.amdgpu_lanes import DppOp, PermlaneOp, PermlaneSwapOp, PermlaneVarOp, SwizzleBitModeOp
from ..emit.emission import Emission
from ..emit.emit_rules import AMD
from ..emit.text import FALSE, TRUE, Ssa, integer
from ..emit.words import exchange_with, exchange_words
from .collectives import other_of_pair


@AMD.of(DppOp)
def _dpp(em: Emission, op: DppOp) -> None:
    em.require("dpp.across_rows" if op.crosses_rows else "dpp")
    numbers = [integer(n, "i32") for n in (op.control, op.row_mask, op.bank_mask)]
    zeros = TRUE if op.bound_ctrl.value else FALSE

    def exchange(word: Ssa, old: Ssa) -> Ssa:
        return em.w.call_fresh("i32", "llvm.amdgcn.update.dpp.i32", old, word, *numbers, zeros)

    em.set_pack(op.result_, exchange_with(em, em.elements(op.src), em.elements(op.old), exchange))


@AMD.of(SwizzleBitModeOp)
def _swizzle(em: Emission, op: SwizzleBitModeOp) -> None:
    offset = integer(op.and_mask | op.or_mask << 5 | op.xor_mask << 10, "i32")

    def exchange(word: Ssa) -> Ssa:
        return em.w.call_fresh("i32", "llvm.amdgcn.ds.swizzle", word, offset)

    _exchange(em, op.src, op.result_, exchange)


@AMD.of(PermlaneSwapOp)
def _permlane_swap(em: Emission, op: PermlaneSwapOp) -> None:
    em.require("permlane_swap")
    name = f"llvm.amdgcn.permlane{op.row_length}.swap"

    def exchange(word: Ssa) -> Ssa:
        pair = em.w.call_fresh("{ i32, i32 }", name, word, word, *_flags(op))
        return other_of_pair(em, pair, op.row_length)

    _exchange(em, op.src, op.result_, exchange)


@AMD.of(PermlaneVarOp)
def _permlane_var(em: Emission, op: PermlaneVarOp) -> None:
    em.require("permlane_var")
    name = f"llvm.amdgcn.permlane{'x' if op.cross.value else ''}16.var"
    selector = em.scalar(op.selector)

    def exchange(word: Ssa) -> Ssa:
        return em.w.call_fresh("i32", name, word, word, selector, *_flags(op))

    _exchange(em, op.src, op.result_, exchange)


def _flags(op: PermlaneOp) -> list[Ssa]:
    return [TRUE if flag.value else FALSE for flag in (op.fetch_inactive, op.bound_ctrl)]


def _exchange(em: Emission, source: Value, result: Value, exchange: Callable[[Ssa], Ssa]) -> None:
    em.set_pack(result, exchange_words(em, em.elements(source), exchange))
