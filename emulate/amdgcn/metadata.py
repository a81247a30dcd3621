"""The YAML that ends AMDGCN text: the few keys that a launch needs."""

from __future__ import annotations

from typing import Any, TypeGuard

from ..machine.settings import Parameter
from .syntax import Metadata

_HIDDEN = "hidden_"


def parse_metadata(lines: list[str]) -> dict[str, Metadata]:
    """Kernel name to its metadata; reads the block layout that LLVM writes (two blanks per level, no flow style)."""
    kernels: dict[str, Metadata] = {}
    for entry in _kernels(lines):
        metadata = Metadata()
        for key, value in entry.items():
            if isinstance(value, str) and value.lstrip("-").isdigit():
                metadata.numbers[key] = int(value)
        block = _items(entry, "reqd_workgroup_size", str)
        if len(block) == 3 and all(extent.isdecimal() for extent in block):
            metadata.required_block = (int(block[0]), int(block[1]), int(block[2]))
        metadata.parameters = [_parameter(a) for a in _items(entry, "args", dict) if not _is_hidden(a)]
        kernels[str(entry.get("name", "")).strip("'\"")] = metadata
    return kernels


def _items(entry: dict[str, Any], key: str, kind: type) -> list[Any]:
    """The items of a list that are of a kind; none where the text has no list there."""
    found: object = entry.get(key)
    return [x for x in found if isinstance(x, kind)] if _is_list(found) else []


def _is_list(value: object) -> TypeGuard[list[Any]]:
    return isinstance(value, list)


def _is_hidden(argument: dict[str, str]) -> bool:
    return argument.get("value_kind", "").startswith(_HIDDEN)


def _parameter(argument: dict[str, str]) -> Parameter:
    size = _integer(argument, "size")
    alignment = min(size & -size, 16) if size else 1
    return Parameter(argument.get("name", ""), _integer(argument, "offset"), size, alignment)


def _integer(argument: dict[str, str], key: str) -> int:
    value = argument.get(key, "0")
    return int(value) if value.isdecimal() else 0


def _kernels(lines: list[str]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    inside = False
    for line in lines:
        stripped = line.strip()
        indent = len(line) - len(line.lstrip())
        if indent == 0:
            inside = stripped == "amdhsa.kernels:"
        elif inside:
            _add_line(found, indent, stripped)
    return found


def _add_line(found: list[dict[str, Any]], indent: int, text: str) -> None:
    """Keys of a kernel stand at 4 blanks; items of its lists at 6, and keys of such items at 8."""
    item = text.startswith("- ")
    if item:
        text, indent = text[2:].lstrip(), indent + 2
    key, _, value = text.partition(":")
    key, value = key.strip().lstrip("."), value.strip()
    if indent == 4:
        if item:
            found.append({})
        opened: list[Any] | None = None if value else []
        found[-1][key] = value if value else opened
        found[-1]["@list"] = opened
    elif found:
        items: list[Any] | None = found[-1]["@list"]
        if items is None:
            return
        if item and not text.startswith("."):
            items.append(text)
        elif item:
            items.append({key: value})
        elif items and isinstance(items[-1], dict):
            items[-1][key] = value
