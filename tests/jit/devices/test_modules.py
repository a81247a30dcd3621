"""Modules on the device: one for each distinct variant, gone with their kernel."""

from __future__ import annotations

import gc
from dataclasses import replace

import lanewise
import numpy as np
import pytest
from lanewise.check.executor import Terms
from lanewise.check.executors import BUILT_IN
from lanewise.check.on_devices import GuardedArray
from lanewise.jit.arrays import DeviceArray
from lanewise.jit.cuda import CudaDevice
from lanewise.jit.kernel_file import decode
from lanewise.jit.launcher import Launcher

COPY = """
gpu.func @copy(%x: memref<?xf32>, %y: memref<?xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>} {
  %pad = arith.constant 0.0 : f32
  %c256 = arith.constant 256 : index
  %block = gpu.block_id x
  %start = arith.muli %block, %c256 : index
  %0 = vector.transfer_read %x[%start], %pad : memref<?xf32>, vector<256xf32>
  vector.transfer_write %0, %y[%start] : vector<256xf32>, memref<?xf32>
  gpu.return
}
"""


def arrays(device, n):
    return [DeviceArray(device, (n,), np.float32) for _ in range(2)]


def count(driver):
    return driver.calls.count("cuModuleLoadDataEx"), driver.calls.count("cuModuleUnload")


@pytest.fixture(scope="module")
def saved():
    return lanewise.compile(COPY, target="sm_90").to_bytes(cubin=False)


def test_equal_variants_share_a_module(device, driver):
    """Off the alignment, whether the extent divides makes no difference to the text: three combinations, two texts."""
    kernel = lanewise.compile(COPY, device=device)
    kernel[4](*arrays(device, 1024))
    kernel[4](*(GuardedArray(device, np.zeros(1024, np.float32), 4) for _ in range(2)))
    general = Launcher(kernel.variants, device, specialise=False, modules=kernel.launcher.modules)
    general.launch(4, arrays(device, 1024))
    assert kernel.variant_count == 3
    assert len({kernel.variant(facts).artifacts.assembly for facts in kernel.compiler.compiled}) == 2
    assert count(driver) == (len(set(driver.images)), 0) == (2, 0)


def test_validation_loads_each_text_once(device, driver, monkeypatch):
    """It runs the variant of the launch, the one of buffers off by an element, and the general one."""
    monkeypatch.setattr("lanewise.check.executors.choose_device", lambda *_: device)
    kernel = lanewise.compile(COPY)
    x = np.zeros(1000, np.float32)
    executor = BUILT_IN.find("cuda").load().prepare(kernel, Terms())
    for _, run in executor.runs:
        run((4, 1, 1), [x, np.zeros_like(x)])
    assert len(executor.runs) == 4 and driver.calls.count("cuLaunchKernel") == 4
    assert driver.calls.count("cuModuleLoadDataEx") == len(set(driver.images)) == 2


def test_modules_go_with_their_kernels(device, driver, saved):
    arguments = arrays(device, 1024)
    for _ in range(1000):
        lanewise.LoadedKernel(decode(saved, "test.lw"), device)[4](*arguments)
    assert count(driver) == (1000, 1000)
    for _ in range(5):
        lanewise.compile(COPY, device=device)[4](*arguments)
    assert count(driver) == (1005, 1005)


def test_after_a_fault_a_kernel_goes_in_silence(device, driver, saved):
    kernel = lanewise.LoadedKernel(decode(saved, "test.lw"), device)
    kernel[4](*arrays(device, 1024))
    driver.fail["cuModuleUnload"] = driver.CUresult.CUDA_ERROR_ILLEGAL_ADDRESS
    del kernel
    gc.collect()  # what is raised in a finalizer fails the test
    assert count(driver) == (1, 1)


def test_a_cubin_is_loaded_where_it_fits_and_the_text_where_it_does_not(make_driver, saved):
    plain = decode(saved, "test.lw")
    kernel = replace(plain, variants=tuple(replace(v, image=b"cubin") for v in plain.variants))
    text = plain.general.text.encode() + b"\0"
    for capability, failing, images in (
        ((9, 0), None, [b"cubin"]),
        ((10, 0), None, [text]),
        ((9, 0), "CUDA_ERROR_INVALID_IMAGE", [b"cubin", text]),
    ):
        driver = make_driver(capability=capability)
        device = CudaDevice(0, driver)
        if failing is not None:
            driver.fail["cuModuleLoadDataEx"] = driver.CUresult[failing]
        lanewise.LoadedKernel(kernel, device)[1](*arrays(device, 77))
        assert driver.images == images
