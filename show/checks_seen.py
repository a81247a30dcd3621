"""What the launch of a check shows: where the reference stopped, and what nobody wrote, by element and whose it was."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..check.report import Check, Untouched
from ..ir.core import Operation, Value
from ..ir.dialects.memref import AllocOp
from ..ir.effects import accesses, viewed_first
from ..ir.kernels import Kernel
from ..support.diagnostics import Diagnostic, Fault, Location
from .checks_numbers import PlacedOp, sum_of
from .checks_parts import Finding, Subject
from .explain_places import line_of

SUBJECT_OF: Mapping[Fault, Subject] = {
    "bounds": "bounds",
    "race": "barriers",
    "contents": "contents",
    "meeting": "collectives",
}
_AXES = ("x", "y", "z")


def seen(launch: Check, kernel: Kernel, grid: Sequence[int]) -> Iterator[Finding]:
    """What is wrong with a launch of the program as it is in core operations."""
    if launch.diagnostic is not None:
        yield _stopped_at(launch.diagnostic, kernel)
    for buffer in launch.untouched:
        if buffer.unwritten and not buffer.by_data:
            yield _left_out(buffer, kernel, grid)


def _stopped_at(found: Diagnostic, kernel: Kernel) -> Finding:
    about = found.about
    subject: Subject = "bounds" if about is None else SUBJECT_OF[about.fault]
    made = 0 if about is None else _line_of_memory(kernel, about.memory)
    if subject == "barriers" and about is not None and about.memory in map(_name, kernel.arguments):
        subject = "writes apart"  # no barrier of a workgroup orders what all can reach
    line = _line(found.location)
    others = [_line(at) for _, at in found.notes if at is not None]
    return Finding(subject, "WRONG", found.message, line, next(iter(others), line), "seen", made)


def _line(location: Location | None) -> int:
    return 0 if location is None else location.source.position(location.offset)[0]


def _name(value: Value) -> str:
    return f"%{value.hint}"


def _line_of_memory(kernel: Kernel, name: str) -> int:
    """The line that makes a memory, of an argument the kernel's; 0 where none is called so."""
    if name in map(_name, kernel.arguments):
        return line_of(kernel.op)
    allocated = (op for op in kernel.op.all_of(AllocOp) if name.startswith(f"{_name(op.memref)} ("))
    return next(map(line_of, allocated), 0)


# What nobody wrote


def _left_out(buffer: Untouched, kernel: Kernel, grid: Sequence[int]) -> Finding:
    element = f"element [{', '.join(map(str, buffer.first_unwritten))}] of '{buffer.buffer}'"
    rest = f", one of {buffer.unwritten} of {buffer.elements}" if buffer.unwritten > 1 else ""
    argument = next(value for value in kernel.arguments if value.hint == buffer.buffer)
    writes = [
        access.operation
        for op in kernel.op.walk()
        for access in accesses(op)
        if access.writes and viewed_first(access.memref) is argument
    ]
    whose = next((words for op in writes if (words := _whose(op, argument, buffer.first_unwritten, grid))), "")
    line = next((line_of(op) for op in writes), 0)
    if not whose:
        whose = f": line {line} writes there, in no workgroup" if line else ": nothing writes there"
    message = f"{element}{rest}, is written by nobody{whose}"
    return Finding("coverage", "WRONG", message, line, line, "seen", line_of(kernel.op))


def _whose(op: Operation, argument: Value, element: Sequence[int], grid: Sequence[int]) -> str:
    """Which workgroup's tile an element is in, where tiles go along axes of the grid by numbers that are known."""
    if not isinstance(op, PlacedOp) or op.memref is not argument:
        return ""
    found: list[str] = []
    for dim, index in enumerate(op.indices):
        for axis, by in sum_of(index).axes.items():
            number, there = element[dim] // by if by > 0 else 0, grid[_AXES.index(axis)]
            if by > 0 and number >= there:
                found.append(f"workgroup {number} along {axis} would, the grid has {there}")
    return f": {'; '.join(found)}" if found else ""
