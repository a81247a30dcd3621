"""Programs of random reductions, slices, transposes, loops and branches: their values cross threads in many ways, and
what shares a barrier (`distribute/batch_exchanges.py`) must not share bytes."""

from __future__ import annotations

import random

import lanewise
import numpy as np
import pytest
from lanewise.check.validate import validate

SHAPES = ((16, 64), (32, 32), (64, 16), (12, 40), (8, 128))


class Writer:
    """Writes the body of a kernel of MxN vectors; every operation takes values that are there and gives a new one."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.m, self.n = self.random.choice(SHAPES)
        self.type = f"vector<{self.m}x{self.n}xi32>"
        self.turned = f"vector<{self.n}x{self.m}xi32>"
        self.threads = self.random.choice([64, 128, 256])
        self.lines: list[str] = []
        self.names = 0

    def add(self, text: str) -> str:
        self.names += 1
        self.lines.append(f"%v{self.names} = {text}")
        return f"%v{self.names}"

    def operation(self, values: list[str], depth: int) -> str:
        a, b = self.random.choice(values), self.random.choice(values)
        kinds = [self.rows, self.columns, self.all, self.transpose, self.add_up, self.slice, self.row]
        if depth < 2:
            kinds += [lambda a, b: self.loop(values, a, depth), lambda a, b: self.branch(values, b, depth)]
        return self.random.choice(kinds)(a, b)

    def columns(self, a: str, b: str) -> str:
        kind = self.random.choice(["add", "maxsi", "minsi", "xor"])
        sums = self.add(f"vector.multi_reduction <{kind}>, {a}, %zn [0] : {self.type} to vector<{self.n}xi32>")
        return self.add(f"vector.broadcast {sums} : vector<{self.n}xi32> to {self.type}")

    def rows(self, a: str, b: str) -> str:
        sums = self.add(f"vector.multi_reduction <add>, {a}, %zm [1] : {self.type} to vector<{self.m}xi32>")
        wide = self.add(f"vector.broadcast {sums} : vector<{self.m}xi32> to {self.turned}")
        return self.add(f"vector.transpose {wide}, [1, 0] : {self.turned} to {self.type}")

    def all(self, a: str, b: str) -> str:
        sum = self.add(f"vector.multi_reduction <xor>, {a}, %zero [0, 1] : {self.type} to i32")
        return self.add(f"vector.broadcast {sum} : i32 to {self.type}")

    def transpose(self, a: str, b: str) -> str:
        turned = self.add(f"vector.transpose {a}, [1, 0] : {self.type} to {self.turned}")
        return self.add(f"vector.shape_cast {turned} : {self.turned} to {self.type}")

    def add_up(self, a: str, b: str) -> str:
        return self.add(f"arith.addi {a}, {b} : {self.type}")

    def slice(self, a: str, b: str) -> str:
        h, w = self.random.randint(1, self.m - 1), self.random.randint(1, self.n - 1)
        ((y, x), (v, u)) = ((self.random.randint(0, self.m - h), self.random.randint(0, self.n - w)) for _ in range(2))
        part = self.add(
            f"vector.extract_strided_slice {a} {{offsets = [{y}, {x}], sizes = [{h}, {w}], strides = [1, 1]}}"
            f" : {self.type} to vector<{h}x{w}xi32>"
        )
        return self.add(
            f"vector.insert_strided_slice {part}, {b} {{offsets = [{v}, {u}], strides = [1, 1]}}"
            f" : vector<{h}x{w}xi32> into {self.type}"
        )

    def row(self, a: str, b: str) -> str:
        row = self.add(f"vector.extract {a}[{self.random.randrange(self.m)}] : vector<{self.n}xi32> from {self.type}")
        return self.add(f"vector.broadcast {row} : vector<{self.n}xi32> to {self.type}")

    def loop(self, values: list[str], a: str, depth: int) -> str:
        carried = f"%carried{self.names}"
        result = self.add(
            f"scf.for %i{self.names} = %c0 to %c3 step %c1 iter_args({carried} = {a}) -> ({self.type}) {{"
        )
        inside = [*values, carried]
        for _ in range(self.random.randint(1, 4)):
            inside.append(self.operation(inside, depth + 1))
        sum = self.add_up(carried, inside[-1])
        self.lines += [f"scf.yield {sum} : {self.type}", "}"]
        return result

    def branch(self, values: list[str], b: str, depth: int) -> str:
        result, inside = self.add(f"scf.if %condition -> ({self.type}) {{"), list(values)
        for _ in range(self.random.randint(1, 3)):
            inside.append(self.operation(inside, depth + 1))
        self.lines += [f"scf.yield {inside[-1]} : {self.type}", "} else {", f"scf.yield {b} : {self.type}", "}"]
        return result

    def program(self) -> str:
        values = ["%a", "%b"]
        for _ in range(self.random.randint(4, 12)):
            values.append(self.operation(values, 0))
            if self.random.random() < 0.15:
                self.lines.append("gpu.barrier")
        last = self.add_up(values[-1], self.random.choice(values))
        memref, body = f"memref<{self.m}x{self.n}xi32>", "\n".join(self.lines)
        read = "%zero {in_bounds = [true, true]}"
        return f"""\
gpu.func @f(%x: {memref}, %w: {memref}, %y: {memref}, %k: i32) kernel
    attributes {{gpu.known_block_size = array<i32: {self.threads}, 1, 1>}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0 : i32
  %zm = arith.constant dense<0> : vector<{self.m}xi32>
  %zn = arith.constant dense<0> : vector<{self.n}xi32>
  %condition = arith.cmpi sgt, %k, %zero : i32
  %a = vector.transfer_read %x[%c0, %c0], {read} : {memref}, {self.type}
  %b = vector.transfer_read %w[%c0, %c0], {read} : {memref}, {self.type}
{body}
  vector.transfer_write {last}, %y[%c0, %c0] {{in_bounds = [true, true]}} : {self.type}, {memref}
  gpu.return
}}
"""


@pytest.mark.turns("target")
@pytest.mark.parametrize("target", ["sm_90a", "gfx942"])
@pytest.mark.parametrize("first", range(0, 80, 10))
def test_random_exchanges(first: int, target: str, pytestconfig: pytest.Config) -> None:
    """One seed of ten, all with --thorough."""
    for seed in range(first, first + (10 if pytestconfig.getoption("thorough") else 1)):
        writer, numbers = Writer(seed), np.random.default_rng(seed)
        kernel = lanewise.compile(writer.program(), target)
        x, w = (numbers.integers(-9, 9, (writer.m, writer.n), dtype=np.int32) for _ in range(2))
        report = validate(kernel, 1, x, w, np.zeros_like(x), np.int32(seed % 2), on="emulated", thorough=False)
        assert report.ok, f"seed {seed}: {report}"
