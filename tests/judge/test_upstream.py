"""What lanewise writes goes through upstream (IREE's compiler) and back: every program of the tests and examples, the
layout and thread stage of its kernels, in custom and generic form. What upstream prints, in both forms, is the same.

Run by `pytest -m judge`; the extra `judge` installs the compiler.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from lanewise.ir.core import Operation
from lanewise.ir.kernels import kernels
from lanewise.ir.printer import print_program
from lanewise.jit.kernel import compile as compile_program
from lanewise.jit.source import parse
from lanewise.support.diagnostics import ProgramError

pytestmark = pytest.mark.judge

ROOT = Path(__file__).resolve().parent.parent.parent
FILES = sorted([*ROOT.glob("examples/*.mlir"), *ROOT.glob("tests/filetests/**/*.mlir")])
SEPARATOR = re.compile(r"^// -----[ \t]*\n", re.MULTILINE)
TARGET = re.compile(r"^// (?:test .*target=|expect )(\w+)", re.MULTILINE)
NEWER = re.compile(r"index_cast(?:ui)? %\w+ (?:nneg )?exact\b|isExact")
"""What upstream's main branch has and the release that judges has not: `exact` of `arith.index_cast`."""
_REMOVED = "upstream has removed it; lanewise reads what documents have"
WITHOUT_UPSTREAM = {
    r"vector\.extract_slices\b": _REMOVED,
    r"vector\.insert_slices\b": _REMOVED,
    r"vector\.tuple\b": _REMOVED,
    r"vector\.tuple_get\b": _REMOVED,
    r"vector\.extractelement\b": _REMOVED,
    r"vector\.insertelement\b": _REMOVED,
    r"vector\.matrix_multiply\b": _REMOVED,
    r"vector\.flat_transpose\b": _REMOVED,
    r"vector\.reshape\b": _REMOVED,
    r"vector\.shape_cast %\w+ : tuple<": "its tuples of vectors went with vector.tuple",
    r"vector\.contract .*(%\w+, ){4}%\w+ ": "masks as operands have become vector.mask around it",
    r"arith\.constant .*[:x] ?[su]i\d": "upstream has constants of signless integers only",
    r"iree_gpu\.(multi_mma|shuffle_tensor|iterator_type|mma_schedule)\b": _REMOVED,
    r"#iree_gpu\.(compute_bitwidths|storage_bitwidths|subgroup_ops|dotproduct_ops|mma_intrinsic|mma_ops)<": (
        "upstream reads these within other attributes alone"
    ),
    r"#iree_gpu\.target<(?!.*max_workgroup_counts)": "upstream's has max_workgroup_counts, the document's has not",
    r"vector\.mask .*\{\s*(?:%\w+(?::\d+)? = )?arith\.": "upstream masks no elementwise operations",
    r"vector\.scan .* vector<\d+x\w+>, [^v]": "upstream scans from vectors only",
    r"nvgpu\.tma\.create\.descriptor": "upstream's takes a memref without a rank, which a map on the host is made of",
    r"nvvm\.mapa": "upstream's takes pointers, ours memrefs and groups of barrier objects",
    r"nvgpu\.stmatrix": "upstream stores matrices in nvvm alone",
    r"nvgpu\.mma\.block_scale": "the release that judges has no scaled products for NVIDIA's chips",
    r"(?:vector\.contract|nvgpu\.mma\.sync).*: \(?vector<[\dx]+x(\w+)>, vector<[\dx]+x(?!\1>)\w+>": (
        "upstream multiplies elements of one type; units of short floats take two"
    ),
}
"""What programs that upstream cannot read have in them, in custom form, and why."""
GENERIC_ONLY = re.compile(
    r"^ *(?:%.* = )?(?:lanewise\.\w|nvgpu\.device_async_create_group *$|memref\.prefetch .* (?:data|instr) \{)",
    re.MULTILINE,
)
"""Operations that upstream does not know have no custom form there, a group without tokens is read there with the next
line's result for one, and a prefetch is not read with the attributes that it prints."""


def withheld(own: str) -> str:
    """Why upstream does not judge a program, from its text in custom form; empty where it does."""
    return next((why for pattern, why in WITHOUT_UPSTREAM.items() if re.search(pattern, own)), "")


def modules(path: Path) -> Iterator[tuple[str, Operation]]:
    """Each right program of a file, and the stages of its kernels."""
    text = path.read_text(encoding="utf-8")
    target = TARGET.search(text)
    for number, section in enumerate(SEPARATOR.split(text)):
        try:
            module = parse(section, str(path))
            single = len(kernels(module)) == 1
        except ProgramError:
            continue
        yield f"#{number}", module
        if single:
            yield from stages(number, section, target and target[1])


def stages(number: int, section: str, target: str | None) -> Iterator[tuple[str, Operation]]:
    try:
        compilation = compile_program(parse(section), target).compilation
        yield f"#{number} layout", compilation.layout_module
        yield f"#{number} thread", compilation.thread_module
    except ProgramError:
        return


def unnamed(text: str) -> str:
    """The program of a text without the names of its values."""
    module = parse(text)
    for op in module.walk():
        for value in [*op.results, *(a for region in op.regions for block in region.blocks for a in block.arguments)]:
            value.hint = ""
    return print_program(module, generic=True)


Judge = Callable[[str], dict[str, str]]


@pytest.fixture(scope="session")
def judge(upstream_python: str) -> Iterator[Judge]:
    """What upstream makes of a text: its own two forms of it, or its error."""
    command = [upstream_python, str(Path(__file__).with_name("server.py"))]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin is not None and server.stdout is not None
        given, answered = server.stdin, server.stdout

        def ask(text: str) -> dict[str, str]:
            given.write(json.dumps(text) + "\n")
            given.flush()
            answer: dict[str, str] = json.loads(answered.readline())
            return answer

        yield ask
        given.close()


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_through_upstream_and_back(path: Path, judge: Judge) -> None:
    for label, module in modules(path):
        custom = print_program(module)
        if withheld(custom):
            continue
        own = unnamed(custom)
        for generic in (True,) if GENERIC_ONLY.search(custom) else (False, True):
            text = print_program(module, generic)
            if NEWER.search(text):
                continue
            answer = judge(text)
            assert "error" not in answer, f"{label}: {answer['error']}\nof:\n{text}"
            for form, back in answer.items():
                assert unnamed(back) == own, f"{label}, generic: {generic}, answered in {form} form"


def test_a_program_that_upstream_rejects_is_a_failure(judge: Judge) -> None:
    assert "expects parent op" in judge("gpu.func @f() kernel {\n gpu.return\n}")["error"]


def test_a_changed_program_is_a_difference() -> None:
    text = "func.func @f(%a: i32, %b: i32) -> i32 {\n %c = arith.subi %a, %b : i32\n return %c : i32\n}"
    assert unnamed(text) == unnamed(text.replace("%a", "%x"))
    assert unnamed(text) != unnamed(text.replace("subi %a, %b", "subi %b, %a"))
