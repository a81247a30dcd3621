"""Random layouts and small programs for the property tests of layout analysis and distribution.

Every program reads integers (exact in any order), so reference, interpreter and emulator must agree bit for bit.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np
from hypothesis import strategies as st

THREADS = 64
SUBGROUP = 32


@dataclass(frozen=True)
class Layout:
    """The seven lists of a nested layout of 64 threads in subgroups of 32."""

    text: str
    shape: tuple[int, ...]


def _split(draw: st.DrawFn, rank: int, budget: list[int]) -> list[int]:
    """A power of two for every dimension, whose product stays within the budget."""
    sizes = []
    for _ in range(rank):
        size = draw(st.sampled_from([n for n in (1, 2, 4, 8, 16, 32) if n <= budget[0]]))
        budget[0] //= size
        sizes.append(size)
    return sizes


@st.composite
def layouts(draw: st.DrawFn, rank: int, shape: tuple[int, ...] | None = None) -> Layout:
    """A layout of the rank, of any shape or of a given one of powers of two."""
    threads, subgroups = [SUBGROUP], [THREADS // SUBGROUP]
    left = list(shape) if shape is not None else [32] * rank
    thread, subgroup = [], []
    for dim in range(rank):
        t = draw(st.sampled_from([n for n in (1, 2, 4, 8, 16, 32) if n <= min(threads[0], left[dim])]))
        threads[0] //= t
        left[dim] //= t
        s = draw(st.sampled_from([n for n in (1, 2) if n <= min(subgroups[0], left[dim])]))
        subgroups[0] //= s
        left[dim] //= s
        thread.append(t)
        subgroup.append(s)
    order = draw(st.permutations(range(rank)))
    batch, outer, element = [], [], []
    for dim in range(rank):
        rest = left[dim] if shape is not None else draw(st.sampled_from([1, 2, 4]))
        e = draw(st.sampled_from([n for n in (1, 2, 4) if rest % n == 0]))
        o = draw(st.sampled_from([n for n in (1, 2) if rest // e % n == 0]))
        element.append(e)
        outer.append(o)
        batch.append(rest // e // o)
    lists = (subgroup, batch, outer, thread, element, _strides(subgroup, order), _strides(thread, order))
    names = (
        "subgroup_tile",
        "batch_tile",
        "outer_tile",
        "thread_tile",
        "element_tile",
        "subgroup_strides",
        "thread_strides",
    )
    body = ", ".join(f"{n} = {list(v)}" for n, v in zip(names, lists, strict=True))
    extents = tuple(prod(column) for column in zip(subgroup, batch, outer, thread, element, strict=True))
    return Layout(f"#iree_vector_ext.nested_layout<{body}>", extents)


def _strides(sizes: list[int], order: list[int]) -> list[int]:
    strides, step = [0] * len(sizes), 1
    for dim in order:
        if sizes[dim] > 1:
            strides[dim] = step
            step *= sizes[dim]
    return strides


def vector(shape: tuple[int, ...], element: str = "i32") -> str:
    return f"vector<{''.join(f'{n}x' for n in shape)}{element}>"


def memref(shape: tuple[int, ...], element: str = "i32") -> str:
    return f"memref<{''.join(f'{n}x' for n in shape)}{element}>"


def kernel(arguments: str, body: str, aliases: str = "", threads: int = THREADS) -> str:
    """A kernel text with the constants that the bodies use."""
    return f"""{aliases}
gpu.func @k({arguments}) kernel attributes {{gpu.known_block_size = array<i32: {threads}, 1, 1>}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %pad = arith.constant -7 : i32
{body}
  gpu.return
}}
"""


def indices(rank: int) -> str:
    return ", ".join(["%c0"] * rank)


def numbers(shape: tuple[int, ...], seed: int = 0) -> np.ndarray:
    """Distinct enough integers: a misplaced element shows."""
    values = np.random.default_rng(seed).permutation(prod(shape)).astype(np.int32) - prod(shape) // 3
    return values.reshape(shape)
