"""iree_codegen: how a function is to be compiled and launched, and hints on indices and buffers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar, TypeVar

import numpy as np
import numpy.typing as npt

from ...support.dataclasses import dataclass
from ...support.diagnostics import Report
from ..attributes import DIALECT_ATTRIBUTES, DictAttr, OpaqueAttr, symbol_text
from ..core import Operation, Value
from ..define import attribute, is_index, is_memref, is_tensor, operand, result
from ..did_you_mean import did_you_mean
from ..traits import NOTHING
from ..types import Attribute, Type
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


TRANSLATION_INFO = "translation_info"


def translation_info(function: Operation) -> TranslationInfoAttr | None:
    """A kernel's; None where it has none, or another attribute of that name."""
    info = function.attributes.get(TRANSLATION_INFO)
    return info if isinstance(info, TranslationInfoAttr) else None


def configuration_of(function: Operation, name: str) -> Attribute | None:
    """An entry of the configuration of a kernel's `translation_info`."""
    info = translation_info(function)
    return None if info is None or info.configuration is None else info.configuration.get(name)


DIALECT_ATTRIBUTES[TranslationInfoAttr.mnemonic] = TranslationInfoAttr.parse


_Number = TypeVar("_Number", int, npt.NDArray[np.int64])


@dataclass(frozen=True, slots=True)
class SwizzleAttr(Attribute):
    """`<64, 4>`: elements of a row and of an access; for `xor_shuffle` also of a row's distance (as long as a row where
    it is left out), and how many rows one after another are mixed alike (1): upstream's at most as many as a row has
    accesses, ours any number.

    The accesses of a row change places: in row r number c goes to c xor r, or (rotated) to c + r, modulo their number.
    """

    kind: str
    numbers: tuple[int, ...]

    kinds: ClassVar[Mapping[str, range]] = {
        "iree_codegen.rotate_rows": range(2, 3),
        "iree_codegen.xor_shuffle": range(2, 5),
        "lanewise.xor_shuffle": range(2, 5),
    }
    """How many numbers each has."""

    @property
    def row(self) -> int:
        return self.numbers[0]

    @property
    def access(self) -> int:
        return self.numbers[1]

    @property
    def repeated(self) -> int:
        """Elements after which the number of a row is one more."""
        distance = self.numbers[2] if len(self.numbers) > 2 else self.row
        return distance * (self.numbers[3] if len(self.numbers) > 3 else 1)

    @property
    def rotates(self) -> bool:
        return self.kind == "iree_codegen.rotate_rows"

    @property
    def period(self) -> int:
        """The swizzle of a place so many elements further on is so many further on."""
        return self.repeated * (self.row // self.access)

    def place(self, offset: _Number) -> _Number:
        """Where the element lies that comes at `offset`."""
        pieces = self.row // self.access
        number, column = offset // self.repeated % pieces, offset // self.access % pieces
        mixed = (column + number) % pieces if self.rotates else column ^ number
        return offset - offset % self.row + mixed * self.access + offset % self.access

    def __str__(self) -> str:
        return f"#{self.kind}<{', '.join(map(str, self.numbers))}>"


def _swizzle(kind: str, parser: AttributeParser) -> Attribute:
    start = parser.token.start
    parser.expect("<")
    numbers: list[int] = []
    parser.comma_separated(">", lambda: numbers.append(parser.integer()))
    counts = SwizzleAttr.kinds[kind]
    if len(numbers) not in counts:
        raise parser.error(f"{kind} has {counts[0]} to {counts[-1]} numbers, found {len(numbers)}", start)
    if min(numbers) < 1 or numbers[0] % numbers[1]:
        raise parser.error(f"a row is a multiple of an access, both positive, found {numbers}", start)
    if len(numbers) > 2 and numbers[2] % numbers[0]:
        raise parser.error(f"the distance of rows, {numbers[2]}, is no multiple of a row, {numbers[0]}", start)
    if kind == _UPSTREAMS_XOR and len(numbers) > 3 and numbers[3] > numbers[0] // numbers[1]:
        words = f"{numbers[3]} rows are mixed alike, at most {numbers[0] // numbers[1]} may be, the accesses of a row"
        raise parser.error(words, start, f"#{_OWN_XOR}<..> is the same without that limit")
    return SwizzleAttr(kind, tuple(numbers))


_UPSTREAMS_XOR, _OWN_XOR = "iree_codegen.xor_shuffle", "lanewise.xor_shuffle"


def xor_shuffle(row: int, access: int, distance: int, alike: int) -> SwizzleAttr:
    """Under upstream's name where upstream has it, and in few numbers."""
    numbers = (row, access) if distance == row and alike == 1 else (row, access, distance, alike)
    return SwizzleAttr(_UPSTREAMS_XOR if alike <= row // access else _OWN_XOR, numbers)


for _kind in SwizzleAttr.kinds:
    DIALECT_ATTRIBUTES[_kind] = partial(_swizzle, _kind)


class SwizzleHintOp(Operation, opname="iree_codegen.swizzle_hint"):
    """The memref, whose elements lie in another order, so that rows fall into different banks. Of a tensor it is a
    `TensorSwizzleHintOp`."""

    pure = True
    operand_ = operand(is_memref, NOTHING)
    swizzle = attribute(SwizzleAttr)
    result_ = result(is_memref, view_of="operand")
    same_type = ("operand", "result")
    assembly = "$operand `` `[` $swizzle `]` attr-dict `:` type($operand) former(`->` type($operand))"

    @classmethod
    def variant(cls, operands: Sequence[Value], result_types: Sequence[Type]) -> type[Operation]:
        return TensorSwizzleHintOp if any(map(is_tensor.admits, operands)) else cls

    def verify(self, report: Report) -> None:
        type = self.operand_.type
        if type.rank < 1 or type.layout is not None:
            self.error(report, f"is of a contiguous memref of rank 1 or more, found {type}")


class TensorSwizzleHintOp(Operation, variant_of=SwizzleHintOp):
    """The tensor; where it gets a buffer of its own, the elements lie there in another order."""

    pure = True
    operand_ = operand(is_tensor)
    swizzle = attribute(SwizzleAttr)
    result_ = result(is_tensor)
    same_type = ("operand", "result")
    assembly = SwizzleHintOp.assembly

    def verify(self, report: Report) -> None:
        if not self.operand_.type.shape:
            self.error(report, f"is of a tensor of rank 1 or more, found {self.operand_.type}")


class IndexHintOp(Operation, opname="iree_codegen.index_hint"):
    """The index; how it differs between lanes is a hint, which changes nothing."""

    pure = True
    index = operand(is_index)
    hint = attribute(Attribute)
    result_ = result(is_index)
    same_type = ("index", "result")
    assembly = "$index defaulted(`` `(` $hint `)`) attr-dict `:` type($index)"
