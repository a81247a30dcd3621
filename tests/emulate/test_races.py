"""The race detector against a direct comparison of every pair of accesses."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pytest
from lanewise.emulate import races
from lanewise.emulate.access_records import ATOMIC, READ, WRITE, Crew, Race
from lanewise.emulate.races import Trace

from ..examples import examples

CREW = Crew(workgroup=8, team=4, actor=1)
WAVES = Crew(workgroup=8, team=4, actor=4)
LANES, GROUPS, TEAMS = 24, 3, 6
VERBS = {READ: "reads", WRITE: "writes", ATOMIC: "updates atomically"}


@dataclass(frozen=True)
class Access:
    kind: int
    byte: int
    size: int
    thread: int
    site: int
    epoch: tuple[int, int]
    value: int | None = None

    def race(self, other: Access, crew: Crew) -> bool:
        overlap = self.byte < other.byte + other.size and other.byte < self.byte + self.size
        changes = WRITE in (self.kind, other.kind) or {self.kind, other.kind} == {READ, ATOMIC}
        if self.kind == other.kind == WRITE and self.value is not None and other.value is not None:
            changes = self.value != other.value
        if not overlap or not changes or self.thread // crew.actor == other.thread // crew.actor:
            return False
        if self.thread // crew.workgroup != other.thread // crew.workgroup or self.epoch[0] == other.epoch[0]:
            same_team = self.thread // crew.team == other.thread // crew.team
            return not (same_team and self.epoch != other.epoch)
        return False


def events(rng: random.Random, trace: Trace, own: int = 0) -> Iterator[Access]:
    """A batch or two: a few instructions by some lanes each, and barriers of all or some. `own`: bytes that each
    workgroup has for itself, where it has any."""
    site = 0
    for batch in range(rng.randint(1, 2)):
        trace.begin(batch * LANES)
        epochs, turns = np.zeros(GROUPS, int), np.zeros(TEAMS, int)
        for _ in range(rng.randint(1, 8)):
            choice = rng.random()
            if choice < 0.2:
                mask = None if rng.random() < 0.6 else np.array([rng.random() < 0.5 for _ in range(GROUPS)])
                trace.advance(mask)
                epochs += 1 if mask is None else mask
            elif choice < 0.4:
                teams = np.array([rng.random() < 0.7 for _ in range(TEAMS)]) | (rng.random() < 0.5)
                trace.advance_teams(teams)
                turns += teams
            else:
                lanes = np.array(sorted(rng.sample(range(LANES), rng.randint(1, 8))))
                kind, size = rng.choice((READ, WRITE, ATOMIC)), rng.choice((1, 2, 4))
                stride = rng.choice((0, 1, 1, 1)) * size
                flat = (lanes * stride + rng.choice((0, 0, 4))).astype(np.int64) % (own or 128)
                flat += lanes // CREW.workgroup * own
                value = rng.choice((None, 0, 0, 1)) if kind == WRITE else None
                values = None if value is None else [np.full(lanes.size, value * 0x01010101, "u4").astype(f"u{size}")]
                trace.note(kind, flat, size, lanes, site, values)
                for byte, lane in zip(flat, lanes, strict=True):
                    epoch = int(epochs[lane // CREW.workgroup]), int(turns[lane // CREW.team])
                    yield Access(kind, int(byte), size, batch * LANES + int(lane), site, epoch, value)
                site += 1


def named(race: Race, accesses: list[Access]) -> tuple[Access, Access]:
    found = [
        next(
            a
            for a in accesses
            if (a.site, a.thread, VERBS[a.kind]) == (t.site, t.thread, t.verb) and 0 <= t.byte - a.byte < a.size
        )
        for t in (race.first, race.second)
    ]
    return found[0], found[1]


@pytest.mark.parametrize("own", [0, 24], ids=["common", "own"])
@pytest.mark.parametrize("crew", [CREW, WAVES], ids=["threads", "waves"])
@pytest.mark.parametrize("seed", range(examples(8)))
def test_a_race_is_reported_where_a_pair_has_one(seed: int, crew: Crew, own: int) -> None:
    rng, races_found = random.Random(seed), 0
    for _ in range(60):
        trace = Trace("global", crew, own)
        accesses = list(events(rng, trace, own))
        expected = any(a.race(b, crew) for a, b in combinations(accesses, 2))
        try:
            trace.settle()
            assert not expected
        except Race as race:
            first, second = named(race, accesses)
            assert first.race(second, crew) and race.memory == "global"
            races_found += 1
    assert 5 < races_found < 58


@pytest.mark.parametrize("seed", range(examples(4)))
def test_between_workgroups_nothing_is_forgotten(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """However little is written down: what is reported is a race, and every race of two workgroups is reported."""
    monkeypatch.setattr(races, "_MOST", 6)
    rng = random.Random(seed)
    for _ in range(100):
        trace, accesses = Trace("global", CREW), list[Access]()
        try:
            for access in events(rng, trace):
                accesses.append(access)
            trace.settle()
        except Race as race:
            assert race.first.site <= race.second.site
            continue
        pairs = [(a, b) for a, b in combinations(accesses, 2) if a.race(b, CREW)]
        assert all(a.thread // CREW.workgroup == b.thread // CREW.workgroup for a, b in pairs)


def test_readers_of_one_place_stand_for_each_other() -> None:
    for lanes in ([0, 1, 2, 3], [0, 5], [3, 9, 17, 20, 23], list(range(24)), [0, 1, 2, 3, 6]):
        for writer in range(24):
            trace = Trace("global", CREW)
            trace.note_common(READ, np.array([8]), 4, np.array(lanes), 0)
            trace.note(WRITE, np.array([8]), 4, np.array([writer]), 1)
            if lanes == [writer]:
                trace.settle()
            else:
                with pytest.raises(Race):
                    trace.settle()
