"""Remarks: what is said of right programs, where, and when nothing is said."""

from dataclasses import replace

import lanewise
import pytest
from lanewise.cli.remarks import RemarkPrinter
from lanewise.codegen.nvptx.pressure import register_pressure
from lanewise.codegen.remarks import text_remarks
from lanewise.ir.remarks import together
from lanewise.jit.facts import Facts
from lanewise.jit.kernel_file import decode, encode
from lanewise.support.diagnostics import Location, Source

from .conftest import ROOT

EXAMPLES = sorted((ROOT / "examples").glob("*.mlir"))
LOOP = """
#A = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32],
  element_tile = [4], subgroup_strides = [0], thread_strides = [1]>
#B = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [4], outer_tile = [1], thread_tile = [32],
  element_tile = [1], subgroup_strides = [0], thread_strides = [1]>
gpu.func @f(%x: memref<?x128xf32> {llvm.align = 16 : i64}, %y: memref<?x128xf32>, %n: index) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = arith.constant 0.0 : f32
  scf.for %i = %c0 to %n step %c1 {
    %a = vector.transfer_read %x[%i, %c0], %p {in_bounds = [true]} : memref<?x128xf32>, vector<128xf32>
    %b = iree_vector_ext.to_layout %a to layout(#A) : vector<128xf32>
    %c = iree_vector_ext.to_layout %b to layout(#B) : vector<128xf32>
    vector.transfer_write %c, %y[%i, %c0] {in_bounds = [true]} : vector<128xf32>, memref<?x128xf32>
  }
  gpu.return
}
"""
"""Element 4l+e is with lane l, then with lane (4l+e) % 32: three of four elements change lanes in each iteration."""
ADDS = """
gpu.func @f(%x: memref<1024xf32>, %y: memref<1024xf32>) kernel
    attributes {{gpu.known_block_size = array<i32: {threads}, 1, 1>, lanewise.scope = "thread"}} {{
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %a0 = vector.transfer_read %x[%c0], %p {{in_bounds = [true]}} : memref<1024xf32>, vector<{n}xf32>
  {body}
  vector.transfer_write %a{last}, %y[%c0] {{in_bounds = [true]}} : vector<{n}xf32>, memref<1024xf32>
  gpu.return
}}
"""


def adds(elements, times, threads=32):
    """Each of the thread's elements is doubled `times` times."""
    lines = (f"%a{i + 1} = arith.mulf %a{i}, %a{i} : vector<{elements}xf32>" for i in range(times))
    return ADDS.format(n=elements, body="\n  ".join(lines), last=times, threads=threads)


def kinds(kernel):
    return [remark.kind for remark in kernel.remarks]


SAID = {
    ("attention", "sm_90"): ["loop-reads"],
    ("matmul_tn_split_k", "sm_90"): ["loop-reads"],
}
"""Of which examples something is said: reads that depend on where the workgroup stands are not made ahead on NVIDIA's
chips."""


@pytest.mark.one_of(2)
@pytest.mark.turns("target")
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
@pytest.mark.parametrize("target", ["sm_90", "gfx942"])
def test_nothing_else_is_said_of_the_examples(path, target):
    assert sorted(set(kinds(lanewise.compile(path, target)))) == SAID.get((path.stem, target), [])


@pytest.mark.parametrize("target", ["sm_90", "gfx942"])
def test_a_conversion_in_a_loop_is_told_where_its_value_is_made(target):
    (remark,) = lanewise.compile(LOOP, target).remarks
    assert remark.kind == "loop-conversion"
    assert remark.location.source.line(remark.location.source.position(remark.location.offset)[0]).startswith(
        "    %a ="
    )
    assert "vector<128xf32>" in remark.message
    assert [text for text, _ in remark.notes] == ["for this use", "in this loop"]
    # Each lane receives its four elements one by one.
    assert "in every iteration of a loop by shuffles: 4 shuffles + " in remark.message
    assert remark.render().splitlines()[0].endswith(" a thread [loop-conversion]")


def test_a_way_through_shared_memory_is_told():
    program = LOOP.replace("%b to layout(#B)", "%b to layout(#B) {shared_memory_conversion}")
    (remark,) = lanewise.compile(program, "sm_90").remarks
    # Four neighbours are stored at once; they go to four accesses of 32 neighbours.
    assert "through shared memory: 1 stores + 4 loads + 2 barriers a thread" in remark.message


def test_renaming_in_a_loop_is_none():
    """Batches of one element and elements of one batch: the same elements in the same lanes."""
    apart = LOOP.replace("batch_tile = [1], outer_tile = [1], thread_tile = [32],\n  element_tile = [4]", "A")
    same = apart.replace("A, sub", "batch_tile = [1], outer_tile = [4], thread_tile = [32],\n  element_tile = [1], sub")
    assert same != LOOP
    assert kinds(lanewise.compile(same, "sm_90")) == []


