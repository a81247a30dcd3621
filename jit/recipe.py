"""What a kernel is compiled from, before anything of it is read: a text needs no parser to be found in a cache."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from ..pipeline.settings import AS_USUAL, Settings
from ..support.dataclasses import dataclass
from ..support.diagnostics import Source
from ..targets.catalogue import CHIPS
from ..targets.chip import Chip

if TYPE_CHECKING:
    from ..ir.core import Operation
    from .compiler import Compiler
    from .grid_uses import GridUses
    from .source import Verified


class Recipe(Protocol):
    """How a kernel comes to be."""

    @property
    def settings(self) -> Settings:
        """How it is compiled."""
        ...

    def key(self, compiler: str) -> str:
        """Under what a cache keeps its code: SHA-256 of all that decides it, `compiler` among that, which says which
        compiler this is. Empty where what decides it cannot be said in bytes: then it is not kept."""
        ...

    def compiler(self) -> Compiler:
        """Reads the program. Raises what is wrong with it."""
        ...

    def grid_uses(self) -> GridUses | None:
        """How its grid goes along its arguments, which is kept beside its code; None of programs that do not say it.
        Raises what `compiler` does."""
        ...


def is_known(target: Chip | None) -> bool:
    """Whether its name says all of a chip: it may be of the caller's own making."""
    return target is None or CHIPS.get(target.name) == target


@dataclass(frozen=True)
class Made:
    """A kernel whose program has been read, and which is not kept."""

    made: Compiler

    @property
    def settings(self) -> Settings:
        return self.made.settings

    def key(self, compiler: str) -> str:
        return ""

    def compiler(self) -> Compiler:
        return self.made

    def grid_uses(self) -> GridUses | None:
        return None


@dataclass(frozen=True)
class FromProgram:
    """A kernel of a program; the fields are what `lanewise.compile` takes. One of a text is kept, and one of a
    module that nobody changes any more, by how it is printed."""

    program: Source | Operation | Verified
    target: Chip | None = None
    kernel: str | None = None
    fastmath: str = "none"
    settings: Settings = AS_USUAL
    files: tuple[Source, ...] = ()
    """Those that are known of what the text's `loc(...)` name; they make no code."""

    def key(self, compiler: str) -> str:
        from .cache.key import Key  # only who keeps kernels needs it

        settings, text = self.settings, self._text()
        words = (self.fastmath, self.kernel or "", *settings.without)
        if text is None or not compiler or not is_known(self.target) or any(type(word) is not str for word in words):
            return ""  # what is none of these words is refused when the program is read
        chip = None if self.target is None else self.target.name
        asked = (chip, self.kernel, self.fastmath, sorted({*settings.without}), settings.budget.lines)
        return Key("program", compiler, text, *asked).digest

    def _text(self) -> str | None:
        """None of a module that may be changed."""
        if isinstance(self.program, Source):
            return self.program.text
        from ..ir.printer import print_program  # a module is here, so its dialects are
        from .source import Verified

        return print_program(self.program.module) if isinstance(self.program, Verified) else None

    def compiler(self) -> Compiler:
        if self.settings.isolate:
            from ..codegen.isolation import shared_worker  # only who isolates LLVM needs it

            shared_worker().start()
        from .program_compiler import compiler_of  # all that reads programs

        return compiler_of(self.program, self.target, self.kernel, self.fastmath, self.settings, self.files)

    def grid_uses(self) -> GridUses | None:
        return None
