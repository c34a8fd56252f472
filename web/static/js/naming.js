// Page of a box: each face found in photographs is confirmed, rotated, corrected or dropped with a tap, and all
// faces of the edition are shown, known or missing.

import { BoxGrid, stateOf } from "./box_grid.js";
import { byId as $, h } from "./dom.js";
import { isHeif, jpegOf } from "./picture_file.js";
import { schematic } from "./schematic.js";
import { whenUntouched } from "./untouched.js";
import { W, fillWords, kindName, list as listed, phrase, sentenceCase } from "./words.js";

const key = new URLSearchParams(location.hash.slice(1)).get("key") ?? "";
const DRAWN = new Set(["pennants", "fish", "menhir"]); // marks that the schematic picture already shows
let state = { designs: {}, faces: [], changes: 0 };
let choosing = null;
let sent = Promise.resolve(); // the changes so far: each is sent once those before it are answered
let sending = 0;
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
  if (design.art) return h("img", { src: `${design.art}?size=medium`, alt: "", loading: "lazy" });
  if (design.animal) return h("span", { class: "no-art", "aria-hidden": "true" }, W.animals[design.animal] ?? design.animal);
  return schematic(design, (feature) => feature.says.filter((says) => !isDrawn(says)).map(inWords));
}

/** Return a description of a design for screen readers. */
function described(name) {
  const { features, animal } = state.designs[name];
  if (animal) return W.box.animal(W.animals[animal] ?? animal);
  if (!features.length) return W.box.part(Object.keys(state.designs).indexOf(name) + 1);
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

/** Name a face. The page shows it at once; quick taps are sent in their order, each with what it made of the face. */
function name(face, design, turn, dropped = false) {
  turnedHere.delete(face.number);
  Object.assign(face, { design, turn: ((turn % 4) + 4) % 4, dropped, sure: design !== null || dropped, sides: null, too_many: 0 });
  const body = { design: face.design, turn: face.turn, dropped };
  state.changes += 1;
  show(face);
  summary();
  return change(`/api/faces/${face.number}`, body);
}

/** Send a change after those before it, and look at the result once all are sent. */
function change(path, body) {
  sending += 1;
  $("faces").setAttribute("aria-busy", "true");
  sent = sent.then(() => send(path, body)).catch((error) => say(error.message)).then(() => {
    sending -= 1;
    return sending ? null : look(); // a name changes the guesses for other faces
  });
  return sent;
}

/** Reload the faces and redraw those that have changed. The focus stays where it is. */
async function look() {
  const before = state.faces.map((face) => JSON.stringify(face));
  const now = await (await fetch("/api/faces")).json();
  if (sending) return; // older than what the page shows
  state = now;
  for (const face of state.faces) if (!face.sure && turnedHere.has(face.number)) face.turn = turnedHere.get(face.number);
  for (const face of state.faces) if (JSON.stringify(face) !== before[face.number]) show(face);
  summary();
  whenUntouched("busy", () => $("faces").setAttribute("aria-busy", String(sending > 0)));
}

function say(text) {
  $("said").textContent = text;
}

/** Return the edition's title in the page's language. */
const title = () => W.packs[state.pack.id] ?? state.pack.title.split(":")[0];

function summary() {
  const found = state.faces.filter((face) => !face.known);
  const tiles = found.filter((face) => !face.dropped);
  const sure = tiles.filter((face) => face.sure).length;
  const names = Object.keys(state.designs);
  const states = names.map((design) => stateOf(state, design));
  const known = states.filter((now) => now === "known" || now === "doubtful").length;
  const all = states.filter((now) => now !== "optional").length;
  say(W.box.summary(title(), known, all) + (tiles.length ? ` ${W.box.named(sure, tiles.length)}` : ""));
  $("progress").max = all;
  $("progress").value = known;
  $("finish").disabled = !state.faces.some((face) => face.sure && !face.dropped);
  $("undo").disabled = !state.changes;
  $("to-name").hidden = !found.length;
  grid.show(state);
}

/** Return the card of a face found in a photograph. Its buttons act on the face as it then is. */
function card(face) {
  const now = () => state.faces[face.number];
  const guessed = face.design && !face.sure ? h("small", {}, ` ${W.naming.perhaps}`) : "";
  const label = face.dropped ? W.naming.dropped : face.design ? described(face.design) : W.naming.which;
  const right = face.sure && !face.dropped;
  return h("article", { class: `face${right ? " sure" : ""}${face.dropped ? " dropped" : ""}`, id: `face-${face.number}` },
    h("div", { class: "pictures" },
      h("figure", {}, h("img", { src: face.picture, alt: W.naming.face(face.number + 1), style: turned(face.turn) })),
      h("figure", {}, picture(face.design))),
    h("div", { class: "name" }, label, guessed), otherSides(face), guesses(face),
    h("div", { class: "tools" },
      h("button", { class: "confirm", disabled: !face.design || face.dropped, onclick: () => name(now(), now().design, now().turn) }, right ? `✓ ${W.naming.right}` : W.naming.confirm),
      h("button", { disabled: face.dropped, onclick: () => choose(now()) }, face.design ? W.naming.another : W.naming.choose),
      h("button", { disabled: face.dropped, onclick: () => turnOn(now()), "aria-label": W.naming.quarter }, `↺ ${W.naming.turn}`),
      h("button", { onclick: () => name(now(), null, now().turn, !now().dropped) }, face.dropped ? W.naming.aTile : W.naming.noTile)));
}

/** Return the other likely names of an unnamed face, each to be given with one tap. */
function guesses(face) {
  const others = face.sure || face.dropped ? [] : face.guesses.filter((guess) => guess.design !== face.design);
  return others.length ? h("div", { class: "guesses" }, ...others.map(({ design, turn }) =>
    h("button", { "data-design": design, "aria-label": `${nameOf(design)}: ${described(design)}`, onclick: () => name(state.faces[face.number], design, turn) }, picture(design)))) : "";
}

/** Return a note if the land on a named face's sides fits another rotation or another design, with a way to correct it. */
function otherSides(face) {
  if (face.too_many) return h("div", { class: "other-sides", role: "note" }, W.box.tooMany(face.too_many, state.designs[face.design].count));
  if (!face.sides) return "";
  const { turn, designs } = face.sides;
  return h("div", { class: "other-sides", role: "note" }, designs.length ? W.naming.otherDesign : W.naming.otherTurn,
    ...designs.slice(0, 3).map((one) => h("figure", { title: one, role: "img", "aria-label": described(one) }, picture(one))),
    designs.length ? "" : h("button", { onclick: () => name(state.faces[face.number], face.design, turn) }, W.naming.turnSo));
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

/** Redraw a face's card. One of the box is only shown in the grid. */
function show(face) {
  if (face.known) return;
  whenUntouched(face.number, () => {
    const old = $(`face-${face.number}`);
    const fresh = card(state.faces[face.number]);
    if (!old) {
      $("faces").append(fresh);
      return;
    }
    const at = [...old.querySelectorAll("button")].indexOf(document.activeElement);
    old.replaceWith(fresh);
    if (at >= 0) fresh.querySelectorAll("button")[at]?.focus();
  });
}

/** Return a design's name as people read it. */
const nameOf = (design) => (state.designs[design]?.animal ? described(design) : design);

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
    h("button", { class: taken.has(design) ? "taken" : "", "data-design": design, "aria-label": `${design}: ${described(design)}`, onclick: () => pickTurn(design) },
      picture(design), h("span", {}, nameOf(design), state.designs[design].count > 1 ? h("small", {}, ` ×${state.designs[design].count}`) : ""))));
}

