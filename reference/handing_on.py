"""Who arrives at barrier objects tells what is done; who sees that their phases are over learns it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..ir.numerics import Array
from .batch_state import State
from .tellings import Telling, Told


def told_by(m: State, owners: Array) -> list[Told]:
    """What each of these owners did up to now, and those of its workgroup that meet with it."""
    together, workgroups = m.batch.geometry.together, m.batch.workgroup[owners]
    of_rank: list[dict[str, Array]] = []
    for rank in range(together):
        here = owners[workgroups % together == rank]
        of_rank.append({space: clock.tell(here) for space, clock in m.clocks.items()})
    places = [divmod(int(n), together) for n in workgroups]
    return [{space: told[cluster] for space, told in of_rank[rank].items()} for cluster, rank in places]


def learn(m: State, owners: Array, seen: Sequence[tuple[Telling, int]]) -> None:
    """These owners have seen that phases are over, of objects of the owners beside them."""
    together = m.batch.geometry.together
    workgroups = m.batch.workgroup[owners] % together
    for space, clock in m.clocks.items():
        for rank in np.unique(workgroups).tolist():
            told = np.zeros((m.batch.workgroups // together, together * m.batch.geometry.subgroups), np.int64)
            for found, owner in seen:
                cluster, which = divmod(int(m.batch.workgroup[owner]), together)
                if which == rank:
                    told[cluster] = np.maximum(told[cluster], found.before.get(space, 0))
            clock.learn(owners[workgroups == rank], told)
