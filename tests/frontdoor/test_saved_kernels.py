"""Compiled kernels as files: what they hold, that they run without LLVM, and that damaged ones are refused."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import lanewise
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lanewise.codegen.assemble import has_tool
from lanewise.jit.facts import GENERAL, Facts
from lanewise.jit.kernel_file import VERSION, KernelFileError, decode, encode
from lanewise.jit.recipe import Made
from lanewise.jit.saved import SavedKernel

from .conftest import ROOT, SCALE, Call
from .test_line_info import NEIGHBOUR

EXAMPLES = {path.stem: path for path in (ROOT / "examples").glob("*.mlir")}
CHIPS = ("sm_90", "gfx942", "gfx1100")


def saved(text: str = SCALE, target: str = "sm_90", **options: Any) -> bytes:
    return lanewise.compile(text, target=target).to_bytes(**({"cubin": False} | options))


@pytest.fixture(scope="module")
def content() -> bytes:
    return saved()


def loaded(data: bytes) -> lanewise.LoadedKernel:
    return lanewise.LoadedKernel(decode(data, "test.lw"), "emulated")


@pytest.mark.parametrize("target", ["sm_90", "gfx942"])
@pytest.mark.parametrize("path", [EXAMPLES["softmax"], EXAMPLES["matmul_f16"]], ids=lambda p: p.stem)
def test_a_file_says_all(path: Path, target: str) -> None:
    kernel = lanewise.compile(path, target=target)
    data = kernel.to_bytes(cubin=False)
    read = decode(data, "test.lw")
    assert encode(read) == data
    assert read.interface == kernel.compiler.interface
    assert read.general.text == kernel.assembly
    best = next(v for v in read.variants if v.facts == kernel.best_facts)
    assert best.text == kernel.variant(kernel.best_facts).artifacts.assembly
    assert read.program is not None and read.program.text == path.read_text()


def test_equal_kernels_are_equal_bytes_in_every_process(tmp_path: Path) -> None:
    program = "import sys, lanewise; lanewise.compile(sys.argv[1]).save(sys.argv[2], cubin=False)"
    expected = lanewise.compile(EXAMPLES["softmax"]).to_bytes(cubin=False)
    for seed in ("1", "2"):
        path = tmp_path / f"{seed}.lw"
        command = [sys.executable, "-c", program, str(EXAMPLES["softmax"]), str(path)]
        subprocess.run(command, env=os.environ | {"PYTHONHASHSEED": seed}, check=True)
        assert path.read_bytes() == expected


@pytest.mark.parametrize("target", CHIPS)
def test_loaded_kernels_launch_like_compiled_ones(target: str, tmp_path: Path) -> None:
    path = tmp_path / "scale.lw"
    lanewise.compile(SCALE, target=target).save(path, cubin=False)
    kernel = lanewise.load(path, device="emulated")
    compiled = lanewise.compile(SCALE, target=target)
    assert (kernel.name, kernel.target, kernel.block_size) == ("scale", compiled.target, (64, 1, 1))
    assert kernel.signature == compiled.signature and kernel.assembly == compiled.assembly
    for n in (1, 64, 77, 1000):
        x, y = np.arange(n, dtype=np.float32), np.zeros(n, np.float32)
        kernel[-(-n // 64)](x, y, 3.0)
        assert np.array_equal(y, 3 * x)
    with pytest.raises(lanewise.ArgumentError, match="'x': expected float32"):
        kernel[1](np.zeros(64), np.zeros(64, np.float32), 1.0)


WITHOUT_LLVM = """
import sys
for name in ("llvmlite", "rich"):
    sys.modules[name] = None
