"""Kernels as Python objects: what `compile` gives, with the text of every stage, resources and launches.

A launch looks at its arguments: whether addresses are multiples of 16 bytes, whether extents and index numbers are
multiples of 16, and, where the chip has instructions for it, whether every buffer lies in the 2 GiB from its address
on. What holds is a fact that the code for this launch is compiled with; each combination that occurs is compiled
once and kept. The texts that a kernel shows are those of the general variant, which is compiled with no fact.
"""

from __future__ import annotations

import functools
import operator
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, SupportsIndex, TypeAlias

from ..codegen.assemble import Resources
from ..codegen.pipeline import ArgumentFacts, Compilation
from ..ir.attributes import DenseArrayAttr, IntegerAttr, StringAttr
from ..ir.core import Operation
from ..ir.diagnostics import Diagnostic, LanewiseError, ProgramError
from ..ir.kernels import Kernel as KernelView
from ..ir.kernels import find_kernel
from ..ir.targets import Chip, find_chip
from ..ir.targets.chip import Vendor
from .arguments import Binder, BoundArguments, Facts, largest_divisor
from .arrays import DeviceArray
from .device import Code, Device, DeviceUnavailable, Dim3, Function, LaunchError
from .kernel_signature import signature_of
from .origin import origin_of
from .signature import ArgumentValueError, BufferParameter, SignatureParameter, machine_parameters
from .source import ProgramSource, module_of
from .stages import Stages

if TYPE_CHECKING:
    from ..codegen.link import KernelInfo, Occupancy

DEFAULT_TARGET = "sm_90"
FACT = 16
"""Divisors below this one are not told apart: every fact doubles the number of variants."""

Grid: TypeAlias = int | Sequence[int]
DeviceChoice: TypeAlias = Literal["auto", "cuda", "hip", "emulated"] | Device


class GridError(LanewiseError, ValueError):
    """A grid is no number of workgroups."""


def compile_program(
    source: ProgramSource,
    target: str | Chip | None = None,
    kernel: str | None = None,
    device: DeviceChoice = "auto",
) -> Kernel:
    """Makes a kernel of a program. The work of each stage is done when its result is first needed.

    Args:
        source: Text, a file, or a module (see `ProgramSource`).
        target: A chip or a product, such as `sm_90` or `h100`. None is what the program says, else `sm_90`.
        kernel: Which of the program's kernels, where it has several.
        device: Where launches run: `auto` is the GPU if there is one that runs the code, else the emulated target.

    Raises:
        ParseError, VerifyError, ProgramError, UnknownTargetError, SourceError: The input is wrong; the message says
        where, what was expected and what was found.
    """
    module = module_of(source)
    return Kernel(module, find_kernel(module, kernel), _chip(module, target), device)


def _chip(module: Operation, target: str | Chip | None) -> Chip:
    if isinstance(target, Chip):
        return target
    own = module.attributes.get("lanewise.target")
    return find_chip(target or (own.value if isinstance(own, StringAttr) else DEFAULT_TARGET))