def test_long_code_is_told():
    # 64 elements times 130 products are 8,320 instructions.
    assert kinds(lanewise.compile(adds(64, 130), "sm_90")) == ["code-size"]
    assert kinds(lanewise.compile(adds(64, 120), "sm_90")) == []


@pytest.mark.parametrize(("elements", "threads", "said"), [(512, 32, True), (256, 32, False), (256, 1024, True)])
def test_spills_are_expected_where_more_is_alive_than_there_is(elements, threads, said):
    """All elements are alive between two barriers; a thread has 255 registers, one of 1,024 threads has 64. An
    assembler that is installed counts what it spills itself (tests/codegen_tools/test_assemble.py)."""
    program = adds(elements, 1, threads).replace("vector.transfer_write", "gpu.barrier\n  vector.transfer_write")
    kernel = lanewise.compile(program, "sm_90")
    expected = text_remarks(kernel.ptx, kernel.compilation.kernel, "nvidia")
    assert [remark.kind for remark in expected] == ["spills"] * said


def test_spills_are_counted_on_amd():
    """512 elements are alive at the barrier; a thread of 1,024 has 192 vector registers, and scalar ones."""
    program = adds(512, 1, 1024).replace("vector.transfer_write", "gpu.barrier\n  vector.transfer_write")
    kernel = lanewise.compile(program, "gfx1100")
    assert kinds(kernel) == ["spills"]
    assert kernel.resources.sgpr_spills  # to lanes of vector registers, not to memory
    assert f"spills {kernel.resources.vgpr_spills} registers" in kernel.remarks[0].message


@pytest.mark.parametrize(("scratch", "said"), [(0, 0), (64, 0), (65, 1), (240, 176)])
def test_private_memory_is_told_where_it_is_no_buffer_of_the_program(scratch, said):
    """The program's own buffer has 15 words, and begins at a multiple of 16 bytes."""
    program = """
gpu.func @f(%x: memref<?xf32>) kernel
    attributes {gpu.known_block_size = array<i32: 64, 1, 1>, lanewise.scope = "thread"} {
  %own = memref.alloc() : memref<15xf32, #gpu.address_space<private>>
  %c0 = arith.constant 0 : index
  %v = memref.load %x[%c0] : memref<?xf32>
  memref.store %v, %own[%c0] : memref<15xf32, #gpu.address_space<private>>
  %w = memref.load %own[%c0] : memref<15xf32, #gpu.address_space<private>>
  memref.store %w, %x[%c0] : memref<?xf32>
  gpu.return
}
"""
    kernel = lanewise.compile(program, "gfx942").compilation.kernel
    found = list(text_remarks(f"    .private_segment_fixed_size: {scratch}\n    .vgpr_spill_count: 0\n", kernel, "amd"))
    assert [remark.kind for remark in found] == ["spills"] * bool(said)
    assert all(f"has {said} bytes" in remark.message for remark in found)


def test_remarks_are_in_program_order_and_data():
    kernel = lanewise.compile(LOOP, "sm_90")
    assert all(isinstance(remark, lanewise.Remark) for remark in kernel.remarks)
    assert kernel.remarks == kernel.remarks


def test_a_stage_that_was_edited_has_its_own_remarks():
    layout = lanewise.compile(LOOP, "sm_90").layout_ir
    assert kinds(lanewise.compile(layout)) == ["loop-conversion"]
    assert kinds(lanewise.compile(lanewise.compile(LOOP, "sm_90").thread_ir)) == []


def test_compile_prints_them(call, tmp_path):
    path = tmp_path / "loop.mlir"
    path.write_text(LOOP)
    assert "[loop-conversion]" in call("compile", str(path)).err
    assert "[loop-conversion]" in call("compile", str(path), "--emit", "layout").err
    assert "[loop-conversion]" in call("compile", str(path), "--dump-dir", str(tmp_path / "dump")).err
    assert call("compile", str(path), "--no-remarks").err == ""
    assert call("compile", str(path), "--emit", "vector").err == ""


def test_run_and_profile_print_them(call, tmp_path):
    path, saved = tmp_path / "loop.mlir", tmp_path / "loop.lw"
    path.write_text(f"// lanewise.args x = normal(3, 128), y = empty(3, 128), 3; grid = 1{LOOP}")
    assert call("compile", str(path), "--no-remarks", "-o", str(saved)).err == ""
    for command in (("run", path), ("profile", path), ("run", saved)):
        found = call(*command, "--device", "emulated") if command[0] == "run" else call(*command)
        assert found.code == 0 and found.err.count("[loop-conversion]") == 1
    assert call("run", saved, "--no-remarks", "--device", "emulated").err == ""


