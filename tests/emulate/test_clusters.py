"""Workgroups in clusters: barriers, memory of each other, boxes for several, and what is wrong use of them."""

from __future__ import annotations

import numpy as np
import pytest
from lanewise.emulate.faults import EmulationFault
from lanewise.emulate.machine.settings import LaunchSettings
from lanewise.emulate.ptx import PtxModule
from lanewise.emulate.tensor_map import TensorMap

from .conftest import Bench

SHARED = ".shared .align 128 .b8 buf[1024];\n.shared .align 8 .b8 bar[16];"
MEET = "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;"
OTHER = "mov.u32 %r1, %cluster_ctarank;\nxor.b32 %r2, %r1, 1;\nmov.b64 %l1, buf;"
OWN_WORD = "mov.u32 %r0, %tid.x;\nmad.wide.u32 %l2, %r0, 4, %l1;"
THEIRS = "mapa.shared::cluster.u64 %l3, %l2, %r2;"


def clustered(bench: Bench, lines: str, cluster: str = "2", parameters: int = 1) -> str:
    text = bench.body(f"{SHARED}\n{lines}", parameters=parameters)
    return text.replace(")\n{", f")\n.explicitcluster\n.reqnctapercluster {cluster}\n{{", 1)


def run(bench: Bench, lines: str, *, blocks: int = 4, threads: int = 64, cluster: str = "2") -> np.ndarray:
    """Word %r63 of every thread."""
    store = (
        "mov.u32 %r60, %ctaid.x;\nmov.u32 %r61, %ntid.x;\nmov.u32 %r62, %tid.x;\n"
        "mad.lo.u32 %r60, %r60, %r61, %r62;\nmad.wide.u32 %l60, %r60, 4, %q0;\nst.global.b32 [%l60], %r63;"
    )
    out = bench.upload(np.zeros(threads * blocks, np.uint32))
    bench.launch(
        clustered(bench, f"mov.u32 %r63, 0;\n{lines}\n{store}", cluster), (blocks, 1, 1), (threads, 1, 1), [out]
    )
    return bench.download(out, np.uint32, (blocks, threads))


def exchange(*, before: str = MEET, between: str = MEET, after: str = MEET) -> str:
    """Each thread writes 100 * workgroup + thread, and reads what the other workgroup's has written."""
    return (
        f"{before}\n{OTHER}\n{OWN_WORD}\nmov.u32 %r3, %ctaid.x;\nmad.lo.u32 %r4, %r3, 100, %r0;\n"
        f"st.shared.b32 [%l2], %r4;\n{between}\n{THEIRS}\nld.shared::cluster.b32 %r63, [%l3];\n{after}"
    )


def test_workgroups_read_each_other(bench: Bench) -> None:
    found = run(bench, exchange())
    assert (found == 100 * (np.arange(4)[:, None] ^ 1) + np.arange(64)).all()


def test_the_barrier_may_be_in_two_parts_and_for_single_threads(bench: Bench) -> None:
    apart = "barrier.cluster.arrive.release;\nmov.u32 %r9, 1;\nbarrier.cluster.wait.acquire;"
    found = run(bench, exchange(between=apart))
    assert (found == 100 * (np.arange(4)[:, None] ^ 1) + np.arange(64)).all()


