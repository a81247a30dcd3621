"""Whole kernels: LLVM IR written here, compiled by LLVM's NVPTX back end, run on the emulator, compared with numpy."""

from __future__ import annotations

import re

import llvmlite.binding as llvm
import numpy as np
import pytest
from lanewise.emulate.faults import EmulationFault
from lanewise.emulate.ptx import PtxModule

CHIPS = {"sm_80": "+ptx70", "sm_90": "+ptx78"}
GLOBAL = "ptr addrspace(1)"


@pytest.fixture(scope="session")
def compiled():
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    cache: dict[tuple[str, str], str] = {}

    def compile_text(text: str, chip: str) -> str:
        if (text, chip) not in cache:
            target = llvm.Target.from_triple("nvptx64-nvidia-cuda")
            machine = target.create_target_machine(cpu=chip, features=CHIPS[chip], opt=3)
            module = llvm.parse_assembly('target triple = "nvptx64-nvidia-cuda"\n' + text)
            module.verify()
            module.data_layout = str(machine.target_data)
            options = llvm.create_pipeline_tuning_options(speed_level=1)
            options.slp_vectorization = options.loop_vectorization = False
            passes = llvm.create_pass_builder(machine, options)
            passes.getModulePassManager().run(module, passes)
            cache[text, chip] = machine.emit_assembly(module)
        return cache[text, chip]

    return compile_text


VECADD = f"""
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
define ptx_kernel void @k({GLOBAL} %a, {GLOBAL} %b, {GLOBAL} %c, i32 %n) {{
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %base = mul i32 %g, 128
  %i = add i32 %base, %t
  %ok = icmp slt i32 %i, %n
  br i1 %ok, label %body, label %end
body:
  %w = sext i32 %i to i64
  %pa = getelementptr float, {GLOBAL} %a, i64 %w
  %pb = getelementptr float, {GLOBAL} %b, i64 %w
  %pc = getelementptr float, {GLOBAL} %c, i64 %w
  %x = load float, {GLOBAL} %pa
  %y = load float, {GLOBAL} %pb
  %s = fadd float %x, %y
  store float %s, {GLOBAL} %pc
  br label %end
end:
  ret void
}}
"""


def butterfly(op: str, value: str, tag: str) -> tuple[str, str]:
    """Lines that combine `value` over the warp, and the name of the result."""
    lines = []
    for mask in (16, 8, 4, 2, 1):
        moved, joined = f"%{tag}m{mask}", f"%{tag}j{mask}"
        lines.append(f"  {moved} = call float @llvm.nvvm.shfl.sync.bfly.f32(i32 -1, float {value}, i32 {mask}, i32 31)")
        combine = (
            f"fadd float {value}, {moved}"
            if op == "add"
            else f"call float @llvm.maxnum.f32(float {value}, float {moved})"
        )
        lines.append(f"  {joined} = {combine}")
        value = joined
    return "\n".join(lines), value


MAX_LINES, MAX_NAME = butterfly("max", "%pa", "p")
SUM_LINES, SUM_NAME = butterfly("add", "%qa", "q")


def exponential(tag: str) -> str:
    """%{tag}v = exp(%{tag}x - maximum)."""
    return (
        f"  %{tag}d = fsub float %{tag}x, {MAX_NAME}\n  %{tag}l = fmul float %{tag}d, 0x3FF7154760000000\n"
        f"  %{tag}v = call float @llvm.nvvm.ex2.approx.f(float %{tag}l)\n"
    )


