"""`lanewise targets`: chips and products, and the matrix instructions of each."""

from __future__ import annotations

import argparse
import json
import textwrap
from collections.abc import Iterator

from ..support.named_tuples import NamedTuple
from ..targets import CHIPS, PRODUCTS, Chip, find_chip, matrix_instructions, warpgroup_instructions
from ..targets.probed import PROBED
from ..targets.tcgen05 import tensor_memory_instructions
from .tables import WIDTH, print_table


class MatrixRow(NamedTuple):
    """A chip's instruction: whether it is emitted and emulated, and when it was probed on silicon. Those without an
    `mma_kind` are for operations that name them: the compiler does not choose them."""

    chip: str
    instruction: str
    mma_kind: str
    emitted: str
    emulated: str
    probed: str


def execute(options: argparse.Namespace) -> int:
    chips = [find_chip(options.target)] if options.target else list(CHIPS.values())
    if options.matrix:
        return _matrix(chips, options.json)
    if options.json:
        print(json.dumps([_as_dict(chip) for chip in chips], indent=2))
        return 0
    print_table(("chip", "vendor", "subgroup", "shared memory", "products"), [_row(chip) for chip in chips])
    if options.target:
        text = f"features: {', '.join(sorted(chips[0].feature_names))}"
        print(textwrap.fill(text, WIDTH, subsequent_indent="  ", break_on_hyphens=False))
    else:
        print("`lanewise targets --target CHIP` has the features of one, --json those of all")
    return 0


def _matrix(chips: list[Chip], as_json: bool) -> int:
    rows = [row for chip in chips for row in matrix_rows(chip)]
    if as_json:
        print(json.dumps([row._asdict() for row in rows], indent=2))
    else:
        print_table(MatrixRow._fields, rows)
        print(textwrap.fill(_COLUMNS, WIDTH, subsequent_indent="  ", break_on_hyphens=False))
    return 0


_COLUMNS = (
    "mma_kind: its name in a `lowering_config`; those without one are for operations that name them. emitted: there is"
    " an operation that becomes it. emulated: the emulators execute it. probed: the day on which `lanewise probe --on"
    " cuda (or hip)` found it right on such a chip; -: on none yet."
)


def matrix_rows(chip: Chip) -> Iterator[MatrixRow]:
    from ..check.emulated_forms import is_emulated, special_forms
    from ..ir.matrix_operations import MULTIPLY

    for i in (*matrix_instructions(chip), *warpgroup_instructions(chip)):
        emitted, emulated = i.family in MULTIPLY or i.subgroups > 1, is_emulated(i, chip)
        yield MatrixRow(
            chip.name, i.name, i.iree_name, _word(emitted), _word(emulated), PROBED.get(chip.name, _word(False))
        )
    for i in tensor_memory_instructions(chip):
        yield MatrixRow(chip.name, i.name, _word(False), _word(True), _word(is_emulated(i, chip)), _word(False))
    for name, emulated in special_forms(chip):
        probed = PROBED.get(chip.name, _word(False))
        yield MatrixRow(chip.name, name, _word(False), _word(True), _word(emulated), probed)


def _word(known: bool) -> str:
    return "yes" if known else "-"


def _products(chip: Chip) -> list[str]:
    return [product.name for product in PRODUCTS.values() if product.architecture == chip.name]


def _row(chip: Chip) -> tuple[str, ...]:
    sizes = ", ".join(map(str, chip.subgroup_sizes))
    shared = f"{chip.shared_memory_bytes // 1024} KiB"
    return chip.name, chip.vendor, sizes, shared, " ".join(_products(chip))


def _as_dict(chip: Chip) -> dict[str, object]:
    return {
        "name": chip.name,
        "vendor": chip.vendor,
        "subgroup_sizes": chip.subgroup_sizes,
        "shared_memory_bytes": chip.shared_memory_bytes,
        "max_threads_per_workgroup": chip.max_threads_per_workgroup,
        "features": sorted(chip.feature_names),
        "products": _products(chip),
    }
