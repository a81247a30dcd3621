"""Guarded accesses to buffers of at most 2 GiB: without branches, and right at every edge."""

from __future__ import annotations

import re
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from lanewise.targets import find_chip

CHIPS = ("gfx908", "gfx90a", "gfx942", "gfx950", "gfx1010", "gfx1030", "gfx1100", "gfx1201")
TYPES: dict[str, Any] = {
    "i1": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
    "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64,
}  # fmt: skip
NEAR = "{lanewise.pointer_range = 32 : i64}"
COPY = """  %t = gpu.thread_id x
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %width = arith.constant {width} : index
  %zero = arith.constant 0 : index
  %pad = arith.constant {pad} : vector<{width}x{type}>
  %n = memref.dim %a, %zero : memref<?x{type}>
  %scaled = arith.muli %t, %width : index
  %i = arith.subi %scaled, %{back} : index
{masks}
  %v = vector.maskedload %a[%i], %m, %pad {{alignment = {alignment} : i64}}
    : memref<?x{type}>, vector<{width}xi1>, vector<{width}x{type}> into vector<{width}x{type}>
  vector.store %v, %b[%scaled] : memref<{total}x{type}>, vector<{width}x{type}>
  vector.maskedstore %c[%i], %m, %v {{alignment = {alignment} : i64}}
    : memref<?x{type}>, vector<{width}xi1>, vector<{width}x{type}>"""


def each(width: int) -> str:
    """Element by element, at both ends: an index may be negative."""
    lines: list[str] = []
    for k in range(width):
        lines += [
            f"  %k{k} = arith.constant {k} : index",
            f"  %i{k} = arith.addi %i, %k{k} : index",
            f"  %m{k} = arith.cmpi ult, %i{k}, %n : index",
        ]
    listed = ", ".join(f"%m{k}" for k in range(width))
    return "\n".join([*lines, f"  %m = vector.from_elements {listed} : vector<{width}xi1>"])


def whole(width: int) -> str:
    return f"  %ok = arith.cmpi ult, %i, %n : index\n  %m = vector.broadcast %ok : i1 to vector<{width}xi1>"


def values(count: int, type: str) -> Any:
    numbers = np.arange(count)
    return numbers % 3 == 0 if type == "i1" else (numbers % 13 - 6).astype(TYPES[type])


def source(text: Any, type: str, width: int, alignment: int, masks: str, *, back: int = 0, pad: str = "zero") -> str:
    constants = {"zero": "false" if type == "i1" else "0.0" if "f" in type else "0"}
    constants["other"] = "true" if type == "i1" else "5.0" if "f" in type else "77"
    body = COPY.format(
        type=type, width=width, alignment=alignment, masks=masks, pad=f"dense<{constants[pad]}>", total=64 * width,
        back={0: "zero", 3: "c3"}[back],
    )  # fmt: skip
    return text(f"%a: memref<?x{type}> {NEAR}, %b: memref<{64 * width}x{type}>, %c: memref<?x{type}> {NEAR}", body)


def expected(a: Any, total: int, back: int, pad: Any) -> Any:
    padded = np.full(total + back, pad, a.dtype)
    padded[back : back + a.size] = a
    return padded[:total]


def instructions(assembly: str) -> set[str]:
    found = re.findall(r"^\t((?:buffer|global)_(?:load|store)_\w+|s_cbranch_\w+)", assembly, re.MULTILINE)
    return {name for name in found if not name.startswith("global_store")}  # %b is written without a guard


TAILS = [(c, t) for i, t in enumerate(TYPES) for j, c in enumerate(CHIPS) if (i + j) % 3 == 0]
"""Each type on three generations or two, each generation with three types."""


@pytest.mark.turns("chip")
@pytest.mark.parametrize(("chip", "type"), TAILS)
@pytest.mark.parametrize("pad", ["zero", "other"])
def test_tails(chip: str, type: str, pad: str, run_on: Any, build: Any, text: Any) -> None:
    """77 of 256 elements, from three before the first: lanes are cut in the middle at both ends."""
    program = source(text, type, 4, 1, each(4), back=3, pad=pad)
    a = values(77, type)
    found = run_on(chip, program, [a, np.zeros(256, a.dtype), np.zeros_like(a)])
    other = TYPES[type](0 if pad == "zero" else True if type == "i1" else 5 if "f" in type else 77)
    assert np.array_equal(found[1], expected(a, 256, 3, other))
    assert np.array_equal(found[2], a)
    assert {name.split("_")[0] for name in instructions(build(program, chip).assembly)} == {"buffer"}


