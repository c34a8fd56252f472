// Names for tiles found in photographs: each face is confirmed, turned, corrected or dropped with a tap.

import { W, fillWords, phrase } from "./words.js";

const key = new URLSearchParams(location.hash.slice(1)).get("key") ?? "";
const $ = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";
const LAND = {
  savanna: "#dcc17a", trail: "#b9824a", bush: "#557f3c", grassland: "#b6c95f", forest: "#39663a",
  river: "#4c9bd1", lake: "#3577b8", city: "#a8643c", road: "#d9d2c0", field: "#9cbf57", squares: "#cdb98c",
};
const EDGE = { n: "0,0 100,0 50,50", e: "100,0 100,100 50,50", s: "100,100 0,100 50,50", w: "0,100 0,0 50,50" };
let state = { designs: {}, faces: [] };
let choosing = null;

function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== false && value !== null) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children);
  return node;
}

function shape(tag, attributes, text = "") {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.textContent = text;
  return node;
}

/** A mark on a tile, "deer" or "2 fish", in words of this language. */
const inWords = (says) => says.replace(/[a-z]+$/, (word) => W.animals[word] ?? W.naming.marks[word] ?? word);

/** A design's picture where the pack ships one, else its edges and what is on it. */
function picture(name) {
  const design = state.designs[name];
  if (!design) return make("span");
  if (design.art) return make("img", { src: design.art, alt: "", loading: "lazy" });
  const svg = shape("svg", { viewBox: "0 0 100 100", "aria-hidden": "true" });
  for (const [edge, points] of Object.entries(EDGE)) {
    svg.append(shape("polygon", { points, fill: LAND[design.edges[edge]] ?? "#9a9a9a", stroke: "#0003" }));
  }
  for (const feature of design.features) {
    const [u, v] = feature.spot;
    if (feature.kind === "lake") svg.append(shape("circle", { cx: 100 * u, cy: 100 * v, r: 15, fill: LAND.lake, stroke: "#fff8" }));
    feature.says.forEach((says, row) => svg.append(shape("text", {
      x: Math.min(Math.max(100 * u, 24), 76), y: Math.min(Math.max(100 * v + 4, 12), 92) + 12 * row, "text-anchor": "middle",
      "font-size": 12, "font-weight": 700, fill: "#1c140b", stroke: "#fff", "stroke-width": 2.5, "paint-order": "stroke",
    }, inWords(says))));
  }
  return svg;
}

async function send(path, body) {
  const answer = await fetch(path, {
    method: "POST", headers: { "Content-Type": "application/json", "X-Table-Key": key }, body: JSON.stringify(body ?? {}),
  });
  const value = await answer.json();
  if (!answer.ok) throw new Error(value.error?.message ? phrase(value.error.message) : W.naming.failed);
  return value;
}

async function name(face, design, turn, dropped = false) {
  try {
    state.faces[face.number] = await send(`/api/faces/${face.number}`, { design, turn: ((turn % 4) + 4) % 4, dropped });
  } catch (error) {
    say(error.message);
  }
  show(face.number);
}

function say(text) {
  $("said").textContent = text;
}

function summary() {
  const tiles = state.faces.filter((face) => !face.dropped);
  const sure = tiles.filter((face) => face.sure).length;
  const designs = new Set(tiles.map((face) => face.design).filter(Boolean)).size;
  const all = Object.keys(state.designs).length;
  say(W.naming.summary(state.pack.title.split(":")[0], sure, tiles.length, designs, all));
  $("progress").max = Math.max(tiles.length, 1);
  $("progress").value = sure;
  $("finish").disabled = !tiles.some((face) => face.design);
}

function card(face) {
  const turned = `transform: rotate(${-90 * face.turn}deg)`;
  const guessed = face.design && !face.sure ? make("small", {}, ` ${W.naming.perhaps}`) : "";
  const label = face.dropped ? W.naming.dropped : face.design ?? W.naming.which;
  return make("article", { class: `face${face.sure && !face.dropped ? " sure" : ""}${face.dropped ? " dropped" : ""}`, id: `face-${face.number}` },
    make("div", { class: "pictures" },
      make("figure", {}, make("img", { src: face.picture, alt: W.naming.face(face.number + 1), style: turned })),
      make("figure", {}, picture(face.design))),
    make("div", { class: "name" }, label, guessed),
    make("div", { class: "tools" },
      make("button", { class: "confirm", disabled: !face.design || face.dropped, onclick: () => name(face, face.design, face.turn) }, face.sure && !face.dropped ? `✓ ${W.naming.right}` : W.naming.confirm),
      make("button", { disabled: face.dropped, onclick: () => choose(face) }, face.design ? W.naming.another : W.naming.choose),
      make("button", { disabled: face.dropped, onclick: () => name(face, face.design, face.turn + 1), "aria-label": W.naming.quarter }, `↺ ${W.naming.turn}`),
      make("button", { onclick: () => name(face, face.dropped ? face.guesses[0]?.design ?? null : null, face.turn, !face.dropped) }, face.dropped ? W.naming.aTile : W.naming.noTile)));
}

function show(number) {
  $(`face-${number}`).replaceWith(card(state.faces[number]));
  summary();
}

function choose(face) {
  choosing = face;
  $("chooser-face").src = face.picture;
  $("chooser-face").style.transform = `rotate(${-90 * face.turn}deg)`;
  $("find").value = "";
  list();
  $("chooser").showModal();
}

/** The designs that fit what is typed: the guesses first, then those that no face has yet. */
function list() {
  const wanted = $("find").value.trim().toLowerCase();
  const taken = new Set(state.faces.map((face) => face.design));
  const guesses = choosing.guesses.map((guess) => guess.design);
  const rank = (design) => (guesses.includes(design) ? guesses.indexOf(design) : taken.has(design) ? 1000 : 100);
  const fits = ([design, what]) =>
    [design, ...Object.values(what.edges), ...what.features.flatMap((feature) => [feature.kind, ...feature.says, ...feature.says.map(inWords)])]
      .join(" ").toLowerCase().includes(wanted);
  const shown = Object.entries(state.designs).filter(fits).sort((a, b) => rank(a[0]) - rank(b[0]));
  $("designs").replaceChildren(...shown.map(([design]) =>
    make("button", { class: taken.has(design) ? "taken" : "", onclick: () => take(design) }, picture(design), design)));
}

function take(design) {
  const guess = choosing.guesses.find((one) => one.design === design);
  $("chooser").close();
  name(choosing, design, guess?.turn ?? choosing.turn);
}

fillWords();
document.title = `${W.naming.title} · Tilesight`;
$("find").placeholder = W.naming.findHint;
$("progress").setAttribute("aria-label", W.naming.named);
$("find").addEventListener("input", list);
$("finish").addEventListener("click", async () => {
  try {
    await send("/api/finish");
    say(W.naming.saved);
    $("faces").inert = true;
    $("finish").disabled = true;
  } catch (error) {
    say(error.message);
  }
});

try {
  state = await (await fetch("/api/faces")).json();
  $("faces").replaceChildren(...state.faces.map(card));
  summary();
  if (!key) say(W.naming.noKey);
} catch {
  say(W.naming.silent);
}
