// Wall display of the hub: the tables in turn, and between them pairings and standings of the running tournament. It
// has no controls and recovers from every outage. `#seconds=N` sets how long each is shown; `#day` keeps the light
// theme.

import { byId, h } from "../dom.js";
import { atNight } from "../night.js";
import { W, fillWords } from "../words.js";
import { nowS, setClock } from "../server_time.js";
import { round, showClock, standings } from "./tournament_tables.js";

const LOOK_MS = 5000;
const TABLES_BETWEEN = 3; // tables shown between two pages of the tournament
const LINES = 13; // lines per column of pairings on a page, readable from four metres
const RANKS = 10;
const STAYS_S = 12 * 3600; // for so long the last results and standings stay
const asked = new URLSearchParams(location.hash.slice(1));
const SHOWN_MS = 1000 * Math.max(2, Number(asked.get("seconds")) || 15);
const night = asked.has("day") ? () => {} : atNight;

let tables = []; // ids of the tables with a running game
let cup = null; // the running tournament, or one that ended today
let away = false;
let turn = 0;
let at = { table: 0, page: 0 };
let shown = null;

const parts = (list, size) => Array.from({ length: Math.ceil(list.length / size) }, (_, n) => list.slice(n * size, (n + 1) * size));

/** Return the pages of the tournament, each as a function that draws its current content. */
function pages() {
  if (!cup) return [];
  const last = cup.rounds.at(-1);
  const ranks = cup.standings.map((line) => ({ ...line, tie_breaks: [] })); // ranks already include the tie-breaks
  return [
    ...parts(last.tables, 2 * Math.floor(LINES / cup.table_size)).map((some) => () => round(cup, { ...last, tables: some }, null, true)),
    ...parts(ranks, RANKS).map((some) => () => standings({ ...cup, tie_breaks: [], standings: some })),
  ];
}

/** Replace the displayed slide. */
function put(slide) {
  const before = shown;
  shown = slide;
  byId("where").textContent = slide.title;
  slide.dataset.shown = "true";
  before?.remove();
}

function quiet(text) {
  const slide = h("div", { class: "screen-slide screen-quiet" }, text);
  byId("stage").append(slide);
  put(slide);
}

function putPage(page) {
  const slide = h("div", { class: "screen-slide cup" }, page());
  for (const room of slide.querySelectorAll("[tabindex]")) room.removeAttribute("tabindex"); // there is no keyboard
  byId("stage").append(slide);
  put(slide);
}

/** Load a table's own big screen and show it once it has loaded. A table that does not load is skipped. */
function putTable(id) {
  if (shown?.title === id) return; // it is the only table and already shown
  const frame = h("iframe", { class: "screen-slide", src: `/at/${encodeURIComponent(id)}/tv?lang=${W.code}`, title: id, tabindex: -1 });
  frame.addEventListener("load", () => {
    if (!frame.contentDocument?.body.classList.contains("tv")) frame.remove();
    else {
      night(frame.contentDocument);
      put(frame);
    }
  });
  byId("stage").append(frame);
}

/** Show the next slide. */
function showNext() {
  if (away && shown) return; // keep it until the hub is back
  for (const late of byId("stage").querySelectorAll("iframe:not([data-shown])")) late.remove();
  const some = pages();
  if (!tables.length && !some.length) return quiet(W.screen.nothing);
  const wantsPage = some.length && (!tables.length || turn % (TABLES_BETWEEN + 1) === 0);
  turn += 1;
  if (wantsPage) putPage(some[at.page++ % some.length]);
  else putTable(tables[at.table++ % tables.length]);
}

async function get(path) {
  const answer = await fetch(path, { signal: AbortSignal.timeout(LOOK_MS) });
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  setClock(answer);
  return answer.json();
}

/** Return the latest tournament that has begun and is not over; else one that ended today; null if there is none. */
async function current() {
  const { tournaments } = await get("/api/tournaments");
  let ended = null;
  for (const { id } of tournaments.slice(0, 3)) {
    const told = await get(`/api/tournaments/${id}`);
    if (told.rounds.length && !told.over) return told;
    if (told.over && nowS() - told.round_began_s < STAYS_S) ended ??= told;
  }
  return ended;
}

async function look() {
  try {
    const told = await get("/api/tables");
    cup = await current();
    const known = told.tables.filter((one) => one.log && !one.fault);
    const playing = known.filter((one) => one.phase === "playing" && one.connection === "there");
    const ended = known.filter((one) => one.phase === "over" && nowS() - one.changed_s < STAYS_S);
    tables = (playing.length || cup ? playing : ended).map((one) => one.id);
    away = false;
  } catch {
    away = true;
  }
  byId("away").hidden = !away;
  byId("title").textContent = cup ? cup.name : W.club.title;
  byId("round").textContent = !cup ? "" : cup.over ? W.cup.over : W.cup.round(cup.rounds.length, cup.rounds_planned);
  tick();
}

/** Update the countdown of the round; without one, the time since the round was paired. */
function tick() {
  if (cup?.clock && !cup.over) return showClock(byId("since"), cup.clock, nowS());
  byId("since").dataset.out = "false";
  const since_s = cup && !cup.over ? Math.max(0, Math.floor(nowS() - cup.round_began_s)) : null;
  const two = (number) => String(number).padStart(2, "0");
  byId("since").textContent = since_s !== null ? `${Math.floor(since_s / 3600)}:${two(Math.floor(since_s / 60) % 60)}:${two(since_s % 60)}` : "";
}

fillWords();
night(document);
document.title = `${W.club.title} · Tilesight`;
await look();
showNext();
setInterval(look, LOOK_MS);
setInterval(showNext, SHOWN_MS);
setInterval(tick, 1000);
