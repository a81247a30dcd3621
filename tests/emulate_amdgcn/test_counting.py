"""Passes through shared memory are those of the model that layouts are planned with, found another way."""

import numpy as np
import pytest
from lanewise.emulate.amdgcn.chip import make_chip
from lanewise.emulate.amdgcn.counting import count_passes
from lanewise.emulate.amdgcn.group import Group
from lanewise.emulate.counters import Counters
from lanewise.layout.banks import banks_of, wavefronts
from lanewise.targets import find_chip


@pytest.mark.parametrize("name", ["gfx90a", "gfx942", "gfx950", "gfx1100"])
@pytest.mark.parametrize("nbytes", [4, 8, 16])
@pytest.mark.parametrize("write", [False, True])
def test_passes_are_those_of_the_bank_model(name: str, nbytes: int, write: bool) -> None:
    generator = np.random.default_rng(nbytes)
    lanes = find_chip(name).default_subgroup_size
    chip = make_chip(name, lanes)
    for spread in (8, 64, 1024):
        addresses = generator.integers(0, spread, (50, lanes)) * nbytes
        taken, _ = wavefronts(addresses, nbytes, write=write, model=banks_of(find_chip(name)))
        for row, expected in zip(addresses, taken, strict=True):
            counters = Counters()
            group = Group(np.arange(1), lanes, whole=True)
            count_passes(counters, row, nbytes, group, None, None if write else chip, site=0)
            assert counters.shared_wavefronts == expected
