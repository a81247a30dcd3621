"""Every kind of fault is reached, and says what, where and who."""

from __future__ import annotations

import numpy as np
import pytest
from lanewise.emulate.faults import EmulationFault
from lanewise.emulate.machine.settings import LaunchSettings
from lanewise.emulate.ptx import PtxModule

BUFFER = ".shared .align 16 .b8 buf[256];"


def expect(bench, kind, lines, *, block=64, before=BUFFER, **options):
    with pytest.raises(EmulationFault) as caught:
        bench.words(lines, block=block, before=before, **options)
    assert caught.value.kind == kind, caught.value
    return caught.value


ADDRESS = "mov.u32 %r1, buf;\nmad.lo.u32 %r2, %r0, 4, %r1;\n"


@pytest.mark.parametrize(
    "text", ["prefetch.global.L2::evict_first [%q0];", "prefetch.shared.L1 [%q0];", "prefetchu.L2 [%q0];"]
)
def test_forms_of_prefetch_that_there_are_not(bench, text):
    bench.launch(bench.body("prefetch.global.L2::evict_last [%q0];\nprefetch.L1 [%q0];"), (1, 1, 1), (32, 1, 1), [0])
    with pytest.raises(EmulationFault, match="unsupported: this form of prefetch"):
        PtxModule.parse(bench.body(text))


def test_race_after_a_dropped_barrier(bench):
    write = f"{ADDRESS}st.shared.b32 [%r2], %r0;\n"
    read = "xor.b32 %r3, %r0, 1;\nmad.lo.u32 %r4, %r3, 4, %r1;\nld.shared.b32 %r63, [%r4];"
    assert bench.words(f"{write}bar.sync 0;\n{read}", block=64, before=BUFFER).tolist() == [t ^ 1 for t in range(64)]
    fault = expect(bench, "race", write + read)
    assert fault.instruction == "ld.shared.b32 %r63, [%r4];"[:-1]
    assert (fault.block, fault.thread) == ((0, 0, 0), (0, 0, 0))
    assert "block (0, 0, 0), thread (1, 0, 0) writes" in str(fault)
    assert "st.shared.b32 [%r2], %r0" in str(fault) and fault.other_line == fault.line - 3
    bench.words(write + read, block=64, before=BUFFER, checks=False)


def test_race_between_writers(bench):
    expect(bench, "race", f"{ADDRESS}st.shared.b32 [%r1], %r0;\nmov.u32 %r63, 0;")
    fine = f"{ADDRESS}st.shared.b32 [%r2], %r0;\nst.shared.b32 [%r2], %r1;\nld.shared.b32 %r63, [%r2];"
    bench.words(fine, block=64, before=BUFFER)


def test_neighbouring_halves_do_not_race(bench):
    lines = "mov.u32 %r1, buf;\nmad.lo.u32 %r2, %r0, 2, %r1;\nst.shared.b16 [%r2], %h1;\nmov.u32 %r63, 0;"
    bench.words(f"mov.b16 %h1, 3;\n{lines}", block=64, before=BUFFER)


def test_write_after_read_races(bench):
    lines = (
        f"{ADDRESS}st.shared.b32 [%r2], %r0;\nbar.sync 0;\nxor.b32 %r3, %r0, 32;\nmad.lo.u32 %r4, %r3, 4, %r1;\n"
        "ld.shared.b32 %r63, [%r4];\nst.shared.b32 [%r2], 7;"
    )
    expect(bench, "race", lines)


def test_warp_barrier_is_enough_within_a_warp_only(bench):
    lines = (
        f"{ADDRESS}st.shared.b32 [%r2], %r0;\nbar.warp.sync -1;\nxor.b32 %r3, %r0, {{}};\n"
        "mad.lo.u32 %r4, %r3, 4, %r1;\nld.shared.b32 %r63, [%r4];"
    )
    assert bench.words(lines.format(5), block=64, before=BUFFER).tolist() == [t ^ 5 for t in range(64)]
    expect(bench, "race", lines.format(32))


def test_uninitialised_shared_memory(bench):
    fault = expect(bench, "uninitialised", f"{ADDRESS}ld.shared.b32 %r63, [%r2];")
    assert fault.address == 0
    partly = f"{ADDRESS}mov.b16 %h1, 1;\nst.shared.b16 [%r2], %h1;\nld.shared.b32 %r63, [%r2];"
    expect(bench, "uninitialised", partly)


def test_registers_nobody_writes(bench):
    fault = expect(bench, "uninitialised", "add.u32 %r63, %r40, 1;")
    assert "%r40" in str(fault)


