"""From machine text back to the program: `.loc` directives, and faults that name the line."""

from __future__ import annotations

import re
from pathlib import Path

import lanewise
import numpy as np
import pytest
from lanewise.codegen.assemble import has_tool
from lanewise.codegen.link.elf import read_elf
from lanewise.ir.core import Operation
from lanewise.ir.dialects import memref
from lanewise.ir.parser import parse_program
from lanewise.jit.kernel_file import decode
from lanewise.support.diagnostics import Location, Source

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.mlir"))
CHIPS = ("sm_80", "sm_90", "gfx942", "gfx1030", "gfx1201")
NEIGHBOUR = """// element t + 1 of workgroup memory is read before anyone is known to have written it
gpu.func @neighbour(%a: memref<64xf32>, %b: memref<64xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %t = gpu.thread_id x
  %one = arith.constant 1 : index
  %s = memref.alloc() : memref<65xf32, #gpu.address_space<workgroup>>
  %x = memref.load %a[%t] : memref<64xf32>
  memref.store %x, %s[%t] : memref<65xf32, #gpu.address_space<workgroup>>
  %u = arith.addi %t, %one : index
  %y = memref.load %s[%u] : memref<65xf32, #gpu.address_space<workgroup>>
  memref.store %y, %b[%t] : memref<64xf32>
  gpu.return
}
"""


def code(text: str) -> list[str]:
    """The instructions: what is indented by a tab and begins with a letter or a guard."""
    body = text.partition(".amdgpu_metadata")[0]
    return re.findall(r"^\t+([@a-z][^\n]*)", body, re.MULTILINE)


DESCRIBED = [p for p in EXAMPLES if p.stem in ("column_sums", "layer_norm", "matmul_f16_shared", "transpose")]


@pytest.mark.turns("chip")
@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("path", DESCRIBED, ids=lambda p: p.stem)
def test_lines_change_no_instruction(path: Path, chip: str) -> None:
    kernel = lanewise.compile(path, target=chip)
    with_lines = kernel.general_with_lines.assembly
    assert code(with_lines) == code(kernel.assembly)
    assert not re.search(r"\.loc\s", kernel.assembly) and re.search(rf'\.file\s.*{path.name}"', with_lines)
    text = path.read_text().split("\n")
    rows = {int(row) for row in re.findall(r"\.loc\s+1 (\d+) \d+", with_lines)}
    first = next(i for i, line in enumerate(text, 1) if "func.func" in line or "gpu.func" in line)
    last = max(i for i, line in enumerate(text, 1) if "return" in line)
    assert rows <= {0, *range(first, last + 1)} and len(rows) > 3
    writing = ("transfer_write", "memref.store", "atomic_rmw", "vector.scatter", "lanewise.update")
    stores = next(i for i, line in enumerate(text, 1) if i > first and any(word in line for word in writing))
    assert stores in rows


@pytest.mark.parametrize("chip", CHIPS)
def test_a_fault_names_the_line_of_the_program(chip: str) -> None:
    kernel = lanewise.compile(NEIGHBOUR, target=chip, device="emulated")
    with pytest.raises(
        lanewise.LaunchError, match=r"uninitialised.*; from <string>:10:8: %y = memref\.load %s"
    ) as caught:
        kernel[1](np.zeros(64, np.float32), np.zeros(64, np.float32))
    assert caught.value.line is not None
    assert "shared" in kernel.assembly.split("\n")[caught.value.line - 1] or chip.startswith("gfx")


def test_a_fault_of_no_line_names_none() -> None:
    kernel = lanewise.compile(NEIGHBOUR, device="emulated")
    with pytest.raises(lanewise.LaunchError, match="extents from 1 to") as caught:
        kernel[1 << 31](np.zeros(64, np.float32), np.zeros(64, np.float32))
    assert caught.value.line is None and "from <string>" not in str(caught.value)


def test_validate_reports_the_line_too() -> None:
    """Threads of two subgroups write one element: the program has no right result, and each executor says where."""
    kernel = lanewise.compile(NEIGHBOUR.replace("%s[%u]", "%s[%one]").replace("%x, %s[%t]", "%x, %s[%one]"))
    report = lanewise.validate(kernel, 1, np.zeros(64, np.float32), np.zeros(64, np.float32), on=["emulated"])
    place = "from <string>:8:3: memref.store %x, %s[%one]"
    reference, emulated = report.checks
    assert reference.verdict == emulated.verdict == "WRONG" and "a data race" in reference.problems[0]
    assert "race" in str(report) and f"; {place}" in str(report) and f", the other access {place}" in str(report)


