"""Random contractions: any roles of dimensions, orders, extents, types and threads agree with the reference.

python tests/layout/contractions.py 500          those of seeds 0 to 499; exit code 1 where one is wrong
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from math import prod
from random import Random
from typing import NamedTuple

import lanewise
from lanewise.check.inputs import make_inputs
from lanewise.check.inputs_grammar import inputs_of, read_comments
from lanewise.check.report import Report
from lanewise.support.diagnostics import Source
from lanewise.targets import find_chip

TARGETS = ("sm_80", "sm_90", "sm_90a", "gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201", "gfx1250")
TYPES = (
    ("f16", "f16", "f32"),
    ("f16", "f16", "f16"),
    ("bf16", "bf16", "f32"),
    ("f32", "f32", "f32"),
    ("f64", "f64", "f64"),
    ("i8", "i8", "i32"),
    ("f8E4M3FN", "f8E5M2", "f32"),
)
EXTENTS = (1, 2, 3, 5, 7, 8, 9, 12, 16, 17, 20, 24, 32, 33, 48, 64)
MOST_PRODUCTS = 1 << 14
PROGRAM = """// lanewise.args {data}; grid = 1
func.func @f(%A: memref<{A}>, %B: memref<{B}>, %C: memref<{C}>) attributes {{
    translation_info = #iree_codegen.translation_info<pipeline = LLVMGPUVectorDistribute workgroup_size = [{threads}, 1, 1]>}} {{
  %c0 = arith.constant 0 : index
  %none = arith.constant dense<{zero}> : vector<{C}>
  %a = vector.load %A[{at_A}] : memref<{A}>, vector<{A}>
  %b = vector.load %B[{at_B}] : memref<{B}>, vector<{B}>
  %d = vector.contract {{indexing_maps = [{maps}], iterator_types = [{iterators}], kind = #vector.kind<add>}}
    %a, %b, %none : vector<{A}>, vector<{B}> into vector<{C}>
  vector.store %d, %C[{at_C}] : memref<{C}>, vector<{C}>
  return
}}
"""  # noqa: E501


class Contraction(NamedTuple):
    text: str
    target: str


def contraction(seed: int) -> Contraction:
    random = Random(seed)
    roles = ["m", "n", "k", *random.choices("bmnk", k=random.randint(0, 2))]
    names = [f"{role}{number}" for number, role in enumerate(roles)]
    extents = dict.fromkeys(names, 1)
    for name in random.sample(names, len(names)):
        most = min(MOST_PRODUCTS // prod(extents.values()), 4 if name.startswith("b") else 64)
        extents[name] = random.choice([n for n in EXTENTS if n <= most])
    held = {side: [n for n in random.sample(names, len(names)) if n[0] in roles] for side, roles in SIDES.items()}
    types = dict(zip(SIDES, random.choice(TYPES), strict=True))
    target = random.choice(TARGETS)
    threads = find_chip(target).default_subgroup_size * random.choice([1, 2, 4])
    return Contraction(_program(random.sample(names, len(names)), held, extents, types, threads), target)


SIDES = {"A": "bmk", "B": "bkn", "C": "bmn"}
"""The roles of each operand's dimensions."""


def _program(
    order: Sequence[str],
    held: Mapping[str, Sequence[str]],
    extents: Mapping[str, int],
    types: Mapping[str, str],
    threads: int,
) -> str:
    shapes = {side: "x".join([*(str(extents[n]) for n in dims), types[side]]) for side, dims in held.items()}
    places = {f"at_{side}": ", ".join(["%c0"] * len(dims)) for side, dims in held.items()}
    maps = (f"affine_map<({', '.join(order)}) -> ({', '.join(dims)})>" for dims in held.values())
    kinds = ('"reduction"' if name.startswith("k") else '"parallel"' for name in order)
    sizes = {side: ", ".join(str(extents[n]) for n in dims) for side, dims in held.items()}
    data = f"A = integers(-3, 3, {sizes['A']}), B = integers(-3, 3, {sizes['B']}), C = empty({sizes['C']})"
    zero = "0" if types["C"].startswith("i") else "0.0"
    return PROGRAM.format(
        **shapes, **places, data=data, maps=", ".join(maps), iterators=", ".join(kinds), zero=zero, threads=threads
    )


def check(seed: int) -> Report:
    text, target = contraction(seed)
    kernel = lanewise.compile(text, target=target)
    data = inputs_of(read_comments(Source(text)), kernel.name)
    assert data is not None
    inputs = make_inputs(data, kernel.signature)
    return lanewise.validate(kernel, inputs.grid, *inputs.arguments, on=["interpret", "emulated"])


def main(count: int) -> int:
    wrong = [seed for seed in range(count) if not check(seed).ok]
    print(f"{count - len(wrong)} of {count} contractions are right; wrong are {wrong or 'none'}")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
