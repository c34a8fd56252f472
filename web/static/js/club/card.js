// Card of a table of the club: players, scores, and the help that it needs.

import { h } from "../dom.js";
import { nowS } from "../server_time.js";
import { W, called, sentenceCase } from "../words.js";

const CLOCK = "clock:"; // what is wrong with a table whose clock is slow by the minutes that follow

/** Return in words why the table needs help; "" if it needs none. */
function needsInWords(table) {
  if (table.connection === "lost") return W.club.silent;
  const [wrong] = table.wrong.filter((one) => !one.startsWith(CLOCK));
  if (wrong) return W.club.wrong[wrong.split(":")[0]] ?? W.club.wrong.other;
  if (table.needs === "lost") return W.seeing.lost;
  if (table.needs === "unkept") return W.club.disputes.unkept(table.disputes.unkept);
  if (!table.asked.length) return "";
  const asked = table.players.find((player) => player.color === table.asked[0].player);
  return asked ? W.club.waitsFor(asked.name) : W.club.waits;
}

// An undone turn is not a dispute: players undo after every slip.
const DISPUTES = ["corrected", "unkept"];

/** Return the kinds of dispute at this table, each with its number of turns. */
const disputes = (table) => Object.entries(table.disputes).filter(([kind]) => DISPUTES.includes(kind));

/** Whether this table's game has turns that a referee may be asked about. */
export const isDisputed = (table) => disputes(table).length > 0;

/** Return the disputes of a table in words. */
const disputeWords = (table) =>
  disputes(table).filter(([kind]) => kind !== table.needs).map(([kind, count]) => W.club.disputes[kind](count)).join(" · ");

/** Return in words how long a table has been waiting; "" below a minute. */
function waited(since_s) {
  const minutes = Math.floor((nowS() - since_s) / 60);
  return minutes < 1 ? "" : minutes < 60 ? W.club.minutes(minutes) : W.club.hours(Math.floor(minutes / 60));
}

/** Return the line on what the table needs, and since when. */
export const need = (table) =>
  table.needs && h("p", { class: "club-needs", "data-needs": table.needs }, [needsInWords(table), waited(table.needs_since_s)].filter(Boolean).join(" · "));

/** Return the line on a table's disputes. */
export const dispute = (table) => disputeWords(table) && h("p", { class: "club-soft club-disputed" }, disputeWords(table));

/** Return in words that the clock of a table is wrong; "" if it is right. */
export function clockWords(wrong) {
  const off = Number(wrong.find((one) => one.startsWith(CLOCK))?.slice(CLOCK.length) ?? 0);
  return off > 0 ? W.club.slow(off) : off < 0 ? W.club.fast(-off) : "";
}

/** Return the line on a table's clock. */
export const clockLine = (table) => clockWords(table.wrong) && h("p", { class: "club-soft club-clock" }, clockWords(table.wrong));

const dot = (color) => h("span", { class: "lobby-dot", style: `background: var(--${color}, ${color})` });

/** Return the list of players with their points. */
export const scores = (table) =>
  h("ul", { class: "club-scores" },
    ...table.players.map((player) =>
      h("li", {}, dot(player.color), h("span", { class: "name" }, called(player)), h("strong", {}, player.score ?? "–"))));

/** Return the line on the progress of the game and the camera's status. */
export function state(table) {
  if (table.fault) return W.club.untold;
  if (table.connection === "away") return [W.club.away, table.turns ? W.lobby.turns(table.turns) : "", waited(table.changed_s)].filter(Boolean).join(" · ");
  if (table.phone === "open" && table.connection !== "there") return table.log ? W.phones.noWorkerNow : W.phones.noWorkerYet;
  const seen = table.connection === "there" && table.phase !== "over" && table.needs !== "lost" ? W.seeing[table.seeing] : "";
  const phase = table.paused && table.phase !== "over" ? W.pause.on : W.club.phases[table.phase];
  return [phase, table.turns ? W.lobby.turns(table.turns) : "", seen].filter(Boolean).join(" · ");
}

/** Return a card that links to the table. */
export function card(table, fragment) {
  return h("a", { class: "club-table", "data-needs": table.needs, "data-id": table.id, href: `/table/${encodeURIComponent(table.id)}${fragment}` },
    h("div", { class: "club-table-head" }, h("h2", {}, table.id), h("span", { class: "club-soft" }, title(table))),
    scores(table),
    h("p", { class: "club-soft" }, state(table)),
    need(table),
    dispute(table),
    clockLine(table));
}

const title = (table) => sentenceCase((table.pack ?? "").replaceAll("-", " "));
