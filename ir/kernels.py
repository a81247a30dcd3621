"""Kernels of a module: which functions a launch can name, with how many threads, and what their scope allows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, TypedDict, TypeVar, Unpack

from ..support.dataclasses import dataclass, replace
from ..support.diagnostics import Diagnostic, Location, ProgramError, Report
from ..targets.chip import MOST_IN_CLUSTER, Chip
from .attributes import DenseArrayAttr, IntegerAttr, StringAttr, TypeAttr, UnitAttr, number_of
from .core import Block, Operation, Region, Value
from .dialects import gpu, iree_codegen
from .dialects.builtin import ModuleOp
from .dialects.func import FunctionLike
from .did_you_mean import did_you_mean
from .spread_loops import is_of_threads
from .stages import OF_THREADS, STAGE, STAGES, Stage
from .traits import Scope
from .types import I32, I64, Attribute, FunctionType

MAX_THREADS = 1024
SCOPES: tuple[Scope, ...] = ("workgroup", "subgroup", "thread")
"""To whom a value belongs: the kernel is one program of each workgroup, subgroup or thread."""
Axis = Literal["x", "y", "z"]
AXES: tuple[Axis, ...] = ("x", "y", "z")
SCOPE = "lanewise.scope"
AFTER = "lanewise.after"
"""On a module: the last pass that the program has gone through."""
SUBGROUP_SIZE = "lanewise.subgroup_size"
CLUSTER_SIZE = "known_cluster_size"
Word = TypeVar("Word", Scope, Stage)

_BLOCK_SIZE_NAMES = ("gpu.known_block_size", "known_block_size")
_HOW_TO = (
    "a kernel is `gpu.func @name(...) kernel attributes {gpu.known_block_size = array<i32: 64, 1, 1>}`"
    " or a func.func with translation_info = #iree_codegen.translation_info<... workgroup_size = [64, 1, 1]>"
)


@dataclass(frozen=True, eq=False)
class Kernel:
    """A function that a launch runs on a grid of workgroups of `block_size` threads (x, y, z)."""

    op: FunctionLike
    block_size: tuple[int, int, int]
    subgroup_size: int | None
    """Threads of a subgroup where the program says so; else the target's."""
    scope: Scope
    """One of `SCOPES`."""
    stage: Stage
    """One of `STAGES`: how far the module has been lowered."""
    cluster_size: tuple[int, int, int] = (1, 1, 1)
    """Workgroups of a cluster along x, y and z."""
    after: str | None = None
    """The last pass that the program has gone through, where its text says one."""

    @property
    def name(self) -> str:
        return self.op.name

    @property
    def threads(self) -> int:
        """Threads of a workgroup."""
        return math.prod(self.block_size)

    @property
    def clustered(self) -> bool:
        """Whether workgroups come in clusters of several."""
        return math.prod(self.cluster_size) > 1

    @property
    def arguments(self) -> list[Value]:
        return self.op.arguments

    def argument_attribute(self, index: int, name: str) -> Attribute | None:
        """Attribute `name` of argument number `index`, None where it is not given."""
        return self.op.argument_attribute(index, name)


def kernels(module: Operation) -> list[Kernel]:
    """Every kernel in program order. Raises `ProgramError` with all that is wrong with their launch attributes."""
    report = Report()
    stage = _stage(module, report)
    after = _after(module, report)
    found = [replace(_kernel(op, stage, report), after=after) for op in functions(module) if is_kernel(op)]
    _check_names([kernel.op for kernel in found], report)
    if report.diagnostics:
        raise ProgramError(report.diagnostics)
    return found


