"""Loads into shared memory: where their words go, and that they are there at a wait that covers them, not before."""

import numpy as np
import pytest
from lanewise.emulate.faults import EmulationFault

from .support import Bench

RESOURCE = "s_mov_b32 s2, 64\ns_mov_b32 s3, 0x00027000\n"
"""Behind the address in s[0:1], of 64 bytes."""
FIRST = "v_lshlrev_b32_e32 v2, 4, v0\ns_mov_b32 m0, 0\ns_nop 0\nglobal_load_lds_dwordx4 v2, s[0:1]\n"
SECOND = "s_movk_i32 m0, 0x400\ns_nop 0\nglobal_load_lds_dwordx4 v2, s[0:1] offset:1024\n"
OTHER = "global_load_dword v9, v2, s[0:1]\n"
READ = "v_lshlrev_b32_e32 v3, 2, v0\nds_read_b32 v63, v3\ns_waitcnt lgkmcnt(0)\n"
READ_SECOND = "v_lshlrev_b32_e32 v3, 2, v0\nds_read_b32 v63, v3 offset:2048\ns_waitcnt lgkmcnt(0)\n"
INPUT = np.arange(1024, dtype=np.uint32)


@pytest.mark.parametrize(
    ("lines", "first"),
    [
        (FIRST + "s_waitcnt vmcnt(0)\n" + READ, 0),
        (FIRST + SECOND + "s_waitcnt vmcnt(1)\n" + READ, 0),
        (FIRST + SECOND + "s_waitcnt vmcnt(0)\n" + READ_SECOND, 256),  # both sides move by the offset
        (FIRST + OTHER + "s_waitcnt vmcnt(1)\n" + READ + "s_waitcnt vmcnt(0)\n", 0),
        (FIRST + "s_waitcnt vmcnt(0)\ns_barrier\n" + READ, 0),
    ],
)
def test_words_are_there_at_their_wait(lines: str, first: int, bench: Bench) -> None:
    found = bench.words(lines, "gfx950", inputs=INPUT, shared=4096)
    assert found.tolist() == list(range(first, first + 64))


@pytest.mark.parametrize(
    "lines",
    [
        FIRST + READ,
        FIRST + "s_barrier\n" + READ,
        FIRST + "s_waitcnt lgkmcnt(0)\n" + READ,
        FIRST + SECOND + "s_waitcnt vmcnt(2)\n" + READ,
        FIRST + SECOND + "s_waitcnt vmcnt(1)\n" + READ_SECOND,
        FIRST + OTHER + OTHER + "s_waitcnt vmcnt(3)\n" + READ,
        FIRST + "v_mov_b32_e32 v63, v0\nds_write_b32 v2, v0\ns_waitcnt vmcnt(0) lgkmcnt(0)\n",
        FIRST + "v_mov_b32_e32 v63, v0\nglobal_store_dword v2, v2, s[0:1]\ns_waitcnt vmcnt(0)\n",
    ],
)
def test_what_comes_too_early(lines: str, bench: Bench) -> None:
    with pytest.raises(EmulationFault) as caught:
        bench.words(lines, "gfx950", inputs=INPUT, shared=4096)
    assert caught.value.kind in ("outstanding-load", "race")


def test_buffers(bench: Bench) -> None:
    """M0 and the instruction's offset lead to shared memory; the scalar offset to the buffer alone."""
    lines = (
        RESOURCE.replace("64", "0x1000")
        + "v_lshlrev_b32_e32 v2, 2, v0\ns_movk_i32 s4, 0x100\ns_movk_i32 m0, 0x80\ns_nop 0\n"
    )
    lines += "buffer_load_dword v2, s[0:3], s4 offen offset:16 lds\ns_waitcnt vmcnt(0)\n"
    found = bench.words(
        lines + "ds_read_b32 v63, v2 offset:144\ns_waitcnt lgkmcnt(0)\n", "gfx950", inputs=INPUT, shared=512
    )
    assert found.tolist() == list(range(68, 132))


def test_outside_of_its_buffer(bench: Bench) -> None:
    lines = "v_lshlrev_b32_e32 v2, 2, v0\ns_mov_b32 m0, 0\n" + RESOURCE
    with pytest.raises(EmulationFault, match="a copy to shared memory from outside of its buffer"):
        bench.words(lines + "buffer_load_dword v2, s[0:3], 0 offen lds\n" + READ, "gfx950", inputs=INPUT, shared=256)


def test_passes(bench: Bench) -> None:
    """64 lanes write 1024 bytes in 8 passes of 32 banks; wide reads of gfx950 reach 64 (4 passes), of gfx942 32 (8)."""
    read = "v_lshlrev_b32_e32 v2, 4, v0\nds_read_b128 v[4:7], v2\ns_waitcnt lgkmcnt(0)\nv_mov_b32_e32 v63, v4\n"
    bench.words(FIRST + "s_waitcnt vmcnt(0)\n" + read, "gfx950", inputs=INPUT, shared=4096)
    assert (bench.counters.shared_wavefronts, bench.counters.shared_bank_conflicts) == (8 + 4, 0)
    write = "v_lshlrev_b32_e32 v2, 4, v0\nds_write_b128 v2, v[60:63]\n"
    write = "".join(f"v_mov_b32_e32 v{n}, v0\n" for n in range(60, 64)) + write + "s_waitcnt lgkmcnt(0)\n"
    bench.words(write + read, "gfx942", inputs=INPUT, shared=4096)
    assert bench.counters.shared_wavefronts == 8 + 8
