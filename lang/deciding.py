"""What decides the code of a function of Python that is traced, as parts of a key, without a trace.

A function is its instructions, names and constants, defaults, closure, and what each global name is that it loads:
functions and classes by theirs in turn, values by themselves. What is called with hooks has its text besides, which has
to be that of its instructions. What is not understood raises NotUnderstood, never stands for something else: a part
is left out only where lanewise's own identity, numpy's or Python's says it, which are in every key.
"""

from __future__ import annotations

import abc
import ast
import builtins
import dataclasses
import dis
import enum
import functools
import inspect
import linecache
import sys
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..jit.cache.key import Key
from .constants import class_of
from .helpers import plain_of
from .rewrite import code_of


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_OURS = __name__.partition(".")[0]
_ROOMS = frozenset({"", "ir", "jit", "lang", "layout", "support", "targets"})
"""What of lanewise kernels have to do with; who runs its examples and tests has them as modules of the package, too."""
_MOST, _DEEPEST = 20_000, 100
_LEAVES = (type(None), bool, int, float, str, bytes)
_PURE_BUILTINS = _words(
    "abs all any ascii bin bool bytes callable chr classmethod complex dict divmod enumerate filter float format "
    "frozenset hasattr hex int isinstance issubclass iter len list map max min next object oct ord pow property "
    "range reversed round set slice sorted staticmethod str sum super tuple type zip"
)
"""What depends on nothing but its arguments, and is not there for what it does besides, as `print` is."""
_PURE_MODULES = frozenset({"functools", "itertools", "math", "operator"})
_PURE_CLASSES = frozenset(
    {"functools.partial", "itertools.chain", "itertools.islice", "itertools.product", "itertools.repeat"}
)
_VERSIONED = frozenset({"numpy", "ml_dtypes"})
"""Packages whose identity is in every key."""
_ABSTRACT = frozenset({"abc", "collections.abc", "dataclasses", "enum", "typing"})
"""Modules of Python whose classes are known by their names."""
_METHODS = frozenset({"__class__", "__init__", "__name__", "__new__", "__post_init__", "__qualname__", "__setattr__"})
_FRAMES = frozenset({"ag_frame", "cr_frame", "f_back", "f_builtins", "f_globals", "f_locals", "gi_frame", "tb_frame"})
_ATTRIBUTE_LOADS = frozenset({"LOAD_ATTR", "LOAD_METHOD"})
_WITH_ATTRIBUTES = _ATTRIBUTE_LOADS | {"STORE_ATTR", "DELETE_ATTR", "LOAD_SUPER_ATTR"}
_LOCAL_STORES = frozenset({"STORE_NAME", "DELETE_NAME"})
_OUTER_STORES = frozenset({"STORE_GLOBAL", "DELETE_GLOBAL"})
_OUTER_CELLS = frozenset({"STORE_DEREF", "DELETE_DEREF"})
_MADE_BY_PYTHON = _words(
    "__dict__ __weakref__ __doc__ __module__ __annotations__ __annotate__ __annotate_func__ __annotations_cache__ "
    "__firstlineno__ __static_attributes__ __orig_bases__ __parameters__ _abc_impl"
)
_OF_DATACLASSES = frozenset({"__dataclass_fields__", "__dataclass_params__", "__match_args__", "__slots__"})
_GENERATED = _words(
    "__init__ __repr__ __eq__ __lt__ __le__ __gt__ __ge__ __hash__ __setattr__ __delattr__ __replace__ __getstate__ "
    "__setstate__"
)
"""Methods that `dataclass` may write, of what the fields say."""
_OF_MEMBERS = frozenset({"__objclass__", "_name_", "_sort_order_", "_value_"})
_OF_TUPLES = frozenset(
    {"__new__", "_make", "_replace", "__replace__", "__repr__", "_asdict", "__getnewargs__", "__slots__"}
)
"""What `NamedTuple` writes."""
_TAKEN = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS | inspect.CO_GENERATOR | inspect.CO_COROUTINE


class NotUnderstood(Exception):
    """A value may decide code in a way that is not known here; the message says which."""


