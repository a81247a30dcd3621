"""Who reads which attribute, as data, and the refusal of those that nobody reads: nothing a program says is ignored.

Fields of operations are read by their operation's rules, but for those of `UNREAD_FIELDS`. Every other attribute has to
be in one of the tables, or declared by a pass, which reads it in its stage. A program that says more is right MLIR: it
parses and prints, and is refused when it is compiled.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

from ..ir.attributes import DictAttr, UnitAttr
from ..ir.cache_hints import PRIORITY, check_priority
from ..ir.core import Operation
from ..ir.dialects.func import FunctionLike
from ..ir.dialects.iree_codegen import translation_info
from ..ir.dialects.iree_gpu_config import (
    DerivedThreadConfigAttr,
    LoweringConfigAttr,
    MMAScheduleAttr,
    PipelineOptionsAttr,
    ReorderWorkgroupsAttr,
)
from ..ir.dialects.iree_vector_ext import ToLayoutOp
from ..ir.dialects.nvgpu_mbarrier import READS_ONLY
from ..ir.dialects.vector_reductions import TF32, UNSIGNED
from ..ir.did_you_mean import did_you_mean
from ..ir.element_orders import BOX, SWIZZLE, check_order
from ..ir.entry_place import entry_place
from ..ir.kernels import Kernel
from ..ir.passes import Declared
from ..ir.printing import ARGUMENT, TYPE
from ..ir.printing_programs import stated_printing
from ..ir.stages import Stage
from ..ir.types import Attribute
from ..support.diagnostics import Report
from .legalisations import is_expanded
from .stated_target import EXECUTABLE_TARGET, TARGETS

ON_MODULES: Mapping[str, str] = {
    "lanewise.stage": "ir/kernels.py: where the program resumes",
    "lanewise.after": "pipeline/compilation.py: the last pass that the program has gone through",
    "lanewise.target": "jit/kernel.py: the chip, unless another is asked for, which has to be the same",
    **TARGETS,
    EXECUTABLE_TARGET: "frontend/stated_target.py: the GPU in its configuration; its backend and format are IREE's",
    "gpu.container_module": "says what the module holds, which is seen anyway",
}
ON_KERNELS: Mapping[str, str] = {
    **TARGETS,
    EXECUTABLE_TARGET: "frontend/stated_target.py: the GPU in its configuration; its backend and format are IREE's",
    "translation_info": "ir/kernels.py: threads of a workgroup and a subgroup; see PIPELINES",
    "kernel": "ir/kernels.py: a launch can name it",
    "gpu.known_block_size": "ir/kernels.py: threads of a workgroup",
    "known_block_size": "ir/kernels.py: threads of a workgroup",
    "known_cluster_size": "ir/kernels.py: workgroups of a cluster",
    "lanewise.scope": "ir/kernels.py: whose the values are",
    "lanewise.subgroup_size": "pipeline/compilation.py: threads of a subgroup",
}
ON_ARGUMENTS: Mapping[str, str] = {
    "llvm.align": "distribute, codegen, jit: what divides the address",
    "lanewise.divisibility": "distribute, jit: what divides a number, or each extent",
    "lanewise.stride_divisibility": "distribute, jit: what divides each stride",
    "lanewise.printed": "jit: the buffer of what is printed, in the layout and thread stages (ir/printing.py)",
    "lanewise.pointer_range": "codegen, jit: how far the buffer reaches",
}
ON_OPERATIONS: Mapping[str, str] = {
    "lanewise.layout": "layout/assign.py: the layouts of the results, in the layout stage",
    "iree_gpu.mma": "layout, distribute: the matrix instruction of a vector.contract",
    "lanewise.unsigned_lhs": "layout, distribute: a vector.contract that extends the integers of lhs by zeros",
    "lanewise.unsigned_rhs": "layout, distribute: a vector.contract that extends the integers of rhs by zeros",
    TF32: "layout/precision.py, layout/contraction.py: a vector.contract whose f32 operands may be tf32",
    SWIZZLE: "ir/element_orders.py: in which order the elements of a workgroup's buffer lie",
    BOX: "ir/element_orders.py: into which boxes the rows of a workgroup's buffer are cut",
    READS_ONLY: "codegen/nvptx/tma.py: an nvgpu.mbarrier.arrive that hands on nothing that was written",
    "lanewise.distinct": "distribute: a vector.scatter that writes each place once at most",
    PRIORITY: "ir/cache_hints.py: what its data give way to in caches",
    "lowering_config": "layout, of a vector.contract: see LOWERING_KEYS",
    "mma_kind": "layout/mma_kinds.py, of an iree_vector_ext.to_layout: the instruction of the contraction beside it",
}
_SHARES = {
    "subgroup_basis": "layout/shares.py: how many subgroups divide each iterator",
    "subgroup": "layout/shares.py: what one subgroup has of each iterator",
    "lane_basis": "layout/shares.py: how many lanes divide each iterator",
    "thread": "layout/shares.py: neighbours that a thread has of each iterator",
}
_OF_PRODUCTS = {
    "mma_kind": "layout/instruction_choice.py: the matrix instruction that the product takes",
    "subgroup_basis": "layout/shares.py: how many subgroups divide each iterator",
    "subgroup": "layout/shares.py: what one subgroup has of each iterator",
    "subgroup_m_count": "layout/configs.py: how many subgroups divide the rows",
    "subgroup_n_count": "layout/configs.py: how many subgroups divide the columns",
    "promote_operands": "schedule/promote.py, layout/configs.py: the operands that go through shared memory",
    "promotion_types": "layout/configs.py: how they go there",
}
_TILES = {
    "workgroup": "schedule/tile.py: tile sizes of the parallel iterators, shared out among workgroups",
    "reduction": "schedule/tile.py: tile sizes of the summed iterators, a loop for each",
}
_PARTIAL = {
    "partial_reduction": "schedule/partial_reduction.py: tile sizes of what is joined in a loop and reduced behind it"
}
LOWERING_KEYS: Mapping[str, Mapping[str, str]] = {
    "vector.contract": {
        **_OF_PRODUCTS,
        **_SHARES,
        **_TILES,
        **_PARTIAL,
        "padding": "schedule/tile.py, layout/padding.py: what the iterators are filled up to multiples of",
    },
    "iree_gpu.multi_mma": {**_OF_PRODUCTS, **_TILES},
    "iree_codegen.inner_tiled": {**_OF_PRODUCTS, **_TILES},
    "vector.multi_reduction": {**_SHARES, **_PARTIAL},
    "vector.transfer_read": _SHARES,
    "vector.transfer_write": _SHARES,
    "vector.transpose": _SHARES,
}
"""The keys of a `lowering_config` that are obeyed, by operation; `_SHARES` of what is done element by element."""
_OF_VECTORS = "leave it out: the vectors of the program have sizes already"
UNOBEYED_KEYS: Mapping[str, str] = {
    **dict.fromkeys(("workgroup", "reduction", "partial_reduction"), _OF_VECTORS),
}
"""Keys of IREE's that say what the program or the target says here, and what to do about it."""
PIPELINES: Mapping[str, str] = {
    "#iree_gpu.pipeline<VectorDistribute>": "what lanewise does: vectors are distributed over threads by their layouts",
    "#iree_gpu.pipeline<TileAndFuse>": "the same; tile sizes count instructions (layout/tile_units.py)",
}
SCHEDULE = "mma_schedule"
"""The entry of a `translation_info`: what all contractions of the kernel take that ask for nothing
(layout/mma_kinds.py)."""
PIPELINE_OPTIONS: Mapping[str, Collection[object]] = {
    "prefetch_num_stages": (0, 1, 2, 3, 4),
    "no_reduce_shared_memory_bank_conflicts": (False,),
    "use_igemm_convolution": (False,),
    "reorder_workgroups_strategy": tuple(map(ReorderWorkgroupsAttr, ReorderWorkgroupsAttr.cases)),
}
"""What lanewise does: tiles are read ahead where more than one stage is asked for, or no number of them
(schedule/passes.py); bank conflicts are avoided; workgroups take their places in an order
(schedule/workgroup_order.py)."""
UNREAD_FIELDS: Mapping[str, Collection[str]] = {
    "gpu.func": ("known_grid_size",),
    "scf.execute_region": ("no_inline",),
}
"""Fields of operations that no rule reads, by operation."""


