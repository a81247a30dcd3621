"""A kernel's text to a program: basic blocks as compiled numpy functions, with the registers each must keep."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..faults import EmulationFault
from ..floats import odd_fma
from ..machine.blocks import live_out, split
from ..machine.writer import base_environment
from . import numbers
from . import wave_values as values
from .blocks import Block, Program
from .chip import Chip
from .cross_lane import permute, wide
from .emit import Emitter
from .emit_memory import WIDTHS
from .handlers import handler_of
from .hazard_rules import rules_of
from .hazards import Hazards, steps_of
from .high_registers import with_high_registers
from .shapes import INTO_SHARED, TENSOR, check_shape, goes_on
from .syntax import VCC, Difference, Instruction, KernelText, Operand, Register, Symbol, is_vector, words
from .under_way import COUNTERS
from .uninitialised import Uninitialised
from .waits import Analysis, Counters, Site, waits_of

_CONDITIONS = ("scc0", "scc1", "vccz", "vccnz", "execz", "execnz")
_FAR_BRANCH = "s_add_pc_i64"
_BRANCHES = frozenset(["s_branch", _FAR_BRANCH, *(f"s_cbranch_{c}" for c in _CONDITIONS)])
_COMPUTED = frozenset(words("s_setpc_b64 s_set_pc_i64"))
_EXITS = frozenset(words("s_endpgm s_endpgm_saved s_trap"))
_LEAVES = _BRANCHES | _EXITS | _COMPUTED
_BARRIERS = frozenset(words("s_barrier s_barrier_wait"))
_ARRIVALS = frozenset(words("s_barrier s_barrier_signal"))


def _without_what_traps_hide(blocks: list[Block]) -> list[Block]:
    """What stands behind a trap halts the machine: nothing gets there, and nothing of it is emulated."""
    if any(block.leave == "trap" for block in blocks):
        reached, pending = {0}, [0]
        while pending:
            new = set(blocks[pending.pop()].targets) - reached
            reached |= new
            pending += new
        for number, block in enumerate(blocks):
            if number not in reached:
                block.first, block.leave, block.targets = block.last, "end", ()
    return blocks


def compile_kernel(text: KernelText, chip: Chip, symbols: frozenset[str]) -> Program:
    """Raises `EmulationFault` of kind unsupported for instructions that are not emulated."""
    return _Compiler(text, chip, symbols).compile()


def sites_of(instructions: Sequence[Instruction], chip: Chip) -> dict[int, Site]:
    """What each instruction reads, writes and counts, by its number; without those that end a wave, and barriers.

    Raises `EmulationFault` of kind unsupported for instructions that are not emulated.
    """
    e = Emitter(chip, _environment(chip), {})
    found: dict[int, Site] = {}
    for number, i in enumerate(instructions):
        handler = _branch if i.opcode in _BRANCHES else handler_of(i)
        if i.opcode in _EXITS or i.opcode in _BARRIERS or i.opcode in _COMPUTED:
            continue
        if handler is None:
            raise _unknown(i)
        e.emit(i, number, handler)
        found[number] = Site(e.reads, e.writes, e.events)
    return found


def _unknown(i: Instruction) -> EmulationFault:
    return EmulationFault("unsupported", f"opcode {i.opcode}", instruction=i.text, line=i.line)


class _Compiler:
    def __init__(self, text: KernelText, chip: Chip, symbols: frozenset[str]) -> None:
        self._text = text
        self._chip = chip
        self._symbols = symbols
        self._instructions = text.instructions
        self._environment = _environment(chip)
        self._sites: dict[int, Site] = {}
        self._copies = any(map(goes_on, text.instructions))

    def compile(self) -> Program:
        self._check_directives()
        blocks = self._split()
        if self._chip.is_1250:
            edges = [(b.first, b.last, b.targets) for b in blocks]
            self._instructions = with_high_registers(self._instructions, edges)
        emitters = [self._emit(block) for block in blocks]
        self._check_text(blocks)
        # A vector write keeps inactive lanes, so it does not end the life of what was there before.
        killed = [frozenset(n for n in e.written if not is_vector(n)) for e in emitters]
        live = live_out(blocks, [frozenset(e.fetched) for e in emitters], killed)
        source = "\n".join(
            self._function(n, block, e, live[n]) for n, (block, e) in enumerate(zip(blocks, emitters, strict=True))
        )
        exec(compile(source, f"<{self._text.name}>", "exec"), self._environment)
        for number, block in enumerate(blocks):
            block.run = self._environment[f"b{number}"]
        directives = self._text.directives
        return Program(
            self._instructions,
            blocks,
            source,
            _granule(self._instructions),
            directives.get("group_segment_fixed_size", 0),
            self._chip,
            directives,
            frozenset(n for block in blocks for n in (*block.fetched, *block.stored)),
            directives.get("private_segment_fixed_size", 0),
            any(i.opcode.startswith("ds_cmpst") for i in self._instructions),
            any("_atomic_cmpswap" in i.opcode for i in self._instructions),
        )

    def _check_directives(self) -> None:
        for name in ("float_round_mode_32", "float_round_mode_16_64"):
            if self._text.directives.get(name, 0):
                raise EmulationFault("unsupported", f"kernel {self._text.name}: {name} other than to nearest even")

    # ---- blocks ----

    def _split(self) -> list[Block]:
        leaders = {0} | set(self._text.labels.values())
        for number, i in enumerate(self._instructions):
            if i.opcode in _BARRIERS:
                leaders |= {number, number + 1}
            elif i.opcode in _LEAVES:
                leaders.add(number + 1)
        count = len(self._instructions)
        blocks, numbered = split(leaders, count, Block)
        for number, block in enumerate(blocks):
            self._shape(block, number, numbered)
        blocks.append(Block(count, count, leave="end"))
        return _without_what_traps_hide(blocks)

    def _shape(self, block: Block, number: int, numbered: dict[int, int]) -> None:
        tail = self._instructions[block.last - 1]
        block.targets = (number + 1,)
        if tail.opcode in _EXITS:
            block.leave, block.targets = "trap" if tail.opcode == "s_trap" else "exit", ()
        elif tail.opcode in _BARRIERS:
            block.leave = "barrier"
        elif tail.opcode in _BRANCHES:
            target = self._target(tail, numbered)
            always = tail.opcode in ("s_branch", _FAR_BRANCH)
            block.leave = "jump" if always else "branch"
            block.targets = (target,) if always else (target, number + 1)
        elif tail.opcode in _COMPUTED:
            block.leave, block.targets = "computed", (self._computed_target(block.last - 1, numbered),)

    def _target(self, i: Instruction, numbered: dict[int, int]) -> int:
        label = i.operands[0] if i.operands else None
        name = label.name if isinstance(label, Symbol) else label.end if isinstance(label, Difference) else None
        if name not in self._text.labels:
            raise EmulationFault("syntax", "a branch to no label", instruction=i.text, line=i.line)
        return numbered[self._text.labels[name]]

    def _computed_target(self, site: int, numbered: dict[int, int]) -> int:
        """Where a long branch goes: the difference of labels that was added to the program counter says it."""
        tail = self._instructions[site]
        address = tail.operands[0] if tail.operands else None
        for i in reversed(self._instructions[:site]):
            if not i.operands or (i.operands[0] != address and not _is_low(i.operands[0], address)):
                continue
            labels = [o for o in i.operands if isinstance(o, Difference) and o.end in self._text.labels]
            if labels:
                return numbered[self._text.labels[labels[0].end]]
            break
        raise EmulationFault("unsupported", "a jump to a computed address", instruction=tail.text, line=tail.line)

    # ---- source ----

    def _emit(self, block: Block) -> Emitter:
        e = Emitter(self._chip, self._environment, self._text.labels)
        for site in range(block.first, block.last):
            i = self._instructions[site]
            check_shape(i)
            if i.opcode in _BRANCHES:
                e.emit(i, site, _branch)
            elif i.opcode in _COMPUTED:
                e.emit(i, site, _jump)
            elif i.opcode not in _EXITS and i.opcode not in _BARRIERS:
                handler = handler_of(i)
                self._check_operands(i)
                if handler is None:
                    raise _unknown(i)
                e.emit(i, site, handler)
                if self._copies:
                    self._follow_copies(e, i)
            else:
                continue
            self._sites[site] = Site(e.reads, e.writes, e.events)
        return e

    def _follow_copies(self, e: Emitter, i: Instruction) -> None:
        """Counts what their counters count, and tells of waits for them."""
        names, waits = Counters(self._chip).names, waits_of(i)
        for counter in COUNTERS:
            if any(names[event.kind] == counter for event in e.events):
                e.line(f"S.count_memory(G, {counter!r})")
            if counter in waits:
                e.line(f"S.wait_copies(G, {counter!r}, {waits[counter]})")

    def _check_operands(self, i: Instruction) -> None:
        for operand in i.operands:
            if isinstance(operand, Symbol) and operand.name not in self._symbols:
                raise EmulationFault("unsupported", f"symbol {operand.name}", instruction=i.text, line=i.line)

    def _function(self, number: int, block: Block, e: Emitter, live: frozenset[int]) -> str:
        """The block's source: body, then values of live registers."""
        block.stored = tuple(sorted(e.written & live))
        finals = [e.final(n) for n in block.stored]
        block.fetched = tuple(sorted(e.fetched))
        lines = [f"def b{number}(R, E, S, G):", "    result = None", *("    " + line for line in e.lines)]
        values = "".join(f"{name}, " for name in finals)
        lines.append(f"    return result, {e.exec}, ({values})")
        return "\n".join(lines)

    def _check_text(self, blocks: list[Block]) -> None:
        analysis = Analysis(self._chip, self._instructions, self._sites)
        edges = [(b.first, b.last, b.targets) for b in blocks]
        analysis.run(edges, lambda site: self._instructions[site].opcode in _ARRIVALS)
        steps = steps_of(self._instructions, self._sites)
        hazards = Hazards(rules_of(self._chip), steps)
        hazards.run(edges)
        uninitialised = Uninitialised(steps, self._text.directives, self._chip)
        uninitialised.run(edges)
        findings = uninitialised.findings | hazards.findings | analysis.findings
        for block in blocks:
            found = [s for s in range(block.first, block.last) if s in findings]
            if found:
                block.finding = found[0], findings[found[0]]


