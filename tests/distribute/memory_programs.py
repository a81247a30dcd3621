"""Random programs of a workgroup that read and write a few buffers again and again, in layouts that repeat elements.

Everything is an integer, so all executors have to agree bit for bit, and every access is in bounds.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Generator
from contextlib import contextmanager

import numpy as np

SIZE = 192
"""Elements of a buffer."""
SHARED = "memref<192xi32, #gpu.address_space<workgroup>>"
GLOBAL = "memref<192xi32>"
BUFFERS = {"%c": GLOBAL, "%d": GLOBAL, "%s": SHARED}
LENGTHS = (8, 16, 32, 64)


def arguments(seed: int) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [rng.integers(0, 50, SIZE).astype(np.int32) for _ in range(2)]


def program(seed: int, *, parts: bool = False) -> str:
    """`parts`: some of it is done by parts of the workgroup, which have buffers of their own."""
    return _Program(random.Random(seed), parts).text()


def _layout(rng: random.Random, length: int, threads: int) -> str:
    """Of `length` elements on `threads` threads in subgroups of 32: what is left over repeats elements."""
    left, tiles = length, []
    for most in (threads // 32, 4, 2, 32):
        tiles.append(rng.choice([n for n in (1, 2, 4, 8, 16, 32) if n <= min(most, left)]))
        left //= tiles[-1]
    subgroup, batch, outer, thread = tiles
    stride = rng.choice([n for n in (1, 2, 4) if n * thread <= 32]) if thread > 1 else 0
    return (
        f"#iree_vector_ext.nested_layout<subgroup_tile = [{subgroup}], batch_tile = [{batch}], outer_tile = [{outer}], "
        f"thread_tile = [{thread}], element_tile = [{left}], subgroup_strides = [{int(subgroup > 1)}], "
        f"thread_strides = [{stride}]>"
    )


class _Program:
    def __init__(self, rng: random.Random, parts: bool) -> None:
        self.rng, self.parts = rng, parts
        self.threads = rng.choice((64, 128))
        self.buffers = list(BUFFERS)
        """Those that the program, of the workgroup or a part, may touch."""
        self.lines: list[str] = []
        self.count = 0
        self.vectors: dict[int, list[str]] = {length: [] for length in LENGTHS}
        self.counters: list[str] = []
        self.inside = 0

    def text(self) -> str:
        self.add("%pad = arith.constant 1 : i32")
        self.add("%s = memref.alloc() : " + SHARED)
        for start in range(0, SIZE, 64):
            self.write("%s", self.read("%c", 64, self.constant(start)), 64, self.constant(start))
        for _ in range(self.rng.randint(3, 8)):
            self.statement()
        self.write("%d", self.read("%s", 64, self.constant(64)), 64, self.constant(0))
        body = "\n".join(self.lines)
        size = f"gpu.known_block_size = array<i32: {self.threads}, 1, 1>"
        return f"gpu.func @k(%c: {GLOBAL}, %d: {GLOBAL}) kernel attributes {{{size}}} {{\n{body}\n  gpu.return\n}}\n"

    # -- lines --------------------------------------------------------------------------------------------------

    def add(self, line: str) -> None:
        self.lines.append("  " * (1 + self.inside) + line)

    def value(self, line: str) -> str:
        self.count += 1
        self.add(f"%v{self.count} = {line}")
        return f"%v{self.count}"

    def constant(self, number: int) -> str:
        return self.value(f"arith.constant {number} : index")

    @contextmanager
    def region(self, head: str) -> Generator[None]:
        known = {length: list(values) for length, values in self.vectors.items()}
        self.add(head)
        self.inside += 1
        yield
        self.inside -= 1
        self.add("}")
        self.vectors = known

    # -- statements ---------------------------------------------------------------------------------------------

    def statement(self) -> None:
        choices: list[Callable[[], None]] = [self.update, self.update, self.move, self.convert, self.scalar]
        choices.append(self.atomic)
        if self.inside < 2:
            choices += [self.loop, self.branch]
        if self.parts and self.inside < 3 and len(self.buffers) > 1:
            choices += [self.split] * 3
        self.rng.choice(choices)()

    def update(self) -> None:
        """A part of a buffer becomes a sum."""
        buffer, length = self.rng.choice(self.buffers), self.rng.choice(LENGTHS)
        start = self.start(length)
        old = self.anchored(self.read(buffer, length, start), length)
        other = self.rng.choice([*self.vectors[length], old])
        new = self.value(f"arith.addi {old}, {other} : vector<{length}xi32>")
        if self.rng.random() < 0.5:
            new = self.anchored(new, length)
        self.write(buffer, new, length, start if self.rng.random() < 0.7 else self.start(length))
        self.vectors[length].append(old)

    def move(self) -> None:
        source, target = (
            self.rng.choices(self.buffers, k=2) if len(self.buffers) < 2 else self.rng.sample(self.buffers, 2)
        )
        length = self.rng.choice(LENGTHS)
        value = self.anchored(self.read(source, length, self.start(length)), length)
        self.write(target, value, length, self.start(length))

    def convert(self) -> None:
        """A value from before is stored in another layout."""
        length = self.rng.choice(LENGTHS)
        if self.vectors[length]:
            value = self.anchored(self.rng.choice(self.vectors[length]), length)
            self.write(self.rng.choice(self.buffers), value, length, self.start(length))

    def scalar(self) -> None:
        source, target = self.rng.choice(self.buffers), self.rng.choice(self.buffers)
        loaded = self.value(f"memref.load {source}[{self.start(1)}] : {BUFFERS[source]}")
        if self.rng.random() < 0.5:
            length = self.rng.choice(LENGTHS)
            spread = self.value(f"vector.broadcast {loaded} : i32 to vector<{length}xi32>")
            self.write(target, self.anchored(spread, length), length, self.start(length))
        else:
            self.add(f"memref.store {loaded}, {target}[{self.start(1)}] : {BUFFERS[target]}")

    def atomic(self) -> None:
        buffer = self.rng.choice(self.buffers)
        old = self.value(f"memref.atomic_rmw addi %pad, {buffer}[{self.start(1)}] : (i32, {BUFFERS[buffer]}) -> i32")
        assert old

    def loop(self) -> None:
        low, high, step = self.constant(0), self.constant(self.rng.choice((1, 2, 3, 4))), self.constant(1)
        self.count += 1
        counter = f"%i{self.count}"
        with self.region(f"scf.for {counter} = {low} to {high} step {step} {{"):
            self.counters.append(counter)
            for _ in range(self.rng.randint(1, 3)):
                self.statement()
            self.counters.pop()

    def branch(self) -> None:
        """On a number from memory, or on the parity of a loop's counter."""
        if self.counters:
            number = self.value(f"arith.index_cast {self.rng.choice(self.counters)} : index to i32")
        else:
            buffer = self.rng.choice(self.buffers)
            number = self.value(f"memref.load {buffer}[{self.start(1)}] : {BUFFERS[buffer]}")
        bit = self.value(f"arith.andi {number}, %pad : i32")
        odd = self.value(f"arith.cmpi eq, {bit}, %pad : i32")
        with self.region(f"scf.if {odd} {{"):
            self.statement()
        if self.rng.random() < 0.5:
            self.lines[-1] = self.lines[-1].replace("}", "} else {")
            self.inside += 1
            known = {length: list(values) for length, values in self.vectors.items()}
            self.statement()
            self.inside -= 1
            self.vectors = known
            self.add("}")

    def split(self) -> None:
        """Parts of one subgroup or more, each with some of the buffers."""
        threads, buffers, vectors = self.threads, self.buffers, self.vectors
        left, sizes = threads // 32, list[int]()
        while left:
            sizes.append(left if len(sizes) == len(buffers) - 1 else self.rng.randint(1, left))
            left -= sizes[-1]
        shuffled = self.rng.sample(buffers, len(buffers))
        self.add(f"lanewise.split {{subgroups = array<i64: {', '.join(map(str, sizes))}>}} {{")
        for number, size in enumerate(sizes):
            self.threads, self.buffers = size * 32, shuffled[number :: len(sizes)]
            self.vectors = {length: [] for length in LENGTHS}
            self.inside += 1
            for _ in range(self.rng.randint(1, 3)):
                self.statement()
            self.inside -= 1
            self.add("} {" if number < len(sizes) - 1 else "}")
        self.threads, self.buffers, self.vectors = threads, buffers, vectors

    # -- parts --------------------------------------------------------------------------------------------------

    def start(self, length: int) -> str:
        """Where a part of `length` elements begins: a constant, or a multiple of a counter further on."""
        first = self.rng.choice((0, 0, 8, 32, 64))
        if not self.counters or self.rng.random() < 0.4:
            return self.constant(first)
        factor = self.constant(self.rng.choice((1, 8, length // 2 or 1, length) if length < 32 else (8, 16)))
        further = self.value(f"arith.muli {self.rng.choice(self.counters)}, {factor} : index")
        return self.value(f"arith.addi {further}, {self.constant(first)} : index")

    def read(self, buffer: str, length: int, start: str) -> str:
        type = f"{BUFFERS[buffer]}, vector<{length}xi32>"
        return self.value(f"vector.transfer_read {buffer}[{start}], %pad {{in_bounds = [true]}} : {type}")

    def write(self, buffer: str, value: str, length: int, start: str) -> None:
        type = f"vector<{length}xi32>, {BUFFERS[buffer]}"
        self.add(f"vector.transfer_write {value}, {buffer}[{start}] {{in_bounds = [true]}} : {type}")

    def anchored(self, value: str, length: int) -> str:
        layout = _layout(self.rng, length, self.threads)
        return self.value(f"iree_vector_ext.to_layout {value} to layout({layout}) : vector<{length}xi32>")
