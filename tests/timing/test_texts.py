"""What the model reads of machine text: control codes, pipes, groups, barriers, rings; which loop is the hot one."""

from __future__ import annotations

import pytest
from lanewise.targets.latencies import LATENCIES, Figure
from lanewise.targets.rates import RATES
from lanewise.timing import sass
from lanewise.timing.machine import machine_of
from lanewise.timing.timed import Meeting, Ring, Tile, hot_span

from .loops import amd, encoded, machine, nvidia

# ---- figures --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("chip", LATENCIES)
def test_every_figure_says_where_it_is_from(chip: str) -> None:
    figures = {name: value for name, value in vars(LATENCIES[chip]).items() if isinstance(value, Figure)}
    assert len(figures) == 23 and chip in RATES
    for name, figure in figures.items():
        assert figure.source and figure >= 0, name
    guesses = {name for name, figure in figures.items() if figure.is_guess}
    assert {"queue"} <= guesses < set(figures)


def test_chips_without_figures_have_no_machine() -> None:
    assert machine_of("gfx90a") is None and machine_of("sm_75") is None


def test_no_time_of_gfx950_is_said_to_be_measured_that_is_gfx942s() -> None:
    """What is the same on both is a guess there, but for what a document says of both."""
    old, new = LATENCIES["gfx942"], LATENCIES["gfx950"]
    assert new.shared_latency == old.shared_latency and new.shared_latency.is_guess and not old.shared_latency.is_guess
    assert new.near_latency.is_guess and new.far_latency.is_guess and not new.wide_read_bytes.is_guess


# ---- SASS -----------------------------------------------------------------------------------------------------------


def test_control_codes() -> None:
    """`FSEL R0, R2, R0, P0` of a kernel for sm_90: stall 5, no scoreboard set, waits for 0 and 2."""
    high = 5 << 41 | 7 << 46 | 7 << 49 | 0b101 << 52
    assert sass.control(high) == (5, None, None, (0, 2))
    assert sass.control(3 << 46 | 1 << 49) == (0, 3, 1, ())


def test_registers_tell_nothing_and_control_codes_all() -> None:
    loop = nvidia("[2 1 - -] LDS.64 R2, [R4]\n[4 - 3 01] STS.128 [R4], R8\n[1 - - 3] IADD3 R1, R2, R3, RZ")
    load, store, add, jump = loop.body
    assert (load.stall, load.sets, load.frees, load.boards) == (2, (1,), (), ())
    assert (store.stall, store.sets, store.frees, store.boards) == (4, (), (3,), (0, 1))
    assert (add.boards, add.reads) == ((3,), frozenset())
    assert (load.work.pipe, load.work.busy, store.work.busy) == ("shared", 2, 4)
    assert jump.work.pipe == "" and loop.products == 0


@pytest.mark.parametrize(
    ("text", "pipe", "busy"),
    [
        ("HMMA.16816.F32 R4, R8, R12, R4", "matrix", 8),
        ("HMMA.1688.F32.TF32 R4, R8, R12, R4", "matrix", 8),
        ("IMMA.16832.S8.S8 R4, R8, R12, R4", "matrix", 8),
        ("FFMA R1, R2, R3, R4", "vector", 2),
        ("HFMA2.BF16_V2 R1, R2, R3, R4", "vector", 1),
        ("FMNMX R1, R2, R3, PT", "integer", 2),
        ("MUFU.EX2 R1, R2", "transcendental", 8),
        ("SHFL.BFLY PT, R1, R2, 0x1, 0x1f", "shared", 2),
        ("LDSM.16.MT88.2 R4, [R113]", "shared", 2),
        ("LDG.E.64 R8, [R2.64]", "memory", 2),
        ("UIADD3 UR4, UR4, 0x1, URZ", "", 0),
        ("@!PT LDS RZ, [RZ]", "", 0),
    ],
)
def test_pipes_of_sass(text: str, pipe: str, busy: float) -> None:
    work = nvidia(f"[1 - - -] {text}").body[0].work
    assert (work.pipe, work.busy) == (pipe, busy)


def test_products_of_warpgroups_read_shared_memory() -> None:
    """64 x 128 x 16 of f16 is 64 cycles; a warp's share of 6 KB is 12 clocks, of 4 KB without A 8."""
    loop = nvidia(
        "[1 - - -] HGMMA.64x128x16.F32 R24, gdesc[UR28].tnspB, R24\n"
        "[1 - - -] HGMMA.64x128x16.F32 R24, R100, gdesc[UR28], R24, gsb0",
        "sm_90a",
    )
    both, registers, _ = (i.work for i in loop.body)
    assert both.busy == registers.busy == 64 and (both.beside, registers.beside) == (12, 8)
    assert [i.closes for i in loop.body] == [False, True, False]


