"""Whether what workgroups write covers an output without gaps and without meeting: from how their tiles follow on each
other."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from ..ir.core import Operation, Value
from ..ir.dialects.vector_transfer import TransferOp
from ..ir.effects import Access, accesses, viewed_first
from ..support.named_tuples import NamedTuple
from .checks_numbers import PlacedOp, Sum, Symbol, is_always_reached, numbers, sum_of
from .checks_parts import Finding
from .explain_places import line_of


class Tile(NamedTuple):
    """One write along one dimension of its buffer: where it begins, and how many elements it has there."""

    op: PlacedOp
    start: Sum
    extent: int


class Judged(NamedTuple):
    """What is known of an output's writes: findings, why there is more that nobody knows, and how tiles follow."""

    findings: Sequence[Finding]
    unknown: Sequence[str]
    words: Sequence[str]


def touched_in(function: Operation, arguments: Sequence[Value]) -> Mapping[Value, list[Access]]:
    """The accesses of each argument that is written, through views of it, too, in program order."""
    found: dict[Value, list[Access]] = {}
    for op in function.walk():
        for access in accesses(op):
            if (access.reads or access.writes) and (root := viewed_first(access.memref)) in arguments:
                found.setdefault(root, []).append(access)
    return {buffer: touched for buffer, touched in found.items() if any(a.writes for a in touched)}


def judge(buffer: Value, touched: Sequence[Access], axes: Collection[str]) -> Judged:
    """What holds of one output's writes in every launch; `axes` are those of the grid that the program asks for."""
    name = f"%{buffer.hint}" if buffer.hint else "the output"
    writes = [access.operation for access in touched]
    for access in touched:
        how = "reads it" if not access.writes else "updates it" if access.reads else ""
        how = how or ("" if access.memref is buffer else "writes a view of it")
        if how:
            return Judged((), [f"{name}: line {line_of(access.operation)} {how}"], ())
    tiled = [op for op in writes if isinstance(op, PlacedOp) and _mask(op) is None]
    if len(tiled) < len(writes):
        line = next(line_of(op) for op in writes if op not in tiled)
        return Judged((), [f"{name}: line {line} writes under a mask, single elements, or by other means"], ())
    dims = [[_tile(op, dim) for op in tiled] for dim in range(tiled[0].memref_type.rank)]
    if why := _why_unknown(dims, axes):
        return Judged((), [f"{name}: {why}"], ())
    findings = [finding for dim, tiles in enumerate(dims) for finding in _along(name, dim, tiles)]
    words = [f"{name} by {', '.join(f'{t[0].extent}' for t in dims) or 'one element'}"]
    return Judged(findings, (), words)


def _mask(op: PlacedOp) -> Value | None:
    return op.mask if isinstance(op, TransferOp) else op.mask_or_none


def _why_unknown(dims: Sequence[Sequence[Tile]], axes: Collection[str]) -> str:
    """Why dimensions cannot be judged each for itself; empty where they can."""
    used = [axis for tiles in dims for axis in tiles[0].start.axes]
    several = [dim for dim, tiles in enumerate(dims) if len(set(map(_shape, tiles))) > 1 or tiles[0].start.others]
    for dim, tiles in enumerate(dims):
        if len({tuple(t.start.axes.items()) for t in tiles}) > 1 or len(tiles[0].start.axes) > 1:
            return f"writes go along dimension {dim} in different ways"
        if any(numbers(t.start.without_axes) is None for t in tiles) or not all(is_always_reached(t.op) for t in tiles):
            return f"where {_lines(tiles)} along dimension {dim} depends on the launch"
        if any(by < 0 for by in tiles[0].start.axes.values()):
            return f"workgroups go backwards along dimension {dim}"
        if not tiles[0].start.axes and tiles[0].op.memref_type.shape[dim] is None:
            return f"no axis of the grid goes along dimension {dim}, whose extent the launch decides"
    if len(used) > len(set(used)) or len(several) > 1:
        return "writes go along several dimensions at once"
    rest = sorted(set(axes) - set(used))
    return f"workgroups along {', '.join(rest)} write the same places" if rest else ""


def _shape(tile: Tile) -> tuple[int, tuple[tuple[Symbol, int], ...], int]:
    return tile.start.constant, tuple(tile.start.factors.items()), tile.extent


def _tile(op: PlacedOp, dim: int) -> Tile:
    dims = op.map.result_dims() or ()
    extent = next((n for n, m in zip(op.shape, dims, strict=True) if m == dim), 1)
    return Tile(op, sum_of(op.indices[dim]), extent)


def _along(name: str, dim: int, tiles: Sequence[Tile]) -> Iterator[Finding]:
    starts = [numbers(t.start.without_axes) or [] for t in tiles]
    for axis, by in tiles[0].start.axes.items():
        yield from _meeting(name, dim, axis, by, tiles, starts)
        yield from _gaps(name, dim, axis, by, tiles, starts)
        return
    yield from _without_axis(name, dim, tiles, starts)


def _meeting(
    name: str, dim: int, axis: str, by: int, tiles: Sequence[Tile], starts: Sequence[list[int]]
) -> Iterator[Finding]:
    """Elements that the next workgroup writes, too."""
    first: dict[int, Tile] = {}
    for tile, found in zip(tiles, starts, strict=True):
        for start in found:
            first.update(dict.fromkeys(range(start, start + tile.extent), tile))
    for place, tile in sorted(first.items()):
        other = first.get(place + by)
        if other is not None:
            message = (
                f"element {place + by} along dimension {dim} of {name} is written by workgroups 0 and 1 along {axis}"
            )
            how = f"{axis} goes {by} elements further each, tiles have {tile.extent}"
            yield Finding("writes apart", "WRONG", f"{message}: {how}", line_of(other.op), line_of(tile.op), "proven")
            return


def _gaps(
    name: str, dim: int, axis: str, by: int, tiles: Sequence[Tile], starts: Sequence[list[int]]
) -> Iterator[Finding]:
    """Elements that no workgroup writes: each writes what the one before it does, `by` elements further."""
    own = {start + n for tile, found in zip(tiles, starts, strict=True) for start in found for n in range(tile.extent)}
    first = {place % by: place for place in sorted(own, reverse=True)}
    missing = next((place for place in range(by) if first.get(place, by) > place), None)
    if missing is not None:
        message = f"element {missing} along dimension {dim} of {name} is written by no workgroup"
        how = f"{axis} goes {by} elements further each, and writes {len(own)}"
        yield Finding("coverage", "WRONG", f"{message}: {how}", line_of(tiles[0].op), line_of(tiles[-1].op), "proven")


def _without_axis(name: str, dim: int, tiles: Sequence[Tile], starts: Sequence[list[int]]) -> Iterator[Finding]:
    """All workgroups write the same places: those have to be all of a known extent."""
    size = tiles[0].op.memref_type.shape[dim]
    assert size is not None
    covered = {s + n for t, found in zip(tiles, starts, strict=True) for s in found for n in range(t.extent)}
    missing = [place for place in range(size) if place not in covered]
    if missing:
        message = f"element {missing[0]} along dimension {dim} of {name} is written by nobody: {size} are there"
        yield Finding("coverage", "WRONG", message, line_of(tiles[0].op), line_of(tiles[-1].op), "proven")


def _lines(tiles: Sequence[Tile]) -> str:
    lines = sorted({line_of(t.op) for t in tiles})
    return f"line {lines[0]} writes" if len(lines) == 1 else f"lines {', '.join(map(str, lines))} write"
