"""What is wrong in a kernel's Python is said at the user's line, with both sides and what to write instead."""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import lanewise
import lanewise.lang as lw
import pytest

X = Annotated[lw.Array, lw.f32["n"]]
H = Annotated[lw.Array, lw.f16["n"]]
M = Annotated[lw.Array, lw.f32["m", "n"]]
I = Annotated[lw.Array, lw.i32["n"]]  # noqa: E741
C = Annotated[lw.Array, lw.f32[64]]
WRONG: list[Any] = []
THREADS = 64


def wrong(*expected: str, at: str, notes: int = 0, hint: str = "") -> Callable[[Callable[..., None]], Any]:
    """A kernel that is refused: words of the message, the text of the line that it is about, notes that say where
    sides were made, and a part of the hint."""

    def decorate(function: Callable[..., None]) -> Any:
        kernel = lanewise.kernel(workgroup=THREADS)(function)
        WRONG.append(pytest.param(kernel, expected, at, notes, hint, id=function.__name__))
        return kernel

    return decorate


# -- operators ------------------------------------------------------------------------------------------------------


@wrong("'+' needs one element type", "'wide' of vector<64xf32>", "'half' of vector<64xf16>", at="wide + half", notes=2,
       hint=".to(lw.f32)")  # fmt: skip
def element_types(x: X, h: H) -> None:
    wide, half = x[lw.block(64)], h[lw.block(64)]
    x[lw.block(64)] = wide + half


@wrong("'/' needs one element type", "'rows' of index", at="x[i] / rows", notes=1, hint="rows.to(lw.f32)")
def float_and_number(x: X, m: M) -> None:
    i, rows = lw.block(64), m.shape[0]
    x[i] = x[i] / rows


@wrong("is no number of Python", at="float(x.shape[0])", hint=".to(lw.f32)")
def converted_by_python(x: X) -> None:
    x[0] = float(x.shape[0])


@wrong("'sum' has no meaning for vector<64xi1>", at="(x[i] > 0.0).sum()", notes=1, hint=".to(lw.i32)")
def counted_truths(x: X) -> None:
    i = lw.block(64)
    x[0] = (x[i] > 0.0).sum().to(lw.f32)


@wrong("'-' needs shapes that broadcast", "'rows' of vector<8x64xf32>", at="rows - top", notes=2, hint="top[:, None]")
def shapes(m: M) -> None:
    rows = m[lw.span(0, 8), lw.span(0, 64)]
    top = rows.max(axis=1)
    m[lw.span(0, 8), lw.span(0, 64)] = rows - top


@wrong("'/' has no meaning for vector<64xi32>", at="x[i] / 2", notes=1, hint="//")
def integer_division(x: I) -> None:
    i = lw.block(64)
    x[i] = x[i] / 2


@wrong("'//' has no meaning", at="x[i] // 2.0", notes=1, hint="lw.floor")
def float_floor_division(x: X) -> None:
    i = lw.block(64)
    x[i] = x[i] // 2.0


@wrong("'%' has no meaning", at="x[i] % 2.0", notes=1, hint="lw.fmod")
def float_remainder(x: X) -> None:
    i = lw.block(64)
    x[i] = x[i] % 2.0


@wrong("'&' has no meaning", at="x[i] & x[i]", notes=1, hint="lw.bitcast")
def float_bits(x: X) -> None:
    i = lw.block(64)
    x[i] = x[i] & x[i]


@wrong("'~' has no meaning", at="~x[i]", notes=1)
def float_complement(x: X) -> None:
    i = lw.block(64)
    x[i] = ~x[i]


@wrong("the number 2.5 is none of i32", at="x[i] + 2.5", hint="x.to(lw.f32)")
def fraction(x: I) -> None:
    i = lw.block(64)
    x[i] = x[i] + 2.5


@wrong("the number 300 is none of i8", "-128 to 127", at="x[i].to(lw.i8) + 300")
def too_large(x: I) -> None:
    i = lw.block(64)
    x[i] = (x[i].to(lw.i8) + 300).to(lw.i32)


@wrong("'exp' takes floats", at="lw.exp(x[i])", notes=1, hint=".to(lw.f32)")
def function_of_integers(x: I) -> None:
    i = lw.block(64)
    x[i] = lw.exp(x[i])


