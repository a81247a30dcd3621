"""State spaces, vector accesses, atomics, asynchronous copies, barrier objects; and the memories by themselves."""

from __future__ import annotations

import numpy as np
import pytest
from lanewise.emulate.access_records import Crew, Race
from lanewise.emulate.faults import EmulationFault
from lanewise.emulate.memory import LINE, GlobalMemory, SharedMemory


def test_allocations_straddle_four_gigabytes():
    memory = GlobalMemory()
    for nbytes in (1024, 4096, 1 << 20):
        address = memory.allocate(nbytes)
        assert address % 256 == 0
        assert address // LINE != (address + nbytes - 1) // LINE


def test_host_copies_are_checked_and_exact():
    memory = GlobalMemory()
    address = memory.allocate(10)
    memory.write(address, bytes(range(10)))
    memory.fill(address + 2, 7, 3)
    assert memory.read(address, 10).tolist() == [0, 1, 7, 7, 7, 5, 6, 7, 8, 9]
    with pytest.raises(EmulationFault, match="out-of-bounds"):
        memory.read(address, 11)
    with pytest.raises(EmulationFault, match="out-of-bounds"):
        memory.write(address - 1, b"x")
    memory.free(address)
    with pytest.raises(EmulationFault, match="out-of-bounds"):
        memory.read(address, 1)
    with pytest.raises(EmulationFault, match="out-of-bounds"):
        memory.free(address)


def test_growth_keeps_contents():
    memory = GlobalMemory()
    first = memory.allocate(100)
    memory.write(first, np.arange(25, dtype=np.int32))
    second = memory.allocate(1 << 22)
    memory.fill(second, 1, 1 << 22)
    assert memory.read(first, 100).view(np.int32).tolist() == list(range(25))


def test_a_lost_carry_is_seen(bench):
    data = bench.upload(np.arange(256, dtype=np.uint32))
    good = "mul.wide.u32 %l1, %r0, 4;\nadd.s64 %l2, %q0, %l1;"
    bad = "mov.b64 {%r1, %r2}, %q0;\nshl.b32 %r3, %r0, 2;\nadd.u32 %r1, %r1, %r3;\nmov.b64 %l2, {%r1, %r2};"
    text = bench.body(f"mov.u32 %r0, %tid.x;\n{good}\nst.global.b32 [%l2], %r0;")
    bench.launch(text, (1, 1, 1), (256, 1, 1), [data])
    text = bench.body(f"mov.u32 %r0, %tid.x;\n{bad}\nst.global.b32 [%l2], %r0;")
    with pytest.raises(EmulationFault, match="out-of-bounds"):
        bench.launch(text, (1, 1, 1), (256, 1, 1), [data])


def test_vectors_and_narrow_elements(bench):
    data = np.arange(16, dtype=np.uint8) + 250
    source, result = bench.upload(data), bench.upload(np.zeros(16, np.uint8))
    lines = (
        "ld.global.v4.b8 {%h0, %h1, %h2, %h3}, [%q0];\nld.global.v2.b16 {%h4, %h5}, [%q0+4];\n"
        "ld.global.nc.L1::no_allocate.L2::128B.v2.b32 {%r1, %r2}, [%q0+8];\n"
        "st.global.v4.b8 [%q1], {%h0, %h1, %h2, %h3};\n"
        "st.global.cs.v2.b16 [%q1+4], {%h4, %h5};\nst.global.wt.v2.b32 [%q1+8], {%r1, %r2};"
    )
    bench.launch(bench.body(lines, parameters=2), (1, 1, 1), (1, 1, 1), [source, result])
    np.testing.assert_array_equal(bench.download(result, np.uint8, 16), data)


def test_signed_loads_extend(bench):
    source = bench.upload(np.int8([-3, 5, -128, 127]))
    out = bench.upload(np.zeros(4, np.int32))
    lines = "mov.u32 %r0, %tid.x;\ncvt.u64.u32 %l1, %r0;\nadd.s64 %l2, %q0, %l1;\nld.global.s8 %r1, [%l2];\n"
    lines += "mad.wide.u32 %l3, %r0, 4, %q1;\nst.global.b32 [%l3], %r1;"
    bench.launch(bench.body(lines, parameters=2), (1, 1, 1), (4, 1, 1), [source, out])
    assert bench.download(out, np.int32, 4).tolist() == [-3, 5, -128, 127]


