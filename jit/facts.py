"""What a launch sees of its arguments beyond their types, and which of it is worth a variant of its own.

An access is at most 16 bytes wide. So an address matters as far as 16 divides it, the extent along which memory is
contiguous as far as 16 bytes of elements do, and a number that may become an index as far as 16 bytes of the smallest
elements do: of each machine parameter there is one divisor that matters, or none, and a launch sees whether it divides.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from ..support.diagnostics import LanewiseError
from ..support.named_tuples import NamedTuple
from ..support.packed_elements import element_bits
from .signature import BufferParameter, ScalarParameter, SignatureParameter, buffers_of

ACCESS_BYTES = 16
"""The widest access of one thread, on every chip."""


class FactsError(LanewiseError, ValueError):
    """Facts are of the arguments of another kernel."""


class Facts(NamedTuple):
    """What a launch sees of its arguments beyond their types.

    `divisors`: for each machine parameter the divisor that matters, where it divides, else 1; empty where none does.
    `near`: every buffer lies in the NEAR_BYTES from its address on.
    """

    divisors: tuple[int, ...] = ()
    near: bool = False

    @property
    def canonical(self) -> Facts:
        """Equal for facts that say the same."""
        return self if any(d > 1 for d in self.divisors) else Facts((), self.near)

    def imply(self, other: Facts) -> bool:
        """Whether all that `other` says holds where these do."""
        if other.near and not self.near:
            return False
        mine = self.divisors or (1,) * len(other.divisors)
        return all(have % wanted == 0 for have, wanted in zip(mine, other.divisors, strict=bool(other.divisors)))

    def number(self, wanted: Sequence[int]) -> int:
        """A bit for each machine parameter whose divisor matters, as `wanted` has them, and behind these whether all
        buffers are near. The facts are as a launch sees them, not canonical."""
        held = [have == most for have, most in zip(self.divisors, wanted, strict=True) if most > 1]
        return sum(bit << place for place, bit in enumerate([*held, self.near]))

    def words(self, names: Sequence[str]) -> str:
        """Which arguments a variant is for, whose machine parameters have these names."""
        by_divisor: dict[int, list[str]] = {}
        for name, divisor in zip(names, self.divisors, strict=False):
            by_divisor.setdefault(divisor, []).append(name)
        known = [f"{divisor} divides {', '.join(of)}" for divisor, of in sorted(by_divisor.items()) if divisor > 1]
        known += ["all buffers are near"] * self.near
        return f"where {' and '.join(known)}" if known else "for any arguments"

    @property
    def weight(self) -> int:
        """How much is known: of two variants that fit, the one that knows more is the faster one."""
        return sum(divisor.bit_length() - 1 for divisor in self.divisors) + self.near


GENERAL = Facts()
"""Nothing is known: the code runs with all arguments that the program allows."""


def best_fitting(known: Iterable[Facts], seen: Facts) -> Facts:
    """The facts among `known` that say most and hold where `seen` do; GENERAL where none does."""
    return max((facts for facts in known if seen.imply(facts)), key=lambda f: (f.weight, f), default=GENERAL)


def divisors_that_matter(
    signature: Sequence[SignatureParameter],
    numbers: Collection[int] | None = None,
    extents: Collection[tuple[int, int]] = (),
) -> tuple[int, ...]:
    """For each machine parameter the divisor from which on a larger one makes no difference; 1 where none does.

    Args:
        signature: What the arguments are.
        numbers: Which arguments the program indexes with; None is every integer.
        extents: Argument and dimension of extents that the program indexes with.
    """
    sizes = [element_bits(p.dtype) for p in buffers_of(signature)]
    of_numbers = max((8 * ACCESS_BYTES // size for size in sizes), default=1)
    found: list[int] = []
    for i, parameter in enumerate(signature):
        if isinstance(parameter, ScalarParameter):
            is_index = parameter.dtype.kind in "iu" and (numbers is None or i in numbers)
            found.append(of_numbers if is_index else 1)
        else:
            asked = {d for argument, d in extents if argument == i}
            found += _divisors_of_buffer(parameter, asked, of_numbers)
    return tuple(found)


def _divisors_of_buffer(buffer: BufferParameter, queried: Collection[int], of_numbers: int) -> list[int]:
    """The extent of a middle dimension matters only where the one within does not divide: too seldom for variants."""
    in_access = max(1, 8 * ACCESS_BYTES // element_bits(buffer.dtype))
    last = len(buffer.shape) - 1
    strides = buffer.strides or ()
    contiguous = buffer.strides is None or strides[-1:] == (1,)
    sizes = [
        max(in_access if contiguous and d == last else 1, of_numbers if d in queried else 1)
        for d, extent in enumerate(buffer.shape)
        if extent is None
    ]
    return [
        ACCESS_BYTES,
        *sizes,
        *(in_access if contiguous else 1 for stride in strides if stride is None),
        *([1] if buffer.offset is None else []),  # launches pass 0
    ]


def machine_count(parameter: BufferParameter) -> int:
    """How many machine parameters a buffer is."""
    dynamic = [*parameter.shape, *(parameter.strides or ()), parameter.offset]
    return 1 + sum(value is None for value in dynamic)


def largest_divisor(value: int) -> int:
    """The largest power of two, up to ACCESS_BYTES, that divides a value; 0 is divisible by everything."""
    capped = value | ACCESS_BYTES
    return capped & -capped
