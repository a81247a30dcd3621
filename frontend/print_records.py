"""vector.print and gpu.printf: records in a buffer that is the kernel's last argument (see ir/printing.py).

Each owner writes into a row of its own, at a place that it counts itself: nobody waits for anybody, and the order in
which threads get to it changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from ..ir.attributes import ArrayAttr, DictAttr, IntegerAttr, TypeAttr, dense_i64
from ..ir.core import Block, Builder, Operation, Region, Value
from ..ir.define import is_float, is_vector
from ..ir.dialects import arith, gpu, lanewise, memref, memref_views, scf, vector
from ..ir.dialects.arith import IntegerPredicateAttr
from ..ir.dialects.gpu import DimensionAttr
from ..ir.dialects.longhand import constant, extract
from ..ir.dialects.vector_print import MessageOp
from ..ir.kernels import Kernel
from ..ir.messages import WORD_BITS, is_printable, is_unsigned
from ..ir.printing import ARGUMENT, LOST, NAME, TYPE, Printing, words
from ..ir.printing_programs import program_of, programs
from ..ir.types import (
    F32,
    I32,
    I64,
    INDEX,
    FunctionType,
    IntegerType,
    MemRefType,
    StridedLayout,
    Type,
    bit_width,
    element_type,
    scalar_type,
    shape_of,
    with_shape,
)
from .affine import number
from .all_reduce import linear_thread
from .legalisations import Inside, Place, refuse

_FEWEST_LANES = 32


def write_prints(kernel: Kernel) -> None:
    """Rewrites a kernel in place; nothing where it prints nothing. Raises CompileError for what cannot be printed."""
    prints = kernel.op.all_of(MessageOp)
    if not prints:
        return
    for op in prints:
        _check(op)
    printing = _printing(kernel, prints)
    buffer = _add_argument(kernel, printing)
    numbers = {message: i + 1 for i, message in enumerate(printing.messages)}
    every = programs(kernel.op)
    for op in prints:
        place = Place(op, kernel)
        program = every.index(program_of(op))
        _Record(place, printing, buffer, program, _owner(place, every[program])).write(op, numbers[op.message])
        assert op.parent is not None
        op.parent.erase(op)


def _check(op: MessageOp) -> None:
    for value in op.told:
        if not is_printable(value.type):
            raise refuse(op, f"prints a {value.type}, expected floats, index or signless integers")


def _printing(kernel: Kernel, prints: Sequence[MessageOp]) -> Printing:
    owners = {"thread": kernel.threads, "subgroup": -(-kernel.threads // (kernel.subgroup_size or _FEWEST_LANES))}
    of_printing = {program_of(op) for op in prints}

    def rows(program: Region | None) -> int:
        if program not in of_printing:
            return 0
        if program is None:
            return owners.get(kernel.scope, 1)
        return kernel.threads if _is_of_threads(program) else 1

    messages = dict.fromkeys(op.message for op in prints)
    return Printing(tuple(map(rows, programs(kernel.op))), tuple(messages))


def _add_argument(kernel: Kernel, printing: Printing) -> Value:
    function = kernel.op
    given = function.arg_attrs.values if function.arg_attrs else (DictAttr(()),) * len(function.arguments)
    buffer = function.body_region.block.add_argument(TYPE, NAME)
    function.attributes["arg_attrs"] = ArrayAttr((*given, DictAttr.of({ARGUMENT: printing.attribute})))
    inputs = tuple(argument.type for argument in function.arguments)
    function.attributes["function_type"] = TypeAttr(FunctionType(inputs, ()))
    return buffer


def _owner(place: Place, program: Region | None) -> Value | None:
    """The owner's number in its program; None where the program has one."""
    if program is not None and not _is_of_threads(program):
        return None
    scope = place.kernel.scope if program is None else "thread"
    makers = {"thread": lambda: linear_thread(place), "subgroup": lambda: place.value(gpu.SubgroupIdOp)}
    return makers[scope]() if scope in makers else None


def _is_of_threads(program: Region) -> bool:
    return isinstance(program.parent, lanewise.ThreadsOp)


