"""`lanewise probe`: executes every matrix instruction of a chip; is each element where the table has it?"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path

from ..check.probe import Verdict, probe, probe_kernel
from ..check.probe_special import NOTHING, Besides, special
from ..jit.launchable import Launchable
from ..jit.loaded import load
from ..support.diagnostics import LanewiseError
from ..targets import Chip, MatrixInstruction, find_chip, matrix_instructions, warpgroup_instructions
from ..targets.tcgen05 import tensor_memory_instructions
from .main import RIGHT, WRONG
from .tables import print_table


def execute(options: argparse.Namespace) -> int:
    chip = find_chip(options.target)
    chosen = list(_instructions(chip, options.name))
    if not chosen:
        raise LanewiseError(
            f"{chip.name} has no matrix instruction with '{options.name}' in its name; {_near(chip, options.name)}"
        )
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


def _instructions(chip: Chip, part: str) -> Iterator[Probed]:
    """Those with a part in their names. Of those of four subgroups, which come in up to 32 widths, the narrowest and
    the widest of each types."""
    yield from ((i, NOTHING) for i in matrix_instructions(chip) if _is_called(i, part))
    widths = dict[tuple[str, ...], list[MatrixInstruction]]()
    for i in _with_widths(chip):
        if _is_called(i, part):
            widths.setdefault((i.a_type, i.b_type, i.c_type), []).append(i)
    for found in widths.values():
        yield from ((i, NOTHING) for i in dict.fromkeys((found[0], found[-1])))
    yield from ((i, besides) for i, besides in special(chip) if _is_called(i, part))


def _with_widths(chip: Chip) -> Sequence[MatrixInstruction]:
    return *warpgroup_instructions(chip), *tensor_memory_instructions(chip)


def _is_called(instruction: MatrixInstruction, part: str) -> bool:
    return part.lower() in instruction.name.lower() or part.lower() in instruction.iree_name.lower()


def _near(chip: Chip, part: str) -> str:
    """What of the chip's may be meant: names as far as `part` goes that are most like it, or some of them all."""
    instructions = (*matrix_instructions(chip), *_with_widths(chip), *(i for i, _ in special(chip)))
    names = dict.fromkeys(name for i in instructions for name in (i.name, i.iree_name) if name)
    pieces = part.count(".") + 1
    cut = {".".join(name.split(".")[:pieces]) for name in names}
    near = get_close_matches(part, cut, 3) or sorted({i.name.split(".")[0] for i in instructions})
    return f"it has {', '.join(near)}; `lanewise targets --matrix --target {chip.name}` lists all"


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