@wrong("'popcount' takes integers", at="lw.popcount(x[i])", notes=1)
def bits_of_floats(x: X) -> None:
    i = lw.block(64)
    x[i] = lw.popcount(x[i])


@wrong("'where' chooses by truth values", at="lw.where(x[i], 1.0, 0.0)", notes=1, hint="x != 0")
def choice_by_number(x: X) -> None:
    i = lw.block(64)
    x[i] = lw.where(x[i], 1.0, 0.0)


@wrong("fastmath is of", "found 'quick'", at='lw.exp(x[i], fastmath="quick")')
def unknown_fastmath(x: X) -> None:
    i = lw.block(64)
    x[i] = lw.exp(x[i], fastmath="quick")


@wrong("truth values are made by comparing", at="x[i].to(lw.i1)", hint="x != 0")
def converted_to_truth(x: X) -> None:
    i = lw.block(64)
    x[i] = lw.where(x[i].to(lw.i1), 1.0, 0.0)


@wrong("'reduction' of a contraction's lowering is of numbers, found float 32.0", at='lw.contract("mk,kn->mn", m, m,')
def lowering_of_floats(x: X) -> None:
    m = lw.zeros((16, 16))
    lw.contract("mk,kn->mn", m, m, lowering={"reduction": 32.0})  # type: ignore[dict-item]


@wrong("a number, a vector or a span is expected, found Array", at="lw.abs(x)", hint="x[...]")
def array_in_arithmetic(x: X) -> None:
    x[lw.block(64)] = lw.abs(x)  # type: ignore[arg-type]


# -- what Python cannot decide ----------------------------------------------------------------------------------------


@wrong("is known only when the kernel runs", "Python cannot decide", at="x[i].max() > 0.0", notes=1, hint="& | ~")
def decided_by_and(x: X) -> None:
    i = lw.block(64)
    if x[i].max() > 0.0 and x[i].min() > 0.0:
        x[i] = 0.0


@wrong("it is no integer of Python", at="range(x.shape[0])", hint="lw.range(n)")
def python_range(x: X) -> None:
    for i in range(x.shape[0]):  # type: ignore[arg-type]
        x[i] = 0.0


@wrong("cannot be iterated over", at="x[lw.block(64)]", notes=1)
def iterated(x: X) -> None:
    for v in x[lw.block(64)]:
        x[0] = v


@wrong("x is an array: it cannot be iterated over", at="in x:", hint="lw.tiles")
def iterated_array(x: X) -> None:
    for v in x:
        x[0] = v


# -- loops and branches ---------------------------------------------------------------------------------------------


@wrong("'acc' is f32 before the loop and vector<64xf32> at the end of its body", at="for i in lw.tiles", notes=1,
       hint="lw.full((64,), 0, lw.f32)")  # fmt: skip
def carried_shape(x: X) -> None:
    acc: Any = 0.0
    for i in lw.tiles(x.shape[0], 64):
        acc = acc + x[i]
    x[lw.span(0, 64)] = acc


@wrong("'last' is given a value only inside a loop", at="x[lw.span(0, 64)] = last", hint="give it a value before")
def bound_inside(x: X) -> None:
    for i in lw.tiles(x.shape[0], 64):
        last = x[i]
    x[lw.span(0, 64)] = last


@wrong("'v' is given a value in one branch of an `if` only", at="x[i] = v", hint="give it a value before")
def bound_in_a_branch(x: X) -> None:
    i = lw.block(64)
    if x[0] > 0.0:
        v = x[i]
    x[i] = v


@wrong("'v' is vector<64xf32> in one branch of the `if` and f32 in the other", at="if x[0] > 0.0", notes=2)
def branches_differ(x: X) -> None:
    i = lw.block(64)
    if x[0] > 0.0:
        v = x[i]
    else:
        v = x[0]
    x[i] = v


@wrong("a condition is one truth value, found vector<64xi1>", at="if x[i] > 0.0", hint="lw.where")
def vector_condition(x: X) -> None:
    i = lw.block(64)
    if x[i] > 0.0:
        x[i] = 0.0


@wrong("a condition is one truth value, found", at="while n", hint="x != 0")
def number_condition(x: X) -> None:
    n = lw.number(3)
    while n:
        n = n - 1
    x[n] = 0.0


@wrong("`break` in a loop of the device", at="for i in lw.range", hint="`while`")
def breaks(x: X) -> None:
    for i in lw.range(x.shape[0]):
        x[i] = 0.0
        break


