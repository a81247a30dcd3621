"""mfma, wmma, products of a sparse A (smfmac, swmmac) and of block-scaled elements on AMDGPU. Fragments arrive in
register order and are only regrouped for the intrinsics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ...ir.core import Value
from ...ir.dialects import amdgpu
from ...ir.dialects.amdgpu_scaled import ScaledMatrixOp, ScaledMfmaOp, ScaledWmmaOp
from ...ir.dialects.amdgpu_sparse import SparseMatrixOp, SparseMfmaOp, SparseWmmaOp
from ...ir.types import element_count, scalar_type
from ...targets import MatrixInstruction, Operand, Registers, matrix_instructions
from ...targets.matrix_instruction import Family
from ...targets.mfma_scaled import REGISTER_BYTES, scaled_mfma
from ...targets.smfmac import SparseInstruction, sparse_instructions
from ...targets.wmma_scaled import SCALE_FORMAT, scaled_wmma
from ..emit import integers
from ..emit.emission import Emission
from ..emit.emit_rules import AMD
from ..emit.pack import put_together
from ..emit.text import FALSE, Ssa, integer, zero
from ..emit.vectors import ungroup
from .settling import settle_before_branch

_FAMILIES: Mapping[type[amdgpu.MatrixOp], Family] = {amdgpu.MfmaOp: "mfma", amdgpu.WmmaOp: "wmma"}
_SPARSE: Mapping[type[SparseMatrixOp], str] = {SparseMfmaOp: "smfmac", SparseWmmaOp: "swmmac"}
_NO_SCALE = 127
"""f8E8M0FNU of 1."""
_ROW = 16
"""Lanes of half a wave, to the first of which scales of gfx1250 count."""
_PRECISION = {"tf32": "f32"}
"""Element types of instructions that programs spell otherwise."""


@AMD.of(amdgpu.MfmaOp, amdgpu.WmmaOp)
def _matrix(em: Emission, op: amdgpu.MatrixOp) -> None:
    instruction = _instruction(em, op)
    given = {
        name: _register(em, em.elements(value), fragment.registers)
        for name, value, fragment in _operands(op, instruction)
    }
    operands = [given[word] if word in given else _literal(word) for word in instruction.arguments]
    settle_before_branch(em)
    kept = instruction.d.registers
    result = em.w.call_fresh(kept.llvm_type, instruction.llvm_name, *operands)
    em.set_pack(op.destD, _unpacked(em, result, kept, em.type(scalar_type(op.destD.type))))


def _operands(op: amdgpu.MatrixOp, instruction: MatrixInstruction) -> Iterator[tuple[str, Value, Operand]]:
    yield "a", op.sourceA, instruction.a
    yield "b", op.sourceB, instruction.b
    yield "c", op.destC, instruction.c


def _literal(words: str) -> Ssa:
    type, text = words.split(" ")
    return Ssa(text, type)


@AMD.of(SparseMfmaOp)
def _sparse_mfma(em: Emission, op: SparseMfmaOp) -> None:
    instruction = _sparse_instruction(em, op)
    selection = [integer(attribute.value, "i32") for attribute in (op.cbsz, op.abid)]
    _multiply_sparse(em, op, instruction, [*_sparse_operands(em, op, instruction), *selection])


@AMD.of(SparseWmmaOp)
def _sparse_wmma(em: Emission, op: SparseWmmaOp) -> None:
    instruction = _sparse_instruction(em, op)
    a, b, c, indices = _sparse_operands(em, op, instruction)
    if instruction.c_type != "i32":
        _multiply_sparse(em, op, instruction, [a, b, c, indices])
        return
    signs = [integer(not type.startswith("u"), "i1") for type in (instruction.a_type, instruction.b_type)]
    _multiply_sparse(em, op, instruction, [signs[0], a, signs[1], b, c, indices, FALSE])


def _sparse_operands(em: Emission, op: SparseMatrixOp, instruction: SparseInstruction) -> list[Ssa]:
    carriers = (*instruction.carriers, "i32")
    return [
        _register(em, em.elements(value), Registers(carrier, 1, element_count(value.type)))
        for value, carrier in zip(op.operands, carriers, strict=True)
    ]


def _multiply_sparse(em: Emission, op: SparseMatrixOp, instruction: SparseInstruction, given: list[Ssa]) -> None:
    settle_before_branch(em)
    name = f"llvm.amdgcn.{instruction.family}.{instruction.llvm_name}"
    result = em.w.call_fresh(instruction.carriers[2], name, *given)
    type = op.destD.type
    em.set_pack(op.destD, ungroup(em, [result], element_count(type), em.type(scalar_type(type))))


@AMD.of(ScaledMfmaOp)
def _scaled_mfma(em: Emission, op: ScaledMfmaOp) -> None:
    sides = zip(op.scales, (op.scalesIdxA, op.scalesIdxB), strict=True)
    scales = [part for v, i in sides for part in (integer(i, "i32"), _scales(em, em.elements(v), i))]
    _multiply_scaled(em, op, op.form, scaled_mfma(em.chip), scales)


@AMD.of(ScaledWmmaOp)
def _scaled_wmma(em: Emission, op: ScaledWmmaOp) -> None:
    form, behind = op.form, list[Ssa]()
    for value, type, first in zip(op.scales, (form.a_scales, form.b_scales), op.first_scale_lanes, strict=True):
        elements = em.elements(value)
        word = integers.bitcast(em.w, put_together(em.w, elements), f"i{8 * len(elements)}")
        behind += [integer(first // _ROW, "i32"), integer(SCALE_FORMAT[type], "i32"), word]
    _multiply_scaled(em, op, form, scaled_wmma(em.chip), [*behind, FALSE, FALSE])


def _multiply_scaled(
    em: Emission, op: ScaledMatrixOp, form: MatrixInstruction, there: Sequence[MatrixInstruction], behind: list[Ssa]
) -> None:
    """`there`: what the chip has. `behind`: arguments after those of the form."""
    if form not in there:
        words = f"{'x'.join(map(str, op.shape))} on {form.a_type} x {form.b_type} with scales"
        has = ", ".join(dict.fromkeys("x".join(map(str, i.shape)) for i in there)) or "none"
        raise em.error(f"is {words}, which {em.chip.title} does not have; it has {has}")
    if form.subgroup_size != em.subgroup_size:
        raise em.error(f"needs subgroups of {form.subgroup_size} lanes, found {em.subgroup_size}")
    parts = (("a", op.sourceA, form.a), ("b", op.sourceB, form.b), ("c", op.destC, form.c))
    given = {name: _register(em, em.elements(value), fragment.registers) for name, value, fragment in parts}
    operands = [given[word] if word in given else _literal(word) for word in form.arguments]
    settle_before_branch(em)
    kept = form.c.registers
    result = em.w.call_fresh(kept.llvm_type, form.llvm_name, *operands, *behind)
    em.set_pack(op.destD, _unpacked(em, result, kept, "float"))


def _scales(em: Emission, elements: list[Ssa], index: int) -> Ssa:
    """A register of four. Those that are not meant are 1 where the one that is meant is known: a register of zeros
    says to LLVM that the product has no scales."""
    if elements[index].is_constant or len(elements) == 1:
        one = integer(_NO_SCALE, "i8")
        elements = [elements[index] if i == index else one for i in range(REGISTER_BYTES)]
    return integers.bitcast(em.w, put_together(em.w, elements), "i32")


# -- registers ------------------------------------------------------------------------------------------------------


def _register(em: Emission, elements: list[Ssa], registers: Registers) -> Ssa:
    """The elements as one value of the intrinsic's type, at the slots that it looks at."""
    assert registers.count == 1
    slots = elements
    if registers.slot_stride > 1:
        slots = [zero(elements[0].type)] * registers.slots
        slots[:: registers.slot_stride] = elements
    whole = slots[0] if registers.slots == 1 else put_together(em.w, slots)
    return integers.bitcast(em.w, whole, registers.llvm_type)


