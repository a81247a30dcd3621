"""Kernels as operations of torch: on its CPU build, compiled, checked by its own `opcheck`, and what is refused."""

from __future__ import annotations

import subprocess
import sys
from typing import Annotated, Any

import lanewise
import lanewise.lang as lw
import pytest

torch: Any = pytest.importorskip("torch", reason="torch is not installed (the extra `torch`)")

Vector = Annotated[lw.Array, lw.f32["n"]]


@lanewise.kernel(workgroup=64, device="emulated")
def scaled(x: Vector, factor: float, y: Vector, *, tile: int = 64, add: float = 0) -> None:
    i = lw.block(tile)
    y[i] = x[i] * factor + add


@lanewise.kernel(workgroup=64, device="emulated")
def doubled(x: Vector, *, tile: int = 64) -> None:
    i = lw.block(tile)
    x[i] = x[i] + x[i]


@lanewise.kernel(workgroup=64, device="emulated")
def summed(a: lw.Array, b: lw.Array, c: lw.Array, d: lw.Array, *, tile: int = 64) -> None:
    i = lw.block(tile)
    c[i] = a[i] + b[i]
    d[i] = a[i] - b[i]


@lanewise.kernel(workgroup=64, device="emulated")
def counted(
    words: lw.Array, counts: lw.Array, first: int, wide: bool, *, dtype: Any, bins: int, mode: str = 'a "b"'
) -> None:
    assert mode in ('a "b"', "c")
    i = lw.block(64)
    one = lw.full(64, 1, dtype)
    counts.at[words[i]].add(one, mask=(i < words.shape[0]) & (i >= first) & wide)


@pytest.fixture(scope="module")
def scale() -> Any:
    def backward(grad_y: Any, factor: float) -> dict[str, Any]:
        return {"x": torch.ops.lanewise_test.scaled(grad_y, factor)}

    return scaled.torch_op("lanewise_test::scaled", out={"y": "x"}, backward=backward)


def test_outputs_are_made_and_given(scale: Any) -> None:
    x = torch.arange(100, dtype=torch.float32)
    assert (scale(x, 3.0) == 3 * x).all()
    assert (torch.ops.lanewise_test.scaled(x, 2.0, tile=32, add=0.5) == 2 * x + 0.5).all()
    assert str(torch.ops.lanewise_test.scaled.default._schema) == (
        "lanewise_test::scaled(Tensor x, float factor, *, int tile=64, float add=0.) -> Tensor"
    )


def test_gradients(scale: Any) -> None:
    x = torch.arange(10, dtype=torch.float32, requires_grad=True)
    (scale(x, 3.0) ** 2).sum().backward()
    assert (x.grad == 18 * x.detach()).all()


def test_torch_compile_sees_one_operation(scale: Any) -> None:
    graphs = []

    def kept(module: Any, _: Any) -> Any:
        graphs.append([str(node.target) for node in module.graph.nodes if node.op == "call_function"])
        return module

    def function(x: Any) -> Any:
        return scale(x + 1, 2.0, tile=32)

    x = torch.arange(70, dtype=torch.float32)
    assert (torch.compile(function, fullgraph=True, backend=kept)(x) == 2 * (x + 1)).all()
    assert len(graphs) == 1 and graphs[0][1] == "lanewise_test.scaled.default"
    x.requires_grad_()
    torch.compile(function, fullgraph=True, backend="aot_eager", dynamic=True)(x).sum().backward()
    assert (x.grad == 2).all()


def test_exported_programs_take_tensors_of_other_extents(scale: Any) -> None:
    class Module(torch.nn.Module):
        def forward(self, x: Any) -> Any:
            return scale(x + 1, 2.0)

    x = torch.arange(70, dtype=torch.float32)
    shapes = ({0: torch.export.Dim("n")},)
    program = torch.export.export(Module(), (x,), dynamic_shapes=shapes).module()
    assert (program(x[:9]) == 2 * (x[:9] + 1)).all()


def test_what_torch_itself_checks(scale: Any) -> None:
    x = torch.arange(70, dtype=torch.float32, requires_grad=True)
    torch.library.opcheck(scale, (x, 2.0), {"tile": 32})
    double = doubled.torch_op("lanewise_test::doubled")
    torch.library.opcheck(double, (torch.arange(70, dtype=torch.float32),))


def test_what_an_annotated_kernel_writes_is_changed_in_place() -> None:
    double = doubled.torch_op("lanewise_test::doubled", tile=32)
    assert str(double._opoverload._schema) == "lanewise_test::doubled(Tensor(a0!) x) -> ()"
    x = torch.arange(100, dtype=torch.float32)
    place, version = x.data_ptr(), x._version
    assert double(x) is None
    assert (x == 2 * torch.arange(100)).all() and x.data_ptr() == place and x._version > version
    with pytest.raises(lanewise.ArgumentError, match=r"'x': expected rows without gaps .* found strides \(2,\)"):
        double(x[::2])


def test_what_is_read_in_rows_without_gaps_is_copied_where_it_has_some(scale: Any) -> None:
    x = torch.arange(100, dtype=torch.float32)
    assert (scale(x[::2], 3.0) == 3 * x[::2]).all()
    assert (scale(torch.ones(()).expand(70), 3.0) == 3).all()


