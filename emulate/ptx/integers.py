"""Integer and bit operations of PTX that numpy has no single name for, on arrays of unsigned bits."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..batch_values import Value, choose

U1, U2, U4, U8, I4, I8 = (np.dtype(c) for c in ("u1", "u2", "u4", "u8", "i4", "i8"))


def divide(a: Value, b: Value) -> Value:
    """Quotient truncated towards zero; all ones for a zero divisor, and INT_MIN / -1 wraps."""
    a, b = np.asarray(a), np.asarray(b)
    zero = b == 0
    safe = choose(zero, b.dtype.type(1), b)
    if a.dtype.kind == "u":
        out = a // safe
    else:
        floor = a // safe
        out = floor + ((floor * safe != a) & ((a < 0) != (safe < 0))).astype(a.dtype)
    return choose(zero, np.bitwise_not(np.zeros_like(a)), out)


def remainder(a: Value, b: Value) -> Value:
    """a - divide(a, b) * b; the dividend itself for a zero divisor."""
    a, b = np.asarray(a), np.asarray(b)
    return choose(b == 0, a, a - divide(a, choose(b == 0, b.dtype.type(1), b)) * b)


def multiply_high(a: Value, b: Value) -> Value:
    """Upper half of the double-width product (dtype gives width and sign)."""
    a, b = np.asarray(a), np.asarray(b)
    bits = a.dtype.itemsize * 8
    if bits < 64:
        wide = np.dtype(f"{a.dtype.kind}{a.dtype.itemsize * 2}")
        return ((a.astype(wide) * b.astype(wide)) >> wide.type(bits)).astype(a.dtype)
    high = _multiply_high_u64(a.view(U8), b.view(U8))
    if a.dtype.kind == "i":
        high = high - choose(a < 0, b.view(U8), np.uint64(0)) - choose(b < 0, a.view(U8), np.uint64(0))
    return high.view(a.dtype)


def _multiply_high_u64(a: Value, b: Value) -> Value:
    mask, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    a0, a1, b0, b1 = a & mask, a >> half, b & mask, b >> half
    middle = a1 * b0 + (a0 * b0 >> half)
    cross = a0 * b1 + (middle & mask)
    return a1 * b1 + (middle >> half) + (cross >> half)


def multiply_wide(a: Value, b: Value) -> Value:
    """Full product in twice the width."""
    wide = np.dtype(f"{np.asarray(a).dtype.kind}{np.asarray(a).dtype.itemsize * 2}")
    return np.asarray(a).astype(wide) * np.asarray(b).astype(wide)


def multiply24(a: Value, b: Value, *, high: bool) -> Value:
    """Product of the low 24 bits (32-bit dtypes): its low 32 bits, or bits 47..16."""
    shift = np.asarray(a).dtype.type(8)
    wide = np.dtype(f"{np.asarray(a).dtype.kind}8")
    product = ((a << shift) >> shift).astype(wide) * ((b << shift) >> shift).astype(wide)
    return (product >> wide.type(16) if high else product).astype(np.asarray(a).dtype)


def saturating(op: str, a: Value, b: Value) -> Value:
    """add.sat / sub.sat of int32."""
    wide = a.astype(I8) + b.astype(I8) if op == "add" else a.astype(I8) - b.astype(I8)
    return np.clip(wide, -(2**31), 2**31 - 1).astype(I4)


def add_carry(a: Value, b: Value, carry: Value) -> tuple[Value, Value]:
    """(sum, carry out) of unsigned values and a predicate."""
    a, b = np.asarray(a), np.asarray(b)
    partial = a + b
    total = partial + np.asarray(carry).astype(a.dtype)
    return total, (partial < a) | (total < partial)


def sub_borrow(a: Value, b: Value, borrow: Value) -> tuple[Value, Value]:
    """(difference, borrow out) of unsigned values and a predicate."""
    a, b = np.asarray(a), np.asarray(b)
    partial = a - b
    total = partial - np.asarray(borrow).astype(a.dtype)
    return total, (a < b) | (partial < np.asarray(borrow).astype(a.dtype))


def population_count(a: Value) -> Value:
    return np.bitwise_count(np.asarray(a)).astype(U4)


def leading_zeros(a: Value) -> Value:
    a = np.asarray(a)
    for shift in (1, 2, 4, 8, 16, 32)[: 5 if a.dtype.itemsize == 4 else 6]:
        a = a | (a >> a.dtype.type(shift))
    return (np.uint32(a.dtype.itemsize * 8) - np.bitwise_count(a)).astype(U4)


def find_leading(a: Value, *, shift_amount: bool) -> Value:
    """bfind: position of the highest bit that differs from the sign (all ones when there is none)."""
    a = np.asarray(a)
    unsigned = np.dtype(f"u{a.dtype.itemsize}")
    magnitude = choose(a < 0, ~a, a).view(unsigned) if a.dtype.kind == "i" else a
    position = np.uint32(a.dtype.itemsize * 8 - 1) - leading_zeros(magnitude)
    if shift_amount:
        position = np.uint32(a.dtype.itemsize * 8 - 1) - position
    return choose(magnitude == 0, np.uint32(0xFFFFFFFF), position).astype(U4)


_REVERSED_BYTES = np.array([int(f"{i:08b}"[::-1], 2) for i in range(256)], U1)


def reverse_bits(a: Value) -> Value:
    a = np.asarray(a)
    flat = np.ascontiguousarray(a).reshape(-1)
    table = _REVERSED_BYTES.take(flat.view(U1)).reshape(a.size, -1)[:, ::-1]
    return np.ascontiguousarray(table).view(a.dtype).reshape(a.shape)


def extract_field(a: Value, position: Value, length: Value) -> Value:
    """bfe: dtype gives width and sign; position and length are taken modulo 256."""
    a = np.asarray(a)
    bits = a.dtype.itemsize * 8
    pos = (np.asarray(position) & np.uint32(0xFF)).astype(I8)
    size = (np.asarray(length) & np.uint32(0xFF)).astype(I8)
    unsigned = np.dtype(f"u{a.dtype.itemsize}")
    field = a.view(unsigned) >> np.minimum(pos, 64).astype(unsigned)
    mask = _low_mask(size, unsigned)
    out = field & mask
    if a.dtype.kind == "i":
        sign_at = np.minimum(pos + size - 1, bits - 1)
        sign = (a.view(unsigned) >> np.maximum(sign_at, 0).astype(unsigned)) & unsigned.type(1)
        visible = _low_mask(np.clip(bits - pos, 0, None), unsigned) & mask
        out = choose((sign != 0) & (size > 0), out | ~visible, out)
    return choose(size == 0, unsigned.type(0), out)


def _low_mask(size: Value, dtype: np.dtype[Any]) -> Value:
    """Ones in the `size` low bits (all when size is the width or more)."""
    bits = dtype.itemsize * 8
    one = dtype.type(1)
    return choose(size >= bits, ~dtype.type(0), (one << np.minimum(size, bits - 1).astype(dtype)) - one)


def insert_field(a: Value, b: Value, position: Value, length: Value) -> Value:
    """bfi: the low `length` bits of a placed into b at `position`."""
    a, b = np.asarray(a), np.asarray(b)
    pos = (np.asarray(position) & np.uint32(0xFF)).astype(I8)
    size = (np.asarray(length) & np.uint32(0xFF)).astype(I8)
    shift = np.minimum(pos, 64).astype(a.dtype)
    mask = _low_mask(size, a.dtype) << shift
    return (b & ~mask) | ((a << shift) & mask)


def sign_zero_extend(a: Value, size: Value, *, wrap: bool) -> Value:
    """szext: keep the low `size` bits, extend by dtype's sign."""
    a = np.asarray(a)
    size = np.asarray(size, U4)
    size = size & np.uint32(31) if wrap else np.minimum(size, np.uint32(32))
    return extract_field(a, np.uint32(0), size)


