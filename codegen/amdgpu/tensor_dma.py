"""Tiles of tensors that gfx1250 copies by a descriptor: its words, in scalar registers.

Their bits are from CDNA5's ISA document, "Tensor operations".
Numbers are put together where the copy stands. A wave copies whatever its mask says, even if that is empty, so its
count says whether any lane is there.
"""

from __future__ import annotations

from collections.abc import Mapping

from ...ir.core import Value
from ...ir.dialects.amdgpu_barriers import is_barrier
from ...ir.dialects.amdgpu_tensor import MAKERS, MakeDescriptorOp, TensorCopyOp, TensorLoadToLDSOp, TensorStoreFromLDSOp
from ...ir.dialects.rocdl_waits import WaitTensorcntOp
from ...ir.types import VectorType, memory_bits
from ..emit import integers
from ..emit.descriptor import GLOBAL, SHARED, address
from ..emit.emission import Emission
from ..emit.emit_rules import AMD
from ..emit.text import Ssa, integer
from .lds import ordered
from .lds_barriers import barrier_at

_MOST_UNDER_WAY = 10
"""A wave's copies that may be under way when it begins another: LLVM's FeatureNeedsTDMDrain, newer than LLVM 22.1."""
_MOST = 63
Field = tuple[int, int, int]
"""A word of a group, the lowest bit in it, and how many bits go on from there into the next words."""
_SIZE: tuple[tuple[int, Field], ...] = (
    (1, (1, 16, 32)),
    (1, (2, 16, 32)),
    (2, (0, 0, 32)),
    (2, (1, 0, 32)),
    (3, (1, 16, 32)),
)
_EXTENT: tuple[tuple[int, Field], ...] = (
    (1, (3, 16, 16)),
    (1, (4, 0, 16)),
    (1, (4, 16, 16)),
    (2, (3, 16, 16)),
    (3, (2, 16, 16)),
)
_STRIDE: tuple[tuple[int, Field], ...] = ((1, (5, 0, 48)), (1, (6, 16, 48)), (2, (2, 0, 48)), (3, (0, 0, 48)))
"""By dimension, innermost first, the group and its field; a dimension's stride leads to the next."""
_LDS_STEP: tuple[int, Field] = (2, (1, 0, 32))
_GLOBAL_STEP: tuple[int, Field] = (2, (2, 0, 48))
_TIMES: tuple[int, Field] = (2, (3, 16, 16))


class _Words:
    """The words of the four groups."""

    def __init__(self, em: Emission) -> None:
        self._em = em
        self._words: dict[tuple[int, int], list[Ssa]] = {}

    def put(self, group: int, field: Field, value: int | Ssa) -> None:
        """A number, of as many bits as the field has; a value is of 32 or 64."""
        word, shift, bits = field
        if isinstance(value, int):
            self._constant(group, word, value << shift)
            return
        w = self._em.w
        wide = integers.resize(w, value, "i64", signed=False)
        wide = integers.binary(w, "and", wide, integer((1 << bits) - 1, "i64"))
        low = integers.binary(w, "shl", wide, integer(shift, "i64")) if shift else wide
        self._add(group, word, integers.resize(w, low, "i32", signed=False))
        if shift + bits > 32:
            high = integers.binary(w, "lshr", wide, integer(32 - shift, "i64"))
            self._add(group, word + 1, integers.resize(w, high, "i32", signed=False))

    def _constant(self, group: int, word: int, value: int) -> None:
        while value:
            self._add(group, word, integer(value & 0xFFFFFFFF, "i32"))
            word, value = word + 1, value >> 32

    def _add(self, group: int, word: int, value: Ssa) -> None:
        self._words.setdefault((group, word), []).append(value)

    def group(self, number: int, count: int) -> Ssa:
        """As a vector, each word the same for all lanes."""
        w, vector = self._em.w, Ssa("poison", f"<{count} x i32>")
        for word in range(count):
            value = integer(0, "i32")
            for part in self._words.get((number, word), ()):
                value = integers.binary(w, "or", value, part)
            if value.number is None:
                value = w.call_fresh("i32", "llvm.amdgcn.readfirstlane.i32", value)
            vector = w.fresh(f"insertelement {vector}, {value}, i32 {word}", vector.type)
        return vector


def _make(em: Emission, op: object) -> None:
    """Written where it is used."""


AMD.of(*MAKERS)(_make)


def _number(em: Emission, value: int | Value) -> int | Ssa:
    return value if isinstance(value, int) else em.scalar(value)


def _begin_words(em: Emission, words: _Words, made: MakeDescriptorOp) -> None:
    """Group 0: where the tile begins."""
    w, maker = em.w, made.maker
    assert maker is not None
    far, near = em.memref(maker.global_), em.memref(maker.lds)
    if far.space != GLOBAL or near.space != SHARED or near.order is not None:
        raise em.error(
            f"copies between global memory and tiles row by row, found {maker.global_.type} and {maker.lds.type}"
        )
    someone = w.call_fresh("i32", "llvm.amdgcn.ballot.i32", integer(1, "i1"))
    there = w.fresh(f"icmp ne {someone}, 0", "i1")
    words.put(0, (0, 0, 2), w.convert("zext", there, "i32"))
    if made.rows is not None:
        words.put(0, (0, 30, 2), 3 if _row_bits(made.rows) == 32 else 2)
    local = address(w, near, em.scalars(maker.lds_indices)).pointer(w)
    words.put(0, (1, 0, 32), w.convert("ptrtoint", local, "i32"))
    pointer = address(w, far, em.scalars(maker.global_indices)).pointer(w)
    words.put(0, (2, 0, 57), w.convert("ptrtoint", pointer, "i64"))
    words.put(0, (3, 30, 2), 2)


