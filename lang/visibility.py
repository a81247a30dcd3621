"""Values that are used where the program does not have them, said with the user's names.

A loop carries what its body binds by name; what gets out another way (a `nonlocal` name, the loop's own variable behind
it, `:=` in a condition) is a value of the body that something else uses. The verifier finds it; here stands why.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..ir.core import Block, Operation, Value
from ..support.diagnostics import Diagnostic
from .trace import Note, TraceError

_PROGRAMS: Mapping[str, str] = {
    "lanewise.split": "a part of the workgroup",
    "lanewise.threads": "the program of a thread",
}


def explained(body: Block) -> TraceError | None:
    """What is to be said of the first value that is used where it is not; None where there is none."""
    for op in _all(body):
        for value in op.operands:
            if not _is_visible(value, op):
                return TraceError([_words(value, op)])
    return None


def _all(block: Block) -> Iterator[Operation]:
    for op in block.operations:
        yield from op.walk()


def _blocks_around(op: Operation | None) -> Iterator[Block]:
    while op is not None and op.parent is not None:
        yield op.parent
        op = op.enclosing()


def _is_visible(value: Value, op: Operation) -> bool:
    return any(block is value.block for block in _blocks_around(op))


def _words(value: Value, op: Operation) -> Diagnostic:
    name = f"'{value.hint}'" if value.hint else "a value"
    made = None if value.operation is None else value.operation.location
    region = None if value.block is None else value.block.parent
    around = None if region is None else region.parent
    if around is None:
        return Diagnostic(
            f"{name} is made in the condition of a `while`, which is written twice",
            made,
            hint="give it its value in the body, and one before the loop",
        )
    if around.opname in _PROGRAMS:
        what = _PROGRAMS[around.opname]
        ends: list[Note] = [] if made is None else [(f"{name} is made here", made)]
        hint = "write it to memory there, and read it here: the values of a program within the program end with it"
        return Diagnostic(f"{name} is made in {what}, and used outside of it", op.location, tuple(ends), hint)
    what = "branch" if around.opname == "scf.if" else "loop"
    notes = [(f"the {what} is here", around.location)]
    if made is not None:
        notes.append((f"{name} is made here", made))
    return Diagnostic(
        f"{name} is made in a {what} of the device, and used outside of it",
        op.location,
        tuple(notes),
        f"what is to go on behind it is a name that the function with the {what} binds in it,"
        f" and that has a value before the {what}",
    )
