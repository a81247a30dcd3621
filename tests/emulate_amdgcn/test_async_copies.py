"""What gfx1250 counts apart: copies of each lane to shared memory are there at a wait that covers them, not before."""

import numpy as np
import pytest
from lanewise.emulate.faults import EmulationFault

from .support import Bench

PLACES = "v_lshlrev_b32_e32 v2, 4, v0\nv_sub_nc_u32_e32 v3, 0x1f0, v2\n"
"""Of 16 bytes: the lane's own, and that of the lane opposite."""
FIRST = PLACES + "global_load_async_to_lds_b128 v3, v2, s[0:1]\n"
SECOND = "global_load_async_to_lds_b128 v3, v2, s[0:1] offset:512\n"
OTHER = "global_load_b32 v9, v2, s[0:1]\n"
READ, READ_SECOND = (f"ds_load_b32 v63, v2{o}\ns_wait_dscnt 0x0\n" for o in ("", " offset:512"))
INPUT = np.arange(256, dtype=np.uint32)
OPPOSITE = np.arange(124, -1, -4)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (FIRST + "s_wait_asynccnt 0x0\n" + READ, OPPOSITE),
        (FIRST + SECOND + "s_wait_asynccnt 0x1\n" + READ, OPPOSITE),
        (FIRST + SECOND + "s_wait_asynccnt 0x0\n" + READ_SECOND, OPPOSITE + 128),  # both sides move by the offset
        (FIRST + OTHER + "s_wait_asynccnt 0x0\n" + READ + "s_wait_loadcnt 0x0\n", OPPOSITE),
    ],
)
def test_words_are_there_at_their_wait(lines: str, expected: np.ndarray, bench: Bench) -> None:
    found = bench.words(lines, "gfx1250", inputs=INPUT, shared=1024)
    assert found.tolist() == expected.tolist()


@pytest.mark.parametrize(
    "lines",
    [
        FIRST + READ,
        FIRST + "s_wait_dscnt 0x0\ns_wait_loadcnt 0x0\ns_wait_tensorcnt 0x0\n" + READ,
        FIRST + SECOND + "s_wait_asynccnt 0x2\n" + READ,
        FIRST + SECOND + "s_wait_asynccnt 0x1\n" + READ_SECOND,
        FIRST + OTHER + "s_wait_asynccnt 0x1\n" + READ,  # the load has another counter
        FIRST + "v_mov_b32_e32 v63, v0\nds_store_b32 v2, v0\ns_wait_asynccnt 0x0\n",
        FIRST + "v_mov_b32_e32 v63, v0\nglobal_store_b32 v2, v2, s[0:1]\ns_wait_asynccnt 0x0\n",
    ],
)
def test_what_comes_too_early(lines: str, bench: Bench) -> None:
    with pytest.raises(EmulationFault) as caught:
        bench.words(lines, "gfx1250", inputs=INPUT, shared=1024)
    assert caught.value.kind in ("outstanding-load", "race")


def test_what_has_no_place_is_not_written(bench: Bench) -> None:
    """Lanes 0 to 15 name none; what they would read has to be there all the same."""
    lines = "v_lshlrev_b32_e32 v2, 2, v0\nv_mov_b32_e32 v4, 7\nds_store_b32 v2, v4\ns_wait_dscnt 0x0\n"
    lines += "v_cmp_gt_u32_e32 vcc_lo, 16, v0\nv_cndmask_b32_e64 v3, v2, -1, vcc_lo\n"
    lines += "global_load_async_to_lds_b32 v3, v2, s[0:1]OFFSET\ns_wait_asynccnt 0x0\n" + READ
    found = bench.words(lines.replace("OFFSET", ""), "gfx1250", inputs=INPUT, shared=128)
    assert found.tolist() == [7] * 16 + list(range(16, 32))
    with pytest.raises(EmulationFault, match="out-of-bounds"):
        bench.words(lines.replace("OFFSET", " offset:-64"), "gfx1250", inputs=INPUT, shared=128)


def test_older_chips(bench: Bench) -> None:
    with pytest.raises(EmulationFault, match="opcode global_load_async_to_lds_b128 on gfx1201"):
        bench.words(FIRST + READ, "gfx1201", inputs=INPUT, shared=1024)