WIDTHS = [(t, w) for t in TYPES for w in (2, 4, 8, 16) if np.dtype(TYPES[t]).itemsize * w <= 16]


@pytest.mark.turns("chip")
@pytest.mark.parametrize("chip", ["gfx90a", "gfx1030", "gfx1201"])
@pytest.mark.parametrize(("type", "width"), WIDTHS)
def test_one_guard_for_a_pack_is_one_access(
    chip: str, type: str, width: int, run_on: Any, build: Any, text: Any
) -> None:
    bytes = np.dtype(TYPES[type]).itemsize * width
    program = source(text, type, width, bytes, whole(width))
    a = values(19 * width, type)
    found = run_on(chip, program, [a, np.zeros(64 * width, a.dtype), np.zeros_like(a)])
    assert np.array_equal(found[1], expected(a, 64 * width, 0, a.dtype.type(0)))
    assert np.array_equal(found[2], a)
    old = {2: ("ushort", "short"), 4: ("dword",) * 2, 8: ("dwordx2",) * 2, 16: ("dwordx4",) * 2}[bytes]
    new = {2: ("u16", "b16")}.get(bytes, (f"b{8 * bytes}",) * 2)
    load, store = new if chip == "gfx1201" else old
    assert instructions(build(program, chip).assembly) == {f"buffer_load_{load}", f"buffer_store_{store}"}


def uses(width: int) -> list[range | list[int]]:
    """Which elements of a pack are used: first and last ones, single ones, all but one."""
    ends = [u for n in range(1, width + 1) for u in (range(n), range(width - n, width))]
    return [*ends, *([k] for k in range(width)), *([i for i in range(width) if i != k] for k in range(width))]


def partly_used(text: Any, type: str, width: int, facts: str) -> str:
    """Row k of %b gets the elements of row k of %a that `uses(width)[k]` names, through a load with one guard."""
    rows = f"memref<{len(uses(width))}x{width}x{type}>"
    zero = "false" if type == "i1" else "0.0" if "f" in type else "0"
    lines = [
        "  %t = gpu.thread_id x",
        "  %ok = arith.cmpi ult, %t, %n : index",
        f"  %pad = arith.constant dense<{zero}> : vector<{width}x{type}>",
        f"  %m = vector.broadcast %ok : i1 to vector<{width}xi1>",
        *(f"  %c{k} = arith.constant {k} : index" for k in range(max(width, len(uses(width))))),
    ]
    for row, used in enumerate(uses(width)):
        parts = ", ".join(f"%e{row}_{k}" for k in range(width))
        lines += [
            f"  %v{row} = vector.maskedload %a[%c{row}, %c0], %m, %pad {{alignment = 16 : i64}}"
            f" : {rows}, vector<{width}xi1>, vector<{width}x{type}> into vector<{width}x{type}>",
            f"  {parts} = vector.to_elements %v{row} : vector<{width}x{type}>",
            *(f"  memref.store %e{row}_{k}, %b[%c{row}, %c{k}] : {rows}" for k in used),
        ]
    return str(text(f"%a: {rows} {facts}, %b: {rows}, %n: index", "\n".join(lines), (1, 1, 1)))


PARTLY = [("i1", 16), ("i8", 4), ("i8", 16), ("i16", 4), ("i16", 8), ("f16", 8), ("bf16", 8), ("f32", 4), ("f64", 2)]


@pytest.mark.turns("chip", "facts")
@pytest.mark.parametrize(
    ("chip", "facts"),
    [(chip, NEAR) for chip in ("gfx942", "gfx1030", "gfx1201")] + [("gfx1100", ""), ("sm_90", "")],
)
@pytest.mark.parametrize(("type", "width"), PARTLY)
def test_any_part_of_a_pack_may_be_used(
    type: str, width: int, chip: str, facts: str, run_on: Any, build: Any, text: Any
) -> None:
    """LLVM's combining trims buffer loads to what is used; of 7 halves its selection made an end of the process."""
    a = values(len(uses(width)) * width, type).reshape(-1, width)
    expected = np.zeros_like(a)
    for row, used in enumerate(uses(width)):
        expected[row, list(used)] = a[row, list(used)]
    program = partly_used(text, type, width, facts)
    assert np.array_equal(run_on(chip, program, [a, np.zeros_like(a), np.int64(1)])[1], expected)


