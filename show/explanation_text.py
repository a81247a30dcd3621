"""An explanation as text of at most 100 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath

from ..support.dataclasses import replace
from .explanation_parts import Anchor, Buffer, Crossing, Explained, Loop, Memory, Other, Place, Step

WIDTH = 100
_MOST_LINES = 6
_ROW = 6
"""Columns of a line number."""


def lines_of(it: Explained) -> Iterator[str]:
    """What is asked first, then each operation, then layouts, buffers and loops."""
    yield from _paragraph(f"@{it.kernel} for {it.target}" + (f", {it.variant}" if it.variant else ""))
    yield from _paragraph(totals(it))
    yield ""
    for question, answer in answers(it):
        yield question
        yield from _paragraph(answer, 2)
    yield ""
    yield "operations, by lines of the program"
    home = next((s.place.file for s in it.steps if s.place.file and not s.place.called_from), "")
    shown: set[Step] = set()
    for step in it.steps:  # several operations of one place are mostly the same: `a * b * c`, loops of Python
        bare = replace(step, registers=0, others=())
        yield from _again(step) if bare in shown else _step(step, home)
        shown.add(bare)
    yield ""
    yield from _layouts(it)
    yield from _buffers(it.buffers)
    yield from _loops(it.loops)
    for remark in it.remarks:
        yield from _paragraph(f"remark: {remark}")


def totals(it: Explained) -> str:
    """Threads, registers, memory and barriers in a sentence."""
    t = it.totals
    passes = f"; passes that changed it: {', '.join(t.passes)}" if t.passes else ""
    vain = f"; undone, since registers did not suffice: {', '.join(t.in_vain)}" if t.in_vain else ""
    taken = _count(t.registers, "register")
    return (
        f"{_count(t.threads, 'thread')} in subgroups of {t.subgroup_size};"
        f" vectors take at most {taken} of a thread's {t.budget};"
        f" {t.shared_bytes:,} bytes of shared memory; {_count(t.barriers, 'barrier')}{passes}{vain}"
    )


def answers(it: Explained) -> Iterator[tuple[str, str]]:
    """The questions that people have of layouts, and what holds of this kernel."""
    yield "Can all of it run from registers?", _from_registers(it)
    yield "How many lanes take part?", _lanes(it)
    slow = list(_slow(it))
    yield "What is slow?", "; ".join(slow) if slow else "nothing that is known here"


def _from_registers(it: Explained) -> str:
    t = it.totals
    stays = f"{_count(t.renamed, 'conversion')} only renames registers" if t.renamed == 1 else ""
    stays = stays or (f"{t.renamed} conversions only rename registers" if t.renamed else "")
    shuffled = f"{_count(t.shuffled, 'conversion')} by shuffles within subgroups" if t.shuffled else ""
    rest = "; ".join(part for part in (stays, shuffled) if part)
    tiles = [b.name for b in it.buffers if not b.is_written]
    brought = f" Loops bring tiles through shared memory ({', '.join(tiles)}), which are read there." if tiles else ""
    if t.registers > t.budget:
        brought += f" A thread lacks {_count(t.registers - t.budget, 'register')} for its vectors, which are spilled."
    if it.is_from_registers:
        return f"Yes: nothing that threads hold goes through shared memory{'; ' + rest if rest else ''}.{brought}"
    through = [c for c in it.crossings if c.way == "shared memory"]
    where = ", ".join(f"line {c.used_at}{' in a loop' if c.in_loop else ''}" for c in through)
    joined = [s for s in it.steps if s.combination is not None and s.combination.subgroups > 1]
    parts = [f"{_count(len(through), 'conversion')} through shared memory ({where})"] if through else []
    if joined:
        parts.append(f"subgroups join reductions there (line {', '.join(str(s.place.line) for s in joined)})")
    return f"No: {'; '.join(parts)}{'; ' + rest if rest else ''}.{brought}"


def _lanes(it: Explained) -> str:
    held = [s for s in it.steps if s.layout]
    if not held:
        return "There is no vector to hold."
    part = " or ".join(map(str, sorted({s.threads for s in held})))
    scope = it.totals.scope
    whole = it.totals.threads if scope == "workgroup" else it.totals.subgroup_size if scope == "subgroup" else 1
    each = "" if scope == "workgroup" else f" of each {scope}, which has a program of its own"
    said = f"{part} of {whole} threads{each} hold each vector"
    reduced = [s for s in it.steps if s.combination is not None]
    lines: dict[str, list[int]] = {}
    for s in reduced:
        lines.setdefault(combined(s), []).append(s.place.line)
    return (
        ". ".join(
            (
                said,
                *(f"{_lines(at).capitalize()} combine{'s' * (len(set(at)) == 1)} {how}" for how, at in lines.items()),
            )
        )
        + "."
    )


def combined(step: Step) -> str:
    """How a reduction is put together, and who has the results."""
    c = step.combination
    assert c is not None
    alone = f"{_count(c.elements, 'element')} of each result in a thread"
    lanes = f", then {c.lanes} lanes of a subgroup, {_count(c.steps, 'exchange')}" if c.lanes > 1 else ""
    across = f", then {c.subgroups} subgroups through shared memory" if c.subgroups > 1 else ""
    behind = f"; behind it all {step.threads} threads go on, {c.holders} with each result"
    return f"{alone}{lanes}{across}{behind}"


def _slow(it: Explained) -> Iterator[str]:
    for c in it.crossings:
        if c.in_loop and c.way in ("shuffles", "shared memory"):
            yield f"line {c.used_at} changes a layout in every iteration of a loop ({c.way}, {c.cycles} cycles)"
    for s in it.steps:
        for m in s.memory:
            if m.degree > 1:
                yield f"line {s.place.line}: {memory_words(m)}"
        if s.op == "vector.contract" and not s.matrix:
            yield f"line {s.place.line} multiplies without the matrix unit"


# Operations


def _step(step: Step, home: str) -> Iterator[str]:
    where = f"{step.place.line:>{_ROW - 2}}  " if step.place.line else " " * _ROW
    badge = f"  [{step.layout}]" if step.layout else ""
    yield f"{where}{step.op}{'  ' + step.type if step.type else ''}{badge}{_called(step.place, home)}"
    if step.place.text:
        yield _cut(f"{' ' * _ROW}| {step.place.text}")
    for said in step_words(step):
        yield from _paragraph(said, _ROW)


def _again(step: Step) -> Iterator[str]:
    alive = _count(step.registers, "register")
    yield f"{step.place.line:>{_ROW - 2}}  {step.op}, another one of this place: the same, {alive} alive"
    if step.others:
        yield from _paragraph(f"lost: {'; '.join(map(other_words, step.others))}", _ROW)


def step_words(step: Step) -> Iterator[str]:
    """What is said of one operation."""
    if step.layout:
        lanes = f"{step.lanes} of them with different elements" if step.copies > 1 else "all with different elements"
        yield f"{_count(step.threads, 'thread')}, {lanes}; {_count(step.registers, 'register')} alive"
    if step.is_folded:
        yield "nothing of its own: what it says is done with the operations around it, or needed by nobody"
    if step.matrix:
        yield f"instruction: {step.matrix}"
    if step.instructions:
        each = (f"{i.count} {i.name}" + (f" of {i.bytes} bytes" if i.bytes else "") for i in step.instructions)
        yield f"a thread executes {', '.join(each)}"
    if step.combination is not None:
        yield f"combines {combined(step)}"
    for memory in step.memory:
        yield memory_words(memory)
    for crossing in step.crossings:
        yield from crossing_words(crossing)
    if step.barriers:
        yield f"{_count(step.barriers, 'barrier')} before its accesses"
    if step.others:
        yield f"lost: {'; '.join(map(other_words, step.others))}"
    yield from (f"remark: {remark}" for remark in step.remarks)


def memory_words(m: Memory) -> str:
    """One transfer in words."""
    what = f"{m.space} memory {m.direction} [{m.badge}]: {m.accesses} x {m.bytes} bytes a thread"
    if not m.least:
        return f"{what}; {m.unit} are not known here"
    much = f"{_count(m.taken, m.unit[:-1])} of a subgroup"
    conflicts = f", {m.degree:.3g}-way conflicts" if m.space == "shared" and m.degree > 1 else ""
    if m.conflict:
        conflicts += f": lanes {m.conflict[0]} and {m.conflict[1]} want different words of bank {m.conflict[2]}"
    return (
        f"{what}, {much}, the least possible"
        if m.degree <= 1
        else f"{what}, {much} where {m.least} would do{conflicts}"
    )


def crossing_words(c: Crossing) -> Iterator[str]:
    """One movement in words: what, how, why, an example, and who asked for the layouts."""
    takes = {
        "nothing": "nothing moves",
        "renamed": "registers are renamed",
        "shuffles": f"{_count(c.shuffles, 'shuffle')} a thread",
        "shared memory": f"{c.shared_bytes:,} bytes of shared memory, {_count(c.barriers, 'barrier')}",
    }[c.way]
    loop = " in every iteration" if c.in_loop else ""
    yield f"{c.type} goes from [{c.source}] to [{c.target}]{loop}: {takes}"
    yield f"  why: {c.why}"
    if c.giver is not None and c.taker is not None:
        (a, r), (b, q) = c.giver, c.taker
        who = f"of thread {a} goes from register {r} to {q}" if a == b else f"goes from thread {a} to thread {b}"
        yield f"  such as: element {list(c.element)} {who}"
    yield from (f"  {anchor_words(a)}" for a in c.anchors)


def anchor_words(a: Anchor) -> str:
    chain = " -> ".join(map(str, a.chain))
    return f"asked for in line {a.line} by {a.op} ({a.why})" + (f", along lines {chain}" if len(a.chain) > 1 else "")


def other_words(o: Other) -> str:
    """What lost, in words."""
    price = f"{o.dearer:,} cycles more" if o.dearer >= 0 else f"{-o.dearer:,} cycles less"
    short = f" and {o.registers} registers too many" if o.registers else ""
    lines = f", together with {_lines(o.lines)}" if o.lines else ""
    lines = f", together with {len(o.lines)} other lines" if len(o.lines) > _MOST_LINES else lines
    what = f"{o.instruction} in [{o.layout}]" if o.instruction else f"[{o.layout}]"
    return f"{what}, {price}{short}{lines}"


# Layouts, buffers, loops


def _layouts(it: Explained) -> Iterator[str]:
    if it.layouts:
        yield "layouts"
    for held in it.layouts.values():
        yield from _paragraph(f"{held.badge}  {held.words}", 2)


def _buffers(buffers: Sequence[Buffer]) -> Iterator[str]:
    if buffers:
        yield "shared memory"
    for buffer in buffers:
        yield from _paragraph(buffer_words(buffer), 2)


def buffer_words(b: Buffer) -> str:
    kind = f"ring of {b.slots} tiles" if b.slots > 1 else "buffer of the program" if b.is_written else "tile"
    order = f", elements not row by row ({b.order})" if b.order else ""
    filled = " and ".join(f"{op}, {_count(threads, 'thread')}," for op, threads in b.filled_by) or "nothing"
    at = f" (line {', '.join(map(str, b.filled_at))})" if b.filled_at else ""
    read = f"; read in line {', '.join(map(str, b.read_at))}" if b.read_at else ""
    return f"{b.name}  {kind}, {b.type}, {b.bytes:,} bytes{order}; filled by {filled}{at}{read}"


def _loops(loops: Sequence[Loop]) -> Iterator[str]:
    if loops:
        yield "loops"
    for loop in loops:
        read = f"reads {', '.join(loop.buffers)}" if loop.buffers else "reads no shared memory"
        yield from _paragraph(f"line {loop.place.line}: {read}", 2)
        for left in loop.left:
            yield from _paragraph(f"not done: {left}", 4)


# Words


def _called(place: Place, home: str) -> str:
    """Says of a function that was written out its file, where that is not the kernel's, and the lines of its calls."""
    if not place.called_from:
        return ""
    file = f", in {PurePath(place.file).name}" if place.file != home else ""
    return f"{file}, called from line {', '.join(map(str, place.called_from))}"


def _lines(lines: Iterable[int]) -> str:
    found = sorted(set(lines))
    return f"line{'s' * (len(found) > 1)} {', '.join(map(str, found))}"


def _count(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def _cut(line: str) -> str:
    return line if len(line) <= WIDTH else f"{line[: WIDTH - 3]}..."


def _paragraph(text: str, indent: int = 0) -> Iterable[str]:
    own = len(text) - len(text.lstrip())
    first = " " * (indent + own)
    return textwrap.wrap(text.strip(), WIDTH, initial_indent=first, subsequent_indent=f"{first}  ") or [first]
