"""Validation: right kernels pass on every executor, and planted faults are found and named."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import lanewise
import numpy as np
import pytest
from lanewise.check.accuracy import is_bitwise
from lanewise.check.compare import Tolerance
from lanewise.check.executors import UnknownExecutorError
from lanewise.check.on_devices import GuardedArray
from lanewise.check.validate import validate
from lanewise.emulate.faults import EmulationFault
from lanewise.jit.kernel import Kernel
from lanewise.jit.signature import ArgumentCountError, ArgumentTypeError, ArgumentValueError
from lanewise.reference.errors import UnfitArgumentError
from lanewise.support.diagnostics import LanewiseError
from lanewise.support.limits import Limits

from .changed_kernel import ChangedKernel
from .conftest import ROOT, SCALE, planted


@pytest.fixture(scope="module")
def kernel() -> Kernel:
    return lanewise.compile(SCALE, device="emulated")


def arguments(n: int = 100) -> tuple[Any, Any, float]:
    return np.arange(n, dtype=np.float32), np.zeros(n, np.float32), 2.0


@pytest.mark.parametrize("n", [1, 31, 64, 100, 1000])
def test_a_right_kernel_is_right_everywhere(kernel: Kernel, n: int) -> None:
    report = validate(kernel, -(-n // 64), *arguments(n), on=["reference", "interpret", "emulated"])
    assert report.ok, str(report)
    assert [(c.executor, c.run) for c in report.checks] == [
        ("reference", ""),
        ("interpret", ""),
        ("emulated", ""),
        ("emulated", "buffers off by one element"),
        ("emulated", "general variant"),
    ]
    assert report.max_ulps == 0 and report.first_difference is None


def test_the_arguments_are_never_written(kernel: Kernel) -> None:
    x, y, factor = arguments()
    y[:] = 7
    assert validate(kernel, 2, x, y, factor, on=["emulated"]).ok
    assert np.array_equal(x, np.arange(100)) and (y == 7).all()


def test_a_wrong_element_is_named(kernel: Kernel, monkeypatch: pytest.MonkeyPatch) -> None:
    def spoil(found: Any) -> None:
        found[1][42] = np.nextafter(found[1][42], np.float32(1000))

    planted(monkeypatch, spoil)
    report = validate(kernel, 2, *arguments(), on=["emulated"])
    check = report.first_difference
    assert not report.ok and check is not None and check.executor == "emulated"
    (finding,) = check.findings()
    assert "buffer 'y': 1 of 100 elements" in finding
    assert "[42]: expected 84.0, found 84.0000076" in finding and "(1 ulps)" in finding


def test_an_element_left_out_and_a_changed_input_are_found(kernel: Kernel, monkeypatch: pytest.MonkeyPatch) -> None:
    def spoil(found: Any) -> None:
        found[1][99] = np.frombuffer(b"\xff" * 4, np.float32)[0]
        found[0][3] = 1

    planted(monkeypatch, spoil)
    findings = "\n".join(f for c in validate(kernel, 2, *arguments(), on=["emulated"]).checks for f in c.findings())
    assert "[99]: expected 198.0, found never written" in findings
    assert "input 'x' was changed: [3]: expected 3.0, found 1.0" in findings


def test_a_workgroup_too_few_is_a_mismatch_of_nobody(kernel: Kernel) -> None:
    """The reference leaves the tail alone, too: what nobody writes is no difference."""
    assert validate(kernel, 1, *arguments(), on=["emulated"]).ok


def test_executors_of_one_thread_program_agree_bit_for_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = lanewise.compile(ROOT / "examples/transpose.mlir", device="emulated")
    x = np.random.default_rng(0).standard_normal((65, 3)).astype(np.float32)
    assert validate(kernel, (1, 2), x, np.zeros((3, 65), np.float32), on=["interpret", "emulated"]).ok

    def spoil(found: Any) -> None:
        found[1][0, 0] = np.nextafter(found[1][0, 0], np.float32(1000))

    planted(monkeypatch, spoil)
    report = validate(
        kernel, (1, 2), x, np.zeros((3, 65), np.float32), on=["interpret", "emulated"], tolerance=Tolerance(1e-3)
    )
    assert report.first_difference is not None and report.first_difference.against == "interpret"


@pytest.mark.parametrize(
    ("old", "new", "executor"),
    [
        ("arith.muli %block, %tile", "arith.addi %block, %tile", "reference"),  # every workgroup but the first is off
        ("vector.transfer_write %product, %y[%start]", "vector.transfer_write %al, %y[%start]", "reference"),
    ],
)
def test_a_program_that_means_something_else_is_no_mismatch(old: str, new: str, executor: str) -> None:
    """Validation compares with the program's own meaning, whatever that is."""
    assert old in SCALE
    report = validate(lanewise.compile(SCALE.replace(old, new)), 1, *arguments(), on=["emulated"])
    assert report.ok, executor


