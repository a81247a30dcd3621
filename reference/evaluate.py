"""Runs kernels and functions on numpy arrays: what a program means.

A kernel is one program of each workgroup, subgroup or thread (its scope). All owners of a batch of workgroups run
together, operation by operation.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..analysis.buffers import Buffers
from ..frontend.legalisations import REASON, is_expanded
from ..frontend.legalise import expanded
from ..ir.attributes import number_of
from ..ir.core import Operation, Value
from ..ir.dialects import builtin, func, gpu, memref
from ..ir.dialects.func import FunctionLike
from ..ir.kernels import AXES, Kernel
from ..ir.narrow_arguments import on_numbers
from ..ir.numerics import Array
from ..ir.printing import Record
from ..ir.split_axis import SPLIT_AXIS
from ..ir.types import shape_of
from ..support.dataclasses import dataclass
from ..support.diagnostics import Diagnostic
from ..support.limits import GENEROUS, Limits, Meter
from ..support.named_tuples import NamedTuple
from . import (
    matrix_amd,
    matrix_nvidia,
    matrix_scaled,
    matrix_scaled_amd,
    matrix_sparse,
    matrix_sparse_nvidia,
    matrix_warpgroup,
    propagation_floats,
    propagation_scan,
    propagation_sums,
    rules_arg_compare,
    rules_async_groups,
    rules_atomic,
    rules_barriers,
    rules_cluster,
    rules_control,
    rules_copies,
    rules_ids,
    rules_lanes,
    rules_lds,
    rules_memory,
    rules_printing,
    rules_programs,
    rules_raw_buffers,
    rules_regions,
    rules_strides,
    rules_tensor_dma,
    rules_tensor_memory,
    rules_transposes,
    rules_update,
    rules_views,
)
from . import rules_collectives as rules_together
from . import rules_tma as rules_boxes
from . import rules_tma_stores as rules_box_stores
from .arguments import Arguments, box_of
from .batch_state import Findings, State
from .buffers import Buffer
from .closures import EVALUATE, Compiler, Step, run
from .errors import EvaluationError, EvaluationLimit, failure
from .geometry import Batch, Geometry, triple
from .memory import MemRef
from .propagation import Machine
from .races import MAX_OWNERS, Shadow, Stamp, owner_bits
from .rules_async_groups import end_groups
from .rules_regions import KEPT, region_code
from .value_rules import on_values

RULES = (
    matrix_amd,
    matrix_nvidia,
    matrix_scaled,
    matrix_scaled_amd,
    matrix_sparse,
    matrix_sparse_nvidia,
    matrix_warpgroup,
    propagation_floats,
    propagation_scan,
    propagation_sums,
    rules_arg_compare,
    rules_async_groups,
    rules_atomic,
    rules_box_stores,
    rules_barriers,
    rules_boxes,
    rules_cluster,
    rules_control,
    rules_copies,
    rules_ids,
    rules_lanes,
    rules_lds,
    rules_memory,
    rules_printing,
    rules_programs,
    rules_raw_buffers,
    rules_regions,
    rules_strides,
    rules_tensor_dma,
    rules_tensor_memory,
    rules_together,
    rules_transposes,
    rules_update,
    rules_views,
)
"""Importing them fills the tables."""
BATCH_OWNERS = 1 << 16
BATCH_BYTES = 1 << 28
"""What the values, or the workgroup memory, of one batch may take, roughly."""
BATCH_ELEMENTS = 1 << 14
"""Elements of the largest vector of all owners of a batch: beyond it, there is nothing to gain from more workgroups."""

EVALUATE.needless("holds other operations", builtin.ModuleOp, gpu.GPUModuleOp, func.FuncOp, gpu.GPUFuncOp)
EVALUATE.needless_family("ends a block: its operands are what the block hands on", lambda cls: cls.terminator)
EVALUATE.needless_family(REASON, lambda cls: is_expanded(cls) and cls.reference is Operation.reference)


@dataclass(frozen=True)
class Doubts:
    """How far a right execution on some machine may be from what the reference left.

    `bounds` has, by argument, the absolute error that is allowed of each element: infinite where it is undecided, that
    is where it depends on a comparison that may fall either way. None: the same bits. `unsettled` are operations whose
    branch, length or address depended on something undecided: if there are any, nothing can be said. `printed` is what
    the run printed, by owner. `untouched` says of each argument that is a buffer what the program left alone.
    """

    bounds: tuple[Array | None, ...]
    unsettled: tuple[Operation, ...]
    printed: tuple[Record, ...]
    untouched: tuple[Untouched | None, ...]


class Untouched(NamedTuple):
    """How many elements of a buffer no owner read, how many none wrote, and the first of these."""

    unread: int
    unwritten: int
    first_unwritten: tuple[int, ...] = ()


class Writers:
    """Who last wrote the elements of a launch's arguments."""

    def __init__(self, geometry: Geometry, operations: Sequence[Operation], arguments: Sequence[Any]) -> None:
        self._geometry, self._operations, self._arguments = geometry, operations, arguments

    def writer(self, argument: int, byte: int) -> tuple[str, Operation] | None:
        """The owner, in words, and the operation that last wrote a byte of a memref argument; None: nobody did.

        `byte` counts from the element (0, ..., 0), backwards where strides are negative.
        """
        memref = self._arguments[argument]
        shadow = memref.buffer.shadow
        stamp = 0 if shadow is None else shadow.last_write(memref.offset * memref.dtype.itemsize + byte)
        if not stamp:
            return None
        parts = Stamp.of(stamp, self._geometry)
        return self._geometry.who(parts.workgroup, parts.owner), self._operations[parts.operation]


