"""EXPAND: what an operation is in terms of others, by class; `expanded` applies it to a kernel."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from ..ir.cloning import clone
from ..ir.core import Before, Block, Builder, Operation, Region, Value
from ..ir.dialects.func import FunctionLike
from ..ir.kernels import Kernel
from ..ir.program_parts import scope_around
from ..ir.rule_table import RuleTable
from ..ir.traits import Scope
from ..support.dataclasses import replace
from ..support.diagnostics import CompileError, Diagnostic, Report
from .value_decompositions import decomposes


class Place(Before):
    """Builds in front of an operation of `kernel`."""

    def __init__(self, before: Operation, kernel: Kernel) -> None:
        super().__init__(before)
        self.kernel = kernel

    @property
    def scope(self) -> Scope:
        """The scope of the program that it stands in."""
        return scope_around(self.before, self.kernel.scope)


class Inside(Builder):
    """Builds at the end of a new block."""

    def __init__(self, place: Builder, block: Block) -> None:
        super().__init__(block, place.location)


Rule = Callable[[Place, Any], Sequence[Value]]
"""Writes what an operation is in front of it, and says what its results are there."""
_FRONTEND = __name__.rpartition(".")[0]


def _homes(files: Mapping[str, Collection[str]]) -> Mapping[str, Collection[str]]:
    return {f"{_FRONTEND}.{file}": dialects for file, dialects in files.items()}


EXPAND: RuleTable[Rule] = RuleTable(
    "expand",
    _homes(
        {
            "affine": ("affine_loops", "affine_memory"),
            "affine_parallel": ("affine_parallel",),
            "bridges": ("iree_vector_ext",),
            "buffers": ("gpu_together", "memref_buffers"),
            "cluster_ids": ("gpu_together",),
            "dma": ("affine_dma", "memref_dma"),
            "dma_tiles": ("iree_gpu_dma",),
            "index_hints": ("iree_codegen",),
            "inline": ("func", "scf_execute", "ub"),
            "inner_tiled": ("inner_tiled",),
            "map_store": ("iree_linalg_ext",),
            "subgroup_matrices": ("gpu_matrices",),
            "module_buffers": ("memref_globals",),
            "parallel": ("scf_forall", "scf_parallel"),
            "reshape": ("vector_reshape",),
            "subgroups": ("iree_gpu_subgroup",),
            "tensor_shapes": ("tensor_shapes",),
            "all_reduce": ("gpu_together",),
            "value_barriers": ("iree_gpu_ops",),
            "nvgpu_warpgroup": ("nvgpu_warpgroup",),
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


def is_structure(cls: type[Operation]) -> bool:
    """Whether operations of the class are rewritten by a rule, or by what surrounds them."""
    return EXPAND.get(cls) is not None or EXPAND.reason(cls) is not None


def is_expanded(cls: type[Operation]) -> bool:
    """Whether operations of the class, or some of them, are said in others."""
    return is_structure(cls) or decomposes(cls)


def is_plain(function: Operation) -> bool:
    """Whether there is nothing to expand: one block a region, and none of the operations that are others."""
    return all(
        not is_expanded(type(op)) and all(len(region.blocks) <= 1 for region in op.regions) for op in function.walk()
    )


def check_plain(kernel: Kernel) -> None:
    """Raises CompileError where a program of a later stage has what should have been expanded."""
    report = Report()
    for op in kernel.op.walk():
        if is_structure(type(op)) and (op.successors or not op.terminator):
            op.error(report, f"cannot stand in the {kernel.stage} stage: it is {REASON}")
    if report.diagnostics:
        raise CompileError(report.diagnostics)


def rewrite(kernel: Kernel, kept: Collection[type[Operation]]) -> None:
    """Applies the rules, but to operations of `kept`, until none is left to apply."""

    def has_rule(op: Operation) -> bool:
        return type(op) not in kept and EXPAND.get(type(op)) is not None

    while pending := [op for op in kernel.op.walk() if has_rule(op)]:
        for op in reversed(pending):  # what is inside first: it may ask what is around it
            _rewrite_one(kernel, op)


def _rewrite_one(kernel: Kernel, op: Operation) -> None:
    rule = EXPAND.get(type(op))
    assert rule is not None and op.parent is not None
    values = rule(Place(op, kernel), op)
    for result, value in zip(op.results, values, strict=True):
        result.replace_uses(value)
        value.hint = value.hint or result.hint
    op.parent.erase(op)


def copy_of(kernel: Kernel) -> Kernel:
    """The same kernel, to be rewritten."""
    function = clone(kernel.op, {})
    assert isinstance(function, FunctionLike)
    return replace(kernel, op=function)


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
