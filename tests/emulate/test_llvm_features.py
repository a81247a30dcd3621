"""Language that LLVM lowers in its own way: private arrays, jump tables, by-value structures, wide integers."""

from __future__ import annotations

import llvmlite.binding as llvm
import ml_dtypes
import numpy as np
import pytest

OUT = "ptr addrspace(1)"
HEAD = "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"


def compile_body(body: str, *, parameters: str = "", before: str = "", chip: str = "sm_90") -> str:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    text = (
        f'target triple = "nvptx64-nvidia-cuda"\n{HEAD}{before}\n'
        f"define ptx_kernel void @k({OUT} %out{parameters}) {{\nentry:\n"
        f"%t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n%w = zext i32 %t to i64\n{body}\nret void\n}}\n"
    )
    target = llvm.Target.from_triple("nvptx64-nvidia-cuda")
    machine = target.create_target_machine(cpu=chip, features="+ptx78", opt=3)
    module = llvm.parse_assembly(text)
    module.verify()
    module.data_layout = str(machine.target_data)
    return machine.emit_assembly(module)


def run(bench, text, dtype, values=()):
    out = bench.upload(np.zeros(64, dtype))
    bench.launch(text, (1, 1, 1), (64, 1, 1), [out, *values])
    return bench.download(out, dtype, 64)


def stored(kind: str) -> str:
    return f"%place = getelementptr {kind}, {OUT} %out, i64 %w\nstore {kind} %r, {OUT} %place"


def test_private_arrays(bench):
    body = (
        "%x = alloca [64 x i32]\n%p = getelementptr i32, ptr %x, i32 %t\n"
        "%seven = mul i32 %t, 7\nstore i32 %seven, ptr %p\n"
        f"%m = xor i32 %t, 0\n%q = getelementptr i32, ptr %x, i32 %m\n%r = load i32, ptr %q\n{stored('i32')}"
    )
    text = compile_body(body)
    assert "__local_depot" in text
    np.testing.assert_array_equal(run(bench, text, np.int32), 7 * np.arange(64))


def test_jump_tables(bench):
    cases = "".join(f"i32 {n}, label %c{n}\n" for n in range(6))
    arms = "".join(f"c{n}:\nbr label %join\n" for n in range(6))
    phi = ", ".join(f"[ {(n * n * 37) % 101}, %c{n} ]" for n in range(6))
    # Stores in the arms keep LLVM from turning the switch into a table of values.
    for n in range(6):
        own = f"%p{n} = getelementptr i32, {OUT} %out, i32 %t\nstore volatile i32 1, {OUT} %p{n}"
        arms = arms.replace(f"c{n}:\n", f"c{n}:\n{own}\n")
    body = (
        f"switch i32 %t, label %other [{cases}]\n{arms}other:\nbr label %join\njoin:\n"
        f"%r = phi i32 {phi}, [ 5, %other ]\n"
    )
    text = compile_body(body + stored("i32"))
    assert "brx.idx" in text
    expected = [(n * n * 37) % 101 if n < 6 else 5 for n in range(64)]
    np.testing.assert_array_equal(run(bench, text, np.int32), expected)


def test_structures_by_value(bench):
    body = f"%p = getelementptr i16, ptr %s, i64 %w\n%v = load i16, ptr %p\n%r = sext i16 %v to i32\n{stored('i32')}"
    text = compile_body(body, parameters=', ptr byval([128 x i8]) align 64 "nvvm.grid_constant" %s')
    values = np.arange(64, dtype=np.int16) * -3
    found = run(bench, text, np.int32, [int.from_bytes(values.tobytes(), "little")])
    np.testing.assert_array_equal(found, values)


def test_tables_and_pointers_in_memory(bench):
    before = (
        "@table = internal addrspace(4) constant [4 x i32] [i32 5, i32 6, i32 7, i32 8]\n"
        "@data = internal addrspace(1) global [4 x i32] [i32 10, i32 20, i32 30, i32 40]\n"
        f"@where = internal addrspace(1) global [2 x {OUT}] "
        f"[{OUT} @data, {OUT} getelementptr (i32, {OUT} @data, i32 2)]"
    )
    body = (
        "%k = and i32 %t, 3\n"
        "%a = getelementptr [4 x i32], ptr addrspace(4) @table, i32 0, i32 %k\n%b = load i32, ptr addrspace(4) %a\n"
        f"%j = and i32 %t, 1\n%c = getelementptr [2 x {OUT}], {OUT} @where, i32 0, i32 %j\n%d = load {OUT}, {OUT} %c\n"
        f"%e = load i32, {OUT} %d\n%r = add i32 %b, %e\n{stored('i32')}"
    )
    expected = [5 + (n & 3) + (30 if n & 1 else 10) for n in range(64)]
    np.testing.assert_array_equal(run(bench, compile_body(body, before=before), np.int32), expected)


@pytest.mark.parametrize("part", [0, 64])
def test_products_of_128_bits(bench, part):
    body = (
        "%m = mul i64 %w, -7046029254386353131\n%a = sext i64 %m to i128\n"
        "%b = mul i128 %a, 123456789123456789123456789\n"
        f"%c = add i128 %b, %a\n%d = lshr i128 %c, {part}\n%r = trunc i128 %d to i64\n{stored('i64')}"
    )
    expected = []
    for n in range(64):
        m = n * -7046029254386353131 % (1 << 64)
        m -= (m >> 63) << 64
        expected.append((m * 123456789123456789123456789 + m >> part) % (1 << 64))
    assert run(bench, compile_body(body), np.uint64).tolist() == expected


@pytest.mark.parametrize("chip", ["sm_80", "sm_90"])
def test_bfloat_arithmetic_rounds_once(bench, chip):
    body = (
        "%f = uitofp i32 %t to float\n%g = fmul float %f, 0.375\n"
        "%h = fptrunc float %g to bfloat\n%i = fmul bfloat %h, %h\n"
        f"%j = fadd bfloat %i, 1.0\n%r = fpext bfloat %j to float\n{stored('float')}"
    )
    h = (np.arange(64, dtype=np.float32) * np.float32(0.375)).astype(ml_dtypes.bfloat16)
    expected = (h * h + ml_dtypes.bfloat16(1)).astype(np.float32)
    np.testing.assert_array_equal(run(bench, compile_body(body, chip=chip), np.float32), expected)