@on_numbers
def run_kernel(
    kernel: Kernel,
    grid: int | Sequence[int],
    arguments: Sequence[Any],
    subgroup_size: int | None = None,
    machine: Machine | None = None,
    *,
    limits: Limits = GENEROUS,
) -> Doubts:
    """Runs `kernel` on `grid` workgroups (x, y, z), in place on the arrays among `arguments`.

    One argument per parameter: an array of the memref's extents, element type and stated strides, or a number. Arrays
    start at addresses as aligned as the argument's `llvm.align` states, else at multiples of 4096 bytes.
    `subgroup_size` counts where the kernel does not say it. Raises `EvaluationError` for what is undefined: accesses
    out of bounds or misaligned, reads of what nobody wrote, data races between subgroups or threads, barriers and
    shuffles that not all reach; and where a limit is reached.
    What executions on `machine` may differ by is given back; without a machine, nothing is followed.
    """
    kernel = expanded(kernel, KEPT) if kernel.stage == "vector" else kernel
    size = kernel.subgroup_size or subgroup_size
    if kernel.scope == "subgroup" and size is None:
        raise EvaluationError(Diagnostic(f"kernel '@{kernel.name}' needs a subgroup size", kernel.op.location))
    extents = done_once(kernel, triple(grid))
    geometry = Geometry(extents, kernel.block_size, kernel.scope, size, kernel.cluster_size)
    launch = Launch(kernel, geometry, arguments, machine)
    launch.run(limits)
    return launch.doubts()


def done_once(kernel: Kernel, grid: tuple[int, int, int]) -> tuple[int, int, int]:
    """The grid of those workgroups that do different things: what parts share, one does."""
    shared = SPLIT_AXIS.value(kernel.op)
    x, y, z = (min(n, 1) if axis == shared else n for axis, n in zip(AXES, grid, strict=True))
    return x, y, z


