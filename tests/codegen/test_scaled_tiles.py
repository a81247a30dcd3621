"""`inner_tiled` of scaled operands: what lanes hold becomes `amdgpu.scaled_mfma`, equal to numpy's product of it
(places of `test_scaled_amd.py`, which are Composable Kernel's)."""

from __future__ import annotations

from typing import Any

import lanewise
import numpy as np
import pytest
from lanewise.support.diagnostics import CompileError
from lanewise.targets.mfma_scaled import ScaledMfma

from ..examples import is_thorough
from .sparse_programs import Array
from .test_scaled_amd import LARGE, SMALL, Bytes, data, form, source_of

CASES = [
    (SMALL, "f8E4M3FN", "f8E5M2"),
    (SMALL, "f4E2M1FN", "f8E4M3FN"),
    (LARGE, "f6E2M3FN", "f4E2M1FN"),
]
_SLICE = "vector<4xf8E8M0FNU> to vector<1xf8E8M0FNU>"
_BYTES: Bytes = (1, 2)


def of_vectors(arguments: str, body: str, block: tuple[int, int, int]) -> str:
    """A program of the vector stage, of single threads."""
    size = ", ".join(map(str, block))
    attributes = f'attributes {{gpu.known_block_size = array<i32: {size}>, lanewise.scope = "thread"}}'
    return f"gpu.func @f({arguments}) kernel {attributes} {{\n{body}\n  gpu.return\n}}\n"


def agree(source: str, values: list[Array], expected: Array, instructions: int = 1) -> None:
    """On the emulator with numpy, and the reference and the interpreter with the emulator."""
    kernel = lanewise.compile(source, target="gfx950")
    assert kernel.amdgcn.count("v_mfma_scale_f32_") == instructions
    report = lanewise.validate(kernel, 1, *values, on=["reference", "interpret", "emulated"], thorough=is_thorough())
    assert report.ok, str(report)
    kernel[1](*values)
    assert np.array_equal(values[5], expected)


def slices(bytes: Bytes = _BYTES) -> list[str]:
    """The scale that each lane has, of the four that were loaded."""
    names = zip("xy", "pq", bytes, strict=True)
    return [
        f"  %{one} = vector.extract_strided_slice %{four} {{offsets = [{byte}], sizes = [1], strides = [1]}} : {_SLICE}"
        for one, four, byte in names
    ]


def kind(i: ScaledMfma, more: str = "", a: str = "", b: str = "") -> str:
    name = f"MFMA_SCALE_F32_{'x'.join(map(str, i.shape))}_B32"
    types = f"lhs_elem_type = {a or i.a_type}, rhs_elem_type = {b or i.b_type}, acc_elem_type = f32"
    whose = "semantics = #iree_gpu.mma_semantics<distributed = true, opaque = false>"
    return f"kind = #iree_gpu.scaled_mma_layout<intrinsic = {name}, {types}{more}>, {whose}"


def tiled(i: ScaledMfma, what: str, operands: str = "%a, %b, %x, %y", swapped: bool = False) -> str:
    sums, none = i.shape[0] * i.shape[1] // 64, "affine_map<() -> ()>"
    types = [f"vector<32x{t}>" for t in ((i.b_type, i.a_type) if swapped else (i.a_type, i.b_type))]
    ins = ", ".join([*types, "vector<1xf8E8M0FNU>", "vector<1xf8E8M0FNU>"])
    maps = f"indexing_maps = [{', '.join([none] * 5)}], iterator_types = []"
    return (
        f"  %d = iree_codegen.inner_tiled ins({operands}) outs(%c) {{{maps}, {what}}} : {ins} into vector<{sums}xf32>"
    )


def of_single(i: ScaledMfma) -> tuple[str, list[Array], Array]:
    values, expected = data(i, _BYTES)
    return source_of(of_vectors, i, "\n".join([*slices(), tiled(i, kind(i))])), values, expected


@pytest.mark.parametrize("types", CASES)
def test_one(types: tuple[Any, str, str]) -> None:
    source, values, expected = of_single(form(*types))
    agree(source, values, expected)


def test_given_the_other_way_round() -> None:
    """`col_major`: what lanes have of lhs is what the instruction has of B, and their sums are the transposed ones."""
    i = form(SMALL, "f4E2M1FN", "f8E4M3FN")
    values, expected = data(i, _BYTES)
    what = kind(i, ", col_major = true", i.b_type, i.a_type)
    product = tiled(i, what, "%b, %a, %y, %x", swapped=True)
    agree(source_of(of_vectors, i, "\n".join([*slices(), product])), values, expected)


def test_over_iterators() -> None:
    """A product stands at row 1, step 0; everywhere else an operand is zero. Nobody reads row 0."""
    i = form(SMALL, "f4E2M1FN", "f8E4M3FN")
    values, expected = data(i, _BYTES)
    lhs, rhs, of_lhs, of_rhs = "2x2x32xf4E2M1FN", "2x32xf8E4M3FN", "2x2x1xf8E8M0FNU", "2x1xf8E8M0FNU"
    maps = "(i, k) -> (i, k)", "(i, k) -> (k)", "(i, k) -> (i, k)", "(i, k) -> (k)", "(i, k) -> (i)"
    given = ", ".join(f"affine_map<{map}>" for map in maps)
    words = "#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>"
    lines = [
        *slices(),
        f"  %zero = arith.constant dense<0.0> : vector<{lhs}>",
        f"  %l = vector.insert %a, %zero[1, 0] : vector<32xf4E2M1FN> into vector<{lhs}>",
        f"  %r = vector.broadcast %b : vector<32xf8E4M3FN> to vector<{rhs}>",
        f"  %one = arith.constant dense<1.0> : vector<{of_lhs}>",
        f"  %u = vector.insert %x, %one[1, 0] : vector<1xf8E8M0FNU> into vector<{of_lhs}>",
        f"  %v = vector.broadcast %y : vector<1xf8E8M0FNU> to vector<{of_rhs}>",
        "  %e = vector.broadcast %c : vector<4xf32> to vector<2x4xf32>",
        f"  %f = iree_codegen.inner_tiled ins(%l, %r, %u, %v) outs(%e) {{indexing_maps = [{given}], "
        f"iterator_types = [{words}], {kind(i)}}} : vector<{lhs}>, vector<{rhs}>, vector<{of_lhs}>, vector<{of_rhs}> "
        "into vector<2x4xf32>",
        "  %d = vector.extract %f[1] : vector<4xf32> from vector<2x4xf32>",
    ]
    agree(source_of(of_vectors, i, "\n".join(lines)), values, expected, instructions=2)


@pytest.mark.parametrize("chip", ["gfx942", "gfx90a"])
def test_chips_without(chip: str) -> None:
    source, _, _ = of_single(form(SMALL, "f4E2M1FN", "f4E2M1FN"))
    with pytest.raises(CompileError, match=f"16x16x128 on f4E2M1FN x f4E2M1FN with scales, which {chip} does not have"):
        _ = lanewise.compile(source, target=chip).amdgcn
