"""LLVM IR of whole kernels, for any AMD chip: addition, softmax, reduction, transpose, matrix product."""

from __future__ import annotations

from .support import WAVE64, WORKITEM, attributes, wavefront

GLOBAL = "ptr addrspace(1)"
SHARED = "ptr addrspace(3)"
BARRIER = (
    'fence syncscope("workgroup") release\ncall void @llvm.amdgcn.s.barrier()\nfence syncscope("workgroup") acquire'
)
IDS = "%t = call i32 @llvm.amdgcn.workitem.id.x()\n%g = call i32 @llvm.amdgcn.workgroup.id.x()\n"


def kernel(parameters: str, body: str, threads: int, *, before: str = "") -> str:
    return (
        f"{before}\n{WORKITEM}declare i32 @llvm.amdgcn.workgroup.id.y()\ndeclare void @llvm.amdgcn.s.barrier()\n"
        f"define amdgpu_kernel void @k({parameters}) #0 {{\nentry:\n{IDS}{body}\nret void\n}}\n{attributes(threads)}"
    )


def at(name: str, element: str, pointer: str, index: str, space: str = GLOBAL) -> str:
    """%name = &pointer[index] for an i32 index, which may be negative."""
    return f"%{name}w = sext i32 {index} to i64\n%{name} = getelementptr {element}, {space} {pointer}, i64 %{name}w\n"


def addition() -> str:
    """c = a + b for n elements, 256 threads a group."""
    body = (
        "%base = mul i32 %g, 256\n%i = add i32 %base, %t\n%ok = icmp slt i32 %i, %n\n"
        "br i1 %ok, label %body, label %end\nbody:\n"
        + at("pa", "float", "%a", "%i")
        + at("pb", "float", "%b", "%i")
        + at("pc", "float", "%c", "%i")
        + f"%x = load float, {GLOBAL} %pa\n%y = load float, {GLOBAL} %pb\n%s = fadd float %x, %y\n"
        f"store float %s, {GLOBAL} %pc\nbr label %end\nend:"
    )
    return kernel(f"{GLOBAL} %a, {GLOBAL} %b, {GLOBAL} %c, i32 %n", body, 256)


def _butterfly(name: str, start: str, combine: str, lanes: int) -> tuple[str, str]:
    lines, value, step = [], start, lanes // 2
    while step:
        tag = f"{name}{step}"
        lines.append(
            f"%{tag}l = xor i32 %lane, {step}\n%{tag}a = shl i32 %{tag}l, 2\n%{tag}b = bitcast float {value} to i32\n"
            f"%{tag}c = call i32 @llvm.amdgcn.ds.bpermute(i32 %{tag}a, i32 %{tag}b)\n"
            f"%{tag}d = bitcast i32 %{tag}c to float\n%{tag}v = {combine.format(value, f'%{tag}d')}\n"
        )
        value, step = f"%{tag}v", step // 2
    return "".join(lines), value


def _row_loop(name: str, before: str, lanes: int, body: str, start: str = "") -> str:
    """for (i = lane; i < n; i += lanes): `body` sees %{name}x and, with `start`, turns %{name}s into %{name}n."""
    carried = f"%{name}s = phi float [ {start}, %{before} ], [ %{name}n, %{name}b ]\n" if start else ""
    return (
        f"br label %{name}h\n{name}h:\n%{name}i = phi i32 [ %lane, %{before} ], [ %{name}j, %{name}b ]\n{carried}"
        f"%{name}k = icmp slt i32 %{name}i, %n\nbr i1 %{name}k, label %{name}b, label %{name}e\n{name}b:\n"
        + at(f"{name}p", "float", "%x", f"%{name}i")
        + f"%{name}x = load float, {GLOBAL} %{name}p\n{body}\n%{name}j = add i32 %{name}i, {lanes}\n"
        f"br label %{name}h\n{name}e:\n"
    )


def _exponential(name: str, largest: str) -> str:
    return (
        f"%{name}d = fsub float %{name}x, {largest}\n%{name}m = fmul float %{name}d, 0x3FF7154760000000\n"
        f"%{name}v = call float @llvm.amdgcn.exp2.f32(float %{name}m)\n"
    )


