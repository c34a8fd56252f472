// Texts of the pages: `W` is the catalogue of this phone's language. Sentences are put together here.

import { catalogue } from "./catalogue.js";
import { keep, recall } from "./store.js";
import { shownCorner, spin } from "./turned.js";

export const LANGUAGES = { en: "English", de: "Deutsch", fr: "Français" };
const STORE = "tilesight-language";

const wanted = [new URLSearchParams(location.search).get("lang"), recall(STORE), ...navigator.languages.map((tag) => tag.slice(0, 2))];
const chosen = wanted.find((code) => code in LANGUAGES) ?? "en";

const words = await catalogue(chosen);

// Directions are those of the displayed board.
const fix = {
  ...words.fix,
  at: (x, y) => words.fix.at(...spin([x, y])),
  cornerOf: (corner, [x, y]) => words.fix.corner(words.fix.corners[shownCorner(corner)], words.fix.at(...spin([x, y]))),
};

export const W = { ...words, fix };

/** Change the language and reload the page. Its address names the language if it did before, or if nothing is stored. */
export function speakLanguage(code) {
  const asked = new URLSearchParams(location.search);
  if (keep(STORE, code) && !asked.has("lang")) {
    location.reload();
    return;
  }
  asked.set("lang", code);
  location.search = asked;
}

/** Fill in the page's own texts: data-w names an element's text, data-w-label its accessible name. */
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
/** Return the name of a player without one: their colour. */
export const colorName = (color) => sentenceCase(W.colors[color] ?? color);
/** Return what a player is called. Without a name, the table has the colour as their name. */
export const called = ({ color, name }) => (!name || name === color ? colorName(color) : name);
/** Return a table's state, or another value with players, in which each is called by a name or by the colour in words. */
export function withNames(value) {
  const players = value.players.map((player) => ({ ...player, name: called(player) }));
  const ofNames = value.title && value.title === value.players.map(({ name }) => name).join(", ");
  return { ...value, players, ...(ofNames && { title: players.map(({ name }) => name).join(", ") }) };
}
/** Return the name that the table is to have: the colour itself for a player who is called by it, or not at all. */
export const givenName = (name, color) => (name.trim() && name.trim() !== colorName(color) ? name.trim() : color);
/** Return a player's name after a change of colour. A name that is only the old colour becomes the new one. */
export const renamed = (name, was, color) => (name === colorName(was) ? colorName(color) : name);

let designs = {};

/** Set the pack whose faces `phrase` names. */
export function setFaces(pack) {
  designs = pack.designs;
}

/** Return a noun as it is written within a sentence. */
const noun = (word) => (W.code === "de" ? capital(word) : word.charAt(0).toLowerCase() + word.slice(1));

/** Return the words for a face, given its id in the pack. */
export const faceName = (name) => (Object.hasOwn(designs, name) ? tileName(designs[name]) : name);

/** Return the words for a face: with what is on it if another face has the same name. */
export function faceWords(name) {
  if (!Object.hasOwn(designs, name)) return name;
  const said = tileName(designs[name]);
  const alike = Object.keys(designs).some((other) => other !== name && tileName(designs[other]) === said);
  return alike ? W.faces.with(list(faceDetail(designs[name]))) : said;
}

const LAND = ["field", "grassland"]; // the ground between the other features

/** Return the features of a face without the ground between them, or all if there is nothing else. */
export function mainFeatures(design) {
  const main = design.features.filter((feature) => !LAND.includes(feature.kind));
  return main.length ? main : design.features;
}

/** Return what is on a face, kind by kind: "city on 2 sides", "1 pennant". */
function faceDetail(design) {
  const kinds = new Map();
  for (const feature of mainFeatures(design)) {
    const edges = Object.entries(design.sides ?? {}).filter(([, names]) => names.includes(feature.id)).map(([edge]) => edge);
    kinds.set(feature.kind, new Set([...(kinds.get(feature.kind) ?? []), ...edges]));
  }
  const animals = [...new Set(mainFeatures(design).flatMap((feature) => feature.animals))].map(animalName);
  const marks = [...animals, ...mainFeatures(design).flatMap(marksOf)];
  return [...[...kinds].map(([kind, sides]) => W.faces.on(W.faces.kind(kindName(kind)), sides.size)), ...marks];
}

/** Return what is printed on a feature besides its animals: "1 pennant". */
export const marksOf = ({ marks = {}, birds }) => [
  ...(birds ? [W.faces.birds(birds)] : []),
  ...Object.entries(marks).flatMap(([mark, number]) => (W.faces.marks[mark] ? [W.faces.marks[mark](number)] : [])),
];

/** Return the word for a key, or the key itself. Messages of a club's tables are untrusted and may have any key. */
const wordFor = (words, key) => (Object.hasOwn(words, key) ? words[key] : `${key}`);

