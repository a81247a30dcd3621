"""LLVM IR text to PTX and AMDGCN: every chip, every matrix instruction, and what happens when the text is wrong.

A backend error ends the process, so whatever compiles many chips or instructions does so in a child.
"""

from __future__ import annotations

import dataclasses
import json
import re
import subprocess

import pytest
from lanewise.codegen.assemble import assemble, has_tool
from lanewise.codegen.llvm import CodegenError, compile_text, llvm_version
from lanewise.targets import CHIPS, MATRIX_INSTRUCTIONS, Chip, MatrixInstruction, UnknownTargetError, find_chip

from .. import warm

CONVENTIONS = {"nvidia": "ptx_kernel", "amd": "amdgpu_kernel"}
LANE = {"nvidia": "llvm.nvvm.read.ptx.sreg.tid.x", "amd": "llvm.amdgcn.workitem.id.x"}


def scale_kernel(chip: Chip, body: str = "%y = fmul float %x, 2.0") -> str:
    """out[lane] = 2 * in[lane]."""
    pointer = "ptr addrspace(1)"
    return "\n".join(
        [
            f"define {CONVENTIONS[chip.vendor]} void @scale({pointer} %in, {pointer} %out) {{",
            f"  %lane = call i32 @{LANE[chip.vendor]}()",
            f"  %from = getelementptr float, {pointer} %in, i32 %lane",
            f"  %to = getelementptr float, {pointer} %out, i32 %lane",
            f"  %x = load float, {pointer} %from",
            f"  {body}",
            f"  store float %y, {pointer} %to",
            "  ret void",
            "}",
            f"declare i32 @{LANE[chip.vendor]}()",
        ]
    )


def in_a_child(program: str, payload: object) -> subprocess.CompletedProcess[str]:
    """Run a Python program that reads `payload` as JSON from its standard input."""
    return warm.run("-c", program, input=json.dumps(payload))


COMPILE_ALL = """
import json, sys
from lanewise.codegen.assemble import assemble, has_tool
from lanewise.codegen.llvm import compile_text
from lanewise.targets import find_chip
for name, features, text in json.load(sys.stdin):
    print(json.dumps(compile_text(text, find_chip(name).requiring(*features)).assembly))
"""


def test_every_chip_compiles_without_a_word_on_stderr() -> None:
    jobs = [(chip.name, (), scale_kernel(chip)) for chip in CHIPS.values()]
    done = in_a_child(COMPILE_ALL, jobs)
    assert (done.returncode, done.stderr) == (0, "")
    for (name, _, _), line in zip(jobs, done.stdout.splitlines(), strict=True):
        assert re.search(rf"\.target {name}\b|amdhsa--{name}\b", json.loads(line)), name


def matrix_kernel(instruction: MatrixInstruction, convention: str) -> str:
    """Load the registers of A, B and C, execute the instruction once, store those of D."""
    pointer = "ptr addrspace(1)"
    body: list[str] = []
    passed: dict[str, list[str]] = {}
    for name, fragment in (("a", instruction.a), ("b", instruction.b), ("c", instruction.c)):
        kind = fragment.registers.llvm_type
        for i in range(fragment.registers.count):
            body.append(f"  %p{name}{i} = getelementptr {kind}, {pointer} %{name}, i32 {i}")
            body.append(f"  %{name}{i} = load {kind}, {pointer} %p{name}{i}")
        passed[name] = [f"{kind} %{name}{i}" for i in range(fragment.registers.count)]
    arguments = [value for slot in instruction.arguments for value in passed.get(slot, [slot])]
    d = instruction.d.registers
    result = d.llvm_type if d.count == 1 else "{ " + ", ".join([d.llvm_type] * d.count) + " }"
    signature = ", ".join(argument.split(" %")[0] if "%" in argument else argument.split()[0] for argument in arguments)
    body.append(f"  %d = call {result} @{instruction.llvm_name}({', '.join(arguments)})")
    body.append(f"  store {result} %d, {pointer} %out")
    parameters = ", ".join(f"{pointer} %{name}" for name in ("a", "b", "c", "out"))
    wide = instruction.family == "wmma" and instruction.subgroup_size == 64
    lanes = ' "target-features"="+wavefrontsize64"' * wide
    head = f"define {convention} void @k({parameters}){lanes} {{"
    return "\n".join([head, *body, "  ret void", "}", f"declare {result} @{instruction.llvm_name}({signature})"])


