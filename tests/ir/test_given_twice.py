"""What a text gives twice is refused where the second stands: neither is dropped."""

from __future__ import annotations

import pytest
from lanewise.ir.parser import parse_program
from lanewise.support.diagnostics import ParseError

TWICE = [
    ("amdgpu.dpp %x %x row_mirror row_mask(5) ¦row_mask(3) : f32", "'row_mask' is given twice"),
    ("amdgpu.dpp %x %x row_mirror row_mask(5) {¦row_mask = 3 : i32} : f32", "attribute 'row_mask' is given twice"),
    ("amdgpu.permlane_var %x, %i cross(true) ¦cross(false) : f32", "'cross' is given twice"),
    (
        "amdgpu.permlane_swap %x 16 bound_ctrl(true) {¦bound_ctrl = false} : f32",
        "attribute 'bound_ctrl' is given twice",
    ),
    ("nvgpu.truncf %x <rnd = rz, ¦rnd = rn> : f32 to f16", "'rnd' is given twice"),
    ("nvgpu.truncf %x <rnd = rz> {¦rnd = #nvvm.fp_rnd_mode<rn>} : f32 to f16", "attribute 'rnd' is given twice"),
    (
        "amdgpu.raw_buffer_load boundsCheck(true) {¦boundsCheck = false} %m[%i] : memref<8xf32>, i32 -> f32",
        "attribute 'boundsCheck' is given twice",
    ),
    ("amdgpu.fat_raw_buffer_cast %m validBytes(%i) ¦validBytes(%i)", "'validBytes' is given twice"),
    ("amdgpu.fat_raw_buffer_cast %m resetOffset ¦resetOffset", "'resetOffset' is given twice"),
    ("amdgpu.fat_raw_buffer_cast %m resetOffset {¦resetOffset}", "attribute 'resetOffset' is given twice"),
    ("vector.reduction <add>, %v fastmath<fast> {¦fastmath = #arith.fastmath<none>}", "attribute 'fastmath' is given"),
]


@pytest.mark.parametrize(("line", "message"), TWICE, ids=[line.replace("¦", "") for line, _ in TWICE])
def test_what_is_given_twice_is_refused_at_the_second(line: str, message: str) -> None:
    start = "func.func @f(%x: f32, %i: i32, %m: memref<8xf32>, %v: vector<4xf32>) {\n%0 = "
    place = len(start) + line.index("¦")
    with pytest.raises(ParseError) as error:
        parse_program(f"{start}{line.replace('¦', '')}\nreturn\n}}")
    (found,) = error.value.diagnostics
    assert message in found.message
    assert found.location is not None and found.location.offset == place
