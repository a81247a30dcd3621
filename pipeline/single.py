"""Single passes on a program: what `lanewise opt --pass NAME` does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..frontend.legalise import with_arguments
from ..ir.cloning import clone
from ..ir.core import Operation
from ..ir.did_you_mean import did_you_mean
from ..ir.kernels import Kernel, find_kernel, in_module, module_around
from ..ir.passes import Context, Option, Pass
from ..ir.stages import STAGES
from ..ir.types import Attribute
from ..support.dataclasses import replace
from ..support.named_tuples import NamedTuple
from ..targets import Chip
from .compilation import PassError, find_pass, limited
from .passes import BY_STAGE, PASSES


class Request(NamedTuple):
    """A pass, and what is said to it: attributes of the kernel by name."""

    rewrite: Pass
    attributes: Mapping[str, Attribute]


def read_request(text: str) -> Request:
    """`NAME`, or `NAME=OPTION=VALUE,...`. Raises PassError."""
    name, _, options = text.partition("=")
    rewrite = find_pass(name.strip())
    return Request(rewrite, dict(_read_option(rewrite, word) for word in options.split(",") if word.strip()))


def _read_option(rewrite: Pass, text: str) -> tuple[str, Attribute]:
    name, equals, value = (part.strip() for part in text.partition("="))
    option = next((option for option in rewrite.options if option.name == name), None)
    if option is None or not equals:
        there = ", ".join(f"{option.name}=.." for option in rewrite.options) or "none"
        hint = did_you_mean(name, [option.name for option in rewrite.options])
        raise PassError(
            f"'{text.strip()}' is no option of the pass '{rewrite.name}'; it has {there}{hint and f'; {hint}'}"
        )
    return option.attribute, _value(option, value)


def _value(option: Option[Any], text: str) -> Attribute:
    try:
        return option.read(text)
    except ValueError:
        raise PassError(f"the option '{option.name}' is {option.expects}; found '{text}'") from None


def run_single(module: Operation, kernel: str | None, chip: Chip, requests: Sequence[Request]) -> Operation:
    """The module of a kernel behind some passes. The text says after which pass it is, where those before were run.

    Raises CompileError as a compilation does, ProgramError where the module has no such kernel.
    """
    for request in requests:
        asked = find_kernel(with_arguments(clone(module, {})), kernel).op
        asked.attributes.update(request.attributes)
        given = find_kernel(module_around(asked), kernel)
        module = module_around(_behind(given, request.rewrite, chip).op)
        kernel = None
    return module


def _stage_of(rewrite: Pass) -> str:
    """The stage of a pass, in words that say which pass leads there."""
    stage = next(stage for stage in STAGES if rewrite in BY_STAGE[stage])
    leading = [p.name for p in PASSES.values() if p.leads_to == stage]
    return f"{stage} stage" + "".join(f", to which '{name}' leads" for name in leading)


def _behind(given: Kernel, rewrite: Pass, chip: Chip) -> Kernel:
    if rewrite not in BY_STAGE[given.stage]:
        names = ", ".join(p.name for p in BY_STAGE[given.stage]) or "none"
        raise PassError(
            f"the program is in the {given.stage} stage, whose passes are {names}; found '{rewrite.name}',"
            f" of the {_stage_of(rewrite)}"
        )
    context = Context(limited(given, chip)[1], given.subgroup_size or chip.default_subgroup_size)
    found = rewrite.run(replace(given, op=clone(given.op, {})), context).kernel
    if found.stage != given.stage:
        return found
    return in_module(replace(found, op=clone(found.op, {}), after=_after(given, rewrite)), chip)


def _after(given: Kernel, rewrite: Pass) -> str | None:
    """The pass after which the program is now: this one, if it was next."""
    names = [p.name for p in BY_STAGE[given.stage]]
    position = 0 if given.after is None else names.index(given.after) + 1
    return rewrite.name if names[position] == rewrite.name else given.after