def test_generic_addresses_reach_every_space(bench):
    lines = (
        ".local .align 8 .b8 mine[16];\nmov.u64 %l1, buf;\ncvta.shared.u64 %l2, %l1;\n"
        "mov.u64 %l3, mine;\ncvta.local.u64 %l4, %l3;\n"
        "mad.wide.u32 %l2, %r0, 4, %l2;\nst.b32 [%l2], %r0;\nadd.u32 %r1, %r0, 100;\nst.b32 [%l4+8], %r1;\n"
        "ld.b32 %r2, [%l2];\nld.local.b32 %r3, [mine+8];\nadd.u32 %r63, %r2, %r3;\n"
        "isspacep.shared %p1, %l2;\n@!%p1 trap;\nisspacep.global %p2, %q0;\n@!%p2 trap;\n"
        "isspacep.local %p3, %l4;\n@!%p3 trap;\n"
        "setp.eq.u32 %p4, %r0, 1;\nselp.b64 %l5, %l2, %l4, %p4;\nld.b32 %r4, [%l5+0];"
    )
    # One instruction may reach several spaces: lanes choose shared or local memory.
    lines = lines.replace("st.b32 [%l4+8], %r1;", "st.b32 [%l4+8], %r1;\nst.b32 [%l4], %r1;")
    found = bench.words(lines, before=".shared .align 16 .b8 buf[128];")
    assert found.tolist() == [2 * t + 100 for t in range(32)]


def test_module_variables_keep_their_values(bench):
    before = (
        ".const .align 4 .b32 table[4] = {10, 20, 30, 40};\n.global .align 4 .f32 scale = 0f40000000;\n"
        ".global .align 8 .u64 place = table;\n.global .align 4 .b32 counter;"
    )
    lines = (
        "and.b32 %r1, %r0, 3;\nmov.u64 %l1, table;\nmad.wide.u32 %l2, %r1, 4, %l1;\nld.const.b32 %r2, [%l2];\n"
        "ld.global.f32 %r3, [scale];\nmul.f32 %r4, %r3, 0f40400000;\n"
        "cvt.rzi.u32.f32 %r5, %r4;\nadd.u32 %r63, %r2, %r5;\n"
        "ld.global.u64 %l3, [place];\nld.const.b32 %r6, [%l3+4];\nsub.u32 %r6, %r6, 20;\nadd.u32 %r63, %r63, %r6;"
    )
    assert bench.words(lines, before=before).tolist() == [16, 26, 36, 46] * 8


