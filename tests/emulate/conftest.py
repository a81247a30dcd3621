"""Helpers for tests of the PTX emulator: wrap a few instructions into a kernel and run it once per element."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from lanewise.emulate.counters import Counters
from lanewise.emulate.machine.settings import LaunchSettings
from lanewise.emulate.memory import GlobalMemory
from lanewise.emulate.ptx import PtxKernel, PtxModule

HEADER = ".version 8.0\n.target sm_90\n.address_size 64\n"


class Bench:
    """Runs PTX on a fresh memory."""

    def __init__(self) -> None:
        self.memory = GlobalMemory()
        self.counters = Counters()

    def upload(self, array: np.ndarray) -> int:
        address = self.memory.allocate(array.nbytes)
        self.memory.write(address, array)
        return address

    def download(self, address: int, dtype: Any, shape: Any) -> np.ndarray:
        count = int(np.prod(shape))
        return self.memory.read(address, count * np.dtype(dtype).itemsize).view(dtype).reshape(shape)

    @staticmethod
    def pack(kernel: PtxKernel, values: Sequence[int]) -> bytes:
        data = bytearray(kernel.parameter_bytes)
        for parameter, value in zip(kernel.parameters, values, strict=True):
            place = slice(parameter.offset, parameter.offset + parameter.size)
            data[place] = (value % (1 << 8 * parameter.size)).to_bytes(parameter.size, "little")
        return bytes(data)

    def launch(self, text: str, grid: Any, block: Any, values: Sequence[int], **options: Any) -> Counters:
        (kernel,) = PtxModule.parse(text).kernels.values()
        self.counters = kernel.launch(self.memory, LaunchSettings(grid, block, self.pack(kernel, values), **options))
        return self.counters

    def body(self, lines: str, *, before: str = "", parameters: int = 1, name: str = "k") -> str:
        """A kernel with 64-bit pointers p0, p1, ... already in %p0.. as registers %q0, %q1, ..."""
        declared = ", ".join(f".param .u64 a{n}" for n in range(parameters))
        loads = "\n".join(f"ld.param.u64 %q{n}, [a{n}];" for n in range(parameters))
        return (
            f"{HEADER}{before}\n.visible .entry {name}({declared})\n{{\n"
            ".reg .pred %p<16>;\n.reg .b16 %h<32>;\n.reg .b32 %r<64>;\n.reg .b64 %l<64>;\n.reg .b64 %q<8>;\n"
            f"{loads}\n{lines}\nret;\n}}\n"
        )

    def words(self, lines: str, *, block: int = 32, blocks: int = 1, before: str = "", **options: Any) -> np.ndarray:
        """Run `lines`, which leave a word in %r63; returns it for every thread, shape [blocks * block]."""
        out = self.upload(np.zeros(block * blocks, np.uint32))
        tail = (
            "mov.u32 %r60, %ctaid.x;\nmov.u32 %r61, %ntid.x;\nmov.u32 %r62, %tid.x;\n"
            "mad.lo.u32 %r60, %r60, %r61, %r62;\nmad.wide.u32 %l60, %r60, 4, %q0;\nst.global.b32 [%l60], %r63;"
        )
        self.launch(
            self.body(f"mov.u32 %r0, %tid.x;\n{lines}\n{tail}", before=before),
            (blocks, 1, 1),
            (block, 1, 1),
            [out],
            **options,
        )
        return self.download(out, np.uint32, block * blocks)

    def evaluate(self, lines: str, inputs: Sequence[np.ndarray], out: Any) -> np.ndarray:
        """One thread per element: inputs in registers %a0, %a1, ...; the result in %d."""
        inputs = [np.ascontiguousarray(x) for x in np.broadcast_arrays(*inputs)]
        count, out = inputs[0].size, np.dtype(out)
        widths = [x.dtype.itemsize for x in inputs]
        declared = "".join(f".reg .b{_register_bits(w)} %a{n};\n" for n, w in enumerate(widths))
        loads = "".join(
            f"mad.wide.u32 %l9, %r4, {w}, %q{n + 1};\nld.global.b{8 * w} %a{n}, [%l9];\n" for n, w in enumerate(widths)
        )
        text = self.body(
            f"{declared}.reg .b{_register_bits(out.itemsize)} %d;\n"
            "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\nmad.lo.u32 %r4, %r1, %r2, %r3;\n"
            f"setp.ge.u32 %p1, %r4, {count};\n@%p1 bra END;\n{loads}{lines}\n"
            f"mad.wide.u32 %l9, %r4, {out.itemsize}, %q0;\nst.global.b{8 * out.itemsize} [%l9], %d;\nEND:",
            parameters=len(inputs) + 1,
        )
        result = self.upload(np.zeros(count, out))
        pointers = [result, *(self.upload(x) for x in inputs)]
        self.launch(text, (-(-count // 128), 1, 1), (128, 1, 1), pointers)
        return self.download(result, out, count)


def _register_bits(size: int) -> int:
    return max(8 * size, 16)


@pytest.fixture
def bench() -> Bench:
    return Bench()
