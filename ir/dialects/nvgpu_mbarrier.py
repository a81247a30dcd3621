"""nvgpu: barrier objects in workgroup memory, which count arrivals and bytes that copies bring, in MLIR's names.

An object goes through phases, numbered from 0. A phase ends when as many have arrived as it was initialised with, and
all bytes have come that were expected. Whoever waits for a parity goes on once the phase of that parity is over: what
was done before the arrivals, and what the copies wrote, is there for it then.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from ...support.dataclasses import dataclass
from ...support.diagnostics import Report
from ..core import Operation, Value
from ..define import Constraint, OperandField, exactly, instances_of, is_i1, is_index, operand, optional_operand, result
from ..memory_spaces import CLUSTER
from ..traits import OBJECT_BYTES, TENSOR_COMMITS
from ..types import DIALECT_TYPES, I32, I64, Attribute, IndexType, IntegerType, Type
from .constants import constant_int

if TYPE_CHECKING:
    from ..attribute_parser import AttributeParser

READS_ONLY = "lanewise.reads_only"
"""The mark of an arrival that hands on nothing that was written."""
PREDICATE = "(`,` `predicate` `=` $predicate^)?"
"""In the assembly of what one thread does, where it holds."""
_OWN = "#gpu.address_space<workgroup>", "3", "3 : i64"
MOST_ARRIVALS = MOST_BYTES = (1 << 20) - 1
"""The most arrivals and bytes of one phase (PTX ISA, "Contents of the mbarrier object")."""


@dataclass(frozen=True, slots=True)
class MBarrierGroupType(Type):
    """Barrier objects of a workgroup, in its memory. `elsewhere`: of a workgroup of the cluster (`nvvm.mapa`)."""

    count: int = 1
    elsewhere: bool = False

    mnemonic: ClassVar[str] = "nvgpu.mbarrier.group"

    @classmethod
    def parse(cls, parser: AttributeParser) -> MBarrierGroupType:
        parser.expect("<")
        parser.expect("memorySpace")
        parser.expect("=")
        start, space = parser.token.start, str(parser.parse_attribute())
        if space not in (*_OWN, str(CLUSTER)):
            raise parser.error(f"barrier objects lie in {_OWN[0]}, found {space}", start)
        count = 1
        if parser.accept(","):
            parser.expect("num_barriers")
            parser.expect("=")
            start, count = parser.token.start, parser.integer()
            if count < 1:
                raise parser.error(f"a group has at least one barrier object, found {count}", start)
        parser.expect(">")
        return cls(count, space == str(CLUSTER))

    def __str__(self) -> str:
        number = f", num_barriers = {self.count}" if self.count != 1 else ""
        return f"!{self.mnemonic}<memorySpace = {CLUSTER if self.elsewhere else _OWN[0]}{number}>"


DIALECT_TYPES[MBarrierGroupType.mnemonic] = MBarrierGroupType.parse
is_barriers = instances_of("a !nvgpu.mbarrier.group", MBarrierGroupType)


def check_own(op: Operation, barriers: Value[MBarrierGroupType], report: Report) -> None:
    """What the hardware does to objects of the own workgroup alone (PTX ISA, "mbarrier")."""
    if barriers.type.elsewhere:
        op.error(report, f"is of objects in {_OWN[0]}, found {barriers.type}")


class MBarrierCreateOp(Operation, opname="nvgpu.mbarrier.create"):
    """A group of barrier objects, none of which is initialised."""

    pure = False
    barriers = result(is_barriers)
    assembly = "attr-dict `->` type($barriers)"

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type] | None:
        return None


def check_number(op: Operation, barriers: Value[MBarrierGroupType], number: Value, report: Report) -> None:
    """Checks the number of an object of a group, as far as it is known."""
    known, count = constant_int(number), barriers.type.count
    if known is not None and not 0 <= known < count:
        op.error(report, f"is of object {known}, the group has {count}")


class ObjectOp(Operation):
    """What is of one object of a group."""

    barriers: ClassVar[OperandField[Value[MBarrierGroupType]]]
    mbarId: ClassVar[OperandField[Value[IndexType]]]


class MBarrierInitOp(ObjectOp, opname="nvgpu.mbarrier.init"):
    """Its first phase begins, and each of its phases takes `count` arrivals. No copy may be under way to it. Where the
    predicate does not hold, nothing happens."""

    pure = False
    barriers = operand(is_barriers)
    count = operand(is_index)
    mbarId = operand(is_index)
    predicate = optional_operand(is_i1)
    assembly = f"$barriers `` `[` $mbarId `]` `,` $count {PREDICATE} attr-dict `:` type($barriers)"

    def verify(self, report: Report) -> None:
        check_number(self, self.barriers, self.mbarId, report)
        check_own(self, self.barriers, report)
        count = constant_int(self.count)
        if count is not None and not 1 <= count <= MOST_ARRIVALS:
            self.error(report, f"takes 1 to {MOST_ARRIVALS} arrivals, found {count}")


class MBarrierArriveExpectTxOp(ObjectOp, opname="nvgpu.mbarrier.arrive.expect_tx"):
    """This phase ends after `txcount` more bytes, and this arrival. Where the predicate does not hold, nothing
    happens."""

    pure = False
    barriers = operand(is_barriers)
    txcount = operand(is_index)
    mbarId = operand(is_index)
    predicate = optional_operand(is_i1)
    assembly = f"$barriers `` `[` $mbarId `]` `,` $txcount {PREDICATE} attr-dict `:` type($barriers)"

    def verify(self, report: Report) -> None:
        check_number(self, self.barriers, self.mbarId, report)
        bytes = constant_int(self.txcount)
        if bytes is not None and not 0 <= bytes <= MOST_BYTES:
            self.error(report, f"expects 0 to {MOST_BYTES} bytes, found {bytes}")


@dataclass(frozen=True, slots=True)
class MBarrierTokenType(Type):
    """The phase of an arrival, for those who ask whether it is over."""

    def __str__(self) -> str:
        return "!nvgpu.mbarrier.token"


TOKEN = MBarrierTokenType()
DIALECT_TYPES[str(TOKEN)[1:]] = lambda parser: TOKEN
is_token = exactly(TOKEN)


class MBarrierArriveOp(ObjectOp, opname="nvgpu.mbarrier.arrive"):
    """Arrives. Of a workgroup's program, or a part's, each subgroup arrives once, when it gets here: none of them waits
    for another. Of a thread's program the thread does. The objects may be another workgroup's of the cluster, of which
    there is no token. With `lanewise.reads_only` it hands on that memory was read, and nothing that was written."""

    pure = False
    barriers = operand(is_barriers)
    mbarId = operand(is_index)
    token = result(is_token)
    assembly = "$barriers `` `[` $mbarId `]` attr-dict `:` type($barriers) `->` type($token)"

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type]:
        return [TOKEN]

    def verify(self, report: Report) -> None:
        check_number(self, self.barriers, self.mbarId, report)
        if self.token.users and self.barriers.type.elsewhere:
            self.error(report, f"gives a token that is used, of objects in {_OWN[0]} alone, found {self.barriers.type}")


class MBarrierArriveNoCompleteOp(ObjectOp, opname="nvgpu.mbarrier.arrive.nocomplete"):
    """Arrives `count` times, which must not be the last arrivals of the phase. Who does, as of
    `nvgpu.mbarrier.arrive`."""

    pure = False
    barriers = operand(is_barriers)
    mbarId = operand(is_index)
    count = operand(is_index)
    token = result(is_token)
    assembly = "$barriers `` `[` $mbarId `]` `,` $count attr-dict `:` type($barriers) `->` type($token)"

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type]:
        return [TOKEN]

    def verify(self, report: Report) -> None:
        check_number(self, self.barriers, self.mbarId, report)
        check_own(self, self.barriers, report)
        count = constant_int(self.count)
        if count is not None and not 1 <= count <= MOST_ARRIVALS:
            self.error(report, f"arrives 1 to {MOST_ARRIVALS} times, found {count}")


class _ObjectWait(ObjectOp):
    """Learns that the phase of an object is over: all that the object counted is there."""

    awaits = (OBJECT_BYTES, TENSOR_COMMITS)

    @property
    def counted_by(self) -> Value:
        return self.barriers


class MBarrierTestWaitOp(_ObjectWait, opname="nvgpu.mbarrier.test.wait"):
    """Whether the phase of an arrival is over, the object's present one or the one before it; it waits for nobody. If
    so, what was done before its arrivals is there. In programs of threads: each of them sees by itself."""

    pure = False
    barriers = operand(is_barriers)
    token = operand(is_token)
    mbarId = operand(is_index)
    waitComplete = result(is_i1)
    assembly = "$barriers `` `[` $mbarId `]` `,` $token attr-dict `:` type($barriers) `,` type($token)"

    def verify(self, report: Report) -> None:
        check_number(self, self.barriers, self.mbarId, report)
        check_own(self, self.barriers, report)


is_address: Constraint[IntegerType] = Constraint("i32 or i64", lambda t: t in (I32, I64))


class MBarrierGetOp(ObjectOp, opname="nvgpu.mbarrier.get"):
    """The address of an object as a number. No operation here takes one, and each executor has another: nothing may
    use it."""

    pure = True
    barriers = operand(is_barriers)
    mbarId = operand(is_index)
    mbarrierPointer = result(is_address)
    assembly = "$barriers `` `[` $mbarId `]` attr-dict `:` type($barriers) `->` type($mbarrierPointer)"

    def verify(self, report: Report) -> None:
        check_number(self, self.barriers, self.mbarId, report)
        check_own(self, self.barriers, report)
        if self.mbarrierPointer.users:
            self.error(report, "gives an address, another one on each executor: operations take objects by number")


class MBarrierTryWaitParityOp(_ObjectWait, opname="nvgpu.mbarrier.try_wait.parity"):
    """Goes on once the phase of parity `phaseParity` is over: the one before the first has parity 1. It asks again and
    again; `ticks` is how many nanoseconds the hardware may hold the thread each time, at most."""

    pure = False
    barriers = operand(is_barriers)
    phaseParity = operand(is_i1)
    ticks = operand(is_index)
    mbarId = operand(is_index)
    assembly = "$barriers `` `[` $mbarId `]` `,` $phaseParity `,` $ticks attr-dict `:` type($barriers)"

    def verify(self, report: Report) -> None:
        check_number(self, self.barriers, self.mbarId, report)
        check_own(self, self.barriers, report)
