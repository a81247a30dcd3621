"""The programs of the sweep as Triton makes them ahead of time, with the same tile and warps: 3 stages on NVIDIA's
chips, 2 on AMD's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import triton
import triton.language as tl
import triton_kernels
from against_triton import PEERS, machine_counts
from against_triton import TARGETS as PEER_TARGETS
from lanewise.targets import find_chip
from sweep import Found, threads, work
from sweep_programs import TYPES, Product, Program, Row
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

TARGETS: Mapping[str, Any] = {**PEER_TARGETS, "gfx950": GPUTarget("hip", "gfx950", 64)}
_POINTERS = {"f16": "*fp16", "bf16": "*bf16", "f8E4M3FN": "*fp8e4nv", "i8": "*i8", "f32": "*fp32", "i32": "*i32"}
_SUMS = {"f32": tl.float32, "f16": tl.float16, "i32": tl.int32}
_STRIDES = ("lda", "ldb", "ldc", "batch_a", "batch_b", "batch_c")


def theirs(program: Program, target: str) -> Found:
    kernel, signature, constants, odd = (_product if isinstance(program, Product) else _row)(program)
    names = kernel.arg_names
    aligned = {
        (i,): [["tt.divisibility", 16]]
        for i, n in enumerate(names)
        if n in signature and (n not in _STRIDES or not odd)
    }
    source = ASTSource(
        fn=kernel,
        signature={n: signature.get(n, "constexpr") for n in names},
        constexprs={(names.index(n),): value for n, value in constants.items()},
        attrs=aligned,
    )
    chip = find_chip(target)
    options = {
        "num_warps": threads(program, target) // TARGETS[target].warp_size,
        "num_stages": 3 if chip.vendor == "nvidia" else 2,
    }
    try:
        made = triton.compile(source, target=TARGETS[target], options=options)
        text, registers, spills = machine_counts(chip, made.asm)
        return Found(work(program, target, text), text.size, registers, spills)
    except Exception as error:  # Triton refuses by whatever its passes raise
        said = next((line for line in str(error).splitlines() if line.strip()), "")
        return Found(error=f"{type(error).__name__}: {said}"[:100])


def _product(program: Product) -> tuple[Any, dict[str, str], dict[str, Any], bool]:
    kind, (m, n, k) = TYPES[program.type], program.tile
    element = _POINTERS[kind.element]
    signature = {"a": element, "b": element, "bias": element}
    signature["c"] = element if program.epilogue else _POINTERS[kind.sum]
    signature |= dict.fromkeys(("m", "n", "k", *_STRIDES), "i32")
    constants = {
        "BM": m,
        "BN": n,
        "BK": k,
        "TURN_A": program.form[0] == "T",
        "TURN_B": program.form[1] == "T",
        "BATCHED": program.batched,
        "EPILOGUE": program.epilogue,
        "SUM": _SUMS[kind.sum],
        "PRECISION": "tf32" if program.type == "tf32" else "ieee",
    }
    return triton_kernels.product_kernel, signature, constants, program.odd


def _row(program: Row) -> tuple[Any, dict[str, str], dict[str, Any], bool]:
    peer = PEERS[program.kernel]
    return peer.kernel, dict(peer.signature), {"BLOCK": program.size}, False
