"""tcgen05 on NVPTX, by LLVM's intrinsics (PTX ISA 8.6, sm_100a). An address of tensor memory is a word: lane and column
of 32 bits in its upper and lower half."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...ir.core import Value
from ...ir.dialects.lanewise_tcgen05 import (
    COPY_SHAPES,
    FENCES,
    SHAPES,
    Tcgen05AddressOp,
    Tcgen05AllocOp,
    Tcgen05CommitOp,
    Tcgen05CpOp,
    Tcgen05DeallocOp,
    Tcgen05FenceOp,
    Tcgen05LdOp,
    Tcgen05MmaHeldOp,
    Tcgen05MmaOp,
    Tcgen05PartOp,
    Tcgen05Product,
    Tcgen05RelinquishOp,
    Tcgen05SlotOp,
    Tcgen05StOp,
    Tcgen05WaitLdOp,
    Tcgen05WaitStOp,
    TensorMemoryType,
)
from ...ir.types import VectorType, bit_width
from ...targets import tcgen05
from ..emit import integers
from ..emit.descriptor import address, pointer_type
from ..emit.emission import Emission
from ..emit.emit_rules import NVIDIA
from ..emit.pack import take_apart
from ..emit.text import FALSE, TRUE, Ssa, integer
from ..emit.vectors import regroup, ungroup
from .warpgroup import Tile, statement

_TENSOR_MEMORY = 6
"""LLVM's address space."""
_STEP_COLUMNS = 8
"""The columns of tensor memory that one instruction takes of an A there: 32 bytes along K."""
_ONE_WORKGROUP = 1
_DISCARD = 0
"""What the collector of A does after the instruction."""


def _pointer(em: Emission, word: Ssa) -> Ssa:
    return em.w.convert("inttoptr", word, pointer_type(_TENSOR_MEMORY))


def _slot(em: Emission, op: Tcgen05SlotOp) -> Ssa:
    return address(em.w, em.memref(op.slot), em.scalars(op.indices)).pointer(em.w)


@NVIDIA.of(Tcgen05AllocOp)
def _alloc(em: Emission, op: Tcgen05AllocOp) -> None:
    em.require(tcgen05.FEATURE)
    em.w.call_void("llvm.nvvm.tcgen05.alloc.shared.cg1", _slot(em, op), integer(op.columns, "i32"))


@NVIDIA.of(Tcgen05AddressOp)
def _address(em: Emission, op: Tcgen05AddressOp) -> None:
    em.require(tcgen05.FEATURE)
    em.set(op.res, em.w.fresh(f"load i32, {_slot(em, op)}, align 4", "i32"))


@NVIDIA.of(Tcgen05DeallocOp)
def _dealloc(em: Emission, op: Tcgen05DeallocOp) -> None:
    em.require(tcgen05.FEATURE)
    place = _pointer(em, em.scalar(op.memory))
    em.w.call_void("llvm.nvvm.tcgen05.dealloc.cg1", place, integer(op.columns, "i32"))


@NVIDIA.of(Tcgen05RelinquishOp)
def _relinquish(em: Emission, op: Tcgen05RelinquishOp) -> None:
    em.require(tcgen05.FEATURE)
    em.w.call_void("llvm.nvvm.tcgen05.relinq.alloc.permit.cg1")


@NVIDIA.of(Tcgen05PartOp)
def _part(em: Emission, op: Tcgen05PartOp) -> None:
    w = em.w
    lane, column = (integers.low_word(w, em.scalar(v)) for v in (op.lane, op.column))
    words = integers.binary(w, "lshr", column, integer(op.res.type.together.bit_length() - 1, "i32"))
    rows = integers.binary(w, "shl", lane, integer(16, "i32"))
    em.set(op.res, integers.add(w, integers.add(w, em.scalar(op.memory), rows), words))


# -- products -------------------------------------------------------------------------------------------------------


