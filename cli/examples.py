"""`lanewise examples`: lists the kernels that come with the package, and writes one, in both its forms."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

from ..ir.did_you_mean import did_you_mean
from ..jit.write import OutputError
from ..support.diagnostics import LanewiseError
from ..support.named_tuples import NamedTuple
from .files import write_folder
from .tables import print_table

FOLDER = Path(__file__).resolve().parent.parent / "examples"
"""Where they are in the package, installed or not."""
_FORMS = (".mlir", ".py")


class Example(NamedTuple):
    """A kernel: its name, what its text says first, and what it is in each form, by the names of files."""

    name: str
    summary: str
    files: dict[str, str]


def execute(options: argparse.Namespace) -> int:
    found = {example.name: example for example in examples()}
    if options.example is None:
        _list(list(found.values()), options.json)
        return 0
    if options.example not in found:
        hint = did_you_mean(options.example, found) or "`lanewise examples` lists them"
        raise LanewiseError(f"there is no example '{options.example}'; {hint}")
    _write(found[options.example], Path(options.output or "."))
    return 0


def examples() -> Iterator[Example]:
    """Those of the package, by name."""
    for path in sorted(FOLDER.glob("*.mlir")):
        files = {f"{path.stem}{form}": path.with_suffix(form).read_text(encoding="utf-8") for form in _FORMS}
        yield Example(path.stem, files[path.name].partition("\n")[0].lstrip("/ ").rstrip(), files)


def _list(found: list[Example], as_json: bool) -> None:
    if as_json:
        rows = [{"name": e.name, "summary": e.summary, "files": list(e.files)} for e in found]
        print(json.dumps(rows, indent=2))
        return
    print_table(("example", "what it computes"), [(e.name, e.summary) for e in found])
    print("\n`lanewise examples NAME` writes one into this folder: as text, and in Python")


def _write(example: Example, folder: Path) -> None:
    """Refuses to change files that somebody has worked on."""
    for name, text in example.files.items():
        path = folder / name
        if path.exists() and path.read_text(encoding="utf-8", errors="replace") != text:
            raise OutputError(f"{path}: there is another file of that name; name a folder with -o")
    write_folder(folder, dict[str, str | bytes](example.files))
    text_form = folder / f"{example.name}.mlir"
    print(*(str(folder / name) for name in example.files), sep="\n")
    print(f"\nnext: lanewise run {text_form} --target sm_90")
