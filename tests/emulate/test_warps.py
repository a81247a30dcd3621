"""Operations across lanes against a lane-by-lane reading of the PTX ISA, whole and diverged."""

from __future__ import annotations

import numpy as np
import pytest

LANES = np.arange(32)


def shuffled(mode, values, amount, control):
    """(value, in range) per lane, following the pseudocode of the ISA."""
    out = []
    for lane in range(32):
        segment, clamp = control >> 8 & 31, control & 31
        lowest, highest = lane & segment, lane & segment | clamp & ~segment & 31
        b = amount & 31
        j, valid = {
            "up": (lane - b, lane - b >= highest),
            "down": (lane + b, lane + b <= highest),
            "bfly": (lane ^ b, lane ^ b <= highest),
            "idx": (lowest | b & ~segment & 31, (lowest | b & ~segment & 31) <= highest),
        }[mode]
        if mode == "bfly":
            valid = (lane ^ b) <= highest
        out.append((values[j] if valid else values[lane], valid))
    return out


@pytest.mark.parametrize("control", [31, 0x181F, 0x1C1F, 0x1007, 0])
@pytest.mark.parametrize("mode", ["up", "down", "bfly", "idx"])
def test_shuffles(bench, mode, control):
    control = 0 if mode == "up" and control == 31 else control
    for amount in (0, 1, 3, 16, 31):
        lines = (
            "mul.lo.u32 %r1, %r0, 7;\n"
            f"shfl.sync.{mode}.b32 %r2|%p1, %r1, {amount}, {control}, -1;\n"
            "selp.b32 %r3, 1000, 0, %p1;\nadd.u32 %r63, %r2, %r3;"
        )
        expected = [v + 1000 * ok for v, ok in shuffled(mode, (7 * LANES).tolist(), amount, control)]
        assert bench.words(lines).tolist() == expected


