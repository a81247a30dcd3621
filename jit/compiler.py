"""Variants of a kernel from its program, compiled when they are first needed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Literal

from ..codegen.compile import Artifacts
from ..codegen.emit.tensor_map import MapParameter
from ..frontend.inline import with_called_bodies
from ..frontend.known_attributes import LOWERING_KEYS
from ..frontend.legalise import printing_of
from ..ir.attributes import DenseArrayAttr, number_of
from ..ir.core import Operation
from ..ir.kernels import Kernel as KernelView
from ..pipeline.compilation import Compilation
from ..pipeline.facts import ArgumentFacts
from ..pipeline.settings import AS_USUAL, Settings
from ..support.dataclasses import replace
from ..support.diagnostics import Diagnostic, ProgramError
from ..targets import Chip
from .device import Code, Device
from .facts import Facts, divisors_that_matter, largest_divisor, machine_count
from .index_sources import index_sources
from .kernel_signature import signature_of
from .origin import origin_of
from .signature import (
    BufferParameter,
    MachineParameter,
    Role,
    SignatureParameter,
    machine_parameters,
    offsets_with_maps,
)
from .variants import Interface, Requirement, Variant

_STORED = "an extent (boxes are stored in whole pieces of 16 bytes)"


class Compiler:
    """One kernel of a module for one chip. The general variant, with no facts, is what texts are shown of."""

    def __init__(
        self,
        module: Operation,
        view: KernelView,
        target: Chip,
        settings: Settings = AS_USUAL,
    ) -> None:
        self.view = view
        self.settings = settings
        self.interface = interface_of(view, target)
        self.module = module
        self._compilations: dict[Facts, Compilation] = {}

    def compilation(self, facts: Facts) -> Compilation:
        """The stages compiled for facts; what makes no variant is left out of them."""
        key = self.interface.relevant(facts)
        if key not in self._compilations:
            known = argument_facts(self.interface.signature, key)
            self._compilations[key] = Compilation(self.module, self.view, self.interface.target, known, self.settings)
        return self._compilations[key]

    @property
    def compiled(self) -> tuple[Facts, ...]:
        """The facts of the variants so far."""
        return tuple(self._compilations)

    @property
    def isolated(self) -> Compiler:
        """One of the same kernel whose LLVM runs in a process of its own."""
        settings = replace(self.settings, isolate=True)
        return Compiler(self.module, self.view, self.interface.target, settings)

    def variant(self, facts: Facts, device: Device) -> Variant:
        """The code for facts, of the kind that the device loads."""
        return _variant_of(self.compilation(facts), self.interface, device.loads, as_on_gpu=self.settings.isolate)


def _variant_of(
    compilation: Compilation, interface: Interface, loads: Literal["text", "image"], *, as_on_gpu: bool
) -> Variant:
    """What a launch needs of a compilation: the code object or the machine text; with `as_on_gpu` the code object, too,
    which AMD's GPUs load, so that nothing is run that could not be loaded there."""
    artifacts = compilation.artifacts
    has_image = loads == "image" or (as_on_gpu and compilation.chip.vendor == "amd")
    text = artifacts.assembly if loads == "text" else None
    code_object = artifacts.code_object if has_image else None
    maps = map_parameters(artifacts)
    return Variant(
        Code(compilation.chip.name, text, code_object, interface.name, offsets_with_maps(interface.signature, maps)),
        artifacts.block_size,
        artifacts.dynamic_shared_bytes,
        grid_parameters(artifacts),
        maps,
        partial(origin_of, compilation),
    )


def grid_parameters(artifacts: Artifacts) -> tuple[tuple[int, int], ...]:
    """See `Variant.grid`."""
    return tuple((p.offset, p.dimension or 0) for p in artifacts.parameters if p.role == "grid")


def map_parameters(artifacts: Artifacts) -> tuple[MapParameter, ...]:
    """See `Variant.maps`."""
    return tuple(p.map for p in artifacts.parameters if p.map is not None)


def interface_of(view: KernelView, target: Chip) -> Interface:
    """Raises ProgramError for an argument that no launch can pass, CompileError for calls and tensors that cannot be
    expanded."""
    printing = printing_of(view)
    view = with_called_bodies(view)
    try:
        signature = signature_of(view, prints=printing is not None)
    except TypeError as error:
        raise ProgramError([Diagnostic(str(error), view.op.location)]) from error
    divisors = divisors_that_matter(signature, *index_sources(view))
    is_lowered = view.stage != "vector" or view.after is not None  # with the facts that it was lowered for
    return Interface(
        view.name,
        target,
        view.block_size,
        view.cluster_size,
        signature,
        tuple(_requirements(view, signature)),
        (1,) * len(divisors) if is_lowered else divisors,
        not is_lowered and _gains_by_nearness(view, target),
        printing,
    )


