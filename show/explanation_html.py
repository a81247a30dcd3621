"""An explanation as static HTML: one table, no scripts, nothing from a network."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from .explanation_parts import Explained, Held, Step
from .explanation_text import (
    answers,
    buffer_words,
    combined,
    crossing_words,
    memory_words,
    other_words,
    totals,
)

_STYLE = (
    "<style>.lanewise-explanation td{text-align:left;vertical-align:top;padding:2px 8px}"
    ".lanewise-explanation code{white-space:pre-wrap}"
    ".lanewise-badge{border-radius:4px;padding:0 5px;color:#fff;font-family:monospace}</style>"
)
_COLUMNS = ("line", "operation", "layout", "lanes", "registers", "what it takes", "what lost")


def html_of(it: Explained) -> str:
    """A fragment of HTML."""
    variant = f", {it.variant}" if it.variant else ""
    head = "".join(f"<th>{escape(name)}</th>" for name in _COLUMNS)
    rows = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in _cells(it, step))}</tr>" for step in it.steps)
    said = "".join(f"<dt>{escape(question)}</dt><dd>{escape(answer)}</dd>" for question, answer in answers(it))
    buffers = "".join(f"<li>{escape(buffer_words(buffer))}</li>" for buffer in it.buffers)
    title = f"<h4>@{escape(it.kernel)} for {escape(it.target)}{escape(variant)}</h4>"
    return (
        f'{_STYLE}<div class="lanewise-explanation">{title}'
        f"<p>{escape(totals(it))}</p><dl>{said}</dl><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
        f"<ul>{buffers}</ul></div>"
    )


def _cells(it: Explained, step: Step) -> Iterator[str]:
    yield str(step.place.line or "")
    yield f"<b>{escape(step.op)}</b> {escape(step.type)}<br><code>{escape(step.place.text)}</code>"
    held = it.layouts.get(step.layout)
    yield "" if held is None else badge(held)
    yield f"{step.lanes} of {step.threads}" if step.layout else ""
    yield str(step.registers) if step.layout else ""
    yield "<br>".join(escape(text) for text in _takes(step))
    yield "<br>".join(escape(other_words(other)) for other in step.others)


def badge(held: Held) -> str:
    """The badge of a layout, whose words show where the pointer rests."""
    hue = int(held.badge.lstrip("L")) * 137 % 360
    style = f"background:hsl({hue},55%,38%)"
    return f'<span class="lanewise-badge" style="{style}" title="{escape(held.words)}">{escape(held.badge)}</span>'


def _takes(step: Step) -> Iterator[str]:
    if step.matrix:
        yield step.matrix
    if step.combination is not None:
        yield combined(step)
    yield from map(memory_words, step.memory)
    for crossing in step.crossings:
        yield from crossing_words(crossing)
    yield from step.remarks
