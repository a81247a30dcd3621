// Owners: the thread of an element is the sum of what its coordinates give, one along each dimension; so is its register.
let drawn = -1;
const sum = (of, at) => at.reduce((a, i, d) => a + of[d][i], 0);
function draw(number) {
  if (!data.maps[number] || drawn === number) return;
  $("which").value = drawn = number; $("words").textContent = data.maps[number].words; $("cell").textContent = "";
  $("map").replaceChildren($("map-" + number).content.cloneNode(true));
}
function* elements(shape, slice) { // of a slice: row and column of the grid, and all coordinates
  const lead = shape.slice(0, -2), at = []; for (let d = lead.length - 1, rest = slice; d >= 0; rest = Math.floor(rest / lead[d--])) at[d] = rest % lead[d];
  const [h, w] = shape.length > 1 ? shape.slice(-2) : [1, shape[0] ?? 1], row = data.maps[drawn].row;
  for (let y = 0; y < h; y++) for (let x = 0; x < w; x++)
    yield shape.length > 1 ? [y, x, [...at, y, x]] : [Math.floor(x / row), x % row, shape.length ? [x] : []];
}
$("map").onmousemove = e => {
  const grid = e.target.closest("[data-grid]"); if (!grid) return;
  const m = data.maps[drawn], p = new DOMPoint(e.clientX, e.clientY).matrixTransform(grid.getScreenCTM().inverse()), { w, h } = grid.dataset;
  const all = [...elements(m.shape, +grid.dataset.grid.split("/")[1])], hit = all.find(([y, x]) => y === Math.floor(p.y / h) && x === Math.floor(p.x / w)); if (!hit) return;
  const t = sum(m.thread, hit[2]);
  $("cell").innerHTML = `element <b>[${hit[2].join(", ")}]</b><br>thread <b>${t}</b>: subgroup ${Math.floor(t / m.subgroup)}, lane ${t % m.subgroup}<br>register <b>${sum(m.register, hit[2])}</b>`;
  grid.querySelector(".mine")?.remove();
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path"); path.setAttribute("class", "mine");
  path.setAttribute("d", all.filter(([, , at]) => sum(m.thread, at) === t).map(([y, x]) => `M${x * w} ${y * h}h${w}v${h}h${-w}z`).join("")); grid.append(path);
};
data.maps.forEach((m, i) => $("which").add(new Option(`${m.badge}: ${m.shape.join("x") || "scalar"}, ${m.registers} a thread`, i)));
$("which").onchange = e => draw(+e.target.value);
$("owners").hidden = !data.maps.length;
