// Naming page: each face found in photographs is confirmed, rotated, corrected or dropped with a tap.

import { byId as $, h } from "./dom.js";
import { schematic } from "./schematic.js";
import { W, fillWords, kindName, list as listed, phrase, sentenceCase } from "./words.js";

const key = new URLSearchParams(location.hash.slice(1)).get("key") ?? "";
const DRAWN = new Set(["pennants", "fish", "menhir"]); // marks that the schematic picture already shows
let state = { designs: {}, faces: [] };
let choosing = null;
const turnedHere = new Map(); // quarter turns of unnamed pictures that were rotated on this page

/** Return a mark of a tile, such as "deer" or "2 fish", in the page's language. */
const inWords = (says) => {
  const [, number, word] = /^(?:(\d+) )?(.*)$/.exec(says);
  return W.naming.marks[word]?.(Number(number ?? 1)) ?? [number, W.animals[word] ?? word].filter(Boolean).join(" ");
};

const isDrawn = (says) => DRAWN.has(says.replace(/^\d+ /, ""));

/** Return a design's picture from the pack, or a schematic drawing if it has none. */
function picture(name) {
  const design = state.designs[name];
  if (!design) return h("span");
  if (design.art) return h("img", { src: design.art, alt: "", loading: "lazy" });
  return schematic(design, (feature) => feature.says.filter((says) => !isDrawn(says)).map(inWords));
}

/** Return a description of a design for screen readers. */
function described(name) {
  const { features } = state.designs[name];
  return sentenceCase(listed([...new Set(features.flatMap((feature) => [W.faces.kind(kindName(feature.kind)), ...feature.says.map(inWords)]))]));
}

const turned = (turn) => `transform: rotate(${-90 * turn}deg)`;

async function send(path, body) {
  const answer = await fetch(path, {
    method: "POST", headers: { "Content-Type": "application/json", "X-Table-Key": key }, body: JSON.stringify(body ?? {}),
  });
  const value = await answer.json();
  if (!answer.ok) throw new Error(value.error ? phrase(value.error.said, value.error.message) : W.naming.failed);
  return value;
}

async function name(face, design, turn, dropped = false) {
  try {
    turnedHere.delete(face.number);
    await send(`/api/faces/${face.number}`, { design, turn: ((turn % 4) + 4) % 4, dropped });
    await look(); // a name changes the guesses for other faces
  } catch (error) {
    say(error.message);
  }
}

/** Reload the faces and redraw those that have changed. The focus stays where it is. */
async function look() {
  const before = state.faces.map((face) => JSON.stringify(face));
  state = await (await fetch("/api/faces")).json();
  for (const face of state.faces) if (!face.sure && turnedHere.has(face.number)) face.turn = turnedHere.get(face.number);
  for (const face of state.faces) if (JSON.stringify(face) !== before[face.number]) show(face);
  summary();
}

function say(text) {
  $("said").textContent = text;
}

/** Return the edition's title in the page's language. */
const title = () => W.packs[state.pack.id] ?? state.pack.title.split(":")[0];

function summary() {
  const tiles = state.faces.filter((face) => !face.dropped);
  const sure = tiles.filter((face) => face.sure).length;
  const designs = new Set(tiles.map((face) => face.design).filter(Boolean)).size;
  const all = Object.keys(state.designs).length;
  say(W.naming.summary(title(), sure, tiles.length, designs, all));
  $("progress").max = Math.max(tiles.length, 1);
  $("progress").value = sure;
  $("finish").disabled = !tiles.length;
}

function card(face) {
  const guessed = face.design && !face.sure ? h("small", {}, ` ${W.naming.perhaps}`) : "";
  const label = face.dropped ? W.naming.dropped : face.design ? described(face.design) : W.naming.which;
  const right = face.sure && !face.dropped;
  return h("article", { class: `face${right ? " sure" : ""}${face.dropped ? " dropped" : ""}`, id: `face-${face.number}` },
    h("div", { class: "pictures" },
      h("figure", {}, h("img", { src: face.picture, alt: W.naming.face(face.number + 1), style: turned(face.turn) })),
      h("figure", {}, picture(face.design))),
    h("div", { class: "name" }, label, guessed), otherSides(face),
    h("div", { class: "tools" },
      h("button", { class: "confirm", disabled: !face.design || face.dropped, onclick: () => name(face, face.design, face.turn) }, right ? `✓ ${W.naming.right}` : W.naming.confirm),
      h("button", { disabled: face.dropped, onclick: () => choose(face) }, face.design ? W.naming.another : W.naming.choose),
      h("button", { disabled: face.dropped, onclick: () => turnOn(face), "aria-label": W.naming.quarter }, `↺ ${W.naming.turn}`),
      h("button", { onclick: () => name(face, face.dropped ? face.guesses[0]?.design ?? null : null, face.turn, !face.dropped) }, face.dropped ? W.naming.aTile : W.naming.noTile)));
}

