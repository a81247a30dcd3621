"""`lanewise draw`, `lanewise owners` and their Python: what they say is what the layouts are."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import lanewise
import lanewise.lang as lw
import pytest
from lanewise.cli.main import main
from lanewise.layout.nested import NestedLayout
from lanewise.show.laid_out import ValueNameError

ROWS = NestedLayout.of_fragment((2, 1), (8, 4), (4, 1), (1, 2))
WIDE = NestedLayout.of_fragment((1, 1), (16, 2), (2, 1), (1, 4))
TEXT = f"#iree_vector_ext.nested_layout{ROWS}"
Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    """Runs one command: its exit code, output and messages."""

    def run(*arguments: object) -> tuple[int, str, str]:
        code = main([str(a) for a in arguments])
        return code, *capsys.readouterr()

    return run


def in_rows(thread: int, register: int) -> list[int]:
    """`ROWS`: PTX's accumulator of mma.m16n8k16."""
    return [thread // 4 + register // 2 * 8, thread % 4 * 2 + register % 2]


# -- owners


def test_owners_of_an_element_and_back(call: Call, converted: Path) -> None:
    """64 threads hold what 32 have room for: everything twice."""
    code, out, _ = call("owners", converted, "b", 9, 3)
    assert code == 0
    assert out.splitlines() == [
        f"%b ({converted}:14): vector<16x8xf32>, element [9, 3]",
        "  thread 5 (subgroup 0, lane 5), register 3",
        "  thread 37 (subgroup 1, lane 5), register 3",
    ]
    (answer,) = json.loads(call("owners", converted, "b", "--thread", 37, "--register", 3, "--json")[1])
    assert answer["element"] == in_rows(5, 3) == [9, 3]
    assert [(o["thread"], o["register"]) for o in answer["owners"]] == [(5, 3), (37, 3)]


def test_owners_in_python(converted: Path) -> None:
    kernel = lanewise.compile(converted, target="sm_90")
    assert [tuple(owner) for owner in lanewise.owners(kernel, "moved", 9, 3)] == [(18, 0, 18, 3), (50, 1, 18, 3)]
    assert lanewise.element(kernel, "moved", thread=18, register=3) == (9, 3)
    assert list(lanewise.element(kernel, "b", thread=7, register=2)) == in_rows(7, 2)
    with pytest.raises(lanewise.LayoutError, match=r"element \[16, 0\] is not in a vector of 16x8"):
        lanewise.owners(kernel, "b", 16, 0)


def test_every_value_of_a_name_answers(call: Call, swizzled: Path, converted: Path) -> None:
    """A line's are those that it makes; what is called so and has the layout already is what it is made of."""
    assert call("owners", converted, "held", 9, 3)[1].startswith(f"%a ({converted}:12)")
    assert call("owners", swizzled, ":7", 0, 0)[1].startswith(f"%a ({swizzled}:7)")
    code, _, err = call("owners", swizzled, "tile", 0, 0)
    assert code == 2 and "'tile' is a buffer of shared memory" in err


def test_a_name_of_several_layouts_is_refused_in_python() -> None:
    kernel = lanewise.compile(Path("examples/matmul_f16.mlir"), target="sm_80")
    with pytest.raises(ValueNameError, match=r"'a' is laid out in several ways in @matmul_f16: name one of '%a'"):
        lanewise.owners(kernel, "a", 0, 0)
    # ldmatrix's fragment: row lane / 4, in a quarter's column 2 * (lane % 4).
    (first, *others) = lanewise.owners(kernel, "%a_0", 1, 2)
    assert (first.lane, first.register, [o.subgroup for o in (first, *others)]) == (5, 0, [0, 4])


def test_names_that_there_are_not(call: Call, converted: Path) -> None:
    code, _, err = call("owners", converted, "mowed", 0, 0)
    assert code == 2 and "there is no vector 'mowed' in the layout stage of @converted; did you mean moved?" in err
    assert "line 3 makes no vector" in call("draw", converted, "--value", ":3")[2]
    assert "an element is expected" in call("owners", converted, "b", "--thread", 3)[2]
    assert "there is no thread 64" in call("owners", converted, "b", "--thread", 64, "--register", 0)[2]


# -- draw


def test_a_file_lists_its_values(call: Call, swizzled: Path) -> None:
    code, out, _ = call("draw", swizzled)
    rows = [line.split("  ")[0] for line in out.splitlines()]
    assert code == 0 and rows[:4] == ["value", "%tile", "%a", "%b"]
    assert "shared memory, 1024 bytes" in out and "32 threads, 16 registers each" in out
    listed = json.loads(call("draw", swizzled, "--json")[1])
    assert [(v["name"], v["source"]) for v in listed] == [("%tile", "tile"), ("%a", "a"), ("%b", "b")]
    assert json.loads(call("draw", swizzled, "--value", "a", "--json")[1]) == [listed[1]]


@pytest.mark.parametrize("asked", [("-o", "x.svg"), ("--format", "svg"), ("--value", "a", "--json", "-o", "x.svg")])
def test_what_asks_for_a_drawing_where_none_is_made_is_refused(
    call: Call, swizzled: Path, asked: tuple[str, ...]
) -> None:
    code, out, err = call("draw", swizzled, *asked)
    found = "--json" if "--json" in asked else "no --value to draw"
    assert code == 2
    assert f"is about drawings, found {found}" in (out if "--json" in asked else err)


def test_a_conversion_shows_before_and_after_and_its_way(call: Call, converted: Path) -> None:
    _, out, _ = call("draw", converted, "--value", "moved")
    before, after = out.split("after: ")
    assert "converted by shuffles within subgroups" in before and "shared memory takes" in before
    assert before.splitlines()[3].split(" | ")[:3] == ["t0  r0", "t0  r1", "t1  r0"]
    assert after.splitlines()[1].split(" | ")[:5] == ["t0  r0", "t0  r1", "t0  r2", "t0  r3", "t1  r0"]
    assert lanewise.draw(ROWS, to=WIDE).text.startswith("elements of 32 bits on sm_90, converted by shuffles")
    with_batches = NestedLayout((1, 1), (2, 1), (1, 1), (8, 4), (1, 2), (0, 0), (4, 1))
    assert "converted by nothing" in lanewise.draw(ROWS, to=with_batches).text
    ones, strides = (1, 1), (4, 1)
    rows_first, columns_first = (
        NestedLayout(ones, batch, outer, (8, 4), ones, (0, 0), strides)
        for batch, outer in ((ones, (2, 2)), ((1, 2), (2, 1)))
    )
    assert "converted by renaming registers" in lanewise.draw(rows_first, to=columns_first).text


def test_a_layout_from_its_text(call: Call) -> None:
    _, with_name, _ = call("draw", TEXT)
    assert with_name == call("draw", str(ROWS))[1]
    assert with_name.splitlines()[2].split(" | ")[0] == "t4  r0"
    assert "nested_layout needs batch_tile" in call("draw", "<subgroup_tile = [1]>")[2]
    assert "a layout is expected" in call("draw", "#gpu.address_space<workgroup>")[2]
    assert "reaches thread 28" in call("draw", TEXT, "--threads", 16, "--subgroup-size", 16)[2]


def test_options_that_are_about_something_else_are_refused(call: Call, converted: Path) -> None:
    assert "--value is about kernels, found a layout or an instruction" in call("draw", TEXT, "--value", "a")[2]
    assert "--to is about layouts, found a file" in call("draw", converted, "--to", TEXT)[2]
    assert "--threads is about layouts" in call("draw", "NV_MMA_SYNC_F32_16x8x16_F16", "--threads", 64)[2]
    called = call("draw", "NV_MMA_SYNC_F32_16x8x16_F61")[2]
    assert "did you mean NV_MMA_SYNC_F32_16x8x16_F16" in called and len(called) < 400


@pytest.mark.parametrize(
    "name", ["NV_MMA_SYNC_F32_16x8x16_F16", "MFMA_F32_32x32x8_F16", "MFMA_F32_4x4x4x16B_F16", "WMMAR3_F32_16x16x16_F16"]
)
def test_operands_of_instructions(name: str) -> None:
    drawing = lanewise.draw(name)
    root = ET.fromstring(drawing.svg)
    keys = [g.get("data-grid", "").split("/")[0] for g in root.iter() if g.get("data-grid")]
    assert list(dict.fromkeys(keys)) == ["m0-0", "m0-1", "m0-2"]
    instruction = lanewise.targets.find_matrix_instruction(name)
    m, n, k = instruction.shape
    shapes = [owners.shape[-2:] for owners in drawing.parts[0].maps]
    assert shapes == [(m, k), (k, n), (m, n)]


def test_an_operand_in_memory_is_nobodys() -> None:
    drawing = lanewise.draw("NV_WGMMA_F32_64x128x16_F16")
    assert "B\nnobody holds it: it stays in memory" in drawing.text
    assert [owners.registers for owners in drawing.parts[0].maps] == [8, 0, 64]


def test_banks_of_a_swizzled_buffer(call: Call, swizzled: Path) -> None:
    """xor_shuffle<64, 8>: in row r the piece c // 8 of eight elements lies where piece (c // 8) xor r does in row 0."""
    _, out, _ = call("draw", swizzled, "--value", "tile")
    assert "1024 bytes of shared memory, mixed by #iree_codegen.xor_shuffle<64, 8>; 32 banks" in out.splitlines()[0]
    found = [[int(bank) for bank in line.split()] for line in out.splitlines()[1:9]]
    assert found == [[(c // 8 ^ r) * 4 + c % 8 // 2 for c in range(0, 64, 2)] for r in range(8)]


@pytest.mark.parametrize("ending", ["svg", "html", "txt"])
def test_the_files_name_says_the_form(call: Call, converted: Path, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"out.{ending}"
    assert call("draw", converted, "--value", "moved", "-o", path)[0] == 0
    text = path.read_text()
    assert text.startswith({"svg": "<svg", "html": "<!doctype html>", "txt": "%moved"}[ending])
    again = lanewise.draw(lanewise.compile(converted), "moved")
    assert again.form({"svg": "svg", "html": "html", "txt": "text"}[ending]) == text  # type: ignore[arg-type]
    assert "a drawing's file ends in .svg" in call("draw", TEXT, "-o", tmp_path / "out.png")[2]


def test_a_page_knows_every_owner() -> None:
    """What the script adds up along the dimensions is the thread and the register of each element."""
    layout = NestedLayout((2, 1), (1, 2), (2, 1), (4, 8), (1, 2), (1, 0), (8, 1))
    page = lanewise.draw(layout, threads=64).html
    found = re.search(r'<script type="application/json" id="maps" data-row="32">(.*?)</script>', page)
    assert found is not None and "http" not in page.replace("http://www.w3.org/2000/svg", "")
    data: dict[str, Any] = json.loads(found[1])["m0-0"]
    for row in range(layout.shape[0]):
        for column in range(layout.shape[1]):
            thread, register = (
                data[kind]["first"] + data[kind]["axes"][0][row] + data[kind]["axes"][1][column]
                for kind in ("thread", "register")
            )
            assert layout.coordinate(thread, register, 32) == (row, column)


@lanewise.kernel(workgroup=32, target="sm_90")
def doubled(x: Annotated[lw.Array, lw.f32["N"]], y: Annotated[lw.Array, lw.f32["N"]]) -> None:
    i = lw.block(128)
    y[i] = x[i] + x[i]


@lanewise.kernel(workgroup=32, target="sm_90")
def unannotated(x: lw.Array, y: lw.Array) -> None:
    i = lw.block(128)
    y[i] = x[i]


def test_kernels_in_python() -> None:
    line = doubled.function.__code__.co_firstlineno + 3
    drawing = lanewise.draw(doubled, f":{line}")
    assert f"test_draw.py:{line}" in drawing.text and "vector<128xf32>" in drawing.text
    (owner,) = lanewise.owners(doubled, f":{line}", 9)
    assert lanewise.element(doubled, f":{line}", thread=owner.thread, register=owner.register) == (9,)
    with pytest.raises(LookupError, match="unannotated"):
        lanewise.draw(unannotated, "x")
    assert repr(drawing).startswith("<drawing of %")


def test_the_variant_for_aligned_arrays_is_the_one_that_explain_shows(call: Call) -> None:
    """Its accumulators are with other threads than those of the variant for any arguments."""
    file = ROOT / "examples/matmul_f16.mlir"
    kernel = lanewise.compile(file, "sm_90", device="emulated")
    found = kernel.explain()
    (product,) = [step for step in found.steps if step.op == "vector.contract"]
    listed = json.loads(call("draw", file, "--target", "sm_90", "--aligned", "--json")[1])
    assert found.layouts[product.layout].text in {v["layout"] for v in listed if v["source"] == "acc"}
    holders = {}
    for aligned in (True, False):
        held = lanewise.owners(kernel, "acc", 3, 17, aligned=aligned)[0]
        place = lanewise.element(kernel, "acc", thread=held.thread, register=held.register, aligned=aligned)
        assert place == (3, 17)
        holders[aligned] = held
        asked = ("acc", 3, 17, "--target", "sm_90", *["--aligned"][:aligned])
        _, out, note = call("owners", file, *asked)
        assert str(held) in out and ("the variant for any arguments" in note) != aligned
    assert holders[True] != holders[False]
    texts = {lanewise.draw(kernel, "acc", aligned=aligned).text for aligned in (True, False)}
    assert len(texts) == 2
    assert "for any arguments" in call("draw", file, "--target", "sm_90")[1]


def test_what_is_about_layouts_is_refused_of_kernels() -> None:
    with pytest.raises(lanewise.LanewiseError, match=r"target= is about layouts, found a kernel: kernel\.compile"):
        lanewise.draw(doubled, "x", target="gfx942")
    with pytest.raises(lanewise.LanewiseError, match="element_bits= is about layouts, found a kernel"):
        lanewise.draw(doubled, "x", element_bits=16)


def test_a_conversion_stands_where_its_vector_is_made(call: Call) -> None:
    """Q is read by rows and multiplied as a fragment; constants stand between the two in the layout stage."""
    file = ROOT / "examples/attention.mlir"
    listed = json.loads(call("draw", file, "--target", "sm_90a", "--json")[1])
    (read,) = [value for value in listed if value["name"] == "%q"]
    converted = [v for v in listed if v["type"] == read["type"] and not v["source"]]
    assert read["where"] in [value["where"] for value in converted]


def test_what_is_no_question() -> None:
    with pytest.raises(lanewise.LanewiseError, match="a value's name is expected with a kernel; there are"):
        lanewise.draw(doubled)
    with pytest.raises(lanewise.LanewiseError, match="is one of a kernel's, found NestedLayout"):
        lanewise.draw(ROWS, "a")


def test_a_program_of_threads_has_no_layouts(call: Call, converted: Path, tmp_path: Path) -> None:
    path = tmp_path / "thread.mlir"
    assert call("compile", converted, "--emit", "thread", "-o", path)[0] == 0
    assert "a thread's program has no layouts" in call("draw", path)[2]


ROOT = Path(__file__).resolve().parents[2]
_MADE = re.compile(r"^\$ lanewise (draw .*) -o /tmp/(\S+\.svg)$", re.MULTILINE)


def test_pictures_of_the_documents_are_what_their_commands_make(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a change of what is drawn is meant: run the commands of the pages with `-o docs/pictures/NAME`."""
    monkeypatch.chdir(ROOT)
    text = "".join((ROOT / "docs" / page).read_text() for page in ("drawing.md", "walk.md"))
    made: dict[str, str] = {name: command for command, name in _MADE.findall(text)}
    kept = {path.name for path in (ROOT / "docs/pictures").glob("*.svg")}
    assert kept and kept <= set(made)
    for name in sorted(kept):
        assert call(*made[name].split(), "-o", tmp_path / name)[0] == 0
        assert (tmp_path / name).read_bytes() == (ROOT / "docs/pictures" / name).read_bytes(), name
        assert f"(pictures/{name})" in text


CHROMIUM = next((name for name in ("chromium", "chromium-browser", "google-chrome") if shutil.which(name)), None)
_POINT = """<script>
const cells = document.querySelectorAll("g[data-grid]")[1], box = cells.getBoundingClientRect();
cells.querySelector("path").dispatchEvent(new MouseEvent("mousemove",
  {bubbles: true, clientX: box.left + 5.5 * cells.dataset.w, clientY: box.top + 9.5 * cells.dataset.h}));
</script>"""


@pytest.mark.skipif(CHROMIUM is None, reason="no chromium")
def test_a_page_says_what_is_under_the_mouse(tmp_path: Path) -> None:
    """`WIDE` has element [9, 5] in lane 2 * 9 + 5 // 4, whose four elements are framed on both sides."""
    path = tmp_path / "page.html"
    path.write_text(lanewise.draw(ROWS, to=WIDE).html.replace("</body>", f"{_POINT}</body>"))
    flags = ["--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom"]
    done = subprocess.run(
        [str(CHROMIUM), *flags, path.as_uri()], capture_output=True, text=True, check=True, timeout=60
    )
    assert "[9, 5]: thread 19 (subgroup 0, lane 19), register 1</p>" in done.stdout
    framed = re.findall(r'class="frame" d="([^"]*)"', done.stdout)
    assert [path.count("M") for path in framed] == [4, 4]


def test_a_ring_of_buffers_that_lie_alike_is_drawn_once(call: Call) -> None:
    """Rows of 136 elements of two bytes: 68 words, so each row begins four banks further on; 4 x 34,816 bytes alike."""
    _, out, _ = call("draw", ROOT / "examples/matmul_f16.mlir", "--target", "sm_80", "--aligned", "--value", "ring_b")
    lines = out.splitlines()
    assert lines[1] == "[0, :, :]" and [int(row.split()[0]) for row in lines[2:6]] == [0, 4, 8, 12]
    assert re.search(r"\.\.\. \d more slices, which lie alike", out)


def test_what_a_conversion_goes_through_is_drawn_with_its_banks() -> None:
    """Thread t has column t, then row t. 8 stores are of 16 bytes, 4 rows of a column, by 8 lanes at a time; a load is
    of a word, one column by all 32: neither has two words in one bank."""
    columns = NestedLayout.of_fragment((32, 1), (1, 32), (0, 1), (1, 1))
    drawing = lanewise.draw(columns, to=columns.permute((1, 0)), threads=32)
    assert "converted through 4096 bytes of shared memory" in drawing.text
    assert len(drawing.parts) == 2 and "the 4096 bytes that it goes through" in drawing.parts[1].words
    banks = [[int(bank) for bank in line.split()] for line in drawing.parts[1].text().splitlines()]
    assert "8 stores + 32 loads" in drawing.text and "0 bank conflicts" in drawing.text
    everything = list(range(32))
    for row, lane in ((row, lane) for row in range(0, 32, 4) for lane in range(0, 32, 8)):
        assert sorted(bank for line in banks[row : row + 4] for bank in line[lane : lane + 8]) == everything
    assert all(sorted(column) == everything for column in zip(*banks, strict=True))
    ET.fromstring(drawing.svg)
