"""From the layout stage to one thread's program: walks a kernel and applies the rule of every operation."""

from __future__ import annotations

from functools import partial

from ..ir.core import Block, Operation
from ..ir.kernels import CLUSTER_SIZE, Kernel, in_module, kernel_function
from ..ir.passes import Context
from ..ir.thread_marks import mark
from ..ir.types import Attribute
from ..layout.assign import result_layouts
from ..layout.contraction import Contractions
from ..layout.dimension import LayoutError
from ..layout.workgroup import Workgroup
from ..support.deep_recursion import deep
from ..support.diagnostics import CompileError, Diagnostic
from .context import DISTRIBUTE, Distribution


def distribute(kernel: Kernel, context: Context) -> Kernel:
    """One thread's program of a kernel in the layout stage, in a module of its own; nothing in it waits for what other
    threads do, but where the kernel says so (`ir/thread_marks.py` is what it says of that).

    Its layouts agree (`layout/check.py`). Raises CompileError at the operation that cannot be distributed.
    """
    chip, subgroup_size = context.chip, context.subgroup_size
    entry, workgroup = Block([a.type for a in kernel.arguments]), Workgroup.of(kernel, context)
    d = Distribution(entry, kernel.block_size, workgroup, context.analyses.get(Contractions, kernel.op))
    for index, (old, new) in enumerate(zip(kernel.arguments, entry.arguments, strict=True)):
        d.set_scalar(old, new)
        d.integers.learn_argument(new, partial(kernel.argument_attribute, index))
        d.divisibility.learn_alignment(new, partial(kernel.argument_attribute, index))
    distribute_block(d, kernel.op.body)
    scratch = d.finish()
    function = kernel_function(
        kernel.name,
        entry,
        kernel.block_size,
        subgroup=subgroup_size,
        scope=None if kernel.scope == "thread" else kernel.scope,
        attributes=_kept(kernel.op),
        location=kernel.op.location,
    )
    if kernel.scope != "thread":
        mark(function, d.scalars, d.uniform, scratch)
    return in_module(
        Kernel(
            function,
            kernel.block_size,
            subgroup_size,
            kernel.scope,
            "distributed",
            cluster_size=kernel.cluster_size,
        ),
        chip,
    )


def _kept(function: Operation) -> dict[str, Attribute]:
    """What a kernel of threads says as the kernel did that it became of."""
    return {name: function.attributes[name] for name in ("arg_attrs", CLUSTER_SIZE) if name in function.attributes}


@deep
def distribute_block(d: Distribution, block: Block) -> None:
    """Appends what the block's operations become to where the builder stands."""
    for op in block.operations:
        rule = DISTRIBUTE.get(type(op))
        if rule is None:
            raise _cannot(op, DISTRIBUTE.reason(type(op)) or "lanewise has no distribution for it")
        d.build.location = op
        try:
            for result, layout in zip(op.results, result_layouts(op), strict=True):
                if layout is not None:
                    d.set_layout(result, layout)
            rule(d, op)
        except LayoutError as error:
            raise _cannot(op, str(error)) from error


def _cannot(op: Operation, why: str) -> CompileError:
    layouts = [str(layout) for layout in result_layouts(op) if layout is not None]
    notes = tuple((f"result layout {text}", op.location) for text in layouts)
    return CompileError([Diagnostic(f"{op.title} cannot be distributed: {why}", op.location, notes)])
