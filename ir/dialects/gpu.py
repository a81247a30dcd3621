"""gpu: kernels, ids, and what lanes of a subgroup and threads of a workgroup do together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING, ClassVar

from ...support.diagnostics import Location, Report
from ..attributes import (
    DIALECT_ATTRIBUTES,
    ArrayAttr,
    DenseArrayAttr,
    EnumAttr,
    IntegerAttr,
    StringAttr,
    TypeAttr,
    UnitAttr,
)
from ..core import Block, Operation, Region, Value
from ..define import (
    Constraint,
    ScalarType,
    anything,
    attribute,
    is_i1,
    is_i32,
    is_index,
    operand,
    operands,
    optional_attribute,
    region,
    result,
)
from ..traits import HANDS_ON
from ..types import (
    I1,
    I32,
    INDEX,
    Attribute,
    FloatType,
    FunctionType,
    IntegerType,
    Type,
    VectorType,
    element_type,
    scalar_type,
    shape_of,
)
from .func import Argument, CallOp, FunctionLike, check_return, parse_argument
from .memref import AllocOp
from .memref_globals import GetGlobalOp, GlobalOp

if TYPE_CHECKING:
    from ..attribute_parser import AttributeParser
    from ..operation_parser import Parser


class AddressSpaceAttr(EnumAttr):
    """Which memory: the device's, the workgroup's, or one thread's."""

    mnemonic = "gpu.address_space"
    cases = ("global", "workgroup", "private")


AddressSpaceAttr.register()
WORKGROUP = AddressSpaceAttr("workgroup")


class DimensionAttr(EnumAttr):
    mnemonic = "gpu.dim"
    cases = ("x", "y", "z")

    @property
    def index(self) -> int:
        """0, 1, 2 for x, y, z."""
        return self.cases.index(self.value)


class ShuffleModeAttr(EnumAttr):
    """How a lane finds the lane it reads: lane ^ offset, lane + offset (down), lane - offset (up), or offset itself."""

    mnemonic = "gpu.shuffle_mode"
    cases = ("xor", "up", "down", "idx")


class AllReduceOperationAttr(EnumAttr):
    mnemonic = "gpu.all_reduce_op"
    # fmt: off
    cases = (
        "add", "mul", "minui", "minsi", "minnumf", "maxui", "maxsi", "maxnumf",
        "and", "or", "xor", "minimumf", "maximumf",
    )
    # fmt: on
    spellings = {"minf": "minimumf", "maxf": "maximumf"}


class BarrierScopeAttr(EnumAttr):
    """Whose threads wait for each other."""

    mnemonic = "gpu.barrier_scope"
    cases = ("subgroup", "workgroup", "cluster")


_ENUMS: dict[str, type[EnumAttr]] = {}
for _enum in (DimensionAttr, ShuffleModeAttr, AllReduceOperationAttr, BarrierScopeAttr):
    _enum.register()
    _ENUMS[_enum.mnemonic.partition(".")[2]] = _enum


def _parse_enum(parser: AttributeParser) -> Attribute:
    """`#gpu<dim x>`, as older texts write `#gpu.dim<x>`."""
    parser.expect("<")
    value = _ENUMS[parser.keyword(tuple(_ENUMS))].parse_case(parser)
    parser.expect(">")
    return value


DIALECT_ATTRIBUTES["gpu"] = _parse_enum


# -- ids ------------------------------------------------------------------------------------------------------------


class IdOp(Operation):
    """A number that the launch decides; `upper_bound` states that it is smaller."""

    pure = True
    upper_bound = optional_attribute(IntegerAttr, INDEX)
    result_ = result(is_index)

    of_grid: ClassVar[bool] = False
    """Whether it says how many workgroups there are, or which of them this is."""
    counts_threads: ClassVar[bool] = False
    """Whether it says how many threads a workgroup has."""
    assembly = "(`upper_bound` $upper_bound^)? attr-dict former(`:` `index`)"

    def verify(self, report: Report) -> None:
        if self.upper_bound is not None and self.upper_bound.value <= 0:
            self.error(report, f"upper_bound must be positive, found {self.upper_bound.value}")


_TYPED = "(`upper_bound` $upper_bound^)? attr-dict defaulted(`:` `index`)"


class DimensionOp(IdOp):
    """An id or extent along x, y or z."""

    dimension = attribute(DimensionAttr)
    assembly = f"keyword($dimension) {IdOp.assembly}"


class ThreadIdOp(DimensionOp, opname="gpu.thread_id"):
    """The thread's coordinate in its workgroup."""

    belongs_to = "thread"


class BlockIdOp(DimensionOp, opname="gpu.block_id"):
    """The workgroup's coordinate in the grid."""

    of_grid = True
    belongs_to = "workgroup"


class BlockDimOp(DimensionOp, opname="gpu.block_dim"):
    """Threads of a workgroup along one dimension."""

    counts_threads = True


class GridDimOp(DimensionOp, opname="gpu.grid_dim"):
    """Workgroups of the grid along one dimension."""

    of_grid = True