@wrong("an `if` by a value of the kernel has no `break`", at="if x[i] > 0.0", notes=1, hint="`while`")
def breaks_by_a_value(x: X) -> None:
    for i in lw.range(x.shape[0]):
        if x[i] > 0.0:
            break
        x[i] = 1.0


@wrong("an `if` by a value of the kernel has no", "`return` inside", at="if x[0] > 0.0", notes=1, hint="an `if`")
def returns_by_a_value(x: X) -> None:
    if x[0] > 0.0:
        return
    x[0] = 1.0


@wrong("`continue` in a loop of the device", at="for i in lw.range", hint="an `if`")
def continues(x: X) -> None:
    for i in lw.range(x.shape[0]):
        x[i] = 0.0
        continue


@wrong("`return` in a loop of the device", at="for i in lw.range", notes=0, hint="behind it")
def returns(x: X) -> None:
    for i in lw.range(x.shape[0]):
        x[i] = 0.0
        return


@wrong("no `else`", at="for i in lw.range", hint="behind the loop")
def loop_else(x: X) -> None:
    for i in lw.range(x.shape[0]):
        x[i] = 0.0
    else:  # noqa: PLW0120
        x[0] = 0.0


@wrong("'seen' is changed in place in a loop of the device", at="for i in lw.tiles", hint="[*seen, v]")
def appended(x: X) -> None:
    seen = [lw.zeros(64)]
    for i in lw.tiles(x.shape[0], 64):
        seen.append(x[i])
    x[lw.span(0, 64)] = seen[-1]


class Box:
    def __init__(self, value: lw.Value) -> None:
        self.value = value


def hidden(box: Box, v: lw.Value) -> None:
    box.value = box.value + v


@wrong("'box' is changed in place in a loop of the device", at="for i in lw.tiles")
def changed_object(x: X) -> None:
    box = Box(lw.zeros(64))
    for i in lw.tiles(x.shape[0], 64):
        hidden(box, x[i])
    x[lw.span(0, 64)] = box.value


@wrong("'other' and 'state' are one object, which a loop of the device changes", at="for i in lw.tiles")
def two_names_of_a_list(x: X) -> None:
    state = other = [lw.zeros(64)]
    for i in lw.tiles(x.shape[0], 64):
        state[0] = state[0] + x[i]
    x[lw.span(0, 64)] = other[0]


@wrong("'other[0]' and 'state' are one object, which a branch of the device changes", at="if x[0] > 0.0")
def two_ways_to_a_list(x: X) -> None:
    state = [lw.zeros(64)]
    other = (state,)
    if x[0] > 0.0:
        state[0] = state[0] + 1.0
    x[lw.span(0, 64)] = other[0][0]


def plain(x: Any) -> lw.Value:
    total = lw.zeros(64)
    for i in lw.tiles(x.shape[0], 64):
        total += x[i]
    return total


@wrong("a loop of the device is a `for` statement", at="for i in lw.tiles", hint="@lw.function")
def plain_helper(x: X) -> None:
    x[lw.span(0, 64)] = plain(x)


@wrong("a loop's step is above 0, found -1", at="lw.range(x.shape[0], 0, -1)", hint="n - 1 - i")
def backwards(x: X) -> None:
    for i in lw.range(x.shape[0], 0, -1):
        x[i] = 0.0


@wrong("a loop of the device is a `for` statement over lw.range or lw.tiles", at="enumerate(", hint="comprehension")
def counted(x: X) -> None:
    for number, i in enumerate(lw.tiles(x.shape[0], 64)):
        x[i] = lw.full(64, float(number))


@wrong("'i' counts a loop of the device, and has no value behind it", at="x[i] = 1.0")
def variable_behind_its_loop(x: X) -> None:
    for i in lw.range(x.shape[0]):
        x[i] = 0.0
    x[i] = 1.0


@wrong("'total' is given another value in a loop of the device", at="for i in lw.tiles", hint="return it")
def changed_by_a_closure(x: X) -> None:
    total = lw.zeros(64)

    def add(i: lw.Span) -> None:
        nonlocal total
        total = total + x[i]

    for i in lw.tiles(x.shape[0], 64):
        add(i)
    x[lw.span(0, 64)] = total


