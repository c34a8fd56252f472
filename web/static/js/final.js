// Final scores: the winner, and where everybody's points came from.

import { h } from "./dom.js";
import { lobbyLink } from "./lobby_link.js";
import { meepleIcon } from "./meeple.js";
import { W, kindName, list, namesOf } from "./words.js";

export function showFinal(room, state) {
  room.hidden = !state.final;
  if (!state.final) return;
  const { players, final } = state;
  const names = namesOf(state);
  const ranked = [...players].sort((a, b) => final.scores[b.color] - final.scores[a.color]);
  const best = final.scores[ranked[0].color];
  room.replaceChildren(
    h("div", { class: "victory" },
      ...winnersOf(state).map((player) => meepleIcon(player.color)),
      h("div", {}, h("h2", {}, victory(state)), winnersOf(state).length ? h("p", {}, W.final.with(W.counts.points(best)) + runnerUp(ranked, final, best, names)) : ""),
      lobbyLink("plain lobby-link", { again: true })),
    h("table", { class: "breakdown" },
      h("caption", { class: "hidden" }, W.final.caption),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, h("span", { class: "hidden" }, W.final.reason)),
        ...ranked.map((player) => h("th", { scope: "col" }, meepleIcon(player.color), player.name)))),
      part(W.final.during, state.events, ranked),
      part(W.final.atEnd, final.events, ranked),
      h("tfoot", {}, h("tr", {}, h("th", { scope: "row" }, W.final.total), ...ranked.map((player) => h("td", {}, `${final.scores[player.color]}`))))),
  );
}

/** Return who won, whatever the uncertain points are; empty while that is open. */
export function winnersOf({ players, final }) {
  const scores = players.map((player) => [final.scores[player.color], ...(player.may_be ?? []).map(({ score }) => score)]);
  const toBeat = Math.max(...scores.map((one) => Math.min(...one)));
  const able = players.flatMap((player, at) => (Math.max(...scores[at]) >= toBeat ? [[player, scores[at]]] : []));
  const known = able.length === 1 || able.every(([, one]) => one.every((score) => score === one[0]));
  return known ? able.map(([player]) => player) : [];
}

/** Return who won, in words. */
export function victory(state) {
  const names = winnersOf(state).map((player) => player.name);
  if (!names.length) return W.final.open;
  return names.length > 1 ? W.final.share(list(names)) : W.final.wins(names[0]);
}

function runnerUp(ranked, final, best, names) {
  const next = ranked.find((player) => final.scores[player.color] < best);
  return next ? W.final.follows(names[next.color], final.scores[next.color]) : "";
}

function part(title, events, players) {
  const kinds = new Map();
  for (const event of events) {
    if (!kinds.has(event.kind)) kinds.set(event.kind, new Map());
    const row = kinds.get(event.kind);
    row.set(event.player, (row.get(event.player) ?? 0) + event.points);
  }
  const rows = [...kinds].filter(([, row]) => [...row.values()].some(Boolean)).map(([kind, row]) =>
    h("tr", {}, h("th", { scope: "row" }, kindName(kind)),
      ...players.map((player) => {
        const n = row.get(player.color) ?? 0;
        return h("td", { class: n ? "" : "zero" }, `${n}`);
      })));
  if (!rows.length) rows.push(h("tr", {}, h("th", { scope: "row" }, W.final.nothing), ...players.map(() => h("td", { class: "zero" }, "0"))));
  return h("tbody", {}, h("tr", { class: "part" }, h("th", { scope: "rowgroup", colspan: players.length + 1 }, title)), ...rows);
}
