"""Kernels as objects: sources, texts, variants, launches and their errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import lanewise
import numpy as np
import pytest
from lanewise.codegen.link import KernelInfo, Occupancy
from lanewise.jit.compiler import argument_facts
from lanewise.jit.device import DeviceUnavailable
from lanewise.jit.facts import Facts
from lanewise.jit.grids import grid_of
from lanewise.jit.kernel_signature import assumed_alignment, signature_of
from lanewise.jit.signature import ArgumentError, ArgumentValueError, BufferParameter, ScalarParameter
from lanewise.support.diagnostics import CompileError, ParseError, ProgramError, VerifyError

from .conftest import SCALE

pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture(scope="module")
def kernel() -> lanewise.Kernel:
    return lanewise.compile(SCALE, device="emulated")


def arrays(n: int) -> tuple[Any, Any]:
    return np.arange(n, dtype=np.float32), np.zeros(n, np.float32)


def test_text_file_and_module_are_one_program(scale: Path) -> None:
    kernels = [lanewise.compile(source) for source in (SCALE, scale, str(scale), lanewise.parse(SCALE))]
    assert len({k.vector_ir for k in kernels}) == 1
    assert kernels[0].name == "scale" and kernels[0].block_size == (64, 1, 1)


def test_the_texts_of_the_stages(kernel: lanewise.Kernel) -> None:
    assert "vector.transfer_read" in kernel.vector_ir
    assert 'lanewise.stage = "layout"' in kernel.layout_ir
    assert 'lanewise.stage = "thread"' in kernel.thread_ir and "transfer_read" not in kernel.thread_ir
    assert "define" in kernel.llvm_ir and "define" in kernel.llvm_ir_optimised
    assert ".visible .entry scale" in kernel.ptx and ".target sm_90" in kernel.ptx


@pytest.mark.parametrize("stage", ["layout_ir", "thread_ir"])
def test_a_dumped_stage_goes_on_to_the_same_machine_text(kernel: lanewise.Kernel, stage: str) -> None:
    resumed = lanewise.compile(getattr(kernel, stage))
    assert resumed.ptx == kernel.ptx
    assert resumed.target.name == "sm_90"
    with pytest.raises(lanewise.StageError, match="begins in the"):
        _ = resumed.vector_ir


def test_launches_are_right_at_every_size(kernel: lanewise.Kernel) -> None:
    for n in (1, 31, 64, 65, 1000):
        x, y = arrays(n)
        kernel[-(-n // 64)](x, y, 3.0)
        assert np.array_equal(y, 3 * x)


def test_device_arrays_are_used_in_place_and_again(kernel: lanewise.Kernel) -> None:
    x, _ = arrays(128)
    on_device = lanewise.DeviceArray.from_numpy(kernel.device, x)
    out = lanewise.DeviceArray(kernel.device, (128,), np.float32)
    for factor in (2.0, 2.0, 5.0):
        kernel.launch((2,), on_device, out, factor)
        assert np.array_equal(out.to_numpy(), factor * x)
    kernel[2](on_device, out, factor)  # the very same arguments again
    out.free()
    with pytest.raises(lanewise.DeviceError, match="freed"):
        kernel[2](on_device, out, factor)


def test_facts_make_variants_and_no_fact_the_general_one() -> None:
    kernel = lanewise.compile(SCALE, device="emulated")
    for n in (64, 128, 640):  # every extent a multiple of 16
        kernel[1](*arrays(n), 1.0)
    assert kernel.variant_count == 1
    kernel[1](*arrays(77), 1.0)  # the same alignment, other extents
    assert kernel.variant_count == 2
    kernel[1](*arrays(78), 1.0)  # even is not told apart from odd
    assert kernel.variant_count == 2
    assert kernel.variant(Facts()) is kernel.variant(Facts((8, 2, 1, 2, 1), near=True)) is kernel.general


def test_near_buffers_make_a_variant_where_the_chip_has_instructions_for_them() -> None:
    kernel = lanewise.compile(SCALE, target="gfx942", device="emulated")
    kernel[1](*arrays(77), 1.0)
    (launched,) = kernel.compiler.compiled
    assert "buffer_store" in kernel.variant(launched).artifacts.assembly
    assert "buffer_store" not in kernel.amdgcn


def test_facts_of_machine_parameters_become_facts_of_arguments() -> None:
    signature = (
        BufferParameter("x", np.dtype(np.float32), (None, 48), strides=(None, 1)),
        ScalarParameter("n", np.dtype(np.int64)),
        BufferParameter("y", np.dtype(np.float32), (8,)),
    )
    x, n = (facts := argument_facts(signature, Facts((16, 16, 1, 16, 1))))[0], facts[1]
    assert (x.align, x.divisibility) == (16, (16, 16))
    assert (n.align, n.divisibility) == (None, 16)
    assert 2 not in facts
    near = argument_facts(signature, Facts(near=True))
    assert {i: fact.near for i, fact in near.items()} == {0: True, 2: True}


def test_what_the_program_states_of_arguments_is_checked() -> None:
    text = SCALE.replace("%x: memref<?xf32>,", "%x: memref<?xf32> {lanewise.divisibility = array<i64: 32>},")
    kernel = lanewise.compile(text, device="emulated")
    kernel[1](*arrays(64), 1.0)
    with pytest.raises(ArgumentValueError, match=r"'x': expected an extent that is a multiple of 32.*found 48"):
        kernel[1](*arrays(48), 1.0)


def test_the_signature_knows_what_is_read_and_written(kernel: lanewise.Kernel) -> None:
    x, y, factor = kernel.signature
    assert isinstance(x, BufferParameter) and isinstance(y, BufferParameter) and isinstance(factor, ScalarParameter)
    assert (x.name, x.read, x.written) == ("x", True, False)
    assert (y.name, y.read, y.written) == ("y", False, True)
    assert (factor.name, factor.dtype) == ("factor", np.float32)


def test_reads_and_writes_are_seen_through_views() -> None:
    text = """gpu.func @k(%0: memref<64xf32>, %b: memref<64xf32>) kernel attributes {
        gpu.known_block_size = array<i32: 32, 1, 1>, lanewise.scope = "thread"} {
      %c0 = arith.constant 0 : index
      %v = memref.subview %0[0] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1]>>
      %x = memref.load %v[%c0] : memref<32xf32, strided<[1]>>
      %a = memref.assume_alignment %b, 64 : memref<64xf32>
      memref.store %x, %a[%c0] : memref<64xf32>
      gpu.return
    }"""
    view = lanewise.compile(text).view
    first, second = signature_of(view)
    assert isinstance(first, BufferParameter) and isinstance(second, BufferParameter)
    assert (first.name, first.read, first.written) == ("arg0", True, False)
    assert (second.name, second.read, second.written) == ("b", False, True)
    assert dict(assumed_alignment(view)) == {0: 1, 1: 64}


@pytest.mark.parametrize("use, written", [("%u", True), ("%t", False)])
def test_a_tensor_that_is_changed_in_its_buffer_is_written(use: str, written: bool) -> None:
    text = f"""gpu.func @k(%y: memref<?xi32>, %n: index, %v: i32) kernel attributes {{
        gpu.known_block_size = array<i32: 32, 1, 1>}} {{
      %t = bufferization.to_tensor %y restrict writable : memref<?xi32> to tensor<?xi32>
      %u = tensor.insert %v into %t[%n] : tensor<?xi32>
      %e = tensor.extract {use}[%n] : tensor<?xi32>
      vector.print %e : i32
      gpu.return
    }}"""
    kernel, y = lanewise.compile(text, device="emulated"), np.arange(12, dtype=np.int32)
    assert isinstance(kernel.signature[0], BufferParameter)
    assert kernel.signature[0].read and kernel.signature[0].written is written
    kernel[1](y, 3, 99)
    assert y[3] == (99 if written else 3)
    y.setflags(write=False)
    if written:
        with pytest.raises(ArgumentValueError, match="'y'"):
            kernel[1](y, 3, 99)
    else:
        kernel[1](y, 3, 99)


@pytest.mark.parametrize("grid", [-1, (), (1, 2, 3, 4), (1, -1), 1.5, (1.0,), True, "4"])
def test_a_grid_is_one_to_three_numbers(grid: Any) -> None:
    with pytest.raises((lanewise.GridError, TypeError)):
        grid_of(grid)


def test_grids_are_completed_by_ones() -> None:
    assert [grid_of(g) for g in (3, (3,), [3, 2], (3, 2, 1))] == [(3, 1, 1), (3, 1, 1), (3, 2, 1), (3, 2, 1)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (lambda x, y: (x, y), "expected 3 arguments"),
        (lambda x, y: (x.astype(np.float64), y, 1.0), "'x': expected float32"),
        (lambda x, y: (x.reshape(8, 8), y, 1.0), "'x': expected float32"),
        (lambda x, y: (x, y[::2], 1.0), "rows without gaps"),
        (lambda x, y: (x, y, x), "'factor': expected a number"),
        (lambda x, y: (y, y, 1.0), "overlaps"),
        (lambda x, y: (3, y, 1.0), "'x': expected an array"),
    ],
)
def test_arguments_that_do_not_fit(kernel: lanewise.Kernel, arguments: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        kernel[1](*arguments(*arrays(64)))


@pytest.mark.parametrize(
    ("source", "error"),
    [
        ("gpu.func @k(", ParseError),
        ("%0 = arith.addf %1, %2 : f32", ParseError),
        (SCALE.replace("arith.mulf", '"arith.mulf2"').replace(" : vector<64xf32>\n  vector.tr", ""), ProgramError),
        ("module {}", ProgramError),
        ("missing.mlir", lanewise.SourceError),
        (Path("/"), lanewise.SourceError),
    ],
)
def test_sources_that_are_none(source: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        lanewise.compile(source)


def test_targets_and_devices_that_do_not_fit() -> None:
    with pytest.raises(lanewise.UnknownTargetError, match="sm_90"):
        lanewise.compile(SCALE, target="sm_9O")
    with pytest.raises(CompileError, match="not for sm_80"):
        lanewise.compile(lanewise.compile(SCALE).thread_ir, target="sm_80").ptx  # noqa: B018
    older = lanewise.EmulatedDevice("sm_80")
    with pytest.raises(DeviceUnavailable, match="code for sm_90 does not run on emulated sm_80"):
        lanewise.compile(SCALE, target="sm_90", device=older)[1](*arrays(64), 1.0)
    with pytest.raises(VerifyError):
        lanewise.parse(SCALE.replace("arith.muli %block", "arith.muli %factor"))


def test_code_for_an_older_chip_runs_on_a_newer_one() -> None:
    kernel = lanewise.compile(SCALE, target="sm_80", device=lanewise.EmulatedDevice("sm_90"))
    x, y = arrays(64)
    kernel[1](x, y, 2.0)
    assert np.array_equal(y, 2 * x)


@pytest.mark.parametrize("target", ["sm_90", "gfx942", "gfx1100"])
def test_the_extents_of_the_grid_are_known_to_the_kernel(target: str) -> None:
    """NVIDIA has registers for them; on AMD they follow the arguments."""
    text = """
