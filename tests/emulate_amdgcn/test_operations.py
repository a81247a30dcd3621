"""Every scalar operation on every type, through LLVM and the emulator, against Python integers and float64."""

from __future__ import annotations

import re

import numpy as np
import pytest

from .operations import DTYPES, FLOATS, INTEGERS, Case, float_cases, inputs, integer_cases
from .support import CHIPS, WORKITEM

GLOBAL = "ptr addrspace(1)"
COUNT = 128
TYPES = (*INTEGERS, *FLOATS)
# LLVM multiplies bfloat16 on gfx1250 with a fused multiply-add of +0, which loses the sign of a zero: not compared.


def kernel(t: str, cases: list[Case]) -> str:
    declared = "\n".join(sorted({d for case in cases for d in case.declarations}))
    parameters = ", ".join(f"{GLOBAL} %{name}" for name in ("px", "py", "pz", *(f"q{n}" for n in range(len(cases)))))
    body = ["%t = call i32 @llvm.amdgcn.workitem.id.x()", "%g = call i32 @llvm.amdgcn.workgroup.id.x()"]
    body += ["%b = mul i32 %g, 64", "%i = add i32 %b, %t"]
    for name in "xyz":
        body += [f"%a{name} = getelementptr {t}, {GLOBAL} %p{name}, i32 %i", f"%{name} = load {t}, {GLOBAL} %a{name}"]
    for n, case in enumerate(cases):
        lines = re.sub(r"%(?![xyz]\b)(\w+)", rf"%{n}_\1".replace("%", "%c"), case.lines)
        body += [lines, f"%o{n} = getelementptr {case.result}, {GLOBAL} %q{n}, i32 %i"]
        body += [f"store {case.result} %c{n}_r, {GLOBAL} %o{n}"]
    text = "\n".join(body)
    return (
        f"{WORKITEM}{declared}\ndefine amdgpu_kernel void @k({parameters}) #0 {{\n{text}\nret void\n}}\n"
        'attributes #0 = { "amdgpu-flat-work-group-size"="64,64" "uniform-work-group-size"="true" }\n'
    )


def differing(case: Case, found: np.ndarray, expected: np.ndarray, defined: np.ndarray) -> np.ndarray:
    if found.dtype.kind == "i":
        return (found != expected) & defined
    a, b = found.astype(np.float64), expected.astype(np.float64)
    same = (a == b) & (case.zeros | (np.signbit(a) == np.signbit(b))) | (np.isnan(a) & np.isnan(b))
    if case.tolerance:
        same |= np.abs(a - b) <= case.tolerance * np.abs(b) + 1e-7
    return ~same & defined


@pytest.mark.turns("chip")
@pytest.mark.parametrize("t", TYPES)
@pytest.mark.parametrize("chip", [chip for chip in CHIPS if chip != "gfx1201"])
def test_operations(chip, t, compiled, bench):
    cases = integer_cases(t) if t in INTEGERS else float_cases(t)
    if (chip, t) == ("gfx1250", "bfloat"):
        cases = [case for case in cases if case.name != "fmul"]
    arrays = inputs(t, COUNT)
    outputs = [bench.upload(np.zeros(COUNT, DTYPES[case.result])) for case in cases]
    pointers = [*(bench.upload(a) for a in arrays), *outputs]
    bench.launch(compiled(kernel(t, cases), chip), (COUNT // 64, 1, 1), (64, 1, 1), pointers)
    wrong = {}
    for case, address in zip(cases, outputs, strict=True):
        found = bench.download(address, DTYPES[case.result], COUNT)
        with np.errstate(all="ignore"):
            expected, defined = case.expected(*arrays)
            bad = np.flatnonzero(differing(case, found, expected, defined))
        if bad.size:
            first = bad[0]
            wrong[case.name] = [a[first] for a in arrays], found[first], expected[first]
    assert not wrong
