"""Operations of upstream's amdgpu and nvgpu dialects that are not supported say why, in either form."""

from __future__ import annotations

import pytest
from lanewise.ir.dialects import operation_class
from lanewise.ir.parser import parse_program
from lanewise.support.diagnostics import ProgramError

REASONS = {
    "amdgpu.make_dma_base": "copies of tensors by a descriptor",
    "amdgpu.make_gather_dma_descriptor": "copies of tensors by a descriptor",
    "amdgpu.tensor_load_to_lds": "copies of tensors by a descriptor",
}


@pytest.mark.parametrize("name", REASONS)
def test_what_is_not_supported_says_why(name: str) -> None:
    assert operation_class(name) is None, f"{name} is there: take its reason out of ir/hints.py"
    text = f"func.func @f(%x: i32) {{\n  {name} %x : i32\n  return\n}}"
    with pytest.raises(ProgramError) as raised:
        parse_program(text)
    (diagnostic,) = raised.value.diagnostics
    assert diagnostic.message == f"unknown operation '{name}'"
    assert REASONS[name] in diagnostic.hint
