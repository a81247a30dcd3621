"""Bank conflicts of shared memory: how many passes (wavefronts) one access of a subgroup takes.

Shared memory is a row of banks, each one word wide. The lanes of an instruction are served in fixed groups; a group
takes one wavefront for every different word that it wants from its busiest bank. Lanes that want the same word share
it, for reads (broadcast) and writes (bytes of one word merge). A vendor is a table: `BankModel`.
"""

from __future__ import annotations

import numpy as np

from ..support.dataclasses import dataclass, replace
from ..support.named_tuples import NamedTuple
from ..targets import Chip
from .dimension import LayoutError
from .nested import IntArray

Lanes = tuple[int, ...]
_WIDE = 8
"""Bytes of a lane from which on a read is wide."""


@dataclass(frozen=True, slots=True)
class BankModel:
    """Banks, bytes of one bank, and which lanes are served together.

    `lanes_together` says for bytes a lane: that many consecutive lanes. `wide_read_groups` overrides it for reads of
    16 bytes: lanes within a block of lanes (the block repeats over the subgroup). `wide_reads`: the model of reads of 8
    and 16 bytes, where these reach more banks.
    """

    name: str
    banks: int
    bank_bytes: int
    lanes_together: tuple[tuple[int, int], ...]
    wide_read_groups: tuple[Lanes, ...] = ()
    wide_reads: BankModel | None = None

    def groups(self, lanes: int, bytes_per_lane: int, write: bool) -> list[IntArray]:
        """The lanes served together, in order; LayoutError for a width that no instruction has."""
        widths = dict(self.lanes_together)
        if bytes_per_lane not in widths:
            raise LayoutError(f"no {self.name} access has {bytes_per_lane} bytes a lane, only {sorted(widths)}")
        if self.wide_read_groups and bytes_per_lane == 16 and not write:
            block = 1 + max(max(group) for group in self.wide_read_groups)
            every = [np.add(group, start) for start in range(0, lanes, block) for group in self.wide_read_groups]
        else:
            step = widths[bytes_per_lane]
            every = [np.arange(start, start + step) for start in range(0, lanes, step)]
        present = (group[group < lanes].astype(np.int64) for group in every)
        return [group for group in present if group.size]


# CUDA programming guide: 32 banks of 4 bytes; 64- and 128-bit accesses are served by half and quarter warps.
NVIDIA = BankModel("NVIDIA", 32, 4, ((1, 32), (2, 32), (4, 32), (8, 16), (16, 8)))

# ROCm documentation of composable_kernel ("LDS bank conflicts"): eight lanes a phase for 128 bits, and reads pair lanes
# 0-3 with 20-23 and so on. Checked against documents only, not on a device.
CDNA = BankModel(
    "CDNA",
    32,
    4,
    ((1, 32), (2, 32), (4, 32), (8, 16), (16, 8)),
    tuple(
        tuple(range(first, first + 4)) + tuple(range(second, second + 4))
        for first, second in ((0, 20), (4, 16), (8, 28), (12, 24))
    ),
)

# gfx950: reads of 8 and 16 bytes are served by 64 banks, writes and narrower reads as before (AMD in review of
# ROCm/rocm-libraries 3668). Which lanes such a read serves together is not published: neighbours are taken.
CDNA4 = replace(CDNA, name="CDNA4", wide_reads=BankModel("CDNA4", 64, 4, ((8, 32), (16, 16))))

# RDNA: 32 banks of 4 bytes serve half of a workgroup processor; wider accesses take turns as they do elsewhere.
RDNA = BankModel("RDNA", 32, 4, NVIDIA.lanes_together)


def banks_of(chip: Chip) -> BankModel:
    """The chip's own model."""
    if chip.vendor == "nvidia":
        return NVIDIA
    if chip.supports("lds_banks.64"):
        return CDNA4
    return CDNA if chip.supports("mfma") else RDNA


def wavefronts(
    addresses: IntArray, bytes_per_lane: int, *, write: bool = False, model: BankModel = NVIDIA
) -> tuple[IntArray, IntArray]:
    """(wavefronts taken, wavefronts without conflicts) of accesses [..., lanes], each [...].

    An address is in bytes, a multiple of `bytes_per_lane`; a negative one is an inactive lane. The second number is
    what the same words would take if they were spread evenly over the banks.
    """
    if model.wide_reads is not None and bytes_per_lane >= _WIDE and not write:
        model = model.wide_reads
    flat = np.asarray(addresses, np.int64).reshape(-1, addresses.shape[-1])
    if ((flat % bytes_per_lane != 0) & (flat >= 0)).any():
        raise LayoutError(f"an access of {bytes_per_lane} bytes a lane at an address that is no multiple of it")
    taken, ideal = np.zeros(len(flat), np.int64), np.zeros(len(flat), np.int64)
    by_size: dict[int, list[IntArray]] = {}
    for group in model.groups(flat.shape[-1], bytes_per_lane, write):
        by_size.setdefault(len(group), []).append(group)
    for size, groups in by_size.items():
        lanes = flat[:, np.stack(groups)].reshape(-1, size)
        counts = _words_per_bank(lanes, bytes_per_lane, model).reshape(len(flat), len(groups), model.banks)
        taken += counts.max(axis=2).sum(axis=1)
        ideal += (-(-counts.sum(axis=2) // model.banks)).sum(axis=1)
    shape = addresses.shape[:-1]
    return taken.reshape(shape), ideal.reshape(shape)


class Conflict(NamedTuple):
    """Two lanes that are served together, and want different words of one bank."""

    lanes: tuple[int, int]
    bank: int


def first_conflict(
    addresses: IntArray, bytes_per_lane: int, *, write: bool = False, model: BankModel = NVIDIA
) -> Conflict | None:
    """The first two lanes that meet in one access, whose addresses [lanes] are those of `wavefronts`."""
    if model.wide_reads is not None and bytes_per_lane >= _WIDE and not write:
        model = model.wide_reads
    for group in model.groups(len(addresses), bytes_per_lane, write):
        wanted: dict[int, tuple[int, int]] = {}
        for lane in group.tolist():
            for byte in range(0, bytes_per_lane, model.bank_bytes) if addresses[lane] >= 0 else ():
                word = (int(addresses[lane]) + byte) // model.bank_bytes
                other, there = wanted.setdefault(word % model.banks, (lane, word))
                if there != word:
                    return Conflict((other, lane), word % model.banks)
    return None


def _words_per_bank(addresses: IntArray, bytes_per_lane: int, model: BankModel) -> IntArray:
    """How many different words each bank gives, [accesses, banks], for byte addresses [accesses, lanes]."""
    rows = len(addresses)
    steps = np.arange(0, max(bytes_per_lane // model.bank_bytes, 1), dtype=np.int64)
    words = np.where(addresses < 0, -1, addresses // model.bank_bytes)[:, :, None]
    words = np.sort(np.where(words < 0, -1, words + steps).reshape(rows, -1), axis=1)
    different = words >= 0
    different[:, 1:] &= words[:, 1:] != words[:, :-1]
    cells = (np.arange(rows)[:, None] * model.banks + words % model.banks)[different]
    return np.bincount(cells, minlength=rows * model.banks).reshape(rows, model.banks)
