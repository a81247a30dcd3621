"""`@lanewise.kernel`: a function of Python that is traced into a vector program for each signature, and launched."""

from __future__ import annotations

import functools
import threading
import types
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from ..environment import CacheChoice, chosen_cache
from ..jit.device_choice import DEFAULT_TARGET, DeviceChoice, chip_of_choice
from ..jit.grids import Grid
from ..jit.kernel import Kernel as CompiledKernel
from ..jit.launchers import Launchers
from ..jit.prepared import PreparedLaunch
from ..jit.signature import ArgumentError, SignatureParameter
from ..support.named_tuples import NamedTuple
from ..targets import Chip, find_chip
from .constants import told_apart
from .dispatch import Start, Way, started_by, started_on, started_where
from .grids import Cover
from .helpers import check_is_plain
from .options import Options, Workgroup
from .reached import Reached, functions_in
from .recipe import FromPython, Written
from .signature import ParameterType, Signature, SignatureError
from .tracebacks import for_users
from .under_way import is_tracing

if TYPE_CHECKING:
    from ..ir.core import Operation
    from ..jit.grid_uses import GridUses
    from ..jit.operation import Out
    from ..jit.shown import Explanation
    from . import eager
    from .debug import Debug
    from .program import Program
    from .trace import Places

GridChoice: TypeAlias = "Grid | Callable[..., Grid] | None"


class Specialisation:
    """A kernel for types of arguments and constants, traced and compiled when that is first asked for.

    Attributes:
        written: What it is compiled from.
    """

    def __init__(self, written: Written, compiled: Callable[[Written], CompiledKernel]) -> None:
        self.written = written
        self._compiled = compiled
        self._compiling = threading.Lock()
        self._kernel: CompiledKernel | None = None

    @property
    def kernel(self) -> CompiledKernel:
        """Raises what tracing and `lanewise.compile` do."""
        if self._kernel is None:
            with self._compiling:
                self._kernel = self._kernel or self._compiled(self.written)
        return self._kernel

    @property
    def is_compiled(self) -> bool:
        return self._kernel is not None

    @functools.cached_property
    def cover(self) -> Cover:
        return Cover(self._grid_uses.uses)

    @property
    def axes(self) -> tuple[str, ...]:
        """The axes of the grid that it asks for its place in."""
        return self._grid_uses.axes

    @property
    def _grid_uses(self) -> GridUses:
        found = self.kernel.grid_uses
        assert found is not None, "what is traced says how its grid goes"
        return found

    @property
    def types(self) -> tuple[ParameterType, ...]:
        """The types of its arguments."""
        return self.written.types

    @property
    def module(self) -> Operation:
        """The program, which is traced now if a cache had the kernel."""
        return self.written.module


class Entry(NamedTuple):
    """How a specialisation is started."""

    launchers: Launchers
    on_its_grid: Start
    specialisation: Specialisation


