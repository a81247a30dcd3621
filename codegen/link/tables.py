"""String tables and the two hash tables through which a loader finds a symbol by its name.

`.hash` is the System V ABI's, `.gnu.hash` the GNU extension with a Bloom filter. Both are sized as ld.lld sizes them.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence

_WORD_BITS = 64
_SECOND_HASH_SHIFT = 26
_FILTER_BITS_PER_SYMBOL = 12
_SYMBOLS_PER_BUCKET = 4


class StringTable:
    """Names one after another, each ended by a zero byte; offset 0 is the empty name."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self.data = bytearray(1)
        self._offsets = {"": 0}
        for name in names:
            self.add(name)

    def add(self, name: str) -> int:
        """The offset of a name, appended unless it is there already."""
        if name not in self._offsets:
            self._offsets[name] = len(self.data)
            self.data += name.encode() + b"\0"
        return self._offsets[name]


def sysv_hash(name: str) -> int:
    """The hash of `.hash`, 28 bits."""
    value = 0
    for byte in name.encode():
        value = (value << 4) + byte
        high = value & 0xF0000000
        value = (value ^ (high >> 24)) & ~high
    return value


def gnu_hash(name: str) -> int:
    """The hash of `.gnu.hash`, 32 bits."""
    value = 5381
    for byte in name.encode():
        value = (value * 33 + byte) & 0xFFFFFFFF
    return value


def sysv_hash_table(names: Sequence[str]) -> bytes:
    """`.hash` over a symbol table that holds these names after its empty first entry."""
    count = len(names) + 1
    buckets, chains = [0] * count, [0] * count
    for index, name in enumerate(names, 1):
        bucket = sysv_hash(name) % count
        chains[index], buckets[bucket] = buckets[bucket], index
    return struct.pack(f"<{2 + 2 * count}I", count, count, *buckets, *chains)


def bucket_count(names: Sequence[str]) -> int:
    """Number of buckets of `.gnu.hash`; the symbol table must be sorted by `gnu_hash(name) % bucket_count`."""
    return max(1, len(names) // _SYMBOLS_PER_BUCKET)


def gnu_hash_table(names: Sequence[str]) -> bytes:
    """`.gnu.hash` over a symbol table that holds these names, sorted by bucket, after its empty first entry."""
    hashes, buckets = [gnu_hash(name) for name in names], bucket_count(names)
    words = _bloom_filter(hashes)
    header = struct.pack("<4I", buckets, 1, len(words), _SECOND_HASH_SHIFT)
    owners = [value % buckets for value in hashes]
    assert owners == sorted(owners)
    starts = [owners.index(bucket) + 1 if bucket in owners else 0 for bucket in range(buckets)]
    chain = [value & ~1 for value in hashes]
    for index, owner in enumerate(owners):
        chain[index] |= owners[index + 1 : index + 2] != [owner]  # the last one of its bucket
    return header + struct.pack(f"<{len(words)}Q{buckets}I{len(chain)}I", *words, *starts, *chain)


def _bloom_filter(hashes: Sequence[int]) -> list[int]:
    """Two bits for each symbol, in a power of two of 64-bit words."""
    words = [0] * (1 << (len(hashes) * _FILTER_BITS_PER_SYMBOL // _WORD_BITS).bit_length())
    for value in hashes:
        bits = 1 << value % _WORD_BITS | 1 << (value >> _SECOND_HASH_SHIFT) % _WORD_BITS
        words[value // _WORD_BITS % len(words)] |= bits
    return words
