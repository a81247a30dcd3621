"""Probes of matrix instructions: who holds what, found out by executing them.

One element of A is 1 and the others 0 (of instructions of four subgroups one of each row), and B says of each of its
elements where it is: then row m of the result is row k of B, which lane and register show. All elements of A take
turns, one a workgroup. B's numbers are written in digits that every element type has, one after another. What is
right follows from the fragments of `targets` and no more; what an executor does follows from its own, so that a
probe on silicon judges both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from ..ir.numerics import Array, host_dtype
from ..ir.types import FLOAT_WIDTHS, FloatType, IntegerType, Type
from ..jit.device_choice import DeviceChoice
from ..jit.launchable import Launchable
from ..support.dataclasses import dataclass
from ..targets import Chip, Fragment, MatrixInstruction
from . import probe_tensor, probe_warpgroup
from .probe_special import NOTHING, Besides

if TYPE_CHECKING:
    from ..jit.kernel import Kernel

BASES: Mapping[str, int] = {
    "f4E2M1FN": 4, "f6E2M3FN": 8, "f6E3M2FN": 8, "i4": 8, "ui4": 16, "i8": 128, "ui8": 256,
    "f8E4M3FN": 16, "f8E4M3FNUZ": 16, "f8E5M2": 8, "f8E5M2FNUZ": 8, "bf16": 256, "f16": 2048, "tf32": 2048,
}  # fmt: skip
"""So many numbers, from 0 on, each type has; wider ones have more than there are elements."""
_PLENTY = 1 << 16


@dataclass(frozen=True)
class Verdict:
    """`detail` is the first element that is elsewhere; empty where all is right."""

    instruction: str
    elements: int
    detail: str

    @property
    def is_right(self) -> bool:
        return not self.detail


def probe_kernel(
    instruction: MatrixInstruction, chip: Chip, device: DeviceChoice = "auto", besides: Besides = NOTHING
) -> Kernel:
    """Loads each lane's parts, multiplies once, stores the result."""
    from ..jit.kernel import compile as compile_program  # saved probes run where there is no compiler

    return compile_program(_program(instruction, besides), chip, device=device)


def probe(instruction: MatrixInstruction, kernel: Launchable, besides: Besides = NOTHING) -> Verdict:
    """Executes a probe's kernel where it runs and compares."""
    ones = probe_warpgroup.patterns(instruction) if instruction.subgroups > 1 else _one_hot(instruction)
    numbers = _digits(instruction)
    a, b, d = (_type(t) for t in (instruction.a_type, instruction.b_type, instruction.d_type))
    product = np.matmul(besides.left(ones)[:, None], besides.right(numbers)[None])
    wanted = _held(product, instruction.d, instruction, d)
    in_tensor_memory = instruction.accumulator_place == "tensor"
    if in_tensor_memory:
        operands = [probe_tensor.words(ones.astype(host_dtype(a)))]
    else:
        operands = [_held(ones, instruction.a, instruction, a)]
    if instruction.subgroups > 1:
        wanted = np.repeat(wanted[:, :, None], probe_warpgroup.WAYS, axis=2)
        operands += [ones.astype(host_dtype(a)), numbers.swapaxes(1, 2).astype(host_dtype(b), order="C")]
    else:
        operands.append(_held(numbers, instruction.b, instruction, b))
    result = np.zeros_like(wanted)
    if in_tensor_memory:
        _one_digit_after_another(kernel, operands, result)
    else:
        kernel[len(ones), len(numbers)](*operands, *(held for _, held in besides.operands), result)
    wrong = np.argwhere(result.astype(np.float64) != wanted.astype(np.float64))
    first = "tensor memory" if in_tensor_memory else "registers"
    detail = _detail(wrong[0].tolist(), result, wanted, first) if len(wrong) else ""
    return Verdict(instruction.name, int(ones.sum()), detail)


def _one_digit_after_another(kernel: Launchable, operands: Sequence[Array], result: Array) -> None:
    """A launch each: emulators remember what all of a launch's workgroups have written."""
    *of_a, numbers = operands
    for digit in range(len(numbers)):
        part = np.ascontiguousarray(result[:, digit : digit + 1])
        kernel[len(result), 1](*of_a, numbers[digit : digit + 1], part)
        result[:, digit] = part[:, 0]


