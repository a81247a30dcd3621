"""Remarks on the command line: on standard error, so that output stays what was asked for."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from ..ir.remarks import Remark


def print_remarks(remarks: Iterable[Remark]) -> None:
    for remark in remarks:
        print(remark.render(), file=sys.stderr, flush=True)
