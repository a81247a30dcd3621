"""Loops whose time can be told by hand. Numbers of the chips are taken from `targets`, sums of them are made here."""

from __future__ import annotations

import pytest
from lanewise.support.dataclasses import replace
from lanewise.targets.latencies import LATENCIES
from lanewise.timing.loop_time import loop_time
from lanewise.timing.simulation import Simulation, Stuck
from lanewise.timing.timed import Loop, Meeting, Ring, Tile, Timed, Work

from .loops import amd, cycles, machine, nvidia

A100, H100 = LATENCIES["sm_80"], LATENCIES["sm_90a"]
MI300X, MI355X, RX7900 = LATENCIES["gfx942"], LATENCIES["gfx950"], LATENCIES["gfx1100"]

HMMA = "HMMA.16816.F32 R4, R8, R12, R4"
"""16 x 8 x 16: 4,096 operations at 512 a clock and scheduler of an A100 are 8 cycles."""


def mfmas(count: int) -> list[str]:
    """Independent sums; 32 x 32 x 8: 16,384 operations at 512 a clock and SIMD are 32 cycles."""
    return [
        f"v_mfma_f32_32x32x8_f16 v[{16 * n}:{16 * n + 15}], v[200:201], v[202:203], v[{16 * n}:{16 * n + 15}]"
        for n in range(count)
    ]


# ---- NVIDIA ---------------------------------------------------------------------------------------------------------


def test_products_of_one_warp_leave_the_jump_open() -> None:
    loop = nvidia([f"[8 - - -] {HMMA}"] * 8)
    assert cycles(loop, "sm_80") == 8 * 8 + 1 + A100.jump
    assert cycles(loop, "sm_80", groups=2) == 8 * 8 + 1, "the jump is issued first"


def test_a_chain_of_products_is_its_stall_counts() -> None:
    chain = ["[11 - - -] HMMA.16816.F32 R4, R8, R12, R4", "[11 - - -] NOP", "[2 - - -] NOP"] * 4
    alone = 4 * 24 + 1 + A100.jump
    assert cycles(nvidia(chain), "sm_80") == pytest.approx(alone)
    assert cycles(nvidia(chain), "sm_80", groups=3) == pytest.approx(alone / 3, rel=0.08), "three take turns"


def test_products_alone_reach_a_part_of_an_h100() -> None:
    """mma.sync: 4 / 0.62 cycles, and issues are whole cycles; two warps a scheduler hide the jump."""
    assert cycles(nvidia([f"[1 - - -] {HMMA}"] * 8, "sm_90a"), "sm_90a", groups=2) == pytest.approx(8 * 7, abs=1)


def test_a_load_and_its_use() -> None:
    """512 bytes take their first stage 4 cycles."""
    loop = nvidia(f"[1 0 - -] LDG.E.128 R8, [R2.64]\n[8 - - 0] {HMMA}")
    assert cycles(loop, "sm_80", 1) == 4 + A100.near_latency + 8 + 1 + A100.jump
    far = machine("sm_80").far
    assert cycles(nvidia("[1 0 - -] LDG.E.128 R8, [R2.64]\n[8 - - 0] NOP"), "sm_80", 1) < A100.near_latency + 25
    assert far.load_latency == A100.far_latency


def test_shared_memory_has_128_bytes_a_clock() -> None:
    """ldmatrix.x4 of a warp reads 512 bytes."""
    loop = nvidia(["[1 - - -] LDSM.16.M88.4 R8, [R2]"] * 16 + [f"[1 - - -] {HMMA}"])
    assert cycles(loop, "sm_80") == 16 * 4 * 4


def test_a_read_of_shared_memory_and_its_use() -> None:
    loop = nvidia(f"[1 0 - -] LDSM.16.M88.4 R8, [R2]\n[8 - - 0] {HMMA}")
    assert cycles(loop, "sm_80", 1) == 4 + A100.shared_latency + 8 + 1 + A100.jump


def test_bank_conflicts_take_passes() -> None:
    loop = nvidia(f"[1 0 - -] LDS.32 R8, [R2]\n[8 - - 0] {HMMA}")
    slower = replace(loop, body=[replace(i, origin=7 if i.work.pipe == "shared" else 0) for i in loop.body])
    assert cycles(slower.with_conflicts({7: 3.0}), "sm_80", 1) == cycles(loop, "sm_80", 1) + 3


