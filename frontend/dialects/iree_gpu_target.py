"""iree_gpu: what a program says of the GPU that it is for. `frontend/stated_target.py` says who reads which field."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, Self

from ...ir.attributes import DIALECT_ATTRIBUTES, DictAttr
from ...ir.dialects.iree_gpu import MMALayoutAttr
from ...ir.dialects.struct_attr import DICTIONARY, NUMBER, NUMBERS, TEXT, Slot, StructAttr, bare_or_named, struct
from ...ir.types import Attribute
from ...support.dataclasses import dataclass
from .iree_gpu_scaled import ScaledMMALayoutAttr

if TYPE_CHECKING:
    from ...ir.attribute_parser import AttributeParser

_NONE = "none"


@dataclass(frozen=True, slots=True)
class WordsAttr(Attribute):
    """Some of an enumeration's words, `fp32|fp16`, in its order; `none` is no word beside others."""

    words: tuple[str, ...]

    mnemonic: ClassVar[str] = ""
    cases: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def parse(cls, parser: AttributeParser) -> Self:
        parser.expect("<")
        found = cls.parse_words(parser)
        parser.expect(">")
        return found

    @classmethod
    def parse_words(cls, parser: AttributeParser) -> Self:
        given = {parser.keyword(cls.cases)}
        while parser.accept("|"):
            given.add(parser.keyword(cls.cases))
        return cls(tuple(word for word in cls.cases if word in given and word != _NONE))

    @property
    def text(self) -> str:
        return "|".join(self.words) or _NONE

    def __str__(self) -> str:
        return f"#{self.mnemonic}<{self.text}>"


class ComputeBitwidthsAttr(WordsAttr):
    """The scalars that the GPU computes with."""

    mnemonic = "iree_gpu.compute_bitwidths"
    cases = ("fp64", "fp32", "fp16", "int64", "int32", "int16", "int8", "fp8", "fp6", "fp4")


class StorageBitwidthsAttr(WordsAttr):
    """The scalars that it loads and stores."""

    mnemonic = "iree_gpu.storage_bitwidths"
    cases = ("b64", "b32", "b16", "b8")


class SubgroupOpsAttr(WordsAttr):
    """What lanes of a subgroup do together."""

    mnemonic = "iree_gpu.subgroup_ops"
    cases = (_NONE, "shuffle", "arithmetic")


class DotProductOpsAttr(WordsAttr):
    """Instructions for short products of integers."""

    mnemonic = "iree_gpu.dotproduct_ops"
    cases = (_NONE, "dp4xi8toi32")


NO_DOT_PRODUCTS = DotProductOpsAttr(())


@dataclass(frozen=True, slots=True)
class MMAOpsAttr(Attribute):
    """The matrix instructions that there are: `[<NAME>, <NAME>]`."""

    instructions: tuple[MMALayoutAttr, ...]

    mnemonic: ClassVar[str] = "iree_gpu.mma_ops"

    @classmethod
    def parse(cls, parser: AttributeParser) -> Self:
        parser.expect("<")
        found = cls.parse_list(parser)
        parser.expect(">")
        return found

    @classmethod
    def parse_list(cls, parser: AttributeParser) -> Self:
        parser.expect("[")
        return cls(
            tuple(parser.comma_separated("]", lambda: bare_or_named(parser, MMALayoutAttr, MMALayoutAttr.parse)))
        )

    @property
    def text(self) -> str:
        return f"[{', '.join(entry.body if entry.is_upstreams else str(entry) for entry in self.instructions)}]"

    def __str__(self) -> str:
        return f"#{self.mnemonic}<{self.text}>"


NO_MMA = MMAOpsAttr(())


def _text(value: WordsAttr | MMAOpsAttr) -> str:
    return value.text


def _scaled(parser: AttributeParser) -> tuple[ScaledMMALayoutAttr, ...]:
    parser.expect("[")
    read = ScaledMMALayoutAttr.parse
    return tuple(parser.comma_separated("]", lambda: bare_or_named(parser, ScaledMMALayoutAttr, read)))


def _scaled_text(value: tuple[ScaledMMALayoutAttr, ...]) -> str:
    return f"[{', '.join(entry.body for entry in value)}]"


def _words(cls: type[WordsAttr]) -> Slot:
    def read(parser: AttributeParser) -> Attribute:
        return bare_or_named(parser, cls, cls.parse_words)

    return Slot(read, _text)