def test_a_write_outside_is_found_by_the_guard_bands() -> None:
    device = lanewise.EmulatedDevice("sm_90")
    guarded = GuardedArray(device, np.zeros(10, np.float32), 4)
    assert guarded.view().address % 16 == 4
    assert guarded.read()[1]
    device.fill(guarded.view().address + 40, 0, 1)  # the byte behind the last element
    elements, intact = guarded.read()
    assert not intact and (elements == 0).all()


def test_gaps_between_rows_belong_to_the_guard() -> None:
    device = lanewise.EmulatedDevice("sm_90")
    rows = np.zeros((2, 8), np.float32)[:, :3]
    guarded = GuardedArray(device, rows, 0)
    device.fill(guarded.view().address + 12, 0, 4)
    assert not guarded.read()[1]


def test_what_is_no_validation(kernel: Kernel) -> None:
    x, y, factor = arguments()
    with pytest.raises(UnknownExecutorError, match="'gpu'; there are reference, eager, interpret, emulated, cuda"):
        validate(kernel, 1, x, y, factor, on=["gpu"])
    with pytest.raises(ArgumentCountError):
        validate(kernel, 1, x, y)
    with pytest.raises(ArgumentTypeError, match="'y': expected an array"):
        validate(kernel, 1, x, 3, factor)
    line = np.zeros(200, np.float32)
    for y in (line[1:101], line[:100], line[:100].view()):  # a launch would refuse them, and copies are apart
        with pytest.raises(ArgumentValueError, match="'y': expected memory apart from that of argument 'x'"):
            validate(kernel, 1, line[:100], y, 2.0, on=["reference"])
    assert validate(kernel, 2, line[:100], line[100:], 2.0, on=["reference"]).ok
    with pytest.raises(UnfitArgumentError, match="expected memref<\\?xf32>"):
        validate(kernel, 1, x.astype(np.float64), y, factor)


def test_a_report_is_text_and_json(kernel: Kernel, monkeypatch: pytest.MonkeyPatch) -> None:
    def spoil(found: Any) -> None:
        found[1][0] = np.inf

    planted(monkeypatch, spoil)
    report = validate(kernel, 2, *arguments(), on=["emulated"])
    data = json.loads(report.to_json())
    assert (data["ok"], data["kernel"], data["grid"]) == (False, "scale", [2, 1, 1])
    assert data["checks"][1]["comparisons"][0]["first"]["found"] == "inf"
    assert "WRONG" in str(report) and "[0]: expected 0.0, found inf" in str(report)


@pytest.mark.parametrize(
    ("file", "bitwise"),
    [("vector_add", True), ("transpose", True), ("softmax", False), ("layer_norm", True), ("matmul_f16", False)],
)
def test_executors_of_one_program_agree_in_bits_where_nothing_is_approximated(file: str, bitwise: bool) -> None:
    assert is_bitwise(lanewise.compile(ROOT / f"examples/{file}.mlir").view) == bitwise