class Kernel:
    """A kernel in Python: `kernel(*arguments)` and `kernel[grid](*arguments)` launch it.

    Attributes:
        signature: Its arguments and constants.
        target: The chip, as its decorator says it.
    """

    def __init__(self, function: types.FunctionType, options: Options, target: str | Chip | None, device: DeviceChoice,
                 fastmath: Literal["none", "approx"], grid: GridChoice, cache: CacheChoice) -> None:  # fmt: skip
        functools.update_wrapper(self, function)
        self.function, self.options = function, options
        self.target, self._grid = target, grid
        self._device: DeviceChoice = device
        self._fastmath: Literal["none", "approx"] = fastmath
        self._chip: Chip | None = None
        self._cache: CacheChoice = cache
        self._known: dict[Any, Specialisation] = {}
        self._states: dict[Any, Reached] = {}
        """By what globals, closures and the like were: each knows its own launches."""
        self._reached: Reached | None = None
        self._last: Specialisation | None = None

    @property
    def fastmath(self) -> Literal["none", "approx"]:
        """What its arithmetic may do beside what it says itself, as in `lanewise.compile`."""
        return self._fastmath

    @functools.cached_property
    def signature(self) -> Signature:
        return Signature(self.function)

    def __reduce__(self) -> str:
        """Kernels of modules are pickled by their name, as functions are; a copy is the kernel itself."""
        return self.function.__qualname__

    def __repr__(self) -> str:
        name = self.function.__qualname__
        try:
            signature = self.signature
        except SignatureError:  # whoever calls the kernel is told
            return f"<lanewise kernel {name}>"
        target = self.target.name if isinstance(self.target, Chip) else self.target
        return f"<lanewise kernel {name}({signature})" + (f" for {target}>" if target else ">")

    def __str__(self) -> str:
        """What it is, and what it was compiled to so far. Nothing is traced or compiled for it."""
        from ..jit.kernel_words import text_of_rows

        return "\n\n".join([repr(self), *(text_of_rows(found.kernel.summary) for found in self._known.values())])

    def _repr_html_(self) -> str:
        from ..jit.kernel_words import html_of_rows
        from ..support.svg import escaped

        tables = "".join(html_of_rows(found.kernel.summary) for found in self._known.values())
        return f"<code>{escaped(repr(self))}</code>{tables}"

    # Launching

    def __call__(self, *arguments: Any, stream: object = None, **named: Any) -> None:
        """Launches on the grid that follows from what the kernel writes, or that its decorator says."""
        entry = self._entry(arguments, named)
        if entry is None or not entry.on_its_grid(stream, *arguments):
            self._launch(None, arguments, stream, named, entry)

    def __getitem__(self, grid: Grid) -> Callable[..., None]:
        return functools.partial(self.launch, grid)

    def launch(self, grid: Grid, /, *arguments: Any, stream: object = None, **named: Any) -> None:
        """Launches on a grid of workgroups. Raises what `lanewise.Kernel.launch` does, and what tracing does."""
        entry = self._entry(arguments, named)
        if entry is None or not entry.launchers.latest(grid, arguments, stream, 0):
            self._launch(grid, arguments, stream, named, entry)

    def _entry(self, arguments: tuple[Any, ...], named: Mapping[str, Any]) -> Entry | None:
        """What is known of launches with such arguments."""
        reached = self._reached
        if reached is None or not reached.still():
            return None
        try:
            way = reached.ways.get(_kinds(arguments, named) if named else tuple(map(type, arguments)))
        except TypeError:  # a constant that cannot be hashed; the careful way says so
            return None
        if way is None or (way.is_watched and not way.still(named)):
            return None
        entry: Entry | None = way.find(way.table, *arguments)
        return entry

    def _now(self) -> Reached:
        """What the function reaches beside its arguments, as it is now: what was traced with other values is not
        taken again."""
        reached = self._reached
        if reached is None or not reached.still():
            fresh = Reached(self.function)
            known = self._states.setdefault(fresh.key, fresh)
            fresh.ways = known.ways
            reached = self._reached = fresh
        return reached

    @for_users
    def _launch(
        self,
        grid: Grid | None,
        arguments: tuple[Any, ...],
        stream: object,
        named: Mapping[str, Any],
        known: Entry | None,
    ) -> None:
        """The careful way: traces and compiles what is new, and says what is wrong."""
        given, chosen = self._bound(arguments, named)
        if known is not None:
            try:
                self._start(known.specialisation, grid, given, chosen, stream)
                return
            except ArgumentError:
                pass  # another specialisation may take such strides
        reached = self._now()
        found = self._specialised(given, chosen)
        was_compiled = found.is_compiled
        self._start(found, grid, given, chosen, stream)
        if not was_compiled and not reached.still():
            self._forget(found)
            return
        is_dense = not any(t.strides for t in found.types)
        if is_dense and not any(name in named for name in self._argument_names):
            self._keep(reached, arguments, named, found, chosen)

    def _forget(self, found: Specialisation) -> None:
        """What was traced while its globals changed is of neither state."""
        self._known = {key: kept for key, kept in self._known.items() if kept is not found}

    def _start(
        self, found: Specialisation, grid: Grid | None, given: Sequence[Any], chosen: Sequence[Any], stream: object
    ) -> None:
        self._last = found
        where = self.grid_of(found, given, chosen) if grid is None else grid
        found.kernel.launch(where, *given, stream=stream)

    def _keep(
        self,
        reached: Reached,
        arguments: tuple[Any, ...],
        named: Mapping[str, Any],
        found: Specialisation,
        chosen: Sequence[Any],
    ) -> None:
        """Lets the next launch with such arguments find this specialisation at once."""
        kinds = _kinds(arguments, named)
        if any(value != value for value in named.values() if isinstance(value, float)):
            return  # no nan is found again
        if kinds not in reached.ways or not reached.ways[kinds].still(named):
            reached.ways.pop(kinds, None)
            reached.ways.setdefault(kinds, Way(self.signature, arguments, self._constants(chosen)))
        way: Way[Entry] = reached.ways[kinds]
        if way.still(named) and way.find(way.table, *arguments) is None:
            launchers = found.kernel.launchers
            if callable(self._grid):
                start = started_by(launchers, functools.partial(self._grid, **self._constants(chosen)))
            elif self._grid is not None:
                start = started_on(launchers, self._grid)
            else:
                start = started_where(launchers, found.cover, self._argument_names)
            way.keep(arguments, Entry(launchers, start, found))

    @for_users
    def prepare(self, grid: Grid | None, *arguments: Any, stream: object = None, **constants: Any) -> PreparedLaunch:
        """Traces, compiles and loads what a launch with such arguments takes, and gives a launch that only starts;
        `grid` is None for the one that a call takes. Raises what a launch would."""
        given, chosen = self._bound(arguments, constants)
        found = self._specialised(given, chosen)
        where = self.grid_of(found, given, chosen) if grid is None else grid
        return found.kernel.prepare(where, *given, stream=stream)

    @for_users
    def grid_for(self, *arguments: Any, **constants: Any) -> tuple[int, ...]:
        """Workgroups along x, y and z that cover what the kernel writes. Raises NoGrid where that does not follow."""
        given, chosen = self._bound(arguments, constants)
        return self._inferred(self._specialised(given, chosen), given)

    def grid_of_launch(self, given: Sequence[Any], chosen: Sequence[Any]) -> Grid:
        """The grid of a launch that says none."""
        return self.grid_of(self._specialised(given, chosen), given, chosen)

    def grid_of(self, found: Specialisation, given: Sequence[Any], chosen: Sequence[Any]) -> Grid:
        """The grid of a launch of a specialisation that says none."""
        if self._grid is None:
            return self._inferred(found, given)
        return self._grid(*given, **self._constants(chosen)) if callable(self._grid) else self._grid

    def _inferred(self, found: Specialisation, given: Sequence[Any]) -> tuple[int, ...]:
        return found.cover.grid(self.function.__name__, self._argument_names, given, found.axes)

    @functools.cached_property
    def _argument_names(self) -> tuple[str, ...]:
        return tuple(p.name for p in self.signature.arguments)

    # Debugging

    @property
    def debug(self) -> Debug:
        """The kernel as plain Python: `kernel.debug[grid](*arguments)`, with numbers for `print`, `assert` and pdb."""
        from .debug import Debug  # who does not debug has no need of it

        return Debug(self)

    @property
    def chip(self) -> Chip:
        """That for which it is compiled if nobody says another one: the device's own, where no target is stated."""
        if self._chip is None:
            self._chip = self._found_chip()
        return self._chip

    def _found_chip(self) -> Chip:
        if self.target is None:
            return chip_of_choice(self._device) or find_chip(DEFAULT_TARGET)
        return self.target if isinstance(self.target, Chip) else find_chip(self.target)

    def _bound(self, arguments: Sequence[Any], constants: Mapping[str, Any]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        if is_tracing():
            from .trace import fail  # it is there

            fail(
                f"kernel '{self.function.__name__}' is used in a kernel, which is one program",
                hint="call a function that both call; with loops or branches of the device, one under @lw.function",
            )
        return self.signature.bound(arguments, constants)

    def bound(self, arguments: Sequence[Any], constants: Mapping[str, Any]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """The arguments and the constants of a call, each in the order of the parameters."""
        return self._bound(arguments, constants)

    def written(self, given: Sequence[Any], chosen: Sequence[Any]) -> eager.Written:
        """What a debug run calls."""
        from .eager import Written

        self.signature.check_extents(given)
        code = self.function.__code__
        place = self.function.__name__, code.co_filename, code.co_firstlineno
        names = [p.name for p in self.signature.arguments]
        return Written(
            self._places,
            self._prepared,
            *place,
            names,
            self.signature.types(given),
            self._constants(chosen),
            self.options,
        )

    # Programs

    @for_users
    def trace(self, *arguments: Any, **constants: Any) -> Operation:
        """The vector program for such arguments, or for descriptions of them: `lw.f16["M", 64]`, `lw.i32`; without
        any, for what the annotations say, if they describe all."""
        given, chosen = self._bound(self._described(arguments, constants), constants)
        return self._specialised(given, chosen).module

    @for_users
    def compile(self, *arguments: Any, target: str | Chip | None = None, device: DeviceChoice | None = None,
                **constants: Any) -> CompiledKernel:  # fmt: skip
        """The kernel for such arguments, or for descriptions of them, as `lanewise.compile` gives it; without any, for
        what the annotations say, if they describe all."""
        given, chosen = self._bound(self._described(arguments, constants), constants)
        found = self._specialised(given, chosen)
        if target is None and device is None:
            return found.kernel
        return self._compiled(found.written, target or self.chip, device or self._device)

    @for_users
    def explain(self, *arguments: Any, target: str | Chip | None = None, general: bool = False,
                **constants: Any) -> Explanation:  # fmt: skip
        """What became of each line of the kernel for such arguments, for descriptions of them, or for what the
        annotations say, as `compile` takes them: see the method of the kernel that it gives."""
        compiled: CompiledKernel = self.compile(*arguments, target=target, **constants)
        return compiled.explain(general=general)

    # In other programs

    @for_users
    def torch_op(
        self,
        name: str,
        /,
        *,
        out: Out | None = None,
        mutates: Collection[str] | None = None,
        backward: Callable[..., Mapping[str, Any]] | None = None,
        **constants: Any,
    ) -> Any:
        """Registers the kernel as an operation of torch, which `torch.compile` sees as one, and gives that, a
        `torch.library.CustomOpDef`.

        All functions are called with what their parameters name: `lambda x, tile: ...` with the kernel's argument `x`
        and its constant `tile`.

        Args:
            name: `"mylib::scale_rows"`, by which it is `torch.ops.mylib.scale_rows`, too.
            out: For each argument that the operation gives instead of taking, in the order in which it gives them,
                the argument that it is made like, `{"y": "x"}`, or a function that makes the tensor,
                `{"y": lambda x: x.new_zeros(x.shape[0])}`. It is called without values, too, to know shapes and
                element types.
            mutates: Names of the other arguments that it changes; None is what the kernel writes, which is known where
                all arguments are annotated with element type and rank, and else none with `out`.
            backward: A function of gradients (`grad_y` is that of the output `y`), arguments, outputs and constants
                that gives gradients by the names of the arguments. It is made of operations of torch, such as this one.
            constants: Those that are the same in all calls. Of the others, calls choose by name what is an int, float,
                bool or str by annotation or default.

        Raises:
            OperationError: What is said does not fit the kernel.
            ModuleNotFoundError: There is no torch.
        """
        from ..jit.torch_operation import torch_operation
        from .operation import operation_of

        operation = operation_of(self.signature, constants, self, self._program_signature)
        return torch_operation(operation, name, out, mutates, backward)

    @for_users
    def jax_call(
        self, *, out: Out | None = None, vmap_method: str | None = "sequential", **constants: Any
    ) -> Callable[..., Any]:
        """The kernel as a function of jax arrays and numbers, which can be called under `jax.jit`, too.

        Arrays of jax do not change: the function gives the outputs, then those of its arguments that the kernel writes,
        as they are behind it; one result as it is, several in a tuple. It is a `jax.pure_callback`, whose arrays are
        the host's: those on a GPU are copied there and back.

        Args:
            out: For each argument that the function gives instead of taking, the argument that it is made like,
                `{"y": "x"}`, or a function of arguments and constants by name that gives its shape and element type,
                `{"y": lambda x: jax.ShapeDtypeStruct(x.shape[:1], x.dtype)}`. They begin as zeros.
            vmap_method: What `jax.vmap` makes of it, as in `jax.pure_callback`.
            constants: Those that are the same in all calls. Of the others, calls choose by name what is an int, float,
                bool or str by annotation or default.

        Raises:
            OperationError: What is said does not fit the kernel.
            ModuleNotFoundError: There is no jax.
        """
        from ..jit.jax_call import jax_function
        from .operation import operation_of

        operation = operation_of(self.signature, constants, self, self._program_signature)
        return jax_function(operation, out, vmap_method)

    def _program_signature(self, *arguments: Any, **constants: Any) -> Sequence[SignatureParameter]:
        return self.compile(*arguments, **constants).signature

    @property
    def specialisations(self) -> tuple[Specialisation, ...]:
        """What was compiled so far."""
        return tuple(found for found in self._known.values() if found.is_compiled)

    @property
    def vector_ir(self) -> str:
        """The vector program of the last launch, or of what was traced last. Raises LookupError before."""
        if self._last is None:
            raise LookupError(f"{self!r} was not traced yet: launch it, or give descriptions of arguments to trace()")
        return self._last.kernel.vector_ir

    @property
    def latest(self) -> CompiledKernel:
        """What the last launch took, or what was traced last; before, what its annotations say, if they say all.

        Raises LookupError where nothing says what its arguments are, and what tracing raises.
        """
        if self._last is None:
            types = self._annotated
            if types is None:
                words = "launch it, or give kernel.compile(...) descriptions of its arguments, such as lw.f32['N']"
                raise LookupError(f"{self!r} was not traced yet, and its annotations leave arguments open: {words}")
            return self.compile(*types)
        return self._last.kernel

    @functools.cached_property
    def _annotated(self) -> tuple[Any, ...] | None:
        """The arguments as annotations describe them, where they describe all."""
        types = tuple(p.type for p in self.signature.arguments)
        return None if None in types else types

    def _described(self, arguments: tuple[Any, ...], constants: Mapping[str, Any]) -> tuple[Any, ...]:
        """What is asked about: the arguments that are given, or, of none, what annotations say of them."""
        if arguments or any(name in constants for name in self._argument_names):
            return arguments
        return self._annotated or arguments

    def specialisation(self, given: Sequence[Any], chosen: Sequence[Any]) -> Specialisation:
        """What such arguments and constants take, as `signature.bound` gives them."""
        return self._specialised(given, chosen)

    def _constants(self, chosen: Sequence[Any]) -> Mapping[str, Any]:
        return dict(zip(self.signature.constants, chosen, strict=True))

    def _specialised(self, given: Sequence[Any], chosen: Sequence[Any]) -> Specialisation:
        self.signature.check_extents(given)
        return self.specialised(self.signature.types(given), chosen)

    def specialised(self, types: tuple[ParameterType, ...], chosen: Sequence[Any]) -> Specialisation:
        """What arguments of these types, whatever annotations say, and constants take."""
        given_functions = [f for constant in chosen for f in functions_in(constant)]
        key = types, tuple(map(told_apart, chosen)), self._now().key, Reached(*given_functions).key
        found = self._known.get(key)
        if found is None:
            found = self._known.setdefault(key, self._make(types, chosen))
        self._last = found
        return found

    def _make(self, types: Sequence[ParameterType], chosen: Sequence[Any]) -> Specialisation:
        names, constants = self._argument_names, self._constants(chosen)
        written = Written(self._traced, self.function, names, types, constants, self.options)
        return Specialisation(written, lambda of: self._compiled(of, self.chip, self._device))

    def _compiled(self, written: Written, target: str | Chip | None, device: DeviceChoice) -> CompiledKernel:
        """From the cache, without a trace, where that has it."""
        chip = find_chip(target) if isinstance(target, str) else target
        return CompiledKernel(FromPython(written, chip, self._fastmath), device, chosen_cache(self._cache))

    def _traced(self, written: Written) -> Program:
        from .program import traced  # what finds its kernel in a cache has no need of it

        asked = written.names, written.types, written.constants, written.options
        return traced(self._places, self._prepared, written.function, *asked)

    @functools.cached_property
    def _places(self) -> Places:
        from .trace import Places

        return Places()

    @functools.cached_property
    def _prepared(self) -> Callable[..., Any]:
        from .sources import prepared_function

        return prepared_function(self.function)


def _kinds(arguments: tuple[Any, ...], named: Mapping[str, Any]) -> tuple[Any, ...]:
    """What of a launch is looked at first."""
    return (*map(type, arguments), *named.items(), *map(type, named.values()))


def kernel(
    *,
    workgroup: Workgroup,
    subgroup: int | None = None,
    cluster: int | tuple[int, ...] | None = None,
    scope: Literal["workgroup", "subgroup", "thread"] = "workgroup",
    target: str | Chip | None = None,
    device: DeviceChoice = "auto",
    fastmath: Literal["none", "approx"] = "none",
    grid: GridChoice = None,
    persist: bool | int | None = None,
    bands: int | None = None,
    split_k: Literal["x", "y", "z"] | None = None,
    specialise: bool | None = None,
    cache: CacheChoice = "auto",
) -> Callable[[Callable[..., None]], Kernel]:
    """Makes a kernel of a function.

    Args:
        workgroup: Threads along x, y and z, or a function of the constants that gives them.
        subgroup: Threads of a subgroup; None is the target's.
        cluster: Workgroups of a cluster along x, y and z.
        scope: To whom a value belongs: the function is the program of a workgroup, a subgroup or a thread.
        target: The chip; None is that of the device, of `auto` that of the first GPU; else the default of
            `lanewise.compile`.
        device: Where launches run, as in `lanewise.compile`.
        fastmath: As in `lanewise.compile`.
        grid: For launches that say none: a grid, or a function of the arguments and constants; None follows from what
            is written.
        persist: Whether so many workgroups as fit, or a number, stay for all places of the grid.
        bands: So many rows of the grid are gone through together.
        split_k: The axis of the grid along which the parts of a sum are.
        specialise: Whether copies are given to subgroups of their own.
        cache: As in `lanewise.compile`. What is found there is not traced before something else than launches needs it.
    """
    if cache != "auto":
        chosen_cache(cache)  # says what is wrong with it here
    stated = {"persist": persist, "bands": bands, "split_k": split_k, "specialise": specialise}
    options = Options(workgroup, subgroup, cluster, scope, {k: v for k, v in stated.items() if v is not None})

    def decorate(function: Callable[..., None]) -> Kernel:
        if not isinstance(function, types.FunctionType):
            raise TypeError(f"@lanewise.kernel makes a kernel of a function, found {function!r}")
        check_is_plain(function)
        return Kernel(function, options, target, device, fastmath, grid, cache)

    return decorate
