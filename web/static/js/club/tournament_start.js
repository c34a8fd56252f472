// Start of a pairing at a table of the club: the sheet for referees, and the page behind a pairing's code.

import { byId, h } from "../dom.js";
import { W, called } from "../words.js";
import { fragment, openSheet } from "./who.js";

const nameOf = (told, entrant) => told.entrants[entrant - 1].name;

/** Return the names of a pairing's players in one line. */
const playersOf = (told, table) => table.seats.map((seat) => nameOf(told, seat)).join(" – ");

/** Return the open pairings of the last round. */
const openPairings = (told) => (told.rounds.at(-1)?.tables ?? []).filter((table) => !table.bye && !table.points);

/** Return in words what a table of the club does now. */
function doing(table, taken) {
  if (taken) return W.cup.takenBy(taken.table);
  if (table.phase === "over" || !table.log) return W.cup.idle;
  if (!table.turns) return W.cup.setsUp;
  return `${table.players.map(called).join(", ")}, ${W.lobby.turns(table.turns)}`;
}

/** Return buttons for the tables of the club; `choose` is called with the id of one. */
function choices(told, table, tables, choose) {
  const others = openPairings(told).filter((other) => other.bound && other.table !== table.table);
  const line = (one) => {
    const taken = others.find((other) => other.bound.table === one.id);
    return h("li", {}, h("button", { type: "button", class: "cup-choice", disabled: Boolean(taken), "aria-pressed": String(table.bound?.table === one.id), onclick: () => choose(one.id) },
      h("strong", {}, one.id), h("span", { class: "cup-soft" }, doing(one, taken))));
  };
  const order = (a, b) => (b.connection === "there") - (a.connection === "there") || a.id.localeCompare(b.id, W.code, { numeric: true });
  const open = tables.filter((one) => one.phone !== "closed").sort(order);
  return open.length ? h("ul", { class: "cup-choices" }, ...open.map(line)) : h("p", { class: "cup-soft" }, W.club.nothing);
}

/** Return the club's tables. */
async function clubTables() {
  const answer = await fetch("/api/tables");
  return (await answer.json()).tables;
}

/** Return the effect of a choice in words; `named`: the game at the table has the players' names. */
const said = (named, at) => (named ? W.cup.startsAt(at) : W.cup.startsNext(at));

/**
 * Open the sheet in which a referee starts the pairing of a table of the last round at a table of the club, or takes
 * that back. `send` sends a change to the hub and returns the answer, null after an error, which the page shows.
 */
export async function openStart(told, number, send) {
  const one = told.rounds.at(-1);
  const table = one.tables.find((other) => other.table === number);
  const about = h("p", { class: "cup-soft", role: "status" }, W.cup.startHelp);
  const place = { round: one.number, table: table.table };
  const problem = () => about.replaceChildren(byId("said").textContent || byId("away").textContent);
  const choose = async (at) => {
    const answer = await send("/bind", { ...place, at });
    if (!answer) return problem();
    if (at === null) return byId("who-sheet").close();
    about.replaceChildren(said(answer.named, at));
    rest.remove();
  };
  const code = h("div", { class: "cup-code" });
  const showCode = async () => {
    const answer = await send("/code", place);
    if (!answer) return problem();
    const drawn = new Blob([answer.qr], { type: "image/svg+xml" });
    code.replaceChildren(h("img", { src: URL.createObjectURL(drawn), alt: W.cup.code }), h("p", {}, W.cup.codeHelp), h("a", { href: answer.url }, answer.url));
  };
  const tables = await clubTables().catch(() => []);
  const rest = h("div", { class: "cup-start-at" },
    choices(told, table, tables, choose),
    h("div", { class: "cup-tools" },
      h("button", { type: "button", onclick: showCode }, W.cup.code),
      table.bound ? h("button", { type: "button", onclick: () => choose(null) }, W.cup.release(table.bound.table)) : ""),
    code);
  openSheet(playersOf(told, table), h("div", { class: "cup-start" }, about, rest));
}

/** Return the pairing in the page's address as `round`, `table` and `code`; null without one. */
export function codeOfPage() {
  const [round, table, code] = (new URLSearchParams(location.hash.slice(1)).get("take") ?? "").split(".");
  return code ? { round: Number(round), table: Number(table), code } : null;
}

/** Open the sheet in which the holder of a code chooses the table at which the pairing is played. */
export async function openTake(told, { round, table, code }, send) {
  const found = told.rounds.at(-1)?.number === round && openPairings(told).find((one) => one.table === table);
  if (!found) return openSheet(told.name, h("div", { class: "cup-start" }, h("p", {}, W.cup.refused.code_wrong)));
  const about = h("p", { class: "cup-soft", role: "status" }, W.cup.takeHelp);
  const choose = async (at) => {
    const answer = await send("/take", { round, table, at, code });
    if (!answer) return about.replaceChildren(byId("said").textContent || byId("away").textContent);
    list.replaceWith(h("a", { class: "button main", href: `/table/${encodeURIComponent(at)}${fragment()}` }, W.cup.toTable(at)));
    about.replaceChildren(said(answer.named, at));
  };
  const list = choices(told, found, await clubTables().catch(() => []), choose);
  openSheet(playersOf(told, found), h("div", { class: "cup-start" }, about, list));
}