class Deciding:
    """Makes parts of one key. What was met before is named by its number, so circles come to an end."""

    def __init__(self, depth: int = 0) -> None:
        self._numbers: dict[int, tuple[int, object]] = {}
        self._count = 0
        self._depth = depth

    def kernel(self, function: types.FunctionType) -> object:
        """What is called with hooks. Raises NotUnderstood."""
        return self._once(function, lambda: ("hooked", *self._text(function), *self._function(function)))

    def of(self, value: Any) -> object:
        """A value. Raises NotUnderstood."""
        if type(value) in _LEAVES:
            return value
        self._count += 1
        self._depth += 1
        if self._count > _MOST or self._depth > _DEEPEST:
            raise NotUnderstood("there is too much of it")
        try:
            return self._of(value)
        finally:
            self._depth -= 1

    def _of(self, value: Any) -> object:
        kind = class_of(value)
        rule = _RULES.get(kind)
        if rule is not None:
            return rule(self, value)
        if isinstance(value, type):
            return self._once(value, lambda: self._class(value))
        return self._once(value, lambda: self._instance(value))

    def _once(self, value: object, make: Callable[[], object]) -> object:
        known = self._numbers.get(id(value))
        if known is not None:
            return ("again", known[0])
        self._numbers[id(value)] = len(self._numbers), value  # which keeps its identity from being another's
        return make()

    # Values

    def items(self, values: Any) -> tuple[object, ...]:
        return tuple(self.of(value) for value in values)

    def mapping(self, value: Mapping[Any, Any]) -> object:
        return self._once(value, lambda: ("dict", *((self.of(k), self.of(v)) for k, v in value.items())))

    def listed(self, value: list[Any]) -> object:
        return self._once(value, lambda: ("list", *self.items(value)))

    def unordered(self, value: Any) -> object:
        """Its elements have no order, and each is looked at alone."""
        return ("set", type(value).__name__, sorted(Key("element", Deciding(self._depth).of(v)).digest for v in value))

    def partial(self, value: functools.partial[Any]) -> object:
        return self._once(value, lambda: ("partial", *self.items((value.func, value.args, value.keywords))))

    def module(self, value: types.ModuleType) -> object:
        if not _is_ours(value.__name__):
            raise NotUnderstood(f"module {value.__name__} itself is used")
        return ("module", value.__name__)

    def array(self, value: np.ndarray[Any, Any]) -> object:
        if value.dtype.hasobject:
            raise NotUnderstood("an array of objects")
        return ("array", *self.items((value.dtype, value.shape, value.strides)), value.tobytes())

    def builtin(self, value: Any) -> object:
        module, name = value.__module__, value.__qualname__
        is_pure = (module == "builtins" and name in _PURE_BUILTINS) or (str(module).lstrip("_") in _PURE_MODULES)
        if not is_pure or not isinstance(value.__self__, types.ModuleType):
            raise NotUnderstood(f"{value!r}")
        return ("builtin", str(module), name)

    def _instance(self, value: Any) -> object:
        kind = class_of(value)
        package = kind.__module__.partition(".")[0]
        if issubclass(kind, np.generic) and package in _VERSIONED and not value.dtype.hasobject:
            return ("number", self.of(value.dtype), value.tobytes())
        if issubclass(kind, np.dtype):
            if value.hasobject or value.fields is not None or value.subdtype is not None:
                raise NotUnderstood(f"{value!r}")
            return ("dtype", value.name, value.str)
        if issubclass(kind, np.ufunc):
            return self._ufunc(value)
        if kind.__module__ == "torch" and kind.__name__ == "dtype":
            return ("torch", str(value))
        if issubclass(kind, enum.Enum):
            own = {name: v for name, v in sorted(_own(value).items()) if name not in _OF_MEMBERS}
            return ("member", self.of(kind), value.name, self.of(own))
        fields = tuple(self._fields(value, kind))
        return ("instance", self.of(kind), *fields)

    def _ufunc(self, value: np.ufunc) -> object:
        name: str = value.__name__
        if vars(np).get(name) is not value:
            raise NotUnderstood(f"{value!r}")
        return ("ufunc", name)

    def _fields(self, value: Any, kind: Any) -> Iterator[object]:
        record = getattr(kind, "__record__", None)
        if record is not None and record.cls is kind:  # lanewise's own data classes
            yield from (self.of(getattr(value, name)) for name, field in record.fields.items() if field.init)
        elif all(map(_is_plain, kind.__mro__)) and dataclasses.is_dataclass(kind):
            yield from (self.of(getattr(value, field.name, "")) for field in dataclasses.fields(kind))
            yield self.of(dict(sorted(getattr(value, "__dict__", {}).items())))
        elif _is_named_tuple(kind):
            yield from self.items(value)
        else:
            raise NotUnderstood(f"a value of {kind.__module__}.{kind.__qualname__}")

    # Classes

    def _class(self, value: Any) -> object:
        module, name = value.__module__, value.__qualname__
        package = str(module).partition(".")[0]
        if module == "builtins" and (name in _PURE_BUILTINS or issubclass(value, BaseException)):
            return ("class", module, name)
        if _is_ours(module) or module in _ABSTRACT or f"{module}.{name}" in _PURE_CLASSES:
            return ("class", module, name)
        if package in _VERSIONED and issubclass(value, (np.generic, np.ndarray, np.dtype)):
            return ("class", module, name)
        if type(value) not in (type, abc.ABCMeta, enum.EnumMeta):
            raise NotUnderstood(f"class {module}.{name}")
        return ("written class", name, self.items(value.__bases__), *self._body(value))

    def _body(self, value: Any) -> Iterator[object]:
        left, entries = _MADE_BY_PYTHON, _own(value)
        if issubclass(type(value), enum.EnumMeta):
            members: Mapping[str, Any] = value.__members__
            yield tuple((name, self.of(member._value_)) for name, member in members.items())
            left = left | {*members} | {n for n in entries if n.startswith("_") and _is_of_enum(value, n)}
        elif _is_named_tuple(value):
            yield self.items((value._fields, value._field_defaults))
            written = {n for n in _OF_TUPLES & entries.keys() if _is_of_module(entries[n], value.__module__)}
            left = left | (_OF_TUPLES - written) | {*value._fields, "_field_defaults"}
        elif "__dataclass_fields__" in entries:
            fields: Mapping[str, dataclasses.Field[Any]] = entries["__dataclass_fields__"]
            yield from map(self._field, fields.values())
            generated = {n: v for n, v in entries.items() if n in _GENERATED and _is_generated(v)}
            yield tuple((name, self._code(method.__code__)) for name, method in generated.items())
            left = left | _OF_DATACLASSES | generated.keys()
        for name, entry in entries.items():
            if name not in left and not isinstance(entry, (types.MemberDescriptorType, types.GetSetDescriptorType)):
                yield name, self.of(entry)

    def _field(self, field: dataclasses.Field[Any]) -> object:
        default = () if field.default is dataclasses.MISSING else (self.of(field.default),)
        factory = () if field.default_factory is dataclasses.MISSING else (self.of(field.default_factory),)
        return field.name, default, factory, field.init, field.compare, field.kw_only is True

    def accessors(self, value: property) -> object:
        return ("property", *self.items((value.fget, value.fset, value.fdel)))

    # Functions

    def function(self, value: types.FunctionType) -> object:
        plain = plain_of(value)
        if plain is not None:
            return self.kernel(plain)
        if _is_ours(value.__module__) and vars(sys.modules[value.__module__]).get(value.__name__) is value:
            return ("function", value.__module__, value.__name__)
        return self._once(value, lambda: ("written function", *self._function(value)))

    def _function(self, function: types.FunctionType) -> Iterator[object]:
        code = function.__code__
        yield function.__name__
        yield self._code(code)
        yield self.items((function.__defaults__, function.__kwdefaults__, {**vars(function)}))
        cells = _cells(function)
        for name, cell in cells.items():
            content = _content(cell)
            if not isinstance(content, types.ModuleType):
                yield name, ("empty",) if content is _NOTHING else self.of(content)
        yield from self._loads(code, function.__globals__, cells)

    def _code(self, code: types.CodeType) -> object:
        inner = [self._code(constant) for constant in code.co_consts if isinstance(constant, types.CodeType)]
        return (*self._names(code), code.co_code, code.co_exceptiontable, inner)

    def _names(self, code: types.CodeType) -> tuple[object, ...]:
        """Those and the constants of a function and the functions in it, and how they take arguments."""
        taken = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags & _TAKEN
        names = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
        constants = [self._names(c) if isinstance(c, types.CodeType) else self.of(c) for c in code.co_consts]
        return (*taken, *names, constants)

    def _text(self, function: types.FunctionType) -> Iterator[object]:
        """The text that is rewritten, where there is one, and what it loads. It has to be that of the function, as far
        as names and constants say: how instructions load what a file imports depends on all of the file."""
        code = function.__code__
        block = _block(code, linecache.getlines(code.co_filename)[code.co_firstlineno - 1 :])
        if not block:
            return
        try:
            node = ast.parse("".join(["if 1:\n", *block] if block[0][:1].isspace() else ["\n", *block])).body[0]
        except SyntaxError:
            raise NotUnderstood(f"the text of {function.__qualname__}") from None
        node = node.body[0] if isinstance(node, ast.If) else node
        if not isinstance(node, ast.FunctionDef) or node.name != function.__name__:
            raise NotUnderstood(f"the text of {function.__qualname__}")
        written = code_of(node, function)
        if self._names(written) != self._names(code):
            raise NotUnderstood(f"{code.co_filename} has changed since it was imported")
        yield "".join(block[node.lineno - 2 :])  # behind its decorators
        yield from self._loads(written, function.__globals__, _cells(function))

    def _loads(
        self, code: types.CodeType, names: Mapping[str, Any], cells: Mapping[str, types.CellType]
    ) -> Iterator[object]:
        """What the global names are, and the attributes of modules. A module is understood where attributes of it
        are asked for alone."""
        holder: types.ModuleType | None = None
        for step in dis.get_instructions(code):
            if step.opname == "EXTENDED_ARG":  # belongs to the next one, which has the whole name
                continue
            if holder is None:
                found = _loaded(step, names, cells)
            elif step.opname in _ATTRIBUTE_LOADS:
                found = _attribute(holder, step.argval)
            else:
                raise NotUnderstood(f"module {holder.__name__} itself is used")
            holder = None
            if isinstance(found, types.ModuleType) and not _is_ours(found.__name__):
                holder = found
            elif found is not _NOTHING:
                yield step.argval, self.of(found)
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                yield from self._loads(constant, names, cells)