import numpy as np
import lanewise
kernel = lanewise.load(sys.argv[1], device="emulated")
x, y = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
kernel[2](x, y, 2.0)
assert np.array_equal(y, 2 * x)
loaded = {name.split(".")[1] for name in sys.modules if name.startswith("lanewise.") and sys.modules[name]}
print(repr(kernel), *sorted(loaded))
"""


def test_a_file_without_its_program_runs_where_there_is_no_llvm(tmp_path: Path) -> None:
    path = tmp_path / "scale.lw"
    lanewise.compile(SCALE).save(path, program=False)
    done = subprocess.run([sys.executable, "-c", WITHOUT_LLVM, str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "LoadedKernel scale(x: float32[?], y: float32[?], factor: float32) for sm_90, block 64x1x1" in done.stdout
    assert not {"layout", "distribute"} & set(done.stdout.split()), "loading needs no part of the compiler"
    with pytest.raises(lanewise.ProgramMissing, match="'scale' has no program"):
        lanewise.validate(lanewise.load(path), 1, np.zeros(4, np.float32), np.zeros(4, np.float32), 1.0)


def test_a_file_with_its_program_can_be_validated(tmp_path: Path) -> None:
    path = tmp_path / "scale.lw"
    lanewise.compile(SCALE).save(path, cubin=False)
    x = np.arange(100, dtype=np.float32)
    report = lanewise.validate(
        lanewise.load(path), 2, x, np.zeros_like(x), 2.0, on=["reference", "interpret", "emulated"]
    )
    assert report.ok and {check.executor for check in report.checks} >= {"interpret", "emulated"}


@pytest.mark.skipif(not has_tool("ptxas"), reason="ptxas is not installed")
def test_cubins_where_the_assembler_is_installed() -> None:
    kernel = loaded(saved(cubin=True))
    compiled = lanewise.compile(SCALE)
    assert kernel.cubin == compiled.cubin and kernel.resources == compiled.resources
    plain = loaded(saved(cubin=False))
    with pytest.raises(lanewise.StageError, match="has no cubin"):
        _ = plain.cubin
    with pytest.raises(lanewise.StageError, match="no cubin, whose resources"):
        _ = plain.resources


def test_chips_that_the_assembler_does_not_know_are_saved_as_text(
    call: Call, scale: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lanewise.jit.saving.assembles", lambda chip: False)
    monkeypatch.setattr("lanewise.cli.compile.assembles", lambda chip: False)
    assert call("compile", scale, "--target", "sm_70", "-o", tmp_path / "scale.lw").code == 0
    assert all(variant.image is None for variant in lanewise.load(tmp_path / "scale.lw").saved.variants)
    called = call("compile", scale, "--target", "sm_70", "--dump-dir", tmp_path / "stages")
    assert called.code == 0 and called.err.count("note: no 0") == 2


def test_code_objects_of_amd() -> None:
    kernel, compiled = loaded(saved(target="gfx942")), lanewise.compile(SCALE, target="gfx942")
    assert kernel.hsaco == compiled.hsaco and kernel.amdgcn == compiled.amdgcn
    assert kernel.resources == compiled.resources
    with pytest.raises(lanewise.StageError, match="'ptx' does not exist for gfx942"):
        _ = kernel.ptx


@pytest.mark.parametrize("target", ["sm_90", "gfx942"])
def test_faults_name_the_programs_line_after_loading(target: str) -> None:
    kernel = loaded(saved(NEIGHBOUR, target, program=False))
    zeros = np.zeros(64, np.float32)
    with pytest.raises(lanewise.LaunchError, match=r"uninitialised.*; from <string>:10:8: %y = memref\.load %s"):
        kernel[1](zeros, zeros.copy())


def test_what_the_program_states_is_checked_after_loading() -> None:
    text = SCALE.replace("%x: memref<?xf32>,", "%x: memref<?xf32> {lanewise.divisibility = array<i64: 32>},")
    kernel = loaded(saved(text))
    with pytest.raises(lanewise.ArgumentError, match=r"'x': expected an extent that is a multiple of 32.*found 48"):
        kernel[1](np.zeros(48, np.float32), np.zeros(48, np.float32), 1.0)


def test_variants_compiled_so_far_are_saved_and_others_fall_back() -> None:
    kernel = lanewise.compile(SCALE, device="emulated")
    kernel[2](np.zeros(77, np.float32), np.zeros(80, np.float32), 1.0)  # only one of the extents divides
    (launched,) = kernel.compiler.compiled
    assert launched not in (GENERAL, kernel.best_facts)
    read = decode(kernel.to_bytes(cubin=False), "test.lw")
    assert {v.facts for v in read.variants} == {GENERAL, launched, kernel.best_facts}
    device = lanewise.EmulatedDevice("sm_90")
    for seen in (launched, kernel.best_facts, Facts((16, 4, 16, 1, 1)), Facts((1, 4, 16, 4, 1), near=True)):
        fitting = [v for v in read.variants if seen.imply(v.facts)]
        assert read.find(seen, device).code.text == max(fitting, key=lambda v: v.facts.weight).text
    assert read.find(Facts((1, 4, 16, 4, 1)), device).code.text == read.general.text


def test_kernels_and_loaded_kernels_cross_processes(content: bytes) -> None:
    x = np.arange(64, dtype=np.float32)
    for kernel in (lanewise.compile(SCALE, device=lanewise.EmulatedDevice("sm_90")), loaded(content)):
        y = np.zeros_like(x)
        kernel[1](x, y, 2.0)  # opens the device, which stays here
        other: Any = pickle.loads(pickle.dumps(kernel))
        y[:] = 0
        other[1](x, y, 2.0)
        assert np.array_equal(y, 2 * x) and other.assembly == kernel.assembly and repr(other) == repr(kernel)
        assert other.device is not kernel.device and other.device.properties.name == "emulated sm_90"


def test_a_pickled_kernel_is_the_module_that_it_was_made_of() -> None:
    """A module that was changed after it was read is not what its source says."""
    module = lanewise.parse(SCALE)
    kernel = lanewise.compile(module)
    with_comment = pickle.loads(pickle.dumps(kernel))
    assert with_comment.vector_ir == kernel.vector_ir
    assert with_comment.view.op.location.source.text == SCALE
    next(op for op in module.walk() if op.opname == "arith.mulf").attributes["fastmath"] = None  # type: ignore[assignment]
    del next(op for op in module.walk() if op.opname == "arith.mulf").attributes["fastmath"]
    changed = lanewise.compile(SCALE.replace("arith.mulf", "arith.addf"))
    kernel = lanewise.Kernel(Made(changed.compiler))
    assert "arith.addf" in pickle.loads(pickle.dumps(kernel)).vector_ir


def test_saving_replaces_a_file_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "scale.lw"
    path.write_bytes(b"before")
    kernel = lanewise.compile(SCALE)

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(lanewise.LanewiseError, match=r"scale\.lw: No space left on device"):
            kernel.save(path, cubin=False)
    assert path.read_bytes() == b"before" and os.listdir(tmp_path) == ["scale.lw"]
    kernel.save(path, cubin=False)
    assert lanewise.load(path).name == "scale" and os.listdir(tmp_path) == ["scale.lw"]
    with pytest.raises(lanewise.LanewiseError, match="there is no folder"):
        kernel.save(tmp_path / "nowhere" / "scale.lw", cubin=False)


# Files that are not what they should be


def parts(data: bytes) -> tuple[dict[str, Any], bytes]:
    """The header and the blobs."""
    first, _, body = data.split(b"\n", 2)
    size = int(first.split()[-1])
    return json.loads(body[:size]), body[size:]


def joined(header: bytes, blobs: bytes) -> bytes:
    """A file whose digest is right."""
    first = b"lanewise-kernel %d %d\n" % (VERSION, len(header))
    return first + hashlib.sha256(first + header + blobs).hexdigest().encode() + b"\n" + header + blobs


def packed(header: object) -> bytes:
    return json.dumps(header, sort_keys=True, separators=(",", ":")).encode()


def changed(data: bytes, *path: str | int, to: Any) -> bytes:
    """A file with another value in its header, as one with bad intent would write it."""
    header, blobs = parts(data)
    place: Any = header
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = to
    return joined(packed(header), blobs)


PLACE = {"source": "a.mlir", "line": 1, "column": 1, "end": 5, "text": "line", "function": "", "caller": None}
REMARK: dict[str, Any] = {"kind": "spills", "message": "", "hint": "", "place": PLACE, "notes": []}
HOSTILE: list[tuple[tuple[str | int, ...], Any, str]] = [
    (("name",), "a; .entry b", "'name' is a symbol"),
    (("name",), 7, "'name' is text of at most 255 characters, found 7"),
    (("target",), "sm_13", "'target' is one of"),
    (("target",), "h100", "'target' is one of"),
    (("variants", 0, "origins", "files", 0, "rows"), {"one": ""}, "the rows of 'origins.files' are by numbers"),
    (("variants", 0, "origins", "files", 0, "rows"), {"0" * 400: ""}, "the rows of 'origins.files' are by numbers"),
    (("block_size",), [64, 1], "'block_size' is 3 integers, found 2"),
    (("variants", 0, "block_size"), [64, 1], "'block_size' is 3 integers, found 2"),
    (("block_size",), [64, 1, 10**9], "'block_size' is an integer from 1 to 1024, found 1000000000"),
    (("cluster_size",), [9, 1, 1], "'cluster_size' is an integer from 1 to 8, found 9"),
    (("block_size",), {}, "'block_size' is a list of at most 3 entries, found an object"),
    (("signature", 0, "dtype"), "object", "'signature[0].dtype' is one of "),
    (("signature", 0, "shape"), [-1], "'signature[0].shape' is an integer from 0"),
    (("signature", 0, "strides"), [1, 1], "buffer 'x' has 1 extents and 2 strides"),
    (("signature", 2, "shape"), [], "'signature[2].shape' is no field that is known"),
    (("divisors",), [3, 1, 1, 1, 1], "'divisors' is a power of two for each of 5 machine parameters"),
    (("requirements",), [{"parameter": 9, "divisor": 2, "argument": "x", "what": "it"}], "'requirements[0].parameter'"),
    (("variants",), [], "'variants' has one general variant"),
    (("variants", 0, "text"), 99, "'variants[0].text' is an integer from 0 to"),
    (("variants", 0, "text"), 2, "is mlir, ptx expected for 'text'"),
    (("variants", 0, "dynamic_shared_bytes"), 1 << 40, "'variants[0].dynamic_shared_bytes' is an integer from 0"),
    (("variants", 0, "grid"), [[0, 7]], "'grid' has axes from 0 to 2"),
    (("variants", 0, "grid"), [[0]], "'variants[0].grid' is lists of 2 integers"),
    (("variants", 0, "facts", "divisors"), [2], "'facts.divisors' is a power of two for each of 5"),
    (("variants", 0, "origins", "marks"), [[1, 0, 5000, 1]], "names files, or rows of them, that 'origins.files' has"),
    (("variants", 0, "origins", "marks"), [[1, 9, 1, 1]], "names files, or rows of them, that 'origins.files' has"),
    (("variants", 0, "resources"), {}, "'variants[0].resources.registers' is missing"),
    (("blobs", 0, "bytes"), 1 << 30, "'blobs[0].bytes' is an integer from 0"),
    (("blobs", 0, "bytes"), 1, "'blobs' are "),
    (("program", "name"), None, "'program.name' is text"),
    (("compiler", "llvm"), 22, "'compiler.llvm' is text"),
    (("remarks",), [REMARK | {"kind": "praise"}], "'remarks[0].kind' is one of matrix-unit, "),
    (
        ("remarks",),
        [REMARK | {"notes": [{"text": "", "place": PLACE | {"line": 0}}]}],
        "place.line' is an integer from 1",
    ),
    (("remarks",), [REMARK | {"place": PLACE | {"column": 9}}], "'remarks[0].place.column' is an integer from 1 to 5"),
    (("remarks",), [REMARK | {"place": PLACE | {"end": 6}}], "'remarks[0].place.end' is an integer from 1 to 5"),
    (("remarks",), [REMARK | {"place": PLACE | {"caller": {}}}], "'remarks[0].place.caller.text' is missing"),
    (("remarks",), [REMARK | {"text": ""}], "'remarks[0].text' is no field that is known"),
    (("pickle",), "gASV", "'pickle' is no field that is known"),
    (("near",), 1, "'near' is true or false, found 1"),
]


@pytest.mark.parametrize(
    ("path", "value", "message"), HOSTILE, ids=[f"{'.'.join(map(str, p))}-{v!r}"[:40] for p, v, _ in HOSTILE]
)
def test_every_field_has_its_type_and_limits(
    content: bytes, path: tuple[str | int, ...], value: Any, message: str
) -> None:
    with pytest.raises(KernelFileError, match=re.escape(message)):
        decode(changed(content, *path, to=value), "test.lw")


def test_headers_that_are_none(content: bytes) -> None:
    header, blobs = parts(content)
    plain = packed(header)
    for text, message in (
        (b"[1]", "is an object, found a list"),
        (b"{", "is no JSON"),
        (b"[" * 100_000, "is no JSON"),
        (b'{"near":NaN}', "NaN is no integer"),
        (b'{"near":1e999}', "1e999 is no integer"),
        (b'{"a":1,"a":2}', "canonical form"),
        (plain.replace(b":", b": ", 1), "canonical form"),
        (plain.replace(b'"near":false', b'"near":' + b"9" * 5000), "is no JSON"),
        (b"\xff", "is no JSON"),
    ):
        with pytest.raises(KernelFileError, match=message):
            decode(joined(text, blobs), "test.lw")


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("shape", [0], "'maps' has shapes, sources and boxes of different ranks"),
        ("box", [32, 257], "box"),
        ("address", 4, "address"),
        ("offset", -64, "offset"),
        ("offset", 0, "'maps' has an offset of 0, behind what is before it is 64"),
        ("offset", 96, "'maps' has an offset of 96, behind what is before it is 64"),
        ("address", 1, "'maps' has an address that is machine parameter 1, which is no buffer's"),
        ("address", 3, r"'maps' has shape and sources .*, those of its buffer are \(\(64, 64\), \(0, 0\)\)"),
        ("sources", [2, 1], r"'maps' has shape and sources \(\(0, 0\), \(2, 1\)\), those of its buffer are"),
        ("swizzle", 129, "swizzle"),
        ("swizzle", 48, "'maps' has no swizzle of 48 bytes"),
        ("element", "f12", "element"),
    ],
)
def test_tensor_maps_that_are_none(field: str, value: object, message: str) -> None:
    """Of the boxes' program: its map has four machine parameters to be of."""
    boxes = Path(__file__).parents[1] / "filetests/async/boxes.mlir"
    data = lanewise.compile(boxes.read_text(encoding="utf-8"), "sm_90").to_bytes(cubin=False)
    with pytest.raises(KernelFileError, match=message):
        decode(changed(data, "variants", 0, "maps", 0, field, to=value), "test.lw")


