"""The file of a compiled kernel: two lines of text, a header in JSON, and the machine texts and images as they are.

    lanewise-kernel <format> <bytes of the header>
    <SHA-256 of all other bytes, as hex digits>
    <header><blob><blob>...

The header is canonical JSON, so equal kernels are equal bytes. It says what the blobs are and how long, in order; equal
ones stand there once. Nothing in a file is executed or trusted: sizes and counts are limited, the digest is compared
before the header is read, and each field has its type and limits. docs/files.md lists the fields.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from ..codegen.assemble import AMOUNTS, Resources
from ..ir.printing import Printing
from ..support.diagnostics import LanewiseError, ParseError, Source
from ..support.patterns import regex
from ..targets.catalogue import CHIPS
from ..targets.chip import MOST_IN_CLUSTER, Chip
from .facts import ACCESS_BYTES, GENERAL, Facts
from .grid_uses import AXES, GridUses, Use
from .json_fields import FieldError, Fields, canonical, read_canonical
from .origin import Mark, Origins, SourceFile
from .print_buffer import PRINTED
from .program_text import MAGIC
from .saved import SavedKernel, SavedVariant
from .saved_maps import read_maps
from .saved_remarks import MOST_REMARKS, read_remark, stated
from .signature import (
    NUMPYS,
    STRUCT_CODES,
    BufferParameter,
    ScalarParameter,
    SignatureParameter,
    buffers_of,
    machine_parameters,
)
from .variants import Interface, Requirement

VERSION = 9
"""Counts up with every change of the fields or of how code gets its arguments."""
MAX_BYTES = 64 << 20
_MAX_HEADER = 8 << 20
_MAX_VARIANTS = 64
_MAX_BLOBS = 3 * _MAX_VARIANTS
_MAX_PARAMETERS = 1024
_MAX_RANK = 64
_MAX_NAME = 255
_MAX_MARKS = 1 << 20
_MAX_FILES = 1 << 10
_MAX_USES = 1 << 16
_MAX_ROW = 1 << 24
_BIG = (1 << 63) - 1
FIRST = regex(rb"lanewise-kernel (\d{1,9}) (\d{1,9})\n([0-9a-f]{64})\n")
"""The two lines of text: format, bytes of the header, digest."""
FIRST_BYTES = 128
"""They are no longer than this."""
_NUMBER = regex(r"[1-9]\d{0,8}\Z", re.ASCII)
_SYMBOL = regex(r"[\w$]+\Z", re.ASCII)
_TEXT_KINDS = {"nvidia": "ptx", "amd": "amdgcn"}
_IMAGE_KINDS = {"nvidia": "cubin", "amd": "hsaco"}


class KernelFileError(LanewiseError):
    """A file is no compiled kernel, or a damaged one; the message says what was expected and what was found."""


def encode(kernel: SavedKernel) -> bytes:
    """The file of a kernel. Raises KernelFileError for one that is larger than what `decode` reads."""
    blobs = _Blobs()
    header = canonical(_header(kernel, blobs))
    body = b"".join([header, *blobs.contents])
    first = b"%s %d %d\n" % (MAGIC, VERSION, len(header))
    data = b"".join([first, _digest(first, body), b"\n", body])
    if len(data) > MAX_BYTES or len(header) > _MAX_HEADER or len(kernel.variants) > _MAX_VARIANTS:
        raise KernelFileError(f"kernel {kernel.interface.name!r} is too large for a file: {len(data)} bytes")
    return data


def decode(data: bytes, name: str, key: str = "") -> SavedKernel:
    """The kernel in the bytes of a file; `name` is for messages, `key` what a cache has it under, none elsewhere.

    A cache's file has the variants that launches have asked for; all others have the general one. Raises
    KernelFileError.
    """
    try:
        return _decode(data, key)
    except FieldError as error:
        raise KernelFileError(f"{name}: {error}") from error


def _digest(first: bytes, body: bytes) -> bytes:
    return hashlib.sha256(first + body).hexdigest().encode()


# Writing


class _Blobs:
    """What follows the header, each content once."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[str, bytes], int] = {}

    def number(self, kind: str, content: bytes) -> int:
        return self._numbers.setdefault((kind, content), len(self._numbers))

    @property
    def contents(self) -> list[bytes]:
        return [content for _, content in self._numbers]

    @property
    def index(self) -> list[dict[str, object]]:
        return [{"kind": kind, "bytes": len(content)} for kind, content in self._numbers]


