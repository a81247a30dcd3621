"""What a batch of workgroups is made of: waves and registers, and what these hold when a kernel begins."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...support.dataclasses import dataclass
from ..machine import state as machine
from ..machine.state import Launch
from .blocks import Program
from .syntax import M0, SCC, TTMP, VECTOR
from .wave_values import Array

PRIVATE_BASE = 0x7F00 << 32
"""The address that a buffer resource for private memory starts at."""
_FILL = np.uint32(0xCDCDCDCD)


@dataclass(frozen=True)
class WaveLaunch(Launch[Program]):
    """Everything that the batches of one launch share."""

    kernarg: int
    """The address of the kernel's arguments."""

    @property
    def waves(self) -> int:
        """Waves of a workgroup."""
        return self.lanes // self.program.chip.wavefront

    def holds_arguments(self, addresses: Array) -> bool:
        """Whether these are addresses of the kernel's arguments, which other chips do not read from global memory."""
        return bool(((addresses >= self.kernarg) & (addresses < self.kernarg + self.arguments.size)).all())


class State(machine.State[WaveLaunch, Program]):
    """Arrays for workgroups `first` .. `first + blocks - 1` of a launch: scalars [wave, 1], vectors [wave, lane]."""

    def __init__(self, launch: WaveLaunch, first: int, blocks: int) -> None:
        super().__init__(launch, first, blocks)
        self.chip = launch.program.chip
        self.lanes = self.chip.wavefront
        self.waves = blocks * launch.waves
        wave = np.arange(self.waves)
        self.block_of = wave // launch.waves
        self.thread_of: Array = (wave % launch.waves)[:, None] * self.lanes + np.arange(self.lanes)
        stride = -(-self.program.private_bytes // 16) * 16
        self.private_stride = stride
        self.private: Array = np.full(self.waves * self.lanes * stride, 0xCD, np.uint8)
        self.registers: dict[int, Any] = dict.fromkeys(launch.program.registers, _FILL)
        self.registers[SCC] = np.bool_(False)
        self._set_up_registers()

    def owner(self, lane: int) -> tuple[int, int]:
        wave, position = divmod(lane, self.lanes)
        return int(self.block_of[wave]) + self.first, int(self.thread_of[wave, position])

    # ---- the kernel's entry ----

    def _set_up_registers(self) -> None:
        """The calling convention, as the `.amdhsa_` directives describe it."""
        block = [self.component(self.block_of[:, None] + self.first, self.launch.grid, axis) for axis in range(3)]
        thread = [self.component(self.thread_of, self.launch.block, axis) for axis in range(3)]
        for number, value in self._scalars(block).items():
            self.registers[number] = value
        for number, value in self._work_item(thread).items():
            self.registers[VECTOR + number] = value

    def _scalars(self, block: list[Any]) -> dict[int, Any]:
        has = self.program.directives.get
        out: dict[int, Any] = {M0: np.uint32(0xFFFFFFFF)}
        at = 0
        if has("user_sgpr_private_segment_buffer"):
            resource = (PRIVATE_BASE & 0xFFFFFFFF, PRIVATE_BASE >> 32, 0xFFFFFFFF, 0)
            out.update({n: np.uint32(w) for n, w in enumerate(resource)})
            at = 4
        for name in ("dispatch_ptr", "queue_ptr", "kernarg_segment_ptr", "dispatch_id", "flat_scratch_init"):
            if has(f"user_sgpr_{name}"):
                address = self.launch.kernarg if name == "kernarg_segment_ptr" else 0
                out[at], out[at + 1] = np.uint32(address & 0xFFFFFFFF), np.uint32(address >> 32)
                at += 2
        at += has("user_sgpr_private_segment_size", 0)
        words = self.launch.arguments.view(np.uint32)
        for n in range(has("user_sgpr_kernarg_preload_length", 0)):
            out[at + n] = words[has("user_sgpr_kernarg_preload_offset", 0) + n]
        return out | self._workgroup(block, has("user_sgpr_count", at))

    def _workgroup(self, block: list[Any], at: int) -> dict[int, Any]:
        has = self.program.directives.get
        if self.chip.generation >= 12:
            architected: dict[int, Any] = {TTMP + 9: block[0], TTMP + 7: block[1] | (block[2] << np.uint32(16))}
            return architected | {TTMP + n: np.uint32(0) for n in (4, 5, 6, 8)}
        out: dict[int, Any] = {}
        for axis, name in enumerate("xyz"):
            if has(f"system_sgpr_workgroup_id_{name}"):
                out[at] = block[axis]
                at += 1
        at += has("system_sgpr_workgroup_info", 0)
        if has("system_sgpr_private_segment_wavefront_offset"):
            out[at] = np.uint32(0)
        return out

    def _work_item(self, thread: list[Any]) -> dict[int, Any]:
        wanted = self.program.directives.get("system_vgpr_workitem_id", 0)
        if not self.chip.packs_work_items:
            return {n: thread[n] for n in range(wanted + 1)}
        packed = thread[0]
        for axis in (1, 2):
            packed = packed | (thread[axis] << np.uint32(10 * axis))
        return {0: packed}

    def existing_lanes(self) -> Array:
        """Lanes that have a thread."""
        return np.asarray(self.thread_of < self.launch.threads)

    def symbol(self, name: str, offset: int) -> np.uint64:
        """The address of a constant, or of what lies that many bytes behind its begin."""
        return np.uint64((self.launch.symbols[name] + offset) % (1 << 64))
