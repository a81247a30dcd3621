"""Raw buffers in the reference: what is said to count, and no memory has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from lanewise.ir.dialects.func import FuncOp
from lanewise.ir.parser import parse_program
from lanewise.ir.verify import verify
from lanewise.reference.errors import EvaluationError
from lanewise.reference.evaluate import evaluate

FAT = "memref<8xf32, #amdgpu.address_space<fat_raw_buffer>>"
LOAD = f"%v = memref.load %b[%i] : {FAT}"
STORE = f"memref.store %z, %b[%i] : {FAT}"
LOADS = f"%v = vector.load %b[%i] : {FAT}, vector<2xf32>"
STORES = f"vector.store %zs, %b[%i] : {FAT}, vector<2xf32>"
READ = f"%v = vector.gather %b[%i] [%n], %m, %zs : {FAT}, vector<2xi32>, vector<2xi1>, vector<2xf32> into vector<2xf32>"


def access(line: str, index: int, counted: int, width: int = 32) -> Any:
    """The eight floats behind the access, of which so many bytes are said to count."""
    module = parse_program(f"""func.func @f(%x: memref<8xf32>, %i: index, %c: i{width}) {{
      %z = arith.constant 7.0 : f32
      %zs = arith.constant dense<7.0> : vector<2xf32>
      %n = arith.constant dense<[0, 1]> : vector<2xi32>
      %m = arith.constant dense<true> : vector<2xi1>
      %b = amdgpu.fat_raw_buffer_cast %x validBytes(%c) : memref<8xf32> to {FAT}
      {line}
      return
    }}""")
    verify(module)
    (op,) = module.body.operations
    assert isinstance(op, FuncOp)
    memory = np.arange(8, dtype=np.float32)
    evaluate(op, memory, index, counted)
    return memory.tolist()


@pytest.mark.parametrize(("counted", "width"), [(1000, 32), (-1, 32), (-8, 64)])
@pytest.mark.parametrize(
    ("line", "index", "verb"), [(LOAD, 8, "reads"), (STORE, 8, "writes"), (LOADS, 7, "reads"), (READ, 7, "reads")]
)
def test_what_counts_and_is_not_there_is_out_of_bounds(
    line: str, index: int, verb: str, counted: int, width: int
) -> None:
    words = rf"<string>:.*{verb} element \[8\] of %x out of bounds: its bytes count, but the memory has only 32"
    with pytest.raises(EvaluationError, match=words):
        access(line, index, counted, width)


def test_what_is_there_and_what_does_not_count_is_accessed_as_ever() -> None:
    assert access(STORES, 6, 1000) == [0, 1, 2, 3, 4, 5, 7, 7]
    assert access(STORE, 8, 32) == [0, 1, 2, 3, 4, 5, 6, 7]
    assert access(STORE, 250, 1000) == [0, 1, 2, 3, 4, 5, 6, 7]
    assert access(STORE, -1, 1000) == [0, 1, 2, 3, 4, 5, 6, 7], "2^32 bytes on, less four"
