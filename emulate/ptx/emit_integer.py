"""Source for integer, logic, move and predicate instructions."""

from __future__ import annotations

from .emit import CARRY, Emitter, Handler
from .syntax import Immediate, Instruction, Pair, Register, Sink, Vector
from .table import SHARED, TABLE, handler
from .types import PtxType

_LOGIC = {"and": "&", "or": "|", "xor": "^"}


def _typed(e: Emitter, i: Instruction) -> PtxType:
    return e.type(i.type)


def binary(e: Emitter, i: Instruction, template: str, code: str) -> None:
    """dst = template of the two sources, all of one type."""
    a, b = (e.get(x, code) for x in i.operands[1:3])
    e.put(i.operands[0], template.format(a=a, b=b), code)


def integer_add(e: Emitter, i: Instruction) -> None:
    """add and sub, with saturation or the carry flag."""
    t = _typed(e, i)
    op = i.opcode.removesuffix("c")
    if i.opcode in ("addc", "subc") or i.has("cc"):
        _carry(e, i, op, t)
        return
    if t.kind == "x":
        template = "packed(lambda x, y: x " + ("+" if op == "add" else "-") + " y, {a}, {b})"
        binary(e, i, template, "u4")
        return
    if i.has("sat"):
        binary(e, i, f"saturating({op!r}, {{a}}, {{b}})", t.code)
        return
    binary(e, i, "{a} + {b}" if op == "add" else "{a} - {b}", t.unsigned)
    return


def _carry(e: Emitter, i: Instruction, op: str, t: PtxType, sources: tuple[str, str] | None = None) -> None:
    a, b = sources or (e.get(i.operands[1], t.unsigned), e.get(i.operands[2], t.unsigned))
    flag = Register(CARRY)
    carry = e.get(flag, "bool") if i.opcode.endswith("c") and i.opcode != "add" else "False_"
    pair = e.fresh(f"{'add_carry' if op == 'add' else 'sub_borrow'}({a}, {b}, {carry})")
    e.put(i.operands[0], f"{pair}[0]", t.unsigned)
    if i.has("cc"):
        e.put(flag, f"{pair}[1]", "bool")


def multiply(e: Emitter, i: Instruction) -> None:
    t = _typed(e, i)
    if i.has("wide"):
        a, b = (e.get(x, t.code) for x in i.operands[1:3])
        e.put(i.operands[0], f"multiply_wide({a}, {b})", f"{t.code[0]}{t.size * 2}")
    elif i.has("hi"):
        binary(e, i, "multiply_high({a}, {b})", t.code)
    else:
        binary(e, i, "{a} * {b}", t.unsigned)


def multiply_add(e: Emitter, i: Instruction) -> None:
    t = _typed(e, i)
    a, b = (e.get(x, t.code) for x in i.operands[1:3])
    if i.has("wide"):
        wide = f"{t.code[0]}{t.size * 2}"
        e.put(i.operands[0], f"multiply_wide({a}, {b}) + {e.get(i.operands[3], wide)}", wide)
        return
    c = e.get(i.operands[3], t.code)
    product = f"multiply_high({a}, {b})" if i.has("hi") else f"({a} * {b})"
    if i.opcode == "madc" or i.has("cc"):
        bits = e.fresh(f"{product}.view({t.unsigned})")
        _carry(e, i, "add", t, (bits, e.get(i.operands[3], t.unsigned)))
        return
    if i.has("sat"):
        e.put(i.operands[0], f"saturating('add', {product}, {c})", t.code)
    else:
        e.put(i.operands[0], f"{product} + {c}", t.code)


def pick(e: Emitter, i: Instruction) -> None:
    t = _typed(e, i)
    name = "minimum" if i.opcode == "min" else "maximum"
    if t.kind == "x":
        kind = "i2" if t.name == "s16x2" else "u2"
        chosen = f"{name}(x.view({kind}), y.view({kind}))"
        chosen = f"maximum({chosen}, {e.number(0, kind)})" if i.has("relu") else chosen
        binary(e, i, f"packed(lambda x, y: {chosen}, {{a}}, {{b}})", "u4")
        return
    binary(e, i, name + "({a}, {b})", t.code)
    if i.has("relu"):
        e.put(i.operands[0], f"maximum({e.get(i.operands[0], t.code)}, {e.number(0, t.code)})", t.code)


def shift(e: Emitter, i: Instruction) -> None:
    """Amounts of the width and above shift everything out (the sign stays for signed right shifts)."""
    t = _typed(e, i)
    value = e.get(i.operands[1], t.code if i.opcode == "shr" else t.unsigned)
    code = t.code if i.opcode == "shr" else t.unsigned
    amount = i.operands[2]
    if isinstance(amount, Immediate):
        count = e.number(min(amount.value & 0xFFFFFFFF, 8 * t.size), code)
    else:
        count = e.fresh(f"minimum({e.get(amount, 'u4')}, {e.number(8 * t.size, 'u4')}).astype({code})")
    e.put(i.operands[0], f"{value} {'<<' if i.opcode == 'shl' else '>>'} {count}", code)


