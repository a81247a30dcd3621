"""Integer and bit instructions against arithmetic on Python's unbounded integers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lanewise.emulate.faults import EmulationFault

EDGE = {
    bits: [
        0,
        1,
        2,
        3,
        7,
        31,
        32,
        33,
        (1 << bits) - 1,
        (1 << bits) - 2,
        1 << (bits - 1),
        (1 << (bits - 1)) - 1,
        0x5A5A5A5A5A5A5A5A % (1 << bits),
        100,
    ]
    for bits in (16, 32, 64)
}


def signed(value, bits):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def number(value, kind, bits):
    return signed(value, bits) if kind == "s" else value & ((1 << bits) - 1)


def quotient(a, b):
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


BINARY = {
    "add": lambda a, b, n: a + b,
    "sub": lambda a, b, n: a - b,
    "mul.lo": lambda a, b, n: a * b,
    "mul.hi": lambda a, b, n: a * b >> n,
    "div": lambda a, b, n: quotient(a, b),
    "rem": lambda a, b, n: a - b * quotient(a, b),
    "min": lambda a, b, n: min(a, b),
    "max": lambda a, b, n: max(a, b),
}


@pytest.mark.parametrize("bits", [16, 32, 64])
@pytest.mark.parametrize("kind", ["s", "u"])
@pytest.mark.parametrize("op", sorted(BINARY))
def test_binary(bench, op, kind, bits):
    pairs = [(a, b) for a in EDGE[bits] for b in EDGE[bits]]
    if op in ("div", "rem"):
        pairs = [(a, b) for a, b in pairs if b and not (kind == "s" and b == (1 << bits) - 1 and a == 1 << (bits - 1))]
    a, b = (np.array(x, f"u{bits // 8}") for x in zip(*pairs, strict=True))
    found = bench.evaluate(f"{op}.{kind}{bits} %d, %a0, %a1;", [a, b], a.dtype)
    mask = (1 << bits) - 1
    expected = [BINARY[op](number(x, kind, bits), number(y, kind, bits), bits) & mask for x, y in pairs]
    assert found.tolist() == expected


@pytest.mark.parametrize("kind", ["s", "u"])
@pytest.mark.parametrize("bits", [16, 32])
def test_wide_product_and_sum(bench, kind, bits):
    pairs = [(a, b) for a in EDGE[bits] for b in EDGE[bits]]
    a, b = (np.array(x, f"u{bits // 8}") for x in zip(*pairs, strict=True))
    c = np.arange(len(pairs), dtype=f"u{bits // 4}")
    out = f"u{bits // 4}"
    product = [number(x, kind, bits) * number(y, kind, bits) % (1 << 2 * bits) for x, y in pairs]
    assert bench.evaluate(f"mul.wide.{kind}{bits} %d, %a0, %a1;", [a, b], out).tolist() == product
    total = bench.evaluate(f"mad.wide.{kind}{bits} %d, %a0, %a1, %a2;", [a, b, c], out).tolist()
    assert total == [(p + n) % (1 << 2 * bits) for n, p in enumerate(product)]


def test_sixty_four_bit_sum_from_carries(bench):
    values = np.array([0, 1, 0xFFFFFFFF, 1 << 32, (1 << 64) - 1, 0x00000001FFFFFFFF, 0xFFFFFFFF00000000], np.uint64)
    a, b = (x.reshape(-1) for x in np.meshgrid(values, values))
    split = "mov.b64 {%r10, %r11}, %a0;\nmov.b64 {%r12, %r13}, %a1;\n"
    add = f"{split}add.cc.u32 %r14, %r10, %r12;\naddc.u32 %r15, %r11, %r13;\nmov.b64 %d, {{%r14, %r15}};"
    sub = f"{split}sub.cc.u32 %r14, %r10, %r12;\nsubc.u32 %r15, %r11, %r13;\nmov.b64 %d, {{%r14, %r15}};"
    assert bench.evaluate(add, [a, b], np.uint64).tolist() == [
        (int(x) + int(y)) % (1 << 64) for x, y in zip(a, b, strict=True)
    ]
    assert bench.evaluate(sub, [a, b], np.uint64).tolist() == [
        (int(x) - int(y)) % (1 << 64) for x, y in zip(a, b, strict=True)
    ]


@pytest.mark.parametrize("bits", [16, 32, 64])
@pytest.mark.parametrize("op", ["shl.b", "shr.u", "shr.s"])
def test_shifts_clamp(bench, op, bits):
    pairs = [(a, n) for a in EDGE[bits] for n in (0, 1, bits - 1, bits, bits + 1, 200, 0xFFFFFFFF)]
    a = np.array([p[0] for p in pairs], f"u{bits // 8}")
    n = np.array([p[1] for p in pairs], np.uint32)
    mask = (1 << bits) - 1
    function = {
        "shl.b": lambda x, s: x << min(s, bits),
        "shr.u": lambda x, s: x >> min(s, bits),
        "shr.s": lambda x, s: signed(x, bits) >> min(s, bits),
    }[op]
    assert bench.evaluate(f"{op}{bits} %d, %a0, %a1;", [a, n], a.dtype).tolist() == [
        function(x, s) & mask for x, s in pairs
    ]
    constant = bench.evaluate(f"{op}{bits} %d, %a0, {bits + 3};", [a, n], a.dtype)
    assert constant.tolist() == [function(x, bits + 3) & mask for x, _ in pairs]


def field(a, position, length, kind, bits):
    """The PTX ISA's definition of bfe, bit by bit."""
    position, length, top = position & 255, length & 255, bits - 1
    sign = 0 if kind == "u" or length == 0 else (a >> min(position + length - 1, top)) & 1
    out = 0
    for i in range(bits):
        bit = (a >> (position + i)) & 1 if i < length and position + i <= top else sign
        out |= bit << i
    return out


