"""Which matrix instructions the emulators execute: they are asked by the instruction's name in machine text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..emulate.amdgcn import chip as amd_chip
from ..emulate.amdgcn import fragments
from ..emulate.ptx.scaled import ScaledMultiply
from ..emulate.ptx.sparse import SparseMultiply
from ..emulate.ptx.tensor_cores import Multiply
from ..emulate.ptx.tensor_forms import Product
from ..emulate.ptx.wgmma import Form
from ..targets import Chip, MatrixInstruction, mfma_scaled, mma_scaled, mma_sparse, tcgen05, wmma_scaled
from ..targets.smfmac import sparse_instructions

_PTX: Mapping[str, str] = {
    "i8": "s8", "ui8": "u8", "i4": "s4", "ui4": "u4", "i32": "s32", "f8E4M3FN": "e4m3", "f8E5M2": "e5m2",
    "f6E2M3FN": "e2m3", "f6E3M2FN": "e3m2", "f4E2M1FN": "e2m1",
}  # fmt: skip
_AMD: Mapping[str, str] = {
    "tf32": "xf32", "f8E4M3FN": "fp8", "f8E5M2": "bf8", "f8E4M3FNUZ": "fp8", "f8E5M2FNUZ": "bf8",
    "f6E2M3FN": "fp6", "f6E3M2FN": "bf6", "f4E2M1FN": "fp4",
}  # fmt: skip
_SELECTORS = ("fp8", "bf8", "fp6", "bf6", "fp4")
"""Formats of A and B of f8f6f4, in order (CDNA 4 ISA: cbsz and blgp)."""


def is_emulated(instruction: MatrixInstruction, chip: Chip) -> bool:
    return (_in_ptx if chip.vendor == "nvidia" else _in_amdgcn)(instruction, chip)


def special_forms(chip: Chip) -> Iterator[tuple[str, bool]]:
    """The names of a chip's products of a sparse A or of block-scaled elements, and whether they are executed."""
    for i in mma_sparse.sparse_mma(chip):
        kind = "f8f6f4" if i.requires == "mma.f8f6f4" else ""
        yield i.name, SparseMultiply.create(_shape(i), _types(i), 0, saturate=False, kind=kind) is not None
    for scaled in mma_scaled.scaled_mma(chip):
        kind = "mxf8f6f4" if scaled.shape[2] == 32 else "mxf4nvf4"
        types = (*_types(scaled), mma_scaled.SCALES[scaled.scale_type])
        known = ScaledMultiply.create(_shape(scaled), types, kind, f"{scaled.blocks_of_k}X")
        yield scaled.name, known is not None
    for of_amd in mfma_scaled.scaled_mfma(chip):
        formats = _SELECTORS.index(_AMD[of_amd.a_type]), _SELECTORS.index(_AMD[of_amd.b_type])
        opcode = f"v_mfma_scale_f32_{'x'.join(map(str, of_amd.shape))}_f8f6f4"
        known_to_amd = fragments.find_scaled(opcode, amd_chip.make_chip(chip.name, of_amd.subgroup_size), formats)
        yield of_amd.name, known_to_amd is not None
    for of_waves in wmma_scaled.scaled_wmma(chip):
        formats = _SELECTORS.index(_AMD[of_waves.a_type]), _SELECTORS.index(_AMD[of_waves.b_type])
        head, kinds = of_waves.llvm_name.removeprefix("llvm.amdgcn.").split("128.")
        opcode = f"v_{head.replace('.', '_')}128_{kinds.partition('.')[0]}"
        known_waves = fragments.find_scaled_wmma(opcode, amd_chip.make_chip(chip.name, of_waves.subgroup_size), formats)
        yield of_waves.name, known_waves is not None
    for amds in sparse_instructions(chip):
        yield amds.name, fragments.find_sparse(amds.opcode, amd_chip.make_chip(chip.name, amds.lanes)) is not None


def _in_ptx(i: MatrixInstruction, chip: Chip) -> bool:
    if i.family == "tcgen05":
        found = Product.read(tcgen05.KIND_NAMES[i.a_type], tcgen05.instruction_descriptor(i, (False, False)))
        if isinstance(found, str):
            return False
        return ((found.m, found.n, found.k), (found.accumulator, found.a, found.b)) == (i.shape, _types(i)[:3])
    if i.family == "wgmma":
        return Form.create(_shape(i), _types(i)[:3]) is not None
    kind = "f8f6f4" if i.requires == "mma.f8f6f4" else ""
    return Multiply.create(_shape(i), _types(i), False, kind) is not None


def _shape(i: MatrixInstruction) -> str:
    return "m{}n{}k{}".format(*i.shape)


def _types(i: MatrixInstruction) -> tuple[str, ...]:
    """The types of D, A, B and C in PTX."""
    return tuple(_PTX.get(t, t) for t in (i.d_type, i.a_type, i.b_type, i.c_type))


def _in_amdgcn(i: MatrixInstruction, chip: Chip) -> bool:
    emulated = amd_chip.make_chip(chip.name, i.subgroup_size)
    m, n, k = i.shape
    a, b = (_AMD.get(t, t.removeprefix("u")) for t in (i.a_type, i.b_type))
    head = f"v_{i.family}_{i.c_type}_{m}x{n}x{k}"
    if ".f8f6f4" in i.llvm_name:
        formats = _SELECTORS.index(a), _SELECTORS.index(b)
        return fragments.find(f"{head}_f8f6f4", emulated, formats) is not None
    if i.family == "wmma" and a.startswith("i"):
        a = b = f"iu{a[1:]}"
    blocks = f"_{i.blocks}b" if i.blocks > 1 else ""
    types = f"{a}_{b}" if a in _SELECTORS else a
    return fragments.find(f"{head}{blocks}_{types}", emulated) is not None
