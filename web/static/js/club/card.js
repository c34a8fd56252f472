// A table of the club in short: who plays, the scores, and what it needs.

import { h } from "../dom.js";
import { W, sentenceCase } from "../words.js";

/** What a table needs, the most urgent first: "lost", "ask" or "". */
export function needs(table) {
  if (table.connection === "lost" || table.seeing === "lost" || table.wrong.length) return "lost";
  return table.asked.length ? "ask" : "";
}

/** The same in words; "" where it needs nothing. */
export function needsInWords(table) {
  if (table.connection === "lost") return W.club.silent;
  if (table.seeing === "lost") return W.seeing.lost;
  if (table.wrong.length) return W.club.wrong[table.wrong[0].split(":")[0]] ?? W.club.wrong.other;
  if (!table.asked.length) return "";
  const asked = table.players.find((player) => player.color === table.asked[0].player);
  return asked ? W.club.waitsFor(asked.name) : W.club.waits;
}

const dot = (color) => h("span", { class: "lobby-dot", style: `background: var(--${color}, ${color})` });

/** The players with their points. */
export const scores = (table) =>
  h("ul", { class: "club-scores" },
    ...table.players.map((player) =>
      h("li", {}, dot(player.color), h("span", { class: "name" }, player.name), h("strong", {}, player.score ?? "–"))));

/** How far the game is, and what the camera sees. */
export function state(table) {
  if (table.fault) return W.club.untold;
  const seen = table.connection === "there" && table.phase !== "over" ? W.seeing[table.seeing] : "";
  return [W.club.phases[table.phase], table.turns ? W.lobby.turns(table.turns) : "", seen].filter(Boolean).join(" · ");
}

/** A card that leads to the table. */
export function card(table, fragment) {
  const need = needs(table);
  return h("a", { class: "club-table", "data-needs": need, "data-id": table.id, href: `/table/${encodeURIComponent(table.id)}${fragment}` },
    h("div", { class: "club-table-head" }, h("h2", {}, table.id), h("span", { class: "club-soft" }, title(table))),
    scores(table),
    h("p", { class: "club-soft" }, state(table)),
    need ? h("p", { class: "club-needs", "data-needs": need }, needsInWords(table)) : null);
}

const title = (table) => sentenceCase((table.pack ?? "").replaceAll("-", " "));