def _shape_words(em: Emission, words: _Words, made: MakeDescriptorOp) -> None:
    """Group 1 to 3: sizes of the tensor and of the tile, strides."""
    tables = ((_SIZE, made.sizes), (_EXTENT, made.tile), (_STRIDE, made.strides[:-1]))
    for table, values in tables:
        for (group, field), value in zip(table, reversed(values), strict=False):
            words.put(group, field, _number(em, value))


def _extra_words(em: Emission, words: _Words, made: MakeDescriptorOp) -> None:
    w, one = em.w, integer(-1, "i32")
    maker = made.maker
    assert maker is not None
    words.put(1, (0, 16, 2), (memory_bits(maker.lds.type.element) // 8).bit_length() - 1)
    if (mask := made.one("workgroup_mask")) is not None:
        bits = integers.bitcast(w, em.pack(mask).vector(w), "i16")
        words.put(1, (0, 0, 16), w.convert("zext", bits, "i32"))
    if (early := made.one("early_timeout")) is not None:
        words.put(1, (0, 21, 1), w.convert("zext", em.scalar(early), "i32"))
    amount, interval = made.one("pad_amount"), made.one("pad_interval")
    if amount is not None and interval is not None:
        words.put(1, (0, 20, 1), 1)
        zeros = w.call("i32", "llvm.cttz.i32", em.scalar(interval), integer(0, "i1"))
        words.put(1, (0, 22, 3), integers.binary(w, "add", zeros, one))
        words.put(1, (0, 25, 7), integers.binary(w, "add", em.scalar(amount), one))
    if (barrier := made.one("atomic_barrier_address")) is not None and is_barrier.admits(barrier):
        words.put(1, (0, 18, 1), 1)
        pointer = barrier_at(em, barrier, made.part("atomic_barrier_indices"))
        place = w.convert("ptrtoint", pointer, "i32")
        words.put(1, (1, 0, 16), integers.binary(w, "lshr", place, integer(3, "i32")))
    steps = {name: made.one(name) for name in ("lds_increment", "global_increment", "iteration_count")}
    if steps["iteration_count"] is not None:
        words.put(1, (0, 19, 1), 1)
        for name, (group, field) in _STEPS.items():
            value = steps[name]
            assert value is not None
            number = em.scalar(value)
            if name == "iteration_count":
                number = integers.binary(w, "add", number, integer(-1, number.type))
            words.put(group, field, number)


_STEPS: Mapping[str, tuple[int, Field]] = {
    "lds_increment": _LDS_STEP,
    "global_increment": _GLOBAL_STEP,
    "iteration_count": _TIMES,
}


def _row_bits(rows: Value) -> int:
    assert isinstance(rows.type, VectorType)
    return memory_bits(rows.type.element)


def _row_words(em: Emission, words: _Words, rows: Value) -> None:
    """Groups 2 and 3: the numbers of rows, the first in the lowest bits."""
    elements = em.elements(rows)
    bits = _row_bits(rows)
    each = 32 // bits
    for position, element in enumerate(elements):
        word, inside = divmod(position, each)
        words.put(2 + word // 4, (word % 4, inside * bits, bits), integers.resize(em.w, element, "i32", signed=False))


def _copy(em: Emission, op: TensorCopyOp) -> None:
    em.require("tensor_dma")
    made, words = op.descriptor, _Words(em)
    assert made is not None
    _begin_words(em, words, made)
    _shape_words(em, words, made)
    _extra_words(em, words, made)
    groups = [words.group(0, 4), words.group(1, 8)]
    name = "llvm.amdgcn.tensor." + ("load.to.lds" if isinstance(op, TensorLoadToLDSOp) else "store.from.lds")
    if made.rows is not None:
        _row_words(em, words, made.rows)
    if made.rows is not None or len(made.sizes) > 2 or made.one("iteration_count") is not None:
        groups += [words.group(2, 4), words.group(3, 4)]
    else:
        name += ".d2"
    ordered(em, lambda: _counted(em, name, groups))


def _counted(em: Emission, name: str, groups: list[Ssa]) -> None:
    """Behind the wave's own accesses of LDS and memory, and not too many others."""
    w = em.w
    w.do('fence syncscope("workgroup") release')
    w.call_void("llvm.amdgcn.s.wait.tensorcnt", integer(_MOST_UNDER_WAY, "i16"))
    w.call_void(name, *groups, integer(0, "i32"))


AMD.of(TensorLoadToLDSOp, TensorStoreFromLDSOp)(_copy)


@AMD.of(WaitTensorcntOp)
def _wait(em: Emission, op: WaitTensorcntOp) -> None:
    em.require("tensor_dma")
    ordered(em, lambda: em.w.call_void("llvm.amdgcn.s.wait.tensorcnt", integer(min(op.count, _MOST), "i16")))
