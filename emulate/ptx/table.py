"""The integer instructions that are one expression per thread: opcode to types and numpy source.

A type is a numpy code, or what the instruction's own type says: T is its values, U its bits. `{0}`, `{1}`, ... are the
sources; a modifier in braces says whether the instruction has it. Behind the expression stand the modifiers that change
nothing, as they say what is so without them. Others are faults.
"""

from __future__ import annotations

from collections.abc import Mapping
from string import Formatter

from ...support.dataclasses import dataclass
from .emit import Emitter, Handler
from .syntax import Instruction


@dataclass(frozen=True)
class Row:
    """Type of the result, types of the sources, the expression, and modifiers that it need not ask for."""

    result: str
    sources: tuple[str, ...]
    expression: str
    idle: tuple[str, ...] = ()

    @property
    def modifiers(self) -> tuple[str, ...]:
        """Those that the expression asks for."""
        return tuple(name for _, name, _, _ in Formatter().parse(self.expression) if name and not name.isdigit())


def _row(result: str, sources: str, expression: str, idle: str = "") -> Row:
    return Row(result, tuple(sources.split()), expression, tuple(idle.split()))


SHARED: Mapping[str, Row] = {
    "div": _row("T", "T T", "divide({0}, {1})"),
    "rem": _row("T", "T T", "remainder({0}, {1})"),
    "neg": _row("U", "U", "-{0}"),
    "abs": _row("T", "T", "absolute({0})"),
    "mul24": _row("T", "T T", "multiply24({0}, {1}, high={hi})", "lo"),
    "mad24": _row("T", "T T T", "multiply24({0}, {1}, high={hi}) + {2}", "lo"),
}
"""Opcodes that are of floating point, too."""

TABLE: Mapping[str, Row] = {
    "and": _row("U", "U U", "{0} & {1}"),
    "or": _row("U", "U U", "{0} | {1}"),
    "xor": _row("U", "U U", "{0} ^ {1}"),
    "not": _row("U", "U", "~{0}"),
    "cnot": _row("U", "U", "({0} == 0).astype({0}.dtype)"),
    "bfe": _row("U", "T u4 u4", "extract_field({0}, {1}, {2})"),
    "bfi": _row("U", "U U u4 u4", "insert_field({0}, {1}, {2}, {3})"),
    "popc": _row("u4", "U", "population_count({0})"),
    "clz": _row("u4", "U", "leading_zeros({0})"),
    "brev": _row("U", "U", "reverse_bits({0})"),
    "bfind": _row("u4", "T", "find_leading({0}, shift_amount={shiftamt})"),
    "fns": _row("u4", "u4 u4 u4", "find_nth_set({0}, {1}, {2})"),
    "szext": _row("u4", "T u4", "sign_zero_extend({0}, {1}, wrap={wrap})", "clamp"),
    "shf": _row("u4", "u4 u4 u4", "funnel_shift({0}, {1}, {2}, left={l}, wrap={wrap})", "r clamp"),
    "sad": _row("T", "T T T", "absolute_difference({0}, {1}, {2})"),
    "selp": _row("U", "U U bool", "where({2}, {0}, {1})"),
}


def handler(row: Row) -> Handler:
    """Writes the source of an instruction from its row."""

    def emit(e: Emitter, i: Instruction) -> None:
        own = e.type(i.type)
        e.only(i.modifiers[:-1], (*row.modifiers, *row.idle))
        codes = {"T": own.code, "U": own.unsigned}
        sources = [e.get(x, codes.get(code, code)) for x, code in zip(i.operands[1:], row.sources, strict=True)]
        expression = row.expression.format(*sources, **{name: i.has(name) for name in row.modifiers})
        e.put(i.operands[0], expression, codes.get(row.result, row.result))

    return emit