def refuse_unread(module: Operation, kernel: Kernel, report: Report, declared: Declared, *, is_written: bool) -> None:
    """Reports every attribute of a kernel, and of the modules around it, that nobody reads.

    `declared`: what passes read.
    `is_written`: the kernel is as its author wrote it, or a dump of ours; else it was expanded.
    """
    around: Operation | None = kernel.op.enclosing()
    while around is not None:
        _refuse(around, around.attributes, ON_MODULES, report)
        around = around.enclosing()
    _refuse(kernel.op, kernel.op.attributes, [*ON_KERNELS, *declared.options], report)
    _refuse_stage(kernel.op, kernel.stage, {name: stage for name, (stage, _) in declared.options.items()}, report)
    for _, option in declared.options.values():
        option.check(kernel.op, report)
    _refuse_pipeline(kernel, report)
    is_unchanged = kernel.stage == "vector" and kernel.after is None
    for name, entry in _arguments(kernel.op):
        _refuse(kernel.op, dict(entry.entries), ON_ARGUMENTS, report, name)
        _refuse_printed(kernel, entry, name, report, is_written and is_unchanged)
    on_operations = [*ON_OPERATIONS, *declared.marks]
    for op in kernel.op.walk():
        if op is not kernel.op and op.attributes:
            check_order(op, report)
            check_priority(op, report)
            _refuse(op, op.attributes, on_operations, report)
            _refuse_stage(op, kernel.stage, declared.marks, report)
            _refuse_elsewhere(op, kernel.stage, report)
            _refuse_keys(op, report)
            _refuse_promotion(op, report)