def test_transcendentals_go_four_lanes_a_clock_and_quarter() -> None:
    assert cycles(nvidia(["[1 - - -] MUFU.EX2 R3, R2"] * 16), "sm_80", 8) == pytest.approx(2 * 16 * 8, rel=0.02)


def test_integers_go_at_half_the_rate_of_floats_of_h100() -> None:
    assert cycles(nvidia(["[1 - - -] FFMA R1, R2, R3, R4"] * 32, "sm_90a"), "sm_90a", groups=2) == pytest.approx(
        33, rel=0.03
    )
    assert cycles(nvidia(["[1 - - -] IADD3 R1, R2, R3, R4"] * 32, "sm_90a"), "sm_90a", groups=2) == pytest.approx(
        64, rel=0.03
    )


def test_asynchronous_copies_are_waited_for_as_groups() -> None:
    """The group before the newest one is waited for, so that a copy has an iteration of 512 cycles more."""
    copy = ["[1 - - -] LDGSTS.E.BYPASS.128 [R2], [R4.64]", "[1 0 - -] LDGDEPBAR"]
    products = [f"[8 - - -] {HMMA}"] * 64
    late = nvidia([*copy, "[1 - - -] DEPBAR.LE SB0, 0x0", *products])
    ahead = nvidia([*copy, "[1 - - -] DEPBAR.LE SB0, 0x1", *products])
    rest = 3 + 64 * 8 + 1 + A100.jump
    assert cycles(ahead, "sm_80", 1) == rest
    assert cycles(late, "sm_80", 1) == rest + 4 + A100.near_latency - 2


def test_barriers_cost_what_meets_there() -> None:
    """`BAR.SYNC` of all eight warps; of four of them each, by a name in a register; arrivals alone wait for nobody. Of
    two warps of a scheduler the second one issues a cycle later."""
    rest = 1 + 1 + A100.jump
    of_all = nvidia("[1 - - -] BAR.SYNC.DEFER_BLOCKING 0x0")
    assert cycles(of_all, "sm_80", 8) == pytest.approx(A100.barrier_latency + 8 * A100.barrier_each + rest, abs=0.5)
    halves = nvidia("[1 - - -] BAR.SYNC.DEFER_BLOCKING R5, 0x80")
    assert cycles(halves, "sm_80", 4) == pytest.approx(A100.barrier_latency + 4 * A100.barrier_each + rest - 1)
    assert cycles(halves, "sm_80", 8) < cycles(of_all, "sm_80", 8)
    first_four = nvidia("[1 - - -] BAR.SYNC.DEFER_BLOCKING 0x1, 0x80")
    assert cycles(first_four, "sm_80", 8) < cycles(of_all, "sm_80", 8), "whoever of the eight arrives"
    assert cycles(nvidia("[1 - - -] BAR.ARV 0x1, 0x80"), "sm_80", 4) == pytest.approx(2 + A100.jump)


def test_workgroups_of_a_cluster_meet_late() -> None:
    loop = nvidia("[1 - - -] UCGABAR_ARV\n[1 - - -] UCGABAR_WAIT", "sm_90a")
    assert cycles(loop, "sm_90a", 4) == pytest.approx(H100.cluster_latency, abs=3 + H100.jump)


def test_asynchronous_products_of_a_warpgroup() -> None:
    """64 x 256 x 16 takes 128 cycles; waiting for the group before leaves no gap, waiting for all the result's."""
    products = ["[1 - - -] WARPGROUP.ARRIVE"] + ["[1 - - -] HGMMA.64x256x16.F32 R24, gdesc[UR4], R24"] * 3
    products.append("[1 - - -] HGMMA.64x256x16.F32 R24, gdesc[UR4], R24, gsb0")
    ahead = nvidia([*products, "[1 - - -] WARPGROUP.DEPBAR.LE gsb0, 0x1"], "sm_90a")
    assert cycles(ahead, "sm_90a") == pytest.approx(4 * 128, abs=0.5)
    late = nvidia([*products, "[1 - - -] WARPGROUP.DEPBAR.LE gsb0, 0x0"], "sm_90a")
    assert cycles(late, "sm_90a") == pytest.approx(4 * 128 + H100.matrix_latency + 3 + H100.jump, abs=2)