PROVEN = """  %t = gpu.thread_id x
  %c8 = arith.constant 8 : index
  %n = arith.constant 64 : index
  %row = arith.addi %d, %c8 : index
  %ok = arith.cmpi ult, %row, %n : index
  scf.if %ok {
    %pad = arith.constant dense<9.0> : vector<1xf32>
    %m = vector.broadcast %ok : i1 to vector<1xi1>
    %v = vector.maskedload %a[%row, %t], %m, %pad : memref<64x64xf32>, vector<1xi1>, vector<1xf32> into vector<1xf32>
    vector.maskedstore %b[%row, %t], %m, %v : memref<64x64xf32>, vector<1xi1>, vector<1xf32>
  }"""


@pytest.mark.turns("chip")
@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("d", [-8, -5, 0, 55, 56, -9])
def test_a_guard_that_llvm_proves(d: int, chip: str, run_on: Any, text: Any) -> None:
    """LLVM then adds a constant last, and may make it the immediate of an instruction whose register is negative."""
    a = np.arange(64 * 64, dtype=np.float32).reshape(64, 64)
    program = text("%a: memref<64x64xf32>, %b: memref<64x64xf32>, %d: index", PROVEN)
    _, b = run_on(chip, program, [a, np.zeros_like(a), np.int64(d)])
    expected = np.zeros_like(a)
    if 0 <= d + 8 < 64:
        expected[d + 8] = a[d + 8]
    assert np.array_equal(b, expected)


@pytest.mark.parametrize("chip", CHIPS)
def test_a_resource_reaches_from_before_its_buffer_to_its_end(chip: str, build: Any, text: Any) -> None:
    """Word 2 of a resource counts bytes from its base. An immediate offset has 12 bits, 23 without the sign on gfx12
    (the ISA documents, "buffer instructions"): what LLVM may split off, so that the rest may be negative by as much."""
    llvm_ir = build(source(text, "f32", 4, 1, each(4)), chip).llvm_ir
    early = {int(n) for n in re.findall(r"getelementptr i8, ptr addrspace\(1\) %\S+, i64 (-\d+)", llvm_ir)}
    records = {
        int(n) for n in re.findall(r"make\.buffer\.rsrc\S*\(ptr addrspace\(1\) %\S+, i16 0, i64 (\d+),", llvm_ir)
    }
    offsets = re.findall(r"(%\S+) = select i1 %\S+, i32 (%\S+), i32 (-?\d+)", llvm_ir)
    added = {name: int(n) for name, n in re.findall(r"(%\S+) = add i32 %\S+, (\d+)", llvm_ir)}
    (lead,), (size,) = ({-n for n in early}, records)
    assert lead % 16 == 0 and lead >= 2**23
    assert size == lead + 2**31 and size + 16 <= 2**32
    assert len(offsets) == 4  # of four loads and four stores
    assert {int(other) % 2**32 for _, _, other in offsets} == {size}
    assert all(added[inside] % 4 == 0 and added[inside] - lead in (0, 4, 8, 12) for _, inside, _ in offsets)


def test_static_extents_say_how_far_a_buffer_reaches(build: Any, text: Any) -> None:
    body = """  %t = gpu.thread_id x
  %n = arith.constant 50 : index
  %x = arith.constant dense<1.0> : vector<1xf32>
  %ok = arith.cmpi ult, %t, %n : index
  %m = vector.broadcast %ok : i1 to vector<1xi1>
  vector.maskedstore %a[{place}], %m, %x : {type}, vector<1xi1>, vector<1xf32>"""
    zero = "  %z = arith.constant 0 : index\n"
    for type, place, is_near in (
        ("memref<64xf32>", "%t", True),
        ("memref<8x64xf32>", "%z, %t", True),
        ("memref<64xf32, strided<[1], offset: 8>>", "%t", True),
        ("memref<64xf32, strided<[1], offset: ?>>", "%t", False),
        ("memref<?xf32>", "%t", False),
        ("memref<536870912xf32>", "%t", True),
        ("memref<536870913xf32>", "%t", False),
        ("memref<2x64xf32, strided<[536870912, 1]>>", "%z, %t", False),
        ("memref<2x64xf32, strided<[-64, 1], offset: 64>>", "%z, %t", False),
    ):
        assembly = build(text(f"%a: {type}", zero + body.format(type=type, place=place)), "gfx942").assembly
        assert ("buffer_store" in assembly) is is_near, type
        assert ("s_cbranch" in assembly) is not is_near, type


