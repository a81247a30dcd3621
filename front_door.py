"""`lanewise.compile` as people call it: with the cache that their environment names."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Literal

from .codegen.budget import DEFAULT, Budget
from .environment import CacheChoice, chosen_cache
from .jit.device_choice import DeviceChoice
from .jit.kernel import Kernel
from .jit.kernel import compile as compile_kernel
from .targets import Chip

if TYPE_CHECKING:
    from .jit.source import ProgramSource


def compile(
    source: ProgramSource,
    target: str | Chip | None = None,
    kernel: str | None = None,
    device: DeviceChoice = "auto",
    *,
    fastmath: Literal["none", "approx"] = "none",
    isolate: bool = False,
    budget: Budget = DEFAULT,
    without: Collection[str] = (),
    cache: CacheChoice = "auto",
) -> Kernel:
    """Makes a kernel of a program. The work of each stage is done when its result is first needed.

    Args:
        source: Text, a file, or a module (see `ProgramSource`).
        target: A chip or a product, such as `sm_90` or `h100`. None is what the program says, else `sm_90`.
        kernel: Which of the program's kernels, where it has several.
        device: Where launches run: `auto` is the GPU if there is one that runs the code, else the emulated target.
        fastmath: What the program's float arithmetic may do beside what it says itself: with `approx` it takes the
            chip's approximations (`afn`), reciprocals (`arcp`) and fused multiply-adds (`contract`), and minima and
            maxima may do anything with NaN (`nnan`).
        isolate: Whether LLVM runs in a process of its own: where it aborts, the stage that needs it raises
            LlvmProcessError, and this process lives on. The worker is started when the program is read, and serves all
            kernels. Launches on the emulator of one of AMD's chips make the code object, too, which a GPU would load.
        budget: What compiling may take: a limit of size, and, with `isolate` alone, one of time. Without, LLVM runs in
            this process, where nothing can end it.
        without: Names of passes that are left out; `kernel.passes` has all of them.
        cache: Where the code that launches take is kept, for this process and for others, and looked for: `auto` is
            the folder that LANEWISE_CACHE names, else the user's folder for caches; `off` is nowhere; or a
            `lanewise.KernelCache`. Where a text is found, it is not read before something else than launches needs it.
            Modules are never kept.

    Raises:
        FastMathError: `fastmath` is neither.
        ParseError, VerifyError, ProgramError, UnknownTargetError, SourceError: The input is wrong; the message says
        where, what was expected and what was found.
        DeviceUnavailable: The device is none, or runs no code for the target.
        PassError: `without` names no pass, one that the kernel asks something of, or one without which no code can be
        generated.
    """
    return compile_kernel(
        source,
        target,
        kernel,
        device,
        fastmath=fastmath,
        isolate=isolate,
        budget=budget,
        without=without,
        cache=chosen_cache(cache),
    )