def test_files_that_are_no_compiled_kernels(content: bytes, tmp_path: Path) -> None:
    with pytest.raises(KernelFileError, match=r"test\.lw: this is no compiled kernel: it begins with '//"):
        decode(b"// lanewise.args", "test.lw")
    with pytest.raises(KernelFileError, match=f"the file has format 5; this lanewise reads format {VERSION}"):
        decode(content.replace(b"kernel %d " % VERSION, b"kernel 5 ", 1), "test.lw")
    with pytest.raises(KernelFileError, match=r"the header has \d+ bytes, at most"):
        huge = b"lanewise-kernel %d 999999999\n" % VERSION
        decode(huge + hashlib.sha256(huge).hexdigest().encode() + b"\n", "test.lw")
    with pytest.raises(KernelFileError, match=r"nothing\.lw: No such file"):
        lanewise.load(tmp_path / "nothing.lw")
    with pytest.raises(KernelFileError, match="Is a directory"):
        lanewise.load(tmp_path)


@given(data=st.data())
def test_a_damaged_file_is_refused(content: bytes, data: st.DataObject) -> None:
    """Any byte changed, and any end cut off."""
    position = data.draw(st.integers(0, len(content) - 1))
    flipped = bytearray(content)
    flipped[position] ^= data.draw(st.integers(1, 255))
    for damaged in (bytes(flipped), content[:position]):
        with pytest.raises(KernelFileError):
            decode(damaged, "test.lw")


