"""Planted mistakes in the choice of layouts: each is noticed by the counts of a filetest.

The choice could be wrong in every way without one wrong result: counts are what tests it. `bench/mutants.py` plants
many more, one after another; these are the extremes, the instruction and the weights.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

import lanewise
import pytest
from lanewise.check.counts import Measurement
from lanewise.check.inputs import make_inputs
from lanewise.check.inputs_grammar import inputs_of, read_comments
from lanewise.distribute import packing
from lanewise.ir.dialects import vector
from lanewise.ir.types import shape_of
from lanewise.layout import coalescing, estimate, graph, pbqp, plan, search, sharing, tiling
from lanewise.layout.rules import positions, vector_memory, vector_reductions
from lanewise.layout.transfer import Known, Layouts, is_vector
from lanewise.support.diagnostics import Diagnostic, LanewiseError, Source

from .expectations import Expectation, expectations
from .sections import sections

HERE = Path(__file__).parent
Plant = Callable[[pytest.MonkeyPatch], None]


def failures(file: str, number: int) -> list[str]:
    """What the `expect` lines of one section find wrong; an error is a finding, too."""
    section = list(sections((HERE / file).read_text(encoding="utf-8")))[number]
    source = Source(section.text, file)
    return [found for expectation in expectations(source) for found in _failures(source, expectation)]


def _failures(source: Source, expectation: Expectation) -> Iterator[str]:
    kernel = lanewise.compile(source.text, expectation.target)
    text = inputs_of(read_comments(source), kernel.name)
    assert text is not None
    measurement = Measurement(kernel, make_inputs(text, kernel.signature, sizes=dict(expectation.sizes)))
    try:
        problems: list[Diagnostic | None] = [
            e.check(measurement) for e in expectation.expected if e.count.source != "tools"
        ]
        yield from (problem.message for problem in problems if problem is not None)
    except LanewiseError as error:
        yield str(error)


@pytest.fixture
def plant(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Plant], None]]:
    """Plants a mistake; what was remembered with it, or without it, is forgotten."""

    def planted(mistake: Plant) -> None:
        _forget()
        mistake(monkeypatch)

    yield planted
    monkeypatch.undo()
    _forget()


def _forget() -> None:
    """Everything that the layout rooms remember from one compilation to the next."""
    rooms = [module for name, module in sys.modules.items() if name.startswith("lanewise.layout.")]
    for remembered in (value for room in rooms for value in vars(room).values() if hasattr(value, "cache_clear")):
        remembered.cache_clear()


def constant(module: object, name: str, value: object) -> Plant:
    return lambda patch: patch.setattr(module, name, value)


def weight(name: str, value: int) -> Plant:
    return lambda patch: patch.setitem(plan._CYCLES, name, value)  # type: ignore[arg-type]


def dearest(patch: pytest.MonkeyPatch) -> None:
    """The search takes what costs most."""

    def solve(problem: pbqp.Problem) -> list[int]:
        negated = pbqp.Problem()
        for costs in problem.costs:
            negated.add_node(-costs)
        for a, near in enumerate(problem.neighbours):
            for b, costs in near.items():
                if a < b:
                    negated.add_edge(a, b, -costs)
        return pbqp.solve(negated)

    patch.setattr(search, "solve", solve)


def first(patch: pytest.MonkeyPatch) -> None:
    """The search takes whatever was proposed first."""
    patch.setattr(search, "solve", lambda problem: [0] * len(problem.costs))


def smallest_instruction(patch: pytest.MonkeyPatch) -> None:
    """Of the chip's matrix instructions the one that does least is offered."""
    offered = vector_reductions.tilings
    patch.setattr(vector_reductions, "tilings", lambda what, chip: list(offered(what, chip))[-1:])


def no_square(patch: pytest.MonkeyPatch) -> None:
    """Subgroups share products by whole rows or whole columns alone."""
    offered = tiling.Tiling.grids

    def grids(of: tiling.Tiling, subgroups: int, *, lines: bool) -> Iterator[tiling.Grid]:
        found = list(offered(of, subgroups, lines=True))
        return iter((found[1:] or found)[: None if lines else 1])

    patch.setattr(tiling.Tiling, "grids", grids)


def neighbours_of_one_bound(patch: pytest.MonkeyPatch) -> None:
    """All neighbours are taken to need one comparison, whatever is proven of them."""
    patch.setattr(packing._Planner, "_together", lambda planner, dim: 1 << 20)


def masked_alike(patch: pytest.MonkeyPatch) -> None:
    """Masks are taken to be the same for all neighbours, or not to be there."""
    patch.setattr(coalescing, "neighbours_alike", lambda *_: 1 << 20)


def unmasked(patch: pytest.MonkeyPatch) -> None:
    def memory(rule: object, op: vector_memory.Slice, known: Known) -> coalescing.Memory:
        facts, written = known.divisibility, not op.results
        return coalescing.Memory.of(op, op.memref, op.indices, facts, written=written, alignment=op.alignment)

    patch.setattr(vector_memory.SliceRule, "memory", memory)


def forgotten_source(patch: pytest.MonkeyPatch) -> None:
    """What a row is taken out of goes to unused lanes, wherever it is."""

    def backward(rule: object, op: vector.ExtractOp, results: Layouts, known: Known) -> Layouts:
        lead, free = range(len(op.static_position)), [None] * len(op.dynamic_position)
        if results[0] is None and is_vector(op.result_):
            return [None, *free]
        return [positions.spread_over_lanes(results[0], shape_of(op.source.type), lead, known), *free]

    patch.setattr(positions.ExtractRule, "backward", backward)


