"""Tensor maps in the file of a compiled kernel: where each is passed, and which buffer it is of."""

from __future__ import annotations

from collections.abc import Sequence

from ..codegen.emit.tensor_map import MAP_ALIGNMENT, MAP_BYTES, MapParameter
from ..targets.tensor_maps import ELEMENTS, LONGEST_BOX, MOST_DIMENSIONS, PROMOTIONS, SWIZZLES
from .device import Parameter, parameter_offsets
from .json_fields import FieldError, Fields
from .signature import BufferParameter, Role, SignatureParameter, machine_parameters

_MOST_MAPS = 64
_MOST_BYTES = 1 << 16
_BIG = (1 << 63) - 1


def read_maps(stated: Fields, signature: Sequence[SignatureParameter]) -> tuple[MapParameter, ...]:
    """Those of a variant. Raises FieldError where they do not lie one behind the other behind the arguments, or one is
    not of a buffer among these, as it is."""
    machine = machine_parameters(signature)
    found = tuple(_map(child, len(machine)) for child in stated.children("maps", _MOST_MAPS))
    places, _ = parameter_offsets(
        [*(p.parameter for p in machine), *(Parameter(MAP_BYTES, MAP_ALIGNMENT) for _ in found)]
    )
    buffers = _buffers(signature)
    for map, offset in zip(found, places[len(machine) :], strict=True):
        if map.offset != offset:
            raise FieldError(f"'maps' has an offset of {map.offset}, behind what is before it is {offset}")
        if map.address not in buffers:
            raise FieldError(f"'maps' has an address that is machine parameter {map.address}, which is no buffer's")
        if (map.shape, map.sources) != buffers[map.address]:
            found_, expected = (map.shape, map.sources), buffers[map.address]
            raise FieldError(f"'maps' has shape and sources {found_}, those of its buffer are {expected}")
    return found


def _buffers(signature: Sequence[SignatureParameter]) -> dict[int, tuple[tuple[int, ...], tuple[int, ...]]]:
    """By the number of its pointer, a buffer's static extents, 0 for others, and those others' numbers, 0 for these."""
    found: dict[int, tuple[tuple[int, ...], tuple[int, ...]]] = {}
    first = 0
    for parameter in signature:
        machine = machine_parameters([parameter])
        if isinstance(parameter, BufferParameter):
            sizes = iter([first + n for n, p in enumerate(machine) if p.role is Role.SIZE])
            sources = tuple(next(sizes) if extent is None else 0 for extent in parameter.shape)
            found[first] = tuple(extent or 0 for extent in parameter.shape), sources
        first += len(machine)
    return found


def _map(stated: Fields, count: int) -> MapParameter:
    """`count`: machine parameters there are."""
    found = MapParameter(
        stated.integer("offset", 0, _MOST_BYTES),
        stated.integer("address", 0, count - 1),
        stated.word("element", ELEMENTS),
        stated.integers("shape", 0, _BIG, MOST_DIMENSIONS),
        stated.integers("sources", 0, count - 1, MOST_DIMENSIONS),
        stated.integers("box", 1, LONGEST_BOX, MOST_DIMENSIONS),
        stated.integer("swizzle", 0, max(SWIZZLES.values())),
        stated.integer("promotion", 0, max(PROMOTIONS.values())),
    )
    stated.done()
    if not len(found.shape) == len(found.sources) == len(found.box) > 0:
        raise FieldError("'maps' has shapes, sources and boxes of different ranks")
    if found.swizzle not in SWIZZLES.values() or found.promotion not in PROMOTIONS.values():
        raise FieldError(f"'maps' has no swizzle of {found.swizzle} bytes, or no promotion of {found.promotion}")
    return found
