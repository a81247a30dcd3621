"""Names of a package that are imported when somebody first asks for them."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib import import_module

from .collector import importing


def late_name(package: str, homes: Mapping[str, str], name: str) -> object:
    """What a package's `__getattr__` gives for a name, which is the package's own from then on.

    `homes` says where each name stands in the package: `module`, or `module:name` where it is called otherwise there.
    Raises AttributeError for a name that is not in it.
    """
    module = sys.modules[package]
    home = homes.get(name)
    if home is None:
        raise AttributeError(f"module {package!r} has no attribute {name!r}", name=name, obj=module)
    inner, _, other = home.partition(":")
    with importing():
        value: object = getattr(import_module(f".{inner}", package), other or name)
    setattr(module, name, value)
    return value