def test_out_of_bounds(bench):
    data = bench.upload(np.zeros(16, np.uint32))
    lines = "mov.u32 %r0, %tid.x;\nmad.wide.u32 %l1, %r0, 4, %q0;\nst.global.b32 [%l1], %r0;"
    text = bench.body(lines)
    bench.launch(text, (1, 1, 1), (16, 1, 1), [data])
    with pytest.raises(EmulationFault) as caught:
        bench.launch(text, (1, 1, 1), (17, 1, 1), [data])
    fault = caught.value
    assert (fault.kind, fault.thread, fault.address) == ("out-of-bounds", (16, 0, 0), data + 64)
    assert text.splitlines()[fault.line - 1].startswith("st.global.b32")
    expect(bench, "out-of-bounds", f"{ADDRESS}st.shared.b32 [%r2+4], %r0;\nmov.u32 %r63, 0;")


def test_the_thread_of_a_later_block_is_named(bench):
    data = bench.upload(np.zeros(24, np.uint32))
    lines = (
        "mov.u32 %r0, %tid.x;\nmov.u32 %r1, %tid.y;\nmov.u32 %r2, %ctaid.y;\nmad.lo.u32 %r3, %r1, 4, %r0;\n"
        "mad.lo.u32 %r3, %r2, 8, %r3;\nmad.wide.u32 %l1, %r3, 4, %q0;\nst.global.b32 [%l1], %r0;"
    )
    with pytest.raises(EmulationFault) as caught:
        bench.launch(bench.body(lines), (1, 4, 1), (4, 2, 1), [data])
    assert (caught.value.block, caught.value.thread) == ((0, 3, 0), (0, 0, 0))


@pytest.mark.parametrize("access", ["st.shared.b32 [%r2+2], %r0", "st.shared.v2.b32 [%r2], {%r0, %r0}"])
def test_misaligned_shared(bench, access):
    expect(bench, "misaligned", f"{ADDRESS}{access};\nmov.u32 %r63, 0;", block=32)


def test_misaligned_global(bench):
    fault = expect(bench, "misaligned", "ld.global.v4.b32 {%r1, %r2, %r3, %r63}, [%q0+8];")
    assert fault.address is not None and fault.address % 16 == 8


def test_stores_to_constants(bench):
    before = ".const .align 4 .b32 table[4] = {1, 2, 3, 4};"
    lines = "mov.u64 %l1, table;\nst.global.b32 [%l1], %r0;\nmov.u32 %r63, 0;"
    expect(bench, "read-only", lines, before=before)


def test_barrier_in_a_diverged_warp(bench):
    lines = (
        "and.b32 %r1, %r0, 1;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra EVEN;\nbar.sync 0;\nmov.u32 %r63, 1;\nbra DONE;\n"
        "EVEN:\nbar.sync 0;\nmov.u32 %r63, 2;\nDONE:"
    )
    fault = expect(bench, "divergent-barrier", lines)
    assert "bar.sync" in fault.instruction


def test_deadlocks(bench):
    # One warp waits at a barrier that the other never reaches because it waits at another.
    lines = (
        "mov.u32 %r63, 0;\nsetp.lt.u32 %p1, %r0, 32;\n@%p1 bra LOW;\nbar.sync 1, 64;\n"
        "bra DONE;\nLOW:\nbar.sync 2, 64;\nDONE:"
    )
    assert "barrier 1" in str(expect(bench, "deadlock", lines))
    # Lanes that wait for each other at two shuffles.
    lines = (
        "mov.u32 %r63, 0;\nsetp.lt.u32 %p1, %r0, 16;\n@%p1 bra LOW;\n"
        "shfl.sync.bfly.b32 %r63, %r0, 16, 31, -1;\nbra DONE;\n"
        "LOW:\nshfl.sync.bfly.b32 %r63, %r0, 16, 31, -1;\nDONE:"
    )
    expect(bench, "deadlock", lines, block=32)
    lines = (
        "mbarrier.init.shared.b64 [bar], 2;\nW:\n"
        "mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0;\n@!%p1 bra W;\nmov.u32 %r63, 0;"
    )
    expect(bench, "deadlock", lines, block=1, before=".shared .align 8 .b64 bar;")


