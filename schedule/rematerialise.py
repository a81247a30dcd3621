"""What a rewritten operation takes is made anew, part by part, from the reads on."""

from __future__ import annotations

from collections.abc import Sequence

from ..analysis.buffers import Buffers
from ..ir.core import Builder, Operation, Value
from ..ir.dialects.iree_gpu_config import LOWERING_CONFIG
from ..ir.dialects.vector import TransferReadOp
from ..ir.effects import accesses
from ..ir.entry_place import entry_place
from ..support.diagnostics import CompileError, Diagnostic
from .value_tiles import Parts, part_of


class Remaking:
    """The remaking of one operation, whose `lowering_config` has `sizes` by name."""

    sizes: Sequence[str] = ()

    def __init__(self, op: Operation, buffers: Buffers) -> None:
        self.op, self.buffers = op, buffers
        self._made: dict[tuple[object, ...], Value] = {}
        """Parts by value, block and place: what is used twice is made once."""

    def refuse(self, message: str, at: Operation | None = None, hint: str = "") -> CompileError:
        notes = () if at is None else ((f"'{at.written.opname}'", at.location),)
        entry = next((name for name in self.sizes if message.startswith(name)), LOWERING_CONFIG)
        where = entry_place(self.op, rf"{entry}\s*=")
        return CompileError([Diagnostic(f"{self.op.title} lowering_config: {message}", where, notes, hint)])

    def tile(self, build: Builder, value: Value, parts: Parts) -> Value:
        """The part of a vector, made anew."""
        if not parts:
            return value
        key = value, build.block, *sorted((axis, id(part.start), part.size) for axis, part in parts.items())
        if key not in self._made:
            self._made[key] = self.part(build, value, parts)
        return self._made[key]

    def part(self, build: Builder, value: Value, parts: Parts) -> Value:
        made = part_of(self.tile, build, value, parts)
        if made is None:
            hint = "tiles are taken of reads, splats, broadcasts, transposes and elementwise operations of such"
            raise self.refuse("takes a value of which no tile can be made", value.operation, hint)
        return made

    def check_waits(self, values: Sequence[Value], until: Operation) -> None:
        """What the values are read from is the same at `until`."""
        pending, seen = list(values), set[Value]()
        while pending:
            value = pending.pop()
            op = value.operation
            if op is None or value in seen:
                continue
            seen.add(value)
            pending += op.operands
            if isinstance(op, TransferReadOp):
                self._check_unchanged(op, until)

    def _check_unchanged(self, read: TransferReadOp, until: Operation) -> None:
        block, sources = until.parent, set(self.buffers.of(read.memref))
        if block is None or read.parent is not block:
            raise self.refuse("takes what is read outside of the block that it stands in", read)
        for op in block.operations[block.position(read) : block.position(until)]:
            for inner in op.walk():
                if any(a.writes and not sources.isdisjoint(self.buffers.of(a.memref)) for a in accesses(inner)):
                    raise self.refuse("reads memory that is written before its tiles would be read", inner)
