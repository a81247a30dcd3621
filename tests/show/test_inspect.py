"""The page of `lanewise inspect`: what is linked with what, what is beside the lines, and that it stands alone."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import zlib
from base64 import b64decode
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import lanewise
import lanewise.lang as lw
import numpy as np
import pytest
from lanewise.cli.main import main
from lanewise.codegen.assemble import assembles, has_tool
from lanewise.layout.nested import NestedLayout
from lanewise.layout.owner_map import OwnerMap
from lanewise.show.inspect import Page
from lanewise.show.layouts_shown import LayoutsShown
from lanewise.show.links import Chain, Text
from lanewise.targets import find_chip

ROOT = Path(__file__).parents[2]
HAS_SASS = has_tool("nvdisasm") and assembles(find_chip("sm_80"))
needs_sass = pytest.mark.skipif(not HAS_SASS, reason="no ptxas, nvdisasm (pip install lanewise[isa])")


@lanewise.kernel(workgroup=64)
def scaled(x: lw.Array, y: lw.Array, *, n: int = 256) -> None:
    i = lw.block(n, "x")
    y[i] = x[i] * 2.0 + y[i]


def example(name: str, target: str) -> lanewise.Kernel:
    return lanewise.compile(ROOT / f"examples/{name}.mlir", target, device="emulated")


@cache
def matmul() -> Page:
    """70 x 40 by 40 x 56: a workgroup."""
    a, b, c = np.ones((70, 40), np.float16), np.ones((40, 56), np.float16), np.zeros((70, 56), np.float32)
    return lanewise.inspect(example("matmul_f16", "sm_80"), 1, a, b, c)


@cache
def in_python() -> Page:
    x = np.ones(500, np.float32)
    kernel = scaled.compile(x, x, target="gfx942", device="emulated")
    return lanewise.inspect(kernel, 2, x, x.copy())


def unpacked(html: str) -> str:
    """The page as its script makes it."""
    before, found, after = re.split(r'<script type="text/plain" id="packed">(.*?)</script>', html, maxsplit=1)
    panes, rest = zlib.decompress(b64decode(found, validate=True)).decode().split("<!-- rest -->")
    whole = re.sub(r"<main>.*?</main>", lambda _: f"<main>{panes}</main>", before)
    return whole.replace('<div id="rest" hidden>', f'<div id="rest" hidden>{rest}') + after


class Found(HTMLParser):
    """Elements of a page, with what they contain."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.addresses: list[str] = []
        self.controls: list[str] = []
        self.badges: set[int] = set()
        self.lines: dict[str, list[str]] = {}
        self.data: Any = None
        self._pane = ""
        self._open: list[bool] = []
        """Of the elements that are open in a line, whether what they say is the line's own."""
        self._is_data = False
        self.feed(unpacked(html))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.ids += [found[name] for name in ("id",) if name in found]
        self.addresses += [found[name] for name in ("src", "href") if name in found]
        self.controls += [found[name] for name in ("aria-controls",) if name in found]
        self.badges |= {int(found[name]) for name in ("data-m",) if name in found}
        self._is_data = found.get("id") == "data"
        if tag == "section":
            self._pane = found["id"].removeprefix("pane-")
        if self._open:
            self._open.append(self._open[-1] and tag != "small" and found.get("class") not in ("front", "layout"))
        elif tag == "p" and self._pane:
            self.lines.setdefault(self._pane, []).append("")
            self._open.append(True)

    def handle_endtag(self, tag: str) -> None:
        if self._open:
            self._open.pop()
        if tag == "section":
            self._pane = ""

    def handle_data(self, data: str) -> None:
        if self._is_data and data.strip():
            self.data, self._is_data = json.loads(data), False
        elif self._open and self._open[-1]:
            self.lines[self._pane][-1] += data


def below(chain: Chain, text: Text, line: int) -> Iterator[tuple[str, int]]:
    """What of all texts behind comes from a line, by their own links."""
    numbers = (
        [n for n, spans in enumerate(text.spans) if any(span.line == line for span in spans)] if text.spans else [line]
    )
    for child in chain.texts:
        if child.parent == text.key:
            for row, ups in enumerate(child.up):
                if not set(numbers).isdisjoint(ups):
                    yield child.key, row
                    yield from below(chain, child, row)


