"""The vector operations that are one expression per lane: opcode to types and numpy source.

A type is a numpy code; 16-bit types stand for half a register. `{0}`, `{1}`, ... are the operands.
"""

from __future__ import annotations

from ...support.dataclasses import dataclass
from .syntax import words


@dataclass(frozen=True)
class Operation:
    """Type of the result, types of the operands, and the expression."""

    result: str
    sources: tuple[str, ...]
    expression: str


def _op(result: str, sources: str, expression: str) -> Operation:
    return Operation(result, tuple(sources.split()), expression)


TABLE: dict[str, Operation] = {}

_WIDTHS = {"f16": "f2", "f32": "f4", "f64": "f8"}


def _floats() -> None:
    for suffix, t in _WIDTHS.items():
        one, two, three = t, f"{t} {t}", f"{t} {t} {t}"
        fused = f"fma_{suffix}({{0}}, {{1}}, {{2}})"
        TABLE.update(
            {
                f"v_add_{suffix}": _op(t, two, "{0} + {1}"),
                f"v_sub_{suffix}": _op(t, two, "{0} - {1}"),
                f"v_subrev_{suffix}": _op(t, two, "{1} - {0}"),
                f"v_mul_{suffix}": _op(t, two, "{0} * {1}"),
                f"v_fma_{suffix}": _op(t, three, fused),
                f"v_div_fixup_{suffix}": _op(t, three, "division_fixup({0}, {1}, {2})"),
                f"v_trunc_{suffix}": _op(t, one, "trunc({0})"),
                f"v_ceil_{suffix}": _op(t, one, "ceil({0})"),
                f"v_floor_{suffix}": _op(t, one, "floor({0})"),
                f"v_rndne_{suffix}": _op(t, one, "rint({0})"),
                f"v_fract_{suffix}": _op(t, one, "fraction({0})"),
                f"v_frexp_mant_{suffix}": _op(t, one, "mantissa({0})"),
                f"v_ldexp_{suffix}": _op(t, f"{t} {'i2' if t == 'f2' else 'i4'}", "scale({0}, {1})"),
                f"v_med3_{suffix}": _op(t, three, "median_float({0}, {1}, {2})"),
                f"v_med3_num_{suffix}": _op(t, three, "median_float({0}, {1}, {2})"),
            }
        )
        for name in (f"v_fmac_{suffix}", f"v_fmaak_{suffix}", f"v_fmamk_{suffix}"):
            TABLE[name] = _op(t, three, fused)
        _extrema(suffix, t)


def _extrema(suffix: str, t: str) -> None:
    two, three = f"{t} {t}", f"{t} {t} {t}"
    for word, function in (("min", "min_number"), ("max", "max_number")):
        for infix in ("", "_num"):
            TABLE[f"v_{word}{infix}_{suffix}"] = _op(t, two, f"{function}({{0}}, {{1}})")
            TABLE[f"v_{word}3{infix}_{suffix}"] = _op(t, three, f"{function}({function}({{0}}, {{1}}), {{2}})")
    for name in ("minimum", "maximum"):
        TABLE[f"v_{name}_{suffix}"] = _op(t, two, f"{name}({{0}}, {{1}})")
        TABLE[f"v_{name}3_{suffix}"] = _op(t, three, f"{name}({name}({{0}}, {{1}}), {{2}})")
    for first, second, a, b in (
        ("max", "min", "max_number", "min_number"),
        ("min", "max", "min_number", "max_number"),
    ):
        for infix in ("", "_num"):
            TABLE[f"v_{first}{second}{infix}_{suffix}"] = _op(t, three, f"{b}({a}({{0}}, {{1}}), {{2}})")
    TABLE[f"v_minimummaximum_{suffix}"] = _op(t, three, "maximum(minimum({0}, {1}), {2})")
    TABLE[f"v_maximumminimum_{suffix}"] = _op(t, three, "minimum(maximum({0}, {1}), {2})")