def test_barrier_objects_that_are_there_already(bench):
    init, end = "mbarrier.init.shared.b64 [bar], 2;\n", "mbarrier.inval.shared.b64 [bar];\n"
    before = ".shared .align 8 .b64 bar;"
    expect(bench, "barrier-object", f"mov.u32 %r63, 0;\n{init}{init}", block=1, before=before)
    expect(bench, "barrier-object", f"mov.u32 %r63, 0;\n{init}", block=2, before=before)
    expect(bench, "uninitialised", f"mov.u32 %r63, 0;\n{init}{end}{end}", block=1, before=before)
    bench.words(f"{init}{end}{init}mov.u32 %r63, 0;", block=1, before=before)


def test_lanes_outside_their_member_mask(bench):
    lines = "setp.eq.u32 %p1, %r0, 0;\nvote.sync.ballot.b32 %r63, %p1, 0xFFFF;"
    assert expect(bench, "divergent-warp-operation", lines).thread == (16, 0, 0)


def test_shuffles_from_absent_lanes(bench):
    lines = (
        "mov.u32 %r63, 0;\nsetp.ge.u32 %p1, %r0, 16;\n@%p1 bra DONE;\n"
        "shfl.sync.bfly.b32 %r63, %r0, 16, 31, 0xFFFF;\nDONE:"
    )
    assert "lane 16" in str(expect(bench, "inactive-lane", lines, block=32))


def test_matrix_multiply_without_the_whole_warp(bench):
    lines = (
        "mov.b32 %r1, 0;\nmov.u32 %r63, 0;\nsetp.eq.u32 %p1, %r0, 3;\n@%p1 exit;\n"
        "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r2, %r3}, {%r1}, {%r1}, {%r1, %r1};"
    )
    expect(bench, "divergent-warp-operation", lines, block=32)


def test_traps(bench):
    fault = expect(bench, "trap", "mov.u32 %r63, 0;\nsetp.eq.u32 %p1, %r0, 5;\n@%p1 trap;", block=32)
    assert fault.thread == (5, 0, 0)


def test_launches_that_do_not_fit(bench):
    text = bench.body("mov.u32 %r0, 0;").replace("(.param .u64 a0)", "(.param .u64 a0)\n.reqntid 64, 1, 1\n")
    (kernel,) = PtxModule.parse(text).kernels.values()
    assert (kernel.required_block, kernel.max_threads, kernel.parameter_bytes) == ((64, 1, 1), 64, 8)
    for block, arguments in (((32, 1, 1), bytes(8)), ((64, 1, 1), bytes(4)), ((0, 1, 1), bytes(8))):
        with pytest.raises(EmulationFault) as caught:
            kernel.launch(bench.memory, LaunchSettings((1, 1, 1), block, arguments))
        assert caught.value.kind == "launch"


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("call.uni foo, (%r1);", "unsupported"),
        ("wgmma.unknown.sync.aligned;", "unsupported"),
        ("tex.2d.v4.f32.f32 {%r1, %r2, %r3, %r4}, [%l1];", "unsupported"),
        ("mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32 {%r1}, {%r1}, {%r1}, {%r1};", "unsupported"),
        ("add.q32 %r1, %r1, %r1;", "unsupported"),
        ("add.u32 %zz, %r1, %r1;", "syntax"),
        ("bra NOWHERE;", "syntax"),
        ("add.u64 %l1, %r1, %r1;", "unsupported"),
        ("add.u32 %r1, %r1, ?;", "syntax"),
    ],
)
def test_text_that_is_refused(bench, line, kind):
    with pytest.raises(EmulationFault) as caught:
        PtxModule.parse(bench.body(line))
    assert caught.value.kind == kind
    assert caught.value.line == 13 and caught.value.instruction == line[:-1]


def test_device_functions_are_refused():
    with pytest.raises(EmulationFault, match=r"unsupported.*\.func"):
        PtxModule.parse(".version 8.0\n.target sm_90\n.extern .func foo;\n")


def test_packing_may_read_what_nobody_writes(bench):
    """LLVM fills lanes that it does not need with such registers."""
    packed = "mov.b16 %h1, 5;\nmov.b32 %r63, {%h1, %h7};\nand.b32 %r63, %r63, 65535;"
    assert bench.words(packed, block=1).tolist() == [5]


@pytest.mark.parametrize("grid", [(1 << 31, 1, 1), (1, 70_000, 1), (1, 1, 65_536)])
def test_grids_that_no_device_takes(grid, bench):
    (kernel,) = PtxModule.parse(bench.body("")).kernels.values()
    with pytest.raises(EmulationFault, match="grid of at most") as caught:
        kernel.launch(bench.memory, LaunchSettings(grid, (32, 1, 1), bytes(8)))
    assert caught.value.kind == "launch"
