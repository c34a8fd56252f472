// A tap on a tile: what is on it, who laid it, what its unfinished features are worth.

import { h } from "./dom.js";
import { cellKey } from "./geometry.js";
import { meepleIcon } from "./meeple.js";
import { worth } from "./worth.js";
import { W, animalName, designOf, faceThings, kindName, list, namesOf, sentenceCase } from "./words.js";

export function showTile(card, cell, state, pack, onTurn) {
  card.hidden = !cell;
  if (!cell) return;
  const key = cellKey(cell);
  const laid = state.board.find((one) => cellKey(one.cell) === key);
  const design = designOf(pack, laid);
  const turn = state.turns.findLast((one) => cellKey(one.cell) === key);
  const names = namesOf(state);
  const by = turn ? W.turn.by(turn.turn, names[turn.player] ?? turn.player) : W.turn.start;
  card.replaceChildren(
    design?.art ? h("img", { src: design.art, alt: "", style: `transform: rotate(${laid.rot}deg)` }) : "",
    h("div", {},
      h("h2", {}, sentenceCase(cardTitle(design))),
      h("p", {}, by),
      h("ul", {}, ...(design?.features ?? []).map((feature) => h("li", {}, ...featureLine(feature, key, state, names)))),
      turn ? h("button", { type: "button", class: "quiet", onclick: () => onTurn(turn.turn) }, W.log.look) : ""));
}

function cardTitle(design) {
  if (design?.foreign) return W.faces.foreign;
  return design ? list(faceThings(design)) : W.faces.none;
}

function featureLine(feature, key, state, names) {
  const has = [...feature.animals.map(animalName), ...(feature.birds ? [W.faces.birds(feature.birds)] : [])];
  const line = [h("b", {}, kindName(feature.kind)), has.length ? `: ${list(has)}` : ""];
  const spot = state.spots.find((one) => one.places.some((place) => cellKey(place.cell) === key && place.feature === feature.id));
  if (!spot || !spot.if_completed) return line;
  if (spot.on_demand && !worth.on.ends) return line;
  const say = spot.on_demand ? W.turn.atEnd : W.turn.onceComplete;
  line.push(`; ${say(W.counts.points(spot.if_completed))}`);
  for (const color of Object.keys(spot.meeples)) if (spot.meeples[color]) line.push(" ", meepleIcon(color, { title: names[color] ?? color }));
  return line;
}
