"""`mma_kind` of iree_vector_ext.to_layout: the instruction of the contraction that takes the value, or that made it."""

from __future__ import annotations

from collections.abc import Iterator

from ..ir.attributes import DictAttr
from ..ir.core import Operation
from ..ir.diagnostics import CompileError, Report
from ..ir.dialects.iree_gpu_config import LoweringConfigAttr
from ..ir.dialects.iree_vector_ext import ToLayoutOp
from ..ir.dialects.vector import ContractionOp
from ..ir.expand.table import copy_of
from ..ir.kernels import Kernel
from ..ir.types import Attribute

_KIND, _CONFIG = "mma_kind", "lowering_config"


def with_kinds(kernel: Kernel) -> Kernel:
    """The kernel with every kind on its contraction, where what is done to it cannot part them; itself where there are
    none. Raises CompileError for kinds that belong to no contraction, and for contractions with different ones."""
    if not any(_KIND in op.attributes for op in _conversions(kernel.op)):
        return kernel
    copy, report = copy_of(kernel), Report()
    for conversion in list(_conversions(copy.op)):
        kind = conversion.attributes.pop(_KIND, None)
        if kind is not None:
            _hand_over(conversion, kind, report)
    if report.diagnostics:
        raise CompileError(report.diagnostics)
    return copy


def _conversions(function: Operation) -> Iterator[ToLayoutOp]:
    return (op for op in function.walk() if isinstance(op, ToLayoutOp))


def _hand_over(conversion: ToLayoutOp, kind: Attribute, report: Report) -> None:
    around = [conversion.input.operation, *conversion.output.users]
    contractions = [op for op in around if isinstance(op, ContractionOp)]
    if not contractions:
        hint = "ask for it in the contraction's lowering_config"
        conversion.error(report, f"has '{_KIND}', but no vector.contract takes or gives its value", hint)
    for op in contractions:
        config = op.attributes.get(_CONFIG)
        entries = dict(config.entries.entries) if isinstance(config, LoweringConfigAttr) else {}
        if entries.setdefault(_KIND, kind) != kind:
            conversion.error(report, f"has '{_KIND}' {kind} at a contraction that asks for {entries[_KIND]}")
        op.attributes[_CONFIG] = LoweringConfigAttr(DictAttr.of(entries))
