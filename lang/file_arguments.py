"""What a kernel of a file is compiled for, as words say it: types of arguments, constants, and extents by their names.

Annotations say types; words (`x=f16[M, 64]`) replace them. Of what neither says, an array of f32 is taken, with as many
axes as the function indexes it with, and that is told.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from ..ir.did_you_mean import did_you_mean
from ..support.diagnostics import Location, Source
from ..support.named_tuples import NamedTuple
from .dtypes import ALL, ArrayType, Dim, DType, f32
from .python_file import definition_of, fail_at, place_of, source_of
from .python_kernel import Kernel
from .signature import ParameterType

BY_NAME: Mapping[str, DType] = {dtype.name: dtype for dtype in ALL}


class Asked(NamedTuple):
    """What a kernel is compiled for.

    Attributes:
        types: Of its arguments, in their order.
        constants: Those that are set.
        assumed: Arguments of which nothing says the type.
    """

    types: tuple[ParameterType, ...]
    constants: Mapping[str, Any]
    assumed: tuple[str, ...]


def asked_of(kernel: Kernel, text: Source, settings: Mapping[str, str], sizes: Collection[str] = ()) -> Asked:
    """What settings by name ask for; names in `sizes` are about data alone.

    Raises ParametersError where a name is none of the kernel's, a value is none, or something is not said.
    """
    signature, source = kernel.signature, source_of(kernel, text)
    place = place_of(kernel, source)
    arguments = {p.name: p.type for p in signature.arguments}
    extents = {name for type in arguments.values() if isinstance(type, ArrayType) for name in type.names if name}
    known = {*signature.constants, *arguments, *extents, *sizes}
    for name in settings:
        if name not in known:
            kinds = {"constants": signature.constants, "arguments": arguments, "extents": sorted(extents | {*sizes})}
            there = "; ".join(f"{kind}: {', '.join(names) or 'none'}" for kind, names in kinds.items())
            message = f"kernel '{signature.name}' has nothing called '{name}' to set; {there}"
            raise fail_at(place, message, did_you_mean(name, known))
    chosen = {name: _extent(name, settings[name], place) for name in extents if name in settings and name not in sizes}
    subscripts = _Subscripts(definition_of(kernel, source))
    types, assumed = list[ParameterType](), list[str]()
    for name, annotated in arguments.items():
        type = _type(name, settings[name], place) if name in settings else annotated
        if type is None:
            type = _assumed(name, subscripts.axes(name), place, signature.name)
            assumed.append(f"{name}: {type!r}")
        types.append(_with_extents(type, chosen))
    constants = {n: _constant(kernel, n, settings[n], place) for n in signature.constants if n in settings}
    for name, default in signature.constants.items():
        if default is inspect.Parameter.empty and name not in constants:
            message = f"kernel '{signature.name}': the constant '{name}' has no default"
            raise fail_at(place, message, f"give it a value: --set {name}=VALUE")
    return Asked(tuple(types), constants, tuple(assumed))


def _assumed(name: str, axes: int | None, place: Location | None, kernel: str) -> ArrayType:
    if axes is None:
        hint = f"--set {name}=i32 of a number, --set '{name}=f16[M, 64]' of an array; or annotate it"
        raise fail_at(place, f"kernel '{kernel}': no annotation says what argument '{name}' is", hint)
    return ArrayType(f32, (None,) * axes)


def _with_extents(type: ParameterType, chosen: Mapping[str, int]) -> ParameterType:
    if not isinstance(type, ArrayType):
        return type
    return ArrayType(type.dtype, tuple(chosen.get(d, d) if isinstance(d, str) else d for d in type.dims), type.strides)


class _Subscripts:
    """With how many axes a function indexes its parameters, as far as its own text shows."""

    def __init__(self, definition: ast.FunctionDef | None) -> None:
        self._found: dict[str, set[int]] = {}
        for node in ast.walk(definition) if definition is not None else ():
            for name, parts in _indexed(node):
                given = [part.value for part in parts if isinstance(part, ast.Constant)]
                if ... not in given and not any(isinstance(part, ast.Starred) for part in parts):
                    self._found.setdefault(name, set()).add(len(parts) - given.count(None))

    def axes(self, name: str) -> int | None:
        """None where nothing shows, or places differ."""
        found = self._found.get(name, set())
        return next(iter(found)) if len(found) == 1 else None


def _indexed(node: ast.AST) -> Iterator[tuple[str, Sequence[ast.expr]]]:
    """`x[i, j]`, `x.at[i, j]`, `x.load(i, j)` and `x.store((i, j), ...)` have two indices."""
    match node:
        case ast.Subscript(value=ast.Name(id=name) | ast.Attribute(value=ast.Name(id=name), attr="at"), slice=key):
            yield name, _parts(key)
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method), args=arguments):
            if method in _TAKE_INDICES:
                yield name, arguments
            elif method in _TAKE_KEYS and arguments:
                yield name, _parts(arguments[0])
        case _:
            pass


def _parts(key: ast.expr) -> Sequence[ast.expr]:
    return key.elts if isinstance(key, ast.Tuple) else [key]


_TAKE_INDICES = ("load", "prefetch", "view")
_TAKE_KEYS = ("store", "store_compressed", "load_expanded")
"""Methods of arrays by how they take places."""


# Words


_TYPE = re.compile(r"\s*(?:lw\.)?(\w+)\s*(?:\[([^\]]*)\]\s*(?:\.strided\(([^)]*)\))?)?\s*")
_UNKNOWN = ("?", "None", ":")


def _type(name: str, text: str, place: Location | None) -> ParameterType:
    found = _TYPE.fullmatch(text)
    dtype = None if found is None else BY_NAME.get(found[1])
    if found is None or dtype is None:
        hint = did_you_mean(text if found is None else found[1], BY_NAME) or f"element types: {', '.join(BY_NAME)}"
        raise fail_at(place, f"argument '{name}' is set to a type, such as i32 or f16[M, 64], found '{text}'", hint)
    if found[2] is None:
        return dtype
    dims = tuple(_dim(name, word, place) for word in found[2].split(",") if word.strip())
    if found[3] is None:
        return ArrayType(dtype, dims)
    strides = tuple(_dim(name, word, place) for word in found[3].split(",") if word.strip())
    if len(strides) != len(dims) or any(isinstance(stride, str) for stride in strides):
        raise fail_at(place, f"argument '{name}' has {len(dims)} axes, and as many strides, found '{found[3]}'", "")
    return ArrayType(dtype, dims, tuple(s if isinstance(s, int) else None for s in strides))


def _dim(name: str, word: str, place: Location | None) -> Dim:
    word = word.strip()
    if word in _UNKNOWN:
        return None
    if word.isdecimal():
        return int(word)
    if not word.isidentifier():
        raise fail_at(place, f"an extent of '{name}' is a number, a name, or ? for any, found '{word}'", "")
    return word


def _extent(name: str, text: str, place: Location | None) -> int:
    if not text.isdecimal():
        raise fail_at(place, f"the extent '{name}' is set to a number from 0, found '{text}'", "")
    return int(text)


def _constant(kernel: Kernel, name: str, text: str, place: Location | None) -> Any:
    """A literal of Python, an element type by its name, or a word where the constant is one."""
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError):
        pass
    if text in BY_NAME:
        return BY_NAME[text]
    default, hint = kernel.signature.constants[name], kernel.signature.constant_hints.get(name)
    if isinstance(default, str) or hint is str:
        return text
    expected = "a number, True, False, a 'text', a tuple of such or an element type"
    raise fail_at(place, f"the constant '{name}' is set to {expected}, found '{text}'", "")
