"""Sizes that count instructions, as IREE's TileAndFuse has them, become sizes in elements.

There the tiles of `workgroup` are cut in elements; then a product is packed into tiles of its instruction, which
`reduction` and `subgroup` count along the last of its rows, columns and summed iterators. Other sizes, and those of
VectorDistribute, are in elements (IREE, lowering configs of products: reduction tiles are counted after packing).
"""

from __future__ import annotations

from ..frontend.legalisations import copy_of
from ..ir.attributes import DictAttr, i64_array, int_array, is_int_array
from ..ir.core import Operation
from ..ir.dialects.iree_codegen import translation_info
from ..ir.dialects.iree_gpu import VirtualMMALayoutAttr
from ..ir.dialects.iree_gpu_config import LOWERING_CONFIG, LoweringConfigAttr, PipelineAttr, lowering_config
from ..ir.dialects.vector import ContractionOp
from ..ir.kernels import Kernel
from ..ir.types import Attribute
from .contraction import Contraction
from .dimension import LayoutError

_COUNTED = ("reduction", "subgroup")


def in_elements(kernel: Kernel) -> Kernel:
    """The kernel with all sizes in elements; itself where they are. What names no instruction is left to checks."""
    info = translation_info(kernel.op)
    if info is None or info.pipeline != PipelineAttr("TileAndFuse"):
        return kernel
    copy = copy_of(kernel)
    for op in copy.op.all_of(ContractionOp):
        entries = lowering_config(op)
        if entries:
            op.attributes[LOWERING_CONFIG] = _in_elements(op, entries)
    return copy


def _in_elements(op: ContractionOp, entries: dict[str, Attribute]) -> LoweringConfigAttr:
    steps = _steps(op)
    for name in _COUNTED:
        value = entries.get(name)
        if value is not None and is_int_array(value):
            entries[name] = i64_array([n * steps.get(it, 1) for it, n in enumerate(int_array(value))])
    return LoweringConfigAttr(DictAttr.of(entries))


def _steps(op: ContractionOp) -> dict[int, int]:
    """Elements of an instruction's tile, by iterator."""
    try:
        asked = Contraction.of(op).asked
    except LayoutError:
        return {}
    if asked is None:
        return {}
    m, n, k = asked[0].shape
    if asked[1]:
        m, n = n, m
    return {its[-1]: size for its, size in zip(op.roles[1:], (m, n, k * _times(op)), strict=True) if its}


def _times(op: Operation) -> int:
    """Instructions along K that are one."""
    kind = lowering_config(op).get("mma_kind")
    return kind.is_of.times if isinstance(kind, VirtualMMALayoutAttr) and kind.is_of is not None else 1
