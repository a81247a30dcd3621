"""What a program's own buffers leave of shared memory, in either spelling of their memory space."""

from __future__ import annotations

import pytest
from lanewise.ir.dialects import load_all
from lanewise.ir.kernels import find_kernel
from lanewise.ir.parser import parse_program
from lanewise.ir.passes import Context
from lanewise.layout.workgroup import Workgroup
from lanewise.targets import find_chip

load_all()


@pytest.mark.parametrize("space", ["#gpu.address_space<workgroup>", "3"])
def test_own_buffers_are_counted(space: str) -> None:
    text = f"""gpu.func @f() kernel attributes {{gpu.known_block_size = array<i32: 64, 1, 1>}} {{
      %b = memref.alloc() : memref<1024xf32, {space}>
      gpu.return
    }}"""
    chip = find_chip("sm_80")
    assert (
        Workgroup.of(find_kernel(parse_program(text)), Context(chip, 32)).shared_bytes
        == chip.shared_memory_bytes - 4096
    )
