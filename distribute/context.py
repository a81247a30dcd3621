"""The state of one kernel's distribution: the thread's program so far, and what every vector value became.

A vector value becomes an array of SSA scalars with the shape `batch ++ outer ++ element` of its layout; a scalar stays
one value. Rules (`rules/`) read operands from here and enter results.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable, Iterable, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar, cast

import numpy as np

from ..analysis.divisibility import Divisibility
from ..analysis.integers import Integers
from ..analysis.launch_numbers import Launch
from ..analysis.shared_places import LEAST_ALIGNMENT
from ..ir.attributes import IntegerAttr
from ..ir.builder import FoldingBuilder, Scalars
from ..ir.core import Block, Operation, Value
from ..ir.dialects import arith, gpu, memref
from ..ir.dialects.gpu import DimensionAttr
from ..ir.rule_table import RuleTable
from ..ir.types import I8, I64, INDEX, MemRefType, Type
from ..layout.assign import LAYOUT
from ..layout.contraction import Contractions
from ..layout.nested import NestedLayout
from ..layout.workgroup import Workgroup
from ..support.named_tuples import NamedTuple
from .scratch import Scratch

OpT = TypeVar("OpT", bound=Operation)
TypeT = TypeVar("TypeT", bound=Type)


class Lying(NamedTuple):
    """A vector of two dimensions in shared memory: where it begins, and which of them is contiguous there."""

    buffer: Value[MemRefType]
    indices: tuple[Value, ...]
    contiguous: int


class Distribution:
    """Everything a rule may ask for."""

    def __init__(
        self, entry: Block, block_size: tuple[int, int, int], workgroup: Workgroup, contractions: Contractions
    ) -> None:
        """`contractions`: those of the layout stage's program."""
        self.integers = Integers(Launch(block_size, workgroup.subgroup_size))
        self.divisibility = Divisibility(self.integers)
        self.build = FoldingBuilder(entry, self.integers)
        self.entry = entry
        self.block_size = block_size
        self.workgroup = workgroup
        self.chip = workgroup.chip
        self.contractions = contractions
        self._values: dict[Value, Value | Scalars] = {}
        self._layouts: dict[Value, NestedLayout] = {}
        self.uniform: list[Operation] = []
        """Loops and branches of the program's own: all threads of an owner take them alike."""
        self.scratch = Scratch(lambda: self.build.constant(0))
        self._scratch_buffer: Value | None = None
        self._id: Value | None = None
        self._private: set[Value] = set()
        """Values of programs of threads."""
        self._lying: dict[Value, Lying] = {}

    # -- values -------------------------------------------------------------------------------------------------

    def scalar(self, value: Value[TypeT]) -> Value[TypeT]:
        """What a scalar or buffer of the vector program became."""
        mapped = self._values[value]
        assert isinstance(mapped, Value)
        return cast("Value[TypeT]", mapped)

    @property
    def scalars(self) -> Iterable[Value]:
        """What the scalars and buffers of the vector program became: the same in all threads of an owner."""
        return dict.fromkeys(
            mapped for value, mapped in self._values.items() if isinstance(mapped, Value) and value not in self._private
        )

    def registers(self, value: Value) -> Scalars:
        """The scalars of a vector value, in the distributed shape of its layout; of a scalar, one without shape."""
        mapped = self._values[value]
        if isinstance(mapped, Value):
            single = np.empty((), object)
            single[()] = mapped
            return single
        return mapped

    def layout(self, value: Value) -> NestedLayout:
        """The layout of a vector value, wrapped onto the subgroups that there are."""
        return self._layouts[value]

    def set_scalar(self, value: Value, mapped: Value) -> None:
        mapped.hint = mapped.hint or value.hint
        self._values[value] = mapped
        if self.workgroup.scope == "thread":
            self._private.add(value)

    def set_registers(self, value: Value, registers: Scalars) -> None:
        if not value.type.is_vector:
            self.set_scalar(value, registers.item())
            return
        expected = self._layouts[value].distributed_shape
        assert registers.shape == expected, f"{registers.shape} registers for a layout of {expected}"
        self._values[value] = registers

    def set_layout(self, value: Value, layout: NestedLayout) -> None:
        self._layouts[value] = layout.wrapped(self.subgroups)

    def set_tokens(self, value: Value, tokens: Sequence[Value]) -> None:
        """Enters what stands for the copies that a thread issued, however many."""
        self._values[value] = as_array(list(tokens), (len(tokens),))

    def set_like(self, value: Value, scalars: Iterable[Value]) -> None:
        """Enters scalars in register order."""
        shape = self._layouts[value].distributed_shape if value.type.is_vector else ()
        self.set_registers(value, as_array(list(scalars), shape))

    def map_registers(self, value: Value, function: Callable[[tuple[int, ...]], Value]) -> None:
        """Enters `function(position)` for every register position of `value`."""
        shape = self._layouts[value].distributed_shape
        self.set_like(value, (function(position) for position in np.ndindex(shape)))

    def lying(self, value: Value) -> Lying:
        """Where a vector that nobody holds is in shared memory."""
        return self._lying[value]

    def set_lying(self, value: Value, place: Lying) -> None:
        self._lying[value] = place

    def kept(self, op: OpT, operands: Iterable[Value | Sequence[Value]]) -> OpT:
        """The operation on other operands, one or a sequence for each group, as a thread's program has it: with all
        that it says but the layouts of its results, which are the layout stage's."""
        said = {name: value for name, value in op.attributes.items() if name != LAYOUT}
        return self.build.op(type(op), *operands, types=[r.type for r in op.results], **said)

    # -- the workgroup ------------------------------------------------------------------------------------------

    @property
    def threads(self) -> int:
        return self.workgroup.threads

    @property
    def subgroup_size(self) -> int:
        return self.workgroup.subgroup_size

    @property
    def exchanges(self) -> bool:
        """Whether the owner of the values may use the workgroup's memory and barriers."""
        return self.workgroup.scope == "workgroup"

    @property
    def subgroups(self) -> int:
        return max(1, self.threads // self.subgroup_size)

    @contextmanager
    def program(self, workgroup: Workgroup, block: Block) -> Generator[Scratch]:
        """Builds into `block` the program of a part of this one's threads; gives its scratch memory."""
        outer = self.workgroup, self.scratch, self._id
        self.workgroup, self.scratch = workgroup, Scratch(lambda: _number_of_its_own(self.entry))
        with self.build.scope(block):
            self._id = None if workgroup.scope == "thread" else self._id_in_part()
            yield self.scratch
        self.workgroup, self.scratch, self._id = outer

    def scratch_buffer(self) -> Value:
        """What all scratch memory of the kernel lies in; `finish` gives it its size."""
        if self._scratch_buffer is None:
            op = memref.AllocOp((), [_bytes_type(0)], {"alignment": IntegerAttr(LEAST_ALIGNMENT, I64)})
            self.entry.insert(0, op)
            self._scratch_buffer = op.result
        return self._scratch_buffer

    def finish(self) -> list[Value]:
        """Gives every program its place in the scratch buffer; that buffer, if there is one."""
        self.scratch.place(0)
        if self._scratch_buffer is None:
            return []
        self._scratch_buffer.type = _bytes_type(self.scratch.bytes)
        return [self._scratch_buffer]

    def thread_id(self) -> Value:
        """The flat id that layouts decode: of the thread in its workgroup or part, of the lane for subgroup scope."""
        if self._id is not None:
            return self._id
        total = self._launched_id()
        return self.build.rem(total, self.subgroup_size) if self.workgroup.scope == "subgroup" else total

    def is_first(self) -> Value:
        """Whether the thread is the first of its workgroup or part. The launched number says it in machine code, too:
        assemblers see that it is one thread's."""
        first = self.workgroup.first_subgroup * self.subgroup_size
        return self.build.compare("eq", self._launched_id(), first)

    def _id_in_part(self) -> Value:
        """What is known of it holds in the part alone, so it has to be a value of its own."""
        first, threads = self.workgroup.first_subgroup * self.subgroup_size, self.threads
        total = self._launched_id()
        if threads & (threads - 1) == 0 and first % threads == 0:
            return self.build.rem(total, threads)
        if first == 0:
            return total
        own = self.build.append(
            arith.SubIOp([total, self.build.constant(first)], [INDEX], location=self.build.location)
        )
        return self.build.bound(own.result, threads)

    def _launched_id(self) -> Value:
        return self.build.once((Distribution._sum_of_ids,), self._sum_of_ids)

    def _sum_of_ids(self) -> Value:
        build, total = self.build, None
        for name, extent, step in zip("xyz", self.block_size, _steps(self.block_size), strict=True):
            if extent > 1:
                part = build.value(gpu.ThreadIdOp, dimension=DimensionAttr(name))
                part = build.mul(part, step)
                total = part if total is None else build.add(total, part)
        return build.constant(0, INDEX) if total is None else total

    def digit(self, size: int, stride: int) -> Value:
        """`(thread_id // stride) % size`."""
        return self.once(
            (Distribution.digit, size, stride),
            lambda: self.build.rem(self.build.div(self.thread_id(), stride), size),
        )

    def once(self, key: tuple[Hashable, ...], make: Callable[[], Value]) -> Value:
        """What `key` and the thread's id decide."""
        return self.build.once((*key, self._id, self.workgroup.scope), make)


def _number_of_its_own(entry: Block) -> Value:
    """A constant that is shared with nobody, since it will be another one."""
    return entry.insert(0, arith.ConstantOp((), [INDEX], {"value": IntegerAttr(0, INDEX)})).result


def _bytes_type(size: int) -> MemRefType:
    return MemRefType((size,), I8, None, gpu.WORKGROUP)


def _steps(block_size: tuple[int, int, int]) -> tuple[int, int, int]:
    return 1, block_size[0], block_size[0] * block_size[1]


def as_array(scalars: Sequence[Value], shape: tuple[int, ...]) -> Scalars:
    """Scalars in row-major order as an array."""
    array = np.empty(len(scalars), object)
    array[:] = scalars
    return array.reshape(shape)


DistributeRule = Callable[[Distribution, Any], None]
_RULES = f"{__name__.rpartition('.')[0]}.rules."
_HOMES: Mapping[str, tuple[str, ...]] = {
    "affine": ("affine",),
    "arg_compare": ("arg_compare",),
    "async_copies": (
        "amdgpu_barriers",
        "amdgpu_lds",
        "amdgpu_tensor",
        "lanewise_async",
        "nvgpu_async",
        "rocdl_waits",
    ),
    "cf": ("cf",),
    "elementwise": (
        "arith",
        "vector_shape",
    ),
    "gpu": (
        "amdgpu",
        "amdgpu_barriers",
        "amdgpu_buffers",
        "amdgpu_dot",
        "amdgpu_lanes",
        "amdgpu_lds",
        "amdgpu_packed",
        "amdgpu_packed_matrix",
        "amdgpu_prefetch",
        "amdgpu_raw_accesses",
        "amdgpu_scaled",
        "amdgpu_schedule",
        "amdgpu_sparse",
        "amdgpu_tensor",
        "amdgpu_transposes",
        "builtin",
        "func",
        "gpu",
        "gpu_together",
        "nvgpu",
        "nvgpu_async",
        "nvgpu_floats",
        "nvgpu_mbarrier",
        "nvgpu_scaled",
        "nvgpu_sparse",
        "nvgpu_tma",
        "nvgpu_tma_prefetch",
        "nvgpu_tma_store",
        "nvgpu_warpgroup",
        "nvvm",
        "nvvm_cluster",
    ),
    "indexed_transfers": ("indexed_transfers",),
    "iree_vector_ext": ("iree_vector_ext",),
    "lanewise": (
        "lanewise",
        "lanewise_tcgen05",
    ),
    "matrix_operations": ("amdgpu_transposes",),
    "memref": (
        "amdgpu_buffers",
        "amdgpu_prefetch",
        "memref",
        "memref_buffers",
        "memref_views",
        "nvvm_cluster",
    ),
    "positions": ("vector_elements",),
    "scf": (
        "scf",
        "scf_regions",
        "scf_switch",
        "scf_while",
    ),
    "tensor_copies": (
        "nvgpu_mbarrier",
        "nvgpu_tma",
        "nvgpu_tma_prefetch",
        "nvgpu_tma_store",
        "nvvm",
        "nvvm_cluster",
    ),
    "util": ("util",),
    "vector": (
        "ub",
        "vector_masks",
        "vector_memory",
        "vector_shape",
    ),
    "vector_bitcast": ("vector_interleave",),
    "vector_memory": (
        "lanewise_update",
        "vector_gather",
        "vector_memory",
    ),
    "vector_reductions": (
        "vector_reductions",
        "vector_scan",
    ),
    "vector_transfer": ("vector_transfer",),
}
"""By file of `rules/`, the files of dialects whose operations it has rules or reasons for; it loads when one is met."""
DISTRIBUTE: RuleTable[DistributeRule] = RuleTable(
    "distribute", {_RULES + file: dialects for file, dialects in _HOMES.items()}
)


def distributes(
    *classes: type[OpT],
) -> Callable[[Callable[[Distribution, OpT], None]], Callable[[Distribution, OpT], None]]:
    """Registers a rule for operation classes, typed so that a rule for another class is rejected."""

    def register(rule: Callable[[Distribution, OpT], None]) -> Callable[[Distribution, OpT], None]:
        for cls in classes:
            DISTRIBUTE.set(cls, rule)
        return rule

    return register
