"""One LLVM instruction compiled twice: for this machine (run natively) and to PTX (run here); the bits must agree."""

from __future__ import annotations

import ctypes

import llvmlite.binding as llvm
import numpy as np
import pytest

COUNT = 192
SIZES = {"i8": 1, "i16": 2, "i32": 4, "i64": 8, "half": 2, "float": 4, "double": 8}
FLOATS = {"half": "f2", "float": "f4", "double": "f8"}
SUFFIX = {"half": "f16", "float": "f32", "double": "f64"}
GLOBAL = "ptr addrspace(1)"


def integer_cases():
    for t in ("i8", "i16", "i32", "i64"):
        for op in ("add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr", "udiv", "sdiv", "urem", "srem"):
            yield f"{op} {t}", t, t, f"%r = {op} {t} %a, %b", ""
        for f in ("smin", "smax", "umin", "umax", "uadd.sat", "ssub.sat"):
            yield (
                f"{f} {t}",
                t,
                t,
                f"%r = call {t} @llvm.{f}.{t}({t} %a, {t} %b)",
                f"declare {t} @llvm.{f}.{t}({t}, {t})",
            )
        for f in ("ctpop", "bitreverse"):
            yield f"{f} {t}", t, t, f"%r = call {t} @llvm.{f}.{t}({t} %a)", f"declare {t} @llvm.{f}.{t}({t})"
        for f in ("ctlz", "cttz", "abs"):
            call = f"%r = call {t} @llvm.{f}.{t}({t} %a, i1 false)"
            yield f"{f} {t}", t, t, call, f"declare {t} @llvm.{f}.{t}({t}, i1)"
        arguments = f"{t} %a, {t} %b, {t} %c"
        declared = f"declare {t} @llvm.fshl.{t}({t}, {t}, {t})"
        yield f"fshl {t}", t, t, f"%r = call {t} @llvm.fshl.{t}({arguments})", declared


def float_cases():
    for t, s in SUFFIX.items():
        for op in ("fadd", "fsub", "fmul", "fdiv"):
            yield f"{op} {t}", t, t, f"%r = {op} {t} %a, %b", ""
        for f in ("floor", "ceil", "trunc", "roundeven", "sqrt", "fabs"):
            yield f"{f} {t}", t, t, f"%r = call {t} @llvm.{f}.{s}({t} %a)", f"declare {t} @llvm.{f}.{s}({t})"
        for f in ("minimum", "maximum", "copysign"):
            call = f"%r = call {t} @llvm.{f}.{s}({t} %a, {t} %b)"
            yield f"{f} {t}", t, t, call, f"declare {t} @llvm.{f}.{s}({t}, {t})"
        for p in ("oeq", "une", "olt", "uge", "ord", "ueq", "one"):
            yield f"fcmp {p} {t}", t, t, f"%x = fcmp {p} {t} %a, %b\n%r = select i1 %x, {t} %a, {t} %c", ""


def conversion_cases():
    integers = ("i8", "i16", "i32", "i64")
    for a in integers:
        for b in integers:
            for op in ("zext", "sext") if SIZES[a] < SIZES[b] else ("trunc",) if a != b else ():
                yield f"{op} {a} {b}", a, b, f"%r = {op} {a} %a to {b}", ""
        for f in ("float", "double"):
            for op in ("sitofp", "uitofp"):
                yield f"{op} {a} {f}", a, f, f"%r = {op} {a} %a to {f}", ""
    for a, b in (("float", "double"), ("half", "float"), ("half", "double")):
        yield f"fpext {a} {b}", a, b, f"%r = fpext {a} %a to {b}", ""
    for a, b in (("double", "float"), ("float", "half")):
        yield f"fptrunc {a} {b}", a, b, f"%r = fptrunc {a} %a to {b}", ""


CASES = [*integer_cases(), *float_cases(), *conversion_cases()]


