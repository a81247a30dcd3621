"""How layouts pass through one operation: the vocabulary of `rules/` and the TRANSFER table.

A rule answers: `forward`, which layouts do the results have where some operands' are known? `backward`, which layout
does every operand need, given the results'? `own`, which combinations is the operation itself good at? And `work`, what
does it cost in given layouts? None as a layout means "no opinion". Scalars have no layout.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from ..analysis.divisibility import Divisibility
from ..ir.core import Operation, Value
from ..ir.rule_table import RuleTable
from ..ir.types import Attribute
from ..support.dataclasses import dataclass, field
from ..targets import Chip
from .contraction import Contractions
from .nested import NestedLayout
from .workgroup import Workgroup

if TYPE_CHECKING:
    from .coalescing import Memory

T = TypeVar("T")
OpT = TypeVar("OpT", bound=Operation)
Layouts = Sequence[NestedLayout | None]
Assignment = tuple[Layouts, Layouts]
"""Layouts of the operands and of the results."""


@dataclass
class Known:
    """The layouts that a rule may lean on, the workgroup they are for, and what is proven of indices."""

    workgroup: Workgroup
    layouts: dict[Value, NestedLayout]
    contractions: Contractions
    _learned: dict[Operation, Any] = field(default_factory=dict[Operation, Any])

    def __call__(self, value: Value) -> NestedLayout | None:
        return self.layouts.get(value)

    def only(self, layouts: dict[Value, NestedLayout]) -> Known:
        """The same workgroup and facts, other layouts."""
        return Known(self.workgroup, layouts, self.contractions, self._learned)

    @property
    def divisibility(self) -> Divisibility:
        return self.contractions.divisibility

    def once(self, op: Operation, learn: Callable[[], T]) -> T:
        """What a rule has to find out of an operation, whatever its layouts are, found out once."""
        if op not in self._learned:
            self._learned[op] = learn()
        return self._learned[op]  # type: ignore[no-any-return]

    @property
    def threads(self) -> int:
        return self.workgroup.threads

    @property
    def subgroup_size(self) -> int:
        return self.workgroup.subgroup_size

    @property
    def chip(self) -> Chip:
        return self.workgroup.chip


class TransferRule(Generic[OpT]):
    """Layout transfer of one operation class; the base has no opinion."""

    one_layout: ClassVar[bool] = False
    """Whether all vector results have the same layout, as where one thread computes them together."""
    anchors: ClassVar[bool] = False
    """Whether `own` is all there is: what neighbours would like changes nothing."""
    rank: ClassVar[int] = 2
    """How soon its own combinations are carried on: anchors' first (0), then contractions' (1), then all others'."""
    joins: ClassVar[int] = 0
    """With which of the layouts that other operands are offered one is tried together: those of anchors (1), those of
    contractions (2), all (3)."""

    is_in_any: ClassVar[bool] = False
    """Whether it makes its results in any layout at no more cost than another."""
    carries_any: ClassVar[bool] = False
    """Whether it does so where its operands are in any."""

    def own(self, op: OpT, known: Known) -> Iterable[Assignment]:
        return ()

    def forward(self, op: OpT, known: Known) -> Layouts:
        return [None] * len(op.results)

    def backward(self, op: OpT, results: Layouts, known: Known) -> Layouts:
        return [None] * len(op.operands)

    def alternatives(self, op: OpT, results: Layouts, known: Known) -> Iterable[Assignment]:
        """Combinations that keep the layouts that are known of operands and results."""
        given = next((layout for layout in results if layout is not None), None)
        if given is None:
            results = self.forward(op, known)
        elif self.one_layout:
            results = [given if is_vector(r) else None for r in op.results]
        return [(self.backward(op, results, known), results)]

    def needs(self, op: OpT, results: Layouts, known: Known) -> Layouts:
        """What the operands must have in the layout stage, where their layouts are known as well."""
        return self.backward(op, results, known)

    def memory(self, op: OpT, known: Known) -> Memory | None:
        """Where the elements lie that a transfer between threads and memory reads or writes; None of all others."""
        return None

    def attributes(self, op: OpT, operands: Layouts, known: Known) -> Mapping[str, Attribute]:
        """What the layout stage writes on the operation besides its layouts."""
        return {}

    def work(self, op: OpT, operands: Layouts, results: Layouts, known: Known) -> int:
        """Cycles of a subgroup: an instruction for every register of the results."""
        return sum(layout.registers for layout in results if layout is not None)


class AnyRule(TransferRule[Operation]):
    """The rule of operations that make their results in any layout."""

    is_in_any = True


_RULES = f"{__name__.rpartition('.')[0]}.rules."
_HOMES: Mapping[str, tuple[str, ...]] = {
    "arg_compare": ("arg_compare",),
    "elementwise": (
        "arith",
        "gpu",
    ),
    "gpu": ("amdgpu_buffers",),
    "indexed_transfers": ("indexed_transfers",),
    "iree_vector_ext": ("iree_vector_ext",),
    "lanewise_async": ("lanewise_async",),
    "positions": ("vector_elements",),
    "scf": (
        "scf",
        "scf_regions",
        "scf_switch",
        "scf_while",
    ),
    "vector": (
        "ub",
        "vector_interleave",
        "vector_masks",
        "vector_shape",
        "vector_transfer",
    ),
    "vector_memory": (
        "vector_gather",
        "vector_memory",
    ),
    "vector_reductions": (
        "vector_reductions",
        "vector_scan",
    ),
}
"""By file of `rules/`, the files of dialects whose operations it has rules or reasons for; it loads when one is met."""
TRANSFER: RuleTable[TransferRule[Any]] = RuleTable(
    "transfer", {_RULES + file: dialects for file, dialects in _HOMES.items()}
)
_NO_OPINION: TransferRule[Operation] = TransferRule()


def rule_of(op: Operation) -> TransferRule[Any]:
    """The operation's rule; one without an opinion where a stated reason says that it needs none."""
    rule = TRANSFER.get(type(op))
    assert rule is not None or TRANSFER.reason(type(op)) is not None, f"{op.opname} has no transfer rule"
    return rule or _NO_OPINION


def is_vector(value: Value) -> bool:
    return value.type.is_vector
