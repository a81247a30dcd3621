"""The page around a drawing: what the mouse is on is said below it, and all that its thread holds is framed, on both
sides of a conversion and in all operands of an instruction."""

from __future__ import annotations

import json
from collections.abc import Mapping

import numpy as np

from ..layout.nested import IntArray
from ..layout.owner_map import OwnerMap
from ..layout.owner_svg import ROW
from ..support.svg import escaped


def page(title: str, svg: str, maps: Mapping[str, OwnerMap]) -> str:
    """A whole page of HTML, which loads nothing. `maps`: by the keys of the grids in the drawing."""
    data = {key: _data(owners) for key, owners in maps.items()}
    text = json.dumps(data, separators=(",", ":"), sort_keys=True).replace("<", "\\u003c")
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width">\n<title>{escaped(title)}</title>\n'
        f"<style>{_STYLE}</style>\n</head>\n<body>\n<main>{svg}</main>\n"
        '<p id="said" role="status">Point at an element: it says who holds it, and frames all that this thread holds. A'
        " click keeps it.</p>\n"
        f'<script type="application/json" id="maps" data-row="{ROW}">{text}</script>\n'
        f"<script>{_SCRIPT}</script>\n</body>\n</html>\n"
    )


def _data(owners: OwnerMap) -> dict[str, object]:
    return {
        "shape": owners.shape,
        "size": owners.subgroup_size,
        "copies": owners.copies,
        "thread": _numbers(owners.elected.thread),
        "register": _numbers(owners.elected.register),
    }


def _numbers(of_elements: IntArray) -> dict[str, object]:
    """What is added up along the dimensions, where that gives the number of every element, else all of them."""
    if of_elements.size and of_elements.ndim:
        first = int(of_elements.reshape(-1)[0])
        axes = [
            np.moveaxis(of_elements, axis, 0).reshape(n, -1)[:, 0] - first for axis, n in enumerate(of_elements.shape)
        ]
        total = first + sum(
            np.expand_dims(numbers, tuple(d for d in range(len(axes)) if d != axis))
            for axis, numbers in enumerate(axes)
        )
        if np.array_equal(total, of_elements):
            return {"first": first, "axes": [numbers.tolist() for numbers in axes]}
    return {"all": of_elements.reshape(-1).tolist()}


_STYLE = """
:root{color-scheme:light dark;--ground:#fff;--words:#222;--edge:#ccc}
@media(prefers-color-scheme:dark){:root{--ground:#161616;--words:#e4e4e4;--edge:#444}}
body{margin:0;background:var(--ground);color:var(--words);font:14px/1.4 ui-monospace,Menlo,Consolas,monospace}
main{padding:8px 8px 64px;overflow-x:auto}
main svg{display:block}
#said{position:fixed;left:0;right:0;bottom:0;margin:0;padding:10px 20px;background:var(--ground);
border-top:1px solid var(--edge);min-height:1.4em}
.frame{fill:none;stroke:#000;stroke-width:2;pointer-events:none}
.under{fill:none;stroke:#fff;stroke-width:4;pointer-events:none}
""".replace("\n", "")

_SCRIPT = """
"use strict";
const maps = JSON.parse(document.getElementById("maps").textContent);
const said = document.getElementById("said"), ROW = +document.getElementById("maps").dataset.row;
const NS = "http://www.w3.org/2000/svg";
let kept = false;
function at(numbers, shape, element) {
  if (numbers.all) return numbers.all[element.reduce((sum, x, d) => sum * shape[d] + x, 0)];
  return element.reduce((sum, x, d) => sum + numbers.axes[d][x], numbers.first);
}
function lead(m, slice) {
  const found = [];
  for (const n of m.shape.slice(0, -2).reverse()) { found.unshift(slice % n); slice = Math.floor(slice / n); }
  return found;
}
function elementAt(m, slice, row, column) {
  if (m.shape.length == 0) return row || column ? null : [];
  const element = m.shape.length == 1 ? [row * Math.min(ROW, m.shape[0]) + column] : [...lead(m, slice), row, column];
  return element.every((x, d) => x >= 0 && x < m.shape[d]) ? element : null;
}
function clear() { document.querySelectorAll(".frame,.under").forEach(e => e.remove()); }
function frames(part, thread) {
  for (const group of document.querySelectorAll("g[data-grid]")) {
    const [key, slice] = group.dataset.grid.split("/"), m = maps[key];
    if (key.split("-")[0] != part) continue;
    const w = +group.dataset.w, h = +group.dataset.h, box = group.getBBox();
    let path = "";
    for (let r = 0; r * h < box.height - 1; r++) for (let c = 0; c * w < box.width - 1; c++) {
      const element = elementAt(m, +slice, r, c);
      if (element && at(m.thread, m.shape, element) == thread)
        path += `M${c * w + 1} ${r * h + 1}h${w - 2}v${h - 2}h${2 - w}z`;
    }
    for (const kind of w > 8 ? ["under", "frame"] : ["frame"]) {
      const e = document.createElementNS(NS, "path");
      e.setAttribute("class", kind); e.setAttribute("d", path); group.append(e);
      if (w <= 8) e.style.strokeWidth = 1;
    }
  }
}
function point(event) {
  const group = event.target.closest("g[data-grid]");
  if (!group) return;
  const [key, slice] = group.dataset.grid.split("/"), m = maps[key];
  if (!m) return;
  const p = new DOMPoint(event.clientX, event.clientY).matrixTransform(group.getScreenCTM().inverse());
  const element = elementAt(m, +slice, Math.floor(p.y / group.dataset.h), Math.floor(p.x / group.dataset.w));
  if (!element) return;
  const thread = at(m.thread, m.shape, element), register = at(m.register, m.shape, element);
  clear();
  if (thread < 0) { said.textContent = `[${element.join(", ")}]: nobody, it stays in memory`; return; }
  const more = m.copies > 1 ? `; up to ${m.copies} threads or registers hold it, this is the first` : "";
  said.textContent = `[${element.join(", ")}]: thread ${thread} (subgroup ${Math.floor(thread / m.size)}, lane `
    + `${thread % m.size}), register ${register}${more}`;
  frames(key.split("-")[0], thread);
}
document.addEventListener("mousemove", event => { if (!kept) point(event); });
document.addEventListener("click", event => { kept = !kept; point(event); });
"""
