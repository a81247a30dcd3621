"""amdgpu: what AMD's programs say to the scheduler of machine instructions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

from ...support.dataclasses import dataclass
from ...support.diagnostics import Location
from ..attributes import DIALECT_ATTRIBUTES
from ..core import Operation
from ..define import attribute
from ..types import Attribute

if TYPE_CHECKING:
    from ..operation_parser import Parser
    from ..operation_printer import Printer

KINDS: Mapping[str, int] = {
    "none": 0,
    "non_mem_non_sideeffect": 1,
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
    "ldsdma": 2048,
    "all": 4095,
}
"""Kinds of instructions, and their bits of LLVM's mask (AMDGPU usage guide, `llvm.amdgcn.sched.barrier`)."""
_FORMER_KINDS: Mapping[str, str] = {"non_mem_non_sideffect": "non_mem_non_sideeffect"}


@dataclass(frozen=True, slots=True)
class SchedBarrierOptAttr(Attribute):
    """`<valu|ds_read>`: kinds of instructions."""

    mask: int

    @property
    def words(self) -> str:
        """Those of all bits for themselves, in the order of the bits."""
        if self.mask in KINDS.values():
            return next(kind for kind, bits in KINDS.items() if bits == self.mask)
        return "|".join(kind for kind, bits in KINDS.items() if bits & self.mask == bits != 0)

    @classmethod
    def parse(cls, parser: Any) -> Self:
        """In brackets, as texts have it that are older than upstream's spelling of today, or not."""
        bracket = parser.accept("<")
        mask = _kind(parser)
        while parser.accept("|"):
            mask |= _kind(parser)
        if bracket:
            parser.expect(">")
        return cls(mask)

    def __str__(self) -> str:
        return f"#rocdl.sched_group_mask<{self.words}>"


def _kind(parser: Any) -> int:
    word = str(parser.token.text)
    kind = _FORMER_KINDS.get(word, word)
    if kind not in KINDS:
        parser.fail(f"one of {', '.join(KINDS)}")
    parser.advance()
    return KINDS[kind]


for _name in ("rocdl.sched_group_mask", "amdgpu.sched_barrier_opt"):
    DIALECT_ATTRIBUTES[_name] = SchedBarrierOptAttr.parse


class SchedBarrierOp(Operation, opname="amdgpu.sched_barrier"):
    """No machine instruction is moved over this place but those of the kinds that `opts` allows. It changes no value,
    and is no instruction itself."""

    pure = False
    opts = attribute(SchedBarrierOptAttr)

    @classmethod
    def parse(cls, parser: Parser, location: Location) -> Operation:
        """`allow = valu|all_vmem`."""
        parser.expect("allow")
        parser.expect("=")
        given = SchedBarrierOptAttr.parse(parser)
        return cls((), (), {**parser.optional_attribute_dict(["opts"]), "opts": given}, location=location)

    def print(self, printer: Printer) -> None:
        printer.word(f"allow = {self.opts.words}")
        printer.attribute_dict(self, hidden=("opts",))
