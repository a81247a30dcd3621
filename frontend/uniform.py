"""Which numbers all lanes of a subgroup have in common, as far as that shows without running the program."""

from __future__ import annotations

from ..ir.core import Value
from ..ir.dialects import arith, gpu
from ..ir.kernels import Kernel
from ..ir.traits import finer


def is_alike_in_lanes(value: Value, kernel: Kernel) -> bool:
    """Whether arithmetic makes it of constants, the kernel's arguments, and ids that are coarser than a lane. What
    comes out of memory, loops and branches may differ."""
    given, seen, left = set(kernel.op.body.arguments), {value}, [value]
    while left:
        found = left.pop()
        op = found.operation
        if found in given or isinstance(op, arith.ConstantOp):
            continue
        if isinstance(op, gpu.IdOp):
            if finer(op.belongs_to, "subgroup"):
                return False
        elif op is None or not (op.pure and op.elementwise):
            return False
        else:
            left += [v for v in op.operands if v not in seen]
            seen.update(op.operands)
    return True
