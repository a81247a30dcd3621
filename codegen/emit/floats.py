"""Float instructions: fast-math flags, intrinsics by type, and the operations LLVM does not lower exactly."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from ...ir.core import Operation
from ...ir.dialects.arith import FastMathAttr
from . import integers
from .emission import Emission
from .text import FLOAT_BITS, SUFFIXES, Ssa, Writer, float_constant, integer

_FLAG_ORDER = ("nnan", "ninf", "nsz", "arcp", "contract", "afn", "reassoc")


def flags_of(op: Operation) -> frozenset[str]:
    """The liberties that an operation takes."""
    attribute = op.attributes.get("fastmath")
    return attribute.flags if isinstance(attribute, FastMathAttr) else frozenset()


def flags_text(op: Operation) -> str:
    """The liberties that an operation takes, in LLVM's spelling."""
    attribute = op.attributes.get("fastmath")
    return _spelled(attribute.value) if isinstance(attribute, FastMathAttr) else ""


@functools.cache
def _spelled(words: str) -> str:
    flags = FastMathAttr(words).flags
    return "fast" if "fast" in flags else " ".join(f for f in _FLAG_ORDER if f in flags)


def approximates(op: Operation) -> bool:
    return bool(flags_of(op) & {"afn", "fast"})


def binary(w: Writer, opcode: str, a: Ssa, b: Ssa, flags: str = "", *, ahead: bool = False) -> Ssa:
    words = f"{opcode} {flags}" if flags else opcode
    return w.pure(f"{words} {a.type} {a.text}, {b.text}", a.type, (a, b) if ahead else None)


def negate(w: Writer, a: Ssa, flags: str = "") -> Ssa:
    words = f"fneg {flags}".rstrip()
    return w.pure(f"{words} {a}", a.type)


def call(w: Writer, name: str, *operands: Ssa, flags: str = "") -> Ssa:
    """`llvm.NAME` on one float type."""
    type = operands[0].type
    return w.call(type, f"llvm.{name}.{SUFFIXES[type]}", *operands, flags=flags)


def extremum(w: Writer, name: str, a: Ssa, b: Ssa, flags: str = "") -> Ssa:
    """`llvm.NAME`, a minimum or maximum; of bfloat without `nnan`, which LLVM 22 cannot select on AMD."""
    kept = [flag for flag in flags.split() if flag not in ("nnan", "fast") or a.type != "bfloat"]
    return call(w, name, a, b, flags=" ".join(kept))


def compare(w: Writer, predicate: str, a: Ssa, b: Ssa, flags: str = "") -> Ssa:
    words = f"fcmp {flags}".rstrip()
    return w.pure(f"{words} {predicate} {a.type} {a.text}, {b.text}", "i1")


def bits(w: Writer, x: Ssa) -> Ssa:
    return integers.bitcast(w, x, f"i{FLOAT_BITS[x.type]}")


def resize(w: Writer, x: Ssa, type: str) -> Ssa:
    """Extends exactly or rounds to nearest even."""
    before, after = FLOAT_BITS[x.type], FLOAT_BITS[type]
    assert before != after or x.type == type, f"no conversion from {x.type} to {type}"
    return x if before == after else w.convert("fpext" if after > before else "fptrunc", x, type)


def in_single(em: Emission, x: Ssa) -> Ssa:
    """A float of 16 bits as f32; others stay."""
    return resize(em.w, x, "float") if FLOAT_BITS[x.type] == 16 else x


def fused(em: Emission, a: Ssa, b: Ssa, c: Ssa, flags: str = "") -> Ssa:
    """a * b + c rounded once."""
    if a.type == "bfloat" and not em.chip.supports("bf16"):
        return _fused_bfloat(em.w, a, b, c)
    return call(em.w, "fma", a, b, c, flags=flags)


def _fused_bfloat(w: Writer, a: Ssa, b: Ssa, c: Ssa) -> Ssa:
    """In f64, where the product is exact, with the sum rounded to odd so that the second rounding is the only one.

    Without bf16 instructions LLVM would round to f32 and again to bf16.
    """
    x, y, z = (resize(w, v, "double") for v in (a, b, c))
    return resize(w, sum_to_odd(w, binary(w, "fmul", x, y), z), "bfloat")


def sum_to_odd(w: Writer, a: Ssa, b: Ssa) -> Ssa:
    """The sum of two f64, rounded to odd."""
    total = binary(w, "fadd", a, b)
    virtual = binary(w, "fsub", total, a)
    error = binary(w, "fadd", binary(w, "fsub", a, binary(w, "fsub", total, virtual)), binary(w, "fsub", b, virtual))
    return to_odd(w, total, error)


def to_odd(w: Writer, total: Ssa, error: Ssa) -> Ssa:
    """`total`, or its neighbour towards `error` where that is not zero and `total` is even."""
    pattern = bits(w, total)
    even = integers.compare(w, "eq", integers.binary(w, "and", pattern, integer(1)), integer(0))
    magnitude = call(w, "fabs", error)
    nonzero = compare(w, "ogt", magnitude, float_constant(0.0, "double"))
    finite = compare(w, "olt", magnitude, float_constant(float("inf"), "double"))
    same_sign = integers.compare(w, "sge", integers.binary(w, "xor", pattern, bits(w, error)), integer(0))
    step = integers.select(w, same_sign, integer(1), integer(-1))
    moved = integers.add(w, pattern, step)
    odd = integers.select(w, all_of(w, [even, nonzero, finite]), moved, pattern)
    return integers.bitcast(w, odd, "double")