def _unpacked(em: Emission, whole: Ssa, registers: Registers, element: str) -> list[Ssa]:
    return ungroup(em, [whole], registers.slots, element)[:: registers.slot_stride]


# -- which instruction ----------------------------------------------------------------------------------------------


def _instruction(em: Emission, op: amdgpu.MatrixOp) -> MatrixInstruction:
    """The chip's instruction of this shape, these element types and so many elements a lane."""
    family, shape = _FAMILIES[type(op)], op.shape
    available = [i for i in matrix_instructions(em.chip) if i.family == family]
    of_shape = [i for i in available if i.shape == shape]
    fitting = [i for i in of_shape if _takes(op, i)]
    found = next((i for i in fitting if i.subgroup_size == em.subgroup_size), next(iter(fitting), None))
    if found is None:
        types = " x ".join(str(v.type) for v in (op.sourceA, op.sourceB)) + f" + {op.destC.type}"
        listed = ", ".join(dict.fromkeys(map(_words, of_shape))) or _shapes(available)
        raise em.error(
            f"is {'x'.join(map(str, shape))} on {types}, which {em.chip.name} does not have; it has {listed}"
        )
    if found.subgroup_size != em.subgroup_size:
        raise em.error(f"needs subgroups of {found.subgroup_size} lanes, found {em.subgroup_size}")
    return found


