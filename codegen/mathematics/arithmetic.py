"""The operations that an expansion is written over: one float type and the signed integers of the same width."""

from collections.abc import Callable
from typing import Final, Protocol, TypeVar

V = TypeVar("V")

EXP2_ULPS: Final = 2.0**0.5
"""PTX ISA, ex2.approx: an absolute error of 2**-22.5 where the result is from 1 to 2. AMD's v_exp_f32: 1."""
FULL_EXP2_ULPS: Final = 2.0
"""CUDA C++ Programming Guide, exp2f, which is ex2.approx; on AMD 1 and a rounding."""
RECIPROCAL_ULPS: Final = 1.0
"""PTX ISA, rcp.approx; AMD's v_rcp_f32."""
RSQRT_ULPS: Final = 2.0
"""CUDA C++ Programming Guide, rsqrtf, which is rsqrt.approx; AMD's v_rsq_f32: 1."""


class Arithmetic(Protocol[V]):
    """Arithmetic of one float type, over values that an expansion never looks into.

    What is not said to approximate gives the same bits everywhere.

    An implementation that writes code returns names of SSA values; one that computes returns arrays. A value is a
    float, an integer of the float's width (two's complement, wrapping) or a condition, and a method says which it
    takes. Every float operation rounds once, to nearest even, keeps subnormals, and is not contracted with another:
    an expansion says `fma` where it means one rounding. A NaN may come out as any NaN.
    """

    @property
    def float_bits(self) -> int:
        """32 or 64."""
        ...

    # constants
    def constant(self, x: float, /) -> V:
        """The float nearest to `x`."""
        ...

    def integer(self, x: int, /) -> V:
        """The integer that is `x` modulo 2**float_bits."""
        ...

    # floats
    def add(self, x: V, y: V, /) -> V: ...
    def sub(self, x: V, y: V, /) -> V: ...
    def mul(self, x: V, y: V, /) -> V: ...
    def div(self, x: V, y: V, /) -> V: ...
    def fma(self, x: V, y: V, z: V, /) -> V:
        """x * y + z, rounded once."""
        ...

    def sqrt(self, x: V, /) -> V: ...
    def saturate(self, x: V, /) -> V:
        """min(max(x, 0), 1); of NaN something in between."""
        ...

    # instructions that approximate, of float32 only
    def exp2_flushing(self, x: V, /) -> V:
        """2**x within EXP2_ULPS, where it is a normal number; zero where it is less."""
        ...

    def exp2(self, x: V, /) -> V:
        """2**x within FULL_EXP2_ULPS, also where it is subnormal."""
        ...

    def reciprocal_flushing(self, x: V, /) -> V:
        """1 / x within RECIPROCAL_ULPS for normal x and 1 / x; zero and infinity beyond."""
        ...

    def rsqrt(self, x: V, /) -> V:
        """1 / sqrt(x) within RSQRT_ULPS, also of subnormal x; C's values of zeros, negative x, infinity and NaN."""
        ...

    def neg(self, x: V, /) -> V: ...
    def absolute(self, x: V, /) -> V: ...

    # between floats and integers
    def to_integer(self, x: V, /) -> V:
        """The integer equal to the integral float `x`; anything when there is none, but no trap."""
        ...

    def to_float(self, i: V, /) -> V:
        """The float nearest to the signed integer `i`."""
        ...

    def bits(self, x: V, /) -> V: ...
    def from_bits(self, i: V, /) -> V: ...

    # integers
    def iadd(self, i: V, j: V, /) -> V: ...
    def isub(self, i: V, j: V, /) -> V: ...
    def imul(self, i: V, j: V, /) -> V: ...
    def umulh(self, i: V, j: V, /) -> V:
        """The upper half of the unsigned product of twice the width."""
        ...

    def iand(self, i: V, j: V, /) -> V: ...
    def ior(self, i: V, j: V, /) -> V: ...
    def ixor(self, i: V, j: V, /) -> V: ...
    def shl(self, i: V, amount: int, /) -> V: ...
    def lshr(self, i: V, amount: int, /) -> V: ...
    def ashr(self, i: V, amount: int, /) -> V: ...
    def shl_by(self, i: V, amount: V, /) -> V:
        """A left shift by an integer value in [0, float_bits)."""
        ...

    def lshr_by(self, i: V, amount: V, /) -> V:
        """A logical right shift by an integer value in [0, float_bits)."""
        ...

    # conditions; a comparison of floats is ordered: false when either is NaN
    def less(self, x: V, y: V, /) -> V: ...
    def equal(self, x: V, y: V, /) -> V: ...
    def iless(self, i: V, j: V, /) -> V:
        """Signed comparison."""
        ...

    def iequal(self, i: V, j: V, /) -> V: ...
    def select(self, c: V, x: V, y: V, /) -> V:
        """The float `x` where `c` holds, else the float `y`."""
        ...

    def iselect(self, c: V, i: V, j: V, /) -> V:
        """The integer `i` where `c` holds, else the integer `j`."""
        ...

    def rarely(self, c: V, slow: Callable[[], tuple[V, ...]], usual: tuple[V, ...], /) -> tuple[V, ...]:
        """The floats `slow()` where `c` holds, else `usual`.

        `slow` is long and `c` seldom true: code may branch around it, or compute both and select. `slow` has no
        effects, does not trap, and may return anything where `c` does not hold.
        """
        ...
