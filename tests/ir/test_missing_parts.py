"""Operations that lack a part, one at a time: the verifier says so, whatever else reads them."""

from __future__ import annotations

import contextlib
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from lanewise.ir.core import Operation
from lanewise.ir.parser import parse_program
from lanewise.ir.verify import verify
from lanewise.support.diagnostics import ProgramError, VerifyError

ROOT = Path(__file__).resolve().parent.parent.parent
SECTIONS = re.compile(r"^// -----[ \t]*\n", re.MULTILINE)
SAMPLE = 30
"""Files, of some 700: the same ones every time."""


def without_an_attribute(op: Operation) -> Iterator[Callable[[], None]]:
    for name, value in tuple(op.attributes.items()):
        del op.attributes[name]
        yield lambda name=name, value=value: op.attributes.update({name: value})


def without_operands(op: Operation) -> Iterator[Callable[[], None]]:
    given = op.operands
    if op.segments is None:
        for fewer in {given[:-1], given[1:], ()} - {given}:
            op.set_operands(fewer)
            yield lambda: op.set_operands(given)


def without_results(op: Operation) -> Iterator[Callable[[], None]]:
    given = op.results
    if given and not any(result.users for result in given):
        op.results = []
        yield lambda: setattr(op, "results", given)


def with_other_regions(op: Operation) -> Iterator[Callable[[], None]]:
    given = op.regions
    for other in ([], given * 2) if given else ():
        op.regions = other
        yield lambda: setattr(op, "regions", given)
    for region in given:
        blocks = region.blocks
        for others in ([], blocks * 2):
            region.blocks = others
            yield lambda region=region, blocks=blocks: setattr(region, "blocks", blocks)


def without_the_last(op: Operation) -> Iterator[Callable[[], None]]:
    for block in [block for region in op.regions for block in region.blocks if block.operations]:
        last = block.remove(block.operations[-1])
        yield lambda block=block, last=last: block.append(last)


DAMAGE = (without_an_attribute, without_operands, without_results, with_other_regions, without_the_last)


def programs() -> Iterator[Operation]:
    files = sorted(ROOT.glob("tests/filetests/**/*.mlir"))
    for path in [*sorted(ROOT.glob("examples/*.mlir")), *random.Random(3).sample(files, SAMPLE)]:
        for text in SECTIONS.split(path.read_text(encoding="utf-8")):
            try:
                module = parse_program(text)
                verify(module)
            except ProgramError:
                continue
            yield module


def test_whatever_lacks_a_part_is_a_program_or_refused() -> None:
    tried: set[tuple[str, str, str]] = set()
    for module in programs():
        for op in [*module.walk()][1:]:
            around = op.enclosing()
            assert around is not None
            for damage in DAMAGE:
                if (case := (op.opname, around.opname, damage.__name__)) in tried:
                    continue
                tried.add(case)
                for mend in damage(op):
                    with contextlib.suppress(VerifyError):
                        verify(module)
                    mend()
    assert len(tried) > 500


ATOMIC = """
func.func @f() {
  %0 = "memref.generic_atomic_rmw"() ({
  ^bb0(%x: f32):
    "memref.atomic_yield"(%x) : (f32) -> ()
  }) : () -> f32
  return
}"""
MASKED = """
func.func @f(%a: vector<8x16xf32>, %b: vector<16x8xf32>, %c: vector<8x8xf32>, %m: vector<8x8x16xi1>) {
  %1 = "vector.mask"(%m) ({
    %2 = "vector.contract"(%a, %b, %c) {kind = #vector.kind<add>, indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
      affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]}
      : (vector<8x16xf32>, vector<16x8xf32>, vector<8x8xf32>) -> vector<8x8xf32>
    "vector.yield"(%2) : (vector<8x8xf32>) -> ()
  }) : (vector<8x8x16xi1>) -> vector<8x8xf32>
  return
}"""
CONSTANT = """
func.func @f(%m: memref<4xf32>) {
  %0 = "arith.constant"() : () -> index
  %1 = "memref.dim"(%m, %0) : (memref<4xf32>, index) -> index
  return
}"""
JOINED = """
func.func @f(%n: index, %x: f32) {
  %0 = "scf.parallel"(%n, %n, %n, %x) ({
  ^bb0(%i: index):
    "scf.reduce"(%x) ({
    ^bb0(%a: f32, %b: f32):
      "scf.reduce.return"() : () -> ()
    }) : (f32) -> ()
  }) {operandSegmentSizes = array<i32: 1, 1, 1, 1>} : (index, index, index, f32) -> f32
  return
}"""


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        (ATOMIC, ["'memref.generic_atomic_rmw' op expects 1 or more operands, found 0"]),
        (MASKED, ["'vector.contract' op requires attribute 'iterator_types'"]),
        (CONSTANT, ["'arith.constant' op requires attribute 'value'"]),
        (JOINED, ["'scf.reduce.return' op expects 1 operands, found 0"]),
    ],
)
def test_what_is_read_by_its_neighbours_is_reported_itself(text: str, messages: list[str]) -> None:
    with pytest.raises(VerifyError) as error:
        verify(parse_program(text))
    found = [d.message for d in error.value.diagnostics]
    assert len(found) == len(messages)
    assert all(part in message for part, message in zip(messages, found, strict=True))
