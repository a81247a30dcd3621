"""What a launch costs the host, beside the binding's own call of a driver that does nothing; bench/launches.py has it.

The ceilings are loose, about twice what was measured, for machines that do other things, too."""

import importlib
import sys
from pathlib import Path

CEILINGS = {
    "same arrays": 8,
    "other arrays": 8,
    "a grid of three": 9,
    "same tensors": 11,
    "other tensors": 11,
    "prepared": 4,
    "by name": 16,
    "19 arguments": 24,
    "19 arguments, tensors": 36,
}
"""Times an empty launch of the binding."""


def test_launches_cost_few_empty_ones(stub_driver, monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "bench"))
    try:
        found = importlib.import_module("launches").measured_with(stub_driver, runs=12)
    finally:
        for name in ("launches", "checkout"):
            sys.modules.pop(name, None)
    ratios = {name: found[name] / found["empty"] for name in CEILINGS}
    assert not {name: ratio for name, ratio in ratios.items() if ratio > CEILINGS[name]}, found
    assert found["other arrays"] < 2 * found["same arrays"], "new arrays are no other case"
