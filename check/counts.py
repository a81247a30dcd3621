"""What a kernel's code costs, as numbers with names: counted in its stages, in its machine text, and while it runs.

Two people who count the same kernel get the same numbers, so they can be a test's expectation (`// expect` in
filetests) or be compared between two versions of the compiler (`bench/counts.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, partial
from typing import Literal, TypeAlias, get_args

from ..codegen.assemble import Resources, assembles, has_tool
from ..codegen.machine_text import KINDS, MachineText
from ..emulate.counters import Counted, Counters
from ..ir.core import REGISTRY, Operation
from ..ir.dialects.iree_vector_ext import ToLayoutOp
from ..jit.emits import StageError
from ..jit.emulated import EmulatedDevice
from ..jit.facts import GENERAL, Facts
from ..jit.kernel import Kernel
from ..jit.kernel_variant import KernelVariant
from ..jit.launcher import Launcher
from ..layout.exchanges import exchanges, loop_of
from ..layout.workgroup import Workgroup
from ..pipeline.compilation import Compilation
from ..support.dataclasses import dataclass
from ..support.limits import GENEROUS, Limits
from .exposed_waits import Waited, exposed_waits
from .inputs import Inputs

Lowered: TypeAlias = Literal["layout", "thread"]
Source: TypeAlias = Literal["text", "stage", "run", "tools"]
"""Where a count is taken. `run` needs inputs, `tools` an assembler for NVIDIA's chips."""


class Measurement:
    """One kernel, and with `inputs` one launch on the emulator of its target.

    All counts are of the same code: the variant that a launch with these inputs takes; without them the fastest one;
    with `general` the one that knows nothing of its arguments.
    """

    def __init__(
        self, kernel: Kernel, inputs: Inputs | None = None, *, general: bool = False, limits: Limits = GENEROUS
    ) -> None:
        self.kernel, self.limits = kernel, limits
        self.inputs = inputs
        self.general = general

    @cached_property
    def facts(self) -> Facts:
        """What the variant takes to be true of its arguments."""
        if self.general:
            return GENERAL
        if self.inputs is None:
            return self.kernel.best_facts
        launcher = Launcher(self.kernel.variants, EmulatedDevice(self.kernel.target.name))
        return launcher.facts_of(self.inputs.arguments)

    @property
    def variant(self) -> str:
        """The variant, in words."""
        return self.code.words

    @cached_property
    def compilation(self) -> Compilation:
        return self.code.compilation

    @property
    def code(self) -> KernelVariant:
        return self.kernel.general if self.general else self.kernel.variant(self.facts)

    @property
    def has_tools(self) -> bool:
        """Whether counts that need an assembler can be had: `ptxas` and `nvdisasm` for NVIDIA's chips."""
        chip = self.kernel.target
        return chip.vendor == "amd" or (assembles(chip) and has_tool("nvdisasm"))

    @cached_property
    def sass(self) -> MachineText:
        """The machine text of NVIDIA's chips. Raises StageError for others, ToolMissingError."""
        return MachineText(self.code.sass, "sass")

    @cached_property
    def text(self) -> MachineText:
        language: Literal["ptx", "amdgcn"] = "ptx" if self.kernel.target.vendor == "nvidia" else "amdgcn"
        return MachineText(self.compilation.artifacts.assembly, language)

    @property
    def counters(self) -> Counters:
        """The emulator's counts of the launch. Raises LaunchError, ArgumentError."""
        return self._launched.counters or Counters()  # a grid without workgroups launches nothing

    @property
    def counted_lines(self) -> Mapping[int, Counted]:
        """The emulator's counts of each line of the machine text that has an instruction, from 1. Raises as it."""
        return self._launched.counted

    @cached_property
    def _launched(self) -> EmulatedDevice:
        assert self.inputs is not None, "a count of a run needs inputs"
        device = EmulatedDevice(self.kernel.target.name, limits=self.limits)
        launcher = Launcher(self.kernel.variants, device, specialise=not self.general)
        launcher.launch(self.inputs.grid, self.inputs.arguments)
        return device

    @cached_property
    def _resources(self) -> tuple[int, int]:
        """Registers of a thread, and what it spills: bytes for NVIDIA, registers for AMD."""
        found = self.code.resources
        if isinstance(found, Resources):
            return found.registers, found.spill_load_bytes + found.spill_store_bytes
        return found.vgpr, found.vgpr_spills + found.sgpr_spills

    def exposed(self, kind: Waited) -> int:
        """Loads of the loop that multiplies which are waited for before any product, on AMD's chips. Raises StageError
        for others, whose text says nothing of waits."""
        chip = self.kernel.target
        if chip.vendor != "amd":
            raise StageError(f"{chip.name}: waits stand in the machine text of AMD's chips alone")
        waits = exposed_waits(self.text.product_loop_lines, counts_stores=not chip.supports("vscnt"))
        return waits[kind]

    @property
    def registers(self) -> int:
        return self._resources[0]

    @property
    def spills(self) -> int:
        return self._resources[1]

    @property
    def sass_in_loops(self) -> int:
        """How many instructions of SASS stand in loops, on NVIDIA's chips. Raises StageError for others."""
        return self.sass.in_loops

    @property
    def shared_bytes(self) -> int:
        artifacts = self.compilation.artifacts
        return artifacts.static_shared_bytes + artifacts.dynamic_shared_bytes

    @cached_property
    def conversions(self) -> list[ToLayoutOp]:
        """Conversions of the layout stage that bring data to other threads; renaming registers is none."""
        compilation = self.compilation
        workgroup = Workgroup.of(compilation.layout_kernel, compilation.context)
        return [op for op, _ in exchanges(compilation.layout_kernel.op, workgroup)]

    @property
    def loop_conversions(self) -> int:
        return sum(loop_of(op) is not None for op in self.conversions)

    def operations(self, stage: Lowered, name: str | None = None) -> list[Operation]:
        """The operations of a stage, or those called `name`."""
        kernel = self.compilation.layout_kernel if stage == "layout" else self.compilation.thread_kernel
        return [op for op in kernel.op.walk() if name is None or op.opname == name]