def find_kernel(module: Operation, name: str | None = None) -> Kernel:
    """The kernel called `name`; without a name, the only one. Raises `ProgramError` when there is none or a choice."""
    found = kernels(module)
    if not found:
        raise _no_kernel(module)
    names = [k.name for k in found]
    if name is None:
        if len(found) == 1:
            return found[0]
        notes = tuple((f"@{k.name}", k.op.location) for k in found)
        message = f"the module has {len(found)} kernels: {', '.join(f'@{n}' for n in names)}"
        raise ProgramError(
            [
                Diagnostic(
                    message, module.location, notes, "name the one that is meant, by --kernel, or kernel= in Python"
                )
            ]
        )
    if name not in names:
        hint = did_you_mean(f"@{name}", [f"@{n}" for n in names])
        message = f"no kernel '@{name}'; the module has {', '.join(f'@{n}' for n in names)}"
        raise ProgramError([Diagnostic(message, module.location, hint=hint)])
    return found[names.index(name)]


def module_around(function: Operation) -> Operation:
    """The outermost operation that it stands in."""
    around = function.enclosing()
    return function if around is None else module_around(around)


class KernelOptions(TypedDict, total=False):
    """What a kernel may say besides its name, its body and the threads of a workgroup.

    subgroup: threads of a subgroup, else the chip's; cluster: workgroups of a cluster along x, y and z; scope: whose
    program it is, else what its stage says; attributes: all else, such as options of passes and `arg_attrs`; location:
    where it stands.
    """

    subgroup: int | None
    cluster: Sequence[int]
    scope: Scope | None
    attributes: Mapping[str, Attribute]
    location: Location | None


def kernel_module(name: str, body: Block, workgroup: Sequence[int], **options: Unpack[KernelOptions]) -> Operation:
    """A module of one kernel in the vector stage, as a text of it is read. It is not verified yet.

    Args:
        name: Of the kernel.
        body: Its arguments are the kernel's; where it has no end, a return is appended.
        workgroup: Threads of a workgroup along x, y and z; what is left out is 1.
        options: See `KernelOptions`.
    """
    return _module_of(kernel_function(name, body, workgroup, **options), {})


def kernel_function(
    name: str, body: Block, workgroup: Sequence[int], **options: Unpack[KernelOptions]
) -> gpu.GPUFuncOp:
    """The kernel alone, which is to be put into a module."""
    location, cluster = options.get("location"), options.get("cluster")
    scope, subgroup = options.get("scope"), options.get("subgroup")
    if body.terminator is None:
        body.append(gpu.ReturnOp(location=location))
    given: dict[str, Attribute] = {
        "sym_name": StringAttr(name),
        "function_type": TypeAttr(FunctionType(tuple(value.type for value in body.arguments), ())),
        **options.get("attributes", {}),
        "kernel": UnitAttr(),
        _BLOCK_SIZE_NAMES[0]: _three(workgroup),
    }
    if cluster:
        given[CLUSTER_SIZE] = _three(cluster)
    if scope is not None:
        given[SCOPE] = StringAttr(scope)
    if subgroup is not None:
        given[SUBGROUP_SIZE] = IntegerAttr(subgroup, I64)
    return gpu.GPUFuncOp(attributes=given, regions=[Region([body])], location=location)


def _three(size: Sequence[int]) -> DenseArrayAttr:
    return DenseArrayAttr(I32, (*size, 1, 1)[: max(3, len(size))])


def in_module(kernel: Kernel, chip: Chip) -> Kernel:
    """The same kernel, whose function stands in no module yet, in one that says how far it is lowered and for what."""
    attributes = {STAGE: StringAttr(kernel.stage), "lanewise.target": StringAttr(chip.name)}
    if kernel.after is not None:
        attributes[AFTER] = StringAttr(kernel.after)
    _module_of(kernel.op, attributes)
    return kernel


def _module_of(function: FunctionLike, attributes: Mapping[str, Attribute]) -> Operation:
    block = Block()
    block.append(function)
    module = ModuleOp(attributes=attributes, regions=[Region([block])], location=function.location)
    gpu.house_kernels(module)
    return module


