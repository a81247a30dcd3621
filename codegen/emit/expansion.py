"""The mathematics expansions' arithmetic, written as LLVM text."""

from __future__ import annotations

from collections.abc import Callable

from ...support.dataclasses import dataclass
from . import floats, integers
from .emission import Emission, FloatInstruction
from .text import FLOAT_BITS, Ssa, Writer, float_constant, integer


@dataclass(frozen=True)
class LlvmArithmetic:
    """`mathematics.Arithmetic` over SSA values of one float type, `float` or `double`."""

    emission: Emission
    float_type: str

    @property
    def w(self) -> Writer:
        return self.emission.w

    @property
    def float_bits(self) -> int:
        return FLOAT_BITS[self.float_type]

    @property
    def _integer(self) -> str:
        return f"i{self.float_bits}"

    def constant(self, x: float, /) -> Ssa:
        return float_constant(x, self.float_type)

    def integer(self, x: int, /) -> Ssa:
        return integer(x, self._integer)

    def add(self, x: Ssa, y: Ssa, /) -> Ssa:
        return floats.binary(self.w, "fadd", x, y)

    def sub(self, x: Ssa, y: Ssa, /) -> Ssa:
        return floats.binary(self.w, "fsub", x, y)

    def mul(self, x: Ssa, y: Ssa, /) -> Ssa:
        return floats.binary(self.w, "fmul", x, y)

    def div(self, x: Ssa, y: Ssa, /) -> Ssa:
        return floats.binary(self.w, "fdiv", x, y)

    def fma(self, x: Ssa, y: Ssa, z: Ssa, /) -> Ssa:
        return floats.call(self.w, "fma", x, y, z)

    def neg(self, x: Ssa, /) -> Ssa:
        return floats.negate(self.w, x)

    def absolute(self, x: Ssa, /) -> Ssa:
        return floats.call(self.w, "fabs", x)

    def sqrt(self, x: Ssa, /) -> Ssa:
        return floats.call(self.w, "sqrt", x)

    def saturate(self, x: Ssa, /) -> Ssa:
        return self.instruction("saturate", x)

    def exp2_flushing(self, x: Ssa, /) -> Ssa:
        return self.instruction("exp2", x)

    def exp2(self, x: Ssa, /) -> Ssa:
        return self.instruction("exp2", x, subnormal=True)

    def reciprocal_flushing(self, x: Ssa, /) -> Ssa:
        return self.instruction("rcp", x)

    def rsqrt(self, x: Ssa, /) -> Ssa:
        return self.instruction("rsqrt", x, subnormal=True)

    def instruction(self, name: FloatInstruction, x: Ssa, *, subnormal: bool = False) -> Ssa:
        """One of the machine's; see `Machine.approximate`."""
        assert self.float_bits == 32, f"{name} of {self.float_type}"
        return self.emission.machine.approximate(self.emission, name, x, subnormal=subnormal)

    def floor(self, x: Ssa, /) -> Ssa:
        return floats.call(self.w, "floor", x)

    def round_even(self, x: Ssa, /) -> Ssa:
        return floats.call(self.w, "roundeven", x)

    def to_integer(self, x: Ssa, /) -> Ssa:
        """Frozen, since LLVM calls a conversion out of range poison, which must not decide a branch."""
        converted = self.w.convert("fptosi", x, self._integer)
        return self.w.pure(f"freeze {converted}", converted.type)

    def to_float(self, i: Ssa, /) -> Ssa:
        return self.w.convert("sitofp", i, self.float_type)

    def bits(self, x: Ssa, /) -> Ssa:
        return integers.bitcast(self.w, x, self._integer)

    def from_bits(self, i: Ssa, /) -> Ssa:
        return integers.bitcast(self.w, i, self.float_type)

    def iadd(self, i: Ssa, j: Ssa, /) -> Ssa:
        return integers.add(self.w, i, j)

    def isub(self, i: Ssa, j: Ssa, /) -> Ssa:
        return integers.sub(self.w, i, j)

    def imul(self, i: Ssa, j: Ssa, /) -> Ssa:
        return integers.mul(self.w, i, j)

    def umulh(self, i: Ssa, j: Ssa, /) -> Ssa:
        return integers.upper_product(self.w, i, j, signed=False)

    def iand(self, i: Ssa, j: Ssa, /) -> Ssa:
        return integers.binary(self.w, "and", i, j)

    def ior(self, i: Ssa, j: Ssa, /) -> Ssa:
        return integers.binary(self.w, "or", i, j)

    def ixor(self, i: Ssa, j: Ssa, /) -> Ssa:
        return integers.binary(self.w, "xor", i, j)

    def shl(self, i: Ssa, amount: int, /) -> Ssa:
        return self.shl_by(i, self.integer(amount))

    def lshr(self, i: Ssa, amount: int, /) -> Ssa:
        return self.lshr_by(i, self.integer(amount))

    def ashr(self, i: Ssa, amount: int, /) -> Ssa:
        return integers.binary(self.w, "ashr", i, self.integer(amount))

    def shl_by(self, i: Ssa, amount: Ssa, /) -> Ssa:
        return integers.binary(self.w, "shl", i, amount)

    def lshr_by(self, i: Ssa, amount: Ssa, /) -> Ssa:
        return integers.binary(self.w, "lshr", i, amount)

    def less(self, x: Ssa, y: Ssa, /) -> Ssa:
        return floats.compare(self.w, "olt", x, y)

    def less_equal(self, x: Ssa, y: Ssa, /) -> Ssa:
        return floats.compare(self.w, "ole", x, y)

    def equal(self, x: Ssa, y: Ssa, /) -> Ssa:
        return floats.compare(self.w, "oeq", x, y)

    def is_nan(self, x: Ssa, /) -> Ssa:
        return floats.compare(self.w, "uno", x, x)

    def iless(self, i: Ssa, j: Ssa, /) -> Ssa:
        return integers.compare(self.w, "slt", i, j)

    def iequal(self, i: Ssa, j: Ssa, /) -> Ssa:
        return integers.compare(self.w, "eq", i, j)

    def and_(self, c: Ssa, d: Ssa, /) -> Ssa:
        return integers.binary(self.w, "and", c, d)

    def or_(self, c: Ssa, d: Ssa, /) -> Ssa:
        return integers.binary(self.w, "or", c, d)

    def select(self, c: Ssa, x: Ssa, y: Ssa, /) -> Ssa:
        return integers.select(self.w, c, x, y)

    def iselect(self, c: Ssa, i: Ssa, j: Ssa, /) -> Ssa:
        return integers.select(self.w, c, i, j)

    def rarely(self, c: Ssa, slow: Callable[[], tuple[Ssa, ...]], usual: tuple[Ssa, ...], /) -> tuple[Ssa, ...]:
        w = self.w
        before, work, done = w.block, w.label(), w.label()
        w.branch(c, work, done)
        with w.scope():
            w.start(work)
            computed = slow()
            after = w.block
            w.jump(done)
        w.start(done)
        return tuple(w.phi([(u, before), (s, after)]) for u, s in zip(usual, computed, strict=True))
