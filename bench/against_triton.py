"""The examples beside the same work in Triton, both compiled ahead of time: times, and what the code costs. No GPU.

    python bench/against_triton.py [--repeats N]

Needs Triton (`pip install triton`) and for NVIDIA's chips the assembler (the extra `isa`). Both are told what Triton
takes for granted: aligned addresses and extents, offsets of 32 bits, approximate functions and quotients. Times are
those of a warm process without caches, each compiler with the assembler it brings: ours of two compilations, as AMD's
code does not come from the text, Triton's its own report of its stages. Instructions of NVIDIA's chips are those of the
machine code, both texts through one assembler.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from checkout import EXAMPLES, ROWS, use_checkout

use_checkout()

import triton  # noqa: E402
import triton_kernels  # noqa: E402
from lanewise.codegen.assemble import assemble, disassemble  # noqa: E402
from lanewise.codegen.link import read_code_object  # noqa: E402
from lanewise.codegen.machine_text import MachineText  # noqa: E402
from lanewise.jit.kernel import compile as compile_program  # noqa: E402
from lanewise.jit.kernel_variant import KernelVariant  # noqa: E402
from lanewise.jit.program_text import read_source  # noqa: E402
from lanewise.targets import Chip, find_chip  # noqa: E402
from lanewise.targets.chip import Vendor  # noqa: E402
from triton.backends.compiler import GPUTarget  # noqa: E402
from triton.compiler import ASTSource  # noqa: E402

TARGETS: Mapping[str, Any] = {
    "sm_80": GPUTarget("cuda", 80, 32),
    "sm_90a": GPUTarget("cuda", 90, 32),
    "gfx942": GPUTarget("hip", "gfx942", 64),
}
CODE: Mapping[Vendor, tuple[str, str]] = {"nvidia": ("ptx", "cubin"), "amd": ("amdgcn", "hsaco")}
"""The assembler's text and the code that is loaded, as both compilers call them."""
GOALS = {"ptx": 0.15, "cubin": 0.35, "hsaco": 0.25}
"""Of the geometric mean of our times by Triton's."""
COUNTED = ("instructions", "in loops", "mma", "registers", "spills", "shared bytes")


@dataclass(frozen=True)
class Peer:
    """A kernel of `triton_kernels` and the folder of ours with the same tile and `threads`; `signature` of what is no
    constant."""

    ours: Path
    kernel: Any
    signature: Mapping[str, str]
    constants: Mapping[str, int]
    threads: int
    stages: int | None = None


_FLOATS, _HALVES, _BRAINS = "*fp32", "*fp16", "*bf16"
PEERS: Mapping[str, Peer] = {
    "vector_add": Peer(
        EXAMPLES,
        triton_kernels.vector_add_kernel,
        {"x": _FLOATS, "y": _FLOATS, "z": _FLOATS, "n": "i32"},
        {"BLOCK": 1024},
        256,
    ),
    "softmax": Peer(
        ROWS,
        triton_kernels.softmax_kernel,
        {"x": _FLOATS, "y": _FLOATS, "n": "i32"},
        {"BLOCK": 1024},
        128,
    ),
    "layer_norm": Peer(
        ROWS,
        triton_kernels.layer_norm_kernel,
        {"x": _FLOATS, "scale": _FLOATS, "shift": _FLOATS, "y": _FLOATS, "n": "i32", "epsilon": "fp32"},
        {"BLOCK": 1024},
        128,
    ),
    "rms_norm": Peer(
        ROWS,
        triton_kernels.rms_norm_kernel,
        {"x": _BRAINS, "scale": _BRAINS, "y": _BRAINS, "n": "i32", "epsilon": "fp32"},
        {"BLOCK": 1024},
        128,
    ),
    "transpose": Peer(
        EXAMPLES,
        triton_kernels.transpose_kernel,
        {"x": _FLOATS, "y": _FLOATS, "m": "i32", "n": "i32"},
        {"BLOCK": 64},
        256,
    ),
    "matmul_f16": Peer(
        EXAMPLES,
        triton_kernels.matmul_kernel.fn,  # without its search
        {"a": _HALVES, "b": _HALVES, "c": _FLOATS, "m": "i32", "n": "i32", "k": "i32"},
        {"BM": 128, "BN": 128, "BK": 32, "GROUP": 8},
        256,
        stages=4,
    ),
}


@dataclass(frozen=True)
class Compiled:
    """`text` and `code`: seconds until there is one; `counts` by `COUNTED`."""

    text: float
    code: float
    counts: Mapping[str, int]


Compile: TypeAlias = Callable[[], Compiled]


