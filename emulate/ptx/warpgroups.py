"""wgmma of a batch: executed when it is issued, and watched until it is waited for.

On hardware it runs on its own from its issue to the wait for it. Its accumulators are neither read nor written in
between, registers that it takes A from are not written, and neither is the shared memory that it reads: all are faults
here, so that when the accumulators are formed does not matter. It reads shared memory through the async proxy: what
threads wrote is there after a `fence.proxy.async` of each thread that wrote, and a barrier. Registers that were written
since are there after `wgmma.fence`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from ...support.dataclasses import dataclass
from ..faults import Violation
from ..unit_sums import of_tensor_core
from .group import Group
from .tensor_cores import NOTHING, dimensions
from .tma_stores import BoxStores
from .wgmma import LANES, Descriptor, Form

Array = npt.NDArray[Any]

_WORD = 16


@dataclass
class _Flight:
    """One issued instruction: the lanes that have not waited for it, its registers by number, and the shared memory
    of each group of four warps [group, cell], whose first lanes are `leaders`."""

    mask: Array
    turn: Array
    results: frozenset[int]
    operands: frozenset[int]
    leaders: Array
    cells: Array
    line: int

    @property
    def watched(self) -> Array:
        """The shared memory of those that have not waited for it."""
        return self.cells[self.mask[self.leaders]].reshape(-1)


class Warpgroups(BoxStores):
    """Adds wgmma to a batch."""

    def prepare_warpgroups(self) -> None:
        """Called once, before anything runs."""
        self.flying: list[_Flight] = []
        self._turns: Array = np.zeros(self.size, np.int64)
        self._unfenced: dict[int, Array] = {}
        if any(i.opcode == "wgmma" for i in self.program.instructions):
            self.shared.watch_proxies()

    # ---- registers ----

    def touch(self, read: Sequence[int], written: Sequence[int], group: Group, site: int) -> None:
        """An ordinary instruction reads and writes registers that some wgmma of the kernel has."""
        for flight in self.flying:
            wrong = flight.results.intersection((*read, *written)) or flight.operands.intersection(written)
            if wrong and (flight.mask & group.mask).any():
                lane = int(np.flatnonzero(flight.mask & group.mask)[0])
                name = self.program.symbols.names[min(wrong)]
                verb = "written" if min(wrong) in written else "read"
                detail = f"register {name} is {verb} before the wait for the wgmma of line {flight.line}, which has it"
                raise self.fault("in-flight", detail, site, lane)
        for number in written:
            found = self._unfenced.get(number)
            self._unfenced[number] = group.mask.copy() if found is None else found | group.mask

    def fence_registers(self, group: Group) -> None:
        """wgmma.fence."""
        for mask in self._unfenced.values():
            mask[group.index] = False

    def _need_fence(self, numbers: frozenset[int], group: Group, site: int) -> None:
        for number in sorted(numbers):
            mask = self._unfenced.get(number)
            if mask is not None and (mask & group.mask).any():
                lane = int(np.flatnonzero(mask & group.mask)[0])
                name = self.program.symbols.names[number]
                raise self.fault("in-flight", f"no wgmma.fence since register {name} was written", site, lane)

    # ---- groups ----

    def commit_warpgroups(self, group: Group) -> None:
        self._turns[group.index] += 1

    def wait_warpgroups(self, allowed: int, group: Group) -> None:
        """For all but the `allowed` newest commits of the group's lanes."""
        for flight in self.flying:
            flight.mask = flight.mask & ~(group.mask & (flight.turn < self._turns - allowed))
        self.flying = [flight for flight in self.flying if flight.mask.any()]
        self.shared.watch([flight.watched for flight in self.flying])

    def fence_async_proxy(self, group: Group) -> None:
        self.shared.fence_proxy(group.index)

    # ---- the product ----

    def multiply_warpgroups(
        self,
        form: Form,
        a: Array | list[Array],
        b: Array,
        registers: list[Array],
        keeps: Any,
        numbers: tuple[frozenset[int], frozenset[int]],
        group: Group,
        site: int,
    ) -> list[Array]:
        """Registers of D. `a` is a descriptor or a list of registers, `b` a descriptor; `keeps`: whether D is added
        to."""
        results, operands = numbers
        self._need_fence(results | operands, group, site)
        self._need_same_results(results, group, site)
        flats: list[Array] = []
        left = (
            form.from_registers(self.stack(a, group))
            if isinstance(a, list)
            else self._matrix(form, 0, a, group, site, flats)
        )
        right = self._matrix(form, 1, b, group, site, flats)
        self.counters.matrix_instructions += group.warps
        self.counters.matrix_flops += group.warps // 4 * 2 * prod(dimensions(form.shape))
        kept = [self._kept(r, keeps, group, site) for r in registers]
        units = self.launch.units
        add = of_tensor_core(units, form.a, form.b, form.accumulator, form.extents(0)[1]) if units else None
        if add is None:
            sums = form.product(left, right)
        else:
            sums = form.sums(add, left, right, self.stack(kept, group))
            kept = [np.full_like(r, NOTHING[form.accumulator]) for r in kept]
        added = form.add([self.spread(s, group) for s in sums], kept)
        leaders = group.index.reshape(-1, LANES)[:, 0]
        cells = np.concatenate([self.shared.cells(f, _WORD).reshape(len(leaders), -1) for f in flats], axis=1)
        line = self.program.instructions[site].line
        self.flying.append(_Flight(group.mask.copy(), self._turns.copy(), results, operands, leaders, cells, line))
        self.shared.watch([flight.watched for flight in self.flying])
        return added

    def _need_same_results(self, results: frozenset[int], group: Group, site: int) -> None:
        """Accumulators chain in the same registers without a wait; other uses of some of them do not."""
        for flight in self.flying:
            mixed = flight.results & results and flight.results != results
            if (mixed or flight.operands & results) and (flight.mask & group.mask).any():
                detail = f"some of its registers are those of the wgmma of line {flight.line}, which is not waited for"
                raise self.fault("in-flight", detail, site, int(group.index[0]))

    def _kept(self, register: Any, keeps: Any, group: Group, site: int) -> Array:
        value = np.asarray(self.all_lanes(register))
        wanted = self.all_lanes(keeps)
        return np.where(wanted, value, np.zeros((), value.dtype))

    def _matrix(self, form: Form, side: int, words: Any, group: Group, site: int, flats: list[Array]) -> Array:
        """[warpgroup, row of A or column of B, k] from where a descriptor says; notes the reads."""
        each = self.chosen(words, group).reshape(-1, LANES)
        lanes = group.index.reshape(-1, LANES)[:, 0]
        if (each != each[:, :1]).any():
            raise self.fault("divergent-warp-operation", "lanes have different descriptors", site, int(lanes[0]))
        found = Descriptor.read(np.ascontiguousarray(each[:, 0]))
        if found is None:
            detail = "warpgroups whose descriptors differ in more than the address, or a base offset"
            raise self.fault("unsupported", detail, site, int(lanes[0]))
        if found.misaligned().any():
            position = int(np.flatnonzero(found.misaligned())[0])
            detail = f"a swizzle of {found.row} bytes begins at a multiple of {8 * found.row}"
            raise self.fault("misaligned", detail, site, int(lanes[position]), int(found.start[position]))
        size, (rows, k) = form.size[side], form.extents(side)
        places = found.places(rows, k, size, k_major=form.k_major[side])
        step = _WORD // size
        chunks = places[:, :, ::step] if form.k_major[side] else places[:, ::step, :]
        flats.append(self.read_chunks(chunks.reshape(len(lanes), -1), lanes, site))
        data = self.shared.data.view(f"u{size}")
        segments = self.block_of[lanes][:, None, None] * (self.shared.stride // size)
        return form.from_memory(side, data[places // size + segments])

    def read_chunks(self, chunks: Array, lanes: Array, site: int) -> Array:
        """Positions of reads of 16 bytes [warpgroup, chunk], which the first lane of each warpgroup stands for."""
        who = np.repeat(lanes, chunks.shape[1])
        try:
            flat = self.shared.locate(chunks.reshape(-1), self.block_of[who], _WORD)
            self.shared.on_read(flat, who, _WORD, site)
            self.shared.need_fenced(flat, _WORD)
        except Violation as violation:
            self.raise_violation(violation, who, site)
        self.counters.shared_load_bytes += _WORD * flat.size
        return flat