_NOTHING = object()


def _loaded(step: dis.Instruction, names: Mapping[str, Any], cells: Mapping[str, types.CellType]) -> Any:
    """What an instruction loads by name: the value of a global name, a module in a cell, or nothing."""
    if step.opcode in dis.hasfree and step.argval in cells:
        if step.opname in _OUTER_CELLS:
            raise NotUnderstood(f"'{step.argval}' is set by what it decides")
        content = _content(cells[step.argval])
        return content if isinstance(content, types.ModuleType) and step.opname != "LOAD_CLOSURE" else _NOTHING
    if step.opcode not in dis.hasname:
        return _NOTHING
    if step.opname in _OUTER_STORES or step.opname.startswith("IMPORT"):
        raise NotUnderstood(f"{step.opname} of '{step.argval}'")
    if step.opname in _WITH_ATTRIBUTES:
        _check_attribute(step.argval)
        return _NOTHING
    if step.opname in _LOCAL_STORES:
        return _NOTHING
    if step.argval in names:
        return names[step.argval]
    return vars(builtins).get(step.argval, _NOTHING)  # else a name of a class's body, or of nothing


def _check_attribute(name: str) -> None:
    """Refuses those by which all other names can be reached."""
    is_dunder = name.startswith("__") and name.endswith("__")
    if name in _FRAMES or (is_dunder and name not in _METHODS):
        raise NotUnderstood(f"the attribute '{name}'")