def in_stage(kernel: Kernel, stage: Stage, chip: Chip) -> Kernel:
    """The same kernel in a later stage, in a module of its own."""
    if kernel.op.parent is not None:
        kernel.op.parent.remove(kernel.op)
    return in_module(replace(kernel, stage=stage, after=None), chip)


def _no_kernel(module: Operation) -> ProgramError:
    notes = tuple((f"@{op.name} is a function, not a kernel", op.location) for op in functions(module))
    return ProgramError([Diagnostic("the module has no kernel", module.location, notes, _HOW_TO)])


def functions(module: Operation) -> Iterator[FunctionLike]:
    """Every function of the module, in program order; none stands inside another."""
    if isinstance(module, FunctionLike):
        yield module
        return
    for region in module.regions:
        for block in region.blocks:
            for op in block.operations:
                yield from functions(op)


def is_kernel(op: FunctionLike) -> bool:
    """Whether a launch can name this function."""
    if isinstance(op, gpu.GPUFuncOp):
        return op.is_kernel
    return "translation_info" in op.attributes


# -- launch attributes ------------------------------------------------------------------------------------------------


def _kernel(op: FunctionLike, stage: Stage, report: Report) -> Kernel:
    info = op.attributes.get("translation_info")
    if info is not None and not isinstance(info, iree_codegen.TranslationInfoAttr):
        op.error(report, f"translation_info must be #iree_codegen.translation_info<...>, found {info}")
        info = None
    default: Scope = "thread" if stage in OF_THREADS else "workgroup"
    if stage == "vector" and is_of_threads(op):
        default = "thread"
    scope = _word(op, SCOPE, SCOPES, default, report)
    type = op.function_type.type
    if isinstance(type, FunctionType) and type.results:
        op.error(report, f"kernel '@{op.name}' returns values: write them to a memref argument")
    sizes = _block_size(op, info, report), _subgroup_size(op, info, report)
    return Kernel(op, *sizes, scope, stage, _cluster_size(op, report))


def _block_size(
    op: FunctionLike, info: iree_codegen.TranslationInfoAttr | None, report: Report
) -> tuple[int, int, int]:
    """Threads along x, y, z; a size of fewer entries is completed by ones."""
    size = _given_block_size(op, info, report)
    if size is None:
        return 1, 1, 1
    if not size:
        op.error(report, f"kernel '@{op.name}' does not say how many threads a workgroup has", _misspelt(op) or _HOW_TO)
    elif len(size) > 3 or min(size) < 1:
        op.error(report, f"block size must be up to three positive numbers, found {list(size)}")
    elif math.prod(size) > MAX_THREADS:
        op.error(report, f"block size {list(size)} has {math.prod(size)} threads, the limit is {MAX_THREADS}")
    x, y, z = (*size, 1, 1, 1)[:3]
    return x, y, z


def _cluster_size(op: FunctionLike, report: Report) -> tuple[int, int, int]:
    attribute = op.attributes.get(CLUSTER_SIZE)
    if attribute is None:
        return 1, 1, 1
    size = attribute.values if isinstance(attribute, DenseArrayAttr) and attribute.element == I32 else ()
    if not 1 <= len(size) <= 3 or min(size) < 1:
        op.error(report, f"{CLUSTER_SIZE} must be array<i32: ...> of up to three positive numbers, found {attribute}")
        return 1, 1, 1
    x, y, z = (*map(int, size), 1, 1)[:3]
    if x * y * z > MOST_IN_CLUSTER:
        op.error(report, f"{CLUSTER_SIZE} of {[x, y, z]} has {x * y * z} workgroups, the limit is {MOST_IN_CLUSTER}")
    return x, y, z


def cluster_size(op: FunctionLike) -> tuple[int, int, int]:
    """The cluster size of a function whose attributes are right."""
    return _cluster_size(op, Report())


