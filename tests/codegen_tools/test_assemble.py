"""PTX to cubin, resources and SASS. The judge is NVIDIA's own assembler, which runs without a GPU."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import lanewise
import pytest
from lanewise.codegen import assemble as tools
from lanewise.codegen.assemble import AssemblerError, Resources, ToolMissingError, assemble, disassemble, has_tool
from lanewise.codegen.remarks import assembler_remarks
from lanewise.ir.kernels import find_kernel
from lanewise.ir.parser import parse_program
from lanewise.targets import find_chip

needs_ptxas = pytest.mark.skipif(not has_tool("ptxas"), reason="ptxas is not installed (pip install lanewise[isa])")
needs_nvdisasm = pytest.mark.skipif(
    not (has_tool("ptxas") and has_tool("nvdisasm")),
    reason="ptxas and nvdisasm are not installed (pip install lanewise[isa])",
)

HEADER = ".version 7.8\n.target sm_90\n.address_size 64\n"
COPY = """.visible .entry copy(.param .u64 out)
{
  .shared .align 4 .b8 buffer[512];
  .reg .b64 %rd<3>;
  .reg .b32 %r<5>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  shl.b32 %r2, %r1, 2;
  mov.u32 %r3, buffer;
  add.u32 %r3, %r3, %r2;
  st.shared.u32 [%r3], %r1;
  bar.sync 0;
  ld.shared.u32 %r4, [buffer];
  st.global.u32 [%rd1], %r4;
  ret;
}
"""
EMPTY = ".visible .entry empty() { ret; }\n"


@needs_ptxas
def test_a_cubin_is_an_elf_file_with_the_resources_of_each_kernel() -> None:
    cubin = assemble(HEADER + COPY + EMPTY, find_chip("sm_90"))
    assert cubin.code[:4] == b"\x7fELF"
    assert set(cubin.resources) == {"copy", "empty"}
    copy, empty = cubin.resources["copy"], cubin.resources["empty"]
    assert (copy.static_shared_bytes, copy.barriers, copy.spill_store_bytes, copy.stack_bytes) == (512, 1, 0, 0)
    assert (empty.static_shared_bytes, empty.barriers) == (0, 0)
    assert 0 < empty.registers <= copy.registers <= 255
    assert cubin.warnings == ()


@needs_ptxas
def test_flags_reach_the_assembler() -> None:
    text = HEADER + many_live_values(96)
    free, limited = (assemble(text, find_chip("sm_90"), flags) for flags in ((), ("-maxrregcount=32",)))
    assert free.resources["many"].registers > 32
    assert free.resources["many"].spill_store_bytes == 0
    assert limited.resources["many"].registers <= 32
    assert limited.resources["many"].spill_store_bytes > 0
    assert limited.resources["many"].spill_load_bytes > 0


def many_live_values(count: int) -> str:
    """Loads `count` volatile values before it stores the first, so that all are alive at once."""
    loads = "\n".join(f"  ld.volatile.global.u32 %r{i}, [%rd1+{4 * i}];" for i in range(count))
    stores = "\n".join(f"  st.volatile.global.u32 [%rd1+{4 * i}], %r{count - 1 - i};" for i in range(count))
    registers = f"  .reg .b64 %rd<2>;\n  .reg .b32 %r<{count}>;\n  ld.param.u64 %rd1, [p];"
    return f".visible .entry many(.param .u64 p)\n{{\n{registers}\n{loads}\n{stores}\n  ret;\n}}\n"


@needs_ptxas
def test_a_rejection_shows_message_and_line() -> None:
    with pytest.raises(AssemblerError) as error:
        assemble(HEADER + COPY.replace("shl.b32", "shl.b33"), find_chip("sm_90"))
    message = str(error.value)
    assert message.startswith("ptxas rejects the PTX for sm_90: ")
    assert ".b33" in message
    assert "   11 | shl.b33 %r2, %r1, 2;" in message


@needs_ptxas
def test_a_chip_newer_than_the_texts_target_is_fine_and_an_older_one_is_not() -> None:
    assert assemble(HEADER + EMPTY, find_chip("sm_100")).resources["empty"].registers > 0
    with pytest.raises(AssemblerError, match="ptxas rejects the PTX for sm_80"):
        assemble(HEADER + EMPTY, find_chip("sm_80"))


def test_only_nvidia_chips_are_assembled_for() -> None:
    with pytest.raises(ValueError, match="PTX cannot be assembled for gfx942: it is no NVIDIA chip"):
        assemble(HEADER + EMPTY, find_chip("gfx942"))


@needs_nvdisasm
def test_machine_code_has_the_instructions_of_the_text() -> None:
    sass = disassemble(assemble(HEADER + COPY, find_chip("sm_90")).code)
    for opcode in ("S2R", "STS", "BAR.SYNC", "LDS", "STG.E", "EXIT"):
        assert opcode in sass
    assert ".debug_frame" not in sass, "only code is printed"


@needs_nvdisasm
def test_machine_code_names_the_lines_it_came_from() -> None:
    located = COPY.replace("  st.shared", "  .loc 1 42 7\n  st.shared")
    cubin = assemble(HEADER + '.file 1 "vector.mlir"\n' + located, find_chip("sm_90"), ("-lineinfo",))
    assert 'vector.mlir", line 42' in disassemble(cubin.code, lines="source")
    assert "vector.mlir" not in disassemble(cubin.code)


@needs_nvdisasm
def test_what_is_no_machine_code_is_refused() -> None:
    with pytest.raises(AssemblerError, match="nvdisasm rejects the code: "):
        disassemble(b"not a cubin")


@needs_ptxas
def test_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assemble(HEADER + EMPTY, find_chip("sm_90"))
    with pytest.raises(AssemblerError):
        assemble("nonsense", find_chip("sm_90"))
    assert list(tmp_path.iterdir()) == []


def test_reports_of_the_assembler_are_read_by_kernel() -> None:
    report = """ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'first' for 'sm_80'