@pytest.mark.parametrize("target", ["sm_90", "gfx942", "gfx1201"])
def test_the_writer_of_a_wrong_element_is_named(target: str) -> None:
    """Element 70 is the first that differs: thread 6 of workgroup 1 writes it."""
    original = lanewise.compile(SCALE, target=target)
    text = original.thread_ir
    kernel = ChangedKernel(original, text.replace("arith.mulf", "arith.addf"))
    x, y = np.full(100, 2, np.float32), np.zeros(100, np.float32)  # 2 + 2 is 2 * 2
    x[70:] = 3
    report = validate(kernel, 2, x, y, np.float32(2), on=["interpret", "emulated"])
    interpreted, *emulated = [finding for check in report.checks for finding in check.findings()]
    row = next(i for i, line in enumerate(text.split("\n"), 1) if re.search(r"vector\.(masked)?store", line))
    store = text.split("\n")[row - 1].strip()
    assert re.search(
        rf"first \[70\]: .*, written by workgroup \(1, 0, 0\), thread \(6, 0, 0\) in 'vector\.\w+' from \S+:{row}:",
        interpreted,
    )
    assert len(emulated) == 3
    for finding in emulated:
        who, _, origin = finding.partition("; from ")
        assert re.search(
            r"\[70\]: .*written by workgroup \(1, 0, 0\), thread \(6, 0, 0\), line \d+: .*(st\.|store)", who
        )
        assert re.search(rf":{row}:\d+: {re.escape(store)}$", origin)


@pytest.mark.parametrize("target", ["sm_90", "gfx1100"])
def test_an_element_that_nobody_writes_has_no_writer(target: str) -> None:
    original = lanewise.compile(SCALE, target=target)
    lines = [line for line in original.thread_ir.split("\n") if "maskedstore" not in line]
    kernel = ChangedKernel(original, "\n".join(lines))
    report = validate(kernel, 2, *arguments(), on=["interpret", "emulated"])
    findings = [finding for check in report.checks for finding in check.findings()]
    assert len(findings) == 4
    assert all("found never written, no thread writes it" in finding for finding in findings)


COLUMN = """// The columns of x, which are anywhere in memory, reversed into the rows of y
gpu.func @columns(%x: memref<?x?xf32, strided<[?, ?]>>, %y: memref<?x?xf32, strided<[?, ?]>>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %pad = arith.constant 0.0 : f32
  %zero = arith.constant 0 : index
  %a = vector.transfer_read %x[%zero, %zero], %pad : memref<?x?xf32, strided<[?, ?]>>, vector<16x16xf32>
  %t = vector.transpose %a, [1, 0] : vector<16x16xf32> to vector<16x16xf32>
  vector.transfer_write %t, %y[%zero, %zero] : vector<16x16xf32>, memref<?x?xf32, strided<[?, ?]>>
  gpu.return
}
"""


@pytest.mark.parametrize("target", ["sm_80", "gfx942", "gfx1030"])
def test_strides_of_any_size_and_sign(target: str) -> None:
    kernel = lanewise.compile(COLUMN, target=target)
    x = np.arange(7 * 13, dtype=np.float32).reshape(7, 13)
    everywhere = ["reference", "interpret", "emulated"]
    for view in (x, x.T, x[::-1], x[:, ::-1], x[::-2, ::3], x[:, ::-1].T):
        y = np.zeros((view.shape[1] * 2, view.shape[0] * 3), np.float32)[::-2, ::3]
        report = validate(kernel, 1, view, y, on=everywhere)
        assert report.ok, f"{view.strides}: {report}"


@pytest.mark.parametrize("target", ["sm_90", "gfx1100"])
def test_bytes_viewed_as_words_stay_aligned(target: str) -> None:
    text = """gpu.func @words(%x: memref<256xi8>, %y: memref<64xf32>) kernel
        attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
      %pad = arith.constant 0.0 : f32
      %zero = arith.constant 0 : index
      %w = memref.view %x[%zero][] : memref<256xi8> to memref<64xf32>
      %a = vector.transfer_read %w[%zero], %pad {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
      vector.transfer_write %a, %y[%zero] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
      gpu.return
    }"""
    x = np.arange(64, dtype=np.float32).view(np.int8)
    report = validate(
        lanewise.compile(text, target=target), 1, x, np.zeros(64, np.float32), on=["interpret", "emulated"]
    )
    assert report.ok, str(report)