class LaneIdOp(IdOp, opname="gpu.lane_id"):
    """The thread's number in its subgroup."""

    belongs_to = "thread"


class SubgroupIdOp(IdOp, opname="gpu.subgroup_id"):
    """The subgroup's number in its workgroup: the linear thread id (x fastest) divided by the subgroup size."""

    belongs_to = "subgroup"
    assembly = _TYPED


class NumSubgroupsOp(IdOp, opname="gpu.num_subgroups"):
    counts_threads = True
    assembly = _TYPED


class SubgroupSizeOp(IdOp, opname="gpu.subgroup_size"):
    assembly = _TYPED


# -- together -------------------------------------------------------------------------------------------------------


class BarrierOp(Operation, opname="gpu.barrier"):
    """All threads of the workgroup, or of its cluster, wait for each other and see each other's writes (to
    `address_spaces`, if given; of which there may be none)."""

    pure = False
    collective = "workgroup"
    address_spaces = optional_attribute(ArrayAttr)
    scope = attribute(BarrierScopeAttr, BarrierScopeAttr("workgroup"))
    assembly = "(`memfence` $address_spaces^)? (`scope` $scope^)? attr-dict"

    @property
    def orders_nothing(self) -> bool:
        """Whether threads wait for each other and for no memory."""
        return self.address_spaces is not None and not self.address_spaces.values

    def verify(self, report: Report) -> None:
        if self.scope.value == "subgroup":
            words = "only those of the workgroup, or of its cluster, can be waited for"
            self.error(report, f"waits for the threads of a subgroup: {words}")
        spaces = self.address_spaces.values if self.address_spaces is not None else ()
        for space in spaces:
            if not isinstance(space, AddressSpaceAttr):
                self.error(report, f"memfence lists #gpu.address_space attributes, found {space}")


is_shuffled: Constraint[ScalarType | VectorType] = Constraint(
    "an integer or float, or a 1-D vector of these",
    lambda t: isinstance(scalar_type(t), (IntegerType, FloatType)) and len(shape_of(t)) == (t != scalar_type(t)),
)


class ShuffleOp(Operation, opname="gpu.shuffle"):
    """Every lane reads the `value` of another lane of its group of `width` lanes; `valid` is false outside it.

    Where `valid` is false the lane gets its own value. All lanes of the subgroup take part. A width that is no power
    of two, which has to be a constant, makes one group of the first so many lanes; it is false in all others.
    """

    pure = True
    collective = "subgroup"
    belongs_to = "thread"
    value = operand(is_shuffled)
    offset = operand(is_i32)
    width = operand(is_i32)
    mode = attribute(ShuffleModeAttr)
    shuffle_result = result(is_shuffled)
    valid = result(is_i1)
    same_type = ("value", "shuffle_result")
    assembly = "keyword($mode) $value `,` $offset `,` $width attr-dict `:` type($value)"

    @classmethod
    def infer(cls, operands: Sequence[Value], attributes: Mapping[str, Attribute]) -> list[Type]:
        return [operands[0].type, I1]


CLUSTER = "(`cluster` `` `(` `size` `=` $cluster_size^ (`,` `stride` `=` $cluster_stride^)? `)`)?"
"""The format of clusters."""


class SubgroupReduceOp(Operation, opname="gpu.subgroup_reduce"):
    """Reduces over clusters of `cluster_size` lanes that are `cluster_stride` apart; each of them gets the result.

    Without a cluster, over the whole subgroup. With stride s, lanes l and l + s belong to one cluster.
    """

    pure = True
    collective = "subgroup"
    belongs_to = "thread"
    value = operand(is_shuffled)
    op = attribute(AllReduceOperationAttr)
    uniform = optional_attribute(UnitAttr)
    cluster_size = optional_attribute(IntegerAttr, I32)
    cluster_stride = attribute(IntegerAttr, IntegerAttr(1, I32))
    result_ = result(is_shuffled)
    same_type = ("value", "result")
    assembly = f"keyword($op) $value (`uniform` $uniform^)? {CLUSTER} attr-dict `:` functional-type"

    def verify(self, report: Report) -> None:
        check_kind(self, self.op.value, element_type(self.value.type), report)
        check_cluster(self, self.cluster_size, self.cluster_stride, report)


def check_cluster(op: Operation, size: IntegerAttr | None, stride: IntegerAttr, report: Report) -> None:
    for words, given in (("size", size), ("stride", stride)):
        number = given.value if given is not None else 1
        if number <= 0 or number & (number - 1):
            op.error(report, f"cluster {words} must be a power of two, found {number}")
    if size is None and stride.value != 1:
        op.error(report, "has a cluster stride and no cluster size")


_FLOAT_KINDS = frozenset({"add", "mul", "minnumf", "maxnumf", "minimumf", "maximumf"})
_INTEGER_KINDS = frozenset({"add", "mul", "minui", "minsi", "maxui", "maxsi", "and", "or", "xor"})


def check_kind(op: Operation, kind: str, element: Type, report: Report) -> None:
    """A combining kind must be one of the element type's."""
    kinds = _FLOAT_KINDS if element.is_float else _INTEGER_KINDS
    if kind not in kinds:
        op.error(report, f"kind '{kind}' does not apply to {element}: one of {', '.join(sorted(kinds))}")


