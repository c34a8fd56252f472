// Game on squares as all pages show it: the board as it should look now, and a sentence about it.

import { artFor } from "./art.js";
import { h } from "./dom.js";
import { meepleIcon } from "./meeple.js";
import { squaresBoard } from "./squares_board.js";
import { moveDeed } from "./squares_sheets.js";
import { W, animalName, namesOf, phrase, sentenceCase } from "./words.js";

/**
 * Return the board as SVG. Figures are drawn where they still have to move from, or where they are by mistake.
 * onFigure(cell), if given, is called for a tap on a figure or a ring.
 */
export function shownBoard(state, lit = [], onFigure = null) {
  const waiting = new Map([
    ...state.guide.filter((step) => !step.done).map((step) => [step.from.name, step.from]),
    ...state.misplaced.filter((one) => one.seen).map((one) => [one.seen.name, one.seen]),
  ]);
  const figures = state.figures.map((one) => (one.facing ? waiting.get(one.name) : undefined) ?? one);
  const turn = state.turns.at(-1);
  const wrongAt = state.misplaced.map((one) => (one.seen ?? one.expected).cell);
  const board = squaresBoard({
    ...(onFigure ? { onSquare: onFigure } : {}), terrain: state.terrain, parts: state.parts ?? [], figures, art: state.art, names: namesOf(state), guide: state.guide, lit,
    wrong: wrongAt, last: turn?.to ? [turn.to] : [],
  });
  const said = new Set([...wrongAt, ...figures.map((one) => one.cell)]);
  for (const touch of board.querySelectorAll(".square-touch")) if (!said.has(touch.dataset.square)) touch.remove();
  return board;
}

/** Show one sentence: the move to make now, otherwise the last move. `past`: an earlier turn is shown. */
export function showWord(room, state, past = false) {
  const names = namesOf(state);
  const turn = state.turns.at(-1);
  const open = state.guide.filter((step) => !step.done);
  const said = JSON.stringify([turn, open[0], state.phase, state.missing, state.events.length]);
  if (room.dataset.said === said) return; // the same sentence would be announced again
  room.dataset.said = said;
  if (open.length && !past) {
    const number = state.guide.length - open.length + 1;
    room.replaceChildren(figurePicture(state, open[0].to.name, open[0].to.facing), h("p", { class: "says" }, h("span", { class: "when" }, W.squares.stepOf(number, state.guide.length)), h("b", {}, sentenceCase(animalName(open[0].to.name))), ` ${stepWords(open[0])}`));
  } else if (turn) {
    const photos = state.events.filter((event) => event.turn === turn.turn);
    const next = state.player && !past ? ` ${W.squares.next(names[state.player] ?? state.player)}` : "";
    const got = photos.map((event) => W.squares.gets(names[event.player] ?? event.player, phrase(event.said, event.why)));
    room.replaceChildren(h("span", { class: `says-who ink-${turn.player}` }, meepleIcon(turn.player)), h("p", { class: "says" }, h("span", { class: "when" }, W.turn.short(turn.turn)), h("b", {}, names[turn.player] ?? turn.player), ` ${moveDeed(turn)}. ${got.join(" ")}${next}`));
  } else if (state.missing) {
    room.replaceChildren(h("p", { class: "says" }, h("span", { class: "when" }, W.squares.settingUp), sentenceCase(phrase(state.missing_said, state.missing))));
  } else {
    room.replaceChildren(state.player ? h("p", { class: "says" }, W.turn.begins(names[state.player] ?? state.player)) : "");
  }
}

/** Return the text that takes the board's place before the board can be drawn. */
export const boardless = (state) => (state.missing ? `${W.squares.settingUp} ${sentenceCase(phrase(state.missing_said, state.missing))}` : W.page.boardEmpty);

/** Return the misplaced figures and the faults on the table. */
export const wrong = (now) => [...now.misplaced, ...now.faults];

/** Return the number of the turn and of all turns; "" in games without a limit. */
export const turnOfMost = (state) => (state.turns_at_most === null ? "" : W.squares.turn(Math.min(state.turn_no + (state.phase === "over" ? 0 : 1), state.turns_at_most), state.turns_at_most));

/** Return the boxes of all animals; those that the player has photographed are marked. */
export const photoBoxes = (player, state) => h("span", { class: "photo-boxes" }, ...state.names.map((name) => {
  const has = player.collected.includes(name);
  const said = has ? W.squares.has(animalName(name)) : W.squares.lacks(animalName(name));
  return h("img", { class: "photo-box", "data-has": has ? "yes" : "no", src: artFor(state.art[name], 60), alt: said, title: said });
}));

export const figurePicture = (state, name, facing) => h("img", { src: artFor(state.art[name], 52), alt: "", width: 52, height: 52, class: "says-figure", style: `transform: rotate(${{ n: 0, e: 90, s: 180, w: 270 }[facing]}deg)` });
export const stepWords = ({ from, to }) => (from.cell === to.cell ? W.squares.turns(to.cell, W.squares.sides[to.facing]) : W.squares.walks(from.cell, to.cell, W.squares.sides[to.facing]));