def _branch(e: Emitter, i: Instruction) -> None:
    """The condition of a branch, per wave."""
    condition = i.opcode.removeprefix("s_cbranch_")
    texts: dict[str, Callable[[], str]] = {
        "scc0": lambda: f"~{e.scc()}",
        "scc1": e.scc,
        "vccz": lambda: f"~any_lane({e.mask(Register(VCC, e.chip.mask_words))})",
        "vccnz": lambda: f"any_lane({e.mask(Register(VCC, e.chip.mask_words))})",
        "execz": lambda: f"~any_lane({e.exec})",
        "execnz": lambda: f"any_lane({e.exec})",
    }
    if condition in texts:
        e.line(f"result = {texts[condition]()}")


def _jump(e: Emitter, i: Instruction) -> None:
    """The address that a jump goes to, per wave."""
    e.line(f"result = {e.get(i.operands[0], 'u8')}")


def _is_low(operand: Operand, pair: Operand | None) -> bool:
    """Whether an operand is the lower register of a pair."""
    return isinstance(operand, Register) and isinstance(pair, Register) and operand.number == pair.number


def _granule(instructions: list[Instruction]) -> int:
    """The smallest access to shared memory, at most 4 bytes."""
    smallest = 4
    for i in instructions:
        space, _, rest = i.opcode.partition("_")
        width = WIDTHS.get(rest.rpartition("_")[2] if i.opcode.startswith(INTO_SHARED) else rest.partition("_")[2])
        if i.opcode.startswith(TENSOR):
            smallest = 1
        if (space in ("ds", "flat") or i.opcode.startswith(INTO_SHARED)) and width is not None:
            smallest = min(smallest, width.size)
    return smallest


