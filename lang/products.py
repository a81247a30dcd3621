"""Contractions: what `@`, `lw.dot` and `lw.contract` write."""

from __future__ import annotations

import functools
import operator
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from ..ir.affine import AffineMap, AffineMapAttr, Dim
from ..ir.attributes import ArrayAttr, DictAttr, IntegerAttr, UnitAttr
from ..ir.core import Value
from ..ir.dialects import vector
from ..ir.dialects.iree_gpu import MMALayoutAttr
from ..ir.dialects.iree_gpu_config import LoweringConfigAttr
from ..ir.dialects.vector_kind import CombiningKindAttr, IteratorTypeAttr
from ..ir.dialects.vector_reductions import TF32, UNSIGNED
from ..ir.types import I64, Attribute
from .dtypes import DType, f32, f64, i32, i64
from .operands import Operand, bits_of, constant, element_of, is_float
from .reductions import REDUCTIONS
from .trace import building, fail

Lowering: TypeAlias = "Mapping[str, int | str | Sequence[int] | Sequence[Sequence[int]]]"
"""What is said of how a contraction is done: the keys of a `lowering_config` (docs/files.md)."""
KINDS: Mapping[str, str] = {
    "add": "sum",
    "mul": "prod",
    "max": "max",
    "min": "min",
    "and": "all",
    "or": "any",
    "xor": "xor",
}
"""How the products of a contraction are joined, by the reduction of that name."""


def sums_of(dtype: DType) -> DType:
    """The type in which products of a type are added when nothing else is said."""
    if is_float(dtype):
        return dtype if dtype == f64 else f32
    return i32 if bits_of(dtype) < 32 and dtype.kind == "integer" else dtype if dtype != i64 else i64


def letters_of(a: Operand, b: Operand) -> str:
    """The axes of `a @ b` as numpy's matmul has them, as letters for `contract`."""
    ranks = len(a.shape), len(b.shape)
    fits = all(ranks) and a.shape[-1] == b.shape[-2 if ranks[1] > 1 else 0]
    lead = max(ranks) - 2
    if fits and min(ranks) > 2:
        fits = ranks[0] == ranks[1] and a.shape[:-2] == b.shape[:-2]
    if not fits:
        fail(f"'@' needs [.., M, K] @ [.., K, N]: left is {a.text}, right is {b.text}", a.made, b.made)
    batch = "abcdefgh"[: max(lead, 0)]
    left = {1: "k", 2: "mk"}.get(ranks[0], f"{batch}mk")
    right = {1: "k", 2: "kn"}.get(ranks[1], f"{batch}kn")
    result = "".join(x for x in dict.fromkeys(left + right) if x != "k")
    return f"{left},{right}->{_batch_first(result, batch)}"


def _batch_first(letters: str, batch: str) -> str:
    return "".join(x for x in batch if x in letters) + "".join(x for x in letters if x not in batch)


def contract(
    letters: str,
    a: Operand,
    b: Operand,
    acc: Operand | None,
    kind: str = "add",
    into: DType | None = None,
    tf32: bool = False,
    lowering: Lowering | None = None,
) -> Operand:
    """Products of elements of a and b joined along the axes that the result has not, onto `acc`."""
    left, right, out = _parsed(letters, a, b)
    extents: dict[str, int] = {}
    for operand, names in ((a, left), (b, right)):
        for letter, extent in zip(names, operand.shape, strict=True):
            if extents.setdefault(letter, extent) != extent:
                fail(
                    f"'{letter}' of {letters!r} is {extents[letter]} in one operand and {extent} in the other:"
                    f" left is {a.text}, right is {b.text}", a.made, b.made,
                )  # fmt: skip
    if kind not in KINDS:
        fail(f"a contraction joins by one of {', '.join(KINDS)}, found {kind!r}")
    shape = tuple(extents[letter] for letter in out)
    into = (sums_of(a.dtype) if acc is None else acc.dtype) if into is None else into
    if acc is None:
        number = 0 if kind == "add" else _kind(kind, into).identity(element_of(into))
        acc = constant(number, into, shape)
    if acc.shape != shape or acc.dtype != into:
        fail(f"the accumulator of {letters!r} is {into} of shape {shape}, found {acc.text}", acc.made)
    order = [*out, *(letter for letter in extents if letter not in out)]
    operands = [_folded(a.ssa, left), _folded(b.ssa, right), (acc.ssa, out)]
    maps = [_map("".join(order), names) for _, names in operands]
    roles = [_PARALLEL if x in out else _REDUCTION for x in order]
    marks = [name for name, operand in zip(UNSIGNED, (a, b), strict=True) if operand.dtype.unsigned]
    attributes: dict[str, Attribute] = {
        "indexing_maps": ArrayAttr(tuple(maps)),
        "iterator_types": ArrayAttr(tuple(roles)),
        "kind": _kind(kind, into),
        **{name: UnitAttr() for name in (*marks, *([TF32] if tf32 else []))},
        **({} if lowering is None else {"lowering_config": _config(lowering)}),
    }
    left_value, right_value = operands[0][0], operands[1][0]
    made = building().value(vector.ContractionOp, left_value, right_value, acc.ssa, [], **attributes)
    return Operand(made, into)


