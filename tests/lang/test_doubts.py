"""Programs of people who try what a language does with what nobody writes: numpy's result, or a message at their line,
and the same from a debug run and from the emulated machine code."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

import lanewise
import lanewise.lang as lw
import numpy as np
import pytest

F: TypeAlias = Annotated[lw.Array, lw.f32[64]]
M: TypeAlias = Annotated[lw.Array, lw.f32[8, 8]]
N: TypeAlias = Annotated[lw.Array, lw.i32[64]]
X = np.arange(64, dtype=np.float32)
RIGHT: list[Any] = []
WRONG: list[Any] = []


def gives(right: Any) -> Any:
    """A kernel from `X` to what numpy has for it."""

    def kept(function: Any) -> Any:
        RIGHT.append(pytest.param(lanewise.kernel(workgroup=64)(function), right, id=function.__name__))
        return function

    return kept


def wrong(words: str, workgroup: int = 64) -> Any:
    """A kernel that is refused, by words that stand at its line."""

    def kept(function: Any) -> Any:
        made = lanewise.kernel(workgroup=workgroup, subgroup=32)(function)
        WRONG.append(pytest.param(made, words, id=function.__name__))
        return function

    return kept


@gives(X + 5)
def a_sum_over_no_axes_begins_with_its_init(x: F, y: F) -> None:
    i = lw.span(0, 64)
    y[i] = x[i].sum(axis=(), init=5.0)


@gives(np.maximum(X, 7))
def a_maximum_over_no_axes_begins_with_its_init(x: F, y: F) -> None:
    i = lw.span(0, 64)
    y[i] = x[i].max(axis=(), init=7.0)


@gives(np.full(64, 3 + 5))
def a_sum_of_a_number_begins_with_its_init(x: F, y: F) -> None:
    y[lw.span(0, 64)] = x[3].sum(init=5.0)


@gives(np.full(64, (X * X).sum()))
def a_product_that_threads_use_first(x: F, y: F) -> None:
    v = x[lw.span(0, 64)]
    product = v @ v
    lw.threads(lambda: y.store(lw.thread_id(), product))


@gives(X)
def a_mask_that_is_a_truth_value_of_python(x: F, y: F) -> None:
    i = lw.span(0, 64)
    y.store(i, x.load(i, mask=True), mask=True)  # type: ignore[arg-type]


@lw.function
def half_of(n: int, v: lw.Value) -> lw.Value:
    if v[0] < 0.0:
        v = v + 1.0
    return v if n == 0 else half_of(n - 1, v * 0.5)  # type: ignore[no-any-return]


@gives(X / 8)
def a_helper_that_calls_itself(x: F, y: F) -> None:
    i = lw.span(0, 64)
    y[i] = half_of(3, x[i])


@wrong("an element type is expected, found type <class 'numpy.float16'>")
def element_type_of_numpy(x: F) -> None:
    i = lw.span(0, 64)
    x[i] = x[i].to(np.float16).to(lw.f32)  # type: ignore[arg-type]


@wrong("an element type is expected, found str 'f32'")
def element_type_in_words(x: F) -> None:
    x[lw.span(0, 64)] = lw.zeros(64, "f32")  # type: ignore[arg-type]


@wrong("is none of f32")
def number_beyond_floats(x: F) -> None:
    i = lw.span(0, 64)
    x[i] = x[i] + 2**1100


@wrong("an extent of a vector is a whole number, found float 64.0")
def places_of_a_float(x: F) -> None:
    x[lw.span(0, 64)] = lw.arange(64.0).to(lw.f32)  # type: ignore[arg-type]


@wrong("a vector has constant extents above 0, found (-3,)")
def less_than_nothing(x: F) -> None:
    lw.zeros(-3)


@wrong("the extent of a span is a whole number, found float 2.5")
def half_a_span(x: F) -> None:
    x[lw.span(0, 2.5)] = 1.0  # type: ignore[arg-type]


@wrong("an axis is a whole number, found float 0.5")
def half_an_axis(x: F) -> None:
    x[0] = x[lw.span(0, 64)].sum(axis=0.5)  # type: ignore[arg-type]


@wrong("an extent is a whole number, found float 8.0")
def shape_of_floats(x: F) -> None:
    x[0] = x[lw.span(0, 64)].reshape(8.0, 8)[0, 0]  # type: ignore[arg-type]


@wrong("fastmath is of")
def any_fastmath(x: F) -> None:
    x[0] = lw.exp(x[0], fastmath=True)  # type: ignore[arg-type]


@wrong("the axes of a contraction are a text")
def letters_of_a_number(x: F) -> None:
    x[0] = lw.contract(5, x[lw.span(0, 64)], x[lw.span(0, 64)])  # type: ignore[arg-type]


@wrong("x is an array, and its elements are compared by numbers, spans and vectors of places")
def array_that_is_compared(x: F) -> None:
    x[0] = lw.where(x == 0.0, 1.0, 2.0)


@wrong("x is indexed by numbers, spans and vectors of places, found bool True")
def truth_for_a_place(x: F) -> None:
    x[True] = 1.0


@lanewise.kernel(workgroup=64)
def nothing(x: F) -> None:
    pass


@wrong("kernel 'nothing' is used in a kernel, which is one program")
def kernel_of_a_kernel(x: F) -> None:
    nothing(x)


@wrong("is an axis of one operand alone, and not of the result")
def contraction_of_a_lonely_axis(m: M) -> None:
    a = lw.span(0, 8)
    m[a, a] = lw.contract("mk,kn->m", m[a, a], m[a, a])[:, None]


@wrong("joins nothing")
def contraction_of_nothing(m: M) -> None:
    a = lw.span(0, 8)
    m[a, a] = lw.contract("m,n->mn", m[a, 0], m[a, 0])


@wrong("'workgroup' of a contraction's lowering is of numbers, found str 'x'")
def lowering_of_words(m: M) -> None:
    a = lw.span(0, 8)
    m[a, a] = lw.contract("mk,kn->mn", m[a, a], m[a, a], lowering={"workgroup": [8, "x", 0]})  # type: ignore[dict-item,list-item]


@wrong("the mask of", workgroup=64)
def mask_of_numbers(x: F) -> None:
    i = lw.span(0, 64)
    x.store(i, x[i], mask=3)  # type: ignore[arg-type]


@wrong("a layout is a NestedLayout, found str")
def layout_without_its_word(x: F) -> None:
    i = lw.span(0, 64)
    x[i] = x[i].with_layout("16 threads x 4 elements")  # type: ignore[arg-type]


@wrong("is a function without arguments, found NoneType None")
def part_that_is_called(x: F) -> None:
    def part() -> None:
        x[0] = 1.0

    lw.split(part(), lambda: None, subgroups=(1, 1))  # type: ignore[func-returns-value,arg-type]


@wrong("is a function without arguments: missing a required argument: 'n'")
def part_of_arguments(x: F) -> None:
    lw.split(lambda n: x.store(n, 1.0), lambda: None, subgroups=(1, 1))  # type: ignore[arg-type,misc]


@wrong("the program of a thread is a function without arguments")
def thread_of_arguments(x: F) -> None:
    lw.threads(lambda t: x.store(t, 1.0))  # type: ignore[arg-type,misc]


@wrong("a number of subgroups is a whole number, found float 0.5")
def half_a_subgroup(x: F) -> None:
    lw.split(lambda: None, lambda: None, subgroups=(0.5, 1.5))  # type: ignore[arg-type]


@wrong("the shape of an instruction is m, n, k, such as (16, 8, 16), found (16, 16)")
def instruction_of_two_extents(x: F) -> None:
    h = lw.zeros(4, lw.f16)
    x[0] = lw.mfma(h, h, lw.zeros(4), (16, 16))[0]  # type: ignore[arg-type]


@wrong("the shape of an instruction is m, n, k, such as (16, 8, 16), found (16.0, 8, 16)")
def instruction_of_floats(x: F) -> None:
    h = lw.zeros((4, 2), lw.f16)
    x[0] = lw.mma(h, h, lw.zeros((2, 2)), (16.0, 8, 16))[0, 0]  # type: ignore[arg-type]


@wrong("'matrixA' must be a 2-D vector, found f32")
def instruction_of_numbers(x: F) -> None:
    x[0] = lw.mma(1.0, 2.0, 3.0, (16, 8, 16))  # type: ignore[arg-type]


@wrong("'dot_scaled' multiplies matrices, found f32 for a")
def scaled_numbers(x: F) -> None:
    x[0] = lw.dot_scaled(1.0, 2.0, 3.0, 4.0)  # type: ignore[arg-type]


@wrong("'dot_sparse' takes places beside the elements: f32 with index")
def sparse_numbers(x: F) -> None:
    x[0] = lw.dot_sparse(1.0, 2, 3.0)  # type: ignore[arg-type]


@pytest.mark.turns("target")
@pytest.mark.parametrize("target", ["sm_90a", "gfx942"])
@pytest.mark.parametrize(("kernel", "right"), RIGHT)
def test_what_is_odd_is_as_numpy_has_it(kernel: Any, right: Any, target: str) -> None:
    debugged, found = np.zeros(64, np.float32), np.zeros(64, np.float32)
    kernel.debug[1](X, debugged)
    kernel.compile(X, found, target=target, device="emulated")[1](X, found)
    assert (debugged == right).all() and (found == right).all()


@pytest.mark.parametrize(("kernel", "words"), WRONG)
def test_what_is_odd_is_refused_at_its_line_by_both_runs(kernel: Any, words: str) -> None:
    zeros = np.zeros(kernel.signature.arguments[0].type.constant_dims, np.float32)
    for run in (kernel.trace, lambda: kernel.debug[1](zeros)):
        with pytest.raises(lanewise.ProgramError) as caught:
            run()
        text = str(caught.value)
        assert words in text and f"{__file__}:" in text and "^" in text, text


def test_what_a_branch_raises_says_that_it_was_traced() -> None:
    @lanewise.kernel(workgroup=64)
    def negative(x: F) -> None:
        if x[0] < 0.0:
            raise ValueError("negative")

    with pytest.raises(ValueError, match="negative") as caught:
        negative.trace()
    assert (
        f"{__file__}:" in caught.value.__notes__[0] and "a branch of the device was traced" in caught.value.__notes__[0]
    )
    negative.debug[1](X)