def _approximations() -> None:
    TABLE.update(
        {
            "v_exp_f32": _op("f4", "f4", "exp2_f32({0})"),
            "v_log_f32": _op("f4", "f4", "log2_f32({0})"),
            "v_rcp_f32": _op("f4", "f4", "reciprocal_f32({0})"),
            "v_rcp_iflag_f32": _op("f4", "f4", "reciprocal_f32({0})"),
            "v_rsq_f32": _op("f4", "f4", "reciprocal_root_f32({0})"),
            "v_sqrt_f32": _op("f4", "f4", "root_f32({0})"),
            "v_rcp_f64": _op("f8", "f8", "one_f8 / {0}"),
            "v_rsq_f64": _op("f8", "f8", "one_f8 / sqrt({0})"),
            "v_sqrt_f64": _op("f8", "f8", "sqrt({0})"),
            "v_exp_f16": _op("f2", "f2", "exp2({0}.astype(f4)).astype(f2)"),
            "v_log_f16": _op("f2", "f2", "log2({0}.astype(f4)).astype(f2)"),
            "v_rcp_f16": _op("f2", "f2", "(one_f4 / {0}.astype(f4)).astype(f2)"),
            "v_rsq_f16": _op("f2", "f2", "(one_f4 / sqrt({0}.astype(f4))).astype(f2)"),
            "v_sqrt_f16": _op("f2", "f2", "sqrt({0})"),
            "v_tanh_f32": _op("f4", "f4", "tanh({0})"),
            "v_tanh_f16": _op("f2", "f2", "tanh({0}.astype(f4)).astype(f2)"),
            "v_mad_f32": _op("f4", "f4 f4 f4", "flushed({0} * {1}) + {2}"),
            "v_mac_f32": _op("f4", "f4 f4 f4", "flushed({0} * {1}) + {2}"),
            "v_mad_f16": _op("f2", "f2 f2 f2", "{0} * {1} + {2}"),
            "v_mac_f16": _op("f2", "f2 f2 f2", "{0} * {1} + {2}"),
        }
    )
    for suffix, t in (("f16", "f2"), ("f32", "f4")):
        TABLE[f"v_sin_{suffix}"] = _op(t, t, "sine({0})")
        TABLE[f"v_cos_{suffix}"] = _op(t, t, "cosine({0})")
    for name in ("v_madmk_f32", "v_madak_f32"):
        TABLE[name] = TABLE["v_mad_f32"]
    for name, expression in (
        ("rcp", "one_f4 / {0}"),
        ("sqrt", "sqrt({0})"),
        ("rsq", "one_f4 / sqrt({0})"),
        ("exp", "exp2({0})"),
        ("log", "log2({0})"),
        ("tanh", "tanh({0})"),
    ):
        TABLE[f"v_{name}_bf16"] = _op("u2", "b2", f"bf16_bits({expression})")


def _conversions() -> None:
    TABLE.update(
        {
            "v_cvt_f16_f32": _op("f2", "f4", "{0}.astype(f2)"),
            "v_cvt_f32_f16": _op("f4", "f2", "{0}.astype(f4)"),
            "v_cvt_f32_bf16": _op("f4", "b2", "{0}"),
            "v_cvt_f64_f32": _op("f8", "f4", "{0}.astype(f8)"),
            "v_cvt_f32_f64": _op("f4", "f8", "{0}.astype(f4)"),
            "v_cvt_f16_u16": _op("f2", "u2", "{0}.astype(f2)"),
            "v_cvt_f16_i16": _op("f2", "i2", "{0}.astype(f2)"),
            "v_cvt_u16_f16": _op("u2", "f2", "to_integer({0}, u2)"),
            "v_cvt_i16_f16": _op("i2", "f2", "to_integer({0}, i2)"),
            "v_cvt_flr_i32_f32": _op("i4", "f4", "to_integer(floor({0}), i4)"),
            "v_cvt_floor_i32_f32": _op("i4", "f4", "to_integer(floor({0}), i4)"),
            "v_cvt_rpi_i32_f32": _op("i4", "f4", "to_integer(floor({0}.astype(f8) + 0.5), i4)"),
            "v_cvt_nearest_i32_f32": _op("i4", "f4", "to_integer(floor({0}.astype(f8) + 0.5), i4)"),
            "v_cvt_i32_i16": _op("i4", "i2", "{0}.astype(i4)"),
            "v_cvt_u32_u16": _op("u4", "u2", "{0}.astype(u4)"),
            "v_cvt_pk_bf16_f32": _op("u4", "f4 f4", "pack_halves(bf16_bits({0}), bf16_bits({1}))"),
            "v_cvt_pk_f16_f32": _op("u4", "f4 f4", "pack_halves({0}.astype(f2), {1}.astype(f2))"),
            "v_cvt_pkrtz_f16_f32": _op("u4", "f4 f4", "pack_halves(f16_toward_zero({0}), f16_toward_zero({1}))"),
            "v_cvt_pk_i16_i32": _op("u4", "i4 i4", "pack_halves(clip_to({0}, i2), clip_to({1}, i2))"),
            "v_cvt_pk_u16_u32": _op("u4", "u4 u4", "pack_halves(clip_to({0}, u2), clip_to({1}, u2))"),
            "v_cvt_pk_i16_f32": _op("u4", "f4 f4", "pack_halves(to_integer({0}, i2), to_integer({1}, i2))"),
            "v_cvt_pk_u16_f32": _op("u4", "f4 f4", "pack_halves(to_integer({0}, u2), to_integer({1}, u2))"),
            "v_pack_b32_f16": _op("u4", "u2 u2", "pack_halves({0}, {1})"),
            "v_sat_pk_u8_i16": _op(
                "u2", "u4", "(clip({0}.astype(i2), 0, 255).astype(u2) "
                "| (clip(({0} >> SIXTEEN).astype(i2), 0, 255).astype(u2) << eight_u2))"
            ),
        }
    )  # fmt: skip
    TABLE["v_cvt_pk_rtz_f16_f32"] = TABLE["v_cvt_pkrtz_f16_f32"]
    for suffix, t in (("i32", "i4"), ("u32", "u4")):
        for floating, f in (("f32", "f4"), ("f64", "f8")):
            TABLE[f"v_cvt_{floating}_{suffix}"] = _op(f, t, f"{{0}}.astype({f})")
            TABLE[f"v_cvt_{suffix}_{floating}"] = _op(t, f, f"to_integer({{0}}, {t})")
    for byte in range(4):
        TABLE[f"v_cvt_f32_ubyte{byte}"] = _op("f4", "u4", f"(({{0}} >> {8 * byte}) & 255).astype(f4)")
    for suffix, t, out in (("i32_f32", "f4", "i4"), ("i32_f64", "f8", "i4"), ("i16_f16", "f2", "i2")):
        TABLE[f"v_frexp_exp_{suffix}"] = _op(out, t, f"exponent({{0}}).astype({out})")


