"""Elements of less than a byte that are read and written in place: what one thread stores updates the word around it,
and touches no byte of it but its own."""

from __future__ import annotations

from typing import Annotated

import lanewise
import lanewise.lang as lw
import ml_dtypes
import numpy as np
import pytest
from lanewise.emulate.faults import EmulationFault
from lanewise.emulate.machine.settings import LaunchSettings
from lanewise.emulate.memory import GlobalMemory
from lanewise.emulate.ptx import PtxModule
from lanewise.emulate.races import BITWISE, masked_bytes

Nibbles = Annotated[lw.Array, lw.i4[None]]


@lanewise.kernel(workgroup=64)
def next_ones(w: Nibbles, *, tile: int) -> None:
    i = lw.block(tile)
    w[i] = w[i] + 1


def checked(tile: int, target: str) -> lanewise.Report:
    w = (np.arange(200) % 16 - 8).astype(ml_dtypes.int4)
    compiled = next_ones.compile(w, tile=tile, target=target, device="emulated")
    return lanewise.validate(compiled, -(-200 // tile), w, on=["reference", "interpret", "emulated"])


@pytest.mark.parametrize("target", ["sm_90a", "gfx942"])
def test_bytes_beside_those_that_are_updated_are_no_race(target: str) -> None:
    """Tiles of 96 and of 6 begin at bytes, in words that others read; zeros are values as all others."""
    for tile in (96, 6):
        report = checked(tile, target)
        assert report.verdict == "right", str(report)


def test_a_byte_that_two_workgroups_share_is_a_race() -> None:
    report = checked(7, "sm_90a")
    assert report.verdict == "WRONG" and "race: updates atomically global memory" in str(report)


def test_bytes_of_a_bitwise_update() -> None:
    flat, lanes = np.array([8, 16]), np.array([0, 5])
    cleared = masked_bytes(flat, lanes, np.array([0xFFFF0FFF, 0xFFFFFFFF], np.uint32), kept=BITWISE["and"])
    assert [part.tolist() for part in cleared] == [[9], [0]]
    written = masked_bytes(flat, lanes, np.array([0x00300001, 0x40000000], np.uint32), kept=BITWISE["or"])
    assert [part.tolist() for part in written] == [[8, 10, 19], [0, 0, 5]]


@pytest.mark.parametrize("update", ["or.b32 %r1, [%q0], 0", "and.b32 %r1, [%q0], -1"])
def test_an_update_that_changes_nothing_and_is_read_races_with_a_store(update: str) -> None:
    """It is an atomic load of the whole word; where nobody reads what it gives it touches nothing."""

    def run(used: str) -> None:
        text = (
            ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n.reg .pred %p<2>;\n"
            ".reg .b32 %r<4>;\n.reg .b64 %q<2>;\nld.param.u64 %q0, [a];\nmov.u32 %r0, %ctaid.x;\n"
            f"setp.eq.u32 %p0, %r0, 0;\n@%p0 st.global.b32 [%q0], 7;\n@!%p0 atom.global.{update};\n{used}ret;\n}}\n"
        )
        memory = GlobalMemory()
        base = memory.allocate(256)
        (kernel,) = PtxModule.parse(text).kernels.values()
        kernel.launch(memory, LaunchSettings((2, 1, 1), (32, 1, 1), np.array([base], np.uint64).tobytes()))

    run("")  # nobody reads it, so no byte is touched
    with pytest.raises(EmulationFault, match="race"):
        run("@!%p0 st.global.b32 [%q0 + 128], %r1;\n")


@pytest.mark.parametrize("read", [False, True])
def test_on_amd_too(read: bool) -> None:
    """An update that returns what was there is a load of the whole word."""
    source = """
gpu.func @f(%x: memref<1xi32>, %y: memref<2xi32>, %nothing: i32) kernel attributes {
    gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %seven = arith.constant 7 : i32
  %block = gpu.block_id x
  %thread = gpu.thread_id x
  %first_block = arith.cmpi eq, %block, %c0 : index
  %first = arith.cmpi eq, %thread, %c0 : index
  scf.if %first {
    scf.if %first_block {
      memref.store %seven, %x[%c0] : memref<1xi32>
    } else {
      %old = memref.atomic_rmw ori %nothing, %x[%c0] : (i32, memref<1xi32>) -> i32
      USE
    }
  }
  gpu.return
}"""
    use = "memref.store %old, %y[%c1] : memref<2xi32>" if read else ""
    kernel = lanewise.compile(source.replace("USE", use), target="gfx942", device="emulated")
    assert ("sc0" in kernel.amdgcn) == read
    x, y = np.zeros(1, np.int32), np.zeros(2, np.int32)
    if read:
        with pytest.raises(lanewise.LanewiseError, match="race"):
            kernel[2](x, y, 0)
    else:
        kernel[2](x, y, 0)
