"""Under what a kernel is kept: SHA-256 over all that decides its code, each part with its type and length.

Equal keys are equal code, so whoever makes one adds everything: the program, what is asked of the compiler, and
`compiler_identity()`. A part is None, a boolean, an integer, a float, text, bytes, or a tuple or list of parts.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable, Iterator, Mapping
from typing import Any

_Encode = Callable[[Any], bytes]
_LEAVES: Mapping[type, tuple[bytes, _Encode]] = {
    type(None): (b"n", lambda part: b""),
    bool: (b"b", lambda part: b"1" if part else b"0"),
    int: (b"i", lambda part: b"%x" % part if part >= 0 else b"-%x" % -part),
    float: (b"f", lambda part: struct.pack(">d", part)),
    str: (b"s", lambda part: part.encode("utf-8", "surrogatepass")),
    bytes: (b"y", bytes),
}


class Key:
    """An ordered sequence of parts; `kind` keeps those of one maker apart from those of all others.

    The same parts in another order, of another type or in other groups are another key: 1, 1.0, True and "1" differ,
    and so do ("ab", "c") and ("a", "bc").
    """

    __slots__ = ("_hash",)

    def __init__(self, kind: str, *parts: object) -> None:
        self._hash = hashlib.sha256()
        self.add(kind, *parts)

    def add(self, *parts: object) -> Key:
        """The same key with further parts. Raises TypeError for an object whose bytes nobody has defined; subclasses
        of the types above are such objects."""
        for part in parts:
            for piece in _encoded(part):
                self._hash.update(piece)
        return self

    @property
    def digest(self) -> str:
        """64 hexadecimal digits."""
        return self._hash.hexdigest()


def _encoded(part: object) -> Iterator[bytes]:
    kind = type(part)
    if kind is tuple or kind is list:
        parts: Any = part
        yield b"(%d:" % len(parts)
        for inner in parts:
            yield from _encoded(inner)
        return
    if kind not in _LEAVES:
        known = ", ".join(leaf.__name__ for leaf in _LEAVES)
        raise TypeError(f"a part of a key is one of {known}, or a tuple or list of these; found {kind.__name__}")
    tag, encode = _LEAVES[kind]
    content = encode(part)
    yield b"%s%d:" % (tag, len(content))
    yield content
