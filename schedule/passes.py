"""The passes that say where and when: loops shared out among workgroups, tiles that are copied ahead.

`prefetch_num_stages` of IREE's pipeline options says how many tiles of a loop there are at once: 0 or 1, which are read
when they are needed; 2 to 4, of which all but one are read ahead, into buffers where the chip copies asynchronously,
else into registers. Without it that depends on the chip, and on the registers and the shared memory that are left.
`lanewise.specialise = false` on a kernel leaves the copies to the threads that multiply.
"""

from __future__ import annotations

from collections.abc import Callable

from ..analysis.buffers import Buffers
from ..analysis.divisibility import Divisibility
from ..analysis.integers import Integers
from ..analysis.lifetimes import Lifetimes
from ..ir.analyses import Analyses
from ..ir.dialects.func import FunctionLike
from ..ir.kernels import Kernel, block_size
from ..ir.passes import Context, Outcome, Pass, Rewritten
from ..ir.split_axis import SPLIT_AXIS
from ..layout.workgroup import Workgroup
from ..support.dataclasses import replace
from .persist import persist
from .pipeline_options import ASKED, ROWS, WORKGROUPS, prefetch_stages
from .prefetch import Prefetch
from .promote import promote
from .ring import Ring
from .split_k import split
from .tensor_tiles import order_tiles
from .tile import tile
from .warp_specialisation import Specialise
from .workgroup_order import order_workgroups


def _tile(kernel: Kernel, context: Context) -> Rewritten:
    return Rewritten.of(kernel, tile(kernel, context.analyses))


def _split(kernel: Kernel, context: Context) -> Rewritten:
    return Rewritten.of(kernel, split(kernel, context.analyses))


def _order(kernel: Kernel, context: Context) -> Rewritten:
    return Rewritten.of(kernel, order_workgroups(kernel))


def _persist(kernel: Kernel, context: Context) -> Rewritten:
    return Rewritten.of(kernel, persist(kernel, context.chip))


InPlace = Callable[[FunctionLike, Workgroup, Analyses], Outcome]


def _in_place(kernel: Kernel, context: Context, rewrite: InPlace) -> Rewritten:
    outcome = rewrite(kernel.op, Workgroup.of(kernel, context), context.analyses)
    return Rewritten(replace(kernel, block_size=block_size(kernel.op)), outcome)


def _promote(kernel: Kernel, context: Context) -> Rewritten:
    return _in_place(kernel, context, promote)


def _order_tiles(kernel: Kernel, context: Context) -> Rewritten:
    return _in_place(kernel, context, order_tiles)


def _specialise(kernel: Kernel, context: Context) -> Rewritten:
    stages, asked = prefetch_stages(kernel.op), ASKED.value(kernel.op)
    kernel.op.attributes.pop(ASKED.attribute, None)
    done = _left(kernel) if stages in (0, 1) else _in_place(kernel, context, Specialise(stages, asked))
    done.outcome.changed |= asked is not None
    return done


def _ring(kernel: Kernel, context: Context) -> Rewritten:
    stages = prefetch_stages(kernel.op)
    return _left(kernel) if stages in (0, 1) else _in_place(kernel, context, Ring(stages))


def _prefetch(kernel: Kernel, context: Context) -> Rewritten:
    stages = prefetch_stages(kernel.op)
    return _left(kernel) if stages in (0, 1) else _in_place(kernel, context, Prefetch((stages or 2) - 1))


def _left(kernel: Kernel) -> Rewritten:
    return Rewritten(kernel, Outcome())


TILE = Pass("tile", "makes loops where `lowering_config`s ask for tiles", _tile)
SPLIT_K = Pass("split-k", "shares out loops along an axis of the grid", _split, options=[SPLIT_AXIS])
ORDER = Pass("order", "lets workgroups take their places along y first, or in bands of rows", _order, options=[ROWS])
PERSISTENCE = Pass(
    "persist", "lets workgroups stay and take several places of the grid", _persist, options=[WORKGROUPS]
)
PROMOTE = Pass(
    "promote",
    "lets operands that loops read go through shared memory",
    _promote,
    preserves=[Buffers, Divisibility, Integers],
)
TENSOR_TILES = Pass(
    "tensor-tiles",
    "orders tiles in shared memory as the chip's own copies and products want",
    _order_tiles,
    preserves=[Buffers, Lifetimes],
)
SPECIALISATION = Pass(
    "warp-specialise", "lets subgroups of their own copy the tiles of loops", _specialise, options=[ASKED]
)
RING = Pass("ring", "copies tiles asynchronously into rings of buffers, iterations ahead", _ring)
PREFETCH = Pass("prefetch", "reads tiles into registers an iteration ahead", _prefetch, takes_registers=True)
