"""What a kernel in Python is compiled from: a function, types of arguments and constants, which a cache finds before
anything is traced."""

from __future__ import annotations

import sys
import threading
import types
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..jit.recipe import FromProgram, is_known
from ..pipeline.settings import AS_USUAL, Settings
from ..support.dataclasses import dataclass
from ..targets.chip import Chip
from .options import Options
from .signature import ParameterType

if TYPE_CHECKING:
    from ..ir.core import Operation
    from ..jit.compiler import Compiler
    from ..jit.grid_uses import GridUses
    from .program import Program


class Written:
    """A function for types of arguments and constants, traced when its program is first needed.

    Attributes:
        function: The user's.
        names: Of the arguments.
        types: Of the arguments.
        constants: By name.
        options: What the decorator says.
    """

    def __init__(
        self,
        trace: Callable[[Written], Program],
        function: types.FunctionType,
        names: Sequence[str],
        types: Sequence[ParameterType],
        constants: Mapping[str, Any],
        options: Options,
    ) -> None:
        self._trace = trace
        self.function, self.names, self.types = function, names, tuple(types)
        self.constants, self.options = constants, options
        self._tracing = threading.Lock()
        self._program: Program | None = None

    @property
    def program(self) -> Program:
        """Raises what tracing does."""
        with self._tracing:
            if self._program is None:
                self._program = self._trace(self)
            return self._program

    @property
    def module(self) -> Operation:
        return self.program.module

    def decides(self) -> object:
        """All that decides the program, as a part of a key; None where that is not understood."""
        from .deciding import Deciding, NotUnderstood  # only who keeps kernels needs it

        made, options = Deciding(), self.options
        try:
            function = made.kernel(self.function)
            asked = options.workgroup, options.subgroup, options.cluster, options.scope, options.passes
            return function, made.items((self.names, self.types, self.constants, asked)), sys.flags.optimize
        except NotUnderstood:
            return None


@dataclass(frozen=True)
class FromPython:
    """A kernel in Python for a chip: kept by what decides its program; where that is not understood, by how its
    program is printed."""

    written: Written
    target: Chip | None
    fastmath: str

    @property
    def settings(self) -> Settings:
        return AS_USUAL

    def key(self, compiler: str) -> str:
        from ..jit.cache.key import Key  # only who keeps kernels needs it

        if not compiler or not is_known(self.target):
            return ""
        found = self.written.decides()
        if found is None:
            return self._of_program.key(compiler)
        return Key("python", compiler, found, None if self.target is None else self.target.name, self.fastmath).digest

    def compiler(self) -> Compiler:
        return self._of_program.compiler()

    def grid_uses(self) -> GridUses:
        return self.written.program.grid_uses

    @property
    def _of_program(self) -> FromProgram:
        from ..jit.source import Verified  # what reads programs

        return FromProgram(Verified(self.written.module), self.target, fastmath=self.fastmath)
