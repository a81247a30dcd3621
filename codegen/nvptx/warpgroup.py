"""wgmma on NVPTX, as inline assembly: LLVM 22 has no intrinsic.

A product is one statement, from the fence of its registers to the wait for its sums, or for those of the product
before it. Nothing comes between, so that no copy of a register that is in flight can (LLVM at level 0 and ptxas would
then make it wait after each instruction).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...ir.core import Value
from ...ir.dialects.lanewise_warpgroup import WarpgroupMmaOp, WarpgroupWaitOp
from ...ir.dialects.nvvm import FenceProxyOp
from ...ir.orders import Order, order_behind
from ...ir.targets import MatrixInstruction
from ...ir.tensor_orders import ROWS, TensorOrder, tensor_order
from ...ir.types import MemRefType, memory_bits
from ..emit import integers
from ..emit.descriptor import SHARED, address, plus, ssa
from ..emit.emission import Emission
from ..emit.emit_rules import NVIDIA
from ..emit.orders import placed
from ..emit.text import Ssa, integer
from ..emit.vectors import regroup, ungroup

_MODES = {128: 1, 64: 2, 32: 3}
_UNIT_BITS = 128
_STEP_BYTES = 32
"""Along K, of one instruction."""
_CONSTRAINTS = {"float": "f", "i32": "r"}


@NVIDIA.of(FenceProxyOp)
def _fence_proxy(em: Emission, op: FenceProxyOp) -> None:
    em.require("fence.proxy.async")
    em.w.call_void("llvm.nvvm.fence.proxy.async.shared_cta")


@NVIDIA.of(WarpgroupMmaOp)
def _multiply(em: Emission, op: WarpgroupMmaOp) -> None:
    instruction = op.instruction
    em.require(instruction.requires)
    sides = [_Side(em, op, 0, op.matrixA, op.indicesA), _Side(em, op, 1, op.matrixB, op.indicesB)]
    kept = instruction.c.registers
    sums = regroup(em, em.elements(op.matrixC), kept.slots, kept.llvm_type)
    descriptors = [side.first() for side in sides]
    text = _text(instruction, len(sums), sides, op.groups_left)
    letter = _CONSTRAINTS[kept.llvm_type]
    ties = [str(i) for i in range(len(sums))]
    constraints = [*[f"={letter}"] * len(sums), *ties, *["l"] * len(descriptors), "b", "~{memory}"]
    results = _call(em, text, constraints, [*sums, *descriptors, integer(1, "i1")], len(sums))
    em.set_pack(op.res, ungroup(em, results, kept.slots, em.type(op.res.type.element)))


def _call(em: Emission, text: str, constraints: Sequence[str], operands: Sequence[Ssa], count: int) -> list[Ssa]:
    """A statement whose results are as many registers as its first operands."""
    type = operands[0].type
    struct = f"{{ {', '.join([type] * count)} }}"
    given = ", ".join(map(str, operands))
    whole = em.w.fresh(f'call {struct} asm sideeffect "{text}", "{",".join(constraints)}"({given}) #1', struct)
    return [em.w.pure(f"extractvalue {whole}, {i}", type) for i in range(count)]


@NVIDIA.of(WarpgroupWaitOp)
def _wait(em: Emission, op: WarpgroupWaitOp) -> None:
    """The sums go through the statement: nobody reads them before it."""
    em.require("wgmma")
    sums = list(em.elements(op.sums))
    letter = _CONSTRAINTS[sums[0].type]
    constraints = [*[f"={letter}"] * len(sums), *map(str, range(len(sums))), "~{memory}"]
    em.set_pack(op.res, _call(em, _WAIT.format(0), constraints, sums, len(sums)))


_WAIT = "wgmma.wait_group.sync.aligned {};"


def _text(instruction: MatrixInstruction, sums: int, sides: Sequence[_Side], left: int) -> str:
    """`$0 ..` are the sums; after these, and as many that are tied to them, two descriptors, then a predicate.

    The assembler adds what descriptors of the other steps along K are beyond: LLVM would take the sums apart."""
    listed = ", ".join(f"${i}" for i in range(sums))
    scales = "" if instruction.c_type == "i32" else ", 1, 1"
    narrow = instruction.a_type in ("f16", "bf16")
    majors = "".join(f", {int(side.transposed)}" for side in sides) if narrow else ""
    tail = f"${2 * sums + 2}{scales}{majors};"
    lines: list[str] = []
    for step, distances in enumerate(zip(*(side.distances() for side in sides), strict=True)):
        names = [f"${2 * sums + side}" if not step else f"%d{step}{'ab'[side]}" for side in (0, 1)]
        if step:
            lines.append(f".reg .b64 {', '.join(names)};")
            lines += [
                f"add.s64 {name}, ${2 * sums + side}, {distance >> 4};"
                for side, (name, distance) in enumerate(zip(names, distances, strict=True))
            ]
        lines.append(f"{instruction.llvm_name} {{{listed}}}, {', '.join(names)}, {tail}")
    end = "wgmma.commit_group.sync.aligned;", _WAIT.format(left)
    return "\\0A\\09".join(["{ wgmma.fence.sync.aligned;", *lines, *end, "}"])


class _Side:
    """A tile of one operand in shared memory."""

    def __init__(
        self,
        em: Emission,
        op: WarpgroupMmaOp,
        side: int,
        buffer: Value[MemRefType],
        indices: Sequence[Value],
    ) -> None:
        self._em, self._op, self._indices = em, op, indices
        self.transposed = op.transposed[side]
        self._buffer = buffer
        self._bits = memory_bits(buffer.type.element)
        order = order_behind(buffer)
        found = tensor_order(buffer.type, order)
        if order is None or found is None or em.memref(buffer).space != SHARED:
            hint = f"rows of 128, 64 or 32 bytes in boxes of {ROWS} rows or more, swizzled: docs/semantics.md"
            raise em.error(f"reads {buffer.type} by itself, whose order is none that tensor cores know", hint)
        self._order, self._tensor = order, found

    def distances(self) -> Iterator[int]:
        """Of each step along K."""
        return map(self._distance, range(self._op.depth // self._op.instruction.shape[2]))

    def _distance(self, step: int) -> int:
        """Bytes from the first step's start to another's."""
        tensor: TensorOrder = self._tensor
        if self.transposed:
            return step * self._op.instruction.shape[2] * tensor.width
        box, inside = divmod(step * _STEP_BYTES, tensor.width)
        return box * tensor.rows * tensor.width + inside

    def first(self) -> Ssa:
        """PTX ISA, "Matrix descriptor": address, leading and stride byte offset in units of 16 bytes, swizzle mode. An
        address is below 2^18, as shared memory is."""
        w, tensor = self._em.w, self._tensor
        # Tiles begin with a pattern: nothing is mixed into the place of their first element.
        plain = Order(None, self._order.boxes)
        memref = self._em.memref(self._buffer).rebased(order=None if plain.boxes is None else plain)
        found = placed(w, address(w, memref, self._em.scalars(self._indices)))
        moving, still = integers.split_moving(w, ssa(plus(w, found.elements, found.moving)))
        start = self._uniform(self._bytes(still, found.bytes))
        start = integers.add(w, w.convert("ptrtoint", found.memref.base, "i32"), start)
        start = integers.binary(w, "lshr", start, integer(4, "i32"))
        leading = tensor.rows * tensor.width if self.transposed else 16
        fixed = leading >> 4 << 16 | tensor.alignment >> 4 << 32 | _MODES[tensor.width] << 62
        whole = integers.binary(w, "or", integers.resize(w, start, "i64", signed=False), integer(fixed))
        return integers.add(w, whole, integers.resize(w, self._units(moving), "i64", signed=False))

    def _units(self, moving: Ssa) -> Ssa:
        """Of 16 bytes, of whole patterns."""
        w = self._em.w
        made = w.definition(moving)
        if made is None or made.opcode != "mul" or made.operands[1].number is None:
            return integers.binary(w, "lshr", self._bytes(moving, 0), integer(4, "i32"))
        units, rest = divmod(made.operands[1].number * self._bits, _UNIT_BITS)
        assert not rest, "patterns are whole units"
        return integers.mul(w, integers.low_word(w, made.operands[0]), integer(units, "i32"))

    def _bytes(self, elements: Ssa, more: int) -> Ssa:
        w, word = self._em.w, integers.low_word(self._em.w, elements)
        return integers.add(w, integers.mul(w, word, integer(self._bits // 8, "i32")), integer(more, "i32"))

    def _uniform(self, start: Ssa) -> Ssa:
        """Where tiles differ between subgroups, the first lane's, so that the assembler sees that lanes agree."""
        if start.number is not None:
            return start
        numbers = integer(-1, "i32"), start, integer(0, "i32"), integer(31, "i32")
        return self._em.w.call("i32", "llvm.nvvm.shfl.sync.idx.i32", *numbers, ahead=True)
