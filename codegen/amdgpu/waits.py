"""Looks in emitted AMDGCN text for barriers that a thread may reach before its own memory operations are done.

The waits there are LLVM's, which LLVM 22 has been seen to lose over a loop's back edge. So every text is followed along
all its paths: a forward data flow over basic blocks, whose state is the line of an operation of each kind that may not
have finished. Only a wait for all of a counter is taken for an end. Loads into LDS are not looked at: the program says
where they are waited for, and LLVM keeps these waits (`lds.py`). One pass over the text and few over its blocks.

Counters and mnemonics: LLVM's AMDGPU usage guide ("Memory Model", "Instruction Syntax"); vscnt is gfx10's, the
counters of `s_wait_*` gfx12's.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

from ...support.dataclasses import dataclass, field
from ...support.named_tuples import NamedTuple
from ...support.patterns import regex
from ...targets import Chip
from ..llvm import CodegenError

Kind = Literal["lds", "store", "load"]
"""Operations on LDS, stores to global memory and loads from it."""
Counter = Literal["ds", "load", "store"]
_WORDS: Mapping[Kind, str] = {
    "lds": "an access to LDS",
    "store": "a store to global memory",
    "load": "a load from global memory",
}


class Issue(NamedTuple):
    """An operation that its counter counts until it is done."""

    line: int
    kind: Kind
    counter: Counter


class Wait(NamedTuple):
    counter: Counter
    left: int


class Barrier(NamedTuple):
    line: int


Step = Issue | Wait | Barrier
State: TypeAlias = dict[Kind, Issue]
"""What may be outstanding."""


@dataclass
class Block:
    """What matters of a basic block, and the labels it may go to; `falls`: also to the next one."""

    steps: list[Step] = field(default_factory=list[Step])
    targets: list[str] = field(default_factory=list[str])
    falls: bool = True


def check_waits(assembly: str, chip: Chip, ordered: Collection[Kind]) -> None:
    """Raises CodegenError where a barrier may be reached with an operation outstanding of a kind that it orders."""
    if "s_barrier" not in assembly:
        return
    if _HAS_SCRATCH.search(assembly) and not chip.supports("flat_scratch"):
        ordered = [kind for kind in ordered if kind == "lds"]  # the rest may be a register that was spilled
    blocks, places = _read(assembly, chip)
    for line, issue in _early(blocks, places, ordered):
        raise CodegenError(
            f"no wait on some path from line {issue.line} to line {line} of the machine text for {chip.name}: threads "
            f"may meet at the barrier there while {_WORDS[issue.kind]} is not done"
        )


_HAS_SCRATCH = regex(r"^\s*\.private_segment_fixed_size:\s*[1-9]", re.MULTILINE)
"""In the metadata that ends a text. Before `scratch_store` came private memory was reached by buffer instructions."""


# -- reading --------------------------------------------------------------------------------------------------------

_LINE = (
    r"^(?:(?P<label>[\w.$]+):"
    r"|[ \t]+(?P<opcode>(?:ds|flat|global|buffer)_\w+|s_(?:wait|barrier|branch|cbranch|endpgm|setpc)\w*)"
    r"(?P<rest>[^\n;]*)"
)
_RELEVANT = regex(_LINE + r"|(?P<far>(?!)))", re.MULTILINE)
_RELEVANT_WITH_FAR = regex(_LINE + r"|[^\n]*?(?P<far>\.L\w+)-\.Lpost_getpc)", re.MULTILINE)
"""The latter is several times slower, and few texts have branches through registers."""


def _read(assembly: str, chip: Chip) -> tuple[list[Block], dict[str, int]]:
    """The blocks of a text, and which of them a label begins."""
    blocks, places = [Block()], dict[str, int]()
    line, seen, far = 1, 0, ""
    relevant = _RELEVANT_WITH_FAR if ".Lpost_getpc" in assembly else _RELEVANT
    for match in relevant.finditer(assembly):
        line += assembly.count("\n", seen, match.start())
        seen = match.start()
        opcode, rest = match["opcode"], match["rest"]
        if match["label"]:
            places[match["label"]] = len(blocks)
            blocks.append(Block())
        elif match["far"]:
            far = match["far"]
        elif opcode.startswith(_ENDS):
            blocks[-1].falls = opcode.startswith("s_cbranch")
            blocks[-1].targets += [_target(opcode, rest, far)] if opcode != "s_endpgm" else []
            blocks.append(Block())
        else:
            blocks[-1].steps += _steps(opcode, rest, line, chip)
    blocks[-1].falls = False
    return blocks, places


_ENDS = ("s_branch", "s_cbranch", "s_endpgm", "s_setpc")
_ANYWHERE = "*"


def _target(opcode: str, rest: str, far: str) -> str:
    """The label; of a branch through a register, the one that its distance was computed from."""
    return rest.strip() if not opcode.startswith("s_setpc") else far or _ANYWHERE


def _steps(opcode: str, rest: str, line: int, chip: Chip) -> Iterator[Step]:
    if opcode.startswith("s_wait"):
        yield from _waits(opcode, rest, chip)
    elif opcode == "s_barrier" or opcode.startswith("s_barrier_signal"):
        yield Barrier(line)
    elif not opcode.startswith("s_"):
        yield from _issues(opcode, rest, line, chip)


_NO_ACCESS = regex(r"ds_(?:bpermute|permute|swizzle|nop|atomic_async_)|buffer_(?:wb|inv|gl)|global_(?:wb|inv)")
_STORES = regex(r"\w+?_store|\w+?_atomic")
_RETURNS = regex(r"\b(?:glc|sc0|TH_ATOMIC_RETURN\w*)\b")
_INTO_LDS = regex(r"_lds_|\blds\b")


def _issues(opcode: str, rest: str, line: int, chip: Chip) -> Iterator[Issue]:
    if _NO_ACCESS.match(opcode):
        return
    if opcode.startswith(("ds_", "flat_")):
        yield Issue(line, "lds", "ds")
    if opcode.startswith("ds_"):
        return
    is_store = _STORES.match(opcode) is not None and not ("_atomic" in opcode and _RETURNS.search(rest))
    if is_store:
        yield Issue(line, "store", "store" if chip.supports("vscnt") else "load")
    elif not _INTO_LDS.search(opcode + rest):
        yield Issue(line, "load", "load")


_FIELD = regex(r"(vmcnt|lgkmcnt)\((\d+)\)")
_COUNTERS: Mapping[str, Counter] = {
    "vmcnt": "load",
    "lgkmcnt": "ds",
    "vscnt": "store",
    "loadcnt": "load",
    "storecnt": "store",
    "dscnt": "ds",
}
_NUMBER = regex(r"(0x[0-9a-fA-F]+|\d+)\s*$")


def _waits(opcode: str, rest: str, chip: Chip) -> Iterator[Wait]:
    """`s_waitcnt vmcnt(0) lgkmcnt(0)`, `s_waitcnt_vscnt null, 0x0`, `s_wait_loadcnt_dscnt 0x102`, `s_wait_idle`."""
    if opcode == "s_waitcnt":
        yield from (Wait(_COUNTERS[name], int(left)) for name, left in _FIELD.findall(rest))
        return
    if opcode == "s_wait_idle":
        yield from (Wait(counter, 0) for counter in ("ds", "load", "store"))
        return
    names = [name for name in opcode.split("_")[2:] if name in _COUNTERS]
    number = _NUMBER.search(rest)
    if number is None:
        return
    value = int(number[1], 0)
    numbers = [value] if len(names) == 1 else [value >> 8 & 63, value & 63]
    yield from (Wait(_COUNTERS[name], left) for name, left in zip(names, numbers, strict=bool(names)))


# -- following the paths --------------------------------------------------------------------------------------------


class Early(NamedTuple):
    """The line of a barrier, and what may be outstanding there."""

    line: int
    issue: Issue


def _early(blocks: Sequence[Block], places: Mapping[str, int], ordered: Collection[Kind]) -> Iterator[Early]:
    entry: list[State | None] = [None] * len(blocks)
    entry[0] = {}
    work = {0}
    while work:
        number = min(work)
        work.remove(number)
        state = dict(entry[number] or {})
        for step in blocks[number].steps:
            if isinstance(step, Barrier):
                yield from (Early(step.line, state[kind]) for kind in ordered if kind in state)
            else:
                state = _after(state, step)
        for follower in _followers(blocks, places, number):
            joined = _joined(entry[follower], state)
            if joined != entry[follower]:
                entry[follower] = joined
                work.add(follower)


def _followers(blocks: Sequence[Block], places: Mapping[str, int], number: int) -> Iterator[int]:
    block = blocks[number]
    if block.falls:
        yield number + 1
    for target in block.targets:
        yield from places.values() if target not in places else (places[target],)


def _after(state: State, step: Issue | Wait) -> State:
    if isinstance(step, Wait):
        return {k: v for k, v in state.items() if v.counter != step.counter or step.left}
    return {**state, step.kind: step}


def _joined(old: State | None, new: State) -> State:
    """What may be outstanding on either path."""
    return dict(new) if old is None else {**new, **old}
