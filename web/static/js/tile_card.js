// Card of a tapped tile: what is on it, who laid it, and what its features consist of. Each can be highlighted.

import { doubtMark } from "./doubt.js";
import { h } from "./dom.js";
import { UNKNOWN } from "./foreign_editor.js";
import { cellKey } from "./geometry.js";
import { pieceIcon } from "./meeple.js";
import { spotOn, spotWords } from "./spots.js";
import { W, animalName, designOf, faceThings, kindName, list, namesOf, phrase, sentenceCase, told } from "./words.js";

/**
 * Return what is on a tile as [{id, name, has, spot}]: its features, then what other features it belongs to, such as a
 * river system. `spot` is missing if there is nothing to score.
 */
export function partsOf(cell, state, design) {
  const key = cellKey(cell);
  const own = (design?.features ?? []).map((one) => ({
    id: one.id, name: kindName(one.kind), spot: spotOn(state.spots, cell, one.id),
    has: [...one.animals.map(animalName), ...(one.birds ? [W.faces.birds(one.birds)] : [])],
  }));
  const taken = new Set(own.map(({ spot }) => spot));
  const more = state.spots.filter((spot) => !taken.has(spot) && Object.keys(spot.meeples).length).flatMap((spot) => {
    const place = (spot.places ?? []).find((one) => cellKey(one.cell) === key);
    return place ? [{ id: `${spot.kind} ${place.feature}`, name: kindName(spot.kind), has: [], spot }] : [];
  });
  return [...own, ...more];
}

/**
 * feature: id of the highlighted one, or null. onFeature(id) is called to highlight another one, onTurn(number, how) to
 * open its turn, onQuestion(id) to ask a question about the tile now.
 */
export function showTile(card, cell, state, pack, { feature, onFeature, onTurn, onQuestion }) {
  card.hidden = !cell;
  if (!cell) return;
  const key = cellKey(cell);
  const laid = state.board.find((one) => cellKey(one.cell) === key);
  const design = designOf(pack, laid);
  const turn = state.turns.findLast((one) => cellKey(one.cell) === key);
  const names = namesOf(state);
  const by = turn ? W.turn.by(turn.turn, names[turn.player] ?? turn.player) : W.turn.start;
  const focused = card.querySelector(".tile-feature:focus")?.dataset.feature;
  card.replaceChildren(
    design?.art ? h("img", { src: design.art, alt: "", style: `transform: rotate(${laid.rot}deg)` }) : "",
    h("div", {},
      h("h2", {}, sentenceCase(cardTitle(design))),
      h("p", {}, by, " ", doubtMark(turn)),
      ...marksOn(cell, state).map((said) => h("p", { class: "tile-fault" }, said)),
      ...state.questions.filter((one) => one.cells.some((other) => cellKey(other) === key)).map((one) =>
        h("button", { type: "button", class: "plain tile-asked", onclick: () => onQuestion(one.id) }, sentenceCase(phrase(one.said, one.text)))),
      h("ul", {}, ...partsOf(cell, state, design).map((one) => h("li", {},
        h("button", { type: "button", class: "tile-feature", "data-feature": one.id, "aria-pressed": one.id === feature ? "true" : "false", onclick: () => onFeature(one.id) }, ...partLine(one, one.id === feature, names))))),
      turn && laid.face === UNKNOWN ? h("button", { type: "button", class: "quiet", onclick: () => onTurn(turn.turn, { describe: true }) }, W.foreign.what) : "",
      turn ? h("button", { type: "button", class: "quiet", onclick: () => onTurn(turn.turn) }, W.log.look) : "",
      // Turns that laid an animal tile on a corner of this tile later.
      ...state.turns.filter((one) => one !== turn && one.action?.cell && cellKey(one.action.cell) === key).map((one) =>
        h("button", { type: "button", class: "quiet", onclick: () => onTurn(one.turn) }, W.turn.by(one.turn, names[one.player] ?? one.player)))));
  if (focused) card.querySelector(`[data-feature="${CSS.escape(focused)}"]`)?.focus();
}

/** Return in words what is wrong at a cell: violated rules, and what the camera sees otherwise. */
export function marksOn(cell, state) {
  const key = cellKey(cell);
  const { seeing, cells, said, message } = state.camera;
  const faults = state.faults.filter((fault) => (fault.cells ?? [fault.cell]).some((one) => one && cellKey(one) === key));
  const unclear = seeing === "unclear" && !faults.length && cells.some((one) => cellKey(one) === key);
  return [...faults.map((fault) => told(fault.said, fault.message)), ...(unclear ? [told(said, message)] : [])].filter(Boolean);
}

function cardTitle(design) {
  if (design?.foreign) return W.faces.foreign;
  return design ? list(faceThings(design)) : W.faces.none;
}

/** Return a part of a tile in words; the highlighted one with its points, those of the end included. */
function partLine({ name, has, spot }, lit, names) {
  if (!spot) return [h("b", {}, name), has.length ? `: ${list(has)}` : ""];
  const pieces = Object.keys(spot.meeples).flatMap((color) => (spot.meeples[color] ? [" ", pieceIcon(spot.piece, color, { title: names[color] ?? color })] : []));
  return [h("b", {}, name), ...pieces, h("span", { class: "tile-spot" }, spotWords(spot, names, { secret: spot.at_end && !lit }))];
}