def inserted(a, b, position, length, bits):
    position, length = position & 255, length & 255
    for i in range(length):
        if position + i < bits:
            b = b & ~(1 << (position + i)) | ((a >> i & 1 if i < bits else 0) << (position + i))
    return b


@pytest.mark.parametrize("bits", [32, 64])
def test_bit_fields(bench, bits):
    rng = np.random.default_rng(1)
    count = 300
    a, b = (rng.integers(0, 1 << 63, count, np.uint64).astype(f"u{bits // 8}") for _ in range(2))
    position = rng.choice([0, 1, 5, 17, 31, 32, 33, 63, 64, 255, 256], count).astype(np.uint32)
    length = rng.choice([0, 1, 4, 16, 31, 32, 33, 64, 255], count).astype(np.uint32)
    rows = [tuple(map(int, r)) for r in zip(a, b, position, length, strict=True)]
    for kind in "us":
        found = bench.evaluate(f"bfe.{kind}{bits} %d, %a0, %a1, %a2;", [a, position, length], a.dtype)
        assert found.tolist() == [field(x, p, n, kind, bits) for x, _, p, n in rows]
    found = bench.evaluate(f"bfi.b{bits} %d, %a0, %a1, %a2, %a3;", [a, b, position, length], a.dtype)
    assert found.tolist() == [inserted(x, y, p, n, bits) for x, y, p, n in rows]


@pytest.mark.parametrize("bits", [32, 64])
def test_counting(bench, bits):
    a = np.array(EDGE[bits], f"u{bits // 8}")
    texts = [f"{int(x):0{bits}b}" for x in a]
    assert bench.evaluate(f"popc.b{bits} %d, %a0;", [a], np.uint32).tolist() == [t.count("1") for t in texts]
    assert bench.evaluate(f"clz.b{bits} %d, %a0;", [a], np.uint32).tolist() == [
        len(t) - len(t.lstrip("0")) for t in texts
    ]
    assert bench.evaluate(f"brev.b{bits} %d, %a0;", [a], a.dtype).tolist() == [int(t[::-1], 2) for t in texts]
    found = bench.evaluate(f"bfind.u{bits} %d, %a0;", [a], np.int32).tolist()
    assert found == [int(x).bit_length() - 1 for x in a]
    found = bench.evaluate(f"bfind.s{bits} %d, %a0;", [a], np.int32).tolist()
    assert found == [max(signed(int(x), bits), ~signed(int(x), bits)).bit_length() - 1 for x in a]


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(table=st.integers(0, 255), seed=st.integers(0, 1000))
def test_any_logic_of_three(bench, table, seed):
    a, b, c = np.random.default_rng(seed).integers(0, 1 << 32, (3, 8), np.uint64).astype(np.uint32)
    found = bench.evaluate(f"lop3.b32 %d, %a0, %a1, %a2, {table};", [a, b, c], np.uint32)
    for x, y, z, d in zip(a.tolist(), b.tolist(), c.tolist(), found.tolist(), strict=True):
        for bit in range(32):
            row = (x >> bit & 1) << 2 | (y >> bit & 1) << 1 | (z >> bit & 1)
            assert d >> bit & 1 == table >> row & 1


def test_byte_permutes(bench):
    a, b = np.uint32(0x83020100), np.uint32(0x07860504)
    pool = [0x00, 0x01, 0x02, 0x83, 0x04, 0x05, 0x86, 0x07]
    selectors = np.array([0x3210, 0x7654, 0x0123, 0xFB83, 0x5140, 0xBE6E], np.uint32)
    found = bench.evaluate("prmt.b32 %d, %a0, %a1, %a2;", [np.full(6, a), np.full(6, b), selectors], np.uint32)
    for selector, value in zip(selectors.tolist(), found.tolist(), strict=True):
        for lane in range(4):
            nibble = selector >> 4 * lane & 15
            byte = pool[nibble & 7]
            assert value >> 8 * lane & 255 == ((0xFF if byte & 0x80 else 0) if nibble & 8 else byte)
    rotated = bench.evaluate(
        "prmt.b32.f4e %d, %a0, %a1, %a2;", [np.full(4, a), np.full(4, b), np.arange(4, dtype=np.uint32)], np.uint32
    )
    assert rotated.tolist() == [int.from_bytes(bytes(pool[n : n + 4]), "little") for n in range(4)]