@pytest.mark.parametrize("page", [matmul, in_python])
def test_every_line_is_on_the_page_and_links_lead_to_lines(page: Any) -> None:
    shown = Found(page().html)
    chain = page().chain
    assert [text["key"] for text in shown.data["texts"]] == [text.key for text in chain.texts]
    for text, linked in zip(chain.texts, shown.data["texts"], strict=True):
        assert len(shown.lines[text.key]) == len(text.lines) == (len(linked["up"]) or len(text.lines))
        above = next((t for t in chain.texts if t.key == linked["parent"]), None)
        count = 0 if above is None else len(above.spans) or len(above.lines)
        ups = [[u] if isinstance(u, int) else u for u in linked["up"] if u != -1]
        assert all(0 <= u < count for up in ups for u in up)
        assert [tuple(u) for u in ups] == [u for u in text.up if u]
    spans = chain.text("source").spans
    assert shown.data["parts"] == [[span.line for span in spans] for spans in spans]


@pytest.mark.parametrize("page", [matmul, in_python])
def test_a_page_needs_no_other_file_and_says_nothing_twice(page: Any) -> None:
    html = unpacked(page().html)
    shown = Found(page().html)
    assert not shown.addresses
    own = html.partition("<main>")[0] + html.partition("</main>")[2]  # what the texts say is theirs
    assert set(re.findall(r"\w+://[^\s\"'<>]*", own)) <= {"http://www.w3.org/2000/svg"}, "a name, no address"
    assert not re.search(r"url\(|@import|fetch\(|XMLHttpRequest|import\(", own)
    assert len(shown.ids) == len(set(shown.ids))
    assert {f"pane-{text.key}" for text in page().chain.texts} == set(shown.controls) <= set(shown.ids)
    assert shown.badges <= set(range(len(shown.data["maps"])))
    assert {f"map-{n}" for n in range(len(shown.data["maps"]))} <= set(shown.ids)
    scripts = list((ROOT / "show/page").glob("*.js"))
    asked = {name for script in scripts for name in re.findall(r'\$\("([\w-]+)"\)', script.read_text())}
    assert asked and asked <= set(shown.ids), "the scripts ask for elements that are there"


EXAMPLES = sorted((ROOT / "examples").glob("*.mlir"))
MOST_BYTES = 1_500_000


@pytest.mark.turns("chip")
@pytest.mark.parametrize("chip", ["sm_80", "sm_90a", "gfx942", "gfx1100"])
@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_each_example_has_a_page_of_bounded_size(file: Path, chip: str, tmp_path: Path) -> None:
    """All lines of all texts are on it, and what links name is there."""
    out = tmp_path / "page.html"
    assert main(["inspect", str(file), "--target", chip, "-o", str(out)]) == 0
    html = out.read_text()
    assert len(html.encode()) < MOST_BYTES
    shown = Found(html)
    texts = {text["key"]: text for text in shown.data["texts"]}
    for key, text in texts.items():
        nodes = len(shown.data["parts"]) if text["parent"] == "source" else len(shown.lines.get(text["parent"], ()))
        assert len(shown.lines[key]) == len(text["up"]) or not text["parent"], key
        assert all(0 <= u < nodes for up in text["up"] for u in ([up] if isinstance(up, int) else up) if u != -1)
        assert not text["parent"] or any(up != -1 for up in text["up"]), f"nothing of {key} comes from {text['parent']}"
    source = len(shown.lines["source"])
    assert shown.data["parts"] and all(0 <= row < source for rows in shown.data["parts"] for row in rows)


def test_lines_read_as_they_are() -> None:
    """Colours and parts change nothing of the words; a layout's badge stands for its name."""
    shown = Found(in_python().html)
    for text in in_python().chain.texts:
        for line, words in zip(text.lines, shown.lines[text.key], strict=True):
            named = re.sub(r"(?<!^)#layout\d*(?!\w)", "", line) if text.language == "mlir" else line
            assert words in (named, line)


def test_a_product_leads_to_matrix_instructions_and_each_copy_to_its_read() -> None:
    chain = matmul().chain
    source = chain.text("source")
    line_of = {
        words: n for n, line in enumerate(source.lines) for words in ("%A[", "%B[", "vector.contract") if words in line
    }
    found = {
        words: {chain.text(key).lines[row] for key, row in below(chain, source, line) if key == "ptx"}
        for words, line in line_of.items()
    }
    assert any("mma.sync" in line for line in found["vector.contract"])
    assert not any("mma.sync" in line for line in found["%A["] | found["%B["])
    for words in ("%A[", "%B["):
        assert any("cp.async" in line for line in found[words]), f"the copies of {words} come from its read"


