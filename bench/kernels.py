"""Where `make hardware` and `make bench-gpu` take their kernels from: the bundle where it lies, else the compiler.

With a bundle (see hardware_bundle.py) they need only Python, numpy, ml_dtypes and cuda-python or hip-python. One that
was made of other sources is refused: it would prove another compiler right.
"""

from __future__ import annotations

import hashlib
import json
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from checkout import EXAMPLES, ROOT, use_checkout

use_checkout()

import lanewise  # noqa: E402

if TYPE_CHECKING:
    from lanewise.jit.device_choice import DeviceChoice
    from lanewise.jit.kernel import Kernel
    from lanewise.jit.loaded import LoadedKernel

BUNDLE = ROOT / "bench" / "bundle"
ROOMS = (
    *("support", "targets", "ir", "analysis", "frontend", "layout", "schedule", "distribute", "codegen", "pipeline"),
    *("jit", "check"),
)
"""Where programs become code, and the probes of matrix instructions and the files of kernels."""
SOURCES = (*ROOMS, "examples")


class NoKernels(Exception):
    """There is no bundle and no compiler, or a bundle that does not fit."""


def sources_digest() -> str:
    """Of everything that decides which code a kernel gets."""
    digest = hashlib.sha256()
    files = (p for folder in SOURCES for p in (ROOT / folder).rglob("*") if p.suffix in (".py", ".mlir"))
    for path in sorted(files):
        digest.update(f"{path.relative_to(ROOT).as_posix()}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()


def check_kernels(target: str, place: Path = BUNDLE) -> str:
    """Where kernels come from, in words: this bundle, or compiled here where there is none. Raises NoKernels."""
    if not place.exists():
        return f"compiled here by LLVM {_compiler(place)}"
    remedy = f"make it anew with `make hardware-bundle`, or remove {place} to compile here"
    try:
        manifest = json.loads((place / "bundle.json").read_text())
    except (OSError, ValueError) as error:
        raise NoKernels(f"{place} is no whole bundle ({error}): {remedy}") from error
    if manifest["sources"] != sources_digest():
        raise NoKernels(f"{place} was made of other sources: {remedy}")
    if target not in manifest["chips"]:
        raise NoKernels(f"{place} has kernels for {', '.join(manifest['chips'])}, not for {target}: {remedy}")
    return f"bundle, {manifest['code']}"


def _compiler(place: Path) -> str:
    try:
        return ".".join(map(str, import_module("lanewise.codegen.llvm").llvm_version()))
    except (ImportError, lanewise.LanewiseError) as error:
        raise NoKernels(f"there is no bundle in {place} (`make hardware-bundle`), and no compiler: {error}") from error


def kernel_of(program: str, target: str, device: DeviceChoice = "auto", place: Path = BUNDLE) -> Kernel | LoadedKernel:
    """An example's kernel: from the bundle where it lies, else compiled when it is first launched."""
    if place.exists():
        return lanewise.load(place / target / f"{program}.lw", device)
    return lanewise.compile(EXAMPLES / f"{program}.mlir", target=target, device=device)
