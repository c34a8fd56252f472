// A tap on a tile: what is on it, who laid it, what its unfinished features are worth.

import { h } from "./dom.js";
import { cellKey } from "./geometry.js";
import { meepleIcon } from "./meeple.js";
import { kindName, list, points, sentenceCase, tileName } from "./words.js";

export function showTile(card, cell, state, pack) {
  card.hidden = !cell;
  if (!cell) return;
  const key = cellKey(cell);
  const laid = state.board.find((one) => cellKey(one.cell) === key);
  const design = pack.designs[laid.tile];
  const turn = state.turns.findLast((one) => cellKey(one.cell) === key);
  const names = Object.fromEntries(state.players.map((player) => [player.color, player.name]));
  const by = turn ? `Turn ${turn.turn}, ${names[turn.player] ?? turn.player}` : "Start tile";
  card.replaceChildren(
    design?.art ? h("img", { src: design.art, alt: "", style: `transform: rotate(${laid.rot}deg)` }) : "",
    h("div", {},
      h("h2", {}, sentenceCase(tileName(design).replace(/^an? /, ""))),
      h("p", {}, `${by} · ${laid.tile}`),
      h("ul", {}, ...(design?.features ?? []).map((feature) => h("li", {}, ...featureLine(feature, key, state, names))))));
}

function featureLine(feature, key, state, names) {
  const has = [...feature.animals, ...(feature.birds ? [`${feature.birds} ${feature.birds === 1 ? "bird" : "birds"}`] : [])];
  const line = [h("b", {}, kindName(feature.kind)), has.length ? `: ${list(has)}` : ""];
  const spot = state.spots.find((one) => one.places.some((place) => cellKey(place.cell) === key && place.feature === feature.id));
  if (!spot || !spot.if_completed) return line;
  line.push(`; ${points(spot.if_completed)} once complete`);
  for (const color of Object.keys(spot.meeples)) if (spot.meeples[color]) line.push(" ", meepleIcon(color, { title: names[color] ?? color }));
  return line;
}
