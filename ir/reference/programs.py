"""Programs of parts of the workgroup in the reference: one after the other, since nothing may order them but their end.

What parts do to each other's memory is not looked at here: the compiler refuses it, the other executors report it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from ..core import Operation
from ..dialects import gpu
from ..dialects.lanewise import SplitOp, ThreadsOp
from ..numerics import Array
from ..parts import Part, part_around, parts_of
from .errors import failure
from .program import CONTROL, OWNER, Code, Compiler, Frame, Owner, Waiting, index_value

Control = tuple[Callable[[Frame], Any], bool]
Ids = Mapping[tuple[type[Operation], int], Array]


@CONTROL.of(SplitOp)
def _split(op: SplitOp, compiler: Compiler) -> Control:
    programs = [(part, compiler.block(region.block)) for part, region in zip(parts_of(op), op.regions, strict=True)]

    def owners(frame: Frame) -> Iterator[Code]:
        """The programs in turn, while the frame is their owner's."""
        around: Owner = frame[OWNER]
        _check_whole(op, around.ids)
        for part, code in programs:
            number: Ids = {(gpu.SubgroupIdOp, 0): index_value(part.first)} if part.count == 1 else {}
            frame[OWNER] = replace(around, ids={**around.ids, **number})
            yield code
        frame[OWNER] = around

    def plain(frame: Frame) -> None:
        for code in owners(frame):
            code.run(frame)

    def waiting(frame: Frame) -> Waiting:
        for code in owners(frame):
            yield from code.run_waiting(frame)

    return (waiting, True) if any(code.waits for _, code in programs) else (plain, False)


def _check_whole(op: SplitOp, ids: Ids) -> None:
    there = ids.get((gpu.NumSubgroupsOp, 0))
    if part_around(op) is None and there is not None and sum(op.subgroups) != int(there):
        raise failure(op, f"has parts of {sum(op.subgroups)} subgroups, the workgroup has {int(there)}")


@CONTROL.of(ThreadsOp)
def _threads(op: ThreadsOp, compiler: Compiler) -> Control:
    code, part = compiler.block(op.body), part_around(op)
    if code.waits:
        raise failure(op, "holds what waits for other threads")

    def step(frame: Frame) -> None:
        around: Owner = frame[OWNER]
        for number in _numbers(op, part, around.ids):
            frame[OWNER] = replace(around, ids={**around.ids, **_thread(number, around.ids)}, runs=dict(around.runs))
            code.run(frame)
        frame[OWNER] = around

    return step, False


def _numbers(op: ThreadsOp, part: Part | None, ids: Ids) -> range:
    """The threads of the owner, by their numbers in the workgroup."""
    x, y, z = (int(ids[gpu.BlockDimOp, axis]) for axis in range(3))
    own = ids.get((gpu.SubgroupIdOp, 0))
    if part is None and own is not None:  # of a subgroup's kernel
        part = Part(int(own), 1)
    if part is None:
        return range(x * y * z)
    if (gpu.SubgroupSizeOp, 0) not in ids:
        raise failure(op, "is in a part of the workgroup, and needs a subgroup size")
    size = int(ids[gpu.SubgroupSizeOp, 0])
    return range(part.first * size, (part.first + part.count) * size)


def _thread(number: int, ids: Ids) -> Ids:
    x, y, _ = (int(ids[gpu.BlockDimOp, axis]) for axis in range(3))
    place = number % x, number // x % y, number // (x * y)
    found: dict[tuple[type[Operation], int], Array]
    found = {(gpu.ThreadIdOp, axis): index_value(n) for axis, n in enumerate(place)}
    if (gpu.SubgroupSizeOp, 0) in ids:
        size = int(ids[gpu.SubgroupSizeOp, 0])
        found |= {(gpu.SubgroupIdOp, 0): index_value(number // size), (gpu.LaneIdOp, 0): index_value(number % size)}
    return found
