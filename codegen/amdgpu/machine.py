"""AMDGPU beside its rules: the kernel's attributes and ids, approximations.

A kernel takes its arguments and nothing else: every implicit argument and register that it does not read is declined,
so that the hardware sets up no more than is used. The grid's extents, for which there is no register, follow the
arguments where they are read.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from types import MappingProxyType

from ...ir.core import Operation
from ...ir.integer_ranges import Range
from ...ir.matrix_operations import multiplies
from ...targets import Chip
from ..emit import ids
from ..emit.at_use import has_longer
from ..emit.descriptor import BUFFER, GLOBAL, PRIVATE, SHARED, Address
from ..emit.emission import Emission, FloatInstruction
from ..emit.text import Ssa, integer
from ..llvm import UNPAIRED
from . import approximations, guarded, lds
from .fences import METADATA, in_loop, needs_full_waits, ordered_by_all
from .high_registers import check_high_registers
from .settling import settle_before_branch, settle_before_two_branches
from .waits import Kind, check_waits

_CODE_OBJECT_VERSION = 500
_DATA = 1
"""The cache that LLVM's prefetch is about."""
_DECLINED = (
    "cluster-id-x", "cluster-id-y", "cluster-id-z", "completion-action", "default-queue", "dispatch-id",
    "dispatch-ptr", "flat-scratch-init", "heap-ptr", "hostcall-ptr", "implicitarg-ptr", "lds-kernel-id",
    "multigrid-sync-arg", "queue-ptr",
)  # fmt: skip
_LONGEST_PAIRED = 4000
"""Lines of a block without matrix instructions in which LLVM looks for pairs that are issued as one: decision 0112."""
_ID_REGISTERS = tuple(f"{what}.id.{axis}" for what in ("workgroup", "workitem") for axis in "xyz")