ptxas info    : Function properties for first
    48 bytes stack frame, 16 bytes spill stores, 20 bytes spill loads
ptxas info    : Used 40 registers, used 2 barriers, 48 bytes cumulative stack size, 1024 bytes smem, 380 bytes cmem[0]
ptxas info    : Compiling entry function 'second' for 'sm_80'
ptxas info    : Function properties for second
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers, 8 bytes lmem
"""
    assert tools.parse_resources(report) == {
        "first": Resources(40, 2, 48, 16, 20, 1024, 0),
        "second": Resources(8, 0, 0, 0, 0, 0, 8),
    }


@pytest.fixture
def no_tools(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(tools.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(tools.shutil, "which", lambda name: None)
    tools.find_tool.cache_clear()
    yield
    tools.find_tool.cache_clear()


@pytest.mark.usefixtures("no_tools")
def test_a_missing_tool_is_named_with_what_installs_it() -> None:
    assert not has_tool("ptxas")
    with pytest.raises(ToolMissingError, match=r"ptxas is neither .* `pip install lanewise\[isa\]` installs it"):
        assemble(HEADER + EMPTY, find_chip("sm_90"))
    with pytest.raises(ToolMissingError, match="nvdisasm"):
        disassemble(b"")


def test_without_the_wheel_a_tool_on_path_serves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(tools.shutil, "which", lambda name: f"/opt/cuda/bin/{name}")
    tools.find_tool.cache_clear()
    assert tools.find_tool("ptxas") == "/opt/cuda/bin/ptxas"
    tools.find_tool.cache_clear()


@needs_ptxas
def test_the_assembler_found_can_be_run() -> None:
    assert (
        "release"
        in subprocess.run([tools.find_tool("ptxas"), "--version"], capture_output=True, text=True, check=True).stdout
    )


@needs_ptxas
def test_which_chips_the_assembler_knows() -> None:
    """Its own word for it: it takes an empty module for those, and for no other."""
    for name in ("sm_70", "sm_75", "sm_90", "sm_90a", "sm_121"):
        chip = find_chip(name)
        text = f".version {chip.ptx_isa / 10}\n.target {name}\n.address_size 64\n{EMPTY}"
        if tools.assembles(chip):
            assert assemble(text, chip).code[:4] == b"\x7fELF"
        else:
            with pytest.raises(AssemblerError, match=name):
                assemble(text, chip)
    assert tools.assembles(find_chip("sm_90")) and not tools.assembles(find_chip("gfx942"))


SUMS_READ_TOO_EARLY = """.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 d) .reqntid 128
{
  .reg .f32 %f<5>; .reg .b64 %rd<4>; .reg .pred %p<2>;
  ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [d];
  mov.f32 %f1, 0f00000000; mov.f32 %f2, %f1; mov.f32 %f3, %f1; mov.f32 %f4, %f1; setp.ne.u64 %p1, %rd1, 0;
  wgmma.fence.sync.aligned;
  wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %rd2, %rd2, %p1, 1, 1, 0, 0;
  wgmma.commit_group.sync.aligned;
  add.f32 %f1, %f1, %f2;
  wgmma.wait_group.sync.aligned 0;
  st.global.f32 [%rd1], %f1; st.global.f32 [%rd1+4], %f3; st.global.f32 [%rd1+8], %f4;
  ret;
}
"""


@needs_ptxas
def test_what_is_said_of_waits_is_a_remark() -> None:
    """ptxas says it as `info`: the wait is put where the sum is read."""
    cubin = assemble(SUMS_READ_TOO_EARLY, find_chip("sm_90a"))
    text = "gpu.func @k() kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {\n gpu.return\n}"
    (remark,) = assembler_remarks(cubin, find_kernel(parse_program(text)))
    assert remark.kind == "serialised"
    assert remark.message.startswith("the assembler says: wgmma.wait_group is injected")


@needs_ptxas
def test_what_the_assembler_counts_goes_before_what_is_expected() -> None:
    """512 elements between two barriers, 1,024 of 64 registers each: ptxas counts what it spills."""
    lines = "".join(f"  %a{i} = vector.load %x[%c{i}] : memref<512xf32>, vector<4xf32>\n" for i in range(0, 512, 4))
    stores = "".join(
        f"  vector.store %a{i}, %x[%c{511 - i - 3}] : memref<512xf32>, vector<4xf32>\n" for i in range(0, 512, 4)
    )
    places = "".join(f"  %c{i} = arith.constant {i} : index\n" for i in range(0, 512, 4))
    text = (
        "gpu.func @k(%x: memref<512xf32>) kernel attributes {gpu.known_block_size = array<i32: 32, 1, 1>, "
        f'lanewise.scope = "thread"}} {{\n{places}{lines}  gpu.barrier\n{stores}  gpu.return\n}}'
    )
    kernel = lanewise.compile(text, "sm_90")
    used = kernel.resources
    assert isinstance(used, Resources)
    (remark,) = kernel.remarks
    counted = f"spills {used.spill_store_bytes} bytes by stores and {used.spill_load_bytes} by loads"
    assert used.spill_store_bytes and counted in remark.message
