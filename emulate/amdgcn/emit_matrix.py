"""Matrix instructions: operands to registers, and which modifiers they may carry."""

from __future__ import annotations

from .emit import Emitter
from .fragments import (
    BITS,
    Multiply,
    Scales,
    find,
    find_scaled,
    find_scaled_wmma,
    find_sparse,
    scales_of_mfma,
    scales_of_wmma,
)
from .syntax import Instruction, Operand, Register

_ZERO_ONLY = ("cbsz", "abid", "blgp")
_FORMATS = {f"MATRIX_FMT_{name}": n for n, name in enumerate(("FP8", "BF8", "FP6", "BF6", "FP4"))}
_CODES = {"f32": "f4", "f64": "f8", "i32": "i4", "f16": "u4", "bf16": "u4"}


def matrix(e: Emitter, i: Instruction) -> None:
    """v_mfma_* and v_wmma_*."""
    selected = i.opcode.endswith("_f8f6f4")
    multiply = find(i.opcode, e.chip, _formats(i) if selected else (0, 0))
    if multiply is None:
        raise e.fault(f"opcode {i.opcode} on {e.chip.name}")
    signs = _check(e, i, multiply)
    destination, a, b, c = i.operands
    destination = e.register(destination, "a matrix in registers is expected")
    e.line(f"S.need_all_lanes(G, {e.exec}, {e.site})")
    name = e.constant(multiply)
    left, right = (_operand(e, multiply, name, *x) for x in (("A", a, signs[0]), ("B", b, signs[1])))
    code = _CODES[multiply.accumulator]
    count = multiply.shape.c_count // (2 if multiply.packed_accumulator else 1)
    start = _accumulator(e, c, code, count)
    high = bool(i.bits("op_sel", 3, 0)[2])
    result = e.fresh(f"S.multiply(G, {name}, {left}, {right}, [{', '.join(start)}], {i.flag('clamp')}, {high})")
    for n in range(count):
        step = 2 if code == "f8" else 1
        put = e.put_pair if code == "f8" else e.put_word
        put(destination.number + n * step, f"{result}[{n}]", code)


def scaled_matrix(e: Emitter, i: Instruction) -> None:
    """v_mfma_scale_*: the last two operands are registers of four scales, of which op_sel has the lower and op_sel_hi
    the higher bit of the number of the one that is meant."""
    multiply = find_scaled(i.opcode, e.chip, (i.number("cbsz"), i.number("blgp")))
    if multiply is None:
        raise e.fault(f"opcode {i.opcode} on {e.chip.name}")
    _refuse_others(e, i, {"cbsz", "blgp", "op_sel", "op_sel_hi"})
    low, high = i.bits("op_sel", 3, 0), i.bits("op_sel_hi", 3, 1)
    _scaled_product(e, i, multiply, [scales_of_mfma(multiply, low[n] + 2 * high[n]) for n in range(2)], 1)


