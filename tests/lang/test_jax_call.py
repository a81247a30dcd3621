"""Kernels on arrays of jax: inside and outside of `jit`, and what is refused, since these arrays do not change."""

from __future__ import annotations

from typing import Annotated, Any

import lanewise
import lanewise.lang as lw
import numpy as np
import pytest

jax: Any = pytest.importorskip("jax", reason="jax is not installed (the extra `jax`)")
jnp: Any = jax.numpy

Vector = Annotated[lw.Array, lw.f32["n"]]


@lanewise.kernel(workgroup=64, device="emulated")
def scaled(x: Vector, factor: float, y: Vector, *, tile: int = 64, add: float = 0) -> None:
    i = lw.block(tile)
    y[i] = x[i] * factor + add


@lanewise.kernel(workgroup=64, device="emulated")
def counted(words: lw.Array, counts: lw.Array, first: lw.Array, *, bins: int) -> None:
    i = lw.block(64)
    counts.at[words[i]].add(1, mask=i < words.shape[0])
    first[i] = words[i] + 1


@pytest.fixture(scope="module")
def scale() -> Any:
    return scaled.jax_call(out={"y": "x"})


def test_outputs_are_given_inside_and_outside_of_jit(scale: Any) -> None:
    x = jnp.arange(100.0)
    assert (scale(x, 3.0) == 3 * x).all()
    found = jax.jit(lambda x, factor: scale(x + 1, factor, tile=32, add=0.5) * 10)(x, 2.0)
    assert isinstance(found, jax.Array) and (found == (2 * (x + 1) + 0.5) * 10).all()
    assert jax.eval_shape(scale, x, 2.0) == jax.ShapeDtypeStruct((100,), jnp.float32)


def test_arguments_that_the_kernel_writes_are_given_back_and_stay_as_they_are() -> None:
    count = counted.jax_call(out={"first": "words"}, bins=4)
    words, counts = jnp.array([3, 1, 3, 0, 3], jnp.int32), jnp.full(4, 10, jnp.int32)
    first, new = jax.jit(count)(words, counts)
    assert first.tolist() == [4, 2, 4, 1, 4] and new.tolist() == [11, 11, 10, 13]
    assert counts.tolist() == [10] * 4


def test_outputs_begin_as_zeros_and_may_be_made_by_name() -> None:
    count = counted.jax_call(
        out={"counts": lambda bins: jax.ShapeDtypeStruct((bins,), jnp.int32), "first": lambda words: words}
    )
    counts, first = count(jnp.array([3, 1, 3], jnp.int32), bins=5)
    assert counts.tolist() == [0, 1, 0, 2, 0] and first.tolist() == [4, 2, 4]
    with pytest.raises(lanewise.OperationError, match="the constant 'bins' is missing"):
        count(jnp.zeros(3, jnp.int32))


def test_vmap_and_gradients_of_the_user(scale: Any) -> None:
    x = jnp.arange(6.0).reshape(2, 3)
    assert (jax.vmap(lambda row: scale(row, 2.0))(x) == 2 * x).all()
    doubled = jax.custom_vjp(lambda x: scale(x, 2.0))
    doubled.defvjp(lambda x: (scale(x, 2.0), None), lambda _, g: (scale(g, 2.0),))
    assert (jax.jit(jax.grad(lambda x: (doubled(x) ** 2).sum()))(x[0]) == 8 * x[0]).all()


def test_element_types_beside_numpys() -> None:
    @lanewise.kernel(workgroup=64, device="emulated")
    def summed(a: lw.Array, b: lw.Array, c: lw.Array) -> None:
        i = lw.block(64)
        c[i] = a[i] + b[i]

    a = jnp.arange(20).astype(jnp.bfloat16)
    assert (jax.jit(summed.jax_call(out={"c": "a"}))(a, a) == 2 * a).all()


def test_programs_in_mlir_say_their_grid() -> None:
    compiled = scaled.compile(lw.f32["n"], lw.f32, lw.f32["n"], device="emulated")
    call = compiled.jax_call(grid=lambda x: -(-x.shape[0] // 64), out={"y": "x"})
    assert (jax.jit(call)(jnp.arange(100.0), 3.0) == 3 * jnp.arange(100.0)).all()


def test_what_does_not_fit_is_refused_while_jax_traces(scale: Any) -> None:
    with pytest.raises(lanewise.OperationError, match="'scaled' takes x, factor here, found 1"):
        jax.jit(scale)(jnp.zeros(3))
    with pytest.raises(lanewise.OperationError, match="no constant 'tiles'; constants: tile, add"):
        scale(jnp.zeros(3), 1.0, tiles=3)
    odd = scaled.jax_call(out={"y": lambda x: jax.ShapeDtypeStruct((4,), x.dtype)})
    with pytest.raises(lanewise.SignatureError, match="'n' is 3 in axis 0 of 'x' and 4"):
        jax.jit(odd)(jnp.zeros(3), 1.0)


def test_a_launch_takes_arrays_of_jax_by_dlpack_but_changes_none() -> None:
    x, y, host = jnp.arange(100.0), jnp.zeros(100), np.zeros(100, np.float32)
    for kernel in (scaled, scaled.compile(lw.f32["n"], lw.f32, lw.f32["n"], device="emulated")[2]):
        kernel(x, 3.0, host)
        assert (jnp.asarray(host) == 3 * x).all()
        host[:] = 0
        with pytest.raises(lanewise.ArgumentError, match=r"'y': expected a writable array, .* found a read-only one"):
            kernel(x, 3.0, y)
        assert (y == 0).all()
