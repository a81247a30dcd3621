"""Loads that give each lane what its neighbours read."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..ir.dialects.amdgpu_transposes import GlobalTransposeLoadOp, TransposeLoadOp, TransposingLoadOp
from ..ir.numerics import Array, from_bits, to_bits
from ..support.dataclasses import replace
from ..targets.transposing_loads import TransposingLoad
from .access_places import Scattered
from .accesses import gather
from .batch_state import State
from .closures import EVALUATE, Compiler, Step
from .errors import failure
from .memory import Access, Window, locate
from .uncertainty import doubtful

_BYTE = 8


@EVALUATE.of(TransposeLoadOp, GlobalTransposeLoadOp)
def _transpose_load(op: TransposingLoadOp, c: Compiler) -> Step:
    """Who receives an element counts as its reader; of bytes in which several receive something, who reads them."""
    site, source, indices, out = c.site(op, "reads"), c.slot(op.src), c.slots(op.srcIndices), c.slot(op.res)
    form = op.form
    count = form.bytes if op.is_of_bytes else form.elements
    window = Window((count,), (op.src.type.rank - 1,), contiguous=True)
    taken = _taken(form)
    receive = _of_bytes(op) if op.is_of_bytes else _received

    def step(m: State) -> None:
        m.require_whole_subgroups(op)
        active = m.present()
        if m.batch.geometry.lanes % form.lanes or m.batch.geometry.threads % form.lanes:
            raise failure(op, f"needs all of {form.lanes} lanes that read together")
        memref, places = m.values[source], [m.values[i] for i in indices]
        alignment = form.alignment if op.is_of_bytes else form.alignment * _BYTE * memref.dtype.itemsize // form.bits
        read = locate(m, site, memref, places, window, None, alignment, active).per_owner()
        elements = receive(m, read, taken)
        result = np.zeros((m.batch.size, form.elements), elements.dtype)
        result[active] = elements.reshape(-1, form.elements)
        m.values[out] = result
        if m.run.follows:
            errors = read.memref.buffer.errors
            m.doubts[out] = None if errors is None or not errors.touched else doubtful(np.ones(result.shape, np.bool_))

    return step


def _taken(form: TransposingLoad) -> Array:
    """[lane, element]: the number of what the lane gets among all that its group reads, lane by lane."""
    reader, number = form.source(np.arange(form.lanes)[:, None], np.arange(form.elements)[None, :])
    return np.asarray(reader * form.elements + number)


def _received(m: State, read: Access, taken: Array) -> Array:
    def of_groups(values: Array) -> Array:
        return np.asarray(values.reshape(-1, taken.size)[:, taken].reshape(-1))

    width = taken.shape[-1]
    positions = read.positions.reshape(-1)
    return gather(
        m,
        replace(
            read,
            place=Scattered(of_groups(positions)),
            selected=of_groups(np.arange(positions.size)),
            receivers=np.repeat(read.owners, width),
        ),
    )


def _of_bytes(op: TransposingLoadOp) -> Callable[[State, Access, Array], Array]:
    """Elements shorter than the bytes that are read, the first in the lowest bits."""
    element, bits = op.res.type.element, op.form.bits

    def receive(m: State, read: Access, taken: Array) -> Array:
        digits = to_bits(gather(m, read), op.src.type.element).reshape(-1, taken.size, bits)
        return from_bits(digits[:, taken], element)

    return receive
