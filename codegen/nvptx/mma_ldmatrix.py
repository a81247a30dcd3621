"""mma.sync, mma.sp, mma with block scales, ldmatrix, stmatrix: fragments arrive in the order of PTX's registers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from ...ir.core import Value
from ...ir.dialects import nvgpu
from ...ir.dialects.nvgpu_scaled import MmaBlockScaleSyncOp
from ...ir.dialects.nvgpu_sparse import MmaSparseSyncOp
from ...ir.types import F32, MemRefType
from ...targets import ELEMENT_BITS, MatrixInstruction, Registers, matrix_instructions, mma_scaled, mma_sparse
from ..emit import integers
from ..emit.descriptor import SHARED, address
from ..emit.element_orders import placed
from ..emit.emission import Emission
from ..emit.emit_rules import NVIDIA
from ..emit.text import Ssa, integer
from ..emit.vectors import regroup, ungroup

R = TypeVar("R", bound=MatrixInstruction)


@NVIDIA.of(nvgpu.MmaSyncOp)
def _mma_sync(em: Emission, op: nvgpu.MmaSyncOp) -> None:
    instruction = _instruction(em, op, matrix_instructions(em.chip))
    em.require(instruction.requires)
    operands: list[Ssa] = []
    for value, fragment in ((op.matrixA, instruction.a), (op.matrixB, instruction.b), (op.matrixC, instruction.c)):
        operands += _registers(em, value, fragment.registers)
    kept = instruction.d.registers
    results = _call(em, instruction.llvm_name, operands, kept)
    em.set_pack(op.res, ungroup(em, results, kept.slots, em.type(op.res.type.element)))


@NVIDIA.of(MmaSparseSyncOp)
def _mma_sparse(em: Emission, op: MmaSparseSyncOp) -> None:
    instruction = _instruction(em, op, mma_sparse.sparse_mma(em.chip))
    em.require(instruction.requires)
    (metadata,) = regroup(em, em.elements(op.sparseMetadata), 2, "i32")
    given = ((op.matrixA, instruction.a), (op.matrixB, instruction.b), (op.matrixC, instruction.c))
    operands = [register for value, fragment in given for register in _registers(em, value, fragment.registers)]
    kept = instruction.c.registers
    results = _call(em, instruction.llvm_name, [*operands, metadata, integer(op.sparsitySelector, "i32")], kept)
    em.set_pack(op.res, ungroup(em, results, kept.slots, em.type(op.res.type.element)))


@NVIDIA.of(MmaBlockScaleSyncOp)
def _mma_scaled(em: Emission, op: MmaBlockScaleSyncOp) -> None:
    instruction = op.form
    if instruction is None or not em.chip.supports(instruction.requires):
        a, b, scale = (v.type.element for v in (op.matrixA, op.matrixB, op.scaleA))
        has = _types_text(mma_scaled.scaled_mma(em.chip))
        found = f"{_shape_text(op.shape)} on {a} x {b} with scales {scale}"
        raise em.error(f"is {found}, which {em.chip.name} does not have; it has {has}")
    em.require(instruction.requires)
    given = ((op.matrixA, instruction.a), (op.matrixB, instruction.b), (op.matrixC, instruction.c))
    operands = [register for value, fragment in given for register in _registers(em, value, fragment.registers)]
    for scales, selectors in ((op.scaleA, (op.byteIdA, op.threadIdA)), (op.scaleB, (op.byteIdB, op.threadIdB))):
        operands += regroup(em, em.elements(scales), mma_scaled.REGISTER_BYTES, "i32")
        operands += [integer(number, "i16") for number in selectors]
    kept = instruction.c.registers
    results = _call(em, instruction.llvm_name, operands, kept)
    em.set_pack(op.res, ungroup(em, results, kept.slots, em.type(op.res.type.element)))


def _registers(em: Emission, value: Value, registers: Registers) -> list[Ssa]:
    elements = em.elements(value)
    if len(elements) != registers.count * registers.slots:
        raise em.error(f"takes {registers.count * registers.slots} elements a lane there, found {value.type}")
    if registers.byte_shift is not None:
        shift = integer(registers.byte_shift, "i8")
        elements = [integers.binary(em.w, "shl", integers.resize(em.w, e, "i8", signed=False), shift) for e in elements]
    return regroup(em, elements, registers.slots, registers.llvm_type)


def _call(em: Emission, name: str, operands: list[Ssa], results: Registers) -> list[Ssa]:
    struct = f"{{ {', '.join([results.llvm_type] * results.count)} }}"
    whole = em.w.call_fresh(struct, name, *operands)
    return [em.w.pure(f"extractvalue {whole}, {i}", results.llvm_type) for i in range(results.count)]


def _instruction(em: Emission, op: nvgpu.SubgroupProduct, available: Sequence[R]) -> R:
    """The chip's instruction of this shape and these element types; f32 means tf32, marked integers are unsigned."""
    elements = [v.type.element for v in (op.matrixA, op.matrixB, op.matrixC)]
    if elements[0] == F32 and "tf32Enabled" not in op.attributes:
        message = "multiplies f32, which matrix units do in tf32 precision only"
        raise em.error(message, hint="allow it: {tf32Enabled}")
    types = a, b, c = nvgpu.element_names(op, *elements)
    same = [i for i in available if (i.a_type, i.b_type, i.c_type) == types]
    for instruction in same:
        if instruction.shape == op.shape:
            return instruction
    shapes = sorted(_shape_text(i.shape) for i in same)
    has = f"for these it has {', '.join(shapes)}" if same else f"it has {_types_text(available)}"
    raise em.error(f"is {_shape_text(op.shape)} on {a} x {b} + {c}, which {em.chip.name} does not have; {has}")


