// The end of the game: who won, and where everybody's points came from.

import { h } from "./dom.js";
import { meepleIcon } from "./meeple.js";
import { kindName, list, points } from "./words.js";

export function showFinal(room, state) {
  room.hidden = !state.final;
  if (!state.final) return;
  const { players, final } = state;
  const names = Object.fromEntries(players.map((player) => [player.color, player.name]));
  const ranked = [...players].sort((a, b) => final.scores[b.color] - final.scores[a.color]);
  const best = final.scores[ranked[0].color];
  const winners = ranked.filter((player) => final.scores[player.color] === best);
  const said = winners.length > 1 ? `${list(winners.map((p) => p.name))} share the victory` : `${winners[0].name} wins`;
  room.replaceChildren(
    h("div", { class: "victory" },
      ...winners.map((player) => meepleIcon(player.color)),
      h("div", {}, h("h2", {}, said), h("p", {}, `with ${points(best)}${runnerUp(ranked, final, best, names)}`))),
    h("table", { class: "breakdown" },
      h("caption", { class: "hidden" }, "Points by reason and player"),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, h("span", { class: "hidden" }, "Reason")),
        ...ranked.map((player) => h("th", { scope: "col" }, meepleIcon(player.color), player.name)))),
      part("During the game", state.events, ranked),
      part("At the end", final.events, ranked),
      h("tfoot", {}, h("tr", {}, h("th", { scope: "row" }, "Total"), ...ranked.map((player) => h("td", {}, `${final.scores[player.color]}`))))),
  );
}

function runnerUp(ranked, final, best, names) {
  const next = ranked.find((player) => final.scores[player.color] < best);
  return next ? `, ${names[next.color]} follows with ${final.scores[next.color]}` : "";
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
  if (!rows.length) rows.push(h("tr", {}, h("th", { scope: "row" }, "Nothing"), ...players.map(() => h("td", { class: "zero" }, "0"))));
  return h("tbody", {}, h("tr", { class: "part" }, h("th", { scope: "rowgroup", colspan: players.length + 1 }, title)), ...rows);
}