def softmax(chip: str) -> str:
    """y = softmax of each row of x[m, n]; one wave a row, four waves a group."""
    lanes = wavefront(chip)
    largest, max_name = _butterfly("p", "%ps", "call float @llvm.maxnum.f32(float {}, float {})", lanes)
    total, sum_name = _butterfly("q", "%qs", "fadd float {}, {}", lanes)
    body = (
        f"%lane = and i32 %t, {lanes - 1}\n%wave = udiv i32 %t, {lanes}\n%four = mul i32 %g, 4\n"
        "%row = add i32 %four, %wave\n%ok = icmp slt i32 %row, %m\nbr i1 %ok, label %go, label %end\ngo:\n"
        "%first = mul i32 %row, %n\n"
        + at("x", "float", "%px", "%first")
        + at("y", "float", "%py", "%first")
        + _row_loop(
            "p", "go", lanes, "%pn = call float @llvm.maxnum.f32(float %ps, float %px)", "0xFFF0000000000000"
        ).replace("%px,", "%px,")
        + largest
        + _row_loop("q", "pe", lanes, _exponential("q", max_name) + "%qn = fadd float %qs, %qv", "0.0")
        + total
        + f"%scale = fdiv float 1.0, {sum_name}\n"
        + _row_loop(
            "r",
            "qe",
            lanes,
            _exponential("r", max_name)
            + "%ro = fmul float %rv, %scale\n"
            + at("rq", "float", "%y", "%ri")
            + f"store float %ro, {GLOBAL} %rq",
        )
        + "br label %end\nend:"
    )
    declared = (
        "declare i32 @llvm.amdgcn.ds.bpermute(i32, i32)\ndeclare float @llvm.amdgcn.exp2.f32(float)\n"
        "declare float @llvm.maxnum.f32(float, float)\n"
    )
    # the row pointers are called %x and %y, the parameters %source and %target
    body = body.replace(f"{GLOBAL} %px, i64 %xw", f"{GLOBAL} %source, i64 %xw")
    body = body.replace(f"{GLOBAL} %py, i64 %yw", f"{GLOBAL} %target, i64 %yw")
    return kernel(f"{GLOBAL} %source, {GLOBAL} %target, i32 %m, i32 %n", body, 4 * lanes, before=declared)


def reduction() -> str:
    """out += sum of n elements: 256 threads a group, 1024 in all, a tree in shared memory, one atomic a group."""
    body = (
        "%base = mul i32 %g, 256\n%i0 = add i32 %base, %t\nbr label %h\nh:\n"
        "%i = phi i32 [ %i0, %entry ], [ %j, %b ]\n%s = phi float [ 0.0, %entry ], [ %sn, %b ]\n"
        "%more = icmp slt i32 %i, %n\nbr i1 %more, label %b, label %e\nb:\n"
        + at("p", "float", "%x", "%i")
        + f"%v = load float, {GLOBAL} %p\n%sn = fadd float %s, %v\n%j = add i32 %i, 1024\nbr label %h\ne:\n"
        f"%own = getelementptr float, {SHARED} @sm, i32 %t\nstore float %s, {SHARED} %own\n{BARRIER}\n"
    )
    step = 128
    while step:
        body += (
            f"%c{step} = icmp ult i32 %t, {step}\nbr i1 %c{step}, label %r{step}, label %s{step}\nr{step}:\n"
            f"%o{step} = add i32 %t, {step}\n%q{step} = getelementptr float, {SHARED} @sm, i32 %o{step}\n"
            f"%a{step} = load float, {SHARED} %q{step}\n%b{step} = load float, {SHARED} %own\n"
            f"%d{step} = fadd float %a{step}, %b{step}\nstore float %d{step}, {SHARED} %own\nbr label %s{step}\n"
            f"s{step}:\n{BARRIER}\n"
        )
        step //= 2
    body += (
        "%first = icmp eq i32 %t, 0\nbr i1 %first, label %w, label %end\nw:\n"
        f"%total = load float, {SHARED} @sm\n"
        f'%old = atomicrmw fadd {GLOBAL} %out, float %total syncscope("agent") monotonic, '
        "!amdgpu.no.fine.grained.memory !0, !amdgpu.ignore.denormal.mode !0\nbr label %end\nend:"
    )
    before = "@sm = internal addrspace(3) global [256 x float] undef, align 16\n!0 = !{}\n"
    return kernel(f"{GLOBAL} %x, {GLOBAL} %out, i32 %n", body, 256, before=before)


