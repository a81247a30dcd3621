"""scf.execute_region: a region in the middle of a block, whose blocks may branch."""

from __future__ import annotations

from collections.abc import Iterator

from ...support.diagnostics import Report
from ..attributes import UnitAttr
from ..core import Position
from ..define import anything, optional_attribute, region, results
from .scf_regions import Structured, YieldOp, check_yield


class ExecuteRegionOp(Structured, opname="scf.execute_region"):
    """Runs its region once; the results are what it yields. `no_inline` keeps it together upstream, which changes
    nothing of what it means."""

    pure = False
    recursive_effects = True
    no_inline = optional_attribute(UnitAttr)
    body_region = region(branches=True, ends_in=YieldOp, shows_end=True)
    results_ = results(anything)
    assembly = "(`->` arrow-types($results)^)? (`no_inline` $no_inline^)? $body_region attr-dict"

    def carries(self) -> Iterator[Position]:
        ends = [b.terminator for b in self.body_region.blocks if isinstance(b.terminator, YieldOp)]
        for i, result in enumerate(self.results):
            yield Position(tuple((end, i) for end in ends), (result,))

    def verify(self, report: Report) -> None:
        if self.body_region.blocks[0].arguments:
            self.error(report, "regions take no arguments")
        ends = [block for block in self.body_region.blocks if block.terminator is not None]
        for block in ends or self.body_region.blocks:
            if not (block.terminator is not None and block.terminator.successors):
                check_yield(self, block, report)
