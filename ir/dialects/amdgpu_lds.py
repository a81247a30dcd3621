"""amdgpu: copies from global to workgroup memory (LDS) that no register sees.

An asynchronous copy takes place at some time between where it stands and a wait of its thread that covers it: what it
writes is there after that wait, for other threads after a barrier that follows it. Until then nobody reads or writes
what it writes, or writes what it reads. Those of gfx1250 all are; gfx9's are with `async`: one without is done where it
stands, as a load and a store are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from ...support.diagnostics import Report
from ..assembly_elements import Directive, State
from ..attributes import TypeAttr, UnitAttr, number_of
from ..core import Operation
from ..define import (
    attribute,
    is_i1,
    is_index,
    is_memref,
    operand,
    operands,
    optional_attribute,
    optional_int_attribute,
    optional_operand,
)
from ..memory_spaces import is_fat_buffer
from ..traits import ASYNC_COUNTER, LANDS, LOAD_COUNTER, READS, TENSOR_COUNTER, Completion
from ..types import I32, VectorType, element_count, memory_bits
from .memref import AllocOp
from .nvgpu_async import check_places

if TYPE_CHECKING:
    from ..operation_parser import Parser
    from ..operation_printer import Printer

GATHER_BYTES = (1, 2, 4, 12, 16)
"""What one instruction copies for a lane; 12 and 16 on gfx950 alone (LLVM, `llvm.amdgcn.global.load.lds`)."""
ASYNC_BYTES = (1, 4, 8, 16)
"""What one instruction of gfx1250 copies for a lane (LLVM, `llvm.amdgcn.global.load.async.to.lds.b8` to `b128`)."""


class CopyToLDSOp(Operation):
    """What copies of each lane from global memory to LDS have in common."""

    pure = False
    belongs_to = "thread"
    src = operand(is_memref, READS)
    srcIndices = operands(is_index)
    dst = operand(is_memref, LANDS)
    dstIndices = operands(is_index)
    transferType = attribute(TypeAttr)
    sizes: ClassVar[tuple[int, ...]]
    """Bytes that one copies."""

    @property
    def count(self) -> int:
        """Elements of a lane."""
        return element_count(self.transferType.type)

    @property
    def bytes(self) -> int:
        """The bytes of a lane."""
        return self.count * memory_bits(self.dst.type.element) // 8

    def verify(self, report: Report) -> None:
        check_places(self, self.src.type, len(self.srcIndices), self.dst.type, len(self.dstIndices), report)
        type, element = self.transferType.type, self.dst.type.element
        if element != type and not (isinstance(type, VectorType) and type.rank == 1 and type.element == element):
            self.error(report, f"transfers {element} or a vector of them, found {type}")
        elif self.bytes not in self.sizes or self.count * memory_bits(element) % 8:
            bits = self.count * memory_bits(element)
            self.error(report, f"copies {', '.join(map(str, self.sizes))} bytes, {type} has {bits / 8:g}")


class GlobalLoadAsyncToLDSOp(CopyToLDSOp, opname="amdgpu.global_load_async_to_lds"):
    """`%src[%i], %dst[%j], %mask : vector<4xf32>, type, type`: each lane copies neighbours from its own place to its
    own place, asynchronously. Where the mask does not hold nothing is written; what is named in global memory is read
    all the same, and has to be there. `rocdl.s.wait.asynccnt` waits for it."""

    begins = ASYNC_COUNTER
    mask = optional_operand(is_i1)
    sizes = ASYNC_BYTES
    assembly = (
        "$src `` `[` $srcIndices `]` `,` $dst `` `[` $dstIndices `]` (`,` $mask^)? attr-dict"
        " `:` $transferType `,` type($src) `,` type($dst)"
    )

    def verify(self, report: Report) -> None:
        super().verify(report)
        if is_fat_buffer(self.src.type.memory_space):
            self.error(report, f"copies from global memory, which has no resource, found {self.src.type}")


class GatherToLDSOp(CopyToLDSOp, opname="amdgpu.gather_to_lds"):
    """`async %src[%i], %dst[%j] : vector<8xf16>, type, type`: each lane copies neighbours from its own place in global
    memory to workgroup memory, lane l to l times as many bytes behind the place of `dst`, which is the same in all
    lanes. Without `async` nobody has to wait for it.

    There the bytes lie one after another, whatever order the allocation says that its elements have: indices of `dst`
    count them as they lie (row by row). Where rows have gaps, what lanes write stays in its row."""

    collective = "subgroup"
    begins = LOAD_COUNTER
    async_ = optional_attribute(UnitAttr)
    sizes = GATHER_BYTES
    assembly = (
        "(`async` $async^)? $src `` `[` $srcIndices `]` `,` $dst `` `[` $dstIndices `]` attr-dict `:`"
        " $transferType `,` type($src, $dst)"
    )

    def verify(self, report: Report) -> None:
        from ..element_orders import order_behind

        super().verify(report)
        if None in self.dst.type.strides_and_offset()[0]:
            self.error(report, f"copies to a buffer of known strides, found {self.dst.type}")
        elif not isinstance(self.dst.operation, AllocOp) and order_behind(self.dst) is not None:
            self.error(report, "copies to a view of a buffer whose elements have an order of their own")


class Refused(Directive):
    """Counters that upstream's operation waits for besides."""

    def parse(self, parser: Parser, state: State) -> None:
        if parser.token.text in ("store", "ds", "exp"):
            words = "waits for load and tensor, other counters are not supported"
            raise parser.error(f"'amdgpu.memory_counter_wait' {words}")

    def print(self, printer: Printer, op: Operation) -> None:
        pass


class MemoryCounterWaitOp(Operation, opname="amdgpu.memory_counter_wait"):
    """`load(2) tensor(1)`: goes on once no more than so many of this thread's newest `amdgpu.gather_to_lds`, and of its
    wave's newest tensor copies, are under way. Loads to registers are counted by the hardware with the former, so that
    there may be fewer."""

    pure = False
    load = optional_int_attribute(I32)
    tensor = optional_int_attribute(I32)
    counters: ClassVar[Mapping[str, Completion]] = {"load": LOAD_COUNTER, "tensor": TENSOR_COUNTER}
    """What each counts."""
    awaits = tuple(counters.values())
    directives = {"Refused": Refused}
    assembly = (
        "custom<Refused>() oilist(`load` `` `(` $load `)` | `tensor` `` `(` $tensor `)`) custom<Refused>() attr-dict"
    )

    def groups_left_of(self, completion: Completion) -> int | None:
        (name,) = (name for name, counted in self.counters.items() if counted is completion)
        left: int | None = getattr(self, name)
        return left

    def verify(self, report: Report) -> None:
        for name in self.counters:
            given = self.attributes.get(name)
            if given is not None and (getattr(given, "type", None) != I32 or (number_of(given) or 0) < 0):
                self.error(report, f"{name} must be a number of at least 0 of type i32, found {given}")