def find_nth_set(mask: Value, base: Value, offset: Value) -> Value:
    """fns: position of the n-th set bit at or above (offset > 0), or at or below (offset < 0), `base`."""
    mask, base, offset = np.broadcast_arrays(np.asarray(mask, U4), np.asarray(base, U4), np.asarray(offset).view(I4))
    flat = [_find_nth(int(m), int(b), int(o)) for m, b, o in zip(mask.flat, base.flat, offset.flat, strict=True)]
    return np.array(flat, U4).reshape(mask.shape)


def _find_nth(mask: int, base: int, offset: int) -> int:
    if offset == 0:
        return base if mask >> base & 1 else 0xFFFFFFFF
    order = range(base, 32) if offset > 0 else range(base, -1, -1)
    found = [bit for bit in order if mask >> bit & 1]
    return found[abs(offset) - 1] if len(found) >= abs(offset) else 0xFFFFFFFF


def permute_bytes(a: Value, b: Value, selector: Value, mode: str) -> Value:
    """prmt: pick four bytes of the eight in (b, a); bit 3 of a selector nibble copies the byte's sign."""
    a, b, selector = (np.asarray(x, U4) for x in (a, b, selector))
    pool = a.astype(U8) | (b.astype(U8) << np.uint64(32))
    out = np.zeros(np.broadcast_shapes(a.shape, b.shape, selector.shape), U4)
    for lane in range(4):
        nibble = _selected(selector, lane, mode).astype(U8)
        byte = (pool >> ((nibble & np.uint64(7)) * np.uint64(8))) & np.uint64(0xFF)
        sign = choose(byte & np.uint64(0x80) != 0, np.uint64(0xFF), np.uint64(0))
        byte = choose(nibble & np.uint64(8) != 0, sign, byte)
        out = out | (byte.astype(U4) << np.uint32(8 * lane))
    return out


