"""`make hardware-bundle`: the kernels of `make hardware` and `make bench-gpu`, compiled here for machines without LLVM.

The folder bench/bundle/ holds for each chip one kernel file a program, with every variant that their cases launch (PTX,
and a cubin where `ptxas` is installed; for AMD code objects), and what it was made of. Data are made where it is used,
from seeds; so are the results that are right, by the reference. See kernels.py for its use.
"""

from __future__ import annotations

import argparse
import json
import math
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Literal, cast

import numpy as np
from cases import CASES, LARGE, MEASURED, Sizes
from checkout import EXAMPLES, use_checkout
from kernels import BUNDLE, sources_digest

use_checkout()

import lanewise  # noqa: E402
from lanewise.check.inputs import make_inputs  # noqa: E402
from lanewise.check.inputs_grammar import inputs_of, read_comments  # noqa: E402
from lanewise.cli.main import main as main_of_lanewise  # noqa: E402
from lanewise.jit.cuda import DLPACK_CUDA  # noqa: E402
from lanewise.jit.device import Device, DeviceProperties  # noqa: E402
from lanewise.jit.kernel import Kernel  # noqa: E402
from lanewise.jit.kernel_signature import assumed_alignment  # noqa: E402
from lanewise.jit.launcher import Launcher  # noqa: E402
from lanewise.jit.program_text import read_source  # noqa: E402

MOST_BYTES = 16 << 20


def make_bundle(chips: Sequence[str], place: Path = BUNDLE, programs: Sequence[str] = tuple(CASES)) -> int:
    """Writes the folder anew and returns its size in bytes."""
    unfinished = place.with_name(place.name + ".unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    for chip in chips:
        (unfinished / chip).mkdir(parents=True)
        for program in programs:
            kernel = lanewise.compile(EXAMPLES / f"{program}.mlir", target=chip)
            for sizes in sizes_of(program):
                compile_variants(kernel, program, sizes)
            kernel.save(unfinished / chip / f"{program}.lw")
            print(f"{chip} {program}: {kernel.variant_count} variants", flush=True)
    loaded = lanewise.load(unfinished / chips[0] / f"{programs[0]}.lw")
    images = all(variant.image for variant in loaded.saved.variants)
    manifest = {
        "lanewise": lanewise.__version__,
        "sources": sources_digest(),
        "chips": list(chips),
        "code": "machine code and text" if images else "text alone",
        "compiler": dict(loaded.saved.compiler),
    }
    (unfinished / "bundle.json").write_text(json.dumps(manifest, indent=1) + "\n")
    shutil.rmtree(place, ignore_errors=True)
    unfinished.rename(place)
    return sum(path.stat().st_size for path in place.rglob("*") if path.is_file())


def save_probes(chip: str, place: Path) -> int:
    """Compiles the probes of a chip's matrix instructions, which `make probe` runs; gives their size in bytes."""
    if main_of_lanewise(["probe", "--target", chip, "--save", str(place)]):
        raise lanewise.LanewiseError(f"the probes of {chip} cannot be compiled")
    return sum(path.stat().st_size for path in place.iterdir())


def sizes_of(program: str) -> Iterator[Sizes]:
    """Of every case of both commands."""
    yield from CASES[program]
    if program in LARGE:
        yield LARGE[program]
    yield from MEASURED.get(program, ())


def compile_variants(kernel: Kernel, program: str, sizes: Sizes) -> None:
    """Compiles what `validate` and the measurements launch with these sizes: the variant that fits aligned buffers, the
    one for buffers an element off, and the general one."""
    device = cast("Device", _Planner(kernel.target.name))
    for shift in (0, 1):
        Launcher(kernel.variants, device).prepare(planned_arguments(kernel, program, sizes, shift))
    Launcher(kernel.variants, device, specialise=False).prepare(planned_arguments(kernel, program, sizes, 0))


def planned_arguments(kernel: Kernel, program: str, sizes: Sizes, shift: int) -> list[object]:
    """The arguments of a case, arrays without memory: only shapes and addresses decide about variants."""
    text = inputs_of(read_comments(read_source(EXAMPLES / f"{program}.mlir")), kernel.name)
    assert text is not None
    arguments = make_inputs(text, kernel.signature, sizes={k: _alike(n) for k, n in sizes.items()}).arguments
    alignments = assumed_alignment(kernel.view)
    planned: list[object] = []
    for i, argument in enumerate(arguments):
        if not isinstance(argument, np.ndarray):  # a number, which is what it is
            planned.append(argument)
            continue
        address = (i + 1) << 40
        off = shift * argument.itemsize if alignments[i] == 1 else 0
        planned.append(_Planned(argument, address + off))
    return planned


class _Planned:
    """An array that is nowhere, as tensors of torch are seen: these have bfloat16 and floats of 8 bits, too."""

    is_cuda = True
    device = SimpleNamespace(index=0)

    def __init__(self, array: np.ndarray[Any, Any], address: int) -> None:
        self.shape, self.dtype, self._address = array.shape, f"torch.{array.dtype.name}", address

    def stride(self) -> tuple[int, ...]:
        return tuple(math.prod(self.shape[n + 1 :]) for n in range(len(self.shape)))

    def data_ptr(self) -> int:
        return self._address

    def is_neg(self) -> bool:
        return False


def _alike(extent: int) -> int:
    """A smaller extent with the same divisors up to 256, so that no large arrays are made for their shapes alone."""
    while extent % 512 == 0:
        extent //= 2
    return extent


class _Planner:
    """A device that takes every kernel, and runs nothing."""

    def __init__(self, target: str) -> None:
        chip = lanewise.find_chip(target)
        self.loads: Literal["text", "image"] = "text" if chip.vendor == "nvidia" else "image"
        self.properties = DeviceProperties(
            "planner", target, chip.native_subgroup_size, 1024, 1 << 20, 1, "none", (DLPACK_CUDA, 0)
        )

    def load(self, code: Any, *, dynamic_shared_bytes: int = 0) -> object:
        return SimpleNamespace(name=code.kernel)

    def unload(self, function: object) -> None:
        pass


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "chips", nargs="*", default=["sm_90", "sm_90a"], help="what to compile for; both if none is named"
    )
    parser.add_argument("-o", "--output", type=Path, default=BUNDLE, help="instead of bench/bundle")
    options = parser.parse_args()
    try:
        size = make_bundle(options.chips, options.output)
        size += sum(save_probes(chip, options.output / chip / "probes") for chip in options.chips)
    except lanewise.LanewiseError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(f"{options.output}: {size / 2**20:.2f} MB for {', '.join(options.chips)}")
    if size > MOST_BYTES:
        print(f"error: a bundle is to have at most {MOST_BYTES >> 20} MB: name fewer chips", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
