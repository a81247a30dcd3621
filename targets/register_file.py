"""The registers of 32 bits of NVIDIA's multiprocessors, and how many of them a thread of a workgroup can have.

CUDA C++ Programming Guide, "Technical Specifications per Compute Capability": the same from sm_70 on. The assembler
gives them out in units of eight.
"""

from __future__ import annotations

REGISTERS = 65536
"""How many a multiprocessor has."""
MOST_OF_A_THREAD = 255
_UNIT = 8


def registers_of_a_thread(threads: int) -> int:
    """What each of so many threads of one workgroup can have."""
    return min(MOST_OF_A_THREAD, REGISTERS // max(threads, 1) // _UNIT * _UNIT)