def _bits() -> None:
    TABLE.update(
        {
            "v_mov_b32": _op("u4", "u4", "{0}"),
            "v_mov_b64": _op("u8", "u8", "{0}"),
            "v_mov_b16": _op("u2", "u2", "{0}"),
            "v_accvgpr_read_b32": _op("u4", "u4", "{0}"),
            "v_accvgpr_write_b32": _op("u4", "u4", "{0}"),
            "v_accvgpr_mov_b32": _op("u4", "u4", "{0}"),
            "v_and_or_b32": _op("u4", "u4 u4 u4", "({0} & {1}) | {2}"),
            "v_or3_b32": _op("u4", "u4 u4 u4", "{0} | {1} | {2}"),
            "v_xor3_b32": _op("u4", "u4 u4 u4", "{0} ^ {1} ^ {2}"),
            "v_bfi_b32": _op("u4", "u4 u4 u4", "({0} & {1}) | (~{0} & {2})"),
            "v_bfe_u32": _op("u4", "u4 u4 u4", "field_unsigned({0}, {1}, {2})"),
            "v_bfe_i32": _op("i4", "u4 u4 u4", "field_signed({0}, {1}, {2})"),
            "v_bfm_b32": _op("u4", "u4 u4", "((one << ({0} & 31)) - one) << ({1} & 31)"),
            "v_bfrev_b32": _op("u4", "u4", "reverse_bits({0})"),
            "v_bcnt_u32_b32": _op("u4", "u4 u4", "bitwise_count({0}).astype(u4) + {1}"),
            "v_alignbit_b32": _op("u4", "u4 u4 u4", "low_word(combine({1}, {0}) >> ({2} & 31).astype(u8))"),
            "v_alignbyte_b32": _op("u4", "u4 u4 u4", "low_word(combine({1}, {0}) >> (({2} & 3) * 8).astype(u8))"),
            "v_perm_b32": _op("u4", "u4 u4 u4", "permute_bytes({0}, {1}, {2})"),
            "v_lshl_or_b32": _op("u4", "u4 u4 u4", "({0} << ({1} & 31)) | {2}"),
            "v_lshl_add_u32": _op("u4", "u4 u4 u4", "({0} << ({1} & 31)) + {2}"),
            "v_add_lshl_u32": _op("u4", "u4 u4 u4", "({0} + {1}) << ({2} & 31)"),
            "v_lshl_add_u64": _op("u8", "u8 u4 u8", "({0} << ({1} & 7).astype(u8)) + {2}"),
            "v_lshlrev_b64": _op("u8", "u4 u8", "{1} << ({0} & 63).astype(u8)"),
            "v_lshrrev_b64": _op("u8", "u4 u8", "{1} >> ({0} & 63).astype(u8)"),
            "v_ashrrev_i64": _op("i8", "u4 i8", "{1} >> ({0} & 63).astype(i8)"),
            "v_lshlrev_b32": _op("u4", "u4 u4", "{1} << ({0} & 31)"),
            "v_lshrrev_b32": _op("u4", "u4 u4", "{1} >> ({0} & 31)"),
            "v_ashrrev_i32": _op("i4", "i4 i4", "{1} >> ({0} & 31)"),
            "v_lshlrev_b16": _op("u2", "u2 u2", "{1} << ({0} & 15)"),
            "v_lshrrev_b16": _op("u2", "u2 u2", "{1} >> ({0} & 15)"),
            "v_ashrrev_i16": _op("i2", "i2 i2", "{1} >> ({0} & 15)"),
        }
    )
    for size, t in (("16", "u2"), ("32", "u4")):
        TABLE[f"v_not_b{size}"] = _op(t, t, "~{0}")
        TABLE[f"v_and_b{size}"] = _op(t, f"{t} {t}", "{0} & {1}")
        TABLE[f"v_or_b{size}"] = _op(t, f"{t} {t}", "{0} | {1}")
        TABLE[f"v_xor_b{size}"] = _op(t, f"{t} {t}", "{0} ^ {1}")
        TABLE[f"v_xnor_b{size}"] = _op(t, f"{t} {t}", "~({0} ^ {1})")
    for name in ("v_lshlrev_b64_pseudo", "v_lshl_b64"):
        TABLE[name] = TABLE["v_lshlrev_b64"]
    for names, t, expression in (
        ("v_ffbh_u32 v_clz_i32_u32", "u4", "leading_zeros({0})"),
        ("v_ffbh_i32 v_cls_i32", "i4", "leading_signs({0})"),
        ("v_ffbl_b32 v_ctz_i32_b32", "u4", "trailing_zeros({0})"),
    ):
        for name in names.split():
            TABLE[name] = _op("u4", t, expression)