/** Ask for the rotation of the photograph, after the design was chosen. */
function pickTurn(design) {
  const guess = choosing.guesses.find((one) => one.design === design)?.turn ?? choosing.turn;
  $("chooser").dataset.step = "turn";
  $("chooser-title").textContent = W.naming.whichTurn;
  $("designs").replaceChildren();
  $("turns").replaceChildren(
    h("figure", { class: "turn-like" }, picture(design), h("figcaption", {}, W.box.top)),
    h("div", { class: "turn-ways" }, ...[0, 1, 2, 3].map((way) => (guess + way) % 4).map((turn, at) =>
      h("button", { "aria-label": W.naming.turnedBy(at + 1), onclick: () => take(design, turn) }, h("img", { src: choosing.picture, alt: "", style: turned(turn) })))),
    h("button", { class: "turn-back", onclick: () => choose(choosing) }, `← ${W.page.back}`));
  $("turns").querySelector(".turn-ways button").focus();
}

function take(design, turn) {
  $("chooser").close();
  name(choosing, design, turn);
}

/** Return the gaps of a box saved now: tiles without a confirmed name, doubtful ones, and designs without a tile. */
function missing() {
  const states = Object.keys(state.designs).map((design) => [design, stateOf(state, design)]);
  const of = (wanted) => states.filter(([, now]) => now === wanted).map(([design]) => design);
  const unnamed = state.faces.filter((face) => !face.known && !face.dropped && !face.sure);
  const sure = new Set(state.faces.filter((face) => face.sure && !face.dropped).map((face) => face.design));
  return { unnamed, doubtful: of("doubtful").filter((design) => sure.has(design)), unseen: Object.keys(state.designs).filter((design) => !sure.has(design) && !state.designs[design].optional), known: sure.size };
}

