"""The options of IREE's pipeline that a kernel gives."""

from __future__ import annotations

from ..ir.core import Operation
from ..ir.dialects.iree_codegen import TranslationInfoAttr
from ..ir.dialects.iree_gpu_config import PipelineOptionsAttr


def pipeline_options(function: Operation) -> PipelineOptionsAttr | None:
    """`gpu_pipeline_options` of its `translation_info`, where it has some."""
    info = function.attributes.get("translation_info")
    if not isinstance(info, TranslationInfoAttr) or info.configuration is None:
        return None
    options = info.configuration.get("gpu_pipeline_options")
    return options if isinstance(options, PipelineOptionsAttr) else None


def prefetch_stages(function: Operation) -> int | None:
    """How many tiles of a loop are to be there at once; None where the program does not say."""
    options = pipeline_options(function)
    return None if options is None else options.prefetch_num_stages