def transposition() -> str:
    """y[n, m] = x[m, n] transposed through 32x33 tiles of shared memory, 256 threads a tile."""
    body = (
        "%h = call i32 @llvm.amdgcn.workgroup.id.y()\n%tx = and i32 %t, 31\n%ty = lshr i32 %t, 5\n"
        "%bx = mul i32 %g, 32\n%by = mul i32 %h, 32\n"
    )
    before = "entry"
    for part in range(4):
        tag, offset = f"l{part}", 8 * part
        body += (
            f"%{tag}y = add i32 %ty, {offset}\n%{tag}r = add i32 %by, %{tag}y\n%{tag}c = add i32 %bx, %tx\n"
            f"%{tag}a = icmp slt i32 %{tag}r, %m\n%{tag}b = icmp slt i32 %{tag}c, %n\n"
            f"%{tag}k = and i1 %{tag}a, %{tag}b\nbr i1 %{tag}k, label %{tag}go, label %{tag}on\n{tag}go:\n"
            f"%{tag}s = mul i32 %{tag}r, %n\n%{tag}i = add i32 %{tag}s, %{tag}c\n"
            + at(f"{tag}p", "float", "%x", f"%{tag}i")
            + f"%{tag}v = load float, {GLOBAL} %{tag}p\nbr label %{tag}on\n{tag}on:\n"
            f"%{tag}w = phi float [ 0.0, %{before} ], [ %{tag}v, %{tag}go ]\n%{tag}e = mul i32 %{tag}y, 33\n"
            f"%{tag}f = add i32 %{tag}e, %tx\n%{tag}q = getelementptr float, {SHARED} @tile, i32 %{tag}f\n"
            f"store float %{tag}w, {SHARED} %{tag}q\n"
        )
        before = f"{tag}on"
    body += BARRIER + "\n"
    for part in range(4):
        tag, offset = f"u{part}", 8 * part
        body += (
            f"%{tag}y = add i32 %ty, {offset}\n%{tag}r = add i32 %bx, %{tag}y\n%{tag}c = add i32 %by, %tx\n"
            f"%{tag}a = icmp slt i32 %{tag}r, %n\n%{tag}b = icmp slt i32 %{tag}c, %m\n"
            f"%{tag}k = and i1 %{tag}a, %{tag}b\nbr i1 %{tag}k, label %{tag}go, label %{tag}on\n{tag}go:\n"
            f"%{tag}e = mul i32 %tx, 33\n%{tag}f = add i32 %{tag}e, %{tag}y\n"
            f"%{tag}q = getelementptr float, {SHARED} @tile, i32 %{tag}f\n%{tag}v = load float, {SHARED} %{tag}q\n"
            f"%{tag}s = mul i32 %{tag}r, %m\n%{tag}i = add i32 %{tag}s, %{tag}c\n"
            + at(f"{tag}p", "float", "%y", f"%{tag}i")
            + f"store float %{tag}v, {GLOBAL} %{tag}p\nbr label %{tag}on\n{tag}on:\n"
        )
    tile = "@tile = internal addrspace(3) global [1056 x float] undef, align 16\n"
    return kernel(f"{GLOBAL} %x, {GLOBAL} %y, i32 %m, i32 %n", body, 256, before=tile)


# ---- matrix product -------------------------------------------------------------------------------------------------

_MFMA = "i32 0, i32 0, i32 0"


