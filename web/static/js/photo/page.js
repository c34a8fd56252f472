// Page that scores a photograph: it is taken or chosen, recognised, corrected with taps, shared, kept, or continued.

import { byId, h } from "../dom.js";
import { ask, asked, key } from "../lobby_ask.js";
import { jpegOf } from "../picture_file.js";
import { spotUnder, spotWords } from "../spots.js";
import { W, fillWords, kindName, phrase, sentenceCase, setFaces } from "../words.js";
import { Panel, colorsOf } from "./panel.js";
import { askPlayers } from "./players_form.js";
import { Corrections } from "./sheets.js";
import { Stage } from "./stage.js";

const NAMES = "tilesight-photo-people";
const LARGEST_BYTES = 15e6;
const MOST_PICTURES = 4; // of one board
const SENT_AS_IT_IS = ["image/jpeg", "image/png", "image/webp"];
let lobby = { editions: [], cameras: [], names: {} };
let document_ = null;
let pack = null;
let blobs = []; // the photographs as they were uploaded
let pictures = []; // their object URLs
let players = {};
let keptAs = ""; // what was kept last as a game (`keptNow`)

function say(text) {
  byId("said").textContent = text;
  byId("said").hidden = !text;
  if (text) byId("said").scrollIntoView({ block: "nearest" });
}

function show(part) {
  for (const id of ["take", "reading", "result"]) byId(id).hidden = id !== part;
}

const at = (path = "") => `/api/photo/${encodeURIComponent(document_.id)}${path}`;
const titleOf = (id) => W.packs[id] ?? lobby.editions.find((one) => one.pack === id)?.title ?? id;

const stage = new Stage(byId("stage"), byId("tabs"), {
  onTile: (index) => known() && openTile(index),
  onPiece: (index) => known() && openPiece(index),
  onFree: (cell) => known() && corrections.free(cell),
  says: byId("lit"),
});
const corrections = new Corrections({
  get document() { return document_; },
  get pack() { return pack; },
  ask: (path, body) => ask(at(path), body),
  say: correct,
  crop: (index) => stage.crop(stage.corners(index)),
});
const panel = new Panel(byId("panel"), {
  say: correct,
  light: (what, words) => stage.light(what, words),
  open: (cell, doubt) => open(cell, doubt),
  words: (doubt) => corrections.words(doubt),
  picture: (doubt) => corrections.picture(doubt),
  fault: (fault) => openCells(fault.cells ?? [fault.cell], sentenceCase(phrase(fault.said, fault.message))),
  unknown: (cells, words) => openCells(cells, words),
  share: (form) => share(form).catch((error) => say(error.message)),
  keep: () => keep(false),
  goOn: () => keep(true),
  more: () => byId("files").click(),
  again: () => again(),
  undo: () => correct({ undo: true }),
  renamed: () => {
    remember();
    panel.showKept(keptAs === keptNow());
  },
  games: () => `/#key=${key}&games=yes`,
});

/** Whether the faces of this board are known, so that it can be corrected. */
const known = () => pack !== null;

/** Open the sheet of the tile or piece that a doubt is about. */
function open(cell, doubt) {
  const number = doubt?.say.piece?.number;
  stage.light({ cells: [cell] });
  if (doubt?.what === "piece" && number !== null && number !== undefined) return corrections.piece(number);
  const index = document_.tiles.findIndex((tile) => String(tile.cell) === String(cell));
  return index >= 0 ? corrections.tile(index) : null;
}

/** Open the sheet of a tile in these cells, or the list of them if there are several. */
function openCells(cells, words) {
  const indices = document_.tiles.flatMap((tile, i) => (cells.some((cell) => String(cell) === String(tile.cell)) ? [i] : []));
  stage.light({ cells }, words);
  return indices.length === 1 ? corrections.tile(indices[0]) : corrections.tiles(indices, words);
}

function openTile(index) {
  stage.light({});
  return corrections.tile(index);
}

/** Open the sheet of a piece, with the feature on which it counts highlighted. */
function openPiece(index) {
  const spot = spotUnder(document_.spots ?? [], document_.pieces[index]);
  const words = spot ? `${kindName(spot.kind)}. ${spotWords(spot, panel.names)}` : "";
  stage.light(spot ?? {}, words);
  return corrections.piece(index, words);
}

let corrected = Promise.resolve();