def test_views_start_where_no_resource_does(run_on: Any, build: Any, text: Any) -> None:
    """A subview has the start of its buffer; a view of bytes begins anywhere, in each thread elsewhere."""
    body = """  %t = gpu.thread_id x
  %four = arith.constant 4 : index
  %sixteen = arith.constant 16 : index
  %x = arith.constant dense<1.0> : vector<1xf32>
  %y = arith.constant dense<2.0> : vector<1xf32>
  %zero = arith.constant 0 : index
  %shift = arith.muli %t, %four : index
  %ok = arith.cmpi ult, %t, %sixteen : index
  %m = vector.broadcast %ok : i1 to vector<1xi1>
  %v = memref.view %a[%shift][] : memref<256xi8> to memref<1xf32>
  vector.maskedstore %v[%zero], %m, %x : memref<1xf32>, vector<1xi1>, vector<1xf32>
  %s = memref.subview %b[%t, 1] [1, 1] [1, 1] : memref<64x2xf32> to memref<1xf32, strided<[1], offset: ?>>
  vector.maskedstore %s[%zero], %m, %y : memref<1xf32, strided<[1], offset: ?>>, vector<1xi1>, vector<1xf32>"""
    program = text("%a: memref<256xi8>, %b: memref<64x2xf32>", body)
    a, b = run_on("gfx1100", program, [np.zeros(256, np.int8), np.zeros((64, 2), np.float32)])
    first = np.arange(64) < 16
    assert np.array_equal(a.view(np.float32), first.astype(np.float32))
    assert np.array_equal(b, np.stack([np.zeros(64), 2 * first], axis=1))
    assembly = build(program, "gfx1100").assembly
    assert assembly.count("global_store_b32") == assembly.count("buffer_store_b32") == 1


def test_a_chip_with_other_resources_takes_pointers(run_on: Any, build: Any, text: Any) -> None:
    assert not find_chip("gfx1250").supports("raw_buffer")
    program = source(text, "f32", 4, 1, each(4))
    a = values(77, "f32")
    found = run_on("gfx1250", program, [a, np.zeros(256, a.dtype), np.zeros_like(a)])
    assert np.array_equal(found[2], a)
    assert "buffer_" not in build(program, "gfx1250").assembly


@pytest.mark.parametrize("lanes", [32, 64])
@pytest.mark.parametrize("chip", ["gfx1030", "gfx1100", "gfx1201"])
def test_subgroups_of_either_size(chip: str, lanes: int, run_on: Any, build: Any, text: Any) -> None:
    """Through pointers; with 64 lanes on gfx11 the address of a constant would end the process in LLVM."""
    program = source(text, "f32", 4, 1, each(4), back=3).replace(NEAR, "")
    program = program.replace("attributes {gpu", f"attributes {{lanewise.subgroup_size = {lanes} : i64, gpu")
    a = values(77, "f32")
    found = run_on(chip, program, [a, np.zeros(256, a.dtype), np.zeros_like(a)])
    assert np.array_equal(found[1], expected(a, 256, 3, np.float32(0)))
    assert np.array_equal(found[2], a)
    assert ("s_getpc_b64" in build(program, chip).assembly) is not (chip == "gfx1100" and lanes == 64)


FURTHER = """  %t = gpu.thread_id x
  %limit = arith.constant 33 : index
  %pad = arith.constant {pad}
  %ok = arith.cmpi ult, %t, %limit : index
  %m = vector.broadcast %ok : i1 to vector<{width}xi1>
{loads}"""