def strided_loop(tag: str, before: str, start: str | None, body: str) -> str:
    """for (i = lane; i < n; i += 32) over a row; `body` sees %{tag}x and defines %{tag}n if something is summed."""
    carry = f"  %{tag}a = phi float [ {start}, %{before} ], [ %{tag}n, %{tag}b ]\n" if start else ""
    return (
        f"  br label %{tag}h\n{tag}h:\n  %{tag}i = phi i32 [ %lane, %{before} ], [ %{tag}in, %{tag}b ]\n{carry}"
        f"  %{tag}c = icmp slt i32 %{tag}i, %n\n  br i1 %{tag}c, label %{tag}b, label %{tag}e\n{tag}b:\n"
        f"  %{tag}g = getelementptr float, {GLOBAL} %x, i32 %{tag}i\n  %{tag}x = load float, {GLOBAL} %{tag}g\n{body}\n"
        f"  %{tag}in = add i32 %{tag}i, 32\n  br label %{tag}h\n{tag}e:\n"
    )


FIND_MAX = strided_loop("p", "go", "0xFFF0000000000000", "  %pn = call float @llvm.maxnum.f32(float %pa, float %px)")
FIND_SUM = strided_loop("q", "pe", "0.0", exponential("q") + "  %qn = fadd float %qa, %qv")
SCALE = strided_loop(
    "r",
    "qe",
    None,
    exponential("r")
    + "  %rs = fmul float %rv, %scale\n"
    + f"  %ro = getelementptr float, {GLOBAL} %y, i32 %ri\n  store float %rs, {GLOBAL} %ro",
)

SOFTMAX = f"""
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare float @llvm.nvvm.shfl.sync.bfly.f32(i32, float, i32, i32)
declare float @llvm.maxnum.f32(float, float)
declare float @llvm.nvvm.ex2.approx.f(float)
define ptx_kernel void @k({GLOBAL} %xs, {GLOBAL} %ys, i32 %m, i32 %n) {{
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %lane = and i32 %t, 31
  %w = lshr i32 %t, 5
  %g4 = mul i32 %g, 4
  %row = add i32 %g4, %w
  %ok = icmp slt i32 %row, %m
  br i1 %ok, label %go, label %end
go:
  %o = mul i32 %row, %n
  %o64 = sext i32 %o to i64
  %x = getelementptr float, {GLOBAL} %xs, i64 %o64
  %y = getelementptr float, {GLOBAL} %ys, i64 %o64
{FIND_MAX}
{MAX_LINES}
{FIND_SUM}
{SUM_LINES}
  %scale = fdiv float 1.0, {SUM_NAME}
{SCALE}
  br label %end
end:
  ret void
}}
"""


def reduction() -> str:
    steps = []
    for stride in (64, 32, 16, 8, 4, 2, 1):
        steps.append(
            f"  %c{stride} = icmp ult i32 %t, {stride}\n"
            f"  br i1 %c{stride}, label %r{stride}, label %s{stride}\nr{stride}:\n"
            f"  %o{stride} = add i32 %t, {stride}\n"
            f"  %q{stride} = getelementptr float, ptr addrspace(3) @sm, i32 %o{stride}\n"
            f"  %u{stride} = load float, ptr addrspace(3) %q{stride}\n  %v{stride} = load float, ptr addrspace(3) %p\n"
            f"  %w{stride} = fadd float %v{stride}, %u{stride}\n"
            f"  store float %w{stride}, ptr addrspace(3) %p\n  br label %s{stride}\n"
            f"s{stride}:\n  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n"
        )
    return f"""
@sm = internal addrspace(3) global [128 x float] undef, align 16
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
define ptx_kernel void @k({GLOBAL} %x, {GLOBAL} %out, i32 %n) {{
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %g = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %base = mul i32 %g, 128
  %i0 = add i32 %base, %t
  br label %h
h:
  %i = phi i32 [ %i0, %entry ], [ %in, %b ]
  %a = phi float [ 0.0, %entry ], [ %an, %b ]
  %c = icmp slt i32 %i, %n
  br i1 %c, label %b, label %entry2
b:
  %i64 = sext i32 %i to i64
  %gp = getelementptr float, {GLOBAL} %x, i64 %i64
  %l = load float, {GLOBAL} %gp
  %an = fadd float %a, %l
  %in = add i32 %i, 384
  br label %h
entry2:
  %p = getelementptr float, ptr addrspace(3) @sm, i32 %t
  store float %a, ptr addrspace(3) %p
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
{"".join(steps)}
  %first = icmp eq i32 %t, 0
  br i1 %first, label %w, label %done
w:
  %r = load float, ptr addrspace(3) @sm
  %old = atomicrmw fadd {GLOBAL} %out, float %r monotonic
  br label %done
done:
  ret void
}}
"""