gpu.func @extents(%out: memref<?x3xi64>, %flag: i8) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %block = gpu.block_id x
  %x = gpu.grid_dim x
  %y = gpu.grid_dim y
  %z = gpu.grid_dim z
  %xi = arith.index_cast %x : index to i64
  %yi = arith.index_cast %y : index to i64
  %zi = arith.index_cast %z : index to i64
  memref.store %xi, %out[%block, %c0] : memref<?x3xi64>
  memref.store %yi, %out[%block, %c1] : memref<?x3xi64>
  memref.store %zi, %out[%block, %c2] : memref<?x3xi64>
  gpu.return
}
"""
    out = np.zeros((5, 3), np.int64)
    lanewise.compile(text, target=target, device="emulated")[5, 2, 3](out, 7)
    assert (out == [5, 2, 3]).all()


def test_resources_and_occupancy_of_amd_code() -> None:
    kernel = lanewise.compile(SCALE, target="mi300x")
    used, fits = kernel.resources, kernel.occupancy
    assert isinstance(fits, Occupancy) and isinstance(used, KernelInfo)
    assert used.vgpr < 64  # 512 registers make room for 8 waves of up to 64
    assert (fits.waves_per_simd, fits.most, fits.limits) == (8, 8, ())
    assert lanewise.compile(SCALE, target="gfx1250").occupancy is None


def test_a_grid_without_workgroups_checks_the_arguments_and_does_nothing(kernel: lanewise.Kernel) -> None:
    x, y = arrays(64)
    for grid in (0, (0,), (4, 0), (1, 1, 0)):
        kernel[grid](x, y, 3.0)
        assert not y.any()
        with pytest.raises(ArgumentError, match="'x': expected float32"):
            kernel[grid](x.astype(np.float64), y, 3.0)
    placed = [lanewise.DeviceArray.from_numpy(kernel.device, array) for array in (x, y)]
    for grid in (1, 0):
        kernel[grid](*placed, 3.0)
        placed[0].fill(0)  # the launch of nothing must not see it
    assert np.array_equal(placed[1].to_numpy(), 3 * x)
    report = lanewise.validate(kernel, 0, x, y, 3.0, on=["reference", "interpret", "emulated"])
    assert report.ok and report.grid == (0, 1, 1)


@pytest.mark.parametrize("device", ["tpu", "", 3, None])
def test_devices_that_are_none(device: Any) -> None:
    with pytest.raises(DeviceUnavailable, match=r"'auto', 'cuda', 'hip', 'emulated', or a Device such as.*; found"):
        lanewise.compile(SCALE, device=device)


@pytest.mark.parametrize(("device", "target"), [("cuda", "gfx942"), ("hip", "sm_90")])
def test_drivers_of_another_vendor_are_refused_before_anything_is_compiled(device: Any, target: str) -> None:
    with pytest.raises(DeviceUnavailable, match=f"device '{device}' runs code for .* chips; {target} is one of"):
        lanewise.compile(SCALE, target=target, device=device)


@pytest.mark.parametrize("stream", ["abc", 1.5, True, object()])
def test_streams_that_are_none(kernel: lanewise.Kernel, stream: Any) -> None:
    x, y = arrays(64)
    with pytest.raises(lanewise.DeviceError, match=r"a stream is None, an integer handle, or an object with.*; found"):
        kernel.launch(1, x, y, 3.0, stream=stream)
    placed = [lanewise.DeviceArray.from_numpy(kernel.device, array) for array in (x, y)]
    kernel.launch(1, *placed, 3.0, stream=7)
    with pytest.raises(lanewise.DeviceError, match="a stream is None"):
        kernel.launch(1, *placed, 3.0, stream=stream)


def test_what_a_kernel_looks_like() -> None:
    kernel = lanewise.compile(SCALE, target="mi300x")
    shown = "<lanewise Kernel scale(x: float32[?], y: float32[?], factor: float32) for gfx942, block 64x1x1>"
    assert repr(kernel) == shown


# What objects say of themselves


def test_a_call_without_a_grid_says_how_a_launch_is_written(kernel: lanewise.Kernel) -> None:
    with pytest.raises(
        lanewise.GridError, match=r"kernel\[grid\]\(x, y, factor\), such as kernel\[4\]\(x, y, factor\)"
    ):
        kernel(*arrays(64), 3.0)


def test_launches_variants_and_compilations_say_what_they_are(kernel: lanewise.Kernel) -> None:
    assert repr(kernel[2]) == f"<launch of {kernel!r} on a grid of 2x1x1 workgroups>"
    with pytest.raises(lanewise.GridError, match="a grid is one to three numbers of workgroups"):
        repr(kernel["two"])  # type: ignore[index]
    assert repr(kernel.general) == "<lanewise variant of scale for sm_90, for any arguments>"
    best = kernel.variant(kernel.best_facts)
    assert repr(best).startswith("<lanewise variant of scale for sm_90, where 4 divides ")
    assert repr(best.compilation) == "<compilation of @scale for sm_90 from the vector stage, 2 of its arguments known>"
    assert repr(kernel.compilation) == "<compilation of @scale for sm_90 from the vector stage>"


def test_what_a_launch_took_is_as_easy_to_see_as_the_general_variant() -> None:
    kernel = lanewise.compile(SCALE, "gfx942", device="emulated")
    with pytest.raises(lanewise.StageError, match=r"no launch of 'scale' has taken a variant yet; kernel.general"):
        _ = kernel.launched
    kernel[1](*arrays(64), 3.0)
    taken = kernel.launched
    assert taken is kernel.variant(Facts((16, 4, 16, 4, 1), near=True)) is not kernel.general
    assert taken.amdgcn != kernel.amdgcn and taken.resources.variant == taken.words
    assert kernel.resources.variant == "for any arguments"
    kernel[1](*arrays(63), 3.0)
    assert kernel.launched is not taken
    kernel[1](*arrays(64), 3.0)  # compiled already
    assert kernel.launched is taken


def test_facts_of_another_kernel_are_refused(kernel: lanewise.Kernel) -> None:
    with pytest.raises(lanewise.FactsError, match=r"for each of x, x.size0, .* is expected, found \[16, 4\]"):
        kernel.variant(Facts((16, 4)))
