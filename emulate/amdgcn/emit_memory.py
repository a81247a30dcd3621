"""Loads, stores and atomics: addresses, widths and halves, and what each leaves outstanding."""

from __future__ import annotations

from collections.abc import Callable

from ...support.dataclasses import dataclass
from ...targets.transposing_loads import FROM_GLOBAL, TransposingLoad
from .emit import Emitter, Handler, registers
from .syntax import M0, Immediate, Instruction, Operand, Register, Special, words
from .waits import Event

_IGNORED = frozenset(words("glc slc dlc scc sc0 sc1 nt scope th nv lds gds offen idxen offset offset0 offset1"))


@dataclass(frozen=True)
class Width:
    """`count` elements of `size` bytes; `kind` is u or i (extension), `half` names the half of a 16-bit access."""

    size: int
    count: int = 1
    kind: str = "u"
    half: str = ""


_WORDS = {"dword": 1, "b32": 1, "dwordx2": 2, "b64": 2, "dwordx3": 3, "b96": 3, "dwordx4": 4, "b128": 4}
WIDTHS: dict[str, Width] = {name: Width(4, count) for name, count in _WORDS.items()} | {
    "ubyte": Width(1),
    "u8": Width(1),
    "sbyte": Width(1, kind="i"),
    "i8": Width(1, kind="i"),
    "byte": Width(1),
    "b8": Width(1),
    "ushort": Width(2),
    "u16": Width(2),
    "sshort": Width(2, kind="i"),
    "i16": Width(2, kind="i"),
    "short": Width(2),
    "b16": Width(2),
    "short_d16": Width(2, half="l"),
    "short_d16_hi": Width(2, half="h"),
    "d16_b16": Width(2, half="l"),
    "d16_hi_b16": Width(2, half="h"),
    "ubyte_d16": Width(1, half="l"),
    "ubyte_d16_hi": Width(1, half="h"),
    "sbyte_d16": Width(1, kind="i", half="l"),
    "sbyte_d16_hi": Width(1, kind="i", half="h"),
    "d16_u8": Width(1, half="l"),
    "d16_hi_u8": Width(1, half="h"),
    "d16_i8": Width(1, kind="i", half="l"),
    "d16_hi_i8": Width(1, kind="i", half="h"),
    "byte_d16_hi": Width(1, half="h"),
    "d16_hi_b8": Width(1, half="h"),
    "u8_d16": Width(1, half="l"),
    "u8_d16_hi": Width(1, half="h"),
    "i8_d16": Width(1, kind="i", half="l"),
    "i8_d16_hi": Width(1, kind="i", half="h"),
    "u16_d16": Width(2, half="l"),
    "u16_d16_hi": Width(2, half="h"),
    "b8_d16_hi": Width(1, half="h"),
    "b16_d16_hi": Width(2, half="h"),
}
"""What follows `load_`, `store_`, `read_` or `write_` in an opcode."""


def check_access(e: Emitter, i: Instruction, more: frozenset[str] = frozenset()) -> None:
    for name in i.modifiers:
        if name not in _IGNORED and name not in more:
            raise e.fault(f"modifier {name}")


# ---- data -----------------------------------------------------------------------------------------------------------


def put_loaded(e: Emitter, destination: Register, names: list[str], width: Width, first: int = 0) -> None:
    """Write what a load returned to its registers."""
    if width.size == 4:
        for position, name in enumerate(names):
            e.put_word(destination.number + first + position, name)
        return
    value = names[0]
    if width.half or destination.half:
        bits = f"{value}.view({width.kind}{width.size}).astype({width.kind}2).view(u2)"
        e.put_half(destination.number, width.half or destination.half, bits, "u2", keep=True)
    else:
        e.put_word(destination.number, f"{value}.view({width.kind}{width.size}).astype({width.kind}4).view(u4)")


def stored(e: Emitter, source: Register, width: Width) -> list[str]:
    """The elements that a store writes."""
    if width.size == 4:
        return [e.word(source.number + n) for n in range(width.count)]
    half = width.half or source.half
    word = e.word(source.number)
    if width.size == 2:
        return [e.get(Register(source.number, 1, half or "l"), "u2")]
    return [e.fresh(f"({word} >> SIXTEEN).astype(u1)" if half == "h" else f"{word}.astype(u1)")]


def _names(e: Emitter, count: int) -> list[str]:
    return [e.name() for _ in range(count)]