def test_a_kernel_too_large_for_a_file_is_not_written(content: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    read: SavedKernel = decode(content, "test.lw")
    monkeypatch.setattr("lanewise.jit.kernel_file.MAX_BYTES", len(content) - 1)
    with pytest.raises(KernelFileError, match="too large for a file"):
        encode(read)


# The command line


def test_the_command_line_compiles_runs_and_validates(call: Call, scale: Path, tmp_path: Path) -> None:
    path = tmp_path / "scale.lw"
    assert call("compile", scale, "--target", "gfx942", "-o", path) == (0, "", "")
    done = call("run", path, "--device", "emulated", "--set", "N=77")
    assert done.code == 0 and "@scale for gfx942 on emulated gfx942" in done.out and "right" in done.out
    assert call("validate", path, "--on", "reference,interpret,emulated").code == 0
    with path.open("rb") as file:
        piped = subprocess.run(
            [sys.executable, "-m", "lanewise", "run", "-"], stdin=file, capture_output=True, text=True, check=True
        )
    assert "@scale for gfx942" in piped.stdout
    assert "for gfx942, not for sm_90" in call("run", path, "--target", "sm_90").err
    assert "the kernel is '@scale', not '@other'" in call("run", path, "--kernel", "other").err
    assert "a compiled kernel has no stages" in call("compile", path).err
    assert "--emit ptx writes one stage" in call("compile", scale, "--emit", "ptx", "-o", path).err
    assert "found a compiled kernel: `lanewise.load` reads it" in call("opt", path).err
    for option in ("--aligned", "--line-info"):
        assert "choose one text" in call("compile", scale, option, "-o", path).err
    assert "--no-program is about compiled kernels" in call("compile", scale, "--no-program").err
    assert call("compile", scale, "--no-program", "-o", path).code == 0
    done = call("run", path)
    assert done.code == 2 and "has no program: it was saved without it" in done.err
    path.write_bytes(path.read_bytes()[:-1])
    done = call("run", path)
    assert done.code == 2 and "the file is damaged" in done.err