def _integers() -> None:
    TABLE.update(
        {
            "v_add3_u32": _op("u4", "u4 u4 u4", "{0} + {1} + {2}"),
            "v_xad_u32": _op("u4", "u4 u4 u4", "({0} ^ {1}) + {2}"),
            "v_mul_lo_u32": _op("u4", "u4 u4", "{0} * {1}"),
            "v_mul_lo_u16": _op("u2", "u2 u2", "{0} * {1}"),
            "v_mul_hi_u32": _op("u4", "u4 u4", "multiply_high({0}, {1})"),
            "v_mul_hi_i32": _op("i4", "i4 i4", "multiply_high({0}, {1})"),
            "v_mul_u32_u24": _op("u4", "u4 u4", "low24({0}) * low24({1})"),
            "v_mul_i32_i24": _op("i4", "i4 i4", "low24({0}) * low24({1})"),
            "v_mul_hi_u32_u24": _op("u4", "u4 u4", "multiply_high(low24({0}), low24({1}))"),
            "v_mul_hi_i32_i24": _op("i4", "i4 i4", "multiply_high(low24({0}), low24({1}))"),
            "v_mad_u32_u24": _op("u4", "u4 u4 u4", "low24({0}) * low24({1}) + {2}"),
            "v_mad_i32_i24": _op("i4", "i4 i4 i4", "low24({0}) * low24({1}) + {2}"),
            "v_mad_u32": _op("u4", "u4 u4 u4", "{0} * {1} + {2}"),
            "v_mad_u32_u16": _op("u4", "u2 u2 u4", "{0}.astype(u4) * {1} + {2}"),
            "v_mad_i32_i16": _op("i4", "i2 i2 i4", "{0}.astype(i4) * {1} + {2}"),
            "v_mad_nc_u64_u32": _op("u8", "u4 u4 u8", "multiply_wide({0}, {1}) + {2}"),
            "v_mad_nc_i64_i32": _op("i8", "i4 i4 i8", "multiply_wide({0}, {1}) + {2}"),
            "v_mul_u64": _op("u8", "u8 u8", "{0} * {1}"),
            "v_add_nc_u64": _op("u8", "u8 u8", "{0} + {1}"),
            "v_sub_nc_u64": _op("u8", "u8 u8", "{0} - {1}"),
            "v_add_i32": _op("i4", "i4 i4", "{0} + {1}"),
            "v_sub_i32": _op("i4", "i4 i4", "{0} - {1}"),
            "v_add_nc_i32": _op("i4", "i4 i4", "{0} + {1}"),
            "v_sub_nc_i32": _op("i4", "i4 i4", "{0} - {1}"),
            "v_sad_u32": _op("u4", "u4 u4 u4", "maximum_of({0}, {1}) - minimum_of({0}, {1}) + {2}"),
        }
    )
    for infix in ("", "nc_"):
        for size, t in (("32", "u4"), ("16", "u2")):
            TABLE[f"v_add_{infix}u{size}"] = _op(t, f"{t} {t}", "{0} + {1}")
            TABLE[f"v_sub_{infix}u{size}"] = _op(t, f"{t} {t}", "{0} - {1}")
            TABLE[f"v_subrev_{infix}u{size}"] = _op(t, f"{t} {t}", "{1} - {0}")
        TABLE[f"v_add_{infix}i16"] = _op("i2", "i2 i2", "{0} + {1}")
        TABLE[f"v_sub_{infix}i16"] = _op("i2", "i2 i2", "{0} - {1}")
    for name, t in (("u16", "u2"), ("i16", "i2")):
        for infix in ("", "legacy_"):
            TABLE[f"v_mad_{infix}{name}"] = _op(t, f"{t} {t} {t}", "{0} * {1} + {2}")
    for name, t in (("u16", "u2"), ("i16", "i2"), ("u32", "u4"), ("i32", "i4"), ("u64", "u8"), ("i64", "i8")):
        for word, function in (("min", "minimum_of"), ("max", "maximum_of")):
            TABLE[f"v_{word}_{name}"] = _op(t, f"{t} {t}", f"{function}({{0}}, {{1}})")
            TABLE[f"v_{word}3_{name}"] = _op(t, f"{t} {t} {t}", f"{function}({function}({{0}}, {{1}}), {{2}})")
        TABLE[f"v_med3_{name}"] = _op(t, f"{t} {t} {t}", "median({0}, {1}, {2})")
        TABLE[f"v_maxmin_{name}"] = _op(t, f"{t} {t} {t}", "minimum_of(maximum_of({0}, {1}), {2})")
        TABLE[f"v_minmax_{name}"] = _op(t, f"{t} {t} {t}", "maximum_of(minimum_of({0}, {1}), {2})")


