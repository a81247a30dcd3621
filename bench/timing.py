"""Times of launches on a GPU that mean something: L2 flushed, clocks warm, contenders taking turns.

Before every timed launch a buffer of ten times the chip's L2 is written, so that no launch finds its data there; that
also keeps the device busy while the launch is being prepared, so that the time between the two events around the launch
is the device's own. The order of the contenders turns and reverses from round to round.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from checkout import use_checkout

use_checkout()

from lanewise.jit.arrays import DeviceArray  # noqa: E402
from lanewise.jit.cuda import CudaDevice, import_driver  # noqa: E402
from lanewise.jit.driver import Current  # noqa: E402

L2_TIMES = 10
WARM_SECONDS = 1.0
ROUNDS = 8
ROUND_SECONDS = 0.1  # for each contender
MOST_LAUNCHES = 25

Launch = Callable[[], object]


@dataclass(frozen=True)
class Plan:
    """How long to measure. `flush_bytes` are written before every launch."""

    flush_bytes: int
    warm_seconds: float = WARM_SECONDS
    rounds: int = ROUNDS
    round_seconds: float = ROUND_SECONDS

    def describe(self) -> dict[str, object]:
        return {
            "l2": f"flushed: {self.flush_bytes >> 20} MB written before every launch",
            "warm_seconds": self.warm_seconds,
            "rounds": self.rounds,
        }


@dataclass(frozen=True)
class Times:
    """Seconds of single launches: the median, and the tenths on either side."""

    median: float
    low: float
    high: float
    launches: int


def l2_bytes(device: CudaDevice) -> int:
    api = import_driver()
    attribute = api.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE
    error, value = api.cuDeviceGetAttribute(attribute, device.ordinal)
    assert not error, error
    return int(value)


def plan_for(device: CudaDevice, rehearsal: bool) -> Plan:
    flush = L2_TIMES * l2_bytes(device)
    return Plan(flush, 0.0, 2, 0.0) if rehearsal else Plan(flush)


def take_turns(
    device: CudaDevice, contenders: Mapping[str, Launch], plan: Plan, tell: Callable[[str], None]
) -> dict[str, Times]:
    """The times of each contender, all launched into the default stream. `tell` hears whose turn it is."""
    with DeviceArray(device, (plan.flush_bytes,), "u1") as cache:
        seconds: dict[str, list[float]] = {name: [] for name in contenders}
        counts: dict[str, int] = {}
        for name, launch in contenders.items():
            tell(name)
            warm(device, launch, plan.warm_seconds / len(contenders))
            counts[name] = _launches(min(_timed(device, launch, cache, 2)), plan.round_seconds)
        for order in _orders(list(contenders), plan.rounds):
            for name in order:
                tell(name)
                seconds[name] += _timed(device, contenders[name], cache, counts[name])
    return {name: _summary(times) for name, times in seconds.items()}


def warm(device: CudaDevice, launch: Launch, seconds: float) -> None:
    """Launches at least once, and so long that the clocks have settled."""
    end = time.monotonic() + seconds
    while True:
        launch()
        device.synchronize()
        if time.monotonic() >= end:
            return


def _orders(names: list[str], rounds: int) -> Iterator[list[str]]:
    for i in range(rounds):
        turned = names[i // 2 % len(names) :] + names[: i // 2 % len(names)]
        yield turned[::-1] if i % 2 else turned


def _launches(seconds: float, budget: float) -> int:
    return max(1, min(MOST_LAUNCHES, int(budget / seconds)))


def _timed(device: CudaDevice, launch: Launch, cache: DeviceArray, count: int) -> list[float]:
    """Seconds of each of some launches; the device waits for the host only at the end."""
    pairs = [(device.event(), device.event()) for _ in range(count)]
    for start, end in pairs:
        cache.fill(0)
        start.record()
        launch()
        end.record()
    pairs[-1][1].synchronize()
    return [end.seconds_since(start) for start, end in pairs]


def _summary(times: list[float]) -> Times:
    ordered = sorted(times)
    tenth = len(ordered) // 10
    return Times(statistics.median(ordered), ordered[tenth], ordered[-1 - tenth], len(ordered))


def copy_launch(device: CudaDevice, nbytes: int) -> tuple[Launch, DeviceArray, DeviceArray]:
    """A copy within the device's memory by the driver, and its two arrays, which are to be kept."""
    source, target = DeviceArray(device, (nbytes,), "u1"), DeviceArray(device, (nbytes,), "u1")
    source.fill(0x5A)
    copy = import_driver().cuMemcpyDtoDAsync
    default_stream = 0

    def launch() -> None:
        with Current(device):
            (error,) = copy(target.address, source.address, nbytes, default_stream)
        assert not error, error

    return launch, source, target
