"""Helpers for tests of the AMDGCN emulator: wrap instructions into a kernel, launch, and the chips to test."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from lanewise.emulate.amdgcn import AmdgcnKernel, AmdgcnModule
from lanewise.emulate.counters import Counters
from lanewise.emulate.machine.settings import LaunchSettings
from lanewise.emulate.memory import GlobalMemory

WAVE64 = ("gfx90a", "gfx942", "gfx950")
WAVE32 = ("gfx1030", "gfx1100", "gfx1200", "gfx1201", "gfx1250")
CHIPS = WAVE64 + WAVE32

WORKITEM = "declare i32 @llvm.amdgcn.workitem.id.x()\ndeclare i32 @llvm.amdgcn.workgroup.id.x()\n"
LEAN = " ".join(
    f'"amdgpu-no-{name}"'
    for name in ("dispatch-ptr", "queue-ptr", "implicitarg-ptr", "dispatch-id", "workitem-id-y", "workitem-id-z")
)


def wavefront(chip: str) -> int:
    return 64 if chip in WAVE64 else 32


def attributes(threads: int) -> str:
    size = f'"amdgpu-flat-work-group-size"="1,{threads}" "uniform-work-group-size"="true"'
    return f"attributes #0 = {{ nounwind {size} {LEAN} }}\n"


class Bench:
    """Runs AMDGCN text on a fresh memory."""

    def __init__(self) -> None:
        self.memory = GlobalMemory()
        self.counters = Counters()

    def upload(self, array: np.ndarray) -> int:
        address = self.memory.allocate(array.nbytes)
        self.memory.write(address, np.ascontiguousarray(array).reshape(-1).view(np.uint8))
        return address

    def download(self, address: int, dtype: Any, shape: Any) -> np.ndarray:
        count = int(np.prod(shape))
        return self.memory.read(address, count * np.dtype(dtype).itemsize).view(dtype).reshape(shape)

    @staticmethod
    def pack(kernel: AmdgcnKernel, values: Sequence[int]) -> bytes:
        data = bytearray(kernel.parameter_bytes)
        for parameter, value in zip(kernel.parameters, values, strict=True):
            place = slice(parameter.offset, parameter.offset + parameter.size)
            data[place] = (value % (1 << 8 * parameter.size)).to_bytes(parameter.size, "little")
        return bytes(data)

    def launch(self, text: str, grid: Any, block: Any, values: Sequence[int], **options: Any) -> Counters:
        (kernel,) = AmdgcnModule.parse(text).kernels.values()
        self.counters = kernel.launch(self.memory, LaunchSettings(grid, block, self.pack(kernel, values), **options))
        return self.counters

    def words(self, lines: str, chip: str, *, threads: int = 0, inputs: Any = None, shared: int = 0) -> np.ndarray:
        """Run instructions that leave a word in v63; returns it for every thread.

        v0 is the thread, s[0:1] holds the address of `inputs`; s90 and up and v60 and up belong to the wrapper.
        """
        threads = threads or wavefront(chip)
        out = self.upload(np.zeros(threads, np.uint32))
        source = self.upload(np.asarray([0] if inputs is None else inputs))
        self.launch(kernel_text(lines, chip, shared=shared), (1, 1, 1), (threads, 1, 1), [source, out])
        return self.download(out, np.uint32, threads)


def kernel_text(lines: str, chip: str, *, shared: int = 0, private: int = 0) -> str:
    """A kernel with two pointers: instructions that leave a word in v63, stored at the second pointer."""
    new = chip not in (*WAVE64, "gfx1030")
    load = "s_load_b128" if new else "s_load_dwordx4"
    store = "global_store_b32" if new else "global_store_dword"
    wait = "s_wait_kmcnt 0x0" if chip.startswith("gfx12") else "s_waitcnt lgkmcnt(0)"
    last = "" if chip.startswith("gfx12") else "s_waitcnt vmcnt(0) lgkmcnt(0)\n"
    if chip.startswith("gfx12"):
        last = "s_wait_loadcnt_dscnt 0x0\n"
    body = (
        f"{load} s[92:95], s[0:1], 0x0\n{wait}\ns_mov_b64 s[0:1], s[92:93]\n{lines}\n{last}"
        f"v_lshlrev_b32_e32 v62, 2, v0\n{store} v62, v63, s[94:95]\ns_endpgm"
    )
    body = "\n".join(
        "\t" + line.strip() if not line.strip().endswith(":") else line.strip() for line in body.splitlines()
    )
    return f"""\t.amdgcn_target "amdgcn-amd-amdhsa--{chip}"
\t.text
\t.type\tk,@function
k:
{body}
\t.section\t.rodata,"a",@progbits
\t.amdhsa_kernel k
\t\t.amdhsa_group_segment_fixed_size {shared}
\t\t.amdhsa_private_segment_fixed_size {private}
\t\t.amdhsa_kernarg_size 16
\t\t.amdhsa_user_sgpr_count 2
\t\t.amdhsa_user_sgpr_kernarg_segment_ptr 1
\t\t.amdhsa_system_sgpr_workgroup_id_x 1
\t\t.amdhsa_wavefront_size32 {int(wavefront(chip) == 32)}
\t.end_amdhsa_kernel
\t.amdgpu_metadata
---
amdhsa.kernels:
  - .args:
      - .name:           source
        .offset:         0
        .size:           8
        .value_kind:     global_buffer
      - .name:           out
        .offset:         8
        .size:           8
        .value_kind:     global_buffer
    .max_flat_workgroup_size: 1024
    .name:           k
    .wavefront_size: {wavefront(chip)}
...
\t.end_amdgpu_metadata
"""