def _gains_by_nearness(view: KernelView, target: Chip) -> bool:
    """Where the hardware checks bounds, and in loops of products that wait for copies (docs/decisions/0007, 0040)."""
    copies = target.supports("cp.async") and any(_is_promoted(op) for op in view.op.walk())
    return target.supports("raw_buffer") or copies


def _is_promoted(op: Operation) -> bool:
    """Whether its operands may come through shared memory."""
    return "promote_operands" in LOWERING_KEYS.get(op.opname, ())


def _requirements(view: KernelView, signature: Sequence[SignatureParameter]) -> Iterator[Requirement]:
    """What the program's own argument attributes state."""
    position = 0
    for i, parameter in enumerate(signature[: len(view.arguments)]):
        if isinstance(parameter, BufferParameter):
            count = machine_count(parameter)
            stated = [*_stated_of_buffer(view, i, parameter), *_needed_of_buffer(view, i, parameter)]
        else:
            number = number_of(view.argument_attribute(i, "lanewise.divisibility"))
            count, stated = 1, [] if number is None else [(0, number, "a number")]
        yield from (Requirement(position + k, n, parameter.name, what) for k, n, what in stated if n > 1)
        position += count


def _stated_of_buffer(view: KernelView, index: int, buffer: BufferParameter) -> list[tuple[int, int, str]]:
    """Machine parameter, counted from the pointer, divisor, and what it is. Launches pass 0 as an offset."""
    align = number_of(view.argument_attribute(index, "llvm.align"))
    found = [] if align is None else [(0, align, "an address")]
    position = 1
    for name, what, extents in (
        ("lanewise.divisibility", "an extent", buffer.shape),
        ("lanewise.stride_divisibility", "a stride", buffer.strides or ()),
    ):
        dynamic = [d for d, extent in enumerate(extents) if extent is None]
        divisors = view.argument_attribute(index, name)
        if isinstance(divisors, DenseArrayAttr):
            found += [(position + k, int(divisors.values[d]), what) for k, d in enumerate(dynamic)]
        position += len(dynamic)
    return found


def _needed_of_buffer(view: KernelView, index: int, buffer: BufferParameter) -> list[tuple[int, int, str]]:
    """What operations need of a buffer: see `Operation.whole_extents`."""
    dynamic = [d for d, extent in enumerate(buffer.shape) if extent is None]
    needed = {(d, n) for op in view.op.walk() for m, d, n in op.whole_extents() if m is view.arguments[index]}
    return [(1 + dynamic.index(d), n, _STORED) for d, n in sorted(needed) if d in dynamic]


# Facts


def argument_facts(signature: Sequence[SignatureParameter], facts: Facts) -> dict[int, ArgumentFacts]:
    """Facts of machine parameters as facts of arguments, by argument number; what says nothing is left out."""
    parameters = machine_parameters(signature)
    remaining = iter(zip(parameters, facts.divisors or (1,) * len(parameters), strict=True))
    found: dict[int, ArgumentFacts] = {}
    for i, parameter in enumerate(signature):
        if isinstance(parameter, BufferParameter):
            own = [next(remaining) for _ in range(machine_count(parameter))]
            fact = _buffer_facts(parameter, own, facts.near)
        else:
            _, divisor = next(remaining)
            fact = ArgumentFacts(divisibility=divisor if divisor > 1 else None)
        if fact != ArgumentFacts():
            found[i] = fact
    return found


def _buffer_facts(buffer: BufferParameter, own: Sequence[tuple[MachineParameter, int]], near: bool) -> ArgumentFacts:
    """`own`: the machine parameters of the buffer and their divisors."""
    by_role = {role: [divisor for p, divisor in own if p.role is role] for role in Role}
    align = by_role[Role.POINTER][0]
    return ArgumentFacts(
        align=align if align > 1 else None,
        divisibility=_completed(buffer.shape, by_role[Role.SIZE]),
        strides=_completed(buffer.strides or (), by_role[Role.STRIDE]),
        near=near,
    )


def _completed(extents: Sequence[int | None], divisors: Sequence[int]) -> tuple[int, ...] | None:
    """One divisor for each extent, static ones' from the extents; None where nothing is known of the dynamic ones."""
    if max(divisors, default=1) == 1:
        return None
    remaining = iter(divisors)
    return tuple(next(remaining) if n is None else largest_divisor(n) for n in extents)