def _environment(chip: Chip) -> dict[str, Any]:
    """What generated code may name."""
    names = base_environment() | {"ALL": values.ALL, "FALSE": np.bool_(False)}
    names |= {"one": np.uint32(1), "one_u4": np.uint32(1), "one_u8": np.uint64(1), "eight_u2": np.uint16(8)}
    names |= {"one_f4": np.float32(1), "zero_f4": np.float32(0), "one_f8": np.float64(1)}
    names |= {"SIXTEEN": np.uint32(16), "LOW_HALF": np.uint32(0xFFFF), "HIGH_HALF": np.uint32(0xFFFF0000)}
    names |= {"LOW_WORD": np.uint64(0xFFFFFFFF), "BUFFER_BASE": np.int64((1 << 48) - 1)}
    for function in words("where absolute sqrt exp2 log2 tanh rint trunc floor ceil clip bitwise_count"):
        names[function] = getattr(np, function)
    for module in (values, numbers):
        names |= {n: v for n, v in vars(module).items() if not n.startswith("_") and callable(v)}
    names |= {"minimum_of": np.minimum, "maximum_of": np.maximum, "clip_to": _clip_to, "odd_fma": odd_fma}
    names |= {"permute": permute, "wide": wide, "scalar_field": _scalar_field, "shifted_carry": _shifted_carry}
    names |= {"whole_quads": _whole_quads}
    names["pack"], names["unpack"] = values.mask_packer(chip.wavefront), values.mask_unpacker(chip.wavefront)
    return names


def _clip_to(value: Any, dtype: np.dtype[Any]) -> Any:
    info = np.iinfo(dtype)
    return np.clip(np.asarray(value, np.int64), info.min, info.max).astype(dtype)


def _scalar_field(value: Any, control: Any) -> Any:
    """s_bfe: offset in bits 5..0 and width in bits 22..16 of the control, sign-extended for signed types."""
    bits = 8 * value.dtype.itemsize
    offset = np.asarray(control & np.uint32(bits - 1), np.int64)
    width = np.minimum(np.asarray((control >> np.uint32(16)) & np.uint32(127), np.int64), bits - offset)
    wide = np.asarray(value).view(f"u{value.dtype.itemsize}")
    up = np.where(width == 0, 0, bits - offset - width).astype(wide.dtype)
    down = np.where(width == 0, 0, bits - width).astype(value.dtype)
    field = (wide << up).view(value.dtype) >> down
    return np.where(width == 0, value.dtype.type(0), field)


def _shifted_carry(a: Any, b: Any, shift: int) -> Any:
    total = (np.asarray(a, np.uint64) << np.uint64(shift)) + b
    return total > np.uint64(0xFFFFFFFF)


def _whole_quads(mask: Any) -> Any:
    if np.ndim(mask) == 0:
        return mask
    quads = mask.reshape(mask.shape[0], -1, 4).any(axis=2)
    return np.repeat(quads, 4, axis=1)
