"""From a kernel that was compiled here to what its file holds: code, and where each instruction comes from."""

from __future__ import annotations

from ..codegen.assemble import assemble, assembles
from ..codegen.llvm import llvm_version
from ..ir.remarks import Remark
from ..pipeline.compilation import Compilation
from ..support.diagnostics import Source
from ..support.version import VERSION
from .compiler import Compiler, grid_parameters, map_parameters
from .facts import GENERAL, Facts
from .origin import origins_of
from .saved import SavedKernel, SavedVariant


def saved_kernel(
    compiler: Compiler, program: Source | None, remarks: tuple[Remark, ...], *, cubin: bool | None
) -> SavedKernel:
    """The general variant, the fastest, on chips that tell it the one for near buffers, and all compiled so far.

    `cubin`: whether to assemble PTX; None is where there is a `ptxas` that knows the chip. Raises CompileError, and
    AssemblerError or ToolMissingError where a cubin is wanted.
    """
    interface = compiler.interface
    wanted = {GENERAL, Facts(near=interface.near), interface.best_facts, *compiler.compiled}
    wants_cubin = assembles(interface.target) if cubin is None else cubin and interface.target.vendor == "nvidia"
    variants = tuple(_saved(facts, compiler.compilation(facts), wants_cubin) for facts in sorted(wanted))
    versions = {"lanewise": VERSION, "llvm": ".".join(map(str, llvm_version()))}
    return SavedKernel(interface, variants, versions, program, remarks)


def _saved(facts: Facts, compilation: Compilation, wants_cubin: bool) -> SavedVariant:
    artifacts, chip = compilation.artifacts, compilation.chip
    cubin = assemble(artifacts.assembly, chip) if wants_cubin else None
    image = artifacts.code_object if chip.vendor == "amd" else None
    return SavedVariant(
        facts,
        artifacts.assembly,
        cubin.code if cubin else image,
        artifacts.block_size,
        artifacts.dynamic_shared_bytes,
        artifacts.static_shared_bytes,
        grid_parameters(artifacts),
        map_parameters(artifacts),
        origins_of(compilation),
        cubin.resources[compilation.kernel.name] if cubin else None,
    )
