"""How long instructions take and what the ways to memory carry, for the model of time (`timing`): a row a chip.

Cycles are those of the multiprocessor's clock. Each figure says where it is from: a paper or a benchmark's log, whose
figures were mostly read in a survey of them, a file of LLVM, a document; or `guess`, and what it is a guess from. None
was measured by us.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..support.dataclasses import dataclass, replace

_LUO = "Luo et al., arXiv 2501.12084"
_SUN = "Sun et al., arXiv 2206.02874"
_ABDELKHALIK = "Abdelkhalik et al., arXiv 2208.11174"
_LOGS = "NVIDIA-Hopper-Benchmark, logs of an H100 SXM"
_IISWC = "logs of a paper of IISWC 2024, A100"
_ACCEL_SIM = "accel-sim's configuration SM90_H100, which is a model's"
_GUIDE = "CUDA C++ Programming Guide, throughput of arithmetic instructions"
_PTXAS = "ptxas 13.5, stall counts of dependent chains"
_SURVEY = "a survey's word for two papers on H100 SXM"
_CHASE = "pointer chase of a public report on MI300X, 2025-08"
_IREE = "IREE, AMDGPU Kernel Optimization Guide, 2025-08"
_LLVM = "LLVM, SISchedule.td"
_HAZARDS = "LLVM, GCNHazardRecognizer"


class Figure(float):
    """A number that says where it is from."""

    source: str

    def __new__(cls, value: float, source: str) -> Figure:
        made = super().__new__(cls, value)
        made.source = source
        return made

    @property
    def is_guess(self) -> bool:
        return self.source.startswith("guess")


def _guess(value: float, of: str = "") -> Figure:
    return Figure(value, f"guess: {of}" if of else "guess")


@dataclass(frozen=True)
class Latencies:
    """One chip. `schedulers` share a multiprocessor's shared memory (AMD: SIMDs of a compute unit, from RDNA on of a
    pair of them, which are `units` of what `rates.py` counts). `turn` is the cycles from one issue of a scheduler to
    the next; with `kinds_at_once` a turn issues one instruction of each kind, of different subgroups.

    `*_busy` are cycles that an instruction of a subgroup takes its pipe, `*_latency` those from there to the result.
    """

    schedulers: int
    turn: int
    kinds_at_once: bool
    units: int
    vector_busy: Figure
    """f32 arithmetic."""
    half_busy: Figure
    """Arithmetic on pairs of f16."""
    integer_busy: Figure
    vector_latency: Figure
    """What is not known to the text: NVIDIA's says it by its stall counts."""
    transcendental_busy: Figure
    transcendental_latency: Figure
    transcendentals_apart: bool
    """Whether they have a pipe of their own; else they take the vector pipe."""
    matrix_latency: Figure
    """From the end of a product's time on its pipe to a reader of the result, but for the next sum in its place."""
    matrix_apart: bool
    """Whether products have a pipe of their own; else they take the vector pipe."""
    shared_latency: Figure
    shuffle_latency: Figure
    shared_bytes: Figure
    """A clock, of all subgroups together."""
    wide_read_bytes: Figure
    """Those of reads of 8 bytes a lane and more."""
    near_latency: Figure
    """A load that L2 has."""
    far_latency: Figure
    """A load that comes from memory."""
    scalar_latency: Figure
    """A load through the scalar unit."""
    l2_bytes: Figure
    """A clock, from L2 to one multiprocessor."""
    address_bytes: Figure
    """What the first stage of global accesses takes a clock."""
    box_latency: Figure
    """What a box (TMA) takes beyond a load."""
    barrier_latency: Figure
    """From the last arrival to the next issue."""
    barrier_each: Figure
    """What it takes more for each subgroup."""
    cluster_latency: Figure
    """A barrier of workgroups in a cluster."""
    jump: Figure
    queue: Figure
    """Accesses that the subgroups of a scheduler may have waiting for their pipe."""
    operands_read: Figure
    """From service to the fall of a barrier that says that operands were read."""


_NONE = Figure(0.0, "the chip has none, or its text says it")

_A100 = Latencies(
    schedulers=4,
    turn=1,
    kinds_at_once=False,
    units=1,
    vector_busy=Figure(2, _GUIDE),
    half_busy=Figure(1, _GUIDE),
    integer_busy=Figure(2, _GUIDE),
    vector_latency=_NONE,
    transcendental_busy=Figure(8, _GUIDE),
    transcendental_latency=_guess(18, "23 less the time on the pipe, accel-sim of H100"),
    transcendentals_apart=True,
    matrix_latency=Figure(16.6, f"24.6 in all: {_LUO}; {_PTXAS} have 24"),
    matrix_apart=True,
    shared_latency=Figure(23, f"{_SUN}: 23.1 for ldmatrix.x1, 29.3 for .x4"),
    shuffle_latency=Figure(23, f"25 in all: {_IISWC}"),
    shared_bytes=Figure(128, f"{_LUO}, and NVIDIA's documents"),
    wide_read_bytes=Figure(128, "the same"),
    near_latency=Figure(282, f"{_LUO}: 208 in the near partition of L2, 357 in the far one"),
    far_latency=Figure(566, _LUO),
    scalar_latency=_NONE,
    l2_bytes=Figure(47, "NVIDIA's 5120 of all, by 108; 2030 were measured for one partition"),
    address_bytes=_guess(128, "a line"),
    box_latency=_NONE,
    barrier_latency=Figure(21, f"{_IISWC}: 21 + 2 for each warp"),
    barrier_each=Figure(2, f"{_IISWC}: 21 + 2 for each warp"),
    cluster_latency=_NONE,
    jump=_guess(8),
    queue=_guess(12),
    operands_read=_guess(12),
)