def test_what_could_not_be_judged_is_not_called_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits of any executor, texts that the emulator cannot read, and branches that rounding may turn."""
    kernel = lanewise.compile(SCALE, device="emulated")
    report = validate(kernel, 2, *arguments(), on=["interpret", "emulated"], limits=Limits(steps=17))
    assert report.verdict == "not judged" and not report.ok
    assert [c.verdict for c in report.checks] == ["right", "right", *["not judged"] * 3]
    assert "emulated: not judged: kernel 'scale': limit: stopped at the limit of 17 steps" in str(report)
    report = validate(kernel, 2, *arguments(), on=["interpret"], limits=Limits(steps=1))
    assert [c.verdict for c in report.checks] == ["not judged"] and "reference: not judged" in str(report)

    monkeypatch.setattr("lanewise.jit.emulated._READERS", {"nvidia": _unreadable})
    report = validate(lanewise.compile(SCALE), 2, *arguments(), on=["emulated"])
    assert report.verdict == "not judged" and "unsupported: opcode" in str(report)


def _unreadable(text: str) -> Any:
    raise EmulationFault("unsupported", "opcode that nobody knows")


BRANCH = """gpu.func @k(%x: memref<32xf32>, %y: memref<1xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %v = vector.transfer_read %x[%c0], %zero {in_bounds = [true]} : memref<32xf32>, vector<32xf32>
  %s = vector.multi_reduction <add>, %v, %zero [0] : vector<32xf32> to f32
  %more = arith.cmpf oge, %s, %zero : f32
  memref.store %zero, %y[%c0] : memref<1xf32>
  scf.if %more {
    memref.store %s, %y[%c0] : memref<1xf32>
  }
  gpu.return
}"""


def test_a_branch_that_rounding_may_turn_is_judged_only_where_it_makes_no_difference() -> None:
    """Sums of zero whose sign is a matter of order: a difference there is no mismatch, and agreement is right."""
    kernel = lanewise.compile(BRANCH, device="emulated")
    x = np.random.default_rng(1).standard_normal(32).astype(np.float32)
    x[31] = -np.float32(x[:31].astype(np.float64).sum())
    report = validate(kernel, 1, x, np.zeros(1, np.float32), on=["interpret", "emulated"])
    assert report.verdict in ("right", "not judged")
    for check in report.checks:
        assert check.verdict == "right" or "depends on rounding" in check.unjudged
    x[0] += 1
    assert validate(kernel, 1, x, np.zeros(1, np.float32), on=["interpret", "emulated"]).ok


def test_numbers_that_a_program_is_not_meant_for_are_not_judged() -> None:
    """`util.assume.int` says of which numbers the program says anything at all."""
    text = """gpu.module @m {
      gpu.func @k(%y: memref<1xindex>, %n: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
        %c0 = arith.constant 0 : index
        %m = util.assume.int %n<umin = 0, umax = 64, udiv = 4> : index
        memref.store %m, %y[%c0] : memref<1xindex>
        gpu.return
      }
    }"""
    report = validate(lanewise.compile(text, target="sm_90"), 1, np.zeros(1, np.int64), 5, on=["interpret", "emulated"])
    assert report.verdict == "not judged"
    assert "is none of the numbers that the program states: 5" in next(report.checks[0].findings())


def test_a_program_is_compiled_for_its_own_target(scale: Path, tmp_path: Path) -> None:
    saved = tmp_path / "scale.lw"
    lanewise.compile(scale, "gfx1100").save(saved)
    for source, target in ((scale, "sm_90"), (str(scale), "sm_90"), (SCALE, "sm_90"), (saved, "gfx1100")):
        report = validate(source, 2, *arguments(), on="reference")
        assert (report.verdict, report.target) == ("right", target)
    with pytest.raises(
        LanewiseError, match=r"a kernel, as lanewise.compile or lanewise.load gives it, or a program is"
    ):
        validate(3, 2, *arguments())  # type: ignore[arg-type]


BINS = """gpu.func @bins(%x: memref<64xi32>, %y: memref<128xi32>, %z: memref<128xi32>) kernel attributes
    {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %c1 = arith.constant 1 : i32
  %t = gpu.thread_id x
  %v = memref.load %x[%t] : memref<64xi32>
  %i = arith.index_cast %v : i32 to index
  %old = memref.atomic_rmw addi %c1, %y[%i] : (i32, memref<128xi32>) -> i32
  %some = arith.cmpi sgt, %v, %c1 : i32
  scf.if %some {
    memref.store %c1, %z[%t] : memref<128xi32>
  }
  gpu.return
}"""


def test_what_data_choose_says_nothing_of_the_grid() -> None:
    x, y, z = np.arange(64, dtype=np.int32), np.zeros(128, np.int32), np.zeros(128, np.int32)
    report = validate(BINS, 1, x, y, z, on="reference")
    assert [(u.buffer, u.unwritten, u.by_data) for u in report.checks[0].untouched] == [
        ("y", 64, True),
        ("z", 66, True),
    ]
    assert (report.unwritten, report.unread) == ("", "")
    plain = BINS.replace("%y[%i]", "%y[%t]").replace("scf.if %some", "scf.if %always")
    plain = plain.replace("%t = gpu", "%always = arith.constant true\n  %t = gpu")
    report = validate(plain, 1, x, y, z, on="reference")
    assert report.unwritten == "64 of 128 elements of 'y', 64 of 128 elements of 'z'"


def test_unsigned_arrays_and_numbers_are_integers_of_the_same_width() -> None:
    text = SCALE.replace("f32", "i32").replace("mulf", "muli").replace("0.0 :", "0 :")
    x = np.array([1, 2**31, 2**32 - 1], np.uint32)
    kernel = lanewise.compile(text, device="emulated")
    for y in (np.zeros(3, np.uint32), np.zeros(3, np.int32)):
        kernel[1](x, y, np.uint32(2**32 - 3))
        assert (y.view(np.uint32) == x * np.uint32(2**32 - 3)).all()
    assert validate(kernel, 1, x, y.view(np.uint32), np.uint32(2**32 - 3), on=["interpret", "emulated"]).ok
    with pytest.raises(ArgumentTypeError, match="expected int32"):
        kernel[1](x.astype(np.uint64), y, 1)
    with pytest.raises(ArgumentValueError, match="an integer from"):
        kernel[1](x, y, np.uint64(2**32 - 3))


@pytest.mark.parametrize(("written", "each"), [("i4", 2), ("i2", 4), ("f4E2M1FN", 2)])
def test_bytes_of_several_elements_are_validated_as_a_launch_takes_them(written: str, each: int) -> None:
    zero = "0.0" if written[0] == "f" else "0"
    text = f"""gpu.func @copy(%x: memref<?x{written}>, %y: memref<?x{written}>) kernel
      attributes {{gpu.known_block_size = array<i32: 32, 1, 1>}} {{
    %c0 = arith.constant 0 : index
    %pad = arith.constant {zero} : {written}
    %v = vector.transfer_read %x[%c0], %pad : memref<?x{written}>, vector<64x{written}>
    vector.transfer_write %v, %y[%c0] : vector<64x{written}>, memref<?x{written}>
    gpu.return
  }}"""
    codes = np.random.default_rng(0).integers(0, 256, 64 // each).astype(np.uint8)
    kernel = lanewise.compile(text, device="emulated")
    copied = np.zeros(64 // each, np.uint8)
    kernel[1](codes, copied)
    assert (copied == codes).all()
    assert validate(kernel, 1, codes, copied, on=["reference", "emulated"]).ok
