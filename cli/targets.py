"""`lanewise targets`: chips and products."""

from __future__ import annotations

import argparse
import json

from ..ir.targets import CHIPS, PRODUCTS, Chip
from .tables import print_table


def execute(options: argparse.Namespace) -> int:
    if options.json:
        print(json.dumps([_as_dict(chip) for chip in CHIPS.values()], indent=2))
        return 0
    columns = ("chip", "vendor", "subgroup", "shared memory", "features", "products")
    print_table(columns, [_row(chip) for chip in CHIPS.values()])
    return 0


def _products(chip: Chip) -> list[str]:
    return [product.name for product in PRODUCTS.values() if product.architecture == chip.name]


def _row(chip: Chip) -> tuple[str, ...]:
    sizes = ", ".join(map(str, chip.subgroup_sizes))
    shared = f"{chip.shared_memory_bytes // 1024} KiB"
    return chip.name, chip.vendor, sizes, shared, " ".join(sorted(chip.feature_names)), " ".join(_products(chip))


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
