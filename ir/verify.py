"""Checks a program against its operations' definitions; findings are collected, not raised one by one."""

from __future__ import annotations

from .attributes import DenseArrayAttr, is_int_array
from .core import Block, Operation, UnregisteredOp, Value
from .define import AttributeField, OperandField, ResultField
from .diagnostics import Report, VerifyError


def verify(module: Operation) -> None:
    """Raises `VerifyError` with every finding."""
    report = Report()
    _Verifier(report).operation(module)
    if report.diagnostics:
        raise VerifyError(report.diagnostics)


class _Verifier:
    def __init__(self, report: Report) -> None:
        self.report = report

    def operation(self, op: Operation) -> None:
        if isinstance(op, UnregisteredOp):
            self.report.error(f"unknown operation '{op.name}'", op.location)
            return
        before = len(self.report.diagnostics)
        self._structure(op)
        if len(self.report.diagnostics) == before:
            op.verify(self.report)
        for region in op.regions:
            for block in region.blocks:
                self._block(op, block)

    def _block(self, op: Operation, block: Block) -> None:
        for i, inner in enumerate(block.operations):
            if inner.terminator and i + 1 < len(block.operations):
                inner.error(self.report, "must be the last operation of its block")
            self.operation(inner)

    def _structure(self, op: Operation) -> None:
        self._operand_count(op)
        self._result_count(op)
        if len(op.regions) != sum(f.kind == "region" for f in op.fields.values()):
            op.error(self.report, f"has {len(op.regions)} regions")
        for slot in op.attribute_slots:
            self._attribute(op, slot)
        if len(self.report.diagnostics) == 0 or self.report.diagnostics[-1].location is not op.location:
            self._types(op)

    def _operand_count(self, op: Operation) -> None:
        one = sum(f.multiplicity == "one" for f in op.operand_groups)
        variable = len(op.operand_groups) - one
        count = len(op.operands)
        if count < one or (not variable and count > one):
            op.error(self.report, f"expects {one}{' or more' if variable else ''} operands, found {count}")

    def _result_count(self, op: Operation) -> None:
        variadic = any(f.variadic for f in op.result_groups)
        one = sum(not f.variadic for f in op.result_groups)
        count = len(op.results)
        if count < one or (not variadic and count != one):
            op.error(self.report, f"expects {one} results, found {count}")

    def _attribute(self, op: Operation, slot: AttributeField[object]) -> None:
        value = op.attributes.get(slot.name)
        if value is None:
            if not slot.optional:
                op.error(self.report, f"requires attribute '{slot.name}'")
        elif not isinstance(value, slot.classes):
            words = " or ".join(c.__name__.removesuffix("Attr") for c in slot.classes)
            op.error(self.report, f"attribute '{slot.name}' must be {words}, found {value}")
        elif DenseArrayAttr in slot.classes and not is_int_array(value):
            op.error(self.report, f"attribute '{slot.name}' must be a list of integers, found {value}")

    def _types(self, op: Operation) -> None:
        from .assembly import group

        fields: list[OperandField[object] | ResultField[object]] = [*op.operand_groups, *op.result_groups]
        for field in fields:
            for value in group(op, field):
                if not field.constraint.holds(value.type):
                    kind = "operand" if isinstance(field, OperandField) else "result"
                    op.error(self.report, f"{kind} '{field.name}' must be {field.constraint.words}, found {value.type}")
        self._same_type(op)

    def _same_type(self, op: Operation) -> None:
        from .assembly import group

        values: list[tuple[str, Value]] = [(n, v) for n in op.same_type for v in group(op, op.fields[n])]
        for name, value in values[1:]:
            first_name, first = values[0]
            if value.type != first.type:
                message = f"'{first_name}' and '{name}' must have the same type, found {first.type} and {value.type}"
                op.error(self.report, message)
                return