_PARALLEL, _REDUCTION = IteratorTypeAttr("parallel"), IteratorTypeAttr("reduction")


@functools.lru_cache(maxsize=1024)
def _map(order: str, names: str) -> AffineMapAttr:
    """Which of the axes of a contraction, in their order, those of an operand are."""
    return AffineMapAttr(AffineMap(len(order), 0, tuple(Dim(order.index(x)) for x in names)))


def _config(lowering: Lowering) -> Attribute:
    """`#iree_gpu.lowering_config<{..}>`, whose `mma_kind` is an instruction by its name."""
    entries = {name: MMALayoutAttr(v) if isinstance(v, str) else _numbers(name, v) for name, v in lowering.items()}
    return LoweringConfigAttr(DictAttr.of(entries))


def _numbers(name: str, value: Any) -> Attribute:
    if hasattr(value, "__index__"):
        return IntegerAttr(operator.index(value), I64)
    if not (hasattr(value, "__iter__") and hasattr(value, "__getitem__")) or hasattr(value, "encode"):
        fail(f"'{name}' of a contraction's lowering is of numbers, found {type(value).__name__} {value!r}")
    return ArrayAttr(tuple(_numbers(name, part) for part in value))


def _kind(kind: str, dtype: DType) -> CombiningKindAttr:
    row = REDUCTIONS[KINDS[kind]]
    return CombiningKindAttr(row.floats if is_float(dtype) else row.unsigned if dtype.unsigned else row.signed)


def _parsed(letters: str, a: Operand, b: Operand) -> tuple[str, str, str]:
    given: Any = letters
    if not isinstance(given, str):
        fail(f"the axes of a contraction are a text, such as 'mk,kn->mn', found {type(given).__name__} {given!r}")
    left, _, rest = letters.replace(" ", "").partition(",")
    right, _, out = rest.partition("->")
    for operand, names in ((a, left), (b, right)):
        if len(names) != len(operand.shape) or len(set(names)) != len(names):
            fail(
                f"{names!r} of {letters!r} does not name the {len(operand.shape)} axes of {operand.text}", operand.made
            )
    odd = [x for x in out if x not in left + right]
    if odd or len(set(out)) != len(out):
        fail(f"{letters!r}: the result's axes are each one of the operands', found {out!r}")
    alone = next((x for x in left + right if x not in out and not (x in left and x in right)), None)
    if alone is not None:
        message = f"'{alone}' of {letters!r} is an axis of one operand alone, and not of the result"
        fail(message, a.made, b.made, hint="sum that operand along it before: x.sum(axis=...)")
    if set(out) == {*left, *right}:
        fail(f"{letters!r} joins nothing: both operands have an axis that the result has not", hint="a[:, None] * b")
    return left, right, out


def _folded(value: Value, names: str) -> tuple[Value, str]:
    """An operand in front of a transposition, which becomes part of the map."""
    maker = value.operation
    if not isinstance(maker, vector.TransposeOp):
        return value, names
    inner = [""] * len(names)
    for position, axis in enumerate(maker.permutation):
        inner[axis] = names[position]
    return maker.vector, "".join(inner)