def _header(kernel: SavedKernel, blobs: _Blobs) -> dict[str, object]:
    interface, program = kernel.interface, kernel.program
    vendor = interface.target.vendor
    variants = [_variant(variant, vendor, blobs) for variant in kernel.variants]
    number = None if program is None else blobs.number("mlir", program.text.encode())
    return {
        "name": interface.name,
        "target": interface.target.name,
        "block_size": interface.block_size,
        "cluster_size": interface.cluster_size,
        "signature": [_parameter(parameter) for parameter in interface.signature],
        "requirements": [r._asdict() for r in interface.requirements],
        "divisors": interface.divisors,
        "near": interface.near,
        "printing": None if interface.printing is None else str(interface.printing.attribute),
        "variants": variants,
        "compiler": dict(kernel.compiler),
        "key": kernel.key,
        "grid_uses": None if kernel.grid_uses is None else _stated_uses(kernel.grid_uses),
        "program": None if program is None else {"blob": number, "name": program.name},
        "remarks": [stated(remark) for remark in kernel.remarks[:MOST_REMARKS]],
        "blobs": blobs.index,
    }


def _stated_uses(found: GridUses) -> dict[str, object]:
    return {"axes": [AXES.index(axis) for axis in found.axes], "uses": [use._asdict() for use in found.uses]}


def _parameter(parameter: SignatureParameter) -> dict[str, object]:
    kind = "scalar" if isinstance(parameter, ScalarParameter) else "buffer"
    return {**asdict(parameter), "dtype": parameter.dtype.name, "kind": kind}


def _variant(variant: SavedVariant, vendor: str, blobs: _Blobs) -> dict[str, object]:
    origins = variant.origins
    image = None if variant.image is None else blobs.number(_IMAGE_KINDS[vendor], variant.image)
    return {
        "facts": variant.facts._asdict(),
        "text": blobs.number(_TEXT_KINDS[vendor], variant.text.encode()),
        "image": image,
        "block_size": variant.block_size,
        "dynamic_shared_bytes": variant.dynamic_shared_bytes,
        "static_shared_bytes": variant.static_shared_bytes,
        "grid": variant.grid,
        "maps": [asdict(map) for map in variant.maps],
        "resources": None if variant.resources is None else _stated_resources(variant.resources),
        "origins": {"files": [_file(file) for file in origins.files], "marks": origins.marks},
    }


def _file(file: SourceFile) -> dict[str, object]:
    return {"name": file.name, "rows": {str(row): text for row, text in file.rows.items()}}


def _stated_resources(resources: Resources) -> dict[str, int]:
    return {name: getattr(resources, name) for name in AMOUNTS}


# Reading


def _decode(data: bytes, key: str) -> SavedKernel:
    if len(data) > MAX_BYTES:
        raise FieldError(f"a kernel's file has at most {MAX_BYTES} bytes")
    first = FIRST.match(data[:FIRST_BYTES])
    if first is None:
        begin = data[: len(MAGIC)].decode("ascii", "backslashreplace")
        raise FieldError(
            f"this is no compiled kernel: it begins with {begin!r}, not with '{MAGIC.decode()}'; programs, and their"
            " stages, are for lanewise.compile"
        )
    version, size = int(first[1]), int(first[2])
    if version != VERSION:
        raise FieldError(f"the file has format {version}; this lanewise reads format {VERSION}")
    body = data[first.end() :]
    if not is_intact(data):
        raise FieldError("the file is damaged: its content does not have the SHA-256 that it states")
    if size > min(len(body), _MAX_HEADER):
        raise FieldError(f"the header has {size} bytes, at most {min(len(body), _MAX_HEADER)} expected")
    return _kernel(read_canonical(body[:size]), body[size:], key)


def is_intact(data: bytes) -> bool:
    """Whether a file of any format has the content whose SHA-256 it states."""
    first = FIRST.match(data[:FIRST_BYTES])
    return first is not None and _digest(data[: first.start(3)], data[first.end() :]) == first[3]


