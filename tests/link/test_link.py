"""What the loader sees of a linked code object: segments, symbols, relocated values; and what the linker refuses."""

from __future__ import annotations

import contextlib
import re
import struct

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lanewise.codegen.link import CodeObjectError, LinkError, link

from ..examples import examples

PAGE = 4096
KERNELS = ("first", "second")
TABLES = {
    "floats": struct.pack("<8f", 1, 2, 4, 8, 16, 32, 64, 128),
    "integers": struct.pack("<5I", 7, 70, 700, 7000, 70000),
    "initial": struct.pack("<4I", 11, 22, 33, 44),
    "counter": bytes(4),
}


# Structure


def test_the_header_is_that_of_a_code_object(two_kernels, load):
    loaded = load(two_kernels)
    ident, kind, machine, *_, flags, size, _, _, entry, count, names = loaded.header
    source = struct.unpack_from("<16sHHIQQQIHHHHHH", two_kernels)
    assert (kind, machine, size, entry) == (3, 224, 64, 64)
    assert (ident, flags) == (source[0], source[7])  # ABI version, chip and its features
    assert names < count


def test_segments(two_kernels, load):
    loaded = load(two_kernels)
    kinds = [program[0] for program in loaded.programs]
    assert kinds == [6, 1, 1, 1, 1, 2, 0x6474E552, 0x6474E551, 4]
    assert [flags for _, flags, *_ in loaded.of_type(1)] == [4, 5, 6, 6]
    (header,) = loaded.of_type(6)
    assert header[2:] == (64, 64, 64, 56 * 9, 56 * 9, 8)
    assert loaded.of_type(0x6474E551)[0][1] == 6


def test_segments_can_be_mapped(two_kernels, load):
    """Offsets and addresses agree within a page, and no two segments share a page of memory."""
    loaded = load(two_kernels)
    end = 0
    for _, _, offset, address, physical, file, memory, alignment in loaded.of_type(1):
        assert alignment == PAGE
        assert address % PAGE == offset % PAGE
        assert physical == address
        assert file <= memory
        assert offset + file <= len(loaded.image)
        assert address // PAGE >= -(-end // PAGE)
        end = address + memory
    assert loaded.of_type(1)[0][2:4] == (0, 0)  # the headers are loaded


def test_dynamic_and_relro_lie_in_a_writable_segment(two_kernels, load):
    loaded = load(two_kernels)
    (dynamic,), (relro,) = loaded.of_type(2), loaded.of_type(0x6474E552)
    writable = [p for p in loaded.of_type(1) if p[1] == 6]
    assert any(p[3] <= dynamic[3] and dynamic[3] + dynamic[6] <= p[3] + p[6] for p in writable)
    assert relro[3] == dynamic[3]
    assert (relro[3] + relro[6]) % PAGE == 0
    assert set(loaded.dynamic) == {0, 4, 5, 6, 10, 11, 0x6FFFFEF5}


def test_the_metadata_note_is_kept(two_kernels, load, read_object):
    loaded = load(two_kernels)
    (note,) = loaded.of_type(4)
    found = bytes(loaded.memory[note[3] : note[3] + note[6]])
    assert found == read_object(two_kernels).data(".note")
    assert found == loaded.image[note[2] : note[2] + note[5]]


def test_linking_is_deterministic(two_kernels):
    assert link(two_kernels) == link(two_kernels)


def test_sections_lie_where_the_segments_put_them(two_kernels, load, read_object):
    """The section table, for disassemblers, tells the same as the program headers."""
    loaded = load(two_kernels)
    sections = read_object(loaded.image).sections
    for name, (_, kind, flags, address, offset, size, *_) in sections.items():
        if flags & 2 and kind != 8:
            assert loaded.memory[address : address + size] == loaded.image[offset : offset + size], name
    assert {".text", ".rodata", ".data", ".bss", ".note", ".dynsym", ".symtab"} <= set(sections)
    dynamic = {".dynsym": 6, ".dynstr": 5, ".hash": 4, ".gnu.hash": 0x6FFFFEF5}
    for name, tag in dynamic.items():
        assert sections[name][3] == loaded.dynamic[tag]
    assert list(sections).index(".dynstr") == sections[".dynsym"][6]


# Symbols


def test_kernels_and_descriptors_are_found_by_hash(two_kernels, load):
    loaded = load(two_kernels)
    for name in [*KERNELS, *(f"{kernel}.kd" for kernel in KERNELS)]:
        assert loaded.find(name) is not None
        assert loaded.find(name) == loaded.find_gnu(name)
    for name in ("third", "floats", "first.num_vgpr", ""):
        assert loaded.find(name) is None
        assert loaded.find_gnu(name) is None