class _Tile(Tile):
    """A tile as tcgen05 has it: modes are numbered otherwise, a bit says that it is of this generation, and one thread
    has it (PTX ISA, "Shared memory descriptor" of tcgen05)."""

    modes: Mapping[int, int] = {128: 2, 64: 4, 32: 6}
    mode_bit = 61
    version = 1 << 46

    def uniform(self, start: Ssa) -> Ssa:
        return start

    def steps(self, op: Tcgen05Product) -> list[Ssa]:
        """The descriptor for every step along K."""
        first, k = self.first(), op.instruction.shape[2]
        numbers = range(op.depth // k)
        return [integers.add(self.em.w, first, integer(self.distance(n, k) >> 4)) for n in numbers]


@NVIDIA.of(Tcgen05MmaOp)
def _multiply(em: Emission, op: Tcgen05MmaOp) -> None:
    a = _Tile(em, op.matrixA, op.indicesA, op.transposed[0]).steps(op)
    b = _Tile(em, op.matrixB, op.indicesB, op.transposed[1]).steps(op)
    _product(em, op, "shared", list(zip(a, b, strict=True)), op.matrixD, op.accumulate)


@NVIDIA.of(Tcgen05MmaHeldOp)
def _multiply_held(em: Emission, op: Tcgen05MmaHeldOp) -> None:
    b = _Tile(em, op.matrixB, op.indicesB, op.transposed[1]).steps(op)
    words = [integers.add(em.w, em.scalar(op.matrixA), integer(n * _STEP_COLUMNS, "i32")) for n in range(len(b))]
    _product(em, op, "tensor", [(_pointer(em, x), y) for x, y in zip(words, b, strict=True)], op.matrixD, op.accumulate)


def _product(
    em: Emission,
    op: Tcgen05Product,
    place: str,
    steps: Sequence[tuple[Ssa, Ssa]],
    accumulator: Value,
    accumulate: Value,
) -> None:
    """`steps`: where A and B are for each; those after the first add to the accumulators."""
    instruction = op.instruction
    em.require(instruction.requires)
    target = _pointer(em, em.scalar(accumulator))
    types = integer(tcgen05.instruction_descriptor(instruction, op.transposed), "i32")
    kind = tcgen05.KINDS[instruction.a_type]
    rest = [integer(number, "i32") for number in (kind, _ONE_WORKGROUP, _DISCARD)]
    adds = em.scalar(accumulate)
    for left, right in steps:
        em.w.call_void(f"{instruction.llvm_name}.{place}", target, left, right, types, adds, *rest)
        adds = TRUE


@NVIDIA.of(Tcgen05CommitOp)
def _commit(em: Emission, op: Tcgen05CommitOp) -> None:
    em.require(tcgen05.FEATURE)
    place = address(em.w, em.memref(op.barriers), [em.scalar(op.mbarId)]).pointer(em.w)
    em.w.call_void("llvm.nvvm.tcgen05.commit.shared.cg1", place)


# -- moving data ----------------------------------------------------------------------------------------------------


def _moved(shape: str, count: int) -> str:
    lanes, columns = SHAPES[shape]
    return f"{shape}.x{count // max(1, lanes * columns // 32)}"


@NVIDIA.of(Tcgen05LdOp)
def _load(em: Emission, op: Tcgen05LdOp) -> None:
    em.require(tcgen05.FEATURE)
    together = _together(op.res.type)
    count = op.res.type.shape[0] // together
    type = "i32" if count == 1 else f"<{count} x i32>"
    name = f"llvm.nvvm.tcgen05.ld.{_moved(op.shape.value, count)}"
    whole = em.w.call_fresh(type, name, _pointer(em, em.scalar(op.memory)), _padded(op.memory.type))
    em.set_pack(op.res, ungroup(em, take_apart(em.w, whole, count), together, em.type(op.res.type.element)))


def _together(type: VectorType) -> int:
    """Elements of a register."""
    return tcgen05.COLUMN_BITS // bit_width(type.element)


def _padded(type: TensorMemoryType) -> Ssa:
    """Whether two columns' lower halves are a register."""
    return TRUE if type.padded else FALSE


@NVIDIA.of(Tcgen05StOp)
def _store(em: Emission, op: Tcgen05StOp) -> None:
    em.require(tcgen05.FEATURE)
    length = op.value.type.shape[0]
    count = length // _together(op.value.type)
    type = "i32" if count == 1 else f"<{count} x i32>"
    (whole,) = regroup(em, em.elements(op.value), length, type)
    name = f"llvm.nvvm.tcgen05.st.{_moved(op.shape.value, count)}"
    em.w.call_void(name, _pointer(em, em.scalar(op.memory)), whole, _padded(op.memory.type))


@NVIDIA.of(Tcgen05CpOp)
def _copy(em: Emission, op: Tcgen05CpOp) -> None:
    em.require(tcgen05.FEATURE)
    name = f"llvm.nvvm.tcgen05.cp.{COPY_SHAPES[op.shape.value]}.cg1"
    em.w.call_void(name, _pointer(em, em.scalar(op.memory)), _Tile(em, op.source, op.indices, transposed=False).first())


@NVIDIA.of(Tcgen05WaitLdOp)
def _wait_loads(em: Emission, op: Tcgen05WaitLdOp) -> None:
    """The registers go through the statement: nobody reads them before it."""
    em.require(tcgen05.FEATURE)
    together = _together(op.loaded.type)
    words = regroup(em, em.elements(op.loaded), together, "i32")
    constraints = [*["=r"] * len(words), *map(str, range(len(words))), "~{memory}"]
    found = statement(em, "tcgen05.wait::ld.sync.aligned;", constraints, words, [w.type for w in words])
    em.set_pack(op.res, ungroup(em, found, together, em.type(op.res.type.element)))


@NVIDIA.of(Tcgen05WaitStOp)
def _wait_stores(em: Emission, op: Tcgen05WaitStOp) -> None:
    em.require(tcgen05.FEATURE)
    em.w.call_void("llvm.nvvm.tcgen05.wait.st")


@NVIDIA.of(Tcgen05FenceOp)
def _fence(em: Emission, op: Tcgen05FenceOp) -> None:
    em.require(tcgen05.FEATURE)
    em.w.call_void(f"llvm.nvvm.tcgen05.fence.{FENCES[op.kind.value]}")
