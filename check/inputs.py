"""Arguments made for a kernel: arrays of chosen data, numbers and a grid, as a `lanewise.args` text asks for.

The generators, with their options and what they hold (extents may be left out where the kernel's types say them):

    normal(M, N, mean=0, scale=1)   normally distributed floats
    uniform(M, N, low=0, high=1)    uniformly distributed floats, high left out
    integers(-3, 3, M, N)           integers, both ends included; i1 takes 0 and 1
    index(M, N)                     the linear index, modulo how many integers the element type tells apart
    special(M, N)                   NaN, infinities, zeros, largest, smallest, subnormal; of integers the ends
    full(M, N, value=1)  ones(M, N)  zeros(M, N)
    empty(M, N)                     nothing of meaning: the kernel is to write it (see `fill`)

The same seed gives the same data; each argument has its own stream, so one more argument changes no other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeGuard, cast, get_args

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from ..ir.did_you_mean import did_you_mean
from ..jit.arrays import row_major_strides
from ..jit.device import Dim3
from ..jit.scalars import limits_of
from ..jit.signature import (
    ML_FLOATS,
    BufferParameter,
    ScalarParameter,
    SignatureParameter,
    counted,
    extents_text,
    kind_of,
)
from ..support.dataclasses import dataclass, replace
from ..support.diagnostics import Diagnostic
from ..support.packed_elements import value_bits
from .inputs_grammar import (
    Call,
    Expression,
    InputsError,
    InputsText,
    Item,
    Name,
    Number,
    evaluate,
    evaluate_integer,
    fail,
)

Array = NDArray[Any]
Data = Literal["written", "exact", "index", "special"]
"""What random arrays hold: what is written in the text, small integers, their linear index, or special values."""

DATA: tuple[Data, ...] = get_args(Data)
MAX_BYTES = 8 << 30
FILL_BYTE = 0xA5


@dataclass(frozen=True)
class Inputs:
    """Arguments and a grid. `sizes` are the named numbers that they were made with."""

    arguments: tuple[object, ...]
    grid: Dim3
    sizes: Mapping[str, Number]

    def describe(self, signature: Sequence[SignatureParameter]) -> list[str]:
        """`x: float32[300, 1000]` or `n: 300` for every argument."""
        return [
            f"{p.name}: {a.dtype}{list(a.shape)}" if is_array(a) else f"{p.name}: {a}"
            for p, a in zip(signature, self.arguments, strict=True)
        ]


def make_inputs(
    text: InputsText,
    signature: Sequence[SignatureParameter],
    *,
    sizes: Mapping[str, Number] | None = None,
    seed: int = 0,
    data: Data = "written",
) -> Inputs:
    """The arguments that a text asks for, checked against the kernel's signature.

    Args:
        sizes: Values that replace those in the text.
        data: What replaces the data of `normal`, `uniform` and `integers`.

    Raises:
        InputsError: With the place in the text that is wrong.
    """
    names = _sizes(text, sizes or {})
    if len(text.arguments) != len(signature):
        takes = counted([p.name for p in signature])
        message = f"the kernel takes {takes}, found {len(text.arguments)}"
        fail(text.location, message, _of_other_number(text, signature))
    _check_names(text.arguments, signature)
    arguments = [
        _argument(item, parameter, names, np.random.default_rng([seed, i]), data)
        for i, (item, parameter) in enumerate(zip(text.arguments, signature, strict=True))
    ]
    extents = [evaluate_integer(extent, names, "an extent of the grid") for extent in text.grid]
    x, y, z = (*extents, 1, 1, 1)[:3]
    return Inputs(tuple(arguments), (x, y, z), names)


def fill(array: Array) -> None:
    """Fills an array with what no kernel writes by accident: NaN with all bits set, or a pattern of bits where a type
    has no such NaN, or none that arithmetic does not give."""
    if array.dtype.kind == "b":
        array[...] = True
        return
    byte = 0xFF if _has_idle_nan(array.dtype) else FILL_BYTE
    pattern = bytes([byte & ((1 << min(8, value_bits(array.dtype))) - 1)])
    array[...] = np.frombuffer(pattern * array.itemsize, array.dtype)[0]


def _has_idle_nan(dtype: np.dtype[Any]) -> bool:
    """Whether a float has more NaN than the one of each sign that is what is too large."""
    if dtype.itemsize > 1 or not is_float(dtype):
        return is_float(dtype)
    codes = np.arange(256, dtype=np.uint8) & ((1 << value_bits(dtype)) - 1)
    return int(np.isnan(codes.astype(np.uint8).view(dtype).astype(np.float32)).sum()) > 2


def is_array(value: object) -> TypeGuard[Array]:
    return isinstance(value, np.ndarray)


def is_float(dtype: np.dtype[Any]) -> bool:
    return dtype.kind == "f" or dtype in ML_FLOATS


# Sizes and single arguments


def _of_other_number(text: InputsText, signature: Sequence[SignatureParameter]) -> str:
    """What may have been meant where there are too many arguments, or too few."""
    if len(text.arguments) < len(signature):
        named = {item.name.casefold() for item in text.arguments if item.name is not None}
        missing = [p.name for p in signature if p.name.casefold() not in named]
        return f"one for each, in this order: {', '.join(missing)} is missing" if len(missing) == 1 else ""
    first, last = text.arguments[0], text.arguments[-1]
    if last.name == "grid":
        return "the grid stands behind ';', as in '; grid = 4'"
    if first.name is not None and not isinstance(first.value, Call) and not text.sizes:
        return f"sizes end with ':', as in '{first.name} = ..: {signature[0].name} = ..'" if signature else ""
    return ""


def _sizes(text: InputsText, given: Mapping[str, Number]) -> dict[str, Number]:
    known = [item.name for item in text.sizes]
    for name in given:
        if name not in known:
            listed = ", ".join(n for n in known if n) or "none"
            hint = did_you_mean(name, [n for n in known if n])
            fail(text.location, f"there is no size '{name}' to set; the sizes are: {listed}", hint)
    names: dict[str, Number] = {}
    for item in text.sizes:
        assert item.name is not None
        names[item.name] = given[item.name] if item.name in given else evaluate(item.value, names)
    return names


def _argument(
    item: Item, parameter: SignatureParameter, names: Mapping[str, Number], rng: np.random.Generator, data: Data
) -> object:
    if isinstance(parameter, ScalarParameter):
        return _scalar(item.value, parameter, names)
    return _array(item.value, parameter, names, rng, data)


def _check_names(items: Sequence[Item], signature: Sequence[SignatureParameter]) -> None:
    """Raises InputsError for all names that are not those of the kernel's arguments at their places."""
    wrong = [
        Diagnostic(f"argument '{parameter.name}' of the kernel stands here, found '{item.name}'", item.location)
        for item, parameter in zip(items, signature, strict=True)
        if item.name is not None and parameter.is_buffer and not _same_name(item.name, parameter.name)
    ]
    if wrong:
        order = f"the kernel's arguments, in this order: {', '.join(p.name for p in signature)}"
        raise InputsError([*wrong[:-1], replace(wrong[-1], hint=order)])