class Kernel:
    """One kernel for one chip; see `compile_program`. `kernel[grid](*arguments)` launches it.

    Attributes:
        target: The chip that the code is for.
        view: The kernel in its program.
        signature: What the arguments are.
    """

    def __init__(self, module: Operation, view: KernelView, target: Chip, device: DeviceChoice = "auto") -> None:
        self.target = target
        self.view = view
        self.signature: tuple[SignatureParameter, ...] = _signature(view)
        self._module = module
        self._device_choice: DeviceChoice = device
        self._variants: dict[Facts, Compilation] = {}

    @property
    def name(self) -> str:
        return self.view.name

    @property
    def block_size(self) -> Dim3:
        """Threads of a workgroup along x, y and z."""
        return self.view.block_size

    # The texts of the stages

    @functools.cached_property
    def compilation(self) -> Compilation:
        """The stages of the general variant as modules."""
        return self.variant(Facts())

    @functools.cached_property
    def stages(self) -> Stages:
        """The stages of the general variant as text and code; the properties below are theirs."""
        return Stages(self.compilation)

    @functools.cached_property
    def stages_with_lines(self) -> Stages:
        """The same, with the lines of the program in machine text and code."""
        return Stages(self.compilation, line_info=True)

    @property
    def vector_ir(self) -> str:
        return self.stages.vector_ir

    @property
    def layout_ir(self) -> str:
        return self.stages.layout_ir

    @property
    def thread_ir(self) -> str:
        return self.stages.thread_ir

    @property
    def llvm_ir(self) -> str:
        return self.stages.llvm_ir

    @property
    def llvm_ir_optimised(self) -> str:
        return self.stages.llvm_ir_optimised

    @property
    def assembly(self) -> str:
        """The machine text: PTX for NVIDIA's chips, AMDGCN for AMD's."""
        return self.stages.assembly

    @property
    def ptx(self) -> str:
        return self.stages.ptx

    @property
    def amdgcn(self) -> str:
        return self.stages.amdgcn

    @property
    def object_file(self) -> bytes:
        """The relocatable object, for AMD's chips."""
        return self.stages.object_file

    @property
    def hsaco(self) -> bytes:
        """The code object that ROCm loads, for AMD's chips."""
        return self.stages.hsaco

    @property
    def cubin(self) -> bytes:
        """Machine code from `ptxas`. Raises ToolMissingError where that is not installed."""
        return self.stages.cubin

    @property
    def sass(self) -> str:
        return self.stages.sass

    @property
    def resources(self) -> Resources | KernelInfo:
        """Registers, spills and shared memory, as the assembler or the code object reports them."""
        return self.stages.resources

    @property
    def occupancy(self) -> Occupancy | None:
        """Waves per SIMD and what limits them, for AMD's chips; None where no table has the chip's registers."""
        return self.stages.occupancy

    # Variants

    def variant(self, facts: Facts) -> Compilation:
        """The stages compiled for facts; with none of them, or none that matters, the general variant."""
        divisors = tuple(FACT if divisor >= FACT else 1 for divisor in facts.divisors)
        near = facts.near and self.target.supports("raw_buffer")
        key = Facts(divisors if FACT in divisors else (), near)
        if key not in self._variants:
            known = argument_facts(self.signature, key)
            self._variants[key] = Compilation(self._module, self.name, self.target, known)
        return self._variants[key]

    @property
    def best_facts(self) -> Facts:
        """Of aligned arrays of at most 2 GiB whose extents are multiples of 16: their variant is the fastest."""
        return Facts((FACT,) * len(machine_parameters(self.signature)), near=True)

    @property
    def variant_count(self) -> int:
        return len(self._variants)

    # Launches

    @functools.cached_property
    def device(self) -> Device:
        """Where launches run. Raises DeviceUnavailable."""
        return choose_device(self._device_choice, self.target)

    @functools.cached_property
    def launcher(self) -> Launcher:
        return Launcher(self, self.device)

    def __getitem__(self, grid: Grid) -> Callable[..., None]:
        return functools.partial(self.launch, grid)

    def launch(self, grid: Grid, *arguments: object, stream: object = None) -> None:
        """Runs the kernel on a grid of workgroups.

        Work on a GPU goes on when this returns, except that host arrays that the kernel writes are up to date.

        Raises:
            ArgumentError: An argument does not fit.
            CompileError: The program cannot be compiled for the target.
            LaunchError: The device refuses the launch.
        """
        self.launcher.launch(grid, arguments, stream)