def test_parts_of_a_python_line_lead_to_operations_of_their_own() -> None:
    chain = in_python().chain
    source, program = chain.text("source"), chain.text("program")
    assert source.language == "python"

    def made(words: str) -> str:
        numbers = {
            n
            for n, spans in enumerate(source.spans)
            if any(source.lines[span.line][span.first : span.last] == words for span in spans)
        }
        return "".join(line for line, up in zip(program.lines, program.up, strict=True) if not numbers.isdisjoint(up))

    for words, name in (("x[i]", "transfer_read %x"), ("x[i] * 2.0", "mulf"), ("x[i] * 2.0 + y[i]", "addf")):
        assert name in made(words)
        assert all(other not in made(words) for other in {"transfer_read %x", "mulf", "addf"} - {name})


@pytest.mark.parametrize(
    ("name", "target", "text", "least"),
    [
        ("matmul_f16", "sm_80", "ptx", 0.85),
        pytest.param("matmul_f16", "sm_80", "sass", 0.95, marks=needs_sass),
        pytest.param("attention", "sm_90a", "sass", 0.95, marks=needs_sass),
        pytest.param("layer_norm", "sm_80", "sass", 0.95, marks=needs_sass),  # calls the assembler's own functions
        ("softmax", "gfx942", "amdgcn", 0.85),
    ],
)
def test_most_instructions_come_from_lines(name: str, target: str, text: str, least: float) -> None:
    chain = matmul().chain if name == "matmul_f16" else lanewise.inspect(example(name, target)).chain
    assert chain.linked(chain.text(text)) >= least


def test_counts_beside_lines_add_up() -> None:
    """Of machine lines: what the launch counts as a whole; of a line above: what its own instructions have."""
    from lanewise.check.counts import Measurement
    from lanewise.check.inputs import Inputs
    from lanewise.show.line_counts import LineCount, in_all_texts

    a, b, c = np.ones((70, 40), np.float16), np.ones((40, 56), np.float16), np.zeros((70, 56), np.float32)
    measured = Measurement(example("matmul_f16", "sm_80"), Inputs((a, b, c), (1, 1, 1), {}))
    lines = measured.counted_lines
    counters = measured.counters
    assert sum(line.executed for line in lines.values()) == counters.warp_instructions > 0
    assert sum(line.sectors for line in lines.values()) == counters.global_sectors > 0
    assert sum(line.conflicts for line in lines.values()) == counters.shared_bank_conflicts
    text = measured.code.assembly.split("\n")
    products = [line for number, line in lines.items() if "mma.sync" in text[number - 1]]
    assert sum(line.executed for line in products) == counters.matrix_instructions > 0

    chain = matmul().chain
    counted = in_all_texts(chain, "ptx", {number - 1: LineCount(*line) for number, line in lines.items()})
    source = chain.text("source")
    for line, count in counted["source"].items():
        own = {row for key, row in below(chain, source, line) if key == "ptx"} & counted["ptx"].keys()
        assert count.executed == sum(counted["ptx"][row].executed for row in own)
        assert count.instructions == len(own)


def test_a_store_touches_its_sectors_alone() -> None:
    """500 floats, read twice and written once, on AMD: 63 sectors each."""
    html = unpacked(in_python().html)
    said = re.findall(r'data-c="([^"]*)"', html)
    assert sum("63 sectors of global memory" in words for words in said) >= 3


@pytest.mark.parametrize(
    "lists",
    [
        ((2, 1), (1, 4), (2, 2), (8, 4), (1, 2), (1, 0), (4, 1)),
        ((2,), (1,), (1,), (32,), (4,), (1,), (1,)),
        ((1, 2, 1), (2, 1, 1), (1, 1, 2), (1, 8, 4), (1, 1, 4), (0, 1, 0), (0, 4, 1)),
    ],
)
def test_what_the_script_adds_up_is_the_owner_map(lists: Any) -> None:
    fields = (
        "subgroup_tile",
        "batch_tile",
        "outer_tile",
        "thread_tile",
        "element_tile",
        "subgroup_strides",
        "thread_strides",
    )
    words = ", ".join(f"{name} = {list(numbers)}" for name, numbers in zip(fields, lists, strict=True))
    layouts = LayoutsShown(64, 32)
    assert layouts.aliases([f"#layout = #iree_vector_ext.nested_layout<{words}>"]) == {"#layout": 0}
    (shown,) = layouts.maps()
    expected = OwnerMap.of_layout(NestedLayout(*lists), 32, 64).elected
    thread: Any = shown["thread"]
    register: Any = shown["register"]
    for at in np.ndindex(expected.thread.shape):
        assert sum(along[i] for along, i in zip(thread, at, strict=True)) == expected.thread[at]
        assert sum(along[i] for along, i in zip(register, at, strict=True)) == expected.register[at]


