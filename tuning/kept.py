"""Trials that earlier tunings have kept: a file for each, by what decides what comes of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from ..jit.cache.identity import compiler_identity
from ..jit.cache.key import Key
from ..jit.write import write_file
from .trial import Constants, Job, Source, Trial


class Kept:
    """A folder of trials. Files are replaced at once, so that tunings may go on side by side. Raises OutputError where
    one cannot be written."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def find(self, key: str, constants: Constants) -> Trial | None:
        """What was kept for a key; None where there is nothing, or nothing that can be read."""
        try:
            found = json.loads((self._folder / f"{key}.json").read_text(encoding="utf-8"))
            verdict, message, time = found["verdict"], found["message"], found["microseconds"]
            return Trial(constants, verdict, time, found["source"], message, kept=True)
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def keep(self, key: str, trial: Trial) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        said = {
            "constants": {name: repr(value) for name, value in trial.constants.items()},
            "verdict": trial.verdict,
            "microseconds": trial.microseconds,
            "source": trial.source,
            "message": trial.message,
        }
        write_file(self._folder / f"{key}.json", json.dumps(said))


def key_of(job: Job, launched: Sequence[object], checked: Sequence[object], where: str, source: Source) -> str:
    """What decides the outcome of a job: the compiler, the program, its target, where it runs, and the numbers and the
    arrays' shapes of what is timed and of what is compared."""
    key = Key("trial", compiler_identity(), job.program, job.target, job.fastmath, job.grid, where, source)
    return key.add(*(tuple(map(_decides, arguments)) for arguments in (launched, checked))).digest


def _decides(argument: object) -> str:
    shape = getattr(argument, "shape", None)
    return repr(argument) if shape is None else f"{getattr(argument, 'dtype', '')}{tuple(shape)}"
