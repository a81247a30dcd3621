"""Random kernels in Python: sources whose results are integers, the same on every executor.

A function has vectors `v0`, .. of 64 `i32`, numbers `n0`, .. of `i32`, a list `state` of one of each; statements
change them under loops and branches of the device and of Python.
"""

from __future__ import annotations

import linecache
import random
from collections.abc import Callable
from typing import Any

HEAD = """\
import lanewise
import lanewise.lang as lw


def plain(a, b):
    return (a ^ b) + lw.where(a < b, a, b)


@lw.function
def looping(a, count):
    total = a
    for _ in lw.range(count):
        total = total * 3 - a
    return total, total.max()


@lanewise.kernel(workgroup=64, device="emulated")
def f(x, y, out):
    i = lw.block(64)
    own = lw.shared(64, lw.i32)
    v0, v1 = x[i], y[i]
    n0, n1 = x[0], v0.sum()
    state = [v1 + 1, n0]
"""
TAIL = """\
    out[i] = v0 + v1 * 3 + state[0] * 5 + (n0 ^ n1) + state[1]
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
                kinds += [self._for, self._if, self._while, self._python]
            self._random.choice(kinds)(indent, depth)

    def _number(self) -> str:
        choices = ("n0", "n1", "state[1]", str(self._random.randint(-9, 9)), "v0.max()", "v1.min()", "(v0 & 7).sum()")
        return self._random.choice(choices)

    def _vector(self, depth: int = 0) -> str:
        leaves = ("v0", "v1", "state[0]", "lw.arange(64).to(lw.i32)")
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