def all_matrix_jobs() -> list[tuple[str, MatrixInstruction, str]]:
    """Every instruction on every chip that differs from the others in its matrix units."""
    nvidia = ("sm_75", "sm_80", "sm_89", "sm_90a", "sm_120a")
    amd = ("gfx908", "gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201", "gfx1250")
    return [
        (name, instruction, matrix_kernel(instruction, CONVENTIONS[find_chip(name).vendor]))
        for name in nvidia + amd
        for instruction in MATRIX_INSTRUCTIONS
        if find_chip(name).supports(instruction.requires)
    ]


PTX_TYPES = {
    "f8E4M3FN": "e4m3", "f8E5M2": "e5m2", "f6E3M2FN": "e3m2", "f6E2M3FN": "e2m3", "f4E2M1FN": "e2m1",
    "i8": "s8", "ui8": "u8", "i4": "s4", "ui4": "u4", "i32": "s32",
}  # fmt: skip


def mnemonic(instruction: MatrixInstruction) -> str:
    """A pattern for the instruction's name in assembly, from its shape and types."""
    m, n, k = instruction.shape
    if instruction.family == "mma.sync":
        types = (instruction.d_type, instruction.a_type, instruction.b_type, instruction.c_type)
        return (
            rf"mma\.sync\.aligned\.m{m}n{n}k{k}\.row\.col\.(kind::f8f6f4\.)?"
            + r"\.".join(PTX_TYPES.get(t, t) for t in types)
            + r"\s"
        )
    return rf"v_{instruction.family}_{instruction.c_type}_{m}x{n}x{k}_?(?=[a-z0-9])"


@pytest.fixture(scope="module")
def matrix_code() -> list[tuple[str, MatrixInstruction, str]]:
    """Chip, instruction and generated assembly for all of them, compiled in one child."""
    jobs = all_matrix_jobs()
    done = in_a_child(COMPILE_ALL, [(chip, [instruction.requires], text) for chip, instruction, text in jobs])
    lines = done.stdout.splitlines()
    stopped_at = (jobs[len(lines)][0], jobs[len(lines)][1].name) if len(lines) < len(jobs) else None
    assert (done.returncode, stopped_at, done.stderr) == (0, None, "")
    return [(chip, instruction, json.loads(line)) for (chip, instruction, _), line in zip(jobs, lines, strict=True)]


def test_every_matrix_instruction_compiles_to_itself(matrix_code: list[tuple[str, MatrixInstruction, str]]) -> None:
    assert {instruction.name for _, instruction, _ in matrix_code} == {i.name for i in MATRIX_INSTRUCTIONS}
    for chip, instruction, assembly in matrix_code:
        assert len(re.findall(mnemonic(instruction), assembly)) == 1, (chip, instruction.name)


@pytest.mark.skipif(not has_tool("ptxas"), reason="ptxas is not installed (pip install lanewise[isa])")
def test_the_assembler_accepts_every_matrix_instruction(
    matrix_code: list[tuple[str, MatrixInstruction, str]],
) -> None:
    """Each on the first chip that has it: the PTX ISA that the chip and the instruction ask for is new enough."""
    first = {
        instruction.name: (chip, ptx) for chip, instruction, ptx in reversed(matrix_code) if chip.startswith("sm_")
    }
    for chip, ptx in first.values():
        assert assemble(ptx, find_chip(chip)).resources["k"].spill_store_bytes == 0


def test_the_stages_are_kept() -> None:
    chip = find_chip("sm_90")
    compiled = compile_text(scale_kernel(chip, "%z = fadd float %x, 0.0\n  %y = fmul float %x, 2.0"), chip)
    assert "%z" not in compiled.optimised_ir, "dead code is gone"
    assert 'target triple = "nvptx64-nvidia-cuda"' in compiled.optimised_ir
    assert ".version 7.8\n.target sm_90\n" in compiled.assembly
    assert ".visible .entry scale(" in compiled.assembly
    assert min(dataclasses.astuple(compiled.timing)) > 0


def test_without_optimisation_the_ir_is_as_written() -> None:
    chip = find_chip("sm_90")
    text = scale_kernel(chip, "%z = fadd float %x, 0.0\n  %y = fmul float %x, 2.0")
    assert "%z = fadd float %x, 0.0" in compile_text(text, chip, optimise=False).optimised_ir


@pytest.mark.parametrize("name", ["sm_80", "gfx942"])
def test_output_is_deterministic(name: str) -> None:
    chip = find_chip(name)
    first, second = (compile_text(scale_kernel(chip), chip) for _ in range(2))
    assert (first.assembly, first.optimised_ir) == (second.assembly, second.optimised_ir)


