// Sheets of games on squares: look at a turn and correct it, and correct the set-up.

import { getChoices } from "./api.js";
import { openTurnSheet, correctionSender } from "./correcting.js";
import { h } from "./dom.js";
import { openSheet } from "./sheet.js";
import { figureWords, placeOf, squaresBoard } from "./squares_board.js";
import { turnEdits } from "./turn_edits.js";
import { W, namesOf, phrase, sentenceCase } from "./words.js";

const FACINGS = ["n", "e", "s", "w"];
const GROUNDS = [".", "F", "L"];

/** Return what a player did in a turn, without the name. */
export const moveDeed = (turn) => (turn.pass ? W.squares.passes : W.squares.goes(turn.to));

/**
 * Open the sheet of a turn. `about` has the current state, and before(number), which fetches the state before a turn.
 */
export function openMove(number, about) {
  const { state, mayCorrect, before, onCorrect } = about;
  const { turn, room, send } = openTurnSheet(number, { state, mayCorrect, onCorrect }, (turn) => [moveDeed(turn)]);
  if (!mayCorrect) return;
  const edits = turn ? turnEdits(number, turn, { state, send, onInsert: () => openInserted(number, about), seated: true }) : "";
  Promise.all([before(number), getChoices(number)]).then(([earlier, choices]) => room.replaceChildren(...ways(turn, earlier, choices, (line) => send({ line }), edits)));
}

/** Open the sheet of a turn to insert before turn `number`. */
function openInserted(number, { state, before, onCorrect }) {
  const { room, send } = openTurnSheet(number, { state, onCorrect, inserting: true }, () => []);
  Promise.all([before(number), getChoices(number)]).then(([earlier, choices]) => room.replaceChildren(...ways(undefined, earlier, choices, (line) => send({ insert: [line] }), "")));
}

function ways(turn, earlier, choices, onLine, edits) {
  const lines = new Map(choices.lines.filter((line) => line.to).map((line) => [line.to, line]));
  const pass = choices.lines.find((line) => line.pass);
  const board = squaresBoard({
    ...earlier, names: namesOf(earlier), guide: [], label: W.squares.pickSquare, lit: [...lines.keys()], last: turn?.to ? [turn.to] : [],
    onSquare: (cell) => lines.has(cell) && onLine(lines.get(cell)),
  });
  for (const touch of board.querySelectorAll(".square-touch")) {
    if (lines.has(touch.dataset.square)) continue;
    touch.setAttribute("aria-disabled", "true");
    touch.removeAttribute("tabindex");
  }
  return [
    h("h3", {}, turn ? W.fix.tapWhat : W.squares.pickSquare),
    h("div", { class: "squares-map" }, board),
    pass ? h("div", { class: "answers" }, h("button", { type: "button", class: "plain", onclick: () => onLine(pass) }, sentenceCase(W.squares.passes))) : "",
    edits,
  ].filter(Boolean);
}

/**
 * Open the sheet of a square with a figure: what stands there, what is wrong with it, and what a camera has photographed.
 * `shown` is the displayed state; onTurn(number) opens a turn.
 */
export function openFigure(cell, { state, mayCorrect, onCorrect }, { shown, onTurn }) {
  const names = namesOf(shown);
  const here = shown.figures.filter((one) => one.cell === cell);
  const wrong = [...shown.misplaced.filter((one) => [one.seen, one.expected].some((figure) => figure?.cell === cell)), ...shown.faults.filter((fault) => fault.cell === cell)];
  const camera = here.find((one) => !one.facing);
  const turn = shown.turns.findLast((one) => one.to === cell && one.player === camera?.name);
  const photos = shown.events.filter((event) => (camera ? event.player === camera.name : here.some((one) => one.name === event.species)));
  const act = (way) => () => {
    sheet.close();
    way();
  };
  const sheet = openSheet(sentenceCase(here.map((one) => figureWords(one, names)).join(", ") || cell), [
    ...wrong.map((one) => h("p", { class: "tile-fault" }, sentenceCase(phrase(one.said, one.message)))),
    photos.length ? h("ul", { class: "worth-list" }, ...photos.map((event) => h("li", {}, `+${event.points} ${names[event.player] ?? event.player}: ${phrase(event.said, event.why)}`))) : "",
    h("div", { class: "answers" },
      mayCorrect && state.misplaced.length && wrong.length ? h("button", { type: "button", class: "plain", onclick: act(() => onCorrect({ agreed: true }).catch(() => {})) }, W.squares.agreed) : "",
      turn ? h("button", { type: "button", class: "plain", onclick: act(() => onTurn(turn.turn)) }, W.log.look) : ""),
  ]);
}

/** Open the sheet of the set-up, which is corrected with taps. `start` is the state before the first turn. */
export function openSetUp({ start, onCorrect }) {
  const names = namesOf(start);
  const set = { terrain: [...start.terrain], figures: start.figures.map((one) => ({ ...one })) };
  const room = h("div", { class: "squares-map" });
  const hint = h("p", { class: "hint", "aria-live": "polite" });
  let mode = "rotate";
  let held = null;
  const across = set.terrain.length;
  const at = (cell) => set.figures.find((one) => one.cell === cell);
  const act = {
    rotate: (cell) => {
      const one = at(cell);
      if (one?.facing) one.facing = FACINGS[(FACINGS.indexOf(one.facing) + 1) % 4];
    },
    move: (cell) => {
      if (!held) held = at(cell) ?? null;
      else {
        const other = at(cell);
        if (other && other !== held) other.cell = held.cell;
        held.cell = cell;
        held = null;
      }
    },
    ground: (cell) => {
      const [x, y] = placeOf(cell, across);
      const row = [...set.terrain[y]];
      row[x] = GROUNDS[(GROUNDS.indexOf(row[x]) + 1) % GROUNDS.length];
      set.terrain[y] = row.join("");
    },
  };
  const buttons = Object.fromEntries(Object.keys(act).map((name) => [name, h("button", { type: "button", onclick: () => turnTo(name) }, W.squares.by[name])]));
  const draw = () => {
    for (const [name, button] of Object.entries(buttons)) button.setAttribute("aria-pressed", name === mode);
    hint.textContent = held ? W.squares.putWhere(figureWords(held, names)) : W.squares.byHint[mode];
    const focused = room.querySelector(":focus")?.dataset.square;
    room.replaceChildren(squaresBoard({ ...set, art: start.art, names, label: W.squares.setUp, lit: held ? [held.cell] : [], onSquare: (cell) => {
      act[mode](cell);
      draw();
    } }));
    if (focused) room.querySelector(`[data-square="${focused}"]`).focus();
  };
  const turnTo = (name) => {
    mode = name;
    held = null;
    draw();
  };
  const save = h("button", { type: "button", class: "plain save", onclick: () => send({ set_up: set }) }, W.squares.saveSetUp);
  const sheet = openSheet(W.squares.setUp, [h("div", { class: "switch", role: "group", "aria-label": W.squares.setUp }, ...Object.values(buttons)), hint, room, save]);
  const send = correctionSender(sheet, onCorrect);
  draw();
}
