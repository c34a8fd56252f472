// A club's hub: all tables on one page, those that need help first. A tap opens one.

import { byId, h } from "../dom.js";
import { messages } from "../stream.js";
import { W, fillWords } from "../words.js";
import { setClock } from "../server_time.js";
import { card, isDisputed } from "./card.js";
import { TableView } from "./one.js";
import { fragment, key, may, meet, openSheet, refusal } from "./who.js";

const AGAIN_MS = 3000;
const DONE_MS = 4000;
const LOOK_MS = 20_000; // refreshes the displayed waiting times
const wanted = location.pathname.startsWith("/table/") ? decodeURIComponent(location.pathname.slice(7)) : null;
const tables = new Map();
const URGENCY = ["lost", "ask", "unkept", ""];
const PHASES = ["playing", "waiting", "away", "over"];
const FILTERS = {
  all: () => true,
  needs: (table) => table.needs !== "",
  disputed: isDisputed,
  finished: (table) => table.phase === "over",
};
const STORE = "tilesight-filter";
let filter = sessionStorage.getItem(STORE) ?? "all";
let view = null;

/** Show a message above the page. A confirmation (`done`) disappears by itself. */
function say(text, done = false) {
  const said = byId("said");
  said.textContent = text;
  said.hidden = !text;
  said.dataset.done = done;
  if (done) setTimeout(() => said.textContent === text && say(""), DONE_MS);
}

/** Send a command to a table; show the error if it refuses. */
async function command(path, body) {
  const address = `/api/tables/${encodeURIComponent(wanted)}/command`;
  const headers = { "X-Table-Key": key(), "Content-Type": "application/json" };
  try {
    const answer = await fetch(address, { method: "POST", headers, body: JSON.stringify({ path, body }) });
    const { error } = answer.ok ? {} : await answer.json();
    if (error) say(`${wanted}: ${refusal(error)}`);
    else say(W.club.done(wanted), true);
  } catch {
    say(W.club.lost);
  }
}

/** Return the place of a table among those that need equal help; abandoned games are "away". */
const rank = (table) => PHASES.indexOf(table.connection === "away" ? "away" : table.phase);

function order(a, b) {
  return URGENCY.indexOf(a.needs) - URGENCY.indexOf(b.needs) || (a.needs_since_s ?? 0) - (b.needs_since_s ?? 0) || rank(a) - rank(b) ||
    a.id.localeCompare(b.id, W.code, { numeric: true });
}

function choose(name) {
  filter = name;
  sessionStorage.setItem(STORE, name);
  drawAll();
}

function drawFilters(all) {
  const focused = document.activeElement?.dataset?.filter;
  byId("filters").hidden = !all.length;
  byId("filters").replaceChildren(...Object.entries(FILTERS).map(([name, holds]) =>
    h("button", { type: "button", "data-filter": name, "aria-pressed": String(name === filter), onclick: () => choose(name) },
      W.club.filters[name], " ", h("strong", {}, String(all.filter(holds).length)))));
  if (focused) byId("filters").querySelector(`[data-filter="${focused}"]`).focus();
}

function drawAll() {
  const all = [...tables.values()].sort(order);
  const focused = document.activeElement?.dataset?.id;
  drawFilters(all);
  byId("tables").replaceChildren(...all.filter(FILTERS[filter]).map((table) => card(table, location.hash)));
  if (focused) byId("tables").querySelector(`[data-id="${CSS.escape(focused)}"]`)?.focus();
  byId("nothing").hidden = all.length > 0;
  const waiting = all.filter(FILTERS.needs).length;
  byId("count").textContent = all.length ? W.club.count(all.length, waiting) : "";
}

function drawOne() {
  const table = tables.get(wanted);
  if (!table) return say(W.club.unknown);
  view ??= new TableView(byId("one"), wanted, fragment(), may("player") ? command : null);
  view.show(table);
}

function draw() {
  if (wanted === null) drawAll();
  else drawOne();
}

function take(told) {
  for (const table of told.tables) {
    if (table.phone === "closed" && !table.log) tables.delete(table.id);
    else tables.set(table.id, table);
  }
  draw();
}

/** Show the addresses for spectators and for a wall screen, each with its QR code. */
function showAddresses() {
  const code = (place, path, title, help) => h("figure", {},
    h("img", { src: `/qr/${place}.svg`, alt: "" }), h("figcaption", {}, title), h("p", { class: "club-soft" }, help),
    h("a", { href: path, target: "_blank" }, location.origin + path));
  openSheet(W.club.addresses, h("div", { class: "club-codes" },
    code("club", "/", W.club.toLook, W.club.toLookHelp), code("screen", "/screen", W.club.wall, W.club.wallHelp)));
}

/** Follow all changes after `version` until the stream ends. With a right key, the hub keeps a place for the stream. */
async function listen(version) {
  const asked = { Accept: "text/event-stream", ...(key() && { "X-Table-Key": key() }) };
  for await (const data of messages(`/api/events?since=${version}`, asked)) {
    if (byId("said").dataset.done !== "true") say("");
    take(JSON.parse(data));
  }
}

/** Fetch all tables, then follow their changes; start again when the stream ends or the hub does not answer. */
async function begin() {
  try {
    const answer = await fetch("/api/tables");
    setClock(answer);
    const told = await answer.json();
    tables.clear();
    say("");
    take(told);
    await listen(told.version);
  } catch (error) {
    console.debug("the events stopped", error.message);
  }
  say(W.club.lost);
  setTimeout(begin, AGAIN_MS);
}

fillWords();
await meet(wanted);
// A key for one table must not be sent to other addresses.
const beyond = may("referee") ? location.hash : "";
byId("cups").href = `/tournaments${beyond}`;
byId(wanted === null ? "all" : "one").hidden = false;
if (wanted !== null) {
  document.body.dataset.one = "yes";
  byId("title").textContent = document.title = wanted;
  byId("back").hidden = false;
  byId("back").href = `/${beyond}`;
} else {
  for (const [id, path] of [["phones", "/phone-tables"], ["invitations", "/invitations"]]) {
    byId(id).hidden = !may("host");
    byId(id).href = `${path}${beyond}`;
  }
  byId("addresses").addEventListener("click", showAddresses);
}
begin();
setInterval(() => document.visibilityState === "visible" && tables.size && draw(), LOOK_MS);
