"""Elements of less than a word as parts of the aligned word of four bytes that holds them, which machines update."""

from __future__ import annotations

from ...support.named_tuples import NamedTuple
from . import floats, integers
from .descriptor import Address
from .emission import Emission
from .text import FLOAT_BITS, Ssa, Writer, bits_of, integer

WORD = 32


class Cell(NamedTuple):
    """An element of LLVM type `type` in the word at `pointer`, `shift` bits from its low end; None: the whole word."""

    pointer: Ssa
    space: int
    type: str
    shift: Ssa | None

    @property
    def bits(self) -> int:
        """The bits of the word."""
        return max(WORD, bits_of(self.type))

    def get(self, w: Writer, word: Ssa) -> Ssa:
        if self.shift is not None:
            word = w.convert("trunc", w.binary("lshr", word, self.shift), f"i{bits_of(self.type)}")
        return integers.bitcast(w, word, self.type)

    def put(self, w: Writer, word: Ssa, value: Ssa) -> Ssa:
        """The word with another element."""
        if self.shift is None:
            return self.moved(w, value)
        return w.binary("or", w.binary("and", word, self.hole(w)), self.moved(w, value))

    def hole(self, w: Writer) -> Ssa:
        """Ones in all bits of the word but the element's."""
        assert self.shift is not None
        ones = integer((1 << bits_of(self.type)) - 1, f"i{WORD}")
        return integers.binary(w, "xor", integers.binary(w, "shl", ones, self.shift), integer(-1, f"i{WORD}"))

    def moved(self, w: Writer, value: Ssa) -> Ssa:
        """The element in its place, zeros in all other bits."""
        whole = floats.bits(w, value) if self.type in FLOAT_BITS else value
        if self.shift is None:
            return whole
        return integers.binary(w, "shl", integers.resize(w, whole, f"i{WORD}", signed=False), self.shift)


def cell_at(w: Writer, where: Address, type: str) -> Cell:
    """The cell of the element of LLVM type `type` there."""
    pointer = where.pointer(w)
    if bits_of(type) >= WORD:
        return Cell(pointer, where.space, type, None)
    assert not where.memref.is_fat, "its words need not be the buffer's"
    number = w.convert("ptrtoint", pointer, "i64")
    inside = w.binary("and", number, integer(3))
    start = w.behind("i8", pointer, w.binary("sub", integer(0), inside))
    shift = w.convert("trunc", w.binary("shl", inside, integer(3)), f"i{WORD}")
    return Cell(start, where.space, type, integers.add(w, shift, where.shift(w)))


def ordering(em: Emission, cell: Cell) -> str:
    """How updates of a cell are ordered, in LLVM's words: not with anything else."""
    scope = em.machine.atomic_scopes.get(cell.space)
    if scope is None:
        raise em.error("updates memory of a single thread, which nobody else sees", "load, compute and store")
    return f'syncscope("{scope}") monotonic'


def update(em: Emission, cell: Cell, word: str, value: Ssa) -> Ssa:
    """LLVM's atomic update `word` of the whole word: what was there before."""
    align = f"align {cell.bits // 8}{em.machine.atomic_facts}"
    return em.w.fresh(f"atomicrmw {word} {cell.pointer}, {value} {ordering(em, cell)}, {align}", value.type)
