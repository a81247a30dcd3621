"""wgmma on NVPTX, as inline assembly: LLVM 22 has no intrinsic.

A product is one statement, from the fence of its registers to the wait for its accumulators, or for those of the
product before it. Nothing comes between, so that no copy of a register that is in flight can (LLVM at level 0 and ptxas
would then make it wait after each instruction).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ...ir.core import Value
from ...ir.dialects.lanewise_warpgroup import WarpgroupMmaHeldOp, WarpgroupMmaOp, WarpgroupProduct, WarpgroupWaitOp
from ...ir.dialects.nvvm import FenceProxyOp, SetMaxRegisterOp
from ...ir.element_orders import Order, order_behind
from ...ir.tensor_orders import ROWS, TensorOrder, tensor_order
from ...ir.types import MemRefType, element_type, memory_bits
from ...support.named_tuples import NamedTuple
from ...targets import MatrixInstruction
from ..emit import integers
from ..emit.descriptor import SHARED, address, plus, ssa
from ..emit.element_orders import placed
from ..emit.emission import Emission
from ..emit.emit_rules import NVIDIA
from ..emit.text import Ssa, integer, zero
from ..emit.vectors import regroup, ungroup

_UNIT_BITS = 128
_REGISTER_BITS = 32
_STEP_BYTES = 32
"""Along K, of one instruction."""
_CONSTRAINTS = {"float": "f", "i32": "r"}


@NVIDIA.of(FenceProxyOp)
def _fence_proxy(em: Emission, op: FenceProxyOp) -> None:
    em.require("fence.proxy.async")
    em.w.call_void("llvm.nvvm.fence.proxy.async.shared_cta")


@NVIDIA.of(SetMaxRegisterOp)
def _set_registers(em: Emission, op: SetMaxRegisterOp) -> None:
    """The function's attributes have to say how many there are in the beginning: see `Nvptx.function_attributes`."""
    em.require("setmaxnreg")
    name = {"increase": "inc", "decrease": "dec"}[op.word]
    em.w.call_void(f"llvm.nvvm.setmaxnreg.{name}.sync.aligned.u32", integer(op.regCount, "i32"))


@NVIDIA.of(WarpgroupMmaOp)
def _multiply(em: Emission, op: WarpgroupMmaOp) -> None:
    _product(em, op, [_Side(em, op, 0, op.matrixA, op.indicesA), _Side(em, op, 1, op.matrixB, op.indicesB)])


@NVIDIA.of(WarpgroupMmaHeldOp)
def _multiply_held(em: Emission, op: WarpgroupMmaHeldOp) -> None:
    _product(em, op, [_Registers(em, op), _Side(em, op, 1, op.matrixB, op.indicesB)])


def _product(em: Emission, op: WarpgroupProduct, sides: Sequence[_Side | _Registers]) -> None:
    instruction, (matrix, res) = op.instruction, (op.operands[-1], op.results[0])
    em.require(instruction.requires)
    kept = instruction.c.registers
    accumulator = regroup(em, em.elements(matrix), kept.slots, kept.llvm_type)
    # Accumulators of nothing are not read: registers of zeros would be written for them, each time.
    added = [] if all(register == zero(kept.llvm_type) for register in accumulator) else accumulator
    given = [side.given() for side in sides]
    first = len(accumulator) + len(added)
    names = [f"${number}" for number in range(first, first + sum(map(len, given)) + 2)]
    parts = names[: len(given[0])], names[len(given[0]) : -2]
    steps = zip(*(side.steps(parts[number], number) for number, side in enumerate(sides)), strict=True)
    text = _text(instruction, len(accumulator), list(steps), names[-2:], sides, op.groups_left)
    letter = _CONSTRAINTS[kept.llvm_type]
    ties = [str(i) for i in range(len(added))]
    letters = [side.letter for side, each in zip(sides, given, strict=True) for _ in each]
    outputs = f"={letter}" if added else f"=&{letter}"
    constraints = [*[outputs] * len(accumulator), *ties, *letters, "b", "b", "~{memory}"]
    adds = integer(int(bool(added)), "i1"), integer(1, "i1")
    results = statement(
        em, text, constraints, [*added, *given[0], *given[1], *adds], [kept.llvm_type] * len(accumulator)
    )
    em.set_pack(res, ungroup(em, results, kept.slots, em.type(element_type(res.type))))