@pytest.mark.parametrize("name", ['a "quoted" name.mlir', "a\\b.mlir", "größe.mlir"])
@pytest.mark.parametrize("chip", ["sm_90", "gfx942"])
def test_any_file_name(name: str, chip: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(NEIGHBOUR, encoding="utf-8")
    kernel = lanewise.compile(path, target=chip, device="emulated")
    with pytest.raises(lanewise.LaunchError, match=re.escape(f"from {path}:10:8")):
        kernel[1](np.zeros(64, np.float32), np.zeros(64, np.float32))


def test_a_code_object_has_a_line_table_and_the_same_code() -> None:
    path = next(p for p in EXAMPLES if p.stem == "vector_add")
    kernel = lanewise.compile(path, target="gfx942")
    plain, with_lines = (
        {section.name: section.data for section in read_elf(image).sections}
        for image in (kernel.hsaco, kernel.general_with_lines.hsaco)
    )
    assert ".debug_line" not in plain and path.name.encode() in with_lines[".debug_line"]
    assert plain[".text"] == with_lines[".text"]


KERNEL = Source(NEIGHBOUR, "kernel.py")
HELPERS = Source("def shift(s, u):\n    return s[u]\n", '/tmp/the "helpers".py')


def with_helper() -> Operation:
    """The second load stands in a function of another file, which the kernel calls; the last store in a third file."""
    module = parse_program(KERNEL.text, KERNEL.name)
    load = module.all_of(memref.LoadOp)[1]
    load.location = Location(HELPERS, HELPERS.offset(2, 12), HELPERS.offset(2, 16), load.location, "shift")
    module.all_of(memref.StoreOp)[1].location = Location(Source("\n  b[t] = y\n", "größe.py"), 3)
    return module


@pytest.mark.parametrize("chip", ["sm_90", "gfx942"])
def test_each_file_is_named(chip: str) -> None:
    text = lanewise.compile(with_helper(), chip).general_with_lines.assembly
    files = dict(re.findall(r'\.file\t(\d+) "(.*)"', text))
    assert sorted(name.replace('" "', "/") for name in files.values()) == [
        "/tmp/the 'helpers'.py",
        r"gr\303\266\303\237e.py",
        "kernel.py",
    ]
    number = next(n for n, name in files.items() if "helpers" in name)
    assert re.search(rf"\.loc\s+{number} 2 12\s", text)


def test_functions_are_inlined_where_they_are_called() -> None:
    module = lanewise.compile(with_helper(), "sm_90").general_with_lines.artifacts.llvm_ir
    (callee,) = re.findall(r"(!\d+) = distinct !DISubprogram\(name: \"shift\"", module)
    (call,) = re.findall(rf"DILocation\(line: 2, column: 12, scope: {callee}, inlinedAt: (!\d+)\)", module)
    assert re.search(rf"^{call} = !DILocation\(line: 10, column: 8, scope: !\d+\)$", module, re.MULTILINE)


@pytest.mark.parametrize("chip", ["sm_90", "gfx942"])
def test_a_fault_names_the_file_of_a_helper(chip: str) -> None:
    kernel = lanewise.compile(with_helper(), chip, device="emulated")
    named = re.escape(f"; from {HELPERS.name}:2:12: return s[u]")
    for each in (kernel, lanewise.LoadedKernel(decode(kernel.to_bytes(cubin=False), "kernel.lw"), "emulated")):
        with pytest.raises(lanewise.LaunchError, match=f"uninitialised.*{named}"):
            each[1](np.zeros(64, np.float32), np.zeros(64, np.float32))


@pytest.mark.skipif(not has_tool("ptxas") or not has_tool("nvdisasm"), reason="needs ptxas and nvdisasm")
def test_sass_names_the_file_of_a_helper() -> None:
    sass = lanewise.compile(with_helper(), "sm_90").general_with_lines.sass
    named = set(re.findall(r'//## File "([^"]*)", line (\d+)', sass))
    assert ("/tmp/the 'helpers'.py", "2") in named and ("kernel.py", "7") in named


def test_a_code_object_names_all_files() -> None:
    image = lanewise.compile(with_helper(), "gfx942").general_with_lines.hsaco
    (table,) = (section.data for section in read_elf(image).sections if section.name == ".debug_line")
    assert all(name in table for name in (b"kernel.py", b"the 'helpers'.py", "größe.py".encode()))