/** Return a note if the land on a named face's sides fits another rotation or another design, with a way to correct it. */
function otherSides(face) {
  if (!face.sides) return "";
  const { turn, designs } = face.sides;
  return h("div", { class: "other-sides", role: "note" }, designs.length ? W.naming.otherDesign(designs.slice(0, 3)) : W.naming.otherTurn,
    designs.length ? "" : h("button", { onclick: () => name(face, face.design, turn) }, W.naming.turnSo));
}

/**
 * Rotate a picture by a quarter turn. This does not name an unnamed face, but corrects the rotation of a named one.
 */
function turnOn(face) {
  if (face.sure) {
    name(face, face.design, face.turn + 1);
    return;
  }
  face.turn = (face.turn + 1) % 4;
  turnedHere.set(face.number, face.turn);
  show(face);
}

function show(face) {
  const old = $(`face-${face.number}`);
  const at = [...old.querySelectorAll("button")].indexOf(document.activeElement);
  old.replaceWith(card(face));
  if (at >= 0) $(`face-${face.number}`).querySelectorAll("button")[at].focus();
}

function choose(face) {
  choosing = face;
  $("chooser-face").src = face.picture;
  $("chooser-face").style.transform = `rotate(${-90 * face.turn}deg)`;
  $("find").value = "";
  $("chooser").dataset.step = "which";
  $("chooser-title").textContent = W.naming.which;
  list();
  $("chooser").showModal();
}

/** List the designs that match the typed text: guesses first, then those without a face. */
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
    h("button", { class: taken.has(design) ? "taken" : "", "aria-label": `${design}: ${described(design)}`, onclick: () => pickTurn(design) },
      picture(design), h("span", {}, design, state.designs[design].count > 1 ? h("small", {}, ` ×${state.designs[design].count}`) : ""))));
}

/** Ask for the rotation of the photograph, after the design was chosen. */
function pickTurn(design) {
  const guess = choosing.guesses.find((one) => one.design === design)?.turn ?? choosing.turn;
  $("chooser").dataset.step = "turn";
  $("chooser-title").textContent = W.naming.whichTurn;
  $("designs").replaceChildren();
  $("turns").replaceChildren(
    h("figure", { class: "turn-like" }, picture(design)),
    h("div", { class: "turn-ways" }, ...[0, 1, 2, 3].map((way) => (guess + way) % 4).map((turn, at) =>
      h("button", { "aria-label": W.naming.turnedBy(at + 1), onclick: () => take(design, turn) }, h("img", { src: choosing.picture, alt: "", style: turned(turn) })))),
    h("button", { class: "turn-back", onclick: () => choose(choosing) }, `← ${W.page.back}`));
  $("turns").querySelector(".turn-ways button").focus();
}

function take(design, turn) {
  $("chooser").close();
  name(choosing, design, turn);
}

/** Return the gaps of a gallery saved now: tiles without a confirmed name, and designs without a tile. */
function missing() {
  const tiles = state.faces.filter((face) => !face.dropped);
  const known = new Set(tiles.filter((face) => face.sure).map((face) => face.design));
  return { unnamed: tiles.filter((face) => !face.sure), unseen: Object.keys(state.designs).filter((design) => !known.has(design)), known: known.size };
}

/** Close the list of what is missing, and go to a tile without a name. */
function goTo(face) {
  $("missing").close();
  if (!face) return;
  const card = $(`face-${face.number}`);
  card.scrollIntoView({ block: "center" });
  card.querySelector(".tools button:enabled").focus({ preventScroll: true });
}

/** Save. If something is missing, show that first. */
function finish() {
  const { unnamed, unseen, known } = missing();
  if (!unnamed.length && !unseen.length) {
    save();
    return;
  }
  const part = (text, pictures) => (pictures.length ? h("section", {}, h("p", {}, text), h("div", { class: "missing-pictures" }, ...pictures)) : "");
  $("missing-room").replaceChildren(
    part(W.naming.unnamed(unnamed.length), unnamed.map((face) =>
      h("button", { onclick: () => goTo(face) }, h("img", { src: face.picture, alt: W.naming.face(face.number + 1) })))),
    part(W.naming.unseen(unseen.length), unseen.map((design) => h("figure", { title: design, role: "img", "aria-label": described(design) }, picture(design)))),
    h("div", { class: "missing-ways" },
      h("button", { class: "main", onclick: () => goTo(unnamed[0]) }, W.naming.goOn),
      known ? h("button", { onclick: () => { $("missing").close(); save(); } }, W.naming.saveSo) : h("p", {}, W.naming.noneYet)));
  $("missing").showModal();
}

async function save() {
  try {
    await send("/api/finish");
    say(W.naming.saved);
    $("faces").inert = true;
    $("finish").disabled = true;
  } catch (error) {
    say(error.message);
  }
}

fillWords();
document.title = `${W.naming.title} · Tilesight`;
$("find").placeholder = W.naming.findHint;
$("progress").setAttribute("aria-label", W.naming.named);
$("find").addEventListener("input", list);
$("finish").addEventListener("click", finish);

try {
  state = await (await fetch("/api/faces")).json();
  $("faces").replaceChildren(...state.faces.map(card));
  summary();
  if (!key) say(W.naming.noKey);
} catch {
  say(W.naming.silent);
}