class Amdgpu:
    """AMD's side of `Machine`."""

    calling_convention = "amdgpu_kernel"
    atomic_scopes: Mapping[int, str] = MappingProxyType({GLOBAL: "agent", BUFFER: "agent", SHARED: "workgroup"})
    # Without these every atomic on global memory that PCIe cannot carry becomes a loop.
    stack_space = PRIVATE
    nontemporal = ", !nontemporal !{i32 1}"
    has_priorities = False
    tunes_integers = True
    """LLVM moves what fits into registers, at its level; shorter counters cost gfx11 instructions."""
    permute_bytes = "llvm.amdgcn.perm"
    atomic_facts = ", !amdgpu.no.fine.grained.memory !{}, !amdgpu.no.remote.memory !{}"

    def enter_loop(self, emission: Emission, loop: Operation) -> None:
        if multiplies(loop):
            settle_before_branch(emission)

    def leave_iteration(self, emission: Emission, loop: Operation) -> None:
        if in_loop(loop) and multiplies(loop):
            settle_before_two_branches(emission)

    def function_attributes(self, emission: Emission) -> str:
        threads = math.prod(emission.block_size)
        unread = [name for name in _ID_REGISTERS if not emission.w.calls(f"llvm.amdgcn.{name}")]
        declined = sorted([*_DECLINED, *(name.replace(".", "-") for name in unread)])
        features = _features(emission)
        words = [
            "nounwind",
            f'"amdgpu-flat-work-group-size"="{threads},{threads}"',
            '"uniform-work-group-size"="true"',
            '"denormal-fp-math-f32"="ieee,ieee"',
            *([UNPAIRED] if _pairs_too_long(emission) else []),
            *(['"amdgpu-agpr-alloc"="0"'] if emission.chip.supports("unified_registers") else []),
            f'"target-features"="{features}"',
            *(f'"amdgpu-no-{name}"' for name in declined),
        ]
        return " ".join(words)

    def metadata(self, emission: Emission) -> tuple[str, Sequence[str]]:
        size = ", ".join(f"i32 {n}" for n in emission.block_size)
        lines = (
            "!llvm.module.flags = !{!0}",
            f'!0 = !{{i32 1, !"amdhsa_code_object_version", i32 {_CODE_OBJECT_VERSION}}}',
            f"!1 = !{{{size}}}",
            METADATA,
            *(lds.METADATA if lds.copies_to_lds(emission) else ()),
        )
        return "!reqd_work_group_size !1 ", lines

    def shared_marks(self, emission: Emission) -> str:
        return lds.SHARED_MARKS if lds.copies_to_lds(emission) else ""

    def check_of(self, emission: Emission) -> Callable[[str], None]:
        ordered = ordered_by_all(emission.chip, emission.barriers)
        return partial(_check, chip=emission.chip, ordered=ordered)

    def thread_id(self, emission: Emission, axis: int) -> Ssa:
        return _register(emission, "workitem", axis, emission.integers.launch.thread_id(axis))

    def block_id(self, emission: Emission, axis: int, numbers: Range) -> Ssa:
        return _register(emission, "workgroup", axis, numbers, is_uniform=True)

    def grid_dim(self, emission: Emission, axis: int) -> Ssa:
        return emission.grid_extents.setdefault(axis, Ssa(f"%grid{axis}", "i64"))

    def same_in_subgroup(self, emission: Emission, value: Ssa) -> Ssa:
        """In a scalar register: then the branch is the wave's, and what it leaves out is not gone through idly."""
        return emission.w.call("i32", "llvm.amdgcn.readfirstlane.i32", value)

    def guarded_load(
        self, emission: Emission, address: Address, guard: Ssa, other: Sequence[Ssa], *, read_only: bool
    ) -> list[Ssa]:
        return guarded.load(emission, address, guard, other)

    def guarded_store(self, emission: Emission, address: Address, guard: Ssa, values: Sequence[Ssa]) -> None:
        guarded.store(emission, address, guard, values)

    def has_one_stop(self, chip: Chip) -> bool:
        """On gfx11 LLVM 22 writes more than the instruction, which is none there in privileged waves; having written
        that it goes on behind the block, and what it leaves out in blocks between ends the process."""
        return chip.supports("waitcnt.gfx11")

    def prefetch(self, emission: Emission, address: Address, *, write: bool, locality: int) -> None:
        """From gfx1250 on lanes say so, each of its own place. Before that chips have nothing for it, or for a wave,
        which may end the program beyond memory."""
        if address.space == GLOBAL and emission.chip.supports("global_prefetch"):
            numbers = [integer(n, "i32") for n in (int(write), locality, _DATA)]
            emission.w.call_void("llvm.prefetch.p1", address.pointer(emission.w), *numbers)

    def approximate(self, emission: Emission, instruction: FloatInstruction, x: Ssa, *, subnormal: bool = False) -> Ssa:
        return (
            approximations.subnormal(emission, instruction, x)
            if subnormal
            else approximations.normal(emission, instruction, x)
        )


def _check(assembly: str, chip: Chip, ordered: Collection[Kind]) -> None:
    """Looks for what LLVM is known to get wrong."""
    check_waits(assembly, chip, ordered)
    check_high_registers(assembly, chip)


def _features(emission: Emission) -> str:
    """The subgroup's size where LLVM would take another; and accesses stay as aligned as they are written, where
    LLVM would join halves of words into words at odd addresses, so that emulation can check what the program proves.
    For a chip that could not back off from barriers LLVM would wait for everything at each. What the program's target
    has not, LLVM does not use by itself."""
    features, size = ["-unaligned-access-mode"], emission.subgroup_size
    if size != emission.chip.native_subgroup_size:
        features.append(f"+wavefrontsize{size}")
    if needs_full_waits(emission):
        features.append("-back-off-barrier")
    features += (f"-{name}" for name in emission.chip.without_llvm_features)
    return ",".join(features)


def _pairs_too_long(emission: Emission) -> bool:
    """LLVM 22 looks at all pairs of a block's instructions: its time grows with the square of their number."""
    chip = emission.chip
    pairs = chip.supports("dual_issue") and emission.subgroup_size == 32
    return pairs and has_longer(emission.w.lines, _LONGEST_PAIRED)


def _register(emission: Emission, what: str, axis: int, numbers: Range, *, is_uniform: bool = False) -> Ssa:
    """An id that is one of these numbers, as index. `is_uniform`: all threads of a workgroup have the same."""
    attribute = ids.range_attribute(numbers)
    register = emission.w.call("i32", f"llvm.amdgcn.{what}.id.{'xyz'[axis]}", attributes=attribute, ahead=True)
    if is_uniform:
        emission.w.mark_uniform(register)
    return ids.as_index(emission, emission.w.know(register, numbers))