def statement(
    em: Emission, text: str, constraints: Sequence[str], operands: Sequence[Ssa], types: Sequence[str]
) -> list[Ssa]:
    """A statement with a result of each of the types, of which there is at least one."""
    struct = f"{{ {', '.join(types)} }}" if len(types) > 1 else types[0]
    whole = em.w.asm(struct, text, constraints, *operands)
    if len(types) == 1:
        return [whole]
    return [em.w.pure(f"extractvalue {whole}, {i}", type) for i, type in enumerate(types)]


@NVIDIA.of(WarpgroupWaitOp)
def _wait(em: Emission, op: WarpgroupWaitOp) -> None:
    """The accumulators go through the statement: nobody reads them before it."""
    em.require("wgmma")
    accumulator = list(em.elements(op.accumulator))
    letter = _CONSTRAINTS[accumulator[0].type]
    constraints = [*[f"={letter}"] * len(accumulator), *map(str, range(len(accumulator))), "~{memory}"]
    em.set_pack(op.res, statement(em, _WAIT.format(0), constraints, accumulator, [s.type for s in accumulator]))


_WAIT = "wgmma.wait_group.sync.aligned {};"


class _Step(NamedTuple):
    """One operand of one instruction: its name in the statement, and what makes it."""

    name: str
    made_by: Sequence[str] = ()


def _text(
    instruction: MatrixInstruction,
    accumulators: int,
    steps: Sequence[tuple[_Step, ...]],
    predicates: Sequence[str],
    sides: Sequence[_Side | _Registers],
    left: int,
) -> str:
    """`$0 ..` are the accumulators; after these, and as many that are tied to them, A and B, then whether the first
    step adds to them, and whether the others do."""
    listed = ", ".join(f"${i}" for i in range(accumulators))
    scales = "" if instruction.c_type == "i32" else ", 1, 1"
    narrow = instruction.a_type in ("f16", "bf16")
    majors = "".join(side.major for side in sides) if narrow else ""
    lines: list[str] = []
    for number, operands in enumerate(steps):
        predicate = predicates[min(number, 1)]
        lines += [line for operand in operands for line in operand.made_by]
        names = ", ".join(operand.name for operand in operands)
        lines.append(f"{instruction.llvm_name} {{{listed}}}, {names}, {predicate}{scales}{majors};")
    end = "wgmma.commit_group.sync.aligned;", _WAIT.format(left)
    return "\\0A\\09".join(["{ wgmma.fence.sync.aligned;", *lines, *end, "}"])


class _Registers:
    """A in registers of 32 bits, those of one step along K after another's."""

    letter = "r"
    major = ""

    def __init__(self, em: Emission, op: WarpgroupMmaHeldOp) -> None:
        self._em, self._op = em, op

    def given(self) -> list[Ssa]:
        together = _REGISTER_BITS // memory_bits(self._op.fragmentsA.type.element)
        return regroup(self._em, self._em.elements(self._op.fragmentsA), together, "i32")

    def steps(self, names: Sequence[str], number: int) -> Iterator[_Step]:
        each = len(names) * self._op.instruction.shape[2] // self._op.depth
        for start in range(0, len(names), each):
            yield _Step(f"{{{', '.join(names[start : start + each])}}}")