def _refuse(
    op: Operation, given: Mapping[str, Attribute], known: Collection[str], report: Report, whose: str = ""
) -> None:
    fields = {*op.property_names(), *(slot.name for slot in op.attribute_slots)} if given else ()
    for name in given:
        if name in UNREAD_FIELDS.get(op.opname, ()):
            op.error(report, f"has the attribute '{name}', which lanewise does not obey")
        elif name not in known and (whose or name not in fields):
            op.error(
                report,
                f"has the attribute '{name}'{f' of {whose}' * bool(whose)}, which nothing reads",
                _hint(name, [*known, *fields]),
            )


def _refuse_stage(op: Operation, stage: Stage, declared: Mapping[str, Stage], report: Report) -> None:
    for name in op.attributes:
        if declared.get(name, stage) != stage:
            op.error(report, f"has '{name}', which is read in the {declared[name]} stage, not in the {stage} stage")


def _refuse_elsewhere(op: Operation, stage: str, report: Report) -> None:
    """What is read of one operation, or in one stage, alone."""
    if "iree_gpu.mma" in op.attributes and op.opname != "vector.contract":
        op.error(report, "has 'iree_gpu.mma', which is read of vector.contract alone")
    if READS_ONLY in op.attributes and op.opname != "nvgpu.mbarrier.arrive":
        op.error(report, f"has '{READS_ONLY}', which is read of nvgpu.mbarrier.arrive alone")
    if "lanewise.distinct" in op.attributes and op.opname != "vector.scatter":
        op.error(report, "has 'lanewise.distinct', which is read of vector.scatter alone")
    for name in (*UNSIGNED, TF32):
        if name in op.attributes and op.opname != "vector.contract":
            op.error(report, f"has '{name}', which is read of vector.contract alone")
    if "mma_kind" in op.attributes and op.opname != "iree_vector_ext.to_layout":
        op.error(report, "has 'mma_kind', which is read of iree_vector_ext.to_layout alone")
    elif "mma_kind" in op.attributes and stage != "vector":
        op.error(report, f"has 'mma_kind', which is read in the vector stage, not in the {stage} stage")
    if "lanewise.layout" in op.attributes and stage != "layout":
        hint = "anchor a value with iree_vector_ext.to_layout"
        op.error(report, f"has 'lanewise.layout', which is read in the layout stage, not in the {stage} stage", hint)


