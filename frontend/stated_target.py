"""What a kernel says of its GPU (`#iree_gpu.target`), and the refusal of what that GPU would lack.

The chip that code is made for has no more than the target says (`limited`); what a program needs besides is asked of
each stage (`refuse_lacking`). `FIELDS` says of each field who reads it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from math import prod

from ..ir.attributes import DictAttr
from ..ir.core import Operation
from ..ir.dialects import gpu
from ..ir.dialects.arith_casts import Cast
from ..ir.dialects.atomic_kind import AtomicRMWKindAttr
from ..ir.dialects.gpu import AllReduceOperationAttr
from ..ir.dialects.gpu_together import BallotOp
from ..ir.dialects.vector_kind import CombiningKindAttr
from ..ir.effects import accesses
from ..ir.kernels import Kernel
from ..ir.types import I1, Attribute, FloatType, IntegerType, Type, bit_width, scalar_type
from ..support.dataclasses import dataclass, replace
from ..support.diagnostics import Report
from ..targets import Chip, find_chip
from ..targets.catalogue import PRODUCTS
from ..targets.chip import UnknownTargetError
from .dialects.hal_target import ExecutableTargetAttr
from .dialects.iree_gpu_target import TargetAttr, WordsAttr

TARGETS: Mapping[str, str] = {
    "iree_codegen.target_info": "frontend/stated_target.py: the GPU that the program is for",
    "iree.gpu.target": "frontend/stated_target.py: the same, as IREE called it before",
}
"""Attributes of kernels and modules, and entries of `hal.executable.target`, that are a `#iree_gpu.target`."""
EXECUTABLE_TARGET = "hal.executable.target"
_BOUND = "StatedTarget.limited: the chip has no more; check_stated: nor has the kernel"
_NEEDED = "refuse_lacking: what operations need"
_ALONE = "check_facts: one that lanewise does not obey is refused"
FIELDS: Mapping[str, str] = {
    "arch": "jit/kernel.py: the chip, unless another is asked for, which has to run its code",
    "features": _ALONE,
    "wgp.compute": _NEEDED,
    "wgp.storage": _NEEDED,
    "wgp.subgroup": _NEEDED,
    "wgp.dot": "StatedTarget.limited: products of bytes are done four at once where it has dp4xi8toi32",
    "wgp.mma": "StatedTarget.limited: matrix instructions are chosen among these",
    "wgp.scaled_mma": "StatedTarget.limited: amdgpu.scaled_mfma is one of these",
    "wgp.subgroup_size_choices": _BOUND,
    "wgp.max_workgroup_sizes": _BOUND,
    "wgp.max_thread_count_per_workgroup": _BOUND,
    "wgp.max_workgroup_memory_bytes": _BOUND,
    "wgp.max_workgroup_counts": _ALONE,
    "wgp.max_load_instruction_bits": _ALONE,
    "wgp.simds_per_wgp": _ALONE,
    "wgp.vgpr_space_bits": _ALONE,
    "wgp.dma_sizes": "StatedTarget.limited: copies to workgroup memory that go through no registers",
    "wgp.workgroup_memory_bank_count": "StatedTarget.limited: over how many banks wide reads of shared memory spread",
    "wgp.extra": _ALONE,
    "chip.wgp_count": "schedule/persist.py: how many workgroups stay",
    "chip.sku": "check_facts: a product that there is has the chip",
    "chip.extra": _ALONE,
}
"""The fields of `#iree_gpu.target` and what is in it, by name: who reads it."""
_DOT = ("dot4", "dot4.mixed")
_LLVM_DOT = ("dot1-insts", "dot6-insts", "dot7-insts", "dot8-insts")
"""LLVM's names for v_dot4_i32_i8, v_dot4c_i32_i8, v_dot4_u32_u8 and v_dot4_i32_iu8: it finds them in sums itself."""
_COPIES: Mapping[str, frozenset[int]] = {
    "cp.async": frozenset({32, 64, 128}),
    "global_load_lds": frozenset({32}),
    "global_load_lds.16": frozenset({128}),
}
"""Features, and the sizes in bits of the copies to workgroup memory that they are (`dma_sizes`)."""
_SIMDS = 4
"""The SIMDs of a compute unit of CDNA, a workgroup processor of RDNA, a multiprocessor."""
_LOAD_BITS, _BANKS, _WIDE_BANKS = 128, 32, "lds_banks.64"
_COUNTS = {"nvidia": (2**31 - 1, 2**16 - 1, 2**16 - 1), "amd": (2**31 - 1, 2**31 - 1, 2**31 - 1)}
"""Workgroups of a launch along x, y, z."""