def _detail(place: list[int], found: Array, wanted: Array, first: str) -> str:
    """`first`: where A is in the first of two ways, if there are two."""
    one, digit, *way, lane, register = place
    at = tuple(place)
    given = f"element {one} of A alone" if not way else f"pattern {one} of A in {(first, 'shared memory')[way[0]]}"
    return (
        f"with {given}, digit {digit} of B in lane {lane}, element {register}: expected {wanted[at]}, found {found[at]}"
    )


# -- data -----------------------------------------------------------------------------------------------------------


def _one_hot(instruction: MatrixInstruction) -> Array:
    """[element of A, (block,) row, k]; of a sparse A those that are held."""
    shape = instruction.a.shape
    return np.eye(prod(shape)).reshape(prod(shape), *shape)


def _digits(instruction: MatrixInstruction) -> Array:
    """[digit, (block,) k, column] of 1, 2, ...: 0 would look as if nothing were there."""
    shape = instruction.b.shape
    base = min(BASES.get(type, _PLENTY) for type in (instruction.b_type, instruction.d_type))
    numbers, count = np.arange(1, prod(shape) + 1).reshape(shape), 1
    while base**count <= prod(shape):
        count += 1
    return np.stack([numbers // base**i % base for i in range(count)]).astype(np.float64)


def _held(matrices: Array, fragment: Fragment, instruction: MatrixInstruction, type: Type) -> Array:
    """[..., lane, element] of [..., (block,) row, column]."""
    where = fragment.held(instruction.subgroup_size, instruction.subgroups)
    flat = np.ravel_multi_index(tuple(np.moveaxis(where, -1, 0)), matrices.shape[-fragment.rank :])
    held = matrices.reshape(*matrices.shape[: -fragment.rank], -1)[..., flat]
    return np.ascontiguousarray(held).astype(host_dtype(type))


def _type(spelled: str) -> Type:
    """The type of an element as programs have it."""
    if spelled == "tf32":
        return FloatType("f32")
    return FloatType(spelled) if spelled in FLOAT_WIDTHS else IntegerType(int(spelled.lstrip("ui")))


# -- program --------------------------------------------------------------------------------------------------------


def _program(instruction: MatrixInstruction, besides: Besides) -> str:
    if instruction.subgroups > 1:
        make = probe_tensor.program if instruction.accumulator_place == "tensor" else probe_warpgroup.program
        types = (instruction.a_type, instruction.b_type, instruction.d_type)
        return make(instruction, *(str(_type(t)) for t in types))
    lanes = instruction.subgroup_size
    operands = (("a", instruction.a_type, instruction.a), ("b", instruction.b_type, instruction.b))
    extents = {"a": "?", "b": "?"}
    lines = [
        "%t = gpu.thread_id x",
        "%x = gpu.block_id x",
        "%y = gpu.block_id y",
        "%c0 = arith.constant 0 : index",
    ]
    arguments: list[str] = []
    for (name, type, fragment), block in zip(operands, ("x", "y"), strict=True):
        buffer = f"memref<{extents[name]}x{lanes}x{fragment.elements}x{_type(type)}>"
        arguments.append(f"%m{name}: {buffer}")
        lines += _load(name, f"%m{name}[%{block}, %t, %c0]", buffer, fragment, _type(type), _pack(instruction, name))
    for number, (type, held) in enumerate(besides.operands):
        buffer = f"memref<{lanes}x{held.shape[1]}x{type}>"
        arguments.append(f"%me{number}: {buffer}")
        loaded = _besides_type(type, held)
        load, tail = ("vector.load", f", {loaded}") if held.shape[1] > 1 else ("memref.load", "")
        lines.append(f"%e{number} = {load} %me{number}[%t, %c0] : {buffer}{tail}")
    result, count = _type(instruction.d_type), instruction.d.elements
    pack = _pack(instruction, "c")
    zero = "0.0" if result.is_float else "0"
    lines.append(f"%c = arith.constant {f'dense<{zero}> : {pack}' if pack.startswith('v') else f'{zero} : {result}'}")
    lines.append(_multiply(instruction, besides))
    out = f"memref<?x?x{lanes}x{count}x{result}>"
    arguments.append(f"%out: {out}")
    flat = f"vector<{count}x{result}>"
    if pack.startswith("vector") and pack != flat:
        lines.append(f"%flat = vector.shape_cast %d : {pack} to {flat}")
    value = "%flat" if pack.startswith("vector") and pack != flat else "%d"
    store = f"vector.store {value}" if pack.startswith("vector") else f"memref.store {value}"
    tail = f" : {out}, {flat}" if pack.startswith("vector") else f" : {out}"
    lines.append(f"{store}, %out[%x, %y, %t, %c0]{tail}")
    body = "\n".join(f"  {line}" for line in lines)
    head = f"gpu.known_block_size = array<i32: {lanes}, 1, 1>, lanewise.subgroup_size = {lanes} : i64"
    return (
        'module attributes {lanewise.stage = "thread"} {\n'
        f"gpu.func @probe({', '.join(arguments)}) kernel attributes {{{head}}} {{\n{body}\n  gpu.return\n}}\n}}\n"
    )


def _load(name: str, place: str, buffer: str, fragment: Fragment, type: Type, pack: str) -> list[str]:
    if not pack.startswith("vector"):
        return [f"%{name} = memref.load {place} : {buffer}"]
    flat = f"vector<{fragment.elements}x{type}>"
    if flat == pack:
        return [f"%{name} = vector.load {place} : {buffer}, {flat}"]
    load = f"%{name}_flat = vector.load {place} : {buffer}, {flat}"
    return [load, f"%{name} = vector.shape_cast %{name}_flat : {flat} to {pack}"]


def _pack(instruction: MatrixInstruction, name: str) -> str:
    """The type of an operand of the thread-level operation."""
    fragment: Fragment = getattr(instruction, name)
    type = _type({"a": instruction.a_type, "b": instruction.b_type, "c": instruction.c_type}[name])
    if instruction.family in _NVIDIA:
        return f"vector<{prod(fragment.outer)}x{prod(fragment.element)}x{type}>"
    return f"vector<{fragment.elements}x{type}>" if fragment.elements > 1 else str(type)


_NVIDIA = {
    "mma.sync": ("nvgpu.mma.sync", ""),
    "mma.sp": ("nvgpu.mma.sp.sync", " metadata(%e0)"),
    "mma.block_scale": ("nvgpu.mma.block_scale.sync", " scales(%e0, %e1)"),
}
"""Operations by family, and how they take what there is besides."""


_SPARSE = {"smfmac": "amdgpu.sparse_mfma", "swmmac": "amdgpu.sparse_wmma"}


def _besides_type(type: str, held: Array) -> str:
    return f"vector<{held.shape[1]}x{type}>" if held.shape[1] > 1 else type


def _multiply(instruction: MatrixInstruction, besides: Besides) -> str:
    packs = [_pack(instruction, name) for name in "abc"]
    sides = (("unsignedA", instruction.a_type), ("unsignedB", instruction.b_type))
    marks = [mark for mark, type in sides if type.startswith("ui")]
    if instruction.family in _NVIDIA:
        name, given = _NVIDIA[instruction.family]
        flags = ["mmaShape = [{}, {}, {}]".format(*instruction.shape), *marks, *besides.flags]
        flags += ["tf32Enabled"] * (instruction.a_type == "tf32")
        scales = [f"vector<{held.shape[1]}x{type}>" for type, held in besides.operands]
        types = ", ".join([f"({', '.join(packs)})", *(scales if instruction.family == "mma.block_scale" else [])])
        return f"%d = {name}(%a, %b, %c){given} {{{', '.join(flags)}}} : {types} -> {packs[2]}"
    blocks = f"blocks({instruction.blocks}) " if instruction.blocks > 1 else ""
    shape = "x".join(map(str, instruction.shape))
    words = "".join(f"{mark} " for mark in marks)
    if instruction.family == "mfma.scale":
        (type, held), _ = besides.operands
        last, of_lane = held.shape[1] - 1, _besides_type(type, held)
        listed = ", ".join([of_lane, packs[0], of_lane, packs[1], packs[2]])
        return f"%d = amdgpu.scaled_mfma {shape} (%e0[{last}] * %a) * (%e1[{last}] * %b) + %c : {listed}"
    if instruction.family == "wmma.scale":
        first, second = (_besides_type(type, held) for type, held in besides.operands)
        listed = ", ".join([first, packs[0], second, packs[1], packs[2]])
        return f"%d = amdgpu.scaled_wmma {shape} (%e0 * %a) * (%e1 * %b) + %c {{{', '.join(besides.flags)}}} : {listed}"
    if instruction.family in _SPARSE:
        ((type, held),) = besides.operands
        indices = f"sparse(%e0 : {_besides_type(type, held)})"
        return f"%d = {_SPARSE[instruction.family]} {shape} %a * %b + %c {indices} {words}: {', '.join(packs)}"
    return f"%d = amdgpu.{instruction.family} {blocks}{shape} %a * %b + %c {words}: {', '.join(packs)}"