def ours(name: str, target: str) -> Compile:
    program, chip = read_source(PEERS[name].ours / f"{name}.mlir").text, find_chip(target)

    def stages() -> KernelVariant:
        kernel = compile_program(program, target, fastmath="approx")
        return kernel.variant(kernel.best_facts)

    def run() -> Compiled:
        start = time.perf_counter()
        assembly = stages().assembly
        middle = time.perf_counter()
        made = stages()
        code = getattr(made, CODE[chip.vendor][1])
        end = time.perf_counter()
        artifacts = made.artifacts
        shared = artifacts.static_shared_bytes + artifacts.dynamic_shared_bytes
        return Compiled(middle - start, end - middle, _counts(chip, assembly, code, shared))

    return run


def theirs(name: str, target: str) -> Compile:
    peer, chip = PEERS[name], find_chip(target)
    names = peer.kernel.arg_names
    signature = {n: peer.signature.get(n, "constexpr") for n in names}
    aligned = {(i,): [["tt.divisibility", 16]] for i, n in enumerate(names) if signature[n][0] in "*i"}
    constants = {(names.index(n),): value for n, value in peer.constants.items()}
    options = {"num_warps": peer.threads // TARGETS[target].warp_size}
    if peer.stages is not None:
        options["num_stages"] = peer.stages

    def run() -> Compiled:
        reports: list[Any] = []
        knobs = triton.knobs.compilation
        knobs.always_compile, knobs.listener = True, lambda *, times, **_: reports.append(times)
        source = ASTSource(fn=peer.kernel, signature=signature, constexprs=constants, attrs=aligned)
        made = triton.compile(source, target=TARGETS[target], options=options)
        [times] = reports
        text, code = CODE[chip.vendor]
        whole = times.ir_initialization + times.total_lowering
        last = dict(times.lowering_stages)[code]
        counts = _counts(chip, made.asm[text], made.asm[code], made.metadata.shared)
        return Compiled((whole - last) / 1e6, whole / 1e6, counts)

    return run


def _counts(chip: Chip, text: str, code: bytes, shared: int) -> Mapping[str, int]:
    if chip.vendor == "nvidia":
        cubin = assemble(text, chip)
        machine = MachineText(disassemble(cubin.code), "sass")
        [found] = cubin.resources.values()
        registers, spills = found.registers, found.spill_load_bytes + found.spill_store_bytes
    else:
        machine = MachineText(text, "amdgcn")
        [kernel] = read_code_object(code).kernels.values()
        registers, spills = kernel.vgpr, kernel.vgpr_spills + kernel.sgpr_spills
    numbers = (machine.size, machine.in_loops, machine.count("mma"), registers, spills, shared)
    return dict(zip(COUNTED, numbers, strict=True))


def fastest(compile: Compile, repeats: int) -> Compiled:
    """The medians of the times of `repeats` compilations, after one to warm up."""
    compile()
    runs = [compile() for _ in range(repeats)]
    text, code = (statistics.median(times) for times in zip(*((r.text, r.code) for r in runs), strict=True))
    return Compiled(text, code, runs[0].counts)


def compare(target: str, repeats: int) -> None:
    """Prints the table of one chip: of each pair of numbers ours is the first."""
    text, code = CODE[find_chip(target).vendor]
    heads = (f"ms to {text}", f"ms to {code}", *COUNTED)
    print(f"\n{target + ', ours / Triton':24}" + "".join(f"{head:>18}" for head in heads))
    ratios: dict[str, list[float]] = {text: [], code: []}
    for name in PEERS:
        pair = fastest(ours(name, target), repeats), fastest(theirs(name, target), repeats)
        mine, other = pair
        ratios[text].append(mine.text / other.text)
        ratios[code].append(mine.code / other.code)
        cells = [f"{1e3 * a:.0f} / {1e3 * b:.0f}" for a, b in ((mine.text, other.text), (mine.code, other.code))]
        cells += [f"{mine.counts[name]} / {other.counts[name]}" for name in COUNTED]
        print(f"{name:24}" + "".join(f"{cell:>18}" for cell in cells), flush=True)
    for kind, found in ratios.items():
        goal = f", goal {GOALS[kind]}" if kind in GOALS else ""
        print(f"time to {kind}: {statistics.geometric_mean(found):.2f} of Triton's (geometric mean{goal})")


def show(targets: Sequence[str] = (), repeats: int = 9) -> None:
    for target in targets or TARGETS:
        compare(target, repeats)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", help=f"chips (default: {', '.join(TARGETS)})")
    parser.add_argument("--repeats", type=int, default=9, help="compilations behind each median")
    options = parser.parse_args(arguments)
    show(options.targets, options.repeats)


if __name__ == "__main__":
    main()
