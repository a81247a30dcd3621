"""The text of the function that launches a kernel with arguments of certain kinds; `launch_function.py` compiles it.

It reads each argument inline and decides one thing: that all is well. Where anything is not, or is not known to be, it
returns False before anything was done, and the launch goes the careful way (`launcher.py`), which takes it or says what
is wrong. So whatever `Binder` checks is checked here, perhaps more strictly; nothing is looked up or allocated.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np

from ..analysis.near_buffers import NEAR_BYTES
from ..support.packed_elements import element_bits
from .argument_kinds import Read
from .driver import Bracket
from .scalars import limits_of_packing
from .signature import BufferParameter, Role, ScalarParameter, machine_parameters
from .variants import Interface

_MOST_PAIRS = 100
"""From so many pairs of buffers on, one of which is written, sorting all is quicker than comparing the pairs."""


def launch_source(interface: Interface, reads: Sequence[Read], bracket: Bracket) -> str:
    """The text of `launch(grid, arguments, stream, how) -> bool`.

    `how` is the number of a call among `calls`. The other names that it uses are what `launch_function.py` gives it.
    """
    return "\n".join(
        ["def launch(grid, arguments, stream, how):", *(f"    {line}" for line in _body(interface, reads, bracket))]
    )


def prepared_source(interface: Interface, reads: Sequence[Read], bracket: Bracket) -> str:
    """The text of `launch(*others, stream=None)`, which does a launch again whose arguments are packed already.

    Besides the names of `launch_source` it uses the arguments, and what a launch function finds out about them.
    """
    buffers = _buffers(_readers(interface, reads))
    own = [buffer for buffer in buffers if buffer.kind.pending]
    gone = [f"{buffer.a}.place is None" for buffer in own]
    lines = [
        "def launch(*others, stream=None):",
        f"    if {' or '.join(['others', *gone])}:",
        "        return anew(*others, stream=stream)",
        "    if stream is None:",
        "        stream = stream_of_all",
        *(f"    {line}".replace("return False", "return anew(stream=stream)") for line in _prepared(buffers, bracket)),
        *(f"    {buffer.a}.pending = used_in" for buffer in own),
        "    taken.facts = facts",
        "    device.last_launch = name",
    ]
    return "\n".join(lines)


def _prepared(buffers: Sequence[_Buffer], bracket: Bracket) -> Iterator[str]:
    yield from _stream(buffers)
    yield from _call(bracket)


def _readers(interface: Interface, reads: Sequence[Read]) -> list[_Buffer | _Number]:
    return [
        _Buffer(i, parameter, read) if isinstance(parameter, BufferParameter) else _Number(i, parameter, read)
        for i, (parameter, read) in enumerate(zip(interface.signature, reads, strict=True))
    ]


def _buffers(readers: Sequence[_Buffer | _Number]) -> list[_Buffer]:
    return [reader for reader in readers if isinstance(reader, _Buffer)]


def _body(interface: Interface, reads: Sequence[Read], bracket: Bracket) -> Iterator[str]:
    readers = _readers(interface, reads)
    buffers = _buffers(readers)
    yield from _types(readers)
    yield from _grid(interface)
    yield from _stream(buffers)
    pairs = _pairs(buffers)
    ends = {buffer.number for pair in pairs if not _each_its_own(*pair) for buffer in pair}
    yield "try:"
    for reader in readers:
        lines = reader.lines(interface.near or reader.number in ends) if isinstance(reader, _Buffer) else reader.lines()
        yield from (f"    {line}" for line in lines)
    yield "    pass"
    yield "except ValueError:  # an array of another number of dimensions is not unpacked"
    yield "    return False"
    yield from _apart(pairs)
    yield from _facts(interface, readers, buffers)
    yield from _launch([value for reader in readers for value in reader.values()], bracket)
    for buffer in buffers:
        if buffer.kind.pending:
            yield f"{buffer.a}.pending = used_in"
    yield from ("taken.facts = facts", "device.last_launch = name", "return True")


def _refuse_where(*conditions: str) -> Iterator[str]:
    if conditions:
        yield f"if {' or '.join(conditions)}:"
        yield "    return False"


# Arguments


class _Number:
    """A scalar parameter and its argument."""

    def __init__(self, number: int, parameter: ScalarParameter, read: Read) -> None:
        self.number, self.parameter, self.read = number, parameter, read
        self.a = f"a{number}"
        self.v = self.a if read.number is not None else f"v{number}"

    def lines(self) -> Iterator[str]:
        yield f"# {self.parameter.name}: {self.parameter}, {self.read.type.__name__}"
        if self.read.number is None:
            yield f"{self.v} = convert{self.number}({self.a})"
        elif self.read.number.condition:
            low, high = limits_of_packing(self.parameter.dtype)
            yield from _refuse_where(f"not {self.read.number.condition.format(a=self.a, low=low, high=high)}")

    def values(self) -> list[str]:
        return [self.v]


class _Buffer:
    """A buffer parameter and its argument. Where a number stands for an extent or a stride, it is in the type."""

    def __init__(self, number: int, parameter: BufferParameter, read: Read) -> None:
        assert read.kind is not None
        self.number, self.parameter, self.kind, self.each = number, parameter, read.kind, read.each
        self.a, self.start, self.end = (f"{letter}{number}" for letter in "ape")
        self.pointer = f"pointer{number}" if parameter.offset_bytes else self.start
        rank = len(parameter.shape)
        self._read_extents = [f"n{number}_{d}" for d in range(rank)]
        self._read_strides = [f"s{number}_{d}" for d in range(rank)]
        self.extents = [e if n is None else str(n) for e, n in zip(self._read_extents, parameter.shape, strict=True)]

    def lines(self, needs_end: bool) -> Iterator[str]:
        a, kind, parameter = self.a, self.kind, self.parameter
        yield f"# {parameter.name}: {parameter}, {kind.name}"
        failing = [_negated(condition.format(a=a)) for condition in kind.conditions]
        yield from _refuse_where(*failing, f"{a}.{kind.same} is not same{self.number}")
        yield from self._extents()
        yield f"{self.start} = {kind.address.format(a=a)}"
        if kind.own_memory:
            yield from _refuse_where(f"not {self.start}")
        yield from self._layout()
        if needs_end or parameter.near:
            yield f"{self.end} = {self.start} + {self._bytes()}"
        if parameter.offset_bytes:
            yield f"{self.pointer} = {self.start} - {parameter.offset_bytes}"
        if parameter.near:
            yield from _refuse_where(self.too_far)

    def _extents(self) -> Iterator[str]:
        shape, last = self.kind.shape.format(a=self.a), len(self.extents) - 1
        if self.extents:
            yield f"{_targets(self._read_extents)} = {shape}"
        elif not self.kind.own_memory:
            yield from _refuse_where(f"len({shape})")
        if self.each > 1:
            yield f"{self._read_extents[last]} *= {self.each}"
        given = list(zip(self._read_extents, self.parameter.shape, strict=True))
        empty = [] if self.kind.own_memory else [f"not {e}" for e, n in given if n is None]
        yield from _refuse_where(*(f"{e} != {n}" for e, n in given if n is not None), *empty)

    def _layout(self) -> Iterator[str]:
        if self.parameter.strides is None:
            if self.kind.contiguous != "True":
                yield from _refuse_where(f"not {self.kind.contiguous.format(a=self.a)}")
            return
        if self.kind.strides:
            yield f"{_targets(self._read_strides)} = {self.kind.strides.format(a=self.a)}"
            yield from self._strides_in_elements()
        else:
            for d, stride in enumerate(self._read_strides):
                yield f"{stride} = {' * '.join(self.extents[d + 1 :]) or '1'}"
        wrong = [
            f"{s} != {n}" for s, n in zip(self._read_strides, self.parameter.strides, strict=True) if n is not None
        ]
        yield from _refuse_where(*wrong, *(f"{s} < 0" for s in self._read_strides if self.kind.strides))

    def _strides_in_elements(self) -> Iterator[str]:
        size = self.parameter.dtype.itemsize
        if self.kind.in_bytes and size > 1:
            yield from _refuse_where(f"({' | '.join(self._read_strides)}) & {size - 1}")
            for stride in self._read_strides:
                yield f"{stride} //= {size}"
        if self.each > 1:
            *outer, last = self._read_strides
            yield from _refuse_where(f"{last} != 1")
            for stride in outer:
                yield f"{stride} *= {self.each}"

    def _bytes(self) -> str:
        """How far the elements reach from the first one's address on."""
        bits = element_bits(self.parameter.dtype)
        if self.parameter.strides is None:
            elements = self.extents or ["1"]
            if all(n.isdigit() for n in elements):
                return str(-(-int(np.prod([int(n) for n in elements])) * bits // 8))
            count = " * ".join(elements)
        else:
            reaches = [f"{s} * ({n} - 1)" for s, n in zip(self._read_strides, self.extents, strict=True)]
            count = f"({' + '.join([*reaches, '1'])})"
        return f"{count} * {bits // 8}" if bits % 8 == 0 else f"-(-{count} * {bits} // 8)"

    @property
    def too_far(self) -> str:
        return f"{self.end} - {self.pointer} > {NEAR_BYTES}"

    @property
    def misaligned(self) -> str | None:
        """Our own arrays lie as allocations do."""
        size = self.parameter.dtype.itemsize
        return None if size == 1 or self.kind.pending else f"{self.start} & {size - 1}"

    def values(self) -> list[str]:
        found = [self.pointer, *(e for e, n in zip(self._read_extents, self.parameter.shape, strict=True) if n is None)]
        strides = self.parameter.strides or ()
        found += [s for s, n in zip(self._read_strides, strides, strict=False) if n is None]
        return [*found, "0"] if self.parameter.offset is None else found


def _negated(condition: str) -> str:
    for word, other in ((" is not ", " is "), (" is ", " is not "), (" == ", " != ")):
        if word in condition:
            return condition.replace(word, other)
    return condition.removeprefix("not ") if condition.startswith("not ") else f"not {condition}"


def _targets(names: Sequence[str]) -> str:
    return f"{names[0]}," if len(names) == 1 else ", ".join(names)


def _types(readers: Sequence[_Buffer | _Number]) -> Iterator[str]:
    yield from _refuse_where(f"len(arguments) != {len(readers)}")
    if readers:
        yield f"{_targets([reader.a for reader in readers])} = arguments"
        yield from _refuse_where(*(f"type({reader.a}) is not type{reader.number}" for reader in readers))


# All of them together


_Pair: TypeAlias = tuple[_Buffer, _Buffer]


def _pairs(buffers: Sequence[_Buffer]) -> list[_Pair]:
    """Those whose memory may not overlap: one is written, and not both say that it may."""
    return [
        (first, second)
        for i, second in enumerate(buffers)
        for first in buffers[:i]
        if (first.parameter.written or second.parameter.written)
        and not (first.parameter.may_alias and second.parameter.may_alias)
    ]


def _each_its_own(first: _Buffer, second: _Buffer) -> bool:
    """Whether their memory overlaps only where they are the same array."""
    return first.kind.own_memory and second.kind.own_memory


def _apart(pairs: Sequence[_Pair]) -> Iterator[str]:
    yield from _refuse_where(*(f"{one.a} is {two.a}" for one, two in pairs if _each_its_own(one, two)))
    others = [pair for pair in pairs if not _each_its_own(*pair)]
    buffers = _members(others)
    if len(others) > _MOST_PAIRS and not any(buffer.parameter.may_alias for buffer in buffers):
        spans = ", ".join(f"({b.start}, {b.end}, {b.parameter.written})" for b in buffers)
        yield from _refuse_where(f"meet([{spans}])")
        return
    yield from _refuse_where(*(f"{one.start} < {two.end} and {two.start} < {one.end}" for one, two in others))


def _members(pairs: Sequence[_Pair]) -> list[_Buffer]:
    """Each buffer once."""
    return list({buffer.number: buffer for pair in pairs for buffer in pair}.values())


def _facts(interface: Interface, readers: Sequence[_Buffer | _Number], buffers: Sequence[_Buffer]) -> Iterator[str]:
    """The number of what holds of the arguments: a bit for each divisor that matters, one for nearness. Mostly all
    holds of pointers, and of extents and strides, which is seen at once."""
    values = [value for reader in readers for value in reader.values()]
    for required in interface.requirements:
        yield from _refuse_where(f"{values[required.parameter]} % {required.divisor}")
    by_group: dict[tuple[bool, bool, int], list[tuple[str, int]]] = {}
    bit = 0
    roles = [p.role for p in machine_parameters(interface.signature)]
    for value, divisor, role in zip(values, interface.divisors, roles, strict=True):
        if divisor > 1:
            group = role is Role.POINTER, role is Role.SCALAR, divisor - 1
            by_group.setdefault(group, []).append((value, bit))
            bit += 1
    unaligned = [b.misaligned for b in buffers if b.misaligned]
    yield "seen = 0"
    for (are_pointers, _, mask), members in by_group.items():
        yield f"if ({' | '.join(value for value, _ in members)}) & {mask}:"
        yield from (f"    {line}" for line in _refuse_where(*(unaligned if are_pointers else [])))
        yield f"    seen |= {' | '.join(f'(not {value} & {mask}) << {place}' for value, place in members)}"
        yield "else:"
        yield f"    seen |= {sum(1 << place for _, place in members)}"
    if not any(are_pointers for are_pointers, _, _ in by_group):
        yield from _refuse_where(*unaligned)
    if interface.near:
        yield f"if not ({' or '.join(buffer.too_far for buffer in buffers) or 'False'}):"
        yield f"    seen |= {1 << bit}"
    yield "loaded = variants.get(seen)"
    yield from _refuse_where("loaded is None")
    yield "handle, x, y, z, shared, behind, buffer, facts = loaded"


def _stream(buffers: Sequence[_Buffer]) -> Iterator[str]:
    """Without one it is that in which the library works whose arrays these are; ours say which they are used in."""
    libraries = sorted({b.kind.library for b in buffers} - {""})
    yield "call = calls[how]"
    yield "if stream is None:"
    yield f"    handle_of_stream = {f'{libraries[0]}_stream(ordinal)' if libraries else 'default_handle'}"
    for other in libraries[1:]:
        yield f"    if {other}_stream(ordinal) != handle_of_stream:"
        yield "        return False"
    yield f"    used_in = {'handle_of_stream or default' if libraries else 'default'}"
    yield "else:"
    if any(b.kind.told for b in buffers):
        yield "    return False"
    else:
        yield "    used_in = stream"
        yield "    handle_of_stream = stream if type(stream) is int else stream_handle(stream)"
    yield from _refuse_where("call is None")


def _grid(interface: Interface) -> Iterator[str]:
    yield "if type(grid) is int:"
    yield "    gx, gy, gz = grid, 1, 1"
    yield "elif type(grid) is tuple and len(grid) == 3:"
    yield "    gx, gy, gz = grid"
    yield from (f"    {line}" for line in _refuse_where(*(f"type({g}) is not int" for g in ("gx", "gy", "gz"))))
    yield "else:"
    yield "    gx, gy, gz = grid_of(grid)"
    zero = "gx < 1 or gy < 1 or gz < 1"
    apart = [f"{g} % {n}" for g, n in zip(("gx", "gy", "gz"), interface.cluster_size, strict=True) if n > 1]
    yield from _refuse_where(zero, *apart)


def _launch(values: Sequence[str], bracket: Bracket) -> Iterator[str]:
    yield "view, parameters, extra = buffer.parts"
    yield f"pack_into({', '.join(['view', '0', *values])})"
    yield "if behind is not None:"
    yield f"    behind(view, ({''.join(f'{value}, ' for value in values)}), (gx, gy, gz))"
    yield from _call(bracket)


def _call(bracket: Bracket) -> Iterator[str]:
    yield from bracket.enter
    yield "try:"
    yield "    answer = call(handle, gx, gy, gz, x, y, z, shared, handle_of_stream, parameters, extra)"
    yield "finally:"
    yield from (f"    {line}" for line in bracket.leave)
    yield "if answer[0]:"
    yield "    raise refused(answer[0], loaded, (gx, gy, gz))"
