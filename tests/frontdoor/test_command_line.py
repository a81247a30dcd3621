"""The command line: what it prints, what it writes, and exit code 2 without a traceback for every bad input."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, get_args

import lanewise
import pytest
from lanewise.check.executors import BUILT_IN
from lanewise.check.inputs import DATA
from lanewise.cli import main
from lanewise.jit.device_choice import DeviceChoice
from lanewise.jit.emits import EMITS, emits_of
from lanewise.targets import find_chip

from .conftest import ROOT, SCALE, Call, planted


def bad(call: Call, *arguments: object, stdin: str | None = None) -> str:
    """The message of a call that is refused."""
    called = call(*arguments, stdin=stdin)
    assert called.code == 2, called
    assert called.out == "" and called.err and "Traceback" not in called.err
    return called.err


def test_the_choices_are_those_of_the_layers_below() -> None:
    """They are written again in cli/main.py, so that reading a command line imports no layer."""
    assert tuple(EMITS) == main.STAGES
    assert main.DATA == DATA
    assert tuple(name for name in BUILT_IN.names if name != "eager") == main.EXECUTORS  # that is of kernels in Python
    assert {*main.DEVICES, "auto"} == set(get_args(get_args(DeviceChoice)[0]))


# run


def test_a_grid_that_does_not_write_all_is_no_plain_right(call: Call, tmp_path: Path) -> None:
    text = """// lanewise.args x = index(128), y = empty(128); grid = 1
