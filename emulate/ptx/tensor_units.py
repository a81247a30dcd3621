"""tcgen05 of a batch: tensor memory, and what tensor cores do with it, executed when it is issued."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from ...support.dataclasses import dataclass
from ...targets.nvidia_fragments import TENSOR_MOVES
from .group import Group
from .state import WARP
from .tcgen05_groups import Flight, TensorFlights
from .tensor_forms import COPIES, WORDS_ALONG_K, Product, moved, read_descriptor
from .tensor_memory import COLUMNS, LANES, LEAST, Area, TensorMemory
from .wgmma import Descriptor

Array = npt.NDArray[Any]

_WORD = 16
_NOTHING: Array = np.zeros(0, np.int64)
_QUARTER = LANES // 4
"""Lanes that a warp reaches: its number, of every four, says which."""


@dataclass
class _Loading:
    """Registers that a load has: of the lanes that have not waited for it."""

    mask: Array
    numbers: frozenset[int]
    line: int


def _cell(address: int) -> tuple[int, int]:
    """Lane and column."""
    return address >> 16 & 0xFFFF, address & 0xFFFF


class TensorUnits(TensorFlights):
    """Adds tcgen05 to a batch."""

    def prepare_tensor_units(self) -> None:
        """Called once, before anything runs."""
        self.prepare_flights()
        self._loading: list[_Loading] = []
        self._tensor = TensorMemory(self.blocks if self.program.tensor_bytes else 0)

    def _refuse(self, detail: str, site: int, lane: int) -> NoReturn:
        raise self.fault("tensor-memory", detail, site, lane)

    # ---- allocation ----

    def have_columns(self, wanted: Any, group: Group, site: int) -> Array:
        """For all lanes: whether the warp may go on. Of several of a workgroup, one at a time."""
        out = np.zeros(self.size, np.bool_)
        counts, served = self.all_lanes(wanted), set[int]()
        for workgroup, _, lane in self.warps_of(group):
            columns = int(counts[lane])
            if columns & (columns - 1) or not LEAST <= columns <= COLUMNS:
                self._refuse(f"columns are a power of two from {LEAST} to {COLUMNS}, found {columns}", site, lane)
            if not self._tensor.permitted[workgroup]:
                self._refuse("its workgroup has given up the permit to allocate", site, lane)
            if workgroup not in served and self._tensor.room(workgroup, columns) is not None:
                served.add(workgroup)
                out[lane - lane % WARP : lane - lane % WARP + WARP] = True
        return out

    def allocate_columns(self, space: str, place: Any, wanted: Any, group: Group, site: int) -> None:
        """The first lane of each warp stands for it."""
        counts, found = self.all_lanes(wanted), np.zeros(self.size, np.uint32)
        first = np.zeros(self.size, np.bool_)
        for workgroup, _, lane in self.warps_of(group):
            found[lane] = self._tensor.allocate(workgroup, int(counts[lane]), lane, site)
            first[lane] = True
        self.store(space, self.all_lanes(place), 4, [found], Group(first), site)

    def release_columns(self, address: Any, wanted: Any, group: Group, site: int) -> None:
        starts, counts = self.all_lanes(address), self.all_lanes(wanted)
        for workgroup, warp, lane in self.warps_of(group):
            (start, first), columns = _cell(int(starts[lane])), int(counts[lane])
            line = self.program.instructions[site].line
            wrong = f"begins in lane {start}" if start else self._tensor.release(workgroup, first, columns, line)
            if wrong:
                self._refuse(wrong, site, lane)
            whole = Flight("dealloc", line, workgroup, warp, lane, [], [Area((1 << LANES) - 1, first, first + columns)],
                           _NOTHING)  # fmt: skip
            for flight in self.under_way[workgroup]:
                if flight.clash(whole) and not self.knows_without_fence(flight, warp):
                    detail = f"gives back columns that {flight.name} has, whose end the warp has not seen"
                    raise self.fault("in-flight", detail, site, lane)
            self.under_way[workgroup] = [f for f in self.under_way[workgroup] if not f.clash(whole)]

    def allocate_no_more(self, group: Group) -> None:
        """relinquish_alloc_permit."""
        self._tensor.permitted[self.block_of[group.index]] = False

    def require_landed(self) -> None:
        super().require_landed()
        left = self._tensor.left()
        if left is not None:
            _, taken = left
            detail = f"the kernel ends, and nobody gives these {taken.columns} columns of tensor memory back"
            raise self.fault("tensor-memory", detail, taken.site, taken.lane)

    # ---- areas ----

    def _need_allocated(self, workgroup: int, area: Area, site: int, lane: int) -> Area:
        wrong = self._tensor.unallocated(workgroup, area)
        if wrong:
            self._refuse(wrong, site, lane)
        return area

    def _need_written(self, workgroup: int, lanes: Array, columns: Array, site: int, lane: int) -> None:
        if not self.launch.checks:
            return
        missing = self._tensor.unwritten(workgroup, lanes, columns)
        if missing is not None:
            detail = f"read of tensor memory that nobody has written: lane {missing[0]}, column {missing[1]}"
            raise self.fault("uninitialised", detail, site, lane)

    # ---- registers ----

    def touch(self, read: Sequence[int], written: Sequence[int], group: Group, site: int) -> None:
        for loading in self._loading:
            wrong = loading.numbers.intersection((*read, *written))
            if wrong and (loading.mask & group.mask).any():
                lane = int(np.flatnonzero(loading.mask & group.mask)[0])
                name = self.program.symbols.names[min(wrong)]
                verb = "written" if min(wrong) in written else "read"
                detail = f"register {name} is {verb} before the wait for the tcgen05.ld of line {loading.line}"
                raise self.fault("in-flight", f"{detail}, which has it", site, lane)
        super().touch(read, written, group, site)

    def wait_for(self, what: str, group: Group) -> None:
        super().wait_for(what, group)
        if what == "ld":
            for loading in self._loading:
                loading.mask = loading.mask & ~group.mask
            self._loading = [loading for loading in self._loading if loading.mask.any()]

    # ---- moves ----

    def _moved(
        self, what: str, shape: str, count: int, halves: bool, address: Any, group: Group, site: int
    ) -> tuple[Array, Array, Array]:
        """(workgroup of each warp, lanes, columns), the latter [warp, thread, register] with `halves` columns of two
        behind; checked, and under way from now on."""
        addresses = self.chosen(self.all_lanes(address), group).reshape(-1, WARP)
        rows, columns = moved(shape, count)
        if halves:
            columns = 2 * columns[..., None] + np.arange(2)
            rows = np.broadcast_to(rows[..., None], columns.shape)
        width, reach = int(columns.max()) + 1, TENSOR_MOVES[shape].lanes
        warps, line = self.warps_of(group), self.program.instructions[site].line
        for (workgroup, warp, lane), each in zip(warps, addresses, strict=True):
            if (each != each[0]).any():
                raise self.fault("divergent-warp-operation", "lanes have different addresses", site, lane)
            start, first = _cell(int(each[0]))
            own = warp % 4 * _QUARTER
            if start not in range(own, own + _QUARTER, reach):
                detail = f"warp {warp} reaches lanes {own} to {own + _QUARTER - 1} of tensor memory"
                self._refuse(f"{detail}, found {reach} from {start} on", site, lane)
            area = self._need_allocated(workgroup, Area((1 << reach) - 1 << start, first, first + width), site, lane)
            reads, writes = ([area], list[Area]()) if what == "ld" else (list[Area](), [area])
            self.begin(Flight(what, line, workgroup, warp, lane, reads, writes, _NOTHING), site)
            if what == "ld":
                self._need_written(workgroup, start + rows, first + columns, site, lane)
        cells = addresses[:, 0].astype(np.int64).reshape(-1, *[1] * rows.ndim)
        owners = np.array([workgroup for workgroup, _, _ in warps])
        return owners, (cells >> 16) + rows, (cells & 0xFFFF) + columns

    def load_tensor(
        self, shape: str, count: int, halves: bool, address: Any, numbers: frozenset[int], group: Group, site: int
    ) -> list[Array]:
        """Registers of tcgen05.ld; `numbers` are theirs."""
        self.touch([], sorted(numbers), group, site)
        owners, lanes, columns = self._moved("ld", shape, count, halves, address, group, site)
        found = self._tensor.cells[owners.reshape(-1, *[1] * (lanes.ndim - 1)), lanes, columns]
        if halves:
            found = found[..., 0] & np.uint32(0xFFFF) | found[..., 1] << np.uint32(16)
        self._loading.append(_Loading(group.mask.copy(), numbers, self.program.instructions[site].line))
        flat = found.reshape(-1, count)
        return [self.spread(np.ascontiguousarray(flat[:, r]), group) for r in range(count)]

    def store_tensor(self, shape: str, halves: bool, address: Any, values: list[Any], group: Group, site: int) -> None:
        owners, lanes, columns = self._moved("st", shape, len(values), halves, address, group, site)
        given = self.stack([self.all_lanes(v) for v in values], group).reshape(-1, WARP, len(values))
        if halves:
            given = np.stack([given & np.uint32(0xFFFF), given >> np.uint32(16)], axis=-1)
        for number, workgroup in enumerate(owners.tolist()):
            self._tensor.write(workgroup, lanes[number], columns[number], given[number])

    # ---- shared memory ----

    def _descriptor(self, bits: int, site: int, lane: int) -> Descriptor:
        found = read_descriptor(bits)
        if isinstance(found, str):
            raise self.fault("unsupported", found, site, lane)
        if found.misaligned().any():
            detail = f"a swizzle of {found.row} bytes begins at a multiple of {8 * found.row}"
            raise self.fault("misaligned", detail, site, lane, int(found.start[0]))
        return found

    def _shared_matrix(
        self, bits: int, rows: int, k: int, size: int, k_major: bool, site: int, lane: int
    ) -> tuple[Array, Array]:
        """(raw elements of `size` bytes [row, k], which granules they lie in); notes the reads."""
        places = self._descriptor(bits, site, lane).places(rows, k, size, k_major=k_major)
        step = _WORD // size
        chunks = places[:, :, ::step] if k_major else places[:, ::step, :]
        flat = self.read_chunks(chunks.reshape(1, -1), np.array([lane]), site)
        start = int(self.block_of[lane]) * self.shared.stride
        raw = self.shared.data.view(f"u{size}")[(places[0] + start) // size]
        return raw, self.granules(int(self.block_of[lane]), flat, _WORD)

    # ---- products and copies ----

    def multiply_tensor(
        self,
        kind: str,
        d: Any,
        a: Any,
        held: bool,
        b: Any,
        types: Any,
        disabled: list[Any],
        adds: Any,
        scale: int,
        group: Group,
        site: int,
    ) -> None:
        """One product a lane. `d` is an address of tensor memory, `a` too where it is `held` there; otherwise `a`, and
        `b`, are descriptors. D is added to where `adds`; lanes whose bits in `disabled` are set keep what they have."""
        columns = [self.all_lanes(x) for x in (d, a, b, types, adds, *disabled)]
        for lane in group.index.tolist():
            to, left, right, bits, keeps, *masks = (int(column[lane]) for column in columns)
            form = Product.read(kind, bits)
            if not isinstance(form, str) and held and form.m != LANES:
                form = f"{form.m} rows with A in tensor memory"
            if isinstance(form, str):
                raise self.fault("unsupported", f"tcgen05.mma of kind {kind}: {form}", site, lane)
            mask = sum(word << 32 * number for number, word in enumerate(masks))
            self._multiply_one(form, to, left, held, right, bool(keeps), scale, mask, lane, site)

    def _multiply_one(
        self,
        form: Product,
        to: int,
        left: int,
        held: bool,
        right: int,
        keeps: bool,
        scale: int,
        mask: int,
        lane: int,
        site: int,
    ) -> None:
        workgroup, line = int(self.block_of[lane]), self.program.instructions[site].line
        start, first = self._start(form, to, site, lane)
        rows = start + form.rows()
        kept = np.array([not mask >> int(row) & 1 for row in rows])
        area = self._need_allocated(workgroup, Area.of(rows, first, form.n), site, lane)
        reads, cells = ([area] if keeps else []), list[Array]()
        if held:
            words, source = self._held(form, left, site, lane)
            reads.append(source)
        else:
            words, found = self._operand(form, 0, left, site, lane)
            cells.append(found)
        others, found = self._operand(form, 1, right, site, lane)
        cells.append(found)
        order = (form.m, form.n, form.kind, start, first)
        granules = np.logical_or.reduce(cells)
        flight = Flight("mma", line, workgroup, self.warp_of(lane), lane, reads, [area], granules, order)
        self.begin(flight, site)
        places = rows[:, None], first + np.arange(form.n)[None, :]
        if keeps:
            self._need_written(workgroup, *places, site, lane)
        if held:
            self._need_written(workgroup, *self._held_places(form, left), site, lane)
        old = self._tensor.cells[workgroup, places[0], places[1]]
        accumulator = form.add(form.numbers(0, words), form.numbers(1, others), old if keeps else None, scale)
        self._tensor.write(workgroup, rows[kept][:, None], places[1], accumulator[kept])
        self.counters.matrix_instructions += 1
        self.counters.matrix_flops += 2 * form.m * form.n * form.k

    def _start(self, form: Product, address: int, site: int, lane: int) -> tuple[int, int]:
        """Lane and column; 64 rows lie in the lower or the upper half of each warp's lanes."""
        start, first = _cell(address)
        allowed = (0,) if form.m == LANES else (0, 16)
        if start not in allowed:
            detail = f"{form.m} rows begin in lane {' or '.join(map(str, allowed))}, found {start}"
            self._refuse(detail, site, lane)
        return start, first

    def _held_places(self, form: Product, address: int) -> tuple[Array, Array]:
        start, first = _cell(address)
        return (start + form.rows())[:, None], first + np.arange(WORDS_ALONG_K)[None, :]

    def _held(self, form: Product, address: int, site: int, lane: int) -> tuple[Array, Area]:
        """A in tensor memory: words [row, word along K]."""
        start, first = self._start(form, address, site, lane)
        workgroup = int(self.block_of[lane])
        area = Area.of(start + form.rows(), first, WORDS_ALONG_K)
        self._need_allocated(workgroup, area, site, lane)
        rows, columns = self._held_places(form, address)
        return self._tensor.cells[workgroup, rows, columns], area

    def _operand(self, form: Product, side: int, bits: int, site: int, lane: int) -> tuple[Array, Array]:
        rows, size = (form.m, form.n)[side], form.size(side)
        raw, cells = self._shared_matrix(bits, rows, form.k, size, form.k_major[side], site, lane)
        return np.ascontiguousarray(raw).view(np.uint32), cells

    def copy_to_tensor(self, shape: tuple[str, ...], address: Any, source: Any, group: Group, site: int) -> None:
        """One copy a lane."""
        to, descriptors = self.all_lanes(address), self.all_lanes(source)
        copied, line = COPIES[shape], self.program.instructions[site].line
        for lane in group.index.tolist():
            workgroup, (start, first) = int(self.block_of[lane]), _cell(int(to[lane]))
            if start:
                self._refuse(f"what is copied begins in lane 0, found {start}", site, lane)
            rows, words = copied.rows, copied.row_bytes // 4
            area = self._need_allocated(workgroup, Area.of(copied.lanes, first, words), site, lane)
            raw, cells = self._shared_matrix(int(descriptors[lane]), rows, copied.row_bytes, 1, True, site, lane)
            flight = Flight("cp", line, workgroup, self.warp_of(lane), lane, [], [area], cells)
            self.begin(flight, site)
            columns = first + np.arange(words)[None, :]
            for lanes in copied.lanes:
                self._tensor.write(workgroup, lanes[:, None], columns, raw.view(np.uint32))