/** Words for the arguments of messages, by the first part of an argument's name; others are shown unchanged. */
const ARGUMENTS = {
  animal: (name) => noun(wordFor(W.animals, name)),
  kind: (name) => noun(wordFor(W.kinds, name)),
  pack: (name) => wordFor(W.packs, name),
  piece: (name) => noun(wordFor(W.pieces, name)),
  player: (color, names) => (Object.hasOwn(names, color) ? names[color] : noun(wordFor(W.colors, color))),
  tile: faceName,
  face: faceWords,
};

/** Return an argument of a message in words; `value` is itself a message, a word, a number, a cell or a list. */
function argument(name, value, names) {
  const [sort] = name.split("_");
  if (value?.template !== undefined) return filled(value, names);
  if (sort === "cell" && Array.isArray(value)) return W.fix.at(...value);
  if (Array.isArray(value)) return value.map((one) => argument(name, one, names)).join(name === "faults" ? "; " : ", ");
  return Object.hasOwn(ARGUMENTS, sort) ? ARGUMENTS[sort](value, names) : `${value}`;
}

/** Fill in a template in this language. A template with a `number` may have two forms, singular and plural. */
function filled({ template, args }, names) {
  const known = wordFor(W.sentences, template);
  const few = W.code === "fr" ? args.number < 2 : args.number === 1;
  const form = Array.isArray(known) ? known[few ? 0 : 1] : known;
  return form.replace(/\{(\w+)\}/g, (_, name) => argument(name, args[name], names));
}

/**
 * Return a message in this language. `said` has its template and arguments; without it (from an older program) the
 * English `text` is returned. Players are called by `names`, otherwise by their colours.
 */
export const phrase = (said, text, names = {}) => (said ? filled(said, names) : text);

/** Return that message with a capital first letter; "" if this language has no translation, as English would not help. */
export const told = (said, text) =>
  W.code === "en" || (said && said.template !== "{text}" && Object.hasOwn(W.sentences, said.template)) ? sentenceCase(phrase(said, text)) : "";

/** Return the face of a tile on the board or of a turn. The name of a foreign tile is its description. */
export const designOf = (pack, one) => pack.designs?.[one?.tile ?? one?.face];

/** Return what is printed on a face: its animals, otherwise its landscape. */
export function faceThings(design) {
  const animals = [...new Set(design.features.flatMap((feature) => feature.animals))].map(animalName);
  if (animals.length) return animals;
  const kinds = design.features.map((feature) => feature.kind);
  const plain = kinds.includes("baobab") ? "baobab" : kinds[0];
  return [plain ? W.faces.kind(kindName(plain)) : W.faces.plain];
}

/** Return a face in words: "a giraffe and zebra tile". */
export const tileName = (design) => {
  if (!design) return W.faces.none;
  return design.foreign ? W.faces.foreign : W.faces.tile(faceThings(design));
};

/** Return the piece of a turn in words: "put a meeple on the trail"; null without a piece. */
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

/** Return further parts of a turn in words: a ranger that had to drive on, animal tiles added. */
export function extraDeeds(turn) {
  const added = (turn.bonus ?? []).map((bonus) => W.deed.added(animalName(bonus.animal)));
  return [turn.ranger_to ? W.deed.droveOn : "", turn.shaman ? W.deed.shaman : "", ...added].join("");
}

/** Return what a player did in a turn, without the name: "laid a zebra tile and put a meeple on the trail". */
export function deed(turn, design) {
  const laid = W.deed.laid(tileName(design));
  const action = actionDeed(turn.action, design);
  return `${laid}${action ? ` ${W.and} ${action}` : ""}${extraDeeds(turn)}`;
}

/** Return what a player did in a turn of a tile game, with the faces of a pack. */
export const tileDeed = (turn, pack) => deed(turn, designOf(pack, turn));

/** Templates of the table's messages about a camera that gives no picture. */
const NO_PICTURE = [
  "no picture comes from the camera",
  "camera {camera} gives no picture; trying again",
  "the stream gives no picture; trying again",
  "the phone sends no pictures any more: look whether its camera page is still open",
  "waiting for the phone: open its camera page",
];

/** Whether the camera is lost because it gives no picture, and not because its picture shows no board. */
export const isBlind = (camera) => camera.seeing === "lost" && (camera.blind ?? NO_PICTURE.includes(camera.said?.template));

/** Return the camera's status in a few words. */
export function seeing(camera) {
  const said = camera.seeing === "watching" && camera.message ? phrase(camera.said, camera.message) : isBlind(camera) ? W.seeing.blind : W.seeing[camera.seeing];
  if (camera.frame === null || !camera.frames || camera.seeing !== "watching") return said;
  return `${said} · ${camera.frame + 1}/${camera.frames}`;
}

/** Return a description of the board for screen readers. */
export function boardLabel(state) {
  return W.counts.board(state.board.length, state.standing.filter((piece) => piece.kind === "meeple").length);
}

export const namesOf = (state) => Object.fromEntries(state.players.map((player) => [player.color, player.name]));
