"""Warps per multiprocessor, against published examples and NVIDIA's own occupancy calculator where it is installed."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import lanewise
import pytest
from lanewise.codegen.assemble import has_tool
from lanewise.codegen.nvptx.occupancy import WarpOccupancy, warp_occupancy
from lanewise.targets import CHIPS, find_chip
from lanewise.targets.chip import compute_capability

KIB = 1024
# CUDA C++ Programming Guide, Table 27 (before Turing: of version 12): threads and shared memory of a multiprocessor,
# most shared memory of a block.
GUIDE = {
    "sm_70": (2048, 96, 96),
    "sm_72": (2048, 96, 96),
    "sm_75": (1024, 64, 64),
    "sm_80": (2048, 164, 163),
    "sm_86": (1536, 100, 99),
    "sm_87": (1536, 164, 163),
    "sm_89": (1536, 100, 99),
    "sm_90": (2048, 228, 227),
    "sm_100": (2048, 228, 227),
    "sm_103": (2048, 228, 227),
    "sm_120": (1536, 100, 99),
    "sm_121": (1536, 100, 99),
}


def found(chip: str, threads: int, registers: int = 16, shared_bytes: int = 0) -> WarpOccupancy:
    result = warp_occupancy(find_chip(chip), threads=threads, registers=registers, shared_bytes=shared_bytes)
    assert result is not None
    return result


@pytest.mark.parametrize(
    ("registers", "warps"),
    [(32, 64), (33, 48), (40, 48), (41, 40), (64, 32), (72, 28), (128, 16), (168, 12), (169, 8), (255, 8)],
)
def test_registers_of_hopper(registers: int, warps: int) -> None:
    """A quarter has 16,384 registers; 168 of 32 threads are 5,376, which fit 3 times; 169 are rounded to 5,632."""
    result = found("sm_90", 128, registers)
    assert (result.warps_per_multiprocessor, result.by_registers) == (warps, warps)
    assert result.limits == (("registers",) if warps < 64 else ())


def test_every_resource_can_be_the_limit() -> None:
    assert found("sm_90", 1024, 32).limits == ()
    assert found("sm_86", 1024, 32).limits == ("warps",)  # 48 warps, blocks of 32
    assert found("sm_80", 32, 32).limits == ("blocks",)  # 32 blocks of one warp
    shared = found("sm_80", 128, 32, 40 * KIB)  # with 1 KiB for the system each, 164 KiB hold 4
    assert (shared.warps_per_multiprocessor, shared.by_shared_memory, shared.limits) == (16, 16, ("shared memory",))
    both = found("sm_90", 256, 128, 100 * KIB)
    assert both.warps_per_multiprocessor == 16 and both.limits == ("registers", "shared memory")


def test_what_does_not_fit() -> None:
    assert found("sm_90", 1024, 128).warps_per_multiprocessor == 0
    assert found("sm_86", 64, 32, 100 * KIB).limits == ("shared memory",)
    assert found("sm_90", 64, 32, 227 * KIB).warps_per_multiprocessor == 2
    assert warp_occupancy(find_chip("sm_60"), threads=64, registers=32, shared_bytes=0) is None


def test_every_chip_from_volta_on_is_in_the_table() -> None:
    for chip in CHIPS.values():
        if chip.vendor == "nvidia" and compute_capability(chip.name) >= 70:
            assert chip.name.removesuffix("a") in GUIDE, (
                f"{chip.name}: what NVIDIA's guide says of it belongs into GUIDE"
            )
            threads, _, of_block = GUIDE[chip.name.removesuffix("a")]
            assert found(chip.name, 32).most * 32 == threads
            assert chip.shared_memory_bytes == of_block * KIB


@pytest.mark.skipif(not has_tool("ptxas"), reason="ptxas is not installed (pip install lanewise[isa])")
def test_the_occupancy_of_a_kernel() -> None:
    path = Path(__file__).parents[2] / "examples" / "matmul_f16.mlir"
    for target in ("sm_80", "sm_90"):
        kernel = lanewise.compile(path, target=target)
        used, fits = kernel.resources, kernel.occupancy
        assert isinstance(used, lanewise.codegen.assemble.Resources) and isinstance(fits, WarpOccupancy)
        artifacts = kernel.compilation.artifacts
        shared = used.static_shared_bytes + artifacts.dynamic_shared_bytes
        assert shared == (128 * 40 + 32 * 136) * 2, "the two tiles"
        assert fits == found(target, 256, used.registers, shared)
        assert 0 < fits.warps_per_multiprocessor < fits.most and fits.limits == ("registers",)


# The calculator of NVIDIA is a header of C, which comes with the toolkit and with the assembler's wheel.

JUDGE = r"""
#include <cstdio>
#include "cuda_occupancy.h"
int main() {
  int major, minor, threads_sm, shared_sm, optin, threads, registers, shared;
  while (scanf("%d %d %d %d %d %d %d %d", &major, &minor, &threads_sm, &shared_sm, &optin, &threads, &registers,
               &shared) == 8) {
    cudaOccDeviceProp device;
    device.computeMajor = major, device.computeMinor = minor;
    device.maxThreadsPerBlock = 1024, device.maxThreadsPerMultiprocessor = threads_sm;
    device.regsPerBlock = device.regsPerMultiprocessor = 65536, device.warpSize = 32, device.numSms = 1;
    device.sharedMemPerBlock = 48 << 10, device.sharedMemPerMultiprocessor = shared_sm;
    device.sharedMemPerBlockOptin = optin, device.reservedSharedMemPerBlock = major >= 8 ? 1024 : 0;
    cudaOccFuncAttributes function;
    function.maxThreadsPerBlock = 1024, function.numRegs = registers, function.sharedSizeBytes = 0;
    function.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN, function.maxDynamicSharedSizeBytes = shared;
    cudaOccDeviceState state;
    state.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED;
    cudaOccResult result;
    if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &function, &state, threads, shared)) return 1;
    printf("%d\n", result.activeBlocksPerMultiprocessor);
  }
}
"""


def header() -> Path | None:
    namespace = importlib.util.find_spec("nvidia")
    wheels = [Path(root) for root in (namespace.submodule_search_locations or ())] if namespace else []
    folders = [place for wheel in wheels for place in wheel.glob("*/include")]
    folders += [Path("/usr/local/cuda/include"), *Path("/usr/local").glob("cuda-*/include")]
    return next((folder for folder in folders if (folder / "cuda_occupancy.h").is_file()), None)


def cases() -> Iterator[tuple[str, int, int, int]]:
    for chip, (_, _, of_block) in GUIDE.items():
        for threads in (32, 64, 96, 128, 160, 256, 384, 512, 768, 1024):
            for registers in (16, 32, 33, 40, 63, 64, 72, 96, 128, 168, 169, 255):
                yield chip, threads, registers, 0
            for shared in (1, 1000, 4096, 16384, 20000, 32768, 40960, 49152, of_block * KIB):
                yield chip, threads, 32, min(shared, of_block * KIB)


@pytest.mark.skipif(
    header() is None or shutil.which("g++") is None, reason="cuda_occupancy.h or a C++ compiler is not installed"
)
def test_the_calculator_of_nvidia_agrees(tmp_path: Path) -> None:
    source, program = tmp_path / "judge.cpp", tmp_path / "judge"
    source.write_text(JUDGE)
    subprocess.run(["g++", "-w", f"-I{header()}", str(source), "-o", str(program)], check=True)
    asked = [
        (*divmod(compute_capability(chip), 10), GUIDE[chip][0], *(n * KIB for n in GUIDE[chip][1:]), *rest)
        for chip, *rest in cases()
    ]
    text = "\n".join(" ".join(map(str, row)) for row in asked)
    answers = subprocess.run([program], input=text, capture_output=True, text=True, check=True).stdout.split()
    for case, answer in zip(cases(), answers, strict=True):
        chip, threads, registers, shared = case
        result = found(chip, threads, registers, shared)
        assert result.warps_per_multiprocessor == int(answer) * -(-threads // 32), case
