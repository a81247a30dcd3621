"""Rules for clusters: their barrier in two parts, and memory of other workgroups."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..ir.core import Operation
from ..ir.dialects.nvvm_cluster import ClusterArriveOp, ClusterArriveRelaxedOp, ClusterWaitOp, MapaOp
from ..ir.numerics import Array
from .batch_state import State
from .closures import EVALUATE, Compiler, Step
from .cluster_meetings import Meetings
from .errors import failure
from .memory import MemRef
from .rules_tma import Objects


def _arrive(op: Operation, tells: bool) -> Step:
    def step(m: State) -> None:
        owners, found = m.present(), m.meetings
        _require(m, op, found.arrivals[owners] == found.waits[owners], "arrives twice, with no wait between")
        for number in map(int, np.unique(found.arrivals[owners])):
            here = owners[found.arrivals[owners] == number]
            for space, clock in m.clocks.items() if tells else ():
                found.tell(space, number, clock.tell(here))
        found.arrivals[owners] += 1

    return step


@EVALUATE.of(ClusterArriveOp)
def _arrives(op: ClusterArriveOp, _: Compiler) -> Step:
    return _arrive(op, True)


@EVALUATE.of(ClusterArriveRelaxedOp)
def _arrives_relaxed(op: ClusterArriveRelaxedOp, _: Compiler) -> Step:
    return _arrive(op, False)


@EVALUATE.of(ClusterWaitOp)
def _wait(op: ClusterWaitOp, _: Compiler) -> Step:
    def step(m: State) -> None:
        owners, found = m.present(), m.meetings
        _require(m, op, found.arrivals[owners] > found.waits[owners], "waits, where it has not arrived")
        if not m.wait_until(lambda: bool(_all_there(m, found, owners).all())):
            _require(m, op, _all_there(m, found, owners), "waits for a cluster of which some never arrive")
        for number in map(int, np.unique(found.waits[owners])):
            here = owners[found.waits[owners] == number]
            for space, clock in m.clocks.items():
                told = found.told(space, number)
                if told is not None:
                    clock.learn(here, told)
        found.waits[owners] += 1

    return step


def _all_there(m: State, found: Meetings, owners: Array) -> Array:
    """For each of these, whether all of its cluster have arrived as often as it has."""
    per = m.batch.geometry.owners * m.batch.geometry.together
    least = found.arrivals.reshape(-1, per).min(axis=1)
    return np.asarray(least[owners // per] >= found.arrivals[owners])


def _require(m: State, op: Operation, holds: Array, words: str) -> None:
    if not holds.all():
        owner = int(m.present()[int(np.argmin(holds))])
        raise failure(op, f"{m.at(owner)}{words}")


@EVALUATE.of(MapaOp)
def _map(op: MapaOp, c: Compiler) -> Step:
    source, rank, out = c.slots([op.a, op.b, op.res])
    place: Callable[[State, Array], MemRef | Objects]

    def step(m: State) -> None:
        together, own = m.batch.geometry.together, m.batch.workgroup
        ranks = np.broadcast_to(np.asarray(m.values[rank]).astype(np.int64) & 0xFFFFFFFF, own.shape)
        present = m.present()
        if (ranks[present] >= together).any():
            owner = int(present[int(np.argmax(ranks[present] >= together))])
            found = f"names workgroup {int(ranks[owner])} of a cluster of {together}"
            raise failure(op, f"{m.at(owner)}{found}")
        target = own - own % together + np.minimum(ranks, together - 1)
        m.settle(op, [rank])
        m.values[out] = place(m, target)

    def of_memref(m: State, target: Array) -> MemRef:
        memref: MemRef = m.values[source]
        return memref.at_workgroups(m.batch, target)

    def of_objects(m: State, target: Array) -> Objects:
        objects: Objects = m.values[source]
        return objects.elsewhere(target)

    place = of_memref if op.a.type.is_memref else of_objects
    return step
