"""Integer operations on every width, against Python's unbounded integers."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

WIDTHS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "index": 64}


def dtype(type: str) -> Any:
    return {"i1": np.bool_, "index": np.int64}.get(type) or np.dtype(f"int{WIDTHS[type]}")


def interesting(type: str) -> list[int]:
    """Signed values: all of i1, a few of each size elsewhere with the ends of the range."""
    bits = WIDTHS[type]
    if bits == 1:
        return [0, -1]
    top = 1 << (bits - 1)
    small = [0, 1, -1, 2, -2, 3, 5, -7, 8, 100, -100]
    return sorted({*small, top - 1, top - 2, -top, -top + 1, 0x5A & (top - 1), top // 3, -(top // 3)})


def pairs(type: str) -> list[tuple[int, int]]:
    return list(itertools.product(interesting(type), repeat=2))


def array(values: list[int], type: str) -> np.ndarray[Any, Any]:
    return np.array([v & 1 for v in values] if type == "i1" else values).astype(dtype(type))


def wrapped(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def unsigned(value: int, bits: int) -> int:
    return value & ((1 << bits) - 1)


def signed_operands(f: Callable[[int, int], int]) -> Callable[[int, int, int], int]:
    return lambda a, b, bits: f(a, b)


def unsigned_operands(f: Callable[[int, int], int]) -> Callable[[int, int, int], int]:
    return lambda a, b, bits: f(unsigned(a, bits), unsigned(b, bits))


def truncated(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


WRAPPING = {
    "addi": signed_operands(lambda a, b: a + b),
    "subi": signed_operands(lambda a, b: a - b),
    "muli": signed_operands(lambda a, b: a * b),
    "andi": signed_operands(lambda a, b: a & b),
    "ori": signed_operands(lambda a, b: a | b),
    "xori": signed_operands(lambda a, b: a ^ b),
    "maxsi": signed_operands(max),
    "minsi": signed_operands(min),
    "maxui": unsigned_operands(max),
    "minui": unsigned_operands(min),
}
DIVIDING = {
    "divsi": signed_operands(truncated),
    "remsi": signed_operands(lambda a, b: a - truncated(a, b) * b),
    "floordivsi": signed_operands(lambda a, b: a // b),
    "ceildivsi": signed_operands(lambda a, b: -(-a // b)),
    "divui": unsigned_operands(lambda a, b: a // b),
    "remui": unsigned_operands(lambda a, b: a % b),
    "ceildivui": unsigned_operands(lambda a, b: -(-a // b)),
}
SHIFTING = {
    "shli": lambda a, b, bits: a << b,
    "shrui": lambda a, b, bits: unsigned(a, bits) >> b,
    "shrsi": lambda a, b, bits: a >> b,
}


def defined(name: str, a: int, b: int, bits: int) -> bool:
    if name in SHIFTING:
        return 0 <= b < bits
    if name in DIVIDING:
        return b != 0 and not (name.endswith("si") and b == -1 and a == -(1 << (bits - 1)))
    return True


@pytest.mark.parametrize("type", WIDTHS)
def test_binary(type: str, elementwise: Any) -> None:
    """Each operation on the operands for which it is defined; the others see 1 and 1 (for shifts of i1: 1 and 0)."""
    bits, operations = WIDTHS[type], {**WRAPPING, **DIVIDING, **SHIFTING}
    safe = {name: 0 if name in SHIFTING else 1 for name in operations}
    for group in (WRAPPING, DIVIDING, SHIFTING):
        names = list(group)
        chosen = [
            [p if defined(n, *p, bits) else (1 if bits > 1 else -1, wrapped(safe[n], bits)) for p in pairs(type)]
            for n in names
        ]
        if bits == 1 and group is DIVIDING:
            names, chosen = [n for n in names if n.endswith("ui")], [[(-1, -1), (0, -1)]] * 3
        inputs = [(type, array([p[k] for p in c], type)) for c in chosen for k in (0, 1)]
        lines = "\n".join(f"  %y{i} = arith.{n} %x{2 * i}, %x{2 * i + 1} : {type}" for i, n in enumerate(names))
        found = elementwise(lines, inputs, [(type, dtype(type))] * len(names))
        for name, c, result in zip(names, chosen, found, strict=True):
            expected = array([wrapped(group[name](a, b, bits), bits) for a, b in c], type)
            assert np.array_equal(result, expected), name


COMPARISONS = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}


@pytest.mark.parametrize("type", WIDTHS)
def test_comparisons_and_select(type: str, elementwise: Any) -> None:
    bits, operands = WIDTHS[type], pairs(type)
    predicates = ["eq", "ne", *(s + c for s in "su" for c in ("lt", "le", "gt", "ge"))]
    lines = [f"  %y{i} = arith.cmpi {p}, %x0, %x1 : {type}" for i, p in enumerate(predicates)]
    lines.append(f"  %y{len(predicates)} = arith.select %y2, %x0, %x1 : {type}")
    inputs = [(type, array([p[k] for p in operands], type)) for k in (0, 1)]
    outputs = [("i1", np.bool_)] * len(predicates) + [(type, dtype(type))]
    *found, selected = elementwise("\n".join(lines), inputs, outputs)
    for predicate, result in zip(predicates, found, strict=True):
        read = (lambda v: unsigned(v, bits)) if predicate[0] == "u" else (lambda v: v)
        expected = [COMPARISONS[predicate[-2:]](read(a), read(b)) for a, b in operands]
        assert np.array_equal(result, expected), predicate
    assert np.array_equal(selected, array([min(p) for p in operands], type))


@pytest.mark.parametrize("type", WIDTHS)
def test_extended(type: str, elementwise: Any) -> None:
    bits, operands = WIDTHS[type], pairs(type)
    lines = f"""  %y0, %y1 = arith.mulsi_extended %x0, %x1 : {type}
  %y2, %y3 = arith.mului_extended %x0, %x1 : {type}
  %y4, %y5 = arith.addui_extended %x0, %x1 : {type}, i1"""
    inputs = [(type, array([p[k] for p in operands], type)) for k in (0, 1)]
    found = elementwise(lines, inputs, [(type, dtype(type))] * 5 + [("i1", np.bool_)])
    signed = [a * b for a, b in operands]
    plain = [unsigned(a, bits) * unsigned(b, bits) for a, b in operands]
    sums = [unsigned(a, bits) + unsigned(b, bits) for a, b in operands]
    for result, exact, shift in zip(found, [signed, signed, plain, plain, sums], [0, bits, 0, bits, 0], strict=False):
        assert np.array_equal(result, array([wrapped(v >> shift, bits) for v in exact], type))
    assert np.array_equal(found[5], [s >> bits for s in sums])


@pytest.mark.parametrize("type", [t for t in WIDTHS if t != "i1"])
def test_bits(type: str, elementwise: Any) -> None:
    bits, operands = WIDTHS[type], interesting(type)
    lines = "\n".join(f"  %y{i} = math.{n} %x0 : {type}" for i, n in enumerate(["absi", "ctpop", "ctlz", "cttz"]))
    found = elementwise(lines, [(type, array(operands, type))], [(type, dtype(type))] * 4)
    texts = [format(unsigned(v, bits), f"0{bits}b") for v in operands]
    assert np.array_equal(found[0], array([wrapped(abs(v), bits) for v in operands], type))
    assert np.array_equal(found[1], array([t.count("1") for t in texts], type))
    assert np.array_equal(found[2], array([len(t) - len(t.lstrip("0")) for t in texts], type))
    assert np.array_equal(found[3], array([len(t) - len(t.rstrip("0")) for t in texts], type))


def test_exhaustive_bytes(elementwise: Any) -> None:
    """Every pair of i8 for the operations that are expanded rather than single instructions."""
    a, b = (x.reshape(-1) for x in np.meshgrid(np.arange(-128, 128), np.arange(-128, 128)))
    keep = (b != 0) & ~((a == -128) & (b == -1))
    a, b = a[keep].astype(np.int8), b[keep].astype(np.int8)
    lines = "  %y0 = arith.floordivsi %x0, %x1 : i8\n  %y1 = arith.ceildivsi %x0, %x1 : i8"
    floor, ceiling = elementwise(lines, [("i8", a), ("i8", b)], [("i8", np.int8)] * 2)
    quotient = a.astype(np.float64) / b
    assert np.array_equal(floor, np.floor(quotient)) and np.array_equal(ceiling, np.ceil(quotient))


@pytest.mark.parametrize(("source", "target"), [(a, b) for a in WIDTHS for b in WIDTHS if WIDTHS[a] != WIDTHS[b]])
def test_conversions(source: str, target: str, elementwise: Any) -> None:
    operands = interesting(source)
    wider = WIDTHS[target] > WIDTHS[source]
    if "index" in (source, target):
        names = ["index_cast", "index_castui"]
    else:
        names = ["extsi", "extui"] if wider else ["trunci", "trunci"]
    lines = "\n".join(f"  %y{i} = arith.{n} %x0 : {source} to {target}" for i, n in enumerate(names))
    signed, plain = elementwise(lines, [(source, array(operands, source))], [(target, dtype(target))] * 2)
    bits = WIDTHS[target]
    assert np.array_equal(signed, array([wrapped(v, bits) for v in operands], target))
    assert np.array_equal(plain, array([wrapped(unsigned(v, WIDTHS[source]), bits) for v in operands], target))
