"""What layouts are decoded against."""

import pytest
from lanewise.ir.kernels import find_kernel
from lanewise.ir.parser import parse_program
from lanewise.ir.targets import find_chip
from lanewise.layout.workgroup import Workgroup

KERNEL = """
gpu.func @f() kernel attributes {{gpu.known_block_size = array<i32: 32, 1, 1>, lanewise.scope = "{scope}"}} {{
  %a = memref.alloc() : memref<5xf16, #gpu.address_space<workgroup>>
  %b = memref.alloc() {{alignment = 64 : i64}} : memref<3xf32, #gpu.address_space<workgroup>>
  %c = memref.alloc() : memref<100xf32, #gpu.address_space<private>>
  gpu.return
}}
"""


@pytest.mark.parametrize("chip", ["sm_90", "gfx942"])
def test_the_programs_own_buffers_leave_the_rest_of_shared_memory(chip: str) -> None:
    """10 bytes take 16, as any access may need; 12 bytes take the 64 that they are aligned to; private memory none."""
    target = find_chip(chip)
    kernel = find_kernel(parse_program(KERNEL.format(scope="workgroup")))
    workgroup = Workgroup.of(kernel, target, target.default_subgroup_size)
    assert workgroup.shared_bytes == target.shared_memory_bytes - 16 - 64


@pytest.mark.parametrize("scope", ["subgroup", "thread"])
def test_subgroups_and_threads_exchange_nothing_through_shared_memory(scope: str) -> None:
    target = find_chip("sm_90")
    workgroup = Workgroup.of(find_kernel(parse_program(KERNEL.format(scope=scope))), target, 32)
    assert not workgroup.exchanges
