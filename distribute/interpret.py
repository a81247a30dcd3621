"""Runs what distribution left: one thread's program, for all threads at once on numpy, with the checks of a sanitizer.

The evaluator is the reference's; the program is not: what distribution, synchronisation and the choice of instructions
made of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..ir.kernels import Kernel
from ..ir.narrow_arguments import on_numbers
from ..reference.evaluate import Launch, Writers
from ..reference.geometry import Geometry, triple
from ..support.limits import GENEROUS, Limits


@on_numbers
def interpret_kernel(
    kernel: Kernel,
    grid: int | Sequence[int],
    arguments: Sequence[Any],
    *,
    subgroup_size: int,
    checks: bool = True,
    limits: Limits = GENEROUS,
) -> Writers:
    """Runs a thread-level kernel on `grid` (x, y, z) workgroups; memref arguments are numpy arrays, changed in place.

    Subgroups are `subgroup_size` consecutive flat thread ids. Arrays start at addresses as aligned as the argument's
    `llvm.align` states, else at multiples of 4096 bytes. Without `checks` only indices are checked. Raises
    `EvaluationError` for wrong arguments and for whatever is undefined: accesses out of bounds or misaligned, reads of
    workgroup memory that nobody has written, data races in workgroup and global memory, barriers and shuffles that not
    all threads reach; and where a limit is reached.

    The result knows who wrote what, if there were `checks`.
    """
    geometry = Geometry(triple(grid), kernel.block_size, "thread", subgroup_size, kernel.cluster_size)
    launch = Launch(kernel, geometry, arguments, checks=checks, distributed=True)
    launch.run(limits)
    return launch.writers()
