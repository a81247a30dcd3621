"""What threads do together on NVPTX: barriers and shuffles, and how grids stand to each other."""

from __future__ import annotations

from ...ir.dialects import gpu
from ...ir.dialects.gpu_together import BallotOp
from ...ir.dialects.nvvm import GriddepcontrolOp
from ...ir.program_parts import Part, part_around
from ..emit import integers
from ..emit.emission import Emission
from ..emit.emit_rules import NVIDIA
from ..emit.text import FALSE, Ssa, integer
from ..emit.words import exchange_words

_MODES = {"xor": "bfly", "up": "up", "down": "down", "idx": "idx"}
_NAMED = 15
"""Barriers of a workgroup by number, 0 being all threads' (PTX ISA, "bar")."""
_ALL_LANES = integer(-1, "i32")


@NVIDIA.of(GriddepcontrolOp)
def _depend_on_grids(em: Emission, op: GriddepcontrolOp) -> None:
    em.require("griddepcontrol")
    em.w.call_void(f"llvm.nvvm.griddepcontrol.{'wait' if op.awaits_grids else 'launch.dependents'}")


@NVIDIA.of(gpu.BarrierOp)
def _barrier(em: Emission, op: gpu.BarrierOp) -> None:
    """It also orders memory, whatever spaces the operation lists. A workgroup that comes alone is its cluster."""
    part = part_around(op)
    if op.scope.value == "cluster" and em.kernel.clustered:
        if part is not None:
            raise em.error("is of all threads of a cluster, and stands in a part of a workgroup")
        em.require("cluster")
        em.w.call_void("llvm.nvvm.barrier.cluster.arrive.aligned")
        em.w.call_void("llvm.nvvm.barrier.cluster.wait.aligned")
        return
    if part is None or part.count * em.subgroup_size == em.kernel.threads:
        em.w.call_void("llvm.nvvm.barrier.cta.sync.aligned.all", integer(0, "i32"))
    elif part.count == 1:
        em.w.call_void("llvm.nvvm.bar.warp.sync", _ALL_LANES)
    else:
        threads = integer(part.count * em.subgroup_size, "i32")
        em.w.call_void("llvm.nvvm.barrier.cta.sync.aligned.count", integer(_named(em, part), "i32"), threads)


def _named(em: Emission, part: Part) -> int:
    """The barrier of a part: always the same one of the same subgroups, so that no two meetings are mixed up."""
    barriers = em.all_of(gpu.BarrierOp)
    found = dict.fromkeys(other for op in barriers if (other := part_around(op)) is not None and other.count > 1)
    number = list(found).index(part) + 1
    if number > _NAMED:
        message = f"is the barrier of group {number} of subgroups; a workgroup has {_NAMED} beside its own"
        raise em.error(message, "divide the workgroup into fewer, or the same, groups")
    return number


@NVIDIA.of(gpu.ShuffleOp)
def _shuffle(em: Emission, op: gpu.ShuffleOp) -> None:
    """Each 32-bit word of the value travels alone; `valid` is the same for all of them.

    The instruction reads the low five bits of an offset, and leaves out those that name the group.
    """
    offset, width = em.scalars([op.offset, op.width])
    mode = op.mode.value
    control = _control(em, width, mode)
    near = integers.compare(em.w, "ult", offset, width)
    if near == FALSE:
        em.set_pack(op.shuffle_result, em.elements(op.value))
        em.set(op.valid, FALSE)
        return
    valid = [near]

    def exchange(word: Ssa) -> Ssa:
        value, found = _exchange(em, mode, word, offset, control)
        valid[0] = integers.select(em.w, near, found, FALSE)
        return integers.select(em.w, near, value, word)

    em.set_pack(op.shuffle_result, exchange_words(em, em.elements(op.value), exchange))
    em.set(op.valid, valid[0])


@NVIDIA.of(BallotOp)
def _ballot(em: Emission, op: BallotOp) -> None:
    bits = em.w.call_fresh("i32", "llvm.nvvm.vote.ballot.sync", _ALL_LANES, em.scalar(op.predicate))
    em.set(op.result_, integers.resize(em.w, bits, em.type(op.result_.type), signed=False))


def _exchange(em: Emission, mode: str, part: Ssa, offset: Ssa, control: Ssa) -> tuple[Ssa, Ssa]:
    name = f"llvm.nvvm.shfl.sync.{_MODES[mode]}.i32p"
    pair = em.w.call_fresh("{ i32, i1 }", name, _ALL_LANES, part, offset, control)
    return em.w.pure(f"extractvalue {pair}, 0", "i32"), em.w.pure(f"extractvalue {pair}, 1", "i1")


def _control(em: Emission, width: Ssa, mode: str) -> Ssa:
    """The last operand: which bits of the lane number name its group, and the group's last lane (its first for up)."""
    if width.number is not None and (width.number & (width.number - 1) or not 1 <= width.number <= 32):
        raise em.error(f"shuffles over a width of {width.number}; it must be a power of two up to 32")
    w = em.w
    group = integers.binary(w, "shl", integers.sub(w, integer(32, "i32"), width), integer(8, "i32"))
    return group if mode == "up" else integers.binary(w, "or", group, integer(31, "i32"))
