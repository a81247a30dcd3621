"""What threads execute together stays as it is: LLVM does not write it once a side of a branch instead."""

from __future__ import annotations

from pathlib import Path

import lanewise
import llvmlite.binding as llvm
import pytest
from lanewise.codegen.emit.text import CALL_ATTRIBUTES, Ssa, Writer, integer
from lanewise.codegen.llvm import compile_text
from lanewise.jit.facts import GENERAL
from lanewise.targets import find_chip

from ..convergence import BY_LLVM, not_convergent

ROOT = Path(__file__).parents[2]


def between_branches(together: bool) -> str:
    """`if (tid == 0) ..; statement; if (tid == 0) ..` in PTX: what one branch decides decides the other."""
    w, here = Writer(), Ssa("%p", "ptr addrspace(1)", None)
    first = w.compare("eq", w.call("i32", "llvm.nvvm.read.ptx.sreg.tid.x"), integer(0, "i32"))
    for number in range(2):
        there, behind = w.label(), w.label()
        w.branch(first, there, behind)
        w.start(there)
        w.do(f"store i32 {number}, {here}")
        w.jump(behind)
        w.start(behind)
        w.together = together
        if number == 0:
            w.asm_void("wgmma.wait_group.sync.aligned 0;", ["~{memory}"])
        w.together = False
    w.do("ret void")
    body = "\n".join(w.lines)
    rest = "\n".join([*w.declarations, *CALL_ATTRIBUTES])
    head = 'target triple = "nvptx64-nvidia-cuda"\ndefine ptx_kernel void @k(ptr addrspace(1) %p) {'
    text = f"{head}\n{body}\n}}\n{rest}\n"
    assert bool(not_convergent(text)) != together
    return compile_text(text, find_chip("sm_90a")).assembly


def test_a_statement_stands_once_between_branches() -> None:
    """It is twice what it would be without the word, which is why the word is there."""
    assert between_branches(True).count("wgmma.wait_group") == 1
    assert between_branches(False).count("wgmma.wait_group") == 2


def test_what_llvm_says_by_itself() -> None:
    declarations = (
        *("void @llvm.nvvm.barrier.cluster.arrive.aligned()", "void @llvm.nvvm.barrier.cluster.wait.aligned()"),
        *(
            "void @llvm.nvvm.setmaxnreg.inc.sync.aligned.u32(i32)",
            "i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)",
        ),
        "{ i32, i1 } @llvm.nvvm.shfl.sync.bfly.i32p(i32, i32, i32, i32)",
    )
    for text in declarations:
        assert BY_LLVM.search(text)
        assert "convergent" in str(llvm.parse_assembly(f"declare {text}")).partition("attributes")[2], text


SAMPLES = {
    "examples/matmul_f16.mlir": "sm_80",
    "examples/softmax.mlir": "sm_90",
    "tests/filetests/schedule/tensor_tiles.mlir": "sm_90a",
    "tests/filetests/tensor_memory/product.mlir": "sm_100a",
    "tests/filetests/async/clusters_boxes.mlir": "sm_90",
}


@pytest.mark.parametrize("path", SAMPLES)
def test_all_that_programs_emit(path: str) -> None:
    """`run` of filetests looks at all of theirs."""
    first, *_ = (ROOT / path).read_text(encoding="utf-8").split("// -----\n")
    kernel = lanewise.compile(first, target=SAMPLES[path])
    assert not_convergent(kernel.compiler.compilation(GENERAL).artifacts.llvm_ir) == []
