"""Guarded memory accesses: what a lane does where its guard does not hold.

In a buffer whose bytes 31 bits number, it accesses an offset past the end, which the hardware drops: no branch, and
addresses of 32 bits. In other global memory a load reads a constant of the device instead; the rest takes a branch.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..emit import integers
from ..emit.descriptor import GLOBAL, NEAR_BYTES, Address, ssa
from ..emit.emission import Emission
from ..emit.pack import put_together, take_apart, vector_type
from ..emit.text import SUFFIXES, Ssa, Writer, bits_of, integer, zero
from ..emit.wide_access import nontemporal_mark


def load(emission: Emission, address: Address, guard: Ssa, other: Sequence[Ssa]) -> list[Ssa]:
    """Consecutive elements where the guard holds, else `other`."""
    if _through_resource(emission, address):
        return _buffer_load(emission, address, guard, other)
    if address.space == GLOBAL and _addresses_constants(emission):
        return _redirected_load(emission, address, guard, other)
    if _drops_the_rest(address):
        return _dropped_load(emission, address, guard, other)
    return _branching_load(emission, address, guard, other)


def store(emission: Emission, address: Address, guard: Ssa, values: Sequence[Ssa]) -> None:
    """Writes consecutive elements where the guard holds."""
    if _through_resource(emission, address):
        _buffer_store(emission, address, guard, values)
    elif _drops_the_rest(address):
        _dropped_store(emission, address, guard, values)
    else:
        _branching_store(emission, address, guard, values)


# -- packs as one value ---------------------------------------------------------------------------------------------


def _bytes(elements: Sequence[Ssa]) -> int:
    return len(elements) * bits_of(elements[0].type) // 8


def _whole(emission: Emission, elements: Sequence[Ssa]) -> Ssa:
    return elements[0] if len(elements) == 1 else put_together(emission.w, elements)


def _type(elements: Sequence[Ssa]) -> str:
    return elements[0].type if len(elements) == 1 else vector_type(elements[0].type, len(elements))


def _elements(emission: Emission, whole: Ssa, count: int) -> list[Ssa]:
    return [whole] if count == 1 else take_apart(emission.w, whole, count)


# -- through a buffer resource --------------------------------------------------------------------------------------

_LEAD = 1 << 23
"""Bytes by which a resource starts before its buffer. LLVM may split an offset into a register and an immediate, which
is less than this, and the hardware checks them unwrapped: the register may not be negative where their sum is not."""
_BYTES = _LEAD + NEAR_BYTES
_CDNA_WORD, _RDNA_WORD = 0x00027000, 0x31027000
"""Word 3 of a resource, as MLIR's `amdgpu` dialect lowers its own: elements of 32 bits and, on RDNA, offsets that are
checked as raw ones."""
_NOTHING = integer(0, "i32")


def _through_resource(emission: Emission, address: Address) -> bool:
    return address.space == GLOBAL and address.memref.near and emission.chip.supports("raw_buffer")


def _buffer_load(emission: Emission, address: Address, guard: Ssa, other: Sequence[Ssa]) -> list[Ssa]:
    w, type = emission.w, _moved_type(other)
    place = (_resource(emission, address), *_offsets(emission, address, guard), _policy(emission))
    loaded = w.call_fresh(type, f"llvm.amdgcn.raw.ptr.buffer.load.{_suffix(type)}", *place)
    whole = w.bitcast(loaded, _type(other))
    if any(e != zero(e.type) for e in other):  # what the hardware gives past the end is zero
        whole = integers.select(w, guard, whole, _whole(emission, other))
    return _elements(emission, whole, len(other))


def _buffer_store(emission: Emission, address: Address, guard: Ssa, values: Sequence[Ssa]) -> None:
    type = _moved_type(values)
    whole = emission.w.bitcast(_whole(emission, values), type)
    place = (_resource(emission, address), *_offsets(emission, address, guard), _policy(emission))
    emission.w.call_void(f"llvm.amdgcn.raw.ptr.buffer.store.{_suffix(type)}", whole, *place)


def _policy(emission: Emission) -> Ssa:
    """slc or nt, which is bit 1; from gfx12 on the hint TH_NT, which is 1."""
    return integer(1 if emission.chip.supports("wait_counters") else 2, "i32") if emission.nontemporal else _NOTHING


def _resource(emission: Emission, address: Address) -> Ssa:
    """A raw buffer that ends NEAR_BYTES after where the memref starts."""
    w, base = emission.w, address.memref.base
    start = w.behind("i8", base, integer(-_LEAD))
    word = _CDNA_WORD if emission.chip.supports("raw_buffer.gfx9") else _RDNA_WORD
    operands = (start, integer(0, "i16"), integer(_BYTES), integer(word, "i32"))
    return w.call("ptr addrspace(8)", "llvm.amdgcn.make.buffer.rsrc.p8.p1", *operands)


def in_resource(emission: Emission, address: Address) -> tuple[Ssa, Ssa, Ssa]:
    """The resource of a near buffer, and the two offsets of an element that it has: each thread's, and what all have in
    common."""
    w, moving = emission.w, ssa(address.moving)
    resource, lead = _resource(emission, address), integer(_LEAD, "i32")
    if not address.counts_up or moving.number is not None or not w.is_uniform(moving):
        return resource, integers.add(w, address.offset(w), lead), _NOTHING
    size = integer(address.memref.element_bits // 8, "i32")
    offset = integers.add(w, address._replace(moving=0).offset(w), lead)
    return resource, offset, integers.mul(w, integers.low_word(w, moving), size)


def _offsets(emission: Emission, address: Address, guard: Ssa) -> tuple[Ssa, Ssa]:
    """From the start of the resource; its end where the guard does not hold. The second part is common to all
    threads: what a loop moves, so that the first is the same in all iterations. Nothing compares it with that end."""
    w, moving = emission.w, ssa(address.moving)
    if not address.counts_up or moving.number is not None or not w.is_uniform(moving):
        return _past_the_end(w, guard, integers.add(w, address.offset(w), integer(_LEAD, "i32"))), _NOTHING
    size = integer(address.memref.element_bits // 8, "i32")
    offset = integers.add(w, address._replace(moving=0).offset(w), integer(_LEAD, "i32"))
    return _past_the_end(w, guard, offset), _below(w, integers.mul(w, integers.low_word(w, moving), size))


def _past_the_end(w: Writer, guard: Ssa, offset: Ssa) -> Ssa:
    """The offset where the guard holds; conditions that a loop does not change are looked at first."""
    for condition in sorted(_conjuncts(w, guard), key=w.is_shared, reverse=True):
        offset = integers.select(w, condition, offset, integer(_BYTES, "i32"))
    return offset


def _conjuncts(w: Writer, guard: Ssa) -> list[Ssa]:
    found = w.definition(guard)
    if found is None or found.opcode != "and":
        return [guard]
    return list(dict.fromkeys(part for operand in found.operands for part in _conjuncts(w, operand)))


def _below(w: Writer, offset: Ssa) -> Ssa:
    """An offset of what may lie outside, where nobody uses it: none that the hardware might take for a negative one."""
    limit = integer(NEAR_BYTES - 1, "i32")
    return integers.select(w, integers.compare(w, "ult", offset, limit), offset, limit)


def _moved_type(elements: Sequence[Ssa]) -> str:
    """The type that elements are moved as: packs of elements below 32 bits as words. LLVM moves no vectors of bytes,
    and of halves only some numbers, while its combining trims a load to those that are used."""
    if len(elements) == 1 or bits_of(elements[0].type) >= 32:
        return _type(elements)
    words = _bytes(elements) // 4
    return vector_type("i32", words) if words > 1 else f"i{8 * _bytes(elements)}"


def _suffix(type: str) -> str:
    """How intrinsics' names spell a type."""
    if not type.startswith("<"):
        return SUFFIXES.get(type, type)
    count, _, element = type.strip("<>").partition(" x ")
    return f"v{count}{SUFFIXES.get(element, element)}"


