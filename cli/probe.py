"""`lanewise probe`: executes every matrix instruction of a chip; is each element where the table has it?"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from ..check.probe import Verdict, probe, probe_kernel
from ..check.probe_special import NOTHING, Besides, special
from ..ir.diagnostics import LanewiseError
from ..ir.targets import Chip, MatrixInstruction, find_chip, matrix_instructions, warpgroup_instructions
from ..ir.targets.tcgen05 import tensor_memory_instructions
from ..jit.launchable import Launchable
from ..jit.loaded import load
from .main import RIGHT, WRONG
from .tables import print_table


def execute(options: argparse.Namespace) -> int:
    chip = find_chip(options.target)
    chosen = [(i, b) for i, b in _instructions(chip) if options.name in i.name or options.name in i.iree_name]
    if not chosen:
        raise LanewiseError(f"{chip.name} has no matrix instruction with {options.name!r} in its name")
    if options.save is not None:
        return _save(chip, chosen, Path(options.save))
    verdicts = list(_verdicts(chip, chosen, options))
    wrong = sum(not v.is_right for v in verdicts)
    if options.json:
        rows = [{"instruction": v.instruction, "right": v.is_right, "detail": v.detail} for v in verdicts]
        print(json.dumps({"ok": not wrong, "target": chip.name, "on": options.on, "probes": rows}, indent=2))
        return WRONG if wrong else RIGHT
    table = [(v.instruction, str(v.elements), v.detail or "right") for v in verdicts]
    print_table(("instruction", "elements of A", "verdict"), table)
    print(f"{chip.name}, {options.on}: {len(verdicts) - wrong} of {len(verdicts)} instructions right")
    return WRONG if wrong else RIGHT


Probed = tuple[MatrixInstruction, Besides]


def _instructions(chip: Chip) -> Iterator[Probed]:
    """Of those of four subgroups, which come in up to 32 widths, the narrowest and the widest of each types."""
    yield from ((i, NOTHING) for i in matrix_instructions(chip))
    widths = dict[tuple[str, ...], list[MatrixInstruction]]()
    for i in (*warpgroup_instructions(chip), *tensor_memory_instructions(chip)):
        widths.setdefault((i.a_type, i.b_type, i.c_type), []).append(i)
    for found in widths.values():
        yield from ((i, NOTHING) for i in (found[0], found[-1]))
    yield from special(chip)


def _verdicts(chip: Chip, chosen: Sequence[Probed], options: argparse.Namespace) -> Iterator[Verdict]:
    for instruction, besides in chosen:
        yield probe(instruction, _kernel(chip, instruction, besides, options), besides)


def _kernel(chip: Chip, instruction: MatrixInstruction, besides: Besides, options: argparse.Namespace) -> Launchable:
    if options.kernels is None:
        return probe_kernel(instruction, chip, options.on, besides)
    return load(_file(Path(options.kernels), instruction), options.on)


def _save(chip: Chip, chosen: Sequence[Probed], folder: Path) -> int:
    folder.mkdir(parents=True, exist_ok=True)
    for instruction, besides in chosen:
        probe_kernel(instruction, chip, "emulated", besides).save(_file(folder, instruction))
    print(f"{folder}: {len(chosen)} probes of {chip.name}")
    return RIGHT


def _file(folder: Path, instruction: MatrixInstruction) -> Path:
    return folder / f"{instruction.name}.lw"
