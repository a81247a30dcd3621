"""iree_gpu: attributes that carry the choices of a lowering. `layout/configs.py` obeys them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from ...support.dataclasses import dataclass
from ..attributes import DIALECT_ATTRIBUTES, DictAttr, EnumAttr
from ..core import Operation
from ..types import Attribute
from .iree_gpu import DataTiledMMALayoutAttr, MMALayoutAttr, VirtualMMALayoutAttr
from .struct_attr import ATTRIBUTE, FLAG, NUMBER, Slot, StructAttr

if TYPE_CHECKING:
    from ..attribute_parser import AttributeParser


class IteratorTypeAttr(EnumAttr):
    """What a product of tiles does with one of its outer dimensions."""

    mnemonic = "iree_gpu.iterator_type"
    cases = ("parallel", "reduction")


class PipelineAttr(EnumAttr):
    """How a kernel is to be lowered."""

    mnemonic = "iree_gpu.pipeline"
    cases = (
        "Default",
        "BaseLowering",
        "Distribute",
        "Vectorize",
        "VectorDistribute",
        "WinogradVectorize",
        "TileAndFuse",
    )


class ReorderWorkgroupsAttr(EnumAttr):
    """Whether workgroups take their tiles in another order."""

    mnemonic = "iree_gpu.reorder_workgroups_strategy"
    cases = ("None", "Transpose")

    @property
    def body(self) -> str:
        return f"<{self.value}>"


def _body(value: ReorderWorkgroupsAttr) -> str:
    return value.body


@dataclass(frozen=True, slots=True)
class PipelineOptionsAttr(StructAttr):
    """Options of a pipeline; those that are not given are the pipeline's own."""

    prefetch_num_stages: int | None = None
    no_reduce_shared_memory_bank_conflicts: bool | None = None
    use_igemm_convolution: bool | None = None
    reorder_workgroups_strategy: ReorderWorkgroupsAttr | None = None

    mnemonic: ClassVar[str] = "iree_gpu.pipeline_options"
    slots: ClassVar[Mapping[str, Slot]] = {
        "prefetch_num_stages": NUMBER,
        "no_reduce_shared_memory_bank_conflicts": FLAG,
        "use_igemm_convolution": FLAG,
        "reorder_workgroups_strategy": Slot(ReorderWorkgroupsAttr.parse, _body),
    }


@dataclass(frozen=True, slots=True)
class LoweringConfigAttr(Attribute):
    """What was chosen for one operation: tile sizes, the matrix instruction, counts of subgroups."""

    entries: DictAttr

    mnemonic: ClassVar[str] = "iree_gpu.lowering_config"

    @classmethod
    def parse(cls, parser: AttributeParser) -> LoweringConfigAttr:
        """`<{name = value, ...}>`."""
        parser.expect("<")
        entries = DictAttr.of(parser.parse_attribute_dict())
        parser.expect(">")
        return cls(entries)

    def get(self, name: str) -> Attribute | None:
        return self.entries.get(name)

    def __str__(self) -> str:
        return f"#{self.mnemonic}<{self.entries}>"


LOWERING_CONFIG = "lowering_config"


def lowering_config(op: Operation) -> dict[str, Attribute]:
    """The entries of an operation's `lowering_config`; none where it has none, or another attribute of that name."""
    config = op.attributes.get(LOWERING_CONFIG)
    return dict(config.entries.entries) if isinstance(config, LoweringConfigAttr) else {}


@dataclass(frozen=True, slots=True)
class DerivedThreadConfigAttr(Attribute):
    """Threads take what the operations around ask for."""

    mnemonic: ClassVar[str] = "iree_gpu.derived_thread_config"

    @classmethod
    def parse(cls, parser: AttributeParser) -> DerivedThreadConfigAttr:
        if parser.accept("<"):
            parser.expect(">")
        return cls()

    def __str__(self) -> str:
        return f"#{self.mnemonic}"


MMA_KINDS = (MMALayoutAttr, VirtualMMALayoutAttr, DataTiledMMALayoutAttr)


@dataclass(frozen=True, slots=True)
class MMAScheduleAttr(StructAttr):
    """The instruction of a kernel's contractions, and how many subgroups divide rows and columns."""

    intrinsic: Attribute
    subgroup_m_count: int
    subgroup_n_count: int

    mnemonic: ClassVar[str] = "iree_gpu.mma_schedule"
    slots: ClassVar[Mapping[str, Slot]] = {
        "intrinsic": ATTRIBUTE,
        "subgroup_m_count": NUMBER,
        "subgroup_n_count": NUMBER,
    }

    def flaw(self) -> str:
        if not isinstance(self.intrinsic, MMA_KINDS):
            return f"intrinsic must be #{MMALayoutAttr.mnemonic}<...>, found {self.intrinsic}"
        counts = {"subgroup_m_count": self.subgroup_m_count, "subgroup_n_count": self.subgroup_n_count}
        return next((f"{name} must be positive, found {n}" for name, n in counts.items() if n < 1), "")


for _enum in (IteratorTypeAttr, PipelineAttr, ReorderWorkgroupsAttr):
    _enum.register()
for _struct in (PipelineOptionsAttr, MMAScheduleAttr):
    _struct.register()
for _attribute in (LoweringConfigAttr, DerivedThreadConfigAttr):
    DIALECT_ATTRIBUTES[_attribute.mnemonic] = _attribute.parse
