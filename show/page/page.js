const $ = id => document.getElementById(id), data = JSON.parse($("data").textContent), root = document.documentElement;
// Texts: their lines, what each comes from (up), and what comes of it in each child (down). In the source the nodes are
// parts of lines, elsewhere they are lines.
const texts = data.texts.map((t, number) => {
  const pane = $("pane-" + t.key), rows = [...pane.querySelectorAll(".code p")];
  rows.forEach((p, i) => { p.text = number; p.row = i; });
  const up = t.up.map(u => u === -1 ? [] : typeof u === "number" ? [u] : u);
  return { ...t, number, pane, rows, up, code: pane.querySelector(".code"), strip: pane.querySelector(".strip"), children: [], down: [] };
});
const byKey = new Map(texts.map(t => [t.key, t])), source = texts[0];
source.nodes = data.parts; // the lines of each part
for (const t of texts) t.count = t.nodes ? t.nodes.length : t.rows.length;
for (const t of texts.slice(1)) {
  const parent = t.parentText = byKey.get(t.parent), down = Array.from({ length: parent.count }, () => []);
  t.up.forEach((us, i) => us.forEach(u => down[u].push(i)));
  parent.children.push({ text: t, down });
}
// All that is linked to some nodes of a text: towards the source, and from all of those to the texts beside.
function linked(text, nodes) {
  const found = new Map(), below = (t, set, except) => {
    found.set(t, set);
    for (const c of t.children) if (c.text !== except) below(c.text, new Set([...set].flatMap(n => c.down[n])), null);
  };
  let set = new Set(nodes), except = null;
  for (let t = text; t; except = t, t = t.parentText) {
    if (t === text || t.children.length > 1) below(t, set, except); else found.set(t, set);
    if (t.parentText) set = new Set([...set].flatMap(n => t.up[n] || []));
  }
  return found;
}
const rowsOf = (t, nodes) => [...new Set(t.nodes ? [...nodes].flatMap(n => t.nodes[n]) : nodes)].sort((a, b) => a - b);
let lit = [], kept = null, active = source;
function show(at, scroll) {
  for (const e of lit) e.classList.remove("on", "me", "at");
  lit = []; texts.forEach(t => t.strip.style.background = "");
  if (!at) return;
  const mark = (e, name) => { e.classList.add(name); lit.push(e); }, found = linked(at.text, at.nodes);
  for (const [t, nodes] of found) {
    const rows = rowsOf(t, nodes);
    for (const r of rows) {
      mark(t.rows[r], "on");
      const fold = t.rows[r].parentNode; if (fold.tagName === "DETAILS" && !fold.open) mark(fold.firstChild, "on");
    }
    if (t.nodes) t.code.querySelectorAll("a[data-u]").forEach(a => nodes.has(+a.dataset.u) && mark(a, t === at.text ? "at" : "on"));
    strip(t, rows);
    if (scroll && t !== at.text && !t.pane.hidden && rows.length) reveal(t, densest(rows.filter(r => t.rows[r].offsetParent)) ?? rows[0], false);
  }
  mark(at.text.rows[at.row], "me"); tell(at, found);
}
function densest(rows) { // where most of them are together
  let best, most = 0;
  for (let i = 0, j = 0; i < rows.length; i++) { while (j < rows.length && rows[j] < rows[i] + 24) j++; if (j - i > most) [best, most] = [rows[i], j - i]; }
  return best;
}
function strip(t, rows) {
  const all = Math.max(t.rows.length, 1), stops = rows.flatMap(r => { const a = 100 * r / all, b = a + Math.max(100 / all, .4); return [`transparent ${a}%`, `var(--part) ${a}%`, `var(--part) ${b}%`, `transparent ${b}%`]; });
  t.strip.style.background = stops.length && stops.length < 4000 ? `linear-gradient(${stops.join()})` : "";
}
function reveal(t, row, open) {
  const p = t.rows[row], fold = p.parentNode; if (open && fold.tagName === "DETAILS") fold.open = true;
  const e = p.offsetParent ? p : fold.firstChild, top = e.offsetTop - t.code.offsetTop, height = t.code.clientHeight;
  if (top < t.code.scrollTop + 20 || top > t.code.scrollTop + height - 60) t.code.scrollTop = top - height / 3;
}
// What stands at a line: in the source the part that the pointer is on, else all of its parts.
function place(p, part) {
  const text = texts[p.text];
  if (!text.nodes) return { text, row: p.row, nodes: [p.row] };
  const own = part !== undefined ? [part] : [...new Set([...p.querySelectorAll("a[data-u]")].map(a => +a.dataset.u))];
  return { text, row: p.row, nodes: own, part };
}
const pointed = e => { const p = e.target.closest(".code p"), a = e.target.closest("a[data-u]"); return p && place(p, a ? +a.dataset.u : undefined); };
function keep(at, scroll = true) {
  kept = at; if (at) { active = at.text; const a = "#" + address(at); if (location.hash !== a) history.replaceState(null, "", a); }
  show(at, scroll);
}
const shown = () => texts.filter(t => !t.pane.hidden);
const called = (t, row) => { const n = t.rows[row].dataset.n; return n && t.rows.find(p => p.dataset.n === n).row === row ? n : "r" + (row + 1); };
const address = at => `line=${at.text.key}:${called(at.text, at.row)}${at.part === undefined ? "" : "." + at.part}&show=${shown().map(t => t.key)}`;
document.querySelector("main").addEventListener("mouseover", e => { if (!kept) { const at = pointed(e); if (at) show(at, false); } });
document.querySelector("main").addEventListener("click", e => { const at = pointed(e); if (at && !String(getSelection())) keep(kept && kept.text === at.text && kept.row === at.row && kept.part === at.part ? null : at); });
texts.forEach(t => t.pane.addEventListener("focus", () => active = t));
// What the cursor is on, in words.
const escape = s => s.replace(/[&<>]/g, c => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[c]);
function tell(at, found) {
  let rows = "";
  const layouts = new Set();
  for (const t of texts) {
    const own = found.has(t) ? rowsOf(t, found.get(t)) : []; if (!own.length) continue;
    for (const r of own) t.rows[r].querySelectorAll(".layout").forEach(b => layouts.add(+b.dataset.m));
    if (t.pane.hidden && t !== source) continue;
    const [first] = own, line = t.rows[first].lastChild?.textContent === undefined ? "" : words(t.rows[first]);
    rows += `<tr><td>${t.key}</td><td><a data-go="${t.key}:${called(t, first)}">${t.rows[first].dataset.n || first + 1}</a>${own.length > 1 ? ` and ${own.length - 1} more` : ""}</td><td><code>${escape(line.slice(0, 70))}</code></td></tr>`;
  }
  const steps = [...(found.get(source) || [])].flatMap(n => data.said[n] || []), most = 12, list = s => `<ul>${s.map(w => `<li>${escape(w)}</li>`).join("")}</ul>`;
  const said = steps.slice(0, most).map(list).join("") + (steps.length > most ? `<p>and ${steps.length - most} more</p>` : "");
  const counts = at.text.rows[at.row].dataset.c; $("path").innerHTML = `<table>${rows}</table>` + (counts ? `<p>${counts}</p>` : "") + said;
  if (layouts.size && data.maps.length) { const own = at.text.rows[at.row].querySelector(".layout"); draw(own ? +own.dataset.m : [...layouts].at(-1)); }
}
const words = p => [...p.childNodes].filter(c => c.nodeName !== "SMALL" && !(c.className || "").includes("front")).map(c => c.textContent).join("").trim();
$("path").addEventListener("click", e => e.target.dataset.go && go(e.target.dataset.go));
function go(where) {
  const [key, line] = where.split(":"), t = byKey.get(key); if (!t) return;
  const [row, part] = line.split("."), p = row[0] === "r" ? t.rows[row.slice(1) - 1] : t.rows.find(p => p.dataset.n === row);
  if (!p) return;
  t.pane.hidden = false; tabs(); reveal(t, p.row, true); keep(place(p, part && +part)); t.pane.focus({ preventScroll: true });
}
// Which texts are shown
const tab = t => document.querySelector(`nav [aria-controls=pane-${t.key}]`);
function tabs() { texts.forEach(t => tab(t).setAttribute("aria-pressed", !t.pane.hidden)); }
texts.forEach(t => tab(t).onclick = () => { t.pane.hidden = !t.pane.hidden; tabs(); if (kept) keep(kept); });
function choose(keys) { texts.forEach(t => t.pane.hidden = !keys.includes(t.key)); tabs(); }
// Keys
function move(by) {
  let row = kept && kept.text === active ? kept.row + by : 0;
  while (row >= 0 && row < active.rows.length && !active.rows[row].offsetParent) row += by;
  if (row < 0 || row >= active.rows.length) return;
  reveal(active, row, false); keep(place(active.rows[row]));
}
function step(by) {
  const parts = [...new Set([...kept.text.rows[kept.row].querySelectorAll("a[data-u]")].map(a => +a.dataset.u))], i = parts.indexOf(kept.part) + by;
  if (parts.length) keep(place(kept.text.rows[kept.row], parts[i < -1 ? parts.length - 1 : i]));
}
function search(by) {
  const text = $("search").value.toLowerCase(), all = active.rows, from = kept && kept.text === active ? kept.row : -1;
  document.querySelectorAll("p.found").forEach(p => p.classList.remove("found"));
  if (!text) return;
  const hits = all.filter(p => words(p).toLowerCase().includes(text)); hits.forEach(p => p.classList.add("found"));
  const next = by > 0 ? hits.find(p => p.row > from) || hits[0] : hits.findLast(p => p.row < from) || hits.at(-1);
  $("search").classList.toggle("none", !next); if (next) { reveal(active, next.row, true); keep(place(next)); }
}
$("search").addEventListener("keydown", e => { if (e.key === "Enter") search(e.shiftKey ? -1 : 1); if (e.key === "Escape") active.pane.focus(); e.stopPropagation(); });
document.addEventListener("keydown", e => {
  if (/^(INPUT|SELECT|BUTTON|SUMMARY)$/.test(e.target.tagName) || e.ctrlKey || e.metaKey || e.altKey) return;
  const act = { ArrowDown: () => move(1), ArrowUp: () => move(-1), "/": () => $("search").select(), Escape: () => keep(null) };
  if (active.nodes && kept && kept.text === active) { act.ArrowRight = () => step(1); act.ArrowLeft = () => step(-1); }
  if (act[e.key]) { e.preventDefault(); act[e.key](); }
});
// At first: as many texts as there is room for, or what the address says
function begin() {
  const said = new URLSearchParams(location.hash.slice(1)), theme = said.get("theme");
  root.classList.toggle("dark", theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches);
  $("theme").onclick = () => root.classList.toggle("dark");
  choose(said.get("show")?.split(",") || data.show[innerWidth < 1700 ? "narrow" : "wide"]);
  draw(0); if (said.get("line")) go(said.get("line"));
  addEventListener("hashchange", () => { const line = new URLSearchParams(location.hash.slice(1)).get("line"); if (line) go(line); });
}