@wrong("an index is never below 0: '>= 0' is the same for all of 'early'", at="early >= 0", notes=1, hint="lw.i64")
def index_below_0(x: X) -> None:
    early = lw.arange(64) - 3
    x[lw.block(64)] = lw.where(early >= 0, 1.0, 2.0)


@wrong("an index is never below 0: '<= -1' is the same for all of 'early'", at="early <= -1", hint="a span compares")
def index_below_minus_1(x: X) -> None:
    early = lw.block_id() - 3
    if early <= -1:
        x[0] = 1.0


@wrong("tiles have a constant extent", at="lw.tiles(64, x.shape[0])")
def moving_extent(x: X) -> None:
    for i in lw.tiles(64, x.shape[0]):
        x[i] = 0.0


# -- arrays ---------------------------------------------------------------------------------------------------------


@wrong("m has 2 axes", "found 1 indices", at="m[lw.block(64)]")
def too_few_indices(m: M) -> None:
    m[lw.span(0, 8), lw.block(64)] = m[lw.block(64)]


@wrong("axis 0 of x is not constant", at="x[:]", hint="lw.span(start, extent)")
def whole_of_unknown(x: X) -> None:
    x[:] = 0.0


@wrong("x holds f32, found", at="x[i] = h[i]", notes=1, hint=".to(x.dtype)")
def stored_type(x: X, h: H) -> None:
    i = lw.block(64)
    x[i] = h[i]


@wrong("x[...] has the shape (64,)", at="x[i] = m[lw.span(0, 8), i]", notes=1)
def stored_shape(x: X, m: M) -> None:
    i = lw.block(64)
    x[i] = m[lw.span(0, 8), i]


@wrong("-1 is no place of x: places count from 0", at="x[-1]", hint="x[x.shape[0] - 1]")
def last_element(x: X) -> None:
    x[0] = x[-1]


@wrong("64 is no place of c, which has 64 along axis 0", at="c[64]")
def behind_the_end(c: C) -> None:
    c[0] = c[64]


@wrong("'v' of vector<64xf32> has no parts that can be written", at="v[3] = 0.0", notes=1, hint="lw.where")
def written_element(x: X) -> None:
    v = x[lw.block(64)]
    v[3] = 0.0
    x[lw.block(64)] = v


@wrong("x is indexed by integers", at="x[x[i]]", notes=1, hint="lw.index")
def float_index(x: X) -> None:
    i = lw.block(64)
    x[i] = x[x[i]]


@wrong("x is padded with one f32", at="x.load(i, pad=h[0])", notes=1)
def padding_type(x: X, h: H) -> None:
    i = lw.block(64)
    x[i] = x.load(i, pad=h[0])


@wrong("one element of x is read without padding", at="x.load(n, pad=1.0)", hint="lw.span(i, 1)")
def padded_element(x: X, n: int) -> None:
    x[lw.block(64)] = x.load(n, pad=1.0)


@wrong("cache is one of", "found 'forever'", at='x.load(i, cache="forever")')
def unknown_cache(x: X) -> None:
    i = lw.block(64)
    x[i] = x.load(i, cache="forever")  # type: ignore[arg-type]


@wrong("atomic updates of m along several axes need rows without gaps", at="m.at[lw.span(0, 8), lw.span(0, 64)]",
       hint="loop over")  # fmt: skip
def update_of_a_box_with_gaps(m: Annotated[lw.Array, lw.f32["m", "n"].strided(None, 1)]) -> None:
    m.at[lw.span(0, 8), lw.span(0, 64)].add(1.0)


@wrong("m[...] has the shape (8, 64), the value is vector<9x64xf32>", at="m.at[lw.span(0, 8), lw.span(0, 64)]")
def update_by_another_shape(m: M) -> None:
    m.at[lw.span(0, 8), lw.span(0, 64)].add(lw.zeros((9, 64)))


@wrong("an update of several elements does not tell what was there", at="before + 1.0", hint="one element's")
def old_values(x: X) -> None:
    before = x.at[lw.block(64)].add(1.0)
    x[lw.block(64)] = before + 1.0


@wrong("'and' does not update f32", at="x.at[0].and_(1.0)")
def update_of_float_bits(x: X) -> None:
    x.at[0].and_(1.0)


@wrong("a span has a constant number of places", at="lw.span(0, 0)")
def empty_span(x: X) -> None:
    x[lw.span(0, 0)] = 0.0


