"""Which thread it is that a finding is about, once layouts are chosen."""

from __future__ import annotations

from ..ir.core import Value
from ..ir.stages import OF_THREADS
from ..ir.types import shape_of
from ..layout.exchanges import layout_in_stage
from ..layout.owner_map import OwnerMap
from ..layout.teams import teams
from ..layout.transfer import is_vector
from ..layout.workgroup import Workgroup
from ..pipeline.compilation import Compilation
from ..support.dataclasses import replace
from .checks_numbers import PlacedOp
from .checks_parts import Finding
from .explain_places import line_of


def with_thread(finding: Finding, compilation: Compilation) -> Finding:
    """The finding with the thread that accesses its element, where layouts say that."""
    kernel = compilation.layout_kernel
    if kernel.stage in OF_THREADS:
        return finding
    for team in teams(kernel.op, Workgroup.of(kernel, compilation.context)):
        for op in team.operations:
            if isinstance(op, PlacedOp) and line_of(op) == finding.line:
                vector = next((v for v in (*op.results, *op.operands) if _has(v, finding.element)), None)
                if vector is not None:
                    thread = _first_thread(vector, team.workgroup, finding.element)
                    return replace(finding, message=f"{finding.message}; thread {thread} is the first that does it")
    return finding


def _has(value: Value, element: tuple[int, ...]) -> bool:
    return is_vector(value) and len(shape_of(value.type)) == len(element)


def _first_thread(vector: Value, workgroup: Workgroup, element: tuple[int, ...]) -> int:
    size = workgroup.subgroup_size
    layout = layout_in_stage(vector).wrapped(workgroup.subgroups)
    return (
        OwnerMap.of_layout(layout, size, workgroup.threads, workgroup.first_subgroup * size).holders(element)[0].thread
    )