def further(text: Any, places: list[tuple[int, int]], width: int, pad: str) -> str:
    """Threads t < 33 read from columns c on of rows t + r of %a, whose pitch is 4, for all (r, c) in `places`."""
    vector, total = f"vector<{width}xf32>", f"memref<64x{len(places) * width}xf32>"
    lines: list[str] = []
    for k, (row, column) in enumerate(places):
        lines += [
            f"  %r{k} = arith.constant {row} : index\n  %c{k} = arith.constant {column} : index",
            f"  %i{k} = arith.addi %t, %r{k} : index\n  %o{k} = arith.constant {k * width} : index",
            f"  %v{k} = vector.maskedload %a[%i{k}, %c{k}], %m, %pad : memref<?x4xf32>, vector<{width}xi1>, {vector}"
            f" into {vector}",
            f"  vector.store %v{k}, %b[%t, %o{k}] : {total}, {vector}",
        ]
    body = FURTHER.format(width=width, pad=f"{pad} : {vector}", loads="\n".join(lines))
    return str(text(f"%a: memref<?x4xf32>, %b: {total}", body))


PLACES = [(1, 0), (1, 3), (20, 1), (60, 2), (0, 0), (1000, 0)]
PADDINGS = {"dense<0.0>": [0], "dense<5.0>": [5], "dense<[7.0, 8.0]>": [7, 8], "dense<3.0>": [3, 3]}


@pytest.mark.parametrize("pad", PADDINGS)
@pytest.mark.parametrize("chip", ["gfx942", "gfx1100"])
def test_pointers_that_differ_by_constants(chip: str, pad: str, run_on: Any, text: Any) -> None:
    """What lies behind the pointer that the other threads get, at the same immediate offset, is the padding."""
    padding = PADDINGS[pad]
    width = len(padding)
    places = [(row, min(column, 4 - width)) for row, column in PLACES]
    a = np.arange(1033 * 4, dtype=np.float32).reshape(-1, 4)
    program = further(text, places, width, pad)
    found = run_on(chip, program, [a, np.zeros((64, len(places) * width), np.float32)])
    expected = np.tile(np.float32(padding), (64, len(places)))
    for t in range(33):
        expected[t] = np.concatenate([a[t + row, column : column + width] for row, column in places])
    assert np.array_equal(found[1], expected)


def test_neighbours_choose_once(build: Any, text: Any) -> None:
    """Where the padding is one number, a pointer with an immediate offset: two selections of 32 bits serve all."""
    assembly = build(further(text, [(0, 0), (0, 3), (12, 1), (7, 2)], 1, "dense<0.0>"), "gfx942").assembly
    assert assembly.count("v_cndmask_b32") == 2
    assert len(re.findall(r"global_load_dword .* offset:", assembly)) == 3


AHEAD = """  %t = gpu.thread_id x
  %zero = arith.constant 0 : index
  %step = arith.constant 64 : index
  %pad = arith.constant dense<0.0> : vector<1xf32>
  %end = memref.dim %a, %zero : memref<?xf32>
  %ok = arith.cmpi ult, %t, %end : index
  %m = vector.broadcast %ok : i1 to vector<1xi1>
  %v = vector.maskedload %a[%t], %m, %pad : memref<?xf32>, vector<1xi1>, vector<1xf32> into vector<1xf32>
  %first = vector.extract %v[0] : f32 from vector<1xf32>
  scf.for %i = %zero to %n step %step iter_args(%x = %first) -> (f32) {
    %here = arith.addi %i, %t : index
    memref.store %x, %b[%here] : memref<?xf32>
    %next = arith.addi %here, %step : index
    %more = arith.cmpi ult, %next, %end : index
    %mask = vector.broadcast %more : i1 to vector<1xi1>
    %w = vector.maskedload %a[%next], %mask, %pad : memref<?xf32>, vector<1xi1>, vector<1xf32> into vector<1xf32>
    %y = vector.extract %w[0] : f32 from vector<1xf32>
    scf.yield %y : f32
  }"""


def test_what_is_read_ahead_is_read_before_the_next_iteration(build: Any, run_on: Any, text: Any) -> None:
    """LLVM would read it at the beginning of that, just before it is stored."""
    program = text("%a: memref<?xf32>, %b: memref<?xf32>, %n: index", AHEAD)
    loop = build(program, "gfx942").assembly.split("\n.LBB0_2:")[1].split("s_cbranch")[0]
    assert re.findall(r"global_(?:load|store)", loop) == ["global_store", "global_load"]
    a = values(100, "f32")
    found = run_on("gfx942", program, [a, np.zeros(192, np.float32), np.int64(192)])[1]
    assert np.array_equal(found, np.concatenate([a, np.zeros(92)]))