def block_size(op: FunctionLike) -> tuple[int, int, int]:
    """The block size of a function whose attributes are right."""
    return _block_size(op, iree_codegen.translation_info(op), Report())


def subgroup_size(op: FunctionLike) -> int | None:
    """The threads of a subgroup, where a function whose attributes are right says so."""
    return _subgroup_size(op, iree_codegen.translation_info(op), Report())


def set_block_size(op: FunctionLike, size: tuple[int, int, int]) -> None:
    """Wherever the function says one."""
    info = iree_codegen.translation_info(op)
    if info is not None and info.workgroup_size:
        op.attributes["translation_info"] = replace(info, workgroup_size=size)
    for name in _BLOCK_SIZE_NAMES:
        if name in op.attributes:
            op.attributes[name] = DenseArrayAttr(I32, size)


def _misspelt(op: FunctionLike) -> str:
    """The hint where an attribute is nearly one that says it."""
    if "translation_info" in op.attributes:
        return "its translation_info has no workgroup_size"
    hints = {name: did_you_mean(name, (*_BLOCK_SIZE_NAMES, "translation_info")) for name in op.attributes}
    return next((f"'{name}': {hint}" for name, hint in hints.items() if hint), "")


def _given_block_size(
    op: FunctionLike, info: iree_codegen.TranslationInfoAttr | None, report: Report
) -> tuple[int, ...] | None:
    """Empty where nothing says it, None where what is said is wrong and reported."""
    found = {} if info is None or not info.workgroup_size else {"translation_info": tuple(info.workgroup_size)}
    for name in _BLOCK_SIZE_NAMES:
        attribute = op.attributes.get(name)
        if isinstance(attribute, DenseArrayAttr) and attribute.element == I32:
            found[name] = tuple(int(n) for n in attribute.values)
        elif attribute is not None:
            op.error(report, f"{name} must be array<i32: ...>, found {attribute}")
            return None
    if len({(*size, 1, 1, 1)[:3] for size in found.values()}) > 1:
        words = " and ".join(f"{list(size)} in {name}" for name, size in found.items())
        op.error(report, f"kernel '@{op.name}' has two sizes of a workgroup: {words}")
        return None
    return next(iter(found.values()), ())


def _subgroup_size(op: FunctionLike, info: iree_codegen.TranslationInfoAttr | None, report: Report) -> int | None:
    attribute = op.attributes.get(SUBGROUP_SIZE)
    stated = number_of(attribute)
    size = info.subgroup_size if stated is None and info is not None else stated
    if attribute is not None and stated is None:
        op.error(report, f"{SUBGROUP_SIZE} must be an integer, found {attribute}")
    elif size is not None and (size <= 0 or size & (size - 1)):
        op.error(report, f"subgroup size must be a power of two, found {size}")
    return size


def _stage(module: Operation, report: Report) -> Stage:
    return _word(module, STAGE, STAGES, "vector", report)


def _after(module: Operation, report: Report) -> str | None:
    attribute = module.attributes.get(AFTER)
    if attribute is None or isinstance(attribute, StringAttr):
        return None if attribute is None else attribute.value
    module.error(report, f"{AFTER} must be the name of a pass, found {attribute}")
    return None


def _word(op: Operation, name: str, choices: tuple[Word, ...], default: Word, report: Report) -> Word:
    """A string attribute with fixed choices."""
    attribute = op.attributes.get(name)
    if attribute is None:
        return default
    chosen = next((c for c in choices if isinstance(attribute, StringAttr) and attribute.value == c), None)
    if chosen is not None:
        return chosen
    op.error(report, f"{name} must be one of {', '.join(choices)}, found {attribute}")
    return default


def _check_names(found: list[FunctionLike], report: Report) -> None:
    first: dict[str, FunctionLike] = {}
    for op in found:
        before = first.setdefault(op.name, op)
        if before is not op:
            report.error(f"kernel '@{op.name}' is defined twice", op.location, [("first here", before.location)])
