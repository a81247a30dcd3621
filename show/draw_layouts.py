"""Drawings of layouts, of values of a kernel, of conversions between two layouts, and of matrix instructions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from ..ir.dialects.iree_vector_ext import VectorLayoutAttr
from ..ir.parser import parse_attribute
from ..ir.types import element_type, memory_bits
from ..layout.banks import banks_of
from ..layout.conversion import Means, Movement, Plan, plan_movement
from ..layout.draw import describe, owner_text
from ..layout.nested import NestedLayout
from ..layout.owner_map import OwnerMap
from ..layout.owner_svg import corner_picture, owner_picture
from ..layout.plan import LaneProgram, Nothing, Rename, Send, SharedMemory, Shuffle
from ..layout.rules.iree_vector_ext import anchored
from ..support.cell_grid import Scale, label_width, scale_for
from ..support.diagnostics import LanewiseError
from ..support.reindex import Reindex
from ..support.svg import Picture, below, flowing, paragraph, shifted, text
from ..targets import Chip, MatrixInstruction, find_matrix_instruction
from ..targets.instructions import names_of_all
from .draw_banks import bank_part, exchange_part
from .drawing import Drawing, Part
from .laid_out import Buffer, Named, Vector, laid_out_alike

_PAGE = 1152
_MNEMONIC = "#iree_vector_ext.nested_layout"


def read_layout(text: str, subgroup_size: int) -> NestedLayout:
    """The layout that an attribute's text says; its name may be left out, `<subgroup_tile = ...>`. Raises ParseError,
    LayoutError, and LanewiseError for another attribute."""
    text = text.strip()
    attribute = parse_attribute(f"{_MNEMONIC}{text}" if text.startswith("<") else text, "LAYOUT")
    if not isinstance(attribute, VectorLayoutAttr):
        raise LanewiseError(f"a layout is expected, as {_MNEMONIC}<...>, found {attribute}")
    return anchored(attribute, subgroup_size)


def is_layout(text: str) -> bool:
    """Whether a text means a layout, right or wrong."""
    return text.lstrip().startswith(("#", "<"))


def is_instruction(text: str) -> bool:
    """Whether a text is the name of a matrix instruction."""
    return text in names_of_all()


def drawing_of_layout(layout: NestedLayout, subgroup_size: int, threads: int | None = None) -> Drawing:
    """LayoutError where the layout leaves an element of its vector to nobody."""
    owners = OwnerMap.of_layout(layout, subgroup_size, threads)
    return Drawing("a layout", [_part(describe(layout, subgroup_size, threads), owners)])


def drawing_of_values(kernel: str, values: Sequence[Named]) -> Drawing:
    """Values of a kernel, those that are laid out alike together."""
    groups = laid_out_alike([value for value in values if isinstance(value, Vector)])
    parts = [part for group in groups for part in _of_vectors(group)]
    parts += [bank_part(value) for value in values if isinstance(value, Buffer)]
    return Drawing(f"{', '.join(value.name for value in values)} of @{kernel}", parts)


def _of_vectors(alike: Sequence[Vector]) -> list[Part]:
    first, plan = alike[0], alike[0].plan
    names = ", ".join(f"{v.name} ({v.place})" for v in alike)
    words = f"{names}: {first.value.type}"
    if plan is None or first.conversion is None:
        return [_part(f"{words}\n{first.described}", first.owners)]
    before = Vector("", "", first.conversion.input, first.workgroup)
    title = f"{words}, converted {way(plan)}"
    sides = (before.described, before.owners), (first.described, first.owners)
    bits = memory_bits(element_type(first.value.type))
    return [_conversion(title, plan.reason, *sides), *_exchange(plan, first.layout, bits, first.workgroup.chip)]


def _exchange(plan: Plan, layout: NestedLayout, element_bits: int, chip: Chip) -> list[Part]:
    """The shared memory that a conversion takes, if it does."""
    return [exchange_part(plan, layout.shape, element_bits, chip)] if isinstance(plan, SharedMemory) else []


def drawing_of_conversion(
    source: NestedLayout, target: NestedLayout, chip: Chip, element_bits: int, subgroup_size: int, threads: int | None
) -> Drawing:
    """A conversion as it would be planned on a chip. LayoutError where there is none."""
    both = (source, target)
    threads = threads or max(OwnerMap.of_layout(layout, subgroup_size).threads for layout in both)
    source, target = (layout.wrapped(max(1, threads // subgroup_size)) for layout in both)
    means = Means(threads, subgroup_size, banks_of(chip), chip.shared_memory_bytes)
    plan = plan_movement(Movement(source, target, Reindex.identity(source.shape), element_bits, means))
    sides = [
        (describe(o, subgroup_size, threads), OwnerMap.of_layout(o, subgroup_size, threads)) for o in (source, target)
    ]
    title = f"elements of {element_bits} bits on {chip.name}, converted {way(plan)}"
    parts = [_conversion(title, plan.reason, sides[0], sides[1]), *_exchange(plan, source, element_bits, chip)]
    return Drawing("a conversion", parts)


def way(plan: Plan) -> str:
    """How a plan moves elements, in a few words, with what a thread does for it."""
    match plan:
        case Nothing():
            return "by nothing: every thread has what it needs, where it needs it"
        case Rename():
            return "by renaming registers: every thread has what it needs, no instruction moves it"
        case Shuffle():
            return f"by shuffles within subgroups ({plan.cost} a thread)"
        case LaneProgram():
            moves = any(isinstance(step, Send) for step in plan.steps)
            return f"by {'shuffles within subgroups' if moves else 'selects'} ({plan.cost} a thread)"
        case SharedMemory():
            pieces = f" in {plan.pieces} pieces" if plan.pieces > 1 else ""
            return f"through {plan.bytes} bytes of shared memory{pieces} ({plan.cost} a thread)"


def _conversion(title: str, reason: str, before: tuple[str, OwnerMap], after: tuple[str, OwnerMap]) -> Part:
    sides = (("before", *before), ("after", *after))

    def characters() -> str:
        return "\n".join(f"{when}: {words}\n{owner_text(owners)}" for when, words, owners in sides)

    def picture(prefix: str) -> Picture:
        pictures = [owner_picture(owners, key=f"{prefix}{number}") for number, (_, _, owners) in enumerate(sides)]
        heads = [
            paragraph(f"{when}: {words}", max(drawn.width, 360), 11)
            for (when, words, _), drawn in zip(sides, pictures, strict=True)
        ]
        high = max(head.height for head in heads)
        pieces = zip((head._replace(height=high) for head in heads), pictures, strict=True)
        return flowing([below(list(piece), 6) for piece in pieces], _PAGE)

    return Part(f"{title}\n{reason}", characters, picture, (before[1], after[1]))


def _part(words: str, owners: OwnerMap) -> Part:
    return Part(words, partial(owner_text, owners), partial(_only_picture, owners), (owners,))


def _only_picture(owners: OwnerMap, prefix: str) -> Picture:
    return owner_picture(owners, key=f"{prefix}0")


# -- instructions


def drawing_of_instruction(name: str) -> Drawing:
    """The operands of a matrix instruction: A below left, B above right, C and D where rows of A meet columns of B."""
    instruction = find_matrix_instruction(name)
    maps = operand_maps(instruction)
    m, n, k = instruction.shape
    by = f"{instruction.subgroups} subgroups" if instruction.subgroups > 1 else "a subgroup"
    blocks = f"{instruction.blocks} blocks of " if instruction.blocks > 1 else ""
    factors = f"{blocks}{m}x{k} {instruction.a_type} times {k}x{n} {instruction.b_type}"
    words = (
        f"{instruction.name} ({instruction.iree_name}): {factors}, accumulators of {instruction.c_type}, by {by} of"
        f" {instruction.subgroup_size}"
    )
    if instruction.hardware is not None:
        words += "\nK as the hardware numbers it; the compiler gives A and B another order, the same for both"

    def characters() -> str:
        return "\n".join(f"{operand}\n{owner_text(owners)}" for operand, owners in maps.items())

    def picture(prefix: str) -> Picture:
        if instruction.blocks > 1:
            pictures = [owner_picture(o, key=f"{prefix}{number}") for number, o in enumerate(maps.values())]
            return below([_operand(_TITLES[name], p) for name, p in zip(maps, pictures, strict=True)])
        return _product(maps, prefix)

    legend = "colour: thread, neighbours differ; t: lane; r: register, in the instruction's order"
    return Drawing(instruction.name, [Part(words, characters, picture, tuple(maps.values()), legend)])


def operand_maps(instruction: MatrixInstruction) -> dict[str, OwnerMap]:
    """Who holds what of `A`, `B` and `C`, K as the hardware numbers it; nobody has an operand that stays in memory."""
    a, b = instruction.hardware or (instruction.a.alone, instruction.b.alone)
    size, several = instruction.subgroup_size, instruction.subgroups
    operands = (
        ("A", a, several, instruction.places[0]),
        ("B", b, 1, instruction.places[1]),
        ("C", instruction.c.alone, several, (instruction.accumulator_place,)),
    )
    return {
        name: OwnerMap.of_fragment(fragment, size, subgroups)
        if "registers" in places
        else OwnerMap.in_memory(fragment.shape, size, several * size)
        for name, fragment, subgroups, places in operands
    }


_HEAD = 13
_TITLES = {"A": "A", "B": "B", "C": "C and D"}


def _operand(name: str, picture: Picture) -> Picture:
    return below([Picture(picture.width, _HEAD, text(name, 0, _HEAD - 3, 12, "w b")), picture], 2)


_WIDEST = 1536
"""Pixels of the operands of one instruction: they are drawn to be read."""


def _product(maps: Mapping[str, OwnerMap], prefix: str) -> Picture:
    """A row of A stands beside the sums of its products, a column of B above them; where cells have no numbers, the
    first corners follow, larger."""
    (m, k), (_, n) = maps["A"].shape, maps["B"].shape
    scale = scale_for(m + k + 4, n + k + 4, _WIDEST)
    whole = _placed(maps, prefix, scale)
    if scale.upper:
        return whole
    corners = {name: corner_picture(owners) for name, owners in maps.items() if owners.registers}
    return below([whole, flowing([_operand(f"{name}, its first corner", p) for name, p in corners.items()], _PAGE)], 16)


def _placed(maps: Mapping[str, OwnerMap], prefix: str, scale: Scale) -> Picture:
    a, b, c = (
        _operand(
            _TITLES[name] + " in memory" * (not owners.registers),
            owner_picture(owners, key=f"{prefix}{number}", scale=scale),
        )
        for number, (name, owners) in enumerate(maps.items())
    )
    margins = {name: label_width(owners.shape[0]) for name, owners in maps.items()}
    widest = max(margins["B"], margins["C"])
    across, down = a.width + 24, b.height + 16
    placed = (
        (a, 0.0, down),
        (b, across + widest - margins["B"], 0.0),
        (c, across + widest - margins["C"], down),
    )
    width = across + widest + max(b.width - margins["B"], c.width - margins["C"])
    return Picture(width, down + max(a.height, c.height), "".join(shifted(p, x, y) for p, x, y in placed))
