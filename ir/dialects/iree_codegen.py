"""iree_codegen: how a function is to be compiled and launched."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, TypeVar

from ..attributes import DIALECT_ATTRIBUTES, DictAttr, OpaqueAttr, symbol_text
from ..hints import did_you_mean
from ..types import Attribute
from .iree_gpu_config import PipelineAttr

if TYPE_CHECKING:
    from ..attribute_parser import AttributeParser


Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class TranslationInfoAttr(Attribute):
    """The pipeline and its options, the workgroup's threads along x, y, z, the lanes of a subgroup."""

    pipeline: Attribute
    workgroup_size: tuple[int, ...] = ()
    subgroup_size: int | None = None
    configuration: DictAttr | None = None
    codegen_spec: str | None = None

    mnemonic: ClassVar[str] = "iree_codegen.translation_info"

    @classmethod
    def parse(cls, parser: AttributeParser) -> TranslationInfoAttr:
        """`<pipeline = #p workgroup_size = [..] subgroup_size = n, {..}>`; older, a word for the pipeline, and without
        `pipeline =`."""
        parser.expect("<")
        if parser.accept("pipeline"):
            parser.expect("=")
        pipeline = _pipeline(parser)
        start = parser.token.start
        spec = _field(parser, "codegen_spec", parser.symbol)
        if spec is not None and pipeline != _TRANSFORM:
            raise parser.error(f"codegen_spec is of pipeline = {_TRANSFORM}, found {pipeline}", start)
        start = parser.token.start
        sizes = tuple(_field(parser, "workgroup_size", parser.integer_list) or ())
        if len(sizes) > 3 or any(n < 1 for n in sizes):
            raise parser.error(f"workgroup_size has up to three positive sizes, found {list(sizes)}", start)
        start = parser.token.start
        subgroup = _field(parser, "subgroup_size", parser.integer)
        if subgroup is not None and subgroup < 1:
            raise parser.error(f"subgroup_size is positive, found {subgroup}", start)
        configuration = parser.parse_attribute_dict() if parser.accept(",") else None
        parser.expect(">")
        return cls(pipeline, sizes, subgroup, None if configuration is None else DictAttr.of(configuration), spec)

    def __str__(self) -> str:
        text = f"pipeline = {self.pipeline}"
        if self.codegen_spec is not None:
            text += f" codegen_spec = {symbol_text(self.codegen_spec)}"
        if self.workgroup_size:
            text += f" workgroup_size = {list(self.workgroup_size)}"
        if self.subgroup_size is not None:
            text += f" subgroup_size = {self.subgroup_size}"
        if self.configuration is not None:
            text += f", {self.configuration}"
        return f"#{self.mnemonic}<{text}>"


def _pipeline(parser: AttributeParser) -> Attribute:
    if parser.token.kind != "word":
        return parser.parse_attribute()
    start, word = parser.token.start, parser.keyword()
    name = word.removeprefix("LLVMGPU")
    if word not in _PIPELINES and name not in PipelineAttr.cases:
        hint = did_you_mean(name, PipelineAttr.cases)
        raise parser.error(
            f"expected one of {', '.join([*_PIPELINES, *PipelineAttr.cases])}, found {word}", start, hint
        )
    return _PIPELINES.get(word) or PipelineAttr(name)


_TRANSFORM = OpaqueAttr("#iree_codegen.transform_dialect_codegen")
_PIPELINES: Mapping[str, Attribute] = {
    "None": OpaqueAttr("#iree_codegen.no_pipeline"),
    "TransformDialectCodegen": _TRANSFORM,
}
"""What older texts call by a word, besides the pipelines for GPUs."""


def _field(parser: AttributeParser, name: str, read: Callable[[], Item]) -> Item | None:
    """`name = value`, where it is there."""
    if not parser.accept(name):
        return None
    parser.expect("=")
    return read()


DIALECT_ATTRIBUTES[TranslationInfoAttr.mnemonic] = TranslationInfoAttr.parse