def scaled_wave_matrix(e: Emitter, i: Instruction) -> None:
    """v_wmma_scale_* and v_wmma_scale16_*: modifiers say which row of lanes has the scales, and of which format."""
    found = find_scaled_wmma(i.opcode, e.chip, _formats(i))
    if found is None:
        raise e.fault(f"opcode {i.opcode} on {e.chip.name}")
    multiply, block = found
    words = ("fmt", "scale", "scale_fmt", "reuse")
    _refuse_others(e, i, {f"matrix_{side}_{word}" for side in "ab" for word in words})
    scales: list[Scales] = []
    for side in "ab":
        upper = i.modifiers.get(f"matrix_{side}_scale", "MATRIX_SCALE_ROW0") == "MATRIX_SCALE_ROW1"
        format = i.modifiers.get(f"matrix_{side}_scale_fmt", "MATRIX_SCALE_FMT_E8")
        if format not in _SCALE_FORMATS:
            raise e.fault(f"modifier matrix_{side}_scale_fmt:{format}")
        scales.append(scales_of_wmma(multiply, side.upper(), block, upper, _SCALE_FORMATS[format]))
    _scaled_product(e, i, multiply, scales, 32 // block)


_SCALE_FORMATS = {"MATRIX_SCALE_FMT_E8": "e8m0", "MATRIX_SCALE_FMT_E4M3": "e4m3"}


def _refuse_others(e: Emitter, i: Instruction, known: set[str]) -> None:
    if other := sorted(i.modifiers.keys() - known):
        raise e.fault(f"modifier {other[0]}:{i.modifiers[other[0]]}")


def _scaled_product(e: Emitter, i: Instruction, multiply: Multiply, scales: list[Scales], words: int) -> None:
    """`words`: registers of scales."""
    destination, a, b, c, *held = i.operands
    destination = e.register(destination, "a matrix in registers is expected")
    e.line(f"S.need_all_lanes(G, {e.exec}, {e.site})")
    name = e.constant(multiply)
    operands: list[str] = []
    for role, operand, given, which in zip("AB", (a, b), held, scales, strict=True):
        matrix = _operand(e, multiply, name, role, operand, 1)
        codes = ", ".join(_scale_words(e, given, words))
        operands.append(e.fresh(f"S.scaled(G, {matrix}, [{codes}], {e.constant(which)}, {role == 'A'})"))
    start = _accumulator(e, c, "f4", multiply.shape.c_count)
    result = e.fresh(f"S.multiply(G, {name}, {', '.join(operands)}, [{', '.join(start)}], False, False)")
    for n in range(multiply.shape.c_count):
        e.put_word(destination.number + n, f"{result}[{n}]", "f4")


def _scale_words(e: Emitter, operand: Operand, count: int) -> list[str]:
    if isinstance(operand, Register) and count > 1:
        return [e.word(operand.number + n) for n in range(count)]
    if count > 1:
        raise e.fault("scales in registers are expected")
    return [e.get(operand, "u4")]


def sparse_matrix(e: Emitter, i: Instruction) -> None:
    """v_smfmac_* and v_swmmac_*: the destination is the accumulator, and the last operand says where the elements of A
    stand."""
    multiply = find_sparse(i.opcode, e.chip)
    if multiply is None:
        raise e.fault(f"opcode {i.opcode} on {e.chip.name}")
    integers = multiply.a_type.startswith("iu")
    known = {"cbsz", "abid"} if e.chip.generation == 9 else {"index_key", *(["neg_lo", "clamp"] if integers else [])}
    if other := sorted(i.modifiers.keys() - known):
        raise e.fault(f"modifier {other[0]}:{i.modifiers[other[0]]}")
    signs = i.bits("neg_lo", 3, 0) if integers else (1, 1, 1)
    destination, a, b, indices = i.operands
    if not isinstance(destination, Register) or not isinstance(a, Register):
        raise e.fault("a matrix in registers is expected", "syntax")
    e.line(f"S.need_all_lanes(G, {e.exec}, {e.site})")
    name, held = e.constant(multiply), multiply.shape.a_count // 2
    if a.count != held * BITS[multiply.a_type] // 32:
        raise e.fault(f"A in {a.count} registers where {held * BITS[multiply.a_type] // 32} are expected", "syntax")
    number = i.number("index_key") if e.chip.generation > 9 else 0 if i.number("cbsz") else i.number("abid")
    words = [e.word(a.number + n) for n in range(a.count)]
    set_of = f"{e.get(indices, 'u4')}, {2 * held * number}, {bool(signs[0])}"
    left = e.fresh(f"S.sparse(G, {name}, [{', '.join(words)}], {set_of}, {e.site})")
    right = _operand(e, multiply, name, "B", b, signs[1])
    code = _CODES[multiply.accumulator]
    count = multiply.shape.c_count // (2 if multiply.packed_accumulator else 1)
    start = _accumulator(e, destination, code, count)
    result = e.fresh(f"S.multiply(G, {name}, {left}, {right}, [{', '.join(start)}], {i.flag('clamp')}, False)")
    for n in range(count):
        e.put_word(destination.number + n, f"{result}[{n}]", code)


def _formats(i: Instruction) -> tuple[int, int]:
    """The formats of A and B: numbers on gfx950, words on gfx1250."""
    a, b = i.modifiers.get("matrix_a_fmt"), i.modifiers.get("matrix_b_fmt")
    unknown = len(_FORMATS)
    return (
        _FORMATS.get(a, unknown) if a is not None else i.number("cbsz"),
        _FORMATS.get(b, unknown) if b is not None else i.number("blgp"),
    )


def _check(e: Emitter, i: Instruction, multiply: Multiply) -> tuple[int, ...]:
    """The signedness of A and B; refuses modifiers that change values otherwise."""
    integers = multiply.a_type.startswith("iu")
    if i.opcode.endswith("_f8f6f4"):
        return 1, 1, 1
    for name, value in i.modifiers.items():
        zero = not any(c in value for c in "123456789")
        known = zero if name in (*_ZERO_ONLY, "neg_hi") else name in ("clamp", "op_sel", "op_sel_hi", "neg_lo")
        known = known and (name != "neg_lo" or integers or zero)
        if not known:
            raise e.fault(f"modifier {name}:{value}")
    return i.bits("neg_lo", 3, 0) if integers else (1, 1, 1)


def _operand(e: Emitter, multiply: Multiply, name: str, role: str, operand: Operand, sign: int) -> str:
    """The matrix, made once for the same values."""
    operand = e.register(operand, "a matrix in registers is expected")
    code = "u8" if multiply.a_type == "f64" else "u4"
    held, kind = (multiply.shape.a_count, multiply.a_type) if role == "A" else (multiply.shape.b_count, multiply.b_type)
    expected = max(held * BITS[kind] // 32, 1)
    if operand.count != expected:
        raise e.fault(f"{role} in {operand.count} registers where {expected} are expected", "syntax")
    step = 2 if code == "u8" else 1
    numbers = range(operand.number, operand.number + operand.count, step)
    values = [e.pair(n, code) if step == 2 else e.word(n, code) for n in numbers]
    key = (multiply, role, sign, tuple(values))
    if key not in e.remembered:
        e.remembered[key] = e.fresh(f"S.matrix(G, {name}, {role!r}, [{', '.join(values)}], {bool(sign)}, {e.site})")
    return e.remembered[key]


def _accumulator(e: Emitter, operand: Operand, code: str, count: int) -> list[str]:
    if not isinstance(operand, Register):
        return [e.get(operand, code)] * count
    step = 2 if code == "f8" else 1
    return [e.get(Register(operand.number + n * step, step), code) for n in range(count)]
