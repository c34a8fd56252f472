// Sheet of a mark on a cell without a tile: what the camera sees there, how sure, and ways to enter what was played.

import { getPicture } from "./api.js";
import { h } from "./dom.js";
import { openSheet } from "./sheet.js";
import { marksOn } from "./tile_card.js";
import { tileThumb } from "./tile_drawing.js";
import { W, faceWords, phrase, sentenceCase } from "./words.js";

/**
 * Open the sheet of a cell. `about` is as for other sheets; onEnter(placement) opens the sheet of a turn, filled in with
 * what is known of it, onQuestion(id) asks a question now.
 */
export function openMissed(cell, { state, pack, mayCorrect }, { onEnter, onQuestion }) {
  const asked = state.questions.filter((question) => question.cells.some((one) => String(one) === String(cell)));
  const seen = h("div", { class: "missed-seen", "aria-live": "polite" });
  const go = (way) => () => {
    close();
    way();
  };
  const enter = (label, placement) => h("button", { type: "button", class: "plain", onclick: go(() => onEnter(placement)) }, label);
  const ways = h("div", { class: "answers" });
  const { close } = openSheet(W.marks.missed, [
    h("p", {}, sentenceCase(W.fix.at(...cell))),
    ...marksOn(cell, state).map((said) => h("p", { class: "tile-fault" }, said)),
    seen, ways,
  ]);
  const show = (read) => ways.replaceChildren(
    ...asked.map((question) => h("button", { type: "button", class: "plain", onclick: go(() => onQuestion(question.id)) }, sentenceCase(phrase(question.said, question.text)))),
    mayCorrect && read ? enter(W.marks.isIt, { tile: read.read, cell }) : "",
    mayCorrect ? enter(read ? W.marks.other : W.edit.enter(1), { cell }) : h("p", { class: "hint" }, W.ask.watcher),
    h("button", { type: "button", class: "plain", onclick: () => close() }, W.marks.nothing));
  show(null);
  getPicture().then(({ tiles = [] }) => {
    const read = tiles.find((tile) => String(tile.cell) === String(cell) && pack.designs[tile.read]);
    if (!read) return;
    seen.replaceChildren(tileThumb(read.read, pack.designs[read.read], 0), h("p", {}, W.marks.sees(faceWords(read.read), `${Math.floor(100 * read.confidence)} %`)));
    show(read);
  }, () => {}); // without a picture, what was played can be entered all the same
}