gpu.func @f(%x: memref<128xi32>, %y: memref<128xi32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %b = gpu.block_id x
  %c64 = arith.constant 64 : index
  %i = arith.muli %b, %c64 : index
  %p = arith.constant 0 : i32
  %a = vector.transfer_read %x[%i], %p {in_bounds = [true]} : memref<128xi32>, vector<64xi32>
  vector.transfer_write %a, %y[%i] {in_bounds = [true]} : vector<64xi32>, memref<128xi32>
  gpu.return
}"""
    path = tmp_path / "small.mlir"
    path.write_text(text)
    words = "right where something is written; 64 of 128 elements of 'y' are not: is grid (1, 1, 1) all of it?"
    assert call("run", path, "--device", "emulated").out.splitlines()[-1] == words
    assert call("validate", path, "--on", "reference").out.splitlines()[-1] == words
    assert call("run", path, "--device", "emulated", "--args", "index(128), empty(128); grid = 2").out.endswith(
        "\nright\n"
    )


def test_a_kernel_that_leaves_nothing_is_no_plain_right(call: Call, tmp_path: Path) -> None:
    path = tmp_path / "nothing.mlir"
    path.write_text(
        "// lanewise.args 1\n"
        "gpu.func @f(%x: i32) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {\n  gpu.return\n}"
    )
    said = call("validate", path, "--on", "reference").out.splitlines()[-1]
    assert said == "right, but it writes and prints nothing that could be compared"


def test_run_prints_device_shapes_error_time_and_verdict(call: Call, scale: Path) -> None:
    called = call("run", scale, "--device", "emulated")
    assert called.code == 0, called
    for part in ("emulated sm_90", "x: float32[100]", "factor: 2.0", "grid (2, 1, 1)", "0 ulps", " ms to run", "right"):
        assert part in called.out


def test_run_says_why_the_reference_has_no_result(call: Call) -> None:
    text = SCALE.replace("%x[%start], %pad", "%x[%start], %pad {in_bounds = [true]}")
    called = call("run", "-", "--device", "emulated", stdin=text)
    assert called.code == 1 and "out of bounds" in called.out, called


@pytest.mark.parametrize("device", ["reference", "interpret", "emulated"])
def test_run_on_every_device(call: Call, scale: Path, device: str) -> None:
    called = call("run", scale, "--device", device, "--set", "N=77", "--json")
    data = called.json()
    assert (called.code, data["ok"], data["device"], data["sizes"]) == (0, True, device, {"N": 77})


def test_run_takes_arguments_from_the_command_line(call: Call, scale: Path) -> None:
    called = call("run", scale, "--device", "emulated", "--args", "normal(5), empty(5), 0.5", "--json")
    assert called.code == 0
    assert called.json()["arguments"] == ["float32[5]", "float32[5]", "float 0.5"]


def test_the_seed_chooses_the_data(call: Call) -> None:
    softmax = ROOT / "examples/softmax.mlir"
    sizes = ("--set", "M=3", "--set", "N=77", "--device", "emulated", "--json")
    errors = [call("run", softmax, *sizes, "--seed", seed).json()["checks"][1]["comparisons"] for seed in (1, 1, 2)]
    assert errors[0] == errors[1] != errors[2]


def test_a_wrong_result_is_exit_code_1(call: Call, scale: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def spoil(found: Any) -> None:
        found[1][7] += 1

    planted(monkeypatch, spoil)
    for command in (("run", scale, "--device", "emulated"), ("validate", scale, "--on", "emulated")):
        called = call(*command)
        assert called.code == 1 and called.err == ""
        assert "WRONG" in called.out and "1 of 100 elements differ from reference" in called.out
        assert (spoiled := call(*command, "--json")).code == 1 and not spoiled.json()["ok"]


def test_a_fault_of_the_emulator_is_exit_code_1(call: Call, scale: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fault(*arguments: object, **options: object) -> None:
        raise lanewise.LaunchError("kernel 'scale': race")

    monkeypatch.setattr(lanewise.EmulatedDevice, "launch", fault)
    called = call("run", scale, "--device", "emulated")
    assert (called.code, called.err) == (1, "") and "emulated: kernel 'scale': race" in called.out


# compile


@pytest.mark.parametrize("emit", ["vector", "layout", "thread", "llvm", "llvm-opt", "ptx"])
def test_compile_writes_each_stage(call: Call, scale: Path, tmp_path: Path, emit: str) -> None:
    called = call("compile", scale, "--emit", emit)
    assert called.code == 0
    target = tmp_path / "out"
    assert call("compile", scale, "--emit", emit, "-o", target).code == 0
    assert target.read_text() == called.out


def test_a_dump_has_every_stage_and_each_goes_on_to_the_same_ptx(call: Call, scale: Path, tmp_path: Path) -> None:
    folder = tmp_path / "a" / "dump"
    assert call("compile", scale, "--dump-dir", folder).out == ""
    names = sorted(path.name for path in folder.iterdir() if path.is_file())
    assert names == sorted(e.file for e in emits_of(find_chip("sm_90")).values())[: len(names)] and len(names) in (6, 8)
    ptx = (folder / "06-kernel.ptx").read_text()
    behind = [path.name for path in sorted((folder / "passes").iterdir())]
    assert behind == ["01-layouts.mlir", "02-distribute.mlir", "03-barriers.mlir", "04-proxy-fences.mlir"]
    for stage in ("01-vector", "02-layout", "03-thread", "passes/01-layouts", "passes/02-distribute"):
        assert call("compile", folder / f"{stage}.mlir").out == ptx


def test_the_aligned_variant_differs(call: Call) -> None:
    file = ROOT / "examples/vector_add.mlir"
    general, aligned = call("compile", file).out, call("compile", file, "--aligned").out
    assert ".v4" not in general.replace(".b32", "") and ".v4" in aligned


def test_output_is_all_or_nothing(call: Call, scale: Path, tmp_path: Path) -> None:
    target = tmp_path / "kept.ptx"
    target.write_text("before")
    bad(call, "compile", scale, "--target", "sm_1", "-o", target)
    bad(call, "compile", "-", "-o", target, stdin="module {")
    assert target.read_text() == "before"
    assert "a directory" in bad(call, "compile", scale, "-o", tmp_path)
    assert "there is no folder" in bad(call, "compile", scale, "-o", tmp_path / "no" / "x.ptx")
    assert "found a file" in bad(call, "compile", scale, "--dump-dir", target)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["kept.ptx", "scale.mlir"]


def test_written_files_have_ordinary_permissions(call: Call, scale: Path, tmp_path: Path) -> None:
    mask = os.umask(0o022)
    try:
        call("compile", scale, "-o", tmp_path / "x.ptx")
    finally:
        os.umask(mask)
    assert stat.S_IMODE((tmp_path / "x.ptx").stat().st_mode) == 0o644


# opt, validate, targets, ops


def test_opt_prints_what_it_reads(call: Call, scale: Path) -> None:
    text = call("opt", scale).out
    assert call("opt", "-", stdin=text).out == text
    generic = call("opt", "--generic", scale).out
    assert '"gpu.func"' in generic and call("opt", "-", stdin=generic).out == text


def test_validate_compares_executors_on_several_data(call: Call, scale: Path) -> None:
    called = call("validate", scale, "--on", "reference,interpret,emulated", "--data", "written,special", "--json")
    data = called.json()
    assert called.code == 0 and data["ok"] and list(data["data"]) == ["written", "special"]
    assert [c["executor"] for c in data["data"]["special"]["checks"]] == [
        "reference",
        "interpret",
        *["emulated"] * 3,
    ]
    assert "interpret" in call("validate", scale, "--on", "interpret").out


def test_targets_lists_chips_and_products(call: Call) -> None:
    assert "sm_90a" in call("targets").out
    chips = {chip["name"]: chip for chip in call("targets", "--json").json()}
    assert "h100" in chips["sm_90a"]["products"] + chips["sm_90"]["products"]
    assert chips["sm_90"]["subgroup_sizes"] == [32]
    assert all(len(line) <= 120 for line in call("targets").out.splitlines())
    one = call("targets", "--target", "h100").out
    assert "sm_90a" in one and "wgmma" in one and "gfx942" not in one
    assert [chip["name"] for chip in call("targets", "--target", "gfx942", "--json").json()] == ["gfx942"]
    assert "unknown target 'sm_9O'" in bad(call, "targets", "--target", "sm_9O")


def test_ops_explains_every_operation(call: Call) -> None:
    rows = call("ops", "--json").json()
    assert {"arith.addf", "vector.contract", "gpu.shuffle", "scf.for"} <= {row["operation"] for row in rows}
    assert all(row[layer] for row in rows for layer in ("meaning", "layout", "thread", "nvidia", "amd"))
    foreign = {row["operation"]: (row["nvidia"], row["amd"]) for row in rows}
    assert foreign["amdgpu.mfma"] == ("an instruction that NVIDIA's chips do not have", "rule")
    assert foreign["nvgpu.mma.sync"] == ("rule", "an instruction that AMD's chips do not have")
    assert call("ops", "--json", "--holes").json() == []
    assert [row["operation"] for row in call("ops", "--json", "vector.fma").json()] == ["vector.fma"]
    assert "0 holes" in call("ops", "vector.").out
    assert "no operation begins with 'vectr.'\nhint: did you mean vector?" in bad(call, "ops", "vectr.")


def test_the_matrix_fits_a_terminal(call: Call) -> None:
    """Reasons stand below, each where its number is."""
    lines = call("ops").out.splitlines()
    assert max(map(len, lines)) <= 80
    below = next(i for i, line in enumerate(lines) if line.endswith(" holes"))
    numbers = {line.split()[0] for line in lines[below + 1 :] if line[0] == "("}
    assert set(re.findall(r"\(\d+\)", "".join(lines[:below]))) == numbers


# Bad input


FLAT = SCALE.replace("\n", " ")


@pytest.mark.parametrize("command", ["opt", "compile", "run", "validate"])
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gpu.func @k(", "error:"),
        ("}", "error:"),
        ("\0\1\2", "error:"),
        ("%", "error:"),
        ('"', "error:"),
        ("(" * 5000, "error:"),
        ("module {" * 400, "nested more than"),
        ('"not.known"() : () -> ()', "unknown operation 'not.known'"),
        (SCALE.replace("arith.mulf %al, %f", "arith.mulf %al, %factor"), "error:"),
        (SCALE.replace("%y[%start] : vector<64xf32>, memref<?xf32>", "%y[%start] : vector<64xf32>, memref<?xf64>"), ""),
    ],
)
def test_malformed_programs(call: Call, command: str, text: str, message: str) -> None:
    error = bad(call, command, "-", stdin=text)
    assert message in error and "<stdin>:" in error


def test_programs_that_cannot_be_read(call: Call, tmp_path: Path) -> None:
    assert "No such file" in bad(call, "opt", tmp_path / "none.mlir")
    (tmp_path / "04-llvm.ll").write_text('target triple = "nvptx64-nvidia-cuda"')
    assert "LLVM IR and machine text are not read back" in bad(call, "compile", tmp_path / "04-llvm.ll")
    assert "found a directory" in bad(call, "opt", tmp_path)
    (path := tmp_path / "latin.mlir").write_bytes(b"module {\xe9}")
    assert "found the byte 0xe9" in bad(call, "opt", path)


def test_layouts_that_do_not_fit(call: Call) -> None:
    text = SCALE.replace("subgroup_tile = [2]", "subgroup_tile = [3]")
    for command in ("compile", "run", "validate"):
        assert "<stdin>:" in bad(call, command, "-", stdin=text)


def test_targets_kernels_and_devices_that_do_not_exist(call: Call, scale: Path) -> None:
    assert "did you mean sm_90 or sm_89" in bad(call, "compile", scale, "--target", "sm_9O")
    assert "did you mean sm_90" in bad(call, "compile", scale, "--target", "sm90")
    assert "the module has @scale" in bad(call, "run", scale, "--kernel", "skale")
    assert "unknown executor 'tpu'; there are reference, eager, interpret, emulated, cuda, hip" in bad(
        call, "run", scale, "--device", "tpu"
    )
    assert "unknown executor 'tpu'" in bad(call, "validate", scale, "--on", "tpu")
    assert "cuda, hip; did you mean emulated?" in bad(call, "validate", scale, "--on", "emulate")
    said = bad(call, "run", scale, "--sett", "N=4")
    assert "a grid stands behind the arguments" in bad(call, "run", "x.mlir", "--grid", "3")
    assert "unrecognized arguments: --sett N=4; did you mean --set?" in said and "usage: lanewise run" in said
    assert "unknown data set" in bad(call, "validate", scale, "--data", "random")


def test_an_attribute_that_nothing_reads_is_answered_with_its_likes(call: Call) -> None:
    text = SCALE.replace("%pad : memref", "%pad {inbounds = [true]} : memref", 1)
    assert "hint: did you mean in_bounds?" in bad(call, "compile", "-", stdin=text)


def test_bad_arguments_are_located(call: Call, scale: Path) -> None:
    assert "--args:1:8: error: expected" in bad(call, "run", scale, "--args", "ones(4,")
    assert "takes 3 arguments (x, y, factor), found 1" in bad(call, "run", scale, "--args", "ones(4)")
    assert "there is no size 'Q'" in bad(call, "run", scale, "--set", "Q=1")
    assert "NAME=VALUE" in bad(call, "run", scale, "--set", "N")
    assert "needs a number" in bad(call, "run", scale, "--set", "N=many")
    assert "extents [-4]" not in (text := bad(call, "run", scale, "--set", "N=-4")) and ">= 0, found -4" in text
    without = SCALE.replace("// lanewise.args", "//")
    assert "no `// lanewise.args` comment" in bad(call, "run", "-", stdin=without)


def test_a_driver_of_another_vendor_is_refused(call: Call, scale: Path) -> None:
    called = call("run", scale, "--target", "gfx942", "--device", "cuda")
    assert called.code == 2 and "device 'cuda' runs code for NVIDIA's chips; gfx942 is one of AMD's" in called.err


def test_a_grid_of_zero_runs_nothing(call: Call, scale: Path) -> None:
    for arguments in ("x = ones(3), y = empty(3), 1.0; grid = 0", "x = ones(0), y = empty(0), 1.0; grid = (0, 2)"):
        called = call("run", scale, "--device", "emulated", "--args", arguments)
        assert called.code == 0 and "grid (0, " in called.out
    assert ">= 0, found -1" in bad(call, "run", scale, "--args", "ones(3), empty(3), 1.0; grid = 0 - 1")


def test_errors_are_json_where_that_is_asked_for(call: Call) -> None:
    called = call("run", "-", "--json", stdin="module {")
    data = called.json()
    assert (called.code, data["ok"], data["error"]["kind"]) == (2, False, "ParseError")
    assert "<stdin>:1:" in data["error"]["message"]


def test_the_command_line_explains_itself(call: Call) -> None:
    assert "exit codes" in call("--help").out
    for command in ("run", "compile", "opt", "validate", "targets", "ops"):
        assert call(command, "--help").code == 0
    assert call().code == 2 and call("fly").code == 2


def test_a_reader_that_has_enough_is_no_error() -> None:
    program = f"{sys.executable} -m lanewise ops --json | head -c 10"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stderr == ""


def test_a_program_may_come_from_a_pipe(call: Call, tmp_path: Path) -> None:
    """It can be read only once."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(SCALE,))
    writer.start()
    called = call("run", pipe, "--device", "emulated")
    writer.join()
    assert called.code == 0, called.err
