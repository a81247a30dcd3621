"""The vectors and the shared buffers of a kernel in the layout stage, by the names of its text and of its source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from math import prod

from ..ir.core import Value
from ..ir.dialects.iree_vector_ext import ToLayoutOp
from ..ir.dialects.memref import AllocOp
from ..ir.did_you_mean import did_you_mean
from ..ir.kernels import module_around
from ..ir.memory_spaces import is_workgroup
from ..ir.printer import ProgramPrinter
from ..ir.stages import OF_THREADS
from ..ir.types import MemRefType, memory_bits
from ..layout.conversion import Plan
from ..layout.draw import describe
from ..layout.exchanges import layout_in_stage, maker, plan_of
from ..layout.nested import NestedLayout
from ..layout.owner_map import OwnerMap
from ..layout.teams import Team, teams
from ..layout.transfer import is_vector
from ..layout.workgroup import Workgroup
from ..pipeline.compilation import Compilation
from ..support.dataclasses import dataclass
from ..support.diagnostics import LanewiseError, Location


class ValueNameError(LanewiseError, LookupError):
    """A name of a value that a kernel does not have, or that several have that are laid out differently."""


@dataclass(frozen=True, eq=False)
class Named:
    """A value of the layout stage.

    Attributes:
        name: As the text of the layout stage has it, such as `%a_0`.
        source: The name that the program gave it, such as `a`; empty where it gave none.
        value: Itself.
        workgroup: The threads of its program.
    """

    name: str
    source: str
    value: Value
    workgroup: Workgroup

    @property
    def location(self) -> Location | None:
        """Where the program says it."""
        return maker(self.value).location

    @property
    def place(self) -> str:
        """`file:line`, or that no line says it."""
        return "made by the compiler" if self.location is None else ":".join(str(self.location).split(":")[:-1])

    @property
    def line(self) -> int | None:
        return None if self.location is None else self.location.source.position(self.location.offset)[0]


class Vector(Named):
    """A vector, and its layout."""

    @cached_property
    def layout(self) -> NestedLayout:
        """On the subgroups that there are."""
        return layout_in_stage(self.value).wrapped(self.workgroup.subgroups)

    @cached_property
    def owners(self) -> OwnerMap:
        size = self.workgroup.subgroup_size
        return OwnerMap.of_layout(self.layout, size, self.workgroup.threads, self.workgroup.first_subgroup * size)

    @property
    def described(self) -> str:
        return describe(self.layout, self.workgroup.subgroup_size, self.workgroup.threads)

    @property
    def conversion(self) -> ToLayoutOp | None:
        """The operation, where it is one that converts a layout."""
        made = self.value.operation
        return made if isinstance(made, ToLayoutOp) else None

    @property
    def plan(self) -> Plan | None:
        """How it is converted."""
        return None if self.conversion is None else plan_of(self.conversion, self.workgroup)


class Buffer(Named):
    """An allocation of shared memory."""

    @property
    def alloc(self) -> AllocOp:
        made = self.value.operation
        assert isinstance(made, AllocOp), "buffers are made by allocations"
        return made

    @property
    def type(self) -> MemRefType:
        return self.alloc.memref.type

    @property
    def bytes(self) -> int:
        return prod(n or 0 for n in self.type.shape) * memory_bits(self.type.element) // 8


class LaidOut:
    """What a kernel's layout stage has, in program order."""

    def __init__(self, compilation: Compilation) -> None:
        """Raises CompileError where the program is wrong, LanewiseError where it has no layouts."""
        kernel = compilation.layout_kernel
        if kernel.stage in OF_THREADS:
            stage = f"'{kernel.name}' begins at the {kernel.stage} stage"
            raise LanewiseError(f"{stage}: a thread's program has no layouts; take the program before it")
        self.kernel, self._source = kernel, compilation.kernel
        self._workgroup = Workgroup.of(kernel, compilation.context)

    @cached_property
    def values(self) -> tuple[Named, ...]:
        """Vectors and buffers."""
        printer = ProgramPrinter()
        printer.operation(module_around(self.kernel.op))
        return tuple(
            kind(printer.name(value), value.hint, value, team.workgroup)
            for team in teams(self.kernel.op, self._workgroup)
            for value, kind in _of_team(team)
        )

    @property
    def vectors(self) -> list[Vector]:
        return [value for value in self.values if isinstance(value, Vector)]

    @property
    def buffers(self) -> list[Buffer]:
        return [value for value in self.values if isinstance(value, Buffer)]

    def called(self, name: str) -> Sequence[Named]:
        """The values that a name is for, in program order.

        `%a_0` is the one that the text of the layout stage calls so; `a` are all that came of what the program calls
        so, or the one of the text where the program calls none so; `:21` are those that line 21 says. Raises
        ValueNameError.
        """
        exact = name if name.startswith("%") else f"%{name}"
        by_text = [value for value in self.values if value.name == exact]
        if name.startswith(":") and name[1:].isdecimal():
            found: Sequence[Named] = [value for value in self.values if value.line == int(name[1:])]
        elif name.startswith("%"):
            found = by_text
        else:
            found = [v for v in self.values if v.source == name] or by_text or self._taken_as_it_is(name)
        if not found:
            raise ValueNameError(self._unknown(name))
        return found

    def vector(self, name: str) -> Vector:
        """The vector that a name is for; of several, any, if they are laid out alike. Raises ValueNameError."""
        found = [value for value in self.called(name) if isinstance(value, Vector)]
        if not found:
            raise ValueNameError(f"'{name}' is a buffer of shared memory: nobody holds its elements in registers")
        if len(laid_out_alike(found)) > 1:
            which = ", ".join(f"'{v.name}' ({v.place})" for v in found)
            raise ValueNameError(f"'{name}' is laid out in several ways in @{self.kernel.name}: name one of {which}")
        return found[0]

    def _taken_as_it_is(self, name: str) -> list[Named]:
        """What the program converts to `name`, where it has that layout already."""
        made = next((r.operation for op in self._source.op.walk() for r in op.results if r.hint == name), None)
        while isinstance(made, ToLayoutOp):
            found = [value for value in self.values if made.input.hint and value.source == made.input.hint]
            if found:
                return found
            made = made.input.operation
        return []

    def _unknown(self, name: str) -> str:
        names = dict.fromkeys(known for v in self.values for known in (v.source, v.name[1:]) if known)
        hint = did_you_mean(name.lstrip("%"), names) or f"there are {', '.join(names) or 'none'}"
        what = f"line {name[1:]} makes no vector" if name.startswith(":") else f"there is no vector '{name}'"
        return f"{what} in the layout stage of @{self.kernel.name}; {hint}"


def laid_out_alike(vectors: Sequence[Vector]) -> list[list[Vector]]:
    """Groups of vectors with the same owners: one layout, the same threads; a conversion is a group of its own."""
    groups: dict[object, list[Vector]] = {}
    for vector in vectors:
        key = (vector.layout, vector.workgroup.first_subgroup, vector.workgroup.threads, vector.conversion)
        groups.setdefault(key, []).append(vector)
    return list(groups.values())


def _of_team(team: Team) -> Iterator[tuple[Value, type[Vector] | type[Buffer]]]:
    for op in team.operations:
        for value in op.results:
            if is_vector(value):
                yield value, Vector
            elif isinstance(op, AllocOp) and is_workgroup(op.memref.type.memory_space):
                yield value, Buffer
        if op.repeats:
            for region in op.regions:
                for block in region.blocks:
                    yield from ((argument, Vector) for argument in block.arguments if is_vector(argument))