def _call(chip: str, kind: str) -> tuple[int, str, str, str]:
    """(K of the instruction, carrier of A and B, accumulators of a lane, intrinsic with {0} {1} {2})."""
    if chip in WAVE64:
        wide = chip == "gfx950"
        if kind == "half":
            k, n, name = (32, 8, "32.f16") if wide else (16, 4, "16f16")
            return (
                k,
                f"<{n} x half>",
                "<4 x float>",
                f"@llvm.amdgcn.mfma.f32.16x16x{name}({{0}}, {{1}}, {{2}}, {_MFMA})",
            )
        k, carrier, name = {
            "gfx90a": (16, "i32", "16i8"),
            "gfx942": (32, "i64", "32.i8"),
            "gfx950": (64, "<4 x i32>", "64.i8"),
        }[chip]
        return k, carrier, "<4 x i32>", f"@llvm.amdgcn.mfma.i32.16x16x{name}({{0}}, {{1}}, {{2}}, {_MFMA})"
    new = chip.startswith("gfx12")
    if kind == "half":
        n = 8 if new else 16
        return (
            16,
            f"<{n} x half>",
            "<8 x float>",
            f"@llvm.amdgcn.wmma.f32.16x16x16.f16.v8f32.v{n}f16({{0}}, {{1}}, {{2}})",
        )
    n = 2 if new else 4
    call = f"@llvm.amdgcn.wmma.i32.16x16x16.iu8.v8i32.v{n}i32(i1 true, {{0}}, i1 true, {{1}}, {{2}}, i1 false)"
    return 16, f"<{n} x i32>", "<8 x i32>", call


def _held(chip: str, k: int) -> tuple[int, int]:
    """(elements of A that a lane holds, how far the next group of lanes is along K)."""
    if chip in WAVE64:
        return k // 4, k // 4
    return (16, 0) if chip == "gfx1100" else (8, 8)


def _c_row(chip: str, i: int) -> tuple[int, int]:
    """Row of accumulator i: factor of lane / 16, and constant."""
    if chip in WAVE64:
        return 4, i
    return (1, 2 * i) if chip == "gfx1100" else (8, i)


