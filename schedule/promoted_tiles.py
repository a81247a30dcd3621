"""How the tiles lie in shared memory that operands of products are promoted to.

Two choices: along which dimension neighbours are neighbours in memory, and what keeps rows in different banks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import gcd, prod

from ..analysis.divisibility import Divisibility
from ..ir.affine import AffineMap, AffineMapAttr, Dim
from ..ir.core import Value
from ..ir.dialects.gpu import WORKGROUP
from ..ir.dialects.iree_codegen import SwizzleAttr, xor_shuffle
from ..ir.dialects.vector import ContractionOp, TransferReadOp
from ..ir.element_orders import SWIZZLE
from ..ir.types import Attribute, MemRefType, element_type, memory_bits
from ..layout.coalescing import Memory
from ..layout.contraction import Contraction
from ..layout.dimension import LayoutError
from ..layout.instruction_choice import instructions_for
from ..layout.workgroup import Workgroup
from ..support.dataclasses import dataclass, field
from ..targets import ELEMENT_BITS, matrix_instructions
from ..targets.matrix_instruction import MatrixInstruction

_CHUNK = 16
"""Bytes of the widest access. Rows of an odd number of chunks lie in different banks."""
_BANKS = 128
"""Bytes of a word in each bank."""
_REGISTER_BITS = 32
_EIGHT_WORDS = 32
"""Bytes by which a row begins further on in the banks than the one before, so that eight words of each of four rows
lie in different ones."""

OperandUse = tuple[ContractionOp, int]
"""A contraction, and which of its operands a value is."""


@dataclass(frozen=True)
class PromotedTile:
    """`type` and `attributes` of the allocation; `dims`: which of the vector's dimensions each of its own is."""

    type: MemRefType
    dims: tuple[int, ...]
    attributes: Mapping[str, Attribute] = field(default_factory=dict[str, Attribute])

    @property
    def bytes(self) -> int:
        return prod(n or 0 for n in self.type.shape) * memory_bits(self.type.element) // 8

    @property
    def permutation_map(self) -> AffineMapAttr:
        """The permutation map of transfers between the vector and the tile."""
        return AffineMapAttr(AffineMap(len(self.dims), 0, tuple(Dim(self.dims.index(d)) for d in sorted(self.dims))))


def plain_tile(read: TransferReadOp) -> PromotedTile:
    """As the vector is, row by row."""
    return _of(read, range(read.vector_type.rank))


def _of(read: TransferReadOp, dims: Sequence[int], row: int | None = None) -> PromotedTile:
    *outer, last = (read.vector_type.shape[d] for d in dims)
    type = MemRefType((*outer, row or last), element_type(read.vector.type), None, WORKGROUP)
    return PromotedTile(type, tuple(dims))


