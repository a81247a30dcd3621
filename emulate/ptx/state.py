"""What a batch of workgroups is made of: lanes, their places, and registers."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..faults import Coordinates
from ..machine import state as machine
from ..machine.state import Launch
from .blocks import Program
from .group import Group

Array = npt.NDArray[Any]

WARP = 32
_FILL = {code: np.frombuffer(b"\xcd" * 8, np.dtype(code))[0] for code in ("u1", "u2", "u4", "u8")}


class State(machine.State[Launch[Program], Program]):
    """Arrays with one entry per lane for the workgroups `first` .. `first + blocks - 1` of a launch."""

    def __init__(self, launch: Launch[Program], first: int, blocks: int) -> None:
        super().__init__(launch, first, blocks)
        self.symbols = {name: np.int64(address) for name, address in launch.symbols.items()}
        self.clusters = blocks // launch.together
        self.size = blocks * launch.lanes
        self.lane = np.arange(self.size, dtype=np.int64)
        self.block_of = self.lane // launch.lanes
        self.thread_of = self.lane % launch.lanes
        self.exists: Array = self.thread_of < launch.threads
        self.live: Array = self.exists.copy()
        """Who has not exited."""
        self.local: Array = np.full(self.size * self.local_stride, 0xCD, np.uint8)
        self.registers: list[Any] = [_FILL.get(c, np.bool_(False)) for c in launch.program.register_codes]
        self._specials: dict[str, Any] = {}

    def owner(self, lane: int) -> tuple[int, int]:
        return int(self.block_of[lane]) + self.first, int(self.thread_of[lane])

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
                return self.component(self.thread_of, launch.block, position)
            case "ctaid":
                return self._workgroup(launch.cluster, self._clusters_of_grid, position)
            case "clusterid":
                return self.component(self._cluster_number, self._clusters_of_grid, position)
            case "nclusterid":
                return np.uint32(self._clusters_of_grid[position])
            case "cluster_ctaid":
                return self.component(self.block_of % launch.together, launch.cluster, position)
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
                return np.uint32(launch.shared_bytes - launch.program.shared_bytes)
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
        """The number of the cluster of each lane, in the grid."""
        return (self.block_of + self.first) // self.launch.together

    @property
    def _clusters_of_grid(self) -> Coordinates:
        x, y, z = (n // size for n, size in zip(self.launch.grid, self.launch.cluster, strict=True))
        return x, y, z

    def _workgroup(self, cluster: Coordinates, clusters: Coordinates, position: int) -> Any:
        """The coordinate of each lane's workgroup in the grid."""
        inside = self.component(self.block_of % self.launch.together, cluster, position)
        return self.component(self._cluster_number, clusters, position) * np.uint32(cluster[position]) + inside

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
