"""How Sphinx makes the site; build.py stages its pages."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
from checkout import use_checkout  # noqa: E402

use_checkout()
import lanewise  # noqa: E402

project = "lanewise"
author = copyright = "The lanewise authors"
version = release = lanewise.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
html_theme = "furo"
html_title = f"lanewise {version}"
html_static_path: list[str] = []
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_class_signature = "separated"
default_role = "code"
"""Doc strings say `name` of what a reader types."""
suppress_warnings = ["misc.highlighting_failure"]