def _kernel(header: Fields, content: bytes, key: str) -> SavedKernel:
    found = header.text("key", _MAX_NAME)
    if found != key:
        raise FieldError(
            f"the file is one of a cache, under {found}"
            if not key
            else f"the file is under {key}, found {found or 'none'}"
        )
    target = CHIPS[header.word("target", tuple(CHIPS))]
    blobs = _ReadBlobs(header.children("blobs", _MAX_BLOBS), content)
    interface = _interface(header, target)
    variants = tuple(_read_variant(v, interface, blobs) for v in header.children("variants", _MAX_VARIANTS))
    known = [variant.facts for variant in variants]
    if (GENERAL not in known and not key) or len(set(known)) != len(known):
        raise FieldError("'variants' has one general variant and others with facts of their own, which it has not")
    compiler = header.child("compiler")
    versions = {name: compiler.text(name, _MAX_NAME) for name in compiler.names(16)}
    program = None
    if not header.is_null("program"):
        stated = header.child("program")
        program = Source(blobs.text(stated, "blob", "mlir"), stated.text("name", 4096))
        stated.done()
    remarks = tuple(read_remark(r) for r in header.children("remarks", MOST_REMARKS))
    uses = None if header.is_null("grid_uses") else _grid_uses(header.child("grid_uses"), interface)
    header.done()
    return SavedKernel(interface, variants, versions, program, remarks, key, uses)


class _ReadBlobs:
    """The contents behind the header; together they fill the file."""

    def __init__(self, index: Sequence[Fields], content: bytes) -> None:
        self._contents: list[tuple[str, bytes]] = []
        position = 0
        for entry in index:
            size = entry.integer("bytes", 0, len(content) - position)
            self._contents.append((entry.text("kind", 16), content[position : position + size]))
            position += size
            entry.done()
        if position != len(content):
            raise FieldError(f"'blobs' are {position} bytes, {len(content)} follow the header")

    def bytes(self, fields: Fields, name: str, kind: str) -> bytes:
        number = fields.integer(name, 0, len(self._contents) - 1)
        found, content = self._contents[number]
        if found != kind:
            raise FieldError(f"blob {number} is {found}, {kind} expected for '{name}'")
        return content

    def text(self, fields: Fields, name: str, kind: str) -> str:
        try:
            return self.bytes(fields, name, kind).decode()
        except UnicodeDecodeError as error:
            raise FieldError(f"'{name}' is no UTF-8 text: {error}") from error


def _interface(header: Fields, target: Chip) -> Interface:
    name = header.text("name", _MAX_NAME)
    if not _SYMBOL.match(name):
        raise FieldError(f"'name' is a symbol of letters, digits, _ and $, found {name!r}")
    signature = tuple(_read_parameter(p) for p in header.children("signature", _MAX_PARAMETERS))
    count = len(machine_parameters(signature))
    divisors = header.integers("divisors", 1, ACCESS_BYTES, count)
    _check_divisors("divisors", divisors, count)
    return Interface(
        name,
        target,
        _block_size(header, target),
        _three(header, "cluster_size", MOST_IN_CLUSTER),
        signature,
        tuple(_requirement(r, count) for r in header.children("requirements", _MAX_PARAMETERS)),
        divisors,
        header.flag("near"),
        _printing(header, signature),
    )


def _printing(header: Fields, signature: Sequence[SignatureParameter]) -> Printing | None:
    if header.is_null("printing"):
        return None
    from ..ir.attribute_parser import AttributeParser  # few kernels print

    try:
        text = header.text("printing", _MAX_HEADER)
        found = Printing.of(AttributeParser(Source(text)).parse_attribute())
    except ParseError as error:
        raise FieldError(f"'printing' is no attribute: {error}") from error
    if found is None or signature[-1:] != (PRINTED,):
        raise FieldError("'printing' says how the last parameter takes messages, in rows")
    return found


def _grid_uses(stated: Fields, interface: Interface) -> GridUses:
    ranks = {p.name: len(p.shape) for p in buffers_of(interface.arguments)}
    uses: list[Use] = []
    for use in stated.children("uses", _MAX_USES):
        axis, extent = use.word("axis", AXES), use.integer("extent", 1, _BIG)
        array, in_byte = use.word("array", tuple(ranks)), use.integer("in_byte", 1, 8)
        uses.append(Use(axis, extent, array, use.integer("dim", 0, ranks[array] - 1), use.flag("written"), in_byte))
        use.done()
    axes = tuple(AXES[n] for n in stated.integers("axes", 0, len(AXES) - 1, len(AXES)))
    stated.done()
    return GridUses(tuple(uses), axes)


def _block_size(header: Fields, target: Chip) -> tuple[int, int, int]:
    return _three(header, "block_size", max(target.max_workgroup_sizes))


def _three(header: Fields, name: str, most: int) -> tuple[int, int, int]:
    sizes = header.integers(name, 1, most, 3)
    if len(sizes) != 3:
        raise FieldError(f"'{name}' is 3 integers, found {len(sizes)}")
    return sizes[0], sizes[1], sizes[2]


