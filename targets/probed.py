"""Which chips' matrix instructions have been probed on silicon, and when: `lanewise probe` found all of them right.

An entry is made by hand from that command's output; an instruction that came later than the date is not covered by it.
"""

from __future__ import annotations

from collections.abc import Mapping

PROBED: Mapping[str, str] = {}
"""Chip to date, such as 2026-12-01."""