def _shape_text(shape: tuple[int, int, int]) -> str:
    return "m{}n{}k{}".format(*shape)


def _types_text(available: Sequence[R]) -> str:
    return ", ".join(f"{_shape_text(i.shape)} {i.a_type} x {i.b_type} + {i.c_type}" for i in available) or "none"


def _row(em: Emission, memory: Value[MemRefType], indices: Sequence[Value]) -> Ssa:
    """Each lane gives the address of one row: 16 bytes, aligned to 16."""
    found = em.memref(memory)
    if found.space != SHARED:
        raise em.error(f"accesses workgroup memory, found {memory.type}")
    if found.strides and found.strides[-1] != 1:
        raise em.error(f"needs rows whose elements are contiguous, found {memory.type}")
    return placed(em.w, address(em.w, found, em.scalars(indices))).pointer(em.w)


@NVIDIA.of(nvgpu.StMatrixOp)
def _stmatrix(em: Emission, op: nvgpu.StMatrixOp) -> None:
    em.require("stmatrix")
    pointer, type = _row(em, op.destMemref, op.indices), op.value.type
    tiles, trans = type.shape[0], ".trans" if op.transpose.value else ""
    words = regroup(em, em.elements(op.value), type.shape[1], "i32")
    em.w.call_void(f"llvm.nvvm.stmatrix.sync.aligned.m8n8.x{tiles}{trans}.b16.p3", pointer, *words)


@NVIDIA.of(nvgpu.LdMatrixOp)
def _ldmatrix(em: Emission, op: nvgpu.LdMatrixOp) -> None:
    em.require("ldmatrix")
    pointer = _row(em, op.srcMemref, op.indices)
    tiles, trans = op.numTiles, ".trans" if op.transpose.value else ""
    name = f"llvm.nvvm.ldmatrix.sync.aligned.m8n8.x{tiles}{trans}.b16.p3"
    if tiles == 1:
        words = [em.w.call_fresh("i32", name, pointer)]
    else:
        words = _call(em, name, [pointer], Registers("i32", tiles, 1))
    element = op.res.type.element
    bits = ELEMENT_BITS.get(str(element))
    if bits is None:
        raise em.error(f"cannot load elements of type {element}")
    em.set_pack(op.res, ungroup(em, words, 32 // bits, em.type(element)))
