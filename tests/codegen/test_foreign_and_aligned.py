"""Operations of the other vendor are refused by name; pointers to arguments and the stack are as aligned as stated."""

from __future__ import annotations

import re

import pytest
from lanewise.codegen.all_rules import emit_reason, emit_rule
from lanewise.ir.core import REGISTRY
from lanewise.ir.parser import parse_program
from lanewise.pipeline.compilation import Compilation
from lanewise.support.diagnostics import CompileError
from lanewise.targets import find_chip

KERNEL = """gpu.func @k({arguments}) kernel attributes {{gpu.known_block_size = array<i32: 64, 1, 1>{more}}} {{
  {body}
  gpu.return
}}"""
BARRIER = "!nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>>"
FOREIGN = [
    ("sm_90", "NVIDIA", "amdgpu.sched_barrier", "amdgpu.sched_barrier allow = <none>"),
    ("gfx942", "AMD", "nvvm.griddepcontrol", "nvvm.griddepcontrol wait"),
    ("gfx1201", "AMD", "nvgpu.mbarrier.create", f"%b = nvgpu.mbarrier.create -> {BARRIER}"),
]


def llvm_ir(chip: str, arguments: str, body: str, more: str = "") -> str:
    program = parse_program(KERNEL.format(arguments=arguments, body=body, more=more))
    return Compilation(program, None, find_chip(chip)).artifacts.llvm_ir


@pytest.mark.parametrize(("chip", "maker", "name", "line"), FOREIGN)
def test_instructions_of_the_other_vendor_are_refused_by_name(chip, maker, name, line):
    words = f"'{name}' op cannot be compiled: it is an instruction that {maker}'s chips do not have"
    with pytest.raises(CompileError, match=re.escape(f"2:{3 + line.index(name)}: error: {words}")):
        llvm_ir(chip, "%x: memref<64xf32>", line)


@pytest.mark.parametrize(
    ("name", "vendor", "maker"),
    [("nvgpu.ldmatrix", "amd", "AMD"), ("nvvm.fence.proxy", "amd", "AMD"), ("amdgpu.mfma", "nvidia", "NVIDIA")],
)
def test_why_there_is_no_rule_for_them(name, vendor, maker):
    assert emit_rule(REGISTRY[name], vendor) is None
    assert emit_reason(REGISTRY[name], vendor) == f"an instruction that {maker}'s chips do not have"


ARGUMENTS = [
    ("memref<64xi8>", 1),
    ("memref<64xf16>", 2),
    ("memref<64xf32>", 4),
    ("memref<64xf64>", 8),
    ("memref<64xi8> {llvm.align = 16 : i64}", 16),
    ("memref<64xf64> {llvm.align = 4 : i64}", 8),
    ("memref<64xi4>", 1),
]


@pytest.mark.parametrize("chip", ["sm_80", "gfx942"])
@pytest.mark.parametrize(("type", "bytes"), ARGUMENTS)
def test_arguments_are_as_aligned_as_their_elements_or_as_they_say(chip, type, bytes):
    """What LLVM may take for granted of the pointer: no more than launches check, or accesses at odd places fault."""
    element = type.removeprefix("memref<64x").partition(">")[0]
    body = f"%c0 = arith.constant 0 : index\n  %v = memref.load %x[%c0] : memref<64x{element}>"
    head = next(line for line in llvm_ir(chip, f"%x: {type}", body).split("\n") if line.startswith("define"))
    assert re.findall(r"\balign (\d+) %", head) == [str(bytes)]


STACK = [("i8", "", 16), ("f64", "", 16), ("f32", "{alignment = 64 : i64} ", 64)]
"""As wide as an access of one thread, which memory of the kernel's own always allows."""


@pytest.mark.parametrize("chip", ["sm_80", "gfx942"])
@pytest.mark.parametrize(("element", "stated", "bytes"), STACK)
def test_private_buffers_allow_the_widest_access_and_are_as_aligned_as_they_say(chip, element, stated, bytes):
    type = f"memref<8x{element}, #gpu.address_space<private>>"
    body = f"""%c0 = arith.constant 0 : index
  %p = memref.alloca() {stated}: {type}
  %v = memref.load %x[%c0] : memref<64x{element}>
  memref.store %v, %p[%n] : {type}
  %w = memref.load %p[%c0] : {type}
  memref.store %w, %x[%c0] : memref<64x{element}>"""
    text = llvm_ir(chip, f"%x: memref<64x{element}>, %n: index", body, ', lanewise.scope = "thread"')
    assert re.findall(r"alloca .*?align (\d+)", text) == [str(bytes)]
