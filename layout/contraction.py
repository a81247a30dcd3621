"""A contraction as far as it decides how it may be done: iterators, extents, element types, what is asked for.

A contraction's iterators are batch (in lhs, rhs and accumulator), rows (lhs and accumulator), columns (rhs and
accumulator) and summed (lhs and rhs).
"""

from __future__ import annotations

from functools import cached_property

from ..analysis.divisibility import Divisibility
from ..ir.analyses import Analyses
from ..ir.dialects.func import FunctionLike
from ..ir.dialects.iree_gpu import MMAIntrinsicAttr, MMALayoutAttr, VirtualMMALayoutAttr
from ..ir.dialects.iree_gpu_config import lowering_config
from ..ir.dialects.vector_reductions import TF32, ContractionOp, Roles
from ..ir.types import Attribute, Type, element_type
from ..support.dataclasses import dataclass
from ..targets import MatrixInstruction
from ..targets.chip import UnknownTargetError
from ..targets.instructions import find_matrix_instruction
from .dimension import LayoutError
from .shared_operands import Tile, tile_of
from .shares import OF_LANES

MMA = "iree_gpu.mma"
"""The attribute of a contraction in the layout stage that names its instruction."""

Iterators = tuple[int, ...]


@dataclass(frozen=True)
class Contraction:
    """What decides how a contraction may be done: iterators of lhs, rhs and accumulator, their extents, element types.

    `asked`: the instruction that its attributes name, and whether with the operands exchanged (None: either way).
    `run`: (outers, elements) of a thread along K that they ask for, where that is not the instruction's own.
    `obstacle`: why it is no plain sum of products of matrices. `tiles`: how lhs and rhs lie in shared memory, where an
    instruction may read them there.
    """

    sides: tuple[Iterators, Iterators, Iterators]
    extents: tuple[int, ...]
    roles: Roles
    types: tuple[str, str, str]
    asked: tuple[MatrixInstruction, bool | None] | None
    run: tuple[int, int] | None
    obstacle: str
    tiles: tuple[Tile | None, Tile | None] = (None, None)

    @cached_property
    def _hash(self) -> int:
        what = self.sides, self.extents, self.roles, self.types, self.asked, self.run, self.obstacle, self.tiles
        return hash(what)

    def __hash__(self) -> int:
        """Found out once: it is the key of all that is remembered of contractions."""
        return self._hash

    @classmethod
    def of(cls, op: ContractionOp, known: Divisibility | None = None) -> Contraction:
        """`known`: what is proven of places in memory, for who asks where its operands lie. Raises LayoutError for an
        instruction that is none."""
        lhs, rhs, acc = op.iterator_dims
        asked, tiles = _asked(op), (None, None) if known is None else (tile_of(op.lhs, known), tile_of(op.rhs, known))
        a, b, c = (element_type(v.type) for v in (op.lhs, op.rhs, op.acc))
        types = spelled_types(a, b, c, op.unsigned, multiplies_short(op, asked))
        return cls((lhs, rhs, acc), op.iterator_extents, op.roles, types, asked, _run(op), _obstacle(op), tiles)

    def types_of(self, transposed: bool) -> tuple[str, str, str]:
        """The types of an instruction's A, B and C, which has lhs and rhs exchanged where it is `transposed`."""
        lhs, rhs, acc = self.types
        return (rhs, lhs, acc) if transposed else (lhs, rhs, acc)

    def allows(self, instruction: MatrixInstruction, transposed: bool) -> bool:
        """Whether it is what is asked for, if anything is."""
        return self.asked is None or (self.asked[0] == instruction and self.asked[1] in (None, transposed))


class Contractions:
    """Those of a function, with how their operands lie in shared memory, each worked out once."""

    def __init__(self, divisibility: Divisibility) -> None:
        self.divisibility = divisibility
        self._known: dict[ContractionOp, Contraction] = {}

    @classmethod
    def of_function(cls, function: FunctionLike, analyses: Analyses) -> Contractions:
        return cls(analyses.get(Divisibility, function))

    def of(self, op: ContractionOp) -> Contraction:
        """Raises LayoutError for an instruction that is none."""
        if op not in self._known:
            self._known[op] = Contraction.of(op, self.divisibility)
        return self._known[op]


def multiplies_short(op: ContractionOp, asked: tuple[MatrixInstruction, object] | None) -> bool:
    """Whether f32 is multiplied as tf32: only where a program asks for it."""
    return TF32 in op.attributes if asked is None else asked[0].a_type == "tf32"


def spelled_types(a: Type, b: Type, c: Type, unsigned: tuple[bool, bool], short: bool) -> tuple[str, str, str]:
    """Element types as tables of instructions have them. `short`: f32 is multiplied as tf32."""
    left, right = ("u" * u + str(t) for t, u in ((a, unsigned[0]), (b, unsigned[1])))
    left, right = ("tf32" if short and t == "f32" else t for t in (left, right))
    return left, right, str(c)


def _asked(op: ContractionOp) -> tuple[MatrixInstruction, bool | None] | None:
    """What the layout stage, or `mma_kind` of a lowering_config, names; LayoutError where that is no instruction, or
    where they differ."""
    kind = lowering_config(op).get("mma_kind")
    wanted, written = _named("mma_kind", kind), _named(MMA, op.attributes.get(MMA))
    if wanted is not None and written is not None and (wanted[0] != written[0] or wanted[1] > written[1]):
        raise LayoutError(f"{MMA} is {op.attributes[MMA]}, mma_kind asks for {kind}")
    if written is not None:
        return written
    return None if wanted is None else (wanted[0], wanted[1] or None)


def _named(where: str, kind: Attribute | None) -> tuple[MatrixInstruction, bool] | None:
    """The instruction of an attribute, and whether its operands are exchanged."""
    if kind is None:
        return None
    if not isinstance(kind, (MMALayoutAttr, MMAIntrinsicAttr, VirtualMMALayoutAttr)):
        raise LayoutError(f"{where} is {kind}, expected #iree_gpu.mma_layout<...>")
    name = kind.name
    if isinstance(kind, VirtualMMALayoutAttr):
        if kind.is_of is None:
            raise LayoutError(f"{where} is {name}, which is made of sparse instructions: lanewise does not have it")
        name = kind.is_of.instruction
    try:
        found = find_matrix_instruction(name)
    except UnknownTargetError:
        raise LayoutError(f"{where} is {name}, an instruction that lanewise does not have") from None
    return found, not isinstance(kind, MMAIntrinsicAttr) and kind.col_major


def _run(op: ContractionOp) -> tuple[int, int] | None:
    """Outers and elements of a thread along K that a virtual instruction asks for."""
    kind = lowering_config(op).get("mma_kind")
    virtual = kind.is_of if isinstance(kind, VirtualMMALayoutAttr) else None
    return None if virtual is None else (virtual.outer, virtual.element)


def _obstacle(op: ContractionOp) -> str:
    if op.kind.value != "add":
        return f"it joins products by {op.kind.value}"
    if op.masks:
        return "it is masked"
    if not lowering_config(op).keys().isdisjoint(OF_LANES):
        return "its lowering_config shares it out among lanes"
    if not op.acc.type.is_vector or not op.roles.rows or not op.roles.columns:
        return "it has no rows or no columns: a product of a matrix and a vector reads every element once"
    return ""
