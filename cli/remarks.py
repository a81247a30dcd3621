"""Remarks on the command line: on standard error, so that output stays what was asked for."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from ..ir.remarks import Remark


class RemarkPrinter:
    """Prints remarks; what they have in common stands there once: the variants that they are about, lines, hints."""

    def __init__(self) -> None:
        self._shown: set[object] = set()
        self._variants: tuple[str, ...] = ()

    def print(self, remarks: Iterable[Remark]) -> None:
        for remark in remarks:
            if remark.variants != self._variants:
                about = " and ".join(f"the variant {words}" for words in remark.variants) or "all variants"
                print(f"remarks on {about}:", file=sys.stderr)
                self._variants = remark.variants
            print("\n".join(remark.lines(self._shown)), file=sys.stderr, flush=True)
