// A table of the club in short: who plays, the scores, and what it needs.

import { h } from "../dom.js";
import { W, sentenceCase } from "../words.js";

/** What the table needs somebody for, in words; "" where for nothing. */
function needsInWords(table) {
  if (table.connection === "lost") return W.club.silent;
  if (table.wrong.length) return W.club.wrong[table.wrong[0].split(":")[0]] ?? W.club.wrong.other;
  if (table.needs === "lost") return W.seeing.lost;
  if (table.needs === "unkept") return W.club.disputes.unkept(table.disputes.unkept);
  if (!table.asked.length) return "";
  const asked = table.players.find((player) => player.color === table.asked[0].player);
  return asked ? W.club.waitsFor(asked.name) : W.club.waits;
}

/** Whether a referee may be asked about this table's game. */
export const isDisputed = (table) => Object.keys(table.disputes).length > 0;

/** What that is, in words. */
const disputed = (table) =>
  Object.entries(table.disputes).filter(([kind]) => kind !== table.needs).map(([kind, count]) => W.club.disputes[kind](count)).join(" · ");

let ahead_s = 0;

/** Take the hub's clock from one of its answers. */
export function setClock(answer) {
  const told = Date.parse(answer.headers.get("Date"));
  if (told) ahead_s = (told - Date.now()) / 1000;
}

/** Seconds since 1970 by the hub's clock. */
export const nowS = () => Date.now() / 1000 + ahead_s;

/** For how long somebody has been waiting, in words; "" below a minute. */
function waited(since_s) {
  const minutes = Math.floor((nowS() - since_s) / 60);
  return minutes < 1 ? "" : minutes < 60 ? W.club.minutes(minutes) : W.club.hours(Math.floor(minutes / 60));
}

/** The line that says what the table needs, and since when. */
export const need = (table) =>
  table.needs && h("p", { class: "club-needs", "data-needs": table.needs }, [needsInWords(table), waited(table.needs_since_s)].filter(Boolean).join(" · "));

/** The line that says what a referee may be asked about. */
export const dispute = (table) => disputed(table) && h("p", { class: "club-soft club-disputed" }, disputed(table));

const dot = (color) => h("span", { class: "lobby-dot", style: `background: var(--${color}, ${color})` });

/** The players with their points. */
export const scores = (table) =>
  h("ul", { class: "club-scores" },
    ...table.players.map((player) =>
      h("li", {}, dot(player.color), h("span", { class: "name" }, player.name), h("strong", {}, player.score ?? "–"))));

/** How far the game is, and what the camera sees. */
export function state(table) {
  if (table.fault) return W.club.untold;
  if (table.phone === "open" && table.connection !== "there") return table.log ? W.phones.noWorkerNow : W.phones.noWorkerYet;
  const seen = table.connection === "there" && table.phase !== "over" ? W.seeing[table.seeing] : "";
  const phase = table.paused && table.phase !== "over" ? W.pause.on : W.club.phases[table.phase];
  return [phase, table.turns ? W.lobby.turns(table.turns) : "", seen].filter(Boolean).join(" · ");
}

/** A card that leads to the table. */
export function card(table, fragment) {
  return h("a", { class: "club-table", "data-needs": table.needs, "data-id": table.id, href: `/table/${encodeURIComponent(table.id)}${fragment}` },
    h("div", { class: "club-table-head" }, h("h2", {}, table.id), h("span", { class: "club-soft" }, title(table))),
    scores(table),
    h("p", { class: "club-soft" }, state(table)),
    need(table),
    dispute(table));
}

const title = (table) => sentenceCase((table.pack ?? "").replaceAll("-", " "));
