"""How many buffers a ring gets: those that are asked for, or as many as cost no subgroups that could run."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from ..analysis.iterations import counted
from ..analysis.shared_places import size_of
from ..ir.dialects import scf
from ..ir.types import MemRefType, memory_bits, scalar_type, shape_of
from ..layout.transfer import is_vector
from ..layout.workgroup import Workgroup
from ..targets.register_file import MOST_OF_A_THREAD, REGISTERS

MOST_STAGES = 4
"""What covers the latency of global memory behind products of tiles that fit: more only takes memory."""
_BESIDE = 64
"""Registers that a thread of a product takes besides its sums: fragments of a step, addresses."""
_RESERVED = 1024
"""Bytes of shared memory that the system takes for each workgroup."""


def stages_for(loop: scf.ForOp, tiles: Sequence[MemRefType], workgroup: Workgroup, left: int, asked: int | None) -> int:
    """Buffers for each of the tiles that a loop fills; below 2 where that many do not fit, or the loop is too short.

    `left`: bytes of shared memory besides the tiles that there are. `asked`: as many are wanted, if they fit.
    """
    each = sum(map(size_of, tiles))
    if not each:
        return 0
    room = 1 + left // each
    trips = counted(loop)
    most = min(room, MOST_STAGES if trips is None else max(1, min(MOST_STAGES, len(trips))))
    if asked is not None:
        return asked if asked <= room else 0
    wanted = min(most, 2)
    for together in range(resident(loop, workgroup), 0, -1):
        share = workgroup.chip.shared_memory_bytes // together - _RESERVED
        if share // each >= wanted:
            return min(most, share // each)
    return wanted


def resident(loop: scf.ForOp, workgroup: Workgroup) -> int:
    """Workgroups that the registers of a multiprocessor hold, as far as what the loop carries tells."""
    each = min(MOST_OF_A_THREAD, carried(loop, workgroup) + _BESIDE)
    return max(1, REGISTERS // (each * workgroup.threads))


def carried(loop: scf.ForOp, workgroup: Workgroup) -> int:
    """Registers of a thread that what a loop carries takes, where each element is held once."""
    vectors = [v.type for v in loop.init_args if is_vector(v)]
    bits = sum(prod(shape_of(type)) * memory_bits(scalar_type(type)) for type in vectors)
    return bits // (32 * workgroup.threads)