def test_the_chip_decides_about_triple_and_layout_whatever_the_text_says() -> None:
    amd = find_chip("gfx1100")
    compiled = compile_text('target triple = "x86_64-linux-gnu"\n' + scale_kernel(amd), amd)
    assert "amdgcn-amd-amdhsa--gfx1100" in compiled.assembly


def test_a_raised_ptx_isa_reaches_the_output() -> None:
    chip = find_chip("sm_90").requiring("mma.fp8")
    assert ".version 8.4\n" in compile_text(scale_kernel(chip), chip).assembly


def test_amd_object_is_a_relocatable_elf_of_amdgpu() -> None:
    chip = find_chip("gfx90a")
    compiled = compile_text(scale_kernel(chip), chip)
    relocatable, machine_amdgpu = (1).to_bytes(2, "little"), (224).to_bytes(2, "little")
    assert compiled.object[:4] == b"\x7fELF"
    assert compiled.object[16:20] == relocatable + machine_amdgpu
    assert compiled.object is compiled.object, "generated once"
    other = compile_text(scale_kernel(chip), chip)
    assert ".amdhsa_kernel scale" in other.assembly
    assert other.object == compiled.object, "whichever is asked for first"


def test_nvidia_has_no_object() -> None:
    chip = find_chip("sm_80")
    with pytest.raises(ValueError, match="LLVM writes no object for sm_80"):
        _ = compile_text(scale_kernel(chip), chip).object


@pytest.mark.parametrize("optimise", [True, False])
@pytest.mark.parametrize("name", ["sm_90", "gfx942", "gfx1100"])
def test_a_call_that_survives_is_our_error_and_is_named(name: str, optimise: bool) -> None:
    chip = find_chip(name)
    text = (
        scale_kernel(chip, "%y = call float @llvm.nvvm.misspelt(float %x)")
        + "\ndeclare float @llvm.nvvm.misspelt(float)"
    )
    with pytest.raises(CodegenError, match=r"the generated code calls llvm\.nvvm\.misspelt, which does not exist"):
        _ = compile_text(text, chip, optimise=optimise).assembly


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("%y = fmul floot %x, 2.0", r"expected type\n    6 \|   %y = fmul floot %x, 2\.0$"),
        ("%y = fmul float %undefined, 2.0", r"use of undefined value '%undefined'\n    6 \|   %y = fmul"),
        ("%y = fmul float %z, 2.0\n  %z = fadd float %y, 1.0", r"does not dominate(.|\n)*\n    7 \|   %z = fadd"),
        ("%y = call float @helper(float %x)", r"use of undefined value '@helper'\n    6 \|   %y = call"),
    ],
)  # fmt: skip
def test_ir_that_llvm_rejects_is_shown_with_its_line(body: str, message: str) -> None:
    chip = find_chip("sm_90")
    with pytest.raises(CodegenError, match=message) as error:
        compile_text(scale_kernel(chip, body), chip)
    assert isinstance(error.value, AssertionError)


def test_an_unknown_chip_is_refused_before_llvm_falls_back_to_another() -> None:
    made_up = dataclasses.replace(find_chip("sm_90"), name="sm_91")
    with pytest.raises(UnknownTargetError, match="no table lists the chip 'sm_91'; known: sm_60, "):
        compile_text(scale_kernel(made_up), made_up)


def test_the_version_is_that_of_the_bundled_llvm() -> None:
    assert llvm_version()[0] == 22


HISTORY = """
from lanewise.codegen.llvm import compile_text
from lanewise.targets import find_chip
TEXT = '''declare float @llvm.amdgcn.rcp.f32(float)
define amdgpu_kernel void @f(ptr addrspace(1) %p, float %x) {
  %r = call float @llvm.amdgcn.rcp.f32(float %x)
  %s = fadd float %r, %r
  store float %s, ptr addrspace(1) %p
  ret void
}
'''
for chip in CHIPS:
    text = compile_text(TEXT, find_chip(chip)).assembly
print(text)
"""


def test_texts_do_not_depend_on_what_was_compiled_before() -> None:
    """LLVM has a default of s_waitcnt_depctr that the first chip of a process decides."""
    found = [warm.run("-c", f"CHIPS = {chips}{HISTORY}").stdout for chips in (["gfx1100"], ["gfx1010", "gfx1100"])]
    assert "s_waitcnt_depctr depctr_va_vdst(0)\n" in found[0]
    assert found[0] == found[1]
