"""PTX types as data: width, kind and the numpy element type that holds a value of the type."""

from __future__ import annotations

from ...support.dataclasses import dataclass


@dataclass(frozen=True)
class PtxType:
    """`kind`: b bits, u unsigned, s signed, f IEEE float, n narrow float (bits only), x packed pair, p predicate."""

    name: str
    bits: int
    kind: str
    code: str

    @property
    def size(self) -> int:
        return self.bits // 8

    @property
    def unsigned(self) -> str:
        """The numpy code of the same width without interpretation."""
        return f"u{self.bits // 8}" if self.kind != "p" else "bool"

    @property
    def is_float(self) -> bool:
        return self.kind in "fn"


def _table() -> dict[str, PtxType]:
    types = [
        PtxType(f"{k}{bits}", bits, k, f"{'i' if k == 's' else 'u'}{bits // 8}")
        for k in "bus"
        for bits in (8, 16, 32, 64)
    ]
    types += [PtxType(f"f{bits}", bits, "f", f"f{bits // 8}") for bits in (16, 32, 64)]
    types += [PtxType("bf16", 16, "n", "u2"), PtxType("tf32", 32, "n", "u4")]
    types += [PtxType("e4m3", 8, "n", "u1"), PtxType("e5m2", 8, "n", "u1")]
    types += [PtxType("f16x2", 32, "x", "u4"), PtxType("bf16x2", 32, "x", "u4")]
    types += [PtxType("e4m3x2", 16, "x", "u2"), PtxType("e5m2x2", 16, "x", "u2")]
    types += [PtxType("u16x2", 32, "x", "u4"), PtxType("s16x2", 32, "x", "u4")]
    types += [PtxType("pred", 0, "p", "bool")]
    return {t.name: t for t in types}


TYPES = _table()
