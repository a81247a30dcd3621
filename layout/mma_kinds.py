"""Instructions that are asked for beside a contraction become its own `lowering_config`.

`mma_kind` of iree_vector_ext.to_layout is that of the contraction that takes the value, or that made it;
`mma_schedule` of a kernel's `translation_info` that of every contraction that asks for none, with the subgroups along
rows and columns where it says nothing of them.
"""

from __future__ import annotations

from ..frontend.known_attributes import SCHEDULE
from ..frontend.legalisations import copy_of
from ..ir.attributes import DictAttr, IntegerAttr
from ..ir.core import Operation
from ..ir.dialects.iree_codegen import configuration_of
from ..ir.dialects.iree_gpu_config import LOWERING_CONFIG, LoweringConfigAttr, MMAScheduleAttr, lowering_config
from ..ir.dialects.iree_vector_ext import ToLayoutOp
from ..ir.dialects.vector import ContractionOp
from ..ir.kernels import Kernel
from ..ir.types import I64, Attribute
from ..support.diagnostics import CompileError, Report

_KIND = "mma_kind"


def with_kinds(kernel: Kernel) -> Kernel:
    """The kernel with every kind on its contraction, where what is done to it cannot part them; itself where there are
    none. Raises CompileError for kinds that belong to no contraction, and for contractions with different ones."""
    schedule = _schedule(kernel)
    if schedule is None and not any(_KIND in op.attributes for op in _conversions(kernel.op)):
        return kernel
    copy, report = copy_of(kernel), Report()
    for conversion in _conversions(copy.op):
        kind = conversion.attributes.pop(_KIND, None)
        if kind is not None:
            _hand_over(conversion, kind, report)
    if report.diagnostics:
        raise CompileError(report.diagnostics)
    if schedule is not None:
        for op in copy.op.all_of(ContractionOp):
            op.attributes[LOWERING_CONFIG] = _with_schedule(lowering_config(op), schedule)
    return copy


def _schedule(kernel: Kernel) -> MMAScheduleAttr | None:
    given = configuration_of(kernel.op, SCHEDULE)
    return given if isinstance(given, MMAScheduleAttr) else None


def _with_schedule(own: dict[str, Attribute], schedule: MMAScheduleAttr) -> LoweringConfigAttr:
    """What a contraction asks for itself, and of the schedule what it says nothing of."""
    counts = {"subgroup_m_count": schedule.subgroup_m_count, "subgroup_n_count": schedule.subgroup_n_count}
    entries = {name: IntegerAttr(count, I64) for name, count in counts.items()}
    divides = own.keys() & {_KIND, "subgroup_basis", *counts}
    return LoweringConfigAttr(DictAttr.of({_KIND: schedule.intrinsic, **({} if divides else entries), **own}))


def _conversions(function: Operation) -> list[ToLayoutOp]:
    return function.all_of(ToLayoutOp)


def _hand_over(conversion: ToLayoutOp, kind: Attribute, report: Report) -> None:
    around = [conversion.input.operation, *conversion.output.users]
    contractions = [op for op in around if isinstance(op, ContractionOp)]
    if not contractions:
        hint = "ask for it in the contraction's lowering_config"
        conversion.error(report, f"has '{_KIND}', but no vector.contract takes or gives its value", hint)
    for op in contractions:
        entries = lowering_config(op)
        if entries.setdefault(_KIND, kind) != kind:
            conversion.error(report, f"has '{_KIND}' {kind} at a contraction that asks for {entries[_KIND]}")
        op.attributes[LOWERING_CONFIG] = LoweringConfigAttr(DictAttr.of(entries))