# -- in the program's own resources ---------------------------------------------------------------------------------


def _drops_the_rest(address: Address) -> bool:
    return address.memref.is_fat and address.memref.near


def _place_or_end(emission: Emission, address: Address, guard: Ssa) -> Ssa:
    """The pointer to the element, or one behind all that counts."""
    w, base = emission.w, address.memref.base
    return integers.select(w, guard, address.pointer(w), w.behind("i8", base, integer(-NEAR_BYTES, "i32")))


def _dropped_load(emission: Emission, address: Address, guard: Ssa, other: Sequence[Ssa]) -> list[Ssa]:
    w, type = emission.w, _moved_type(other)
    pointer, mark = _place_or_end(emission, address, guard), nontemporal_mark(emission)
    whole = w.bitcast(w.fresh(f"load {type}, {pointer}, align {min(_bytes(other), 4)}{mark}", type), _type(other))
    if any(e != zero(e.type) for e in other):  # what the hardware gives past the end is zero
        whole = integers.select(w, guard, whole, _whole(emission, other))
    return _elements(emission, whole, len(other))


def _dropped_store(emission: Emission, address: Address, guard: Ssa, values: Sequence[Ssa]) -> None:
    whole = emission.w.bitcast(_whole(emission, values), _moved_type(values))
    pointer, mark = _place_or_end(emission, address, guard), nontemporal_mark(emission)
    emission.w.do(f"store {whole}, {pointer}, align {min(_bytes(values), 4)}{mark}")


