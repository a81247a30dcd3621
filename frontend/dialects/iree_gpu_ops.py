"""iree_gpu: values that wait for each other's threads, and tensors that threads put together in shared memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...ir.core import Block, Operation, Value
from ...ir.define import is_index, is_scalar, is_tensor, operand, operands, region, result, results
from ...ir.dialects.scf_regions import type_list
from ...ir.dynamic_index_list import Rectangle, check_lists, rectangle
from ...ir.types import Attribute, Type
from ...support.diagnostics import Report
from .inner_tiled import is_shaped

is_yielded = is_shaped | is_scalar


class Yielding(Operation):
    """An operation whose region ends in `iree_gpu.yield`."""


class YieldOp(Operation, opname="iree_gpu.yield"):
    """Ends a region with the values that it gives."""

    pure = False
    terminator = True
    values = operands(is_yielded)
    assembly = "attr-dict ($values^ `:` type($values))?"

    def verify(self, report: Report) -> None:
        if not isinstance(self.enclosing(), Yielding):
            words = "iree_gpu.barrier_region, iree_gpu.shuffle_tensor or iree_gpu.subgroup_scan"
            self.error(report, f"must end the region of {words}")


class ValueBarrierOp(Operation, opname="iree_gpu.value_barrier"):
    """The same values, once every thread of the owner has its own of them; of tensors, once all have been written."""

    pure = True
    collective = "workgroup"
    inputs = operands(is_shaped)
    results_ = results(is_shaped)
    assembly = "$inputs attr-dict `:` type($inputs)"

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type]:
        return [v.type for v in operands]

    def verify(self, report: Report) -> None:
        given, found = [v.type for v in self.inputs], [v.type for v in self.results]
        if given != found:
            self.error(report, f"gives {type_list(given)} as it takes them, found {type_list(found)}")
        elif not given:
            self.error(report, "needs a value")
        elif len({type(t) for t in given}) > 1:
            self.error(report, f"takes vectors or tensors, found {type_list(given)}")


class BarrierRegionOp(Yielding, opname="iree_gpu.barrier_region"):
    """Its region runs between two barriers, on the values that it takes; what it yields is the result."""

    pure = False
    collective = "workgroup"
    inputs = operands(is_yielded)
    body_region = region()
    results_ = results(is_yielded)
    assembly = "(`ins` `` `(` $inputs^ `:` type($inputs) `)`)? $body_region attr-dict `:` type(results)"

    def verify(self, report: Report) -> None:
        given, taken = [v.type for v in self.inputs], [v.type for v in self.body.arguments]
        if given != taken:
            self.error(report, f"takes {type_list(given)}, its region {type_list(taken)}")
        _check_yield(self, self.results, report)


class ShuffleTensorOp(Rectangle, Yielding, opname="iree_gpu.shuffle_tensor"):
    """Every thread writes `source` into `dest` at a slice; then the region reads the whole, of all threads."""

    pure = False
    collective = "workgroup"
    source = operand(is_tensor)
    offsets = operands(is_index)
    sizes = operands(is_index)
    strides = operands(is_index)
    dest = operand(is_tensor)
    body_region = region()
    result_ = result(is_shaped)
    assembly = (
        f"$source `` {rectangle()} `to` $dest $body_region attr-dict `:` type($source) `->` type($dest) `->`"
        " type($result)"
    )

    def verify(self, report: Report) -> None:
        source, dest = self.source.type, self.dest.type
        if source.element != dest.element:
            self.error(report, f"element types differ: {source} and {dest}")
        check_lists(self, self.groups, len(dest.shape), str(dest), report)
        kept = [n for n in self.static_sizes if n != 1]
        if (
            len(self.static_sizes) == len(dest.shape)
            and kept != [n for n in source.shape if n != 1]
            and None not in source.shape
        ):
            self.error(report, f"puts {source} into a slice of sizes {list(self.static_sizes)}")
        if [a.type for a in self.body.arguments] != [dest]:
            self.error(report, f"region takes {type_list([a.type for a in self.body.arguments])}, expected ({dest})")
        _check_yield(self, self.results, report)


def _check_yield(op: BarrierRegionOp | ShuffleTensorOp, expected: Sequence[Value], report: Report) -> None:
    given, types = yielded(op.body, op, report), [v.type for v in expected]
    if given not in (None, types):
        op.error(report, f"region yields {type_list(given or ())}, the results are {type_list(types)}")


def yielded(block: Block, op: Operation, report: Report) -> list[Type] | None:
    """The types of what a block of `op` ends with; None, and an error, where it ends in something else."""
    last = block.terminator
    if isinstance(last, YieldOp):
        return [v.type for v in last.operands]
    op.error(report, "region must end in iree_gpu.yield")
    return None