def transpose() -> str:
    load, store = [], []
    before = "entry"
    for j in range(4):
        load.append(
            f"  %r{j} = add i32 %by_ty, {8 * j}\n  %a{j} = icmp slt i32 %r{j}, %m\n"
            f"  %ok{j} = and i1 %a{j}, %cin\n  br i1 %ok{j}, label %l{j}, label %m{j}\n"
            f"l{j}:\n  %f{j} = mul i32 %r{j}, %n\n  %h{j} = add i32 %f{j}, %col\n  %i{j} = sext i32 %h{j} to i64\n"
            f"  %p{j} = getelementptr float, {GLOBAL} %x, i64 %i{j}\n"
            f"  %v{j} = load float, {GLOBAL} %p{j}\n  br label %m{j}\n"
            f"m{j}:\n  %z{j} = phi float [ 0.0, %{before} ], [ %v{j}, %l{j} ]\n"
            f"  %y{j}r = add i32 %ty, {8 * j}\n  %k{j} = mul i32 %y{j}r, 33\n"
            f"  %s{j} = add i32 %k{j}, %tx\n"
            f"  %q{j} = getelementptr float, ptr addrspace(3) @tile, i32 %s{j}\n"
            f"  store float %z{j}, ptr addrspace(3) %q{j}\n"
        )
        before = f"m{j}"
        store.append(
            f"  %R{j} = add i32 %bx_ty, {8 * j}\n  %A{j} = icmp slt i32 %R{j}, %n\n"
            f"  %OK{j} = and i1 %A{j}, %din\n  br i1 %OK{j}, label %u{j}, label %w{j}\n"
            f"u{j}:\n  %K{j} = mul i32 %tx, 33\n  %Y{j} = add i32 %ty, {8 * j}\n  %S{j} = add i32 %K{j}, %Y{j}\n"
            f"  %Q{j} = getelementptr float, ptr addrspace(3) @tile, i32 %S{j}\n"
            f"  %V{j} = load float, ptr addrspace(3) %Q{j}\n"
            f"  %F{j} = mul i32 %R{j}, %m\n  %H{j} = add i32 %F{j}, %dcol\n  %I{j} = sext i32 %H{j} to i64\n"
            f"  %P{j} = getelementptr float, {GLOBAL} %out, i64 %I{j}\n"
            f"  store float %V{j}, {GLOBAL} %P{j}\n  br label %w{j}\nw{j}:\n"
        )
    return f"""
@tile = internal addrspace(3) global [1056 x float] undef, align 16
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
define ptx_kernel void @k({GLOBAL} %x, {GLOBAL} %out, i32 %m, i32 %n) {{
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %gx = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %gy = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %tx = and i32 %t, 31
  %ty = lshr i32 %t, 5
  %bx = mul i32 %gx, 32
  %by = mul i32 %gy, 32
  %by_ty = add i32 %by, %ty
  %bx_ty = add i32 %bx, %ty
  %col = add i32 %bx, %tx
  %dcol = add i32 %by, %tx
  %cin = icmp slt i32 %col, %n
  %din = icmp slt i32 %dcol, %m
{"".join(load)}
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
{"".join(store)}
  ret void
}}
"""