def remainder(em: Emission, x: Ssa, y: Ssa) -> Ssa:
    """C's fmod, exact: LLVM's lowering rounds the quotient and is wrong for large ones.

    The significands' remainder is taken in long steps: while the exponents differ by e > 0, the remainder so far is
    shifted by min(e, k) bits and reduced again, k being as many as fit above a significand in 64 bits.
    """
    wide = in_single(em, x), in_single(em, y)
    return resize(em.w, _Remainder(em.w, *wide).result(), x.type)


class _Remainder:
    """fmod of f32 or f64, |x| split as significand * 2**exponent with the exponent of subnormals being that of the
    smallest normal number."""

    def __init__(self, w: Writer, x: Ssa, y: Ssa) -> None:
        self.w = w
        self.x, self.y = x, y
        self.width = FLOAT_BITS[x.type]
        self.stored = {32: 23, 64: 52}[self.width]
        self.room = 63 - self.stored

    def result(self) -> Ssa:
        w = self.w
        ax, ay = (call(w, "fabs", v) for v in (self.x, self.y))
        smaller = compare(w, "olt", ax, ay)
        finite = compare(w, "olt", ax, float_constant(float("inf"), ax.type))
        divides = compare(w, "ogt", ay, float_constant(0.0, ay.type))
        usual = all_of(w, [compare(w, "oge", ax, ay), finite, divides])
        # NaN comes from NaN operands, infinite x and zero y.
        nan = float_constant(float("nan"), ax.type)
        kept = integers.select(w, smaller, self.x, nan)
        return self._guarded(usual, kept)

    def _guarded(self, usual: Ssa, other: Ssa) -> Ssa:
        """The loop only where both are finite, y is not zero and |x| >= |y|."""
        w = self.w
        before, work, done = w.block, w.label(), w.label()
        w.branch(usual, work, done)
        with w.scope():
            w.start(work)
            computed = self._reduce()
            after = w.block
            w.jump(done)
        w.start(done)
        return w.phi([(other, before), (computed, after)])

    def _reduce(self) -> Ssa:
        w = self.w
        (mx, ex), (my, ey) = self._split(self.x), self._split(self.y)
        first = integers.binary(w, "urem", mx, my)
        rest = self._loop(first, my, integers.sub(w, ex, ey))
        return self._assemble(rest, ey)

    def _split(self, value: Ssa) -> tuple[Ssa, Ssa]:
        """Significand and biased exponent as i64."""
        w = self.w
        pattern = integers.resize(w, bits(w, value), "i64", signed=False)
        fraction = integers.binary(w, "and", pattern, integer((1 << self.stored) - 1))
        field = integers.binary(w, "lshr", pattern, integer(self.stored))
        field = integers.binary(w, "and", field, integer((1 << (self.width - 1 - self.stored)) - 1))
        normal = integers.compare(w, "ne", field, integer(0))
        significand = integers.binary(w, "or", fraction, integer(1 << self.stored))
        return integers.select(w, normal, significand, fraction), integers.select(w, normal, field, integer(1))

    def _loop(self, first: Ssa, divisor: Ssa, distance: Ssa) -> Ssa:
        w = self.w
        before, body, done = w.block, w.label(), w.label()
        w.branch(integers.compare(w, "sgt", distance, integer(0)), body, done)
        with w.scope():
            w.start(body)
            rest, left = w.open_phi("i64"), w.open_phi("i64")
            step = w.call("i64", "llvm.smin.i64", left.value, integer(self.room))
            shifted = integers.binary(w, "shl", rest.value, step)
            reduced = integers.binary(w, "urem", shifted, divisor)
            remaining = integers.sub(w, left.value, step)
            w.branch(integers.compare(w, "sgt", remaining, integer(0)), body, done)
            w.close(rest, [(first, before), (reduced, body)])
            w.close(left, [(distance, before), (remaining, body)])
        w.start(done)
        return w.phi([(first, before), (reduced, body)])

    def _assemble(self, rest: Ssa, exponent: Ssa) -> Ssa:
        """rest * 2**exponent with the sign of x; exact, since rest is smaller than y's significand.

        The significand's leading bit is shifted to its place, but not beyond the exponent of subnormals, whose field
        is 0; adding instead of or-ing lets a leading bit in place raise the exponent field by one.
        """
        w = self.w
        leading = w.call("i64", "llvm.ctlz.i64", rest, integer(0, "i1"))
        distance = integers.sub(w, leading, integer(63 - self.stored))
        shift = w.call("i64", "llvm.smin.i64", distance, integers.sub(w, exponent, integer(1)))
        significand = integers.binary(w, "shl", rest, shift)
        field = integers.sub(w, integers.sub(w, exponent, integer(1)), shift)
        whole = integers.add(w, integers.binary(w, "shl", field, integer(self.stored)), significand)
        zero = integers.compare(w, "eq", rest, integer(0))
        pattern = integers.select(w, zero, integer(0), whole)
        magnitude = integers.bitcast(w, integers.resize(w, pattern, f"i{self.width}", signed=False), self.x.type)
        return call(w, "copysign", magnitude, self.x)


def all_of(w: Writer, conditions: Sequence[Ssa]) -> Ssa:
    first, *rest = conditions
    for condition in rest:
        first = integers.binary(w, "and", first, condition)
    return first