CONVERSIONS, PRODUCTS, TRANSPOSES = "counts/conversions.mlir", "counts/contractions.mlir", "counts/transposes.mlir"
BARRIERS, LOOPS, BROADCASTS = "counts/barriers.mlir", "counts/loops.mlir", "counts/broadcasts.mlir"
PRICES, POSITIONS = "counts/prices.mlir", "counts/positions.mlir"
EXTRACTS = "movement/dynamic_extract.mlir"
ATTENTION = "run/attention_64.mlir"
MISTAKES: dict[str, tuple[Plant, str, int]] = {
    "the dearest": (dearest, BARRIERS, 1),
    "the first": (first, BARRIERS, 1),
    "the smallest instruction": (smallest_instruction, PRODUCTS, 4),
    "no price of shuffles": (weight("shuffles", 0), CONVERSIONS, 4),
    "dear shuffles": (weight("shuffles", 32), CONVERSIONS, 0),
    "no price of selects": (weight("selects", 0), CONVERSIONS, 4),
    "dear selects": (weight("selects", 16), CONVERSIONS, 0),
    "no price of packs": (weight("packs", 0), CONVERSIONS, 10),
    "dear packs": (weight("packs", 16), CONVERSIONS, 9),
    "no price of addresses": (weight("addresses", 0), CONVERSIONS, 12),
    "dear addresses": (weight("addresses", 16), CONVERSIONS, 6),
    "no price of stores": (weight("stores", 0), CONVERSIONS, 11),
    "dear stores": (weight("stores", 16), CONVERSIONS, 4),
    "no price of loads": (weight("loads", 0), CONVERSIONS, 11),
    "dear loads": (weight("loads", 16), CONVERSIONS, 4),
    "no price of wavefronts": (weight("wavefronts", 0), CONVERSIONS, 1),
    "dear wavefronts": (weight("wavefronts", 32), CONVERSIONS, 4),
    "no price of barriers": (weight("barriers", 0), CONVERSIONS, 2),
    "dear barriers": (weight("barriers", 256), CONVERSIONS, 4),
    "no price of a round trip": (constant(estimate, "ROUND_TRIP", 0), ATTENTION, 0),
    "no price of sectors": (constant(coalescing, "_SECTOR_CYCLES", 0), ATTENTION, 0),
    "a dear round trip": (constant(estimate, "ROUND_TRIP", 16 * estimate.ROUND_TRIP), TRANSPOSES, 0),
    "no price of lines": (constant(coalescing, "_WAVEFRONT_CYCLES", 0), TRANSPOSES, 0),
    "no price of matrix loads": (constant(coalescing, "_MATRIX_LOAD_CYCLES", 0), PRICES, 11),
    "dear matrix loads": (constant(coalescing, "_MATRIX_LOAD_CYCLES", 16 * coalescing._MATRIX_LOAD_CYCLES), PRICES, 11),
    "dear sectors": (constant(coalescing, "_SECTOR_CYCLES", 16 * coalescing._SECTOR_CYCLES), BROADCASTS, 3),
    "loops that do not repeat": (constant(graph, "_UNKNOWN_TRIPS", 0), LOOPS, 1),
    "loops that repeat for ever": (constant(graph, "_UNKNOWN_TRIPS", 256), PRICES, 0),
    "no price of spills": (constant(search, "_SPILL_CYCLES", 0), PRICES, 2),
    "dear spills": (constant(search, "_SPILL_CYCLES", 256), PRICES, 3),
    "fast matrix units": (constant(vector_reductions, "_MULTIPLY_ADDS_A_CYCLE", defaultdict(lambda: 4096)), PRICES, 4),
    "no square grid": (no_square, PRICES, 5),
    "powers of two at any price": (constant(coalescing, "_RAGGED", 64), PRICES, 6),
    "an index for each row": (constant(packing, "_MANY_ROWS", 64), PRICES, 7),
    "an index for each neighbour": (neighbours_of_one_bound, PRICES, 8),
    "a conversion for each use": (constant(sharing.Sharing, "any", False), PRICES, 10),
    "masks that are alike": (masked_alike, POSITIONS, 4),
    "stores' masks that are alike": (masked_alike, POSITIONS, 5),
    "no mask of a load": (unmasked, POSITIONS, 4),
    "no mask of a store": (unmasked, POSITIONS, 5),
    "masks that differ": (constant(coalescing, "neighbours_alike", lambda *_: 1), POSITIONS, 6),
    "an extracted row's source that is forgotten": (forgotten_source, EXTRACTS, 0),
    "an extracted row's layout that is forgotten": (forgotten_source, EXTRACTS, 3),
    "slow matrix units": (constant(vector_reductions, "_MULTIPLY_ADDS_A_CYCLE", defaultdict(lambda: 1)), PRODUCTS, 0),
}


@pytest.mark.one_of(2)
@pytest.mark.parametrize(("mistake", "file", "number"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_in_the_choice_is_noticed(
    plant: Callable[[Plant], None], mistake: Plant, file: str, number: int
) -> None:
    plant(mistake)
    assert failures(file, number)


def test_every_weight_of_a_plan_is_tried() -> None:
    tried = {name for name in plan._CYCLES if any(label.endswith(name) for label in MISTAKES)}
    assert tried == set(plan._CYCLES)


@pytest.mark.one_of(4)
@pytest.mark.parametrize(("file", "number"), sorted({(file, number) for _, file, number in MISTAKES.values()}))
def test_nothing_is_noticed_without_a_mistake(file: str, number: int) -> None:
    """As the `expect` items of these sections say, too."""
    assert failures(file, number) == []
