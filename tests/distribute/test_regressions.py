"""Mistakes that the reference implementation of these layouts makes, as programs that must be right."""

from __future__ import annotations

import numpy as np
import pytest
from lanewise.ir.parser import parse_program
from lanewise.ir.printer import print_program
from lanewise.pipeline.compilation import Compilation
from lanewise.support.diagnostics import ProgramError
from lanewise.targets import find_chip

from .conftest import Agree, compilation
from .programs import kernel

LAYOUT = (
    "#iree_vector_ext.nested_layout<subgroup_tile = [{s}], batch_tile = [{b}], outer_tile = [1], thread_tile = [{t}], "
    "element_tile = [{e}], subgroup_strides = [{ss}], thread_strides = [{ts}]>"
)


def one_dim(s: int = 1, b: int = 1, t: int = 1, e: int = 1, ts: int = 1, ss: int = 1) -> str:
    return LAYOUT.format(s=s, b=b, t=t, e=e, ss=ss if s > 1 else 0, ts=ts if t > 1 else 0)


def reduce_text(size: int, kind: str, layout: str, element: str = "i32", threads: int = 64) -> str:
    return kernel(
        f"%x: memref<{size}x{element}>, %acc: memref<{element}>, %y: memref<{element}>",
        f"""  %zero = arith.constant 0 : {element}
  %0 = vector.transfer_read %x[%c0], %zero : memref<{size}x{element}>, vector<{size}x{element}>
  %1 = iree_vector_ext.to_layout %0 to layout({layout}) : vector<{size}x{element}>
  %2 = memref.load %acc[] : memref<{element}>
  %3 = vector.multi_reduction <{kind}>, %1, %2 [0] : vector<{size}x{element}> to {element}
  %4 = vector.broadcast %3 : {element} to vector<{element}>
  vector.transfer_write %4, %y[] : vector<{element}>, memref<{element}>""",
        threads=threads,
    )


@pytest.mark.parametrize("element", ["i8", "i32"])
@pytest.mark.parametrize(
    ("kind", "values", "acc", "expected"),
    [
        ("maxsi", np.arange(-64, 0), -100, -1),
        ("minsi", np.arange(1, 65), 100, 1),
        ("and", np.full(64, 6), 14, 6),
        ("maxui", np.full(64, 3), 0, 3),
        ("minui", np.full(64, -2), -1, -2),
    ],
)
def test_integer_identities(agree: Agree, element: str, kind: str, values: np.ndarray, acc: int, expected: int) -> None:
    """The neutral start of a reduction is the type's, and so is the padding of idle lanes."""
    dtype = np.dtype(element.replace("i", "int"))
    text = reduce_text(64, kind, one_dim(t=32, b=2), element)
    *_, y = agree(text, values.astype(dtype), np.array(acc, dtype), np.zeros((), dtype))
    assert y == expected


def masked_copy(layout: str, bound: str, size: int) -> str:
    return kernel(
        f"%x: memref<{size}xi32>, %y: memref<{size}xi32>, %n: index",
        f"""  %0 = vector.transfer_read %x[%c0], %pad : memref<{size}xi32>, vector<{size}xi32>
  %1 = iree_vector_ext.to_layout %0 to layout({layout}) : vector<{size}xi32>
{bound}
  vector.transfer_write %1, %y[%c0], %m : vector<{size}xi32>, memref<{size}xi32>""",
        threads=32,
    )


@pytest.mark.parametrize("bound", range(10))
def test_create_mask_with_batches_and_threads(agree: Agree, bound: int) -> None:
    """Eight elements, two batches of four threads: a bound of 5 keeps exactly the first five."""
    text = masked_copy(one_dim(b=2, t=4), "  %m = vector.create_mask %n : vector<8xi1>", 8)
    x = np.arange(10, 18, dtype=np.int32)
    _, y = agree(text, x, np.zeros(8, np.int32), bound, emulated=bound == 5)
    np.testing.assert_array_equal(y, np.where(np.arange(8) < bound, x, 0))


