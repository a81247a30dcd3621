"""`fastmath="approx"` and the flags of single operations: what they let a kernel do is done, and judged by it."""

from __future__ import annotations

from typing import Any

import lanewise
import numpy as np
import pytest

ROW = """
gpu.func @row(%x: memref<128xf32>, %y: memref<128xf32>) kernel
    attributes {{gpu.known_block_size = array<i32: 64, 1, 1>}} {{
  %c0 = arith.constant 0 : index
  %low = arith.constant 0xFF800000 : f32
  %0 = vector.transfer_read %x[%c0], %low {{in_bounds = [true]}} : memref<128xf32>, vector<128xf32>
  %max = vector.multi_reduction <maximumf>, %0, %low {flags} [0] : vector<128xf32> to f32
  %maxima = vector.broadcast %max : f32 to vector<128xf32>
  %1 = arith.subf %0, %maxima : vector<128xf32>
  %2 = math.exp %1 : vector<128xf32>
  %3 = arith.divf %2, %maxima : vector<128xf32>
  vector.transfer_write %3, %y[%c0] {{in_bounds = [true]}} : vector<128xf32>, memref<128xf32>
  gpu.return
}}"""
PLAIN = ROW.format(flags="")


def validated(kernel: lanewise.Kernel, x: Any) -> lanewise.Report:
    return lanewise.validate(kernel, 1, x, np.empty_like(x), on=["reference", "interpret", "emulated"])


def numbers() -> Any:
    return np.linspace(-3, 5, 128).astype(np.float32)


@pytest.mark.parametrize(("target", "division"), [("sm_90", "div.rn"), ("gfx942", "v_div_fixup")])
def test_approx_is_shorter_and_right(target: str, division: str) -> None:
    plain, approximate = (lanewise.compile(PLAIN, target=target, fastmath=f) for f in ("none", "approx"))
    assert division in plain.assembly and division not in approximate.assembly
    assert len(approximate.assembly) < len(plain.assembly)
    assert "fastmath<arcp,contract,afn>" in approximate.vector_ir and "arith.fastmath<nnan>" in approximate.vector_ir
    x = numbers()
    x[3] = -np.inf  # what a mask leaves
    for kernel in (plain, approximate):
        assert validated(kernel, x).ok


def test_what_nnan_excludes_is_undefined() -> None:
    """A maximum passes over NaN or hands it on; the report says that nothing depends on it, not that one is wrong."""
    x = numbers()
    x[5] = np.nan
    assert validated(lanewise.compile(PLAIN, target="sm_90"), x).ok
    flagged = lanewise.compile(ROW.format(flags="{fastmath = #arith.fastmath<nnan>}"), target="sm_90")
    assert validated(flagged, x).verdict == "not judged"
    assert validated(flagged, numbers()).ok


def test_another_way_is_refused() -> None:
    way: Any = "aprox"
    with pytest.raises(lanewise.FastMathError, match="'none' or 'approx', found 'aprox'; did you mean approx"):
        lanewise.compile(PLAIN, fastmath=way)


def test_the_command_line_takes_it(tmp_path: Any, capsys: Any) -> None:
    from lanewise.cli.main import main

    program, compiled = tmp_path / "row.mlir", tmp_path / "row.lw"
    program.write_text("// lanewise.args x = normal(128), y = empty(128); grid = 1\n" + PLAIN)
    assert main(["validate", str(program), "--fastmath", "approx", "--on", "reference,interpret"]) == 0
    assert main(["compile", str(program), "-o", str(compiled)]) == 0
    assert main(["validate", str(compiled), "--fastmath", "approx"]) == 2
    assert "is compiled already; --fastmath is for programs" in capsys.readouterr().err
