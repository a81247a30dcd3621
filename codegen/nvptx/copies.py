"""cp.async: copies from global to workgroup memory that the thread does not wait for (PTX ISA 7.0, sm_80)."""

from __future__ import annotations

from collections.abc import Sequence

from ...ir.core import Value
from ...ir.dialects import arith, nvgpu_async
from ...ir.dialects.constants import constant_int
from ..emit import integers
from ..emit.descriptor import GLOBAL, SHARED, Address, address
from ..emit.emission import Emission
from ..emit.emit_rules import NVIDIA
from ..emit.orders import placed
from ..emit.text import Ssa, integer

FEATURE, IGNORING = "cp.async", "cp.async.ignore"
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
    text = f"cp.async.{kind}.shared.global {_text(0, target)}, {_text(1, source)}, {size}{words};"
    operands = [em.w.convert("ptrtoint", place.own(em.w), "i64") for place in (target, source)] + given
    constraints = ",".join(["l", "l", *constraint, "~{memory}"])
    em.w.do(f'call void asm sideeffect "{text}", "{constraints}"({", ".join(map(str, operands))}) #1')
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


def _text(operand: int, place: Address) -> str:
    return f"[${operand}+{place.bytes}]" if place.bytes else f"[${operand}]"


@NVIDIA.of(nvgpu_async.DeviceAsyncCreateGroupOp)
def _end_group(em: Emission, op: nvgpu_async.DeviceAsyncCreateGroupOp) -> None:
    em.require(FEATURE)
    em.w.call_void("llvm.nvvm.cp.async.commit.group")
    em.set(op.asyncToken, _TOKEN)


@NVIDIA.of(nvgpu_async.DeviceAsyncWaitOp)
def _wait(em: Emission, op: nvgpu_async.DeviceAsyncWaitOp) -> None:
    em.require(FEATURE)
    em.w.call_void("llvm.nvvm.cp.async.wait.group", integer(op.groups_left, "i32"))
