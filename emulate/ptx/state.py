"""What a batch of workgroups is made of: lanes, places, memories, registers; and how a fault finds its thread."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from ...support.limits import Meter
from ..counters import Counters
from ..faults import Coordinates, EmulationFault, Place, Violation
from ..launch import place
from ..memory import GlobalMemory, SharedMemory
from ..races import Trace
from .blocks import Program
from .group import Group

Array = npt.NDArray[Any]

WARP = 32
_POISON = {code: np.frombuffer(b"\xcd" * 8, np.dtype(code))[0] for code in ("u1", "u2", "u4", "u8")}


@dataclass(frozen=True)
class Launch:
    """Everything that the batches of one launch share."""

    program: Program
    grid: Coordinates
    block: Coordinates
    cluster: Coordinates
    """Workgroups of a cluster along each axis; all are numbered cluster by cluster."""
    arguments: Array
    memory: GlobalMemory
    symbols: dict[str, np.int64]
    read_only: tuple[tuple[int, int], ...]
    shared_bytes: int
    checks: bool
    counters: Counters
    meter: Meter
    races: Trace
    """The accesses to global memory."""
    units: str
    """The chip whose matrix units add as theirs do (`unit_sums.py`); empty: sums are exact, and rounded once."""

    @property
    def threads(self) -> int:
        return self.block[0] * self.block[1] * self.block[2]

    @property
    def lanes(self) -> int:
        """Threads of a workgroup, padded to whole warps."""
        return self.races.crew.workgroup // self.together

    @property
    def together(self) -> int:
        """Workgroups of a cluster."""
        return math.prod(self.cluster)


class State:
    """Arrays with one entry per lane for the workgroups `first` .. `first + blocks - 1` of a launch."""

    def __init__(self, launch: Launch, first: int, blocks: int) -> None:
        self.launch = launch
        self.program = launch.program
        self.memory = launch.memory
        self.counters = launch.counters
        self.symbols = launch.symbols
        self.races = launch.races
        self.races.begin(first * launch.lanes)
        self.first, self.blocks, self.clusters = first, blocks, blocks // launch.together
        self.size = blocks * launch.lanes
        self.lane = np.arange(self.size, dtype=np.int64)
        self.block_of = self.lane // launch.lanes
        self.thread_of = self.lane % launch.lanes
        self.exists: Array = self.thread_of < launch.threads
        self.live: Array = self.exists.copy()
        """Who has not exited."""
        self.shared = SharedMemory(
            blocks,
            launch.shared_bytes,
            launch.races.crew,
            granule=launch.program.granule,
            checks=launch.checks,
        )
        self.local: Array = np.full(self.size * self.local_stride, 0xCD, np.uint8)
        self.registers: list[Any] = [_POISON.get(c, np.bool_(False)) for c in launch.program.register_codes]
        self._specials: dict[str, Any] = {}

    @property
    def local_stride(self) -> int:
        return -(-self.program.local_bytes // 16) * 16

    # ---- values ----

    def special(self, name: str) -> Any:
        """A special register: an array, or a scalar where all threads see the same."""
        if name not in self._specials:
            self._specials[name] = self._make_special(name)
        return self._specials[name]

    def _make_special(self, name: str) -> Any:
        base, _, axis = name[1:].partition(".")
        position = "xyz".index(axis) if axis else 0
        launch = self.launch
        match base:
            case "tid":
                return self._component(self.thread_of, launch.block, position)
            case "ctaid":
                return self._workgroup(launch.cluster, self._clusters_of_grid, position)
            case "clusterid":
                return self._component(self._cluster_number, self._clusters_of_grid, position)
            case "nclusterid":
                return np.uint32(self._clusters_of_grid[position])
            case "cluster_ctaid":
                return self._component(self.block_of % launch.together, launch.cluster, position)
            case "cluster_nctaid":
                return np.uint32(launch.cluster[position])
            case "cluster_ctarank":
                return (self.block_of % launch.together).astype(np.uint32)
            case "cluster_nctarank":
                return np.uint32(launch.together)
            case "ntid":
                return np.uint32(launch.block[position])
            case "nctaid":
                return np.uint32(launch.grid[position])
            case "laneid":
                return (self.lane % WARP).astype(np.uint32)
            case "warpid":
                return (self.thread_of // WARP).astype(np.uint32)
            case "nwarpid":
                return np.uint32(launch.lanes // WARP)
            case "dynamic_smem_size":
                return np.uint32(launch.shared_bytes - launch.program.static_shared_bytes)
            case "total_smem_size" | "aggr_smem_size":
                return np.uint32(launch.shared_bytes)
            case "nsmid":
                return np.uint32(1)
            case "clock64" | "globaltimer" | "gridid":
                return np.uint64(0)
            case _:
                return self._lane_mask(base) if base.startswith("lanemask") else np.uint32(0)

    @property
    def _cluster_number(self) -> Array:
        """Of each lane, in the grid."""
        return (self.block_of + self.first) // self.launch.together

    @property
    def _clusters_of_grid(self) -> Coordinates:
        x, y, z = (n // size for n, size in zip(self.launch.grid, self.launch.cluster, strict=True))
        return x, y, z

    def _workgroup(self, cluster: Coordinates, clusters: Coordinates, position: int) -> Any:
        """The coordinate of each lane's workgroup in the grid."""
        inside = self._component(self.block_of % self.launch.together, cluster, position)
        return self._component(self._cluster_number, clusters, position) * np.uint32(cluster[position]) + inside

    def _component(self, number: Array, extent: Coordinates, position: int) -> Any:
        if extent[position] == 1:
            return np.uint32(0)
        stride = (1, extent[0], extent[0] * extent[1])[position]
        return (number // stride % extent[position]).astype(np.uint32)

    def _lane_mask(self, base: str) -> Array:
        lane = (self.lane % WARP).astype(np.uint64)
        below = (np.uint64(1) << lane) - np.uint64(1)
        own = np.uint64(1) << lane
        full = np.uint64(0xFFFFFFFF)
        masks = {"eq": own, "lt": below, "le": below | own, "gt": full & ~(below | own), "ge": full & ~below}
        return masks[base.rpartition("_")[2]].astype(np.uint32)

    def parameter(self, offset: int, dtype: np.dtype[Any]) -> Any:
        """A kernel argument, the same for all threads."""
        return self.launch.arguments[offset : offset + dtype.itemsize].view(dtype)[0]

    def all_lanes(self, value: Any) -> Array:
        """The value with one entry per lane."""
        return np.broadcast_to(value, (self.size,))

    def chosen(self, value: Any, group: Group) -> Array:
        """The value for the lanes of a group, in order."""
        if np.ndim(value) == 0:
            return np.broadcast_to(value, (group.count,))
        found: Array = value if group.everyone else value[group.index]
        return found

    def stack(self, values: list[Array], group: Group) -> Array:
        """Contiguous [lane of the group, value]."""
        out = np.empty((group.count, len(values)), np.asarray(values[0]).dtype)
        for position, value in enumerate(values):
            out[:, position] = self.chosen(value, group)
        return out

    def spread(self, values: Array, group: Group) -> Array:
        """Values of a group's lanes, in order, to all lanes (zero elsewhere)."""
        if group.everyone:
            return values
        out = np.zeros(self.size, values.dtype)
        out[group.index] = values
        return out

    # ---- faults ----

    def fault(
        self, kind: str, detail: str, site: int, lane: int | None = None, address: int | None = None
    ) -> EmulationFault:
        """A fault of `lane` at instruction number `site`."""
        return EmulationFault(kind, detail, **self.place(site, lane)._asdict(), address=address)

    def place(self, site: int, lane: int | None) -> Place:
        """What a lane executes at instruction number `site`."""
        instruction = self.program.instructions[site] if site < len(self.program.instructions) else None
        who = None if lane is None else (int(self.block_of[lane]) + self.first, int(self.thread_of[lane]))
        return place(instruction, who, self.launch.grid, self.launch.block, self.launch.cluster)

    def thread_place(self, site: int, thread: int) -> Place:
        """The same of a thread that is numbered through the launch."""
        who = divmod(thread, self.launch.lanes)
        return place(self.program.instructions[site], who, self.launch.grid, self.launch.block, self.launch.cluster)

    def raise_violation(self, violation: Violation, lanes: Array, site: int) -> NoReturn:
        """Turn a memory's complaint into a fault."""
        lane = int(lanes[violation.position])
        raise self.fault(violation.kind, violation.detail, site, lane, violation.address) from None
