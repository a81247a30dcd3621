"""gpu, memref, affine, func and the thread-level dialects: nothing of theirs carries a vector through a layout."""

from __future__ import annotations

from ...ir.core import REGISTRY
from ..transfer import TRANSFER

_SCALAR = "its values are scalars or buffers, which have no layout"
_THREAD = "thread-level operation: it appears after distribution"
_STRUCTURE = "structure of the program, no values"
_REASONS = {
    "gpu": _SCALAR,
    "memref": _SCALAR,
    "affine": _SCALAR,
    "nvgpu": _THREAD,
    "amdgpu": _THREAD,
    "builtin": _STRUCTURE,
    "func": _STRUCTURE,
}
for _name, _class in REGISTRY.items():
    _dialect = _name.partition(".")[0]
    if _dialect in _REASONS:
        TRANSFER.needless(_REASONS[_dialect], _class)