def test_groups_and_barriers_of_sass() -> None:
    lines = (
        "[1 - - -] LDGSTS.E.BYPASS.128 [R2], [R4.64]",
        "[1 0 - -] LDGDEPBAR",
        "[1 - - -] DEPBAR.LE SB0, 0x2",
        "[1 - - -] WARPGROUP.DEPBAR.LE gsb0, 0x1",
        "[1 - - -] BAR.SYNC.DEFER_BLOCKING 0x3, 0x80",
        "[1 - - -] BAR.ARV 0x4, 0x100",
    )
    copy, join, left, products, sync, arrive, _ = nvidia("\n".join(lines), "sm_90a").body
    assert (copy.asynchronous, copy.work.beside, join.joins, join.sets) == ("copy", 4, 0, ())
    assert (left.groups_left, products.products_left) == ((0, 2), 1)
    assert sync.meeting == Meeting("0x3", 4) and arrive.meeting == Meeting("0x4", 8, waits=False)


_MAKES = [f"[1 - - -] SYNCS.EXCH.64 URZ, [UR6+{0x10000 + 8 * n:#x}], UR4" for n in range(4)]
_ASK = ["[1 - - -] IMAD.MOV.U32 R3, RZ, RZ, 0x4000", "[1 - - -] SYNCS.ARRIVE.TRANS64 RZ, [UR6+0x10000], R3"]
_WAIT = "[1 - - -] SYNCS.PHASECHK.TRANS64.TRYWAIT P1, [UR7+0x10000], R0"
_MULTIPLY = [
    "[1 - - -] HGMMA.64x128x16.F32 R24, gdesc[UR28], R24, gsb0",
    "[1 - - -] WARPGROUP.DEPBAR.LE gsb0, 0x1",
]


def test_a_ring_that_its_loop_fills() -> None:
    """Four slots, of which two are filled ahead."""
    second = [_ASK[0], _ASK[1].replace("0x10000", "0x10008")]
    loop = nvidia([_WAIT, *_ASK, "[1 - - -] UTMALDG.2D [UR8], [UR32]", *_MULTIPLY], "sm_90a", [*_MAKES, *_ASK, *second])
    name = str(0x10000)
    assert loop.rings == {name: Ring(4, 0x4000, 1, 2, asked_inside=True)}
    assert loop.body[0].awaits == Tile(name, 0) and loop.body[2].asks == Tile(name, 0)


def test_a_ring_that_others_fill() -> None:
    """Two slots, and two places that say that one is free, at which others wait; products that are left under way
    read their tile when the next one is waited for."""
    leave = "[1 - - -] SYNCS.ARRIVE.TRANS64.A1T0 RZ, [UR4+0x10010], RZ"
    others = ["[1 - - -] SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR21+0x10010], R2", *_ASK]
    loop = nvidia([_WAIT, *_MULTIPLY, leave], "sm_90a", _MAKES, others)
    assert loop.rings == {str(0x10000): Ring(2, 0x4000, 1, 0, asked_inside=False)}
    assert (loop.body[3].releases, loop.body[3].late) == (Tile(str(0x10000), 0), 1)


def test_a_loop_that_only_waits_for_a_tile_is_no_hot_loop() -> None:
    body = [_WAIT, "[1 - - -] @!P1 NANOSLEEP.SYNCS 0x989680", "[1 - - -] BRA `(.L_x_1)"]
    assert sass.parse("\n".join([".L_x_1:", *map(encoded, body)])).loop(machine("sm_90a")) is None


def test_lines_of_ptx_are_kept() -> None:
    text = "\n".join((
        ".L_x_1:",
        '\t//## File ".nv_debug_ptx_txt", line 435',
        encoded("[1 - - -] FFMA R1, R2, R3, R4"),
        encoded("[1 - - -] BRA `(.L_x_1)"),
    ))  # fmt: skip
    loop = sass.parse(text).loop(machine("sm_80"))
    assert loop is not None and [(i.line, i.origin) for i in loop.body] == [(3, 435), (5, 435)]