def tile_for(
    read: TransferReadOp,
    uses: Sequence[OperandUse],
    workgroup: Workgroup,
    known: Divisibility,
    *,
    is_tight: bool = False,
) -> PromotedTile:
    """The tile of what `read` gives to `uses`: summed neighbours are neighbours where a lane takes several of them at
    once and nothing transposes them as they are loaded, and rows lie in different banks. `is_tight`: no row is longer
    for that where there is another way."""
    rank = read.vector_type.rank
    bits, summed = memory_bits(element_type(read.vector.type)), _summed(read, uses, workgroup)
    last = rank - 1 if _transposes(workgroup, bits) else summed
    dims = (*(d for d in range(rank) if d != last), last)
    tile = _of(read, dims)
    row = read.vector_type.shape[last]
    if rank < 2:
        return tile
    whole = row * bits // 8 >= _BANKS and not is_tight
    by_rows = workgroup.chip.supports(_FILLS_BY_ROWS) and (whole or not _in_pieces(read, known))
    plain = by_rows or not matrix_instructions(workgroup.chip)
    across = last != summed and workgroup.chip.supports(_TRANSPOSE_HALVES)
    piece = _COLUMNS if across else _piece(uses, bits, workgroup)
    line = 2 * _BANKS if workgroup.chip.supports("lds_banks.64") else _BANKS
    mixed = None if plain else row_swizzle(row * bits // 8, bits, piece, line)
    if mixed is not None:
        return PromotedTile(tile.type, dims, {SWIZZLE: mixed})
    size = row * bits // 8
    if bits == _REGISTER_BITS and all(_is_across(op, side, last, workgroup) for op, side in uses):
        more = (_EIGHT_WORDS - size) % _BANKS
        return tile if more % _CHUNK else _of(read, dims, row + more * 8 // bits)
    odd = size % _CHUNK or size // _CHUNK % 2
    return tile if odd else _of(read, dims, row + _CHUNK * 8 // bits)


def _is_across(op: ContractionOp, side: int, last: int, workgroup: Workgroup) -> bool:
    """Whether neighbours in a row of an operand's tile are not those that a product sums over: of words then eight
    lanes read eight neighbours, and four lanes four rows (PTX ISA, "Matrix fragments for mma.m16n8k8")."""
    if not workgroup.chip.supports(_FILLS_BY_ROWS) or not _instructions(op, workgroup):
        return False
    what = Contraction.of(op)
    return what.sides[side][last] not in what.roles.summed


def _transposes(workgroup: Workgroup, bits: int) -> bool:
    """Whether an instruction transposes elements as they are loaded."""
    return workgroup.chip.supports(_TRANSPOSE_ALL) or (bits == 16 and workgroup.chip.supports(_TRANSPOSE_HALVES))


_TRANSPOSE_ALL, _TRANSPOSE_HALVES = "ldmatrix", "ds_read_tr"
_COLUMNS = 64
"""Bytes of a row that 32 lanes read at most which get columns of four rows: these then lie in all banks."""
_FILLS_BY_ROWS = "cp.async"
"""Copies write rows as they are, wherever these begin: there longer rows keep out of each other's banks, but not two of
half a line that are written at once. Elsewhere accesses are computed anyway, and mixing the pieces of rows takes no
memory, but registers for the places of single elements, which neither matrix units nor copies of whole pieces ask
for."""


def _in_pieces(read: TransferReadOp, known: Divisibility) -> bool:
    memory = Memory.of(read, read.memref, read.indices, known, mask=read.mask, written=False)
    return memory.widest * memory.element_bits >= 8 * _CHUNK


def _piece(uses: Sequence[OperandUse], bits: int, workgroup: Workgroup) -> int:
    """Bytes that lie together: of the widest access, or what one instruction takes of a row where the other operand is
    computed. That has the order of the summed dimension which sums have in registers, and no access may change it."""
    if workgroup.chip.supports(_FILLS_BY_ROWS) or any(_is_read(op.operands[1 - side]) for op, side in uses):
        return _CHUNK
    taken = [i.a.element[1] * bits // 8 for op, _ in uses for i in _instructions(op, workgroup)]
    return max(_CHUNK // 2, min(_CHUNK, *taken)) if taken else _CHUNK


def _is_read(value: Value) -> bool:
    """Whether it is what memory has, maybe cast."""
    op = value.operation
    while op is not None and op.elementwise and len(op.operands) == 1:
        op = op.operands[0].operation
    return isinstance(op, TransferReadOp)


def _instructions(op: ContractionOp, workgroup: Workgroup) -> list[MatrixInstruction]:
    try:
        what = Contraction.of(op)
    except LayoutError:
        return []
    return [] if what.obstacle else [instruction for instruction, _ in instructions_for(what, workgroup)]


def _summed(read: TransferReadOp, uses: Sequence[OperandUse], workgroup: Workgroup) -> int:
    """The dimension that products sum over, if a lane's register has several neighbours along it; else the last."""
    rank = read.vector_type.rank
    found = {_depth(op, side, workgroup) for op, side in uses}
    return next(iter(found)) if len(found) == 1 and None not in found else rank - 1  # type: ignore[return-value]


def _depth(op: ContractionOp, side: int, workgroup: Workgroup) -> int | None:
    """The dimension of an operand that is summed over, where there is one and the chip multiplies so."""
    try:
        what = Contraction.of(op)
    except LayoutError:
        return None
    dims = [d for d, it in enumerate(what.sides[side]) if it in what.roles.summed]
    return dims[0] if len(dims) == 1 and not what.obstacle and any(_shares(what, workgroup)) else None


def _shares(what: Contraction, workgroup: Workgroup) -> Iterator[bool]:
    """For each instruction whether a lane's register has several elements along K."""
    for instruction, _ in instructions_for(what, workgroup):
        yield (
            instruction.a.element[1] * ELEMENT_BITS[instruction.a_type]
            >= _REGISTER_BITS
            > ELEMENT_BITS[instruction.a_type]
        )


def row_swizzle(row_bytes: int, element_bits: int, piece: int = _CHUNK, line: int = _BANKS) -> SwizzleAttr | None:
    """Pieces of so many bytes change places in each row, by the row's number, so that the same piece of neighbouring
    rows lies in all banks, which have a word each of `line` bytes. None for rows of which two pieces are no divisor:
    they need none, or longer rows."""
    width = gcd(row_bytes, line)
    if width < 2 * max(piece, _CHUNK):
        return None
    row, access, distance = width * 8 // element_bits, piece * 8 // element_bits, row_bytes * 8 // element_bits
    return xor_shuffle(row, access, distance, line // width)
