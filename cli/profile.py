"""`lanewise profile`: what a launch costs, and which resource of the chip bounds it."""

from __future__ import annotations

import argparse
import json

from ..check.counts import COUNTS, Measurement
from ..check.hot_loop import HotLoop, Untimed
from ..check.profile import Bound, Profile
from ..jit.kernel import Kernel
from ..jit.write import OutputError
from .inputs import COMPILE_ITS_PROGRAM, read_arguments, read_kernel
from .progress import limited
from .remarks import RemarkPrinter
from .tables import print_table


def execute(options: argparse.Namespace) -> int:
    asked = read_kernel(options)
    kernel = asked.kernel
    if not isinstance(kernel, Kernel):
        raise OutputError(f"{options.file}: a compiled kernel has no stages to count in; {COMPILE_ITS_PROGRAM}")
    inputs = read_arguments(options, asked, "written")
    with limited(options) as limits:
        measured = Measurement(kernel, inputs, general=options.general, limits=limits)
        profile = Profile(measured)
        counts = profile.counts
    if options.remarks:
        RemarkPrinter().print(kernel.remarks_of_launches)
    if options.json:
        found = {
            "variant": measured.variant,
            "grid": inputs.grid,
            "block": measured.compilation.artifacts.block_size,
            "counts": counts,
            "occupancy": profile.occupancy,
            "bound": _as_dict(profile.bound),
            "loop": _loop_as_dict(profile.hot_loop),
        }
        print(json.dumps(found, indent=2))
        return 0
    rows = [(name, f"{number:,}", COUNTS[name].meaning) for name, number in counts.items() if number]
    launch = f"grid {inputs.grid}, block {measured.compilation.artifacts.block_size}"
    title = f"@{kernel.name} for {kernel.target.name}, {launch}, the variant {measured.variant}"
    print_table(("count", "number", "meaning"), rows, title)
    if not measured.has_tools:
        print(
            "no registers: `pip install lanewise[isa]` installs ptxas and nvdisasm, which tell them of chips they know"
        )
    if profile.occupancy is not None:
        print(profile.occupancy)
    _print_bound(profile.bound, kernel.target.name)
    print("\n".join(profile.time_lines))
    return 0


def _print_bound(bound: Bound | None, chip: str) -> None:
    if bound is None:
        print(f"no product with {chip} is stated, so there is no bound")
        return
    rates, longest = bound.rates, bound.cycles[bound.resource]
    title = (
        f"{rates.product}: {rates.multiprocessors} multiprocessors at {rates.clock:g} GHz, {rates.bandwidth:,.0f} GB/s"
    )
    shown = sorted(bound.cycles.items(), key=lambda entry: -entry[1])
    print_table(
        ("resource", "cycles", "of the bound"), [(n, f"{c:,.0f}", f"{c / longest:.0%}") for n, c in shown], title
    )
    print(f"instructions are {bound.instructions}")
    print(bound.words)


def _loop_as_dict(loop: HotLoop | Untimed) -> dict[str, object] | None:
    if isinstance(loop, Untimed):
        return None
    time = loop.time
    return {
        "cycles": time.cycles,
        "least": time.least,
        "most": time.most,
        "far_cycles": loop.far_cycles,
        "workgroups": time.groups,
        "subgroups": time.subgroups,
        "instructions": time.instructions,
        "products": time.products,
        "busy": dict(time.busy),
        "waits": [waiting._asdict() for waiting in loop.waiting if waiting.line],
    }


def _as_dict(bound: Bound | None) -> dict[str, object] | None:
    if bound is None:
        return None
    return {
        "product": bound.rates.product,
        "microseconds": bound.microseconds,
        "resource": bound.resource,
        "cycles": dict(bound.cycles),
        "matrix_flops": bound.flops,
        "instructions": bound.instructions,
    }