@dataclass(frozen=True)
class StatedTarget:
    """`name`: the attribute that says it; `op`: where it stands."""

    target: TargetAttr
    name: str
    op: Operation

    def limited(self, chip: Chip) -> Chip:
        """The chip, with no more than the target says."""
        wgp = self.target.wgp
        x, y, z = (
            min(a, b) for a, b in zip(chip.max_workgroup_sizes, (*wgp.max_workgroup_sizes, 1, 1)[:3], strict=True)
        )
        return replace(
            chip,
            subgroup_sizes=tuple(n for n in wgp.subgroup_size_choices if n in chip.subgroup_sizes),
            shared_memory_bytes=min(chip.shared_memory_bytes, wgp.max_workgroup_memory_bytes),
            static_shared_memory_bytes=min(chip.static_shared_memory_bytes, wgp.max_workgroup_memory_bytes),
            max_workgroup_sizes=(x, y, z),
            max_threads_per_workgroup=min(chip.max_threads_per_workgroup, wgp.max_thread_count_per_workgroup),
            features=tuple(feature for feature in chip.features if feature.name not in self._lacking()),
            without_llvm_features=() if wgp.dot.words or not chip.supports(_DOT[0]) else _LLVM_DOT,
            matrix_names=frozenset(entry.name for entry in wgp.mma.instructions),
            scaled_shapes=frozenset(entry.shape for entry in wgp.scaled_mma),
            workgroup_processors=self.target.chip.wgp_count if self.target.chip is not None else None,
            limited_by=self.name,
        )

    def _lacking(self) -> Collection[str]:
        """The features that there are not, as the target says."""
        wgp = self.target.wgp
        lacking: set[str] = set(() if wgp.dot.words else _DOT)
        if wgp.dma_sizes is not None:
            lacking |= {name for name, sizes in _COPIES.items() if not sizes <= set(wgp.dma_sizes)}
        if wgp.workgroup_memory_bank_count == _BANKS:
            lacking.add(_WIDE_BANKS)
        return lacking


def stated_target(kernel: Kernel, report: Report) -> StatedTarget | None:
    """What the kernel, or else a module around it, says; None where none does. Reports what is no such attribute."""
    op: Operation | None = kernel.op
    while op is not None:
        given = [*_given(op, report)]
        if len({target for _, target in given}) > 1:
            op.error(report, f"has {given[0][0]} and {given[1][0]}, which differ")
        if given:
            return StatedTarget(given[0][1], given[0][0], op)
        op = op.enclosing()
    return None


def _given(op: Operation, report: Report) -> Iterator[tuple[str, TargetAttr]]:
    entries: dict[str, Attribute] = {name: op.attributes[name] for name in TARGETS if name in op.attributes}
    executable = op.attributes.get(EXECUTABLE_TARGET)
    if isinstance(executable, ExecutableTargetAttr):
        for name, value in executable.configuration.entries:
            if name in TARGETS:
                entries[name] = value
            else:
                op.error(report, f"has '{name}' in its {EXECUTABLE_TARGET}, which lanewise does not obey")
    elif executable is not None:
        op.error(report, f"{EXECUTABLE_TARGET} must be #hal.executable.target<...>, found {executable}")
    for name, value in entries.items():
        if isinstance(value, TargetAttr):
            yield name, value
        else:
            op.error(report, f"{name} must be #iree_gpu.target<...>, found {value}")


