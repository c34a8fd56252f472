// Big screen of the lobby: the watched tables in turn.

import { byId, h } from "./dom.js";
import { W, called, fillWords } from "./words.js";

const LOOK_MS = 5000;
const asked = new URLSearchParams(location.hash.slice(1));
const key = asked.get("key") ?? "";
const SHOWN_MS = 1000 * Math.max(3, Number(asked.get("seconds")) || 20);
const frames = new Map(); // by table id
let shown = null;

/** Return the address of a table's big screen. Tables are served by this computer, each on its own port. */
function screenOf(table) {
  const address = new URL(table.url);
  address.hostname = location.hostname;
  address.pathname = "/tv";
  address.search = `?lang=${W.code}`;
  address.hash = "";
  return address.href;
}

function show(id) {
  shown = id;
  for (const [one, frame] of frames) {
    frame.dataset.shown = one === id;
    frame.setAttribute("aria-hidden", one !== id);
  }
}

/** Show the next table. */
function showNext() {
  const ids = [...frames.keys()];
  if (ids.length) show(ids[(ids.indexOf(shown) + 1) % ids.length]);
}

/** Update the frames to the current tables. Frames of remaining tables are not reloaded. */
function take(tables) {
  const running = new Map(tables.filter((table) => table.phase === "running").map((table) => [table.id, table]));
  for (const [id, frame] of frames) {
    if (running.has(id)) continue;
    frame.remove();
    frames.delete(id);
  }
  for (const [id, table] of running) {
    if (frames.has(id)) continue;
    const frame = h("iframe", { src: screenOf(table), title: table.players.map(called).join(", "), tabindex: -1 });
    frames.set(id, frame);
    byId("tables").append(frame);
  }
  if (!frames.has(shown)) showNext();
  byId("said").textContent = frames.size ? "" : W.lobby.nothing;
}

async function look() {
  try {
    const answer = await fetch("/api/tables", { headers: { "X-Table-Key": key } });
    if (answer.ok) take((await answer.json()).tables);
    else byId("said").textContent = W.lobby.noKey;
  } catch {
    if (!frames.size) byId("said").textContent = W.lobby.silent; // tables continue without their lobby
  }
}

fillWords();
document.title = `${W.tv.title} · Tilesight`;
if (key) {
  await look();
  setInterval(look, LOOK_MS);
  setInterval(showNext, SHOWN_MS);
} else byId("said").textContent = W.lobby.noKey;
