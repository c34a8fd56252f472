// A club's hub: all tables on one page, those that need somebody first; a tap opens one.

import { byId } from "../dom.js";
import { W, fillWords, phrase } from "../words.js";
import { card, needs } from "./card.js";
import { TableView } from "./one.js";

const AGAIN_MS = 3000;
const key = new URLSearchParams(location.hash.slice(1)).get("key") ?? "";
const wanted = location.pathname.startsWith("/table/") ? decodeURIComponent(location.pathname.slice(7)) : null;
const tables = new Map();
const URGENCY = { lost: 0, ask: 1, "": 2 };
const PHASES = ["playing", "waiting", "over"];
let view = null;

function say(text) {
  byId("said").textContent = text;
  byId("said").hidden = !text;
}

/** Ask a table to do something; what it refuses is said. */
async function command(path, body) {
  const address = `/api/tables/${encodeURIComponent(wanted)}/command`;
  const headers = { "X-Table-Key": key, "Content-Type": "application/json" };
  try {
    const answer = await fetch(address, { method: "POST", headers, body: JSON.stringify({ path, body }) });
    const { error } = answer.ok ? {} : await answer.json();
    say(error ? W.lobby.refused[error.code] ?? W.club.refused[error.code] ?? phrase(error.message) : "");
  } catch {
    say(W.club.lost);
  }
}

function order(a, b) {
  return URGENCY[needs(a)] - URGENCY[needs(b)] || PHASES.indexOf(a.phase) - PHASES.indexOf(b.phase) ||
    a.id.localeCompare(b.id, W.code, { numeric: true });
}

function drawAll() {
  const all = [...tables.values()].sort(order);
  const focused = document.activeElement?.dataset?.id;
  byId("tables").replaceChildren(...all.map((table) => card(table, location.hash)));
  if (focused) byId("tables").querySelector(`[data-id="${CSS.escape(focused)}"]`)?.focus();
  byId("nothing").hidden = all.length > 0;
  const waiting = all.filter(needs).length;
  byId("count").textContent = all.length ? W.club.count(all.length, waiting) : "";
}

function drawOne() {
  const table = tables.get(wanted);
  if (!table) return say(W.club.unknown);
  view ??= new TableView(byId("one"), wanted, key ? command : null);
  view.show(table);
}

function take(told) {
  for (const table of told.tables) tables.set(table.id, table);
  if (wanted === null) drawAll();
  else drawOne();
}

/** Hear of every change, for ever; what was missed comes first. */
function listen(version) {
  const events = new EventSource(`/api/events?since=${version}`);
  events.addEventListener("tables", (event) => {
    const told = JSON.parse(event.data);
    version = told.version;
    say("");
    take(told);
  });
  events.addEventListener("error", () => {
    events.close();
    say(W.club.lost);
    setTimeout(begin, AGAIN_MS);
  });
}

/** How all tables are now, then what changes. */
async function begin() {
  try {
    const told = await (await fetch("/api/tables")).json();
    tables.clear();
    say("");
    take(told);
    listen(told.version);
  } catch {
    say(W.club.lost);
    setTimeout(begin, AGAIN_MS);
  }
}

fillWords();
byId("cups").href = `/tournaments${location.hash}`;
byId(wanted === null ? "all" : "one").hidden = false;
if (wanted !== null) {
  byId("title").textContent = document.title = wanted;
  byId("back").hidden = false;
  byId("back").href = `/${location.hash}`;
}
begin();
