"""NVIDIA's assembler, where it is installed, accepts what the emulator ran."""

from __future__ import annotations

from typing import Any

import pytest
from lanewise.codegen.assemble import assemble, has_tool

pytestmark = pytest.mark.skipif(not has_tool("ptxas"), reason="ptxas is not installed")
TYPES = ("i8", "f16", "bf16", "f32", "f64", "i64")


@pytest.mark.parametrize("chip", ["sm_75", "sm_80", "sm_90"])
def test_guards_remainders_and_functions_assemble(chip: str, build: Any, text: Any) -> None:
    """The texts that are not LLVM's own: inline assembly, and long expansions that must need no call and no stack."""
    lines = ["  %t = gpu.thread_id x", "  %c1 = arith.constant 1 : index", "  %ok = arith.cmpi ult, %t, %c1 : index"]
    lines.append("  %m = vector.broadcast %ok : i1 to vector<2xi1>")
    for i, type in enumerate(TYPES):
        pad = "0.0" if "f" in type else "0"
        access = f"memref<128x{type}>, vector<2xi1>, vector<2x{type}>"
        bytes = {"i8": 1, "f16": 2, "bf16": 2, "f32": 4}.get(type, 8)
        lines += [
            f"  %p{i} = arith.constant dense<{pad}> : vector<2x{type}>",
            f"  %v{i} = vector.maskedload %a{i}[%t], %m, %p{i} {{alignment = {2 * bytes} : i64}} : {access} "
            f"into vector<2x{type}>",
            f"  %w{i} = vector.maskedload %a{i}[%t], %m, %p{i} : {access} into vector<2x{type}>",
        ]
        names = ["exp", "log", "sin"] if "f" in type else []
        last = f"%v{i}"
        for name in names:
            lines.append(f"  %{name}{i} = math.{name} {last} : vector<2x{type}>")
            last = f"%{name}{i}"
        if names:
            lines.append(f"  %r{i} = arith.remf {last}, %w{i} : vector<2x{type}>")
            last = f"%r{i}"
        lines.append(f"  vector.maskedstore %a{i}[%t], %m, {last} {{alignment = {2 * bytes} : i64}} : {access}")
    arguments = ", ".join(f"%a{i}: memref<128x{type}>" for i, type in enumerate(TYPES))
    artifacts = build(text(arguments, "\n".join(lines)), chip)
    resources = assemble(artifacts.assembly, artifacts.chip).resources["k"]
    assert resources.spill_store_bytes == resources.spill_load_bytes == 0