@dataclass(frozen=True)
class Count:
    """Attributes:
    meaning: What is counted, with its unit.
    source: Where.
    of: The number. Raises what compiling and launching raise, and ToolMissingError.
    vendor: Whose chips alone have it; for others `of` raises StageError. None where all have.
    """

    meaning: str
    source: Source
    of: Callable[[Measurement], int]
    vendor: Literal["amd", "nvidia"] | None = None


_MEANINGS: Mapping[str, str] = {
    "mma": "matrix instructions",
    "wgmma": "matrix instructions of four subgroups",
    "fma": "fused multiply-adds",
    "selects": "choices between two values",
    "casts": "conversions from and to floats",
    "shuffles": "instructions that read other lanes",
    "barriers": "barriers",
    "loads": "loads from global memory",
    "copies": "copies from global to shared memory that go on meanwhile",
    "stores": "stores to global memory",
    "shared loads": "loads from shared memory",
    "shared stores": "stores to shared memory",
    "matrix loads": "loads of matrices, such as ldmatrix",
}


def _of_text(kind: str) -> Count:
    return Count(f"{_MEANINGS[kind]} in the machine text", "text", lambda m: m.text.count(kind))


def _of_run(counter: str, meaning: str) -> Count:
    return Count(meaning, "run", lambda m: getattr(m.counters, counter))


COUNTS: Mapping[str, Count] = {
    "instructions": Count("instructions of the machine text", "text", lambda m: m.text.size),
    "loop instructions": Count("instructions of the machine text in loops", "text", lambda m: m.text.in_loops),
    **{kind: _of_text(kind) for kind in KINDS},
    "shared bytes": Count("shared memory of a workgroup", "text", lambda m: m.shared_bytes),
    "conversions": Count("changes of layout that move data between threads", "stage", lambda m: len(m.conversions)),
    "product loop instructions": Count(
        "of the loop with the fewest for each product of matrices", "text", lambda m: m.text.in_product_loop
    ),
    "exposed loads": Count(
        "loads from global memory that this loop waits for with no product in between (AMD)",
        "text",
        lambda m: m.exposed("global"),
        "amd",
    ),
    "exposed shared loads": Count(
        "loads from shared memory that it waits for so (AMD)", "text", lambda m: m.exposed("shared"), "amd"
    ),
    "loop conversions": Count("those inside of loops", "stage", lambda m: m.loop_conversions),
    "sass loop instructions": Count(
        "instructions of SASS in loops (NVIDIA)", "tools", lambda m: m.sass_in_loops, "nvidia"
    ),
    "registers": Count("registers of a thread", "tools", lambda m: m.registers),
    "spills": Count("bytes (NVIDIA) or registers (AMD) that a thread spills", "tools", lambda m: m.spills),
    "sectors": _of_run("global_sectors", "sectors of 32 bytes of global memory, each access of a subgroup for itself"),
    "read bytes": _of_run("global_load_bytes", "bytes that threads read from global memory"),
    "written bytes": _of_run("global_store_bytes", "bytes that threads write to global memory"),
    "wavefronts": _of_run("shared_wavefronts", "passes through shared memory"),
    "bank conflicts": _of_run("shared_bank_conflicts", "passes beyond the least possible"),
    "shared read bytes": _of_run("shared_load_bytes", "bytes that threads read from shared memory"),
    "shared written bytes": _of_run("shared_store_bytes", "bytes that threads write to shared memory"),
    "atomics": _of_run("atomics", "atomic operations of threads"),
    "executed": _of_run("warp_instructions", "instructions that subgroups execute"),
    "executed mma": _of_run("matrix_instructions", "matrix instructions that subgroups execute"),
    "matrix flops": _of_run("matrix_flops", "multiplications and additions of these"),
    "executed barriers": _of_run("barriers", "barriers at which subgroups arrive"),
    "divergent branches": _of_run("divergent_branches", "branches that lanes of a subgroup take differently"),
}
"""Counts by name. Besides, `layout NAME` and `thread NAME` count the operations called NAME in a stage."""


def find_count(name: str) -> Count | None:
    """The count of a name, None where there is none such."""
    for stage in get_args(Lowered):
        opname = name.removeprefix(f"{stage} ")
        if opname != name and opname in REGISTRY:
            return Count(f"{opname} in the {stage} stage", "stage", partial(_operations, stage, opname))
    return COUNTS.get(name)


def _operations(stage: Lowered, name: str, measurement: Measurement) -> int:
    return len(measurement.operations(stage, name))
