"""Finding a chip by the name of its architecture, of a product, or by its compute capability."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from ..support.named_tuples import NamedTuple
from .amd import AMD_CHIPS
from .chip import Chip, UnknownTargetError, compute_capability
from .nvidia import NVIDIA_CHIPS

CHIPS: Mapping[str, Chip] = MappingProxyType({chip.name: chip for chip in (*NVIDIA_CHIPS, *AMD_CHIPS)})


class Product(NamedTuple):
    """A card one can buy: its architecture, and how many workgroup processors (SMs, compute units) it has.

    On RDNA cards a workgroup processor is a pair of compute units, as in `#iree_gpu.target_chip`.
    """

    name: str
    architecture: str
    wgp_count: int

    @property
    def chip(self) -> Chip:
        return CHIPS[self.architecture]


PRODUCTS: Mapping[str, Product] = MappingProxyType(
    {
        product.name: product
        for product in (
            Product("t4", "sm_75", 40),
            Product("a100", "sm_80", 108),
            Product("rtxa6000", "sm_86", 84),
            Product("l40s", "sm_89", 142),
            Product("rtx4090", "sm_89", 128),
            Product("h100", "sm_90a", 132),
            Product("h200", "sm_90a", 132),
            Product("b200", "sm_100a", 148),
            Product("rtx5090", "sm_120a", 170),
            Product("mi100", "gfx908", 120),
            Product("mi210", "gfx90a", 104),
            Product("mi250", "gfx90a", 208),
            Product("mi250x", "gfx90a", 220),
            Product("mi300a", "gfx942", 228),
            Product("mi300x", "gfx942", 304),
            Product("mi325x", "gfx942", 304),
            Product("mi350x", "gfx950", 256),
            Product("mi355x", "gfx950", 256),
            Product("rx7900xtx", "gfx1100", 48),
            Product("rx9070xt", "gfx1201", 32),
        )
    }
)


def find_chip(name: str) -> Chip:
    """The chip called `name`: an architecture (`sm_90`, `gfx942`) or a product (`h100`), in any case.

    Raises UnknownTargetError, naming the nearest known names, for anything else.
    """
    if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers outside may have no types
        raise UnknownTargetError(f"a target is a name such as sm_90, found {name!r}")
    key = name.lower()
    if key in PRODUCTS:
        return PRODUCTS[key].chip
    if key not in CHIPS:
        known = f"{_span(NVIDIA_CHIPS)} (NVIDIA), {_span(AMD_CHIPS)} (AMD), and {len(PRODUCTS)} products"
        raise unknown("target", name, [*CHIPS, *PRODUCTS], f"{known}; `lanewise targets` lists them")
    return CHIPS[key]


@functools.cache
def chip_of_compute_capability(major: int, minor: int) -> Chip:
    """The chip that an NVIDIA device of this compute capability is, with its architecture-specific features.

    A device newer than every entry is described by the newest plain architecture whose PTX runs on it; one older than
    all of them raises UnknownTargetError.
    """
    wanted = major * 10 + minor
    exact = [chip for chip in NVIDIA_CHIPS if compute_capability(chip.name) == wanted]
    if exact:
        return exact[-1]
    older = [c for c in NVIDIA_CHIPS if compute_capability(c.name) < wanted and not c.is_architecture_specific]
    if not older:
        raise UnknownTargetError(
            f"compute capability {major}.{minor} is older than {NVIDIA_CHIPS[0].name}, the oldest one supported"
        )
    return older[-1]


def _span(chips: Sequence[Chip]) -> str:
    return f"{len(chips)} from {chips[0].name} to {chips[-1].name}"


def unknown(kind: str, name: str, known: Iterable[str], words: str = "") -> UnknownTargetError:
    """The error for a `name` that is not among the `known` ones, which `words` describe where they are many."""
    names = list(known)
    import difflib  # only who is wrong needs it

    near = difflib.get_close_matches(name.lower(), [k.lower() for k in names], n=3, cutoff=0.5)
    guess = sorted((k for k in names if k.lower() in near), key=lambda k: near.index(k.lower()))
    hint = f" (did you mean {' or '.join(guess)}?)" if guess else ""
    return UnknownTargetError(f"unknown {kind} {name!r}{hint}; known: {words or ', '.join(names)}")
