"""amdgpu.global_prefetch: what a lane is going to read comes into a cache, with a hint for how long (gfx1250)."""

from __future__ import annotations

from ...support.diagnostics import Report
from ..attributes import EnumAttr, UnitAttr
from ..core import Operation
from ..define import attribute, is_i64, is_memref, operand, operands, optional_attribute
from ..memory_spaces import is_fat_buffer, is_global
from ..traits import NOTHING


class TemporalHintAttr(EnumAttr):
    """For near caches and for far ones: regular, not temporal, of high priority, used for the last time."""

    mnemonic = "amdgpu.load_temporal_hint"
    cases = ("RT", "NT", "HT", "LU", "NT_RT", "RT_NT", "NT_HT")


class CacheScopeAttr(EnumAttr):
    """How far from the memory it comes: to the workgroup's processor, the shader engine, the device, or the system."""

    mnemonic = "amdgpu.cache_scope"
    cases = ("WGP", "SE", "DEV", "SYS")


TemporalHintAttr.register()
CacheScopeAttr.register()
_SPECULATIVE = ("RT", "HT", "NT_RT", "RT_NT", "NT_HT")
_CERTAIN = ("RT", "HT")


class GlobalPrefetchOp(Operation, opname="amdgpu.global_prefetch"):
    """`%m[%i, %j] RT SE speculative : type`: nothing changes; the element is in bounds unless it is `speculative`."""

    pure = False
    src = operand(is_memref, NOTHING)
    indices = operands(is_i64)
    temporalHint = attribute(TemporalHintAttr)
    cacheScope = attribute(CacheScopeAttr)
    speculative = optional_attribute(UnitAttr)
    assembly = (
        "$src `` `[` $indices `]` keyword($temporalHint) keyword($cacheScope) (`speculative` $speculative^)? attr-dict "
        "`:` type($src)"
    )

    @property
    def policy(self) -> int:
        """The instruction's: the hint, of which the lowest bit says that the element is there, and the scope."""
        hint = TemporalHintAttr.cases.index(self.temporalHint.value)
        certain = 0 if self.speculative is not None else 1
        return hint | certain | CacheScopeAttr.cases.index(self.cacheScope.value) << 3

    def verify(self, report: Report) -> None:
        type, hint = self.src.type, self.temporalHint.value
        if len(self.indices) != type.rank:
            self.error(report, f"needs {type.rank} indices for {type}, found {len(self.indices)}")
        if not is_global(type.memory_space) or is_fat_buffer(type.memory_space):
            self.error(report, f"prefetches from global memory, found {type}")
        known = _CERTAIN if self.speculative is None else _SPECULATIVE
        if hint not in known:
            words = "speculative" if self.speculative is not None else "not speculative"
            self.error(report, f"is {words}, which goes with {', '.join(known)}, found {hint}")