def _attribute(module: types.ModuleType, name: str) -> Any:
    _check_attribute(name)
    found = vars(module).get(name, _NOTHING)
    if found is _NOTHING:
        raise NotUnderstood(f"'{name}' of module {module.__name__}")
    return found


def _is_ours(module: object) -> bool:
    """Whether all of a module, by its name, is said by what is in every key."""
    package, _, rest = str(module).partition(".")
    return package == _OURS and rest.partition(".")[0] in _ROOMS


def _block(code: types.CodeType, lines: Sequence[str]) -> Sequence[str]:
    """The lines of a function out of those from its first one on: as far as its instructions go, and what is indented
    behind them, which has none. (`inspect` tokenises, and its patterns take milliseconds to compile.)"""
    count = _last_line(code) - code.co_firstlineno + 1
    while count < len(lines) and (not lines[count].strip() or _indent(lines[count]) > _indent(lines[0])):
        count += 1
    while 0 < count <= len(lines) and not lines[count - 1].strip():
        count -= 1
    return lines[:count]


def _last_line(code: types.CodeType) -> int:
    inner = (_last_line(constant) for constant in code.co_consts if isinstance(constant, types.CodeType))
    own = (last or first or 0 for first, last, _, _ in code.co_positions())
    return max(code.co_firstlineno, *own, *inner)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _cells(function: types.FunctionType) -> dict[str, types.CellType]:
    return dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))