_floats()
_approximations()
_conversions()
_bits()
_integers()

READS_DESTINATION = frozenset(f"v_{name}_{suffix}" for name in ("fmac", "mac") for suffix in ("f16", "f32", "f64"))
"""Operations whose last operand is the destination."""

SATURATED: dict[str, str] = {
    **dict.fromkeys(("v_add_u32", "v_add_nc_u32", "v_add_u16", "v_add_nc_u16"), "saturating_add({0}, {1})"),
    **dict.fromkeys(("v_sub_u32", "v_sub_nc_u32", "v_sub_u16", "v_sub_nc_u16"), "saturating_sub({0}, {1})"),
    **dict.fromkeys(("v_add_i32", "v_add_nc_i32", "v_add_i16", "v_add_nc_i16"), "saturating_add({0}, {1})"),
    **dict.fromkeys(("v_sub_i32", "v_sub_nc_i32", "v_sub_i16", "v_sub_nc_i16"), "saturating_sub({0}, {1})"),
}
"""What integer operations become under `clamp`."""

KEEPS_HIGH_HALF_ON_9 = frozenset(
    words(
        "v_mad_u16 v_mad_i16 v_mad_f16 v_fma_f16 v_div_fixup_f16 v_min3_f16 v_max3_f16 v_med3_f16 v_min3_i16 "
        "v_max3_i16 v_med3_i16 v_min3_u16 v_max3_u16 v_med3_u16 v_add_i16 v_sub_i16"
    )
)
"""16-bit operations that leave the other half alone on gfx9, where all others clear it."""

COMPARISONS: dict[str, str] = {
    "f": "FALSE",
    "t": "ALL",
    "tru": "ALL",
    "lt": "{0} < {1}",
    "eq": "{0} == {1}",
    "le": "{0} <= {1}",
    "gt": "{0} > {1}",
    "lg": "({0} < {1}) | ({0} > {1})",
    "ne": "{0} != {1}",
    "ge": "{0} >= {1}",
    "o": "({0} == {0}) & ({1} == {1})",
    "u": "({0} != {0}) | ({1} != {1})",
    "nge": "~({0} >= {1})",
    "nlg": "~(({0} < {1}) | ({0} > {1}))",
    "ngt": "~({0} > {1})",
    "nle": "~({0} <= {1})",
    "neq": "{0} != {1}",
    "nlt": "~({0} < {1})",
}

COMPARED: dict[str, str] = {
    "f16": "f2",
    "f32": "f4",
    "f64": "f8",
    "i16": "i2",
    "u16": "u2",
    "i32": "i4",
    "u32": "u4",
    "i64": "i8",
    "u64": "u8",
}
