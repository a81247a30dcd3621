"""What somebody may have meant by a name that does not exist: names that are alike in letters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .core import REGISTRY
from .dialects import load_all

ALIKE, ALIKE_ELSEWHERE = 0.6, 0.8
"""How much of both names must agree, in difflib's measure; the second number is for names of another dialect."""
AS_GOOD = 0.1
"""How much less than the best another name may agree to be named with it."""


def alike(word: str, names: Iterable[str], count: int = 3) -> list[str]:
    """Up to `count` of `names` that `word` may be a slip of, the most alike first.

    Of a dotted name the last part is compared, which says what is meant; names of the same dialect go before others.
    """
    dialect, _, last = word.rpartition(".")
    scored: dict[bool, list[tuple[float, str]]] = {True: [], False: []}
    for name in names:
        home, _, bare = name.rpartition(".")
        least = ALIKE if home == dialect else ALIKE_ELSEWHERE
        likeness = _likeness(last, bare, least)
        if likeness >= least:
            scored[home == dialect].append((-likeness, name))
    near = sorted(scored[True] or scored[False])
    return [name for score, name in near if score <= near[0][0] + AS_GOOD][:count]


def did_you_mean(word: str, names: Iterable[str], otherwise: str = "") -> str:
    """The hint itself, or `otherwise` where nothing is alike."""
    close = alike(word, names)
    return f"did you mean {' or '.join(close)}?" if close else otherwise


_BITS: Mapping[str, tuple[str, str]] = {
    "inf": ("0x7F800000 : f32, 0x7C00 : f16", "0xFF800000 : f32, 0xFC00 : f16"),
    "nan": ("0x7FC00000 : f32, 0x7E00 : f16", "0xFFC00000 : f32, 0xFE00 : f16"),
}


def not_finite(word: str, negative: bool = False) -> str:
    """How to write what is called `inf` or `nan` elsewhere; empty for other words."""
    name = {"infinity": "inf", "Infinity": "inf"}.get(word, word.lower())
    return f"{word} is written as its bits, such as {_BITS[name][negative]}" if name in _BITS else ""


_LINALG = "lanewise begins where linalg ends: tile and vectorize first (upstream's transform.structured.vectorize)"


_ADDRESS = "functions have no address in a kernel: call them by name, func.call @name(...)"
_FRAGMENT = (
    "which element a thread holds is the chip's affair: compute with gpu.subgroup_mma_elementwise, or with vectors that"
    " iree_vector_ext.to_layout lays out"
)
_WHY_NOT: Mapping[str, str] = {
    "linalg.": _LINALG,
    "flow.": "flow is of the host: a kernel is the func.func of a dispatch",
    "stream.": "stream is of the host: a kernel is the func.func of a dispatch",
    "complex.": "there are no complex numbers: compute with real and imaginary parts",
    "func.constant": _ADDRESS,
    "func.call_indirect": _ADDRESS,
    "call_indirect": _ADDRESS,
    "gpu.subgroup_mma_extract_thread_local": _FRAGMENT,
    "gpu.subgroup_mma_insert_thread_local": _FRAGMENT,
    "gpu.initialize_named_barrier": "parts of lanewise.split meet at gpu.barrier, each at its own",
    "gpu.warp_execute_on_lane_0": 'a subgroup has vectors in a program with lanewise.scope = "subgroup"',
    "builtin.unrealized_conversion_cast": "types are converted by operations that say how, such as memref.cast",
    "unrealized_conversion_cast": "types are converted by operations that say how, such as memref.cast",
}
"""Operations of upstream's that lanewise does not have, or whole dialects, and what to write instead."""


def operation_hint(name: str) -> str:
    """What to try instead of an operation that does not exist."""
    dialect, dot, _ = name.partition(".")
    if why := _WHY_NOT.get(name) or _WHY_NOT.get(dialect + dot):
        return why
    load_all()
    return did_you_mean(name, REGISTRY, otherwise="`lanewise ops` lists the operations")


def _likeness(a: str, b: str, least: float) -> float:
    """The measure itself only where its cheap upper bounds leave it open."""
    from difflib import SequenceMatcher  # only who is wrong needs it

    matcher = SequenceMatcher(None, a, b, autojunk=False)
    return matcher.ratio() if matcher.real_quick_ratio() >= least and matcher.quick_ratio() >= least else 0.0