@dataclass(frozen=True, slots=True)
class TargetWgpAttr(StructAttr):
    """A workgroup processor: a streaming multiprocessor, or a compute unit. Sizes are in threads, x, y, z, and bytes.

    `max_workgroup_counts` and what follows it but `extra` came after the document.
    """

    compute: ComputeBitwidthsAttr
    storage: StorageBitwidthsAttr
    subgroup: SubgroupOpsAttr
    subgroup_size_choices: tuple[int, ...]
    max_workgroup_sizes: tuple[int, ...]
    max_thread_count_per_workgroup: int
    max_workgroup_memory_bytes: int
    dot: DotProductOpsAttr = NO_DOT_PRODUCTS
    mma: MMAOpsAttr = NO_MMA
    scaled_mma: tuple[ScaledMMALayoutAttr, ...] = ()
    max_workgroup_counts: tuple[int, ...] | None = None
    max_load_instruction_bits: int | None = None
    simds_per_wgp: int | None = None
    vgpr_space_bits: int | None = None
    dma_sizes: tuple[int, ...] | None = None
    workgroup_memory_bank_count: int | None = None
    extra: DictAttr | None = None

    mnemonic: ClassVar[str] = "iree_gpu.target_wgp"
    slots: ClassVar[Mapping[str, Slot]] = {
        "compute": _words(ComputeBitwidthsAttr),
        "storage": _words(StorageBitwidthsAttr),
        "subgroup": _words(SubgroupOpsAttr),
        "dot": _words(DotProductOpsAttr),
        "mma": Slot(MMAOpsAttr.parse_list, _text),
        "scaled_mma": Slot(_scaled, _scaled_text),
        "subgroup_size_choices": NUMBERS,
        "max_workgroup_sizes": NUMBERS,
        "max_thread_count_per_workgroup": NUMBER,
        "max_workgroup_memory_bytes": NUMBER,
        "max_workgroup_counts": NUMBERS,
        "max_load_instruction_bits": NUMBER,
        "simds_per_wgp": NUMBER,
        "vgpr_space_bits": NUMBER,
        "dma_sizes": NUMBERS,
        "workgroup_memory_bank_count": NUMBER,
        "extra": DICTIONARY,
    }

    def flaw(self) -> str:
        return _wrong_count(self) or _not_positive(self)


@dataclass(frozen=True, slots=True)
class TargetChipAttr(StructAttr):
    """The whole GPU."""

    wgp_count: int
    sku: str = ""
    extra: DictAttr | None = None

    mnemonic: ClassVar[str] = "iree_gpu.target_chip"
    slots: ClassVar[Mapping[str, Slot]] = {"wgp_count": NUMBER, "sku": TEXT, "extra": DICTIONARY}

    def flaw(self) -> str:
        return _not_positive(self)


@dataclass(frozen=True, slots=True)
class TargetAttr(StructAttr):
    """The GPU that a program is for; `arch` such as `sm_90`, or a product."""

    arch: str
    features: str
    wgp: TargetWgpAttr
    chip: TargetChipAttr | None = None

    mnemonic: ClassVar[str] = "iree_gpu.target"
    slots: ClassVar[Mapping[str, Slot]] = {
        "arch": TEXT,
        "features": TEXT,
        "wgp": struct(TargetWgpAttr),
        "chip": struct(TargetChipAttr),
    }


_AXES = 3


def _wrong_count(wgp: TargetWgpAttr) -> str:
    """Sizes are along x, y and z, the last of which may be left out: they are 1."""
    if not wgp.subgroup_size_choices:
        return "subgroup_size_choices has at least one number, found []"
    for name in ("max_workgroup_sizes", "max_workgroup_counts"):
        sizes: tuple[int, ...] | None = getattr(wgp, name)
        if sizes is not None and not 1 <= len(sizes) <= _AXES:
            return f"{name} has one to {_AXES} numbers, found {list(sizes)}"
    return ""


def _not_positive(target: TargetWgpAttr | TargetChipAttr) -> str:
    for name, slot in target.slots.items():
        value = getattr(target, name)
        numbers = value if slot is NUMBERS else (value,) if slot is NUMBER else ()
        if value is not None and any(n < 1 for n in numbers):
            return f"{name} must be positive, found {slot.write(value)}"
    return ""


for _attribute in (
    ComputeBitwidthsAttr,
    StorageBitwidthsAttr,
    SubgroupOpsAttr,
    DotProductOpsAttr,
    MMAOpsAttr,
    TargetWgpAttr,
    TargetChipAttr,
    TargetAttr,
):
    DIALECT_ATTRIBUTES[_attribute.mnemonic] = _attribute.parse
