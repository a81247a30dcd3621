"""cp.async: copies from global to workgroup memory that the thread does not wait for (PTX ISA 7.0, sm_80)."""

from __future__ import annotations

from collections.abc import Sequence

from ...ir.core import Value
from ...ir.dialects import arith, nvgpu_async
from ...ir.dialects.constants import constant_int
from ..emit import integers
from ..emit.descriptor import GLOBAL, SHARED, Address, address, plus
from ..emit.element_orders import placed
from ..emit.emission import Emission
from ..emit.emit_rules import NVIDIA
from ..emit.text import Ssa, integer
from .cache_hints import hint

FEATURE, IGNORING = "cp.async", "cp.async.ignore"
_REACH = 1 << 11
"""Bytes that an LDGSTS may add to an address in global memory, in both directions (seen in SASS of sm_80 and sm_90)."""
_FAR = 4 * _REACH
"""So far apart are copies that have addresses of their own."""
_TOKEN = integer(0, "i32")
"""Stands for what only orders the text."""


@NVIDIA.of(nvgpu_async.DeviceAsyncCopyOp)
def _copy(em: Emission, op: nvgpu_async.DeviceAsyncCopyOp) -> None:
    """In the assembler's words: LLVM's intrinsic takes the number of bytes that are read, not a predicate."""
    em.require(FEATURE)
    source, target = _place(em, op.src, op.srcIndices, GLOBAL), _place(em, op.dst, op.dstIndices, SHARED)
    size = op.dstElements * em.memref(op.dst).element_bits // 8
    words, constraint, given = _source_bytes(em, op, size)
    kind = "ca" if op.bypassL1 is None else "cg"
    near, behind = _split(em, source)
    said, policy = hint(em, first_level=False)
    last = f", ${2 + len(given)}" * len(policy)
    text = f"cp.async.{kind}.shared.global{said} {_text(0, target.bytes)}, {_text(1, behind)}, {size}{words}{last};"
    operands = [em.w.convert("ptrtoint", place.own(em.w), "i64") for place in (target, near)] + [*given, *policy]
    em.w.asm_void(text, ["l", "l", *constraint, *["l"] * len(policy), "~{memory}"], *operands)
    em.set(op.asyncToken, _TOKEN)


def _source_bytes(em: Emission, op: nvgpu_async.DeviceAsyncCopyOp, size: int) -> tuple[str, list[str], list[Ssa]]:
    """The operand that says what is read: nothing for all, a predicate for all or nothing, else a number of bytes."""
    if op.srcElements is None:
        return "", [], []
    condition = _all_or_nothing(op)
    if condition is not None:
        em.require(IGNORING)
        return ", $2", ["b"], [integers.binary(em.w, "xor", em.scalar(condition), integer(1, "i1"))]
    count = integers.resize(em.w, em.scalar(op.srcElements), "i32", signed=False)
    return ", $2", ["r"], [integers.mul(em.w, count, integer(size // op.dstElements, "i32"))]


def _all_or_nothing(op: nvgpu_async.DeviceAsyncCopyOp) -> Value | None:
    """The condition under which all is read, and nothing where it does not hold."""
    made = op.srcElements.operation if op.srcElements is not None else None
    if not isinstance(made, arith.SelectOp):
        return None
    counts = [constant_int(v) for v in (made.true_value, made.false_value)]
    return made.condition if counts == [op.dstElements, 0] else None


def _place(em: Emission, memory: Value, indices: Sequence[Value], space: int) -> Address:
    found = em.memref(memory)
    if found.space != space:
        raise em.error(f"copies from global to workgroup memory, found {memory.type}")
    if found.strides[-1] != 1:
        raise em.error(f"needs rows whose elements are contiguous, found {memory.type}")
    return placed(em.w, address(em.w, found, em.scalars(indices)))


def _split(em: Emission, place: Address) -> tuple[Address, int]:
    """An address in global memory and how far the source is from it, so that neighbours in a tile have few addresses.

    What an iteration moves in a near buffer is a number of 32 bits, which the assembler does not take apart: what all
    of them are away goes there. The rest it cuts into multiples of `_REACH` twice and what its instruction takes."""
    moves = not isinstance(place.moving, int) and place.moving.number is None
    if not (moves and place.memref.near and place.counts_up) or place.bytes < _REACH:
        return place, place.bytes
    first = place.bytes // _FAR * _FAR + _REACH
    moving = plus(em.w, place.moving, first * 8 // place.memref.element_bits)
    return place._replace(moving=moving, bytes=0), place.bytes - first


def _text(operand: int, bytes: int) -> str:
    return f"[${operand}+{bytes}]" if bytes else f"[${operand}]"


@NVIDIA.of(nvgpu_async.DeviceAsyncCreateGroupOp)
def _end_group(em: Emission, op: nvgpu_async.DeviceAsyncCreateGroupOp) -> None:
    em.require(FEATURE)
    em.w.call_void("llvm.nvvm.cp.async.commit.group")
    em.set(op.asyncToken, _TOKEN)


@NVIDIA.of(nvgpu_async.DeviceAsyncWaitOp)
def _wait(em: Emission, op: nvgpu_async.DeviceAsyncWaitOp) -> None:
    em.require(FEATURE)
    em.w.call_void("llvm.nvvm.cp.async.wait.group", integer(op.groups_left, "i32"))