/** Send a correction once those before it are answered, so that quick taps arrive in their order. */
function correct(body) {
  const path = at("/say"); // another photograph may be shown when its turn comes
  corrected = corrected.then(async () => {
    try {
      await take(await (await ask(path, body)).json());
      say("");
    } catch (error) {
      say(error.message);
    }
  });
  return corrected;
}

/** Show a document. Its faces and photographs are fetched once. */
async function take(document) {
  const fresh = document_?.id !== document.id;
  document_ = document;
  show("result");
  if (fresh) pictures = blobs = [];
  while (pictures.length < document.pictures.length) {
    const blob = await (await ask(at(`/${pictures.length}.jpg`))).blob();
    blobs = [...blobs, blob];
    pictures = [...pictures, URL.createObjectURL(blob)];
  }
  stage.images = await Promise.all(pictures.map(decoded));
  const recognised = document.pack !== null && document.pack_recognised !== false;
  if (fresh) pack = recognised && document.presets.length ? await (await ask(at("/pack"))).json() : null;
  if (pack) setFaces(pack);
  if (pack) stage.show(document, pictures, pack);
  else stage.show({ ...document, tiles: document.tiles.map((tile) => ({ ...tile, tile: null })), pieces: [], pictures: document.pictures.map((one) => ({ ...one, pieces: [] })), faults: [], hangs_on: [] }, pictures);
  if (pack && (document.tiles.length || document.said)) showPanel();
  else unknownEdition(document);
  const hash = new URLSearchParams(location.hash.slice(1));
  hash.set("photo", document.id);
  history.replaceState(history.state, "", `#${hash}`);
}

/** Show the panel; it says whether the board is kept as it is shown. */
function showPanel() {
  panel.show(document_, players, titleOf(document_.pack), { kept: keptAs === keptNow(), people: lobby.people });
}

/** Return what a game is that would be kept now: the board, its corrections and its players. */
const keptNow = () => JSON.stringify([document_.id, document_.said, document_.rules, told()]);

async function decoded(address) {
  const image = new Image();
  image.src = address;
  await image.decode();
  return image;
}

/** Show why there is no board, or that its edition is not known, which it may be, and how to make it known. */
function unknownEdition(document) {
  const other = document.other_edition;
  const squares = !document.trouble && document.presets.length === 0 && document.pack && document.pack_recognised !== false;
  const text = document.trouble ? sentenceCase(phrase(document.trouble.said, document.trouble.message)) : !document.tiles.length && !squares && !other ? W.photo.noBoard : squares ? W.photo.noScore(titleOf(document.pack)) : other ? W.photo.looksLike(titleOf(other)) : W.photo.notKnown(document.tiles.length);
  byId("panel").replaceChildren(
    h("h2", {}, squares ? titleOf(document.pack) : document.tiles.length || other ? W.photo.whichEdition : W.photo.nothingSeen), h("p", {}, text),
    h("div", { class: "photo-row" },
      other ? h("button", { type: "button", class: "plain main", onclick: () => readAgain(other) }, W.photo.readAs(titleOf(other))) : "",
      document.tiles.length && !other ? h("a", { class: "plain button main", href: `/#key=${key}&enrol=yes` }, W.photo.enrol) : "",
      h("button", { type: "button", class: "plain", onclick: () => again() }, W.photo.another)));
}

/** Upload photographs. The first one starts a board, further ones are added to it. */
async function read(files, edition = byId("edition").value) {
  const photographs = [...files].filter((file) => file.type.startsWith("image/") || /\.(jpe?g|png|webp|hei[cf])$/i.test(file.name ?? ""));
  if (!photographs.length) return say(files.length ? W.photo.noPhotograph : "");
  say("");
  const before = document_;
  const room = MOST_PICTURES - (document_?.pictures.length ?? 0);
  const left = photographs.splice(room).length;
  if (left && !photographs.length) return say(W.photo.enough(MOST_PICTURES));
  const wrong = [];
  for (const [number, file] of photographs.entries()) {
    byId("waiting").src = URL.createObjectURL(file);
    show("reading");
    try {
      const picture = SENT_AS_IT_IS.includes(file.type) && file.size < LARGEST_BYTES ? file : await jpegOf(file, ask).catch((error) => { throw new Error(error.code === "no_heif" ? error.message : W.photo.noPhotograph); });
      const query = new URLSearchParams({ ...(document_ && { photo: document_.id }), ...(edition && !document_ && { pack: edition }) });
      await take(await (await ask(`/api/photo?${query}`, picture)).json());
    } catch (error) {
      wrong.push(photographs.length > 1 ? `${number + 1}: ${sentenceCase(error.message)}` : sentenceCase(error.message));
      if (document_) await take(document_);
      else show("take");
    }
  }
  if (wrong.length || left) say([...wrong, left ? W.photo.leftOut(MOST_PICTURES, left) : ""].filter(Boolean).join(" "));
  if (!before && document_) stage.fit();
  byId("files").value = byId("camera").value = "";
}

