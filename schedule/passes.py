"""The passes, in the order in which a kernel goes through them before its layouts are chosen, and who may choose them.

`prefetch_num_stages` of IREE's pipeline options says whether tiles are read ahead; else that depends on the registers
that are left.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from ..ir.core import Operation
from ..ir.dialects.iree_codegen import TranslationInfoAttr
from ..ir.dialects.iree_gpu_config import PipelineOptionsAttr
from ..layout.workgroup import Workgroup
from .prefetch import prefetch
from .promote import promote
from .tensor_tiles import order_tiles

Pass: TypeAlias = Callable[[Operation, Workgroup], bool]
"""Rewrites a function in the vector stage, in place; says whether it did anything."""
_ONE_STAGE: Sequence[Pass] = (promote, order_tiles)
_TWO_STAGES: Sequence[Pass] = (promote, order_tiles, prefetch)


class Passes(NamedTuple):
    """Those that a kernel gets, and those that it gets where the registers of a thread do not suffice for them."""

    first: Sequence[Pass]
    with_fewer_registers: Sequence[Pass]


def passes_of(function: Operation) -> Passes:
    stages = _stages(function)
    if stages is None:
        return Passes(_TWO_STAGES, _ONE_STAGE)
    asked = _TWO_STAGES if stages > 1 else _ONE_STAGE
    return Passes(asked, asked)


def _stages(function: Operation) -> int | None:
    info = function.attributes.get("translation_info")
    if not isinstance(info, TranslationInfoAttr) or info.configuration is None:
        return None
    options = info.configuration.get("gpu_pipeline_options")
    return options.prefetch_num_stages if isinstance(options, PipelineOptionsAttr) else None


def schedule(function: Operation, workgroup: Workgroup, passes: Sequence[Pass]) -> list[Pass]:
    """Applies passes to a function in the vector stage, in place; returns those that did something."""
    return [rewrite for rewrite in passes if rewrite(function, workgroup)]