# -- kernels --------------------------------------------------------------------------------------------------------


class GPUFuncOp(FunctionLike, opname="gpu.func"):
    """A function on the device; with `kernel`, one that a launch runs for every thread.

    The buffers that `workgroup(...)` and `private(...)` declare are read as `memref.alloc` operations of its body.
    """

    kernel = optional_attribute(UnitAttr)
    known_block_size = optional_attribute(DenseArrayAttr)
    known_grid_size = optional_attribute(DenseArrayAttr)
    known_cluster_size = optional_attribute(DenseArrayAttr)
    keywords = {"kernel": "kernel"}
    parents = ("gpu.module",)
    parent_words = "must be inside a gpu.module"

    @classmethod
    def property_names(cls) -> list[str]:
        return [*super().property_names(), "workgroup_attributions"]

    @classmethod
    def parse_buffers(cls, parser: Parser) -> list[Argument]:
        buffers: list[Argument] = []
        for word in ("workgroup", "private"):
            if parser.accept(word):
                parser.expect("(")
                buffers += parser.comma_separated(")", lambda: parse_argument(parser))
        return buffers

    @classmethod
    def made(cls, attributes: Mapping[str, Attribute], regions: Sequence[Region], location: Location) -> Operation:
        own = {_FORMER_NAMES.get(name, name): value for name, value in attributes.items()}
        own.pop("workgroup_attributions", None)
        own |= {name: _completed(size) for name in _BLOCK_SIZES if isinstance(size := own.get(name), DenseArrayAttr)}
        type = own.get("function_type")
        if isinstance(type, TypeAttr) and isinstance(type.type, FunctionType):
            for region in regions:
                _allocate(region, len(type.type.inputs), location)
        return super().made(own, regions, location)

    @property
    def is_kernel(self) -> bool:
        return self.kernel is not None

    def verify(self, report: Report) -> None:
        super().verify(report)
        if self.is_declaration:
            self.error(report, "needs a body")


_FORMER_NAMES = {"gpu.kernel": "kernel"}
_BLOCK_SIZES = ("known_block_size", "gpu.known_block_size", "known_cluster_size")


def _completed(size: DenseArrayAttr) -> DenseArrayAttr:
    """An attribute of three numbers; shorter texts leave ones away at the end."""
    return DenseArrayAttr(size.element, (*size.values, 1, 1, 1)[: max(3, len(size.values))]) if size.values else size


def _allocate(region: Region, arguments: int, location: Location) -> None:
    """Makes the memrefs behind the function's own arguments buffers of its body."""
    for block in region.blocks[:1]:
        while len(block.arguments) > arguments and block.arguments[-1].type.is_memref:
            buffer = block.arguments.pop()
            alloc = block.insert(0, AllocOp((), [buffer.type], location=location))
            alloc.result.hint = buffer.hint
            buffer.replace_uses(alloc.result)


class ReturnOp(Operation, opname="gpu.return"):
    pure = False
    terminator = True
    values = operands(anything, HANDS_ON)
    assembly = "attr-dict ($values^ `:` type($values))?"

    def verify(self, report: Report) -> None:
        check_return(self, report)


def _module_of(name: str, functions: Sequence[Operation], location: Location | None) -> GPUModuleOp:
    """A module of these functions."""
    block = Block()
    for function in functions:
        block.append(function)
    return GPUModuleOp(attributes={"sym_name": StringAttr(name)}, regions=[Region([block])], location=location)


def house_kernels(module: Operation) -> None:
    """Puts the `gpu.func`s that stand in `module` itself, as shorter texts have them, into a `gpu.module @kernels`.

    Where they name functions or buffers, all of these go along: they are looked for in the same module.
    """
    for block in [block for held in module.regions for block in held.blocks]:
        homeless: list[Operation] = [op for op in block.operations if isinstance(op, GPUFuncOp)]
        alone = len(homeless) == len(block.operations)
        if not alone and any(isinstance(op, (CallOp, GetGlobalOp)) for kernel in homeless for op in kernel.walk()):
            homeless = [op for op in block.operations if isinstance(op, (FunctionLike, GlobalOp))]
        if homeless:
            place = block.position(homeless[0])
            for op in homeless:
                block.remove(op)
            block.insert(place, _module_of(_free_name(block), homeless, homeless[0].location))


def _free_name(block: Block) -> str:
    taken = {str(op.attributes.get("sym_name")) for op in block.operations}
    return next(n for i in count() if f'"{(n := _KERNELS + (str(i) if i else ""))}"' not in taken)


_KERNELS = "kernels"
"""The name of the `gpu.module` that is made for kernels without one."""


class GPUModuleOp(Operation, opname="gpu.module"):
    """Holds the kernels of one device program."""

    pure = False
    isolated = True
    holds_symbols = True
    sym_name = attribute(StringAttr)
    targets = optional_attribute(ArrayAttr)
    body_region = region()
    assembly = "$sym_name ($targets^)? attr-dict-with-keyword $body_region"
