"""Matrix instructions: operands placed by the vendor's formulas, products against exact integer arithmetic."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from lanewise.emulate.faults import EmulationFault
from lanewise.emulate.ptx.tensor_cores import dimensions

from ..targets.nvidia_formulas import MMA

G, T = np.arange(32) >> 2, np.arange(32) & 3
ELEMENTS = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "tf32": np.float32,
    "s8": np.int8,
    "u8": np.uint8,
    "f64": np.float64,
}
ELEMENTS |= {"e4m3": ml_dtypes.float8_e4m3fn, "e5m2": ml_dtypes.float8_e5m2}
BITS = {"f16": 16, "bf16": 16, "tf32": 32, "s8": 8, "u8": 8, "f64": 64, "e4m3": 8, "e5m2": 8}

FORMS = [
    ("m16n8k8", "f16", "f32"),
    ("m16n8k16", "f16", "f32"),
    ("m16n8k16", "f16", "f16"),
    ("m16n8k16", "bf16", "f32"),
    ("m16n8k8", "bf16", "f32"),
    ("m16n8k4", "tf32", "f32"),
    ("m16n8k8", "tf32", "f32"),
    ("m8n8k16", "s8", "s32"),
    ("m16n8k16", "u8", "s32"),
    ("m16n8k32", "s8", "s32"),
    ("m16n8k32", "e4m3", "f32"),
    ("m16n8k32", "e5m2", "f16"),
    ("m8n8k4", "f64", "f64"),
    ("m16n8k4", "f64", "f64"),
    ("m16n8k8", "f64", "f64"),
    ("m16n8k16", "f64", "f64"),
]


def lane_table(shape, bits, role):
    """[lane, element, (row, column)]."""
    m, n, k = dimensions(shape)
    count = {"A": m * k, "B": k * n, "C": m * n}[role] // 32
    places = MMA[shape, bits]["ABC".index(role)](np.arange(32)[:, None], np.arange(count)[None, :])
    return np.stack(np.broadcast_arrays(*places), axis=-1)


@pytest.mark.parametrize(
    ("shape", "bits", "role", "lane", "place"),
    [
        # Read off the figures of the PTX ISA: lane -> [(row, column) of each element].
        ("m16n8k16", 16, "A", 5, [(1, 2), (1, 3), (9, 2), (9, 3), (1, 10), (1, 11), (9, 10), (9, 11)]),
        ("m16n8k16", 16, "B", 5, [(2, 1), (3, 1), (10, 1), (11, 1)]),
        ("m16n8k16", 16, "C", 31, [(7, 6), (7, 7), (15, 6), (15, 7)]),
        ("m16n8k8", 32, "A", 6, [(1, 2), (9, 2), (1, 6), (9, 6)]),
        ("m16n8k8", 32, "B", 6, [(2, 1), (6, 1)]),
        ("m16n8k32", 8, "B", 9, [(4, 2), (5, 2), (6, 2), (7, 2), (20, 2), (21, 2), (22, 2), (23, 2)]),
        ("m8n8k4", 64, "C", 7, [(1, 6), (1, 7)]),
    ],
)
def test_facts_about_fragments(shape, bits, role, lane, place):
    assert list(map(tuple, lane_table(shape, bits, role)[lane].tolist())) == place


def fragment_words(matrix, shape, bits, role, word):
    """Registers [lane, register] of a matrix."""
    table = lane_table(shape, bits, role)
    held = np.ascontiguousarray(matrix[table[..., 0], table[..., 1]])
    return held.view(word)


@pytest.mark.parametrize(("shape", "element", "accumulator"), FORMS)
@pytest.mark.parametrize("warps", [1, 3])
def test_products(bench, shape, element, accumulator, warps):
    rng = np.random.default_rng(3)
    m, n, k = dimensions(shape)
    bits, low = BITS[element], 0 if element == "u8" else -3
    wide = element == "f64"
    out_type = {"f32": np.float32, "f16": np.float16, "s32": np.int32, "f64": np.float64}[accumulator]
    a = rng.integers(low, 4, (warps, m, k)).astype(np.float32).astype(ELEMENTS[element])
    b = rng.integers(low, 4, (warps, k, n)).astype(np.float32).astype(ELEMENTS[element])
    c = rng.integers(-9, 10, (warps, m, n)).astype(out_type)
    word = np.uint64 if wide else np.uint32
    pieces = [
        np.concatenate([fragment_words(x[w], shape, bits, r, word) for w in range(warps)])
        for x, r in ((a, "A"), (b, "B"), (c, "C"))
    ]
    counts = [p.shape[1] for p in pieces]
    size = np.dtype(word).itemsize
    loads, names, first = "", [], 1
    for number, count in enumerate(counts):
        registers = [f"%{'l' if wide else 'r'}{first + j}" for j in range(count)]
        first += count
        names.append("{" + ", ".join(registers) + "}")
        loads += f"mad.wide.u32 %l50, %r0, {size * count}, %q{number};\n"
        loads += "".join(f"ld.global.b{8 * size} {r}, [%l50+{size * j}];\n" for j, r in enumerate(registers))
    types = f"{accumulator}.{element}.{element}.{accumulator}"
    kind = ""
    lines = (
        "mov.u32 %r0, %tid.x;\n"
        f"{loads}mma.sync.aligned{kind}.{shape}.row.col.{types} {names[2]}, {names[0]}, {names[1]}, {names[2]};\n"
    )
    lines += f"mad.wide.u32 %l50, %r0, {size * counts[2]}, %q3;\n"
    lines += "".join(
        f"st.global.b{8 * size} [%l50+{size * j}], {r.strip()};\n" for j, r in enumerate(names[2][1:-1].split(","))
    )
    result = bench.upload(np.zeros_like(pieces[2]))
    bench.launch(bench.body(lines, parameters=4), (1, 1, 1), (32 * warps, 1, 1), [*map(bench.upload, pieces), result])
    found = bench.download(result, word, pieces[2].shape).view(out_type).reshape(warps, 32, -1)
    expected = np.matmul(a.astype(np.float64), b.astype(np.float64)) + c.astype(np.float64)
    table = lane_table(shape, bits, "C")
    np.testing.assert_array_equal(found.astype(np.float64), expected[:, table[..., 0], table[..., 1]])
    assert bench.counters.matrix_instructions == warps


@pytest.mark.parametrize("transposed", ["", ".trans"])
@pytest.mark.parametrize("count", [1, 2, 4])
def test_matrix_loads_and_stores(bench, count, transposed):
    values = np.arange(64 * count, dtype=np.uint16)
    data = bench.upload(values)
    out = bench.upload(np.zeros((32, count), np.uint32))
    back = bench.upload(np.zeros(64 * count, np.uint16))
    registers = "{" + ", ".join(f"%r{10 + j}" for j in range(count)) + "}"
    fill = "".join(
        f"mad.wide.u32 %l1, %r0, 4, %q0;\nld.global.b32 %r2, [%l1+{128 * j}];\nst.shared.b32 [%r1+{128 * j}], %r2;\n"
        for j in range(count)
    )
    keep = "".join(
        f"mad.wide.u32 %l1, %r0, {4 * count}, %q1;\nst.global.b32 [%l1+{4 * j}], %r{10 + j};\n" for j in range(count)
    )
    copy = "".join(
        f"mad.wide.u32 %l1, %r0, 4, %q2;\nld.shared.b32 %r2, [%r1+{512 + 128 * j}];\n"
        f"st.global.b32 [%l1+{128 * j}], %r2;\n"
        for j in range(count)
    )
    lines = (
        "mov.u32 %r0, %tid.x;\nshl.b32 %r1, %r0, 2;\nmov.u32 %r3, buf;\nadd.u32 %r1, %r1, %r3;\n"
        f"{fill}bar.sync 0;\nand.b32 %r4, %r0, {8 * count - 1};\nmad.lo.u32 %r5, %r4, 16, %r3;\n"
        f"ldmatrix.sync.aligned.m8n8.x{count}{transposed}.shared.b16 {registers}, [%r5];\n{keep}"
        f"stmatrix.sync.aligned.m8n8.x{count}{transposed}.shared.b16 [%r5+512], {registers};\nbar.sync 0;\n{copy}"
    )
    text = bench.body(lines, parameters=3, before=".shared .align 16 .b8 buf[1024];")
    bench.launch(text, (1, 1, 1), (32, 1, 1), [data, out, back])
    found = bench.download(out, np.uint16, (32, count, 2))
    matrices = values.reshape(count, 8, 8)
    for j in range(count):
        matrix = matrices[j].T if transposed else matrices[j]
        np.testing.assert_array_equal(found[:, j], matrix[G[:, None], 2 * T[:, None] + [0, 1]])
    np.testing.assert_array_equal(bench.download(back, np.uint16, values.shape), values)


@pytest.mark.parametrize(("transposed", "readers"), [("", [8, 9, 10, 11]), (".trans", [1, 5, 9, 29])])
@pytest.mark.parametrize("barrier", ["", "bar.sync 0;\n"])
def test_matrix_loads_race_with_whoever_wrote_a_row(bench, transposed, readers, barrier):
    """Row 2 is written anew, by one of those that read it or by another thread: some other one reads it, too."""
    for writer in [*readers, 0]:
        lines = (
            f"mov.u32 %r0, %tid.x;\nmov.u32 %r3, buf;\nmad.lo.u32 %r5, %r0, 4, %r3;\nst.shared.b32 [%r5], %r0;\n"
            f"bar.sync 0;\nsetp.eq.u32 %p0, %r0, {writer};\n@%p0 st.shared.b32 [%r3+32], %r3;\n{barrier}"
            "and.b32 %r5, %r0, 7;\nmad.lo.u32 %r5, %r5, 16, %r3;\n"
            f"ldmatrix.sync.aligned.m8n8.x1{transposed}.shared.b16 {{%r10}}, [%r5];\n"
        )
        text = bench.body(lines, before=".shared .align 16 .b8 buf[128];")
        if barrier:
            bench.launch(text, (1, 1, 1), (32, 1, 1), [bench.upload(np.zeros(1))])
            continue
        with pytest.raises(EmulationFault) as caught:
            bench.launch(text, (1, 1, 1), (32, 1, 1), [bench.upload(np.zeros(1))])
        assert caught.value.kind == "race"


def test_integer_sums_wrap_or_saturate(bench):
    for suffix, expected in (("", -(2**31) + 15), (".satfinite", 2**31 - 1)):
        lines = (
            "mov.b32 %r1, 0x01010101;\nmov.b32 %r2, 0x7FFFFFFF;\n"
            f"mma.sync.aligned.m8n8k16.row.col{suffix}.s32.s8.s8.s32 {{%r63, %r3}}, {{%r1}}, {{%r1}}, {{%r2, %r2}};"
        )
        assert set(bench.words(lines).view(np.int32).tolist()) == {expected}
