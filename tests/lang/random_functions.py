"""Random kernels in Python: sources whose results are integers, the same on every executor.

A function has vectors `v0`, .. of 64 `i32`, numbers `n0`, .. of `i32`, a list `state` of one of each; a
dataclass, a named tuple and a dict of such, a span; statements change them under loops and branches of the device and
of Python.
"""

from __future__ import annotations

import linecache
import random
from collections.abc import Callable
from typing import Any

HEAD = """\
import contextlib
import dataclasses
from typing import Any, NamedTuple

import lanewise
import lanewise.lang as lw

THREE = 3


@dataclasses.dataclass
class Box:
    v: Any
    n: Any
    made: Any = dataclasses.field(init=False, default=1)


class Pair(NamedTuple):
    v: Any
    n: Any


def plain(a, b):
    return (a ^ b) + lw.where(a < b, a, b)


@lw.function
def looping(a, count):
    total = a
    for _ in lw.range(count):
        total = total * 3 - a
    return total, total.max()


@lw.function
def boxed(box, *more, by=2, **named):
    total = box.v
    for one in more:
        total = total ^ one
    if total.max() > named["limit"]:
        total = total - by
    changed = Box(total, box.n + by)
    changed.made = box.made
    return changed


@lanewise.kernel(workgroup=64, device="emulated")
def f(x, y, out, *, zero=0):
    i = lw.block(64)
    own = lw.shared(64, lw.i32)
    v0, v1 = x[i], y[i]
    n0, n1 = x[0], v0.sum()
    state = [v1 + 1, n0]
    box, pair, table = Box(v0 - 2, n1), Pair(v1 ^ 5, n0 + 1), {"v": v0 | 1, "n": [n1, zero + 4]}
    place, box.made = lw.span(0, 64), n1 + 1

    def near(a, b=THREE):
        return a * b + n1
"""
TAIL = """\
    v0 = v0 + v1 * 3 + state[0] * 5 + (n0 ^ n1) + state[1]
    out[i] = v0 + box.v * 7 + box.n + pair.v * 9 + pair.n + table["v"] + near(table["n"][0], zero)
"""