# ---- addresses ------------------------------------------------------------------------------------------------------


def global_address(e: Emitter, i: Instruction, operands: tuple[Operand, ...], size: int) -> str:
    """v[0:1], off | v0, s[0:1]: an int64 expression."""
    vector, base = operands[0], operands[1] if len(operands) > 1 else Special("off")
    offset = i.number("offset")
    if isinstance(base, Register):
        if base.count != 2:
            raise e.fault("an address in two registers is expected", "syntax")
        parts = [e.get(base, "i8")]
        if isinstance(vector, Register):
            index = e.get(vector, "i4" if e.chip.is_1250 else "u4")
            scale = f" * {size}" if i.flag("scale_offset") else ""
            parts.append(f"{index}.astype(i8){scale}")
    else:
        address = e.register(vector)
        if address.count != 2 or not address.is_vector:
            raise e.fault("an address in two registers with lanes is expected", "syntax")
        parts = [e.get(address, "i8")]
    if offset:
        parts.append(e.number(offset, "i8"))
    return e.fresh(" + ".join(parts))


def _private_address(e: Emitter, i: Instruction, operands: tuple[Operand, ...], size: int) -> str:
    """off | v0, off | s0: an int64 expression."""
    parts = [e.number(i.number("offset"), "i8")]
    for operand in operands:
        if isinstance(operand, Register):
            parts.append(f"{e.get(operand, 'i4')}.astype(i8)")
        elif isinstance(operand, Immediate):
            parts.append(e.get(operand, "i8"))
    return e.fresh(" + ".join(parts))


_ADDRESSES: dict[str, Callable[[Emitter, Instruction, tuple[Operand, ...], int], str]] = {
    "global": global_address,
    "flat": global_address,
    "scratch": _private_address,
}
_PREFIX = {"global": "", "flat": "flat_", "scratch": "private_"}
SCALED = frozenset(["scale_offset"])


def _is_strong(i: Instruction) -> bool:
    """Whether a load bypasses the caches of a compute unit, as one of an atomic does: LLVM's AMDGPU document, memory
    model. Together with slc, glc says that the data is not used again."""
    return (i.flag("glc") and not i.flag("slc")) or i.flag("sc1") or "scope" in i.modifiers


def _load(space: str, width: Width) -> Handler:
    def handler(e: Emitter, i: Instruction) -> None:
        check_access(e, i, SCALED)
        destination = e.register(i.operands[0])
        address = _ADDRESSES[space](e, i, i.operands[1:], width.size * width.count)
        names = _names(e, width.count)
        strong = ", True" if space != "scratch" and _is_strong(i) else ""
        call = f"S.{_PREFIX[space]}load(G, {e.exec}, {address}, {width.size}, {width.count}, {e.site}{strong})"
        e.line(f"{', '.join(names)}, = {call}")
        put_loaded(e, destination, names, width)
        e.events.append(Event("load", frozenset(registers(destination))))
        if space == "flat":
            e.events.append(Event("shared", frozenset(registers(destination))))

    return handler


def _store(space: str, width: Width) -> Handler:
    def handler(e: Emitter, i: Instruction) -> None:
        check_access(e, i, SCALED)
        address = _ADDRESSES[space](e, i, (i.operands[0], *i.operands[2:]), width.size * width.count)
        values = stored(e, e.register(i.operands[1]), width)
        e.line(f"S.{_PREFIX[space]}store(G, {e.exec}, {address}, {width.size}, [{', '.join(values)}], {e.site})")
        e.events.append(Event("store"))
        if space == "flat":
            e.events.append(Event("shared"))

    return handler


# ---- atomics --------------------------------------------------------------------------------------------------------

_ATOMICS: dict[str, tuple[str, int]] = {
    "swap": ("swap", 4),
    "cmpswap": ("cmpswap", 4),
    "add": ("add4", 4),
    "sub": ("sub4", 4),
    "inc": ("inc4", 4),
    "dec": ("dec4", 4),
    "add_f32": ("fadd4", 4),
    "add_f64": ("fadd8", 8),
    "min_f64": ("fmin8", 8),
    "max_f64": ("fmax8", 8),
    "pk_add_f16": ("pk_add_f16", 4),
    "pk_add_bf16": ("pk_add_bf16", 4),
}
for _name in ("smin", "smax", "umin", "umax", "and", "or", "xor"):
    _ATOMICS[_name] = (f"{_name}4", 4)