def _own(value: object) -> Mapping[str, Any]:
    return vars(value)


def _content(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return _NOTHING


def _is_plain(kind: type) -> bool:
    """Whether instances have nothing but attributes, as far as a class says."""
    return kind is object or kind.__module__ in _ABSTRACT or dataclasses.is_dataclass(kind)


def _is_named_tuple(kind: Any) -> bool:
    return kind.__bases__ == (tuple,) and hasattr(kind, "_fields") and "__dict__" not in vars(kind)


def _is_of_module(entry: object, module: str) -> bool:
    """Whether it is a function that stands in a module's own text."""
    return isinstance(entry, types.FunctionType) and entry.__globals__.get("__name__") == module


def _is_of_enum(kind: type, name: str) -> bool:
    """Whether `enum` has put it there."""
    entry = vars(kind)[name]
    return not isinstance(entry, types.FunctionType) or entry.__module__ != kind.__module__


def _is_generated(entry: object) -> bool:
    """Whether `dataclass` has written a method; around its `__repr__` stands what Python has against circles."""
    if not isinstance(entry, types.FunctionType):
        return False
    written: object = inspect.unwrap(entry)
    is_text = isinstance(written, types.FunctionType) and written.__code__.co_filename == "<string>"
    return is_text or entry.__globals__.get("__name__") == dataclasses.__name__


_RULES: Mapping[type, Callable[[Deciding, Any], object]] = {
    tuple: lambda made, value: ("tuple", *made.items(value)),
    list: Deciding.listed,
    dict: Deciding.mapping,
    types.MappingProxyType: Deciding.mapping,
    set: Deciding.unordered,
    frozenset: Deciding.unordered,
    complex: lambda made, value: ("complex", value.real, value.imag),
    type(...): lambda made, value: ("ellipsis",),
    range: lambda made, value: ("range", *made.items((value.start, value.stop, value.step))),
    slice: lambda made, value: ("slice", *made.items((value.start, value.stop, value.step))),
    functools.partial: Deciding.partial,
    types.ModuleType: Deciding.module,
    np.ndarray: Deciding.array,
    types.FunctionType: Deciding.function,
    types.BuiltinFunctionType: Deciding.builtin,
    types.MethodType: lambda made, value: ("method", *made.items((value.__func__, value.__self__))),
    property: Deciding.accessors,
    classmethod: lambda made, value: ("classmethod", made.of(value.__func__)),
    staticmethod: lambda made, value: ("staticmethod", made.of(value.__func__)),
}
