// Lobby: the tables of this computer are started, opened, resumed and stopped with a tap.

import { CalibrateSheet } from "./calibrate_sheet.js";
import { ClubSheet } from "./club_sheet.js";
import { byId, h } from "./dom.js";
import { EnrolSheet } from "./enrol_sheet.js";
import { ask, asked, key } from "./lobby_ask.js";
import { editionTitle, TableForm } from "./lobby_form.js";
import { OpeningTable } from "./opening_table.js";
import { StartSheet } from "./start_sheet.js";
import { W, called, fillWords } from "./words.js";

const EVERY_MS = 1500;
const WAITING_MS = 400; // between two requests while a table starts
let lobby = { editions: [], cameras: [], names: {}, tables: [] };
let shown = "";

function say(text) {
  byId("said").textContent = text;
  byId("said").hidden = !text;
}

const dot = (color) => h("span", { class: "lobby-dot", style: `background: var(--${color}, ${color})` });

const picture = (edition) =>
  edition?.picture ? h("img", { src: edition.picture, alt: "", loading: "lazy" }) : h("span", { class: "no-picture" });

function button(text, onclick, kind = "") {
  return h("button", { type: "button", class: kind, onclick }, text);
}

/** Open the form for another game of the same players. The last player becomes the first. */
function playAgain(table) {
  form.open(lobby, { ...table, players: [...table.players.slice(-1), ...table.players.slice(0, -1)] });
}

/** Return the address of a table's page, with the way back to the lobby. */
function tableAddress(table) {
  const home = `${location.origin}/#key=${key}`;
  return `${table.url}&lobby=${encodeURIComponent(home)}&table=${encodeURIComponent(table.id)}`;
}

/** Return the buttons of a table, by its phase. */
function tools(table) {
  const stop = (text) => button(text, () => command(`/api/tables/${encodeURIComponent(table.id)}/stop`, {}));
  const again = button(W.lobby.again, () => playAgain(table));
  const open = h("a", { class: "button main", href: table.url ? tableAddress(table) : "" }, W.lobby.open);
  return {
    starting: () => [stop(W.lobby.stop)],
    running: () => [
      open,
      table.camera_url ? button(W.lobby.phone, () => showCode(table.camera_url, W.lobby.phoneHelp)) : null,
      stop(table.over ? W.lobby.putAway : W.lobby.stop),
      again,
    ],
    failed: () => [button(W.lobby.change, () => form.open(lobby, table)), stop(W.lobby.forget)],
    sleeping: () => [button(W.lobby.goOn, () => form.takeUp(lobby, table), "main"), again],
    elsewhere: () => [],
    ended: () => [again],
  }[table.phase]();
}

function card(table) {
  const edition = lobby.editions.find((one) => one.pack === table.pack);
  const when = new Date(table.changed_s * 1000).toLocaleString(W.code, { dateStyle: "medium", timeStyle: "short" });
  const players = table.players.map((player) => h("span", { class: "lobby-player" }, dot(player.color), called(player), ...(player.color in table.points ? [" ", h("b", {}, `${table.points[player.color]}`)] : [])));
  const about = table.phase === "failed" ? table.message || W.lobby.phases.failed : W.lobby.phases[table.over ? "ended" : table.phase];
  return h("article", { class: "lobby-card", "data-phase": table.phase, "data-id": table.id },
    picture(edition),
    h("div", {},
      h("h3", {}, editionTitle(edition) ?? table.pack),
      h("p", { class: "lobby-players" }, ...players),
      h("p", { class: `phase-${table.phase}` }, about),
      h("p", {}, [table.turns ? W.lobby.turns(table.turns) : "", when].filter(Boolean).join(" · "))),
    h("div", { class: "lobby-tools" }, ...tools(table)));
}

function draw() {
  const now = lobby.tables.filter((table) => ["starting", "running", "failed", "elsewhere"].includes(table.phase));
  const earlier = lobby.tables.filter((table) => ["sleeping", "ended"].includes(table.phase));
  byId("now").replaceChildren(...now.map(card));
  byId("nothing").hidden = now.length > 0;
  byId("earlier").replaceChildren(...earlier.map(card));
}

/** Show new tables. The page is only redrawn if something has changed, so that it keeps the focus. */
function take(tables) {
  lobby.tables = tables;
  const told = JSON.stringify(tables);
  opening.take(tables);
  if (told !== shown) draw();
  shown = told;
}

async function command(path, body) {
  try {
    await ask(path, body);
    say("");
  } catch (error) {
    say(error.message);
  }
  await look();
}

