"""Loads that give each lane what its neighbours read: one instruction, whose words are the lane's elements."""

from __future__ import annotations

from ...ir.dialects.amdgpu_transposes import GlobalTransposeLoadOp, TransposeLoadOp, TransposingLoadOp
from ...ir.types import element_type
from ..emit.descriptor import GLOBAL, SHARED, address
from ..emit.element_orders import placed
from ..emit.emission import Emission
from ..emit.emit_rules import AMD
from ..emit.vectors import ungroup

_LANES = 32
"""The lanes of a wave in which loads from global memory are what `targets.transposing_loads` says."""


@AMD.of(TransposeLoadOp)
def _from_shared(em: Emission, op: TransposeLoadOp) -> None:
    _load(em, op, SHARED, em.shared_marks)


@AMD.of(GlobalTransposeLoadOp)
def _from_global(em: Emission, op: GlobalTransposeLoadOp) -> None:
    em.require(op.form.requires)
    if em.subgroup_size != _LANES:
        raise em.error(f"needs subgroups of {_LANES} lanes, found {em.subgroup_size}")
    _load(em, op, GLOBAL)


def _load(em: Emission, op: TransposingLoadOp, space: int, marks: str = "") -> None:
    em.require(op.form.requires)
    source = em.memref(op.src)
    if source.space != space:
        raise em.error(f"reads {op.memory}, found {op.src.type}")
    place = placed(em.w, address(em.w, source, em.scalars(op.srcIndices)))
    words = em.w.call_fresh(op.form.carrier, op.form.llvm_name, place.pointer(em.w), marks=marks)
    em.set_pack(op.res, ungroup(em, [words], op.form.elements, em.type(element_type(op.res.type))))