for _name, (_update, _size) in list(_ATOMICS.items()):
    if _size == 4 and "_" not in _name:
        _ATOMICS[f"{_name}_x2"] = (_update.replace("4", "8"), 8)
for _name in ("fmin", "fmax"):
    _ATOMICS[_name], _ATOMICS[f"{_name}_x2"] = (f"{_name}4", 4), (f"{_name}8", 8)
for _new, _old in (
    ("add_u", "add"),
    ("sub_u", "sub"),
    ("inc_u", "inc"),
    ("dec_u", "dec"),
    ("min_i", "smin"),
    ("max_i", "smax"),
    ("min_u", "umin"),
    ("max_u", "umax"),
    ("and_b", "and"),
    ("or_b", "or"),
    ("xor_b", "xor"),
    ("swap_b", "swap"),
    ("cmpswap_b", "cmpswap"),
):
    for _bits in (32, 64):
        _update = _old if "swap" in _old else f"{_old}{_bits // 8}"
        _ATOMICS[f"{_new}{_bits}"] = (_update, _bits // 8)
for _word, _infix in (("min", ""), ("max", ""), ("min", "_num"), ("max", "_num")):
    _ATOMICS[f"{_word}{_infix}_f32"] = (f"f{_word}4", 4)
    _ATOMICS[f"{_word}{_infix}_f64"] = (f"f{_word}8", 8)


def _atomic_data(e: Emitter, source: Register, update: str, size: int) -> list[str]:
    """The operands; a compare-and-swap has the new value first, then what to compare with."""
    step = size // 4
    return [e.get(Register(source.number + n * step, step), f"u{size}") for n in range(2 if update == "cmpswap" else 1)]


def _returns(e: Emitter, i: Instruction) -> bool:
    returns = i.flag("glc") or "TH_ATOMIC_RETURN" in i.modifiers.get("th", "")
    return returns or (i.flag("sc0") and e.chip.generation == 9)


def _atomic(space: str, update: str, size: int) -> Handler:
    def handler(e: Emitter, i: Instruction) -> None:
        check_access(e, i, SCALED)
        returns = _returns(e, i)
        operands = i.operands[1:] if returns else i.operands
        if len(operands) < 2:
            raise e.fault("an address and data are expected", "syntax")
        address = _ADDRESSES[space](e, i, (operands[0], *operands[2:]), size)
        data = ", ".join(_atomic_data(e, e.register(operands[1]), update, size))
        before = e.fresh(
            f"S.{_PREFIX[space]}atomic(G, {e.exec}, {address}, {update!r}, [{data}], {size}, {returns}, {e.site})"
        )
        if returns:
            e.put(i.operands[0], before, f"u{size}")
            e.events.append(Event("load", frozenset(registers(i.operands[0]))))
        else:
            e.events.append(Event("store"))

    return handler


# ---- buffers --------------------------------------------------------------------------------------------------------


def _buffer_address(e: Emitter, i: Instruction, operands: tuple[Operand, ...]) -> tuple[str, str, str]:
    """(resource words, checked offset, unchecked offset)."""
    if i.flag("idxen"):
        raise e.fault("an indexed buffer access")
    if e.chip.is_1250:
        raise e.fault("a buffer access on gfx1250")
    vector, resource, scalar = operands
    first = e.register(resource).number
    words = ", ".join(e.word(first + n) for n in range(4))
    offset = e.number(i.number("offset"), "i8")
    if i.flag("offen"):
        offset = e.fresh(f"{e.get(vector, 'u4')}.astype(i8) + {offset}")
    if isinstance(scalar, Immediate | Register):
        outside = e.fresh(f"{e.get(scalar, 'u4')}.astype(i8)")
    else:
        outside = e.number(0, "i8")
    return f"({words})", offset, outside


def _buffer_load(width: Width) -> Handler:
    def handler(e: Emitter, i: Instruction) -> None:
        check_access(e, i)
        if i.flag("lds"):
            _buffer_copy(e, i, width)
            return
        destination = e.register(i.operands[0])
        words, offset, outside = _buffer_address(e, i, i.operands[1:])
        names = _names(e, width.count)
        e.line(
            f"{', '.join(names)}, = S.buffer_load(G, {e.exec}, {words}, {offset}, {outside}, "
            f"{width.size}, {width.count}, {e.site})"
        )
        put_loaded(e, destination, names, width)
        e.events.append(Event("load", frozenset(registers(destination))))

    return handler


def _buffer_copy(e: Emitter, i: Instruction, width: Width) -> None:
    """buffer_load .. lds: the destination is M0 + offset + lane * size."""
    words, offset, outside = _buffer_address(e, i, i.operands)
    sizes = f"{e.word(M0)}, {i.number('offset')}, {width.size}, {width.count}"
    e.line(f"S.buffer_copy(G, {e.exec}, {words}, {offset}, {outside}, {sizes}, {e.site})")
    e.events.append(Event("load"))


def _buffer_store(width: Width) -> Handler:
    def handler(e: Emitter, i: Instruction) -> None:
        check_access(e, i)
        words, offset, outside = _buffer_address(e, i, i.operands[1:])
        values = ", ".join(stored(e, e.register(i.operands[0]), width))
        e.line(f"S.buffer_store(G, {e.exec}, {words}, {offset}, {outside}, {width.size}, [{values}], {e.site})")
        e.events.append(Event("store"))

    return handler


def _buffer_atomic(update: str, size: int) -> Handler:
    """The registers with the data get what was there before, where it is asked for."""

    def handler(e: Emitter, i: Instruction) -> None:
        check_access(e, i)
        given = e.register(i.operands[0])
        words, offset, outside = _buffer_address(e, i, i.operands[1:])
        data = ", ".join(_atomic_data(e, given, update, size))
        call = f"{words}, {offset}, {outside}, {update!r}, [{data}], {size}, {_returns(e, i)}, {e.site}"
        before = e.fresh(f"S.buffer_atomic(G, {e.exec}, {call})")
        if _returns(e, i):
            found = Register(given.number, size // 4)
            e.put(found, before, f"u{size}")
            e.events.append(Event("load", frozenset(registers(found))))
        else:
            e.events.append(Event("store"))

    return handler


# ---- scalar loads ---------------------------------------------------------------------------------------------------


def _scalar_load(width: Width, buffer: bool) -> Handler:
    def handler(e: Emitter, i: Instruction) -> None:
        check_access(e, i, SCALED)
        destination, base = e.register(i.operands[0]), e.register(i.operands[1])
        nbytes = width.size * width.count
        parts = [e.number(i.number("offset"), "i8")]
        for operand in i.operands[2:]:
            if isinstance(operand, Immediate):
                parts.append(e.number(int(operand.value), "i8"))
            elif isinstance(operand, Register):
                scale = f" * {nbytes}" if i.flag("scale_offset") else ""
                parts.append(f"{e.get(operand, 'u4')}.astype(i8){scale}")
        if buffer:
            start = f"{e.get(Register(base.number, 2), 'i8')} & BUFFER_BASE"
        else:
            start = e.get(base, "i8")
        address = e.fresh(f"({start}) + " + " + ".join(parts))
        names = _names(e, width.count)
        e.line(f"{', '.join(names)}, = S.scalar_load(G, {address}, {width.size}, {width.count}, {e.site})")
        for position, name in enumerate(names):
            if width.size < 4:
                name = f"{name}.view({width.kind}{width.size}).astype({width.kind}4).view(u4)"
            e.put_word(destination.number + position, name)
        e.events.append(Event("scalar", frozenset(registers(destination))))

    return handler


# ---- shared memory (LDS) --------------------------------------------------------------------------------------------


def shared_address(e: Emitter, operand: Operand, offset: int) -> str:
    """An int64 expression; the sum wraps around in 32 bits."""
    base = e.get(operand, "u4")
    return e.fresh(f"({base} + {e.number(offset, 'u4')}).astype(i8)" if offset else f"{base}.astype(i8)")


def _shared_load(width: Width) -> Handler:
    def handler(e: Emitter, i: Instruction) -> None:
        check_access(e, i)
        destination = e.register(i.operands[0])
        address = shared_address(e, i.operands[1], i.number("offset"))
        names = _names(e, width.count)
        e.line(f"{', '.join(names)}, = S.shared_load(G, {e.exec}, {address}, {width.size}, {width.count}, {e.site})")
        put_loaded(e, destination, names, width)
        e.events.append(Event("shared", frozenset(registers(destination))))

    return handler


def _shared_load_transposed(words: int, bits: int) -> Handler:
    """ds_read_b64_tr_b16 and its family: 16 lanes read a matrix row by row, and each gets a column."""

    def handler(e: Emitter, i: Instruction) -> None:
        check_access(e, i)
        if e.chip.name != "gfx950":
            raise e.fault(f"opcode {i.opcode} on {e.chip.name}")
        destination = e.register(i.operands[0])
        e.line(f"S.need_all_lanes(G, {e.exec}, {e.site})")
        address = shared_address(e, i.operands[1], i.number("offset"))
        names = _names(e, words)
        e.line(f"{', '.join(names)}, = S.shared_load_transposed(G, {e.exec}, {address}, {words}, {bits}, {e.site})")
        put_loaded(e, destination, names, Width(4, words))
        e.events.append(Event("shared", frozenset(registers(destination))))

    return handler


def _global_load_transposed(load: TransposingLoad, only_1250: bool) -> Handler:
    """global_load_tr_b128 and its family: lanes get columns of what their neighbours read."""
    words = load.bytes // 4

    def handler(e: Emitter, i: Instruction) -> None:
        check_access(e, i, SCALED)
        if e.chip.generation != 12 or e.chip.is_1250 != only_1250 or e.chip.wavefront != 32:
            raise e.fault(f"opcode {i.opcode} on {e.chip.name}")
        destination = e.register(i.operands[0])
        e.line(f"S.need_all_lanes(G, {e.exec}, {e.site})")
        address = global_address(e, i, i.operands[1:], load.bytes)
        names = _names(e, words)
        e.line(f"{', '.join(names)}, = S.load_transposed(G, {e.exec}, {address}, {e.constant(load)}, {e.site})")
        put_loaded(e, destination, names, Width(4, words))
        e.events.append(Event("load", frozenset(registers(destination))))

    return handler


def _shared_load_two(words: int, stride: int) -> Handler:
    def handler(e: Emitter, i: Instruction) -> None:
        check_access(e, i)
        destination = e.register(i.operands[0])
        names: list[str] = []
        for which in ("offset0", "offset1"):
            address = shared_address(e, i.operands[1], i.number(which) * stride * words * 4)
            own = _names(e, words)
            e.line(f"{', '.join(own)}, = S.shared_load(G, {e.exec}, {address}, 4, {words}, {e.site})")
            names += own
        put_loaded(e, destination, names, Width(4, 2 * words))
        e.events.append(Event("shared", frozenset(registers(destination))))

    return handler


def _shared_store(width: Width) -> Handler:
    def handler(e: Emitter, i: Instruction) -> None:
        check_access(e, i)
        address = shared_address(e, i.operands[0], i.number("offset"))
        values = ", ".join(stored(e, e.register(i.operands[1]), width))
        e.line(f"S.shared_store(G, {e.exec}, {address}, {width.size}, [{values}], {e.site})")
        e.events.append(Event("shared"))

    return handler


def _shared_store_two(words: int, stride: int) -> Handler:
    def handler(e: Emitter, i: Instruction) -> None:
        check_access(e, i)
        for position, which in enumerate(("offset0", "offset1")):
            address = shared_address(e, i.operands[0], i.number(which) * stride * words * 4)
            values = ", ".join(stored(e, e.register(i.operands[1 + position]), Width(4, words)))
            e.line(f"S.shared_store(G, {e.exec}, {address}, 4, [{values}], {e.site})")
        e.events.append(Event("shared"))

    return handler


def _shared_atomic(update: str, size: int, returns: bool, swapped: bool) -> Handler:
    """`swapped`: before gfx11 a compare-and-swap names what to compare with first."""

    def handler(e: Emitter, i: Instruction) -> None:
        check_access(e, i)
        operands = i.operands[1:] if returns else i.operands
        address = shared_address(e, operands[0], i.number("offset"))
        values = [e.get(e.register(o), f"u{size}") for o in operands[1:]]
        if swapped and e.chip.generation < 11:
            values.reverse()
        data = ", ".join(values)
        before = e.fresh(f"S.shared_atomic(G, {e.exec}, {address}, {update!r}, [{data}], {size}, {returns}, {e.site})")
        destination = frozenset(registers(i.operands[0])) if returns else frozenset[int]()
        if returns:
            e.put(i.operands[0], before, f"u{size}")
        e.events.append(Event("shared", destination))

    return handler


_SHARED_ATOMICS: dict[str, tuple[str, int]] = {}
for _bits, _suffix in ((4, "32"), (8, "64")):
    for _name, _update in (
        ("add_u", "add"),
        ("sub_u", "sub"),
        ("inc_u", "inc"),
        ("dec_u", "dec"),
        ("min_i", "smin"),
        ("max_i", "smax"),
        ("min_u", "umin"),
        ("max_u", "umax"),
        ("and_b", "and"),
        ("or_b", "or"),
        ("xor_b", "xor"),
        ("add_f", "fadd"),
        ("min_f", "fmin"),
        ("max_f", "fmax"),
        ("min_num_f", "fmin"),
        ("max_num_f", "fmax"),
    ):
        _SHARED_ATOMICS[_name + _suffix] = (f"{_update}{_bits}", _bits)
_SHARED_ATOMICS["pk_add_f16"] = ("pk_add_f16", 4)
_SHARED_ATOMICS["pk_add_bf16"] = ("pk_add_bf16", 4)


def _return_name(name: str) -> str:
    """add_u32 -> add_rtn_u32."""
    stem, _, kind = name.rpartition("_")
    return f"{stem}_rtn_{kind}"


def _shared_table() -> dict[str, Handler]:
    table: dict[str, Handler] = {}
    for name, width in WIDTHS.items():
        for word in ("read", "load"):
            table[f"ds_{word}_{name}"] = _shared_load(width)
        for word in ("write", "store"):
            table[f"ds_{word}_{name}"] = _shared_store(width)
    for total, element in ((64, 16), (64, 8), (64, 4), (96, 6)):
        table[f"ds_read_b{total}_tr_b{element}"] = _shared_load_transposed(total // 32, element)
    for count, bits in ((1, "b32"), (2, "b64")):
        for stride, old, new in ((1, "2", "2addr"), (64, "2st64", "2addr_stride64")):
            table[f"ds_read{old}_{bits}"] = table[f"ds_load_{new}_{bits}"] = _shared_load_two(count, stride)
            table[f"ds_write{old}_{bits}"] = table[f"ds_store_{new}_{bits}"] = _shared_store_two(count, stride)
    for name, (update, size) in _SHARED_ATOMICS.items():
        table[f"ds_{name}"] = _shared_atomic(update, size, False, False)
        table[f"ds_{_return_name(name)}"] = _shared_atomic(update, size, True, False)
    for bits, size in (("b32", 4), ("b64", 8)):
        table[f"ds_wrxchg_rtn_{bits}"] = table[f"ds_storexchg_rtn_{bits}"] = _shared_atomic("swap", size, True, False)
        for word in ("cmpst", "cmpstore"):
            table[f"ds_{word}_{bits}"] = _shared_atomic("cmpswap", size, False, True)
            table[f"ds_{word}_rtn_{bits}"] = _shared_atomic("cmpswap", size, True, True)
    return table


def _space_table() -> dict[str, Handler]:
    table: dict[str, Handler] = {}
    for name, width in WIDTHS.items():
        for space in _ADDRESSES:
            table[f"{space}_load_{name}"] = _load(space, width)
            table[f"{space}_store_{name}"] = _store(space, width)
        table[f"buffer_load_{name}"] = _buffer_load(width)
        table[f"buffer_store_{name}"] = _buffer_store(width)
    for bits, load in FROM_GLOBAL.items():
        total = 8 * load.bytes
        table[f"global_load_tr{bits}_b{total}"] = _global_load_transposed(load, True)
        if bits >= 8:
            table[f"global_load_tr_b{total}"] = _global_load_transposed(load, False)
    for name, (update, size) in _ATOMICS.items():
        for space in ("global", "flat"):
            table[f"{space}_atomic_{name}"] = _atomic(space, update, size)
        table[f"buffer_atomic_{name}"] = _buffer_atomic(update, size)
    return table


def _scalar_table() -> dict[str, Handler]:
    table: dict[str, Handler] = {}
    counts = {"dword": 1, "dwordx2": 2, "dwordx4": 4, "dwordx8": 8, "dwordx16": 16}
    counts |= {"b32": 1, "b64": 2, "b96": 3, "b128": 4, "b256": 8, "b512": 16}
    widths = {name: Width(4, count) for name, count in counts.items()}
    widths |= {"u8": Width(1), "i8": Width(1, kind="i"), "u16": Width(2), "i16": Width(2, kind="i")}
    for name, width in widths.items():
        table[f"s_load_{name}"] = _scalar_load(width, False)
        table[f"s_buffer_load_{name}"] = _scalar_load(width, True)
    return table


MEMORY: dict[str, Handler] = {**_space_table(), **_scalar_table(), **_shared_table()}
"""Opcodes that access memory."""
