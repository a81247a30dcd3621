"""Which modifiers the arithmetic instructions of PTX take besides types (PTX ISA), so that no other is passed over.

What is not here is a fault: what the instruction does not have, and what this machine does not execute, such
as `oob` of fma. Rows of `table.py` say their own. Of memory, warps and tensor cores nothing is here.
"""

from __future__ import annotations

from collections.abc import Mapping

_ROUNDED = "rn rz rm rp ftz sat"
_COMPARED = "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan and or xor ftz"
_APPROXIMATE = "approx ftz"

MODIFIERS: Mapping[str, frozenset[str]] = {
    opcode: frozenset(words.split())
    for opcode, words in {
        "add": f"cc {_ROUNDED}",
        "sub": f"cc {_ROUNDED}",
        "addc": "cc",
        "subc": "cc",
        "mul": f"lo hi wide {_ROUNDED}",
        "mad": f"lo hi wide cc {_ROUNDED}",
        "madc": "lo hi cc",
        "fma": f"relu {_ROUNDED}",
        "div": "approx full rn rz rm rp ftz",
        "min": "relu ftz NaN xorsign abs",
        "max": "relu ftz NaN xorsign abs",
        "neg": "ftz",
        "abs": "ftz",
        "rcp": "approx rn rz rm rp ftz",
        "sqrt": "approx rn rz rm rp ftz",
        "rsqrt": _APPROXIMATE,
        "sin": _APPROXIMATE,
        "cos": _APPROXIMATE,
        "lg2": _APPROXIMATE,
        "ex2": _APPROXIMATE,
        "tanh": "approx",
        "copysign": "",
        "testp": "finite infinite number notanumber normal subnormal",
        "shl": "",
        "shr": "",
        "bmsk": "clamp wrap",
        "prmt": "f4e b4e rc8 ecl ecr rc16",
        "lop3": "",
        "dp4a": "",
        "dp2a": "lo hi",
        "mov": "",
        "slct": "ftz",
        "setp": _COMPARED,
        "set": _COMPARED,
    }.items()
}
