"""How many multiply-adds of a warp or wave an instruction makes, from its mnemonic: what products are compared by.

Shapes stand in the mnemonics of matrix instructions: in SASS as `HMMA.16816` (M of two digits, N of one, then K) and
`HGMMA.64x256x16`, which four warps share; in AMDGCN as `v_mfma_f32_32x32x8_f16`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from lanewise.targets.chip import Vendor

_SASS = re.compile(r"[HIQDO]?MMA\.(?:SP\.)?(16)(8)(\d+)\b")
_WARPGROUP = re.compile(r"[HIQ]GMMA\.(64)x(\d+)x(\d+)\b")
_AMDGCN = re.compile(r"v_(?:mfma|smfmac|wmma|swmmac)\w*?_(\d+)x(\d+)x(\d+)(?:_(\d+)b)?")
_VECTOR: Mapping[Vendor, tuple[tuple[re.Pattern[str], int], ...]] = {
    "nvidia": (
        (re.compile(r"FFMA2\b"), 2 * 32),
        (re.compile(r"FFMA\b"), 32),
        (re.compile(r"HFMA2\b"), 2 * 32),
        (re.compile(r"IDP\.4A"), 4 * 32),
    ),
    "amd": (
        (re.compile(r"v_pk_fma_f(32|16)"), 2 * 64),
        (re.compile(r"v_(fma|fmac|mad|mac)_f32"), 64),
        (re.compile(r"v_dot2"), 2 * 64),
        (re.compile(r"v_dot4"), 4 * 64),
    ),
}
"""Without matrix units. AMD's are of waves of 64."""


def of_matrix_unit(mnemonic: str) -> int:
    """0 where the matrix unit has no part."""
    if found := _WARPGROUP.match(mnemonic):
        m, n, k = map(int, found.groups())
        return m * n * k // 4
    if found := _SASS.match(mnemonic):
        m, n, k = map(int, found.groups())
        return m * n * k
    if found := _AMDGCN.match(mnemonic):
        m, n, k = map(int, found.groups()[:3])
        return m * n * k * int(found[4] or 1)
    return 0


def multiply_adds(loop: Iterable[tuple[str, ...]], vendor: Vendor) -> int:
    """Of one pass through a loop: those of the matrix unit, or where it has no part those of other units."""
    mnemonics = [mnemonic for instruction in loop for mnemonic in instruction]
    if units := sum(map(of_matrix_unit, mnemonics)):
        return units
    kinds = _VECTOR[vendor]
    return sum(next((size for begins, size in kinds if begins.match(m)), 0) for m in mnemonics)
