"""Which functions are kernels, their launch attributes, and what their scope forbids."""

from __future__ import annotations

import pytest
from lanewise.ir.kernels import find_kernel, kernels
from lanewise.ir.parser import parse_program
from lanewise.ir.program_parts import verify_scope
from lanewise.support.diagnostics import ProgramError, Report

INFO = "translation_info = #iree_codegen.translation_info<pipeline = LLVMGPUVectorDistribute"


def gpu_kernel(name: str = "k", attributes: str = "gpu.known_block_size = array<i32: 64, 2, 1>", body: str = "") -> str:
    return f"gpu.func @{name}(%x: f32) kernel attributes {{{attributes}}} {{\n{body}\ngpu.return\n}}\n"


def iree_kernel(info: str = " workgroup_size = [64, 2] subgroup_size = 32", more: str = "", body: str = "") -> str:
    return f"func.func @k(%x: f32 {{a.b = 1 : i64}}) attributes {{{INFO}{info}>{more}}} {{\n{body}\nreturn\n}}\n"


def test_gpu_function() -> None:
    (kernel,) = kernels(parse_program(gpu_kernel()))
    assert (kernel.name, kernel.block_size, kernel.threads) == ("k", (64, 2, 1), 128)
    assert (kernel.subgroup_size, kernel.scope, kernel.stage) == (None, "workgroup", "vector")
    assert [str(a.type) for a in kernel.arguments] == ["f32"]


def test_function_with_translation_info() -> None:
    kernel = find_kernel(parse_program(iree_kernel()))
    assert (kernel.block_size, kernel.subgroup_size) == ((64, 2, 1), 32)
    assert str(kernel.argument_attribute(0, "a.b")) == "1 : i64"
    assert kernel.argument_attribute(0, "other") is None


def test_attributes_of_lanewise() -> None:
    text = iree_kernel(more=', lanewise.scope = "subgroup", lanewise.subgroup_size = 64 : i64')
    kernel = find_kernel(parse_program(text))
    assert (kernel.scope, kernel.subgroup_size) == ("subgroup", 64)


def test_the_thread_stage_is_one_threads_program() -> None:
    module = parse_program(f'module attributes {{lanewise.stage = "thread"}} {{\n{gpu_kernel()}}}')
    kernel = find_kernel(module)
    assert (kernel.stage, kernel.scope) == ("thread", "thread")


def test_functions_are_no_kernels() -> None:
    helper = "func.func @helper() {\nreturn\n}\ngpu.func @device() {\ngpu.return\n}\n"
    assert [k.name for k in kernels(parse_program(helper + gpu_kernel()))] == ["k"]
    with pytest.raises(ProgramError, match=r"(?s)the module has no kernel.*@helper is a function.*hint: a kernel is"):
        find_kernel(parse_program(helper))


def test_choosing_by_name() -> None:
    module = parse_program("gpu.module @m {\n" + gpu_kernel("first") + gpu_kernel("second") + "}")
    assert find_kernel(module, "second").name == "second"
    with pytest.raises(ProgramError, match=r"(?s)has 2 kernels: @first, @second.*hint: name the one"):
        find_kernel(module)
    with pytest.raises(ProgramError, match=r"(?s)no kernel '@secnd'; the module has @first, @second.*mean @second\?"):
        find_kernel(module, "secnd")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            gpu_kernel(attributes="gpu.know_block_size = array<i32: 64>"),
            "hint: 'gpu.know_block_size': did you mean gpu.known_block_size?",
        ),
        (gpu_kernel(attributes="a = 1 : i64"), "kernel '@k' does not say how many threads a workgroup has"),
        (iree_kernel(info=""), "does not say how many threads"),
        (gpu_kernel(attributes="gpu.known_block_size = array<i32: 64, 32>"), "has 2048 threads, the limit is 1024"),
        (
            gpu_kernel(attributes="gpu.known_block_size = array<i32: 64, 0, 1>"),
            "three positive numbers, found [64, 0, 1]",
        ),
        (gpu_kernel(attributes="gpu.known_block_size = array<i32: 1, 1, 1, 1>"), "up to three positive numbers"),
        (
            iree_kernel(more=", gpu.known_block_size = array<i32: 32>"),
            "two sizes of a workgroup: [64, 2] in translation_info and [32] in gpu.known_block_size",
        ),
        (iree_kernel(more=', lanewise.scope = "block"'), "lanewise.scope must be one of workgroup, subgroup, thread"),
        (iree_kernel(more=", lanewise.subgroup_size = 48 : i64"), "subgroup size must be a power of two, found 48"),
        (iree_kernel(more=', lanewise.subgroup_size = "32"'), "lanewise.subgroup_size must be an integer"),
        (
            "func.func @k() attributes {translation_info = 3 : i64} {\nreturn\n}",
            "translation_info must be #iree_codegen",
        ),
        (gpu_kernel() + gpu_kernel(), "kernel '@k' is defined twice"),
        (
            "gpu.func @k(%x: f32) -> f32 kernel attributes {gpu.known_block_size = array<i32: 1>} {\n"
            "gpu.return %x : f32\n}",
            "kernel '@k' returns values",
        ),
    ],
)
def test_launch_attributes_are_checked(text: str, message: str) -> None:
    with pytest.raises(ProgramError) as error:
        kernels(parse_program(text))
    assert message in str(error.value)
    assert "<string>:" in str(error.value)


FINE_OPERATIONS = {
    "gpu.thread_id": "%r = gpu.thread_id x",
    "gpu.lane_id": "%r = gpu.lane_id",
    "gpu.subgroup_reduce": "%r = gpu.subgroup_reduce add %x : (f32) -> f32",
    "gpu.shuffle": "%i = arith.constant 1 : i32\n%r:2 = gpu.shuffle xor %x, %i, %i : f32",
}


def findings(scope: str, body: str) -> list[str]:
    kernel = find_kernel(parse_program(iree_kernel(more=f', lanewise.scope = "{scope}"', body=body)))
    report = Report()
    verify_scope(kernel, kernel.subgroup_size or 32, report)
    return [d.message for d in report.diagnostics]


@pytest.mark.parametrize("name", FINE_OPERATIONS)
def test_operations_of_lanes_need_the_scope_of_a_thread(name: str) -> None:
    body = FINE_OPERATIONS[name]
    assert findings("thread", body) == []
    for scope in ("workgroup", "subgroup"):
        (message,) = findings(scope, body)
        assert message == f"'{name}' op differs within a {scope}, to which the values of '@k' belong"


def test_a_subgroup_knows_its_number() -> None:
    body = "%r = gpu.subgroup_id : index"
    assert findings("subgroup", body) == []
    assert len(findings("workgroup", body)) == 1


def test_what_is_uniform_is_allowed() -> None:
    body = "%r = gpu.block_id x\n%d = gpu.block_dim y\n%g = gpu.grid_dim z\n%n = gpu.num_subgroups : index\ngpu.barrier"
    assert findings("workgroup", body) == []
