"""EXPAND: what an operation is in terms of others, by class; `rewrite` applies it to a kernel.

This is the one way in which operations become others before layouts are chosen. What a rule writes may be short for
others again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from ..ir.cloning import clone
from ..ir.core import Before, Block, Builder, Operation, OpT, Region, Value
from ..ir.kernels import Kernel
from ..ir.program_parts import scope_around
from ..ir.rule_table import RuleTable
from ..ir.traits import Scope
from ..support.dataclasses import replace
from ..support.diagnostics import CompileError, Diagnostic, Report
from ..support.named_tuples import NamedTuple


class Place(Before):
    """Builds in front of an operation of `kernel`."""

    def __init__(self, before: Operation, kernel: Kernel) -> None:
        super().__init__(before)
        self.kernel = kernel
        self.made: list[Operation] = []

    def append(self, op: OpT) -> OpT:
        self.made.append(op)
        return super().append(op)

    @property
    def scope(self) -> Scope:
        """The scope of the program that it stands in."""
        return scope_around(self.before, self.kernel.scope)


class Inside(Builder):
    """Builds at the end of a new block."""

    def __init__(self, place: Builder, block: Block) -> None:
        super().__init__(block, place.location)


Rule = Callable[[Place, Any], Sequence[Value] | None]
"""Writes what an operation is in front of it, and says what its results are there; None where it stays as it is."""


class Expansion(NamedTuple):
    """What operations of a class are: `rule`; whether that is written before all others, whose rules look for what it
    is; and whether the layers below know the class, too, which its rule then leaves some operations of."""

    rule: Rule
    first: bool
    below: bool


_FRONTEND = __name__.rpartition(".")[0]


def _homes(files: Mapping[str, Collection[str]]) -> Mapping[str, Collection[str]]:
    return {f"{_FRONTEND}.{file}": dialects for file, dialects in files.items()}


EXPAND: RuleTable[Expansion] = RuleTable(
    "expand",
    _homes(
        {
            "affine": ("affine_loops", "affine_memory"),
            "affine_parallel": ("affine_parallel",),
            "all_reduce": ("gpu_together",),
            "arithmetic": ("arith_short", "nvgpu_floats"),
            "bridges": ("iree_vector_ext",),
            "buffers": ("gpu_together", "memref_buffers"),
            "compressed": ("vector_compress",),
            "dma": ("affine_dma", "memref_dma"),
            "dma_tiles": ("iree_gpu_dma",),
            "grid_ids": (
                "gpu_together.ClusterBlockIdOp",
                "gpu_together.ClusterDimBlocksOp",
                "gpu_together.ClusterDimOp",
                "gpu_together.ClusterIdOp",
                "gpu_together.GlobalIdOp",
                "hal.WorkgroupOp",
            ),
            "index_hints": ("iree_codegen",),
            "index_names": ("index",),
            "inline": ("func", "scf_execute", "ub"),
            "inner_tiled": ("inner_tiled",),
            "map_store": ("iree_linalg_ext",),
            "masked_products": ("vector_reductions.ContractionOp",),
            "module_buffers": ("memref_globals",),
            "nvgpu_warpgroup": ("nvgpu_warpgroup",),
            "parallel": ("scf_forall", "scf_parallel"),
            "raw_buffer_accesses": ("amdgpu_raw_accesses",),
            "reinterpreted": (
                "memref_views.CollapseShapeOp",
                "memref_views.ExpandShapeOp",
                "memref_views.RankOp",
                "memref_views.ReshapeOp",
                "memref_views.TransposeOp",
                "memref_buffers.DistinctObjectsOp",
            ),
            "reshape": ("vector_reshape",),
            "subgroup_matrices": ("gpu_matrices",),
            "subgroups": (
                "amdgpu_lanes.LDSBarrierOp",
                "gpu.ShuffleOp",
                "gpu_together.RotateOp",
                "gpu_together.SubgroupBroadcastOp",
                "iree_gpu_subgroup",
            ),
            "tensor_shapes": ("tensor_shapes",),
            "value_barriers": ("iree_gpu_ops",),
            "vector_masks": ("vector_mask_region.MaskOp", "vector_mask_region.YieldOp"),
            "vector_moves": (
                "vector_elements.ExtractElementOp",
                "vector_elements.InsertElementOp",
                "vector_elements.ToElementsOp",
                "vector_interleave.DeinterleaveOp",
                "vector_shape.ShapeCastOp",
                "vector_shape.StepOp",
                "vector_tiles",
                "vector_tuple",
            ),
            "vector_sums": ("vector_products", "vector_reduction"),
        }
    ),
)
TensorRule = Callable[[Any, Place, Any], None]
"""Writes in front of an operation what stands for it, and says where the tensors are that it makes (`tensors.py`)."""
TENSORS: RuleTable[TensorRule] = RuleTable(
    "tensors",
    _homes(
        {
            "dma_tensors": ("bufferization", "iree_gpu_dma"),
            "index_hints": ("iree_codegen",),
            "tensor_elements": (
                "arith.TensorConstantOp",
                "bufferization",
                "iree_vector_ext.TensorToLayoutOp",
                "tensor",
                "vector_transfer.TensorReadOp",
                "vector_transfer.TensorWriteOp",
            ),
            "tensor_shapes": ("iree_linalg_ext", "tensor_shapes"),
            "tensors_together": ("iree_gpu_ops", "scf_forall", "tensor"),
            "value_barriers": ("iree_gpu_ops",),
        }
    ),
)
OPEN: RuleTable[TensorRule] = RuleTable(
    "tensors of open extents",
    _homes({"tensors_in_place": ("inner_tiled", "scf", "scf_regions", "tensor", "vector_transfer")}),
)
"""What stands for an operation, where an operand or a result has extents that are not known (`tensors_in_place.py`)."""
EXPAND.needless_family("is of tensors, which are vectors or buffers (frontend/tensors.py)", TENSORS.has)
EXPAND.needless_names("blocks that branch become loops and branches with regions", "cf.br", "cf.cond_br", "cf.switch")
EXPAND.needless_names("writes to an argument of the kernel (frontend/print_records.py)", "vector.print", "gpu.printf")
EXPAND.needless_names("is its source, where memrefs have scalars (frontend/vector_memrefs.py)", "vector.type_cast")
EXPAND.needless_names(
    "is an argument of the kernel (frontend/bindings.py)",
    "hal.interface.binding.subspan",
    "hal.interface.constant.load",
)
REASON = "said in other operations before the layout stage (frontend)"
"""Why the layers below have no rule for a class of operations."""


def expands(*classes: type[Operation], first: bool = False, below: bool = False) -> Callable[[Rule], Rule]:
    """Registers what operations of `classes` are (`Expansion` says the rest)."""

    def register(rule: Rule) -> Rule:
        EXPAND.of(*classes)(Expansion(rule, first, below))
        return rule

    return register


def is_expanded(cls: type[Operation]) -> bool:
    """Whether operations of the class, or some of them, are said in others, by a rule or by what surrounds them."""
    return EXPAND.get(cls) is not None or EXPAND.reason(cls) is not None


def _is_known_below(cls: type[Operation]) -> bool:
    expansion = EXPAND.get(cls)
    return expansion.below if expansion is not None else EXPAND.reason(cls) is None


def is_plain(function: Operation) -> bool:
    """Whether there is nothing to expand: one block a region, and none of the operations that are others."""
    return all(
        not is_expanded(type(op)) and all(len(region.blocks) <= 1 for region in op.regions) for op in function.walk()
    )


def check_plain(kernel: Kernel) -> None:
    """Raises CompileError where a program of a later stage has what should have been expanded."""
    report = Report()
    for op in kernel.op.walk():
        if not _is_known_below(type(op)) and (op.successors or not op.terminator):
            op.error(report, f"cannot stand in the {kernel.stage} stage: it is {REASON}")
    if report.diagnostics:
        raise CompileError(report.diagnostics)


def rewrite(kernel: Kernel, kept: Collection[type[Operation]] = (), *, first: bool = False) -> None:
    """Applies the rules, but to operations of `kept`, until none has anything left to do; with `first` only those that
    come before all others. What nobody uses any more goes, such as a mask that operands have now.

    Raises CompileError for what cannot be said in others.
    """

    def is_pending(op: Operation) -> bool:
        expansion = EXPAND.get(type(op))
        return expansion is not None and (expansion.first or not first) and type(op) not in kept

    touched = set[Operation]()
    changed = True
    while changed:
        pending = [op for op in kernel.op.walk() if is_pending(op)]
        # what is inside first: it may ask what is around it
        done = [_rewrite_one(kernel, op, touched) for op in reversed(pending)]
        changed = any(done)
    for op in reversed([op for op in kernel.op.walk() if op is not kernel.op]):
        if op in touched and op.pure and not any(r.users for r in op.results):
            touched |= _makers(op)
            assert op.parent is not None
            op.parent.erase(op)


def _rewrite_one(kernel: Kernel, op: Operation, touched: set[Operation]) -> bool:
    """Whether an operation is others now; `touched` gets what these use, and what was made for nothing."""
    expansion = EXPAND.get(type(op))
    assert expansion is not None and op.parent is not None
    place = Place(op, kernel)
    values = expansion.rule(place, op)
    touched |= {*place.made}
    if values is None:
        return False
    for result, value in zip(op.results, values, strict=True):
        result.replace_uses(value)
        value.hint = value.hint or result.hint
    touched |= _makers(op)
    op.parent.erase(op)
    return True


def _makers(op: Operation) -> set[Operation]:
    """The makers of what an operation, or one in its regions, uses."""
    return {maker for inner in op.walk() for value in inner.operands if (maker := value.operation) is not None}


def copy_of(kernel: Kernel) -> Kernel:
    """The same kernel, to be rewritten."""
    return replace(kernel, op=clone(kernel.op, {}))


def values_of(function: Operation) -> list[Value]:
    """All results and arguments of blocks inside."""
    found = [result for op in function.walk() for result in op.results]
    return found + [a for op in function.walk() for region in op.regions for b in region.blocks for a in b.arguments]


def taken(op: Operation, number: int = 0) -> Region:
    """A region of an operation that is to be erased, to be put into another."""
    return op.regions.pop(number)


def end_anew(block: Block, cls: type[Operation], values: Sequence[Value] | None = None) -> None:
    """Lets a block end in another terminator, of the same operands where none are given."""
    last = block.terminator
    assert last is not None
    operands = last.operands if values is None else values
    block.erase(last)
    block.append(cls(operands, location=last))


def refuse(op: Operation, message: str, hint: str = "") -> CompileError:
    return CompileError([Diagnostic(f"{op.title} {message}", op.location, hint=hint)])