def operands(name: str, kind: str) -> list[np.ndarray]:
    """Three arrays of raw elements, restricted to where the instruction is defined."""
    rng = np.random.default_rng(5)
    out = []
    for _ in range(3):
        bits = rng.integers(0, 256, (COUNT, SIZES[kind]), dtype=np.uint8)
        if kind in FLOATS:
            tame = (rng.standard_normal(COUNT) * 2.0 ** rng.integers(-3, 8, COUNT)).astype(FLOATS[kind])
            values = np.where(rng.random(COUNT) < 0.4, bits.view(FLOATS[kind]).reshape(-1), tame)
            values[:6] = [0, -0.0, np.nan, np.inf, 1, -1.5]
            bits = values[rng.permutation(COUNT)].view(np.uint8).reshape(COUNT, -1)
        out.append(np.ascontiguousarray(bits))
    if "div" in name or "rem" in name:
        out[1][:, 0] |= 1 if kind not in FLOATS else 0
    if name.split()[0] in ("shl", "lshr", "ashr"):
        out[1][:] = 0
        out[1][:, 0] = rng.integers(0, 8 * SIZES[kind], COUNT)
    return out


def function(body: str, declared: str, source: str, out: str, *, ptx: bool) -> str:
    pointer = GLOBAL if ptx else "ptr"
    lines = [declared]
    signature = f"({', '.join(f'{pointer} %p{n}' for n in range(4))}{'' if ptx else ', i64 %w'})"
    if ptx:
        lines.append("declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()")
    lines.append(f"define {'ptx_kernel ' if ptx else ''}void @k{signature} {{")
    if ptx:
        lines += ["%t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()", "%w = zext i32 %t to i64"]
    for n, name in enumerate("abc"):
        lines.append(f"%q{n} = getelementptr {source}, {pointer} %p{n}, i64 %w")
        lines.append(f"%{name} = load {source}, {pointer} %q{n}")
    lines += [
        body,
        f"%q3 = getelementptr {out}, {pointer} %p3, i64 %w",
        f"store {out} %r, {pointer} %q3",
        "ret void",
        "}",
    ]
    return "\n".join(lines)


def natively(text: str, arrays: list[np.ndarray], size: int) -> np.ndarray:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_default_triple()
    features = llvm.get_host_cpu_features().flatten()
    machine = target.create_target_machine(cpu=llvm.get_host_cpu_name(), features=features, opt=2, jit=True)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(text), machine)
    engine.finalize_object()
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4, ctypes.c_int64)(engine.get_function_address("k"))
    out = np.zeros(COUNT * size, np.uint8)
    for n in range(COUNT):
        call(*(a.ctypes.data for a in arrays), out.ctypes.data, n)
    return out


def to_ptx(text: str) -> str:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple("nvptx64-nvidia-cuda")
    machine = target.create_target_machine(cpu="sm_90", features="+ptx78", opt=3)
    module = llvm.parse_assembly('target triple = "nvptx64-nvidia-cuda"\n' + text)
    module.data_layout = str(machine.target_data)
    return machine.emit_assembly(module)


@pytest.mark.parametrize(
    ("name", "source", "out", "body", "declared"), CASES, ids=[c[0].replace(" ", "-") for c in CASES]
)
def test_same_bits(bench, name, source, out, body, declared):
    if "half" in (source, out) and not llvm.get_host_cpu_features().get("f16c", False):
        pytest.skip("this processor has no half-precision conversions")
    arrays = operands(name, source)
    result = bench.upload(np.zeros(COUNT * SIZES[out], np.uint8))
    pointers = [*map(bench.upload, arrays), result]
    bench.launch(to_ptx(function(body, declared, source, out, ptx=True)), (1, 1, 1), (COUNT, 1, 1), pointers)
    found = bench.download(result, np.uint8, COUNT * SIZES[out])
    expected = natively(function(body, declared, source, out, ptx=False), arrays, SIZES[out])
    kind = FLOATS.get(out, f"u{SIZES[out]}")
    found, expected = found.view(kind), expected.view(kind)
    if out in FLOATS:
        np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
        number = ~np.isnan(found)
        found, expected = found[number].view(f"u{SIZES[out]}"), expected[number].view(f"u{SIZES[out]}")
    np.testing.assert_array_equal(found, expected)
