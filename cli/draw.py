"""`lanewise draw`: owner maps of layouts and of a kernel's values, banks of its buffers, operands of instructions."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from ..show.draw_layouts import (
    drawing_of_conversion,
    drawing_of_instruction,
    drawing_of_layout,
    drawing_of_values,
    is_instruction,
    is_layout,
    read_layout,
)
from ..show.drawing import Drawing, form_of
from ..show.laid_out import Buffer, LaidOut, Named, Vector, laid_out_alike
from ..support.diagnostics import LanewiseError
from ..targets import find_chip, find_matrix_instruction
from .files import write_output
from .laid_out import read_laid_out
from .tables import print_table

_OF_FILES = ("value", "kernel", "without", "aligned", "json")
_OF_LAYOUTS = ("to", "bits", "subgroup_size", "threads")
_OF_DRAWINGS = ("output", "format")


def execute(options: argparse.Namespace) -> int:
    found = _of_file(options) if _is_file(options.file) else _alone(options)
    if found is not None:
        form = options.format or (form_of(options.output) if options.output not in (None, "-") else "text")
        write_output(found.form(form), options.output)
    return 0


def _is_file(what: str) -> bool:
    """A layout and an instruction are what they look like; a file is there, or is called like one."""
    if is_layout(what) or is_instruction(what):
        return False
    if what != "-" and not Path(what).exists() and not Path(what).suffix and "/" not in what:
        find_matrix_instruction(what)  # says which there are
    return True


def _alone(options: argparse.Namespace) -> Drawing:
    """What needs no kernel."""
    _refuse(options, _OF_FILES, "kernels", "a layout or an instruction")
    if is_instruction(options.file):
        _refuse(options, _OF_LAYOUTS, "layouts", "an instruction")
        return drawing_of_instruction(options.file)
    chip = find_chip(options.target or "sm_90")
    size = options.subgroup_size or chip.default_subgroup_size
    layout = read_layout(options.file, size)
    if options.to is None:
        return drawing_of_layout(layout, size, options.threads)
    return drawing_of_conversion(layout, read_layout(options.to, size), chip, options.bits or 32, size, options.threads)


def _refuse(options: argparse.Namespace, names: tuple[str, ...], of: str, found: str) -> None:
    given = next((name for name in names if getattr(options, name)), None)
    if given is not None:
        raise LanewiseError(f"--{given.replace('_', '-')} is about {of}, found {found}: {options.file}")


def _of_file(options: argparse.Namespace) -> Drawing | None:
    _refuse(options, _OF_LAYOUTS, "layouts", "a file")
    if options.value is None or options.json:
        _refuse(options, _OF_DRAWINGS, "drawings", "--json" if options.json else "no --value to draw")
    laid_out, other = read_laid_out(options)
    if options.value is not None and not options.json:
        return drawing_of_values(laid_out.kernel.name, laid_out.called(options.value))
    if options.json:
        values = laid_out.values if options.value is None else laid_out.called(options.value)
        print(json.dumps([_as_dict(value) for value in values], indent=2))
    else:
        _list(laid_out, other)
    return None


def _list(laid_out: LaidOut, other: str) -> None:
    print_table(("value", "type", "held by", "where"), [_row(value) for value in laid_out.values])
    print(f"\n--value NAME draws one; {len(laid_out_alike(laid_out.vectors))} layouts or conversions are different")
    if other:
        print(f"this is {other}")


def _row(value: Named) -> tuple[str, ...]:
    return value.name, str(value.value.type), _held(value), value.place


def _held(value: Named) -> str:
    if isinstance(value, Buffer):
        return f"shared memory, {value.bytes} bytes"
    assert isinstance(value, Vector), "values are vectors or buffers"
    owners = value.owners
    if not owners.registers:
        return "nobody, it stays in memory"
    first = f" from {owners.first_thread} on" if owners.first_thread else ""
    copies = f", {owners.copies} copies" if owners.copies > 1 else ""
    converted = ", converted" if value.conversion is not None else ""
    return f"{owners.threads} threads{first}, {owners.registers} registers each{copies}{converted}"


def _as_dict(value: Named) -> dict[str, object]:
    found: dict[str, object] = {
        "name": value.name,
        "source": value.source,
        "type": str(value.value.type),
        "where": value.place,
    }
    if isinstance(value, Vector):
        owners = value.owners
        held = {"threads": owners.threads, "first_thread": owners.first_thread, "registers": owners.registers}
        found |= held | {"copies": owners.copies, "layout": str(value.layout), "words": value.described}
    return found