def test_shuffle_with_a_source_per_lane(bench):
    lines = "xor.b32 %r1, %r0, 21;\nmul.lo.u32 %r2, %r0, 3;\nshfl.sync.idx.b32 %r63, %r2, %r1, 31, -1;"
    assert bench.words(lines, block=64).tolist() == [3 * (32 * (t // 32) + (t % 32 ^ 21)) for t in range(64)]


def test_votes(bench):
    ballot = "setp.lt.u32 %p1, %r0, 5;\nvote.sync.ballot.b32 %r63, %p1, -1;"
    assert set(bench.words(ballot).tolist()) == {31}
    for mode, expected in (("all", 0), ("any", 1), ("uni", 0)):
        lines = f"setp.lt.u32 %p1, %r0, 5;\nvote.sync.{mode}.pred %p2, %p1, -1;\nselp.b32 %r63, 1, 0, %p2;"
        assert set(bench.words(lines).tolist()) == {expected}


def test_members_of_two_masks_work_apart(bench):
    lines = (
        "setp.lt.u32 %p1, %r0, 16;\nselp.b32 %r1, 65535, 0xFFFF0000, %p1;\n"
        "redux.sync.add.s32 %r2, %r0, %r1;\nredux.sync.max.u32 %r3, %r0, %r1;\nmad.lo.u32 %r63, %r3, 1000, %r2;"
    )
    assert bench.words(lines).tolist() == [15000 + 120] * 16 + [31000 + 376] * 16


def test_match_and_elect(bench):
    lines = "and.b32 %r1, %r0, 3;\nmatch.any.sync.b32 %r63, %r1, -1;"
    assert bench.words(lines).tolist() == [0x11111111 << (t & 3) for t in range(32)]
    lines = "mov.u32 %r1, 9;\nmatch.all.sync.b32 %r2|%p1, %r1, -1;\nselp.b32 %r63, %r2, 7, %p1;"
    assert set(bench.words(lines).tolist()) == {0xFFFFFFFF}
    lines = "match.all.sync.b32 %r2|%p1, %r0, -1;\nselp.b32 %r63, %r2, 7, %p1;"
    assert set(bench.words(lines).tolist()) == {7}
    lines = "elect.sync %r1|%p1, -1;\nselp.b32 %r2, 100, 0, %p1;\nadd.u32 %r63, %r1, %r2;"
    assert bench.words(lines).tolist() == [100] + [0] * 31


@pytest.mark.parametrize(
    ("op", "reduce"), [("and", np.bitwise_and), ("or", np.bitwise_or), ("xor", np.bitwise_xor), ("add", np.add)]
)
def test_reductions(bench, op, reduce):
    kind = "u32" if op == "add" else "b32"
    lines = f"mad.lo.u32 %r1, %r0, 0x9E3779B9, 0x1234567;\nredux.sync.{op}.{kind} %r63, %r1, -1;"
    values = LANES.astype(np.uint32) * np.uint32(0x9E3779B9) + np.uint32(0x1234567)
    assert set(bench.words(lines).tolist()) == {int(reduce.reduce(values, dtype=np.uint32))}


def test_diverged_lanes_meet_at_the_shuffle(bench):
    # Each half takes its own way to one shuffle: those who come first wait.
    lines = (
        "setp.lt.u32 %p1, %r0, 16;\nmov.u32 %r1, 1;\n@%p1 bra LOW;\nmov.u32 %r1, 2;\nbra MEET;\n"
        "LOW:\nmul.lo.u32 %r1, %r0, 10;\nMEET:\nshfl.sync.bfly.b32 %r63, %r1, 16, 31, -1;"
    )
    assert bench.words(lines).tolist() == [2] * 16 + [10 * n for n in range(16)]


def test_loops_of_different_lengths_meet_again(bench):
    lines = (
        "mov.u32 %r1, 0;\nmov.u32 %r2, 0;\nLOOP:\nadd.u32 %r2, %r2, %r1;\nadd.u32 %r1, %r1, 1;\n"
        "setp.le.u32 %p1, %r1, %r0;\n@%p1 bra LOOP;\nvote.sync.ballot.b32 %r3, %p1, -1;\nadd.u32 %r63, %r2, %r3;"
    )
    assert bench.words(lines, block=64).tolist() == [t * (t + 1) // 2 for t in range(64)]


def test_active_mask_and_lane_masks(bench):
    lines = "mov.u32 %r63, 0;\nsetp.lt.u32 %p1, %r0, 3;\n@!%p1 bra SKIP;\nactivemask.b32 %r63;\nSKIP:"
    assert bench.words(lines).tolist() == [7, 7, 7] + [0] * 29
    assert bench.words("mov.u32 %r63, %lanemask_lt;").tolist() == [(1 << t) - 1 for t in range(32)]
    assert bench.words("mov.u32 %r63, %laneid;", block=64).tolist() == [*range(32), *range(32)]


def test_guarded_instructions_leave_others_alone(bench):
    lines = "mov.u32 %r63, 5;\nsetp.gt.u32 %p1, %r0, 29;\n@%p1 add.u32 %r63, %r63, %r0;\n@!%p1 mov.u32 %r63, 1;"
    assert bench.words(lines).tolist() == [1] * 30 + [35, 36]


def test_indexed_branch(bench):
    lines = (
        "and.b32 %r1, %r0, 3;\nTABLE: .branchtargets A, B, C, A;\nbrx.idx %r1, TABLE;\n"
        "A:\nmov.u32 %r63, 10;\nbra DONE;\nB:\nmov.u32 %r63, 20;\nbra DONE;\nC:\nmov.u32 %r63, 30;\nDONE:"
    )
    assert bench.words(lines).tolist() == [10, 20, 30, 10] * 8


def test_barriers_with_reductions(bench):
    lines = (
        "setp.lt.u32 %p1, %r0, 40;\nbarrier.red.popc.aligned.u32 %r1, 0, %p1;\n"
        "bar.red.or.pred %p2, 0, %p1;\nbar.red.and.pred %p3, 0, %p1;\n"
        "selp.b32 %r2, 100, 0, %p2;\nselp.b32 %r3, 1000, 0, %p3;\nadd.u32 %r63, %r1, %r2;\nadd.u32 %r63, %r63, %r3;"
    )
    lines = lines.replace("barrier.red.popc.aligned", "barrier.cta.red.popc.aligned")
    assert set(bench.words(lines, block=64, blocks=2).tolist()) == {140}


def test_one_warp_arrives_and_another_waits(bench):
    lines = (
        "setp.lt.u32 %p1, %r0, 32;\n@%p1 bra PRODUCE;\nbar.sync 1, 64;\nld.shared.b32 %r63, [buf];\nbra DONE;\n"
        "PRODUCE:\nsetp.eq.u32 %p2, %r0, 0;\n@%p2 st.shared.b32 [buf], 42;\nmov.u32 %r63, 0;\nbar.arrive 1, 64;\nDONE:"
    )
    assert bench.words(lines, block=64, before=".shared .align 4 .b8 buf[4];").tolist() == [0] * 32 + [42] * 32


def test_warps_that_left_are_not_waited_for(bench):
    lines = "mov.u32 %r63, 3;\nsetp.ge.u32 %p1, %r0, 32;\n@%p1 ret;\nbar.sync 0;\nmov.u32 %r63, 4;"
    assert bench.words(lines, block=96).tolist() == [4] * 32 + [0] * 64


def test_special_registers(bench):
    assert bench.words("mov.u32 %r63, %ctaid.x;", block=32, blocks=3).tolist() == [t // 32 for t in range(96)]
    assert bench.words("mov.u32 %r63, %warpid;", block=96).tolist() == [t // 32 for t in range(96)]
    lines = "mov.u32 %r1, %nctaid.x;\nmov.u32 %r2, %ntid.x;\nmad.lo.u32 %r63, %r1, 1000, %r2;"
    assert set(bench.words(lines, block=40, blocks=2).tolist()) == {2040}