# ---- rings of boxes -------------------------------------------------------------------------------------------------


def ring_loop(slots: int, size: int, *, asked_inside: bool) -> Loop:
    tile = Tile("r", 0)
    ask = [Timed(3, "ask", asks=tile)] if asked_inside else []
    body = [
        Timed(1, "wait", awaits=tile),
        *ask,
        Timed(4, "HGMMA", work=Work("matrix", 100, 0, queued=False), stall=100),
        Timed(5, "leave", releases=None if asked_inside else tile),
    ]
    return Loop(body, {"r": Ring(slots, size, 1, slots - 1 if asked_inside else 0, asked_inside)})


def test_tiles_that_others_ask_for_come_a_latency_after_their_slot_is_left() -> None:
    """Of one slot nothing is ahead: an iteration has all of a box's way; of eight nothing of it is seen."""
    size = 3400
    way = H100.near_latency + H100.box_latency + size / H100.l2_bytes
    body = 1 + 100 + 1
    alone = cycles(ring_loop(1, size, asked_inside=False), "sm_90a", 1)
    assert alone == pytest.approx(way + body, abs=2)  # asked for where it is left, the last instruction of the body
    assert cycles(ring_loop(8, size, asked_inside=False), "sm_90a", 1) == pytest.approx(body + H100.jump, abs=1)


def test_tiles_that_the_loop_asks_for() -> None:
    size = 3400
    way = H100.near_latency + H100.box_latency + size / H100.l2_bytes
    assert cycles(ring_loop(2, size, asked_inside=True), "sm_90a", 1) == pytest.approx(way + 1, abs=2)
    assert cycles(ring_loop(8, size, asked_inside=True), "sm_90a", 1) == pytest.approx(103 + H100.jump, abs=1)


def test_the_way_from_l2_bounds_boxes() -> None:
    size = 34000
    assert cycles(ring_loop(8, size, asked_inside=False), "sm_90a", 1) == pytest.approx(size / H100.l2_bytes, rel=0.01)


# ---- AMD ------------------------------------------------------------------------------------------------------------


def test_mfma_of_one_wave_hide_the_jump() -> None:
    assert cycles(amd(mfmas(8)), "gfx942") == 8 * 32
    assert cycles(amd(mfmas(1)), "gfx942") == 32, "the next sum in its place waits for its passes alone"


def test_an_mfma_that_multiplies_the_result_of_another() -> None:
    """11 wait states behind it for 8 passes (LLVM): 48 cycles from issue to issue."""
    loop = amd("v_mfma_f32_32x32x8_f16 v[0:15], v[0:1], v[40:41], v[20:35]")
    assert cycles(loop, "gfx942") == 48
    assert cycles(amd("v_mfma_f32_32x32x16_f16 v[0:15], v[0:3], v[40:43], v[20:35]", "gfx950"), "gfx950") == 52


def test_vector_instructions_go_one_a_turn() -> None:
    body = ["v_add_f32_e32 v1, v2, v3"] * 32
    assert cycles(amd(body), "gfx942") == 32 * 4 + 4 + MI300X.jump
    assert cycles(amd(body), "gfx942", groups=2) == pytest.approx(32 * 4, rel=0.04)


def test_transcendentals_go_at_a_quarter_and_at_a_half() -> None:
    body = [f"v_exp_f32_e32 v{n}, v99" for n in range(16)]
    assert cycles(amd(body), "gfx942", 8) == pytest.approx(2 * 16 * 16, rel=0.03)
    assert cycles(amd(body, "gfx950"), "gfx950", 8) == pytest.approx(2 * 16 * 8, rel=0.05)


def test_a_wave_waits_for_what_it_counts() -> None:
    """1,024 bytes take their first stage 16 cycles; the wait, the jump and the load take turns."""
    load = "buffer_load_dwordx4 v[100:103], v99, s[0:3], 0 offen"
    at_once = amd([load, "s_waitcnt vmcnt(0)", *mfmas(4)])
    expected = 16 + MI300X.near_latency + 4 * 32 - 32 + 4 * 3 + MI300X.jump
    assert cycles(at_once, "gfx942", 1) == pytest.approx(expected, abs=8)
    ahead = amd(["s_waitcnt vmcnt(0)", load, *mfmas(8), *mfmas(8)])
    assert cycles(ahead, "gfx942", 1) == 16 * 32