def test_descriptors_have_the_size_and_alignment_of_descriptors(two_kernels, load):
    loaded = load(two_kernels)
    count = loaded.words(loaded.dynamic[4], 2)[1]
    symbols = [loaded.symbol(index) for index in range(1, count)]
    descriptors = [symbol for symbol in symbols if symbol[0].endswith(".kd")]
    assert len(descriptors) == 2
    for _, address, size, kind, binding in descriptors:
        assert (address % 64, size, kind, binding) == (0, 64, 1, 1)
    for _, address, size, kind, binding in (s for s in symbols if s not in descriptors):
        assert (address % 256, kind, binding) == (0, 2, 1)
        assert size > 0


MANY = "\n".join(
    f"define amdgpu_kernel void @k{n}(ptr addrspace(1) %p) #0 {{ store i32 {n}, ptr addrspace(1) %p ret void }}"
    for n in range(37)
)
MANY += '\nattributes #0 = { "amdgpu-flat-work-group-size"="64,64" }\n'


def test_many_kernels_fill_the_hash_tables(compile_object, load):
    loaded = load(compile_object(MANY, "gfx1100"))
    addresses = {loaded.find(f"k{n}") for n in range(37)}
    assert len(addresses) == 37
    assert None not in addresses
    for n in range(37):
        assert loaded.find_gnu(f"k{n}") == loaded.find(f"k{n}")
        assert loaded.find_gnu(f"k{n}.kd") == loaded.find(f"k{n}.kd")
        assert entry_of(loaded, f"k{n}") == loaded.find(f"k{n}")


def test_an_object_without_kernels(compile_object, load):
    loaded = load(compile_object("", "gfx942"))
    assert loaded.find("first") is None
    assert loaded.find_gnu("first") is None


def entry_of(loaded, kernel):
    """Where a descriptor says that the code begins: a signed offset from itself, at byte 16."""
    descriptor = loaded.find(f"{kernel}.kd")
    return descriptor + loaded.words(descriptor + 16, 1, "q")[0]


# Relocations


def test_descriptors_lead_to_their_kernels(two_kernels, load):
    loaded = load(two_kernels)
    code = next(p for p in loaded.of_type(1) if p[1] == 5)
    for kernel in KERNELS:
        assert entry_of(loaded, kernel) == loaded.find(kernel)
        assert code[3] <= loaded.find(kernel) < code[3] + code[6]


def test_code_reaches_its_tables(two_kernels, load, read_object):
    """A pair of relocations holds the distance from the program counter to the table."""
    loaded, source = load(two_kernels), read_object(two_kernels)
    text = loaded.find("first") - source.symbols["first"][2]
    relocations = source.relocations(".text")
    assert [kind for _, kind, _, _ in relocations] == [10, 11] * 4
    found = set()
    for (low, *_), (high, *_) in zip(relocations[::2], relocations[1::2], strict=True):
        distance = loaded.words(text + low, 1)[0] + (loaded.words(text + high, 1, "i")[0] << 32)
        target = program_counter(loaded, text + low) + distance
        found.add(next(name for name, data in TABLES.items() if loaded.memory[target : target + len(data)] == data))
    assert found == set(TABLES)


def program_counter(loaded, place):
    """What the last s_getpc_b64 before a place reads: the address of the instruction after it."""
    opcodes = (0x1C, 0x1F, 0x47)  # SOP1, in gfx9, gfx10, and gfx11 and later
    for address in range(place, place - 64, -4):
        word = loaded.words(address, 1)[0]
        if word >> 23 == 0b101111101 and word >> 8 & 0xFF in opcodes:
            return address + 4
    raise AssertionError("no s_getpc_b64")


def test_variables_are_writable_and_tables_are_not(two_kernels, load):
    loaded = load(two_kernels)
    places = {name: loaded.memory.index(TABLES[name]) for name in ("floats", "integers", "initial")}
    flags = {
        name: next(p[1] for p in loaded.of_type(1) if p[3] <= place < p[3] + p[6]) for name, place in places.items()
    }
    assert flags == {"floats": 4, "integers": 4, "initial": 6}
    (variables,) = loaded.of_type(1)[3:]
    assert variables[6] > variables[5]  # the counter takes no room in the file


@pytest.mark.parametrize(("kind", "bits"), [(1, 0), (2, 32), (6, 0)])
def test_absolute_symbols(gfx942_object, read_object, load, kind, bits):
    """As an LDS address would be: the symbol's own value, wherever the image is loaded."""
    source = read_object(gfx942_object)
    offset, _, _, addend = source.relocations(".text")[0]
    changed = source.with_relocation(".text", 0, kind, "second.num_vgpr")
    loaded = load(changed)
    text = loaded.find("first") - source.symbols["first"][2]
    expected = source.symbols["second.num_vgpr"][2] + addend
    assert loaded.words(text + offset, 1)[0] == expected >> bits


