// How sure a turn is: one that is not is marked wherever it shows, until people say what was played or pictures do.

import { h, s } from "./dom.js";
import { SIZE } from "./geometry.js";
import { W } from "./words.js";

const SURE = 0.9; // the same as in web/table/doubts.py

export const isDoubtful = (turn) => typeof turn?.confidence === "number" && turn.confidence < SURE;

/** "not sure: 0.72"; a share is cut off, so that none reads as if it were sure. */
const unsure = ({ confidence }) => W.doubt.mark((Math.floor(100 * confidence + 1e-6) / 100).toFixed(2));

/** The mark of a turn in a line of text; nothing for one that is sure. */
export const doubtMark = (turn) => (isDoubtful(turn) ? h("span", { class: "doubt" }, h("span", { class: "doubt-sign", "aria-hidden": "true" }, "?"), unsure(turn)) : "");

/** The words of that mark, after a comma; nothing for a turn that is sure. */
export const doubtWords = (turn) => (isDoubtful(turn) ? `, ${unsure(turn)}` : "");

/** The mark of a turn on its tile. */
export function doubtBadge(turn) {
  const [x, y] = turn.cell;
  return s("g", { class: "doubt-badge", transform: `translate(${(x + 0.84) * SIZE} ${(y + 0.16) * SIZE})` },
    s("title", {}, unsure(turn)),
    s("g", { class: "doubt-badge-size" }, s("circle", { r: 13 }), s("text", { y: 7 }, "?")));
}

/** A turn as a record line: without what the table tells about it. */
export function lineOf({ turn: _, drawn: __, frame: ___, confidence: ____, alternatives: _____, ...line }) {
  return line;
}