def test_lds_has_128_bytes_a_clock_and_gfx950_reads_256() -> None:
    """16 bytes of 64 lanes, four waves."""
    reads = [f"ds_read_b128 v[{4 * n}:{4 * n + 3}], v99" for n in range(16)]
    writes = ["ds_write_b128 v99, v[0:3]"] * 16
    rest = ["s_waitcnt lgkmcnt(15)"]
    assert cycles(amd(reads + rest), "gfx942") == pytest.approx(16 * 8 * 4, rel=0.03)
    assert cycles(amd(reads + rest, "gfx950"), "gfx950") == pytest.approx(16 * 4 * 4, rel=0.03)
    assert cycles(amd(writes + rest, "gfx950"), "gfx950") == pytest.approx(16 * 8 * 4, rel=0.03)


def test_copies_to_lds_take_its_writes_and_are_counted_as_loads() -> None:
    copy = "buffer_load_dwordx4 v99, s[0:3], 0 offen lds"
    reads = [f"ds_read_b128 v[{4 * n}:{4 * n + 3}], v98" for n in range(16)]
    waits = ["s_waitcnt lgkmcnt(15)"]
    alone = cycles(amd(reads + waits, "gfx950"), "gfx950")
    both = cycles(amd([*reads, copy, *waits], "gfx950"), "gfx950")
    assert both - alone == pytest.approx(1024 / 128 * 4, abs=4), "four waves write 1 KB each, 128 bytes a clock"
    loop = amd([copy, "s_waitcnt vmcnt(0)"], "gfx950")
    assert cycles(loop, "gfx950", 1) == pytest.approx(16 + MI355X.near_latency + 8 + MI355X.jump, abs=8)


def test_rdna_waits_for_results_and_multiplies_on_its_vector_pipe() -> None:
    chain = ["v_add_f32_e32 v1, v1, v3"] * 32
    apart = [f"v_add_f32_e32 v{n}, v99, v98" for n in range(32)]
    assert cycles(amd(chain, "gfx1100"), "gfx1100", 4) == 31 * 5 + 2 + RX7900.jump
    assert cycles(amd(apart, "gfx1100"), "gfx1100", 4) == 32 + 1 + RX7900.jump
    product = "v_wmma_f32_16x16x16_f16 v[0:7], v[16:23], v[24:31], v[0:7]"
    assert cycles(amd([product] * 4, "gfx1100"), "gfx1100", 4, groups=2) == pytest.approx(4 * 32, rel=0.02)
    mixed = amd([product, *apart], "gfx1100")
    assert cycles(mixed, "gfx1100", 4, groups=2) == pytest.approx(32 + 32, rel=0.03)


# ---- both -----------------------------------------------------------------------------------------------------------


def test_the_idle_time_is_told_whole() -> None:
    """Its parts are what matrix units do not use of an iteration."""
    load = "buffer_load_dwordx4 v[100:103], v99, s[0:3], 0 offen"
    loop = amd([load, "s_waitcnt vmcnt(0)", *mfmas(4)])
    time = loop_time(loop, machine("gfx942"), 4)
    assert sum(idle.cycles for idle in time.idle) == pytest.approx(time.cycles - 4 * 32, rel=0.03)
    assert time.matrix == pytest.approx(4 * 32 / time.cycles, rel=0.03)
    worst = time.waits[0]
    assert (worst.reason, worst.text, worst.line, worst.causes) == ("loads", "s_waitcnt vmcnt(0)", 7, (6,))
    assert time.bound == "loads"


def test_subgroups_that_get_no_turn_end_no_simulation() -> None:
    """Of so many warps without waits the greedy ones always find an issue."""
    assert cycles(nvidia("[1 - - -] NOP"), "sm_80", 64) > 0


def test_what_waits_for_nobody_is_stuck() -> None:
    body = [Timed(1, "s_barrier_wait", meeting=Meeting("0", None, waits=True, arrives=False)), Timed(2, "s_nop")]
    with pytest.raises(Stuck, match="every subgroup waits for another: s_nop"):
        Simulation(Loop(body), machine("gfx942"), 2).run()
