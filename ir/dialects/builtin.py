"""builtin: the module."""

from __future__ import annotations

from ..attributes import StringAttr
from ..core import Operation
from ..define import optional_attribute, region


class ModuleOp(Operation, opname="builtin.module"):
    """A program: kernels and the modules that hold them."""

    pure = False
    isolated = True
    holds_symbols = True
    sym_name = optional_attribute(StringAttr)
    body_region = region()
    assembly = "($sym_name^)? attr-dict-with-keyword $body_region"
