"""Programmatic launches: a kernel that begins before the one before it has ended, and what does not pass its wait."""

from __future__ import annotations

import re
from pathlib import Path

import lanewise
import numpy as np
import pytest
from lanewise.codegen.assemble import assembles, has_tool
from lanewise.ir.dialects.lanewise import SplitOp
from lanewise.ir.dialects.nvvm import GriddepcontrolOp
from lanewise.ir.parser import parse_program
from lanewise.jit.arrays import DeviceArray
from lanewise.jit.device import LaunchError
from lanewise.jit.emulated import EmulatedDevice
from lanewise.pipeline.compilation import Compilation
from lanewise.support.diagnostics import CompileError
from lanewise.targets import find_chip

FILES = Path(__file__).parents[1] / "filetests"
WAIT, TELL = "  nvvm.griddepcontrol wait\n", "  nvvm.griddepcontrol launch_dependents\n"
READ = "  %v = vector.transfer_read %x[%c0], %zero {in_bounds = [true]} : memref<128xf32>, vector<128xf32>\n"
PRODUCT = (FILES / "schedule/specialised.mlir").read_text(encoding="utf-8").split("// -----")[0]
PRODUCT = PRODUCT.replace("xf16>, %b:", "xf16> {llvm.align = 16 : i64}, %b:")
PRODUCT = PRODUCT.replace("xf16>, %c:", "xf16> {llvm.align = 16 : i64}, %c:")
LOOP = "  %r = scf.for"
OWN_COPIES = ("    lanewise.specialise = true,\n", "    lanewise.specialise = false,\n")


def doubling(body: str = WAIT + READ) -> str:
    return f"""
gpu.func @double(%x: memref<128xf32>, %y: memref<128xf32>) kernel
    attributes {{gpu.known_block_size = array<i32: 64, 1, 1>}} {{
  %c0 = arith.constant 0 : index
  %two = arith.constant dense<2.0> : vector<128xf32>
  %zero = arith.constant 0.0 : f32
{body}  %w = arith.mulf %v, %two : vector<128xf32>
  vector.transfer_write %w, %y[%c0] {{in_bounds = [true]}} : vector<128xf32>, memref<128xf32>
  gpu.return
}}"""


class Chain:
    """x is doubled into y, and y into z, by a launch that need not wait for the first one's end."""

    def __init__(self, target: str = "sm_90") -> None:
        self.device = EmulatedDevice(target)
        self.x, self.y, self.z = (DeviceArray.from_numpy(self.device, np.ones(128, np.float32)) for _ in "xyz")
        self.kernel("first", TELL + READ)[1](self.x, self.y)

    def kernel(self, name: str, body: str) -> lanewise.Kernel:
        text = doubling(body).replace("@double", f"@{name}")
        return lanewise.compile(text, self.device.chip.name, device=self.device)

    def second(self, body: str, *, programmatic: bool = True) -> np.ndarray:
        self.kernel("second", body).launch(1, self.y, self.z, programmatic=programmatic)
        return self.z.to_numpy()


def test_a_kernel_that_waits_sees_what_was_written() -> None:
    assert (Chain().second(WAIT + READ) == 4).all()


@pytest.mark.parametrize("body", [READ, READ + WAIT, TELL + READ + WAIT])
def test_one_that_does_not_is_reported_with_both_kernels(body: str) -> None:
    said = r"kernel 'second': race: reads global memory that .* of an earlier grid of first writes .*; from <string>:"
    with pytest.raises(LaunchError, match=said):
        Chain().second(body)


def test_other_launches_begin_when_all_has_ended() -> None:
    assert (Chain().second(READ, programmatic=False) == 4).all()


@pytest.mark.parametrize("between", ["synchronize", "copy", "free"])
def test_whatever_else_the_stream_does_is_waited_for(between: str) -> None:
    chain = Chain()
    if between == "synchronize":
        chain.device.synchronize()
    elif between == "copy":
        assert (chain.y.to_numpy() == 2).all()
    else:
        chain.device.free(chain.device.allocate(16))
    assert (chain.second(READ) == 4).all()


def test_a_launch_that_is_repeated_is_programmatic_too() -> None:
    """It takes a shorter way, without binding its arguments."""
    chain = Chain()
    second = chain.kernel("second", READ)
    second[1](chain.y, chain.z)
    first = chain.kernel("third", READ)
    first[1](chain.x, chain.y)
    with pytest.raises(LaunchError, match="race: reads"):
        second.launch(1, chain.y, chain.z, programmatic=True)


@pytest.mark.parametrize("target", ["sm_80", "sm_89", "gfx942"])
def test_chips_without_it_refuse_the_launch(target: str) -> None:
    device = EmulatedDevice(target)
    x, y = (DeviceArray.from_numpy(device, np.ones(128, np.float32)) for _ in "xy")
    kernel = lanewise.compile(doubling(READ), target, device=device)
    with pytest.raises(LaunchError, match=f"kernel 'double': {target} has no programmatic dependent launch"):
        kernel.launch(1, x, y, programmatic=True)


@pytest.mark.parametrize(
    ("target", "why"),
    [
        ("sm_89", "'nvvm.griddepcontrol' op needs griddepcontrol, which sm_89 does not have"),
        ("gfx942", "'nvvm.griddepcontrol' op cannot be compiled: it is an instruction that AMD's chips do not have"),
    ],
)
def test_and_the_operation_by_name(target: str, why: str) -> None:
    with pytest.raises(CompileError, match=f"(?s){why}") as caught:
        _ = lanewise.compile(doubling(), target).assembly
    assert f":{doubling().splitlines().index(WAIT.rstrip()) + 1}:" in str(caught.value)


