// Parts of the turn sheets of all games: the picture from which a turn was recognised, and sending a correction.

import { cropAddress, hasPhotographs } from "./api.js";
import { crop } from "./crop.js";
import { doubtMark, isDoubtful, lineOf } from "./doubt.js";
import { h } from "./dom.js";
import { meepleIcon } from "./meeple.js";
import { openSheet } from "./sheet.js";
import { shownSide } from "./turned.js";
import { W, namesOf, sentenceCase } from "./words.js";

/**
 * Open the sheet of turn `number`; the number after the last turn stands for a turn that the camera missed.
 * words(turn) returns what the player did and further texts. With `mayCorrect`, an uncertain turn can be confirmed.
 * With `inserting`, the sheet is about a new turn before this one. Returns the turn, the element for corrections, and
 * the function that sends one.
 */
export function openTurnSheet(number, { state, mayCorrect = false, onCorrect, inserting = false }, words) {
  const turn = inserting ? undefined : state.turns[number - 1];
  const player = state.turns[number - 1]?.player ?? state.player;
  const room = h("div", { class: "fixing" });
  const inserted = inserting && number <= state.turns.length;
  const title = (inserted ? W.edit.insertTitle : W.fix.title)(number, namesOf(state)[player] ?? "");
  const right = mayCorrect && isDoubtful(turn) ? h("button", { type: "button", class: "plain right", onclick: () => send({ line: lineOf(turn) }) }, W.doubt.right) : "";
  const sheet = openSheet(title, [turn ? told(turn, ...words(turn)) : h("p", {}, W.fix.newTurn), right, room]);
  const send = correctionSender(sheet, (body) => onCorrect({ turn: number, ...body }));
  return { turn, room, send };
}

function told(turn, deed, ...more) {
  const picture = crop(cropAddress.turn(turn.turn, turn.frame), W.fix.picture(turn.turn), (error) =>
    h("p", { class: "hint" }, error.code === "camera_hidden" ? W.camera.hidden : W.fix.noPicture));
  const sure = turn.confidence === null ? "" : isDoubtful(turn) ? doubtMark(turn) : h("span", { class: "sure" }, W.fix.sure(`${Math.floor(100 * turn.confidence)} %`));
  const arrow = hasPhotographs ? h("p", { class: "hint arrow-hint" }, W.fix.arrow(W.foreign.edges[shownSide("n")])) : "";
  return h("div", { class: "told" }, picture, arrow, h("p", {}, meepleIcon(turn.player), ` ${sentenceCase(deed)}. `, ...more, sure));
}

/** Return a function that sends a correction and then closes the sheet. Buttons are disabled meanwhile. */
export function correctionSender(sheet, onCorrect) {
  const rest = (on) => {
    for (const button of sheet.room.querySelectorAll("button")) button.disabled = on;
  };
  return async (body) => {
    rest(true);
    try {
      await onCorrect(body);
      sheet.close();
    } catch {
      rest(false);
    }
  };
}