def test_a_relative_relocation_of_32_bits(gfx942_object, read_object, load):
    source = read_object(gfx942_object)
    offset, _, _, addend = source.relocations(".text")[0]
    loaded = load(source.with_relocation(".text", 0, 4, "first.kd"))
    place = loaded.find("first") - source.symbols["first"][2] + offset
    assert place + loaded.words(place, 1, "i")[0] == loaded.find("first.kd") + addend


# What is refused


@pytest.mark.parametrize(
    ("kind", "symbol", "message"),
    [
        (8, "floats", "R_AMDGPU_GOTPCREL32_LO against 'floats' is not supported; give the symbol internal linkage"),
        (14, "first", "R_AMDGPU_REL16 against 'first' is not supported"),
        (99, "first", "relocation type 99 against 'first' is not supported"),
        (3, "floats", "R_AMDGPU_ABS64 against 'floats' in section .text: an address is known to the loader only"),
        (4, "", "R_AMDGPU_REL32 in section .text: '' is not defined in the object"),
    ],
)
def test_relocations_that_cannot_be_resolved(gfx942_object, read_object, kind, symbol, message):
    with pytest.raises(LinkError, match=re.escape(message)):
        link(read_object(gfx942_object).with_relocation(".text", 0, kind, symbol))


def test_an_undefined_symbol_is_named(compile_object):
    text = """
@table = external hidden addrspace(4) constant [8 x float]
define amdgpu_kernel void @k(ptr addrspace(1) %p, i32 %n) {
  %e = getelementptr float, ptr addrspace(4) @table, i32 %n
  %v = load float, ptr addrspace(4) %e
  store float %v, ptr addrspace(1) %p
  ret void
}
"""
    with pytest.raises(LinkError, match=r"R_AMDGPU_REL32_LO in section \.text: 'table' is not defined in the object"):
        link(compile_object(text, "gfx942"))


def test_only_relocatable_objects(gfx942_object):
    with pytest.raises(CodeObjectError, match=r"relocatable object \(ELF type 1\) expected, found ELF type 3"):
        link(link(gfx942_object))
    with pytest.raises(CodeObjectError, match=r"64-bit little-endian ELF file expected, found 5 bytes: b'hello'"):
        link(b"hello")
    other = bytearray(gfx942_object)
    other[18] = 62
    with pytest.raises(CodeObjectError, match=r"for AMDGPU \(machine 224\) expected, found 62"):
        link(bytes(other))


def test_a_truncated_object_is_refused(gfx942_object):
    for length in range(0, len(gfx942_object), 61):
        with pytest.raises(CodeObjectError):
            link(gfx942_object[:length])


def change_section(image, read_object, name, field, value):
    """The image with one field of a section's header replaced."""
    start = struct.unpack_from("<Q", image, 40)[0] + 64 * list(read_object(image).sections).index(name)
    changed = bytearray(image)
    place = (0, 4, 8, 16, 24, 32, 40, 44, 48, 56)[field]
    struct.pack_into("<Q" if field in (2, 3, 4, 5, 8, 9) else "<I", changed, start + place, value)
    return bytes(changed)


@pytest.mark.parametrize(
    ("name", "field", "value", "message"),
    [
        (".text", 8, 8192, r"section \.text is aligned to 8192, at most 4096"),
        (".text", 2, 7, r"section \.text is both writable and executable"),
        (".bss", 2, 2, r"section \.bss has no contents, and is not writable"),
        (".bss", 5, 1 << 40, r"the image takes \d+ bytes of memory, at most 4294967296"),
        (".rodata.cst32", 2, 3, r"section \.rodata\.cst32 differs in type or permissions from others in \.rodata"),
        (".symtab", 5, 25, r"section \.symtab of 25 bytes has entries of 24"),
        (".symtab", 6, 99, r"section \.symtab refers to section 99, which is not there"),
    ],
)
def test_sections_that_cannot_be_laid_out(gfx942_object, read_object, name, field, value, message):
    with pytest.raises(CodeObjectError, match=message):
        link(change_section(gfx942_object, read_object, name, field, value))


@settings(max_examples=examples(300), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), min_size=1, max_size=4))
def test_damaged_objects_are_linked_or_refused(gfx942_object, changes):
    damaged = bytearray(gfx942_object)
    for where, value in changes:
        damaged[int(where * len(damaged))] = value
    with contextlib.suppress(CodeObjectError):
        link(bytes(damaged))