def _check_divisors(name: str, divisors: Iterable[int], count: int) -> None:
    found = tuple(divisors)
    if len(found) != count or any(d & (d - 1) for d in found):
        raise FieldError(f"'{name}' is a power of two for each of {count} machine parameters, found {list(found)}")


def _read_parameter(stated: Fields) -> SignatureParameter:
    name, kind = stated.text("name", _MAX_NAME), stated.word("kind", ("scalar", "buffer"))
    dtype = _dtype(stated)
    if kind == "scalar":
        stated.done()
        return ScalarParameter(name, dtype)
    shape = stated.extents("shape", 0, _BIG, _MAX_RANK)
    strides = None if stated.is_null("strides") else stated.extents("strides", -_BIG, _BIG, _MAX_RANK)
    if strides is not None and len(strides) != len(shape):
        raise FieldError(f"buffer {name!r} has {len(shape)} extents and {len(strides)} strides")
    offset = None if stated.is_null("offset") else stated.integer("offset", -_BIG, _BIG)
    flags = {flag: stated.flag(flag) for flag in ("read", "written", "may_alias", "near")}
    stated.done()
    return BufferParameter(name, dtype, shape, strides, offset, **flags)


def _dtype(stated: Fields) -> np.dtype[Any]:
    name = stated.text("dtype", _MAX_NAME)
    found = next((dtype for dtype in NUMPYS if dtype.name == name), None)  # others load ml_dtypes
    if found is None:
        others = {dtype.name: dtype for dtype in STRUCT_CODES}
        found = others[stated.word("dtype", tuple(others))]
    return found


def _requirement(stated: Fields, count: int) -> Requirement:
    found = Requirement(
        stated.integer("parameter", 0, count - 1),
        stated.integer("divisor", 1, _BIG),
        stated.text("argument", _MAX_NAME),
        stated.text("what", 64),
    )
    stated.done()
    return found


def _read_variant(stated: Fields, interface: Interface, blobs: _ReadBlobs) -> SavedVariant:
    vendor, target = interface.target.vendor, interface.target
    found = SavedVariant(
        _facts(stated.child("facts"), len(interface.divisors)),
        blobs.text(stated, "text", _TEXT_KINDS[vendor]),
        None if stated.is_null("image") else blobs.bytes(stated, "image", _IMAGE_KINDS[vendor]),
        _block_size(stated, target),
        stated.integer("dynamic_shared_bytes", 0, target.shared_memory_bytes),
        stated.integer("static_shared_bytes", 0, target.shared_memory_bytes),
        _grid(stated),
        read_maps(stated, interface.signature),
        _origins(stated.child("origins")),
        None if stated.is_null("resources") else _resources(stated.child("resources")),
    )
    stated.done()
    return found


def _facts(stated: Fields, count: int) -> Facts:
    facts = Facts(stated.integers("divisors", 1, ACCESS_BYTES, count), stated.flag("near"))
    stated.done()
    _check_divisors("facts.divisors", facts.divisors, count if facts.divisors else 0)
    return facts.canonical


def _grid(stated: Fields) -> tuple[tuple[int, int], ...]:
    found = stated.rows("grid", 2, 1 << 16, 3)
    if any(axis > 2 for _, axis in found):
        raise FieldError("'grid' has axes from 0 to 2")
    return tuple((offset, axis) for offset, axis in found)


def _origins(stated: Fields) -> Origins:
    files = tuple(_read_file(file) for file in stated.children("files", _MAX_FILES))
    marks = tuple(Mark(*mark) for mark in stated.rows("marks", 4, _MAX_ROW, _MAX_MARKS))
    if any(mark.row and (mark.file >= len(files) or mark.row not in files[mark.file].rows) for mark in marks):
        raise FieldError("'origins.marks' names files, or rows of them, that 'origins.files' has not")
    stated.done()
    return Origins(files, marks)


def _read_file(stated: Fields) -> SourceFile:
    table = stated.child("rows")
    rows = {_row(name): table.text(name, 1 << 20) for name in table.names(_MAX_MARKS)}
    found = SourceFile(stated.text("name", 4096), rows)
    stated.done()
    return found


def _row(name: str) -> int:
    if not _NUMBER.match(name) or int(name) > _MAX_ROW:
        raise FieldError(f"the rows of 'origins.files' are by numbers from 1 to {_MAX_ROW}, found {name[:40]!r}")
    return int(name)


def _resources(stated: Fields) -> Resources:
    amounts: dict[str, Any] = {name: stated.integer(name, 0, 1 << 40) for name in AMOUNTS}
    stated.done()
    return Resources(**amounts)
