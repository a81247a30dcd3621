"use strict";
// The texts, the drawings and the data of the page are packed: they say much twice. What is below begins when they are
// there.
const packed = Uint8Array.from(atob(document.getElementById("packed").textContent), c => c.charCodeAt(0));
const ready = new Response(new Response(packed).body.pipeThrough(new DecompressionStream("deflate"))).text().then(html => {
  const [panes, rest] = html.split("<!-- rest -->");
  document.querySelector("main").innerHTML = panes; document.getElementById("rest").innerHTML = rest;
  start();
});
