"""A reader of MessagePack, the encoding of the metadata in code objects (format: the MessagePack specification)."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias

Value: TypeAlias = "bool | int | float | str | bytes | list[Value] | dict[Value, Value] | None"

_DEEPEST = 32  # metadata nests five deep; damaged bytes shall not exhaust the stack


class MessagePackError(ValueError):
    """Bytes that are not one complete MessagePack value; the message says where."""


def unpack(data: bytes) -> Value:
    """The one value that `data` holds. Extension types are refused, and so are keys that are lists or maps."""
    reader = _Reader(data)
    value = reader.value(0)
    if reader.position != len(data):
        raise MessagePackError(f"{len(data) - reader.position} bytes follow the value")
    return value


class _Reader:
    """A position in the bytes, moved on by each reading."""

    def __init__(self, data: bytes) -> None:
        self.data, self.position = data, 0

    def value(self, depth: int) -> Value:
        if depth > _DEEPEST:
            raise MessagePackError(f"values nest more than {_DEEPEST} deep at byte {self.position}")
        head = self.bytes(1)[0]
        if head < 0x80:
            return head
        if head < 0x90:
            return self.map(head & 15, depth)
        if head < 0xA0:
            return self.list(head & 15, depth)
        if head < 0xC0:
            return self.text(head & 31)
        if head >= 0xE0:
            return head - 0x100
        if head not in _HEADS:
            raise MessagePackError(f"byte {head:#x} at {self.position - 1} starts no value that is understood")
        return _HEADS[head](self, depth)

    def bytes(self, count: int) -> bytes:
        start, self.position = self.position, self.position + count
        if self.position > len(self.data):
            raise MessagePackError(f"{count} bytes expected at byte {start}, found {len(self.data) - start}")
        return self.data[start : self.position]

    def number(self, format: str) -> int:
        value: int = struct.unpack(">" + format, self.bytes(struct.calcsize(format)))[0]
        return value

    def text(self, count: int) -> str:
        return self.bytes(count).decode(errors="replace")

    def list(self, count: int, depth: int) -> list[Value]:
        return [self.value(depth + 1) for _ in range(count)]

    def map(self, count: int, depth: int) -> dict[Value, Value]:
        return dict(self.pair(depth + 1) for _ in range(count))

    def pair(self, depth: int) -> tuple[Value, Value]:
        key = self.value(depth)
        if isinstance(key, (list, dict)):
            raise MessagePackError(f"a map at byte {self.position} has a key that is a list or a map")
        return key, self.value(depth)


_Head: TypeAlias = Callable[[_Reader, int], Value]


def _number(format: str) -> _Head:
    return lambda reader, depth: reader.number(format)


def _bytes(size: str) -> _Head:
    return lambda reader, depth: reader.bytes(reader.number(size))


def _text(size: str) -> _Head:
    return lambda reader, depth: reader.text(reader.number(size))


def _list(size: str) -> _Head:
    return lambda reader, depth: reader.list(reader.number(size), depth)


def _map(size: str) -> _Head:
    return lambda reader, depth: reader.map(reader.number(size), depth)


_HEADS: Mapping[int, _Head] = MappingProxyType(
    {
        0xC0: lambda reader, depth: None,
        0xC2: lambda reader, depth: False,
        0xC3: lambda reader, depth: True,
        **{0xC4 + i: _bytes(size) for i, size in enumerate("BHI")},
        **{0xCA + i: _number(format) for i, format in enumerate("fdBHIQbhiq")},
        **{0xD9 + i: _text(size) for i, size in enumerate("BHI")},
        **{0xDC + i: _list(size) for i, size in enumerate("HI")},
        **{0xDE + i: _map(size) for i, size in enumerate("HI")},
    }
)
