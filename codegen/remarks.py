"""Remarks about machine text: how much of it there is, and whether a thread has the registers for it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from ..analysis.shared_places import size_of
from ..ir.dialects.memref import AllocOp
from ..ir.kernels import Kernel
from ..ir.remarks import Remark
from ..support.patterns import regex
from ..targets.chip import Vendor
from ..targets.register_file import registers_of_a_thread
from .assemble import Cubin
from .machine_text import Language, MachineText
from .nvptx.pressure import register_pressure

MOST_INSTRUCTIONS = 8000
"""What a cache of instructions holds: 128 KiB of 16 bytes each (NVIDIA), 64 KiB of about 8 each (AMD)."""
_LANGUAGES: Mapping[Vendor, Language] = {"nvidia": "ptx", "amd": "amdgcn"}
_FEWER = "give the kernel more threads, smaller tiles, or a loop over them"
_DOUBT = 1.4
"""How far the estimate may be above what there is before anything is said: unrolled sums are estimated too high."""
_SPILL_COUNT = regex(r"^\s*\.vgpr_spill_count:\s*(\d+)", re.MULTILINE)
"""Scalar registers are spilled to lanes of vector registers."""
_SCRATCH = regex(r"^\s*\.private_segment_fixed_size:\s*(\d+)", re.MULTILINE)
_SLOT = 16
"""Private buffers lie at multiples of so many bytes."""


def text_remarks(assembly: str, kernel: Kernel, vendor: Vendor) -> Iterator[Remark]:
    """Remarks about one kernel's machine text."""
    place = kernel.op.location
    size = MachineText(assembly, _LANGUAGES[vendor]).size
    if size > MOST_INSTRUCTIONS:
        message = f"{size} instructions, more than the {MOST_INSTRUCTIONS} that caches of instructions hold"
        yield Remark(message, place, hint=_FEWER, kind="code-size")
    if spills := _SPILLS[vendor](assembly, kernel):
        yield Remark(spills, place, hint=_FEWER, kind="spills")


def assembler_remarks(cubin: Cubin, kernel: Kernel) -> Iterator[Remark]:
    """What `ptxas` says of how it carries out asynchronous instructions, and what it counts of spills."""
    for line in cubin.warnings:
        if found := _SERIALISED.search(line):
            yield Remark(f"the assembler says: {found[1]}", kernel.op.location, kind="serialised")
    used = cubin.resources[kernel.name]
    if used.spill_store_bytes or used.spill_load_bytes:
        counted = f"{used.spill_store_bytes} bytes by stores and {used.spill_load_bytes} by loads"
        message = f"a thread spills {counted}, as the assembler counts, with {used.registers} registers"
        yield Remark(message, kernel.op.location, hint=_FEWER, kind="spills")


_SERIALISED = regex(r"\(C75\d\d\)\s*(.*)")


def _expected_spills(ptx: str, kernel: Kernel) -> str:
    available = registers_of_a_thread(kernel.threads)
    needed = register_pressure(ptx)
    if needed <= _DOUBT * available:
        return ""
    return f"a thread needs about {needed} registers at once and can have {available}: it is expected to spill"


def _counted_spills(amdgcn: str, kernel: Kernel) -> str:
    """Registers that go to memory, or bytes that LLVM has on the stack: vectors whose elements it takes by number."""
    spilled, scratch = (sum(map(int, count.findall(amdgcn))) for count in (_SPILL_COUNT, _SCRATCH))
    if spilled:
        return f"a thread spills {spilled} registers to memory"
    buffers = (op.memref.type for op in kernel.op.all_of(AllocOp) if op.is_private)
    own = sum(-(-size_of(type) // _SLOT) * _SLOT for type in buffers)
    return f"a thread has {scratch - own} bytes in memory that are no buffer of the program" if scratch > own else ""


_SPILLS: Mapping[Vendor, Callable[[str, Kernel], str]] = {"nvidia": _expected_spills, "amd": _counted_spills}
"""The text for PTX is an estimate, since what spills is the assembler's choice; AMD's machine text says it."""