def product(chip: str, kind: str) -> str:
    """c[m, n] = a[m, k] b[n, k]^T, one wave for 16x16 elements, k a multiple of 64; 16-wide tiles in shared memory.

    Rows beyond m and n are read as zero and not written.
    """
    lanes = wavefront(chip)
    depth, carrier, accumulator, call = _call(chip, kind)
    element, size = ("half", 2) if kind == "half" else ("i8", 1)
    held, step = _held(chip, depth)
    out = accumulator.split()[2].rstrip(">")
    count = int(accumulator.split()[0][1:])
    zero = "0.0" if kind == "half" else "0"
    body = (
        "%h = call i32 @llvm.amdgcn.workgroup.id.y()\n%bn = mul i32 %g, 16\n%bm = mul i32 %h, 16\n"
        "%l16 = and i32 %t, 15\n%hi = lshr i32 %t, 4\nbr label %loop\nloop:\n"
        "%k0 = phi i32 [ 0, %entry ], [ %kn, %done ]\n"
        f"%acc = phi {accumulator} [ zeroinitializer, %entry ], [ %next, %done ]\n"
        "br label %copy\ncopy:\n%e = phi i32 [ %t, %loop ], [ %en, %kept ]\n"
        f"%er = sdiv i32 %e, {depth}\n%ek = srem i32 %e, {depth}\n%kk = add i32 %k0, %ek\n"
    )
    for name, base, limit in (("a", "%bm", "%m"), ("b", "%bn", "%n")):
        before = "copy" if name == "a" else "akept"
        body += (
            f"%{name}r = add i32 {base}, %er\n%{name}in = icmp slt i32 %{name}r, {limit}\n"
            f"br i1 %{name}in, label %{name}read, label %{name}kept\n{name}read:\n"
            f"%{name}s = mul i32 %{name}r, %k\n%{name}i = add i32 %{name}s, %kk\n"
            + at(f"{name}p", element, f"%{name}", f"%{name}i")
            + f"%{name}v = load {element}, {GLOBAL} %{name}p\nbr label %{name}kept\n{name}kept:\n"
            f"%{name}w = phi {element} [ {zero}, %{before} ], [ %{name}v, %{name}read ]\n"
            f"%{name}q = getelementptr {element}, {SHARED} @s{name}, i32 %e\n"
            f"store {element} %{name}w, {SHARED} %{name}q\n"
        )
    body += (
        f"br label %kept\nkept:\n%en = add i32 %e, {lanes}\n%again = icmp slt i32 %en, {16 * depth}\n"
        f"br i1 %again, label %copy, label %full\nfull:\n{BARRIER}\n%row = mul i32 %l16, {depth}\n"
    )
    pieces = 2 if chip.startswith("gfx12") and kind == "half" else 1
    for name in "ab":
        each = held // pieces
        for piece in range(pieces):
            factor = step // pieces
            tag = f"{name}f{piece}"
            body += (
                f"%{tag}k = mul i32 %hi, {factor}\n%{tag}o = add i32 %{tag}k, {8 * piece}\n"
                f"%{tag}i = add i32 %row, %{tag}o\n%{tag}p = getelementptr {element}, {SHARED} @s{name}, i32 %{tag}i\n"
                f"%{tag} = load <{each} x {element}>, {SHARED} %{tag}p, align {each * size}\n"
            )
        whole = f"%{name}f0"
        if pieces == 2:
            order = ", ".join(f"i32 {n}" for n in range(held))
            body += (
                f"%{name}f = shufflevector <{each} x {element}> %{name}f0, <{each} x {element}> %{name}f1, "
                f"<{held} x i32> <{order}>\n"
            )
            whole = f"%{name}f"
        body += f"%{name}m = bitcast <{held} x {element}> {whole} to {carrier}\n"
    values = f"{carrier} %am", f"{carrier} %bm2", f"{accumulator} %acc"
    body = body.replace("%bm = bitcast", "%bm2 = bitcast")
    body += (
        f"%next = call {accumulator} {call.format(*values)}\n{BARRIER}\nbr label %done\ndone:\n"
        f"%kn = add i32 %k0, {depth}\n%on = icmp slt i32 %kn, %k\nbr i1 %on, label %loop, label %out0\nout0:\n"
        "%col = add i32 %bn, %l16\n%cin = icmp slt i32 %col, %n\n"
    )
    for i in range(count):
        factor, constant = _c_row(chip, i)
        body += (
            f"%c{i}f = mul i32 %hi, {factor}\n%c{i}g = add i32 %c{i}f, {constant}\n%c{i}r = add i32 %bm, %c{i}g\n"
            f"%c{i}in = icmp slt i32 %c{i}r, %m\n%c{i}ok = and i1 %cin, %c{i}in\n"
            f"br i1 %c{i}ok, label %w{i}, label %out{i + 1}\nw{i}:\n%c{i}s = mul i32 %c{i}r, %n\n"
            f"%c{i}i = add i32 %c{i}s, %col\n"
            + at(f"c{i}p", out, "%c", f"%c{i}i")
            + f"%c{i}v = extractelement {accumulator} %next, i32 {i}\nstore {out} %c{i}v, {GLOBAL} %c{i}p\n"
            f"br label %out{i + 1}\nout{i + 1}:\n"
        )
    types = [call.split("(")[0], carrier, accumulator]
    listed = call.split("(", 1)[1].rstrip(")").format(carrier, carrier, accumulator)
    declared = ", ".join(part.strip().rpartition(" ")[0] or part.strip() for part in _arguments(listed))
    before = (
        f"@sa = internal addrspace(3) global [{16 * depth} x {element}] undef, align 16\n"
        f"@sb = internal addrspace(3) global [{16 * depth} x {element}] undef, align 16\n"
        f"declare {accumulator} {types[0]}({declared})\n"
    )
    parameters = f"{GLOBAL} %a, {GLOBAL} %b, {GLOBAL} %c, i32 %m, i32 %n, i32 %k"
    return kernel(parameters, body, lanes, before=before)


def _arguments(listed: str) -> list[str]:
    """Types with or without a literal; a vector type is put in the form `type value` so that its blanks survive."""
    return [
        part if part.strip().split(" ")[0] in ("i1", "i32") and " " in part.strip() else f"{part} x"
        for part in listed.split(",")
    ]
