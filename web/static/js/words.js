// What the dashboard says: `W` is the catalogue of this phone's language, and sentences are put together here.

import { catalogue } from "./catalogue.js";
import { shownCorner, spin } from "./turned.js";

export const LANGUAGES = { en: "English", de: "Deutsch", fr: "Français" };
const STORE = "tilesight-language";

const wanted = [new URLSearchParams(location.search).get("lang"), localStorage.getItem(STORE), ...navigator.languages.map((tag) => tag.slice(0, 2))];
const chosen = wanted.find((code) => code in LANGUAGES) ?? "en";

const words = await catalogue(chosen);

// Where something is, is said as the board is shown.
const fix = {
  ...words.fix,
  at: (x, y) => words.fix.at(...spin([x, y])),
  cornerOf: (corner, [x, y]) => words.fix.corner(words.fix.corners[shownCorner(corner)], words.fix.at(...spin([x, y]))),
};

export const W = { ...words, fix, phrases: words.phrases.map(([pattern, into]) => [new RegExp(pattern, "g"), into]) };

/** Use another language from now on; the page begins anew in it. */
export function speakLanguage(code) {
  localStorage.setItem(STORE, code);
  location.reload();
}

/** Fill in the page's own texts: data-w names a text, data-w-label one for those who listen. */
export function fillWords(root = document) {
  document.documentElement.lang = W.code;
  const text = (path) => path.split(".").reduce((part, key) => part[key], W);
  for (const element of root.querySelectorAll("[data-w]")) element.textContent = text(element.dataset.w);
  for (const element of root.querySelectorAll("[data-w-label]")) element.setAttribute("aria-label", text(element.dataset.wLabel));
}

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

export const list = (words) =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} ${W.and} ${words.at(-1)}`;

export const kindName = (kind) => W.kinds[kind] ?? capital(kind.replaceAll("_", " "));
export const animalName = (animal) => W.animals[animal] ?? animal;
export const sentenceCase = (text) => (text ? capital(text) : "");
/** What a player is called who has said no name: as their colour. */
export const colorName = (color) => sentenceCase(W.colors[color] ?? color);
/** A player's name with another colour: one that only says the colour says the new one. */
export const renamed = (name, was, color) => (name === colorName(was) ? colorName(color) : name);

const CELL = /\[(-?\d+), (-?\d+)\]/g;
let designs = {};

/** Tell `phrase` the faces of the table's pack, by their names in the program. */
export function knowFaces(pack) {
  designs = pack.designs;
}

/** What the table said in English, in this language as far as its catalogue knows the phrases; tiles and places in words. */
export const phrase = (text) =>
  W.phrases.reduce((said, [pattern, into]) => said.replace(pattern, into), text)
    .replace(CELL, (_, x, y) => W.fix.at(Number(x), Number(y)))
    .replace(/[^\s,;:.()]+/g, (word) => (Object.hasOwn(designs, word) ? tileName(designs[word]) : word));

/** The same, or nothing where this language has no words for it: title and picture say enough, English would not. */
export function told(text) {
  const said = phrase(text);
  return W.code === "en" || said !== text ? sentenceCase(said) : "";
}

/** The face of a tile on the board or of a turn; a foreign tile has no name but its description. */
export const designOf = (pack, one) => pack.designs?.[one?.tile ?? one?.face];

/** What is printed on a face: its animals, else its landscape. */
export function faceThings(design) {
  const animals = [...new Set(design.features.flatMap((feature) => feature.animals))].map(animalName);
  if (animals.length) return animals;
  const kinds = design.features.map((feature) => feature.kind);
  const plain = kinds.includes("baobab") ? "baobab" : kinds[0];
  return [plain ? W.faces.kind(kindName(plain)) : W.faces.plain];
}

/** A face by what is printed on it: "a giraffe and zebra tile". */
export const tileName = (design) => {
  if (!design) return W.faces.none;
  return design.foreign ? W.faces.foreign : W.faces.tile(faceThings(design));
};

/** The piece of a turn: "put a meeple on the trail"; null without one. */
export function actionDeed(action, design) {
  if (!action) return null;
  const kind = design?.features.find((one) => one.id === action.feature)?.kind;
  const onto = W.onto[kind] ?? W.onto.other;
  const said = {
    meeple: () => (kind === "baobab" ? W.deed.baobab : W.deed.meeple(onto)),
    hut: () => W.deed.hut(onto),
    ranger: () => W.deed.ranger,
    dig: () => W.deed.dig(animalName(action.animal)),
    expand: () => W.deed.expand(animalName(action.animal)),
  }[action.type];
  return said ? said() : W.deed.other;
}

/** What came on top: a ranger that had to drive on, animal tiles added. */
export function extraDeeds(turn) {
  const added = (turn.bonus ?? []).map((bonus) => W.deed.added(animalName(bonus.animal)));
  return [turn.ranger_to ? W.deed.droveOn : "", turn.shaman ? W.deed.shaman : "", ...added].join("");
}

/** What a player did in a turn, without the name: "laid a zebra tile and put a meeple on the trail". */
export function deed(turn, design) {
  const laid = W.deed.laid(tileName(design));
  const action = actionDeed(turn.action, design);
  return `${laid}${action ? ` ${W.and} ${action}` : ""}${extraDeeds(turn)}`;
}

const NO_PICTURE = /\bno pictures?\b|^waiting for the phone/; // what the table says of a camera that gives none

/** Whether a camera gives no picture at all, where it is lost: the board may well lie before it. */
export const isBlind = (camera) => camera.seeing === "lost" && (camera.blind ?? NO_PICTURE.test(camera.message));

/** What the camera sees, short. */
export function seeing(camera) {
  const said = camera.seeing === "watching" && camera.message ? phrase(camera.message) : isBlind(camera) ? W.seeing.blind : W.seeing[camera.seeing];
  if (camera.frame === null || !camera.frames || camera.seeing !== "watching") return said;
  return `${said} · ${camera.frame + 1}/${camera.frames}`;
}

/** What a whole board looks like, for those who do not see it. */
export function boardLabel(state) {
  return W.counts.board(state.board.length, state.standing.filter((piece) => piece.kind === "meeple").length);
}

export const namesOf = (state) => Object.fromEntries(state.players.map((player) => [player.color, player.name]));