def test_element_types_and_strides_of_unannotated_kernels_are_those_of_tensors() -> None:
    both = summed.torch_op("lanewise_test::summed", out={"d": "a", "c": lambda b: b.new_empty(b.shape)})
    for dtype in (torch.float32, torch.bfloat16, torch.float16, torch.int32):
        a, b = torch.arange(40).to(dtype), torch.full((40,), 3).to(dtype)
        d, c = both(a, b)
        assert (c == a + b).all() and (d == a - b).all() and c.dtype == dtype
    a = torch.arange(80, dtype=torch.int32)[::2]
    assert (both(a, a)[1] == 2 * a).all()


def test_numbers_words_and_constants_that_are_the_same_in_all_calls() -> None:
    count = counted.torch_op(
        "lanewise_test::counted",
        out={"counts": lambda words, bins: torch.zeros(bins, dtype=torch.int32, device=words.device)},
        dtype=lw.i32,
    )
    words = torch.tensor([3, 1, 3, 0, 3], dtype=torch.int32)
    assert str(count._opoverload._schema) == (
        'lanewise_test::counted(Tensor words, SymInt first, bool wide, *, int bins, str mode="a \\"b\\"") -> Tensor'
    )
    assert count(words, 1, True, bins=4).tolist() == [1, 1, 0, 2]
    assert count(words, 0, False, bins=4, mode="c").tolist() == [0, 0, 0, 0]


def test_programs_in_mlir_say_their_grid() -> None:
    double = doubled.compile(lw.f32["n"], device="emulated").torch_op(
        "lanewise_test::compiled", grid=lambda x: (-(-x.shape[0] // 64),)
    )
    x = torch.arange(100, dtype=torch.float32)
    double(x)
    assert (x == 2 * torch.arange(100)).all()
    assert str(double._opoverload._schema) == "lanewise_test::compiled(Tensor(a0!) x) -> ()"


def test_a_write_that_torch_is_not_told_of_is_refused_before_it_happens() -> None:
    half = summed.torch_op("lanewise_test::half_told", mutates=["c"])
    a = torch.ones(64)
    d = torch.zeros(64)
    with pytest.raises(
        lanewise.OperationError, match=r"writes d, of which .* only read: expected mutates= or out= with d"
    ):
        half(a, a, torch.zeros(64), d)
    assert (d == 0).all()


@pytest.mark.parametrize(
    ("kernel", "said", "words"),
    [
        (scaled, {"out": {"z": torch.empty_like}}, r"out= of kernel 'scaled' has 'z': expected .* \(x, y\)"),
        (scaled, {"out": {"factor": lambda x: x}}, "has 'factor': expected arguments that are arrays"),
        (scaled, {"out": {"y": torch.empty_like}}, r"out= of 'y': expected a function .*x, factor, tile, add"),
        (scaled, {"out": {"y": lambda z: z}}, "found one of 'z'"),
        (scaled, {"out": {"y": "factor"}}, r"out= makes 'y' like 'factor': expected an argument that is given \(x\)"),
        (scaled, {"mutates": ["z"]}, "mutates= has 'z': expected names among x, y"),
        (scaled, {"backward": lambda x: {}}, "backward= is for operations that change nothing .* changes y"),
        (scaled, {"tiles": 3}, "no constant 'tiles'; constants: tile, add"),
        (summed, {}, r"what kernel 'summed' writes is not known .* mutates= with names among a, b, c, d, or out="),
        (counted, {}, "the constant 'dtype' of kernel 'counted' has no default, .* expected dtype=... here"),
    ],
)
def test_what_does_not_fit_the_kernel_is_refused(kernel: Any, said: dict[str, Any], words: str) -> None:
    with pytest.raises(lanewise.OperationError, match=words):
        kernel.torch_op("lanewise_test::refused", **said)
    with pytest.raises(
        lanewise.OperationError, match="expected a name of an operation as 'mylib::scaled', found 'scaled'"
    ):
        scaled.torch_op("scaled")


def test_extents_that_do_not_fit_are_told_without_running() -> None:
    op = scaled.torch_op("lanewise_test::in_place")
    with (
        torch._subclasses.FakeTensorMode(),
        pytest.raises(lanewise.SignatureError, match="'n' is 4 in axis 0 of 'x' and 5"),
    ):
        op(torch.empty(4), 1.0, torch.empty(5))


def test_gradients_have_names() -> None:
    op = scaled.torch_op("lanewise_test::odd", out={"y": "x"}, backward=lambda grad_y, y, tile: {"y": grad_y})
    with pytest.raises(
        lanewise.OperationError, match=r"expected a dict of gradients by the names .* \(x\), found \['y'\]"
    ):
        op(torch.ones(3, requires_grad=True), 1.0).sum().backward()


def test_torch_is_not_loaded_before() -> None:
    program = (
        "import sys, lanewise.lang; lanewise.kernel, lanewise.compile; assert not {'torch', 'jax'} & {*sys.modules}"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
