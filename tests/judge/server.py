"""Run by the Python that has IREE's compiler: reads texts as JSON, one a line, and answers each with what upstream
prints of it, in custom and generic form, or with upstream's error."""

from __future__ import annotations

import json
import sys

from iree.compiler import ir  # type: ignore[import-not-found]


def answer(text: str) -> dict[str, str]:
    context = ir.Context()
    context.allow_unregistered_dialects = True
    try:
        module = ir.Module.parse(text, context).operation
    except ir.MLIRError as error:
        return {"error": str(error)}
    return {"custom": module.get_asm(), "generic": module.get_asm(print_generic_op_form=True)}


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
