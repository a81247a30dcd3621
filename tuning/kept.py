"""Trials that earlier tunings have kept: a file for each, by what decides what comes of it."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from pathlib import Path

from ..support.version import VERSION
from .trial import Constants, Job, Source, Trial


class Kept:
    """A folder of trials. Files are replaced at once, so that tunings may go on side by side."""

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
        with tempfile.NamedTemporaryFile("w", dir=self._folder, delete=False, encoding="utf-8") as file:
            json.dump(said, file)
        os.replace(file.name, self._folder / f"{key}.json")


def key_of(job: Job, shapes: str, where: str, source: Source) -> str:
    """What decides the outcome of a job: its program and target, the arguments' shapes, where it runs, this version."""
    parts = (VERSION, job.program, job.target, job.fastmath, repr(job.grid), shapes, where, source)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
