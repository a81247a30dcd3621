"""Barriers in LDS: what a state says, and misuses that the reference and the emulator find."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import lanewise
import numpy as np
import pytest
from lanewise.reference.evaluate import run_kernel
from lanewise.support.diagnostics import LanewiseError

STATE = "!amdgpu.ds_barrier_state"
BARRIER = f"memref<{STATE}, #gpu.address_space<workgroup>>"
TILE = "memref<32xi32, #gpu.address_space<workgroup>>"
INIT = f"amdgpu.ds_barrier_init %b[], %n : {BARRIER}, i32"
INIT_ONCE = f"scf.if %first {{ {INIT} }}\n gpu.barrier"
ARRIVE = f"%old = amdgpu.ds_barrier_arrive %b[], %times : {BARRIER}, i64 -> {STATE}"
POLL = f"%s = amdgpu.ds_barrier_poll_state %b[] : {BARRIER} -> {STATE}"
STORE = f"memref.store %v, %tile[%t] : {TILE}"
READ = f"%w = memref.load %tile[%other] : {TILE}\n memref.store %w, %y[%t] : memref<64xi32>"
COPY = f"amdgpu.global_load_async_to_lds %x[%t], %tile[%t] : i32, memref<64xi32>, {TILE}"
ARRIVE_BEHIND = f"amdgpu.ds_async_barrier_arrive %b[] : {BARRIER}"


def parts() -> str:
    names = ("phase", "pending_count", "init_count")
    lines = [f"%p{n} = amdgpu.ds_barrier_state_{name} %s : {STATE} -> i32" for n, name in enumerate(names)]
    lines += [f"%p3b = amdgpu.ds_barrier_state_phase_parity %s : {STATE} -> i1", "%p3 = arith.extui %p3b : i1 to i32"]
    lines += ["%base = arith.muli %t, %c4 : index"]
    for n in range(4):
        lines += [f"%k{n} = arith.constant {n} : index", f"%at{n} = arith.addi %base, %k{n} : index"]
        lines += [f"memref.store %p{n}, %z[%at{n}] : memref<256xi32>"]
    return "\n".join(lines)


Results = tuple[np.ndarray, np.ndarray]


def runs(body: str, count: int = 32, times: int = 1) -> list[Callable[[], Results]]:
    """The reference and the emulated chip, of one workgroup of 32 threads: what each leaves in `y` and `z`."""
    text = f"""gpu.func @f(%x: memref<64xi32>, %y: memref<64xi32>, %z: memref<256xi32>) kernel
      attributes {{gpu.known_block_size = array<i32: 32, 1, 1>, lanewise.scope = "thread"}} {{
      %c0 = arith.constant 0 : index
      %c4 = arith.constant 4 : index
      %c31 = arith.constant 31 : index
      %n = arith.constant {count} : i32
      %times = arith.constant {times} : i64
      %t = gpu.thread_id x
      %other = arith.subi %c31, %t : index
      %first = arith.cmpi eq, %t, %c0 : index
      %tile = memref.alloc() : {TILE}
      %b = memref.alloc() : {BARRIER}
      %v = memref.load %x[%t] : memref<64xi32>
      {body}
      gpu.return
    }}"""
    kernel = lanewise.compile(text, target="gfx1250", device="emulated")

    def run(launch: Callable[..., object]) -> Results:
        y, z = np.zeros(64, np.int32), np.zeros(256, np.int32)
        launch(np.arange(64, dtype=np.int32), y, z)
        return y, z

    reference = partial(run, lambda *arrays: run_kernel(kernel.compilation.kernel, 1, list(arrays)))
    return [reference, partial(run, lambda *arrays: kernel.launch(1, *arrays))]


@pytest.mark.parametrize(
    ("arrivals", "count", "times", "expected"),
    [
        (0, 40, 1, (0, 39, 39, 0)),
        (1, 40, 1, (0, 7, 39, 0)),
        (1, 32, 1, (7, 31, 31, 1)),  # the phase is one less, modulo 8
        (2, 32, 1, (6, 31, 31, 0)),
        (9, 32, 1, (7, 31, 31, 1)),
        (1, 100, 3, (0, 3, 99, 0)),
        (1, 96, 3, (7, 95, 95, 1)),
        (1, 65536, 1, (0, 65535 - 32, 65535, 0)),
    ],
)
def test_states(arrivals: int, count: int, times: int, expected: tuple[int, ...]) -> None:
    arrive = "\n".join(ARRIVE.replace("%old", f"%old{n}") for n in range(arrivals))
    for run in runs(f"{INIT_ONCE}\n{arrive}\ngpu.barrier\n{POLL}\n{parts()}", count, times):
        _, z = run()
        assert z.reshape(64, 4)[:32].tolist() == [list(expected)] * 32


def test_what_lies_behind_an_arrival_is_seen_with_it() -> None:
    stored, copied = f"{STORE}\n{ARRIVE}", f"{COPY}\n{ARRIVE_BEHIND}"
    for before in (stored, copied):
        for run in runs(f"{INIT_ONCE}\n{before}\n{POLL}\n{READ}"):
            y, _ = run()
            assert y[:32].tolist() == list(range(31, -1, -1))


@pytest.mark.parametrize(
    ("body", "count", "message"),
    [
        (f"{INIT_ONCE}\n{COPY}\n{ARRIVE_BEHIND}\n{READ}", 32, "under way|outstanding-load"),
        (f"{INIT_ONCE}\n{COPY}\n{ARRIVE}\n{POLL}\n{READ}", 32, "under way|outstanding-load"),  # of no copies
        (f"{INIT_ONCE}\n{ARRIVE_BEHIND}\n{COPY}\n{POLL}\n{READ}", 32, "under way|outstanding-load"),
        (
            f"{INIT_ONCE}\n{ARRIVE}\n{POLL}",
            31,
            "arrives 3 times where 1 of 31 arrivals|3 arrivals at a barrier at which 1",
        ),
        (f"{POLL}", 32, "nobody has written"),
    ],
)
def test_misuses(body: str, count: int, message: str) -> None:
    for run in runs(body, count, 3 if count == 31 else 1):
        with pytest.raises(LanewiseError, match=message):
            run()