def test_what_is_said_of_some_variants_names_them():
    one, other = lanewise.Remark("both"), lanewise.Remark("one")
    found = together({"where A": (one, other, other), "where B": (one,)})
    assert [(r.message, r.variants) for r in found] == [("both", ()), ("one", ("where A",))]
    facts = Facts((16, 1, 4, 4, 16), near=True)
    assert facts.words(["x", "x.size0", "x.size1", "n", "y"]) == (
        "where 4 divides x.size1, n and 16 divides x, y and all buffers are near"
    )
    assert Facts().words(["x"]) == "for any arguments"


@pytest.mark.parametrize(
    ("sizes", "said"),
    [
        ({"N": 136, "K": 72}, []),
        ({"N": 136, "K": 70}, ["vector<128x32xf16>"]),  # rows of A
        ({"N": 134, "K": 70}, ["vector<128x32xf16>", "vector<32x128xf16>"]),
    ],
)
def test_rows_that_are_not_copied_asynchronously_are_told_of_their_launch(call, sizes, said):
    """Rows of A have 2 K bytes, rows of B 2 N: copies take multiples of 16."""
    example = str(ROOT / "examples" / "matmul_f16.mlir")
    given = [word for name, size in sizes.items() for word in ("--set", f"{name}={size}")]
    found = call("run", example, "--target", "sm_90a", "--device", "emulated", *given)
    told = [line for line in found.err.splitlines() if line.endswith("[arguments]")]
    assert [line.split("remark: ")[1].split(" ")[0] for line in told] == said
    assert all("proven to be multiples of 4 bytes, it takes 16" in line or "of 2 bytes" in line for line in told)
    assert found.err.count("remarks on the variant where ") == 1


def test_remarks_of_a_launch_are_not_those_of_the_general_variant(call):
    """Without `--aligned` nothing is known of the arguments, which is nothing to tell before a launch."""
    example = str(ROOT / "examples" / "matmul_f16.mlir")
    general = call("compile", example, "--target", "sm_90a", "--emit", "layout").err
    aligned = call("compile", example, "--target", "sm_90a", "--emit", "layout", "--aligned").err
    assert "[arguments]" not in general + aligned
    assert "remarks on the variant where " in aligned
    attention = call("compile", str(ROOT / "examples" / "attention.mlir"), "--target", "sm_90a", "--emit", "layout").err
    assert attention.count("remarks on the variant for any arguments:\n") == 1 < attention.count("remark:")


def test_a_single_variant_is_named_where_there_are_others():
    one = lanewise.Remark("one")
    assert [r.variants for r in together({"where A": (one,)})] == [()]
    assert [r.variants for r in together({"where A": (one,)}, are_all=False)] == [("where A",)]


def test_what_differs_between_variants_in_numbers_is_said_once():
    few, many = (
        lanewise.Remark("spills 12 registers", kind="spills"),
        lanewise.Remark("spills 90 registers", kind="spills"),
    )
    (found,) = together({"where A": (few,), "where B": (many,)})
    assert found.message == "spills 12 registers"
    assert found.variants == ("where A",)
    assert [text for text, _ in found.notes] == ["in the variant where B: spills 90 registers"]
    apart = together({"where A": (few, many), "where B": (few,)})  # two of one variant are two
    assert [r.message for r in apart] == ["spills 12 registers", "spills 90 registers"]


def test_what_remarks_have_in_common_is_printed_once(capsys):
    source = Source("%a = loop\n%b = use")
    loop, use = Location(source, 5), Location(source, 15)
    first = lanewise.Remark("first", use, (("in this loop", loop),), "an anchor helps", variants=("where A",))
    printer = RemarkPrinter()
    printer.print([first, replace(first, message="second")])
    printer.print([lanewise.Remark("third", hint="an anchor helps")])
    assert capsys.readouterr().err.splitlines() == [
        "remarks on the variant where A:",
        "<string>:2:6: remark: first [code-size]",
        "  %b = use",
        "       ^",
        "<string>:1:6: note: in this loop",
        "  %a = loop",
        "       ^",
        "hint: an anchor helps",
        "<string>:2:6: remark: second [code-size]",
        "  %b = use",
        "       ^",
        "<string>:1:6: note: in this loop",
        "remarks on all variants:",
        "remark: third [code-size]",
    ]