/** Recognise the same photographs with another edition. */
async function readAgain(edition) {
  const files = blobs;
  await forget();
  await read(files, edition);
}

async function forget() {
  const before = document_;
  if (!before) return;
  await ask(at("/forget"), {}).catch(() => {});
  document_ = pack = null;
  pictures.forEach((address) => URL.revokeObjectURL(address));
  pictures = blobs = [];
}

async function again() {
  await forget();
  history.replaceState(history.state, "", `#key=${key}`);
  say("");
  show("take");
}

/** Return a player's name for the request, if there is one. */
const named = (player) => (player?.name.trim() ? { name: player.name.trim() } : {});

const told = () => colorsOf(document_, []).map((color) => ({ color, ...named(players[color]), before: players[color]?.before || 0 }));

/** Share the score through the phone's share sheet if it has one, otherwise as a download. */
async function share(form) {
  const blob = await (await ask(at("/share"), { form, lang: W.code, players: told() })).blob();
  const name = `tilesight.${{ picture: "jpg", pdf: "pdf", html: "html" }[form]}`;
  const file = new File([blob], name, { type: blob.type });
  if (navigator.canShare?.({ files: [file] }) && matchMedia("(pointer: coarse)").matches) {
    await navigator.share({ files: [file], title: "Tilesight" }).catch(() => {});
    return;
  }
  const link = h("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60e3);
}

function keep(live) {
  let again = false; // whether to replace the game that was kept from this photograph before
  askPlayers({
    title: live ? W.photo.goOn : W.photo.keep,
    colors: document_.colors, known: colorsOf(document_, []).filter((color) => document_.colors.includes(color)), players,
    people: lobby.people, cameras: live ? lobby.cameras : null,
    onDone: async (body) => {
      remember();
      const sent = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
      const { game } = await (await ask(at("/keep"), { ...sent, again }).catch((error) => {
        again = error.code === "kept_before";
        throw error;
      })).json();
      if (!live) {
        keptAs = keptNow();
        showPanel();
        return byId("panel").querySelector(".photo-kept").scrollIntoView({ block: "nearest" });
      }
      // Replaces the sheet's history entry, to which closing the sheet would return.
      location.replace(`/#key=${key}&open=${encodeURIComponent(game)}`);
      return new Promise(() => {});
    },
  });
}

function remember() {
  localStorage.setItem(NAMES, JSON.stringify(Object.fromEntries(Object.entries(players).map(([color, { name }]) => [color, name]))));
}

function recall() {
  const names = JSON.parse(localStorage.getItem(NAMES) ?? "{}");
  players = Object.fromEntries(Object.entries(names).map(([color, name]) => [color, { name, before: 0 }]));
}

function listen() {
  for (const id of ["camera", "files"]) byId(id).addEventListener("change", () => read(byId(id).files));
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    read(event.dataTransfer.files);
  });
  addEventListener("paste", (event) => read(event.clipboardData.files));
  byId("zoom-in").addEventListener("click", () => stage.zoom(1.4));
  byId("zoom-out").addEventListener("click", () => stage.zoom(1 / 1.4));
  byId("fit").addEventListener("click", () => stage.fit());
}

fillWords();
document.title = `${W.photo.title} · Tilesight`;
byId("home").href = `/#key=${key}`;
if (!key) {
  say(W.lobby.noKey);
} else {
  try {
    lobby = await (await ask("/api/lobby")).json();
    byId("edition").replaceChildren(h("option", { value: "" }, W.photo.recognise), ...lobby.editions.filter((one) => one.ready).map((one) => h("option", { value: one.pack }, titleOf(one.pack))));
    recall();
    listen();
    show("take");
    const held = asked.get("photo");
    if (held) {
      document_ = null;
      await take(await (await ask(`/api/photo/${encodeURIComponent(held)}`)).json().catch(() => null)).catch(() => show("take"));
    }
  } catch (error) {
    say(error.message);
    show("take");
  }
}
