"""memref.get_global: a buffer that the kernel makes for itself, filled at its start where the global has elements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..analysis.buffers import Buffers
from ..ir.attributes import DenseElementsAttr, IntegerAttr, scalar_attr
from ..ir.core import Before, Builder, Value
from ..ir.dialects import arith, memref
from ..ir.dialects.gpu import WORKGROUP
from ..ir.dialects.memref import PRIVATE_MEMORY, memref_type
from ..ir.dialects.memref_buffers import AllocaOp
from ..ir.dialects.memref_globals import ExtractAlignedPointerOp, GetGlobalOp, GlobalOp
from ..ir.dialects.memref_views import MemorySpaceCastOp
from ..ir.kernels import Kernel
from ..ir.types import I64
from ..support.dataclasses import replace
from .legalisations import EXPAND, Place, expands, refuse
from .whole_accesses import write_whole

EXPAND.needless("is what its users see of it", GlobalOp)
EXPAND.needless("a buffer that the kernel makes at its start", GetGlobalOp)


@expands(ExtractAlignedPointerOp)
def _pointer(place: Place, op: ExtractAlignedPointerOp) -> Sequence[Value]:
    raise refuse(op, "makes a number of an address, which is another one on every executor", "index the memref")


Globals = Mapping[str, GlobalOp]


def globals_beside(kernel: Kernel) -> Globals:
    """Those that the kernel may name."""
    holder = kernel.op.enclosing()
    inside = holder.body.operations if holder is not None and holder.holds_symbols else ()
    return {op.name: op for op in inside if isinstance(op, GlobalOp)}


def write_out_globals(kernel: Kernel, globals: Globals) -> None:
    """Makes the buffers of those that a kernel names, in place. Raises CompileError for what launches would share."""
    made: dict[str, Value] = {}
    named = kernel.op.all_of(GetGlobalOp)
    written = Buffers(kernel.op).written() if named else ()
    for op in named:
        name = op.name_.path[-1]
        if op.result_ in written and globals[name].constant is not None:
            raise refuse(op, f"sees @{name}, which is constant, and the kernel writes it")
        if name not in made:
            made[name] = _buffer(kernel, op, globals[name])
        op.result_.replace_uses(made[name])
        assert op.parent is not None
        op.parent.erase(op)


def _buffer(kernel: Kernel, user: GetGlobalOp, found: GlobalOp) -> Value:
    _check(kernel, user, found)
    build = Before(kernel.op.body_region.blocks[0].operations[0])
    type = user.result_.type
    alignment = IntegerAttr(found.alignment, I64) if found.alignment is not None else None
    build.location = user
    if str(type.memory_space) in PRIVATE_MEMORY or (type.memory_space is None and kernel.scope == "thread"):
        buffer = build.value(AllocaOp, [], types=[type], alignment=alignment)
    else:
        shared = replace(type, memory_space=type.memory_space or WORKGROUP)
        buffer = build.value(memref.AllocOp, [], types=[shared], alignment=alignment)
    buffer.hint = found.name
    if found.elements is not None:
        _fill(build, buffer, found.elements)
    return buffer if buffer.type == type else build.value(MemorySpaceCastOp, buffer, types=[type])


def _check(kernel: Kernel, user: GetGlobalOp, found: GlobalOp) -> None:
    type, elements = user.result_.type, found.elements
    is_local = type.memory_space is not None
    if found.initial_value is None and not is_local:
        raise refuse(user, f"sees @{found.name}, which another module defines", "give it an initial value")
    if elements is None and not is_local:
        message = f"sees @{found.name}, which launches would share: nothing says what is in it"
        raise refuse(user, message, "put it into workgroup memory, or make it an argument of the kernel")
    if elements is not None and found.constant is None:
        message = f"sees @{found.name}, which is not constant: launches would share what is written"
        raise refuse(user, message, "make it constant, or an argument of the kernel")
    if elements is not None and is_local:
        raise refuse(user, f"sees @{found.name} in {type.memory_space}: only memory of the device has initial values")
    if elements is not None and kernel.scope == "subgroup":
        raise refuse(user, f"sees @{found.name} in the program of a subgroup", "make it an argument of the kernel")
    if type.layout is not None:
        raise refuse(user, f"sees @{found.name} as {type}: a buffer lies row by row, without gaps")


def _fill(build: Builder, buffer: Value, elements: DenseElementsAttr) -> None:
    """Writes all of it at once."""
    if not memref_type(buffer).rank:
        number_ = scalar_attr(elements.values[0], elements.type.element)
        build.op(memref.StoreOp, build.value(arith.ConstantOp, value=number_), buffer, [])
        return
    write_whole(build, build.value(arith.ConstantOp, value=elements, types=[elements.type]), buffer)
