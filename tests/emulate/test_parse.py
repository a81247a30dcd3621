"""What the parser accepts beyond plain statements: scopes, debug directives, declarations; and what a module tells."""

from __future__ import annotations

import numpy as np
from lanewise.emulate.ptx import PtxModule


def test_scopes_of_inline_assembly_keep_their_names_apart(bench):
    lines = (
        "// begin inline asm\n{\n\t.reg .pred p;\n\t.reg .b32 t, u;\n"
        "\tmov.b32 t, 5; add.u32 u, t, %r0;\n\tsetp.gt.u32 p, u, 20;\n"
        "\t@p bra DONE;\n\tmov.b32 u, 0;\nDONE:\n\tmov.b32 %r1, u;\n}\n// end inline asm\n"
        "{ .reg .b32 t; { .reg .b32 t; mov.b32 t, 100; mov.b32 %r2, t; } mov.b32 t, 1; add.u32 %r2, %r2, t;\n"
        "setp.lt.u32 %p1, %r0, 3; @%p1 bra DONE; add.u32 %r2, %r2, 1000; DONE: }\nadd.u32 %r63, %r1, %r2;"
    )
    expected = [(t + 5 if t + 5 > 20 else 0) + 101 + (1000 if t >= 3 else 0) for t in range(32)]
    assert bench.words(lines).tolist() == expected


def test_statements_may_span_lines_and_share_them(bench):
    assert bench.words("add.u32\n  %r63,\n  %r0, /* two */ 2; add.u32 %r63, %r63, 1; // three").tolist() == [
        t + 3 for t in range(32)
    ]


def test_debug_directives_are_skipped():
    text = (
        "//\n.version 7.0\n.target sm_80, debug\n.address_size 64\n.visible .entry k(\n"
        "\t.param .u64 .ptr .global .align 1 k_param_0,\n"
        "\t.param .align 16 .b8 k_param_1[48],\n\t.param .u8 k_param_2\n)\n"
        ".maxntid 128, 2, 1\n.minnctapersm 2\n.maxnreg 64\n{\n"
        ".loc 1 3 5\n\t.reg .b32 %r<3>;\n$L__func_begin0:\n\t.loc\t1 4 0, function_name $L__info, inlined_at 1 2 3\n"
        '\t.pragma "nounroll";\n\tmov.b32 %r1, 0;\n\tret;\n$L__func_end0:\n}\n\t.file\t1 "/a/b.mlir"\n'
        "\t.section\t.debug_abbrev\n\t{\n.b8 1 // code\n.b8 17;\n\t}\n\t.section\t.debug_loc\t{\t}\n"
    )
    module = PtxModule.parse(text)
    kernel = module.kernels["k"]
    assert (module.version, module.target) == ("7.0", "sm_80")
    assert [(p.offset, p.size, p.alignment) for p in kernel.parameters] == [(0, 8, 8), (16, 48, 16), (64, 1, 1)]
    assert (kernel.parameter_bytes, kernel.max_threads, kernel.required_block) == (65, 256, None)


def test_several_kernels_share_a_module(bench):
    first = bench.body(
        "mov.u32 %r0, buf;\nst.shared.b32 [%r0], 1;", before=".shared .align 16 .b8 buf[40];", name="first"
    )
    second = bench.body("mov.u32 %r0, 1;", name="second").split("64\n", 1)[1]
    kernels = PtxModule.parse(first + second).kernels
    assert list(kernels) == ["first", "second"]
    assert [k.static_shared_bytes for k in kernels.values()] == [40, 0]


def test_dynamic_shared_memory_follows_the_static(bench):
    before = ".extern .shared .align 1024 .b8 dynamic[];\n.shared .align 4 .b8 fixed[12];"
    lines = (
        "mov.u32 %r1, dynamic;\nmov.u32 %r2, fixed;\nsetp.ne.u32 %p1, %r0, 0;\n"
        "@%p1 bra DONE;\nst.shared.b32 [%r2+8], 3;\n"
        "st.shared.b32 [%r1+60], 4;\nDONE:\nmad.lo.u32 %r63, %r1, 10, %r2;"
    )
    found = bench.words(lines, before=before, dynamic_shared_bytes=64)
    assert set(found.tolist()) == {10240}


def test_counters_count_as_hardware_does(bench):
    data = bench.upload(np.zeros(32 * 32, np.uint32))
    coalesced = "mad.wide.u32 %l1, %r0, 4, %q0;"
    strided = "mad.wide.u32 %l1, %r0, 128, %q0;"
    for address, sectors in ((coalesced, 4), (strided, 32)):
        text = bench.body(f"mov.u32 %r0, %tid.x;\n{address}\nld.global.b32 %r1, [%l1];")
        counters = bench.launch(text, (1, 1, 1), (32, 1, 1), [data])
        assert (counters.global_sectors, counters.global_load_bytes) == (sectors, 128)
        assert (counters.warp_instructions, counters.instructions) == (5, 160)
    before = ".shared .align 16 .b8 buf[4096];"
    for stride, size, conflicts in ((4, 1, 0), (8, 1, 1), (128, 1, 31), (16, 4, 0), (32, 4, 4), (132, 1, 0)):
        extent = 31 * stride + 4 * size
        registers = "%r0" if size == 1 else "{%r0, %r0, %r0, %r0}"
        kind = "b32" if size == 1 else "v4.b32"
        lines = (
            f"mov.u32 %r0, %tid.x;\nmov.u32 %r1, buf;\nmad.lo.u32 %r2, %r0, {stride}, %r1;\n"
            f"st.shared.{kind} [%r2], {registers};"
        )
        text = bench.body(lines, before=before.replace("4096", str(max(extent, 4096))))
        assert bench.launch(text, (1, 1, 1), (32, 1, 1), [data]).shared_bank_conflicts == conflicts


def test_divergence_is_counted_per_warp(bench):
    lines = "mov.u32 %r63, 0;\nsetp.lt.u32 %p1, %r0, {};\n@%p1 bra DONE;\nmov.u32 %r63, 1;\nDONE:"
    bench.words(lines.format(16), block=128)
    assert (bench.counters.branches, bench.counters.divergent_branches) == (4, 1)
    bench.words(lines.format(64), block=128)
    assert bench.counters.divergent_branches == 0


def test_large_grids_run_in_batches(bench):
    found = bench.words("mov.u32 %r1, %ctaid.x;\nmad.lo.u32 %r63, %r1, 3, %r0;", block=100, blocks=700)
    number = np.arange(70000)
    np.testing.assert_array_equal(found, number // 100 * 3 + number % 100)
