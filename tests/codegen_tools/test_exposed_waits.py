"""Loads that a product loop waits for before any product, in texts of which each line's part is known."""

import pytest
from lanewise.check.exposed_waits import exposed_waits

AHEAD = """
s_waitcnt vmcnt(1)
ds_write_b128 v0, v[4:7]
s_waitcnt vmcnt(0)
ds_write_b128 v0, v[8:11]
s_waitcnt lgkmcnt(0)
s_barrier
buffer_load_dwordx4 v[4:7], v1, s[0:3], 0 offen
global_load_dwordx4 v[8:11], v[2:3], off
ds_read_b128 v[12:15], v0
ds_read_b128 v[16:19], v0 offset:1024
s_waitcnt lgkmcnt(1)
v_mfma_f32_32x32x8_f16 a[0:15], v[12:13], v[14:15], a[0:15]
s_waitcnt lgkmcnt(0)
v_mfma_f32_32x32x8_f16 a[0:15], v[16:17], v[18:19], a[0:15]
s_cbranch_scc1 .LBB0_1
""".strip().splitlines()


def test_loads_of_the_iteration_before_have_its_products_behind_them():
    # Of the two reads of shared memory the first one's wait has no product before it.
    assert exposed_waits(AHEAD, counts_stores=True) == {"global": 0, "shared": 1}


def test_a_wait_right_behind_the_loads():
    late = [*AHEAD[6:8], *AHEAD[:6], *AHEAD[8:]]
    assert exposed_waits(late, counts_stores=True) == {"global": 2, "shared": 1}


@pytest.mark.parametrize("counts_stores, exposed", [(True, 1), (False, 0)])
def test_stores_are_counted_with_loads_where_the_chip_does(counts_stores: bool, exposed: int):
    # The wait leaves one: the store behind the load; where stores have a counter of their own, the load, until the next
    # iteration's wait, which a product precedes.
    loop = ["v_mfma_f32_x", "global_load_dword v1", "global_store_dword v2", "s_waitcnt vmcnt(1)"]
    assert exposed_waits(loop, counts_stores=counts_stores).get("global", 0) == exposed


def test_waits_of_gfx12_name_their_counters():
    loop = [
        "global_load_b128 v[0:3], v[4:5], off",
        "ds_load_b128 v[8:11], v6",
        "ds_load_b128 v[12:15], v6",
        "v_wmma_f32_16x16x16_f16 v[16:23], v[24:27], v[28:31], v[16:23]",
        "ds_load_b128 v[32:35], v6",
        "s_wait_loadcnt_dscnt 0x1",
        "s_wait_dscnt 0x0",
    ]
    # The load and the two reads are a product before their wait, the third read is not.
    assert exposed_waits(loop, counts_stores=False) == {"global": 0, "shared": 1}