/** Close the list of what is missing, and go to a tile without a name. */
function goTo(face) {
  $("missing").close();
  if (!face) return;
  const card = $(`face-${face.number}`);
  card.scrollIntoView({ block: "center" });
  card.querySelector(".tools button:enabled").focus({ preventScroll: true });
}

/** Save once all changes are answered. If something is missing, show that first. */
async function finish() {
  await sent; // a name may settle a doubt about another face
  const { unnamed, doubtful, unseen, known } = missing();
  if (!unnamed.length && !unseen.length && !doubtful.length) {
    save();
    return;
  }
  const part = (text, pictures) => (pictures.length ? h("section", {}, h("p", {}, text), h("div", { class: "missing-pictures" }, ...pictures)) : "");
  $("missing-room").replaceChildren(
    part(W.naming.unnamed(unnamed.length), unnamed.map((face) =>
      h("button", { onclick: () => goTo(face) }, h("img", { src: face.picture, alt: W.naming.face(face.number + 1) })))),
    part(W.box.doubtful(doubtful.length), doubtful.map((design) =>
      h("button", { "aria-label": described(design), onclick: () => { $("missing").close(); grid.open(design); } }, picture(design)))),
    part(W.naming.unseen(unseen.length), unseen.map((design) => h("figure", { title: design, role: "img", "aria-label": described(design) }, picture(design)))),
    h("div", { class: "missing-ways" },
      h("button", { class: "main", onclick: () => goTo(unnamed[0]) }, W.naming.goOn),
      known ? h("button", { onclick: () => { $("missing").close(); save(); } }, W.naming.saveSo) : h("p", {}, W.naming.noneYet)));
  $("missing").showModal();
}

async function save() {
  try {
    await sent;
    await send("/api/finish");
    say(W.naming.saved);
    $("faces").inert = $("box").inert = $("add").inert = true;
    $("finish").disabled = $("undo").disabled = true;
  } catch (error) {
    say(error.message);
  }
}

/** Add the tiles on photographs; return the numbers of the new faces. */
async function photograph(files) {
  const numbers = [];
  for (const [at, file] of files.entries()) {
    $("looking").textContent = W.enrol.looking(at + 1, files.length);
    try {
      const picture = await jpegOf(file).catch(() => { throw new Error(isHeif(file) ? W.lobby.refused.no_heif : W.enrol.unreadable(file.name)); });
      await sent;
      const answer = await fetch("/api/photographs", { method: "POST", headers: { "X-Table-Key": key }, body: picture });
      const value = await answer.json();
      if (!answer.ok) throw new Error(value.error?.code === "no_tiles" ? W.enrol.problems.no_tiles : phrase(value.error?.said, value.error?.message ?? W.naming.failed));
      numbers.push(...value.faces);
      await look();
      $("looking").textContent = W.box.added(value.faces.length);
    } catch (error) {
      $("looking").textContent = error.message;
      break;
    }
  }
  return numbers;
}

const grid = new BoxGrid($("box-grid"), $("design"), {
  name, picture, described, otherSides, choose, turned,
  /** Photograph one tile again, in the place of a face. */
  replace: async (face, design, file) => {
    const numbers = await photograph([file]);
    if (numbers.length !== 1) return; // several tiles: people say which is which
    const fresh = state.faces[numbers[0]];
    const guess = fresh.guesses.find((one) => one.design === design);
    await name(fresh, design, guess?.turn ?? fresh.turn);
    if (face) await name(state.faces[face.number], null, 0, true);
  },
});

fillWords();
document.title = `${W.box.title} · Tilesight`;
$("find").placeholder = W.naming.findHint;
$("progress").setAttribute("aria-label", W.naming.named);
$("find").addEventListener("input", list);
$("finish").addEventListener("click", finish);
$("undo").addEventListener("click", () => change("/api/undo"));
$("more").addEventListener("change", async () => {
  const files = [...$("more").files];
  $("more").value = "";
  const [first] = await photograph(files);
  if (first !== undefined) goTo(state.faces[first]);
});

try {
  state = await (await fetch("/api/faces")).json();
  $("faces").replaceChildren(...state.faces.filter((face) => !face.known).map(card));
  summary();
  if (!key) say(W.naming.noKey);
} catch {
  say(W.naming.silent);
}
