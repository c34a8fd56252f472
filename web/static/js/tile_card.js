// Card of a tapped tile: what is on it, who laid it, and the points of its unfinished features. Each can be
// highlighted.

import { doubtMark } from "./doubt.js";
import { h } from "./dom.js";
import { cellKey } from "./geometry.js";
import { meepleIcon } from "./meeple.js";
import { worth } from "./worth.js";
import { W, animalName, designOf, faceThings, kindName, list, namesOf, sentenceCase } from "./words.js";

/**
 * feature: id of the highlighted one, or null. onFeature(id) is called to highlight another one, onTurn(number) to
 * open its turn.
 */
export function showTile(card, cell, state, pack, { feature, onFeature, onTurn }) {
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
      h("p", {}, by, " ", doubtMark(turn)),
      h("ul", {}, ...(design?.features ?? []).map((one) => h("li", {},
        h("button", { type: "button", class: "tile-feature", "aria-pressed": one.id === feature ? "true" : "false", onclick: () => onFeature(one.id) }, ...featureLine(one, cell, state, names))))),
      turn ? h("button", { type: "button", class: "quiet", onclick: () => onTurn(turn.turn) }, W.log.look) : ""));
}

function cardTitle(design) {
  if (design?.foreign) return W.faces.foreign;
  return design ? list(faceThings(design)) : W.faces.none;
}

/** Return the unfinished feature with this id on a cell, with its points. */
export function spotAt(state, cell, feature) {
  if (!cell) return undefined;
  const key = cellKey(cell);
  return state.spots.find((spot) => spot.places.some((place) => cellKey(place.cell) === key && place.feature === feature));
}

function featureLine(feature, cell, state, names) {
  const spot = spotAt(state, cell, feature.id);
  const has = [...feature.animals.map(animalName), ...(feature.birds ? [W.faces.birds(feature.birds)] : [])];
  if (spot?.paid_by.length) has.push(W.faces.cities(spot.paid_by.length));
  const line = [h("b", {}, kindName(feature.kind)), has.length ? `: ${list(has)}` : ""];
  if (!spot?.if_completed) return line;
  const paid = Object.keys(spot.if_ended).filter((color) => spot.if_ended[color]);
  if (spot.on_demand) line.push(`; ${W.turn.goesTo(list(paid.map((color) => names[color] ?? color)))}`);
  if (!spot.on_demand) line.push(`; ${W.turn.onceComplete(W.counts.points(spot.if_completed))}`);
  else if (worth.on.ends) line.push(`, ${W.turn.atEnd(W.counts.points(spot.if_completed))}`);
  for (const color of Object.keys(spot.meeples)) if (spot.meeples[color]) line.push(" ", meepleIcon(color, { title: names[color] ?? color }));
  return line;
}