def test_layouts_of_the_source_have_badges_beside_those_that_were_chosen() -> None:
    """A source that names a layout, and a layout stage that has more."""
    page = lanewise.inspect(example("reduce_8x64", "gfx942"))
    shown = Found(page.html)
    badges = [layout["badge"] for layout in shown.data["maps"]]
    assert len(badges) == len(set(badges)) > 1
    assert shown.badges == set(range(len(badges)))


def test_what_cannot_be_shown_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lanewise.show.links.has_tool", lambda name: False)
    page = lanewise.inspect(example("vector_add", "sm_80"))
    assert "sass" not in [text.key for text in page.chain.texts]
    assert "pip install lanewise[isa]" in page.html


def test_helpers_and_later_stages_have_pages() -> None:
    kernel = example("vector_add", "gfx1100")
    for text in (kernel.layout_ir, kernel.thread_ir):
        chain = lanewise.inspect(lanewise.compile(text, "gfx1100")).chain
        assert chain.linked(chain.text("amdgcn")) > 0.7


def test_arguments_are_copied_and_others_refused() -> None:
    y = np.zeros(500, np.float32)
    kernel = scaled.compile(y, y, target="gfx942", device="emulated")
    lanewise.inspect(kernel, 2, np.ones(500, np.float32), y)
    assert not y.any()
    assert len(lanewise.inspect(scaled, None, y, y.copy()).html) > 20_000
    with pytest.raises(TypeError, match="constants are of kernels in Python"):
        lanewise.inspect(kernel, n=3)


CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)


needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="no chromium is installed")


def opened(folder: Path, html: str, address: str) -> str:
    """What a browser makes of a page."""
    assert CHROMIUM is not None
    path = folder / "page.html"
    path.write_text(html, encoding="utf-8")
    flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=4000", "--enable-logging=stderr"]
    done = subprocess.run(
        [CHROMIUM, *flags, f"--user-data-dir={folder / 'profile'}", "--dump-dom", f"file://{path}#{address}"],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    assert "Uncaught" not in done.stderr
    return done.stdout


def marked(dom: str, key: str, name: str) -> list[int]:
    """The lines of a text that have a class."""
    pane = dom.partition(f'<section id="pane-{key}"')[2].partition("</section>")[0]
    return [int(n) for n in re.findall(rf'<p data-n="(\d+)"[^>]*class="(?:[^"]* )?{name}(?: [^"]*)?"', pane)]


@needs_browser
def test_a_browser_marks_what_is_linked(tmp_path: Path) -> None:
    """The address of a line keeps it: the lines that come from it are marked, and what became of it is told."""
    page = matmul()
    source = page.chain.text("source")
    line = next(n for n, words in enumerate(source.lines) if "vector.contract" in words)
    dom = opened(tmp_path, page.html, f"line=source:{source.numbers[line]}&theme=dark&show=source,layouts,ptx")
    assert 'class="dark"' in dom[:200]
    for key in ("layouts", "ptx"):
        assert marked(dom, key, "on") == sorted(
            {row + 1 for name, row in below(page.chain, source, line) if name == key}
        )
    shown = re.findall(r'<section id="pane-([\w-]+)" tabindex="0">', dom)
    assert shown == ["source", "layouts", "ptx"]
    assert "instruction: NV_MMA_SYNC_F32_16x8x16_F16" in dom.partition('id="path"')[2].partition("</section>")[0]
    assert dom.partition('id="map">')[2].startswith("<svg"), "who owns what it makes is drawn"


_TYPED = """<script>
const press = (key, on = document.body) => on.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
const search = document.getElementById("search");
ready.then(() => {
  press("ArrowDown"); press("ArrowDown"); press("/");
  const focused = document.activeElement.id; search.value = "MMA.SYNC"; press("Enter", search);
  document.body.dataset.seen = focused;
});
</script>"""


@needs_browser
def test_keys_move_and_search(tmp_path: Path) -> None:
    page = matmul()
    lines = page.chain.text("ptx").lines
    hits = [n for n, line in enumerate(lines, 1) if "mma.sync" in line]
    dom = opened(tmp_path, page.html.replace("</body>", f"{_TYPED}</body>"), "line=ptx:10&show=ptx&theme=light")
    assert 'data-seen="search"' in dom
    assert marked(dom, "ptx", "found") == hits
    assert marked(dom, "ptx", "me") == [hits[0]], "the first behind line 12"