def bit_mask(e: Emitter, i: Instruction) -> None:
    a, b = (e.get(x, "u4") for x in i.operands[1:3])
    if i.has("wrap"):
        a, b = f"({a} & {e.number(31, 'u4')})", f"({b} & {e.number(31, 'u4')})"
    ones, zero, limit = e.number(-1, "u4"), e.number(0, "u4"), e.number(32, "u4")
    e.put(i.operands[0], f"insert_field({ones}, {zero}, minimum({a}, {limit}), minimum({b}, {limit}))", "u4")


def permute(e: Emitter, i: Instruction) -> None:
    a, b, c = (e.get(x, "u4") for x in i.operands[1:4])
    mode = next((m for m in i.modifiers if m in ("f4e", "b4e", "rc8", "ecl", "ecr", "rc16")), "")
    e.put(i.operands[0], f"permute_bytes({a}, {b}, {c}, {mode!r})", "u4")


def logic3(e: Emitter, i: Instruction) -> None:
    a, b, c = (e.get(x, "u4") for x in i.operands[1:4])
    table = i.operands[4]
    if not isinstance(table, Immediate):
        raise e.fault("lop3 needs a literal table")
    e.put(i.operands[0], f"logic3({a}, {b}, {c}, {table.value})", "u4")


def dot(e: Emitter, i: Instruction) -> None:
    a, b, c = (e.get(x, "u4") for x in i.operands[1:4])
    kinds = tuple(m[0] for m in i.modifiers if m in ("u32", "s32"))
    half = None if i.opcode == "dp4a" else int(i.has("hi"))
    e.put(i.operands[0], f"dot_product({a}, {b}, {c}, {kinds!r}, half={half})", "u4")


# ---- moves ----------------------------------------------------------------------------------------------------------


def move(e: Emitter, i: Instruction) -> None:
    destination, source = i.operands
    t = _typed(e, i)
    if isinstance(destination, Vector):
        _unpack(e, destination, source, t)
        return
    if isinstance(source, Vector):
        _pack(e, destination, source, t)
        return
    e.put(destination, e.get(source, t.unsigned), t.unsigned)


def _unpack(e: Emitter, destination: Vector, source: object, t: PtxType) -> None:
    part = t.size // len(destination.items)
    value = e.get(source, t.unsigned)  # type: ignore[arg-type]
    for position, item in enumerate(destination.items):
        if not isinstance(item, Sink):
            shifted = value if position == 0 else f"({value} >> {e.number(8 * part * position, t.unsigned)})"
            e.put(item, f"{shifted}.astype(u{part})", f"u{part}")


def _pack(e: Emitter, destination: object, source: Vector, t: PtxType) -> None:
    part = t.size // len(source.items)
    terms: list[str] = []
    for position, item in enumerate(source.items):
        value = f"{e.get(item, f'u{part}')}.astype({t.unsigned})"
        terms.append(value if position == 0 else f"({value} << {e.number(8 * part * position, t.unsigned)})")
    e.put(destination, " | ".join(terms), t.unsigned)  # type: ignore[arg-type]


def select_by_sign(e: Emitter, i: Instruction) -> None:
    """slct: a where c >= 0 (NaN counts as negative), else b."""
    t, by = e.type(i.modifiers[-2]), e.type(i.type)
    a, b = (e.get(x, t.unsigned) for x in i.operands[1:3])
    e.put(i.operands[0], f"where({e.get(i.operands[3], by.code)} >= 0, {a}, {b})", t.unsigned)


_COMPARISONS = {
    "eq": "==",
    "ne": "!=",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "lo": "<",
    "ls": "<=",
    "hi": ">",
    "hs": ">=",
}
_COMBINE = ("and", "or", "xor")


def compare_expression(e: Emitter, i: Instruction, t: PtxType) -> str:
    """The bare comparison of setp and set."""
    op = i.modifiers[0]
    if op in _COMBINE or op == "ftz":
        raise e.fault(f"modifier .{op} where a comparison is expected")
    a, b = (e.get(x, t.code) for x in i.operands[1:3])
    if not t.is_float:
        return f"{a} {_COMPARISONS[op]} {b}"
    if t.kind == "n":
        a, b = f"decode_bf16({a})", f"decode_bf16({b})"
    if i.has("ftz") and t.name == "f32":
        a, b = (f"flush_bits({x}.view(u4), 'f32').view(f4)" for x in (a, b))
    return f"{a} {_COMPARISONS[op]} {b}" if op in ("eq", "lt", "le", "gt", "ge") else f"compare({op!r}, {a}, {b})"


