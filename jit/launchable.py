"""What a kernel can do that can be launched, whether it was compiled here or read from a file."""

from __future__ import annotations

import functools
import sys
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

from ..ir.printing import text_of_records
from ..ir.remarks import Remark
from ..targets import Chip
from .device import COOPERATIVE, PROGRAMMATIC, Device, Dim3
from .device_choice import DeviceChoice, check_choice
from .grids import Grid, GridError, grid_of
from .signature import SignatureParameter, in_order
from .variants import Variants

if TYPE_CHECKING:
    from ..ir.kernels import Kernel as KernelView
    from ..pipeline.compilation import Compilation
    from .facts import Facts
    from .launcher import Launcher
    from .launchers import Launchers
    from .operation import Out
    from .prepared import PreparedLaunch


class OnGrid(functools.partial[None]):
    """A kernel on a grid: called with arguments, it is launched."""

    __slots__ = ()

    def __repr__(self) -> str:
        kernel, grid = self.args
        return f"<launch of {kernel!r} on a grid of {'x'.join(map(str, grid_of(grid)))} workgroups>"


class Launchable(ABC):
    """One kernel for one chip: `kernel[grid](*arguments)` launches it.

    Attributes:
        variants: Who provides its code.
    """

    def __init__(self, variants: Variants, device: DeviceChoice) -> None:
        self.variants = variants
        self._device_choice: DeviceChoice = check_choice(device, variants.interface.target)
        self._making = threading.Lock()

    @functools.cached_property
    def launchers(self) -> Launchers:
        """Who launches it on each device: one for all threads."""
        from .launchers import Launchers  # who only compiles has no need of it

        with self._making:
            made = vars(self)
            if "launchers" not in made:
                made["launchers"] = Launchers(self.variants, self._device_choice)
            found: Launchers = made["launchers"]
        return found

    @property
    @abstractmethod
    def view(self) -> KernelView:
        """The kernel in its program. Raises ProgramMissing where there is none."""

    @property
    @abstractmethod
    def compilation(self) -> Compilation:
        """The stages of the general variant as modules. Raises ProgramMissing where there is no program."""

    @abstractmethod
    def compilation_for(self, seen: Facts) -> Compilation:
        """The stages of the variant that a launch takes which sees these of its arguments. Raises as `compilation`."""

    @property
    @abstractmethod
    def remarks(self) -> tuple[Remark, ...]:
        """What the compiler tells of the general variant that the author may not expect; see docs/files.md.

        Where launches take others, a note names the variant; `remarks_of_launches` has theirs.
        """

    @property
    @abstractmethod
    def remarks_of_launches(self) -> tuple[Remark, ...]:
        """What the compiler tells of the variants that launches have taken; where code was compiled before, of the
        general one."""

    @property
    def name(self) -> str:
        return self.variants.interface.name

    @property
    def target(self) -> Chip:
        """The chip that the code is for."""
        return self.variants.interface.target

    @property
    def signature(self) -> tuple[SignatureParameter, ...]:
        """What the arguments are."""
        return self.variants.interface.arguments

    @property
    def block_size(self) -> Dim3:
        """Threads of a workgroup along x, y and z."""
        return self.variants.interface.block_size

    @property
    def device(self) -> Device:
        """Where launches run, the same one for all threads; of a kernel on `"auto"` those whose arguments are on no
        device. Raises DeviceUnavailable."""
        return self.launchers.device

    @property
    def launcher(self) -> Launcher:
        """That on `device`."""
        return self.launchers.on(self.device)

    def prepare(
        self,
        grid: Grid,
        /,
        *arguments: object,
        stream: object = None,
        programmatic: bool = False,
        cooperative: bool = False,
        **named: object,
    ) -> PreparedLaunch:
        """Does of a launch all that can be done before: checks, compiles and loads, and gives a launch that only
        starts.

        Before a stream is captured into a graph, in which nothing is loaded, it is prepared with arguments that are
        aligned and divisible as those will be which are launched there. Raises what `launch` does.
        """
        from .launch_function import Asked
        from .prepared import PreparedLaunch

        given = in_order(self.signature, arguments, named) if named else arguments
        how = PROGRAMMATIC * bool(programmatic) + COOPERATIVE * bool(cooperative)
        return PreparedLaunch(self.launchers.prepared(Asked(grid_of(grid), given, stream, how)))

    def torch_op(
        self,
        name: str,
        /,
        *,
        grid: Grid | Callable[..., Grid],
        out: Out | None = None,
        backward: Callable[..., Mapping[str, Any]] | None = None,
    ) -> Any:
        """Registers the kernel as an operation of torch, which `torch.compile` sees as one, and gives that, a
        `torch.library.CustomOpDef`.

        All functions are called with what their parameters name: `lambda x: ...` with the kernel's argument `x`.

        Args:
            name: `"mylib::scale_rows"`, by which it is `torch.ops.mylib.scale_rows`, too.
            grid: Workgroups of each launch, or a function of the arguments that gives them.
            out: For each argument that the operation gives instead of taking, in the order in which it gives them,
                the argument that it is made like, `{"y": "x"}`, or a function that makes the tensor,
                `{"y": lambda x: x.new_zeros(x.shape[0])}`. It is called without values, too, to know shapes and
                element types. Other arguments that the kernel writes are changed.
            backward: A function of gradients (`grad_y` is that of the output `y`), arguments and outputs that gives
                gradients by the names of the arguments. It is made of operations of torch, such as this one.

        Raises:
            OperationError: What is said does not fit the kernel.
            ModuleNotFoundError: There is no torch.
        """
        from .operation import launched_on  # who registers no operation has no need of them
        from .torch_operation import torch_operation

        operation = launched_on(self.name, self.signature, grid, self.launch)
        return torch_operation(operation, name, out, None, backward)

    def jax_call(
        self, *, grid: Grid | Callable[..., Grid], out: Out | None = None, vmap_method: str | None = "sequential"
    ) -> Callable[..., Any]:
        """The kernel as a function of jax arrays and numbers, which can be called under `jax.jit`, too.

        Arrays of jax do not change: the function gives the outputs, then those of its arguments that the kernel writes,
        as they are behind it; one result as it is, several in a tuple. It is a `jax.pure_callback`, whose arrays are
        the host's: those on a GPU are copied there and back.

        Args:
            grid: Workgroups of each launch, or a function of the arguments by name that gives them.
            out: For each argument that the function gives instead of taking, the argument that it is made like,
                `{"y": "x"}`, or a function of arguments by name that gives its shape and element type,
                `{"y": lambda x: jax.ShapeDtypeStruct(x.shape[:1], x.dtype)}`. They begin as zeros.
            vmap_method: What `jax.vmap` makes of it, as in `jax.pure_callback`.

        Raises:
            OperationError: What is said does not fit the kernel.
            ModuleNotFoundError: There is no jax.
        """
        from .jax_call import jax_function
        from .operation import launched_on

        return jax_function(launched_on(self.name, self.signature, grid, self.launch), out, vmap_method)

    def __getitem__(self, grid: Grid) -> Callable[..., None]:
        return OnGrid(Launchable.launch, self, grid)

    def __call__(self, *arguments: object, **named: object) -> NoReturn:
        """Raises GridError: a launch says its grid."""
        names = ", ".join(p.name for p in self.signature)
        raise GridError(
            f"a launch says its grid of workgroups: expected kernel[grid]({names}), such as kernel[4]({names}) for 4"
            f" workgroups or kernel[2, 6]({names}) for 2 along x and 6 along y; found kernel({names})"
        )

    def launch(
        self,
        grid: Grid,
        /,
        *arguments: object,
        stream: object = None,
        print_to: TextIO | None = None,
        programmatic: bool = False,
        cooperative: bool = False,
        **named: object,
    ) -> None:
        """Runs the kernel on a grid of workgroups; one without any does nothing. Arguments are given by position, by
        name (`x=array`), or first ones by position and others by name; those called as an option is, by position alone.

        Work on a GPU goes on when this returns, except that host arrays that the kernel writes are up to date, and that
        a kernel that prints has ended. What it prints goes to `print_to`, standard output if that is None: workgroup
        by workgroup, of each what its own program prints, then the programs of its parts and threads, owner by owner.

        A `programmatic` launch may begin before the kernel before it in the stream has ended (programmatic dependent
        launch, on NVIDIA's chips from sm_90 on): what that one touches it may touch behind `nvvm.griddepcontrol wait`.

        Of a `cooperative` launch all workgroups are there at the same time, so that they can wait for each other; a
        grid of more than the device has room for is a LaunchError.

        Raises:
            ArgumentError: An argument does not fit.
            CompileError: The program cannot be compiled for the target.
            LaunchError: The device refuses the launch.
        """
        if named:
            arguments = in_order(self.signature, arguments, named)
        how = PROGRAMMATIC if programmatic else 0
        if cooperative:
            how += COOPERATIVE
        launchers = self.launchers
        if launchers.latest(grid, arguments, stream, how):
            return
        records = launchers.launch(grid, arguments, stream, how)
        if records:
            (print_to or sys.stdout).write(text_of_records(records))

    @property
    def summary(self) -> list[tuple[str, str]]:
        """What it shows of itself: a name and words each. Compiles nothing."""
        from .kernel_words import rows_of  # who launches shows nothing

        return rows_of(self.variants.interface)

    def __str__(self) -> str:
        from .kernel_words import text_of_rows

        return text_of_rows(self.summary)

    def _repr_html_(self) -> str:
        from .kernel_words import html_of_rows

        return html_of_rows(self.summary)

    def __repr__(self) -> str:
        arguments = ", ".join(f"{p.name}: {p}" for p in self.signature)
        block = "x".join(map(str, self.block_size))
        return f"<lanewise {type(self).__name__} {self.name}({arguments}) for {self.target.name}, block {block}>"
