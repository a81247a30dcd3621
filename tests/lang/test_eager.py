"""`kernel.debug`: kernels as plain Python, with numbers, in agreement with the reference."""

from __future__ import annotations

import io
import pdb
import sys
import traceback
import warnings
import weakref
from collections.abc import Callable
from typing import Annotated, Any

import lanewise
import lanewise.lang as lw
import ml_dtypes
import numpy as np
import pytest
from lanewise.check import executors
from lanewise.check.executor import UnfitKernelError
from lanewise.ir.kernels import find_kernel
from lanewise.lang.debug import GridWarning
from lanewise.lang.hosts import DebugError
from lanewise.lang.trace import TraceError
from lanewise.reference.errors import EvaluationError
from lanewise.reference.evaluate import run_kernel

from .test_kernels import CASES, attention, floats, matmul, scaled_add, small, zeros
from .test_operations import ROWS, of_a_thread, of_parts

RNG = np.random.default_rng(3)


def copies(arguments: tuple[Any, ...]) -> list[Any]:
    return [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]


def line_of(function: Callable[..., Any], text: str) -> int:
    """The number of the line of a function that has a text."""
    code = function.__code__
    with open(code.co_filename, encoding="utf-8") as file:
        lines = file.read().split("\n")
    return next(n for n in range(code.co_firstlineno, len(lines)) if text in lines[n - 1])


# -- agreement with the reference --------------------------------------------------------------------------------------

LARGE = matmul, attention
FEWER = [
    (matmul, (2, 2, 1), (small(40, 24), small(24, 48), zeros(40, 48)), {"tm": 32, "tn": 32, "tk": 16}),
    (attention, (3, 2, 1), (*(small(n, 34, 64) for n in (2, 1, 1, 2)), 1), {"tm": 16, "tn": 16}),
]