def test_create_mask_of_a_loop_counter(agree: Agree) -> None:
    """The bound is a block argument."""
    text = kernel(
        "%x: memref<8xi32>, %y: memref<8x8xi32>",
        f"""  %c8 = arith.constant 8 : index
  %0 = vector.transfer_read %x[%c0], %pad : memref<8xi32>, vector<8xi32>
  %1 = iree_vector_ext.to_layout %0 to layout({one_dim(b=2, t=4)}) : vector<8xi32>
  scf.for %i = %c0 to %c8 step %c1 {{
    %m = vector.create_mask %i : vector<8xi1>
    vector.transfer_write %1, %y[%i, %c0], %m : vector<8xi32>, memref<8x8xi32>
  }}""",
        threads=32,
    )
    x = np.arange(1, 9, dtype=np.int32)
    _, y = agree(text, x, np.zeros((8, 8), np.int32))
    np.testing.assert_array_equal(y, np.tril(np.broadcast_to(x, (8, 8)), -1))


def test_masked_and_transposed_transfer_with_two_batched_dimensions(agree: Agree) -> None:
    layout = (
        "#iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [2, 3], outer_tile = [1, 1], "
        "thread_tile = [4, 8], element_tile = [1, 2], subgroup_strides = [0, 0], thread_strides = [8, 1]>"
    )
    text = kernel(
        "%x: memref<48x8xi32>, %y: memref<48x8xi32>, %p: index, %q: index",
        f"""  %m = vector.create_mask %p, %q : vector<48x8xi1>
  %0 = vector.transfer_read %x[%c0, %c0], %pad, %m {{permutation_map = affine_map<(d0, d1) -> (d1, d0)>}}
    : memref<48x8xi32>, vector<8x48xi32>
  %1 = iree_vector_ext.to_layout %0 to layout({layout}) : vector<8x48xi32>
  vector.transfer_write %1, %y[%c0, %c0] {{permutation_map = affine_map<(d0, d1) -> (d1, d0)>}}
    : vector<8x48xi32>, memref<48x8xi32>""",
        threads=32,
    )
    x = np.arange(48 * 8, dtype=np.int32).reshape(48, 8)
    _, y = agree(text, x, np.zeros_like(x), 37, 5)
    inside = (np.arange(48) < 37)[:, None] & (np.arange(8) < 5)
    np.testing.assert_array_equal(y, np.where(inside, x, -7))


def test_reduction_over_more_subgroups_than_threads_of_one(agree: Agree) -> None:
    """Four subgroups hold parts of the dimension, one thread of each takes part."""
    text = reduce_text(8, "add", one_dim(s=4, b=2), threads=128)
    x = np.arange(1, 9, dtype=np.int32)
    *_, y = agree(text, x, np.array(100, np.int32), np.zeros((), np.int32))
    assert y == x.sum() + 100


def test_more_virtual_subgroups_than_there_are(agree: Agree) -> None:
    """Eight virtual subgroups on two real ones: the document's `x mod num_subgroups`; no element is lost."""
    text = reduce_text(8 * 32, "add", one_dim(s=8, t=32), threads=64)
    x = np.arange(8 * 32, dtype=np.int32)
    *_, y = agree(text, x, np.array(0, np.int32), np.zeros((), np.int32))
    assert y == x.sum()


def test_thread_tile_larger_than_a_subgroup(agree: Agree) -> None:
    """128 threads on one dimension, subgroups of 32: a butterfly alone would stop at the subgroup."""
    text = reduce_text(256, "xor", one_dim(t=128, e=2), threads=128)
    x = np.random.default_rng(0).integers(-1000, 1000, 256).astype(np.int32)
    *_, y = agree(text, x, np.array(0, np.int32), np.zeros((), np.int32))
    assert y == np.bitwise_xor.reduce(x)