def _refuse_printed(kernel: Kernel, entry: DictAttr, name: str, report: Report, too_early: bool) -> None:
    """The buffer of what is printed is the last argument, behind the pass that writes prints out."""
    if entry.get(ARGUMENT) is None:
        return
    if too_early:
        kernel.op.error(report, f"has '{ARGUMENT}' of {name}, which launches make: what prints is written there later")
    elif stated_printing(kernel.op) is None or kernel.arguments[-1].type != TYPE:
        kernel.op.error(report, f"has '{ARGUMENT}' of {name}, expected rows and messages on a last argument of {TYPE}")


def _refuse_promotion(op: Operation, report: Report) -> None:
    given = op.attributes.get("shared_memory_conversion")
    if op.opname == ToLayoutOp.opname and given not in (None, UnitAttr(), DerivedThreadConfigAttr()):
        op.error(report, f"goes through shared memory by {given}; lanewise promotes by {DerivedThreadConfigAttr()}")


def _refuse_keys(op: Operation, report: Report) -> None:
    config = op.attributes.get("lowering_config")
    if config is None:
        return
    plain = op.elementwise and not is_expanded(type(op)) and any(r.type.is_vector for r in op.results)
    known = LOWERING_KEYS.get(op.opname, _SHARES if plain else None)
    if config == DerivedThreadConfigAttr():
        return  # what the search of layouts does
    if known is None:
        readers = f"{', '.join(LOWERING_KEYS)} and what is done element by element"
        op.error(report, f"has a lowering_config, which is read of {readers} alone")
    elif not isinstance(config, LoweringConfigAttr):
        op.error(report, f"lowering_config must be #iree_gpu.lowering_config<{{...}}>, found {config}")
    else:
        for name, _ in config.entries.entries:
            if name not in known:
                hint = UNOBEYED_KEYS.get(name) or _hint(name, known)
                message = f"{op.title} has '{name}' in its lowering_config, which lanewise does not obey"
                report.error(message, entry_place(op, rf"{re.escape(name)}\s*[=,}}]"), hint=hint)


def _refuse_pipeline(kernel: Kernel, report: Report) -> None:
    info = translation_info(kernel.op)
    if info is None:
        return
    pipeline = str(info.pipeline)
    if pipeline not in PIPELINES:
        hint = did_you_mean(pipeline, PIPELINES)
        kernel.op.error(report, f"asks for the pipeline {pipeline}; there is {', '.join(PIPELINES)}", hint)
    unread = ["codegen_spec"] * (info.codegen_spec is not None)
    for name, value in info.configuration.entries if info.configuration is not None else ():
        if isinstance(value, PipelineOptionsAttr) and name == "gpu_pipeline_options":
            _refuse_options(kernel, value, report)
        elif isinstance(value, MMAScheduleAttr) and name == SCHEDULE:
            if not any(op.opname == "vector.contract" for op in kernel.op.walk()):
                kernel.op.error(report, f"has '{name}' in its translation_info, and no vector.contract")
        else:
            unread.append(name)
    for name in unread:
        kernel.op.error(report, f"has '{name}' in its translation_info, which lanewise does not obey")


def _refuse_options(kernel: Kernel, options: PipelineOptionsAttr, report: Report) -> None:
    for name, obeyed in PIPELINE_OPTIONS.items():
        value = getattr(options, name)
        if value not in (None, *obeyed):
            *others, last = map(options.slots[name].write, obeyed)
            words = f"{', '.join(others)} or {last}" if others else last
            found = options.slots[name].write(value)
            message = f"{kernel.op.title} has {name} = {found} in its pipeline_options; lanewise does {words}"
            report.error(message, entry_place(kernel.op, rf"{name}\s*=\s*{re.escape(found)}"))


def _hint(name: str, known: Collection[str]) -> str:
    return did_you_mean(name, known, otherwise="leave it out, or say it in a comment")


def _arguments(function: FunctionLike) -> Iterator[tuple[str, DictAttr]]:
    """Name and attributes of each argument that has some."""
    entries = function.arg_attrs.values if function.arg_attrs else ()
    for number, (argument, entry) in enumerate(zip(function.arguments, entries, strict=False)):
        if isinstance(entry, DictAttr):
            yield f"argument {number}, '%{argument.hint or number}'", entry