def check_stated(stated: StatedTarget, kernel: Kernel, chip: Chip, report: Report) -> None:
    """Reports what the target says that does not hold of the chip or the kernel's launch, or that nothing obeys."""
    _check_facts(stated, chip, report)
    wgp, sizes = stated.target.wgp, kernel.block_size
    limits = (*wgp.max_workgroup_sizes, 1, 1)[:3]
    for axis, size, limit in zip("xyz", sizes, limits, strict=True):
        if size > limit:
            words = f"has {size} threads along {axis}, max_workgroup_sizes of '{stated.name}' is"
            kernel.op.error(report, f"{words} {list(wgp.max_workgroup_sizes)}")
    if prod(sizes) > (most := wgp.max_thread_count_per_workgroup):
        words = f"has {prod(sizes)} threads, max_thread_count_per_workgroup of '{stated.name}' is {most}"
        kernel.op.error(report, words)
    choices, asked = wgp.subgroup_size_choices, kernel.subgroup_size
    if asked is not None and asked not in choices:
        words = f"asks for subgroups of {asked} threads, subgroup_size_choices of '{stated.name}' are {list(choices)}"
        kernel.op.error(report, words)


def _check_facts(stated: StatedTarget, chip: Chip, report: Report) -> None:
    target, op = stated.target, stated.op
    wgp = target.wgp
    try:
        named = find_chip(target.arch)
    except UnknownTargetError as error:
        op.error(report, f"arch of '{stated.name}': {error}")
        return
    if named.name != chip.name and not named.serves(chip):
        op.error(report, f"is for {target.arch}, as '{stated.name}' says, and compiled for {chip.name}")
    if target.features:
        op.error(report, f"has features \"{target.features}\" in '{stated.name}', which lanewise does not obey")
    if not set(wgp.subgroup_size_choices) & set(chip.subgroup_sizes):
        there = " or ".join(map(str, chip.subgroup_sizes))
        words = f"subgroup_size_choices of '{stated.name}' are {list(wgp.subgroup_size_choices)}"
        op.error(report, f"{words}, {chip.name} has subgroups of {there}")
    if wgp.max_load_instruction_bits is not None and wgp.max_load_instruction_bits < _LOAD_BITS:
        words = f"has max_load_instruction_bits = {wgp.max_load_instruction_bits} in '{stated.name}'"
        op.error(report, f"{words}, which lanewise does not obey: it loads up to {_LOAD_BITS} bits")
    banks = wgp.workgroup_memory_bank_count
    if banks is not None and banks not in _banks(chip):
        words = f"has workgroup_memory_bank_count = {banks} in '{stated.name}'"
        op.error(report, f"{words}, {chip.name} has {' or '.join(map(str, _banks(chip)))}")
    _check_registers(stated, chip, report)
    counts = wgp.max_workgroup_counts
    if counts is not None and any(n < most for n, most in zip(counts, _COUNTS[chip.vendor], strict=False)):
        words = f"has max_workgroup_counts = {list(counts)} in '{stated.name}', fewer than {chip.name} has"
        op.error(report, f"{words}, which lanewise does not obey: launches check the device's")
    for part in (wgp, target.chip):
        if part is not None and part.extra is not None and part.extra != DictAttr(()):
            op.error(report, f"has extra in '{stated.name}', which lanewise does not obey")


def _check_registers(stated: StatedTarget, chip: Chip, report: Report) -> None:
    """Code uses so many registers of a lane at most, on all SIMDs."""
    wgp, op = stated.target.wgp, stated.op
    least = 32 * _registers(chip)
    if wgp.vgpr_space_bits is not None and wgp.vgpr_space_bits < least:
        words = f"has vgpr_space_bits = {wgp.vgpr_space_bits} in '{stated.name}', which lanewise does not obey"
        op.error(report, f"{words}: threads of {chip.name} may have {least} bits")
    if wgp.simds_per_wgp is not None and wgp.simds_per_wgp != _SIMDS:
        words = f"has simds_per_wgp = {wgp.simds_per_wgp} in '{stated.name}', which lanewise does not obey"
        op.error(report, f"{words}: {chip.name} has {_SIMDS}")
    if wgp.dma_sizes is not None and (odd := set(wgp.dma_sizes) - _SIZES):
        words = f"has {min(odd)} in dma_sizes of '{stated.name}', which lanewise does not obey"
        op.error(report, f"{words}: it knows copies of {', '.join(map(str, sorted(_SIZES)))} bits")
    product = PRODUCTS.get(stated.target.chip.sku.lower()) if stated.target.chip is not None else None
    if product is not None and product.chip.name != chip.name and not chip.serves(product.chip):
        words = f"has sku = \"{product.name}\" in '{stated.name}', which is a {product.chip.name}"
        op.error(report, f"{words}, and is compiled for {chip.name}")