def set_predicate(e: Emitter, i: Instruction) -> None:
    destination = i.operands[0]
    t = _typed(e, i)
    if t.kind == "x":
        _set_packed(e, i, t)
        return
    combine = next((m for m in i.modifiers if m in _COMBINE), None)
    bare = e.fresh(compare_expression(e, i, t))
    other = e.get(i.operands[3], "bool") if combine else ""
    first, second = (destination.first, destination.second) if isinstance(destination, Pair) else (destination, Sink())
    joined = f"{{}} {_LOGIC[combine]} {other}" if combine else "{}"
    e.put(first, joined.format(bare), "bool")
    e.put(second, joined.format(f"(~{bare})"), "bool")


def _set_packed(e: Emitter, i: Instruction, t: PtxType) -> None:
    destination = i.operands[0]
    if not isinstance(destination, Pair):
        raise e.fault("packed comparison needs two destinations")
    a, b = (e.get(x, "u4") for x in i.operands[1:3])
    values: list[str] = []
    for shift in (0, 16):
        x, y = (f"({v} >> {e.number(shift, 'u4')}).astype(u2)" for v in (a, b))
        decode = "decode_bf16({})" if t.name == "bf16x2" else "{}.view(f2)"
        x, y = decode.format(x), decode.format(y)
        op = i.modifiers[0]
        values.append(
            e.fresh(
                f"{x} {_COMPARISONS[op]} {y}" if op in ("eq", "lt", "le", "gt", "ge") else f"compare({op!r}, {x}, {y})"
            )
        )
    e.put(destination.first, values[0], "bool")
    e.put(destination.second, values[1], "bool")


def set_value(e: Emitter, i: Instruction) -> None:
    """set: all ones, or 1.0 for a float destination."""
    t, out = e.type(i.type), e.type(i.modifiers[-2])
    bare = compare_expression(e, i, t)
    combine = next((m for m in i.modifiers if m in _COMBINE), None)
    if combine:
        bare = f"({bare}) {_LOGIC[combine]} {e.get(i.operands[3], 'bool')}"
    true = e.number(0x3F800000, "u4") if out.name == "f32" else e.number(-1, out.unsigned)
    e.put(i.operands[0], f"where({bare}, {true}, {e.number(0, out.unsigned)})", out.unsigned)


_WINDOWS = {"global": 0, "const": 0, "shared": 1, "local": 2, "param": 3}


def convert_address(e: Emitter, i: Instruction) -> None:
    """cvta: a space's own address to a generic one, or back with `.to`."""
    space = next(m.split("_")[0] for m in i.modifiers if m.split("_")[0] in _WINDOWS)
    source = i.operands[1]
    code = "i8" if i.type in ("u64", "b64") else "u4"
    value = e.place(source, code)
    window = _WINDOWS[space]
    if window and code == "i8":
        value = f"{value} {'-' if i.has('to') else '+'} {e.number(window << 56, 'i8')}"
    e.put(i.operands[0], value, code)


def is_space(e: Emitter, i: Instruction) -> None:
    space = i.modifiers[0].split("_")[0]
    source = i.operands[1]
    value = e.place(source, "i8")
    e.put(i.operands[0], f"({value} >> {e.number(56, 'i8')}) == {_WINDOWS[space]}", "bool")


def nothing(e: Emitter, i: Instruction) -> None:
    """Fences and hints: this machine executes memory operations in order."""
    del e, i


INTEGER: dict[str, Handler] = {
    **{opcode: handler(row) for opcode, row in SHARED.items()},
    "add": integer_add,
    "sub": integer_add,
    "addc": integer_add,
    "subc": integer_add,
    "mul": multiply,
    "mad": multiply_add,
    "madc": multiply_add,
    "min": pick,
    "max": pick,
}
"""Opcodes shared with floating point: chosen by type in `handlers`."""

PLAIN: dict[str, Handler] = {
    **{opcode: handler(row) for opcode, row in TABLE.items()},
    "shl": shift,
    "shr": shift,
    "bmsk": bit_mask,
    "prmt": permute,
    "lop3": logic3,
    "dp4a": dot,
    "dp2a": dot,
    "mov": move,
    "slct": select_by_sign,
    "setp": set_predicate,
    "set": set_value,
    "cvta": convert_address,
    "isspacep": is_space,
    "membar": nothing,
    "applypriority": nothing,
    "discard": nothing,
    "nanosleep": nothing,
    "setmaxnreg": nothing,
    "pmevent": nothing,
    "nop": nothing,
}