def _sparse_instruction(em: Emission, op: SparseMatrixOp) -> SparseInstruction:
    available = [i for i in sparse_instructions(em.chip) if i.family == _SPARSE[type(op)]]
    parts = (("a", op.sourceA), ("b", op.sourceB), ("c", op.destC))
    types = tuple(_element(op, name, value) for name, value in parts)
    found = next((i for i in available if i.shape == op.shape and (i.a_type, i.b_type, i.c_type) == types), None)
    if found is None:
        listed = dict.fromkeys(f"{'x'.join(map(str, i.shape))} {i.a_type} x {i.b_type} + {i.c_type}" for i in available)
        words = f"{'x'.join(map(str, op.shape))} {types[0]} x {types[1]} + {types[2]}"
        raise em.error(f"is {words}, which {em.chip.name} does not have; it has {', '.join(listed) or 'none'}")
    em.require(found.requires)
    if found.lanes != em.subgroup_size:
        raise em.error(f"needs subgroups of {found.lanes} lanes, found {em.subgroup_size}")
    return found


def _takes(op: amdgpu.MatrixOp, instruction: MatrixInstruction) -> bool:
    types = instruction.a_type, instruction.b_type, instruction.c_type
    return all(
        fragment.elements == element_count(value.type) and _element(op, name, value) in (type, _PRECISION.get(type))
        for (name, value, fragment), type in zip(_operands(op, instruction), types, strict=True)
    )


def _element(op: amdgpu.MatrixOp, name: str, value: Value) -> str:
    """An operand's element type as tables spell it."""
    return "u" * (f"unsigned{name.upper()}" in op.attributes) + str(scalar_type(value.type))


def _words(instruction: MatrixInstruction) -> str:
    parts = zip(
        (instruction.a, instruction.b, instruction.c),
        (instruction.a_type, instruction.b_type, instruction.c_type),
        strict=True,
    )
    a, b, c = (f"vector<{f.elements}x{type}>" if f.elements > 1 else type for f, type in parts)
    return f"{a} x {b} + {c}"


def _shapes(available: list[MatrixInstruction]) -> str:
    shapes = dict.fromkeys("x".join(map(str, i.shape)) for i in available)
    return ", ".join(shapes) or "no such instruction"