def _selected(selector: Value, lane: int, mode: str) -> Value:
    low = selector & np.uint32(3)
    match mode:
        case "":
            return (selector >> np.uint32(4 * lane)) & np.uint32(0xF)
        case "f4e":
            return low + np.uint32(lane)
        case "b4e":
            return (low - np.uint32(lane)) & np.uint32(7)
        case "rc8":
            return low
        case "ecl":
            return np.maximum(low, np.uint32(lane))
        case "ecr":
            return np.minimum(low, np.uint32(lane))
        case _:
            return (low & np.uint32(2)) + np.uint32(lane & 1)


def logic3(a: Value, b: Value, c: Value, table: int) -> Value:
    """lop3: any function of three bits; bit (a<<2 | b<<1 | c) of `table` is its value."""
    a, b, c = (np.asarray(x, U4) for x in (a, b, c))
    out = np.zeros(np.broadcast_shapes(a.shape, b.shape, c.shape), U4)
    for row in range(8):
        if table >> row & 1:
            out = out | ((a if row & 4 else ~a) & (b if row & 2 else ~b) & (c if row & 1 else ~c))
    return out


def funnel_shift(low: Value, high: Value, amount: Value, *, left: bool, wrap: bool) -> Value:
    """shf: 32 bits of (high:low) shifted; amount is wrapped at, or clamped to, 32."""
    amount = np.asarray(amount, U4)
    amount = amount & np.uint32(31) if wrap else np.minimum(amount, np.uint32(32))
    pool = np.asarray(low, U4).astype(U8) | (np.asarray(high, U4).astype(U8) << np.uint64(32))
    shift = amount.astype(U8)
    return ((pool << shift) >> np.uint64(32) if left else pool >> shift).astype(U4)


def absolute_difference(a: Value, b: Value, c: Value) -> Value:
    """sad: |a - b| + c."""
    a, b = np.asarray(a), np.asarray(b)
    return choose(a < b, b - a, a - b) + c


def dot_product(a: Value, b: Value, c: Value, kinds: tuple[str, str], *, half: int | None) -> Value:
    """dp4a (half None), or dp2a on the low (0) or high (1) bytes of b; kinds are u or s for a and b."""
    total = np.asarray(c, U4).astype(I8)
    count, width = (4, 8) if half is None else (2, 16)
    for lane in range(count):
        x = _lane(a, lane * width, width, kinds[0])
        y = _lane(b, lane * 8 + (16 if half else 0), 8, kinds[1])
        total = total + x * y
    return total.astype(U4)


def _lane(a: Value, shift: int, width: int, kind: str) -> Value:
    code = np.dtype(f"{'i' if kind == 's' else 'u'}{width // 8}")
    return (np.asarray(a, U4) >> np.uint32(shift)).astype(code).astype(I8)
