"""What a kernel says of its GPU (`#iree_gpu.target`), and the refusal of what that GPU would lack.

The chip that code is made for has no more than the target says (`limited`); what a program needs besides is asked of
each stage (`refuse_lacking`). Facts that no choice of ours depends on are in `UNUSED_FACTS`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from math import prod

from .attributes import DictAttr
from .core import Operation
from .diagnostics import Report
from .dialects import gpu
from .dialects.arith_casts import Cast
from .dialects.atomic_kind import AtomicRMWKindAttr
from .dialects.gpu import AllReduceOperationAttr
from .dialects.gpu_together import BallotOp
from .dialects.hal_target import ExecutableTargetAttr
from .dialects.iree_gpu_target import TargetAttr, WordsAttr
from .dialects.vector_kind import CombiningKindAttr
from .effects import accesses
from .kernels import Kernel
from .targets import Chip, find_chip
from .targets.chip import UnknownTargetError
from .types import I1, Attribute, FloatType, IntegerType, Type, bit_width, scalar_type

TARGETS: Mapping[str, str] = {
    "iree_codegen.target_info": "ir/stated_target.py: the GPU that the program is for",
    "iree.gpu.target": "ir/stated_target.py: the same, as IREE called it before",
}
"""Attributes of kernels and modules, and entries of `hal.executable.target`, that are a `#iree_gpu.target`."""
EXECUTABLE_TARGET = "hal.executable.target"
UNUSED_FACTS = frozenset({"scaled_mma", "simds_per_wgp", "vgpr_space_bits", "dma_sizes", "wgp_count", "sku"})
"""Of a workgroup processor or a chip: nothing that lanewise chooses depends on them."""
_LOAD_BITS, _BANKS = 128, (32, 64)
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
        return dataclasses.replace(
            chip,
            subgroup_sizes=tuple(n for n in wgp.subgroup_size_choices if n in chip.subgroup_sizes),
            shared_memory_bytes=min(chip.shared_memory_bytes, wgp.max_workgroup_memory_bytes),
            static_shared_memory_bytes=min(chip.static_shared_memory_bytes, wgp.max_workgroup_memory_bytes),
            max_workgroup_sizes=(x, y, z),
            max_threads_per_workgroup=min(chip.max_threads_per_workgroup, wgp.max_thread_count_per_workgroup),
            matrix_names=frozenset(entry.name for entry in wgp.mma.instructions),
            limited_by=self.name,
        )


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
    if wgp.workgroup_memory_bank_count is not None and wgp.workgroup_memory_bank_count not in _BANKS:
        words = f"has workgroup_memory_bank_count = {wgp.workgroup_memory_bank_count} in '{stated.name}'"
        op.error(report, f"{words}, expected {' or '.join(map(str, _BANKS))}")
    counts = wgp.max_workgroup_counts
    if counts is not None and any(n < most for n, most in zip(counts, _COUNTS[chip.vendor], strict=False)):
        words = f"has max_workgroup_counts = {list(counts)} in '{stated.name}', fewer than {chip.name} has"
        op.error(report, f"{words}, which lanewise does not obey: launches check the device's")
    for part in (wgp, target.chip):
        if part is not None and part.extra is not None and part.extra != DictAttr(()):
            op.error(report, f"has extra in '{stated.name}', which lanewise does not obey")


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
