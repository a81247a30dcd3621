"""IREE's kernels have no arguments: what a launch binds becomes arguments here, before anything else looks at them.

Bindings in order of their numbers, then constants in order of their ordinals. A binding's memory space is the device's,
its alignment a fact about the argument. A binding that is seen from one place only, its start, is an argument of that
type. Else it is its elements in a row, of which the places are views, and the types say how many elements further on.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..analysis.buffers import Buffers
from ..ir.attributes import ArrayAttr, DictAttr, IntegerAttr, TypeAttr, UnitAttr
from ..ir.cloning import clone
from ..ir.core import Before, Builder, Operation, Value
from ..ir.dialects import arith
from ..ir.dialects.constants import constant_int
from ..ir.dialects.func import FunctionLike
from ..ir.dialects.hal import BindingSubspanOp, ConstantLoadOp
from ..ir.dialects.longhand import constant
from ..ir.kernels import functions, is_kernel
from ..ir.types import I64, INDEX, Attribute, FunctionType, MemRefType, Type, memory_bits
from ..support.diagnostics import ProgramError, Report
from .reinterpreted import reinterpreted, row_major


def bound(module: Operation) -> Operation:
    """A copy in which what kernels get of a launch are their arguments.

    Raises ProgramError with all that is wrong with their bindings and constants.
    """
    report, module = Report(), clone(module, {})
    for op in functions(module):
        if is_kernel(op):
            _bind(op, report)
    if report.diagnostics:
        raise ProgramError(report.diagnostics)
    return module


def _bind(function: FunctionLike, report: Report) -> None:
    """Replaces what names a binding or a constant by new arguments, in place."""
    operations = list(function.walk())
    spans = sorted((op for op in operations if isinstance(op, BindingSubspanOp)), key=lambda op: op.binding)
    loads = sorted((op for op in operations if isinstance(op, ConstantLoadOp)), key=lambda op: op.ordinal)
    if (spans or loads) and function.arguments:
        function.error(report, "has arguments and bindings: a kernel has one or the other")
        return
    before = len(report.diagnostics)
    _check_spans(function, spans, report)
    _check_loads(loads, report)
    if len(report.diagnostics) == before and (spans or loads):
        _replace(function, spans, loads, _starts(spans))


def _starts(spans: Sequence[BindingSubspanOp]) -> frozenset[int]:
    """The bindings that are seen under one type, from their start."""
    types: dict[int, set[Type]] = {}
    for op in spans:
        types.setdefault(op.binding, set()).add(op.result_.type)
    inside = {op.binding for op in spans if op.byte_offset is not None and constant_int(op.byte_offset) != 0}
    return frozenset(number for number, found in types.items() if len(found) == 1 and number not in inside)


def _argument_type(op: BindingSubspanOp, whole: frozenset[int]) -> Type:
    type = op.result_.type
    return type if op.binding in whole else MemRefType((None,), type.element, None, type.memory_space)


def _check_spans(function: FunctionLike, spans: Sequence[BindingSubspanOp], report: Report) -> None:
    written, whole = Buffers(function).written(), _starts(spans)
    first: dict[int, BindingSubspanOp] = {}
    for op in spans:
        known = first.setdefault(op.binding, op)
        if known.result_.type.element != op.result_.type.element:
            found = f"{op.result_.type} and {known.result_.type}"
            op.error(report, f"sees binding {op.binding} under two types of elements, {found}")
        elif op.binding not in whole:
            _check_place(op, report)
        if op.is_read_only and op.result_ in written:
            op.error(report, f"says that binding {op.binding} is only read, but the kernel writes it")


def _check_loads(loads: Sequence[ConstantLoadOp], report: Report) -> None:
    first: dict[int, ConstantLoadOp] = {}
    for op in loads:
        known = first.setdefault(op.ordinal, op)
        if op.values is not None:
            op.error(report, "has the attribute 'values', which lanewise does not obey")
        if known.result_.type != op.result_.type:
            found = f"{op.result_.type} and {known.result_.type}"
            op.error(report, f"reads constant {op.ordinal} as two types, {found}")


def _check_place(op: BindingSubspanOp, report: Report) -> None:
    """Rows lie without gaps, and the type says how many elements lie before them."""
    type, bits = op.result_.type, memory_bits(op.result_.type.element)
    strides, offset = type.strides_and_offset()
    plain, _ = MemRefType(type.shape, type.element).strides_and_offset()
    bytes = 0 if op.byte_offset is None else constant_int(op.byte_offset)
    if any(a != b for a, b in zip(strides, plain, strict=True) if a is not None and b is not None):
        op.error(report, f"sees rows of a binding without gaps, found {type}")
    elif bytes is not None and bytes * 8 % bits:
        op.error(report, f"starts {bytes} bytes inside its binding, which is no whole element of {type.element}")
    elif offset is not None and (bytes is None or offset * bits != bytes * 8):
        expected = "?" if bytes is None else str(bytes * 8 // bits)
        op.error(report, f"starts inside its binding: its type needs the offset {expected}, found {type}")


def _view(op: BindingSubspanOp, argument: Value) -> Value:
    """What the operation sees of its binding, built in front of it."""
    build, type = Before(op), op.result_.type
    given = iter(op.dynamic_dims)
    sizes: list[int | Value] = [next(given) if n is None else n for n in type.shape]
    return reinterpreted(build, argument, type, _elements_before(build, op), sizes, row_major(build, sizes))


def _elements_before(build: Builder, op: BindingSubspanOp) -> int | Value:
    if op.byte_offset is None:
        return 0
    bytes, bits = constant_int(op.byte_offset), memory_bits(op.result_.type.element)
    if bytes is not None:
        return bytes * 8 // bits
    several = build.value(arith.MulIOp, op.byte_offset, constant(build, max(8 // bits, 1), INDEX))
    return build.value(arith.DivUIOp, several, constant(build, max(bits // 8, 1), INDEX), isExact=UnitAttr())


def _replace(
    function: FunctionLike, spans: Sequence[BindingSubspanOp], loads: Sequence[ConstantLoadOp], whole: frozenset[int]
) -> None:
    block = function.body_region.blocks[0]
    facts: list[DictAttr] = []
    made: dict[str, Value] = {}

    def argument(op: Operation, name: str, type: Type, alignment: IntegerAttr | None) -> Value:
        if name not in made:
            hint = op.result.hint if type == op.result.type else ""
            made[name] = block.add_argument(type, hint if hint and not hint[0].isdigit() else name)
            facts.append(DictAttr(()))
        if alignment is not None:
            facts[made[name].index] = DictAttr.of({"llvm.align": IntegerAttr(alignment.value, I64)})
        return made[name]

    for op in spans:
        found = argument(op, f"binding{op.binding}", _argument_type(op, whole), op.alignment)
        op.result_.replace_uses(found if op.binding in whole else _view(op, found))
    for load in loads:
        load.result_.replace_uses(argument(load, f"constant{load.ordinal}", load.result_.type, None))
    for gone in (*spans, *loads):
        assert gone.parent is not None
        gone.parent.erase(gone)
    inputs = tuple(argument.type for argument in block.arguments)
    attributes: dict[str, Attribute] = {"function_type": TypeAttr(FunctionType(inputs, ()))}
    if any(entry.entries for entry in facts):
        attributes["arg_attrs"] = ArrayAttr(tuple(facts))
    function.attributes.update(attributes)
