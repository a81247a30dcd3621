"""From a kernel that was compiled here to what its file holds: code, and where each instruction comes from."""

from __future__ import annotations

from collections.abc import Collection

from ..codegen.assemble import Resources, assemble, assembles
from ..codegen.llvm import llvm_version
from ..ir.remarks import Remark
from ..pipeline.compilation import Compilation
from ..support.diagnostics import Source
from ..support.version import VERSION
from .compiler import Compiler, grid_parameters, map_parameters
from .facts import GENERAL, Facts
from .grid_uses import GridUses
from .origin import NOT_SAID, Origins, origins_of
from .saved import SavedKernel, SavedVariant
from .variants import Interface


def saved_kernel(
    compiler: Compiler,
    taken: Collection[Facts],
    program: Source | None,
    remarks: tuple[Remark, ...],
    *,
    cubin: bool | None,
) -> SavedKernel:
    """The general variant, the fastest, on chips that tell it the one for near buffers, and all that were compiled or
    `taken` so far.

    `cubin`: whether to assemble PTX; None is where there is a `ptxas` that knows the chip. Raises CompileError, and
    AssemblerError or ToolMissingError where a cubin is wanted.
    """
    interface = compiler.interface
    wanted = {GENERAL, Facts(near=interface.near), interface.best_facts, *compiler.compiled, *taken}
    wants_cubin = assembles(interface.target) if cubin is None else cubin and interface.target.vendor == "nvidia"
    variants = tuple(_saved(facts, compiler.compilation(facts), wants_cubin) for facts in sorted(wanted))
    return SavedKernel(interface, variants, _versions(), program, remarks)


def kept_kernel(
    interface: Interface, facts: Facts, compilation: Compilation, *, image: bool, grid_uses: GridUses | None
) -> SavedKernel:
    """One variant, for a cache: whoever finds it has the program, so lines, remarks and text of that are left out.

    `image`: whether a device is to load a code object of it.
    """
    code = compilation.artifacts.code_object if image else None
    variant = _with_code(facts, compilation, code, NOT_SAID)
    return SavedKernel(interface, (variant,), _versions(), grid_uses=grid_uses)


def _versions() -> dict[str, str]:
    return {"lanewise": VERSION, "llvm": ".".join(map(str, llvm_version()))}


def _saved(facts: Facts, compilation: Compilation, wants_cubin: bool) -> SavedVariant:
    artifacts, chip = compilation.artifacts, compilation.chip
    cubin = assemble(artifacts.assembly, chip) if wants_cubin else None
    image = artifacts.code_object if chip.vendor == "amd" else None
    resources = cubin.resources[compilation.kernel.name] if cubin else None
    return _with_code(facts, compilation, cubin.code if cubin else image, origins_of(compilation), resources)


def _with_code(
    facts: Facts, compilation: Compilation, image: bytes | None, origins: Origins, resources: Resources | None = None
) -> SavedVariant:
    artifacts = compilation.artifacts
    return SavedVariant(
        facts,
        artifacts.assembly,
        image,
        artifacts.block_size,
        artifacts.dynamic_shared_bytes,
        artifacts.static_shared_bytes,
        grid_parameters(artifacts),
        map_parameters(artifacts),
        origins,
        resources,
    )