class Builder:
    """Just enough of an IR builder for the tiled product."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.declared: dict[str, str] = {}

    def value(self, text: str) -> str:
        name = f"%v{len(self.lines)}"
        self.lines.append(f"  {name} = {text}")
        return name

    def call(self, result: str, name: str, *arguments: str) -> str:
        kinds = ", ".join(a.rsplit(" ", 1)[0] for a in arguments)
        self.declared[name] = f"declare {result} @{name}({kinds})"
        text = f"call {result} @{name}({', '.join(arguments)})"
        if result == "void":
            self.lines.append(f"  {text}")
            return ""
        return self.value(text)

    def add(self, a: str, b: object) -> str:
        return self.value(f"add i32 {a}, {b}")

    def mul(self, a: str, b: object) -> str:
        return self.value(f"mul i32 {a}, {b}")


def matmul(element: str, ldmatrix: bool) -> str:
    """C[m, n] = A[m, k] B[n, k]^T with tiles of 32x32x32 and two warps; sizes are multiples of the tile."""
    e = Builder()
    size, kind, total = (2, "half", "float") if element == "f16" else (1, "i8", "i32")
    depth, pitch, wide = (16, 40, 8) if element == "f16" else (32, 48, 16)
    per_register = 4 // size
    tid = e.call("i32", "llvm.nvvm.read.ptx.sreg.tid.x")
    row0 = e.mul(e.call("i32", "llvm.nvvm.read.ptx.sreg.ctaid.y"), 32)
    col0 = e.mul(e.call("i32", "llvm.nvvm.read.ptx.sreg.ctaid.x"), 32)
    lane, warp = e.value(f"and i32 {tid}, 31"), e.value(f"lshr i32 {tid}, 5")
    g, t = e.value(f"lshr i32 {lane}, 2"), e.value(f"and i32 {lane}, 3")
    e.lines.append("  br label %loop\nloop:\n  %k0 = phi i32 [ 0, %entry ], [ %knext, %loop ]")
    for j in range(4):
        for i in range(4):
            zero = "0.0" if total == "float" else "0"
            e.lines.append(f"  %acc{j}_{i} = phi {total} [ {zero}, %entry ], [ %new{j}_{i}, %loop ]")
    per_row = 32 // wide
    for shared, base, pointer in (("@sa", row0, "%a"), ("@sb", col0, "%b")):
        for step in range(32 * per_row // 64):
            chunk = e.add(tid, 64 * step)
            r, c = e.value(f"udiv i32 {chunk}, {per_row}"), e.mul(e.value(f"urem i32 {chunk}, {per_row}"), wide)
            at = e.value(f"sext i32 {e.add(e.add(e.mul(e.add(base, r), '%k'), c), '%k0')} to i64")
            source = e.value(f"getelementptr {kind}, {GLOBAL} {pointer}, i64 {at}")
            data = e.value(f"load <{wide} x {kind}>, {GLOBAL} {source}, align 16")
            place = e.value(f"getelementptr {kind}, ptr addrspace(3) {shared}, i32 {e.add(e.mul(r, pitch), c)}")
            e.lines.append(f"  store <{wide} x {kind}> {data}, ptr addrspace(3) {place}, align 16")
    e.call("void", "llvm.nvvm.barrier.cta.sync.aligned.all", "i32 0")

    def word(shared: str, row: str, column: str) -> str:
        place = e.value(f"getelementptr {kind}, ptr addrspace(3) {shared}, i32 {e.add(e.mul(row, pitch), column)}")
        return e.value(f"load i32, ptr addrspace(3) {place}, align 4")

    def matrices(shared: str, row: str, column: str, count: int) -> list[str]:
        place = e.value(f"getelementptr {kind}, ptr addrspace(3) {shared}, i32 {e.add(e.mul(row, pitch), column)}")
        result = "{ " + ", ".join(["i32"] * count) + " }"
        found = e.call(result, f"llvm.nvvm.ldmatrix.sync.aligned.m8n8.x{count}.b16.p3", f"ptr addrspace(3) {place}")
        return [e.value(f"extractvalue {result} {found}, {q}") for q in range(count)]

    current = {(j, i): f"%acc{j}_{i}" for j in range(4) for i in range(4)}
    half = depth // 2
    for k in range(0, 32, depth):
        top = e.mul(warp, 16)
        if ldmatrix:
            column = e.add(e.mul(e.value(f"lshr i32 {lane}, 4"), 8), k)
            a = matrices("@sa", e.add(top, e.value(f"and i32 {lane}, 15")), column, 4)
        else:
            column = e.add(e.mul(t, per_register), k)
            a = [word("@sa", e.add(e.add(top, g), dr), e.add(column, dc)) for dc in (0, half) for dr in (0, 8)]
        for j in range(4):
            if ldmatrix:
                column = e.add(e.mul(e.value(f"and i32 {e.value(f'lshr i32 {lane}, 3')}, 1"), 8), k)
                b = matrices("@sb", e.add(e.value(f"and i32 {lane}, 7"), 8 * j), column, 2)
            else:
                column = e.add(e.mul(t, per_register), k)
                b = [word("@sb", e.add(g, 8 * j), e.add(column, dc)) for dc in (0, half)]
            operands = [f"i32 {x}" for x in a + b]
            if element == "f16":
                operands = [f"<2 x half> {e.value(f'bitcast i32 {x} to <2 x half>')}" for x in a + b]
            name = "m16n8k16.row.col.f32.f32" if element == "f16" else "m16n8k32.row.col.s8"
            result = "{ " + ", ".join([total] * 4) + " }"
            d = e.call(result, f"llvm.nvvm.mma.{name}", *operands, *(f"{total} {current[j, i]}" for i in range(4)))
            for i in range(4):
                current[j, i] = e.value(f"extractvalue {result} {d}, {i}")
    e.call("void", "llvm.nvvm.barrier.cta.sync.aligned.all", "i32 0")
    same = "fadd float -0.0," if total == "float" else "add i32 0,"
    e.lines += [f"  %new{j}_{i} = {same} {current[j, i]}" for j in range(4) for i in range(4)]
    e.lines.append(
        "  %knext = add i32 %k0, 32\n  %more = icmp slt i32 %knext, %k\n  br i1 %more, label %loop, label %done\ndone:"
    )
    for j in range(4):
        for i in range(4):
            row = e.add(e.add(e.add(row0, e.mul(warp, 16)), g), 8 * (i >> 1))
            column = e.add(e.add(col0, 8 * j + (i & 1)), e.mul(t, 2))
            at = e.value(f"sext i32 {e.add(e.mul(row, '%n'), column)} to i64")
            place = e.value(f"getelementptr {total}, {GLOBAL} %c, i64 {at}")
            e.lines.append(f"  store {total} %new{j}_{i}, {GLOBAL} {place}")
    head = "".join(
        f"{s} = internal addrspace(3) global [{32 * pitch} x {kind}] undef, align 16\n" for s in ("@sa", "@sb")
    )
    declared = "\n".join(e.declared.values())
    signature = f"{GLOBAL} %a, {GLOBAL} %b, {GLOBAL} %c, i32 %m, i32 %n, i32 %k"
    return (
        f"{head}{declared}\ndefine ptx_kernel void @k({signature}) {{\nentry:\n"
        + "\n".join(e.lines)
        + "\n  ret void\n}\n"
    )


chips = pytest.mark.parametrize("chip", sorted(CHIPS))


@chips
@pytest.mark.parametrize("n", [1, 31, 128, 1000])
def test_vector_sum(bench, compiled, chip, n):
    a, b = np.arange(n, dtype=np.float32), np.full(n, 0.5, np.float32)
    c = bench.upload(np.zeros(n, np.float32))
    text = compiled(VECADD, chip)
    assert PtxModule.parse(text).target == chip
    bench.launch(text, (-(-n // 128), 1, 1), (128, 1, 1), [bench.upload(a), bench.upload(b), c, n])
    np.testing.assert_array_equal(bench.download(c, np.float32, n), a + b)


@chips
@pytest.mark.parametrize(("m", "n"), [(1, 1), (10, 77), (7, 32), (5, 130)])
def test_softmax(bench, compiled, chip, m, n):
    x = np.random.default_rng(0).standard_normal((m, n)).astype(np.float32)
    y = bench.upload(np.zeros((m, n), np.float32))
    bench.launch(compiled(SOFTMAX, chip), (-(-m // 4), 1, 1), (128, 1, 1), [bench.upload(x), y, m, n])
    e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    np.testing.assert_allclose(bench.download(y, np.float32, (m, n)), e / e.sum(1, keepdims=True), rtol=2e-6)


@chips
@pytest.mark.parametrize("n", [1, 100, 3001])
def test_reduction_through_shared_memory(bench, compiled, chip, n):
    x = np.random.default_rng(n).integers(-8, 9, n).astype(np.float32)
    out = bench.upload(np.zeros(1, np.float32))
    counters = bench.launch(compiled(reduction(), chip), (3, 1, 1), (128, 1, 1), [bench.upload(x), out, n])
    assert bench.download(out, np.float32, 1)[0] == x.sum()
    assert counters.barriers == 3 * 4 * 8


@chips
@pytest.mark.parametrize(("m", "n"), [(45, 70), (1, 33), (32, 32)])
def test_transpose(bench, compiled, chip, m, n):
    x = np.arange(m * n, dtype=np.float32).reshape(m, n)
    y = bench.upload(np.full((n, m), -1, np.float32))
    counters = bench.launch(
        compiled(transpose(), chip), (-(-n // 32), -(-m // 32), 1), (256, 1, 1), [bench.upload(x), y, m, n]
    )
    np.testing.assert_array_equal(bench.download(y, np.float32, (n, m)), x.T)
    assert counters.shared_bank_conflicts == 0


def product(bench, text, element, m, n, k):
    rng = np.random.default_rng(7)
    source, result = (np.float16, np.float32) if element == "f16" else (np.int8, np.int32)
    a, b = (rng.integers(-3, 4, shape).astype(source) for shape in ((m, k), (n, k)))
    c = bench.upload(np.zeros((m, n), result))
    bench.launch(text, (n // 32, m // 32, 1), (64, 1, 1), [bench.upload(a), bench.upload(b), c, m, n, k])
    return bench.download(c, result, (m, n)), a.astype(result) @ b.astype(result).T


@chips
@pytest.mark.parametrize(("element", "ldmatrix"), [("f16", False), ("f16", True), ("i8", False)])
def test_tiled_product(bench, compiled, chip, element, ldmatrix):
    found, expected = product(bench, compiled(matmul(element, ldmatrix), chip), element, 64, 96, 64)
    np.testing.assert_array_equal(found, expected)


# ---- mutants: a change that a compiler accepts must not go unseen ----------------------------------------------------


def test_dropped_barriers_are_caught(bench, compiled):
    text = compiled(matmul("f16", True), "sm_80")
    barriers = [m.start() for m in re.finditer(r"\t(?:bar\.sync|barrier\.sync)", text)]
    assert len(barriers) == 2
    for position in barriers:
        end = text.index(";", position) + 1
        with pytest.raises(EmulationFault, match=r"race|uninitialised"):
            product(bench, text[:position] + text[end:], "f16", 32, 32, 64)


@pytest.mark.parametrize(
    ("pattern", "replacement"),
    [
        (r"(ldmatrix\.sync\.aligned\.m8n8\.x4)", r"\1.trans"),
        (r"(mma\.sync[^{]*\{[^}]*\},\s*\{)(%r\d+), (%r\d+)", r"\1\3, \2"),
        (r"shl\.b32 (\s*%r\d+, %r\d+), 5;", r"shl.b32 \1, 4;"),
    ],
)
def test_wrong_code_gives_wrong_numbers_or_a_fault(bench, compiled, pattern, replacement):
    text = compiled(matmul("f16", True), "sm_80")
    mutant = re.sub(pattern, replacement, text, count=1)
    assert mutant != text
    try:
        found, expected = product(bench, mutant, "f16", 64, 64, 64)
    except EmulationFault:
        return
    assert (found != expected).any()