class Tile:
    """A tile in shared memory, which a descriptor names. `transposed`: K is not what is contiguous."""

    modes: Mapping[int, int] = {128: 1, 64: 2, 32: 3}
    mode_bit = 62
    version = 0

    def __init__(self, em: Emission, buffer: Value[MemRefType], indices: Sequence[Value], transposed: bool) -> None:
        self.em, self._indices = em, indices
        self.transposed = transposed
        self._buffer = buffer
        self._bits = memory_bits(buffer.type.element)
        order = order_behind(buffer)
        found = tensor_order(buffer.type, order)
        if order is None or found is None or em.memref(buffer).space != SHARED:
            hint = f"rows of 128, 64 or 32 bytes in boxes of {ROWS} rows or more, swizzled: docs/semantics.md"
            raise em.error(f"reads {buffer.type} by itself, whose order is none that tensor cores know", hint)
        self._order, self._tensor = order, found

    def distance(self, step: int, k: int) -> int:
        """Bytes from the first step's start to another's, `k` elements or 32 bytes each."""
        tensor: TensorOrder = self._tensor
        if self.transposed:
            return step * k * tensor.width
        box, inside = divmod(step * _STEP_BYTES, tensor.width)
        return box * tensor.rows * tensor.width + inside

    def first(self) -> Ssa:
        """PTX ISA, "Matrix descriptor": address, leading and stride byte offset in units of 16 bytes, swizzle mode. An
        address is below 2^18, as shared memory is."""
        w, tensor = self.em.w, self._tensor
        # Tiles begin with a pattern: nothing is mixed into the place of their first element.
        plain = Order(None, self._order.boxes)
        memref = self.em.memref(self._buffer).rebased(order=None if plain.boxes is None else plain)
        found = placed(w, address(w, memref, self.em.scalars(self._indices)))
        moving, still = integers.split_moving(w, ssa(plus(w, found.elements, found.moving)))
        start = self.uniform(self._bytes(still, found.bytes))
        start = integers.add(w, w.convert("ptrtoint", found.memref.base, "i32"), start)
        start = integers.binary(w, "lshr", start, integer(4, "i32"))
        leading = tensor.rows * tensor.width if self.transposed else 16
        fixed = leading >> 4 << 16 | tensor.alignment >> 4 << 32 | self.version
        fixed |= self.modes[tensor.width] << self.mode_bit
        whole = integers.binary(w, "or", integers.resize(w, start, "i64", signed=False), integer(fixed))
        return integers.add(w, whole, integers.resize(w, self._units(moving), "i64", signed=False))

    def _units(self, moving: Ssa) -> Ssa:
        """A distance in units of 16 bytes, of whole patterns."""
        w = self.em.w
        made = w.definition(moving)
        if made is None or made.opcode != "mul" or made.operands[1].number is None:
            return integers.binary(w, "lshr", self._bytes(moving, 0), integer(4, "i32"))
        units, rest = divmod(made.operands[1].number * self._bits, _UNIT_BITS)
        assert not rest, "patterns are whole units"
        return integers.mul(w, integers.low_word(w, made.operands[0]), integer(units, "i32"))

    def _bytes(self, elements: Ssa, more: int) -> Ssa:
        w, word = self.em.w, integers.low_word(self.em.w, elements)
        return integers.add(w, integers.mul(w, word, integer(self._bits // 8, "i32")), integer(more, "i32"))

    def uniform(self, start: Ssa) -> Ssa:
        """Where tiles differ between subgroups, the first lane's, so that the assembler sees that lanes agree."""
        if start.number is not None:
            return start
        numbers = integer(-1, "i32"), start, integer(0, "i32"), integer(31, "i32")
        return self.em.w.call("i32", "llvm.nvvm.shfl.sync.idx.i32", *numbers, ahead=True)


class _Side(Tile):
    """A tile of one operand.

    The assembler adds what descriptors of the other steps along K are beyond: LLVM would take the accumulators
    apart."""

    letter = "l"

    def __init__(
        self, em: Emission, op: WarpgroupProduct, side: int, buffer: Value[MemRefType], indices: Sequence[Value]
    ) -> None:
        super().__init__(em, buffer, indices, op.transposed[side])
        self._op = op

    @property
    def major(self) -> str:
        return f", {int(self.transposed)}"

    def given(self) -> list[Ssa]:
        return [self.first()]

    def steps(self, names: Sequence[str], number: int) -> Iterator[_Step]:
        (first,) = names
        yield _Step(first)
        k = self._op.instruction.shape[2]
        for step in range(1, self._op.depth // k):
            name = f"%d{step}{'ab'[number]}"
            added = f"add.s64 {name}, {first}, {self.distance(step, k) >> 4};"
            yield _Step(name, (f".reg .b64 {name};", added))