def test_ids(bench: Bench) -> None:
    parts = ["cluster_ctarank", "clusterid.x", "clusterid.y", "nclusterid.x", "cluster_nctaid.y", "cluster_ctaid.x"]
    body = "\n".join(
        f"mov.u32 %r{n + 1}, %{name};\nst.global.b32 [%l60+{4 * n}], %r{n + 1};" for n, name in enumerate(parts)
    )
    place = (
        "mov.u32 %r40, %ctaid.x;\nmov.u32 %r41, %ctaid.y;\nmad.lo.u32 %r42, %r41, 4, %r40;\n"
        f"mad.wide.u32 %l60, %r42, {4 * len(parts)}, %q0;\n"
    )
    out = bench.upload(np.zeros((4, 4, len(parts)), np.uint32))
    bench.launch(clustered(bench, place + body, "2, 4"), (4, 4, 1), (32, 1, 1), [out])
    found = bench.download(out, np.uint32, (4, 4, len(parts)))
    for y in range(4):
        for x in range(4):
            assert list(found[y, x]) == [x % 2 + 2 * y, x // 2, 0, 2, 4, x % 2]


FAULTS = {
    "no barrier before": (exchange(before="", between="bar.sync 0;"), "may not have begun"),
    "no barrier between": (exchange(between="bar.sync 0;"), "reads shared memory"),
    "no barrier after": (exchange(after=""), "the workgroup ends, and workgroup 1 of its cluster has not told"),
    "a relaxed arrival orders nothing": (
        exchange(between="barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;"),
        "reads shared memory",
    ),
    "a relaxed arrival is enough to begin with, not to end": (
        exchange(
            before="barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;",
            after="barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;",
        ),
        "the workgroup ends",
    ),
    "two arrivals": ("barrier.cluster.arrive;\nbarrier.cluster.arrive;", "arrives at the barrier of the cluster twice"),
    "no arrival": ("barrier.cluster.wait;", "has not arrived"),
    "a rank that is not there": (
        f"{MEET}\n{OTHER}\n{OWN_WORD}\nadd.u32 %r2, %r2, 2;\n{THEIRS}", "of a cluster of 2 workgroups",
    ),
    "half of the cluster": (
        "mov.u32 %r1, %cluster_ctarank;\nmov.u32 %r0, %tid.x;\nsetp.eq.u32 %p1, %r1, 0;\nsetp.gt.u32 %p2, %r0, 31;\n"
        "@%p1 bra MEETING;\n@%p2 bra MEETING;\nbar.sync 1, 64;\nMEETING:\n" + MEET,
        "192 threads wait at line .* for their cluster; 64 of 64 threads wait at barrier 1",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_wrong_use_is_a_fault(bench: Bench, name: str) -> None:
    lines, words = FAULTS[name]
    with pytest.raises(EmulationFault, match=words):
        run(bench, lines)


def test_a_grid_of_whole_clusters(bench: Bench) -> None:
    with pytest.raises(EmulationFault, match=r"whole clusters of \(2, 1, 1\) workgroups, found a grid of \(3, 1, 1\)"):
        run(bench, "mov.u32 %r63, 0;", blocks=3)


ARRIVALS = """
    mov.u32 %r0, %tid.x;
    setp.ne.u32 %p1, %r0, 0;
    mov.u32 %r8, 64;
    @!%p1 mbarrier.init.shared.b64 [bar], %r8;
    fence.mbarrier_init.release.cluster;
"""
WAIT = "AGAIN:\nmbarrier.try_wait.parity.acquire.cluster.shared.b64 %p3, [bar], 0;\n@!%p3 bra AGAIN;"


def test_arrivals_at_the_object_of_another_workgroup(bench: Bench) -> None:
    """Each thread writes into the other workgroup's memory, and arrives there: who waits may read."""
    lines = (
        f"{ARRIVALS}{MEET}\n{OTHER}\n{OWN_WORD}\n{THEIRS}\nmov.u32 %r3, %ctaid.x;\nmad.lo.u32 %r4, %r3, 100, %r0;\n"
        "mov.b64 %l5, bar;\nmapa.shared::cluster.u64 %l6, %l5, %r2;\nst.shared::cluster.b32 [%l3], %r4;\n"
        "mov.u32 %r7, 1;\nmbarrier.arrive.release.cluster.shared::cluster.b64 _, [%l6], %r7;\n"
        f"{WAIT}\nxor.b32 %r5, %r0, 1;\nmad.wide.u32 %l7, %r5, 4, %l1;\nld.shared.b32 %r63, [%l7];\n{MEET}"
    )
    found = run(bench, lines)
    assert (found == 100 * (np.arange(4)[:, None] ^ 1) + (np.arange(64) ^ 1)).all()
    with pytest.raises(EmulationFault, match="race"):
        run(bench, lines.replace(WAIT, ""))


def copied(bench: Bench, mask: int, *, corner: str = "%r1", between: str = MEET, wait: str = WAIT) -> np.ndarray:
    """Both workgroups expect two rows of 128 words, and copy one each for the workgroups of `mask`; all read a word."""
    source = np.arange(8 * 128, dtype=np.uint32).reshape(8, 128)
    tensor = TensorMap(bench.upload(source), 4, (8, 128), (1, 128), 0).encode()
    lines = f"""
        mov.u32 %r0, %tid.x;
        mov.u32 %r1, %cluster_ctarank;
        setp.ne.u32 %p1, %r0, 0;
        mov.u32 %r8, 1;
        @!%p1 mbarrier.init.shared.b64 [bar], %r8;
        fence.mbarrier_init.release.cluster;
        {between}
        @%p1 bra WAITING;
        mov.u32 %r9, 1024;
        mbarrier.arrive.expect_tx.shared.b64 %l9, [bar], %r9;
        mov.b64 %l1, buf;
        mad.wide.u32 %l2, %r1, 512, %l1;
        cvta.shared.u64 %l3, %l2;
        cvta.to.shared::cluster.u64 %l4, %l3;
        mov.b64 %l5, a1;
        cvta.param.u64 %l6, %l5;
        mov.u32 %r10, 0;
        mov.b16 %h1, {mask};
        cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster
            [%l4], [%l6, {{%r10, {corner}}}], [bar], %h1;
        WAITING:
        {wait}
        mov.b64 %l1, buf;
        mad.wide.u32 %l2, %r0, 4, %l1;
        ld.shared.b32 %r63, [%l2];
        mov.u32 %r60, %ctaid.x;
        mad.lo.u32 %r60, %r60, 256, %r0;
        mad.wide.u32 %l60, %r60, 4, %q0;
        st.global.b32 [%l60], %r63;
        {MEET}
    """
    text = clustered(bench, lines).replace(".param .u64 a0", ".param .u64 a0, .param .align 64 .b8 a1[128]")
    out = bench.upload(np.zeros((4, 256), np.uint32))
    arguments = out.to_bytes(8, "little").ljust(64, b"\0") + tensor
    (kernel,) = PtxModule.parse(text).kernels.values()
    bench.counters = kernel.launch(bench.memory, LaunchSettings((4, 1, 1), (256, 1, 1), arguments))
    return bench.download(out, np.uint32, (4, 256))


def test_boxes_for_several(bench: Bench) -> None:
    """Rows 0 and 1 of the tensor are read once for each cluster, and are in the memory of both of its workgroups."""
    assert (copied(bench, 3) == np.arange(256)).all()
    assert bench.counters.global_load_bytes == 2 * 2 * 512
    assert bench.counters.shared_store_bytes == 4 * 1024


MISUSE = {
    "nobody expects it yet": ({"mask": 3, "between": ""}, "may not have begun"),
    "a rank that is not there": ({"mask": 6}, "for the ranks 0x6, in a cluster of 2"),
    "nobody": ({"mask": 0}, "for the ranks 0x0"),
    "one alone leaves the other waiting": ({"mask": 1}, "deadlock"),
    "read before the wait": ({"mask": 3, "wait": ""}, "outstanding|race|has ended|uninitialised"),
}


@pytest.mark.parametrize("name", MISUSE)
def test_wrong_boxes_are_a_fault(bench: Bench, name: str) -> None:
    options, words = MISUSE[name]
    with pytest.raises(EmulationFault, match=words):
        copied(bench, **options)