class _Record:
    """What writes one record of one owner."""

    def __init__(self, place: Place, printing: Printing, buffer: Value, program: int, owner: Value | None) -> None:
        self._place, self._buffer, self._program = place, buffer, program
        first = _multiply(place, _workgroup(place), number(place, sum(printing.rows)))
        row = _plus(place, first, printing.row(program))
        self._row = row if owner is None else _add(place, row, owner)

    def write(self, op: MessageOp, message: int) -> None:
        place, count = self._place, words(op.message)
        counter = {"counter": IntegerAttr(self._program, I64), "by": IntegerAttr(count, I64)}
        start = place.value(lanewise.CountOp, **counter)
        length = place.value(memref.DimOp, self._buffer, number(place, 1))
        fits = _below(place, _plus(place, start, count), length)
        then, otherwise = _branches(place, fits)
        self._store(then, constant(then, message, I32), start)
        position = _plus(then, start, 1)
        for value in op.told:
            for part in _words_of(then, value):
                self._put(then, part, position, length)
                position = _plus(then, position, prod(shape_of(part.type)))
        then.op(scf.YieldOp, [])
        first, later = _branches(otherwise, _below(otherwise, start, length))
        self._store(first, constant(first, LOST - (1 << WORD_BITS), I32), start)
        for branch in (first, later, otherwise):
            branch.op(scf.YieldOp, [])

    def _store(self, build: Builder, value: Value, position: Value) -> None:
        build.op(memref.StoreOp, value, self._buffer, [self._row, position])

    def _put(self, build: Builder, value: Value, position: Value, length: Value) -> None:
        """Words of one value, row-major."""
        if not is_vector.admits(value):
            self._store(build, value, position)
            return
        offset = _add(build, _multiply(build, self._row, length), position)
        shape = shape_of(value.type)
        view = seen_at(build, self._buffer, offset, shape)
        build.op(vector.StoreOp, value, view, [number(build, 0) for _ in shape])


def seen_at(build: Builder, buffer: Value, offset: Value, shape: Sequence[int]) -> Value:
    """The elements of a buffer from `offset` on as rows without gaps."""
    strides = tuple(prod(shape[i + 1 :]) for i in range(len(shape)))
    element = element_type(buffer.type)
    type = MemRefType(tuple(shape), element, StridedLayout(strides, None))
    static = {"static_offsets": (None,), "static_sizes": shape, "static_strides": strides}
    named = {name: dense_i64(numbers) for name, numbers in static.items()}
    return build.value(memref_views.ReinterpretCastOp, buffer, [offset], [], [], types=[type], **named)


# -- values as words --------------------------------------------------------------------------------------------------


def _words_of(build: Builder, value: Value) -> list[Value]:
    """A value's elements as i32: of more than 32 bits the low halves, then the high ones. `messages.from_words`."""
    if is_vector.admits(value) and not value.type.rank:
        value = extract(build, value, ())
    element = scalar_type(value.type)
    if is_float.holds(element):
        value = value if bit_width(element) >= WORD_BITS else _cast(build, arith.ExtFOp, value, F32)
        value = _cast(build, arith.BitcastOp, value, IntegerType(bit_width(scalar_type(value.type))))
    elif element == INDEX:
        value = _cast(build, arith.IndexCastOp, value, I64)
    else:
        wide = I32 if bit_width(element) <= WORD_BITS else I64
        extend = arith.ExtUIOp if is_unsigned(element) else arith.ExtSIOp
        value = value if element == wide else _cast(build, extend, value, wide)
    if scalar_type(value.type) == I32:
        return [value]
    high = build.value(arith.ShRUIOp, value, constant(build, WORD_BITS, value.type))
    return [_cast(build, arith.TruncIOp, half, I32) for half in (value, high)]


def _cast(build: Builder, cls: type[Operation], value: Value, element: Type) -> Value:
    shape = shape_of(value.type)
    return build.value(cls, value, types=[with_shape(element, shape or None)])


# -- numbers ----------------------------------------------------------------------------------------------------------


def _workgroup(build: Builder) -> Value:
    """The workgroup's number in the grid, x fastest."""
    total = build.value(gpu.BlockIdOp, dimension=DimensionAttr("z"))
    for axis in "yx":
        extent = build.value(gpu.GridDimOp, dimension=DimensionAttr(axis))
        id = build.value(gpu.BlockIdOp, dimension=DimensionAttr(axis))
        total = _add(build, _multiply(build, total, extent), id)
    return total


def _add(build: Builder, a: Value, b: Value) -> Value:
    return build.value(arith.AddIOp, a, b)


def _plus(build: Builder, a: Value, b: int) -> Value:
    return a if b == 0 else _add(build, a, number(build, b))


def _multiply(build: Builder, a: Value, b: Value) -> Value:
    return build.value(arith.MulIOp, a, b)


def _below(build: Builder, a: Value, b: Value) -> Value:
    return build.value(arith.CmpIOp, a, b, predicate=IntegerPredicateAttr("slt"))


def _branches(build: Builder, condition: Value) -> tuple[Builder, Builder]:
    """Where to build what is done if a condition holds, and what if not; both are to be ended."""
    regions = [Region([Block()]), Region([Block()])]
    build.op(scf.IfOp, condition, types=[], regions=regions)
    then, otherwise = (Inside(build, region.block) for region in regions)
    return then, otherwise
