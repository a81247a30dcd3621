"""A kernel's text to a program: basic blocks as compiled numpy functions, with the registers each must keep.

A block is entered at its first instruction only and is left at its end only. Instructions at which lanes of a warp
meet lead a block, so that the scheduler can hold lanes back in front of them; where whole warps have met, they stay
together to its end.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...support.dataclasses import replace
from .. import floats
from ..batch_values import choose
from ..faults import EmulationFault
from ..machine.blocks import live_out, split
from ..machine.writer import base_environment
from . import conversions, integers, tensor_memory
from .blocks import Block, Program
from .emit import CARRY, Emitter, Symbols
from .emit_memory import phase_asked, space_of
from .emit_tensor import meeting_of, watched_by_loads
from .emit_warp import MEMBER_OPERAND, warp_barrier
from .emit_warpgroup import watched_registers
from .handlers import HANDLERS
from .shapes import check_shape
from .syntax import Address, Instruction, KernelText, Operand, Pair, Register, Sum, Symbol, Target, Vector
from .types import TYPES

_REGISTER = re.compile(r"%[\w$.]+")
_BRANCHES = ("bra", "brx")
_EXITS = ("ret", "exit")
_BARRIERS = ("bar", "barrier")
_WHOLE_WARP = ("mma", "ldmatrix", "stmatrix")
_TRAPS = ("trap", "brkpt")
_STAY_TOGETHER = ("warp", "warpgroup")
"""Classes at which whole warps meet: who has met is still together at the next of them in the same line of code."""


_PACKING = frozenset({"mov", "prmt"})


def compile_kernel(text: KernelText, variables: dict[str, Any]) -> Program:
    """Raises `EmulationFault` of kind unsupported for instructions that are not emulated."""
    return _Compiler(text, variables).compile()


def _opcode_class(i: Instruction) -> str:
    if i.opcode in _BRANCHES:
        return "branch"
    if i.opcode in _EXITS or i.opcode in _TRAPS:
        return "exit"
    if i.opcode in _BARRIERS and i.modifiers[:1] == ("cluster",):
        return "cluster" if i.has("wait") else "arrival" if i.has("aligned") else "plain"
    if i.opcode in _BARRIERS:
        return "warp barrier" if i.modifiers[:1] == ("warp",) else "barrier"
    if i.opcode == "mbarrier" and i.modifiers[0] in ("test_wait", "try_wait"):
        return "phase"
    if i.opcode in MEMBER_OPERAND:
        return "members"
    if i.opcode in _WHOLE_WARP:
        return "warp"
    if i.opcode == "wgmma":
        return "warpgroup"
    if i.opcode == "tcgen05":
        return meeting_of(i)
    return "active" if i.opcode == "activemask" else "plain"


def _guards_become_branches(text: KernelText) -> tuple[list[Instruction], dict[str, int]]:
    """Guarded instructions at which lanes meet, and guarded exits, get a branch around them."""
    out: list[Instruction] = []
    moved: list[int] = []
    labels: dict[str, int] = {}
    for number, i in enumerate(text.instructions):
        moved.append(len(out))
        if i.guard is None or _opcode_class(i) in ("plain", "branch"):
            out.append(i)
            continue
        skip = f"@{number}"
        out.append(replace(i, opcode="bra", modifiers=(), operands=(Target(skip),), guard=_opposite(i.guard)))
        out.append(replace(i, guard=None))
        labels[skip] = len(out)
    moved.append(len(out))
    labels |= {name: moved[at] for name, at in text.labels.items()}
    return out, labels


def _opposite(register: Register) -> Register:
    return Register(register.name, not register.negated)


class _Compiler:
    def __init__(self, text: KernelText, variables: dict[str, Any]) -> None:
        self._text = text
        self._instructions, self._labels = _guards_become_branches(text)
        everything = {**variables, **text.variables}
        parameters = {p.name: p.offset for p in text.parameters}
        self._symbols = Symbols(text.registers, everything, parameters)
        numbers = self._symbols.numbers
        self._symbols.watched = watched_registers(self._instructions, numbers)
        self._symbols.watched |= watched_by_loads(self._instructions, numbers)
        if any(i.opcode == "atom" for i in self._instructions):
            found = Counter(name for i in self._instructions for name in _REGISTER.findall(i.text))
            self._symbols.once = frozenset(name for name, count in found.items() if count == 1)
        self._environment = _environment()
        self._place_variables()

    def _place_variables(self) -> None:
        """Static shared and local variables in order of appearance, dynamic shared memory after the static."""
        table = self._symbols
        used = _names_used(self._instructions)
        top = {"shared": 0, "local": 0}
        self._alignment = 16
        external: list[str] = []
        for name, variable in table.variables.items():
            if variable.space not in top or (variable.space == "shared" and name not in used):
                continue
            if variable.external or variable.size == 0:
                external.append(name)
                self._alignment = max(self._alignment, variable.alignment)
                continue
            start = -(-top[variable.space] // variable.alignment) * variable.alignment
            (table.shared_offsets if variable.space == "shared" else table.local_offsets)[name] = start
            top[variable.space] = start + variable.size
        self._static, self._local = top["shared"], top["local"]
        for name in external:
            alignment = max(table.variables[name].alignment, 1)
            table.shared_offsets[name] = -(-self._static // alignment) * alignment

    def compile(self) -> Program:
        self._check_opcodes()
        blocks = self._split()
        bodies = [self._emit(number, block) for number, block in enumerate(blocks)]
        queries = [self._query(n, block) for n, block in enumerate(blocks)]
        self._check_defined(blocks)
        live = live_out(blocks, [block.fetched for block in blocks], [block.written for block in blocks])
        source = "\n".join(_function(f"b{n}", e, live[n]) for n, e in enumerate(bodies))
        source += "\n" + "\n".join(_query_function(f"q{n}", *q) for n, q in enumerate(queries) if q is not None)
        exec(compile(source, f"<{self._text.name}>", "exec"), self._environment)
        for number, block in enumerate(blocks):
            block.run = self._environment[f"b{number}"]
            block.query = self._environment.get(f"q{number}")
        return Program(
            self._instructions,
            blocks,
            source,
            _granule(self._instructions),
            self._static,
            self._symbols.names,
            self._symbols.codes,
            self._symbols,
            self._alignment,
            self._local,
            tensor_memory.BYTES if any(i.opcode == "tcgen05" for i in self._instructions) else 0,
        )

    def _check_opcodes(self) -> None:
        for i in self._instructions:
            known = i.opcode in HANDLERS or _opcode_class(i) not in ("plain", "active")
            if not known:
                raise EmulationFault("unsupported", f"opcode {i.opcode}", instruction=i.text, line=i.line)
            check_shape(i)

    # ---- blocks ----

    def _split(self) -> list[Block]:
        leaders = {0} | set(self._labels.values())
        met = ""
        for number, i in enumerate(self._instructions):
            kind = _opcode_class(i)
            if number in leaders:
                met = ""
            if kind not in ("plain", "branch", "exit") and kind != met:
                leaders.add(number)
                met = kind if kind in _STAY_TOGETHER else ""
            if kind in ("branch", "exit", "barrier"):
                leaders.add(number + 1)
        count = len(self._instructions)
        blocks, numbers = split(leaders, count, Block)
        for number, block in enumerate(blocks):
            self._shape(block, number, numbers)
        blocks.append(Block(count, count, leave="exit"))
        return blocks

    def _shape(self, block: Block, number: int, numbers: dict[int, int]) -> None:
        head, tail = self._instructions[block.first], self._instructions[block.last - 1]
        kind = _opcode_class(head)
        block.meeting = {"warp barrier": "members", "barrier": "barrier", "phase": "phase", "members": "members"}.get(
            kind, ""
        )
        if kind in ("warp", "warpgroup", "columns", "cluster", "arrival"):
            block.meeting = kind
        block.targets = (number + 1,)
        match _opcode_class(tail):
            case "branch":
                self._shape_branch(block, tail, number, numbers)
            case "exit":
                block.leave, block.targets = "exit", ()
            case "barrier":
                block.leave = "barrier"
            case _:
                block.leave = "fall"

    def _shape_branch(self, block: Block, tail: Instruction, number: int, numbers: dict[int, int]) -> None:
        def place(name: str) -> int:
            if name not in self._labels:
                raise EmulationFault("syntax", f"label {name} is not defined", instruction=tail.text, line=tail.line)
            return numbers[self._labels[name]]

        label = tail.operands[-1]
        name = label.name if isinstance(label, Target | Symbol) else ""
        if tail.opcode == "brx":
            table = self._text.branch_tables.get(name)
            if table is None:
                raise EmulationFault("syntax", f"no branch table {name}", instruction=tail.text, line=tail.line)
            block.leave, block.targets = "index", tuple(place(t) for t in table)
        elif tail.guard is None:
            block.leave, block.targets = "jump", (place(name),)
        else:
            block.leave, block.targets = "branch", (place(name), number + 1)

    # ---- source ----

    def _emit(self, number: int, block: Block) -> Emitter:
        e = Emitter(self._symbols, self._environment)
        for site in range(block.first, block.last):
            i = self._instructions[site]
            kind = _opcode_class(i)
            if kind == "branch":
                self._emit_branch(e, i)
            elif i.opcode in _TRAPS:
                e.line(f"S.trap(X, {site})")
            elif kind == "warp barrier":
                e.emit(i, site, warp_barrier)
            elif kind not in ("exit", "barrier"):
                e.emit(i, site, HANDLERS[i.opcode])
            elif kind == "barrier":
                self._barrier_destination(e, i)
        block.fetched, block.written = frozenset(e.fetched), frozenset(e.written)
        return e

    def _emit_branch(self, e: Emitter, i: Instruction) -> None:
        e.instruction = i
        if i.opcode == "brx":
            e.line(f"result = {e.get(i.operands[0], 'u4')}")
        elif i.guard is not None:
            e.line(f"result = {e.get(i.guard, 'bool')}")

    def _barrier_destination(self, e: Emitter, i: Instruction) -> None:
        """bar.red writes its result when the barrier opens: the register stays live through this block."""
        if i.has("red"):
            number = self._symbols.numbers[_register(i.operands[0], i).name]
            e.fetched.add(number)

    def _query(self, number: int, block: Block) -> tuple[Emitter, str] | None:
        """What the scheduler must know before the block: lane mask, barrier, or barrier object."""
        if block.meeting not in ("members", "barrier", "phase", "columns"):
            return None
        i = self._instructions[block.first]
        e = Emitter(self._symbols, self._environment)
        e.instruction = i
        if block.meeting == "members":
            result = e.get(i.operands[MEMBER_OPERAND.get(i.opcode, -1)], "u4")
        elif block.meeting == "phase":
            result = self._phase_query(e, i)
        elif block.meeting == "columns":
            result = e.get(i.operands[1], "u4")
        else:
            result = self._barrier_query(e, i)
        block.fetched |= e.fetched
        return e, result

    def _phase_query(self, e: Emitter, i: Instruction) -> str:
        address, wanted = phase_asked(e, i)
        return f"({address}, {wanted})"

    def _barrier_query(self, e: Emitter, i: Instruction) -> str:
        reduces = i.has("red")
        operands = list(i.operands[1:] if reduces else i.operands)
        predicate = operands.pop() if reduces else None
        identifier = e.get(operands[0], "u4") if operands else "zero"
        count = e.get(operands[1], "u4") if len(operands) > 1 else "None"
        value = e.get(predicate, "bool") if predicate is not None else "None"
        return f"({identifier}, {count}, {value})"

    def _check_defined(self, blocks: list[Block]) -> None:
        """A register that is read but never written is a mistake, unless the compiler said so.

        LLVM also fills lanes that nobody reads from such registers when it packs narrow elements.
        """
        written = set[int]().union(*(b.written for b in blocks))
        allowed = {self._symbols.numbers[n] for n in (*self._text.undefined, CARRY)}
        for i in self._instructions:
            if i.has("red") and i.opcode in _BARRIERS:
                written.add(self._symbols.numbers[_register(i.operands[0], i).name])
        for block in blocks:
            for number in sorted(block.fetched - written - allowed):
                name = self._symbols.names[number]
                for i in self._instructions[block.first : block.last]:
                    if _mentions(i, name) and i.opcode not in _PACKING:
                        detail = f"register {name} is read and never written"
                        raise EmulationFault("uninitialised", detail, instruction=i.text, line=i.line)


def _register(operand: Operand, i: Instruction) -> Register:
    if not isinstance(operand, Register):
        raise EmulationFault("unsupported", "destination is not a register", instruction=i.text, line=i.line)
    return operand


def _walk(operand: Operand) -> Iterator[Operand]:
    yield operand
    match operand:
        case Vector(items):
            for item in items:
                yield from _walk(item)
        case Pair(first, second):
            yield from _walk(first)
            yield from _walk(second)
        case Sum(register):
            yield register
        case Address(base, _, coordinates):
            yield base
            for item in coordinates:
                yield from _walk(item)
        case _:
            return


def _mentions(i: Instruction, register: str) -> bool:
    names = {o.name for operand in i.operands for o in _walk(operand) if isinstance(o, Register)}
    return register in names or (i.guard is not None and i.guard.name == register)


def _names_used(instructions: list[Instruction]) -> set[str]:
    return {o.name for i in instructions for operand in i.operands for o in _walk(operand) if isinstance(o, Symbol)}


def _granule(instructions: list[Instruction]) -> int:
    """The smallest access to shared memory, at most 4 bytes."""
    smallest = 4
    for i in instructions:
        if i.opcode in ("ld", "st", "atom", "red") and space_of(i) in ("shared", "generic"):
            smallest = min(smallest, max(TYPES[i.type].size if i.type in TYPES else 1, 1) * _vector_length(i))
        elif i.opcode in ("ldmatrix", "stmatrix") and i.has("trans"):
            smallest = min(smallest, 2)
    return smallest


def _vector_length(i: Instruction) -> int:
    return next((int(m[1]) for m in i.modifiers if m in ("v2", "v4", "v8")), 1)


def _function(name: str, e: Emitter, live: frozenset[int]) -> str:
    """The block's source: body, write-back of live registers (merged when the group is partial), result."""
    kept = sorted(e.written & live)
    lines = [f"def {name}(R, S, X):", "    result = None", *("    " + line for line in e.lines)]
    if kept:
        lines.append("    M = X.merge")
        lines.append("    if M is None:")
        lines += [f"        R[{n}] = {e.final(n)}" for n in kept]
        lines.append("    else:")
        lines += [f"        R[{n}] = merged(M, {e.final(n)}, R[{n}])" for n in kept]
    lines.append("    return result")
    return "\n".join(lines)


def _query_function(name: str, e: Emitter, result: str) -> str:
    return "\n".join([f"def {name}(R, S, X):", *("    " + line for line in e.lines), f"    return {result}"])


def merged(mask: Any, new: Any, old: Any) -> Any:
    """`new` where the mask holds, else `old`; both are bits of one width under any interpretation."""
    if new.dtype != old.dtype:
        old = old.view(new.dtype)
    return choose(mask, new, old)


def _environment() -> dict[str, Any]:
    names = base_environment() | {"True_": np.bool_(True), "False_": np.bool_(False), "merged": merged}
    names |= {"one": np.uint32(1), "zero": np.uint32(0)}
    for function in ("where", "minimum", "maximum", "absolute", "sqrt", "exp2", "rint", "trunc", "floor", "ceil"):
        names[function] = getattr(np, function)
    for function in ("isfinite", "isinf", "isnan"):
        names[function] = getattr(np, function)
    for module in (integers, floats, conversions):
        names |= {n: v for n, v in vars(module).items() if not n.startswith("_") and (callable(v) or n == "DECODE")}
    return names