class Launcher:
    """A kernel on one device: its functions by the facts they were compiled for.

    Unless `specialise`, every launch takes the general variant, whose texts the kernel shows.
    """

    def __init__(self, kernel: Kernel, device: Device, *, specialise: bool = True) -> None:
        self.kernel, self.device = kernel, device
        self._specialise = specialise
        self._block = kernel.block_size
        self._bind = Binder(kernel.signature).bind
        self._loaded: dict[Facts, _Loaded] = {}
        self._required = _required_divisors(kernel.view, kernel.signature)
        self._recent: _Recent | None = None

    def launch(self, grid: Grid, arguments: Sequence[object], stream: object = None) -> None:
        workgroups = grid_of(grid)
        recent = self._recent
        if recent is not None and recent.fits(arguments):
            self._run(recent.loaded, workgroups, recent.packed, stream)
            return
        bound = self._bind(arguments, self.device, stream)
        try:
            if self._required:
                self._check(bound)
            loaded = self._loaded_for(bound)
            self._run(loaded, workgroups, bound.packed, stream)
            bound.copy_back(stream)
            self._recent = _Recent.of(arguments, bound.packed, loaded)
        finally:
            bound.release()

    def _run(self, loaded: _Loaded, workgroups: Dim3, packed: bytes, stream: object) -> None:
        packed = loaded.with_grid(packed, workgroups)
        try:
            self.device.launch(
                loaded.function, workgroups, self._block, packed, dynamic_shared_bytes=loaded.shared, stream=stream
            )
        except LaunchError as error:
            place = None if error.line is None else origin_of(loaded.compilation, error.line)
            if place is None:
                raise
            raise LaunchError(f"{error}; from {place}", error.line) from error.__cause__

    def origin(self, arguments: Sequence[object], line: int) -> str | None:
        """Where line `line` of the machine text for such arguments comes from: see `origin_of`."""
        with self._bind(arguments, self.device) as bound:
            return origin_of(self._loaded_for(bound).compilation, line)

    def prepare(self, arguments: Sequence[object]) -> None:
        """Compiles and loads the code for such arguments, so that their first launch is as fast as the next."""
        with self._bind(arguments, self.device) as bound:
            self._loaded_for(bound)

    def _loaded_for(self, bound: BoundArguments) -> _Loaded:
        facts = bound.facts if self._specialise else Facts()
        return self._loaded.get(facts) or self._load(facts)

    def _load(self, facts: Facts) -> _Loaded:
        compilation = self.kernel.variant(facts)
        artifacts = compilation.artifacts
        wants_image = self.device.loads == "image"
        text = None if wants_image else artifacts.assembly
        image = artifacts.code_object if wants_image else None
        code = Code(self.kernel.target.name, text, image, self.kernel.name)
        shared = artifacts.dynamic_shared_bytes
        grid = tuple((p.offset, p.dimension or 0) for p in artifacts.parameters if p.role == "grid")
        loaded = _Loaded(self.device.load(code, dynamic_shared_bytes=shared), compilation, shared, grid)
        self._loaded[facts] = loaded
        return loaded

    def _check(self, bound: BoundArguments) -> None:
        for index, divisor, name, what in self._required:
            if bound.values[index] % divisor:
                expected = f"{what} that is a multiple of {divisor}, as the program states"
                raise ArgumentValueError(name, expected, str(bound.values[index]))


class _Loaded(NamedTuple):
    """A variant on the device. `grid`: where its code expects extents of the grid as arguments, (offset, axis)."""

    function: Function
    compilation: Compilation
    shared: int
    grid: tuple[tuple[int, int], ...]

    def with_grid(self, packed: bytes, workgroups: Dim3) -> bytes:
        """The arguments and, on chips without registers for them, the grid's extents."""
        for offset, axis in self.grid:
            packed = packed.ljust(offset, b"\0") + workgroups[axis].to_bytes(8, "little")
        return packed


class _Recent:
    """The last launch, where it had nothing but our own device arrays and numbers: passed again, it needs no binding.

    The arrays are not kept alive; one that was freed since is noticed.
    """

    __slots__ = ("_arguments", "loaded", "packed")

    def __init__(self, arguments: Sequence[weakref.ref[DeviceArray] | float], packed: bytes, loaded: _Loaded) -> None:
        self._arguments, self.packed, self.loaded = arguments, packed, loaded

    @classmethod
    def of(cls, arguments: Sequence[object], packed: bytes, loaded: _Loaded) -> _Recent | None:
        kept: list[weakref.ref[DeviceArray] | float] = []
        for argument in arguments:
            if type(argument) is DeviceArray:
                kept.append(weakref.ref(argument))
            elif isinstance(argument, (int, float)):
                kept.append(argument)
            else:
                return None
        return cls(tuple(kept), packed, loaded)

    def fits(self, arguments: Sequence[object]) -> bool:
        if len(arguments) != len(self._arguments):
            return False
        for kept, argument in zip(self._arguments, arguments, strict=True):
            if type(kept) is weakref.ref:
                array = kept()
                if array is None or array is not argument:
                    return False
                array.view()  # raises where it was freed
            elif kept is not argument:
                return False
        return True


def grid_of(grid: Grid) -> Dim3:
    """Workgroups along x, y, z. Raises GridError unless it is one to three integers of at least 1."""
    if type(grid) is int and grid > 0:
        return (grid, 1, 1)
    given: list[object] = list(grid) if isinstance(grid, Iterable) else [grid]
    extents = [operator.index(n) for n in given if isinstance(n, SupportsIndex) and not isinstance(n, bool)]
    if not 1 <= len(given) <= 3 or len(extents) != len(given) or min(extents) < 1:
        raise GridError(f"a grid is one to three numbers of workgroups, each at least 1; found {grid}")
    x, y, z = (*extents, 1, 1)[:3]
    return x, y, z


