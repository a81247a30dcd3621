"""What a kernel does to its arguments through functions that it calls is what their bodies do."""

from __future__ import annotations

import lanewise
import numpy as np
import pytest
from lanewise.jit.kernel_signature import assumed_alignment

FUNCTIONS = """
func.func private @get(%x: memref<64xf32>, %i: index) -> f32 {
  %v = memref.load %x[%i] : memref<64xf32>
  return %v : f32
}
func.func private @put(%x: memref<64xf32>, %i: index, %v: f32) {
  memref.store %v, %x[%i] : memref<64xf32>
  return
}
func.func private @copy(%x: memref<64xf32>, %y: memref<64xf32>, %i: index) {
  %v = func.call @get(%x, %i) : (memref<64xf32>, index) -> f32
  func.call @put(%y, %i, %v) : (memref<64xf32>, index, f32) -> ()
  return
}
func.func private @tail(%x: memref<64xf32>) -> memref<32xf32, strided<[1], offset: 32>> {
  %t = memref.subview %x[32] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1], offset: 32>>
  return %t : memref<32xf32, strided<[1], offset: 32>>
}
func.func private @aligned(%x: memref<64xf32>) {
  memref.assume_alignment %x, 16 : memref<64xf32>
  return
}
"""
NEITHER, READ, WRITTEN, BOTH = (False, False), (True, False), (False, True), (True, True)
BODIES = {
    "get": ("%v = func.call @get(%x, %c0) : (memref<64xf32>, index) -> f32", READ),
    "put": ("func.call @put(%x, %c0, %one) : (memref<64xf32>, index, f32) -> ()", WRITTEN),
    "to a function of a function": (
        "func.call @copy(%x, %y, %c0) : (memref<64xf32>, memref<64xf32>, index) -> ()",
        READ,
    ),
    "from one": ("func.call @copy(%y, %x, %c0) : (memref<64xf32>, memref<64xf32>, index) -> ()", WRITTEN),
    "both": ("func.call @copy(%x, %x, %c0) : (memref<64xf32>, memref<64xf32>, index) -> ()", BOTH),
    "a view that is written": (
        "%t = func.call @tail(%x) : (memref<64xf32>) -> memref<32xf32, strided<[1], offset: 32>>\n"
        "memref.store %one, %t[%c0] : memref<32xf32, strided<[1], offset: 32>>",
        WRITTEN,
    ),
    "nothing": ("func.call @aligned(%x) : (memref<64xf32>) -> ()", NEITHER),
}


def program(body: str) -> str:
    return f"""{FUNCTIONS}
gpu.func @k(%x: memref<64xf32>, %y: memref<64xf32>) kernel attributes {{gpu.known_block_size = array<i32: 64, 1, 1>}} {{
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  {body}
  gpu.return
}}"""


@pytest.mark.parametrize("name", BODIES)
def test_what_is_read_and_written(name):
    body, expected = BODIES[name]
    x, _ = lanewise.compile(program(body), target="sm_80").signature
    assert (x.read, x.written) == expected


def test_what_is_assumed_of_an_address():
    """Buffers that are shifted by an element to try a kernel stay where a function that it calls has them."""
    kernel = lanewise.compile(program(BODIES["nothing"][0]), target="sm_80")
    assert dict(assumed_alignment(kernel.view)) == {0: 16, 1: 1}


def test_a_buffer_that_is_only_read_through_a_call_is_not_missed_in_the_report():
    kernel = lanewise.compile(program("func.call @copy(%x, %y, %c0) : (memref<64xf32>, memref<64xf32>, index) -> ()"))
    y = np.zeros(64, np.float32)
    report = lanewise.validate(kernel, 1, np.ones(64, np.float32), y, on=["reference"])
    assert report.unwritten == "63 of 64 elements of 'y'"