# ---- AMDGCN ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("chip", "text", "pipe", "busy"),
    [
        ("gfx942", "v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], v[0:3]", "matrix", 16),
        ("gfx942", "v_mfma_f32_32x32x16_fp8_fp8 v[0:15], v[16:17], v[18:19], v[0:15]", "matrix", 32),
        ("gfx942", "v_mfma_f32_16x16x4_f32 v[0:3], v4, v6, v[0:3]", "matrix", 32),
        ("gfx942", "v_mfma_f32_32x32x4_xf32 v[0:15], v[16:17], v[18:19], v[0:15]", "matrix", 32),
        ("gfx942", "v_mfma_f64_16x16x4_f64 v[0:7], v[8:9], v[10:11], v[0:7]", "matrix", 32),
        ("gfx950", "v_mfma_f32_32x32x16_f16 v[0:15], v[16:19], v[20:23], v[0:15]", "matrix", 32),
        ("gfx950", "v_mfma_f32_32x32x64_f8f6f4 v[0:15], v[16:23], v[24:31], v[0:15]", "matrix", 64),
        ("gfx950", "v_mfma_f32_32x32x64_f8f6f4 v[0:15], v[16:19], v[24:27], v[0:15] cbsz:4 blgp:4", "matrix", 32),
        ("gfx1100", "v_wmma_f32_16x16x16_bf16 v[0:7], v[16:23], v[24:31], v[0:7]", "matrix", 32),
        ("gfx942", "v_exp_f32_e32 v1, v2", "vector", 16),
        ("gfx942", "v_mul_lo_u32 v1, v2, v3", "vector", 16),
        ("gfx942", "v_pk_fma_f32 v[0:1], v[2:3], v[4:5], v[0:1]", "vector", 4),
        ("gfx1100", "v_exp_f32_e32 v1, v2", "transcendental", 4),
        ("gfx942", "ds_read_b64 v[0:1], v2", "shared", 4),
        ("gfx942", "ds_read2_b64 v[0:3], v4 offset1:1", "shared", 8),
        ("gfx950", "ds_read_b64_tr_b16 v[0:1], v2", "shared", 2),
        ("gfx950", "ds_read_b32 v0, v2", "shared", 2),
        ("gfx942", "ds_bpermute_b32 v0, v1, v2", "shared", 2),
        ("gfx942", "buffer_load_dwordx4 v[0:3], v4, s[0:3], 0 offen", "memory", 16),
        ("gfx942", "global_store_dwordx2 v[0:1], v[2:3], off", "memory", 8),
        ("gfx942", "s_add_u32 s0, s1, s2", "", 0),
    ],
)
def test_pipes_of_amdgcn(chip: str, text: str, pipe: str, busy: float) -> None:
    work = amd(text, chip).body[0].work
    assert (work.pipe, work.busy) == (pipe, busy)


def test_products_of_mfma_take_their_passes() -> None:
    """The emulator's hazards have the passes of the shapes, of four cycles each, from AMD's documents."""
    from lanewise.emulate.amdgcn.hazard_rules import passes

    for chip, shape in (("gfx942", "32x32x8_f16"), ("gfx942", "16x16x16_bf16"), ("gfx950", "16x16x32_f16")):
        rows = 16 if shape.startswith("32") else 4
        opcode, words = f"v_mfma_f32_{shape}", 4 if chip == "gfx950" else 2
        factors = f"v[20:{19 + words}], v[24:{23 + words}]"
        loop = amd(f"{opcode} v[0:{rows - 1}], {factors}, v[0:{rows - 1}]", chip)
        assert loop.body[0].work.busy == 4 * passes(chip, opcode)


def test_counters_and_registers_of_amdgcn() -> None:
    load, wait, product, copy, store, jump = amd(
        "buffer_load_dwordx2 v[0:1], v4, s[0:3], 0 offen\n"
        "s_waitcnt vmcnt(3) lgkmcnt(2)\n"
        "v_mfma_f32_32x32x8_f16 v[16:31], v[0:1], v[2:3], v[16:31]\n"
        "buffer_load_dword v9, s[0:3], 0 offen lds\n"
        "ds_write_b32 v5, v6\n",
        "gfx950",
    ).body
    assert (load.counter, load.slot, load.writes) == ("load", "memory", frozenset())
    assert (dict(wait.left), wait.slot) == ({"load": 3, "shared": 2}, "")
    assert product.forwarded == product.writes and len(product.writes) == 16 and product.writes < product.reads
    assert (copy.counter, copy.work.beside) == ("load", 64 * 4 / 128)
    assert (store.counter, jump.slot) == ("shared", "branch")


def test_stores_of_rdna_have_a_counter_of_their_own() -> None:
    load, store, _ = amd("global_load_b32 v0, v[2:3], off\nglobal_store_b32 v[2:3], v0, off", "gfx1100").body
    assert (load.counter, store.counter) == ("load", "store")


def test_turns_of_the_program_itself() -> None:
    nop, barrier, priority, _ = amd("s_nop 3\ns_barrier\ns_setprio 2").body
    assert (nop.stall, nop.slot) == (4, "")
    assert barrier.meeting == Meeting("0") and priority.priority == 2


# ---- the hot loop ---------------------------------------------------------------------------------------------------


def test_the_hot_loop_is_the_innermost_with_most_products() -> None:
    products = [False, True, True, False, True, False, False]
    outer, two, one, none = (6, 0), (2, 1), (4, 3), (5, 5)
    assert hot_span(products, [outer, two, one, none]) == (1, 3)
    assert hot_span(products, [outer, two, one, none], [1, 2, 2, 1, 9, 50, 1]) == (3, 5), "as often as they ran"
    assert hot_span(products, []) is None and hot_span(products, [(0, 3)]) is None, "jumps ahead are no loops"
    assert hot_span(products, [two, one], [0] * 7) is None and hot_span(products, [(3, 3)]) is None
    assert hot_span([False] * 4, [(3, 0), (2, 1)]) == (1, 3), "without products, the innermost"
