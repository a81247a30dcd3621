"""The kernels of README and docs in Python: the same machine code as their texts."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any

import lanewise
import lanewise.lang as lw
import pytest

from .test_examples import described, instructions

ROOT = Path(__file__).parents[2]
LAYOUT = lanewise.NestedLayout((2,), (1,), (1,), (32,), (4,), (1,), (1,))
Row = Annotated[lw.Array, lw.f32[None]]
Fixed = Annotated[lw.Array, lw.f32[256]]
Short = Annotated[lw.Array, lw.f32[64]]
Half = Annotated[lw.Array, lw.f16[64, 32]]


@lanewise.kernel(workgroup=64)
def scaled_add(x: Row, y: Row, z: Row) -> None:
    i = lw.block(256)
    z[i] = x[i].with_layout(LAYOUT) * 2.0 + y[i]


@lanewise.kernel(workgroup=64)
def twice(x: Fixed, y: Fixed, z: Fixed) -> None:
    a, b = x[:], y[:]
    z[:] = a * 2.0 + b


@lanewise.kernel(workgroup=32)
def widen(w: Annotated[lw.Array, lw.i4[None]], y: Annotated[lw.Array, lw.i32[None]]) -> None:
    i = lw.span(0, 64)
    y[i] = w[i].to(lw.i32)


@lanewise.kernel(workgroup=128)
def blur(x: Row, y: Row) -> None:
    i = lw.block(512)
    y[i] = x[i] + x[i + 1] + x[i + 2]


@lanewise.kernel(workgroup=128)
def f(x: Half, y: Half, o: Annotated[lw.Array, lw.f16[64, 64]]) -> None:
    o[:, :] = lw.interleave(x[:, :], y[:, :])


@lanewise.kernel(workgroup=32, scope="thread")
def turns(turn: Annotated[lw.Array, lw.i32[1]], y: Annotated[lw.Array, lw.i32[None]]) -> None:
    mine = lw.block_id("x").to(lw.i32)
    if lw.thread_id("x") == 0:
        while turn.at[0].add(0) != mine:
            pass
        y[lw.block_id("x")] = mine
        turn.at[0].add(1)


@lanewise.kernel(workgroup=64)
def double(x: Short, y: Short) -> None:
    lw.mlir("nvvm.griddepcontrol wait")
    v = x[:]
    lw.mlir("nvvm.griddepcontrol launch_dependents")
    y[:] = v + v


@lanewise.kernel(workgroup=128, subgroup=32)
def k(x: Short, sum: Annotated[lw.Array, lw.f32[1]], ids: Annotated[lw.Array, lw.index[128]]) -> None:
    def add_up() -> None:
        sum[0] = x[:].sum()

    def number() -> None:
        lw.threads(each)

    def each() -> None:
        t = lw.thread_id("x")
        ids[t] = t

    lw.split(add_up, number, subgroups=(1, 3))


@lanewise.kernel(workgroup=64, scope="thread")
def reversed(x: Annotated[lw.Array, lw.f32[128]], y: Annotated[lw.Array, lw.f32[128]]) -> None:
    whole = lw.shared(128, lw.f32)
    at = lw.thread_id("x") * 2
    whole[lw.span(at, 2, inside=True)] = x[lw.span(at, 2, inside=True)]
    lw.barrier()
    y[lw.span(at, 2, inside=True)] = whole[lw.span(126 - at, 2, inside=True)]
    lw.barrier()  # a tensor's memory may be another's then


@lanewise.kernel(workgroup=128, subgroup=32)
def product(
    a: Annotated[lw.Array, lw.f16[128, 96]],
    b: Annotated[lw.Array, lw.f16[96, 128]],
    c: Annotated[lw.Array, lw.f32[128, 128]],
) -> None:
    """The whole product, which workgroups share out; its schedule beside it, as that of IREE's function."""
    c[:, :] = lw.contract(
        "mk,kn->mn", a[:, :], b[:, :],
        lowering={
            "mma_kind": "NV_MMA_SYNC_F32_16x8x16_F16", "subgroup_m_count": 2, "subgroup_n_count": 2,
            "workgroup": (64, 64, 0), "reduction": (0, 0, 32), "promote_operands": (0, 1),
        },
    )  # fmt: skip


CASES = [
    (product, "docs/files.md", ("sm_80", "sm_90a")),
    (k, "docs/semantics.md", ("sm_90a", "gfx1100")),
    (reversed, "docs/files.md", ("sm_90a", "gfx942")),
    (scaled_add, "README.md", ("sm_90a", "gfx942")),
    (twice, "docs/architecture.md", ("sm_90a", "gfx942")),
    (widen, "docs/kernels.md", ("sm_90a", "gfx942")),
    (blur, "docs/kernels.md", ("sm_90a", "gfx942")),
    (f, "docs/kernels.md", ("sm_80", "gfx942")),
    (turns, "docs/kernels.md", ("sm_90a", "gfx942")),
    (double, "docs/python.md", ("sm_90",)),
]


def text_of(name: str, page: str) -> str:
    """The text of a kernel in a page; the parts of one that are joined there, with the spelling `PLAIN`."""
    content = (ROOT / page).read_text(encoding="utf-8")
    if name == "f":
        head, plain, tail = (
            re.search(rf'^{part} = """\n(.*?)"""', content, re.M | re.S) for part in ("HEAD", "PLAIN", "TAIL")
        )
        assert head and plain and tail
        return "\n".join((head[1], plain[1], tail[1]))
    aliases = "\n".join(re.findall(r"^#(?:layout = .*?>$|accesses = .*?>\]$)", content, re.M | re.S)[:1])
    found = re.search(rf"^(?:gpu|func)\.func @{name}\(.*?^}}", content, re.M | re.S)
    assert found is not None, f"{page} has no kernel '{name}'"
    return f"{aliases}\n{found[0]}"


@pytest.mark.parametrize(
    ("kernel", "page", "target"), [(kernel, page, target) for kernel, page, targets in CASES for target in targets]
)
def test_text_and_python_are_the_same_machine_code(kernel: Any, page: str, target: str) -> None:
    text = lanewise.compile(text_of(kernel.function.__name__, page), target, device="emulated")
    types = [argument.type for argument in text.view.arguments]
    python = kernel.compile(*map(described, types), target=target, device="emulated")
    assert instructions(python.assembly) == instructions(text.assembly)