def _same_name(written: str, name: str) -> bool:
    """Sizes are often capital letters, so the case of an array's name does not matter; unnamed ones fit any name."""
    return written.casefold() == name.casefold() or name.startswith("arg")


def _scalar(expression: Expression, parameter: ScalarParameter, names: Mapping[str, Number]) -> object:
    value = evaluate(expression, names)
    if parameter.dtype.kind == "b":
        if value not in (0, 1):
            fail(expression.location, f"argument '{parameter.name}' is 0 or 1 (i1), found {value}")
        return bool(value)
    if not is_float(parameter.dtype) and not isinstance(value, int):
        fail(expression.location, f"argument '{parameter.name}' is an integer ({parameter.dtype}), found {value}")
    return value


def _array(
    expression: Expression,
    parameter: BufferParameter,
    names: Mapping[str, Number],
    rng: np.random.Generator,
    data: Data,
) -> Array:
    if not isinstance(expression, Call) or expression.function not in GENERATORS:
        found = f"'{expression.name}'" if isinstance(expression, Name) else "a number"
        found = f"'{expression.function}(...)'" if isinstance(expression, Call) else found
        hint = f"arrays are made by {', '.join(GENERATORS)}"
        if isinstance(expression, Call):
            hint = did_you_mean(expression.function, GENERATORS, hint)
        fail(expression.location, f"argument '{parameter.name}' is an array {parameter}, found {found}", hint)
    generator = GENERATORS[expression.function]
    options = _options(expression, generator, names)
    shape = _shape(expression, generator, parameter, names)
    if generator.is_random and data != "written" and not _is_exact(generator, data, parameter):
        generator, options = _REPLACEMENTS[data], {}
    try:
        values = generator.make(rng, shape, parameter.dtype, **options)
    except ValueError as error:
        fail(expression.location, f"argument '{parameter.name}': {error}")
    return _laid_out(values, parameter)


