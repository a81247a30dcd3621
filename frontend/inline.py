"""func.call and scf.execute_region: their bodies stand in their places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..ir.attributes import IntegerAttr, StringAttr
from ..ir.cloning import clone_region
from ..ir.core import Builder, Operation, Region, Value
from ..ir.dialects.arith import ConstantOp
from ..ir.dialects.cf import AssertOp
from ..ir.dialects.func import CallOp, FunctionLike, ReturnOp
from ..ir.dialects.scf_execute import ExecuteRegionOp
from ..ir.dialects.scf_regions import YieldOp
from ..ir.dialects.ub import UnreachableOp
from ..ir.kernels import Kernel, is_kernel
from ..ir.types import I1
from .legalisations import EXPAND, Place, copy_of, expands, refuse
from .structured_control_flow import nothing, structure

Functions = Mapping[str, FunctionLike]


def functions_beside(kernel: Kernel) -> Functions:
    """Those that the kernel may call, by name."""
    holder = kernel.op.enclosing()
    inside = holder.body.operations if holder is not None and holder.holds_symbols else ()
    return {op.name: op for op in inside if isinstance(op, FunctionLike)}


def with_called_bodies(kernel: Kernel) -> Kernel:
    """The kernel with the bodies of the functions that it calls in their places: itself where it calls none. What it
    does to memory, and what it assumes, is said there. Errors as in `write_out_calls`."""
    if not kernel.op.all_of(CallOp):
        return kernel
    copy = copy_of(kernel)
    write_out_calls(copy.op, functions_beside(kernel))
    return copy


def write_out_calls(op: Operation, functions: Functions, around: Sequence[str] = ()) -> None:
    """Lets the bodies of the called functions stand where they are called. Raises CompileError for recursion, and for
    functions that are more than a body."""
    for call in op.all_of(CallOp):
        name = call.callee.path[-1]
        function = functions.get(name)
        assert function is not None, "the verifier has found the function"
        _check(call, function, (*around, name))
        values: dict[Value, Value] = dict(zip(function.arguments, call.arguments, strict=True))
        body = _yielding(clone_region(function.body_region, {}))
        holder = ExecuteRegionOp((), [r.type for r in call.results], None, [body], call)
        for argument, value in zip(body.blocks[0].arguments, values.values(), strict=True):
            value.hint = value.hint or argument.hint
            argument.replace_uses(value)
        body.blocks[0].arguments.clear()
        assert call.parent is not None
        call.parent.insert(call.parent.position(call), holder)
        for old, new in zip(call.results, holder.results, strict=True):
            new.hint = old.hint
            old.replace_uses(new)
        call.parent.erase(call)
        write_out_calls(holder, functions, (*around, name))


def _yielding(body: Region) -> Region:
    """What a function returns is what its body yields."""
    for block in body.blocks:
        end = block.terminator
        if isinstance(end, ReturnOp):
            values = end.operands
            block.erase(end)
            block.append(YieldOp(values, location=end))
    return body


def _check(call: CallOp, function: FunctionLike, names: Sequence[str]) -> None:
    if names[-1] in names[:-1]:
        cycle = " -> ".join(f"@{name}" for name in names[names.index(names[-1]) :])
        raise refuse(call, f"calls itself: {cycle}; a kernel has no stack for that", "write it as a loop")
    if is_kernel(function):
        raise refuse(call, f"calls the kernel '@{function.name}': kernels are launched")
    if function.arg_attrs is not None or function.res_attrs is not None:
        raise refuse(call, f"calls '@{function.name}', whose arguments have attributes, which lanewise does not obey")
    unread = [name for name in function.attributes if name not in function.property_names()]
    if unread:
        raise refuse(call, f"calls '@{function.name}', whose attribute '{unread[0]}' lanewise does not obey")


def merge_branches(op: Operation) -> None:
    """Makes one block of every region that has several, the innermost first."""
    for inner in reversed(list(op.walk())):
        for region in inner.regions:
            if len(region.blocks) > 1:
                _end_unreachable(region, inner)
                structure(region, inner)


def _end_unreachable(region: Region, owner: Operation) -> None:
    """Lets blocks that are never run end as the others do, behind an assertion."""
    ends = [block.terminator for block in region.blocks]
    real = next(
        (end for end in ends if end is not None and not end.successors and type(end) is not UnreachableOp), None
    )
    for block, end in zip(region.blocks, ends, strict=True):
        if not isinstance(end, UnreachableOp):
            continue
        if real is None:
            raise refuse(owner, "has no end but ub.unreachable: it never ends")
        block.erase(end)
        build = Builder(block, end.location)
        never = build.value(ConstantOp, types=[I1], value=IntegerAttr(0, I1))
        build.op(AssertOp, never, types=[], msg=StringAttr("ub.unreachable is reached"))
        values = [nothing(build, value.type, owner) for value in real.operands]
        block.append(type(real)(values, location=end.location))


@expands(ExecuteRegionOp)
def _execute(place: Place, op: ExecuteRegionOp) -> Sequence[Value]:
    block = op.body
    values = block.terminator.operands if block.terminator is not None else ()
    for inner in list(block.operations)[:-1]:
        place.append(block.remove(inner))
    return values


EXPAND.needless("its function's body stands in its place", CallOp)
EXPAND.needless("is an assertion in front of an end", UnreachableOp)
