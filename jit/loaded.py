"""Kernels read from files: launched like compiled ones, without LLVM and without their program."""

from __future__ import annotations

import functools
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from ..ir.remarks import Remark, together
from ..support.argument_checks import require
from ..support.diagnostics import LanewiseError, Source
from .device_choice import DeviceChoice, portable_choice
from .emits import StageError, emits_of
from .facts import GENERAL, Facts
from .kernel_file import MAX_BYTES, KernelFileError, decode, encode
from .launchable import Launchable
from .occupancy import AnyOccupancy, occupancy_of
from .saved import SavedKernel
from .write import write_file

if TYPE_CHECKING:
    from ..codegen.assemble import Resources
    from ..codegen.link import KernelInfo
    from ..ir.kernels import Kernel as KernelView
    from ..pipeline.compilation import Compilation
    from .kernel import Kernel


class ProgramMissing(LanewiseError):
    """A kernel's file has no program, which was asked for."""


def load(path: str | Path, device: DeviceChoice = "auto") -> LoadedKernel:
    """The kernel in a file that `Kernel.save` or `lanewise compile -o kernel.lw` wrote. Neither LLVM nor the program
    is needed.

    Args:
        path: The file.
        device: Where launches run, as in `lanewise.compile`.

    Raises:
        KernelFileError: The file cannot be read, is no compiled kernel, or is damaged.
        DeviceUnavailable: The device is none, or runs no code for the kernel's target.
    """
    require(path, (str, PathLike), "the path of a compiled kernel's file")
    try:
        with Path(path).open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise KernelFileError(f"{path}: {error.strerror or error}") from error
    return LoadedKernel(decode(data, str(path)), device)


class LoadedKernel(Launchable):
    """A kernel from a file; see `load`. A launch takes the best of its variants that fits the arguments.

    It can be pickled, with its code.

    Attributes:
        saved: The file's content: every variant with facts, text, image and shared memory.
    """

    def __init__(self, saved: SavedKernel, device: DeviceChoice = "auto") -> None:
        super().__init__(saved, device)
        self.saved = saved

    def __reduce__(self) -> tuple[object, ...]:
        return _loaded, (encode(self.saved), portable_choice(self._device_choice))

    def save(self, path: str | Path) -> None:
        """Writes the same file again. Raises OutputError."""
        write_file(path, encode(self.saved))

    @property
    def program(self) -> Source:
        """What the kernel was compiled from. Raises ProgramMissing where the file has none."""
        if self.saved.program is None:
            raise ProgramMissing(f"the file of kernel {self.name!r} has no program: it was saved without it")
        return self.saved.program

    @functools.cached_property
    def recompiled(self) -> Kernel:
        """A kernel of the program in the file, with all stages. Raises ProgramMissing where the file has none."""
        from .kernel import compile as compile_program
        from .source import parse

        program = self.program
        return compile_program(parse(program.text, program.name), self.target, self.name, self._device_choice)

    @property
    def view(self) -> KernelView:
        return self.recompiled.view

    @property
    def compilation(self) -> Compilation:
        return self.recompiled.compilation

    def compilation_for(self, seen: Facts) -> Compilation:
        return self.recompiled.compiler.compilation(self.saved.fitting(seen))

    @property
    def remarks(self) -> tuple[Remark, ...]:
        return self.remarks_of_launches

    @property
    def remarks_of_launches(self) -> tuple[Remark, ...]:
        interface = self.saved.interface
        return tuple(together({interface.words(GENERAL): self.saved.remarks}, are_all=interface.is_one))

    if not TYPE_CHECKING:  # for type checkers there is none of these

        def __getattr__(self, name: str) -> object:
            from .kernel import Kernel

            if name.startswith("_") or not hasattr(Kernel, name):
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
            where = (
                f"`kernel.recompiled.{name}`, of the program in it"
                if self.saved.program is not None
                else "compile the program, which was not kept in it"
            )
            message = f"the file of kernel {self.name!r} has machine text and code, no '{name}': {where}"
            raise AttributeError(message)

    # The general variant

    @property
    def assembly(self) -> str:
        """The machine text: PTX for NVIDIA's chips, AMDGCN for AMD's."""
        return self.saved.general.text

    @property
    def ptx(self) -> str:
        return self._text("ptx")

    @property
    def amdgcn(self) -> str:
        return self._text("amdgcn")

    @property
    def cubin(self) -> bytes:
        return self._image("cubin")

    @property
    def hsaco(self) -> bytes:
        """The code object that ROCm loads, for AMD's chips."""
        return self._image("hsaco")

    @property
    def resources(self) -> Resources | KernelInfo:
        """Registers, spills and shared memory, as the assembler or the code object reports them."""
        general = self.saved.general
        if general.resources is not None:
            return general.resources
        if self.target.vendor == "nvidia":
            raise StageError(f"the file of kernel {self.name!r} has no cubin, whose resources would be known")
        from ..codegen.link import read_code_object

        return read_code_object(self.hsaco).kernels[self.name]

    @property
    def occupancy(self) -> AnyOccupancy | None:
        """Warps per multiprocessor (NVIDIA) or waves per SIMD (AMD), at most, and what limits them."""
        general = self.saved.general
        return occupancy_of(self.target, general.block_size, self.resources, general.dynamic_shared_bytes)

    def _text(self, stage: str) -> str:
        self._require(stage)
        return self.assembly

    def _image(self, stage: str) -> bytes:
        self._require(stage)
        image = self.saved.general.image
        if image is None:
            raise StageError(f"the file of kernel {self.name!r} has no {stage}")
        return image

    def _require(self, stage: str) -> None:
        emits = emits_of(self.target)
        if stage not in emits:
            raise StageError(f"'{stage}' does not exist for {self.target.name}; its stages are {', '.join(emits)}")


def _loaded(data: bytes, device: DeviceChoice) -> LoadedKernel:
    """A pickled kernel again."""
    return LoadedKernel(decode(data, "a pickled kernel"), device)