def test_parameters_by_value(bench):
    text = (
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry k(.param .u64 out, .param .align 8 .b8 s[16], .param .u16 h)\n{\n"
        ".reg .b64 %l<8>;\n.reg .b32 %r<8>;\n.reg .b16 %h<2>;\nld.param.u64 %l1, [out];\n"
        "ld.param.v2.u32 {%r1, %r2}, [s+8];\n"
        "mov.b64 %l2, s;\nld.param.u32 %r3, [%l2+4];\ncvta.param.u64 %l3, %l2;\n"
        "ld.u32 %r4, [%l3];\nld.param.u16 %h1, [h];\ncvt.u32.u16 %r5, %h1;\n"
        "st.global.v4.u32 [%l1], {%r1, %r2, %r3, %r4};\nst.global.u32 [%l1+16], %r5;\nret;\n}\n"
    )
    out = bench.upload(np.zeros(5, np.uint32))
    structure = int.from_bytes(np.uint32([1, 2, 3, 4]).tobytes(), "little")
    bench.launch(text, (1, 1, 1), (1, 1, 1), [out, structure, 77])
    assert bench.download(out, np.uint32, 5).tolist() == [3, 4, 2, 1, 77]


@pytest.mark.parametrize("space", ["global", "shared"])
@pytest.mark.parametrize(
    ("op", "start", "expected"),
    [
        ("add.u32", 5, 5 + sum(range(64))),
        ("min.s32", 7, 0),
        ("max.u32", 7, 63),
        ("or.b32", 0, 63),
        ("xor.b32", 9, 9),
        ("and.b32", 0xFF, 0),
        ("exch.b32", 1, 63),
        ("inc.u32", 0, 63),
    ],
)
def test_atomics(bench, space, op, start, expected):
    # inc wraps at its operand: with operand t it becomes 0 or t at each step, in order of thread: ends at 63.
    name = "[cell]" if space == "shared" else "[%q1]"
    data = bench.upload(np.uint32([start]))
    out = bench.upload(np.zeros(1, np.uint32))
    lines = (
        "mov.u32 %r0, %tid.x;\nsetp.eq.u32 %p1, %r0, 0;\n"
        f"@%p1 st.shared.b32 [cell], {start};\nbar.sync 0;\nred.{space}.{op} {name}, %r0;\nbar.sync 0;\n"
        f"ld.{space}.b32 %r1, {name};\n@%p1 st.global.b32 [%q0], %r1;"
    )
    text = bench.body(lines, parameters=2, before=".shared .align 4 .b8 cell[4];")
    bench.launch(text, (1, 1, 1), (64, 1, 1), [out, data])
    assert bench.download(out, np.uint32, 1).tolist() == [expected if op != "inc.u32" else _incremented(range(64))]


def _incremented(limits):
    value = 0
    for limit in limits:
        value = 0 if value >= limit else value + 1
    return value


def test_atomics_return_old_values_in_thread_order(bench):
    cell = bench.upload(np.uint32([100]))
    lines = "ld.param.u64 %l1, [a0];\nmov.b64 %l1, %q0;\nmov.u32 %r1, 1;\natom.shared.add.u32 %r63, [cell], %r1;"
    lines = f"setp.eq.u32 %p1, %r0, 0;\n@%p1 st.shared.b32 [cell], 100;\nbar.sync 0;\n{lines}"
    assert bench.words(lines, before=".shared .align 4 .b8 cell[4];").tolist() == [100 + t for t in range(32)]
    assert bench.download(cell, np.uint32, 1).tolist() == [100]


def test_compare_and_swap_and_float_sums(bench):
    cells = bench.upload(np.float32([0.5]))
    half = bench.upload(np.float16([1, 2]))
    lines = (
        "mov.u32 %r0, %tid.x;\ncvt.rn.f32.u32 %r1, %r0;\nred.global.add.f32 [%q0], %r1;\n"
        "mov.b32 %r2, 0x3C004000;\nred.global.add.noftz.f16x2 [%q1], %r2;\n"
    )
    bench.launch(bench.body(lines, parameters=2), (1, 1, 1), (32, 1, 1), [cells, half])
    assert bench.download(cells, np.float32, 1).tolist() == [496.5]
    assert bench.download(half, np.float16, 2).tolist() == [65, 34]
    lock = bench.upload(np.uint32([0]))
    lines = "mov.u32 %r0, %tid.x;\nadd.u32 %r1, %r0, 1;\natom.global.cas.b32 %r2, [%q0], %r0, %r1;"
    bench.launch(bench.body(lines), (1, 1, 1), (32, 1, 1), [lock])
    assert bench.download(lock, np.uint32, 1).tolist() == [32]


COPY = (
    "mul.lo.u32 %r1, %r0, 16;\nmov.u32 %r2, buf;\nadd.u32 %r2, %r2, %r1;\nmad.wide.u32 %l1, %r0, 16, %q0;\n"
    "cp.async.cg.shared.global [%r2], [%l1], 16{size};\ncp.async.commit_group;\n"
)


def run_copy(bench, lines):
    data = np.arange(32 * 4, dtype=np.uint32)
    address = bench.upload(data)
    text = bench.body(
        f"mov.u32 %r0, %tid.x;\n{lines}\nst.global.b32 [%l1], %r3;", before=".shared .align 16 .b8 buf[512];"
    )
    bench.launch(text, (1, 1, 1), (32, 1, 1), [address])
    return bench.download(address, np.uint32, (32, 4))[:, 0]


def test_asynchronous_copies_land_at_the_wait(bench):
    after = "cp.async.wait_group 0;\nbar.sync 0;\nxor.b32 %r4, %r2, 16;\nld.shared.b32 %r3, [%r4+4];"
    np.testing.assert_array_equal(run_copy(bench, COPY.format(size="") + after), [4 * (t ^ 1) + 1 for t in range(32)])
    with pytest.raises(EmulationFault, match="outstanding-load: read of shared memory that a copy writes"):
        run_copy(bench, COPY.format(size="") + "cp.async.wait_group 1;\nld.shared.b32 %r3, [%r2];")


def test_what_a_copy_touches_is_left_alone_until_its_wait(bench):
    """The source by the thread itself, with a barrier even: the copy reads at any time up to its wait."""
    wait = "cp.async.wait_group 0;\nld.shared.b32 %r3, [%r2];"
    with pytest.raises(EmulationFault, match="outstanding-load: write to shared memory that a copy writes"):
        run_copy(bench, COPY.format(size="") + f"st.shared.b32 [%r2], %r0;\n{wait}")
    with pytest.raises(EmulationFault, match="outstanding-load: write to shared memory that a copy writes"):
        run_copy(bench, COPY.format(size="") + COPY.format(size="") + wait)
    with pytest.raises(EmulationFault, match="outstanding-load: what a copy reads was written"):
        run_copy(bench, COPY.format(size="") + f"bar.sync 0;\nst.global.b32 [%l1], 77;\n{wait}")


def test_a_predicate_ignores_the_source(bench):
    """Nothing is read there, whatever the address is."""
    lines = "setp.ge.u32 %p1, %r0, 16;\n" + COPY.format(size=", %p1")
    lines += "cp.async.wait_all;\nld.shared.b32 %r3, [%r2+4];"
    np.testing.assert_array_equal(run_copy(bench, lines), [4 * t + 1 if t < 16 else 0 for t in range(32)])


def test_asynchronous_copies_fill_with_zeros(bench):
    lines = COPY.format(size=", 8") + "cp.async.wait_all;\nld.shared.v4.b32 {%r5, %r6, %r7, %r8}, [%r2];\n"
    lines += "add.u32 %r3, %r7, %r8;\nmad.lo.u32 %r3, %r3, 1000, %r6;"
    np.testing.assert_array_equal(run_copy(bench, lines), [4 * t + 1 for t in range(32)])


def test_barrier_objects_order_producer_and_consumer(bench):
    lines = (
        "setp.eq.u32 %p1, %r0, 0;\n@%p1 mbarrier.init.shared::cta.b64 [bar], 32;\n"
        "bar.sync 0;\nsetp.lt.u32 %p2, %r0, 32;\n@%p2 bra PRODUCE;\n"
        "WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 %p3, [bar], 0;\n@!%p3 bra WAIT;\n"
        "sub.u32 %r1, %r0, 32;\nshl.b32 %r1, %r1, 2;\nmov.u32 %r2, buf;\n"
        "add.u32 %r2, %r2, %r1;\nld.shared.b32 %r63, [%r2];\nbra DONE;\n"
        "PRODUCE:\nxor.b32 %r3, %r0, 31;\nshl.b32 %r4, %r3, 2;\nmov.u32 %r2, buf;\n"
        "add.u32 %r2, %r2, %r4;\nst.shared.b32 [%r2], %r0;\n"
        "mbarrier.arrive.shared::cta.b64 %l1, [bar];\nmov.u32 %r63, 0;\nDONE:"
    )
    found = bench.words(lines, block=64, before=".shared .align 16 .b8 buf[128];\n.shared .align 8 .b64 bar;")
    assert found.tolist() == [0] * 32 + [t ^ 31 for t in range(32)]


# ---- races in shared memory ------------------------------------------------------------------------------------


THREADS, WAVES = Crew(4, 2, 1), Crew(8, 4, 4)


def shared(crew=THREADS):
    return SharedMemory(1, 64, crew, granule=4)


def at(memory, operation, place, lane):
    getattr(memory, operation)(np.array([place]), np.array([lane]), 4)


def test_reads_of_one_word_by_many_are_fine():
    memory = shared()
    memory.on_write(np.array([0, 4]), np.array([0, 1]), 4)
    memory.synchronise()
    memory.on_read(np.array([0, 0, 4, 0]), np.arange(4), 4)
    memory.settle()


@pytest.mark.parametrize("first", ["on_read", "on_write", "on_atomic"])
@pytest.mark.parametrize("second", ["on_read", "on_write", "on_atomic"])
def test_pairs_of_accesses(first, second):
    allowed = first == second and first in ("on_read", "on_atomic")
    for other, synchronised in ((1, False), (0, False), (1, True)):
        memory = shared()
        memory.mark_written(np.array([0]), 8)
        at(memory, first, 0, 0)
        if synchronised:
            memory.synchronise()
        at(memory, second, 0, other)
        if allowed or synchronised or other == 0:
            memory.settle()
        else:
            with pytest.raises(Race):
                memory.settle()


def test_warp_barrier_orders_inside_the_warp_only():
    memory = shared()
    at(memory, "on_write", 0, 0)
    memory.synchronise_teams(np.array([True, False]))
    at(memory, "on_read", 0, 1)
    memory.settle()
    at(memory, "on_read", 0, 2)
    with pytest.raises(Race) as caught:
        memory.settle()
    assert (caught.value.first.thread, caught.value.second.thread) == (0, 2)


def test_owners_may_be_whole_waves():
    memory = shared(WAVES)
    at(memory, "on_write", 0, 0)
    at(memory, "on_read", 0, 3)
    memory.settle()
    at(memory, "on_read", 0, 4)
    with pytest.raises(Race):
        memory.settle()