_SIZES = frozenset(size for sizes in _COPIES.values() for size in sizes)


def _registers(chip: Chip) -> int:
    """The registers of 32 bits that code gives a thread at most."""
    if chip.vendor == "nvidia":
        return 255
    return 1024 if chip.supports("high_registers") else 256


def _banks(chip: Chip) -> tuple[int, ...]:
    """The banks that shared memory may have; a workgroup processor of RDNA has 64, of which each of its two compute
    units has 32."""
    return (32, 64) if chip.supports(_WIDE_BANKS) or chip.supports("permlane16") else (32,)


# -- what programs need ----------------------------------------------------------------------------------------------


def refuse_lacking(stated: StatedTarget, function: Operation, on_units: Collection[Operation], report: Report) -> None:
    """Reports the operations of a stage that need scalars, or means of a subgroup, that the target has not.

    `on_units`: the contractions that matrix instructions do; what these compute with is the instructions' own.
    """
    wgp = stated.target.wgp
    said: set[object] = set()
    for op in function.walk():
        for need, of in (
            *((word, wgp.compute) for word in _computed(op) if op not in on_units),
            *((word, wgp.storage) for word in _stored(op)),
            *((word, wgp.subgroup) for word in _TOGETHER.get(type(op), ())),
        ):
            if need not in of.words and (op.location, need) not in said:
                said.add((op.location, need))
                op.error(report, f"needs {need}, which is not in {_field(of)} of '{stated.name}', {of.text}")
                break


def _field(words: WordsAttr) -> str:
    return words.mnemonic.removeprefix("iree_gpu.")


_TOGETHER: Mapping[type[Operation], Collection[str]] = {gpu.ShuffleOp: ("shuffle",), BallotOp: ("shuffle",)}
"""What operations of a subgroup need. Reductions over its lanes are shuffles here, whatever else a chip has."""
_CHOOSING = ("arith.select",)
_KINDS = (CombiningKindAttr, AllReduceOperationAttr, AtomicRMWKindAttr)
"""Attributes of operations that compute with more than one element."""


def _computed(op: Operation) -> list[str]:
    """The scalars that an operation computes with. A cast needs the wider of its two: it is how the other is stored.
    Numbers of type index are the chip's own."""
    if isinstance(op, Cast):
        sides = [scalar_type(v.type) for v in (*op.operands, *op.results)]
        return _words([max(sides, key=bit_width)])
    computes = op.elementwise and op.operands and op.moves == slice(0) and op.opname not in _CHOOSING
    if not computes and not any(isinstance(a, _KINDS) for a in op.attributes.values()):
        return []
    values = (*op.operands, *op.results) if computes else op.results
    return _words([scalar_type(v.type) for v in values])


def _words(types: Collection[Type]) -> list[str]:
    floats = {64: "fp64", 32: "fp32", 16: "fp16", 8: "fp8", 6: "fp6", 4: "fp4"}
    words: dict[str, None] = {}
    for type in types:
        match type:
            case FloatType():
                words[floats.get(type.width, "fp32")] = None
            case IntegerType(width=width) if type != I1:
                words[f"int{max(8, 1 << (width - 1).bit_length())}"] = None
            case _:
                pass
    return list(words)


def _stored(op: Operation) -> list[str]:
    return [f"b{max(8, 1 << (bit_width(a.memref.type.element) - 1).bit_length())}" for a in accesses(op)]
