"""IREE's kernels have no arguments: what a launch binds becomes arguments here, before anything else looks at them.

Bindings in order of their numbers, then constants in order of their ordinals. A binding's memory space is the device's,
its alignment a fact about the argument.
"""

from __future__ import annotations

from collections.abc import Sequence

from .attributes import ArrayAttr, DictAttr, IntegerAttr, TypeAttr
from .core import Operation
from .diagnostics import Report
from .dialects.constants import constant_int
from .dialects.func import FunctionLike
from .dialects.hal import READ_ONLY, BindingSubspanOp, ConstantLoadOp
from .effects import Buffers
from .types import I64, Attribute, FunctionType


def bind_arguments(function: FunctionLike, report: Report) -> None:
    """Replaces what names a binding or a constant by new arguments, in place; nothing where there are none."""
    operations = list(function.walk())
    spans = sorted((op for op in operations if isinstance(op, BindingSubspanOp)), key=lambda op: op.binding)
    loads = sorted((op for op in operations if isinstance(op, ConstantLoadOp)), key=lambda op: op.ordinal)
    if not spans and not loads:
        return
    if function.arguments:
        function.error(report, "has arguments and bindings: a kernel has one or the other")
        return
    before = len(report.diagnostics)
    _check_spans(function, spans, report)
    _check_loads(loads, report)
    if len(report.diagnostics) == before:
        _replace(
            function, [(op, f"binding{op.binding}") for op in spans], [(op, f"constant{op.ordinal}") for op in loads]
        )


def _check_spans(function: FunctionLike, spans: Sequence[BindingSubspanOp], report: Report) -> None:
    written = Buffers(function).written()
    first: dict[int, BindingSubspanOp] = {}
    for op in spans:
        known = first.setdefault(op.binding, op)
        if known.result_.type != op.result_.type:
            found = f"{op.result_.type} and {known.result_.type}"
            op.error(report, f"sees binding {op.binding} under two types, {found}", "cast the one view")
        if op.byte_offset is not None and constant_int(op.byte_offset) != 0:
            op.error(report, "starts inside its binding: a launch passes whole buffers", "take a subview instead")
        if op.descriptor_flags is not None and op.descriptor_flags.value & READ_ONLY and op.result_ in written:
            op.error(report, f"says that binding {op.binding} is only read, but the kernel writes it")


def _check_loads(loads: Sequence[ConstantLoadOp], report: Report) -> None:
    first: dict[int, ConstantLoadOp] = {}
    for op in loads:
        known = first.setdefault(op.ordinal, op)
        if known.result_.type != op.result_.type:
            found = f"{op.result_.type} and {known.result_.type}"
            op.error(report, f"reads constant {op.ordinal} as two types, {found}")


def _replace(function: FunctionLike, *named: Sequence[tuple[Operation, str]]) -> None:
    block = function.body_region.blocks[0]
    facts: list[DictAttr] = []
    made: dict[str, int] = {}
    for op, name in (entry for part in named for entry in part):
        if name not in made:
            made[name] = len(block.arguments)
            hint = op.result.hint
            block.add_argument(op.result.type, hint if hint and not hint[0].isdigit() else name)
            facts.append(DictAttr(()))
        number = made[name]
        alignment = op.attributes.get("alignment")
        if isinstance(op, BindingSubspanOp) and isinstance(alignment, IntegerAttr):
            facts[number] = DictAttr.of({"llvm.align": IntegerAttr(alignment.value, I64)})
        op.result.replace_uses(block.arguments[number])
        assert op.parent is not None
        op.parent.erase(op)
    inputs = tuple(argument.type for argument in block.arguments)
    attributes: dict[str, Attribute] = {"function_type": TypeAttr(FunctionType(inputs, ()))}
    if any(entry.entries for entry in facts):
        attributes["arg_attrs"] = ArrayAttr(tuple(facts))
    function.attributes.update(attributes)