class Launch:
    """One run of a kernel. Without `checks` only indices are checked.

    `distributed`: the kernel is what one thread does after distribution, so that flags of the arithmetic which places
    elements hold for those that are there, and allocations are static memory.
    """

    def __init__(
        self,
        kernel: Kernel,
        geometry: Geometry,
        arguments: Sequence[Any],
        machine: Machine | None = None,
        *,
        checks: bool = True,
        distributed: bool = False,
    ) -> None:
        self.kernel, self.geometry = kernel, geometry
        if min(geometry.grid) < 0 or geometry.workgroups << owner_bits(geometry) > MAX_OWNERS:
            limit = f"at most {MAX_OWNERS} owners in all"
            message = f"kernel '@{kernel.name}': a grid of {geometry.grid} workgroups: {limit}"
            raise EvaluationLimit(Diagnostic(message, kernel.op.location))
        if any(n % size for n, size in zip(geometry.grid, geometry.cluster, strict=True)):
            expected = f"whole clusters of {geometry.cluster} workgroups expected"
            message = f"kernel '@{kernel.name}': {expected}, found a grid of {geometry.grid}"
            raise EvaluationError(Diagnostic(message, kernel.op.location))
        self._compiler = Compiler(on_values, machine)
        self._compiler.promises = not distributed
        self._checks, self._static, self._follows = checks, distributed, machine is not None
        self._arguments = Arguments(kernel.op, arguments, self._alignment, followed=self._follows)
        self._unsettled: list[Operation] = []
        self.printed: list[Record] = []
        """In the order in which it was printed: see `Doubts.printed`."""
        for buffer in self._raced() if checks else ():
            buffer.shadow = Shadow(buffer.data.size, False, geometry)

    @property
    def values(self) -> Sequence[Any]:
        """The arguments as values of the program."""
        return self._arguments.values

    @property
    def buffers(self) -> set[Buffer]:
        """Those of the arguments."""
        return set(self._arguments.buffers.values())

    def _alignment(self, index: int) -> int | None:
        return number_of(self.kernel.argument_attribute(index, "llvm.align"))

    def _raced(self) -> set[Buffer]:
        """Arguments' memory in which owners may meet. Workgroups that only write are taken in their order."""
        found = Buffers(self.kernel.op)
        written = self._behind(found.written())
        if self.geometry.scope != "workgroup":
            return written
        plain = [buffers for access, buffers in found.accesses() if access.reads and not access.atomic]
        return written & self._behind(itertools.chain(*plain)) if self.geometry.workgroups > 1 else set()

    def _behind(self, memrefs: Iterable[Value]) -> set[Buffer]:
        """Two arguments may be one buffer."""
        return {self._arguments.buffers[value] for value in memrefs if value in self._arguments.buffers}

    def run(self, limits: Limits) -> None:
        """Runs all workgroups, batch by batch. Raises `EvaluationError`."""
        kernel, compiler = self.kernel, self._compiler
        slots = compiler.slots(kernel.arguments)
        with np.errstate(all="ignore"):
            steps, _ = region_code(kernel.op.body_region, compiler)
            for slot, value in zip(slots, self._arguments.values, strict=True):
                compiler.template[slot] = value
            at_once = self._workgroups_at_once()
            meter = Meter(limits, self.geometry.workgroups)
            findings = Findings(
                compiler.operations, meter, self._checks, self._follows, self._static, self.printed, self._unsettled
            )
            for first in range(0, self.geometry.workgroups, at_once):
                batch = Batch(self.geometry, first, min(at_once, self.geometry.workgroups - first))
                self._batch(steps, State(batch, list(compiler.template), findings))

    def _batch(self, steps: list[Step], m: State) -> None:
        run(steps, m)
        end_groups(self.kernel.op, m)
        reached = m.run.meter.spend(len(steps))
        if reached:
            raise EvaluationLimit(failure(self.kernel.op, reached).diagnostic)
        m.run.meter.finish(m.batch.workgroups)

    def _workgroups_at_once(self) -> int:
        together = self.geometry.together
        return -(-self._workgroups_that_fit() // together) * together

    def _workgroups_that_fit(self) -> int:
        if self.geometry.scope == "workgroup" and _chooses_memory(self.kernel.op):
            return 1
        elements = [math.prod(shape_of(v.type)) for v in self._compiler.values]
        largest, all_ = max(elements, default=1), sum(elements) + 1
        bytes_ = all_ * (40 if self._follows else 8)
        owners = min(BATCH_OWNERS, BATCH_BYTES // bytes_)
        if largest > 1:
            owners = min(owners, max(BATCH_ELEMENTS // largest, 1))
        allocations = self.kernel.op.all_of(memref.AllocOp)
        memory = sum(memref.byte_size(op.memref.type) or 0 for op in allocations)
        return max(1, min(owners // self.geometry.owners, BATCH_BYTES // (16 * memory) if memory else owners))

    def doubts(self) -> Doubts:
        values = [value if isinstance(value, MemRef) else None for value in self._arguments.values]
        bounds = tuple(_bound(value) for value in values)
        printed = sorted(self.printed, key=lambda record: record.place)
        untouched = tuple(_untouched(value) for value in values)
        return Doubts(bounds, tuple(dict.fromkeys(self._unsettled)), tuple(printed), untouched)

    def writers(self) -> Writers:
        return Writers(self.geometry, self._compiler.operations, self._arguments.values)


def _bound(value: MemRef | None) -> Array | None:
    if value is None or value.buffer.errors is None:
        return None
    return value.buffer.errors.bound(box_of(value), value.dtype.itemsize)


def _untouched(value: MemRef | None) -> Untouched | None:
    if value is None or value.buffer.read is None or value.buffer.written is None:
        return None
    box, itemsize = box_of(value), value.dtype.itemsize
    if not math.prod(box.shape):
        return Untouched(0, 0)
    written = value.buffer.written.left(box, itemsize)
    return Untouched(value.buffer.read.left(box, itemsize).number, written.number, written.first)


def _chooses_memory(function: Operation) -> bool:
    """Whether some owners may go on with other memory than the rest."""
    inner = (op for op in function.walk() if op.regions and op is not function)
    return any(result.type.is_memref for op in inner for result in op.results)


def evaluate(function: FunctionLike, *arguments: Any) -> list[Any]:
    """The results of a function that is not a kernel, on arrays (memrefs, vectors) and numbers."""
    compiler = Compiler(on_values)
    given = Arguments(function, arguments, lambda index: None)
    slots = compiler.slots(function.arguments)
    geometry = Geometry((1, 1, 1), (1, 1, 1), "grid", None)
    with np.errstate(all="ignore"):
        steps, returned = region_code(function.body_region, compiler)
        for slot, value in zip(slots, given.values, strict=True):
            compiler.template[slot] = value
        findings = Findings(compiler.operations, Meter(GENEROUS, 1), True, False, False, [])
        m = State(Batch(geometry, 0, 1), list(compiler.template), findings)
        run(steps, m)
    return [_given_back(m.values[slot]) for slot in returned]


def _given_back(value: Any) -> Any:
    return box_of(value).view(value.buffer.typed(value.dtype)) if isinstance(value, MemRef) else value
