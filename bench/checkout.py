"""Makes the checkout that this file is in importable as `lanewise`, whatever its folder is called, installed or not."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"
ROWS = ROOT / "bench" / "rows"
"""Kernels of rows that a workgroup holds in registers, as peers write them; the examples' rows are of any length."""
RESULTS = ROOT / "bench" / "results"


def use_checkout() -> None:
    """Loads the root `__init__.py` under the package's name; does nothing where that has been done."""
    if "lanewise" in sys.modules:
        return
    place = ROOT / "__init__.py"
    spec = importlib.util.spec_from_file_location("lanewise", place, submodule_search_locations=[str(ROOT)])
    assert spec is not None and spec.loader is not None
    package = importlib.util.module_from_spec(spec)
    sys.modules["lanewise"] = package
    spec.loader.exec_module(package)


CHILD = f"import sys; sys.path.insert(0, {str(ROOT / 'bench')!r}); import checkout\n"
"""What a child process runs first, to call `checkout.use_checkout()` as well."""
