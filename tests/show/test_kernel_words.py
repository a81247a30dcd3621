"""What kernels show of themselves in terminals and notebooks, without compiling anything for it."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Annotated

import lanewise
import lanewise.lang as lw
import pytest
from lanewise.codegen.assemble import has_tool


@lanewise.kernel(workgroup=32, target="gfx942")
def scaled(x: Annotated[lw.Array, lw.f32["N"]], y: Annotated[lw.Array, lw.f32["N"]], a: float, *, by: int = 2) -> None:
    i = lw.block(64)
    y[i] = x[i] * a * by


def wrong(x: str) -> None:
    """No kernel takes such an argument; whoever calls it is told, not who looks at it."""


def test_a_compiled_kernel_shows_arguments_target_and_what_is_known(converted: Path) -> None:
    kernel = lanewise.compile(converted, target="gfx942", cache="off")
    shown = dict(kernel.summary)
    assert shown["kernel"] == "converted for gfx942" and shown["workgroup"] == "64 threads (64x1x1)"
    assert shown["x"] == "float32[16, 8], read" and shown["y"] == "float32[16, 8], written"
    assert "not known yet" in shown["code"] and "bound" not in shown
    assert "artifacts" not in vars(kernel.compilation), "nothing is compiled to be shown"
    used = kernel.resources
    shown = dict(kernel.summary)
    assert f"{used.vgpr} VGPRs" in shown["code"] and "waves on a SIMD" in shown["bound"]  # type: ignore[union-attr]
    assert str(kernel).splitlines()[0] == "kernel     converted for gfx942"
    table = ET.fromstring(kernel._repr_html_())
    assert next("".join(row.itertext()) for row in table) == "kernelconverted for gfx942"


@pytest.mark.skipif(not has_tool("ptxas"), reason="no ptxas (pip install lanewise[isa])")
def test_shared_memory_that_launches_ask_for_is_shown() -> None:
    """Two buffers of 32 KiB are more than the 48 KiB that code itself may have."""
    buffer = "memref<8192xf32, #gpu.address_space<workgroup>>"
    program = f"""gpu.func @large(%y: memref<8192xf32>) kernel
    attributes {{gpu.known_block_size = array<i32: 32, 1, 1>}} {{
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %v = arith.constant dense<1.0> : vector<32xf32>
  %a = memref.alloc() : {buffer}
  %b = memref.alloc() : {buffer}
  vector.transfer_write %v, %a[%c0] : vector<32xf32>, {buffer}
  vector.transfer_write %v, %b[%c0] : vector<32xf32>, {buffer}
  gpu.barrier
  %f = vector.transfer_read %a[%c0], %p : {buffer}, vector<32xf32>
  %g = vector.transfer_read %b[%c0], %p : {buffer}, vector<32xf32>
  %s = arith.addf %f, %g : vector<32xf32>
  vector.transfer_write %s, %y[%c0] : vector<32xf32>, memref<8192xf32>
  gpu.return
}}"""
    kernel = lanewise.compile(program, "sm_80", cache="off")
    assert kernel.resources
    assert f"{2 * 8192 * 4} bytes of shared memory" in dict(kernel.summary)["code"]


def test_a_kernel_in_python_shows_its_signature_and_traces_nothing() -> None:
    expected = "scaled(x: f32[N], y: f32[N], a: f32, *, by=2) for gfx942"
    assert repr(scaled) == f"<lanewise kernel {expected}>"
    assert str(scaled) == repr(scaled) and not scaled.specialisations
    assert "f32[N]" in scaled._repr_html_() and "<table>" not in scaled._repr_html_()
    assert repr(lanewise.kernel(workgroup=32)(wrong)) == "<lanewise kernel wrong>"
    compiled = scaled.compile(lw.f32["N"], lw.f32["N"], lw.f32)
    assert str(scaled) == f"{scaled!r}\n\n{compiled}"
    assert scaled._repr_html_().count("<table>") == 1


def test_descriptions_of_arrays_show_what_one_writes() -> None:
    assert repr(lw.f16["M", 64, None]) == "f16[M, 64, ?]"
    assert repr(lw.f32["M", 8].strided(None, 1)) == "f32[M, 8].strided(None, 1)"