# -- through pointers -----------------------------------------------------------------------------------------------


def _addresses_constants(emission: Emission) -> bool:
    """Whether code may take the address of a constant. On gfx11 with subgroups of 64 LLVM 22 aborts where it has to
    separate the instructions that do from a use of the same register as a mask of lanes (`fixVALUMaskWriteHazard`)."""
    return not (emission.chip.supports("valu_mask_hazard") and emission.subgroup_size == 64)


_NEAR, _FAR = 256, 4096
"""Bytes of padding that one pointer serves. No immediate offset reaches further than the second."""


def _redirected_load(emission: Emission, address: Address, guard: Ssa, other: Sequence[Ssa]) -> list[Ssa]:
    """Chooses the pointer before the constant bytes where it can, which neighbours have in common."""
    w, known, type = emission.w, all(e.is_constant for e in other), _type(other)
    given = other if known else [zero(e.type) for e in other]
    size, distance = _bytes(other), address.bytes
    window = next((n for n in (_NEAR, _FAR) if 0 <= distance <= n - size), 0)
    if window and distance % size == 0 and all(e == given[0] for e in given):
        pointer = integers.select(w, guard, address.common(w), _filled(emission, given[0], window))
        if distance:
            pointer = w.behind("i8", pointer, integer(distance))
    else:
        fallback = emission.constant(str(_whole(emission, given)), size)
        pointer = integers.select(w, guard, address.pointer(w), fallback)
    loaded = w.fresh(f"load {type}, {pointer}, align {size}{nontemporal_mark(emission)}", type)
    chosen = loaded if known else integers.select(w, guard, loaded, _whole(emission, other))
    return _elements(emission, chosen, len(other))


def _filled(emission: Emission, element: Ssa, bytes: int) -> Ssa:
    """A pointer to so many bytes full of a constant element."""
    count = bytes * 8 // bits_of(element.type)
    words = "zeroinitializer" if element == zero(element.type) else f"[{', '.join([str(element)] * count)}]"
    return emission.constant(f"[{count} x {element.type}] {words}", 16)


def _branching_load(emission: Emission, address: Address, guard: Ssa, other: Sequence[Ssa]) -> list[Ssa]:
    w, type = emission.w, _type(other)
    fallback, pointer = _whole(emission, other), address.pointer(w)
    before, inside, after = w.block, w.label(), w.label()
    w.branch(guard, inside, after)
    w.start(inside)
    loaded = w.fresh(f"load {type}, {pointer}, align {_bytes(other)}{nontemporal_mark(emission)}", type)
    w.jump(after)
    w.start(after)
    return _elements(emission, w.phi([(loaded, inside), (fallback, before)]), len(other))


def _branching_store(emission: Emission, address: Address, guard: Ssa, values: Sequence[Ssa]) -> None:
    w = emission.w
    whole, pointer = _whole(emission, values), address.pointer(w)
    inside, after = w.label(), w.label()
    w.branch(guard, inside, after)
    w.start(inside)
    w.do(f"store {whole}, {pointer}, align {_bytes(values)}{nontemporal_mark(emission)}")
    w.jump(after)
    w.start(after)