def _options(call: Call, generator: Generator, names: Mapping[str, Number]) -> dict[str, Number]:
    leading = zip(generator.leading, call.positional, strict=False)
    options = {name: evaluate(expression, names) for name, expression in leading}
    for name, expression in call.named:
        if name not in generator.options or name in options:
            known = ", ".join(generator.options) or "none"
            if name in options:
                left, hint = "is given twice", ""
            else:
                left, hint = "is none of its options", did_you_mean(name, generator.options)
            message = f"'{call.function}': '{name}' {left}; its options are: {known}"
            fail(expression.location, message, hint)
        options[name] = evaluate(expression, names)
    return options


def _shape(
    call: Call, generator: Generator, parameter: BufferParameter, names: Mapping[str, Number]
) -> tuple[int, ...]:
    static = tuple(n for n in parameter.shape if n is not None)
    extents = call.positional[len(generator.leading) :]
    if not extents and len(static) == len(parameter.shape):
        return static
    shape = tuple(evaluate_integer(extent, names, "an extent") for extent in extents)
    fits = len(shape) == len(parameter.shape) and all(
        expected in (None, found) for expected, found in zip(parameter.shape, shape, strict=True)
    )
    if not fits:
        fail(call.location, f"argument '{parameter.name}' is an array {parameter}, found extents {extents_text(shape)}")
    if math.prod(shape) * parameter.dtype.itemsize > MAX_BYTES:
        fail(call.location, f"argument '{parameter.name}' of extents {extents_text(shape)} exceeds {MAX_BYTES} bytes")
    return shape


def _laid_out(values: Array, parameter: BufferParameter) -> Array:
    """The values with the strides that the parameter demands; strides it leaves open are the smallest."""
    values = np.asarray(values, order="C")
    if parameter.strides is None or 0 in values.shape:
        return values
    strides: list[int] = list(row_major_strides(values.shape))
    for i in reversed(range(len(strides))):
        given = parameter.strides[i]
        following = strides[i + 1] * values.shape[i + 1] if i + 1 < len(strides) else 1
        strides[i] = following if given is None else given
    if min(strides, default=0) < 0:
        raise ValueError(f"negative strides {strides} are for arrays of your own")
    span = 1 + sum(stride * (extent - 1) for stride, extent in zip(strides, values.shape, strict=True))
    memory = np.zeros(span, values.dtype)
    laid = np.lib.stride_tricks.as_strided(memory, values.shape, [stride * values.itemsize for stride in strides])
    laid[...] = values
    return laid


# Generators

Make = Callable[..., Array]


@dataclass(frozen=True, slots=True)
class Generator:
    """Makes the elements of one array; `leading` are numbers that stand before the extents, `options` named ones."""

    make: Make
    options: tuple[str, ...] = ()
    leading: tuple[str, ...] = ()
    is_random: bool = False


def _floats(values: Array, dtype: np.dtype[Any], what: str) -> Array:
    if not is_float(dtype):
        raise ValueError(f"'{what}' makes floats, the elements are {dtype}: take integers, index or special")
    with np.errstate(over="ignore", invalid="ignore"):
        return values.astype(dtype)


def _normal(rng: np.random.Generator, shape: tuple[int, ...], dtype: Any, mean: Number = 0, scale: Number = 1) -> Array:
    width = np.float64 if dtype == np.float64 else np.float32
    return _floats(rng.standard_normal(shape, width) * width(scale) + width(mean), dtype, "normal")


def _uniform(rng: np.random.Generator, shape: tuple[int, ...], dtype: Any, low: Number = 0, high: Number = 1) -> Array:
    width = np.float64 if dtype == np.float64 else np.float32
    if abs(high - low) > float(np.finfo(width).max):  # the distance is too large, not the numbers
        part = rng.random(shape)
        return _floats(high * part + low * (1 - part), dtype, "uniform")
    return _floats(rng.random(shape, width) * width(high - low) + width(low), dtype, "uniform")


