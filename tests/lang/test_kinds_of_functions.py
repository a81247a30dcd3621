"""Which functions kernels are made of, what they may call, and where they come from."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import lanewise
import lanewise.lang as lw
import numpy as np
import pytest

KEPT: list[Any] = []


@lanewise.kernel(workgroup=64, device="emulated")
def copied_rows(x: lw.Array, out: lw.Array) -> None:
    out[lw.block(64)] = x[lw.block(64)]


def text_of(body: str) -> Any:
    """A kernel whose text is nowhere to be read, in line 6 of what was executed."""
    names: dict[str, Any] = {"lanewise": lanewise, "lw": lw, "copied_rows": copied_rows}
    exec("\n\n\n@lanewise.kernel(workgroup=64, device='emulated')\ndef f(x, out):\n    " + body, names)
    return names["f"]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("copied_rows(x, out)", "kernel 'copied_rows' is used in a kernel"),
        ("copied_rows.trace(lw.f32[None], lw.f32[None])", "kernel 'copied_rows' is used in a kernel"),
        ("copied_rows.debug[1](x, out)", "kernel 'copied_rows' is used in a kernel"),
        ("f.compile(x, out)", "kernel 'f' is used in a kernel"),
        ("out[0] = x[0] + lw.number(1, lw.i32)", "'+' needs one element type"),
    ],
)
def test_errors_have_their_line_without_a_text(body: str, words: str) -> None:
    with pytest.raises(lanewise.TraceError) as caught:
        text_of(body).trace(lw.f32[None], lw.f32[None])
    assert words in str(caught.value) and "<string>:6:" in str(caught.value)
    copied_rows.trace(lw.f32[None], lw.f32[None])  # nothing is left of it


def test_a_kernel_returns_nothing() -> None:
    with pytest.raises(lanewise.TraceError, match=r"a kernel returns nothing, 'f' returns Value <value: f32>"):
        text_of("return x[0]").trace(lw.f32[None], lw.f32[None])


def test_functions_that_stop_in_between_are_refused() -> None:
    def made(x: Any) -> Any:
        yield x

    async def awaited(x: Any) -> None: ...

    for function in (made, awaited):
        for decorate in (lanewise.kernel(workgroup=64), lw.function):
            with pytest.raises(TypeError, match=f"no `yield` and is not `async`, found '.*{function.__name__}'"):
                decorate(function)


def endless(n: Any) -> Any:
    return endless(n + 1.0)


@lanewise.kernel(workgroup=64)
def falls(x: lw.Array) -> None:
    x[0] = endless(x[0])


def test_a_recursion_without_end_ends_in_the_line_of_the_user() -> None:
    with pytest.raises(RecursionError) as caught:
        falls.trace(lw.f32[None])
    assert caught.traceback[-1].name == "endless"
    copied_rows.trace(lw.f32[None], lw.f32[None])


@lanewise.kernel(workgroup=64)
def keeps_a_product(x: lw.Array) -> None:
    i = lw.span(0, 16)
    KEPT.append(x[i, i] @ x[i, i])
    x[i, i] = x[i, i] * 2.0


def test_a_product_that_outlives_the_kernel() -> None:
    keeps_a_product.trace(lw.f32[None, None])
    assert "contract" not in keeps_a_product.vector_ir and KEPT.pop().shape == (16, 16)


@pytest.mark.parametrize("extent", [-3, 2.5, True])
def test_extents_are_numbers_from_0_on_and_names(extent: Any) -> None:
    with pytest.raises(TypeError, match=f"a number from 0 on, a name or None, found {extent}"):
        lw.f32[4, extent]


def test_kernels_of_modules_are_pickled_by_name() -> None:
    assert pickle.loads(pickle.dumps(copied_rows)) is copied_rows
    assert copy.deepcopy(copied_rows) is copied_rows
    compiled = pickle.loads(pickle.dumps(copied_rows.compile(lw.f32[None], lw.f32[None], device="emulated")))
    x, out = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
    compiled[1](x, out)
    assert (x == out).all()
    with pytest.raises(pickle.PicklingError):
        pickle.dumps(text_of("out[0] = x[0]"))