def test_no_buffer_is_read_only_where_others_may_write_it() -> None:
    """`ld.global.nc` is for what stays as it is while the kernel runs, and so may be read at any time of it."""
    assert "ld.global.nc" in lanewise.compile(doubling(READ), "sm_90").ptx
    assert "ld.global.nc" in lanewise.compile(doubling(TELL + READ), "sm_90").ptx
    text = lanewise.compile(doubling(TELL + WAIT + READ), "sm_90").ptx
    assert re.findall(r"griddepcontrol\.\w+|ld\.global[\w.]*", text) == [
        "griddepcontrol.launch_dependents",
        "griddepcontrol.wait",
        *["ld.global.b32"] * 2,
    ]


@pytest.mark.skipif(not assembles(find_chip("sm_90")) or not has_tool("nvdisasm"), reason="no ptxas here knows sm_90")
def test_the_assembler_leaves_loads_behind_the_wait() -> None:
    text = lanewise.compile(doubling(TELL + WAIT + READ), "sm_90").sass
    assert re.findall(r"PREEXIT|ACQBULK|LDG|STG", text) == ["PREEXIT", "ACQBULK", "LDG", "LDG", "STG", "STG"]


# ---- passes ----


def product(*changes: tuple[str, str]) -> str:
    text = PRODUCT
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return text


def run(text: str, target: str) -> np.ndarray:
    """A kernel writes a, which the product takes at once."""
    device = EmulatedDevice(target)
    made = lanewise.compile(MADE, target, device=device)
    b, c = np.random.default_rng(0).integers(-2, 3, (64, 320)).astype(np.float16), np.zeros((64, 64), np.float32)
    a, b_there, c_there = (DeviceArray.from_numpy(device, v) for v in (np.zeros_like(b), b, c))
    kernel = lanewise.compile(text, target, device=device)
    kernel.launcher.prepare((a, b_there, c_there))
    made[1](a)
    kernel.launch(1, a, b_there, c_there, programmatic=True)
    expected = np.full((64, 320), 3, np.float32) @ b.T.astype(np.float32)
    assert (c_there.to_numpy() == expected).all()
    return expected


MADE = """
gpu.func @made(%a: memref<64x320xf16>) kernel attributes {gpu.known_block_size = array<i32: 128, 1, 1>} {
  %c0 = arith.constant 0 : index
  %three = arith.constant dense<3.0> : vector<64x320xf16>
  vector.transfer_write %three, %a[%c0, %c0] {in_bounds = [true, true]} : vector<64x320xf16>, memref<64x320xf16>
  gpu.return
}"""
AHEAD = {
    "boxes, by subgroups of their own": ("sm_90a", ()),
    "boxes": ("sm_90a", (OWN_COPIES,)),
    "copies": ("sm_90", (OWN_COPIES,)),
}


@pytest.mark.parametrize("how", AHEAD)
def test_what_is_copied_ahead_of_a_loop_is_copied_behind_the_wait(how: str) -> None:
    target, changes = AHEAD[how]
    run(product(*changes, (LOOP, WAIT + LOOP)), target)


@pytest.mark.parametrize("how", AHEAD)
def test_without_the_wait_it_is_reported(how: str) -> None:
    target, changes = AHEAD[how]
    with pytest.raises(LaunchError, match=r"race: reads global memory that .* of an earlier grid of made writes"):
        run(product(*changes), target)


def test_all_subgroups_wait_before_some_of_them_copy() -> None:
    compilation = Compilation(parse_program(product((LOOP, TELL + WAIT + LOOP))), None, find_chip("sm_90a"))
    body = compilation.layout_kernel.op.body.operations
    kinds = [type(op) for op in body if isinstance(op, (GriddepcontrolOp, SplitOp))]
    assert kinds == [GriddepcontrolOp, GriddepcontrolOp, SplitOp]


def test_a_loop_that_waits_reads_nothing_ahead() -> None:
    text = product(OWN_COPIES, ("    %l = vector.transfer_read", "  " + WAIT + "    %l = vector.transfer_read"))
    compilation = Compilation(parse_program(text), None, find_chip("sm_90a"))
    assert any("the loop waits for other grids" in remark.message for remark in compilation.layout_remarks)
    run(text, "sm_90a")


def test_nor_do_subgroups_of_their_own_where_some_threads_may_wait() -> None:
    branch = f"  %on = arith.cmpi ult, %c0, %step : index\n  scf.if %on {{\n  {WAIT}  }}\n"
    compilation = Compilation(parse_program(product((LOOP, branch + LOOP))), None, find_chip("sm_90a"))
    messages = [remark.message for remark in compilation.layout_remarks]
    assert any("the kernel waits for other grids in a loop or a branch" in message for message in messages), messages


def test_workgroups_that_share_sums_all_wait() -> None:
    """Doing it in every part is what it is for."""
    text = (FILES.parents[1] / "examples/matmul_tn_split_k.mlir").read_text(encoding="utf-8")
    loop = re.search(r"^ *%\w+ = scf\.for", text, re.MULTILINE)
    assert loop is not None and "lanewise.split_k" in text
    text = text[: loop.start()] + WAIT + text[loop.start() :]
    assert lanewise.compile(text, "sm_90").ptx.count("griddepcontrol.wait") == 1
