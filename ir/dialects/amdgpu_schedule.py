"""amdgpu: what AMD's programs say to the scheduler of machine instructions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from ..attributes import DIALECT_ATTRIBUTES
from ..core import Operation
from ..define import attribute
from ..diagnostics import Location
from ..types import Attribute

if TYPE_CHECKING:
    from ..operation_parser import Parser
    from ..operation_printer import Printer

KINDS: Mapping[str, int] = {
    "none": 0,
    "non_mem_non_sideffect": 1,
    "valu": 2,
    "salu": 4,
    "mfma_wmma": 8,
    "all_vmem": 16,
    "vmem_read": 32,
    "vmem_write": 64,
    "all_ds": 128,
    "ds_read": 256,
    "ds_write": 512,
    "transcendental": 1024,
}
"""Kinds of instructions, and their bit of LLVM's mask (AMDGPU usage guide, `llvm.amdgcn.sched.barrier`)."""


@dataclass(frozen=True, slots=True)
class SchedBarrierOptAttr(Attribute):
    """`<valu|ds_read>`: kinds of instructions."""

    kinds: tuple[str, ...]

    @property
    def mask(self) -> int:
        return sum(KINDS[kind] for kind in dict.fromkeys(self.kinds))

    @classmethod
    def parse(cls, parser: Any) -> Self:
        parser.expect("<")
        found = [_kind(parser)]
        while parser.accept("|"):
            found.append(_kind(parser))
        parser.expect(">")
        return cls(tuple(found))

    def __str__(self) -> str:
        return f"#amdgpu.sched_barrier_opt<{'|'.join(self.kinds)}>"


def _kind(parser: Any) -> str:
    word = str(parser.token.text)
    if word not in KINDS:
        parser.fail(f"one of {', '.join(KINDS)}")
    parser.advance()
    return word


DIALECT_ATTRIBUTES["amdgpu.sched_barrier_opt"] = SchedBarrierOptAttr.parse


class SchedBarrierOp(Operation, opname="amdgpu.sched_barrier"):
    """No machine instruction is moved over this place but those of the kinds that `opts` allows. It changes no value,
    and is no instruction itself."""

    pure = False
    opts = attribute(SchedBarrierOptAttr)

    @classmethod
    def parse(cls, parser: Parser, location: Location) -> Operation:
        """`allow = <valu|all_vmem>`."""
        parser.expect("allow")
        parser.expect("=")
        given = SchedBarrierOptAttr.parse(parser)
        return cls((), (), {**parser.optional_attribute_dict(), "opts": given}, location=location)

    def print(self, printer: Printer) -> None:
        printer.word(f"allow = <{'|'.join(self.opts.kinds)}>")
        printer.attribute_dict(self, hidden=("opts",))