def _integers(
    rng: np.random.Generator, shape: tuple[int, ...], dtype: Any, low: Number = -3, high: Number = 3
) -> Array:
    if not (isinstance(low, int) and isinstance(high, int) and low <= high):
        raise ValueError(f"'integers' needs integers low <= high, found {low} and {high}")
    if dtype.kind == "b":
        low, high = 0, 1
    elif kind_of(dtype) == "u" and low < 0:
        low = 0
    least, largest = integer_range(dtype)
    if low < least or high > largest:
        raise ValueError(f"{dtype} holds the integers from {least} to {largest}, found {low} to {high}")
    return rng.integers(low, high, shape, endpoint=True).astype(dtype)


def _index(rng: np.random.Generator, shape: tuple[int, ...], dtype: Any) -> Array:
    linear = np.arange(math.prod(shape), dtype=np.int64)
    largest = min(exact_integers(dtype), np.iinfo(np.int64).max - 1)  # more than any array has elements
    return (linear % (largest + 1)).astype(dtype).reshape(shape)


def _special(rng: np.random.Generator, shape: tuple[int, ...], dtype: Any) -> Array:
    values = special_values(dtype)
    repeats = -(-math.prod(shape) // len(values))
    return rng.permutation(np.tile(values, repeats)[: math.prod(shape)]).reshape(shape)


def _full(rng: np.random.Generator, shape: tuple[int, ...], dtype: Any, value: Number = 1) -> Array:
    if is_float(dtype):
        return np.full(shape, value, np.float64).astype(dtype)
    least, largest = integer_range(dtype)
    if not isinstance(value, int) or not least <= value <= largest:
        raise ValueError(f"{dtype} cannot hold {value}")
    return np.full(shape, value, dtype)


def _zeros(rng: np.random.Generator, shape: tuple[int, ...], dtype: Any) -> Array:
    return np.zeros(shape, dtype)


def _empty(rng: np.random.Generator, shape: tuple[int, ...], dtype: Any) -> Array:
    array = np.empty(shape, dtype)
    fill(array)
    return array


GENERATORS: Mapping[str, Generator] = {
    "normal": Generator(_normal, ("mean", "scale"), is_random=True),
    "uniform": Generator(_uniform, ("low", "high"), is_random=True),
    "integers": Generator(_integers, leading=("low", "high"), is_random=True),
    "index": Generator(_index),
    "special": Generator(_special),
    "full": Generator(_full, ("value",)),
    "ones": Generator(_full),
    "zeros": Generator(_zeros),
    "empty": Generator(_empty),
}
_REPLACEMENTS: Mapping[str, Generator] = {
    "exact": GENERATORS["integers"],
    "index": GENERATORS["index"],
    "special": GENERATORS["special"],
}


def _is_exact(generator: Generator, data: Data, parameter: BufferParameter) -> bool:
    """Whether data are integers of a chosen range, which may be places, where such are asked for."""
    return data == "exact" and generator is GENERATORS["integers"] and not is_float(parameter.dtype)


def integer_range(dtype: np.dtype[Any]) -> tuple[int, int]:
    """The least and the largest integer of those that the type holds without a gap."""
    if dtype.kind == "b":
        return 0, 1
    if is_float(dtype):
        return -exact_integers(dtype), exact_integers(dtype)
    return limits_of(dtype)


def exact_integers(dtype: np.dtype[Any]) -> int:
    """The largest n for which every integer from 0 to n is a value of the type."""
    if dtype.kind == "b":
        return 1
    if not is_float(dtype):
        return limits_of(dtype)[1]
    info = _finfo(dtype)
    return int(min(2 ** (info.nmant + 1), float(info.max)))


def special_values(dtype: np.dtype[Any]) -> Array:
    """The values at which arithmetic of the type changes its ways."""
    if dtype.kind == "b":
        return np.array([False, True])
    if not is_float(dtype):
        least, largest = limits_of(dtype)
        return np.array([least, largest, 0, 1, largest // 2]).astype(dtype)
    finfo = _finfo(dtype)
    numbers = [0.0, 1.0, float(finfo.max), float(finfo.tiny), float(finfo.smallest_subnormal), 3.0]
    with np.errstate(all="ignore"):
        return np.array([math.nan, math.inf, -math.inf, *numbers, *(-n for n in numbers)]).astype(dtype)


_finfo = cast("Callable[[np.dtype[Any]], Any]", ml_dtypes.finfo)  # untyped in ml_dtypes
