"""gpu, memref, affine, func, lanewise, and the thread-level dialects: nothing in them carries vectors on."""

from __future__ import annotations

from collections.abc import Callable

from ...ir.core import Operation
from ...ir.dialects.amdgpu_buffers import FatRawBufferCastOp
from ..transfer import TRANSFER

_SCALAR = "its values are scalars or buffers, which have no layout"
_THREAD = "thread-level operation: it appears after distribution"
_STRUCTURE = "structure of the program, no values"
_REASONS = {
    "gpu": _SCALAR,
    "memref": _SCALAR,
    "affine": _SCALAR,
    "hal": _SCALAR,
    "util": _SCALAR,
    "cf": _SCALAR,
    "lanewise": "it has no vectors: those of its programs are laid out on threads of their own",
    "builtin": _STRUCTURE,
    "func": _STRUCTURE,
}


def _of_dialect(name: str) -> Callable[[type[Operation]], bool]:
    return lambda cls: cls.opname.partition(".")[0] == name


TRANSFER.needless(_SCALAR, FatRawBufferCastOp)
for _dialect, _reason in _REASONS.items():
    TRANSFER.needless_family(_reason, _of_dialect(_dialect))
TRANSFER.needless_family(_THREAD, lambda cls: cls.vendor is not None)
