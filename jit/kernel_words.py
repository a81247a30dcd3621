"""What a kernel shows of itself in a terminal and in a notebook: rows of a name and words. Nothing is compiled."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import prod
from typing import TYPE_CHECKING, TypeAlias

from ..codegen.assemble import Resources
from .occupancy import AnyOccupancy
from .signature import BufferParameter, SignatureParameter

if TYPE_CHECKING:
    from ..codegen.link import KernelInfo
    from .kernel_variant import KernelVariant
    from .variants import Interface

Row: TypeAlias = "tuple[str, str]"


def rows_of(kernel: Interface, variants: Iterable[KernelVariant] = ()) -> list[Row]:
    """Arguments, workgroup, and of the variants that are compiled what is known of their code."""
    return [
        ("kernel", f"{kernel.name} for {kernel.target.name}"),
        *((parameter.name, _argument(parameter)) for parameter in kernel.arguments),
        ("workgroup", f"{prod(kernel.block_size)} threads ({'x'.join(map(str, kernel.block_size))})"),
        *_of_variants(variants),
    ]


def _argument(parameter: SignatureParameter) -> str:
    if not isinstance(parameter, BufferParameter):
        return str(parameter)
    done = [word for word, does in (("read", parameter.read), ("written", parameter.written)) if does]
    return f"{parameter}, {' and '.join(done) or 'not used'}"


def _of_variants(variants: Iterable[KernelVariant]) -> Iterator[Row]:
    known = [(variant, found) for variant in variants if (found := variant.known_resources) is not None]
    if not known:
        yield "code", "resources are not known yet: kernel.resources compiles"
    for variant, found in known:
        yield "code", f"{variant.words}: {used(found, variant.artifacts.dynamic_shared_bytes)}"
        if (occupancy := variant.occupancy) is not None:
            yield "bound", _bound(occupancy)


def used(resources: Resources | KernelInfo, dynamic_shared_bytes: int) -> str:
    """Registers, spills and shared memory, that which launches ask for and all other, in words."""
    if isinstance(resources, Resources):
        spills = resources.spill_store_bytes + resources.spill_load_bytes
        spilled = f"{spills} bytes of spills" if spills else "no spills"
        shared = resources.static_shared_bytes + dynamic_shared_bytes
        return f"{resources.registers} registers, {spilled}, {shared} bytes of shared memory"
    spills = resources.vgpr_spills + resources.sgpr_spills
    spilled = f"{spills} registers spilled" if spills else "no spills"
    agpr = f" and {resources.agpr} AGPRs" if resources.agpr else ""
    shared = resources.group_segment_bytes + dynamic_shared_bytes
    return f"{resources.vgpr} VGPRs{agpr}, {resources.sgpr} SGPRs, {spilled}, {shared} bytes of LDS"


def _bound(occupancy: AnyOccupancy) -> str:
    limits = f", limited by {' and '.join(occupancy.limits)}" if occupancy.limits else ""
    return f"at most {occupancy.count} of {occupancy.most} {occupancy.unit}{limits}"


def text_of_rows(rows: Sequence[Row]) -> str:
    """In aligned lines."""
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{name:<{width}}  {words}" for name, words in rows)


def html_of_rows(rows: Sequence[Row]) -> str:
    """As a table."""
    from ..support.svg import escaped

    cells = "".join(
        f'<tr><th style="text-align:left">{escaped(name)}</th><td style="text-align:left">{escaped(words)}</td></tr>'
        for name, words in rows
    )
    return f"<table>{cells}</table>"
