"""Kernels in Python: `import lanewise.lang as lw`.

    @lanewise.kernel(workgroup=256)
    def matmul(a, b, c, *, tm: int = 128, tn: int = 128, tk: int = 32):
        m, n = lw.block(tm, "y"), lw.block(tn, "x")
        acc = lw.zeros((tm, tn))
        for k in lw.tiles(a.shape[1], tk):
            acc += a[m, k] @ b[k, n]
        c[m, n] = acc.to(c.dtype)

Everything is imported when it is first used; the element types need nothing of the compiler.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING

from .dtypes import (
    ArrayType as ArrayType,
)
from .dtypes import (
    DType as DType,
)
from .dtypes import (
    bf16 as bf16,
)
from .dtypes import (
    f4e2m1fn as f4e2m1fn,
)
from .dtypes import (
    f6e2m3fn as f6e2m3fn,
)
from .dtypes import (
    f6e3m2fn as f6e3m2fn,
)
from .dtypes import (
    f8e3m4 as f8e3m4,
)
from .dtypes import (
    f8e4m3 as f8e4m3,
)
from .dtypes import (
    f8e4m3b11fnuz as f8e4m3b11fnuz,
)
from .dtypes import (
    f8e4m3fn as f8e4m3fn,
)
from .dtypes import (
    f8e4m3fnuz as f8e4m3fnuz,
)
from .dtypes import (
    f8e5m2 as f8e5m2,
)
from .dtypes import (
    f8e5m2fnuz as f8e5m2fnuz,
)
from .dtypes import (
    f8e8m0fnu as f8e8m0fnu,
)
from .dtypes import (
    f16 as f16,
)
from .dtypes import (
    f32 as f32,
)
from .dtypes import (
    f64 as f64,
)
from .dtypes import (
    i1 as i1,
)
from .dtypes import (
    i4 as i4,
)
from .dtypes import (
    i8 as i8,
)
from .dtypes import (
    i16 as i16,
)
from .dtypes import (
    i32 as i32,
)
from .dtypes import (
    i64 as i64,
)
from .dtypes import (
    index as index,
)
from .dtypes import (
    tf32 as tf32,
)
from .dtypes import (
    u4 as u4,
)
from .dtypes import (
    u8 as u8,
)
from .dtypes import (
    u16 as u16,
)
from .dtypes import (
    u32 as u32,
)
from .dtypes import (
    u64 as u64,
)

if TYPE_CHECKING:
    from .arrays import (
        Array as Array,
    )
    from .functions import (
        abs as abs,
    )
    from .functions import (
        acos as acos,
    )
    from .functions import (
        acosh as acosh,
    )
    from .functions import (
        arange as arange,
    )
    from .functions import (
        asin as asin,
    )
    from .functions import (
        asinh as asinh,
    )
    from .functions import (
        atan as atan,
    )
    from .functions import (
        atan2 as atan2,
    )
    from .functions import (
        atanh as atanh,
    )
    from .functions import (
        bitcast as bitcast,
    )
    from .functions import (
        cbrt as cbrt,
    )
    from .functions import (
        cdiv as cdiv,
    )
    from .functions import (
        ceil as ceil,
    )
    from .functions import (
        clamp as clamp,
    )
    from .functions import (
        clz as clz,
    )
    from .functions import (
        concat as concat,
    )
    from .functions import (
        contract as contract,
    )
    from .functions import (
        copysign as copysign,
    )
    from .functions import (
        cos as cos,
    )
    from .functions import (
        cosh as cosh,
    )
    from .functions import (
        ctz as ctz,
    )
    from .functions import (
        deinterleave as deinterleave,
    )
    from .functions import (
        divide as divide,
    )
    from .functions import (
        dot as dot,
    )
    from .functions import (
        erf as erf,
    )
    from .functions import (
        erfc as erfc,
    )
    from .functions import (
        exp as exp,
    )
    from .functions import (
        exp2 as exp2,
    )
    from .functions import (
        expm1 as expm1,
    )
    from .functions import (
        floor as floor,
    )
    from .functions import (
        fma as fma,
    )
    from .functions import (
        fmax as fmax,
    )
    from .functions import (
        fmin as fmin,
    )
    from .functions import (
        fmod as fmod,
    )
    from .functions import (
        full as full,
    )
    from .functions import (
        interleave as interleave,
    )
    from .functions import (
        isfinite as isfinite,
    )
    from .functions import (
        isinf as isinf,
    )
    from .functions import (
        isnan as isnan,
    )
    from .functions import (
        isnormal as isnormal,
    )
    from .functions import (
        log as log,
    )
    from .functions import (
        log1p as log1p,
    )
    from .functions import (
        log2 as log2,
    )
    from .functions import (
        log10 as log10,
    )
    from .functions import (
        maximum as maximum,
    )
    from .functions import (
        minimum as minimum,
    )
    from .functions import (
        number as number,
    )
    from .functions import (
        ones as ones,
    )
    from .functions import (
        popcount as popcount,
    )
    from .functions import (
        pow as pow,
    )
    from .functions import (
        round as round,
    )
    from .functions import (
        rsqrt as rsqrt,
    )
    from .functions import (
        sin as sin,
    )
    from .functions import (
        sinh as sinh,
    )
    from .functions import (
        sqrt as sqrt,
    )
    from .functions import (
        stack as stack,
    )
    from .functions import (
        tan as tan,
    )
    from .functions import (
        tanh as tanh,
    )
    from .functions import (
        trunc as trunc,
    )
    from .functions import (
        where as where,
    )
    from .functions import (
        zeros as zeros,
    )
    from .grids import (
        NoGrid as NoGrid,
    )
    from .kernel import (
        Kernel as Kernel,
    )
    from .kernel import (
        function as function,
    )
    from .kernel import (
        kernel as kernel,
    )
    from .loops import (
        of_range as range,
    )
    from .loops import (
        tiles as tiles,
    )
    from .memory import (
        barrier as barrier,
    )
    from .memory import (
        private as private,
    )
    from .memory import (
        shared as shared,
    )
    from .messages import (
        assert_ as assert_,
    )
    from .messages import (
        print as print,
    )
    from .messages import (
        printf as printf,
    )
    from .mlir import (
        mlir as mlir,
    )
    from .signature import (
        SignatureError as SignatureError,
    )
    from .spans import (
        Span as Span,
    )
    from .spans import (
        block as block,
    )
    from .spans import (
        block_id as block_id,
    )
    from .spans import (
        block_size as block_size,
        create_mask as create_mask,
    )
    from .spans import (
        grid_size as grid_size,
    )
    from .spans import (
        span as span,
    )
    from .spans import (
        thread_id as thread_id,
    )
    from .trace import (
        TraceError as TraceError,
    )
    from .values import (
        Value as Value,
    )

_HOMES = {
    "Value": "values",
    "Array": "arrays",
    "Span": "spans",
    "span": "spans",
    "block": "spans",
    "block_id": "spans",
    "grid_size": "spans",
    "thread_id": "spans",
    "block_size": "spans",
    "create_mask": "spans",
    "range": "loops:of_range",
    "tiles": "loops",
    "full": "functions",
    "zeros": "functions",
    "ones": "functions",
    "arange": "functions",
    "number": "functions",
    "where": "functions",
    "maximum": "functions",
    "minimum": "functions",
    "fmax": "functions",
    "fmin": "functions",
    "fmod": "functions",
    "cdiv": "functions",
    "clamp": "functions",
    "fma": "functions",
    "pow": "functions",
    "atan2": "functions",
    "copysign": "functions",
    "abs": "functions",
    "divide": "functions",
    "bitcast": "functions",
    "acos": "functions",
    "acosh": "functions",
    "asin": "functions",
    "asinh": "functions",
    "atan": "functions",
    "atanh": "functions",
    "cbrt": "functions",
    "ceil": "functions",
    "cos": "functions",
    "cosh": "functions",
    "erf": "functions",
    "erfc": "functions",
    "exp": "functions",
    "exp2": "functions",
    "expm1": "functions",
    "floor": "functions",
    "log": "functions",
    "log10": "functions",
    "log1p": "functions",
    "log2": "functions",
    "round": "functions",
    "rsqrt": "functions",
    "sin": "functions",
    "sinh": "functions",
    "sqrt": "functions",
    "tan": "functions",
    "tanh": "functions",
    "trunc": "functions",
    "isfinite": "functions",
    "isinf": "functions",
    "isnan": "functions",
    "isnormal": "functions",
    "clz": "functions",
    "ctz": "functions",
    "popcount": "functions",
    "dot": "functions",
    "contract": "functions",
    "interleave": "functions",
    "deinterleave": "functions",
    "concat": "functions",
    "stack": "functions",
    "shared": "memory",
    "private": "memory",
    "barrier": "memory",
    "print": "messages",
    "printf": "messages",
    "assert_": "messages",
    "Kernel": "kernel",
    "kernel": "kernel",
    "function": "kernel",
    "TraceError": "trace",
    "SignatureError": "signature",
    "NoGrid": "grids",
    "mlir": "mlir",
}
"""Where each name stands: `module`, or `module:name` where it is called otherwise there."""

__all__ = [
    "Array",
    "ArrayType",
    "DType",
    "Kernel",
    "NoGrid",
    "SignatureError",
    "Span",
    "TraceError",
    "Value",
    "abs",
    "acos",
    "acosh",
    "arange",
    "asin",
    "asinh",
    "assert_",
    "atan",
    "atan2",
    "atanh",
    "barrier",
    "bf16",
    "bitcast",
    "block",
    "block_id",
    "block_size",
    "create_mask",
    "cbrt",
    "cdiv",
    "ceil",
    "clamp",
    "clz",
    "concat",
    "contract",
    "copysign",
    "cos",
    "cosh",
    "ctz",
    "deinterleave",
    "divide",
    "dot",
    "erf",
    "erfc",
    "exp",
    "exp2",
    "expm1",
    "f4e2m1fn",
    "f6e2m3fn",
    "f6e3m2fn",
    "f8e3m4",
    "f8e4m3",
    "f8e4m3b11fnuz",
    "f8e4m3fn",
    "f8e4m3fnuz",
    "f8e5m2",
    "f8e5m2fnuz",
    "f8e8m0fnu",
    "f16",
    "f32",
    "f64",
    "floor",
    "fma",
    "fmax",
    "fmin",
    "fmod",
    "full",
    "function",
    "grid_size",
    "i1",
    "i4",
    "i8",
    "i16",
    "i32",
    "i64",
    "index",
    "interleave",
    "isfinite",
    "isinf",
    "isnan",
    "isnormal",
    "kernel",
    "log",
    "log1p",
    "log2",
    "log10",
    "maximum",
    "minimum",
    "mlir",
    "number",
    "ones",
    "popcount",
    "pow",
    "print",
    "printf",
    "private",
    "range",
    "round",
    "rsqrt",
    "shared",
    "sin",
    "sinh",
    "span",
    "sqrt",
    "stack",
    "tan",
    "tanh",
    "tf32",
    "thread_id",
    "tiles",
    "trunc",
    "u4",
    "u8",
    "u16",
    "u32",
    "u64",
    "where",
    "zeros",
]


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name, obj=sys.modules[__name__])
    module, _, other = home.partition(":")
    value = getattr(import_module(f".{module}", __name__), other or name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