@pytest.mark.parametrize("mode", ["wrap", "clamp"])
def test_funnel_shifts(bench, mode):
    low, high = 0x89ABCDEF, 0x01234567
    amounts = np.array([0, 1, 8, 31, 32, 33, 40], np.uint32)
    pool = high << 32 | low
    effective = [n & 31 if mode == "wrap" else min(n, 32) for n in amounts.tolist()]
    arguments = [np.full(7, low, np.uint32), np.full(7, high, np.uint32), amounts]
    left = bench.evaluate(f"shf.l.{mode}.b32 %d, %a0, %a1, %a2;", arguments, np.uint32)
    right = bench.evaluate(f"shf.r.{mode}.b32 %d, %a0, %a1, %a2;", arguments, np.uint32)
    assert left.tolist() == [(pool << n >> 32) & 0xFFFFFFFF for n in effective]
    assert right.tolist() == [(pool >> n) & 0xFFFFFFFF for n in effective]


def test_find_nth_and_extensions(bench):
    mask, base = np.full(6, 0b10110100, np.uint32), np.array([0, 0, 3, 7, 5, 2], np.uint32)
    offset = np.array([1, 3, 1, -2, 0, 0], np.int32).view(np.uint32)
    assert bench.evaluate("fns.b32 %d, %a0, %a1, %a2;", [mask, base, offset], np.uint32).tolist() == [2, 5, 4, 5, 5, 2]
    sizes = np.array([8, 4, 32, 40], np.uint32)
    value = np.full(4, 0x1F8, np.uint32)
    assert bench.evaluate("szext.clamp.s32 %d, %a0, %a1;", [value, sizes], np.int32).tolist() == [-8, -8, 0x1F8, 0x1F8]
    assert bench.evaluate("szext.wrap.u32 %d, %a0, %a1;", [value, sizes], np.uint32).tolist() == [0xF8, 8, 0, 0xF8]


def test_dot_products(bench):
    a, b, c = np.uint32([0x80FF017F]), np.uint32([0xFF02FE80]), np.uint32([5])
    parts = lambda x, kind: [number(int(x[0]) >> 8 * i & 255, kind, 8) for i in range(4)]  # noqa: E731
    for ka, kb in ("ss", "su", "us", "uu"):
        expected = 5 + sum(x * y for x, y in zip(parts(a, ka), parts(b, kb), strict=True))
        found = bench.evaluate(f"dp4a.{ka}32.{kb}32 %d, %a0, %a1, %a2;", [a, b, c], np.int32)
        assert found.tolist() == [expected]


def test_narrow_registers_extend_and_truncate(bench):
    a = np.array([0x80, 0x7F, 0xFF, 1], np.uint8)
    assert bench.evaluate("cvt.s32.s8 %d, %a0;", [a], np.int32).tolist() == [-128, 127, -1, 1]
    assert bench.evaluate("cvt.u32.u8 %d, %a0;", [a], np.uint32).tolist() == [128, 127, 255, 1]
    wide = np.array([300, -300, 5, -1], np.int32)
    assert bench.evaluate("cvt.sat.s8.s32 %r20, %a0;\nmov.b32 %d, %r20;", [wide], np.int32).tolist() == [
        127,
        -128,
        5,
        -1,
    ]
    assert bench.evaluate("cvt.sat.u8.s32 %r20, %a0;\nmov.b32 %d, %r20;", [wide], np.int32).tolist() == [255, 0, 5, 0]
    assert bench.evaluate("cvt.u16.u32 %h1, %a0;\ncvt.u32.u16 %d, %h1;", [wide], np.uint32).tolist() == [
        300,
        65236,
        5,
        65535,
    ]


def test_saturating_sum_and_small_forms(bench):
    a, b = np.int32([2**31 - 1, -(2**31), 5]), np.int32([1, -1, 7])
    assert bench.evaluate("add.sat.s32 %d, %a0, %a1;", [a, b], np.int32).tolist() == [2**31 - 1, -(2**31), 12]
    assert bench.evaluate("sad.s32 %d, %a0, %a1, 3;", [np.int32([-5, 9]), np.int32([4, 2])], np.int32).tolist() == [
        12,
        10,
    ]
    assert bench.evaluate("mul24.lo.s32 %d, %a0, %a1;", [np.int32([0x1FFFFFF]), np.int32([3])], np.int32).tolist() == [
        -3
    ]
    assert bench.evaluate("abs.s32 %d, %a0;", [np.int32([-7, 7])], np.int32).tolist() == [7, 7]
    assert bench.evaluate("cnot.b32 %d, %a0;", [np.uint32([0, 9])], np.uint32).tolist() == [1, 0]