class Writer:
    """Writes one function."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._lines: list[str] = []
        self._loops = 0

    def source(self) -> str:
        self._block(1, 6, depth=0)
        return HEAD + "\n".join(self._lines) + "\n" + TAIL

    def _put(self, indent: int, line: str) -> None:
        self._lines.append("    " * indent + line)

    def _block(self, indent: int, most: int, depth: int) -> None:
        for _ in range(self._random.randint(1, most)):
            kinds: list[Callable[[int, int], None]] = [self._assign, self._assign, self._assign, self._memory]
            if depth < 2:
                kinds += [self._for, self._if, self._while, self._python, self._walrus, self._guarded]
            kinds += [self._held, self._product]
            self._random.choice(kinds)(indent, depth)

    def _number(self) -> str:
        choices = (
            "n0",
            "n1",
            "state[1]",
            "box.n",
            "pair.n",
            'table["n"][0]',
            "near(n0)",
            str(self._random.randint(-9, 9)),
            "v0.max()",
            "v1.min()",
            "(v0 & 7).sum()",
        )
        return self._random.choice(choices)

    def _vector(self, depth: int = 0) -> str:
        leaves = ("v0", "v1", "state[0]", "lw.arange(64).to(lw.i32)", "box.v", "pair.v", 'table["v"]', "x[place]")
        if depth > 2 or self._random.random() < 0.3:
            return self._random.choice(leaves)
        a, b = self._vector(depth + 1), self._vector(depth + 1)
        forms = (
            *(f"({a} {sign} {b})" for sign in ("+", "-", "*", "&", "^", "|")),
            *(f"({a} {rest})" for rest in (f"+ {self._number()}", "// 7", "% 5", ">> 2", "<< 1")),
            *(f"{sign}({a})" for sign in ("abs", "-", "~")),
            f"lw.where({a} > {b}, {a}, {b})",
            f"lw.maximum({a}, {b})",
            f"lw.minimum({a}, {self._number()})",
            f"{a}.cumsum()",
            f"{a}.reshape(8, 8).T.reshape(64)",
            f"({a}.reshape(8, 8).sum(axis=1)[:, None] + {b}.reshape(8, 8)).reshape(64)",
            f"({a} if {self._condition()} else {b})",
            f"plain({a}, {b})",
            f"{a}.to(lw.i64).to(lw.i32)",
            f"{a}.to(lw.i8).to(lw.i32)",
            f"({a}.bitcast(lw.u32) // 3).bitcast(lw.i32)",
            f"lw.concat({a}[:32], {b}[32:])",
        )
        return self._random.choice(forms)

    def _condition(self) -> str:
        sign = self._random.choice(("<", "<=", ">", ">=", "==", "!="))
        return f"{self._random.choice(('n0', 'n1', 'state[1]', 'v0.sum()'))} {sign} {self._number()}"

    def _assign(self, indent: int, depth: int) -> None:
        name = self._random.choice(("v0", "v1", "state[0]", "n0", "n1", "state[1]", "pair", "call"))
        if name == "pair":
            self._put(indent, f"v0, n1 = {self._vector()}, {self._vector()}.sum()")
        elif name == "call":
            self._put(indent, f"v1, n0 = looping({self._vector()}, {self._random.randint(0, 3)})")
        elif name in ("n0", "n1", "state[1]"):
            self._put(indent, f"{name} = {self._vector()}.sum() + {self._number()}")
        else:
            self._put(indent, f"{name} = {self._vector()}")

    def _held(self, indent: int, depth: int) -> None:
        """What names hold: attributes, elements, spans."""
        forms = (
            f"box.v = {self._vector()}",
            f"box.n += {self._number()}",
            "box.made = box.made + 1",
            f"box = boxed(box, {self._vector()}, v1, limit={self._random.randint(-50, 50)})",
            "box = dataclasses.replace(box, v=box.v + box.made)",
            f"pair = pair._replace(v={self._vector()})",
            f"pair = Pair(*[{self._vector()}, pair.n])",
            f'table["v"] = {self._vector()}',
            f'table["n"][0] -= {self._number()}',
            'table["n"][1] += 1',
            "table = {k: e for k, e in table.items()}",
            "state = [state[0] + 1, *state[1:]]",
            f"state[:] = [{self._vector()}, state[1]]",
            f"place = place + {self._random.randint(-9, 9)}",
            "place = lw.span(place.start + n0.to(lw.index) % 5, 64)",
            "n0 = sum([n0 + j for j in range(3)], n1)",
            f"v0 = [a + n1 for a in ({self._vector()}, v1)][1]",
            "last = pair; del pair; pair = Pair(last.v + 1, n0)",
        )
        self._put(indent, self._random.choice(forms))

    def _product(self, indent: int, depth: int) -> None:
        a, b = (f"({self._vector()} & 15).reshape(8, 8)" for _ in range(2))
        self._put(indent, f"product = {a} @ {b}")
        forms = (
            "sums = v0.reshape(8, 8) + product",
            "sums = product + product * n0",
            "sums = v1.reshape(8, 8) - product.T",
            "sums = product @ v0.reshape(8, 8) + product",
        )
        self._put(indent, self._random.choice(forms))
        if self._random.random() < 0.5:
            self._put(indent, f"if {self._condition()}:")
            self._put(indent + 1, "sums = sums + product")
        self._put(indent, f"v{self._random.randint(0, 1)} = sums.reshape(64) + product.max()")

    def _walrus(self, indent: int, depth: int) -> None:
        self._loops += 1
        name, found = f"w{self._loops}", f"m{self._loops}"
        self._put(indent, f"{name} = lw.number({self._random.randint(0, 3)}, lw.i32)")
        self._put(indent, f"while ({found} := {name} - 1) >= 0:")
        self._put(indent + 1, f"{name} = {found}")
        self._put(indent + 1, f"v1 = v1 + {found}")
        self._block(indent + 1, 2, depth + 1)
        self._put(indent, f"n1 = n1 + {found}")

    def _guarded(self, indent: int, depth: int) -> None:
        guard = self._random.choice(("with contextlib.suppress(KeyError):", "try:", "match (v0, n1):"))
        self._put(indent, guard)
        if guard.startswith("match"):
            indent += 1
            self._put(indent, "case (v1, n0):")
        self._block(indent + 1, 2, depth + 1)
        if guard == "try:":
            self._put(indent, "finally:")
            self._put(indent + 1, "n1 = n1 ^ 3")

    def _memory(self, indent: int, depth: int) -> None:
        self._put(indent, f"own[:] = {self._vector()}")
        update = f"own.at[{self._vector()} & 63].add({self._vector()})"
        self._put(
            indent, self._random.choice((update, "own.at[3].max(n0)", f"own[{self._random.randint(0, 63)}] = n1"))
        )
        self._put(indent, self._random.choice((f"v0 = own[{self._vector()} & 63]", "v1 = own[:]", "n0 = own[5]")))

    def _for(self, indent: int, depth: int) -> None:
        self._loops += 1
        name = f"k{self._loops}"
        form = self._random.choice(("lw.range(3)", "lw.range(1, 6, 2)", "lw.tiles(x.shape[0], 64)", "lw.range(n0 & 3)"))
        if "n0" in form:
            form = "lw.range((n0 & 3).to(lw.index))"
        self._put(indent, f"for {name} in {form}:")
        item = f"x[{name}]" if "tiles" in form else f"{name}.to(lw.i32)"
        self._put(indent + 1, f"v0 = v0 + {item}")
        self._block(indent + 1, 3, depth + 1)

    def _python(self, indent: int, depth: int) -> None:
        self._loops += 1
        self._put(indent, f"for p{self._loops} in range({self._random.randint(0, 3)}):")
        self._put(indent + 1, f"n0 = n0 + p{self._loops}")
        self._block(indent + 1, 2, depth + 1)

    def _if(self, indent: int, depth: int) -> None:
        self._put(indent, f"if {self._condition()}:")
        self._block(indent + 1, 3, depth + 1)
        if self._random.random() < 0.6:
            self._put(indent, "else:")
            self._block(indent + 1, 2, depth + 1)

    def _while(self, indent: int, depth: int) -> None:
        self._loops += 1
        name = f"w{self._loops}"
        self._put(indent, f"{name} = lw.number({self._random.randint(0, 3)}, lw.i32)")
        self._put(indent, f"while {name} > 0:")
        self._put(indent + 1, f"{name} = {name} - 1")
        self._block(indent + 1, 2, depth + 1)


def function(seed: int) -> tuple[Any, str]:
    """A kernel and its source."""
    source = Writer(seed).source()
    name = f"<random function {seed}>"
    linecache.cache[name] = len(source), None, source.splitlines(keepends=True), name
    names: dict[str, Any] = {}
    exec(compile(source, name, "exec"), names)
    return names["f"], source