@wrong("the extent of a span is a whole number, found float 2.5", at="lw.block(2.5)")
def broken_span(x: X) -> None:
    x[lw.block(2.5)] = 0.0  # type: ignore[arg-type]  # what it is about


@wrong("an axis of the grid is one of x, y, z", at='lw.block(64, "w")')
def unknown_axis(x: X) -> None:
    x[lw.block(64, "w")] = 0.0


# -- shapes, reductions, contractions ---------------------------------------------------------------------------------


@wrong("axis 2 is none of", at="v.sum(axis=2)", notes=1)
def unknown_reduction_axis(x: X) -> None:
    v = x[lw.block(64)]
    x[0] = v.sum(axis=2)


@wrong("has 64 elements, the shape (8, 9) has 72", at="v.reshape(8, 9)", notes=1)
def reshaped(x: X) -> None:
    v = x[lw.block(64)]
    x[0] = v.reshape(8, 9).sum()


@wrong("is no order of the 1 axes", at="v.transpose(1, 0)", notes=1)
def transposed(x: X) -> None:
    v = x[lw.block(64)]
    x[0] = v.transpose(1, 0).sum()


@wrong("'@' needs [.., M, K] @ [.., K, N]", at="a @ a", notes=2)
def product_shapes(m: M) -> None:
    a = m[lw.span(0, 16), lw.span(0, 32)]
    m[lw.span(0, 16), lw.span(0, 32)] = a @ a


@wrong("'k' of 'mk,kn->mn' is 32 in one operand and 16 in the other", at='lw.contract("mk,kn->mn", a, a)', notes=2)
def letters(m: M) -> None:
    a = m[lw.span(0, 16), lw.span(0, 32)]
    m[lw.span(0, 16), lw.span(0, 16)] = lw.contract("mk,kn->mn", a, a)


@wrong("the accumulator of", "f32 of shape (16, 16)", at="lw.dot(a, a.T, a)", notes=1)
def accumulator_shape(m: M) -> None:
    a = m[lw.span(0, 16), lw.span(0, 32)]
    m[lw.span(0, 16), lw.span(0, 16)] = lw.dot(a, a.T, a)


@wrong("is indexed by", "elements live in threads", at="v[w]", hint="lw.shared")
def indexed_value(x: I) -> None:
    v = w = x[lw.block(64)]
    x[lw.block(64)] = v[w]


@wrong("layout covers", at="with_layout")
def layout_of_another_shape(x: X) -> None:
    layout = lanewise.NestedLayout((1,), (1,), (1,), (32,), (4,), (0,), (1,))
    x[lw.block(64)] = x[lw.block(64)].with_layout(layout)


@wrong("expected", at="lw.mlir")
def wrong_mlir(x: X) -> None:
    x[lw.block(64)] = lw.mlir("%r = arith.addf %a", a=x[lw.block(64)])


# -- the test -------------------------------------------------------------------------------------------------------

LINES = Path(__file__).read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize(("kernel", "expected", "at", "notes", "hint"), WRONG)
def test_what_is_wrong_is_said(kernel: Any, expected: tuple[str, ...], at: str, notes: int, hint: str) -> None:
    with pytest.raises(lanewise.ProgramError) as caught:
        kernel.trace(*(p.type for p in kernel.signature.arguments))
    (diagnostic,) = caught.value.diagnostics
    assert all(word in diagnostic.message for word in expected), diagnostic.render()
    assert diagnostic.location is not None
    line = diagnostic.location.source.position(diagnostic.location.offset)[0]
    if kernel.function.__name__ != "wrong_mlir":
        assert at in LINES[line - 1], diagnostic.render()
    assert sum("made here" in text or "is" in text for text, _ in diagnostic.notes) >= notes, diagnostic.render()
    assert hint in diagnostic.hint, diagnostic.render()
    if kernel not in (returns,):  # whose frames have ended
        frames = [frame.filename for frame in traceback.extract_tb(caught.value.__traceback__)]
        assert frames[-1] == __file__ or kernel is wrong_mlir or "layout" in kernel.function.__name__


def test_hints_name_what_is_there() -> None:
    files = sorted((Path(lw.__file__).parent).glob("*.py"))
    names = {name for file in files for name in re.findall(r"\blw\.([a-z_0-9]+)\b", file.read_text(encoding="utf-8"))}
    assert "full" in names and not [name for name in sorted(names) if not hasattr(lw, name)]