CONTRACT = """
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
gpu.func @k(%x: memref<16x16xf16>, %y: memref<16x8xf16>, %z: memref<16x8xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f16
  %zero = arith.constant dense<1.0> : vector<16x8xf32>
  %a = vector.transfer_read %x[%c0, %c0], %pad : memref<16x16xf16>, vector<16x16xf16>
  %b = vector.transfer_read %y[%c0, %c0], %pad : memref<16x8xf16>, vector<16x8xf16>
  %c = vector.contract {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}
    %a, %b, %zero : vector<16x16xf16>, vector<16x8xf16> into vector<16x8xf32>
  vector.transfer_write %c, %z[%c0, %c0] : vector<16x8xf32>, memref<16x8xf32>
  gpu.return
}
"""


@pytest.mark.parametrize(("target", "shape"), [("sm_70", ""), ("sm_75", "m16n8k8"), ("sm_80", "m16n8k16")])
def test_a_chip_is_given_only_instructions_that_it_has(agree: Agree, target: str, shape: str) -> None:
    x = np.arange(256).reshape(16, 16).astype(np.float16) % 7 - 3
    y = np.arange(128).reshape(16, 8).astype(np.float16) % 5 - 2
    *_, z = agree(CONTRACT, x, y, np.zeros((16, 8), np.float32), target=target)
    np.testing.assert_array_equal(z, x.astype(np.float32) @ y.astype(np.float32) + 1)
    found = {word for word in compilation(CONTRACT, target).artifacts.assembly.split(".") if word.startswith("m16n8")}
    assert found == ({shape} if shape else set())


def test_a_layout_that_does_not_fit_names_dimension_and_numbers() -> None:
    text = reduce_text(64, "add", one_dim(t=32, b=1))
    with pytest.raises(ProgramError, match=r"dim.* 0.*(32|64)"):
        compilation(text)


def test_a_layout_beyond_the_workgroup_is_rejected() -> None:
    text = reduce_text(64, "add", one_dim(t=64), threads=32)
    with pytest.raises(ProgramError, match=r"to_layout.*64.*32 threads"):
        _ = compilation(text).thread_module


def test_an_edited_layout_that_disagrees_is_rejected_with_both_sides() -> None:
    lowered = compilation(reduce_text(64, "add", one_dim(t=32, b=2), threads=32)).layout_module
    text = print_program(lowered)
    edited = text.replace("batch_tile = [2]", "batch_tile = [1]", 1)
    with pytest.raises(ProgramError, match="dimension 0"):
        _ = Compilation(parse_program(edited), None, find_chip("sm_90")).thread_module
    layout = text.splitlines()[0].partition(" = ")[2]
    mutant = "#mutant = " + layout.replace("batch_tile = [2], outer_tile = [1]", "batch_tile = [1], outer_tile = [2]")
    elementwise = kernel(
        "%x: memref<64xi32>, %y: memref<64xi32>",
        f"""  %0 = vector.transfer_read %x[%c0], %pad : memref<64xi32>, vector<64xi32>
  %1 = iree_vector_ext.to_layout %0 to layout({one_dim(t=32, b=2)}) : vector<64xi32>
  %2 = arith.addi %1, %1 : vector<64xi32>
  vector.transfer_write %2, %y[%c0] : vector<64xi32>, memref<64xi32>""",
        threads=32,
    )
    stage = print_program(compilation(elementwise).layout_module)
    sum_text = "arith.addi %0, %0 {{lanewise.layout = #{}}}"
    edited = mutant + "\n" + stage.replace(sum_text.format("layout"), sum_text.format("mutant"))
    assert "#mutant}" in edited
    found = r"needs operand 0 in layout .*outer_tile = \[2\].* it has .*batch_tile = \[2\]"
    with pytest.raises(ProgramError, match=found):
        _ = Compilation(parse_program(edited), None, find_chip("sm_90")).thread_module
