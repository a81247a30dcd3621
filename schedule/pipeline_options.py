"""What a kernel says to the passes of this room: options of its own, and of IREE's pipeline."""

from __future__ import annotations

from typing import Any

from ..ir.attributes import IntegerAttr, number_of
from ..ir.core import Operation
from ..ir.dialects.iree_codegen import configuration_of
from ..ir.dialects.iree_gpu_config import PipelineOptionsAttr
from ..ir.kernels import CLUSTER_SIZE, Kernel
from ..ir.passes import Option, a_number
from ..ir.types import I1, Attribute
from ..support.diagnostics import CompileError, Diagnostic

ALL = 0
"""The value of `WORKGROUPS`: as many stay as the chip has multiprocessors."""


def _count(attribute: Attribute) -> int | None:
    number = number_of(attribute)
    return number if number is not None and 1 <= number < 1 << 16 else None


def _workgroups(attribute: Attribute) -> int | None:
    return ALL if attribute == IntegerAttr(1, I1) else _count(attribute)


def _truth(attribute: Attribute) -> bool | None:
    return next((truth for truth in (False, True) if attribute == IntegerAttr(truth, I1)), None)


ROWS = Option(
    "rows",
    "lanewise.bands",
    "a number of rows of the grid, 1 to 65535",
    "workgroups take their places in bands of so many rows",
    a_number,
    _count,
)
WORKGROUPS = Option(
    "workgroups",
    "lanewise.persist",
    "true or a number of workgroups, 1 to 65535",
    "so many stay for all places of the grid; true: as many as the chip has multiprocessors",
    a_number,
    _workgroups,
)
ASKED = Option(
    "asked",
    "lanewise.specialise",
    "true or false",
    "true: subgroups copy even where two workgroups would share a multiprocessor; false: none ever does",
    a_number,
    _truth,
)


def refuse_clusters(kernel: Kernel, option: Option[Any]) -> None:
    """Raises CompileError where an option moves workgroups that come in clusters."""
    if kernel.clustered:
        why = f"kernel '@{kernel.name}' has {option.attribute} and a {CLUSTER_SIZE} of {list(kernel.cluster_size)}"
        raise CompileError([Diagnostic(f"{why}: it moves workgroups", kernel.op.location)])


def pipeline_options(function: Operation) -> PipelineOptionsAttr | None:
    """`gpu_pipeline_options` of its `translation_info`, where it has some."""
    options = configuration_of(function, "gpu_pipeline_options")
    return options if isinstance(options, PipelineOptionsAttr) else None


def prefetch_stages(function: Operation) -> int | None:
    """How many tiles of a loop are to be there at once; None where the program does not say."""
    options = pipeline_options(function)
    return None if options is None else options.prefetch_num_stages
