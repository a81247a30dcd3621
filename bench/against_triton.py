"""The examples beside the same work in Triton, both compiled ahead of time: times, and what the code costs. No GPU.

    python bench/against_triton.py [--repeats N]

Needs Triton (`pip install triton`) and for NVIDIA's chips the assembler (the extra `isa`). Both are told what Triton
takes for granted: aligned addresses and extents, offsets of 32 bits, approximate functions and quotients. Times are the
processor's, with that of processes started meanwhile (assemblers), of warm compilations without caches, each compiler
with the assembler it brings. The two take turns, and the least of each counts, so that the ratio means something on a
machine that others use. Ours are of two compilations, as AMD's code does not come from the text; Triton's end where its
last stage begins (text) and ends (code), without what it writes into its cache afterwards. Instructions of NVIDIA's
chips are those of the machine code, both texts through one assembler.
"""

from __future__ import annotations

import argparse
import resource
import statistics
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
GOALS = {"ptx": 0.15, "cubin": 0.30, "hsaco": 0.22}
"""The most that the geometric mean of our times by Triton's should be."""
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


def processor_seconds() -> float:
    """What this process and those that it has waited for have used of the processor, user's and system's."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)


class _Laps:
    """The processor's seconds before and behind Triton's stage that makes `code`: Triton lets a hook replace stages."""

    def __init__(self, code: str) -> None:
        self.code = code
        self.found: tuple[float, float] = (0.0, 0.0)

    def __call__(self, *of: Any) -> tuple[str, str] | None:
        if not of:
            return "", ""  # what it adds to the name under which Triton keeps the code: nothing
        stages = of[1]
        stages[self.code] = self._timed(stages[self.code])
        return None

    def _timed(self, stage: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*of: Any) -> Any:
            begin = processor_seconds()
            made = stage(*of)
            self.found = begin, processor_seconds()
            return made

        return timed


def ours(name: str, target: str) -> Compile:
    program, chip = read_source(PEERS[name].ours / f"{name}.mlir").text, find_chip(target)

    def stages() -> KernelVariant:
        kernel = compile_program(program, target, fastmath="approx")
        return kernel.variant(kernel.best_facts)

    def run() -> Compiled:
        start = processor_seconds()
        assembly = stages().assembly
        middle = processor_seconds()
        made = stages()
        code = getattr(made, CODE[chip.vendor][1])
        end = processor_seconds()
        artifacts = made.artifacts
        shared = artifacts.static_shared_bytes + artifacts.dynamic_shared_bytes
        return Compiled(
            middle - start,
            end - middle,
            _counts(chip, dict(zip(CODE[chip.vendor], (assembly, code), strict=True)), shared),
        )

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

    _, code = CODE[chip.vendor]

    def run() -> Compiled:
        laps = _Laps(code)
        triton.knobs.compilation.always_compile = True
        triton.knobs.runtime.add_stages_inspection_hook = laps
        source = ASTSource(fn=peer.kernel, signature=signature, constexprs=constants, attrs=aligned)
        start = processor_seconds()
        made = triton.compile(source, target=TARGETS[target], options=options)
        begin, end = laps.found
        counts = _counts(chip, made.asm, made.metadata.shared)
        return Compiled(begin - start, end - start, counts)

    return run


def machine_counts(chip: Chip, made: Mapping[str, Any]) -> tuple[MachineText, int, int]:
    """Machine text, registers and spills (bytes for NVIDIA, registers for AMD) of `made`, the text and code by name."""
    text, code = CODE[chip.vendor]
    if chip.vendor == "nvidia":
        cubin = assemble(made[text], chip)
        [found] = cubin.resources.values()
        spilled = found.spill_load_bytes + found.spill_store_bytes
        return MachineText(disassemble(cubin.code), "sass"), found.registers, spilled
    [kernel] = read_code_object(made[code]).kernels.values()
    return MachineText(made[text], "amdgcn"), kernel.vgpr, kernel.vgpr_spills + kernel.sgpr_spills


def _counts(chip: Chip, made: Mapping[str, Any], shared: int) -> Mapping[str, int]:
    machine, registers, spills = machine_counts(chip, made)
    numbers = (machine.size, machine.in_loops, machine.count("mma"), registers, spills, shared)
    return dict(zip(COUNTED, numbers, strict=True))


def least(pair: Sequence[Compile], repeats: int) -> list[Compiled]:
    """The least times of `repeats` compilations of each, taken in turns, after one to warm up."""
    for compile in pair:
        compile()
    rounds = [[compile() for compile in pair] for _ in range(repeats)]
    return [
        Compiled(min(run.text for run in runs), min(run.code for run in runs), runs[0].counts)
        for runs in zip(*rounds, strict=True)
    ]


def compare(target: str, repeats: int) -> None:
    """Prints the table of one chip: of each pair of numbers ours is the first."""
    text, code = CODE[find_chip(target).vendor]
    heads = (f"ms to {text}", f"ms to {code}", *COUNTED)
    print(f"\n{target + ', ours / Triton':24}" + "".join(f"{head:>18}" for head in heads))
    ratios: dict[str, list[float]] = {text: [], code: []}
    for name in PEERS:
        mine, other = least((ours(name, target), theirs(name, target)), repeats)
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
    parser.add_argument("--repeats", type=int, default=9, help="compilations of which the least times are taken")
    options = parser.parse_args(arguments)
    show(options.targets, options.repeats)


if __name__ == "__main__":
    main()