_H100 = replace(
    _A100,
    vector_busy=Figure(1, f"{_GUIDE}; 124 of 128 lanes: {_LOGS}"),
    transcendental_latency=Figure(15, f"23 in all: {_ACCEL_SIM}"),
    matrix_latency=Figure(17.6, f"24.1 in all for mma.sync: {_LUO}"),
    shared_latency=Figure(29, f"29 to 30: {_LOGS}; {_LUO}"),
    shuffle_latency=_guess(23, "as A100"),
    near_latency=Figure(272, f"mean of both partitions: {_LOGS}; {_LUO} have 258 and 414 on H800"),
    far_latency=Figure(656, f"{_LUO}, H800; 484 in {_LOGS}"),
    l2_bytes=Figure(34, f"4472 of all: {_LUO}"),
    box_latency=Figure(170, f"{_LUO}: end to end with its barrier"),
    barrier_latency=_guess(21, "as A100"),
    barrier_each=_guess(2, "as A100"),
    cluster_latency=Figure(851, f"cluster.sync() of two workgroups: {_SURVEY}"),
)

_MI300X = Latencies(
    schedulers=4,
    turn=4,
    kinds_at_once=True,
    units=1,
    vector_busy=Figure(4, _IREE),
    half_busy=Figure(4, _IREE),
    integer_busy=Figure(4, _IREE),
    vector_latency=_NONE,
    transcendental_busy=Figure(16, f"a quarter of the rate: {_LLVM}"),
    transcendental_latency=Figure(4, f"one wait state: {_HAZARDS}"),
    transcendentals_apart=False,
    matrix_latency=Figure(16, f"3 wait states beyond the passes: {_HAZARDS}"),
    matrix_apart=True,
    shared_latency=Figure(51, _CHASE),
    shuffle_latency=_guess(51, "as a read of shared memory"),
    shared_bytes=Figure(128, _IREE),
    wide_read_bytes=Figure(128, _IREE),
    near_latency=Figure(288, _CHASE),
    far_latency=Figure(876, f"median: {_CHASE}"),
    scalar_latency=Figure(48, f"its cache: {_CHASE}"),
    l2_bytes=_guess(44, "16 channels of 128 bytes a die, by 38, less 20 %"),
    address_bytes=_guess(64, "a line of the vector cache in two clocks"),
    box_latency=_NONE,
    barrier_latency=_guess(16),
    barrier_each=_guess(0),
    cluster_latency=_NONE,
    jump=_guess(16),
    queue=_guess(16),
    operands_read=_NONE,
)

_MI355X = replace(
    _MI300X,
    transcendental_busy=Figure(8, "twice MI300X's rate: CDNA4 notes of others, second hand"),
    matrix_latency=Figure(20, f"12 wait states for 8 passes: {_HAZARDS}"),
    shared_latency=_guess(51, "as MI300X"),
    wide_read_bytes=Figure(256, _IREE),
    near_latency=_guess(288, "as MI300X"),
    far_latency=_guess(876, "as MI300X"),
    scalar_latency=_guess(48, "as MI300X"),
    l2_bytes=_guess(51, "16 channels of 128 bytes a die, by 32, less 20 %"),
)

_RX7900 = replace(
    _MI300X,
    turn=1,
    units=2,
    vector_busy=Figure(1, f"32 lanes of a SIMD: {_LLVM}"),
    half_busy=Figure(1, f"32 lanes of a SIMD: {_LLVM}"),
    integer_busy=Figure(1, f"32 lanes of a SIMD: {_LLVM}"),
    vector_latency=Figure(4, f"5 in all: {_LLVM}"),
    transcendental_busy=Figure(4, f"a quarter of the rate: {_LLVM}"),
    transcendental_latency=Figure(6, f"10 in all: {_LLVM}"),
    transcendentals_apart=True,
    matrix_latency=_guess(5, "as vector instructions"),
    matrix_apart=False,
    shared_latency=Figure(20, _LLVM),
    shuffle_latency=Figure(20, _LLVM),
    shared_bytes=_guess(256, "128 for each compute unit of the pair"),
    wide_read_bytes=_guess(256, "128 for each compute unit of the pair"),
    near_latency=Figure(320, _LLVM),
    far_latency=_guess(640, "twice L2's"),
    scalar_latency=Figure(20, _LLVM),
    l2_bytes=_guess(64, "a line of 128 bytes in two clocks"),
    address_bytes=_guess(128, "a line"),
    jump=Figure(32, _LLVM),
)

LATENCIES: Mapping[str, Latencies] = {
    "sm_80": _A100,
    "sm_90": _H100,
    "sm_90a": _H100,
    "gfx942": _MI300X,
    "gfx950": _MI355X,
    "gfx1100": _RX7900,
}
"""By chip; of others too little is published."""
