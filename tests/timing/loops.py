"""Loops for the model of time: AMDGCN written as instructions alone, SASS with its control codes written in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lanewise.timing import amdgcn, sass
from lanewise.timing.machine import Machine, machine_of
from lanewise.timing.simulation import Simulation
from lanewise.timing.timed import Loop


def machine(chip: str) -> Machine:
    found = machine_of(chip)
    assert found is not None
    return found


def amd(body: str | Iterable[str], chip: str = "gfx942", *, on: Machine | None = None) -> Loop:
    """A loop of these instructions; its jump back is the last one."""
    lines = body.strip().splitlines() if isinstance(body, str) else body
    code = "\n".join("\t" + line.strip() for line in lines)
    wave32 = int(not chip.startswith("gfx9"))
    text = (
        f'\t.amdgcn_target "amdgcn-amd-amdhsa--{chip}"\n\t.text\n\t.type k,@function\nk:\n.LBB0_1:\n{code}\n'
        f"\ts_cbranch_scc1 .LBB0_1\n\ts_endpgm\n\t.amdhsa_kernel k\n\t\t.amdhsa_wavefront_size32 {wave32}\n"
        "\t.end_amdhsa_kernel\n"
    )
    found = amdgcn.parse(text, "k").loop(on or machine(chip))
    assert found is not None
    return found


def encoded(code: str) -> str:
    """One instruction as nvdisasm prints it, of `[stall sets frees awaits] text`, such as `[2 1 - 03] IADD3 ...`."""
    head, _, text = code.strip().removeprefix("[").partition("] ")
    stall, sets, frees, awaits = head.split()
    high = int(stall) << 41 | _board(sets) << 46 | _board(frees) << 49
    for board in awaits.replace("-", ""):
        high |= 1 << 52 + int(board)
    return f"        /*0000*/   {text} ;   /* 0x{0:016x} */\n          /* 0x{high:016x} */"


def _board(name: str) -> int:
    return 7 if name == "-" else int(name)


def nvidia(
    body: str | Sequence[str], chip: str = "sm_80", before: Sequence[str] = (), after: Sequence[str] = ()
) -> Loop:
    """A loop of these instructions, each with its control code; a jump of one cycle is put behind them."""
    lines = body.strip().splitlines() if isinstance(body, str) else body
    text = "\n".join(
        [
            *map(encoded, before),
            ".L_x_1:",
            *map(encoded, lines),
            encoded("[1 - - -] @P0 BRA `(.L_x_1)"),
            *map(encoded, after),
        ]
    )
    found = sass.parse(text).loop(machine(chip))
    assert found is not None
    return found


def cycles(loop: Loop, chip: str, subgroups: int = 4, groups: int = 1, *, on: Machine | None = None) -> float:
    """An iteration of a workgroup."""
    from lanewise.timing.loop_time import loop_time

    return loop_time(loop, on or machine(chip), subgroups, groups).cycles


def run(loop: Loop, chip: str, subgroups: int = 4, groups: int = 1) -> Simulation:
    return Simulation(loop, machine(chip), subgroups, groups)