COMPARE = {
    "eq.s": lambda a, b: a == b,
    "ne.u": lambda a, b: a != b,
    "lt.s": lambda a, b: a < b,
    "le.u": lambda a, b: a <= b,
    "gt.s": lambda a, b: a > b,
    "ge.u": lambda a, b: a >= b,
    "lo.u": lambda a, b: a < b,
    "hs.u": lambda a, b: a >= b,
}


@pytest.mark.parametrize("form", sorted(COMPARE))
def test_comparisons(bench, form):
    pairs = [(a, b) for a in EDGE[32] for b in EDGE[32]]
    a, b = (np.array(x, np.uint32) for x in zip(*pairs, strict=True))
    op, kind = form.split(".")
    found = bench.evaluate(f"setp.{op}.{kind}32 %p2, %a0, %a1;\nselp.b32 %d, 1, 0, %p2;", [a, b], np.uint32)
    assert found.tolist() == [int(COMPARE[form](number(x, kind, 32), number(y, kind, 32))) for x, y in pairs]


def test_combined_comparison_has_two_results(bench):
    a = np.arange(8, dtype=np.int32)
    lines = (
        "setp.gt.s32 %p2, %a0, 1;\nsetp.lt.and.s32 %p3|%p4, %a0, 5, %p2;\n"
        "selp.b32 %r10, 1, 0, %p3;\nselp.b32 %r11, 2, 0, %p4;\nset.eq.u32.s32 %r12, %a0, 7;\n"
        "and.b32 %r12, %r12, 4;\nor.b32 %r10, %r10, %r11;\nor.b32 %d, %r10, %r12;"
    )
    expected = [(n > 1 and n < 5) + 2 * (n > 1 and n >= 5) + 4 * (n == 7) for n in range(8)]
    assert bench.evaluate(lines, [a], np.int32).tolist() == expected


def test_halves_of_a_register_leave_it_whole(bench):
    # Narrow uses of a register (stores, conversions) must not become the register.
    lines = (
        "cvt.u16.u64 %h1, %a0;\ncvt.u32.u64 %r10, %a0;\nshr.u64 %l20, %a0, 32;\nadd.u64 %l21, %l20, %a0;\n"
        "setp.ne.u32 %p2, %r4, 77777;\n@%p2 bra NEXT;\nmov.u64 %l21, 0;\nNEXT:\nmov.b64 %d, %l21;"
    )
    a = np.array([0x1234567890ABCDEF, 1 << 40], np.uint64)
    assert bench.evaluate(lines, [a], np.uint64).tolist() == [int(x) + (int(x) >> 32) for x in a]


@pytest.mark.parametrize(
    "opcode",
    [
        *("and.sat.b32", "shf.l.lo.b32", "mul24.wide.u32", "div.full.s32", "popc.aligned.b32"),
        *("add.relu.s32", "mul.approx.lo.u32", "shl.wrap.b32", "mov.volatile.b32", "fma.rn.oob.f32", "min.sat.s32"),
        *("setp.wide.s32", "set.and.u32.s32", "testp.f32.f32", "ex2.full.f32", "lop3.or.b32"),
    ],
)
def test_a_modifier_that_an_instruction_has_not_is_a_fault(bench, opcode):
    one = np.ones(1, np.uint32)
    counts = {"lop3": 4, "shf": 3, "fma": 3, "popc": 1, "mov": 1, "testp": 1, "ex2": 1}
    sources = ", ".join(["%a0"] * counts.get(opcode.split(".")[0], 2))
    destination = "%p2" if opcode.startswith(("setp", "testp")) else "%d"
    with pytest.raises(EmulationFault, match=r"modifier \.\w+( where a comparison is expected)?; line"):
        bench.evaluate(f"{opcode} {destination}, {sources};", [one], one.dtype)


def test_pairs_are_cut_off_at_zero(bench):
    a, b = (np.array([x], np.uint32) for x in (0x7FFF_FFFE, 0x0003_FFFF))
    assert bench.evaluate("max.relu.s16x2 %d, %a0, %a1;", [a, b], a.dtype).tolist() == [0x7FFF_0000]
    assert bench.evaluate("min.relu.s16x2 %d, %a0, %a1;", [a, b], a.dtype).tolist() == [0x0003_0000]
    assert bench.evaluate("max.s16x2 %d, %a0, %a1;", [a, b], a.dtype).tolist() == [0x7FFF_FFFF]
