"""Rules for AMD's instructions that read other lanes: a table of lanes each, which their classes have."""

from __future__ import annotations

import numpy as np

from ..ir.dialects.amdgpu_lanes import DppOp, LanesOp, PermlaneSwapOp, PermlaneVarOp, Reads, SwizzleBitModeOp
from ..ir.dialects.amdgpu_packed_matrix import ScaledExtPackedMatrixOp
from ..ir.numerics import Array
from ..ir.types import shape_of
from ..targets.scaled_extensions import BYTES, LANES
from .batch_state import State
from .closures import EVALUATE, Compiler, Step
from .errors import failure
from .uncertainty import doubtful, joined


@EVALUATE.of(DppOp, SwizzleBitModeOp, PermlaneSwapOp, PermlaneVarOp)
def _from_lanes(op: LanesOp, c: Compiler) -> Step:
    moved, kept, out = c.slot(op.moved), c.slot(op.kept), c.slot(op.results[0])
    selector = c.slot(op.selector) if isinstance(op, PermlaneVarOp) else None
    shape = shape_of(op.moved.type)

    def whole(m: State, value: Array) -> Array:
        return np.broadcast_to(value, (m.batch.size, *shape))

    def step(m: State) -> None:
        m.require_whole_subgroups(op)
        lane = m.batch.lane
        chosen = None if selector is None else np.broadcast_to(m.values[selector], lane.shape)
        found = op.reads(lane, m.batch.geometry.lanes, chosen)
        _require_there(m, op, found)
        threads = m.batch.everyone - lane + found.source

        def place(given: Array, old: Array) -> Array:
            none = np.zeros_like(old) if found.zeros else old
            taken = np.where(_along(found.inside, shape), given[threads], none)
            return np.where(_along(found.enabled, shape), taken, old)

        given, old = whole(m, m.values[moved]), whole(m, m.values[kept])
        m.values[out] = place(given, old)
        parts = [(m.doubts[slot], (m.batch.size, *shape)) for slot in (moved, kept)]
        m.doubts[out] = joined(parts, place)
        m.settle(op, [] if selector is None else [selector])

    return step


@EVALUATE.of(ScaledExtPackedMatrixOp)
def _scaled_ext_packed_matrix(op: ScaledExtPackedMatrixOp, c: Compiler) -> Step:
    source, scale, out = c.slot(op.source), c.slot(op.scale), c.slot(op.res)
    shape, places = shape_of(op.source.type), op.scale_place(np.arange(LANES))

    def whole(m: State, value: Array, shape: tuple[int, ...]) -> Array:
        return np.broadcast_to(value, (m.batch.size, *shape))

    def step(m: State) -> None:
        m.require_whole_subgroups(op)
        if m.batch.geometry.lanes != LANES or m.batch.geometry.threads % LANES:
            raise failure(op, f"needs whole subgroups of {LANES} lanes")
        lane = m.batch.lane
        read, byte = (place[lane] for place in places)
        threads = m.batch.everyone - lane + read
        given, scales = whole(m, m.values[source], shape), whole(m, m.values[scale], (BYTES,))[threads, byte]
        m.values[out] = op.extended(given, scales)
        if m.run.follows:
            inexact = any(m.doubts[slot] is not None for slot in (source, scale))
            m.doubts[out] = doubtful(op.undefined(given, scales) | inexact)

    return step


def _along(flags: Array, shape: tuple[int, ...]) -> Array:
    return flags.reshape(flags.shape + (1,) * len(shape))


def _require_there(m: State, op: LanesOp, found: Reads) -> None:
    wrong = found.enabled & found.inside & (found.source >= m.batch.lanes_present)
    if m.active is not None:
        wrong = wrong & m.active
    if wrong.any():
        thread = int(np.argmax(wrong))
        lane = int(found.source[thread])
        raise failure(op, f"{m.at(thread)}reads a lane that the workgroup's last subgroup lacks: {lane}")