@pytest.mark.parametrize("program", [True, False])
def test_a_compiled_kernel_has_them(program):
    kernel = lanewise.compile(LOOP, "gfx942")
    read = decode(kernel.to_bytes(program=program), "loop.lw")
    assert [r.render() for r in lanewise.LoadedKernel(read).remarks] == [r.render() for r in kernel.remarks]
    assert encode(read) == kernel.to_bytes(program=program)


UNUSED = """gpu.func @f(%x: memref<64xf32>, %y: memref<64xf32>, %n: index) kernel
    attributes {gpu.known_block_size = array<i32: 32, 1, 1>} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %none = arith.constant dense<0.0> : vector<64xf32>
  %spare = arith.muli %n, %c8 : index
  %p = arith.constant 0.0 : f32
  %v = vector.transfer_read %x[%c0], %p {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %r:2 = scf.for %i = %c0 to %n step %c8 iter_args(%kept = %v, %sum = %v) -> (vector<64xf32>, vector<64xf32>) {
    %a = arith.negf %kept : vector<64xf32>
    %b = arith.addf %sum, %v : vector<64xf32>
    scf.yield %a, %b : vector<64xf32>, vector<64xf32>
  }
  %m = vector.transfer_read %x[%c8], %p {in_bounds = [true]} : memref<64xf32>, vector<8xf32>
  %t = math.exp %m : vector<8xf32>
  %s, %last = vector.scan <add>, %v, %p {inclusive = true, reduction_dim = 0 : i64} : vector<64xf32>, f32
  vector.transfer_write %r#0, %y[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  gpu.return
}"""
"""Nobody uses the sum of the loop, `math.exp` and the scan."""


@pytest.mark.parametrize("target", ["sm_90", "gfx942"])
def test_what_nobody_uses_is_told_where_it_ends(target):
    """Not constants and numbers, nor what `math.exp` is computed from."""
    told = [
        (r.location.source.position(r.location.offset)[0], r.kind) for r in lanewise.compile(UNUSED, target).remarks
    ]
    assert told == [(9, "unused"), (15, "unused"), (16, "unused")]


def test_a_dead_carried_value_is_told_by_its_name():
    carried, exp, _ = lanewise.compile(UNUSED, "sm_90").remarks
    assert carried.message.startswith("'scf.for' op hands on %sum, a vector<64xf32> that nobody uses")
    assert exp.message.startswith("'math.exp' op is not computed")


def test_of_an_operation_with_two_results_of_which_one_is_used_nothing_is_told():
    """The scan's last sums are a part of its own, which nobody uses where it is expanded."""
    lines = [line for line in UNUSED.splitlines() if "%t =" not in line and "%m =" not in line]
    start, end = (next(i for i, line in enumerate(lines) if word in line) for word in ("scf.for", "  }"))
    used = "\n".join([*lines[:start], *lines[end + 1 :]]).replace("write %r#0", "write %s")
    assert kinds(lanewise.compile(used, "sm_90")) == []


# The estimate of registers, of texts whose registers can be counted by eye

TEXT = """
.visible .entry f()
{{
	mov.b32 	%r90, 7;
{}
	ret;
}}
"""


@pytest.mark.parametrize(
    ("body", "registers"),
    [
        # r1 and r2 are alive together; the constant r90 is none; what nobody reads is none.
        ("add.s32 %r1, %r5, %r90;\nadd.s32 %r2, %r1, %r1;\nst.global.b32 [%r1], %r2;", 2),
        # An address takes two registers, a half one half.
        ("add.s64 %rd1, %rd2, %rd3;\nst.global.b32 [%rd1], %r1;", 5),
        # Four loaded words wait for the barrier, and the address with them until then.
        (
            "ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%rd1];\nbar.sync 0;\n"
            "st.global.v4.b32 [%rd1], {%r1, %r2, %r3, %r4};",
            6,
        ),
        # Two loads that may be late do not overlap: one word and the address at a time.
        (
            "ld.global.nc.b32 %r1, [%rd1];\nld.global.nc.b32 %r2, [%rd1+4];\n"
            "st.global.b32 [%rd1], %r1;\nst.global.b32 [%rd1+4], %r2;",
            3,
        ),
        # r3 is read in the loop, so it stays alive through all of it.
        ("$L1:\nadd.s32 %r1, %r2, %r3;\nadd.s32 %r4, %r1, %r5;\nsetp.lt.s32 %p1, %r4, %r2;\n@%p1 bra $L1;", 4),
        # A guarded write keeps what was there where the guard is false.
        ("mov.b32 %r1, 0;\n@%p1 ld.global.nc.b32 %r1, [%rd1];\nst.global.b32 [%rd1], %r1;", 3),
    ],
)
def test_registers_alive_at_once(body, registers):
    assert register_pressure(TEXT.format(body)) == registers