def choose_device(choice: DeviceChoice, target: Chip) -> Device:
    """The device to launch on. Raises DeviceUnavailable, also when the device cannot run code for the target."""
    if choice == "emulated":
        return _emulated(target)
    if choice == "auto":
        return _gpu_for(target) or _emulated(target)
    device = _OPEN[choice]() if isinstance(choice, str) else choice
    if not target.serves(find_chip(device.properties.target)):
        raise DeviceUnavailable(
            f"code for {target.name} does not run on {device.properties.name} ({device.properties.target})"
        )
    return device


# Compiling needs no device, so their modules are imported when one is opened.


def _cuda() -> Device:
    from .cuda import CudaDevice

    return CudaDevice()


def _hip() -> Device:
    from .hip import HipDevice

    return HipDevice()


_OPEN: Mapping[str, Callable[[], Device]] = {"cuda": _cuda, "hip": _hip}
_DRIVERS: Mapping[Vendor, Literal["cuda", "hip"]] = {"nvidia": "cuda", "amd": "hip"}


def _emulated(target: Chip) -> Device:
    from .emulated import EmulatedDevice

    return EmulatedDevice(target.name)


def _gpu_for(target: Chip) -> Device | None:
    try:
        return choose_device(_DRIVERS[target.vendor], target)
    except DeviceUnavailable:
        return None


# Facts


def argument_facts(signature: Sequence[SignatureParameter], facts: Facts) -> dict[int, ArgumentFacts]:
    """Facts of machine parameters as facts of arguments, by argument number; what says nothing is left out."""
    remaining = iter(facts.divisors or (1,) * len(machine_parameters(signature)))
    found: dict[int, ArgumentFacts] = {}
    for i, parameter in enumerate(signature):
        if isinstance(parameter, BufferParameter):
            fact = _buffer_facts(parameter, [next(remaining) for _ in range(_machine_count(parameter))], facts.near)
        else:
            divisor = next(remaining)
            fact = ArgumentFacts(divisibility=divisor if divisor > 1 else None)
        if fact != ArgumentFacts():
            found[i] = fact
    return found


def _machine_count(parameter: BufferParameter) -> int:
    dynamic = [*parameter.shape, *(parameter.strides or ()), parameter.offset]
    return 1 + sum(value is None for value in dynamic)


def _buffer_facts(parameter: BufferParameter, divisors: Sequence[int], near: bool) -> ArgumentFacts:
    """`divisors` begins with that of the pointer, then those of dynamic extents."""
    remaining = iter(divisors[1:])
    extents = tuple(next(remaining) if n is None else largest_divisor(n) for n in parameter.shape)
    return ArgumentFacts(
        align=divisors[0] if divisors[0] > 1 else None,
        divisibility=extents if None in parameter.shape and max(extents) > 1 else None,
        near=near,
    )


Requirement: TypeAlias = tuple[int, int, str, str]


def _required_divisors(view: KernelView, signature: Sequence[SignatureParameter]) -> list[Requirement]:
    """What the program's own argument attributes state: (machine parameter, divisor, argument, what it is)."""
    found: list[Requirement] = []
    position = 0
    for i, parameter in enumerate(signature):
        align = view.argument_attribute(i, "llvm.align")
        divisibility = view.argument_attribute(i, "lanewise.divisibility")
        if isinstance(align, IntegerAttr):
            found.append((position, align.value, parameter.name, "an address"))
        if isinstance(divisibility, IntegerAttr):
            found.append((position, divisibility.value, parameter.name, "a number"))
        elif isinstance(divisibility, DenseArrayAttr) and isinstance(parameter, BufferParameter):
            dynamic = [d for d, extent in enumerate(parameter.shape) if extent is None]
            divisors = [int(divisibility.values[d]) for d in dynamic]
            found += [(position + 1 + k, n, parameter.name, "an extent") for k, n in enumerate(divisors)]
        position += _machine_count(parameter) if isinstance(parameter, BufferParameter) else 1
    return [requirement for requirement in found if requirement[1] > 1]


def _signature(view: KernelView) -> tuple[SignatureParameter, ...]:
    try:
        return signature_of(view)
    except TypeError as error:
        raise ProgramError([Diagnostic(str(error), view.op.location)]) from error