@pytest.mark.parametrize(
    ("kernel", "grid", "arguments", "constants"),
    [*((*case, {}) for case in CASES if case[0] not in LARGE), *FEWER],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_debug_run_gives_the_bits_of_the_reference(
    kernel: Any, grid: tuple[int, int, int], arguments: tuple[Any, ...], constants: dict[str, int]
) -> None:
    """They are computed by the same rules, in the same order."""
    own, expected = copies(arguments), copies(arguments)
    kernel.debug[grid](*own, **constants)
    run_kernel(find_kernel(kernel.trace(*arguments, **constants)), grid, expected)
    for number, (found, right) in enumerate(zip(own, expected, strict=True)):
        assert not isinstance(found, np.ndarray) or np.array_equal(found, right, equal_nan=True), number


@lanewise.kernel(workgroup=64)
def integers(x: lw.Array, y: lw.Array, out: lw.Array) -> None:
    i = lw.block(64)
    a, b = x[i], y[i] | 1
    out[i] = (a // b) * 3 + a % b + (a >> 1)


@pytest.mark.parametrize("dtype", [np.int32, np.uint32, np.int8, np.uint8])
def test_integers_are_those_of_numpy(dtype: Any) -> None:
    low, high = np.iinfo(dtype).min // 4, np.iinfo(dtype).max // 4
    x, y = (RNG.integers(low, high, 100).astype(dtype) for _ in range(2))
    out = np.zeros(100, dtype)
    integers.debug(x, y, out)
    odd = y | dtype(1)
    with np.errstate(over="ignore"):
        assert out.tolist() == ((x // odd) * dtype(3) + x % odd + (x >> 1)).tolist()


def test_narrow_integers_of_numpy_are_taken_as_they_are() -> None:
    values = RNG.integers(0, 8, (3, 64))
    x, y, out = (v.astype(ml_dtypes.uint4) for v in (values[0], values[1], 0 * values[2]))
    integers.debug(x, y, out)
    a, b = values[0], values[1] | 1
    assert out.astype(int).tolist() == ((a // b * 3 + a % b + (a >> 1)) % 16).tolist()


@lanewise.kernel(workgroup=64)
def next_ones(x: Annotated[lw.Array, lw.i4[None, 64]]) -> None:
    row = lw.block_id()
    x[row, :] = x[row, :] + 1


def test_bytes_that_hold_several_elements_are_these_elements() -> None:
    """As a launch takes them: the low half of a byte first."""
    x = RNG.integers(0, 256, (3, 32)).astype(np.uint8)
    expected = ((x & 15) + 1) % 16 | ((x >> 4) + 1) % 16 << 4
    next_ones.debug(x)
    assert x.tolist() == expected.tolist()


Nibbles = Annotated[lw.Array, lw.i4["N"]]


@lanewise.kernel(workgroup=64, device="emulated")
def counted(x: Nibbles, y: Nibbles, z: Annotated[lw.Array, lw.f32["N"]]) -> None:
    i = lw.block(64)
    y[i] = x[i] + 1
    z[i] = z[i] + x[i].to(lw.f32)


def test_extents_of_bytes_count_elements() -> None:
    """In grids and where names are compared, in the first launch and in those that find it."""
    x, y, z = np.full(100, 0x22, np.uint8), np.zeros(100, np.uint8), zeros(200)
    assert counted.grid_for(x, y, z) == (4, 1, 1)
    for number in (1, 2):
        counted(x, y, z)
        assert y.tolist() == [0x33] * 100 and z.tolist() == [2 * number] * 200
    counted.debug(x, y, z)
    assert z.tolist() == [6] * 200
    report = lanewise.validate(counted, 2, x, y, z, on=["eager"])
    assert report.lacking[0].endswith("expected 4 along x, found 2") and "of 'y' has 200 places" in report.lacking[0]
    with pytest.raises(lanewise.SignatureError, match="'N' is 200 in axis 0 of 'x' and 100 in axis 0 of 'z'"):
        counted(x, y, zeros(100))


@lanewise.kernel(workgroup=64)
def doubled_until(x: lw.Array, y: lw.Array, *, limit: int = 100) -> None:
    """Control flow that Python decides in a debug run, and the device in all others."""
    i = lw.block(64)
    v, n = x[i], lw.number(0)
    while v.sum() < limit:
        v = v * 2.0
        n += 1
    sign = 1.0 if n > 2 else -1.0
    if n > 3:
        v = v + 1.0
    else:
        v = v - 1.0
    y[i] = v * sign


def test_while_and_if_go_their_way() -> None:
    x, y = np.full(192, 0.25, np.float32), zeros(192)
    x[64:128] = 1
    report = lanewise.validate(doubled_until, None, x, y, on=["eager", "interpret"])
    assert report.verdict == "right", str(report)
    assert [check.executor for check in report.checks] == ["reference", "eager", "interpret"]
    doubled_until.debug(x, y)
    assert y[0] == 0.25 * 8 - 1 and y[64] == -(2 - 1)


@lanewise.kernel(workgroup=32)
def in_place(x: lw.Array) -> None:
    """A value is what was read, whatever becomes of the memory."""
    i = lw.block(32)
    before = x[i]
    x[i] = before + 1.0
    x[i] = before + x[i]


def test_arrays_are_changed_in_place_and_values_are_not() -> None:
    x = np.arange(70, dtype=np.float32)
    in_place.debug(x)
    assert x.tolist() == [2 * n + 1 for n in range(70)]
    whole = np.zeros((40, 3), np.float32)
    in_place.debug(whole[:, 1])
    assert whole[:, 1].tolist() == [1.0] * 40 and not whole[:, ::2].any()


@lanewise.kernel(workgroup=32)
def in_text(x: lw.Array, y: lw.Array) -> None:
    i = lw.block(32)
    y[i] = lw.mlir("%r = math.absf %v : vector<32xf32>\n%s = arith.addf %r, %r : vector<32xf32>", v=x[i])


def test_operations_as_text_are_computed_and_checked() -> None:
    x, y = floats(32), zeros(32)
    in_text.debug(x, y)
    assert np.array_equal(y, 2 * np.abs(x))

    @lanewise.kernel(workgroup=32)
    def wrong(x: lw.Array) -> None:
        lw.mlir("%r = vector.broadcast %v : vector<32xf32> to vector<16xf32>", v=x[lw.block(32)])

    with pytest.raises(lanewise.VerifyError, match=r"vector\.broadcast"):
        wrong.debug(x)


REFUSED = {
    "func.call @f() : () -> ()": "calls @f, which is no function of this module",
    "%m = memref.get_global @primes : memref<8xi32>": "@primes",
    '%m = gpu.subgroup_mma_constant_matrix %v : !gpu.mma_matrix<16x16xf32, "COp">': "no meaning operation by operation",
}


@pytest.mark.parametrize("text", REFUSED, ids=["call", "global", "matrix"])
def test_texts_that_need_more_than_themselves_are_refused_by_name(text: str) -> None:
    @lanewise.kernel(workgroup=32, scope="subgroup")
    def needs(v: float) -> None:
        lw.mlir(text, v=v)

    with pytest.raises((lanewise.VerifyError, EvaluationError), match=REFUSED[text]) as found:
        needs.debug[1](1.0)
    assert f"'{text.rpartition('= ')[2].split()[0]}' op" in str(found.value)


# -- numbers to look at ------------------------------------------------------------------------------------------------

SEEN: dict[str, str] = {}


def note(**values: Any) -> None:
    """What a debugger shows."""
    SEEN.update({name: repr(value) for name, value in values.items()})


@lanewise.kernel(workgroup=32)
def looked_at(x: lw.Array, k: lw.Array, y: lw.Array, scale: float) -> None:
    i = lw.block(4)
    v = x[i] * scale
    top = v.max()
    many = lw.arange(4000)
    u = k[i]
    table = lw.shared((2, 2), lw.i32)
    table[:, :] = 7
    table[0, 1] = -1
    note(v=v, top=top, many=many, u=u, i=i, table=table, wide=v.to(lw.bf16)[:, None] * 1.0, x=x, yes=top > 2.0)
    SEEN["format"] = f"{top:.3f}"
    SEEN["numpy"] = str(np.asarray(v).sum())
    SEEN["python"] = str([int(top), float(top), bool(top > 2.0), int(lw.number(3)) + 1])
    y[i] = v


def test_representations_show_numbers_shortened_by_numpy() -> None:
    k = np.array([1, 2, 3, 0xFFFFFFFF], np.uint32)
    looked_at.debug[1](np.array([1, 2, 3, 0.5], np.float32), k, zeros(4), 2.0)
    assert SEEN["v"] == "<v: vector<4xf32> = [2. 4. 6. 1.]>"
    assert SEEN["top"] == "<top: f32 = 6.0>"
    assert SEEN["yes"] == "<value: i1 = True>"
    assert SEEN["u"] == "<u: vector<4xu32> = [         1          2          3 4294967295]>"
    assert SEEN["many"] == "<many: vector<4000xindex> = [   0    1    2 ... 3997 3998 3999]>"
    assert SEEN["i"] == "<span of 4 from 0>"
    assert SEEN["table"].startswith("<array 'table': memref<2x2xi32") and SEEN["table"].endswith("[[ 7 -1]\n [ 7  7]]>")
    assert SEEN["wide"] == "<value: vector<4x1xbf16> =\n[[2]\n [4]\n [6]\n [1]]>"
    assert SEEN["x"] == "<array 'x': memref<?xf32> = [1.  2.  3.  0.5]>"
    assert SEEN["format"] == "6.000" and SEEN["numpy"] == "13.0" and SEEN["python"] == "[6, 6.0, True, 4]"


class Session(pdb.Pdb):
    """A debugger that is told what to do, and where what it says is kept."""

    def __init__(self, *commands: str) -> None:
        self.said = io.StringIO()
        super().__init__(stdin=io.StringIO("\n".join(commands) + "\n"), stdout=self.said, nosigint=True, readrc=False)
        self.use_rawinput = False


def halved(v: Any, session: Session) -> Any:
    half = v * 0.5
    session.set_trace()
    return half


SESSIONS: list[Session] = []


@lanewise.kernel(workgroup=32)
def stepped_through(x: lw.Array) -> None:
    i = lw.block(2)
    v = x[i]
    x[i] = halved(v, SESSIONS[0])


def test_pdb_stops_in_the_users_lines_with_numbers() -> None:
    SESSIONS[:] = [Session("p half", "up", "p v, x", "p i", "continue")]
    stepped_through.debug(workgroup=1)[2](np.array([1, 2, 3, 4], np.float32))
    said = SESSIONS[0].said.getvalue()
    stop = "session.set_trace()" if sys.version_info >= (3, 13) else "return half"  # from there on, where it is called
    assert stop in said and "x[i] = halved(v, SESSIONS[0])" in said
    assert "<value: vector<2xf32> = [1.5 2. ]>" in said and "<span of 2 from 2>" in said
    assert "(<v: vector<2xf32> = [3. 4.]>, <array 'x': memref<?xf32> = [1. 2. 3. 4.]>)" in said


def test_what_is_traced_has_no_numbers() -> None:
    shapes = lw.f32[None], lw.u32[None], lw.f32[None], lw.f32
    with pytest.raises(TraceError, match="known only when the kernel runs: it has no text"):
        looked_at.trace(*shapes)
    with pytest.raises(TraceError, match=r"say its grid: kernel.debug\[grid\]"):
        looked_at.debug(zeros(4), zeros(4, dtype=np.uint32), zeros(4), 2.0)
    assert SEEN["v"] == "<v: vector<4xf32>>" and SEEN["i"] == "<span of 4>"
    assert SEEN["x"] == "<array 'x': memref<?xf32>>"


def test_who_looks_at_a_product_does_not_change_it() -> None:
    """`acc + a @ b` rounds once for a sum of f16, and would twice were the product written on its own."""

    @lanewise.kernel(workgroup=32)
    def product(a: lw.Array, b: lw.Array, c: lw.Array, *, look: bool) -> None:
        m = lw.span(0, 16)
        acc = lw.full((16, 16), 1e8)
        p = a[m, m] @ b[m, m]
        if look:
            assert "vector<16x16xf32>" in repr(p) and p.shape == (16, 16)
        c[m, m] = acc + p

    a, b, c, d = floats(16, 16), floats(16, 16), zeros(16, 16), zeros(16, 16)
    product.debug[1](a, b, c, look=False)
    product.debug[1](a, b, d, look=True)
    assert np.array_equal(c, d)
    texts = [str(product.compile(a, b, c, look=look).vector_ir) for look in (False, True)]
    assert texts[0] == texts[1] and texts[0].count("vector.contract") == 1


def test_pythons_branches_need_one_truth_value() -> None:
    @lanewise.kernel(workgroup=32)
    def undecided(x: lw.Array) -> None:
        if x[lw.block(32)] > 0.0:
            lw.print("positive")

    with pytest.raises(TraceError, match=r"vector<32xi1> has 32 elements(.|\n)*x\.any\(\)"):
        undecided.debug[1](zeros(32))


def test_numbers_are_there_when_a_run_has_ended() -> None:
    """Debuggers look at what an error left."""
    held: list[Any] = []

    @lanewise.kernel(workgroup=32)
    def fails(x: lw.Array) -> None:
        v = x[lw.span(0, 2)]
        held.extend([v, lw.shared(2, lw.f32), lw.span(1, 2), v[:, None] @ v[None, :]])
        held[1][:] = v
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fails.debug[1](np.array([1, 2], np.float32))
    assert repr(held[0]) == "<v: vector<2xf32> = [1. 2.]>"
    assert repr(held[1]).endswith("> = [1. 2.]>") and repr(held[2]) == "<span of 2 from 1>"
    assert repr(held[3]) == "<value: vector<2x2xf32>>"
    with pytest.raises(TraceError, match="used outside of a kernel"):
        held[0] + 1.0


def test_numbers_that_nobody_holds_are_let_go() -> None:
    made: list[weakref.ref[Any]] = []

    @lanewise.kernel(workgroup=32)
    def long_loop(x: lw.Array) -> None:
        i = lw.block(32)
        v = x[i]
        for _ in lw.range(50):
            v = v + x[i]
            made.append(weakref.ref(v.operand.ssa))
        assert sum(reference() is not None for reference in made) <= 2
        x[i] = v

    long_loop.debug[1](zeros(32))
    assert len(made) == 50


# -- printing, assertions, errors --------------------------------------------------------------------------------------


@lanewise.kernel(workgroup=32)
def talks(x: lw.Array, y: lw.Array) -> None:
    i = lw.block(4)
    lw.print("block", lw.block_id(), x[i])
    y[i] = x[i]


def test_what_is_printed_comes_at_once_and_is_that_of_the_other_executors(capsys: pytest.CaptureFixture[str]) -> None:
    x, y = np.arange(8, dtype=np.float32), zeros(8)
    talks.debug(x, y)
    assert capsys.readouterr().out == "block 0 ( 0, 1, 2, 3 )\nblock 1 ( 4, 5, 6, 7 )\n"
    report = lanewise.validate(talks, None, x, y, on=["eager", "interpret"])
    assert report.verdict == "right" and len({check.printed for check in report.checks}) == 1, str(report)
    assert capsys.readouterr().out == ""


def checked(v: Any) -> Any:
    lw.assert_((v < 5.0).all(), "too large")
    return v


@lanewise.kernel(workgroup=32)
def asserts(x: lw.Array, y: lw.Array, *, plain: bool = False) -> None:
    v = x[lw.block(4)]
    if plain:
        assert float(v.max()) < 5, f"{v.max():.0f} is too large"
    y[lw.block(4)] = checked(v)


def test_assertions_raise_where_the_line_is() -> None:
    x = np.arange(8, dtype=np.float32)
    with pytest.raises(EvaluationError, match=r"does not hold in workgroup \(1, 0, 0\): too large") as found:
        asserts.debug(x, zeros(8))
    last = traceback.extract_tb(found.value.__traceback__)[-1]
    assert (last.filename, last.lineno) == (__file__, line_of(checked, "lw.assert_"))
    location = found.value.diagnostic.location
    assert location is not None and f"{location}".startswith(f"{__file__}:{last.lineno}:")
    with pytest.raises(AssertionError, match="7 is too large") as python:
        asserts.debug[2](x, zeros(8), plain=True)
    frames = traceback.extract_tb(python.value.__traceback__)
    assert frames[-1].lineno == line_of(asserts.function, "assert float")
    assert [f.name for f in frames if f.filename != __file__] == ["call"]  # lanewise's, by which it is raised


@lanewise.kernel(workgroup=32)
def forgets(x: lw.Array) -> None:
    own = lw.shared(32, lw.f32)
    if lw.block_id() == 0:
        own[:] = 1.0
    x[lw.block(32)] = own[:]


def test_shared_memory_is_each_workgroups_and_undefined_at_first() -> None:
    x = zeros(64)
    words = r"workgroup \(1, 0, 0\) reads element \[0\] of %own \(workgroup memory\), which nobody has written"
    with pytest.raises(EvaluationError, match=words):
        forgets.debug(x)
    assert x[:32].tolist() == [1.0] * 32


def test_what_is_out_of_bounds_is_said_at_the_users_line() -> None:
    @lanewise.kernel(workgroup=32)
    def beyond(x: lw.Array) -> None:
        x[x.shape[0]] = 1.0

    with pytest.raises(EvaluationError, match="out of bounds: index 8 of dimension 0, whose extent is 8") as found:
        beyond.debug[1](zeros(8))
    assert "x[x.shape[0]] = 1.0" in str(found.value)


# -- grids and workgroups ----------------------------------------------------------------------------------------------


def test_one_workgroup_runs_alone() -> None:
    x, y, out = floats(1000), floats(1000), zeros(1000)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scaled_add.debug(workgroup=(1, 0, 0))[4](x, y, out, 2.0)
    assert np.array_equal(out[256:512], x[256:512] * 2 + y[256:512]) and not out[:256].any() and not out[512:].any()
    scaled_add.debug(workgroup=3)(x, y, out, 2.0)
    assert out[768:].all() and not out[512:768].any()
    with pytest.raises(DebugError, match=r"workgroup \(4, 0, 0\) is not in the grid of \(4, 1, 1\)"):
        scaled_add.debug(workgroup=4)[4](x, y, out, 2.0)


def test_a_grid_that_covers_too_little_is_said() -> None:
    x, y, out = floats(1000), floats(1000), zeros(1000)
    with pytest.warns(GridWarning) as found:
        scaled_add.debug[2](x, y, out, 2.0)
    expected = (
        "axis 0 of 'out' has 1000 places, 256 for each workgroup: expected 4 along x, found 2;"
        " 488 of 1000 elements of 'out' are written by nobody"
    )
    assert str(found[0].message) == f"the grid of 'scaled_add' covers too little: {expected}"
    assert found[0].filename == __file__
    report = lanewise.validate(scaled_add, 2, x, y, out, 2.0, on=["eager"])
    assert report.lacking == (expected.partition(";")[0],) and "the grid covers too little" in str(report)
    assert not lanewise.validate(scaled_add, 4, x, y, out, 2.0, on=["eager"]).lacking


def test_constants_are_given_to_validate_by_name() -> None:
    x, y, out = floats(100), floats(100), zeros(100)
    report = lanewise.validate(scaled_add, None, x, y, out, 2.0, on=["eager"], tile=32)
    assert report.grid == (4, 1, 1) and report.ok, str(report)
    with pytest.raises(TypeError, match="constants are of kernels in Python, found tile"):
        lanewise.validate(scaled_add.compile(x, y, out, 2.0), 1, x, y, out, 2.0, tile=32)


# -- what can be given, and what cannot --------------------------------------------------------------------------------


def test_kernels_of_texts_are_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y, out = floats(100), floats(100), zeros(100)
    compiled = scaled_add.compile(x, y, out, 2.0)
    with pytest.raises(UnfitKernelError, match=r"'eager' runs kernels in Python.*'@scaled_add' is a program"):
        lanewise.validate(compiled, 1, x, y, out, 2.0, on=["eager"])
    rows = executors.chosen(["reference", "eager"])
    monkeypatch.setattr(executors, "installed", lambda: executors.Executors(rows))
    report = lanewise.validate(compiled, 1, x, y, out, 2.0)
    assert [check.executor for check in report.checks] == ["reference"] and not report.skipped


class Exported:
    """An array of another library that lives on the host."""

    def __init__(self, array: Any, kind: int = 1) -> None:
        self.array, self._kind, self.shape, self.dtype = array, kind, array.shape, array.dtype

    def __dlpack__(self, **named: Any) -> Any:
        return self.array.__dlpack__(**named)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._kind, 0


def test_arrays_of_other_libraries_are_taken_where_they_are_on_the_host() -> None:
    x, y, out = floats(64), floats(64), zeros(64)
    scaled_add.debug(Exported(x), y, Exported(out), 2.0)
    assert np.array_equal(out, x * 2 + y)
    with pytest.raises(DebugError, match="argument 'x': expected an array of the host, found Exported"):
        scaled_add.debug[1](Exported(x, kind=2), y, out, 2.0)


def test_arrays_of_a_device_come_to_the_host_and_go_back() -> None:
    x, y, out = floats(64), floats(64), zeros(64)
    device = lanewise.EmulatedDevice("sm_90")
    there = lanewise.DeviceArray.from_numpy(device, out)
    scaled_add.debug[1](x, y, there, 2.0)
    assert np.array_equal(there.to_numpy(), x * 2 + y)


# -- programs of threads -----------------------------------------------------------------------------------------------


@lanewise.kernel(workgroup=32, scope="thread", subgroup=32)
def turned(x: lw.Array, y: lw.Array) -> None:
    """Threads meet at a barrier, and in their subgroup."""
    t = lw.thread_id()
    own = lw.shared(32, lw.f32)
    own[t] = x[t]
    lw.barrier()
    v = own[31 - t]
    if t > 11:
        v = v * 2.0
    text = "%o = arith.constant 1 : i32\n%w = arith.constant 32 : i32\n%r, %p = gpu.shuffle xor %v, %o, %w : f32"
    y[t] = lw.mlir(text, v=v)[0]


def test_threads_run_one_after_the_other_and_meet() -> None:
    x, y = floats(32), zeros(32)
    turned.debug[1](x, y)
    thread = np.arange(32)
    assert np.array_equal(y, (x[::-1] * np.where(thread > 11, 2, 1))[thread ^ 1])


def test_a_barrier_that_some_do_not_reach_is_said_with_who_is_where() -> None:
    @lanewise.kernel(workgroup=32, scope="thread")
    def parted(x: lw.Array) -> None:
        t = lw.thread_id()
        if t < 20:
            lw.barrier()
        x[t] = 1.0

    expected = r"reached by 20 of 32 threads that meet there: .*thread \(19, 0, 0\) is here, .*\(20, 0, 0\) has ended"
    with pytest.raises(EvaluationError, match=expected) as found:
        parted.debug[1](zeros(32))
    assert traceback.extract_tb(found.value.__traceback__)[-1].line == "lw.barrier()"


def test_threads_that_race_are_reported() -> None:
    @lanewise.kernel(workgroup=32, scope="thread")
    def racing(x: lw.Array) -> None:
        x[0] = lw.thread_id().to(lw.f32)

    with pytest.raises(EvaluationError, match="with no barrier between"):
        racing.debug[1](zeros(4))


# -- every operation that has a word in Python -------------------------------------------------------------------------


def given_to(kernel: Any) -> tuple[Any, ...]:
    halves = RNG.uniform(0.1, 0.9, 256).astype(np.float16)
    floats, whole = halves.astype(np.float32), RNG.integers(1, 20, 256).astype(np.int32)
    matrix = floats.reshape(16, 16)
    if kernel is of_a_thread:
        return floats[:64], whole[:64], halves[:128].reshape(64, 2), np.zeros(64 * 64, np.float32), matrix
    return (matrix, 3, floats) if kernel is of_parts else (floats, halves, whole, matrix, 0.5, 3)


@pytest.mark.parametrize(("kernel", "name", "python"), ROWS, ids=[name for _, name, _ in ROWS])
def test_every_operation_of_the_table_gives_the_bits_of_the_reference(kernel: Any, name: str, python: str) -> None:
    """Or its error, of what is undefined."""
    given = given_to(kernel)
    workgroups = 2 if kernel is of_parts else 1
    own, expected = copies(given), copies(given)
    outcome: list[Any] = []
    for arguments, run in (
        (own, lambda: kernel.debug[workgroups](*own, python=python)),
        (expected, lambda: run_kernel(find_kernel(kernel.trace(*expected, python=python)), workgroups, expected, 32)),
    ):
        try:
            run()
            outcome.append([a.tobytes() for a in arguments if isinstance(a, np.ndarray)])
        except EvaluationError as error:
            outcome.append(error.diagnostic.message)
    assert outcome[0] == outcome[1]