async function look() {
  try {
    take((await (await ask("/api/tables")).json()).tables);
    if (byId("said").dataset.lost) say("");
    delete byId("said").dataset.lost;
  } catch (error) {
    say(error.message);
    byId("said").dataset.lost = "yes";
  }
}

/** Return a QR code with its address. */
async function codeOf(address, help) {
  const svg = await (await ask(`/api/qr.svg?text=${encodeURIComponent(address)}`)).text();
  const code = h("div", { class: "lobby-code" });
  code.innerHTML = svg;
  code.querySelector("svg").setAttribute("role", "img");
  code.querySelector("svg").setAttribute("aria-label", W.lobby.code);
  code.append(h("p", {}, help), h("a", { href: address }, address));
  return code;
}

/** Show a QR code over the page. */
async function showCode(address, help) {
  const sheet = byId("code");
  const code = await codeOf(address, help);
  sheet.replaceChildren(
    h("div", { class: "lobby-sheet-head" },
      h("h2", { id: "code-title" }, W.lobby.code),
      h("button", { type: "button", "aria-label": W.page.close, onclick: () => sheet.close() }, "✕")),
    code);
  sheet.showModal();
}

const opening = new OpeningTable(byId("opening"), {
  code: codeOf,
  open: (table) => { location.href = tableAddress(table); },
  change: (table) => form.open(lobby, table),
});

/** Wait for a table and open it when it is ready. */
async function waitFor(id) {
  opening.wait(id);
  await look();
  while (opening.wanted === id) {
    await new Promise((then) => setTimeout(then, WAITING_MS));
    await look();
  }
}

const form = new TableForm(byId("form"), {
  begin: async (asked) => (await ask("/api/tables", asked)).json(),
  takeUp: async (id, camera) => (await ask(`/api/tables/${encodeURIComponent(id)}/take-up`, { camera })).json(),
  done: (table) => waitFor(table.id),
  ask,
  enrol: (edition) => enrolment.open(edition),
  calibrate: (asked) => calibration.open(asked),
});
const calibration = new CalibrateSheet(byId("calibrate"), ask);
const enrolment = new EnrolSheet(byId("enrol"), ask, async (pack) => {
  lobby = await (await ask("/api/lobby")).json();
  form.known(lobby, pack);
}, (pack) => {
  if (byId("form").open) return;
  form.open(lobby, null);
  form.known(lobby, pack);
});
const start = new StartSheet(byId("start"), {
  ask,
  play: async (sample) => {
    const body = { pack: sample.pack, players: sample.players, camera: sample.source };
    waitFor((await (await ask("/api/tables", body)).json()).id);
  },
  enrol: (edition) => enrolment.open(edition),
});
const club = new ClubSheet(byId("club"), ask, (joined) => {
  byId("club-open").textContent = joined ? W.join.as(joined.table) : W.join.open;
});

fillWords();
byId("club-open").textContent = W.join.open;
byId("club-open").addEventListener("click", () => club.open());
byId("share").addEventListener("click", () => showCode(`${location.origin}/#key=${key}`, W.lobby.shareHelp).catch((error) => say(error.message)));
byId("new").addEventListener("click", () => form.open(lobby, null));
for (const [id, way] of Object.entries({ demo: "demo", print: "print", own: "enrol", help: "help" })) byId(id).addEventListener("click", () => start[way](lobby));

/** Do what the address asks for, and remove that from the address, so that Back and reload do not repeat it. */
function follow() {
  history.replaceState(history.state, "", `#key=${key}`);
  const before = lobby.tables.find((table) => table.id === asked.get("again"));
  if (before) playAgain(before);
  if (asked.get("open")) waitFor(asked.get("open"));
  if (asked.get("games")) byId("library-open").click();
  const edition = lobby.editions.find((one) => one.pack === asked.get("enrol"));
  if (edition) enrolment.open(edition);
  else if (asked.get("enrol")) start.enrol(lobby);
}
if (!key) {
  say(W.lobby.noKey);
} else {
  try {
    lobby = await (await ask("/api/lobby")).json();
    take(lobby.tables);
    await club.look();
    for (const id of ["new", "demo", "print", "own"]) byId(id).disabled = false;
    byId("share").disabled = byId("club-open").disabled = byId("tv").hidden = byId("photo").hidden = false;
    byId("photo").href = `/photo#key=${key}`;
    byId("tv").href = `/tv?lang=${W.code}#key=${key}`;
    follow();
  } catch (error) {
    say(error.message);
  }
  setInterval(() => document.hidden || look(), EVERY_MS);
}
